test_that("density and both tails agree with 80-digit values", {
  table <- reference_table("privnbinom_pmf_cdf_posterior")
  parameters <- c("mu", "alpha", "dispersion")
  expect_reference_law(table, dprivnbinom, pprivnbinom, "k", parameters)
})

test_that("quantiles agree with 80-digit values", {
  table <- reference_table("privnbinom_quantile")
  expect_reference_quantiles(table, qprivnbinom, c("mu", "alpha", "dispersion"))
})

test_that("density, tails and quantiles agree with one another", {
  for (mu in c(1e-4, 0.4, 6, 80)) {
    for (theta in list(c(1.3, 0.6), c(4, 0.1), c(2.5, 0.6), c(7, 0.93))) {
      expect_consistent_law(
        -500:1500, dprivnbinom, pprivnbinom, qprivnbinom, mu, theta[2], theta[1]
      )
    }
  }
})

cases <- expand.grid(
  k = c(-7, -1, 0, 1, 3, 25, 60), mu = c(0.01, 1, 20), dispersion = c(1.01, 3, 12),
  alpha = c(0.01, 0.5, 0.9)
)

test_that("the distribution is the convolution of its two parts", {
  y <- 0:2500
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, ]
    truth <- dnbinom(y, case$mu / (case$dispersion - 1), mu = case$mu)
    direct <- c(
      sum(truth * dtwogeom(case$k - y, case$alpha)), sum(truth * ptwogeom(case$k - y, case$alpha)),
      sum(truth * ptwogeom(case$k - y, case$alpha, lower.tail = FALSE))
    )
    value <- with(case, c(
      dprivnbinom(k, mu, alpha, dispersion), pprivnbinom(k, mu, alpha, dispersion),
      pprivnbinom(k, mu, alpha, dispersion, lower.tail = FALSE)
    ))
    expect_lt(max(abs(value / direct - 1)), 1e-11) # of dnbinom
  }
})

test_that("probabilities sum to one, and mean and variance are those of the parts", {
  k <- -300:6000
  for (mu in c(1e-8, 0.3, 7)) {
    for (dispersion in c(1 + 1e-9, 2, 40)) {
      for (alpha in c(0, 0.2, 0.7)) {
        p <- dprivnbinom(k, mu, alpha, dispersion)
        second <- mu^2 + mu * dispersion + 2 * alpha / (1 - alpha)^2
        expect_within(sum(p), 1, TOL_SERIES)
        expect_within(sum(k * p), mu, TOL_SERIES * 100)
        expect_within(sum(k^2 * p), second, TOL_SERIES * 1000)
      }
    }
  }
})

# p(k+1) + p(k-1) - (al + 1/al) p(k) = -(1-al)/(1+al) (1/al - al) P(y = k), also where a sum has
# too many terms for any other check. `terms` are of the truth.
test_that("probabilities satisfy the difference equation of the noise, for counts of any size", {
  cases <- expand.grid(
    mu = c(0.3, 3e3, 1e7), dispersion = c(1.0001, 2, 50, 1e5), alpha = c(0.5, 0.9),
    sds = c(-0.9, 0, 1, 3)
  )
  sd <- sqrt(cases$mu * cases$dispersion)
  k <- pmax(1, round(cases$mu + cases$sds * pmin(sd, cases$mu * 0.99)))
  ratio <- function(at, alpha) {
    exp(dprivnbinom(at, cases$mu, alpha, cases$dispersion, TRUE) -
      dprivnbinom(k, cases$mu, cases$alpha, cases$dispersion, TRUE))
  }
  noise <- with(cases, (1 - alpha) / (1 + alpha) * (1 / alpha - alpha))
  right <- ratio(k + 1, cases$alpha) + ratio(k - 1, cases$alpha) + noise * ratio(k, 0)
  expect_within(right, cases$alpha + 1 / cases$alpha, 1e-11)
})

test_that("dispersion 1 is exactly Poisson, and is approached continuously", {
  k <- c(-9, 0, 1, 4, 30, 300)
  p <- c(1e-12, 0.2, 0.8)
  for (mu in c(0, 0.02, 3, 250)) {
    for (alpha in c(0, 0.4, 0.95)) {
      expect_identical(dprivnbinom(k, mu, alpha, 1, TRUE), dprivpois(k, mu, alpha, TRUE))
      expect_identical(pprivnbinom(k, mu, alpha, 1), pprivpois(k, mu, alpha))
      expect_identical(qprivnbinom(p, mu, alpha, 1), qprivpois(p, mu, alpha))
      near <- dprivnbinom(k[k >= 0], mu, alpha, 1 + .Machine$double.eps, TRUE)
      poisson <- dprivpois(k[k >= 0], mu, alpha, TRUE)
      finite <- is.finite(poisson)
      expect_identical(is.finite(near), finite)
      expect_within(near[finite], poisson[finite], TOL_SERIES)
    }
  }
  set.seed(1)
  draws <- rprivnbinom(20, 3, 0.4, 1)
  set.seed(1)
  expect_identical(draws, rprivpois(20, 3, 0.4))
})

test_that("limits: negative binomial without noise, two-sided geometric without counts", {
  expect_within(dprivnbinom(0:5, 2, 0, 3, TRUE), dnbinom(0:5, 1, 1 / 3, log = TRUE), TOL_SERIES)
  expect_within(pprivnbinom(0:5, 2, 0, 3), pnbinom(0:5, 1, 1 / 3), TOL_SERIES)
  expect_identical(dprivnbinom(-1, 2, 0, 3), 0)
  expect_identical(qprivnbinom(c(0, 0.3, 0.8, 1), 2, 0, 3), qnbinom(c(0, 0.3, 0.8, 1), 1, 1 / 3))
  expect_identical(pprivnbinom(-3:3, 0, 0.4, 3), ptwogeom(-3:3, 0.4))
  expect_identical(qprivnbinom(c(0, 0.3, 1), 0, 0.4, 3), c(-Inf, qtwogeom(0.3, 0.4), Inf))
  expect_identical(qprivnbinom(c(0, 1), 2, 0.4, 3), c(-Inf, Inf))
  expect_identical(rprivnbinom(3, 0, 0, 3), c(0, 0, 0))
  expect_identical(dprivnbinom(3, Inf, 0.5, 3), 0)
  expect_identical(pprivnbinom(3, Inf, 0.5, 3), 0)
})

test_that("unusual arguments are treated as in base R", {
  expect_base_manners(
    dprivnbinom, pprivnbinom, qprivnbinom, rprivnbinom, list(mu = 3, dispersion = 2, alpha = 0.4)
  )
  for (dispersion in c(1 - 1e-9, 0, Inf)) {
    expect_warning(expect_true(is.nan(dprivnbinom(1, 1, 0.5, dispersion))), "NaNs produced")
    expect_warning(expect_true(is.nan(rprivnbinom(1, 1, 0.5, dispersion))), "NaNs produced")
  }
  expect_warning(expect_true(is.nan(dprivnbinom(1, 1, 1, 2))), "NaNs produced")
})

test_that("draws have the right distribution", {
  set.seed(23)
  for (theta in list(c(0.3, 5, 0.1), c(4, 1.2, 0.6), c(50, 10, 0.9), c(1e-3, 300, 0.5))) {
    x <- -400:3000
    density <- dprivnbinom(x, theta[1], theta[3], theta[2])
    expect_law_on(rprivnbinom(1e5, theta[1], theta[3], theta[2]), x, density)
  }
})
