#' Noise level of the geometric mechanism
#'
#' The mechanism adds two-sided geometric noise, `P(tau) = (1 - alpha)/(1 + alpha) *
#' alpha^|tau|`. Two records whose counts differ by at most `precision` in all are then
#' `epsilon`-indistinguishable with `alpha = exp(-epsilon / precision)`.
#'
#' @param epsilon Privacy loss, positive; a vector is taken number by number. Smaller is more
#'   private.
#' @param precision How far apart, in counts, two records may be that the loss speaks of:
#'   their L1 distance, a whole number of at least 1. (Not the inverse of a variance.)
#' @param alpha Ratio of the geometric law, at least 0 and below 1. Larger is more noise.
#' @return `geometric_alpha()`: alpha. `geometric_epsilon()`: epsilon, `Inf` where alpha is 0.
#' @section Errors: of class `ldpcounts_error` for values out of range.
#' @references Ghosh, Roughgarden and Sundararajan (2012), definition 2.1; Schein et al. (2019),
#'   section 2, whose `alpha = -exp(epsilon / N)` is a misprint for `exp(-epsilon / N)`.
#' @examples
#' geometric_alpha(1)
#' geometric_alpha(3, precision = 6)
#' geometric_epsilon(geometric_alpha(2))
#' # the noise that this means: its standard deviation
#' alpha <- geometric_alpha(c(3, 1, 0.5))
#' sqrt(2 * alpha) / (1 - alpha)
#' @export
geometric_alpha <- function(epsilon, precision = 1) {
  epsilon <- check_epsilon(epsilon)
  exp(-epsilon / check_precision(precision, length(epsilon)))
}

#' @rdname geometric_alpha
#' @export
geometric_epsilon <- function(alpha, precision = 1) {
  alpha <- check_alpha(alpha)
  -log(alpha) * check_precision(precision, length(alpha))
}

# The secure sampler wants gamma = epsilon / N = s / t in whole numbers of at most 31 bits.
# The three rules, each of which may only lower gamma (less privacy loss than was asked for):
# a decimal of at most 6 places is taken as typed, anything else is cut to 20 binary places,
# and what does not fit is cut further.

GAMMA_MIN <- 1e-6
GAMMA_MAX <- 2^30
RATE_MAX <- 2^31

# numerator and denominator of x > 0, as typed or cut
as_fraction <- function(x) {
  millionths <- round(x * 1e6)
  # exactly the double that the decimal text stands for; a tolerance could raise epsilon
  typed <- millionths / 1e6 == x & x < 1e9
  list(
    num = ifelse(typed, millionths, floor(x * 2^20)),
    den = ifelse(typed, 1e6, 2^20)
  )
}

gcd <- function(a, b) if (b < 1) a else gcd(b, a %% b)

reduce_fraction <- function(num, den) {
  common <- mapply(gcd, num, den)
  list(s = num / common, t = den / common)
}

# s / t <= num / den with both at most 2^31
fit_fraction <- function(num, den) {
  n <- max(length(num), length(den))
  num <- rep_len(num, n)
  den <- rep_len(den, n)
  fraction <- reduce_fraction(num, den)
  large <- fraction$s > RATE_MAX | fraction$t > RATE_MAX
  if (!any(large)) {
    return(fraction)
  }
  gamma <- num[large] / den[large]
  bits <- 31 - pmax(0, ceiling(log2(gamma)))
  # two units in the last place less, so that rounding cannot raise gamma
  cut <- reduce_fraction(floor(gamma * (1 - 2^-51) * 2^bits), 2^bits)
  fraction$s[large] <- cut$s
  fraction$t[large] <- cut$t
  fraction
}

check_gamma_range <- function(gamma, arg, call) {
  # to rounding: exp() and log() of 1e-6 come back a little below it
  outside <- gamma < GAMMA_MIN * (1 - 1e-9) | gamma >= GAMMA_MAX
  if (any(outside)) {
    ldp_abort(c(
      "{.arg {arg}} must make epsilon / precision at least 1e-06 and below 2^30.",
      x = "It makes {format(gamma[outside][1], digits = 3)}, on the grid of multiples of 2^-20."
    ), class = "ldpcounts_argument_error", call = call)
  }
}

rates_from_epsilon <- function(epsilon, precision, call = rlang::caller_env()) {
  check_gamma_range(pmax(epsilon / precision, GAMMA_MIN), "epsilon", call) # too large?
  fraction <- as_fraction(epsilon)
  check_gamma_range(fraction$num / (fraction$den * precision), "epsilon", call)
  fit_fraction(fraction$num, fraction$den * precision)
}

# gamma = -log(alpha); an alpha that was computed from a short decimal finds back to it
short_decimal <- function(gamma) {
  short <- round(gamma, 6)
  ifelse(abs(gamma - short) < 1e-12 & short > 0, short, NA)
}

rates_from_alpha <- function(alpha, call = rlang::caller_env()) {
  gamma <- -log(alpha)
  short <- short_decimal(gamma)
  gamma <- ifelse(is.na(short), floor(gamma * 2^20) / 2^20, short)
  check_gamma_range(gamma, "alpha", call)
  fraction <- as_fraction(gamma)
  fit_fraction(fraction$num, fraction$den)
}
