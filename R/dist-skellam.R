# The Skellam distribution: density, distribution function, quantiles and draws.

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
#' with the modified Bessel function of [log_bessel_i()]. The mean is `lambda1 - lambda2`, the
#' variance `lambda1 + lambda2`, the third central moment `lambda1 - lambda2` again. With
#' `lambda2 = 0` it is the Poisson distribution of mean `lambda1`; with `lambda1 = 0`, that of mean `lambda2`
#' with its sign changed.
#'
#' Two-sided geometric noise is Skellam with random means, see [dtwogeom()].
#'
#' Logarithms of densities are good to about 1e-14, those of both tails to 1e-13 (relative to
#' their size where that is above 1), however far out; means up to 1e8 were tested. From means of
#' 1e11 on, tails are approximations with a relative error of 1e-5.
#'
#' @param x,q Values; for `dskellam()` whole numbers.
#' @param p Probabilities, or their logarithms if `log.p = TRUE`. A `p` that equals the distribution
#'   function at a value, apart from rounding, has that value as its quantile.
#' @param n Number of draws; if it has length above 1, that is the number.
#' @param lambda1,lambda2 Means of the two counts, at least 0.
#' @param log,log.p If `TRUE`, densities and probabilities are given as logarithms.
#' @param ... Must be empty.
#' @param lower.tail If `TRUE`, probabilities are those of `X <= q`; if `FALSE`, those of `X > q`.
#' @return `dskellam()` the density, `pskellam()` the probability of a tail, `qskellam()` the
#'   smallest `x` with `P(X <= x) >= p` (for upper tails, with `P(X > x) <= p`), `rskellam()` draws.
#'   All but the last are as long as their longest argument, with its names and dimensions; shorter
#'   ones are recycled. `NaN`, with a warning, where a parameter or a probability is outside its
#'   range; a density of 0, with a warning, where `x` is not whole.
#' @section Errors: of class `ldpcounts_error` when an argument is not numeric, a switch not `TRUE`
#'   or `FALSE`, or `n` not a number.
#' @references Skellam, J. G. (1946). The frequency distribution of the difference between two
#'   Poisson variates belonging to different populations. *Journal of the Royal Statistical
#'   Society* 109(3), 296, eq. 1. The expansion behind it: DLMF 10.41.3.
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
dskellam <- function(x, lambda1, lambda2, log = FALSE, ...) dist_density("skellam")

#' @rdname dskellam
#' @export
pskellam <- function(q, lambda1, lambda2, lower.tail = TRUE, log.p = FALSE, ...) dist_probability("skellam")

#' @rdname dskellam
#' @export
qskellam <- function(p, lambda1, lambda2, lower.tail = TRUE, log.p = FALSE, ...) dist_quantile("skellam")

#' @rdname dskellam
#' @export
rskellam <- function(n, lambda1, lambda2, ...) dist_draw("skellam")
