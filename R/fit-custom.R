# The numbers in the state of a fit of private_gibbs(), which are stored differently from the draws of other
# fits.

# One row per draw, one named column per number.
own_numbers <- function(fit) {
  matrix(fit$draws$numbers, n_draws(fit), length(fit$labels), byrow = TRUE, dimnames = list(NULL, fit$labels))
}

#' @export
coef.private_gibbs <- function(object, ...) {
  check_method(object, ...)
  colMeans(own_numbers(object))
}

# The traces of the numbers in the form of label_free_traces(), where each set has one quantity.
own_traces <- function(fit) {
  numbers <- traces_of(own_numbers(fit), fit$run)
  lapply(c(list("log density" = fit$log_density), stats::setNames(numbers, fit$labels)), list)
}

# A list of matrices with one column per chain, from a matrix with one row per draw and one column per
# quantity.
traces_of <- function(draws, run) unname(apply(draws, 2, matrix, nrow = run$kept, simplify = FALSE))
