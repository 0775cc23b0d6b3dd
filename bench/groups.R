# What does a sweep cost with groups of rows, against one without? Topics of 2000 x 2000 cells, K = 50, mean
# count 0.05; a network of 500 actors, K = 10; a tensor of 300 x 100 x 20, K = 10. With 4 groups, and with two
# factors of 10 groups each. Times in turns; the median of their ratios.
source("bench/common.R")

# The same job with rows in random groups, after some sweeps.
with_groups <- function(job, groups) {
  job$prior$groups <- ldpcounts:::check_groups(groups, job$cells$dim[1])
  job$factors$groups <- matrix(1, nrow(job$factors[[1]]), ldpcounts:::n_levels(job$prior$groups))
  sweep_on(job, 10)
}

report_ratio <- function(what, job, groups) {
  grouped <- with_groups(job, groups)
  report(what, slower_by(grouped, job), "at most 1.1")
}

compare <- function(name, job) {
  n <- job$cells$dim[1]
  some <- function(k) factor(sample.int(k, n, TRUE))
  for (family in c("poisson", "nbinom1")) {
    if (family == "nbinom1") job <- with_bursts(job, 10)
    cat(name, ", ", family, ", seconds with groups / without\n", sep = "")
    report_ratio("4 groups", job, some(4))
    report_ratio("two factors of 10 groups", job, data.frame(some(10), some(10)))
  }
}

set.seed(1)
epsilon <- 1
compare("topics", prepare(
  ldpcounts:::topics_model, simulate_positive(2000, 2000, 0.05, epsilon), 50, epsilon, sweeps = 10
))
y <- matrix(rpois(500^2, 0.1) + rtwogeom(500^2, exp(-epsilon)), 500)
diag(y) <- 0
compare("network", prepare(ldpcounts:::blocks_model, y, 10, epsilon, sweeps = 10))
extents <- c(300, 100, 20)
table <- matrix(rpois(prod(extents), 0.1) + rtwogeom(prod(extents), exp(-epsilon)), extents[1])
compare("tensor", prepare(ldpcounts:::tensor_of(3), table, 10, epsilon, sweeps = 10, extents = extents))
