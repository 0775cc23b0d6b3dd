# Skellam and Bessel distributions, and the Bessel functions in their densities.

#' The Skellam distribution
#'
#' Density, distribution function, quantiles and random draws of the difference of two independent
#' Poisson counts, `X = Y1 - Y2` with means `lambda1` and `lambda2`.
#'
#' @details
#' The support is all whole numbers, and
#'
#' `P(X = x) = exp(-lambda1 - lambda2) (lambda1/lambda2)^(x/2) I_|x|(2 sqrt(lambda1 lambda2))`
#'
#' with the modified Bessel function of [log_bessel_i()]. The mean is `lambda1 - lambda2`, the variance
#' `lambda1 + lambda2`, and the third central moment `lambda1 - lambda2`. With `lambda2 = 0`, `X` is a Poisson
#' count with mean `lambda1`; with `lambda1 = 0`, `-X` is a Poisson count with mean `lambda2`.
#'
#' Two-sided geometric noise has a Skellam distribution with random means; see [dtwogeom()].
#'
#' Logarithms of densities have errors of about 1e-14, and logarithms of tail probabilities about 1e-13, even
#' far out in the tails. (These are relative errors if the logarithm is above 1 in absolute value.) Means up
#' to 1e8 were tested.
#' For means of 1e11 or more, tail probabilities are approximations with a relative error of 1e-5.
#'
#' @param x,q Values; for `dskellam()` whole numbers.
#' @param p Probabilities, or their logarithms if `log.p = TRUE`. Rounding errors in `p` are allowed for:
#'   if `p` equals the distribution function at some value up to rounding error, the quantile is this value.
#' @param n Number of draws. If `length(n) > 1`, the number of draws is the length of `n`.
#' @param lambda1,lambda2 Means of the two counts, at least 0.
#' @param log,log.p If `TRUE`, densities and probabilities are given as logarithms.
#' @param lower.tail If `TRUE`, probabilities are those of `X <= q`; if `FALSE`, those of `X > q`.
#' @return `dskellam()` returns the density, `pskellam()` the lower (or upper) tail probability, `qskellam()`
#'   the smallest `x` with `P(X <= x) >= p` (for upper tails, with `P(X > x) <= p`), and `rskellam()` random
#'   draws. Results other than draws have the length, names and dimensions of the longest argument; shorter
#'   arguments are recycled. The result is `NaN` where a parameter or a probability is outside its range, and
#'   the density is 0 where `x` is not a whole number; both with a warning.
#' @section Errors: The functions stop with an error of class `ldpcounts_error` if an argument is not numeric,
#'   if `log`, `log.p` or `lower.tail` is not `TRUE` or `FALSE`, or if `n` is not a number.
#' @references Skellam, J. G. (1946). The frequency distribution of the difference between two Poisson
#'   variates belonging to different populations. *Journal of the Royal Statistical Society* 109(3), 296,
#'   eq. 1. The expansion used to compute it: DLMF 10.41.3.
#' @examples
#' x <- -8:15
#' plot(x, dskellam(x, 5, 2), type = "h", ylab = "probability")
#' points(x, dpois(x, 5)) # without the second count
#' # far out in the tails, logarithms do not underflow
#' pskellam(-500, 100, 1000, log.p = TRUE)
#' qskellam(-2000, 100, 1000, log.p = TRUE)
#' set.seed(1)
#' c(mean(rskellam(1e4, 5, 2)), 5 - 2)
#' @export
dskellam <- function(x, lambda1, lambda2, log = FALSE) {
  dist_density("skellam", list(x = x, lambda1 = lambda1, lambda2 = lambda2), log)
}

#' @rdname dskellam
#' @export
pskellam <- function(q, lambda1, lambda2, lower.tail = TRUE, log.p = FALSE) {
  dist_probability("skellam", list(q = q, lambda1 = lambda1, lambda2 = lambda2), lower.tail, log.p)
}

#' @rdname dskellam
#' @export
qskellam <- function(p, lambda1, lambda2, lower.tail = TRUE, log.p = FALSE) {
  dist_quantile("skellam", list(p = p, lambda1 = lambda1, lambda2 = lambda2), lower.tail, log.p)
}

#' @rdname dskellam
#' @export
rskellam <- function(n, lambda1, lambda2) dist_draw("skellam", n, list(lambda1 = lambda1, lambda2 = lambda2))

#' The Bessel distribution
#'
#' Density, distribution function, quantiles and random draws of the Bessel distribution (Yuan and
#' Kalbfleisch 2000): the distribution of the smaller of two Poisson counts, given their difference.
#'
#' @details
#' The support is 0, 1, 2, ..., and
#'
#' `P(X = x) = (a/2)^(2x + nu) / (x! Gamma(x + nu + 1) I_nu(a))`
#'
#' with the modified Bessel function of [log_bessel_i()]. If `Y1` and `Y2` are Poisson with means `l1` and
#' `l2`, and `Y1 - Y2 = nu >= 0`, then `Y2` has this distribution with `a = 2 sqrt(l1 l2)`. The mean is
#' `(a/2) R(nu)`, the variance `(a/2)^2 R(nu) (R(nu + 1) - R(nu)) + (a/2) R(nu)`, where `R(nu)` is
#' [bessel_i_ratio()]`(a, nu)`; the mode is `floor((sqrt(nu^2 + a^2) - nu)/2)`. With `a = 0` the variable is
#' always 0.
#'
#' Logarithms of densities have errors of about 2e-14, and logarithms of tail probabilities about 1e-13.
#' (These are relative errors if the logarithm is above 1 in absolute value.) Values of `nu` up to 1e6 and of
#' `a` up to 1e8 were tested. For `a` of 4e11 or more, tail probabilities are approximations with a relative
#' error of 1e-5.
#'
#' Draws use the ratio-of-uniforms method, or the inversion of a short series, and do not evaluate Bessel
#' functions. There is a faster method for many draws with the same parameters: the distribution function is
#' tabulated once, and inverted at uniform numbers of 59 bits. It is used if `n` is at least 100, `nu` and `a`
#' are single numbers, and the variance is at most about 500 (as it is for `a` up to 2000). So the same seed
#' may give different draws for a different `n`, or if the parameters are given as vectors.
#'
#' @inheritParams dskellam
#' @param x,q Values; for `dbessel()` whole numbers.
#' @param nu Orders, above -1, not necessarily whole.
#' @param a Arguments of the Bessel function, at least 0.
#' @return `dbessel()` returns the density, `pbessel()` the lower (or upper) tail probability, `qbessel()` the
#'   smallest `x` with `P(X <= x) >= p` (for upper tails, with `P(X > x) <= p`), and `rbessel()` random draws.
#'   Results other than draws have the length, names and dimensions of the longest argument; shorter arguments
#'   are recycled. The result is `NaN` where a parameter or a probability is outside its range, and the
#'   density is 0 where `x` is not a whole number; both with a warning.
#' @inheritSection dskellam Errors
#' @references Yuan, L. and Kalbfleisch, J. D. (2000). On the Bessel distribution and related
#'   problems. *Annals of the Institute of Statistical Mathematics* 52(3), 438-447, eq. 1.
#'
#'   Devroye, L. (2002). Simulating Bessel random variables. *Statistics & Probability Letters*
#'   57(3), 249-257.
#' @examples
#' x <- 0:25
#' plot(x, dbessel(x, nu = 3, a = 20), type = "h", ylab = "probability")
#' # the smaller of two Poisson counts, if their difference is 3
#' set.seed(1)
#' y1 <- rpois(1e5, 10)
#' y2 <- rpois(1e5, 10)
#' points(x, table(factor(y2[y1 - y2 == 3], x)) / sum(y1 - y2 == 3))
#' # mean
#' c(sum(0:100 * dbessel(0:100, 3, 20)), 10 * bessel_i_ratio(20, 3))
#' @export
dbessel <- function(x, nu, a, log = FALSE) dist_density("bessel", list(x = x, nu = nu, a = a), log)

#' @rdname dbessel
#' @export
pbessel <- function(q, nu, a, lower.tail = TRUE, log.p = FALSE) {
  dist_probability("bessel", list(q = q, nu = nu, a = a), lower.tail, log.p)
}

#' @rdname dbessel
#' @export
qbessel <- function(p, nu, a, lower.tail = TRUE, log.p = FALSE) {
  dist_quantile("bessel", list(p = p, nu = nu, a = a), lower.tail, log.p)
}

#' @rdname dbessel
#' @export
rbessel <- function(n, nu, a) dist_draw("bessel", n, list(nu = nu, a = a))

#' Modified Bessel functions on the log scale
#'
#' `log_bessel_i()` computes the logarithm of `I_nu(x)`, the modified Bessel function of the first kind, and
#' `bessel_i_ratio()` the ratio `I_{nu+1}(x) / I_nu(x)`.
#'
#' @details [besselI()] overflows for `x` of 714 or more, and its scaled version underflows to 0 if `nu` is
#' large compared with `x`. The functions here neither overflow nor underflow. They use Debye's uniform
#' expansion in `sqrt(nu^2 + x^2)`, or the power series if this is below 36. The logarithm has errors of
#' about 1e-14 (relative errors if it is above 1 in absolute value), and the ratio has relative errors of
#' about 1e-15. Values of `nu` up to 1e6 and of `x` from 1e-300 to 1e8 were tested.
#'
#' @param x Arguments, at least 0.
#' @param nu Orders, above -1, not necessarily whole.
#' @return A vector with the length, names and dimensions of the longer argument; the shorter one is
#'   recycled. The result is `NaN`, with a warning, where an argument is outside its range. At `x = 0` the
#'   logarithm is `-Inf` for positive `nu`, 0 for `nu = 0` and `Inf` for negative `nu`, and the ratio is 0.
#' @section Errors: The functions stop with an error of class `ldpcounts_error` if an argument is not numeric.
#' @references DLMF, NIST Digital Library of Mathematical Functions, 10.25.2 (series), 10.41.3
#'   (expansion), 10.33.1 (continued fraction of the ratio).
#' @examples
#' log_bessel_i(10, 2) - log(besselI(10, 2))
#' log_bessel_i(1e5, c(0, 0.5, 1000))
#' curve(bessel_i_ratio(x, 0), 0, 10, ylab = "I_{nu+1}(x) / I_nu(x)")
#' curve(bessel_i_ratio(x, 5), add = TRUE, lty = 2)
#' @export
log_bessel_i <- function(x, nu) dist_function("log_bessel_i", list(x = x, nu = nu))

#' @rdname log_bessel_i
#' @export
bessel_i_ratio <- function(x, nu) dist_function("bessel_i_ratio", list(x = x, nu = nu))
