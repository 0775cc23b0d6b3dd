# What is read otherwise from a fit of private_gibbs() than from others: the numbers in its state.

# A row per draw, a named column per number.
own_numbers <- function(fit) {
  matrix(fit$draws$numbers, n_draws(fit), length(fit$labels), byrow = TRUE, dimnames = list(NULL, fit$labels))
}

#' @export
coef.private_gibbs <- function(object, ...) {
  check_method(object, ...)
  colMeans(own_numbers(object))
}

# As label_free_traces() has them: each is one quantity.
own_traces <- function(fit) {
  numbers <- traces_of(own_numbers(fit), fit$run)
  lapply(c(list("log density" = fit$log_density), stats::setNames(numbers, fit$labels)), list)
}

# Of quantities with a row per draw and a column each.
traces_of <- function(draws, run) unname(apply(draws, 2, matrix, nrow = run$kept, simplify = FALSE))
