expect_uniform <- function(p) expect_law(pmin(floor(10 * p), 9), rep(0.1, 10))

test_that("defaults are those of the paper, and counts agree with the true means", {
  set.seed(681)
  topics <- simulate_topics()
  expect_named(topics, c("y", "mu", "theta", "phi", "alpha"))
  expect_identical(lapply(topics, dim), list(
    y = c(90L, 15L), mu = c(90L, 15L), theta = c(90L, 3L), phi = c(3L, 15L), alpha = NULL
  ))
  expect_within(topics$mu, topics$theta %*% topics$phi, TOL_EXACT)
  expect_within(rowSums(topics$phi), 1, TOL_EXACT)
  expect_within(rowSums(topics$theta), 100, TOL_EXACT)
  expect_within(rowSums(topics$phi[, 1:5])[1], 0.9, TOL_EXACT)
  expect_true(all(topics$alpha > 0 & topics$alpha < 1) && length(topics$alpha) == 90)
  expect_type(topics$y, "integer")
  network <- simulate_blocks()
  expect_named(network, c("y", "mu", "theta", "pi"))
  expect_identical(dim(network$y), c(20L, 20L))
  expect_identical(dim(network$pi), c(5L, 5L))
  mu <- network$theta %*% network$pi %*% t(network$theta)
  expect_identical(diag(network$y), integer(20))
  expect_true(all(is.na(diag(network$mu))))
  off <- row(mu) != col(mu)
  expect_within(network$mu[off], mu[off], TOL_EXACT)
  expect_gte(sum(network$mu[off]), 20)
  tensor <- simulate_tensor()
  expect_named(tensor, c("y", "mu", "theta1", "theta2", "theta3"))
  expect_identical(dim(tensor$y), c(20L, 20L, 10L))
  mu <- with(tensor, sum(theta1[3, ] * theta2[5, ] * theta3[7, ]))
  expect_within(tensor$mu[3, 5, 7], mu, TOL_EXACT)
})

test_that("simulated data are reproducible", {
  for (simulate_one in c(simulate_topics, simulate_blocks, simulate_tensor)) {
    draw <- function() {
      set.seed(682)
      simulate_one()
    }
    expect_identical(draw(), draw())
  }
})

test_that("counts have the stated distribution, given mu", {
  set.seed(683)
  poisson <- simulate_topics(D = 3000)
  bursts <- simulate_topics(D = 3000, dispersion = 3)
  total <- function(made, spread) (sum(made$y) - sum(made$mu)) / sqrt(spread * sum(made$mu))
  expect_lt(abs(total(poisson, 1)), normal_bound(1))
  expect_lt(abs(total(bursts, 3)), normal_bound(1))
  # P(y = 0) = exp(-mu), and (1/dispersion)^(mu/(dispersion - 1))
  zeros <- function(made, p) (sum(made$y == 0) - sum(p)) / sqrt(sum(p * (1 - p)))
  expect_lt(abs(zeros(poisson, exp(-poisson$mu))), normal_bound(1))
  expect_lt(abs(zeros(bursts, 3^(-bursts$mu / 2))), normal_bound(1))
})

test_that("weights of documents are Dirichlet, noise levels beta, all others gamma", {
  set.seed(684)
  topics <- simulate_topics(D = 20000, shape = 0.05, alpha_mean = 0.2, alpha_size = 4)
  expect_uniform(pbeta(topics$theta[, 2] / 100, 0.05, 0.1))
  expect_uniform(pbeta(topics$alpha, 0.8, 3.2))
  network <- simulate_blocks(V = 600, k = 5, shape = 0.4, rate = 2)
  expect_uniform(pgamma(network$theta, 0.4, 2))
  tensor <- simulate_tensor(dims = c(9000, 2, 2), shape = 0.3)
  expect_uniform(pgamma(tensor$theta1, 0.3, 0.5))
})

test_that("networks have enough counts, if that is requested", {
  set.seed(685)
  first <- simulate_blocks(least = 0)
  set.seed(685)
  expect_identical(first$theta, matrix(rgamma(100, 0.01, 0.5), 20))
  expect_lt(sum(first$mu, na.rm = TRUE), 1)
  expect_gte(sum(simulate_blocks(V = 8, k = 2, shape = 0.2, least = 30)$mu, na.rm = TRUE), 30)
  expect_refused(simulate_blocks(V = 2, k = 1, least = 1e9), "`least`", "50,000", "`shape`")
})

test_that("pairs are counted once", {
  set.seed(686)
  network <- simulate_blocks(V = 12, k = 3, shape = 0.5, directed = FALSE)
  expect_true(isSymmetric(network$y))
  expect_true(isSymmetric(network$pi))
  expect_true(isSymmetric(network$mu))
  released <- privatize(network$y, epsilon = 1, directed = FALSE, rng = "R")
  expect_s3_class(paper_blocks(released, 3, iter = 5, directed = FALSE), "block_model")
})

test_that("there may be one topic, or as many as words, with or without overlap", {
  one <- simulate_topics(k = 1, V = 4)
  expect_within(one$phi, 0.25, TOL_EXACT)
  apart <- simulate_topics(k = 4, V = 4, separation = 1)
  expect_identical(apart$phi, diag(4))
  uneven <- simulate_topics(k = 3, V = 7)$phi
  expect_within(rowSums(uneven), 1, TOL_EXACT)
  expect_identical(as.vector(table(max.col(t(uneven)))), c(2L, 2L, 3L))
})

test_that("invalid simulations throw errors", {
  expect_refused(simulate_topics(90), "must be named")
  expect_refused(simulate_topics(d = 90), "no argument `d`")
  expect_refused(simulate_topics(D = 0), "`D`")
  expect_refused(simulate_topics(k = 16), "`k`", "from 1 to 15")
  expect_refused(simulate_topics(separation = 2), "`separation` must be one number from 0 to 1")
  expect_refused(simulate_topics(alpha_mean = 1), "`alpha_mean` must be one number between 0 and 1")
  expect_refused(simulate_topics(dispersion = 0.5), "`dispersion` must be one number of at least 1")
  expect_refused(simulate_blocks(V = 1), "`V`")
  expect_refused(simulate_blocks(least = -1), "`least`")
  expect_refused(simulate_blocks(shape = 0), "`shape`")
  expect_refused(simulate_tensor(dims = 5), "`dims` must be two or more whole numbers")
  expect_refused(simulate_tensor(dims = c(2, 2.5)), "`dims`")
  expect_refused(simulate_tensor(dims = rep(2, 13)), "at most 12 modes")
})

# --- like a fit ---------------------------------------------------------------------------------

test_that("factors are those of the fit, except for their multipliers", {
  set.seed(687)
  y <- matrix(rpois(48, 3), 8, dimnames = list(letters[1:8], LETTERS[1:6]))
  fit <- paper_topics(y, 2, iter = 40)
  found <- coef(fit)
  same <- resimulate(fit, shape = Inf, scale = 2)
  expect_within(same$theta, 2 * found$theta, TOL_EXACT)
  expect_within(same$phi, found$phi, TOL_EXACT)
  expect_within(same$mu, 2 * found$theta %*% found$phi, TOL_EXACT)
  expect_identical(dimnames(same$y), dimnames(y))
  expect_identical(dimnames(same$theta), dimnames(found$theta))
  new <- resimulate(fit, shape = 0.5)
  expect_within(new$mu, new$theta %*% new$phi, TOL_EXACT)
  expect_within(rowSums(new$phi), 1, TOL_EXACT)
})

# Each cell's mean over many draws is scale times that of the factors themselves.
expect_mean_kept <- function(fit, scale, n = 100, shape = 4) {
  before <- resimulate(fit, shape = Inf)$mu
  after <- replicate(n, as.vector(resimulate(fit, shape = shape, scale = scale)$mu))
  known <- !is.na(as.vector(before))
  z <- (rowMeans(after) - scale * as.vector(before)) / (apply(after, 1, sd) / sqrt(n))
  testthat::expect_lt(max(abs(z[known])), normal_bound(sum(known)))
}

test_that("multipliers have mean 1 and variance 1/shape, and the scale is applied once", {
  set.seed(688)
  expect_mean_kept(paper_topics(matrix(rpois(12, 3), 4), 2, iter = 20), 3)
  pairs <- matrix(rpois(16, 2), 4)
  pairs[lower.tri(pairs)] <- t(pairs)[lower.tri(pairs)]
  diag(pairs) <- 0
  expect_mean_kept(paper_blocks(pairs, 2, iter = 20, directed = FALSE), 0.5)
  expect_mean_kept(paper_tensor(array(rpois(12, 3), c(2, 2, 3)), 1, iter = 20), 2)
  by <- multiply_weights(list(theta = matrix(1, 100, 100), pi = diag(0, 100) + 1), "pi", 4)
  expect_uniform(pgamma(by$theta, 4, 4))
  above <- upper.tri(by$pi)
  expect_uniform(pgamma(by$pi[above], 4, 4))
  expect_identical(by$pi, t(by$pi))
})

test_that("counts have the dispersion of the fit, unless another is given", {
  set.seed(689)
  y <- matrix(rnbinom(2000, size = 1, mu = 3), 100)
  fit <- paper_topics(y, 1, family = "nbinom1", dispersion = 4, iter = 20)
  by_row <- paper_topics(y, 1, family = "nbinom1", dispersion_by = "row", iter = 20)
  spread <- function(fit, ...) {
    made <- resimulate(fit, shape = Inf, scale = 10, ...)
    mean((made$y - made$mu)^2 / made$mu)
  }
  # the standard error of the mean of 2000 squared residuals is about 4 sqrt(2/2000)
  expect_lt(abs(spread(fit) - 4), normal_bound(1) * 4 * sqrt(3 / 2000))
  expect_lt(abs(spread(fit, dispersion = 1) - 1), normal_bound(1) * sqrt(3 / 2000))
  made <- resimulate(by_row, shape = Inf, scale = 100)
  of_rows <- rowMeans((made$y - made$mu)^2 / made$mu)
  expect_gt(cor(log(of_rows), log(coef(by_row)$dispersion)), 0.5)
})

test_that("networks stay networks, and objects that are no fits throw errors", {
  set.seed(690)
  fit <- paper_blocks(simulate_blocks(V = 6, k = 2, shape = 1)$y, 2, iter = 20)
  new <- resimulate(fit)
  expect_named(new, c("y", "mu", "theta", "pi"))
  expect_identical(diag(new$y), integer(6))
  expect_within(colMeans(new$theta), 1, TOL_EXACT)
  expect_refused(resimulate(1), "`fit` must be a fit of topic_model()")
  expect_refused(resimulate(fit, 3), "must be named")
  expect_refused(resimulate(fit, shape = 0.01), "`shape` must be one number of at least 0.1, or Inf")
  expect_refused(resimulate(fit, scale = 0), "`scale`")
  expect_refused(resimulate(fit, dispersion = c(1, 2)), "`dispersion`")
})
