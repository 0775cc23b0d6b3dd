test_that("the law of a release agrees with 80-digit values", {
  reference <- utils::read.csv(test_path("reference", "poislap_pmf_cdf_posterior.csv"))
  value <- with(reference, dprivpois(k, mu, alpha, log = TRUE))
  expect_within(value, reference$log_pmf, TOL_SERIES)
})

test_that("it is the convolution of its two parts", {
  for (mu in c(0.01, 1, 20)) {
    for (alpha in c(0.01, 0.5, 0.9)) {
      y <- 0:400
      for (k in c(-7, 0, 1, 3, 25, 60)) {
        direct <- sum(dpois(y, mu) * (1 - alpha) / (1 + alpha) * alpha^abs(k - y))
        expect_lt(abs(dprivpois(k, mu, alpha) / direct - 1), 1e-12)
      }
    }
  }
})

test_that("it sums to one, and has the mean and variance of its parts", {
  for (mu in c(1e-8, 0.3, 7)) {
    for (alpha in c(0, 0.2, 0.7)) {
      k <- -300:400
      p <- dprivpois(k, mu, alpha)
      expect_within(sum(p), 1, TOL_SERIES)
      expect_within(sum(k * p), mu, TOL_SERIES * 100)
      expect_within(sum(k^2 * p), mu + mu^2 + 2 * alpha / (1 - alpha)^2, TOL_SERIES * 1000)
    }
  }
})

test_that("the branches meet: the terms of a tail and ppois give the same", {
  # on both sides of k = mu/alpha and k = alpha mu, by direct summation on the log scale
  log_sum <- function(k, mu, alpha) {
    y <- seq(max(0, floor(mu - 60 * sqrt(mu) - 60)), ceiling(max(k, mu) + 60 * sqrt(mu) + 60))
    terms <- dpois(y, mu, log = TRUE) + abs(k - y) * log(alpha)
    log1p(-alpha) - log1p(alpha) + max(terms) + log(sum(exp(terms - max(terms))))
  }
  for (mu in c(50, 4000)) {
    for (alpha in c(0.3, 0.9, 0.999)) {
      for (k in round(c(alpha * mu + c(-1, 1), mu / alpha + c(-1, 1), mu))) {
        expect_within(dprivpois(k, mu, alpha, log = TRUE), log_sum(k, mu, alpha), TOL_SERIES)
      }
    }
  }
  expect_within(
    dprivpois(1e9 + 0:1, 1e9, 0.999, log = TRUE)[1] - dprivpois(1e9 + 0:1, 1e9, 0.999, log = TRUE)[2],
    0, 1e-6
  )
})

test_that("limits: no noise is Poisson, no count is two-sided geometric", {
  expect_within(dprivpois(0:5, 2, 0), dpois(0:5, 2), TOL_EXACT)
  expect_identical(dprivpois(-1, 2, 0), 0)
  expect_within(dprivpois(-3:3, 0, 0.4), (0.6 / 1.4) * 0.4^abs(-3:3), TOL_EXACT)
  expect_within(dprivpois(5, 3, 1e-300), dpois(5, 3), TOL_EXACT)
  expect_identical(dprivpois(0, 0, 0), 1)
})

test_that("arguments are recycled, names kept, and nonsense is NaN or 0 as in base R", {
  expect_identical(names(dprivpois(c(a = 1, b = 2), 1, 0.5)), c("a", "b"))
  expect_identical(dim(dprivpois(matrix(1:4, 2), 1, 0.5)), c(2L, 2L))
  expect_identical(length(dprivpois(numeric(), 1, 0.5)), 0L)
  expect_identical(dprivpois(c(-Inf, Inf), 1, 0.5), c(0, 0))
  expect_warning(expect_true(is.nan(dprivpois(1, -1, 0.5))), "NaNs produced")
  expect_warning(expect_true(is.nan(dprivpois(1, 1, 1))), "NaNs produced")
  expect_silent(expect_true(is.na(dprivpois(NA, 1, 0.5))))
  expect_warning(expect_identical(dprivpois(1.5, 1, 0.5), 0), "not whole")
  expect_refused(dprivpois("1", 1, 0.5), "`x` must be numeric")
  expect_refused(dprivpois(1, 1, 0.5, log = NA), "`log`")
})

test_that("no parameter of the range gives NaN, or takes long", {
  set.seed(21)
  n <- 2e4
  mu <- 10^stats::runif(n, -300, 8)
  alpha <- ifelse(stats::runif(n) < 0.5, 10^stats::runif(n, -300, 0), 1 - 10^stats::runif(n, -10, 0))
  k <- round(sign(stats::runif(n, -1, 1)) * 10^stats::runif(n, 0, 8))
  value <- dprivpois(k, mu, alpha, log = TRUE)
  expect_false(anyNA(value))
  expect_true(all(value <= 0))
  near <- round(mu * stats::runif(n, 0.5, 2))
  near_value <- dprivpois(near, mu, alpha, log = TRUE)
  expect_false(anyNA(near_value))
  expect_true(all(near_value <= 0))
})
