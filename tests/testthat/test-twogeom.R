test_that("density and both tails agree with 80-digit values", {
  expect_reference_law(reference_table("twogeom_pmf_cdf"), dtwogeom, ptwogeom, "t", "alpha")
})

test_that("quantiles agree with 80-digit values", {
  expect_reference_quantiles(reference_table("twogeom_quantile"), qtwogeom, "alpha")
})

test_that("quantiles with alpha close to 1 are exact, also for p close to 0 and 1", {
  table <- reference_table("twogeom_quantile_exact")
  for (rows in split(table, list(table$tail, table$log))) {
    value <- qtwogeom(rows$p, rows$alpha, rows$tail[1] == "lower", rows$log[1])
    expect_identical(value, as.double(rows$q))
  }
})

test_that("quantiles invert probabilities, if these distinguish values", {
  x <- c(0, 1, 10, 100)
  for (alpha in c(0.5, 0.9, 1 - 1e-3, 1 - 1e-6, 1 - 1e-9)) {
    expect_identical(qtwogeom(ptwogeom(x, alpha), alpha), ifelse(alpha == 0.5 & x == 100, Inf, x))
    expect_identical(qtwogeom(ptwogeom(-x, alpha), alpha), -x)
    expect_identical(qtwogeom(ptwogeom(x, alpha, FALSE), alpha, FALSE), x)
  }
  # p is 1 - 2^-53 at 51 and at 52: the smallest x that reaches it is 52
  expect_identical(ptwogeom(51:52, 0.5), rep(1 - 2^-53, 2))
  expect_identical(qtwogeom(1 - 2^-53, 0.5), 52)
  # probabilities below 2^-1022 have fewer digits
  expect_identical(qtwogeom(ptwogeom(-1025:-1060, 0.5), 0.5), as.double(-1025:-1060))
})

test_that("density, tails and quantiles agree with one another", {
  expect_consistent_law(-40:40, dtwogeom, ptwogeom, qtwogeom, 1e-6)
  expect_consistent_law(-200:200, dtwogeom, ptwogeom, qtwogeom, 0.5)
  expect_consistent_law(-4000:4000, dtwogeom, ptwogeom, qtwogeom, 0.99)
})

test_that("the distribution is symmetric, with the moments stated in the help page", {
  x <- -3000:3000
  for (alpha in c(0.1, 0.7, 0.95)) {
    p <- dtwogeom(x, alpha)
    expect_identical(p, rev(p))
    expect_equal(sum(x^2 * p), 2 * alpha / (1 - alpha)^2, tolerance = 1e-12)
    expect_equal(sum(abs(x) * p), 2 * alpha / (1 - alpha^2), tolerance = 1e-12)
    expect_identical(ptwogeom(x, alpha, log.p = TRUE), ptwogeom(-x - 1, alpha, FALSE, TRUE))
  }
})

test_that("limits: zero without noise; accurate for alpha close to 1", {
  expect_identical(dtwogeom(-1:1, 0), c(0, 1, 0))
  expect_identical(ptwogeom(-1:1, 0), c(0, 1, 1))
  expect_identical(qtwogeom(c(0, 0.5, 1), 0), c(0, 0, 0))
  expect_identical(rtwogeom(3, 0), c(0, 0, 0))
  expect_identical(qtwogeom(c(0, 1), 0.5), c(-Inf, Inf))
  alpha <- 1 - 2^-53
  expect_within(dtwogeom(0, alpha, TRUE), log(2^-54), TOL_EXACT)
  expect_within(ptwogeom(0, alpha), 0.5, TOL_EXACT)
  expect_warning(expect_true(is.nan(dtwogeom(1, 1))), "NaNs produced")
})

test_that("unusual arguments are treated as in base R", {
  expect_base_manners(dtwogeom, ptwogeom, qtwogeom, rtwogeom, list(alpha = 0.4))
})

test_that("draws have the right distribution", {
  set.seed(44)
  for (alpha in c(1e-3, 0.37, 0.95)) {
    x <- -700:700
    expect_law_on(rtwogeom(1e5, alpha), x, dtwogeom(x, alpha))
  }
})
