# Errors of estimates.

#' Errors of estimates
#'
#' `mae()` computes the mean absolute error. `poisson_kl()` computes the mean Kullback-Leibler divergence
#' between the Poisson distributions with the true mean and with the estimated mean. For one cell this is
#' `truth log(truth / estimate) - truth + estimate`.
#'
#' @details
#' When most counts are zero, an estimate of zero everywhere has a small absolute error, but an infinite
#' divergence. So look at both.
#'
#' @param estimate Estimated means, such as `fitted(fit)`; at least 0 for `poisson_kl()`.
#' @param truth True counts or means, of the same shape, at least 0 for `poisson_kl()`. Both can be vectors,
#'   any of the [objects that hold counts][data-objects], or fits, whose `fitted()` is used. Cells are
#'   compared by position, whatever their labels.
#' @return One number, the mean over cells. Cells that are `NA` in either are left out.
#' @section Errors: An error of class `ldpcounts_error` is thrown if the shapes differ, if no cell is known in
#'   both, and for negative values in `poisson_kl()`. `poisson_kl()` issues a warning of class
#'   `ldpcounts_swapped` if the two arguments seem to have been swapped.
#' @references Schein et al. (2019), section 6, for the absolute error. The divergence is half the unit
#'   deviance of Poisson regression, McCullagh and Nelder (1989), *Generalized Linear Models*, section 2.3.
#' @seealso [compare_methods()], which computes both, and other metrics; [npmi()] for topics.
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
  positive <- all(both$estimate >= 0, both$truth >= 0)
  check_that(positive, "{.arg estimate} and {.arg truth} must not be negative.")
  infinite <- any(both$estimate == 0 & both$truth > 0)
  # counts in place of means
  swapped <- any(both$estimate > 0) && all(is_whole(both$estimate)) && !all(is_whole(both$truth))
  warn_if(infinite && swapped, c(
    "The divergence is infinite: {.arg estimate} is 0 where {.arg truth} is not.",
    i = "{.arg estimate} has whole numbers, and {.arg truth} does not: have they been swapped?"
  ), "ldpcounts_swapped")
  # a difference of logarithms: for very small means the ratio overflows, or is 0
  log_ratio <- ifelse(both$truth > 0, both$truth * (log(both$truth) - log(both$estimate)), 0)
  mean(log_ratio - both$truth + both$estimate)
}

# The cells that are known in both. Shapes are compared before sparse tables are made dense.
comparable <- function(estimate, truth, call = rlang::caller_env()) {
  check_given(missing(estimate), "estimate", call)
  check_given(missing(truth), "truth", call)
  estimate <- given_values(estimate, "estimate", call)
  truth <- given_values(truth, "truth", call)
  shape <- function(x) if (is.null(dim(x))) length(x) else dim(x)
  shapes <- vapply(list(estimate, truth), function(x) paste(shape(x), collapse = " x "), "")
  check_that(shapes[1] == shapes[2], c(
    "{.arg estimate} and {.arg truth} must have the same shape.",
    x = "They are {shapes[1]} and {shapes[2]}."
  ), call)
  estimate <- as_values(estimate, "estimate", call)
  truth <- as_values(truth, "truth", call)
  known <- !is.na(estimate) & !is.na(truth)
  none <- "{.arg estimate} and {.arg truth} must have at least one cell that is not NA in either."
  check_that(any(known), none, call)
  list(estimate = estimate[known], truth = truth[known])
}

# Numbers, or a table of counts.
given_values <- function(x, arg, call) {
  if (inherits(x, "ldp_fit")) x <- stats::fitted(x)
  if (!is.numeric(x) || is.object(x)) given_counts(x, arg, role = "shown", call = call) else x
}

as_values <- function(x, arg, call) {
  if (is.object(x)) x <- as.array(x)
  if (!is.numeric(x)) abort_argument(x, arg, "numeric", call)
  x
}
