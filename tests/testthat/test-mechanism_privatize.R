# privatize() by other mechanisms than geometric noise.

ERROR_RATE <- 1e-6

expect_law <- function(draws, values, p) {
  kept <- p * length(draws) > 25
  observed <- c(vapply(values[kept], function(v) sum(draws == v), 0), sum(!draws %in% values[kept]))
  expected <- length(draws) * c(p[kept], 1 - sum(p[kept]))
  large <- expected > 5
  statistic <- sum((observed - expected)[large]^2 / expected[large])
  expect_gt(stats::pchisq(statistic, sum(large) - 1, lower.tail = FALSE), ERROR_RATE)
}

# log P(release | y), by Bayes' rule.
log_likelihood_of <- function(mechanism, r, y) {
  truth <- dtruecount(y, r, y, mechanism = mechanism, log = TRUE)
  truth + dprivcount(r, y, mechanism, log = TRUE) - dpois(y, y, log = TRUE)
}

test_that("releases have the distribution of the mechanism", {
  y <- matrix(7, 400, 500)
  values <- c(-Inf, -60:90)
  mechanisms <- list(
    discrete_gaussian_noise(1), discrete_gaussian_noise(3), random_rounding(3), random_rounding(5),
    withheld(discrete_gaussian_noise(2), 6), withheld(geometric_noise(0.7), 5)
  )
  for (mechanism in mechanisms) {
    for (rng in c("R", "secure")) {
      set.seed(11)
      released <- privatize(y, mechanism = mechanism, rng = rng)
      expect_identical(privacy(released)$mechanism, mechanism)
      # the probability of a release of 7: that of a count whose mean is 7, given that it is 7
      possible <- !ldpcounts:::impossible_releases(mechanism, values)$bad
      p <- vapply(values[possible], function(r) exp(log_likelihood_of(mechanism, r, 7)), 0)
      expect_lt(abs(sum(p) - 1), 1e-9)
      expect_law(as.vector(as.matrix(released)), values[possible], p)
    }
  }
})

test_that("the secure source does not use R's generator, and R's is reproducible", {
  y <- matrix(3, 4, 5, dimnames = list(letters[1:4], NULL))
  set.seed(2)
  state <- .Random.seed
  released <- privatize(y, mechanism = discrete_gaussian_noise(2))
  expect_identical(.Random.seed, state)
  expect_identical(privacy(released)$rng, "secure")
  expect_identical(dimnames(released), dimnames(y))
  one <- privatize(y, mechanism = discrete_gaussian_noise(2), rng = "R")
  set.seed(2)
  expect_identical(privatize(y, mechanism = discrete_gaussian_noise(2), rng = "R"), one)
  expect_output(print(one), "SIMULATION ONLY")
})

test_that("deterministic mechanisms, missing counts, pairs, and levels per row", {
  y <- matrix(c(0, 3, 11, NA), 2)
  rounded <- suppressWarnings(privatize(y, mechanism = rounding(5), na = "keep"))
  expect_identical(as.matrix(rounded), matrix(c(0, 5, 10, NA), 2))
  hidden <- privatize(matrix(c(0, 3, 11, 9), 2), mechanism = suppression(1, 9))
  expect_identical(as.matrix(hidden), matrix(c(0, -Inf, 11, -Inf), 2))
  pairs <- matrix(c(0, 4, 2, 4, 0, 1, 2, 1, 0), 3)
  both <- as.matrix(privatize(pairs, mechanism = discrete_gaussian_noise(2), directed = FALSE))
  expect_identical(both[upper.tri(both)], t(both)[upper.tri(both)])
  large <- matrix(0, 2, 5e4)
  set.seed(5)
  released <- as.matrix(privatize(large, mechanism = discrete_gaussian_noise(c(1, 20)), rng = "R"))
  expect_equal(apply(released, 1, stats::sd), c(1, 20), tolerance = 0.03)
  set.seed(6)
  expect_identical(
    privatize(large, alpha = 0.3, rng = "R"),
    {
      set.seed(6)
      privatize(large, mechanism = geometric_noise(alpha = 0.3), rng = "R")
    }
  )
})

test_that("what cannot be drawn exactly is refused, with the reason", {
  y <- matrix(3, 2, 2)
  expect_error(privatize(y, mechanism = laplace_noise(1)), "Mironov")
  expect_error(privatize(y, mechanism = withheld(gaussian_noise(1), 2)), "Mironov")
  expect_error(privatize(y, mechanism = skellam_noise(1)), "exact sampler")
  expect_error(privatize(y, mechanism = thinning(0.1)), "exact sampler")
  expect_error(privatize(y, mechanism = no_noise()), class = "ldpcounts_error")
  expect_error(privatize(y, mechanism = discrete_gaussian_noise(1.5)), "whole number")
  expect_error(privatize(y, 1, mechanism = rounding(3)), class = "ldpcounts_error")
  expect_error(privatize(y, mechanism = rounding(3), clamp = TRUE), class = "ldpcounts_error")
  expect_error(privatize(y, mechanism = discrete_gaussian_noise(1:3)), class = "ldpcounts_error")
})
