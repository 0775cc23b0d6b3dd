# The distributions of counts under the geometric mechanism: of the noise, of a released count, and of the
# true count given its release.

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
#'   density is 0 where `x` is not a whole number; both with a warning.
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

#' The distribution of a released count
#'
#' Density, distribution function, quantiles and random draws of a noised count, `y_tilde = y + tau`. The
#' noise `tau` is two-sided geometric with ratio `alpha`. The true count `y` is Poisson with mean `mu` for
#' `dprivpois()`, and negative binomial with mean `mu` and variance `dispersion * mu` for `dprivnbinom()`.
#' With `dispersion = 1` the two are the same.
#'
#' @details The support is all whole numbers. The mean is `mu`, and the variance is
#' `dispersion mu + 2 alpha / (1 - alpha)^2`. With `alpha = 0` it is the distribution of the true count, and
#' with `mu = 0` the two-sided geometric distribution, [dtwogeom()].
#'
#' For a Poisson count, the density at `x <= 0` is `(1 - alpha)/(1 + alpha) alpha^(-x) exp(-(1 - alpha) mu)`.
#' For `x > 0` it is the sum of two truncated Poisson series, computed so that it remains accurate in the far
#' tails.
#'
#' With `dispersion = 1 + w` and `p = w / (1 + w)` the true count is negative binomial with size `s =
#' mu / w` and probability `1 - p`, in the notation of [dnbinom()]. It is a compound Poisson sum: the number
#' of terms has mean `mu log1p(w) / w`, and the size of a term is `j` with probability proportional to
#' `p^j / j` (logarithmic distribution). For `x <= 0` the density is `(1 - alpha)/(1 + alpha) alpha^(-x) (1 +
#' (1 - alpha) w)^(-s)`. For `x > 0` it is the sum of two series, each multiplied by a factor of its own.
#' Their terms are `gamma(s + y)/y! (p/alpha)^y` for `y <= x`, and `gamma(s + y)/y! (p alpha)^y` for `y > x`.
#'
#' Logarithms of densities and of tail probabilities have errors of about 1e-13 (relative errors if the
#' logarithm is above 1 in absolute value), for `mu` up to 1e8. Computing time per value is bounded, because
#' no sum has more than a few thousand terms. For values of 1e10 or more, tails of Poisson distributions are
#' computed by [ppois()].
#'
#' @inheritParams dskellam
#' @param x,q Values; for densities whole numbers, of any sign.
#' @param mu Means of the true counts, at least 0.
#' @param alpha Ratios of the geometric distribution, at least 0 and below 1.
#' @param dispersion Variances of the true counts divided by their means, at least 1 and finite.
#' @return `dprivpois()` and `dprivnbinom()` return the density, `pprivpois()` and `pprivnbinom()` the lower
#'   (or upper) tail probability, `qprivpois()` and `qprivnbinom()` the smallest `x` with `P(y_tilde <= x) >=
#'   p` (for upper tails, with `P(y_tilde > x) <= p`), and `rprivpois()` and `rprivnbinom()` random draws,
#'   from R's generator. Results other than draws have the length, names and dimensions of the longest
#'   argument; shorter arguments are recycled. The result is `NaN` where a parameter or a probability is
#'   outside its range, and the density is 0 where `x` is not a whole number; both with a warning.
#' @inheritSection dskellam Errors
#' @seealso [dtruecount()] for the distribution of the true count, given its release.
#' @references The noise: Ghosh et al. (2012), definition 2.1; the model: Schein et al. (2019), section 3. The
#'   negative binomial distribution as a compound Poisson distribution: Quenouille, M. H. (1949), A relation
#'   between the logarithmic, Poisson, and negative binomial series, *Biometrics* 5, 162-164. The closed forms
#'   of the densities are new in this package.
#' @examples
#' x <- -6:30
#' density <- dprivnbinom(x, mu = 3, alpha = 0.4, dispersion = 5)
#' plot(x, density, type = "h", ylab = "probability", ylim = c(0, 0.25))
#' points(x, dprivpois(x, 3, 0.4)) # a Poisson count
#' lines(x, dpois(x, 3)) # a Poisson count without noise
#' # a release of 40: improbable for a Poisson count with mean 3, less so for an overdispersed count
#' dprivnbinom(40, 3, 0.4, c(1, 2, 5, 20))
#' @export
dprivpois <- function(x, mu, alpha, log = FALSE) {
  dist_density("privnbinom", list(x = x, mu = mu, alpha = alpha, dispersion = 1), log)
}

#' @rdname dprivpois
#' @export
pprivpois <- function(q, mu, alpha, lower.tail = TRUE, log.p = FALSE) {
  dist_probability("privnbinom", list(q = q, mu = mu, alpha = alpha, dispersion = 1), lower.tail, log.p)
}

#' @rdname dprivpois
#' @export
qprivpois <- function(p, mu, alpha, lower.tail = TRUE, log.p = FALSE) {
  dist_quantile("privnbinom", list(p = p, mu = mu, alpha = alpha, dispersion = 1), lower.tail, log.p)
}

#' @rdname dprivpois
#' @export
rprivpois <- function(n, mu, alpha) dist_draw("privnbinom", n, list(mu = mu, alpha = alpha, dispersion = 1))

#' @rdname dprivpois
#' @export
dprivnbinom <- function(x, mu, alpha, dispersion, log = FALSE) {
  dist_density("privnbinom", list(x = x, mu = mu, alpha = alpha, dispersion = dispersion), log)
}

#' @rdname dprivpois
#' @export
pprivnbinom <- function(q, mu, alpha, dispersion, lower.tail = TRUE, log.p = FALSE) {
  numbers <- list(q = q, mu = mu, alpha = alpha, dispersion = dispersion)
  dist_probability("privnbinom", numbers, lower.tail, log.p)
}

#' @rdname dprivpois
#' @export
qprivnbinom <- function(p, mu, alpha, dispersion, lower.tail = TRUE, log.p = FALSE) {
  dist_quantile("privnbinom", list(p = p, mu = mu, alpha = alpha, dispersion = dispersion), lower.tail, log.p)
}

#' @rdname dprivpois
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
#' @param mechanism In place of `alpha`, any other mechanism (see [mechanisms]). Its parameters are one number
#'   each, or one per result.
#' @param ... Must be empty.
#' @return `dtruecount()` returns the density, `ptruecount()` the lower (or upper) tail probability,
#'   `qtruecount()` the smallest `x` with `P(y <= x) >= p` (for upper tails, with `P(y > x) <= p`),
#'   `rtruecount()` a vector of `n` draws, and `truecount_mean()` and `truecount_var()` the mean and the
#'   variance. Results other than draws have the length, names and dimensions of the longest argument; shorter
#'   arguments are recycled. The result is `NaN` where an argument is outside its range, or where no true
#'   count is possible given the release. The density is 0 where `x` is not a whole number. All these cases
#'   give a warning.
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
#' @export
dtruecount <- function(x, y_tilde, mu, alpha, dispersion = 1, log = FALSE, ..., mechanism = NULL) {
  check_no_dots(...)
  alpha <- alpha_or_mechanism(alpha, mechanism, missing(alpha))
  numbers <- list(x = x, y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion)
  if (is.null(alpha)) behind_probability(PMF, numbers, mechanism, log) else dist_density("truecount", numbers, log)
}

#' @rdname dtruecount
#' @export
ptruecount <- function(q, y_tilde, mu, alpha, dispersion = 1, lower.tail = TRUE, log.p = FALSE, ...,
                       mechanism = NULL) {
  check_no_dots(...)
  alpha <- alpha_or_mechanism(alpha, mechanism, missing(alpha))
  numbers <- list(q = q, y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion)
  if (is.null(alpha)) {
    behind_probability(if (lower.tail) LOWER else UPPER, numbers, mechanism, log.p)
  } else {
    dist_probability("truecount", numbers, lower.tail, log.p)
  }
}

#' @rdname dtruecount
#' @export
qtruecount <- function(p, y_tilde, mu, alpha, dispersion = 1, lower.tail = TRUE, log.p = FALSE, ...,
                       mechanism = NULL) {
  check_no_dots(...)
  alpha <- alpha_or_mechanism(alpha, mechanism, missing(alpha))
  numbers <- list(p = p, y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion)
  if (is.null(alpha)) {
    behind_quantile(numbers, mechanism, lower.tail, log.p)
  } else {
    dist_quantile("truecount", numbers, lower.tail, log.p)
  }
}

#' @rdname dtruecount
#' @export
rtruecount <- function(n, y_tilde, mu, alpha, dispersion = 1, ..., mechanism = NULL) {
  check_no_dots(...)
  alpha <- alpha_or_mechanism(alpha, mechanism, missing(alpha))
  numbers <- list(y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion)
  if (is.null(alpha)) behind_draw(n, numbers, mechanism) else dist_draw("truecount", n, numbers)
}

#' @rdname dtruecount
#' @export
truecount_mean <- function(y_tilde, mu, alpha, dispersion = 1, ..., mechanism = NULL) {
  check_no_dots(...)
  alpha <- alpha_or_mechanism(alpha, mechanism, missing(alpha))
  numbers <- list(y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion)
  if (is.null(alpha)) behind_cumulant(1, numbers, mechanism) else dist_function("truecount_mean", numbers)
}

#' @rdname dtruecount
#' @export
truecount_var <- function(y_tilde, mu, alpha, dispersion = 1, ..., mechanism = NULL) {
  check_no_dots(...)
  alpha <- alpha_or_mechanism(alpha, mechanism, missing(alpha))
  numbers <- list(y_tilde = y_tilde, mu = mu, alpha = alpha, dispersion = dispersion)
  if (is.null(alpha)) behind_cumulant(2, numbers, mechanism) else dist_function("truecount_var", numbers)
}

# alpha, also that of geometric noise; NULL for another mechanism. `no_alpha`: was it not given?
alpha_or_mechanism <- function(alpha, mechanism, no_alpha, call = rlang::caller_env()) {
  check_that(no_alpha != is.null(mechanism), "Give exactly one of {.arg alpha} and {.arg mechanism}.", call)
  if (is.null(mechanism)) {
    return(alpha)
  }
  check_mechanism(mechanism, call = call)
  if (mechanism$kind == "geometric") mechanism$parameters$alpha
}

# --- the Skellam and Bessel distributions ----------------------------------------------------------

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
