# Noise levels: epsilon and alpha, and the rate gamma = s / t that the exact sampler needs, with whole s and
# t; and the epsilon of other noise at a given delta.

#' Noise level of the geometric mechanism
#'
#' Converts between the privacy loss `epsilon` and the ratio `alpha` of the noise. The mechanism adds
#' two-sided geometric noise, `P(tau) = (1 - alpha)/(1 + alpha) * alpha^|tau|`. With `alpha = exp(-epsilon /
#' precision)`, two records whose counts differ by at most `precision` in total are
#' `epsilon`-indistinguishable: the probability of any release differs between them by a factor of at most
#' `exp(epsilon)`.
#'
#' @param epsilon Privacy loss, positive; one number or a vector. Smaller values are more private.
#' @param precision The largest difference between two records that is protected at `epsilon`, as their L1
#'   distance in counts: a positive number, or one per value of `epsilon` or `alpha`. (This is not the inverse
#'   of a variance.) Counts are whole numbers, so a distance of at most 2.5 is a distance of at most
#'   2. The smallest distance between two different records is one count, for which the loss is
#'   `epsilon / precision`. So with a `precision` below 1 the loss is always larger than `epsilon`.
#' @section Do not compute the precision from the data:
#' The `precision` of a real release must be public, and chosen without looking at the counts. Schein
#' et al. (2019) set it to the mean of the counts in their experiments. Do not do this with real data: the
#' mean is computed from the data that are to be protected, and a release with this `precision` reveals it.
#' If most counts are zero, the mean is far below 1, and the counts get hardly any noise; see
#' the article `studies` of the web site.
#' @param alpha Ratio of the geometric distribution, at least 0 and below 1. A larger ratio means more noise.
#' @param ... Must be empty.
#' @return `geometric_alpha()`: alpha. `geometric_epsilon()`: epsilon, `Inf` if alpha is 0. Names are kept.
#' @section Errors: Both functions stop with an error of class `ldpcounts_error` for values out of range.
#' @references Ghosh, Roughgarden and Sundararajan (2012), definition 2.1; Schein et al. (2019),
#'   section 2, whose `alpha = -exp(epsilon / N)` is a misprint for `exp(-epsilon / N)`.
#' @examples
#' geometric_alpha(1)
#' geometric_alpha(3, precision = 6)
#' geometric_epsilon(geometric_alpha(2))
#' # standard deviation of the noise at these levels
#' alpha <- geometric_alpha(c(3, 1, 0.5))
#' sqrt(2 * alpha) / (1 - alpha)
#' @export
geometric_alpha <- function(epsilon, precision = 1, ...) {
  check_no_dots(...)
  check_given(missing(epsilon), "epsilon")
  check_epsilon(epsilon)
  check_matching(precision, epsilon, "value of `epsilon`")
  alpha_of_rate(epsilon / precision)
}

#' @rdname geometric_alpha
#' @export
geometric_epsilon <- function(alpha, precision = 1, ...) {
  check_no_dots(...)
  check_given(missing(alpha), "alpha")
  check_alpha(alpha)
  check_matching(precision, alpha, "value of `alpha`")
  -log(alpha) * precision
}

# The ratio alpha of noise at this rate. A ratio below the smallest normal number is rounded to 0: it has few
# digits, so that its logarithm is not the rate, and noise so rare never occurs.
alpha_of_rate <- function(rate) normal_or_zero(exp(-rate))

normal_or_zero <- function(alpha) replace(alpha, which(alpha < .Machine$double.xmin), 0)

check_matching <- function(precision, x, per, call = rlang::caller_env()) {
  check_precision(precision, if (length(x) > 1) length(x), call, per)
}

# The secure sampler needs gamma = epsilon / N = s / t, with whole numbers s and t of at most 31 bits. The
# rules below may only lower gamma, so that the privacy loss is not larger than requested. A decimal number
# with at most 6 places is used as typed. Any other epsilon is rounded down to 20 binary places, and any
# other precision is rounded up to 21 significant binary digits. If the fraction is still too large, gamma is
# rounded down further.

GAMMA_MIN <- 1e-6
GAMMA_MAX <- 2^30
TERM_MAX <- 2^31 # of s and of t
# Below this number, doubles hold whole numbers exactly. A product is below it if its rounded value is.
EXACT_MAX <- 2^53

# Is x exactly the double of a decimal number with at most 6 places? There is no tolerance, because it could
# raise epsilon.
is_typed <- function(x) round(x * 1e6) / 1e6 == x & x < 1e9

# Numerator and denominator of x > 0, as typed or rounded down.
as_fraction <- function(x) {
  typed <- is_typed(x)
  grid <- ifelse(x < 2^30, 2^20, 1)
  list(
    num = ifelse(typed, round(x * 1e6), floor(x * grid)),
    den = ifelse(typed, 1e6, grid)
  )
}

# The same for a precision, as typed, or rounded up by less than one part in a million.
as_fraction_above <- function(x) {
  typed <- is_typed(x)
  whole <- trunc(x) == x & x <= TERM_MAX
  grid <- 2^(20 - floor(log2(x)))
  raised <- ceiling(x * grid)
  raised <- ifelse(grid < 1, pmin(raised / grid, .Machine$double.xmax), raised)
  list(
    num = ifelse(whole, x, ifelse(typed, round(x * 1e6), raised)),
    den = ifelse(whole, 1, ifelse(typed, 1e6, pmax(grid, 1)))
  )
}

gcd <- function(a, b) if (b < 1) a else gcd(b, a %% b)

reduce_fraction <- function(num, den) {
  exact <- num < EXACT_MAX & den < EXACT_MAX # beyond this, the remainders in gcd() are wrong
  common <- mapply(gcd, ifelse(exact, num, 1), ifelse(exact, den, 1))
  list(s = num / common, t = den / common)
}

# s and t of at most 2^31 with s / t <= a / b, where a and b are fractions.
fit_fraction <- function(a, b = list(num = 1, den = 1)) {
  n <- max(lengths(c(a, b)))
  part <- function(x) rep_len(x, n)
  a <- reduce_fraction(part(a$num), part(a$den))
  b <- reduce_fraction(part(b$num), part(b$den))
  num <- a$s * b$t
  den <- a$t * b$s
  exact <- num < EXACT_MAX & den < EXACT_MAX
  fraction <- reduce_fraction(ifelse(exact, num, 1), ifelse(exact, den, 1))
  large <- !exact | fraction$s > TERM_MAX | fraction$t > TERM_MAX
  if (!any(large)) {
    return(fraction)
  }
  gamma <- a$s[large] / a$t[large] / (b$s[large] / b$t[large]) # a product might overflow
  bits <- 31 - pmax(0, ceiling(log2(gamma)))
  # subtract four units in the last place, so that rounding cannot raise gamma
  cut <- reduce_fraction(floor(gamma * (1 - 2^-50) * 2^bits), 2^bits)
  fraction$s[large] <- cut$s
  fraction$t[large] <- cut$t
  fraction
}

# The default of `least` allows for rounding: log(exp(-1e-6)) is slightly smaller than 1e-6 in size.
check_gamma_range <- function(gamma, arg, call, least = GAMMA_MIN * (1 - 1e-9)) {
  outside <- gamma < least | gamma >= GAMMA_MAX
  check_that(!any(outside), c(
    "{.arg {arg}} must be such that epsilon / precision is at least 1e-06 and below 2^30.",
    x = "The ratio is {format(gamma[outside][1], digits = 3)}, after rounding to a multiple of 2^-20."
  ), call)
}

rates_from_epsilon <- function(epsilon, precision, call = rlang::caller_env()) {
  check_gamma_range(epsilon / precision, "epsilon", call, least = 0) # too large, before it is rounded down?
  fraction <- as_fraction(epsilon)
  check_gamma_range(fraction$num / fraction$den / precision, "epsilon", call)
  fit_fraction(fraction, as_fraction_above(precision))
}

# gamma = -log(alpha). If alpha was computed from a short decimal number, this number is recovered.
short_decimal <- function(gamma) {
  short <- round(gamma, 6)
  ifelse(abs(gamma - short) < 1e-12 & short > 0, short, NA)
}

rates_from_alpha <- function(alpha, call = rlang::caller_env()) {
  gamma <- -log(alpha)
  short <- short_decimal(gamma)
  gamma <- ifelse(is.na(short), floor(gamma * 2^20) / 2^20, short)
  check_gamma_range(gamma, "alpha", call)
  fit_fraction(as_fraction(gamma))
}

# --- approximate differential privacy --------------------------------------------------------------

# Canonne, Kamath and Steinke (2020), proposition 12: rho-zCDP implies (epsilon, delta) with, for every order
# a > 1, epsilon = a rho + log(1 - 1/a) - (log(delta) + log(a)) / (a - 1); the smallest of these.
epsilon_of_rho <- function(rho, delta) {
  bound <- function(t) {
    a <- 1 + exp(t)
    a * rho + log1p(-1 / a) - (log(delta) + log(a)) / (a - 1)
  }
  max(0, stats::optimize(bound, c(-10, 30), tol = 1e-10)$objective)
}

# The smallest epsilon with sum_t max(0, P(t) - exp(epsilon) P(t - 1)) <= delta. The ratio P(t)/P(t - 1)
# decreases with t.
epsilon_of_skellam <- function(variance, delta) {
  reach <- ceiling(40 * sqrt(variance) + 100)
  t <- seq(-reach, reach)
  log_p <- .Call(C_rc_density, "skellam", list(as.double(t), variance / 2, variance / 2), TRUE)
  ratio <- -diff(log_p) # log P(t - 1)/P(t), for the record with one count less
  p <- exp(log_p)[-length(t)]
  seen <- is.finite(ratio)
  excess <- function(epsilon) sum((p * -expm1(epsilon - ratio))[seen & ratio > epsilon]) - delta
  if (excess(0) <= 0) 0 else stats::uniroot(excess, c(0, max(ratio[seen])), tol = 1e-10)$root
}
