# What does a sweep of block_model cost, against the dot products over the same cells with as many
# components, and how does it grow? epsilon/N of 1, mean count 0.05, to 5,000 actors.
source("bench/common.R")

load_floor()
blocks <- ldpcounts:::blocks_model
measure <- function(V, C) {
  set.seed(1)
  counts <- simulate_positive(V, V, 0.05, 1, C, 0.5)
  diag(counts) <- 0
  job <- prepare(blocks, Matrix::drop0(counts), C, 1, sweeps = if (V > 2000) 4 else 30)
  ratios <- over_floor(job, 3)
  report_floor(sprintf("%5d actors, C = %2d, %8d cells: over floor", V, C, job$n), ratios)
  c(cells = job$n, ratio = ratios[["ratio"]], bytes = as.double(utils::object.size(job$cells)) / job$n)
}

results <- lapply(c(600, 1200, 2400, 5000), measure, C = 10)
cells <- vapply(results, `[[`, 0, "cells")
ratio <- vapply(results, `[[`, 0, "ratio")
report("slope of log(time/floor) by positive cells", slope(cells, ratio), digits = 2)
report("bytes a positive cell, beside the input", results[[4]][["bytes"]], "at most 24")
more <- c(5, 10, 20, 40)
report("slope of log(time/floor) by C",
  slope(more, vapply(more, function(C) measure(1000, C)[["ratio"]], 0)), digits = 2)
