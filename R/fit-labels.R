# Names of components.

#' Name the components of a fit
#'
#' Gives the topics, communities or components of a fit names of your own, which replace `topic1`,
#' `community1` and so on in [coef()][ldp_fit-methods], [top_terms()], [tidy()][tidy.ldp_fit], `summary()`,
#' [group_effects()], [predict()][predict.ldp_fit] and plots.
#'
#' @param fit A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param labels One different name per component, in the order of `coef()`; or some names, named by the numbers
#'   of their components: `c("3" = "war")`. `NULL` removes all names.
#' @return The fit with these names. They stay with their components in [update()][update.ldp_fit] and
#'   [subset()][subset.ldp_fit], also if the order of components in `coef()` changes: components are found again
#'   by their weights. Draws in `as.matrix()` and [as_draws()][as_draws.ldp_fit] keep numbers.
#' @section Errors: An error of class `ldpcounts_error` is thrown if `labels` are not such names.
#' @seealso [top_terms()], which shows what to call a topic.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 100)
#' top_terms(fit, 4)
#' fit <- label_components(fit, c("election", "economy", "war"))
#' top_terms(fit, 4)
#' @export
label_components <- function(fit, labels) {
  call <- rlang::current_env()
  check_is_fit(fit)
  if (is.null(labels)) {
    fit["labelled"] <- list(NULL)
    return(fit)
  }
  names <- component_names(fit)
  numbers <- names(labels)
  expected <- paste(fit$k, "different names, or some names that are named by the numbers of their components")
  at <- if (is.null(numbers)) seq_along(names) else match(numbers, seq_along(names))
  fits <- is.character(labels) && length(labels) == length(at) && !anyNA(at) && !anyDuplicated(at)
  if (!fits) abort_argument(labels, "labels", expected, call)
  names[at] <- check_names(unname(labels), "labels", call)
  check_names(names, "labels", call)
  fit$labelled <- list(names = names, signature = model_of(fit)$signature(alignment(fit)$means))
  fit
}
