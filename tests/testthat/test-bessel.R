test_that("density and both tails agree with 80-digit values", {
  expect_reference_law(reference_table("bessel_pmf_cdf"), dbessel, pbessel, "m", c("nu", "a"))
})

test_that("quantiles agree with 80-digit values", {
  expect_reference_quantiles(reference_table("bessel_quantile"), qbessel, c("nu", "a"))
})

test_that("mode, mean and variance agree with 80-digit values", {
  table <- reference_table("bessel_moments")
  at_mode <- dbessel(table$mode, table$nu, table$a, log = TRUE)
  expect_within(at_mode, table$log_pmf_mode, TOL_LOG_PMF)
  mean <- table$a / 2 * bessel_i_ratio(table$a, table$nu)
  expect_lt(max(abs(mean / table$mean - 1)), TOL_RATIO)
  below <- dbessel(pmax(table$mode - 1, 0), table$nu, table$a, TRUE)
  tied <- table$mode_tie == 1
  expect_within(below[tied], at_mode[tied], TOL_EXACT)
})

test_that("density, tails and quantiles agree with one another, for real orders", {
  for (nu in c(-0.99, -0.5, 0, 0.3, 7, 500)) {
    for (a in c(1e-3, 2, 35, 300)) {
      expect_consistent_law(0:400, dbessel, pbessel, qbessel, nu, a)
    }
  }
})

test_that("ratios of neighbouring probabilities agree with the definition, also in tails", {
  set.seed(45)
  nu <- 10^stats::runif(300, -3, 6)
  a <- 10^stats::runif(300, -2, 8)
  m <- round(10^stats::runif(300, 0, 8))
  step <- dbessel(m, nu, a, TRUE) - dbessel(m - 1, nu, a, TRUE)
  expected <- 2 * log(a / 2) - log(m) - log(m + nu)
  size <- pmax(1, abs(dbessel(m, nu, a, TRUE)))
  expect_lt(max(abs(step - expected) / size), TOL_LOG_PMF)
})

test_that("limits: a = 0, infinite a, invalid parameters", {
  expect_identical(dbessel(0:1, 2, 0), c(1, 0))
  expect_identical(pbessel(c(-1, 0), 2, 0), c(0, 1))
  expect_identical(qbessel(c(0, 0.5, 1), 2, 0), c(0, 0, 0))
  expect_identical(rbessel(3, 2, 0), c(0, 0, 0))
  expect_identical(qbessel(c(0, 1), 2, 3), c(0, Inf))
  expect_identical(qbessel(c(0, 1), 2, 3, lower.tail = FALSE), c(Inf, 0))
  expect_identical(dbessel(-3, 2, 3), 0)
  expect_identical(pbessel(-3, 2, 3), 0)
  expect_identical(dbessel(3, 2, Inf), 0)
  expect_identical(pbessel(3, 2, Inf), 0)
  expect_warning(expect_true(is.nan(rbessel(1, 2, Inf))), "NaNs produced")
  expect_warning(expect_true(is.nan(dbessel(1, -1, 2))), "NaNs produced")
  expect_warning(expect_true(is.nan(dbessel(1, Inf, 2))), "NaNs produced")
  # to first order in a^2
  expect_within(dbessel(1, 3, 1e-300, TRUE), 2 * log(0.5e-300) - log(4), TOL_EXACT)
})

test_that("unusual arguments are treated as in base R", {
  expect_base_manners(dbessel, pbessel, qbessel, rbessel, list(nu = 1.5, a = 3))
})

test_that("draws have the right distribution", {
  set.seed(34)
  cases <- data.frame(
    nu = c(0, 0, 1, 7, 100, 3, -0.5, 0.25, 1e5), a = c(0.2, 6, 40, 1, 150, 1000, 2, 60, 2e4)
  )
  for (i in seq_len(nrow(cases))) {
    density <- dbessel(0:2500, cases$nu[i], cases$a[i])
    expect_law(rbessel(1e5, cases$nu[i], cases$a[i]), density) # from a table, but for the last
    expect_law(rbessel(1e5, rep(cases$nu[i], 2), cases$a[i]), density) # one by one
  }
})

test_that("tables are used for 100 or more draws and a variance of at most 500", {
  # the same seed gives the same draws exactly where both are made one by one
  is_table <- function(n, nu, a) {
    set.seed(47)
    scalar <- rbessel(n, nu, a)
    set.seed(47)
    !identical(scalar, rbessel(n, c(nu, nu), a))
  }
  expect_false(is_table(99, 0, 1000))
  expect_true(is_table(100, 0, 1000))
  expect_true(is_table(100, 0, 2000))
  expect_false(is_table(100, 0, 2001))
  expect_true(is_table(100, 1e6, 4.4e4))
  expect_false(is_table(100, 1e6, 1e5))
  for (n in c(1, 99, 100, 1e4)) {
    set.seed(48)
    first <- rbessel(n, 0.5, 30)
    set.seed(48)
    expect_identical(rbessel(n, 0.5, 30), first)
    expect_length(first, n)
    expect_identical(rbessel(n, 3, 0), numeric(n))
    expect_identical(rbessel(n, 3, 1e-300), numeric(n))
  }
  expect_warning(expect_true(all(is.nan(rbessel(100, 2, Inf)))), "NaNs produced")
  expect_warning(expect_true(all(is.nan(rbessel(100, NA, 2)))), "NaNs produced")
})

test_that("draws at the limit of the table have the right distribution", {
  set.seed(49)
  cases <- data.frame(nu = c(0, 700, 1e6), a = c(2000, 2000, 4.4e4))
  for (i in seq_len(nrow(cases))) {
    expect_law(rbessel(2e5, cases$nu[i], cases$a[i]), dbessel(0:2500, cases$nu[i], cases$a[i]))
  }
})

test_that("draws for a given seed have not changed", {
  set.seed(50)
  expect_identical(rbessel(6, 1, c(0.5, 3, 12)), c(0, 0, 7, 0, 0, 6))
  expect_identical(rbessel(6, 2, c(25, 1e3, 1e6)), c(9, 505, 500041, 16, 503, 500367))
  expect_identical(rbessel(100, 2, 25)[1:6], c(10, 18, 14, 8, 9, 12))
})

test_that("draws keep their mean at large parameters", {
  set.seed(46)
  cases <- expand.grid(nu = c(0, 1e3, 1e6), a = c(1e4, 1e6, 1e8))
  n <- 2e4
  z <- mapply(function(nu, a) {
    mean <- a / 2 * bessel_i_ratio(a, nu)
    x <- rbessel(n, nu, a)
    (mean(x) - mean) / sqrt(stats::var(x) / n)
  }, cases$nu, cases$a)
  expect_lt(max(abs(z)), normal_bound(nrow(cases)))
})
