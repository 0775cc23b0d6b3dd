posterior_pmf <- function(k, mu, alpha, y) {
  log_weight <- dpois(y, mu, log = TRUE) + abs(k - y) * log(alpha)
  weight <- exp(log_weight - max(log_weight))
  weight / sum(weight)
}

test_that("density and both tails agree with 80-digit values", {
  table <- reference_table("poislap_posterior_pmf")
  parameters <- c("k", "mu", "alpha")
  value <- call_law(dtruecount, table, "y", parameters, log = TRUE)
  expect_within(value, table$log_post_pmf, TOL_SERIES)
  value <- call_law(ptruecount, table, "y", parameters, log.p = TRUE)
  expect_within(value, table$log_post_cdf_lower, TOL_LOG_CDF)
  value <- call_law(ptruecount, table, "y", parameters, lower.tail = FALSE, log.p = TRUE)
  expect_within(value, table$log_post_cdf_upper, TOL_LOG_CDF)
})

test_that("mean, variance and mode agree with 80-digit values", {
  table <- reference_table("poislap_pmf_cdf_posterior")
  mean <- with(table, truecount_mean(k, mu, alpha))
  expect_lt(max(abs(mean / table$post_mean - 1)), 1e-12)
  variance <- with(table, truecount_var(k, mu, alpha))
  expect_lt(max(abs(variance / table$post_var - 1)), 1e-12)
  at_mode <- with(table, dtruecount(post_mode, k, mu, alpha, TRUE))
  for (side in c(-1, 1)) {
    beside <- with(table, dtruecount(post_mode + side, k, mu, alpha, TRUE))
    expect_true(all(beside <= at_mode + 1e-12))
  }
})

cells <- expand.grid(k = c(-3, 0, 1, 4, 30, 150), mu = c(1e-4, 0.7, 9, 60), alpha = c(1e-5, 0.3, 0.95))

test_that("density, tails and quantiles agree with one another", {
  for (i in seq_len(nrow(cells))) {
    expect_consistent_law(
      0:400, dtruecount, ptruecount, qtruecount, cells$k[i], cells$mu[i], cells$alpha[i]
    )
  }
})

test_that("the density is the normalised product of its two parts, and moments are sums over it", {
  y <- 0:400
  for (i in seq_len(nrow(cells))) {
    case <- cells[i, ]
    density <- dtruecount(y, case$k, case$mu, case$alpha)
    expect_within(density, posterior_pmf(case$k, case$mu, case$alpha, y), TOL_SERIES)
    mean <- truecount_mean(case$k, case$mu, case$alpha)
    expect_equal(mean, sum(y * density), tolerance = 1e-12)
    variance <- truecount_var(case$k, case$mu, case$alpha)
    expect_equal(variance, sum((y - mean)^2 * density), tolerance = 1e-11)
  }
})

test_that("draws of the true count have the right distribution, on every path of the sampler", {
  set.seed(31)
  cases <- data.frame(
    k = c(-4, 0, 1, 1, 3, 5, 20, 4, 40, 200, 3, 1000),
    mu = c(2, 0.3, 0.05, 0.5, 2, 30, 3, 4, 45, 200, 2.9, 1000),
    alpha = c(0.4, 0.9, 0.37, 0.37, 0.9, 0.5, 0.5, 0.99, 0.9, 0.999, 0.01, 0.5)
  )
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, ]
    draws <- rtruecount(1e5, case$k, case$mu, case$alpha)
    expect_law(draws, dtruecount(0:2000, case$k, case$mu, case$alpha))
  }
})

test_that("means agree with the identity E[y | k] = mu p(k - 1)/p(k), also in tails", {
  set.seed(32)
  n <- 4e4
  cases <- expand.grid(k = c(-50, 1, 30, 3000), mu = c(1e-5, 0.5, 30, 3000), alpha = c(0.01, 0.5, 0.99))
  z <- mapply(function(k, mu, alpha) {
    first <- mu * exp(dprivpois(k - 1, mu, alpha, TRUE) - dprivpois(k, mu, alpha, TRUE))
    second <- mu^2 * exp(dprivpois(k - 2, mu, alpha, TRUE) - dprivpois(k, mu, alpha, TRUE))
    variance <- second + first - first^2
    if (n * first < 100) {
      return(0) # too few counts for a normal bound
    }
    (mean(rtruecount(n, k, mu, alpha)) - first) / sqrt(max(variance, 1e-9 * first) / n)
  }, cases$k, cases$mu, cases$alpha)
  expect_lt(max(abs(z)), normal_bound(nrow(cases)))
})

test_that("limits: no noise, no counts, and released counts without a possible true count", {
  expect_identical(rtruecount(3, 5, 2, 0), rep(5, 3))
  expect_identical(rtruecount(2, c(-3, 4), 0, 0.5), c(0, 0))
  expect_identical(rtruecount(0, 1, 1, 0.5), numeric())
  expect_length(rtruecount(1:4, 1, 1, 0.5), 4)
  expect_identical(dtruecount(4:6, 5, 2, 0), c(0, 1, 0))
  expect_identical(ptruecount(4:6, 5, 2, 0), c(0, 1, 1))
  expect_identical(qtruecount(c(0, 0.5, 1), 5, 2, 0), c(5, 5, 5))
  expect_identical(c(truecount_mean(5, 2, 0), truecount_var(5, 2, 0)), c(5, 0))
  expect_identical(dtruecount(0:1, 4, 0, 0.5), c(1, 0))
  expect_identical(c(truecount_mean(4, 0, 0.5), truecount_var(4, 0, 0.5)), c(0, 0))
  expect_within(dtruecount(0:9, -4, 3, 0.5), dpois(0:9, 1.5), TOL_EXACT)
  expect_identical(qtruecount(c(0, 1), 3, 2, 0.5), c(0, Inf))
  expect_identical(dtruecount(3, 5, Inf, 0.5), 0)
})

test_that("released counts without a possible true count, and invalid parameters, give NaN", {
  for (f in list(dtruecount, ptruecount, qtruecount)) {
    expect_warning(expect_true(is.nan(f(0, -1, 2, 0))), "NaNs produced")
    expect_warning(expect_true(is.nan(f(0, 3, 0, 0))), "NaNs produced")
    expect_warning(expect_true(is.nan(f(0, 1.5, 2, 0.5))), "NaNs produced")
    expect_warning(expect_true(is.nan(f(0, Inf, 2, 0.5))), "NaNs produced")
  }
  expect_warning(expect_true(is.nan(rtruecount(1, -1, 2, 0))), "NaNs")
  expect_warning(expect_true(is.nan(rtruecount(1, 1, -2, 0.5))), "NaNs")
  expect_warning(expect_true(is.nan(truecount_mean(1, 2, 1))), "NaNs")
  expect_warning(expect_true(is.nan(truecount_var(-1, 2, 0))), "NaNs")
  expect_warning(expect_true(is.nan(truecount_mean(1, Inf, 0.5))), "NaNs")
  expect_identical(names(truecount_mean(c(a = 1, b = 2), 2, 0.5)), c("a", "b"))
  expect_identical(truecount_var(numeric(), 2, 0.5), numeric())
  expect_refused(rtruecount(-1, 1, 1, 0.5), "`n`")
  expect_refused(rtruecount(1, "a", 1, 0.5), "`y_tilde`")
  expect_refused(truecount_mean("a", 1, 0.5), "`y_tilde`")
  expect_refused(truecount_var(1, 1, "a"), "`alpha`")
})

test_that("the cost is bounded at extreme parameters", {
  set.seed(33)
  n <- 2e4
  mu <- 10^stats::runif(n, -300, 8)
  alpha <- ifelse(stats::runif(n) < 0.5, 10^stats::runif(n, -300, 0), 1 - 10^stats::runif(n, -10, 0))
  k <- round(sign(stats::runif(n, -1, 1)) * 10^stats::runif(n, 0, 8))
  expect_silent(draws <- rtruecount(n, k, mu, alpha))
  expect_true(all(draws >= 0 & is.finite(draws)))
  expect_silent(draws <- rtruecount(n, round(mu * stats::runif(n, 0.5, 2)), mu, alpha))
  expect_true(all(draws >= 0 & is.finite(draws)))
})

test_that("counts beyond 2^52 give results in bounded time", {
  set.seed(35)
  for (k in c(2^53, 1e16)) {
    draws <- rtruecount(100, k, k, 0.5)
    expect_true(all(abs(draws / k - 1) < 1e-6))
  }
})

test_that("unusual arguments are treated as in base R", {
  expect_base_manners(
    dtruecount, ptruecount, qtruecount, rtruecount, list(y_tilde = 4, mu = 3, alpha = 0.4)
  )
})

# The same distribution of overdispersed counts.

test_that("with dispersion, density and both tails agree with 80-digit values", {
  table <- reference_table("truenbinom_pmf")
  parameters <- c("k", "mu", "alpha", "dispersion")
  value <- call_law(dtruecount, table, "y", parameters, log = TRUE)
  expect_within(value, table$log_post_pmf, TOL_LOG_PMF)
  value <- call_law(ptruecount, table, "y", parameters, log.p = TRUE)
  expect_within(value, table$log_post_cdf_lower, TOL_LOG_CDF)
  value <- call_law(ptruecount, table, "y", parameters, lower.tail = FALSE, log.p = TRUE)
  expect_within(value, table$log_post_cdf_upper, TOL_LOG_CDF)
})

test_that("with dispersion, mean and variance agree with 80-digit values", {
  table <- reference_table("privnbinom_pmf_cdf_posterior")
  mean <- with(table, truecount_mean(k, mu, alpha, dispersion))
  expect_lt(max(abs(mean / table$post_mean - 1)), 1e-12)
  variance <- with(table, truecount_var(k, mu, alpha, dispersion))
  expect_lt(max(abs(variance / table$post_var - 1)), 1e-12)
})

bursts <- expand.grid(
  k = c(-3, 0, 1, 4, 30, 150), mu = c(1e-4, 0.7, 9), alpha = c(1e-5, 0.3, 0.9),
  dispersion = c(1.1, 3, 12)
)

test_that("with dispersion, density, tails and quantiles agree with one another", {
  for (i in seq(1, nrow(bursts), by = 7)) {
    case <- bursts[i, ]
    expect_consistent_law(
      0:800, dtruecount, ptruecount, qtruecount, case$k, case$mu, case$alpha, case$dispersion
    )
  }
})

test_that("with dispersion, the density is the product of its two parts, and moments are sums over it", {
  y <- 0:1200
  for (i in seq(2, nrow(bursts), by = 3)) {
    case <- bursts[i, ]
    size <- case$mu / (case$dispersion - 1)
    log_weight <- dnbinom(y, size, mu = case$mu, log = TRUE) + abs(case$k - y) * log(case$alpha)
    weight <- exp(log_weight - max(log_weight))
    density <- with(case, dtruecount(y, k, mu, alpha, dispersion))
    expect_within(density, weight / sum(weight), TOL_SERIES)
    mean <- with(case, truecount_mean(k, mu, alpha, dispersion))
    expect_equal(mean, sum(y * density), tolerance = 1e-12)
    variance <- with(case, truecount_var(k, mu, alpha, dispersion))
    expect_equal(variance, sum((y - mean)^2 * density), tolerance = 1e-11)
  }
})

test_that("with dispersion, E[y | k] = mu p'(k - 1)/p(k)", {
  cases <- expand.grid(
    k = c(-5, 1, 40, 2000), mu = c(1e-3, 2, 500), alpha = c(0.1, 0.9), dispersion = c(1.5, 10, 1000)
  )
  mean <- with(cases, truecount_mean(k, mu, alpha, dispersion))
  at <- with(cases, dprivnbinom(k, mu, alpha, dispersion, TRUE))
  before <- with(cases, dprivnbinom(k - 1, mu + dispersion - 1, alpha, dispersion, TRUE))
  expect_lt(max(abs(mean / (cases$mu * exp(before - at)) - 1)), 1e-11)
})

test_that("dispersion 1 is exactly the Poisson distribution, and is approached continuously", {
  y <- c(0, 1, 3, 20, 90)
  for (i in seq_len(nrow(cells))) {
    k <- cells$k[i]
    mu <- cells$mu[i]
    alpha <- cells$alpha[i]
    expect_identical(dtruecount(y, k, mu, alpha, 1, TRUE), dtruecount(y, k, mu, alpha, log = TRUE))
    expect_identical(ptruecount(y, k, mu, alpha, 1), ptruecount(y, k, mu, alpha))
    expect_identical(qtruecount(0.3, k, mu, alpha, 1), qtruecount(0.3, k, mu, alpha))
    expect_identical(truecount_var(k, mu, alpha, 1), truecount_var(k, mu, alpha))
    # next to Poisson a term has y^2/(2 mu) times the excess more, which is seen at mu = 1e-4
    excess <- .Machine$double.eps
    bound <- TOL_SERIES + excess * max(y, k)^2 / mu
    near <- dtruecount(y, k, mu, alpha, 1 + excess, TRUE)
    expect_lt(max(abs(near / dtruecount(y, k, mu, alpha, log = TRUE) - 1)), bound)
    mean <- truecount_mean(k, mu, alpha, 1 + excess)
    expect_lt(abs(mean / truecount_mean(k, mu, alpha) - 1), bound)
  }
  set.seed(1)
  draws <- rtruecount(20, 3, 2, 0.4, 1)
  set.seed(1)
  expect_identical(draws, rtruecount(20, 3, 2, 0.4))
})

test_that("with dispersion, draws of the true count have the right distribution", {
  set.seed(37)
  cases <- data.frame(
    k = c(-4, 1, 3, 20, 20, 40, 300, 900, 900, 50, 1000),
    mu = c(2, 0.05, 2, 1e-3, 8, 2, 200, 1, 3, 4000, 1000),
    alpha = c(0.4, 0.37, 0.9, 0.37, 0.5, 0.5, 0.9, 0.99, 0.98, 0.95, 0.5),
    dispersion = c(5, 3, 1.2, 2, 2, 2, 15, 101, 80, 1.001, 1e4)
  )
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, ]
    draws <- with(case, rtruecount(1e4, k, mu, alpha, dispersion))
    most <- with(case, qtruecount(1e-9, k, mu, alpha, dispersion, lower.tail = FALSE))
    expect_law(draws, with(case, dtruecount(0:most, k, mu, alpha, dispersion)))
  }
})

test_that("with dispersion, limiting and unusual arguments", {
  expect_base_manners(
    dtruecount, ptruecount, qtruecount, rtruecount,
    list(y_tilde = 4, mu = 3, alpha = 0.4, dispersion = 2)
  )
  expect_identical(rtruecount(3, 5, 2, 0, 3), rep(5, 3))
  expect_identical(rtruecount(2, c(-3, 4), 0, 0.5, 3), c(0, 0))
  expect_identical(dtruecount(4:6, 5, 2, 0, 3), c(0, 1, 0))
  expect_identical(c(truecount_mean(4, 0, 0.5, 3), truecount_var(4, 0, 0.5, 3)), c(0, 0))
  expect_within(dtruecount(0:9, -4, 3, 0.5, 3), dnbinom(0:9, 1.5, 1 - 0.5 * 2 / 3), TOL_SERIES)
  expect_warning(expect_true(is.nan(truecount_mean(1, 2, 0.5, 0.9))), "NaNs")
  expect_warning(expect_true(is.nan(truecount_var(1, 2, 0.5, Inf))), "NaNs")
  expect_refused(truecount_mean(1, 1, 0.5, "a"), "`dispersion`")
})

test_that("with dispersion, the cost of a draw is bounded at extreme parameters", {
  set.seed(38)
  n <- 5e3
  mu <- 10^stats::runif(n, -300, 8)
  alpha <- ifelse(stats::runif(n) < 0.5, 10^stats::runif(n, -300, 0), 1 - 10^stats::runif(n, -10, 0))
  dispersion <- 1 + 10^stats::runif(n, -15, 15)
  k <- round(10^stats::runif(n, 0, 15))
  expect_silent(draws <- rtruecount(n, k, mu, alpha, dispersion))
  expect_true(all(draws >= 0 & is.finite(draws)))
})
