# Derivatives of log densities of released counts, and their Fisher information (src/ldp_derivatives.c,
# src/ldp_information.c).

TOL_DERIVATIVE <- 2e-11 # of max(mu, |value|): sums of terms with alternating signs
TOL_INFORMATION <- 1e-4
TOL_GRID <- 1e-3 # a maximum over a grid of means
TOL_HESSIAN <- 1e-5 # of numDeriv::hessian()

derivatives_at <- function(k, mu, alpha, dispersion, level = 2) {
  mapply(function(k, mu, alpha, dispersion) {
    unlist(scaled_derivatives(k, mu, dispersion - 1, alpha, level))
  }, k, mu, alpha, dispersion)
}

# Errors relative to the larger of mu and the value.
expect_derivatives <- function(value, reference, mu, tolerance) {
  scale <- pmax(abs(reference), rep(mu, each = nrow(value)))
  expect_lt(max(abs(value - reference) / scale), tolerance)
}

test_that("derivatives agree with values computed with 120 digits", {
  table <- reference_table("derivatives")
  expect_gt(nrow(table), 100)
  value <- with(table, derivatives_at(k, mu, alpha, dispersion))
  expect_derivatives(value, t(as.matrix(table[paste0("d_", names(DERIVATIVES))])), table$mu, TOL_DERIVATIVE)
})

test_that("lower levels are the first derivatives of higher levels", {
  cases <- expand.grid(
    k = c(-4, 1, 7, 60), mu = c(1e-3, 2, 90), alpha = c(0.2, 0.9), dispersion = c(1, 3, 200)
  )
  all <- with(cases, derivatives_at(k, mu, alpha, dispersion))
  for (level in 0:1) {
    some <- with(cases, derivatives_at(k, mu, alpha, dispersion, level))
    expect_identical(rownames(some), names(DERIVATIVES)[seq_len(c(2, 6)[level + 1])])
    expect_derivatives(some, all[rownames(some), ], cases$mu, TOL_DERIVATIVE)
  }
})

test_that("derivatives by the mean agree with differences of Poisson densities", {
  cases <- expand.grid(k = c(1, 2, 3, 8, 25), mu = c(0.3, 2, 9), alpha = c(0.15, 0.37, 0.8))
  ratio <- function(j) with(cases, exp(dprivpois(k - j, mu, alpha, TRUE) - dprivpois(k, mu, alpha, TRUE)))
  # d^n P(k)/d mu^n = sum_j (-1)^(n - j) choose(n, j) P(k - j), divided by P(k)
  m <- lapply(1:4, function(n) Reduce(`+`, lapply(0:n, function(j) (-1)^(n - j) * choose(n, j) * ratio(j))))
  log_derivatives <- rbind(
    m[[1]], m[[2]] - m[[1]]^2, m[[3]] - 3 * m[[2]] * m[[1]] + 2 * m[[1]]^3,
    m[[4]] - 4 * m[[3]] * m[[1]] - 3 * m[[2]]^2 + 12 * m[[2]] * m[[1]]^2 - 6 * m[[1]]^4
  ) * outer(1:4, cases$mu, function(n, mu) mu^n)
  value <- with(cases, derivatives_at(k, mu, alpha, 1))[c("mu", "mu2", "mu3", "mu4"), ]
  expect_lt(max(abs(value - log_derivatives) / rep(pmax(1, cases$mu^2 / cases$alpha^4), each = 4)), 1e-11)
})

test_that("first and second derivatives are those of the mean and variance of the true count", {
  cases <- expand.grid(k = c(-3, 2, 40, 1e4), mu = c(0.01, 5, 1e4, 1e6), alpha = c(1e-3, 0.5, 0.99))
  value <- with(cases, derivatives_at(k, mu, alpha, 1))
  mean <- with(cases, truecount_mean(k, mu, alpha))
  var <- with(cases, truecount_var(k, mu, alpha))
  expect_lt(max(abs(value["mu", ] - (mean - cases$mu)) / cases$mu), TOL_DERIVATIVE)
  expect_lt(max(abs(value["mu2", ] - (var - mean)) / pmax(cases$mu, mean)), TOL_DERIVATIVE)
})

test_that("derivatives agree with numerical ones of dprivnbinom()", {
  skip_if_not_installed("numDeriv")
  cases <- list(
    c(3, 0.7, 0.4, 2), c(12, 4, 0.6, 5), c(2, 9, 0.3, 1.2), c(-2, 3, 0.5, 4), c(0, 0.1, 0.8, 2)
  )
  for (case in cases) {
    log_density <- function(x) dprivnbinom(case[1], exp(x[1]), case[3], 1 + exp(x[2]), TRUE)
    at <- log(c(case[2], case[4] - 1))
    d <- derivatives_at(case[1], case[2], case[3], case[4])[, 1]
    gradient <- c(d["mu"], d["theta"])
    hessian <- c(d["mu"] + d["mu2"], d["mu_theta"], d["theta2"])
    expect_lt(max(abs(gradient - numDeriv::grad(log_density, at))), 1e-8)
    expect_lt(max(abs(hessian - numDeriv::hessian(log_density, at)[c(1, 2, 4)])), TOL_HESSIAN)
  }
})

test_that("without noise, derivatives are those of Poisson and negative binomial densities", {
  k <- c(0, 1, 5, 80, 3000)
  expect_identical(
    unname(derivatives_at(k, 2.5, 0, 1)[c("mu", "mu2", "mu3", "mu4"), ]), rbind(k - 2.5, -k, 2 * k, -6 * k)
  )
  for (excess in c(0.01, 1, 30)) {
    s <- 2.5 / excess
    first <- s * (digamma(s + k) - digamma(s) - log1p(excess))
    second <- s^2 * (trigamma(s + k) - trigamma(s))
    value <- derivatives_at(k, 2.5, 0, 1 + excess)
    expect_within(value["mu", ], first, 1e-10)
    expect_within(value["mu2", ], second, 1e-10)
    by_rate <- s * (excess / (1 + excess) - log1p(excess))
    theta <- -s * (digamma(s + k) - digamma(s)) + k / (1 + excess) - by_rate
    expect_within(value["theta", ], theta, 1e-10)
  }
})

test_that("a dispersion near 1 gives the derivatives of Poisson counts", {
  cases <- expand.grid(k = c(-2, 1, 6, 30), mu = c(0.1, 3, 50), alpha = c(0.1, 0.6, 0.95))
  by_mu <- c("mu", "mu2", "mu3", "mu4")
  poisson <- with(cases, derivatives_at(k, mu, alpha, 1))[by_mu, ]
  near <- with(cases, derivatives_at(k, mu, alpha, 1 + 1e-13))[by_mu, ]
  expect_derivatives(near, poisson, cases$mu, 1e-9)
})

test_that("derivatives are finite at the edges", {
  cases <- expand.grid(
    k = c(-1e6, 0, 1, 1000, 1e6), mu = c(1e-300, 1e-16, 1, 1e6), alpha = c(0, 1e-300, 1e-10, 0.5, 0.999),
    dispersion = c(1, 1 + 1e-12, 2, 1000)
  )
  cases <- cases[cases$k >= 0 | cases$alpha > 0, ]
  expect_true(all(is.finite(with(cases, derivatives_at(k, mu, alpha, dispersion)))))
})

test_that("means that are not positive and finite give NaN", {
  value <- scaled_derivatives(c(1, 1, 1, 1), c(0, -1, Inf, NA), 0, 0.5, 0)
  expect_true(all(is.nan(unlist(value))))
  expect_true(all(is.nan(fisher_information(c(0, -1, Inf, NA), 0, 0.5))))
})

test_that("the information is the variance of the score", {
  cases <- expand.grid(mu = c(0.01, 0.8, 7, 150), dispersion = c(1, 1.5, 6), alpha = c(0.05, 0.4, 0.9))
  direct <- mapply(function(mu, dispersion, alpha) {
    width <- 60 + 30 * sqrt(mu * dispersion) + 30 * dispersion
    k <- seq(-ceiling(40 / -log(alpha)), ceiling(mu + width + 40 / -log(alpha)))
    p <- dprivnbinom(k, mu, alpha, dispersion)
    sum(p * scaled_derivatives(k, rep(mu, length(k)), dispersion - 1, alpha, 0)$mu^2)
  }, cases$mu, cases$dispersion, cases$alpha)
  value <- mapply(function(mu, dispersion, alpha) {
    fisher_information(mu, dispersion - 1, alpha)
  }, cases$mu, cases$dispersion, cases$alpha)
  expect_lt(max(abs(value / direct - 1)), TOL_INFORMATION)
})

test_that("the information of large means is that of normal counts", {
  for (mu in c(1e5, 1e7, 1e9)) {
    expect_lt(abs(fisher_information(mu, 0, 0.5) / (mu^2 / (mu + 4)) - 1), 1e-3)
    expect_lt(abs(fisher_information(mu, 4, 0.5) / (mu^2 / (5 * mu + 4)) - 1), 1e-3)
  }
  expect_identical(fisher_information(c(0.1, 3, 1e6), 0, 0), c(0.1, 3, 1e6))
})

test_that("the information of many cells is interpolated, also for several noise levels", {
  set.seed(1)
  mu <- exp(rnorm(4000))
  alpha <- rep(c(0.2, 0.7), 2000)
  for (excess in c(0, 2)) {
    value <- fisher_information(mu, excess, alpha)
    some <- c(1:20, which.min(mu), which.max(mu))
    exact <- vapply(some, function(i) fisher_information(mu[i], excess, alpha[i]), 0)
    expect_lt(max(abs(value[some] / exact - 1)), 1e-3)
  }
})

test_that("saturated densities are the largest over all means", {
  mu <- exp(seq(-12, 8, length.out = 4001))
  for (case in list(c(1, 0.5, 1), c(1, 0.95, 1), c(7, 0.3, 1), c(300, 0.9, 1), c(2, 0.4, 4), c(40, 0.7, 9))) {
    grid <- max(dprivnbinom(case[1], mu, case[2], case[3], TRUE))
    value <- saturated_density(case[1], case[3] - 1, case[2])
    expect_gte(value, grid)
    expect_lt(value - grid, TOL_GRID)
  }
  expect_identical(saturated_density(c(-3, 0), 1, 0.5), dtwogeom(c(-3, 0), 0.5, log = TRUE))
  expect_within(saturated_density(c(0, 3), 0, 0), dpois(c(0, 3), c(0, 3), log = TRUE), TOL_EXACT)
})
