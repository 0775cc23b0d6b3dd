# How much sooner is a sweep done by two workers of a cluster than by one process, and how many bytes are sent
# per sweep? A topic model of 4000 x 4000 cells with K = 50, on two idle cores, one thread per process.
source("bench/common.R")

K <- 50
SWEEPS <- 24

set.seed(23)
counts <- simulate_positive(4000, 4000, 0.05, 1)
released <- private_counts(counts, epsilon = 1, clamped = TRUE) # these are the positive cells alone

options(socketOptions = "no-delay")
no_delay <- c("-e", shQuote("options(socketOptions = 'no-delay')"))
cluster <- parallel::makePSOCKcluster(2, rscript_args = no_delay)
ldp_threads(1)

# Each message of a worker, and the combined one that it receives.
sent <- 0
counted <- ldpcounts:::call_workers
utils::assignInNamespace("call_workers", function(...) {
  call <- counted(...)
  function(f, each, ...) {
    answers <- call(f, each, ...)
    sizes <- function(x) length(unlist(lapply(x, function(of) if (is.list(of)) of$messages)))
    sent <<- sent + sizes(answers) + if (is.list(each)) length(unlist(each)) else 0
    answers
  }
}, "ldpcounts")

run <- function(sweeps, cluster) {
  set.seed(1)
  took <- system.time(suppressMessages(topic_model(released, K,
    family = "poisson", iter = sweeps, warmup = sweeps - 1, chains = 1, init = "random", progress = FALSE,
    cluster = cluster
  )))
  took[["elapsed"]]
}

# Without what a run costs before its first sweep and after its last.
per_sweep <- function(cluster) {
  few <- run(2, cluster)
  sent <<- 0
  (run(2 + SWEEPS, cluster) - few) / SWEEPS
}

alone <- per_sweep(NULL)
two <- per_sweep(cluster)
V <- ncol(counts)
# two workers, there and back: counts and exposures of phi, and three lines
computed <- 2 * 2 * 8 * (2 * K * V + 3 * K)
cat(sprintf(
  "one process %.2f s per sweep, two workers %.2f s: %.2f times faster (bar: 1.6)\n", alone, two, alone / two
))
cat(sprintf("%.3g bytes per sweep, as computed: %.3g\n", sent / (2 + SWEEPS), computed))
parallel::stopCluster(cluster)
