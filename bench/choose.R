# Is the right number of components found? Counts 300 x 200 of mean 1 with four planted components,
# k = 1 to 7 compared, priors of shape 0.3, runs of 300 sweeps: the first ten simulations in which the
# held-out density of the truth itself finds four, within one. Then the private analysis of a release at epsilon/N of 2, by
# held-out density and by leave-one-out (3000 cells), and the naive one: the k that is best, and the
# smallest within one standard error of it. Last, the first one with runs of 1200 sweeps.
source("tests/testthat/helper-choose.R")

PLANTED <- 4
WANTED <- 10

within_one <- function(k) abs(k - PLANTED) <= 1

simulations <- list()
tried <- 0
while (length(simulations) < WANTED) {
  tried <- tried + 1
  chosen <- choose_planted(tried, PLANTED)
  if (within_one(chosen$best[chosen$analysis == "non-private"])) {
    simulations <- c(simulations, list(chosen))
  }
}

results <- do.call(rbind, simulations)
cat(WANTED, "of", tried, "simulations\n\n")
cat(sprintf("%-12s %-9s %14s %14s   %s\n", "", "", "best within", "one se within", "best k, one se"))
for (row in split(results, list(results$analysis, results$score), drop = TRUE)[
  c("non-private.held_out", "private.held_out", "private.loo", "naive.held_out")]) {
  cat(sprintf("%-12s %-9s %14s %14s   %s\n", row$analysis[1], sub("_", " ", row$score[1]),
    paste(sum(within_one(row$best)), "of", WANTED), paste(sum(within_one(row$one_se)), "of", WANTED),
    paste(paste(row$best, row$one_se, sep = ","), collapse = " ")))
}
private <- split(results[results$analysis == "private", ], results$seed[results$analysis == "private"])
either <- sum(vapply(private, function(rows) any(within_one(rows$best)), TRUE))
cat(sprintf("\nprivate, by one or the other: %d of %d (bar: at least 8)\n", either, WANTED))

cat("\nruns of 1200 sweeps\n")
short <- simulations[[1]]
long <- choose_planted(short$seed[1], PLANTED, iter = 1200)
cat(sprintf("%-12s %-9s best k %d (300 sweeps: %d), one se %d (%d)\n", long$analysis,
  sub("_", " ", long$score), long$best, short$best, long$one_se, short$one_se), sep = "")
