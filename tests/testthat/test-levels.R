# Fits at noise levels that people would choose end. That their draws are right is the business of
# test-geweke-nbinom1 and tests/c; that no loop lacks a bound that of tests/c/test_steps.c.

test_that("a single large count with much noise is sampled", {
  set.seed(1)
  data <- private_counts(matrix(1100), epsilon = 0.01)
  fit <- paper_topics(data,
    k = 1, family = "nbinom1", dispersion = 2.1, prior = gamma_prior(2, 3), iter = 200, chains = 1
  )
  expect_true(all(is.finite(fit$run$log_density)))
})

test_that("simulated documents at epsilon 0.001 are fitted", {
  set.seed(1)
  data <- privatize(simulate_topics(D = 60, V = 60, words = 120)$y, epsilon = 0.001, rng = "R")
  for (family in c("poisson", "nbinom1")) {
    fit <- paper_topics(data, k = 3, family = family, iter = 200, chains = 1)
    expect_true(all(is.finite(as.matrix(fit))))
  }
})

test_that("networks at all levels are fitted", {
  for (epsilon in c(3, 1, 0.3, 0.1, 0.03, 0.01)) {
    set.seed(2)
    data <- privatize(enron_network[1:60, 1:60], epsilon = epsilon, rng = "R")
    fit <- paper_blocks(data, k = 3, family = "nbinom1", iter = 40, chains = 1)
    expect_true(all(is.finite(as.matrix(fit))))
  }
})
