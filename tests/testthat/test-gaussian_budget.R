test_that("multipliers of the Gaussian mechanism are those of the specification", {
  sigma <- function(...) 1 / largest_gdp_mu(...)
  expect_within(sigma(1, 1e-5), 3.7306316, 1e-8)
  expect_within(sigma(1, 1e-6), 4.2246789, 1e-8)
  expect_within(sigma(0.1, 1e-5), 30.7495661, 1e-8)
  expect_within(sigma(5, 1e-6), 0.9800490, 1e-8)
  expect_within(sigma(1, 1e-6, "discrete"), 5.349980, 1e-7)
})

test_that("the multiplier found has exactly the requested delta, over the whole range", {
  for (epsilon in c(1e-4, 0.01, 1, 20, 200)) {
    for (delta in c(1e-12, 1e-9, 1e-5, 0.1, 0.5)) {
      mu <- largest_gdp_mu(epsilon, delta)
      # from its definition: the mass where the odds of N(mu, 1) to N(0, 1) exceed exp(epsilon), less
      # exp(epsilon) times what N(0, 1) has there
      excess <- function(x) stats::dnorm(x, mu) - exp(epsilon + stats::dnorm(x, log = TRUE))
      from <- epsilon / mu + mu / 2
      spent <- stats::integrate(excess, from, max(from, mu) + 8, rel.tol = 1e-10, abs.tol = 0)
      expect_lt(abs(spent$value / delta - 1), 1e-6)
      expect_lt(largest_gdp_mu(epsilon, delta, "discrete"), mu)
    }
  }
})

test_that("a multiplier is found for the largest budgets too", {
  for (epsilon in c(1e3, 1e6, 1e12)) {
    # where the second term of delta is negligible, epsilon = mu^2/2 - q mu, q the quantile of delta
    mu <- largest_gdp_mu(epsilon, 1e-6)
    expect_within(-epsilon / mu + mu / 2, stats::qnorm(1e-6), 0.05)
  }
})

test_that("shares add up", {
  weights <- c(0.05, 0.65, 0.3)
  expect_within(sum(share_budget(1, 1e-6, weights)^2), largest_gdp_mu(1, 1e-6)^2, TOL_EXACT)
  expect_identical(share_budget(Inf, 0, weights), c(Inf, Inf, Inf))
})
