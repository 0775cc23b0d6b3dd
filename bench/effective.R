# How many effective draws of mu does a second give, collapsed against Bessel-augmented? Bulk ESS of
# 50 cells fixed at random; 400 x 400, K = 10, mean count 0.05, and the Enron network, C = 5.
source("bench/common.R")

# Median over the cells of effective draws a second.
rate <- function(model, counts, k, epsilon, scheme, sweeps) {
  set.seed(5)
  effective_draws(prepare(model, counts, k, epsilon, scheme, sweeps = sweeps %/% 4), dim(counts), sweeps)
}

compare <- function(what, model, counts, k, epsilon, sweeps, bar = NULL) {
  collapsed <- rate(model, counts, k, epsilon, "collapsed", sweeps)
  bessel <- rate(model, counts, k, epsilon, "bessel", sweeps)
  cat(sprintf("%s, epsilon/N of %g\n", what, epsilon))
  report("collapsed, effective draws a sweep", collapsed[["a_sweep"]])
  report("Bessel, effective draws a sweep", bessel[["a_sweep"]])
  report("collapsed, effective draws a second", collapsed[["a_second"]])
  report("collapsed / Bessel, effective draws a second",
    collapsed[["a_second"]] / bessel[["a_second"]], bar)
}

noised <- function(y, epsilon) {
  set.seed(3)
  as.matrix(privatize(y, epsilon = epsilon, rng = "R"))
}

set.seed(2)
mu <- matrix(rgamma(4000, 0.1), 400) %*% matrix(rgamma(4000, 0.1), 10)
y <- matrix(rpois(160000, mu * 0.05 / mean(mu)), 400)
for (epsilon in c(1, 3)) {
  compare("topics", ldpcounts:::topics_model, noised(y, epsilon), 10, epsilon, 2500, "at least 20")
}
for (epsilon in c(1, 3)) {
  compare("Enron network", ldpcounts:::blocks_model, noised(enron_network, epsilon), 5, epsilon, 5000)
}
