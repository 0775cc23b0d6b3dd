# How far an estimate is from the truth.

#' How far an estimate is from the truth
#'
#' `mae()` is the mean absolute error; `poisson_kl()` the mean divergence of a Poisson law with
#' the estimated mean from one with the true mean, `truth log(truth / estimate) - truth +
#' estimate`.
#'
#' @details
#' Predicting zero everywhere has a small absolute error when most counts are zero, and an
#' infinite divergence: look at both.
#'
#' @param estimate Estimated means, such as `fitted(fit)`; at least 0 for `poisson_kl()`.
#' @param truth True counts or means, of the same shape, at least 0 for `poisson_kl()`. In both,
#'   vectors, or any of the [objects that hold counts][data-objects]; a fit stands for its `fitted()`. Cells
#'   are compared by their position, whatever their labels.
#' @return One number, the mean over cells. Cells that are `NA` in either are left out.
#' @section Errors: of class `ldpcounts_error` when the shapes differ, when there is no cell that
#'   is known in both, and for negative values in `poisson_kl()`. `poisson_kl()` warns (class
#'   `ldpcounts_swapped`) where the two seem to have been swapped.
#' @references Schein et al. (2019), section 6, for the absolute error. The divergence is half the unit
#'   deviance of Poisson regression, McCullagh and Nelder (1989), *Generalized Linear Models*, section 2.3.
#' @seealso [compare_methods()], which has both, and others; [npmi()] of topics.
#' @examples
#' mae(c(1, 2, 3), c(1, 3, 5))
#' poisson_kl(c(1, 2, 3), c(1, 3, 5))
#' poisson_kl(0, 1)
#' @export
mae <- function(estimate, truth) {
  both <- comparable(estimate, truth)
  mean(abs(both$estimate - both$truth))
}

#' @rdname mae
#' @export
poisson_kl <- function(estimate, truth) {
  both <- comparable(estimate, truth)
  if (any(both$estimate < 0) || any(both$truth < 0)) {
    ldp_abort("{.arg estimate} and {.arg truth} must not be negative.",
      class = "ldpcounts_argument_error"
    )
  }
  if (any(both$estimate == 0 & both$truth > 0)) warn_swapped(both)
  # a difference of logarithms: of very small means the ratio overflows, or is 0
  log_ratio <- ifelse(both$truth > 0, both$truth * (log(both$truth) - log(both$estimate)), 0)
  mean(log_ratio - both$truth + both$estimate)
}

# Counts for the estimate, and means for the truth.
warn_swapped <- function(both) {
  if (any(both$estimate > 0) && all(is_whole(both$estimate)) && !all(is_whole(both$truth))) {
    cli::cli_warn(c(
      "The divergence is infinite: {.arg estimate} is 0 where {.arg truth} is not.",
      i = "The estimate holds whole numbers and the truth does not: are they the wrong way round?"
    ), class = "ldpcounts_swapped")
  }
}

# The cells that are known in both.
comparable <- function(estimate, truth, call = rlang::caller_env()) {
  check_given(missing(estimate), "estimate", call)
  check_given(missing(truth), "truth", call)
  estimate <- as_values(estimate, "estimate", call)
  truth <- as_values(truth, "truth", call)
  shape <- function(x) if (is.null(dim(x))) length(x) else dim(x)
  if (!identical(as.double(shape(estimate)), as.double(shape(truth)))) {
    shapes <- vapply(list(estimate, truth), function(x) paste(shape(x), collapse = " x "), "")
    ldp_abort(c("{.arg estimate} and {.arg truth} must have the same shape.",
      x = "They are {shapes[1]} and {shapes[2]}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  known <- !is.na(estimate) & !is.na(truth)
  if (!any(known)) {
    ldp_abort("{.arg estimate} and {.arg truth} must have a cell that is known in both.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  list(estimate = estimate[known], truth = truth[known])
}

as_values <- function(x, arg, call) {
  if (inherits(x, c("ldp_fit", "private_gibbs"))) {
    x <- stats::fitted(x)
  }
  if (!is.numeric(x) || is.object(x)) {
    x <- as.array(given_counts(x, arg, role = "shown", call = call))
  }
  if (!is.numeric(x)) {
    abort_argument(x, arg, "numeric", call)
  }
  x
}
