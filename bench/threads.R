# How much sooner is a sweep, or an iteration of variational inference, done on two threads than on one, and
# what did threads cost where there is one? On two idle cores: topics and a tensor of 2000 x 2000 cells with
# K = 50, and two chains (one start) of a block model of 2000 actors. With the library of an older version as
# the first argument, sweeps of both versions on one thread are compared instead.
source("bench/common.R")

EPSILON <- 1
SWEEPS <- 200 # so many that the short blocks at the beginning of a run do not matter

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
sweep_chains <- function(job, n_chains, n_threads, n = 3) {
  ldp_threads(n_threads)
  chains <- lapply(seq_len(n_chains), function(i) {
    list(factors = job$factors, noise = job$noise, seeds = ldpcounts:::sweep_seeds(n))
  })
  seconds(job$model$gibbs(job$cells, chains, job$prior, n, integer(), FALSE, 0.75), 5) / n
}

# Seconds for an iteration of one start, without the step that comes before the first.
iterate <- function(job, n_threads) {
  ldp_threads(n_threads)
  q <- ldpcounts:::make_q(job, job$factors)
  passes <- function(n) job$model$cavi(job$cells, q, job$prior, FALSE, n, c(0, 0), NA_real_, 0)
  (seconds(passes(6L), 5) - seconds(passes(1L), 5)) / 5
}

say <- function(name, family, what, one, two) {
  faster <- one / two
  cat(sprintf("%-7s %-8s %-12s %.3f s on one thread, %.2f times faster on two\n", name, family, what, one, faster))
}

# Seconds for a sweep in this version, by a fit on one thread as any version has it.
time_fit <- function(family) {
  if (exists("ldp_threads")) ldp_threads(1)
  released <- private_counts(simulated(), epsilon = EPSILON, clamped = TRUE)
  run <- function(sweeps) {
    set.seed(1)
    system.time(suppressWarnings(topic_model(released, 50,
      family = family, iter = sweeps, warmup = sweeps - 1, chains = 1, init = "random", progress = FALSE
    )))[["elapsed"]]
  }
  run(2)
  (run(2 + SWEEPS) - run(2)) / SWEEPS
}

# In turn, in processes of their own.
compare_versions <- function(before) {
  for (family in c("poisson", "nbinom1")) {
    timed <- function(library) {
      said <- system2(file.path(R.home("bin"), "Rscript"), c("bench/threads.R", "time", family),
        stdout = TRUE, env = paste0("R_LIBS=", library)
      )
      as.double(said[length(said)])
    }
    libraries <- c(before = before, now = dirname(system.file(package = "ldpcounts")))
    times <- vapply(1:3, function(i) vapply(libraries, timed, 0), c(before = 0, now = 0))
    ratios <- times["now", ] / times["before", ]
    cat(sprintf("topics  %-8s on one thread %.3f s, before %.3f s: %.2f times as long (%.2f to %.2f; bar: 1.03)\n",
      family, median(times["now", ]), median(times["before", ]), median(ratios), min(ratios), max(ratios)
    ))
  }
}

compare_threads <- function() {
  counts <- simulated()
  for (name in names(jobs)) {
    n_chains <- if (name == "blocks") 2 else 1
    job <- opened(jobs[[name]](counts))
    for (family in c("poisson", "nbinom1")) {
      if (family == "nbinom1") job <- with_bursts(job, 5)
      chains <- sprintf("%d chain(s):", n_chains)
      say(name, family, chains, sweep_chains(job, n_chains, 1), sweep_chains(job, n_chains, 2))
      say(name, family, "cavi:", iterate(job, 1), iterate(job, 2))
    }
  }
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 2) {
  cat(time_fit(arguments[2]), "\n")
} else if (length(arguments) == 1) {
  compare_versions(arguments)
} else {
  compare_threads()
}
