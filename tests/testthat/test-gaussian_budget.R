test_that("multipliers of the Gaussian mechanism are those of the specification", {
  sigma <- function(...) 1 / largest_gdp_mu(...)
  expect_within(sigma(1, 1e-5), 3.7306316, 1e-8)
  expect_within(sigma(1, 1e-6), 4.2246789, 1e-8)
  expect_within(sigma(0.1, 1e-5), 30.7495661, 1e-8)
  expect_within(sigma(5, 1e-6), 0.9800490, 1e-8)
  expect_within(sigma(1, 1e-6, "zcdp"), 5.349980, 1e-7)
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
      expect_lt(largest_gdp_mu(epsilon, delta, "zcdp"), mu)
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

test_that("random batches: the account has the value of the specification", {
  expect_within(sampled_epsilon(0.05, 1.24, 20, 1e-4), 1.2145, 5e-5)
})

test_that("the divergence of random batches agrees with its definition", {
  for (rate in c(0.01, 0.3, 1)) {
    for (z in c(0.7, 2, 9)) {
      for (order in c(2, 5, 12)) {
        # of (1 - rate) N(0, z^2) + rate N(1, z^2) from N(0, z^2)
        ratio <- function(x) {
          log_odds <- (2 * x - 1) / (2 * z^2)
          stats::dnorm(x, 0, z) * (1 - rate + rate * exp(log_odds))^order
        }
        found <- stats::integrate(ratio, -12 * z, order + 12 * z, rel.tol = 1e-11, subdivisions = 1000)
        expect_within(sampled_divergence(order, rate, z), log(found$value) / (order - 1), 1e-8)
      }
    }
  }
  # all records every time: the Gaussian mechanism itself
  expect_within(sampled_divergence(7, 1, 2), 7 / 8, TOL_EXACT)
  expect_identical(sampled_divergence(7, 0, 2), 0)
})

test_that("noise of random batches uses nearly all of epsilon", {
  for (epsilon in c(0.02, 1, 15)) {
    z <- sampled_noise(epsilon, 1e-6, 0.1, 30)
    spent <- sampled_epsilon(0.1, z, 30, 1e-6)
    expect_lte(spent, epsilon)
    expect_gt(spent, epsilon * (1 - 1e-6))
  }
  expect_identical(sampled_noise(Inf, 0, 0.1, 30), 0)
  expect_identical(sampled_noise(1e-6, 1e-6, 0.1, 30), Inf)
})

test_that("with all records, the accounting of batches never claims less than the exact accounting", {
  # to add or remove a record changes a sum by 1, so mu = sqrt(iter)/z
  for (z in c(1, 5, 20)) {
    exact <- stats::uniroot(function(e) gaussian_delta(e, sqrt(10) / z) - 1e-6, c(0, 200), tol = 1e-10)$root
    claimed <- sampled_epsilon(1, z, 10, 1e-6)
    expect_gt(claimed, exact)
    expect_lt(claimed, 1.2 * exact)
  }
})
