test_that("values agree with those worked out by hand", {
  estimate <- matrix(c(1, 2, 4, 0), 2)
  truth <- matrix(c(2, 2, 0, 0), 2)
  expect_identical(mae(estimate, truth), (1 + 0 + 4 + 0) / 4)
  # cells: 2 log 2 - 2 + 1; 0; 4; 0
  expect_within(poisson_kl(estimate, truth), (2 * log(2) - 1 + 4) / 4, TOL_EXACT)
  expect_identical(poisson_kl(0, 3), Inf)
  expect_identical(poisson_kl(c(1, 5), c(1, 5)), 0)
})

test_that("the divergence is right for means close to zero", {
  # means of small shape come near the smallest double, where ratios of them overflow or are 0
  smallest <- 2^-1074
  expect_within(poisson_kl(smallest, 1), 1074 * log(2) - 1, TOL_EXACT)
  expect_within(poisson_kl(1e5, 100 * smallest), 1e5, TOL_EXACT)
})

test_that("cells that are missing in either argument are left out", {
  expect_identical(mae(c(1, NA, 3), c(2, 5, NA)), 1)
  expect_identical(poisson_kl(matrix(c(NA, 2), 1), matrix(c(1, 2), 1)), 0)
})

test_that("fits and sparse matrices are accepted as values", {
  y <- matrix(rpois(12, 2), 3)
  fit <- paper_topics(y, 1, iter = 10)
  expect_identical(mae(fit, y), mae(fitted(fit), y))
  expect_identical(mae(fit, Matrix::Matrix(y + 0, sparse = TRUE)), mae(fit, y))
  ones <- list(state = 1, mu = matrix(1, 3, 4))
  own <- private_gibbs(y, function(state, y) ones, ones, iter = 10)
  expect_identical(mae(own, y), mae(fitted(own), y))
})

test_that("arguments that cannot be compared throw errors", {
  expect_refused(mae(1:3, 1:2), "same shape", "3 and 2")
  expect_refused(mae(matrix(1:4, 2), matrix(1:4, 1)), "2 x 2 and 1 x 4")
  expect_refused(mae(matrix(1:4, 2), 1:4), "same shape")
  expect_refused(mae(NA_real_, 1), "at least one cell that is not NA in either")
  expect_refused(mae("a", 1), "`estimate` must be a matrix of counts, or another object")
  expect_error(mae(), "\"estimate\" is missing")
  expect_error(poisson_kl(1), "\"truth\" is missing")
  expect_refused(poisson_kl(-1, 1), "must not be negative")
})
