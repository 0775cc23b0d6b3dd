#' Gamma prior of the factors
#'
#' Every weight in a factor (`theta`, `phi`, `pi`) has the same independent gamma prior.
#'
#' A shape below 1 favours sparse factors: few weights carry the counts. The prior mean is
#' `shape / rate`, its variance `shape / rate^2`.
#'
#' @param shape,rate Positive numbers. The defaults are those of Schein et al. (2019), section 6.
#' @return An object of class `gamma_prior`: a list of `shape` and `rate`.
#' @section Errors: of class `ldpcounts_error` when `shape` or `rate` is not one positive
#'   number.
#' @examples
#' gamma_prior()
#' # a different prior for each factor of a topic model
#' list(theta = gamma_prior(0.1, 1), phi = gamma_prior(0.05, 1))
#' @export
gamma_prior <- function(shape = 0.1, rate = 1) {
  structure(
    list(shape = check_positive(shape, "shape"), rate = check_positive(rate, "rate")),
    class = "gamma_prior"
  )
}

#' @export
print.gamma_prior <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' @export
format.gamma_prior <- function(x, ...) {
  paste0("Gamma(shape = ", format(x$shape), ", rate = ", format(x$rate), ")")
}

# One prior per factor, named; `prior` is one for all or a list with exactly these names.
check_prior <- function(prior, factors, call = rlang::caller_env()) {
  if (inherits(prior, "gamma_prior")) {
    return(stats::setNames(rep(list(prior), length(factors)), factors))
  }
  is_list <- is.list(prior) && setequal(names(prior), factors) && length(prior) == length(factors)
  if (!is_list || !all(vapply(prior, inherits, TRUE, "gamma_prior"))) {
    wanted <- paste0(factors, " = ", collapse = ", ")
    abort_argument(
      prior, "prior", paste0("a gamma_prior(), or list(", wanted, ") of them"), call
    )
  }
  prior[factors]
}
