# Gamma priors of factors.

#' Gamma prior of the factors
#'
#' Creates a gamma prior. All weights in a factor (`theta`, `phi` or `pi`) have this prior, independently of
#' each other.
#'
#' A shape below 1 favours sparse factors, in which a few weights account for most of the counts. The prior
#' mean is `shape / rate`, and the variance is `shape / rate^2`.
#'
#' The rate sets the scale of a factor. If you do not know it, give it a prior of its own: `rate =
#' gamma_prior(1, 1)`. It is then estimated together with the other parameters, and `as.matrix()` of the fit
#' has its draws in columns `rate[theta]` and so on.
#'
#' The defaults of `gamma_prior()` are those of Schein et al. (2019), section 6. The models have other
#' defaults: without `prior`, [topic_model()], [block_model()] and [tensor_model()] use `gamma_prior(0.3,
#' rate = gamma_prior(1, 1))`, with a larger shape and an estimated rate.
#'
#' @param shape A positive number.
#' @param rate A positive number, or a `gamma_prior()` for the rate, whose own rate must be a number.
#' @return An object of class `gamma_prior`: a list of `shape` and `rate`.
#' @section Defaults of the models: The default family and prior of the models are those that did best for five data sets at four noise
#' levels, as judged by three criteria: the density of held-out counts, the coverage of intervals, and the
#' error of the estimated total of all counts (`bench/defaults.R` in the sources). `"nbinom1"` was better than
#' `"poisson"` by more than two standard errors in 16 of the 20 cases, and worse in none. `gamma_prior(0.3,
#' rate = gamma_prior(1, 1))` had the best mean rank of six priors. With it, 90 % intervals contained the sum
#' of all true counts in 92 % of runs. With the prior of Schein et al. (2019), they did so in 40 % of runs
#' with `"nbinom1"`, and in 4 % with `"poisson"`. The default is four chains, because several chains are
#' needed to see whether they agree.
#' @section Errors: An error of class `ldpcounts_error` is thrown if `shape` is not a positive number, or if
#'   `rate` is neither a positive number nor a `gamma_prior()` with a fixed rate.
#' @examples
#' gamma_prior()
#' # the scale of the weights is estimated from the data
#' gamma_prior(0.1, rate = gamma_prior(1, 1))
#' # a different prior for each factor of a topic model
#' list(theta = gamma_prior(0.1, 1), phi = gamma_prior(0.05, 1))
#' @srrstats {BS1.2} here,
#' @srrstats {BS1.2a} in README.md,
#' @srrstats {BS1.2b} and compared in the vignette gibbs-or-variational;
#' @srrstats {BS1.2c} with examples.
#' @srrstats {BS2.2} a step before any fit.
#' @srrstats {BS2.5} shapes and rates are positive.
#' @export
gamma_prior <- function(shape = 0.1, rate = 1) {
  structure(
    list(shape = check_positive(shape, "shape"), rate = check_rate(rate)),
    class = "gamma_prior"
  )
}

check_rate <- function(rate, call = rlang::caller_env()) {
  if (!inherits(rate, "gamma_prior")) {
    return(check_positive(rate, "rate", call))
  }
  if (!is_gamma_prior(rate) || has_random_rate(rate)) {
    abort_argument(rate, "rate", "a positive number, or a gamma_prior() whose rate is a number", call)
  }
  rate
}

has_random_rate <- function(prior) inherits(prior$rate, "gamma_prior")

# The starting value of a random rate: the mean of its prior.
rate_mean <- function(prior) {
  if (has_random_rate(prior)) prior$rate$shape / prior$rate$rate else prior$rate
}

#' @export
print.gamma_prior <- function(x, ...) print_format(x)

print_format <- function(x) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' @export
format.gamma_prior <- function(x, ...) {
  rate <- if (has_random_rate(x)) paste("~", format(x$rate)) else paste("=", format(x$rate))
  paste0("Gamma(shape = ", format(x$shape), ", rate ", rate, ")")
}

# Returns a named list with one prior per factor; `prior` is one prior for all, or a list with these names.
#' @srrstats {BS2.4} one prior, or one for each factor of the model.
check_prior <- function(prior, factors, call = rlang::caller_env()) {
  if (is_gamma_prior(prior)) {
    return(stats::setNames(rep(list(prior), length(factors)), factors))
  }
  is_list <- is.list(prior) && setequal(names(prior), factors) && length(prior) == length(factors)
  if (!is_list || !all(vapply(prior, is_gamma_prior, TRUE))) {
    wanted <- paste0(factors, " = ", collapse = ", ")
    abort_argument(prior, "prior", paste0("a gamma_prior(), or list(", wanted, ") of them"), call)
  }
  prior[factors]
}

is_gamma_prior <- function(prior) {
  inherits(prior, "gamma_prior") && is.list(prior) && is_positive(prior$shape) &&
    (is_positive(prior$rate) || (is_gamma_prior(prior$rate) && is_positive(prior$rate$rate)))
}
