test_that("density and both tails agree with 80-digit values", {
  table <- reference_table("poislap_pmf_cdf_posterior")
  expect_reference_law(table, dprivpois, pprivpois, "k", c("mu", "alpha"), TOL_SERIES)
})

test_that("both tails are accurate if rates are so small that one tail is close to 1", {
  table <- subset(reference_table("small_rates_cdf"), law == "privpois")
  expect_reference_tails(table, pprivpois, "k", c("theta1", "theta2"))
})

test_that("density, tails and quantiles agree with one another", {
  for (mu in c(1e-4, 0.4, 6, 80)) {
    for (alpha in c(1e-6, 0.1, 0.6, 0.93)) {
      expect_consistent_law(-500:700, dprivpois, pprivpois, qprivpois, mu, alpha)
    }
  }
})

test_that("tails agree with the definition", {
  for (mu in c(0.01, 1, 20)) {
    for (alpha in c(0.01, 0.5, 0.9)) {
      y <- 0:400
      for (k in c(-7, -1, 0, 1, 3, 25, 60)) {
        lower <- sum(dpois(y, mu) * ptwogeom(k - y, alpha))
        upper <- sum(dpois(y, mu) * ptwogeom(k - y, alpha, lower.tail = FALSE))
        expect_lt(abs(pprivpois(k, mu, alpha) / lower - 1), 1e-12)
        expect_lt(abs(pprivpois(k, mu, alpha, lower.tail = FALSE) / upper - 1), 1e-12)
      }
    }
  }
})

test_that("the distribution is the convolution of its two parts", {
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

test_that("probabilities sum to one, and mean and variance are those of the parts", {
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

test_that("both branches agree: the terms of a tail and ppois()", {
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

test_that("limits: Poisson without noise, two-sided geometric without counts", {
  expect_within(dprivpois(0:5, 2, 0), dpois(0:5, 2), TOL_EXACT)
  expect_identical(dprivpois(-1, 2, 0), 0)
  expect_within(dprivpois(-3:3, 0, 0.4), (0.6 / 1.4) * 0.4^abs(-3:3), TOL_EXACT)
  expect_within(dprivpois(5, 3, 1e-300), dpois(5, 3), TOL_EXACT)
  expect_identical(dprivpois(0, 0, 0), 1)
  expect_within(pprivpois(0:5, 2, 0), ppois(0:5, 2), TOL_EXACT)
  expect_identical(qprivpois(c(0, 0.3, 0.8, 1), 2, 0), qpois(c(0, 0.3, 0.8, 1), 2))
  expect_identical(pprivpois(-3:3, 0, 0.4), ptwogeom(-3:3, 0.4))
  expect_identical(qprivpois(c(0, 0.3, 1), 0, 0.4), c(-Inf, qtwogeom(0.3, 0.4), Inf))
  expect_identical(qprivpois(c(0, 1), 2, 0.4), c(-Inf, Inf))
  expect_identical(rprivpois(3, 0, 0), c(0, 0, 0))
  expect_identical(dprivpois(3, Inf, 0.5), 0)
  expect_identical(pprivpois(3, Inf, 0.5), 0)
  expect_warning(expect_true(is.nan(rprivpois(1, Inf, 0.5))), "NaNs produced")
  expect_warning(expect_true(is.nan(qprivpois(0.5, Inf, 0.5))), "NaNs produced")
})

test_that("unusual arguments are treated as in base R", {
  expect_base_manners(dprivpois, pprivpois, qprivpois, rprivpois, list(mu = 3, alpha = 0.4))
  expect_warning(expect_true(is.nan(dprivpois(1, 1, 1))), "NaNs produced")
})

test_that("draws have the right distribution", {
  set.seed(22)
  for (theta in list(c(0.3, 0.1), c(4, 0.6), c(200, 0.9), c(0, 0.5))) {
    x <- -400:900
    density <- dprivpois(x, theta[1], theta[2])
    expect_law_on(rprivpois(1e5, theta[1], theta[2]), x, density)
  }
})

test_that("values and draws are those of the version in which this distribution had code of its own", {
  x <- c(-3, 0, 2, 40)
  density <- c(0x1.29226d520cd91p-8, 0x1.222b9ec2208cp-4, 0x1.6d5aa4e319358p-3, 0x1.50118881949a8p-48)
  expect_within(dprivpois(x, 3, 0.4), density, TOL_EXACT)
  upper <- c(-0x1.f11acd99682dfp-8, -0x1.015147af6ba9p-3, -0x1.1eb2162eedc16p-1, -0x1.0b3c320023635p+5)
  expect_within(pprivpois(x, 3, 0.4, lower.tail = FALSE, log.p = TRUE), upper, TOL_EXACT)
  expect_identical(qprivpois(c(0.01, 0.5, 0.99), 3, 0.4), c(-2, 3, 9))
  set.seed(1)
  expect_identical(rprivpois(8, 3, 0.4), c(3, 7, 5, 5, 0, 1, 3, 0))
})
