#' The truth behind a release
#'
#' Draws true counts `y` given their releases `y_tilde = y + tau`, where `y ~ Pois(mu)` and `tau`
#' is two-sided geometric noise of ratio `alpha`.
#'
#' @details
#' `P(y | y_tilde)` is proportional to `mu^y / y! * alpha^|y_tilde - y|`. For `y_tilde <= 0` that
#' is `Pois(alpha mu)`, whatever `y_tilde` is. For positive ones draws are made by rejection, at
#' a cost that is bounded for every parameter.
#'
#' @param n Number of draws; if it has length above 1, that is the number.
#' @param y_tilde Released counts, whole numbers of any sign.
#' @param mu Means of the true counts, at least 0.
#' @param alpha Ratios of the geometric law, at least 0 and below 1.
#' @return A vector of `n` counts; the other arguments are recycled. `NaN`, with a warning, where
#'   an argument is outside its range, or no true count can stand behind the release.
#' @section Errors: of class `ldpcounts_error` when an argument is not numeric, or `n` no number.
#' @references Schein et al. (2019), section 4, for the model. The collapsed law is ours.
#' @examples
#' set.seed(1)
#' # a release of 4 of a count that is 1 in the mean: the noise made most of it
#' table(rtruecount(1000, y_tilde = 4, mu = 1, alpha = 0.4))
#' table(rtruecount(1000, y_tilde = -3, mu = 1, alpha = 0.4))
#' @export
rtruecount <- function(n, y_tilde, mu, alpha) {
  n <- if (length(n) > 1) length(n) else check_whole(n, "n", 0)
  y_tilde <- check_law_argument(y_tilde, "y_tilde")
  mu <- check_law_argument(mu, "mu")
  alpha <- check_law_argument(alpha, "alpha")
  if (min(length(y_tilde), length(mu), length(alpha)) == 0 && n > 0) {
    return(rep(NA_real_, n))
  }
  draws <- .Call(C_rc_rtruecount, n, y_tilde, mu, alpha)
  if (anyNA(draws)) {
    cli::cli_warn("NaNs produced.")
  }
  draws
}

# The Bessel law behind the augmentation, P(m) prop. to (a/2)^(2m+nu) / (m! Gamma(m+nu+1)).
rbessel <- function(n, nu, a) .Call(C_rc_rbessel, n, as.double(nu), as.double(a))
