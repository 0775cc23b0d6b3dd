# Modified Bessel functions of the first kind, on the log scale.

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
#' @section Errors: An error of class `ldpcounts_error` is thrown if an argument is not numeric.
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
