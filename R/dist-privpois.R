# Poisson counts with two-sided geometric noise: density, distribution function, quantiles and draws.

#' The distribution of a released Poisson count
#'
#' Density, distribution function, quantiles and random draws of a noised Poisson count, `y_tilde = y + tau`,
#' where `y ~ Pois(mu)` is the true count and `tau` is two-sided geometric noise with ratio `alpha`.
#'
#' @details The support is all whole numbers. For `x <= 0` the density is `(1 - alpha)/(1 + alpha)
#' alpha^(-x) exp(-(1 - alpha) mu)`; for `x > 0` it is the sum of two truncated Poisson series, computed so
#' that it remains accurate in the far tails. The mean is `mu`, and the variance is `mu + 2 alpha / (1 -
#' alpha)^2`. With `alpha = 0` it is the Poisson distribution, and with `mu = 0` the two-sided geometric
#' distribution, [dtwogeom()].
#'
#' Logarithms of densities and of tail probabilities have errors of about 1e-13 (relative errors if the
#' logarithm is above 1 in absolute value), for `mu` up to 1e8. For values of 1e10 or more, tails of Poisson
#' distributions are computed by [ppois()].
#'
#' @inheritParams dskellam
#' @param x,q Values; for `dprivpois()` whole numbers, of any sign.
#' @param mu Means of the true counts, at least 0.
#' @param alpha Ratios of the geometric distribution, at least 0 and below 1.
#' @return `dprivpois()` returns the density, `pprivpois()` the lower (or upper) tail probability,
#'   `qprivpois()` the smallest `x` with `P(y_tilde <= x) >= p` (for upper tails, with `P(y_tilde > x) <= p`),
#'   and `rprivpois()` random draws, from R's generator. Results other than draws have the length, names and
#'   dimensions of the longest argument; shorter arguments are recycled. The result is `NaN` where a parameter
#'   or a probability is outside its range, and the density is 0 where `x` is not a whole number; in both
#'   cases a warning is issued.
#' @inheritSection dskellam Errors
#' @references The noise: Ghosh et al. (2012), definition 2.1; the model: Schein et al. (2019),
#'   section 3. The closed form is new in this package.
#' @examples
#' x <- -6:12
#' plot(x, dprivpois(x, mu = 3, alpha = 0.4), type = "h", ylab = "probability", ylim = c(0, 0.25))
#' points(x, dpois(x, 3)) # without noise
#' sum(dprivpois(-100:100, 3, 0.4))
#' # how often the released count of a rare word is positive, and how often its true count is
#' c(pprivpois(0, 0.01, 0.4, lower.tail = FALSE), ppois(0, 0.01, lower.tail = FALSE))
#' @export
dprivpois <- function(x, mu, alpha, log = FALSE) {
  dist_density("privpois", list(x = x, mu = mu, alpha = alpha), log)
}

#' @rdname dprivpois
#' @export
pprivpois <- function(q, mu, alpha, lower.tail = TRUE, log.p = FALSE) {
  dist_probability("privpois", list(q = q, mu = mu, alpha = alpha), lower.tail, log.p)
}

#' @rdname dprivpois
#' @export
qprivpois <- function(p, mu, alpha, lower.tail = TRUE, log.p = FALSE) {
  dist_quantile("privpois", list(p = p, mu = mu, alpha = alpha), lower.tail, log.p)
}

#' @rdname dprivpois
#' @export
rprivpois <- function(n, mu, alpha) dist_draw("privpois", n, list(mu = mu, alpha = alpha))
