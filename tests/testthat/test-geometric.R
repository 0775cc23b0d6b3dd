test_that("epsilon and precision are recycled", {
  expect_identical(geometric_alpha(1, precision = c(1, 2, 5)), exp(-1 / c(1, 2, 5)))
  expect_identical(geometric_alpha(c(1, 2, 5), precision = 2), exp(-c(1, 2, 5) / 2))
  expect_equal(geometric_epsilon(0.5, precision = c(1, 2)), log(2) * 1:2)
  expect_refused(geometric_alpha(1:2, precision = 1:3), "`precision`")
  expect_refused(geometric_alpha(), "`epsilon` must be given")
})

test_that("alpha and epsilon are inverse to each other, at every precision", {
  epsilon <- c(1e-3, 0.1, 1, 3, 20)
  for (precision in c(1, 7, 1000, 2.5, 0.058, 1 / 3)) {
    alpha <- geometric_alpha(epsilon, precision)
    expect_within(alpha, exp(-epsilon / precision), TOL_EXACT)
    expect_within(geometric_epsilon(alpha, precision), epsilon, TOL_SERIES)
  }
  expect_identical(geometric_epsilon(0), Inf)
})

test_that("values out of range throw errors", {
  expect_refused(geometric_alpha(0), "`epsilon` must be a positive, finite number", "It is 0")
  expect_refused(geometric_alpha(-1), "`epsilon`", "It is -1")
  expect_refused(geometric_alpha(NA_real_), "`epsilon`", "It is NA")
  expect_refused(geometric_alpha(Inf), "`epsilon`", "It is Inf")
  expect_refused(geometric_alpha("1"), "`epsilon`", "\"1\"")
  for (wrong in c(0, -1, NA, Inf, NaN)) {
    expect_refused(geometric_alpha(1, precision = wrong), "`precision` must be a positive, finite number")
  }
  expect_refused(geometric_epsilon(1), "`alpha` must be a number in [0, 1)", "It is 1")
  expect_refused(geometric_epsilon(-0.1), "`alpha`", "It is -0.1")
})

test_that("epsilon becomes the decimal fraction that was typed, or a smaller one", {
  typed <- function(epsilon, precision = 1) {
    rates <- rates_from_epsilon(epsilon, precision)
    c(rates$s, rates$t)
  }
  expect_identical(typed(1), c(1, 1))
  expect_identical(typed(0.3), c(3, 10))
  expect_identical(typed(0.1, 7), c(1, 70))
  expect_identical(typed(2.000001), c(2000001, 1e6))
  expect_identical(typed(1 / 3), c(349525, 2^20)) # which is floor(2^20/3)/2^20
  expect_identical(typed(1e-6), c(1, 1e6))
})

test_that("a fractional precision becomes the decimal fraction that was typed, or a larger one", {
  typed <- function(epsilon, precision) unlist(rates_from_epsilon(epsilon, precision), use.names = FALSE)
  expect_identical(typed(1, 2.5), c(2, 5))
  expect_identical(typed(2.5, 0.06), c(125, 3))
  expect_identical(typed(0.75, 1.25), c(3, 5))
  expect_identical(typed(0.3, 7), c(3, 70))
  # 22 messages in 380 cells: no short decimal
  rates <- rates_from_epsilon(2.5, 22 / 380)
  asked <- 2.5 / (22 / 380)
  expect_lte(rates$s / rates$t, asked)
  expect_gt(rates$s / rates$t, asked * (1 - 1.1e-6))
  # very large and very small, as long as their ratio is within range
  for (size in c(1e-12, 1e-3, 1e12, 1e200, .Machine$double.xmax)) {
    expect_lte(with(rates_from_epsilon(max(size, 1e-5), size), s / t), max(size, 1e-5) / size * (1 + 1e-12))
  }
  expect_refused(privatize(matrix(1), 1, precision = 1e-12), "below 2^30")
  expect_refused(privatize(matrix(1), 1, precision = 1e300), "at least 1e-06")
  expect_refused(privatize(matrix(1), 1e-320, precision = 1e-320), "at least 1e-06")
})

test_that("the smallest level works, and smaller ones throw errors", {
  expect_silent(privatize(matrix(1), alpha = geometric_alpha(1e-6)))
  expect_refused(privatize(matrix(1), epsilon = 1.5e-6 + 1e-9), "at least 1e-06") # cut to 2^-20
  expect_refused(privatize(matrix(1), epsilon = 2e9), "below 2^30")
  rates <- rates_from_epsilon(pi, c(3000, 5000))
  expect_true(all(rates$s / rates$t <= pi / c(3000, 5000)))
  expect_refused(geometric_alpha(1:3, 1:2), "`precision`", "length 2")
})

test_that("no rational exceeds the requested level, and all fit in 31 bits", {
  set.seed(11)
  epsilon <- c(10^stats::runif(2000, -3, 4), round(10^stats::runif(2000, -3, 4), 3) + 1e-3)
  precision <- 10^stats::runif(4000, -2, 3)
  precision[1:3000] <- c(round(precision[1:1000]) + 1, round(precision[1001:2000], 2) + 0.01,
    round(precision[2001:3000], 6) + 1e-6)
  keep <- epsilon / precision >= 1e-6
  epsilon <- epsilon[keep]
  precision <- precision[keep]
  rates <- rates_from_epsilon(epsilon, precision)
  expect_true(all(rates$s >= 1 & rates$s <= 2^31 & rates$t >= 1 & rates$t <= 2^31))
  expect_true(all(is_whole(rates$s) & is_whole(rates$t)))
  expect_true(all(rates$s / rates$t <= epsilon / precision * (1 + 4 * .Machine$double.eps)))
  # cut to 20 binary places of epsilon, or to the bits that fit
  loss <- 1 - rates$s / rates$t / (epsilon / precision)
  expect_true(all(loss <= 2^-20 / epsilon + 2^-10 + 2^-20))
})

test_that("rates_from_alpha() recovers a short decimal epsilon", {
  rates <- rates_from_alpha(exp(-c(1, 0.5, 0.3, 2.125)))
  expect_identical(rates$s / rates$t, c(1, 0.5, 0.3, 2.125))
  odd <- rates_from_alpha(0.4)
  expect_lte(odd$s / odd$t, -log(0.4))
  expect_gt(odd$s / odd$t, -log(0.4) - 2^-19)
})
