# The posterior distribution of a true count, given the released one.

#' The posterior distribution of a true count, given its release
#'
#' Density, distribution function, quantiles, random draws, mean and variance of a true count `y`
#' given its release `y_tilde = y + tau`, where `y` has mean `mu` and variance `dispersion * mu`
#' (Poisson for 1, negative binomial above) and `tau` is two-sided geometric noise of ratio
#' `alpha`.
#'
#' @details
#' The support is 0, 1, 2, ..., and `P(y | y_tilde)` is proportional to `P(y)
#' alpha^|y_tilde - y|`, where for a Poisson count `P(y)` is proportional to `mu^y / y!`. For
#' `y_tilde <= 0` that is `Pois(alpha mu)`, whatever `y_tilde` is. For positive
#' `y_tilde` it is `Pois(mu / alpha)` up to `y_tilde` and `Pois(alpha mu)` above, each with its weight. With
#' the density `p` of [dprivpois()] the mean is
#'
#' `E[y | y_tilde] = mu p(y_tilde - 1) / p(y_tilde)`,
#'
#' and `E[y (y - 1) | y_tilde] = mu^2 p(y_tilde - 2) / p(y_tilde)`. With `alpha = 0` the true count
#' is the released one; with `mu = 0` it is 0.
#'
#' With `dispersion > 1` and `p = 1 - 1/dispersion` the true count is negative binomial of size
#' `s = mu / (dispersion - 1)` and probability `1 - p`, as [dnbinom()] has it; `P(y)` is
#' proportional to `gamma(s + y) / y! * p^y`. For `y_tilde <= 0` the true count is then negative
#' binomial of size `s` and probability `1 - alpha p`. For positive `y_tilde` the distribution can
#' have two modes: one at 0 (the release is mostly noise), one at `y_tilde` (it is mostly count). The mean is
#' `mu p'(y_tilde - 1) / p(y_tilde)` with the density `p` of [dprivnbinom()] at this `mu` and `p'` at
#' `mu + dispersion - 1`.
#'
#' Logarithms are good to about 1e-13 (relative to their size where that is above 1), the mean
#' and the variance to 1e-13 relative (1e-12 with `dispersion > 1`), for `mu` up to 1e8. Draws are
#' made by rejection, at a cost that is bounded for every parameter.
#'
#' @inheritParams dskellam
#' @param x,q True counts; for `dtruecount()` whole numbers.
#' @param y_tilde Released counts, whole numbers of any sign.
#' @param mu Means of the true counts, at least 0.
#' @param alpha Ratios of the geometric distribution, at least 0 and below 1.
#' @param dispersion Variance over mean of the true counts, at least 1 and finite.
#' @return `dtruecount()` the density, `ptruecount()` the probability of a tail, `qtruecount()` the
#'   smallest `x` with `P(y <= x) >= p` (for upper tails, with `P(y > x) <= p`), `rtruecount()` a
#'   vector of `n` draws, `truecount_mean()` and `truecount_var()` the moments. All but the draws
#'   are as long as their longest argument, with its names and dimensions; shorter ones are
#'   recycled. `NaN`, with a warning, where an argument is outside its range, or where no true
#'   count can have given the release; a density of 0, with a warning, where `x` is not whole.
#' @inheritSection dskellam Errors
#' @references Schein et al. (2019), section 4, for the model. The posterior in closed form, and
#'   its extension to compound Poisson counts, such as the negative binomial, are new in this package.
#' @examples
#' # the release is 4 and the mean of the count 1: most of the release is noise
#' y <- 0:8
#' truth <- dtruecount(y, y_tilde = 4, mu = 1, alpha = 0.4)
#' plot(y, truth, type = "h", ylab = "probability", ylim = c(0, 0.4))
#' points(y, dpois(y, 1)) # without the release
#' truecount_mean(c(-3, 0, 1, 4, 20), mu = 1, alpha = 0.4)
#' # an overdispersed count: a large true count is more probable than for a Poisson count
#' points(y, dtruecount(y, y_tilde = 4, mu = 1, alpha = 0.4, dispersion = 5), pch = 19)
#' set.seed(1)
#' table(rtruecount(1000, y_tilde = 4, mu = 1, alpha = 0.4))
#' table(rtruecount(1000, y_tilde = -3, mu = 1, alpha = 0.4))
#' @export
dtruecount <- function(x, y_tilde, mu, alpha, dispersion = 1, log = FALSE, ...) dist_density("truecount")

#' @rdname dtruecount
#' @export
ptruecount <- function(q, y_tilde, mu, alpha, dispersion = 1, lower.tail = TRUE, log.p = FALSE, ...) {
  dist_probability("truecount")
}

#' @rdname dtruecount
#' @export
qtruecount <- function(p, y_tilde, mu, alpha, dispersion = 1, lower.tail = TRUE, log.p = FALSE, ...) {
  dist_quantile("truecount")
}

#' @rdname dtruecount
#' @export
rtruecount <- function(n, y_tilde, mu, alpha, dispersion = 1, ...) dist_draw("truecount")

#' @rdname dtruecount
#' @export
truecount_mean <- function(y_tilde, mu, alpha, dispersion = 1, ...) dist_function("truecount_mean")

#' @rdname dtruecount
#' @export
truecount_var <- function(y_tilde, mu, alpha, dispersion = 1, ...) dist_function("truecount_var")
