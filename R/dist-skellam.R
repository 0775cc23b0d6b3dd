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
#'   the density is 0 where `x` is not a whole number; in both cases a warning is issued.
#' @section Errors: An error of class `ldpcounts_error` is thrown if an argument is not numeric, if `log`,
#'   `log.p` or `lower.tail` is not `TRUE` or `FALSE`, or if `n` is not a number.
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
