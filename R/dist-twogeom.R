# The two-sided geometric distribution: density, distribution function, quantiles and draws.

#' The two-sided geometric distribution
#'
#' Density, distribution function, quantiles and random draws of the noise of the geometric
#' mechanism, `P(T = x) = (1 - alpha)/(1 + alpha) alpha^|x|`.
#'
#' @details The support is all whole numbers. The mean is 0, the variance `2 alpha / (1 - alpha)^2`, and
#' `E|T| = 2 alpha / (1 - alpha^2)`. It is the distribution of the difference of two independent geometric
#' variables with `P(G = g) = (1 - alpha) alpha^g`. It is also the distribution of a Skellam variable whose
#' two means are independent exponential variables with mean `alpha / (1 - alpha)`. With `alpha = 0` the
#' noise is always 0.
#'
#' Draws come from R's generator and are for simulation only. To protect counts, use [privatize()].
#'
#' @inheritParams dskellam
#' @param x,q Values; for `dtwogeom()` whole numbers.
#' @param alpha Ratios, at least 0 and below 1; see [geometric_alpha()].
#' @return `dtwogeom()` returns the density, `ptwogeom()` the lower (or upper) tail probability, `qtwogeom()`
#'   the smallest `x` with `P(T <= x) >= p` (for upper tails, with `P(T > x) <= p`), and `rtwogeom()` random
#'   draws. Results other than draws have the length, names and dimensions of the longest argument; shorter
#'   arguments are recycled. The result is `NaN` where `alpha` or a probability is outside its range, and the
#'   density is 0 where `x` is not a whole number; in both cases a warning is issued.
#' @inheritSection dskellam Errors
#' @references Inusah, S. and Kozubowski, T. J. (2006). A discrete analogue of the Laplace
#'   distribution. *Journal of Statistical Planning and Inference* 136(3), 1090-1102, eq. 2.1. As
#'   noise: Ghosh et al. (2012), definition 2.1.
#' @examples
#' x <- -10:10
#' plot(x, dtwogeom(x, geometric_alpha(0.5)), type = "h", ylab = "probability", ylim = c(0, 0.5))
#' points(x, dtwogeom(x, geometric_alpha(1)))
#' # 95 % of the noise at epsilon 0.5 is at most this, in absolute value
#' qtwogeom(0.975, geometric_alpha(0.5))
#' @export
dtwogeom <- function(x, alpha, log = FALSE) dist_density("twogeom", list(x = x, alpha = alpha), log)

#' @rdname dtwogeom
#' @export
ptwogeom <- function(q, alpha, lower.tail = TRUE, log.p = FALSE) {
  dist_probability("twogeom", list(q = q, alpha = alpha), lower.tail, log.p)
}

#' @rdname dtwogeom
#' @export
qtwogeom <- function(p, alpha, lower.tail = TRUE, log.p = FALSE) {
  dist_quantile("twogeom", list(p = p, alpha = alpha), lower.tail, log.p)
}

#' @rdname dtwogeom
#' @export
rtwogeom <- function(n, alpha) dist_draw("twogeom", n, list(alpha = alpha))
