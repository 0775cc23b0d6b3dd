# Seeded fuzz over the whole range of parameters: no NaN, no warning, no call that takes long.
# Times are those of one call of the kernel; a call above its bound is timed again before it
# counts, as the machine may have been busy with something else.

rates <- function(n) 10^ifelse(stats::runif(n) < 0.5, stats::runif(n, -300, 8), stats::runif(n, -3, 8))

# Half of them close to 1.
ratios <- function(n) {
  u <- stats::runif(n)
  small <- 10^stats::runif(n, -300, 0)
  large <- 1 - 10^stats::runif(n, -10, -1)
  ifelse(u < 0.25, small, ifelse(u < 0.5, stats::runif(n), large))
}

orders <- function(n) {
  u <- stats::runif(n)
  whole <- floor(10^stats::runif(n, 0, 6))
  ifelse(u < 0.2, stats::runif(n, -1, 0), ifelse(u < 0.6, 10^stats::runif(n, -6, 6), whole))
}

# From next to Poisson to nearly nothing but zeros; a fifth with 1 - 1/dispersion about alpha.
dispersions <- function(n, alpha) {
  u <- stats::runif(n)
  excess <- 10^ifelse(u < 0.8, stats::runif(n, -15.6, 8), stats::runif(n, 8, 17))
  apart <- sample(c(-1, 1), n, replace = TRUE) * 10^stats::runif(n, -16, 0)
  beside <- alpha / (1 - alpha) * (1 + apart)
  1 + ifelse(stats::runif(n) < 0.2, beside, excess)
}

log_probabilities <- function(n) {
  u <- stats::runif(n)
  near_one <- -10^stats::runif(n, -300, 4)
  small <- -10^stats::runif(n, -3, 4)
  ifelse(u < 0.4, near_one, ifelse(u < 0.7, small, log(stats::runif(n))))
}

# A third of the values near the middle of the distribution, a third in the thousands, a third anywhere up to
# 1e8.
values <- function(n, middle, sd, signed = TRUE) {
  near <- middle + sd * stats::rnorm(n) * 10^stats::runif(n, -1, 1)
  u <- stats::runif(n)
  size <- ifelse(u < 0.5, stats::runif(n, 3, 4), stats::runif(n, 0, 8))
  far <- sample(c(-1, 1), n, replace = TRUE) * 10^size
  x <- round(ifelse(stats::runif(n) < 1 / 3, near, far))
  if (signed) x else abs(x)
}

# A list of n values and parameters for each distribution.
random_arguments <- function(n) {
  lambda1 <- rates(n)
  lambda2 <- ifelse(stats::runif(n) < 0.3, lambda1 * stats::runif(n, 0.5, 2), rates(n))
  nu <- orders(n)
  a <- rates(n)
  mode <- a / (sqrt(nu^2 + a^2) + abs(nu)) * a / 2
  mu <- rates(n)
  alpha <- ratios(n)
  k <- values(n, mu, sqrt(mu) + 1 / (1 - alpha))
  peak <- pmin(pmax(k, alpha * mu), mu / alpha)
  dispersion <- dispersions(n, alpha)
  bursts <- values(n, mu, sqrt(mu) * sqrt(dispersion) + 1 / (1 - alpha))
  inside <- ifelse(stats::runif(n) < 0.5, abs(bursts), round(abs(bursts) * stats::runif(n)))
  list(
    twogeom = list(values(n, 0, 1 / (1 - alpha)), alpha),
    skellam = list(values(n, lambda1 - lambda2, sqrt(lambda1 + lambda2)), lambda1, lambda2),
    bessel = list(values(n, mode, sqrt(mode), signed = FALSE), nu, a),
    truecount = list(values(n, peak, sqrt(mu), signed = FALSE), k, mu, alpha, rep(1, n)),
    privnbinom = list(k, mu, alpha, rep(1, n)),
    privnbinom = list(bursts, mu, alpha, dispersion),
    truecount = list(inside, bursts, mu, alpha, dispersion)
  )
}

seconds <- function(code) {
  start <- Sys.time()
  force(code)
  as.double(Sys.time() - start, units = "secs")
}

# Of the processor, which other work on the machine does not lengthen; known to a millisecond.
processor_seconds <- function(code) sum(system.time(code, gcFirst = FALSE)[1:2])

# f(list of arguments) one call at a time; the values, after the checks.
expect_quick <- function(f, arguments, bound, label) {
  n <- length(arguments[[1]])
  value <- time <- numeric(n)
  at <- function(i) lapply(arguments, `[`, i)
  for (i in seq_len(n)) {
    one <- at(i)
    time[i] <- seconds(value[i] <- f(one))
  }
  for (i in which(time > bound)) {
    repeats <- ceiling(0.05 / bound)
    time[i] <- processor_seconds(for (j in seq_len(repeats)) f(at(i))) / repeats
  }
  testthat::expect_false(anyNA(value), label = paste(label, "gives NaN"))
  testthat::expect_lt(max(time), bound, label = paste("time of", label))
  value
}

fuzz <- function(n, law, arguments) {
  density <- function(x) .Call(C_rc_density, law, x, TRUE)
  lower <- function(x) .Call(C_rc_probability, law, x, TRUE, TRUE)
  upper <- function(x) .Call(C_rc_probability, law, x, FALSE, TRUE)
  low_quantile <- function(x) .Call(C_rc_quantile, law, x, TRUE, TRUE)
  high_quantile <- function(x) .Call(C_rc_quantile, law, x, FALSE, TRUE)
  draw <- function(x) .Call(C_rc_draw, law, 1L, x[-1])
  log_pmf <- expect_quick(density, arguments, 1e-3, paste0("d", law))
  log_lower <- expect_quick(lower, arguments, 20e-3, paste0("p", law))
  log_upper <- expect_quick(upper, arguments, 20e-3, paste0("p", law, " upper"))
  testthat::expect_lt(max(log_pmf - log_lower - 1e-12 * abs(log_pmf)), 1e-12)
  testthat::expect_lt(max(abs(exp(log_lower) + exp(log_upper) - 1)), 1e-12)
  expect_quick(draw, arguments, 1e-3, paste0("r", law))
  log_p <- log_probabilities(n)
  at_p <- replace(arguments, 1, list(log_p))
  q <- expect_quick(low_quantile, at_p, 20e-3, paste0("q", law))
  expect_right_quantile(lower, arguments, q, log_p, 1)
  q <- expect_quick(high_quantile, at_p, 20e-3, paste0("q", law, " upper"))
  expect_right_quantile(upper, arguments, q, log_p, -1)
}

# The tail reaches p at q, and does not at q - 1.
expect_right_quantile <- function(tail, arguments, q, log_p, sign) {
  finite <- is.finite(q) & abs(q) < 2^52
  at <- function(q) tail(lapply(replace(arguments, 1, list(q)), `[`, finite))
  slack <- 1e-14 * abs(log_p[finite])
  testthat::expect_true(all(sign * (at(q) - log_p[finite]) >= -slack))
  testthat::expect_true(all(sign * (at(q - 1) - log_p[finite]) <= slack))
}

# Next to 0 and to 1, and between
probabilities <- function(n) {
  u <- stats::runif(n)
  near_one <- 1 - 10^-stats::runif(n, 0, 15.9)
  ifelse(u < 0.5, near_one, ifelse(u < 0.8, stats::runif(n), 10^-stats::runif(n, 0, 300)))
}

# How far log P(X <= q) is above log p; or what amounts to it, of the smaller of both tails, which
# has all its digits. The result is relative to max(1, |log|), as the errors of tails are.
excess_over <- function(law, arguments, q, p, is_lower) {
  at_q <- replace(arguments, 1, list(q))
  lower <- .Call(C_rc_probability, law, at_q, TRUE, TRUE)
  upper <- .Call(C_rc_probability, law, at_q, FALSE, TRUE)
  log_lower <- if (is_lower) log(p) else log1p(-p)
  log_upper <- if (is_lower) log1p(-p) else log(p)
  scale <- pmax(1, abs(pmin(log_lower, log_upper)))
  ifelse(log_lower < log_upper, lower - log_lower, log_upper - upper) / scale
}

# The quantile of p is the smallest x that reaches p, up to the errors of both tails; or it is x - 1,
# if the probability there is p up to its last place.
expect_smallest <- function(law, arguments, is_lower) {
  p <- probabilities(length(arguments[[1]]))
  q <- .Call(C_rc_quantile, law, replace(arguments, 1, list(p)), is_lower, FALSE)
  testthat::expect_true(all(is.finite(q)))
  excess <- function(q) excess_over(law, arguments, q, p, is_lower)
  last_place <- 2^(floor(log2(p)) - 52)
  probability <- .Call(C_rc_probability, law, replace(arguments, 1, list(q)), is_lower, FALSE)
  is_p <- abs(probability - p) <= pmax(1, -4 * log(p)) * last_place
  testthat::expect_true(all(excess(q) >= -1e-12 | (is_p & excess(q + 1) >= -1e-12)))
  testthat::expect_true(all(excess(q - 1) <= 1e-12))
}

expect_fuzz <- function(n) {
  arguments <- random_arguments(n)
  for (i in seq_along(arguments)) {
    testthat::expect_no_warning(fuzz(n, names(arguments)[i], arguments[[i]]))
  }
  for (truth in arguments[names(arguments) == "truecount"]) {
    for (moment in c("truecount_mean", "truecount_var")) {
      value <- expect_quick(function(x) .Call(C_rc_function, moment, x), truth[-1], 20e-3, moment)
      testthat::expect_true(all(value >= 0 & is.finite(value)))
    }
  }
  bessel <- arguments$bessel[3:2]
  for (f in c("log_bessel_i", "bessel_i_ratio")) {
    value <- expect_quick(function(x) .Call(C_rc_function, f, x), bessel, 1e-3, f)
    testthat::expect_true(all(is.finite(value)))
  }
}

test_that("no valid parameters give NaN or a warning, or take long", {
  set.seed(48)
  expect_fuzz(1000)
})

test_that("the same holds for a hundred thousand parameters", {
  extended_only()
  set.seed(49)
  expect_fuzz(1e5)
})

test_that("quantiles of probabilities close to 1 are the smallest values that reach them", {
  set.seed(50)
  for (alpha in list(NULL, 1 - 10^-stats::runif(500, 0, 12))) {
    arguments <- random_arguments(500)
    if (!is.null(alpha)) arguments <- list(twogeom = list(numeric(500), alpha))
    for (i in seq_along(arguments)) {
      expect_smallest(names(arguments)[i], arguments[[i]], TRUE)
      expect_smallest(names(arguments)[i], arguments[[i]], FALSE)
    }
  }
})

test_that("quantiles are found even where doubles are farther apart than whole numbers", {
  p <- c(0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
  z <- stats::qnorm(p)
  for (mu in c(1e18, 1e20, 1e24)) {
    expect_near <- function(q, mean, sd) testthat::expect_lt(max(abs((q - mean) / sd - z)), 1e-3)
    expect_near(qprivpois(p, mu, 0.3), mu, sqrt(mu))
    expect_near(qskellam(p, mu, 1), mu, sqrt(mu))
    expect_near(qskellam(p, 1, mu), -mu, sqrt(mu))
    expect_near(qbessel(p, 3, 2 * mu), mu, sqrt(mu / 2))
    expect_near(qprivnbinom(p, mu, 0.3, 3), mu, sqrt(3 * mu))
    expect_lt(max(abs(qtruecount(p, mu, mu, 0.3) / mu - 1)), 1e-15) # mu, give or take a few
    expect_lt(max(abs(qtruecount(p, mu, mu, 0.3, 3) / mu - 1)), 1e-15)
  }
})

test_that("extreme parameters give results in bounded time", {
  huge <- c(1e12, 1e16, 1e100, 1e300)
  testthat::expect_no_warning({
    for (x in huge) {
      values <- c(
        pskellam(0, x, x * c(0.5, 1, 2)), pbessel(x / 2, 1, x), pprivpois(x, x, 0.5),
        ptruecount(x, x, x, c(0.2, 0.999)), qskellam(0.1, x, x), qbessel(0.1, 3, x),
        qprivpois(0.1, x, 0.3), qtruecount(0.1, x, x, 0.3), log_bessel_i(x, x), bessel_i_ratio(x, x),
        pprivnbinom(x, x, 0.5, c(1 + 1e-15, 3, x)), pprivnbinom(0, c(1e-300, 1), 0.5, x),
        qprivnbinom(0.1, x, 0.3, c(1 + 1e-15, 3, x)), qprivnbinom(0.1, 1, 0.999999, x),
        ptruecount(x, x, x, 0.2, c(1 + 1e-15, 3, x)), ptruecount(3, 5, 1, 0.5, x),
        qtruecount(0.1, x, x, 0.3, c(3, x)), rtruecount(3, x, x, 0.3, c(1 + 1e-15, 3, x)),
        rprivnbinom(3, x, 0.3, c(1 + 1e-15, 3, x))
      )
      expect_false(anyNA(values))
    }
  })
})

test_that("errors about arguments name these", {
  expect_refused(truecount_mean(private_counts(matrix(1), alpha = 0.5), 1, 0.5), "`y_tilde` must be numeric",
    "as.numeric()")
  expect_error(dtwogeom(0), "alpha")
  expect_error(pprivnbinom(1, 2, 3), "dispersion")
  expect_error(dprivpois(0, 1), "alpha")
})
