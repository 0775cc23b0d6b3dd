mechanism <- function(noise, rng = "R") list(noise = noise, rng = rng, call = NULL)

# The share of values below what 25 equal parts of the distribution have for borders.
uniform_p_value <- function(u) {
  stats::chisq.test(tabulate(1 + pmin(floor(25 * u), 24), 25))$p.value
}

test_that("noise has the right distribution, from R's generator and from the system", {
  set.seed(1)
  n <- 20000
  for (rng in c("R", "secure")) {
    for (noise in c("gaussian", "discrete")) {
      x <- perturbed(rep(2, n), 0.5, mechanism(noise, rng))
      z <- (x - 2) / 0.5
      expect_gt(uniform_p_value(stats::pnorm(z)), ERROR_RATE / 6)
      expect_lt(abs(stats::cor(z[-1], z[-n])), normal_bound(6) / sqrt(n))
    }
  }
})

test_that("noise from R's generator is reproducible, and noise from the system is not", {
  for (noise in c("gaussian", "discrete")) {
    draw <- function(rng) {
      set.seed(1)
      perturbed(numeric(20), 1, mechanism(noise, rng))
    }
    expect_identical(draw("R"), draw("R"))
    expect_false(any(draw("secure") == draw("secure")))
  }
})

test_that("discrete noise is on its grid", {
  set.seed(2)
  x <- perturbed(stats::rnorm(500), 0.3, mechanism("discrete"))
  steps <- x / (0.3 / DISCRETE_STEPS)
  expect_lt(max(abs(steps - round(steps))), 1e-6)
  expect_refused(perturbed(1, 1e-14, mechanism("discrete")), "left the range")
})

test_that("nothing is released if the source of randomness fails", {
  mechanism <- sprintf("list(noise = '%s', rng = 'secure', call = NULL)", c("gaussian", "discrete"))
  told <- with_failing_system(20, sprintf("ldpcounts:::perturbed(numeric(100), 1, %s)", mechanism))
  expect_length(told, 2)
  expect_match(told, "nothing was released")
})

test_that("noise has the requested scale, which is in the ledger", {
  set.seed(3)
  released <- release_numbers(numeric(5), "e4", "M2", 0.3, 0.1, mechanism("gaussian"))
  expect_within(released$sigma, 3, TOL_EXACT)
  none <- release_numbers(1:5, "e4", "M2", 0.3, Inf, mechanism("gaussian"))
  expect_identical(none[c("value", "sigma")], list(value = 1:5, sigma = 0))
  # a sensitivity of 0.3, and two steps of the grid in each of 5 numbers
  discrete <- release_numbers(numeric(5), "e6", "T", 0.3, 0.1, mechanism("discrete"))
  expect_within(0.1 * discrete$sigma, 0.3 + 2 * sqrt(5) * discrete$sigma / 2^20, TOL_EXACT)
  ledger <- as_ledger(list(released$cost, NULL, none$cost, discrete$cost))
  expect_identical(names(ledger), c("edge", "quantity", "sensitivity", "mu", "sigma", "noise"))
  expect_identical(ledger$quantity, c("M2", "T"))
  expect_within(ledger$sensitivity / ledger$sigma, ledger$mu, TOL_EXACT)
  expect_identical(dim(as_ledger(list())), c(0L, 6L))
  expect_refused(
    release_numbers(numeric(1e6), "e4", "M2", 1, 1e-3, mechanism("discrete")), "`epsilon` is too small"
  )
})
