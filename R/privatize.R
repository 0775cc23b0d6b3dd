#' Noise counts before anyone sees them
#'
#' Adds independent two-sided geometric noise to every cell, zeros included, and returns the
#' released counts with what is needed to use them rightly.
#'
#' @param y True counts: a matrix or a `Matrix` (such as a `dgCMatrix`) of whole numbers from
#'   0 to 2^31 - 1, without missing values, since what is missing is itself informative. A row
#'   is what one person, or one document, contributes.
#' @param epsilon,alpha Exactly one of them: the privacy loss (positive), or the ratio of the
#'   geometric law (between 0 and 1). One number, or one per row.
#' @param ... Must be empty: all further arguments are named.
#' @param precision The distance between records, in counts, that `epsilon` speaks of: a whole
#'   number of at least 1, or one per row. See [geometric_alpha()].
#' @param rng Where the random bits come from. `"secure"`: the operating system, for real
#'   releases; no seed exists, and `set.seed()` has no effect. `"R"`: R's generator, for
#'   simulation and teaching only, since whoever knows the seed can subtract the noise; the
#'   object says so.
#' @return A [private_counts()] object. It holds the released counts, and neither the true
#'   counts nor the noise. The `epsilon` in force may be a little below what was asked for, as
#'   the sampler computes in whole numbers: decimal numbers of at most 6 places are taken as
#'   typed, others are cut to a multiple of 2^-20.
#' @details
#' The sampler is exact (Canonne, Kamath and Steinke 2020): no floating point lies between the
#' random bits and the noise, because rounded Laplace noise leaks its input through the low
#' bits (Mironov 2012). A single release costs `epsilon`; releasing the same counts twice costs
#' the sum. Timing is out of scope: do not offer this as a service to an adversary with a
#' stopwatch.
#' @section Errors: of class `ldpcounts_error`, before any noise is drawn, for counts that are
#'   negative, fractional, missing, infinite or too large; for `epsilon`, `alpha` or
#'   `precision` out of range or of the wrong length; for data that are private already. When
#'   the operating system gives no random bits there is an error, and nothing is released. No
#'   message quotes a count.
#' @references
#' Ghosh, Roughgarden and Sundararajan (2012) for the mechanism. Schein et al. (2019),
#' section 2, for limited-precision local privacy. Canonne, C., Kamath, G. and Steinke, T.
#' (2020). The discrete Gaussian for differential privacy. *NeurIPS* 33, algorithms 1 and 2.
#' Mironov, I. (2012). On significance of the least significant bits for differential privacy.
#' *CCS '12*.
#' @seealso [private_counts()] for counts that were noised elsewhere; [what-is-protected].
#' @examples
#' y <- matrix(rpois(20, 3), 4)
#' privatize(y, epsilon = 1)
#' # each row its own level, and reproducible, for teaching
#' set.seed(1)
#' privatize(y, epsilon = c(0.5, 1, 2, 4), rng = "R")
#' @export
privatize <- function(y, epsilon = NULL, ..., precision = 1, alpha = NULL,
                      rng = c("secure", "R")) {
  check_no_dots(...)
  rng <- check_choice(rng, "rng", c("secure", "R"))
  counts <- true_counts(y)
  n_row <- nrow(counts)
  check_one_of_two(epsilon, alpha)
  precision <- check_precision(precision, n_row)
  rates <- if (is.null(alpha)) {
    rates_from_epsilon(check_epsilon(epsilon, n_row), precision)
  } else {
    rates_from_alpha(check_alpha(alpha, n_row, zero = FALSE))
  }
  new_private_counts(
    add_noise(counts, rates, rng),
    alpha = exp(-rates$s / rates$t), epsilon = precision * rates$s / rates$t,
    precision = precision, rng = rng
  )
}

# True counts ready for noise: a base matrix of checked whole numbers.
true_counts <- function(y, call = rlang::caller_env()) {
  check_given(missing(y), "y", call)
  if (inherits(y, "private_counts")) {
    ldp_abort(c(
      "{.arg y} is private already.",
      i = "A second release of the same counts would spend privacy twice."
    ), class = "ldpcounts_argument_error", call = call)
  }
  counts <- check_counts(as_plain_matrix(y, "y", call), "y", call)
  if (methods::is(counts, "Matrix")) {
    counts <- as.matrix(counts)
  }
  if (anyNA(counts)) {
    ldp_abort(c(
      "{.arg y} must have no missing counts.",
      i = "What is missing would be released as it is. Mask cells after the release."
    ), class = "ldpcounts_argument_error", call = call)
  }
  counts
}

# `rng`: "secure", "R", or, for tests, a raw vector to take the bits from.
add_noise <- function(counts, rates, rng, call = rlang::caller_env()) {
  n_rates <- max(length(rates$s), length(rates$t))
  released <- tryCatch(
    .Call(C_rc_privatize, counts, rep_len(rates$s, n_rates), rep_len(rates$t, n_rates), rng),
    error = function(failure) {
      ldp_abort(conditionMessage(failure), class = "ldpcounts_release_error", call = call)
    }
  )
  dim(released) <- dim(counts)
  dimnames(released) <- dimnames(counts)
  released
}
