test_that("logarithms and ratios agree with 80-digit values", {
  table <- reference_table("bessel_i")
  expect_within(log_bessel_i(table$a, table$nu), table$log_I, TOL_LOG_PMF)
  expect_lt(max(abs(bessel_i_ratio(table$a, table$nu) / table$ratio - 1)), TOL_RATIO)
})

test_that("values agree with besselI() of base R where that works", {
  grid <- expand.grid(x = c(0.01, 1, 5, 30, 40, 300), nu = c(0, 0.3, 1, 4, 20))
  expected <- with(grid, log(besselI(x, nu, expon.scaled = TRUE)) + x)
  expect_equal(log_bessel_i(grid$x, grid$nu), expected, tolerance = 1e-12)
})

test_that("half orders have closed forms", {
  x <- c(0.1, 1, 7, 35.9, 36.1, 100, 1e4)
  log_sinh <- x + log1p(-exp(-2 * x)) - log(2)
  expect_within(log_bessel_i(x, 0.5), log(2 / (pi * x)) / 2 + log_sinh, TOL_EXACT)
  log_cosh <- x + log1p(exp(-2 * x)) - log(2)
  expect_within(log_bessel_i(x, -0.5), log(2 / (pi * x)) / 2 + log_cosh, TOL_EXACT)
  expect_lt(max(abs(bessel_i_ratio(x, -0.5) / tanh(x) - 1)), TOL_RATIO)
})

test_that("the ratio is the difference of logarithms, and obeys its recurrence", {
  set.seed(47)
  nu <- ifelse(stats::runif(500) < 0.3, stats::runif(500, -1, 1), 10^stats::runif(500, -2, 6))
  x <- 10^stats::runif(500, -3, 8)
  ratio <- bessel_i_ratio(x, nu)
  step <- log_bessel_i(x, nu + 1) - log_bessel_i(x, nu)
  expect_lt(max(abs(log(ratio) - step) / pmax(1, abs(log_bessel_i(x, nu)))), TOL_RATIO)
  # 1/r_nu = 2 (nu + 1)/x + r_{nu+1}
  expect_lt(max(abs(ratio * (2 * (nu + 1) / x + bessel_i_ratio(x, nu + 1)) - 1)), TOL_RATIO)
})

test_that("no digits are lost near the zero of the leading term", {
  # near nu = 1.5089 x log I is small beside its parts, which are of size nu; from its definition
  # with 70 digits
  expect_within(
    log_bessel_i(c(33, 663, 66274, 662743), c(50, 1e3, 1e5, 1e6)),
    c(-3.2143557766573615335, -3.9995262858236511569, -7.3853891424474259156, -8.6768143110758558737),
    TOL_EXACT
  )
})

test_that("limiting and invalid arguments", {
  expect_identical(log_bessel_i(0, c(0, 2, -0.5)), c(0, -Inf, Inf))
  expect_identical(bessel_i_ratio(0, c(0, 2, -0.5)), c(0, 0, 0))
  expect_identical(log_bessel_i(Inf, 2), Inf)
  expect_identical(bessel_i_ratio(Inf, 2), 1)
  expect_identical(log_bessel_i(2, Inf), -Inf)
  expect_identical(bessel_i_ratio(2, Inf), 0)
  expect_warning(expect_true(is.nan(log_bessel_i(-1, 2))), "NaNs produced")
  expect_warning(expect_true(is.nan(bessel_i_ratio(1, -1))), "NaNs produced")
  expect_warning(expect_true(is.nan(log_bessel_i(Inf, Inf))), "NaNs produced")
  expect_silent(expect_identical(log_bessel_i(NA, 1), NA_real_))
  expect_identical(names(log_bessel_i(c(a = 1, b = 2), 1)), c("a", "b"))
  expect_identical(dim(bessel_i_ratio(matrix(1, 2, 2), 1:4)), c(2L, 2L))
  expect_identical(log_bessel_i(numeric(), 1), numeric())
  expect_refused(log_bessel_i("1", 1), "`x` must be numeric")
  expect_refused(bessel_i_ratio(1, NULL), "`nu` must be numeric")
})
