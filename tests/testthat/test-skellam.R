test_that("density and both tails agree with 80-digit values", {
  table <- reference_table("skellam_pmf_cdf")
  expect_reference_law(table, dskellam, pskellam, "k", c("lambda1", "lambda2"))
})

test_that("both tails are accurate if rates are so small that one tail is close to 1", {
  table <- subset(reference_table("small_rates_cdf"), law == "skellam")
  expect_reference_tails(table, pskellam, "k", c("theta1", "theta2"))
})

test_that("quantiles agree with 80-digit values", {
  expect_reference_quantiles(
    reference_table("skellam_quantile"), qskellam, c("lambda1", "lambda2")
  )
})

test_that("density, tails and quantiles agree with one another", {
  for (l1 in c(1e-3, 0.7, 5, 60)) {
    for (l2 in c(1e-5, 0.7, 20, 300)) {
      sd <- sqrt(l1 + l2)
      x <- seq(floor(l1 - l2 - 12 * sd - 20), ceiling(l1 - l2 + 12 * sd + 20))
      expect_consistent_law(x, dskellam, pskellam, qskellam, l1, l2)
    }
  }
})

test_that("the Skellam distribution is the convolution of two Poisson distributions", {
  for (l1 in c(0.1, 3, 30)) {
    for (l2 in c(0.2, 8)) {
      for (k in c(-12, -1, 0, 2, 25)) {
        y <- 0:200
        expect_equal(dskellam(k, l1, l2), sum(dpois(y + k, l1) * dpois(y, l2)), tolerance = 1e-12)
      }
    }
  }
})

test_that("exchanging the rates mirrors the distribution", {
  set.seed(41)
  l1 <- 10^stats::runif(200, -5, 5)
  l2 <- 10^stats::runif(200, -5, 5)
  x <- round(l1 - l2 + stats::rnorm(200) * 4 * sqrt(l1 + l2))
  expect_identical(dskellam(x, l1, l2, TRUE), dskellam(-x, l2, l1, TRUE))
  lower <- pskellam(x, l1, l2, log.p = TRUE)
  expect_within(lower, pskellam(-x - 1, l2, l1, lower.tail = FALSE, log.p = TRUE), TOL_EXACT)
})

test_that("the recurrence in x holds in tails and for large rates", {
  # l1 P(x - 1) - l2 P(x + 1) = x P(x)
  set.seed(42)
  l1 <- 10^stats::runif(300, 0, 8)
  l2 <- l1 * stats::runif(300, 0.3, 3)
  x <- round(l1 - l2 + stats::rnorm(300) * 10 * sqrt(l1 + l2))
  at <- dskellam(x, l1, l2, TRUE)
  down <- l1 * exp(dskellam(x - 1, l1, l2, TRUE) - at)
  up <- l2 * exp(dskellam(x + 1, l1, l2, TRUE) - at)
  # of size l1 and l2, the difference is x: what rounding of logs of size |at| leaves
  expect_lt(max(abs(down - up - x) / (pmax(down, up) * pmax(1, abs(at)))), 1e-14)
})

test_that("limits: Poisson for one rate of 0, zero for both, no mass for an infinite mean", {
  expect_within(dskellam(0:30, 7, 0, TRUE), dpois(0:30, 7, TRUE), TOL_EXACT)
  expect_within(dskellam(-(0:30), 0, 7, TRUE), dpois(0:30, 7, TRUE), TOL_EXACT)
  expect_identical(dskellam(c(-1, 1), c(7, 0), c(0, 7)), c(0, 0))
  expect_within(pskellam(0:30, 7, 0), ppois(0:30, 7), TOL_EXACT)
  expect_within(pskellam(-(1:30), 0, 7), ppois(0:29, 7, lower.tail = FALSE), TOL_EXACT)
  expect_identical(pskellam(c(-1, 0), c(7, 0), c(0, 7)), c(0, 1))
  expect_identical(qskellam(c(0, 0.2, 0.9, 1), 7, 0), qpois(c(0, 0.2, 0.9, 1), 7))
  expect_identical(qskellam(c(0, 1), 0, 7), c(-Inf, 0))
  expect_identical(qskellam(c(0, 1), 3, 7), c(-Inf, Inf))
  expect_identical(qskellam(c(0, 1), 3, 7, lower.tail = FALSE), c(Inf, -Inf))
  expect_identical(qskellam(c(-Inf, 0), 3, 7, log.p = TRUE), c(-Inf, Inf))
  expect_identical(dskellam(-1:1, 0, 0), c(0, 1, 0))
  expect_identical(pskellam(-1:1, 0, 0), c(0, 1, 1))
  expect_identical(qskellam(c(0, 0.5, 1), 0, 0), c(0, 0, 0))
  expect_identical(rskellam(3, 0, 0), c(0, 0, 0))
  expect_identical(dskellam(3, Inf, 1), dpois(3, Inf))
  expect_identical(pskellam(3, c(Inf, 1), c(1, Inf)), c(0, 1))
  expect_warning(expect_true(is.nan(dskellam(3, Inf, Inf))), "NaNs produced")
  expect_warning(expect_true(is.nan(qskellam(0.5, Inf, 1))), "NaNs produced")
  expect_warning(expect_true(is.nan(rskellam(1, Inf, 1))), "NaNs produced")
  expect_within(dskellam(0:3, 2, 1e-300, TRUE), dpois(0:3, 2, TRUE), TOL_EXACT)
})

test_that("unusual arguments are treated as in base R", {
  expect_base_manners(dskellam, pskellam, qskellam, rskellam, list(lambda1 = 3, lambda2 = 2))
})

test_that("draws have the right distribution", {
  set.seed(43)
  for (l in list(c(0.3, 0.1), c(4, 9), c(1000, 2), c(1e-3, 30))) {
    x <- seq(floor(l[1] - l[2] - 12 * sqrt(sum(l)) - 10), ceiling(l[1] - l[2] + 12 * sqrt(sum(l)) + 10))
    expect_law_on(rskellam(1e5, l[1], l[2]), x, dskellam(x, l[1], l[2]))
  }
})

# Each of these did not end: adding 1 to a value above 2^53 changes nothing.
test_that("values and rates beyond 2^53 give results in bounded time", {
  expect_within(pskellam(2^53, 1e6, 0, lower.tail = FALSE, log.p = TRUE),
    ppois(2^53, 1e6, lower.tail = FALSE, log.p = TRUE), TOL_SERIES)
  expect_identical(pskellam(2^53, 1e6, 0), 1)
  expect_identical(pskellam(1e16, 1e12, 1e6), 1)
  # the first term, over 1 - r with r = l1/s
  log_term <- 1e16 * log(1e12) - 1e12 - lgamma(1e16 + 1)
  expect_within(pskellam(1e16, 1e12, 0, lower.tail = FALSE, log.p = TRUE), log_term, TOL_SERIES)
  expect_identical(pskellam(1e16, 0.1, 2147483648, lower.tail = FALSE), 0)
  far <- qskellam(-1e300, 0, 0.5, log.p = TRUE)
  expect_lte(pskellam(far, 0, 0.5, log.p = TRUE) / -1e300, 1 + 1e-12)
  # next to the mean, where a tail is an integral, to about 1e-7 of it
  expect_within(pskellam(2^53 + 2^28, 2^53, 0, lower.tail = FALSE),
    ppois(2^53 + 2^28, 2^53, lower.tail = FALSE), 1e-7)
})

test_that("tails of many terms agree with 50 digits", {
  # by the Debye expansion and the Euler-Maclaurin formula, with the rates as doubles
  cases <- data.frame(
    k = c(19534348719, 26299231109, -38659146246),
    l1 = c(26461263879.15122986, 29072559774.44192886, 119864543.08504295),
    l2 = c(6926818316.8268232, 2773276847.5134826, 38779144741.9654236),
    lower = c(-1.2104676564290973357, -0.95252059440610618891, -0.28570042477371408533),
    upper = c(-0.35390429738172235369, -0.48738165011151391548, -1.3922629752302036284)
  )
  expect_within(pskellam(cases$k, cases$l1, cases$l2, log.p = TRUE), cases$lower, TOL_LOG_CDF)
  expect_within(pskellam(cases$k, cases$l1, cases$l2, lower.tail = FALSE, log.p = TRUE), cases$upper, TOL_LOG_CDF)
})

test_that("a tail that is integrated continues one that is summed", {
  # from 4,000 terms on, a tail is integrated; its differences are still single probabilities
  for (l1 in c(3e4, 1e5, 3e5, 1e6, 1e8)) {
    for (l2 in l1 * c(0.01, 1, 1.3)) {
      k <- round(l1 - l2 + sqrt(l1 + l2) * c(0.01, 0.5, 2, 7))
      tail <- function(k) pskellam(k, l1, l2, lower.tail = FALSE, log.p = TRUE)
      parts <- exp(tail(k) - tail(k - 1)) + exp(dskellam(k, l1, l2, TRUE) - tail(k - 1))
      expect_within(parts, rep(1, 4), TOL_LOG_CDF)
    }
  }
})
