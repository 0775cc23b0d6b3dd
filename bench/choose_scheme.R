# Does scheme = "auto" predict which scheme gives more effective draws a second? Topic models of ten tables:
# processor time of a sweep in both schemes, in turns, from factors near the truth, and effective draws per sweep;
# the ratio of the two schemes as predicted and as measured. One thread, Poisson counts, few kept draws.
#   Rscript bench/choose_scheme.R [rows of the table]

source("bench/common.R")
ldp_threads(1)

cases <- data.frame(
  D = c(2000, 1000, 2000, 1000, 1000, 773, 400, 3000, 500, 1500),
  V = c(2000, 1000, 2000, 1000, 1000, 1290, 2500, 300, 500, 1000),
  k = c(50, 20, 100, 5, 50, 20, 10, 30, 50, 10),
  mean = c(.05, .05, .01, .02, .3, .15, .5, .1, 1, .005),
  alpha = c(.37, .78, .61, .61, .5, .37, .9, .7, .3, .95)
)

predicted_ratio <- function(counts, case, prior) {
  data <- private_counts(counts, alpha = case$alpha, clamped = TRUE)
  task <- ldpcounts:::new_task(ldpcounts:::topics_model, data, dim(data), case$k, ldpcounts:::poisson_family, "model",
    "gibbs", "auto", TRUE,
    prior = list(theta = prior, phi = prior)
  )
  cost <- ldpcounts:::scheme_costs(task, ldpcounts:::model_input(ldpcounts:::topics_model, data, "model"),
    ldpcounts:::new_run(2000, 4, case$k, 1000, 1000))
  cost[["collapsed"]] / cost[["tokens"]]
}

chosen <- as.integer(commandArgs(TRUE))
for (i in if (length(chosen) > 0) chosen else seq_len(nrow(cases))) {
  case <- cases[i, ]
  set.seed(i)
  counts <- simulate_positive(case$D, case$V, case$mean, -log(case$alpha), case$k)
  jobs <- jobs_by_scheme(counts, case$alpha, 10)
  times <- replicate(5, vapply(jobs, function(job) timed(sweep_on(job, 8)) / 8, 0))
  draws <- vapply(jobs, function(job) effective_draws(job, c(case$D, case$V), 300)[["a_sweep"]], 0)
  faster <- stats::median(times["collapsed", ] / times["tokens", ])
  cat(sprintf(
    "%d x %d, k %d, mean %g, alpha %g: sweeps %.2f times as fast, effective draws a second %.2f, predicted %.2f\n",
    case$D, case$V, case$k, case$mean, case$alpha, faster, faster * draws[["tokens"]] / draws[["collapsed"]],
    predicted_ratio(counts, case, attr(counts, "truth")$prior)
  ))
}
