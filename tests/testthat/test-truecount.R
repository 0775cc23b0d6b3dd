posterior_pmf <- function(k, mu, alpha, y) {
  log_weight <- dpois(y, mu, log = TRUE) + abs(k - y) * log(alpha)
  weight <- exp(log_weight - max(log_weight))
  weight / sum(weight)
}

test_that("draws of the truth have their law, on every path of the sampler", {
  set.seed(31)
  cases <- data.frame(
    k = c(-4, 0, 1, 1, 3, 5, 20, 4, 40, 200, 3, 1000),
    mu = c(2, 0.3, 0.05, 0.5, 2, 30, 3, 4, 45, 200, 2.9, 1000),
    alpha = c(0.4, 0.9, 0.37, 0.37, 0.9, 0.5, 0.5, 0.99, 0.9, 0.999, 0.01, 0.5)
  )
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, ]
    draws <- rtruecount(1e5, case$k, case$mu, case$alpha)
    expect_law(draws, posterior_pmf(case$k, case$mu, case$alpha, 0:2000))
  }
})

test_that("means agree with the identity E[y | k] = mu p(k - 1)/p(k), far out too", {
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

test_that("edges: no noise, no count, and releases without a truth", {
  expect_identical(rtruecount(3, 5, 2, 0), rep(5, 3))
  expect_identical(rtruecount(2, c(-3, 4), 0, 0.5), c(0, 0))
  expect_identical(rtruecount(0, 1, 1, 0.5), numeric())
  expect_length(rtruecount(1:4, 1, 1, 0.5), 4)
  expect_warning(expect_true(is.nan(rtruecount(1, -1, 2, 0))), "NaNs")
  expect_warning(expect_true(is.nan(rtruecount(1, 1, -2, 0.5))), "NaNs")
  expect_refused(rtruecount(-1, 1, 1, 0.5), "`n`")
  expect_refused(rtruecount(1, "a", 1, 0.5), "`y_tilde`")
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

test_that("counts beyond 2^52 come back, and soon", {
  set.seed(35)
  for (k in c(2^53, 1e16)) {
    draws <- rtruecount(100, k, k, 0.5)
    expect_true(all(abs(draws / k - 1) < 1e-6))
  }
})

test_that("Bessel draws have their law", {
  set.seed(34)
  cases <- data.frame(nu = c(0, 0, 1, 7, 100, 3), a = c(0.2, 6, 40, 1, 150, 1000))
  for (i in seq_len(nrow(cases))) {
    nu <- cases$nu[i]
    a <- cases$a[i]
    m <- 0:1500
    log_weight <- (2 * m + nu) * log(a / 2) - lgamma(m + 1) - lgamma(m + nu + 1)
    weight <- exp(log_weight - max(log_weight))
    expect_law(rbessel(1e5, nu, a), weight / sum(weight))
  }
  expect_identical(rbessel(3, 2, 0), c(0, 0, 0))
})
