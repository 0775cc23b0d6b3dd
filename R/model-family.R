# The distribution of true counts given their means (Poisson or overdispersed), and of their releases.

#' Beta prior of the dispersion
#'
#' Creates a beta prior of `1 - 1 / dispersion`, for the family `"nbinom1"` of [topic_model()],
#' [block_model()] and [tensor_model()]. This quantity is 0 if counts are Poisson, and near 1 if they are
#' strongly overdispersed.
#'
#' @param shape1,shape2 Positive numbers, the shapes of the beta distribution. The default is the uniform
#'   distribution. A larger `shape2` pulls the estimate towards Poisson counts.
#' @return An object of class `beta_prior`: a list of `shape1` and `shape2`.
#' @section Errors: An error of class `ldpcounts_error` is thrown if a shape is not a positive number.
#' @seealso [which-family]
#' @examples
#' beta_prior()
#' # for a dispersion of about 1.1: the prior mean of 1 - 1/dispersion is 0.1
#' beta_prior(1, 9)
#' @export
beta_prior <- function(shape1 = 1, shape2 = 1) {
  structure(
    list(shape1 = check_positive(shape1, "shape1"), shape2 = check_positive(shape2, "shape2")),
    class = "beta_prior"
  )
}

#' @export
print.beta_prior <- function(x, ...) print_format(x)

#' @export
format.beta_prior <- function(x, ...) {
  paste0("Beta(", format(x$shape1), ", ", format(x$shape2), ") on 1 - 1/dispersion")
}

# The family of true counts in a fit: list(name, dispersion, prior, by). `dispersion` is the fixed
# dispersion, or NULL; `prior` and `by` are NULL unless it is estimated. Samplers and fits store it as
# `excess`, dispersion - 1, which keeps its precision near 0: a column among the factors, with one number or
# one per row. If counts are Poisson, there is no `excess`.
poisson_family <- list(name = "poisson")

# `scheme`: the sampling scheme; `pairs`: do counts belong to pairs of actors?
check_family <- function(family, dispersion, dispersion_prior, dispersion_by, scheme, pairs, call) {
  families <- c("nbinom1", "poisson")
  if (identical(family, families) && scheme != "collapsed") family <- "poisson"
  family <- check_choice(family, "family", families, call)
  by <- check_choice(dispersion_by, "dispersion_by", c("all", "row"), call)
  prior <- dispersion_prior
  fixed <- dispersion
  check_that(!pairs || by == "all", c(
    "{.arg dispersion_by} must be \"all\" with {.code directed = FALSE}.",
    i = "The count of a pair belongs to two rows."
  ), call)
  if (!is_beta_prior(prior)) abort_argument(prior, "dispersion_prior", "a beta_prior()", call)
  if (!is.null(fixed) && !(is_number(fixed) && fixed >= 1)) {
    abort_argument(fixed, "dispersion", "NULL or one number of at least 1", call)
  }
  if (family == "poisson") {
    arg <- if (is.null(fixed)) "dispersion_by" else "dispersion"
    message <- "{.arg {arg}} is only for {.code family = \"nbinom1\"}: Poisson counts have no dispersion."
    check_that(is.null(fixed) && by == "all", message, call)
    return(poisson_family)
  }
  check_that(scheme == "collapsed", c(
    "{.arg scheme} must be \"collapsed\" for {.code family = \"nbinom1\"}.",
    i = "Other sampling schemes are only for Poisson counts."
  ), call)
  if (is.null(fixed)) {
    return(list(name = family, prior = prior, by = by))
  }
  check_that(by == "all", "{.arg dispersion_by} must be \"all\" if {.arg dispersion} is fixed.", call)
  list(name = family, dispersion = as.double(fixed))
}

is_estimated <- function(family) !is.null(family$prior)

# The length of `excess` for data with n rows.
n_excess <- function(family, n) {
  if (is_estimated(family)) {
    return(if (family$by == "row") n else 1)
  }
  if (is.null(family$dispersion) || family$dispersion <= 1) 0 else 1
}

# Starting values of n dispersions: approximately the median of the prior.
start_excess <- function(family, n) {
  rep(if (is_estimated(family)) family$prior$shape1 / family$prior$shape2 else family$dispersion - 1, n)
}

# The mean count per event (1 for Poisson counts): the mean of a count is the mean number of events times
# this.
event_size <- function(excess) if (length(excess) == 0) 1 else excess / log1p(excess)

describe_family <- function(family) {
  if (family$name == "poisson") {
    return("Poisson counts")
  }
  dispersion <- if (is_estimated(family)) {
    switch(family$by, all = "estimated", row = "of each row estimated")
  } else {
    paste("=", format(family$dispersion))
  }
  paste("negative binomial counts, dispersion", dispersion)
}

is_family <- function(family) {
  identical(family, poisson_family) ||
    (is.list(family) && identical(family$name, "nbinom1") && if (is.null(family$prior)) {
      is_positive(family$dispersion) && family$dispersion >= 1
    } else {
      is_beta_prior(family$prior) && rlang::is_string(family$by, c("all", "row"))
    })
}

is_beta_prior <- function(prior) {
  inherits(prior, "beta_prior") && is.list(prior) && is_positive(prior$shape1) && is_positive(prior$shape2)
}

# Draws true counts with these means; excess (dispersion - 1) is 0 for Poisson counts. (rnbinom() does not
# accept a mean of 0, which a product of factors may underflow to.)
replicate_counts <- function(mu, excess) {
  n <- length(mu)
  rate <- if (all(excess == 0)) mu else stats::rgamma(n, shape = mu / excess, scale = excess)
  stats::rpois(n, rate)
}

# Draws releases of such counts.
replicate_release <- function(mu, excess, alpha, clamped) {
  y_tilde <- replicate_counts(mu, excess) + rtwogeom(length(mu), alpha)
  if (clamped) pmax(y_tilde, 0) else y_tilde
}

# log E[alpha^y] of such counts.
log_generating <- function(mu, excess, alpha) {
  if (all(excess == 0)) -(1 - alpha) * mu else -mu / excess * log1p((1 - alpha) * excess)
}

# Mean and variance of a released count. Clamping removes its negative part: -y_tilde is positive with
# probability E[alpha^y] alpha/(1 + alpha), and then geometric.
release_moments <- function(mu, excess, alpha, clamped) {
  variance <- mu * (1 + excess) + 2 * alpha / (1 - alpha)^2
  if (!clamped) {
    return(list(mean = mu, variance = variance))
  }
  below <- exp(log_generating(mu, excess, alpha)) * alpha
  mean <- mu + below / (1 - alpha^2)
  list(mean = mean, variance = variance + mu^2 - below / (1 - alpha)^2 - mean^2)
}
