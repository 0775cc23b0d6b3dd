# Does scheme = "tokens" cost the counts, and not the cells? Processor time of a sweep of a topic model in
# both schemes, in turns, from the same factors, which are near the truth; how many effective draws a sweep
# gives; a bound: 5 ns per token and 10 ns per gamma variate; and how much sooner two threads are done. Poisson counts;
# one thread, unless two are named.
#   Rscript bench/tokens.R [rows of the table]

source("bench/common.R")
ldp_threads(1)

cases <- data.frame(
  D = c(2000, 2000, 2000, 5000, 773, 20000), V = c(2000, 2000, 2000, 4000, 1290, 10000),
  k = c(50, 50, 100, 50, 20, 50), mean = c(.05, .05, .01, .01, .15, .002),
  alpha = c(.37, .78, .61, .61, .37, .61), sweeps = c(rep(1000, 5), 200)
)

chosen <- as.integer(commandArgs(TRUE))
for (i in if (length(chosen) > 0) chosen else seq_len(5)) {
  case <- cases[i, ]
  set.seed(i)
  counts <- simulate_positive(case$D, case$V, case$mean, -log(case$alpha), case$k)
  jobs <- jobs_by_scheme(counts, case$alpha, 20)
  times <- replicate(5, vapply(jobs, function(job) timed(sweep_on(job, 4)) / 4, 0))
  draws <- vapply(jobs, function(job) effective_draws(job, c(case$D, case$V), case$sweeps)[["a_sweep"]], 0)
  elapsed <- replicate(7, vapply(1:2, function(n_threads) {
    ldp_threads(n_threads)
    seconds(sweep_on(jobs$tokens, 20), 1) # about a block of a run
  }, 0))
  ldp_threads(1)
  least <- apply(elapsed, 1, min)
  tokens <- case$mean * case$D * case$V / case$alpha
  bound <- tokens * 5e-9 + (case$D + case$V) * case$k * 10e-9
  ratio <- apply(times, 2, function(x) x[["collapsed"]] / x[["tokens"]])
  cat(sprintf(
    paste(
      "%d x %d, k %d, mean %g, alpha %g: %.2e positive cells, %.2e tokens; collapsed %.1f ms, tokens %.1f ms",
      "(bound %.1f); sweeps %.2f times as fast (%.2f to %.2f), %.2f times the effective draws a second;",
      "%.2f times as fast on two threads\n"
    ),
    case$D, case$V, case$k, case$mean, case$alpha, length(counts@x), tokens, 1e3 * min(times["collapsed", ]),
    1e3 * min(times["tokens", ]), 1e3 * bound, stats::median(ratio), min(ratio), max(ratio),
    stats::median(ratio) * draws[["tokens"]] / draws[["collapsed"]], least[1] / least[2]
  ))
}
