# The posterior distribution of a true count, given the released one.

#' The posterior distribution of a true count, given its release
#'
#' Density, distribution function, quantiles, random draws, mean and variance of a true count `y`, given its
#' release `y_tilde = y + tau`. The true count has mean `mu` and variance `dispersion * mu` (it is Poisson if
#' `dispersion` is 1, otherwise negative binomial), and `tau` is two-sided geometric noise with ratio `alpha`.
#'
#' @details The support is 0, 1, 2, ..., and `P(y | y_tilde)` is proportional to `P(y) alpha^|y_tilde - y|`,
#' where `P(y)` is proportional to `mu^y / y!` for a Poisson count. For `y_tilde <= 0` the distribution is
#' `Pois(alpha mu)`, whatever `y_tilde` is. For positive `y_tilde` it is proportional to `Pois(mu / alpha)` up
#' to `y_tilde`, and to `Pois(alpha mu)` above. With the density `p` of [dprivpois()] the mean is
#'
#' `E[y | y_tilde] = mu p(y_tilde - 1) / p(y_tilde)`,
#'
#' and `E[y (y - 1) | y_tilde] = mu^2 p(y_tilde - 2) / p(y_tilde)`. With `alpha = 0` the true count equals
#' the released count; with `mu = 0` it is 0.
#'
#' With `dispersion > 1` and `p = 1 - 1/dispersion` the true count is negative binomial with size `s = mu /
#' (dispersion - 1)` and probability `1 - p`, in the notation of [dnbinom()], and `P(y)` is proportional to
#' `gamma(s + y) / y! * p^y`. Given `y_tilde <= 0`, it is negative binomial with size `s` and probability `1 -
#' alpha p`. For positive `y_tilde` the distribution can have two modes: one at 0, where the released count is
#' mostly noise, and one at `y_tilde`, where it is mostly the true count. The mean is `mu g(y_tilde - 1) /
#' f(y_tilde)`, where `f` is the density of [dprivnbinom()] with mean `mu`, and `g` that with mean `mu +
#' dispersion - 1`.
#'
#' Logarithms have errors of about 1e-13 (relative errors if the logarithm is above 1 in absolute value),
#' and the mean and the variance have relative errors of 1e-13 (1e-12 with `dispersion > 1`), for `mu` up to
#' 1e8. Draws are made by rejection sampling, and the expected time per draw is bounded over all parameters.
#'
#' @inheritParams dskellam
#' @param x,q True counts; for `dtruecount()` whole numbers.
#' @param y_tilde Released counts, whole numbers of any sign.
#' @param mu Means of the true counts, at least 0.
#' @param alpha Ratios of the geometric distribution, at least 0 and below 1.
#' @param dispersion Variances of the true counts divided by their means, at least 1 and finite.
#' @return `dtruecount()` returns the density, `ptruecount()` the lower (or upper) tail probability,
#'   `qtruecount()` the smallest `x` with `P(y <= x) >= p` (for upper tails, with `P(y > x) <= p`),
#'   `rtruecount()` a vector of `n` draws, and `truecount_mean()` and `truecount_var()` the mean and the
#'   variance. Results other than draws have the length, names and dimensions of the longest argument; shorter
#'   arguments are recycled. The result is `NaN` where an argument is outside its range, or where no true
#'   count is possible given the release. The density is 0 where `x` is not a whole number. In all these cases
#'   a warning is issued.
#' @inheritSection dskellam Errors
#' @references Schein et al. (2019), section 4, for the model. The closed form of the posterior, and
#'   its extension to compound Poisson counts, such as the negative binomial, are new in this package.
#' @examples
#' # the released count is 4, and the mean of the true count is 1: much of the released count is noise
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
dtruecount <- function(x, y_tilde, mu, alpha, dispersion = 1, log = FALSE) {
  dist_density("truecount", list(x = x, y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion), log)
}

#' @rdname dtruecount
#' @export
ptruecount <- function(q, y_tilde, mu, alpha, dispersion = 1, lower.tail = TRUE, log.p = FALSE) {
  numbers <- list(q = q, y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion)
  dist_probability("truecount", numbers, lower.tail, log.p)
}

#' @rdname dtruecount
#' @export
qtruecount <- function(p, y_tilde, mu, alpha, dispersion = 1, lower.tail = TRUE, log.p = FALSE) {
  numbers <- list(p = p, y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion)
  dist_quantile("truecount", numbers, lower.tail, log.p)
}

#' @rdname dtruecount
#' @export
rtruecount <- function(n, y_tilde, mu, alpha, dispersion = 1) {
  dist_draw("truecount", n, list(y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion))
}

#' @rdname dtruecount
#' @export
truecount_mean <- function(y_tilde, mu, alpha, dispersion = 1) {
  dist_function("truecount_mean", list(y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion))
}

#' @rdname dtruecount
#' @export
truecount_var <- function(y_tilde, mu, alpha, dispersion = 1) {
  dist_function("truecount_var", list(y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion))
}
