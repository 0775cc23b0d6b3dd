# How much sooner is a sweep done by two workers of a cluster than by one process, and how many bytes are sent
# per sweep? Topic models of 4000 columns, on two idle cores, one thread per process. Each worker draws the weights
# of all columns, so that a table of more rows gains more.
#   Rscript bench/shards.R [mirai] [rows, by default 4000]
source("bench/common.R")

arguments <- commandArgs(TRUE)
ROWS <- c(as.integer(setdiff(arguments, "mirai")), 4000L)[1]
SWEEPS <- 800000 / ROWS

set.seed(23)
counts <- simulate_positive(ROWS, 4000, 0.05, 1)
released <- private_counts(counts, epsilon = 1, clamped = TRUE) # these are the positive cells alone

cluster <- if ("mirai" %in% arguments) mirai::make_cluster(2) else parallel::makePSOCKcluster(2)
ldp_threads(1)

run <- function(k, family, sweeps, cluster) {
  set.seed(1)
  took <- system.time(suppressMessages(topic_model(released, k,
    family = family, iter = sweeps, warmup = sweeps - 1, chains = 1, init = "random", progress = FALSE,
    cluster = cluster
  )))
  took[["elapsed"]]
}

# Without what a run costs before its first sweep and after its last.
per_sweep <- function(k, family, cluster) {
  few <- run(k, family, 2, cluster)
  (run(k, family, 2 + SWEEPS, cluster) - few) / SWEEPS
}

run(10, "poisson", 2, cluster) # the workers load the package
for (k in c(10, 50)) {
  for (family in c("poisson", "nbinom1")) {
    times <- replicate(2, c(one = per_sweep(k, family, NULL), two = per_sweep(k, family, cluster)))
    faster <- times["one", ] / times["two", ]
    cat(sprintf(
      "k = %d, %-8s one process %.3f s per sweep, two workers %.3f s: %.2f times faster (%.2f to %.2f; bar: 1.6)\n",
      k, family, median(times["one", ]), median(times["two", ]), median(faster), min(faster), max(faster)
    ))
  }
}

# Each message of a worker, and the combined one that it receives (sockets only).
if (!"mirai" %in% arguments) {
  sent <- 0
  counted <- ldpcounts:::call_workers
  utils::assignInNamespace("call_workers", function(...) {
    call <- counted(...)
    function(f, each, ...) {
      answers <- call(f, each, ...)
      size <- function(message) sum(attr(message, "n") * attr(message, "width")) # in memory or in a file
      received <- if (identical(f, ldpcounts:::continue_block)) unlist(each, recursive = FALSE)
      answered <- unlist(lapply(answers, function(of) if (is.list(of)) of$messages), recursive = FALSE)
      sent <<- sent + sum(vapply(c(received, answered), size, 0))
      answers
    }
  }, "ldpcounts")
  run(50, "poisson", SWEEPS, cluster)
  # two workers, there and back: counts and exposures of phi, and three lines
  numbers <- 2 * 2 * (2 * 50 * ncol(counts) + 3 * 50)
  cat(sprintf(
    "k = 50: %.4g bytes per sweep for %.4g numbers, %.2f per number (8 at most)\n",
    sent / SWEEPS, numbers, sent / SWEEPS / numbers
  ))
}
parallel::stopCluster(cluster)
