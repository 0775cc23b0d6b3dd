# What a model assumes: gamma priors of factors, the family of counts, and groups of rows.

#' Gamma prior of the factors
#'
#' Creates a gamma prior. All weights in a factor (`theta`, `phi` or `pi`) have this prior, independently of
#' each other.
#'
#' A shape below 1 favours sparse factors, in which a few weights account for most of the counts. The prior
#' mean is `shape / rate`, and the variance is `shape / rate^2`. With the family `"nbinom1"` the product of the
#' factors is the mean number of events, and the mean of a count is this times the mean size of an event (see
#' [which-family]): with the same prior, larger dispersions mean larger counts.
#'
#' The rate sets the scale of a factor, and the shape says whether its weights are sparse. If you do not know
#' one of them, let it be `NULL`, which stands for `gamma_prior(1, 1)`, or give it another prior of its own.
#' It is then estimated together with the other parameters, and `as.matrix()` of the fit has its draws in
#' columns `rate[theta]`, `shape[theta]` and so on. The Gibbs samplers draw a shape with the weights
#' integrated out (Zhou and Carin, 2015), except that of the communities in [block_model()], which they draw
#' given the weights. With [cavi()] and [svi()], an estimated shape is a single number, the one that maximizes
#' the bound plus the log density of the log of the shape, so its draws are all equal.
#'
#' The defaults of `gamma_prior()` are those of Schein et al. (2019), section 6. The models have other
#' defaults: without `prior`, [topic_model()], [block_model()] and [tensor_model()] use `gamma_prior(NULL,
#' NULL)` with [gibbs()], and `gamma_prior(0.3, NULL)` with [cavi()] and [svi()].
#'
#' @param shape,rate A positive number, or `NULL` to estimate it, or the `gamma_prior()` of an estimated one,
#'   which must have numbers itself.
#' @return An object of class `gamma_prior`: a list of `shape` and `rate`.
#' @section Defaults of the models: The default family is the one that did better for five data sets at four
#' noise levels (`bench/defaults.R` in the sources): `"nbinom1"` had a higher density of held-out counts than
#' `"poisson"` by more than two standard errors in 16 of the 20 cases, and a lower one in none. With the prior
#' of Schein et al. (2019), 90 % intervals contained the sum of all true counts in 40 % of runs with
#' `"nbinom1"`, and in 4 % with `"poisson"`.
#'
#' [gibbs()] estimates the shape because no number suits all data: with strong noise, a prior that expects
#' weights sparser than they are makes totals too small. Against `gamma_prior(0.3, NULL)`, the density of
#' held-out counts of [enron_network] and [poliblog] at three noise levels was lower by at most 0.0005 per cell
#' (standard error 0.0011; `bench/priors.R`). In the same 84 releases of six real tables, 90 % intervals contained the
#' sum of all counts in 85 % of fits with an estimated shape and in 73 % with 0.3. Chains need more sweeps to agree
#' (`until`, see [gibbs()]), above all those of surveys with few columns. The six tables were noised 20 times at each
#' of four levels. In the 62 of 480 default fits in which
#' `summary()` found no problem, 90 % intervals contained 89 % of the sums of all true counts (standard error 4)
#' and 90 % of the sums of groups of rows (standard error 2). Of the 95 sums of all counts outside their
#' intervals, `summary()` named a problem, modes, or the share that comes from the model, for 88
#' (`bench/real-tables.R`).
#'
#' [cavi()] and [svi()] keep the shape 0.3: the shapes that maximize their bounds are too large for some
#' factors and too small for others. The default is four chains, because several chains are needed to see
#' whether they agree.
#' @section Errors: `gamma_prior()` stops with an error of class `ldpcounts_error` if `shape` or `rate` is
#'   something else.
#' @references Zhou, M. and Carin, L. (2015). Negative binomial process count and mixture modeling. *IEEE
#'   Transactions on Pattern Analysis and Machine Intelligence* 37, 307-320.
#' @examples
#' gamma_prior()
#' # the scale of the weights is estimated from the data, and then their shape as well
#' gamma_prior(0.1, rate = NULL)
#' gamma_prior(NULL, NULL)
#' # a different prior for each factor of a topic model
#' list(theta = gamma_prior(0.1, 1), phi = gamma_prior(0.05, 1))
#' @export
gamma_prior <- function(shape = 0.1, rate = 1) {
  structure(
    list(shape = check_hyper(shape, "shape"), rate = check_hyper(rate, "rate")),
    class = "gamma_prior"
  )
}

is_gamma_prior <- function(x) {
  positive <- function(x) is_number(x) && x > 0
  of_numbers <- function(x) positive(x$shape) && positive(x$rate)
  is_hyper <- function(x) positive(x) || (inherits(x, "gamma_prior") && is.list(x) && of_numbers(x))
  inherits(x, "gamma_prior") && is.list(x) && is_hyper(x$shape) && is_hyper(x$rate)
}

# A number, or the prior of one that is estimated.
check_hyper <- function(x, arg, call = rlang::caller_env()) {
  if (is.null(x)) {
    return(gamma_prior(1, 1))
  }
  if (!inherits(x, "gamma_prior")) {
    return(check_positive(x, arg, call))
  }
  if (!is_gamma_prior(x) || length(estimated_in(x)) > 0) {
    abort_argument(x, arg, "a positive number, NULL, or a gamma_prior() of numbers", call)
  }
  x
}

# Which of "shape" and "rate" are estimated?
estimated_in <- function(prior) {
  Filter(function(name) inherits(prior[[name]], "gamma_prior"), c("shape", "rate"))
}

has_random_rate <- function(prior) "rate" %in% estimated_in(prior)

# The shape or rate of a prior, or its starting value if it is estimated: the mean of its own prior, but for
# shapes less. From a large shape, chains reach a mode with even weights, which they seldom leave if there is
# much noise, although its log density is lower.
SHAPE_START <- 0.3
hyper_start <- function(prior, name) {
  x <- prior[[name]]
  if (is.numeric(x)) x else x$shape / x$rate * (if (name == "shape") SHAPE_START else 1)
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

# If a shape or rate is estimated in one prior, those of all priors are stored with the factors.
hyper_starts <- function(priors) {
  estimated <- unique(unlist(lapply(priors, estimated_in)))
  lapply(stats::setNames(nm = estimated), function(name) matrix(vapply(priors, hyper_start, 0, name)))
}

# The shape of the prior of variational fits, if none is given, and of plans. It is not estimated, because shapes
# that maximize a variational bound are too far apart: those of dense factors are too large, those of sparse ones
# too small.
TYPICAL_SHAPE <- 0.3

# Returns a named list with one prior per factor; `prior` is one prior for all, or a list with these names.
check_prior <- function(prior, factors, call = rlang::caller_env()) {
  if (is_gamma_prior(prior)) {
    return(stats::setNames(rep(list(prior), length(factors)), factors))
  }
  if (!identical(sort(names(prior)), sort(factors)) || !all(vapply(prior, is_gamma_prior, TRUE))) {
    wanted <- paste0(factors, " = ", collapse = ", ")
    abort_argument(prior, "prior", paste0("a gamma_prior(), or list(", wanted, ") of them"), call)
  }
  prior[factors]
}

# All priors of a task, in one list, in the form that src/rc_*.c reads: a gamma_prior() per factor; `dispersion`, a
# beta_prior(), if it is estimated; and `groups`, of check_groups(), if there are any.
new_priors <- function(of_factors, family, groups = NULL) {
  dispersion <- if (is_estimated(family)) list(dispersion = family$prior)
  c(of_factors, dispersion, if (!is.null(groups)) list(groups = groups))
}

# --- family ---------------------------------------------------------------------------------------

#' Beta prior of the dispersion
#'
#' Creates a beta prior of `1 - 1 / dispersion`, for the family `"nbinom1"` of [topic_model()],
#' [block_model()] and [tensor_model()]. This quantity is 0 if counts are Poisson, and near 1 if they are
#' strongly overdispersed.
#'
#' @param shape1,shape2 Positive numbers, the shapes of the beta distribution. The default is the uniform
#'   distribution. A larger `shape2` pulls the estimate towards Poisson counts.
#' @section Dispersions of columns: With `dispersion_by = "column"`, `1 - 1 / dispersion` of each column has
#'   the distribution Beta(`m * v`, `(1 - m) * v`), whose parameters are estimated together with the
#'   dispersions: its mean `m` has the beta prior that is given, and `1 / v` is uniform between 0 and 1. So
#'   columns with little information borrow from the others, and if `v` is large, all dispersions are nearly
#'   equal. `as.matrix()` of the fit has the draws of `m * v` and `(1 - m) * v` in its columns
#'   `dispersion_prior[shape1]` and `dispersion_prior[shape2]`.
#' @return An object of class `beta_prior`: a list of `shape1` and `shape2`.
#' @section Errors: `beta_prior()` stops with an error of class `ldpcounts_error` if a shape is not a
#'   positive number.
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

# The family of true counts.
#
#   name         "poisson" or "nbinom1"
#   dispersion   of "nbinom1", if it is fixed;
#   prior, by    otherwise its beta_prior(), and whether there is one for "all" counts, or one per "row" or "column"
#
# Samplers and fits store the dispersion as `excess`, dispersion - 1, which keeps its precision near 0: a column
# among the factors, with one number, or one per row or column. If there is one per column, the two shapes of
# their beta prior are stored as `pool`. If counts are Poisson, there is no `excess`.
new_family <- function(name, dispersion = NULL, prior = NULL, by = NULL) {
  Filter(Negate(is.null), list(name = name, dispersion = dispersion, prior = prior, by = by))
}

poisson_family <- new_family("poisson")

# `scheme`: the sampling scheme; `network`: that of the model.
check_family <- function(family, dispersion, dispersion_prior, dispersion_by, scheme, network, call) {
  families <- c("nbinom1", "poisson")
  only_poisson <- scheme %in% c("bessel", "delta")
  if (identical(family, families) && only_poisson) family <- "poisson"
  family <- check_choice(family, "family", families, call)
  by <- check_choice(dispersion_by, "dispersion_by", c("all", "row", if (network == "none") "column"), call)
  prior <- dispersion_prior
  fixed <- dispersion
  check_that(network != "undirected" || by == "all", c(
    "{.arg dispersion_by} must be \"all\" with {.code directed = FALSE}.",
    i = "The count of a pair belongs to two rows."
  ), call)
  if (!inherits(prior, "beta_prior")) abort_argument(prior, "dispersion_prior", "a beta_prior()", call)
  if (!is.null(fixed)) check_dispersion(fixed, call, "NULL or one number of at least 1")
  if (family == "poisson") {
    arg <- if (is.null(fixed)) "dispersion_by" else "dispersion"
    message <- "{.arg {arg}} is only for {.code family = \"nbinom1\"}: Poisson counts have no dispersion."
    check_that(is.null(fixed) && by == "all", message, call)
    return(poisson_family)
  }
  check_that(!only_poisson, c(
    "{.arg scheme} must be \"collapsed\" for {.code family = \"nbinom1\"}.",
    i = "The scheme \"{scheme}\" is only for Poisson counts."
  ), call)
  if (is.null(fixed)) {
    return(new_family(family, prior = prior, by = by))
  }
  check_that(by == "all", "{.arg dispersion_by} must be \"all\" if {.arg dispersion} is fixed.", call)
  new_family(family, dispersion = as.double(fixed))
}

is_estimated <- function(family) !is.null(family$prior)

# Does each column (of a tensor, each index of the last mode) have its own dispersion?
is_by_column <- function(family) identical(family$by, "column")

# The length of `excess` for data with these extents.
n_excess <- function(family, dim) {
  if (is_estimated(family)) {
    return(switch(family$by, all = 1, row = dim[1], column = dim[length(dim)]))
  }
  if (is.null(family$dispersion) || family$dispersion <= 1) 0 else 1
}

# Starting values of n dispersions: approximately the median of the prior.
start_excess <- function(family, n) {
  rep(if (is_estimated(family)) family$prior$shape1 / family$prior$shape2 else family$dispersion - 1, n)
}

# Starting values of the shapes of the prior of dispersions of columns: those of the prior of their mean,
# whose sum is raised to 1 if it is smaller.
start_pool <- function(family) {
  shapes <- c(family$prior$shape1, family$prior$shape2)
  list(pool = matrix(shapes / min(1, sum(shapes))))
}

# The mean count per event (1 for Poisson counts): the mean of a count is the mean number of events times
# this.
event_size <- function(excess) if (length(excess) == 0) 1 else excess / log1p(excess)

describe_family <- function(family) {
  if (family$name == "poisson") {
    return("Poisson counts")
  }
  dispersion <- if (is_estimated(family)) {
    switch(family$by, all = "estimated", row = "of each row estimated", column = "of each column estimated")
  } else {
    paste("=", format(family$dispersion))
  }
  paste("negative binomial counts, dispersion", dispersion)
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
  variance <- mu * (1 + excess) + noise_variance(alpha)
  if (!clamped) {
    return(list(mean = mu, variance = variance))
  }
  below <- exp(log_generating(mu, excess, alpha)) * alpha
  mean <- mu + below / (1 - alpha^2)
  list(mean = mean, variance = variance + mu^2 - below / (1 - alpha)^2 - mean^2)
}

# --- groups ---------------------------------------------------------------------------------------

# Groups of rows, for the argument `groups` of model functions. They are an element `groups` of the priors of
# a task, in the form that src/rc_groups.c reads:
#
#   combination     per row, the number of the combination of levels that it has, from 0
#   level           a matrix with one row per factor and one column per combination: the number of the level,
#                   from 0, counted over all factors
#   first           the number of the first level of each factor, and the number of all levels
#   shape           the shape, and the rate, of the gamma prior of relative rates
#   levels          a list of the labels of the levels of each factor
#
# The relative rates are stored with the factors of the model, as `groups`: one row per component and one
# column per level.

# With Gamma(2, 2) priors of two relative rates, their ratio is between 0.16 and 6.4 with probability 0.9.
GROUP_SHAPE <- 2

# NULL if there are no groups. `n`: the number of rows of the data.
check_groups <- function(groups, n, call = rlang::caller_env()) {
  if (is.null(groups)) {
    return(NULL)
  }
  frame <- grouping_factors(groups, n, "groups", "row of the data", numbers = FALSE, call)
  for (name in names(frame)) {
    check_that(nlevels(frame[[name]]) > 1, c(
      "{.arg groups} must have at least two groups.",
      x = "All rows have the same value{if (length(frame) > 1) paste0(' of ', name)}."
    ), call)
  }
  number_groups(frame)
}

# `frame`: a list of factors without NA. `levels`: their levels.
number_groups <- function(frame, levels = lapply(frame, base::levels)) {
  first <- c(0L, cumsum(lengths(levels, use.names = FALSE)))
  of_rows <- vapply(seq_along(frame), function(f) {
    match(as.character(frame[[f]]), levels[[f]]) - 1L + first[f]
  }, integer(length(frame[[1]])))
  of_rows <- matrix(of_rows, ncol = length(frame))
  key <- do.call(paste, as.data.frame(of_rows))
  distinct <- !duplicated(key)
  list(
    combination = match(key, key[distinct]) - 1L, level = t(of_rows[distinct, , drop = FALSE]),
    first = first, shape = GROUP_SHAPE, levels = levels
  )
}

n_levels <- function(groups) sum(lengths(groups$levels))

# The number of the level of each row, within the levels of factor f.
level_of_rows <- function(groups, f) groups$level[f, groups$combination + 1L] - groups$first[f] + 1L

# Names such as "group=left", one per level of all factors.
level_names <- function(groups) {
  paste0(rep(names(groups$levels), lengths(groups$levels)), "=", unlist(groups$levels))
}

# Groups of new rows, with the levels of those of the fit.
check_new_groups <- function(groups, known, n, call = rlang::caller_env()) {
  if (is.null(known)) {
    check_that(is.null(groups), "{.arg groups} is only for a fit that has groups.", call)
    return(NULL)
  }
  names <- names(known$levels)
  check_that(!is.null(groups),
    "{.arg groups} must be given: the fit has groups, so each row of {.arg newdata} needs its own.", call
  )
  frame <- grouping_factors(groups, n, "groups", "row of newdata", numbers = FALSE, call)
  if (!is.data.frame(groups) && length(names) == 1) names(frame) <- names
  check_that(all(names %in% names(frame)), c(
    "{.arg groups} must have the columns of the groups of the fit.",
    x = "Missing: {setdiff(names, names(frame))}."
  ), call)
  for (name in names) {
    other <- setdiff(as.character(frame[[name]]), known$levels[[name]])
    check_that(length(other) == 0, c(
      "{.arg groups} must be groups that the data of the fit have.",
      x = "{length(other)} group{?s} {?is/are} not among them: {utils::head(other, 5)}."
    ), call)
  }
  number_groups(frame[names], known$levels)
}
