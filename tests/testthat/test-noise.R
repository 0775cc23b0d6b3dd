# Tests T4 and T5: the exported function from outside, as an auditor sees it. Quick: 2e5 draws of
# a seeded generator; extended: 2e6, of the operating system's too. The latter have no seed; each
# of their tests fails a right program with probability below 1e-6.

N_QUICK <- 2e5
N_FULL <- 2e6

# gamma = epsilon / precision. Whole numbers cannot see some mistakes.
laws <- list(
  list(epsilon = 0.1, precision = 1), list(epsilon = 1, precision = 1),
  list(epsilon = 3, precision = 1), list(epsilon = 2, precision = 3),
  list(epsilon = 0.3, precision = 1), list(epsilon = 0.75, precision = 1.6)
)
audits <- list(
  list(epsilon = 1, precision = 1), list(epsilon = 0.1, precision = 1),
  list(epsilon = 3, precision = 1), list(epsilon = 0.7, precision = 3),
  list(epsilon = 2, precision = 5)
)

release_of <- function(count, n, epsilon, precision, rng) {
  x <- privatize(matrix(count, 1, n), epsilon = epsilon, precision = precision, rng = rng)
  as.vector(as.matrix(x))
}

# ---- T4: the distribution of the noise --------------------------------------------------------------

# 0, 1, -1, 2, -2, ... become 0, 1, 2, 3, 4, ..., in the order of their probabilities
fold <- function(tau) 2 * abs(tau) - (tau > 0)
folded_law <- function(gamma, largest = ceiling(40 / gamma)) {
  size <- c(0, rep(seq_len(largest), each = 2))
  tanh(gamma / 2) * exp(-gamma * size)
}

# Well above 25: more than two hundred bins would cost power at small gamma.
least_expected <- function(n) n / 200

noise_p_value <- function(n, epsilon, precision, rng, claimed = epsilon / precision) {
  tau <- release_of(0L, n, epsilon, precision, rng)
  law_p_value(fold(tau), folded_law(claimed), least_expected(n))
}

# Of the chi-square test, when the noise has another gamma than is claimed.
power <- function(n, claimed, true) {
  expected <- n * folded_law(claimed, 500)
  bin <- pool_bins(expected, least_expected(n))
  expected <- tapply(expected, bin, sum)
  shift <- tapply(n * folded_law(true, 500), bin, sum) - expected
  distance <- sum(shift^2 / expected)
  critical <- stats::qchisq(ERROR_RATE, length(expected) - 1, lower.tail = FALSE)
  stats::pchisq(critical, length(expected) - 1, ncp = distance, lower.tail = FALSE)
}

test_that("noise has the two-sided geometric distribution", {
  set.seed(41)
  for (case in laws) {
    p <- noise_p_value(N_QUICK, case$epsilon, case$precision, "R")
    expect_gt(p, ERROR_RATE, label = paste("p-value at", case$epsilon, "/", case$precision))
  }
})

test_that("noise has the two-sided geometric distribution, from many draws of both sources", {
  extended_only()
  set.seed(42)
  for (rng in c("R", "secure")) {
    for (case in laws) {
      p <- noise_p_value(N_FULL, case$epsilon, case$precision, rng)
      expect_gt(p, ERROR_RATE, label = paste("p-value at", case$epsilon, "/", case$precision, rng))
    }
  }
})

test_that("the test of the distribution finds an error of one per cent in epsilon", {
  for (case in laws) {
    gamma <- case$epsilon / case$precision
    expect_gt(power(N_FULL, gamma, 1.01 * gamma), 0.999)
    expect_gt(power(N_FULL, gamma, 0.99 * gamma), 0.999)
    expect_gt(power(N_QUICK, gamma, 1.05 * gamma), 0.999)
  }
})

test_that("the test of the distribution finds this error in draws", {
  extended_only()
  set.seed(43)
  for (case in laws) {
    for (wrong in c(0.99, 1.01)) {
      p <- noise_p_value(N_FULL, wrong * case$epsilon, case$precision, "R",
        claimed = case$epsilon / case$precision
      )
      expect_lt(p, ERROR_RATE)
    }
  }
})

# ---- T5: the audit of epsilon --------------------------------------------------------------

# Clopper and Pearson (1934)
binomial_interval <- function(successes, n, level) {
  c(
    stats::qbeta(level / 2, successes, n - successes + 1),
    stats::qbeta(1 - level / 2, successes + 1, n - successes)
  )
}

# Records of 0 and of `precision` are as far apart as epsilon speaks of, and the probabilities of
# a release <= 0 have the ratio exp(epsilon), neither more nor less. Two intervals, each wrong
# with probability 5e-7.
audit <- function(n, epsilon, precision, rng) {
  near <- sum(release_of(0L, n, epsilon, precision, rng) <= 0)
  far <- sum(release_of(precision, n, epsilon, precision, rng) <= 0)
  near <- binomial_interval(near, n, ERROR_RATE / 2)
  far <- binomial_interval(far, n, ERROR_RATE / 2)
  log(c(lower = near[1] / far[2], upper = near[2] / far[1]))
}

expect_epsilon <- function(interval, epsilon, label) {
  expect_lte(interval[["lower"]], epsilon, label = paste("privacy is violated: lower end,", label))
  expect_gte(interval[["upper"]], epsilon, label = paste("too much noise: upper end,", label))
}

test_that("a release costs the requested epsilon, and no more", {
  set.seed(51)
  for (case in audits) {
    interval <- audit(N_QUICK, case$epsilon, case$precision, "R")
    expect_epsilon(interval, case$epsilon, paste(case$epsilon, "/", case$precision))
  }
})

test_that("a release costs the requested epsilon, by many draws from both sources", {
  extended_only()
  set.seed(52)
  for (rng in c("R", "secure")) {
    for (case in audits) {
      interval <- audit(N_FULL, case$epsilon, case$precision, rng)
      expect_epsilon(interval, case$epsilon, paste(case$epsilon, "/", case$precision, rng))
    }
  }
})

test_that("the object names the epsilon that the audit confirms", {
  for (case in audits) {
    x <- privatize(matrix(0L), epsilon = case$epsilon, precision = case$precision)
    expect_within(privacy(x)$epsilon, case$epsilon, TOL_EXACT)
  }
})

test_that("the audit detects a wrong epsilon", {
  set.seed(53)
  more_noise <- audit(N_QUICK, 0.9, 1, "R")
  expect_lt(more_noise[["upper"]], 1)
  less_noise <- audit(N_QUICK, 1.1, 1, "R")
  expect_gt(less_noise[["lower"]], 1)
  # precision left out: noise for one count, and a promise for three
  without <- audit(N_QUICK, 0.7 * 3, 3, "R")
  expect_gt(without[["lower"]], 0.7)
})

test_that("each row has the noise of its epsilon and precision", {
  set.seed(54)
  epsilon <- c(0.3, 2, 1)
  precision <- c(1, 3, 1)
  x <- as.matrix(privatize(matrix(0L, 3, N_QUICK),
    epsilon = epsilon, precision = precision, rng = "R"
  ))
  for (row in 1:3) {
    expect_law(fold(x[row, ]), folded_law(epsilon[row] / precision[row]))
  }
})
