# The best of several fits with central differential privacy, chosen privately.

#' Score or choose fits under central differential privacy
#'
#' Scores how well the topics of a fit describe documents, and returns the score with noise. Given several
#' fits, chooses the one whose topics describe the documents best. Using true counts to choose `k`, the
#' shares of a budget, or a start costs privacy, as fitting does. This function makes such a choice
#' privately, at a stated cost.
#'
#' @details
#' * `"score"`: the mean over documents of `log p(counts) / length`, the log probability of a token, where
#'   `p` is the variational bound for the topics and `alpha` of the fit. The value of each document is clipped
#'   to between `-bound` and 0. Replacing a document changes the mean by at most `bound / N`.
#' * `"suffstat"`: the method of DeCarolis et al. (2020). The expected shares of words and topics are
#'   averaged over documents, and noise is added to all `V k` of these averages. Each positive noised share
#'   is multiplied by the `log(mu)` of its word and topic, and the score is the sum of these products.
#'   Replacing a document changes the whole matrix by at most `sqrt(2) / N`. This adds noise to many numbers
#'   to obtain one, and ignores how uncertain the topics of a document are. It is included for comparison.
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
#' @param fit A fit of [dp_lda_vi()] or [dp_lda_spectral()]; or, with `method = "score"`, a list of fits to
#'   the same words.
#' @param counts True counts of the documents to be described, in the form in which counts were given to the
#'   fit. These can be the documents of the fit or others.
#' @param epsilon,delta The privacy budget of the score: a positive number, and one between 0 and 1. For a
#'   choice `delta` is 0. `epsilon = Inf` gives the exact score, which is not private.
#' @param method See Details.
#' @param bound For `"score"`, a positive public number at which the value of each document is clipped; see
#'   Details. The default is `log(V) + 5`; for words drawn at random, the value of a document would be
#'   `-log(V)`.
#' @param lmax For `"suffstat"`: the weight of a document with fewer than `lmax` tokens is its length divided
#'   by `lmax`. A public number; by default all documents have the same weight.
#' @param ... Must be empty: all further arguments are named.
#' @inheritParams dp_lda_vi
#' @return An object of class `dp_lda_score`: a list of `value`, the noised score (larger is better), or, for
#'   a list of fits, `chosen`, the position of the best fit in the list; `method`, `bound`, `lmax`, `ledger`
#'   (with one row, as that of [dp_lda_vi()]), `epsilon`, `delta`, `unit`, `noise`, `rng` and `private`. It
#'   does not contain any score without noise.
#' @section Reproducible: With `rng = "R"`, `set.seed()` makes the result reproducible.
#' @section Errors: Stops with an error of class `ldpcounts_error` for anything but such fits, if `counts`
#' have other words than the fits, and for arguments out of range.
#' @references DeCarolis, C., Ram, M., Esmaeili, S., Wang, Y.-X. and Huang, F. (2020). An end-to-end
#'   differentially private latent Dirichlet allocation using a spectral algorithm. *ICML*, appendix K; the
#'   sensitivity of the whole matrix, and `"score"`, are new in this package. McSherry, F. and Talwar, K.
#'   (2007). Mechanism design via differential privacy. *FOCS*. Durfee, D. and Rogers, R. (2019). Practical
#'   differentially private top-k selection with pay-what-you-get composition. *NeurIPS* 32, for Gumbel noise.
#' @examples
#' set.seed(1)
#' documents <- simulate_topics(D = 2000, V = 30, k = 4, words = 40)
#' fits <- lapply(2:5, function(k) dp_lda_vi(documents$y, k, alpha = 0.1, eta = 0.1, epsilon = 1,
#'   delta = 1e-6, lmax = 80, clip = 10, iter = 10))
#' # which k? 4 fits of epsilon 1 and a choice of 0.5 spend 4.5 in total
#' dp_lda_score(fits, documents$y, epsilon = 0.5)
#' dp_lda_score(fits[[3]], documents$y, epsilon = 0.5, delta = 1e-6)
#' @export
dp_lda_score <- function(fit, counts, epsilon, delta = 0, method = c("score", "suffstat"), bound = NULL,
                         lmax = NULL, ..., rng = c("secure", "R")) {
  check_no_dots(...)
  method <- check_choice(method, "method", c("score", "suffstat"))
  by_token <- method == "score"
  several <- !inherits(fit, "dp_lda") && is.list(fit)
  check_that(by_token || !several, "{.arg fit} can be a list only with {.code method = \"score\"}.")
  check_that(by_token || is.null(bound), "{.arg bound} is only for {.code method = \"score\"}.")
  check_that(!by_token || is.null(lmax), "{.arg lmax} is only for {.code method = \"suffstat\"}.")
  counts <- central_counts(counts)
  fits <- check_fits(if (several) fit else list(fit), counts)
  if (several) {
    check_total_epsilon(epsilon)
    none <- identical(as.double(delta), 0)
    check_that(none, "{.arg delta} must be 0 with a list of fits, because this choice does not use it.")
  } else {
    check_budget(epsilon, delta)
  }
  task <- list(
    method = method, rng = check_choice(rng, "rng", c("secure", "R")), epsilon = epsilon, delta = delta,
    bound = if (by_token) check_positive(if (is.null(bound)) log(ncol(counts)) + 5 else bound, "bound"),
    lmax = if (!by_token) check_whole(if (is.null(lmax)) 1 else lmax, "lmax", 1),
    N = nrow(counts), noise = "gaussian", call = rlang::current_env()
  )
  cells <- document_cells(counts)
  if (several) {
    choose_fit(fits, cells, task)
  } else if (by_token) {
    exact <- mean_score(fit, cells, task$bound)
    release_score(exact, "mean log probability", task$bound / task$N, identity, task)
  } else {
    topics <- topics_of(fit)
    shares <- .Call(C_rc_lda_add, cells, as.double(fit$alpha), topics, NULL, TRUE, task$lmax) / task$N
    score <- function(noised) sum(pmax(noised, 0) * log(topics))
    release_score(shares, "expected shares", sqrt(2) / task$N, score, task)
  }
}

# --- arguments ------------------------------------------------------------------------------------

# Fits with topics, which have the words of the counts: these are matched by position, and must have the same names
# where both have names.
check_fits <- function(fits, counts, call = rlang::caller_env()) {
  others <- Filter(function(fit) !is.list(fit) || !inherits(fit, "dp_lda"), fits)
  if (length(fits) == 0) others <- list(fits)
  expected <- "a fit of dp_lda_vi() or dp_lda_spectral(), or a list of such fits"
  if (length(others) > 0) abort_argument(others[[1]], "fit", expected, call)
  for (fit in fits) {
    check_that(!isTRUE(fit$refused), "{.arg fit} must have topics, but their release was refused.", call)
    mu <- fit$mu
    if (!is.matrix(mu) || !is.numeric(mu) || length(mu) == 0 || !all(is.finite(mu))) abort_damaged("mu", call)
    alpha <- fit$alpha
    ok <- is.numeric(alpha) && length(alpha) == ncol(mu) && all(is.finite(alpha) & alpha >= 0)
    if (!ok) abort_damaged("alpha", call)
    as_many <- nrow(mu) == ncol(counts)
    named <- !is.null(rownames(mu)) && !is.null(colnames(counts))
    check_that(as_many && (!named || identical(rownames(mu), colnames(counts))), c(
      "{.arg counts} must have the words of {.arg fit}, in the same order.",
      x = if (!as_many) "They have {ncol(counts)} and {nrow(mu)} words."
    ), call)
  }
  fits
}

# --- scores ---------------------------------------------------------------------------------------

topics_of <- function(fit) pmax(t(fit$mu), 1e-12) # no word has probability 0

# The exact mean over documents. It must not be returned to users without noise.
mean_score <- function(fit, cells, bound) {
  .Call(C_rc_lda_score, cells, as.double(fit$alpha), topics_of(fit), bound) / cells$dim[1]
}

# Adds noise to a statistic, and computes the score from the result.
release_score <- function(exact, quantity, sensitivity, score, task) {
  budget <- share_budget(task$epsilon, task$delta, 1)
  released <- release_numbers(exact, "score", quantity, sensitivity, budget, task)
  exact[] <- released$value
  new_dp_lda_score(list(value = score(exact)), released$cost, task)
}

choose_fit <- function(fits, cells, task) {
  noised <- vapply(fits, mean_score, 0, cells, task$bound)
  cost <- NULL
  if (task$epsilon < Inf) {
    scale <- 2 * task$bound / (task$N * task$epsilon)
    noised <- noised + scale * gumbel_noise(length(fits), task)
    cost <- ledger_row("score", "number of the best fit", task$bound / task$N, NA_real_, scale, "gumbel")
  }
  new_dp_lda_score(list(chosen = which.max(noised)), cost, task)
}

# Gumbel noise by inversion: -log(U) is exponential, and the uniform U is computed from normal noise.
gumbel_noise <- function(n, mechanism) {
  -log(-stats::pnorm(perturbed(numeric(n), 1, mechanism), log.p = TRUE))
}

new_dp_lda_score <- function(result, cost, task) {
  structure(
    c(
      result, task[c("method", if (task$method == "score") "bound" else "lmax")],
      list(ledger = as_ledger(list(cost)), unit = "replace one document"),
      task[c("epsilon", "delta", "noise", "rng")], private = is_private(task$epsilon, task)
    ),
    class = "dp_lda_score"
  )
}

#' @export
print.dp_lda_score <- function(x, ...) {
  check_no_dots(...)
  cat_wrapped(if (is.null(x$chosen)) {
    paste0("Score of the topics (method \"", x$method, "\"): ", format(x$value, digits = 4), " per token.")
  } else {
    paste0("The best of the fits, by a noised score: number ", x$chosen, ".")
  })
  print_promise(x)
  if (x$epsilon < Inf) cat_wrapped("The privacy loss of the fits is added to this.")
  invisible(x)
}
