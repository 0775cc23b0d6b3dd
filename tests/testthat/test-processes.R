# The four generative processes of ?`generative-processes`, each from base R alone.

exponential_rates <- function(n, alpha) stats::rexp(n, rate = (1 - alpha) / alpha)
misprint_1 <- function(n, alpha) stats::rexp(n, rate = alpha / (1 - alpha))

processes <- list(
  geometric = function(n, mu, alpha, rates) {
    stats::rpois(n, mu) + stats::rgeom(n, 1 - alpha) - stats::rgeom(n, 1 - alpha)
  },
  sum_form = function(n, mu, alpha, rates) {
    stats::rpois(n, mu) + stats::rpois(n, rates(n, alpha)) - stats::rpois(n, rates(n, alpha))
  },
  difference = function(n, mu, alpha, rates) {
    stats::rpois(n, mu + rates(n, alpha)) - stats::rpois(n, rates(n, alpha))
  },
  skellam = function(n, mu, alpha, rates) {
    draw_skellam(mu + rates(n, alpha), rates(n, alpha))
  }
)

dskellam_plain <- function(x, rate1, rate2) {
  (rate1 / rate2)^(x / 2) * exp(-(sqrt(rate1) - sqrt(rate2))^2) *
    besselI(2 * sqrt(rate1 * rate2), abs(x), expon.scaled = TRUE)
}

# By inversion, never as a difference of Poisson draws: upwards from a value below which there
# is no mass worth 1e-9.
draw_skellam <- function(rate1, rate2) {
  value <- rep(-floor(max(stats::qpois(1e-10, rate2, lower.tail = FALSE))), length(rate1))
  below <- dskellam_plain(value, rate1, rate2)
  u <- stats::runif(length(rate1))
  repeat {
    going <- which(u > below & value < 1000)
    if (length(going) == 0) {
      return(value)
    }
    value[going] <- value[going] + 1
    below[going] <- below[going] + dskellam_plain(value[going], rate1[going], rate2[going])
  }
}

# lowest .. lowest + 400, the rest in one bin
released_p_value <- function(draws, mu, alpha) {
  lowest <- min(draws, stats::qgeom(1e-12, 1 - alpha, lower.tail = FALSE) * -1)
  law_p_value(draws - lowest, dprivpois(lowest + 0:400, mu, alpha))
}

cases <- list(c(0, exp(-1)), c(0.1, 0.2), c(2, 0.6), c(15, exp(-0.3)))

test_that("all four processes have the distribution of a release", {
  set.seed(61)
  for (case in cases) {
    for (name in names(processes)) {
      draws <- processes[[name]](1e4, case[1], case[2], exponential_rates)
      p <- released_p_value(draws, case[1], case[2])
      expect_gt(p, ERROR_RATE, label = sprintf("%s at mu %g, alpha %.2f", name, case[1], case[2]))
    }
  }
})

test_that("the misprinted rate in the paper gives another distribution", {
  set.seed(62)
  for (case in cases) {
    for (name in setdiff(names(processes), "geometric")) {
      draws <- processes[[name]](1e4, case[1], case[2], misprint_1)
      expect_lt(released_p_value(draws, case[1], case[2]), ERROR_RATE)
    }
  }
})

test_that("by integration, the mixture of Skellam distributions is two-sided geometric", {
  # trapezoids in log(lambda), where the integrand is smooth and dies out at both ends
  for (alpha in c(0.2, exp(-1), 0.6)) {
    rate <- exp(seq(-30, 5, by = 0.1)) * alpha / (1 - alpha)
    weight <- 0.1 * rate * stats::dexp(rate, (1 - alpha) / alpha)
    for (tau in c(-3, 0, 1, 4)) {
      mixture <- sum(outer(rate, rate, function(a, b) dskellam_plain(tau, a, b)) *
        outer(weight, weight))
      expect_within(log(mixture), log(dprivpois(tau, 0, alpha)), TOL_SERIES)
    }
  }
})
