# Gamma priors of factors.

#' Gamma prior of the factors
#'
#' Creates a gamma prior. All weights in a factor (`theta`, `phi` or `pi`) have this prior, independently of
#' each other.
#'
#' A shape below 1 favours sparse factors, in which a few weights account for most of the counts. The prior
#' mean is `shape / rate`, and the variance is `shape / rate^2`.
#'
#' The rate sets the scale of a factor, and the shape says whether its weights are sparse. If you do not know one of
#' them, let it be `NULL`, which stands for `gamma_prior(1, 1)`, or give it another prior of its own. It is then
#' estimated together with the other parameters, and `as.matrix()` of the fit has its draws in columns `rate[theta]`,
#' `shape[theta]` and so on. The Gibbs samplers draw a shape with the weights integrated out (Zhou and Carin, 2015), except
#' that of the communities in [block_model()], which they draw given the weights.
#'
#' The defaults of `gamma_prior()` are those of Schein et al. (2019), section 6. The models have other
#' defaults: without `prior`, [topic_model()], [block_model()] and [tensor_model()] use `gamma_prior(0.3,
#' rate = gamma_prior(1, 1))`, with a larger shape and an estimated rate.
#'
#' @param shape,rate A positive number, or `NULL` to estimate it, or the `gamma_prior()` of an estimated one, which
#'   must have numbers itself.
#' @return An object of class `gamma_prior`: a list of `shape` and `rate`.
#' @section Defaults of the models: The default family and prior of the models are those that did best for five data sets at four noise
#' levels, as judged by three criteria: the density of held-out counts, the coverage of intervals, and the
#' error of the estimated total of all counts (`bench/defaults.R` in the sources). `"nbinom1"` was better than
#' `"poisson"` by more than two standard errors in 16 of the 20 cases, and worse in none. `gamma_prior(0.3,
#' rate = gamma_prior(1, 1))` had the best mean rank of six priors. With it, 90 % intervals contained the sum
#' of all true counts in 92 % of runs. With the prior of Schein et al. (2019), they did so in 40 % of runs
#' with `"nbinom1"`, and in 4 % with `"poisson"`. The default is four chains, because several chains are
#' needed to see whether they agree.
#' @section Errors: `gamma_prior()` stops with an error of class `ldpcounts_error` if `shape` or `rate` is something else.
#' @references Zhou, M. and Carin, L. (2015). Negative binomial process count and mixture modeling. *IEEE Transactions on
#'   Pattern Analysis and Machine Intelligence* 37, 307-320.
#' @examples
#' gamma_prior()
#' # the scale of the weights is estimated from the data, and then their shape as well
#' gamma_prior(0.1, rate = NULL)
#' gamma_prior(NULL, NULL)
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
    list(shape = check_hyper(shape, "shape"), rate = check_hyper(rate, "rate")),
    class = "gamma_prior"
  )
}

# A number, or the prior of one that is estimated.
check_hyper <- function(x, arg, call = rlang::caller_env()) {
  if (is.null(x)) {
    return(gamma_prior(1, 1))
  }
  if (!inherits(x, "gamma_prior")) {
    return(check_positive(x, arg, call))
  }
  if (!is_fixed_prior(x)) {
    abort_argument(x, arg, "a positive number, NULL, or a gamma_prior() of numbers", call)
  }
  x
}

# Which of "shape" and "rate" are estimated?
estimated_in <- function(prior) Filter(function(name) inherits(prior[[name]], "gamma_prior"), c("shape", "rate"))

has_random_rate <- function(prior) "rate" %in% estimated_in(prior)

# The shape or rate of a prior, or its starting value if it is estimated: the mean of its own prior.
hyper_start <- function(prior, name) {
  x <- prior[[name]]
  if (is.numeric(x)) x else x$shape / x$rate
}

#' @export
print.gamma_prior <- function(x, ...) print_format(x)

print_format <- function(x) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' @export
format.gamma_prior <- function(x, ...) {
  one <- function(name) paste(name, if (is.numeric(x[[name]])) "=" else "~", format(x[[name]]))
  paste0("Gamma(", one("shape"), ", ", one("rate"), ")")
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

is_fixed_prior <- function(x) {
  inherits(x, "gamma_prior") && is.list(x) && is_positive(x$shape) && is_positive(x$rate)
}

is_gamma_prior <- function(prior) {
  is_hyper <- function(x) is_positive(x) || is_fixed_prior(x)
  inherits(prior, "gamma_prior") && is.list(prior) && is_hyper(prior$shape) && is_hyper(prior$rate)
}
