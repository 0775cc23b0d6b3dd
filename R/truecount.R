#' The truth behind a release
#'
#' Density, distribution function, quantiles, random draws, mean and variance of a true count `y`
#' given its release `y_tilde = y + tau`, where `y ~ Pois(mu)` and `tau` is two-sided geometric
#' noise of ratio `alpha`.
#'
#' @details
#' The support is 0, 1, 2, ..., and `P(y | y_tilde)` is proportional to `mu^y / y! *
#' alpha^|y_tilde - y|`. For `y_tilde <= 0` that is `Pois(alpha mu)`, whatever `y_tilde` is. For
#' positive ones it is `Pois(mu / alpha)` up to `y_tilde` and `Pois(alpha mu)` above, each with its
#' weight. With the density `p` of [dprivpois()] the mean is
#'
#' `E[y | y_tilde] = mu p(y_tilde - 1) / p(y_tilde)`,
#'
#' and `E[y (y - 1) | y_tilde] = mu^2 p(y_tilde - 2) / p(y_tilde)`. With `alpha = 0` the truth is
#' the release, with `mu = 0` it is 0.
#'
#' Logarithms are good to about 1e-13 (relative to their size where that is above 1), the mean
#' and the variance to 1e-13 relative, for `mu` up to 1e8. Draws are made by rejection, at a cost
#' that is bounded for every parameter.
#'
#' @inheritParams dskellam
#' @param x,q True counts; for `dtruecount()` whole numbers.
#' @param y_tilde Released counts, whole numbers of any sign.
#' @param mu Means of the true counts, at least 0.
#' @param alpha Ratios of the geometric law, at least 0 and below 1.
#' @return `dtruecount()` the density, `ptruecount()` the probability of a tail, `qtruecount()` the
#'   smallest `x` with `P(y <= x) >= p` (for upper tails, with `P(y > x) <= p`), `rtruecount()` a
#'   vector of `n` draws, `truecount_mean()` and `truecount_var()` the moments. All but the draws
#'   are as long as their longest argument, with its names and dimensions; shorter ones are
#'   recycled. `NaN`, with a warning, where an argument is outside its range, or no true count can
#'   stand behind the release; a density of 0, with a warning, where `x` is not whole.
#' @inheritSection dskellam Errors
#' @references Schein et al. (2019), section 4, for the model. The collapsed law is ours.
#' @examples
#' # a release of 4 of a count that is 1 in the mean: the noise made most of it
#' y <- 0:8
#' plot(y, dtruecount(y, y_tilde = 4, mu = 1, alpha = 0.4), type = "h", ylab = "probability")
#' points(y, dpois(y, 1)) # without the release
#' truecount_mean(c(-3, 0, 1, 4, 20), mu = 1, alpha = 0.4)
#' set.seed(1)
#' table(rtruecount(1000, y_tilde = 4, mu = 1, alpha = 0.4))
#' table(rtruecount(1000, y_tilde = -3, mu = 1, alpha = 0.4))
#' @export
dtruecount <- function(x, y_tilde, mu, alpha, log = FALSE) {
  law_density("truecount", list(x = x), list(y_tilde = y_tilde, mu = mu, alpha = alpha), log)
}

#' @rdname dtruecount
#' @export
ptruecount <- function(q, y_tilde, mu, alpha, lower.tail = TRUE, log.p = FALSE) {
  parameters <- list(y_tilde = y_tilde, mu = mu, alpha = alpha)
  law_probability("truecount", list(q = q), parameters, lower.tail, log.p)
}

#' @rdname dtruecount
#' @export
qtruecount <- function(p, y_tilde, mu, alpha, lower.tail = TRUE, log.p = FALSE) {
  parameters <- list(y_tilde = y_tilde, mu = mu, alpha = alpha)
  law_quantile("truecount", list(p = p), parameters, lower.tail, log.p)
}

#' @rdname dtruecount
#' @export
rtruecount <- function(n, y_tilde, mu, alpha) {
  law_draw("truecount", n, list(y_tilde = y_tilde, mu = mu, alpha = alpha))
}

#' @rdname dtruecount
#' @export
truecount_mean <- function(y_tilde, mu, alpha) {
  law_function("truecount_mean", list(y_tilde = y_tilde, mu = mu, alpha = alpha))
}

#' @rdname dtruecount
#' @export
truecount_var <- function(y_tilde, mu, alpha) {
  law_function("truecount_var", list(y_tilde = y_tilde, mu = mu, alpha = alpha))
}
