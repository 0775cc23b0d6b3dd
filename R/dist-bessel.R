# The Bessel distribution: density, distribution function, quantiles and draws.

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
#'   density is 0 where `x` is not a whole number; in both cases a warning is issued.
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
