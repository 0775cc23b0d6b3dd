# How does a sweep of topics grow with its cells, K, D and V? Time over floor, and the slope of its
# logarithm; epsilon/N of 1, mean count 0.05 (the largest table has 3e7 positive cells).
source("bench/common.R")

load_floor()
topics <- ldpcounts:::topics_model
measure <- function(D, V, k) {
  set.seed(1)
  job <- prepare(topics, simulate_positive(D, V, 0.05, 1), k, 1, sweeps = if (D * V > 1e7) 4 else 30)
  ratios <- over_floor(job, 3)
  report_floor(sprintf("%5d x %5d, K = %3d, %8d cells: over floor", D, V, k, job$n), ratios)
  c(cells = job$n, ratio = ratios[["ratio"]])
}
series <- function(name, x, results, bar = NULL) {
  ratio <- vapply(results, `[[`, 0, "ratio")
  report(paste("slope of log(time/floor) by", name), slope(x, ratio), bar, 2)
}

side <- c(600, 1200, 2400, 4800, 10300)
results <- lapply(side, function(n) measure(n, n, 50))
series("positive cells", vapply(results, `[[`, 0, "cells"), results, "at most 0.05")
ks <- c(5, 10, 20, 50, 100, 200)
series("K", ks, lapply(ks, function(k) measure(1500, 1500, k)))
lengths <- c(500, 1000, 2000, 4000, 8000)
series("D", lengths, lapply(lengths, function(n) measure(n, 1000, 50)))
series("V", lengths, lapply(lengths, function(n) measure(1000, n, 50)))
