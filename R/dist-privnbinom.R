# Negative binomial counts with two-sided geometric noise: density, distribution function, quantiles, draws.

#' The distribution of a released overdispersed count
#'
#' Density, distribution function, quantiles and random draws of a noised negative binomial count,
#' `y_tilde = y + tau`. The true count `y` has mean `mu` and variance `dispersion * mu`, and `tau` is
#' two-sided geometric noise with ratio `alpha`.
#'
#' @details With `dispersion = 1 + w` and `p = w / (1 + w)` the true count is negative binomial with size `s =
#' mu / w` and probability `1 - p`, in the notation of [dnbinom()]. It is a compound Poisson sum: the number
#' of terms has mean `mu log1p(w) / w`, and the size of a term is `j` with probability proportional to
#' `p^j / j` (logarithmic distribution). With `dispersion = 1` the true count is Poisson, and all results
#' equal those of [dprivpois()] exactly.
#'
#' The support is all whole numbers. For `x <= 0` the density is `(1 - alpha)/(1 + alpha) alpha^(-x) (1 + (1 -
#' alpha) w)^(-s)`. For `x > 0` it is the sum of two series, each multiplied by a factor of its own. Their
#' terms are `gamma(s + y)/y! (p/alpha)^y` for `y <= x`, and `gamma(s + y)/y! (p alpha)^y` for `y > x`. The
#' sum is computed so that it remains accurate in the far tails. The mean is `mu`, and the variance is
#' `dispersion mu + 2 alpha / (1 - alpha)^2`. With `alpha = 0` it is the negative binomial distribution, and
#' with `mu = 0` the two-sided geometric distribution, [dtwogeom()].
#'
#' Logarithms of densities and of tail probabilities have errors of about 1e-13 (relative errors if the
#' logarithm is above 1 in absolute value), for `mu` up to 1e8. Computing time per value is bounded, because
#' no sum has more than a few thousand terms.
#'
#' @inheritParams dskellam
#' @param x,q Values; for `dprivnbinom()` whole numbers, of any sign.
#' @param mu Means of the true counts, at least 0.
#' @param alpha Ratios of the geometric distribution, at least 0 and below 1.
#' @param dispersion Variances of the true counts divided by their means, at least 1 and finite.
#' @return `dprivnbinom()` returns the density, `pprivnbinom()` the lower (or upper) tail probability,
#'   `qprivnbinom()` the smallest `x` with `P(y_tilde <= x) >= p` (for upper tails, with `P(y_tilde > x) <=
#'   p`), and `rprivnbinom()` random draws, from R's generator. Results other than draws have the length,
#'   names and dimensions of the longest argument; shorter arguments are recycled. The result is `NaN` where a
#'   parameter or a probability is outside its range, and the density is 0 where `x` is not a whole number; in
#'   both cases a warning is issued.
#' @inheritSection dskellam Errors
#' @seealso [dtruecount()] with `dispersion` for the distribution of the true count, given its release.
#' @references The noise: Ghosh et al. (2012), definition 2.1. The negative binomial distribution as a
#'   compound Poisson distribution: Quenouille, M. H. (1949), A relation between the logarithmic, Poisson,
#'   and negative binomial series, *Biometrics* 5, 162-164. The compound Poisson treatment of releases is
#'   new in this package.
#' @examples
#' x <- -6:30
#' bursts <- dprivnbinom(x, mu = 3, alpha = 0.4, dispersion = 5)
#' plot(x, bursts, type = "h", ylab = "probability", ylim = c(0, 0.25))
#' points(x, dprivpois(x, 3, 0.4)) # a Poisson count
#' # a release of 40: improbable for a Poisson count with mean 3, less so for an overdispersed count
#' dprivpois(40, 3, 0.4)
#' dprivnbinom(40, 3, 0.4, c(1, 2, 5, 20))
#' @export
dprivnbinom <- function(x, mu, alpha, dispersion, log = FALSE) {
  dist_density("privnbinom", list(x = x, mu = mu, alpha = alpha, dispersion = dispersion), log)
}

#' @rdname dprivnbinom
#' @export
pprivnbinom <- function(q, mu, alpha, dispersion, lower.tail = TRUE, log.p = FALSE) {
  numbers <- list(q = q, mu = mu, alpha = alpha, dispersion = dispersion)
  dist_probability("privnbinom", numbers, lower.tail, log.p)
}

#' @rdname dprivnbinom
#' @export
qprivnbinom <- function(p, mu, alpha, dispersion, lower.tail = TRUE, log.p = FALSE) {
  numbers <- list(p = p, mu = mu, alpha = alpha, dispersion = dispersion)
  dist_quantile("privnbinom", numbers, lower.tail, log.p)
}

#' @rdname dprivnbinom
#' @export
rprivnbinom <- function(n, mu, alpha, dispersion) {
  dist_draw("privnbinom", n, list(mu = mu, alpha = alpha, dispersion = dispersion))
}

# Log density of each released count, to ten digits; excess (dispersion - 1) is 0 for Poisson counts. A
# clamped zero has the probability of all releases k <= 0, which is that of 0 times the sum of alpha^|k|.
# This is faster if alpha and excess are one number each.
release_density <- function(y_tilde, mu, excess, alpha, clamped) {
  if (length(mu) != length(y_tilde)) mu <- rep_len(mu, length(y_tilde))
  density <- .Call(
    C_rc_release_density, as.double(y_tilde), as.double(mu), as.double(excess), as.double(alpha), n_threads()
  )
  if (clamped) density - ifelse(y_tilde == 0, log1p(-alpha), 0) else density
}
