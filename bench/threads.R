# How much sooner is a sweep, or an iteration of variational inference, done on two threads than on one, and
# what did threads cost where there is one? On two idle cores: topics and a tensor of 2000 x 2000 cells with
# K = 50, and two chains (one start) of a block model of 2000 actors. With the library of an older version as
# the first argument, sweeps of both versions on one thread are compared instead.
source("bench/common.R")

EPSILON <- 1

simulated <- function() {
  set.seed(23)
  simulate_positive(2000, 2000, 0.05, EPSILON)
}

jobs <- list(
  topics = function(counts) prepare(ldpcounts:::topics_model, counts, 50, EPSILON, sweeps = 5),
  tensor = function(counts) {
    prepare(ldpcounts:::tensor_of(3), counts, 50, EPSILON, sweeps = 5, extents = c(2000, 40, 50))
  },
  blocks = function(counts) {
    diag(counts) <- 0
    prepare(ldpcounts:::blocks_model, counts, 50, EPSILON, sweeps = 5)
  }
)

# The job with cells that are checked once, as in a fit.
opened <- function(job) {
  job$dim <- job$cells$dim
  ldpcounts:::open_cells(job)
}

# Seconds for a sweep of so many chains.
sweep_chains <- function(job, n_chains, n_threads, n = 5) {
  ldp_threads(n_threads)
  chains <- lapply(seq_len(n_chains), function(i) {
    list(factors = job$factors, noise = job$noise, seeds = ldpcounts:::sweep_seeds(n))
  })
  seconds(job$model$gibbs(job$cells, chains, job$prior, n, integer(), FALSE, 0.75), 1) / n
}

# Seconds for an iteration of one start, without the step that comes before the first.
iterate <- function(job, n_threads) {
  ldp_threads(n_threads)
  q <- ldpcounts:::new_q(job, job$factors)
  passes <- function(n) job$model$cavi(job$cells, q, job$prior, FALSE, n, c(0, 0), NA_real_, 0)
  (seconds(passes(6L), 1) - seconds(passes(1L), 1)) / 5
}

# One thread and two are timed in turn, and the least of each is compared, because other work on the machine can
# only make a time longer.
say <- function(name, family, what, measure) {
  times <- replicate(7, c(measure(1), measure(2)))
  least <- apply(times, 1, min)
  cat(sprintf("%-7s %-8s %-12s %.3f s on one thread, ", name, family, what, least[1]))
  cat(sprintf("%.2f times faster on two\n", least[1] / least[2]))
}

# A chain of this version, on one thread, from a random start.
start_chain <- function(counts, family) {
  if (exists("ldp_threads")) ldp_threads(1)
  set.seed(1)
  suppressWarnings(topic_model(private_counts(counts, epsilon = 1, clamped = TRUE), 50,
    family = family, iter = 2, warmup = 1, chains = 1, init = "random", progress = FALSE
  ))
}

# Seconds of computing time per sweep, for the same sweeps in each call.
continue_chain <- function(fit, sweeps) {
  time <- system.time(suppressWarnings(update(fit, iter = sweeps, progress = FALSE)))
  (time[["user.self"]] + time[["sys.self"]]) / sweeps
}

# Both versions are timed in turn, in processes of their own. The least of many times is compared, because
# other work on the machine can only make a time longer.
compare_versions <- function(before) {
  libraries <- c(before = before, now = dirname(system.file(package = "ldpcounts")))
  counts <- simulated()
  for (family in c("poisson", "nbinom1")) {
    times <- replicate(3, least_times(libraries, counts, family))
    ratios <- times["now", ] / times["before", ]
    cat(sprintf("topics  %-8s on one thread %.3f s, before %.3f s: ", family,
      median(times["now", ]), median(times["before", ])
    ))
    cat(sprintf("%.2f times as long (%.2f to %.2f; bar: 1.03)\n", median(ratios), min(ratios), max(ratios)))
  }
}

# The least seconds per sweep of each version.
least_times <- function(libraries, counts, family) {
  workers <- lapply(libraries, function(library) {
    Sys.setenv(R_LIBS = library) # which workers inherit; R 4.2 has no argument for it
    worker <- parallel::makePSOCKcluster(1)
    parallel::clusterEvalQ(worker, library(ldpcounts))
    parallel::clusterExport(worker, "continue_chain")
    worker
  })
  on.exit(lapply(workers, parallel::stopCluster))
  begin <- function(start, ...) assign("fit", start(...), .GlobalEnv)
  for (worker in workers) parallel::clusterCall(worker, begin, start_chain, counts, family)
  times <- replicate(12, vapply(workers, function(worker) {
    parallel::clusterEvalQ(worker, continue_chain(fit, 40))[[1]]
  }, 0))
  apply(times, 1, min)
}

compare_threads <- function() {
  counts <- simulated()
  for (name in names(jobs)) {
    n_chains <- if (name == "blocks") 2 else 1
    job <- opened(jobs[[name]](counts))
    for (family in c("poisson", "nbinom1")) {
      if (family == "nbinom1") job <- with_bursts(job, 5)
      chains <- sprintf("%d chain(s):", n_chains)
      say(name, family, chains, function(n_threads) sweep_chains(job, n_chains, n_threads))
      say(name, family, "cavi:", function(n_threads) iterate(job, n_threads))
    }
  }
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 1) {
  compare_versions(arguments)
} else {
  compare_threads()
}
