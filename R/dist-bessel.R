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
#' with the modified Bessel function of [log_bessel_i()]. If `Y1` and `Y2` are Poisson of means
#' `l1` and `l2`, and `Y1 - Y2 = nu >= 0`, then `Y2` has this distribution with `a = 2 sqrt(l1 l2)`. The mean
#' is `(a/2) R(nu)`, the variance `(a/2)^2 R(nu) (R(nu + 1) - R(nu)) + (a/2) R(nu)`, where `R(nu)`
#' is [bessel_i_ratio()]`(a, nu)`; the mode is `floor((sqrt(nu^2 + a^2) - nu)/2)`.
#' With `a = 0` it is 0.
#'
#' Logarithms of densities are good to about 2e-14, those of both tails to 1e-13 (relative to
#' their size where that is above 1); `nu` up to 1e6 and `a` up to 1e8 were tested. From `a` of 4e11
#' on tails are approximations, to a part in 1e5.
#'
#' Draws are made by ratio of uniforms, or by inverting a short series, without a Bessel function.
#' Where both parameters are single numbers, at least 100 draws are wanted and the variance is at
#' most 500 or so (as it is for `a` up to 2000), the distribution function is tabulated once and
#' inverted at uniform numbers of 59 bits. So the same seed may give other draws for another `n`, or if
#' the parameters are repeated.
#'
#' @inheritParams dskellam
#' @param x,q Values; for `dbessel()` whole numbers.
#' @param nu Orders, above -1, not necessarily whole.
#' @param a Arguments of the Bessel function, at least 0.
#' @return `dbessel()` the density, `pbessel()` the probability of a tail, `qbessel()` the smallest
#'   `x` with `P(X <= x) >= p` (for upper tails, with `P(X > x) <= p`), `rbessel()` draws. All but
#'   the last are as long as their longest argument, with its names and dimensions; shorter ones are
#'   recycled. `NaN`, with a warning, where a parameter or a probability is outside its range; a
#'   density of 0, with a warning, where `x` is not whole.
#' @inheritSection dskellam Errors
#' @references Yuan, L. and Kalbfleisch, J. D. (2000). On the Bessel distribution and related
#'   problems. *Annals of the Institute of Statistical Mathematics* 52(3), 438-447, eq. 1.
#'
#'   Devroye, L. (2002). Simulating Bessel random variables. *Statistics & Probability Letters*
#'   57(3), 249-257.
#' @examples
#' x <- 0:25
#' plot(x, dbessel(x, nu = 3, a = 20), type = "h", ylab = "probability")
#' # the smaller of two Poisson counts, where the larger is larger by 3
#' set.seed(1)
#' y1 <- rpois(1e5, 10)
#' y2 <- rpois(1e5, 10)
#' points(x, table(factor(y2[y1 - y2 == 3], x)) / sum(y1 - y2 == 3))
#' # mean
#' c(sum(0:100 * dbessel(0:100, 3, 20)), 10 * bessel_i_ratio(20, 3))
#' @export
dbessel <- function(x, nu, a, log = FALSE, ...) dist_density("bessel")

#' @rdname dbessel
#' @export
pbessel <- function(q, nu, a, lower.tail = TRUE, log.p = FALSE, ...) dist_probability("bessel")

#' @rdname dbessel
#' @export
qbessel <- function(p, nu, a, lower.tail = TRUE, log.p = FALSE, ...) dist_quantile("bessel")

#' @rdname dbessel
#' @export
rbessel <- function(n, nu, a, ...) dist_draw("bessel")
