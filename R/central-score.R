# The best of several fits with central differential privacy, chosen privately.

#' Score or choose fits under central differential privacy
#'
#' Scores how well the topics of a fit describe documents, and returns the score with noise. Given several
#' fits, chooses the one whose topics describe the documents best. Using true counts to choose `k`, the
#' shares of a budget, or a start costs privacy, as fitting does. This function makes such a choice
#' privately, at a stated cost.
#'
#' @details
#' The score is the mean over documents of `log p(counts) / length`, the log probability of a token, where `p` is
#' the variational bound for the topics and `alpha` of the fit. The value of each document is clipped to between
#' `-bound` and 0. Replacing a document changes the mean by at most `bound / N`.
#'
#' Noise is Gaussian and exactly calibrated. For a list of fits, only the position of the best fit in the
#' list is released: Gumbel noise of scale `2 bound / (N epsilon)` is added to each score, which is the
#' exponential mechanism. The choice is `epsilon`-differentially private, whatever the number of fits.
#'
#' @section What choosing costs:
#' All fits that were tried have used the documents, and each has spent its own budget, including those that
#' are not chosen. For `J` fits with (`epsilon`, `delta`) each, and a choice with `epsilon_s`, the total cost
#' is at most `J epsilon + epsilon_s` and `J delta`. Fits to other documents, or to public data, do not add to
#' this cost.
#' @param fit A fit of [dp_lda_vi()] or [dp_lda_spectral()], or a list of fits to the same words.
#' @param counts True counts of the documents to be described, in the form in which counts were given to the
#'   fit. These can be the documents of the fit or others.
#' @param epsilon,delta The privacy budget of the score: a positive number, and one between 0 and 1. For a
#'   choice `delta` is 0. `epsilon = Inf` gives the exact score, which is not private.
#' @param bound A positive public number at which the value of each document is clipped; see Details. The default
#'   is `log(V) + 5`; for words drawn at random, the value of a document would be `-log(V)`.
#' @param ... Must be empty: all further arguments are named.
#' @inheritParams dp_lda_vi
#' @return An object of class `dp_lda_score`: a list of `value`, the noised score (larger is better), or, for
#'   a list of fits, `chosen`, the position of the best fit in the list; `bound`, `ledger` (with one row, as that
#'   of [dp_lda_vi()]), `epsilon`, `delta`, `unit`, `noise`, `rng` and `private`. It does not contain any score
#'   without noise.
#' @section Reproducible: With `rng = "R"`, `set.seed()` makes the result reproducible.
#' @section Errors: Stops with an error of class `ldpcounts_error` for anything but such fits, if `counts`
#' have other words than the fits, and for arguments out of range.
#' @references The score is new in this package. McSherry, F. and Talwar, K. (2007). Mechanism design via
#'   differential privacy. *FOCS*. Durfee, D. and Rogers, R. (2019). Practical differentially private top-k
#'   selection with pay-what-you-get composition. *NeurIPS* 32, for Gumbel noise.
#' @examples
#' set.seed(1)
#' documents <- simulate_topics(D = 2000, V = 30, k = 4, words = 40)
#' fits <- lapply(2:5, function(k) dp_lda_vi(documents$y, k, alpha = 0.1, eta = 0.1, epsilon = 1,
#'   delta = 1e-6, lmax = 80, clip = 10, iter = 10))
#' # which k? 4 fits of epsilon 1 and a choice of 0.5 spend 4.5 in total
#' dp_lda_score(fits, documents$y, epsilon = 0.5)
#' dp_lda_score(fits[[3]], documents$y, epsilon = 0.5, delta = 1e-6)
#' @export
dp_lda_score <- function(fit, counts, epsilon, delta = 0, bound = NULL, ..., rng = c("secure", "R")) {
  check_no_dots(...)
  counts <- central_counts(counts)
  several <- !inherits(fit, "dp_lda") && is.list(fit)
  fits <- if (several) fit else list(fit)
  check_fits(fits, counts)
  if (several) {
    check_total_epsilon(epsilon)
    unused <- "{.arg delta} must be 0 with a list of fits, because this choice does not use it."
    check_that(identical(as.double(delta), 0), unused)
  } else {
    check_budget(epsilon, delta)
  }
  bound <- if (is.null(bound)) log(ncol(counts)) + 5 else check_positive(bound, "bound")
  mechanism <- list(
    noise = "gaussian", rng = check_choice(rng, "rng", c("secure", "R")), call = rlang::current_env()
  )
  exact <- vapply(fits, mean_score, 0, document_cells(counts), bound)
  sensitivity <- bound / nrow(counts)
  if (several) {
    result <- list(chosen = which.max(exact))
    cost <- NULL
    if (epsilon < Inf) {
      scale <- 2 * sensitivity / epsilon
      result$chosen <- which.max(exact + scale * gumbel_noise(length(fits), mechanism))
      cost <- ledger_row("score", "number of the best fit", sensitivity, NA_real_, scale, "gumbel")
    }
  } else {
    budget <- share_budget(epsilon, delta, 1)
    released <- release_numbers(exact, "score", "mean log probability", sensitivity, budget, mechanism)
    result <- list(value = released$value)
    cost <- released$cost
  }
  structure(
    c(
      result, bound = bound, list(ledger = as_ledger(list(cost)), unit = "replace one document"),
      epsilon = epsilon, delta = delta, mechanism[c("noise", "rng")], private = is_private(epsilon, mechanism)
    ),
    class = "dp_lda_score"
  )
}

# Checks that these are fits with topics, which have the words of the counts: words are matched by position, and must
# have the same names where both have names.
check_fits <- function(fits, counts, call = rlang::caller_env()) {
  expected <- "a fit of dp_lda_vi() or dp_lda_spectral(), or a list of such fits"
  if (length(fits) == 0) abort_argument(fits, "fit", expected, call)
  for (fit in fits) {
    if (!is.list(fit) || !inherits(fit, "dp_lda")) abort_argument(fit, "fit", expected, call)
    mu <- t(central_topics(fit, call))
    alpha <- fit$alpha
    valid <- all(is.finite(mu)) && is.numeric(alpha) && length(alpha) == ncol(mu) && all(alpha >= 0)
    if (!isTRUE(valid)) abort_damaged("alpha", call)
    as_many <- nrow(mu) == ncol(counts)
    named <- !is.null(rownames(mu)) && !is.null(colnames(counts))
    check_that(as_many && (!named || identical(rownames(mu), colnames(counts))), c(
      "{.arg counts} must have the words of {.arg fit}, in the same order.",
      x = if (!as_many) "They have {ncol(counts)} and {nrow(mu)} words."
    ), call)
  }
}

# The exact mean over documents. It must not be returned to users without noise.
mean_score <- function(fit, cells, bound) {
  topics <- pmax(t(fit$mu), 1e-12) # no word has probability 0
  .Call(C_rc_lda_score, cells, as.double(fit$alpha), topics, bound) / cells$dim[1]
}

# Gumbel noise by inversion: -log(U) is exponential, and the uniform U is computed from normal noise.
gumbel_noise <- function(n, mechanism) {
  -log(-stats::pnorm(perturbed(numeric(n), 1, mechanism), log.p = TRUE))
}

#' @export
print.dp_lda_score <- function(x, ...) {
  check_no_dots(...)
  cat_wrapped(if (is.null(x$chosen)) {
    paste0("Score of the topics: ", format(x$value, digits = 4), " per token.")
  } else {
    paste0("The best of the fits, by a noised score: number ", x$chosen, ".")
  })
  print_promise(x)
  if (x$epsilon < Inf) cat_wrapped("The privacy loss of the fits is added to this.")
  invisible(x)
}
