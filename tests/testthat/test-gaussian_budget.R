test_that("multipliers of the Gaussian mechanism are those of the specification", {
  sigma <- function(...) 1 / gaussian_mu(...)
  expect_within(sigma(1, 1e-5), 3.7306316, 1e-8)
  expect_within(sigma(1, 1e-6), 4.2246789, 1e-8)
  expect_within(sigma(0.1, 1e-5), 30.7495661, 1e-8)
  expect_within(sigma(5, 1e-6), 0.9800490, 1e-8)
  expect_within(sigma(0.5, 1e-6, "classical"), 10.597605, 1e-7)
  expect_within(sigma(1, 1e-6, "zcdp"), 5.349980, 1e-7)
})

test_that("what is found spends delta, neither more nor less, over the whole range", {
  for (epsilon in c(1e-4, 0.01, 1, 20, 200)) {
    for (delta in c(1e-12, 1e-9, 1e-5, 0.1, 0.5)) {
      mu <- gaussian_mu(epsilon, delta)
      # from its definition: the mass where the odds of N(mu, 1) to N(0, 1) exceed exp(epsilon), less
      # exp(epsilon) times what N(0, 1) has there
      excess <- function(x) stats::dnorm(x, mu) - exp(epsilon + stats::dnorm(x, log = TRUE))
      from <- epsilon / mu + mu / 2
      spent <- stats::integrate(excess, from, max(from, mu) + 8, rel.tol = 1e-10, abs.tol = 0)
      expect_lt(abs(spent$value / delta - 1), 1e-6)
      expect_lt(gaussian_mu(epsilon, delta, "zcdp"), mu)
      if (epsilon < 1 && delta < 0.1) expect_lt(gaussian_mu(epsilon, delta, "classical"), mu)
    }
  }
})

test_that("shares add up", {
  weights <- c(0.05, 0.65, 0.3)
  expect_within(sum(share_budget(1, 1e-6, weights)^2), gaussian_mu(1, 1e-6)^2, TOL_EXACT)
  basic <- share_budget(1, 1e-6, weights, composition = "basic")
  expect_identical(basic[2], gaussian_mu(0.65, 0.65e-6))
  expect_true(all(basic < share_budget(1, 1e-6, weights)))
  expect_identical(share_budget(Inf, 0, weights), c(Inf, Inf, Inf))
})
