#' The law of a released count
#'
#' Density of a privatized Poisson count, `y_tilde = y + tau` with `y ~ Pois(mu)` and two-sided
#' geometric noise `tau` of ratio `alpha`.
#'
#' @details
#' For `x <= 0` the density is `(1 - alpha)/(1 + alpha) alpha^(-x) exp(-(1 - alpha) mu)`; for `x >
#' 0` it is the sum of two truncated Poisson series, computed so that it keeps its digits in the
#' far tails. The mean is `mu`, the variance `mu + 2 alpha / (1 - alpha)^2`.
#'
#' @param x Whole numbers, of any sign.
#' @param mu Means of the true counts, at least 0.
#' @param alpha Ratios of the geometric law, at least 0 and below 1; at 0 the law is Poisson.
#' @param log Give the logarithm?
#' @return A vector as long as the longest argument; shorter ones are recycled. `NaN` where `mu`
#'   or `alpha` is outside its range; 0, with a warning, where `x` is not whole.
#' @section Errors: of class `ldpcounts_error` when an argument is not numeric.
#' @references The noise: Ghosh et al. (2012). The closed form is ours.
#' @examples
#' x <- -6:12
#' plot(x, dprivpois(x, mu = 3, alpha = 0.4), type = "h", ylab = "probability")
#' points(x, dpois(x, 3)) # without noise
#' sum(dprivpois(-100:100, 3, 0.4))
#' @export
dprivpois <- function(x, mu, alpha, log = FALSE) {
  x <- check_law_argument(x, "x")
  mu <- check_law_argument(mu, "mu")
  alpha <- check_law_argument(alpha, "alpha")
  log <- check_flag(log, "log")
  if (any(abs(x - round(x)) > 1e-9 * pmax(1, abs(x)), na.rm = TRUE)) {
    cli::cli_warn("{.arg x} has values that are not whole numbers; their density is 0.")
  }
  warn_nan(.Call(C_rc_dprivpois, x, mu, alpha, log), x, mu, alpha)
}

# Numeric, or logical NA as base R takes it; doubles from here on, attributes kept.
check_law_argument <- function(x, arg, call = rlang::caller_env()) {
  if (!is.numeric(x) && !is.logical(x)) {
    abort_argument(x, arg, "numeric", call)
  }
  storage.mode(x) <- "double"
  x
}

# Base R's warning: a NaN that no argument brought along.
warn_nan <- function(value, ...) {
  brought <- Reduce(`|`, lapply(list(...), function(x) rep_len(is.na(x), length(value))))
  if (any(is.nan(value) & !brought)) {
    cli::cli_warn("NaNs produced.")
  }
  value
}
