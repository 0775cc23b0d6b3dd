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
  y <- matrix(7, 400, if (EXTENDED) 500 else 125)
  values <- c(-Inf, -60:90)
  mechanisms <- list(
    discrete_gaussian_noise(1), discrete_gaussian_noise(3), random_rounding(3), random_rounding(5),
    withheld(discrete_gaussian_noise(2), 6), withheld(geometric_noise(0.7), 5), skellam_noise(0.3),
    skellam_noise(2), skellam_noise(50.5), withheld(skellam_noise(4), 6), thinning(0.3), thinning(0.5), thinning(1e-3)
  )
  for (i in seq_along(mechanisms)) {
    mechanism <- mechanisms[[i]]
    for (rng in some_of(c("R", "secure"), 2, 1 + i %% 2)) {
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
  expect_error(privatize(y, mechanism = skellam_noise(pi)), "at most 6 places")
  expect_error(privatize(y, mechanism = skellam_noise(1e9)), "at most 6 places")
  own <- custom_mechanism(function(release, y) ifelse(release == y, 0, -Inf), c(0, Inf))
  expect_error(privatize(y, mechanism = own), "exact sampler")
  expect_error(privatize(y, mechanism = no_noise()), class = "ldpcounts_error")
  expect_error(privatize(y, mechanism = discrete_gaussian_noise(1.5)), "whole number")
  expect_error(privatize(y, 1, mechanism = rounding(3)), class = "ldpcounts_error")
  expect_error(privatize(y, mechanism = rounding(3), clamp = TRUE), class = "ldpcounts_error")
  expect_error(privatize(y, mechanism = discrete_gaussian_noise(1:3)), class = "ldpcounts_error")
  column <- privatize(c(1, 2), 1)
  for (released in list(privatize(y, 1), column, data.frame(a = column, b = column))) {
    expect_error(privatize(released, mechanism = rounding(3)), "further noise are only for geometric noise")
  }
})

# --- reference algorithms -------------------------------------------------------------------------

# A tape of the bits that rng = "R" reads after set.seed(): a function that returns the next n of them.
bit_tape <- function(seed, n_bytes = 1e5) {
  set.seed(seed)
  bits <- as.integer(intToBits(floor(stats::runif(n_bytes) * 256)))
  bits <- as.vector(matrix(bits, 32)[1:8, ])
  at <- 0
  function(n = 1) {
    stopifnot(at + n <= length(bits))
    at <<- at + n
    bits[at - n + seq_len(n)]
  }
}

# Success with probability p/q < 1: the first bit that differs from the binary digit of p/q.
tape_bernoulli <- function(tape, p, q) {
  if (p >= q) {
    return(TRUE)
  }
  while (p > 0) {
    digit <- 2 * p >= q
    p <- 2 * p - digit * q
    if (tape() != digit) {
      return(digit)
    }
  }
  FALSE
}

tape_uniform <- function(tape, n) {
  range <- 1
  value <- 0
  repeat {
    if (range >= n) {
      if (value < n) {
        return(value)
      }
      range <- range - n
      value <- value - n
    }
    range <- 2 * range
    value <- 2 * value + tape()
  }
}

# src/ldp_secure_poisson.c, from the probabilities of a Poisson number and of the hat in place of their steps.
tape_whole_poisson <- function(tape, m) {
  s <- floor(sqrt(m))
  repeat {
    part <- tape_uniform(tape, s * (2 * s + 1) + 2 * m)
    tail <- part - s * (2 * s + 1)
    if (tail < 0) {
      n <- m + part %/% s - s
    } else {
      k <- s + 1
      while (tape_bernoulli(tape, m, m + s)) k <- k + 1
      n <- m + k * (if (tail %% 2 == 1) 1 else -1)
    }
    steps <- seq_len(abs(n - m))
    kept <- TRUE
    for (i in steps) {
      p <- if (n > m) m else m - i + 1
      q <- if (n > m) m + i else m
      if (i > s && n > m) p <- m + s
      if (i > s && n < m) {
        p <- p * (m + s)
        q <- m^2
      }
      kept <- tape_bernoulli(tape, p, q)
      if (!kept) break
    }
    if (kept) {
      return(n)
    }
  }
}

tape_small_poisson <- function(tape, p, q) {
  repeat {
    n <- 0
    while (tape_bernoulli(tape, p, q * (n + 1))) n <- n + 1
    if (tape_bernoulli(tape, (n + 1) * (q - p), (n + 1) * q - p)) {
      return(n)
    }
  }
}

tape_poisson <- function(tape, p, q) {
  n <- if (p >= q) tape_whole_poisson(tape, p %/% q) else 0
  rest <- p %% q
  if (rest > 0) n <- n + tape_small_poisson(tape, rest, 2 * q) + tape_small_poisson(tape, rest, 2 * q)
  n
}

# Each unit is compared with the binary digits of the probability.
tape_thinned <- function(tape, n, prob) {
  kept <- 0
  while (n > 0 && prob > 0) {
    prob <- 2 * prob
    digit <- prob >= 1
    prob <- prob - digit
    bits <- tape(n)
    if (digit) kept <- kept + sum(bits == 0)
    n <- sum(bits == digit)
  }
  kept
}

test_that("Skellam noise and thinning are those of a reference algorithm on the same bits", {
  y <- c(0, 1, 7, 30, 500)
  fractions <- list(
    list(0.3, 3, 20), list(1, 1, 2), list(2, 1, 1), list(3.5, 7, 4), list(0.000002, 1, 1e6), list(18, 9, 1),
    list(4000, 2000, 1), list(123.456789, 123456789, 2e6)
  )
  for (i in seq_along(fractions)) {
    of <- fractions[[i]]
    tape <- bit_tape(40 + i)
    noise <- vapply(y, function(each) tape_poisson(tape, of[[2]], of[[3]]) - tape_poisson(tape, of[[2]], of[[3]]), 0)
    set.seed(40 + i)
    released <- privatize(matrix(y, 1), mechanism = skellam_noise(of[[1]]), rng = "R")
    expect_identical(as.vector(as.matrix(released)), y + noise)
  }
  for (prob in c(0.5, 0.3, 1 / 3, 1e-3, 0.999, 2^-60, 0.75)) {
    tape <- bit_tape(60)
    set.seed(60)
    released <- privatize(matrix(y, 1), mechanism = thinning(prob), rng = "R")
    expect_identical(as.vector(as.matrix(released)), vapply(y, tape_thinned, 0, tape = tape, prob = prob))
  }
})

test_that("variances and probabilities belong to rows or cells, and pairs are kept", {
  set.seed(7)
  y <- matrix(100, 2, 3e4)
  varying <- as.matrix(privatize(y, mechanism = skellam_noise(c(0.5, 400)), rng = "R"))
  expect_equal(apply(varying, 1, stats::sd), sqrt(c(0.5, 400)), tolerance = 0.03)
  thinned <- as.matrix(privatize(y, mechanism = thinning(rep(c(0.1, 0.9, 0.5), each = 2e4)), rng = "R"))
  expect_equal(tapply(thinned, rep(1:3, each = 2e4), mean), c(10, 90, 50), ignore_attr = TRUE, tolerance = 0.01)
  pairs <- matrix(c(0, 4, 2, 4, 0, 1, 2, 1, 0), 3)
  both <- as.matrix(privatize(pairs, mechanism = thinning(0.5), directed = FALSE))
  expect_identical(both[upper.tri(both)], t(both)[upper.tri(both)])
  column <- privatize(c(0, 3, NA), mechanism = skellam_noise(2), na = "keep")
  expect_identical(is.na(column), c(FALSE, FALSE, TRUE))
  expect_identical(dim(privatize(y[0, ], mechanism = skellam_noise(2))), c(0L, 30000L))
})
