# Families for package brms: Bayesian regression of released counts. Their densities are functions of Stan, in
# inst/stan/private_counts.stan.

#' Regression of private counts with package brms
#'
#' Families for `brms::brm()`, with which released counts are the response of a Bayesian regression. The
#' regression is that of the true counts: the model accounts for the noise, and the noise level of each count
#' is part of the formula. True counts are Poisson, or overdispersed with variance `dispersion` times mean.
#'
#' @details For geometric noise, the noise level of each count is a variable in the formula. If `days` is a column of
#' released counts ([private_vector]), `transform(data, alpha = privacy(days)$alpha)` adds its noise levels to the
#' data, and the formula is `as.numeric(days) | vreal(alpha) ~ x`.
#'
#' The log of the mean of a true count is the linear predictor, with all terms that brms has: smooth
#' functions, varying intercepts and slopes, offsets, weights. The density of a release is the one of
#' [dprivpois()] or [dprivnbinom()], so no true count has to be drawn, and the sampler of Stan can be used.
#' With `alpha = 0` the regression is the ordinary one. Stan evaluates a positive count `k` in a time
#' proportional to `k` for `brms_private_nbinom1()`, and to `sqrt(k)` at most for `brms_private_poisson()`.
#'
#' `dispersion` has the link `"logm1"`, the log of `dispersion - 1`, when it has a formula of its own, such as
#' `brms::bf(y_tilde | vreal(alpha) ~ age, dispersion ~ region)`.
#'
#' Set the priors yourself. The default prior of `Intercept` in brms has its scale from the logs of the response.
#' These do not exist for negative counts, and the default is then a Student distribution with mean 0 and
#' scale 2.5. The default prior of `dispersion` is flat on all values above 1.
#'
#' Of the results of brms,
#' * `posterior_predict()` draws released counts, with their noise, so that `brms::pp_check()` compares
#'   releases with a release. The draws come from R's generator and are reproducible by `set.seed()`;
#' * `posterior_epred()` and `fitted()` return the means of true counts, which are also those of released
#'   counts, because the noise has mean 0;
#' * `log_lik()` and `loo()` use the density of released counts. Compare only models of the same release.
#'
#' Truncated and censored responses (`trunc()`, `cens()`) and rates (`rate()`) are not supported. Clamped
#' releases, in which negative counts were set to 0, have another distribution: use the counts before clamping.
#' @section Other mechanisms:
#' For counts that were protected in another way ([mechanisms]), the family is made with the column of released counts,
#' and the formula has no `vreal()`:
#' ```
#' d$cases <- private_counts(d$cases, mechanism = suppression(1, 9))
#' private <- brms_private_nbinom1(d$cases)
#' brms::brm(as.numeric(cases) ~ age, d, family = private$family, stanvars = private$stanvars)
#' ```
#' The density is that of [dprivcount()], a sum over true counts. A hidden count is `-Inf` in the response.
#' `posterior_predict()` draws new releases. `posterior_epred()` returns means of true counts. What the family knows of
#' the column is part of `stanvars`. Therefore a model has only one such response. After rounding, suppression, classes
#' or thinning, data with other releases need a new family.
#'
#' The computing time of a release is proportional to the number of terms of its sum.
#' * Rounding, suppression, classes, thinning: all true counts that the release allows, at most 10,000.
#' * Gaussian and discrete Gaussian noise: at most `20 * sd + 3` true counts. With Skellam noise these are at most
#'   `103 + 2 * sqrt(2500 + 100 * s)`, where `s` is the variance if the release is close to the mean, and the time per
#'   term is proportional to the standard deviation. The standard deviation must be at most 500, and means and releases
#'   must be below 1e9 in size.
#' * Laplace noise: the time is that of geometric noise. The scale must be between 0.01 and 1000.
#' * With `brms_private_nbinom1()`, the time also grows with the true counts up to the most likely one.
#'
#' Withheld counts ([withheld()]) and a [custom_mechanism()] are not supported. Use [private_poisson()] or
#' [private_nbinom1()] with `mgcv::gam()`.
#' @param release A column of released counts ([private_vector]) that were protected by rounding, suppression, classes,
#'   thinning, or by Gaussian, discrete Gaussian, Skellam or Laplace noise; `NULL` for geometric noise.
#' @param ... Must be empty, because the noise level is in the formula.
#' @return A list with two elements for arguments of `brms::brm()`: `family`, of class `customfamily`, and
#'   `stanvars`, with the functions of Stan. Both families have the same `stanvars`; give them once if a
#'   model of several responses has both families.
#' @section Errors: The functions stop with an error of class `ldpcounts_error` for any further argument, for a
#'   `release` that is not a column of released counts, or whose mechanism is not supported or has a parameter out of
#'   range, if package brms is not installed, and when predictions are made at an `alpha` that is missing or not in
#'   \[0, 1). In a call of `brms::brm()` errors come from brms and Stan: for responses that are not whole numbers, and
#'   for an `alpha` that is not a column of the data, an error of brms; for an `alpha` outside \[0, 1), a release that is
#'   too large, or one with which the family was not made, a message by Stan that names it, and then that initialization
#'   failed; for a formula without `vreal()` an error of Stan that there is no `vreal1`.
#' @references The density of a released Poisson count: Schein et al. (2019), section 3. Custom families:
#'   Buerkner, P.-C. (2017), brms: An R package for Bayesian multilevel models using Stan, *Journal of
#'   Statistical Software* 80. Both families are new in this package.
#' @seealso [dprivnbinom()]; `vignette("regression")`, in which both families are used.
#' @examples
#' if (requireNamespace("brms", quietly = TRUE)) {
#'   private <- brms_private_nbinom1()
#'   print(private$family)
#' }
#' \dontrun{
#' # compiling the model and sampling take a few minutes
#' set.seed(1)
#' school <- MASS::quine
#' school$Days <- privatize(school$Days, epsilon = 1, precision = 5, rng = "R")
#' school <- transform(school, alpha = privacy(Days)$alpha)
#' fit <- brms::brm(as.numeric(Days) | vreal(alpha) ~ Eth + Age, school,
#'   family = private$family, stanvars = private$stanvars,
#'   prior = c(
#'     brms::prior(normal(2, 2), class = "Intercept"), brms::prior(normal(0, 1), class = "b"),
#'     brms::prior(gamma(2, 0.1), class = "dispersion")
#'   )
#' )
#' summary(fit)
#' brms::pp_check(fit)
#' loo::loo(fit)
#' }
#' @export
brms_private_poisson <- function(release = NULL, ...) {
  check_no_alpha(release, ..., name = "brms_private_poisson")
  brms_family("poisson", release, "mu", "log", NA)
}

#' @rdname brms_private_poisson
#' @export
brms_private_nbinom1 <- function(release = NULL, ...) {
  check_no_alpha(release, ..., name = "brms_private_nbinom1")
  brms_family("nbinom1", release, c("mu", "dispersion"), c("log", "logm1"), c(NA, 1))
}

# The noise level may be given as an argument, because it is one of the families for mgcv.
check_no_alpha <- function(release, ..., name, call = rlang::caller_env()) {
  in_formula <- "The noise level is part of the formula: {.code y_tilde | vreal(alpha) ~ x}."
  check_that(...length() == 0 && (is.null(release) || is_private_vector(release)), c(
    "{.fn {name}} has no arguments but {.arg release}, a column of released counts.", i = in_formula,
    i = "Other mechanisms belong to the column: {.code private_counts(x, mechanism = )}."
  ), call)
  if (!is.null(release)) {
    mechanism <- mechanism_of_vector(release)
    check_that(!is.null(mechanism), c("{.arg release} has geometric noise, or none.", i = in_formula), call)
    check_that(mechanism$kind %in% names(BRMS_MECHANISMS), c(
      "{.fn {name}} does not support the mechanism of {.arg release}: {tolower(MECHANISMS[[mechanism$kind]]$does)}.",
      i = "Use {.fn {sub('brms_', '', name)}} with {.fn mgcv::gam}."
    ), call)
  }
}

# The names of their densities in inst/stan/private_counts.stan, with "poisson" or "nbinom1" to follow.
BRMS_MECHANISMS <- c(
  random_rounding = "private_release_", rounding = "private_release_", suppression = "private_release_",
  classes = "private_release_", thinning = "private_release_", gaussian = "private_noise_",
  discrete_gaussian = "private_noise_", skellam = "private_noise_", laplace = "private_laplace_"
)

brms_family <- function(name, release, dpars, links, lb, call = rlang::caller_env()) {
  check_package("brms", "its families", call)
  mechanism <- if (!is.null(release)) mechanism_of_vector(release)
  geometric <- is.null(mechanism)
  known <- if (!geometric) stan_data(mechanism, release, call)
  family <- brms::custom_family(paste0(if (geometric) "private_" else BRMS_MECHANISMS[[mechanism$kind]], name),
    dpars = dpars, links = links, lb = lb, type = if (geometric) "int" else "real",
    vars = if (geometric) "vreal1[n]" else names(known),
    log_lik = function(i, prep) brms_log_lik(i, prep, mechanism),
    posterior_predict = function(i, prep, ...) brms_predict(i, prep, mechanism),
    posterior_epred = function(prep) brms::get_dpar(prep, "mu"), env = topenv()
  )
  functions <- brms::stanvar(scode = stan_functions(), block = "functions")
  list(family = family, stanvars = Reduce(`+`, Map(brms::stanvar, known, names(known)), functions))
}

# What the densities need, by the names of variables in Stan: of noise its parameters, of other mechanisms the different
# releases of the column.
stan_data <- function(mechanism, release, call) {
  p <- mechanism$parameters
  if (mechanism$kind == "laplace") {
    check_that(p$scale >= 0.01 && p$scale <= 1000, c(
      "The scale of Laplace noise must be between 0.01 and 1000.", x = "It is {p$scale}."
    ), call)
    return(list(ldp_scale = p$scale))
  }
  if (BRMS_MECHANISMS[[mechanism$kind]] == "private_noise_") {
    skellam <- mechanism$kind == "skellam"
    sd <- if (skellam) sqrt(p$variance) else p$sd
    check_that(sd <= MOST_SD, c(
      "The noise must have a standard deviation of at most {MOST_SD}.", x = "It has {sd}."
    ), call)
    return(list(
      ldp_sd = sd, ldp_variance = if (skellam) p$variance else 0,
      ldp_log_noise = dprivcount(0, 0, mechanism, log = TRUE)
    ))
  }
  different <- sort(unique(as.double(release)))
  low <- high <- different
  if (mechanism$kind == "random_rounding") {
    low <- pmax(0, different - p$base + 1)
    high <- different + p$base - 1
  } else if (mechanism$kind == "rounding") {
    low <- pmax(0, different - floor(p$base / 2))
    high <- different + ceiling(p$base / 2) - 1
  } else if (mechanism$kind == "suppression") {
    low[different == HIDDEN] <- p$from
    high[different == HIDDEN] <- p$to
  } else if (mechanism$kind == "classes") {
    high <- c(p$breaks[-1] - 1, Inf)[match(different, p$breaks)]
  }
  number <- ifelse(is.finite(high), high - low + 1, 0)
  check_that(all(number <= MOST_ALLOWED), c(
    "A release must allow at most {MOST_ALLOWED} true counts.", x = "One allows {max(number)}."
  ), call)
  list(
    ldp_release = as.array(different), ldp_low = as.array(low), ldp_number = as.array(number),
    ldp_base = if (mechanism$kind == "random_rounding") p$base else 0,
    ldp_kept = if (mechanism$kind == "thinning") p$prob else 1
  )
}

MOST_ALLOWED <- 10000
MOST_SD <- 500 # of which the sums have 2 * 10 * 500 terms

stan_functions <- function() {
  file <- system.file("stan", "private_counts.stan", package = "ldpcounts", mustWork = TRUE)
  paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
}

# brms calls the following two functions with the number of an observation, `i`, and its list `prep`, which has
# the draws of parameters and the data. They return one value per draw. `mechanism`: NULL for geometric noise.

brms_log_lik <- function(i, prep, mechanism) {
  theta <- brms_parameters(i, prep)
  y <- prep$data$Y[i]
  log_density <- if (is.null(mechanism)) {
    dprivnbinom(y, theta$mu, brms_alpha(i, prep), theta$dispersion, log = TRUE)
  } else {
    dprivcount(y, theta$mu, mechanism, theta$dispersion, log = TRUE)
  }
  # as the families of brms do
  if (is.null(prep$data$weights)) log_density else log_density * prep$data$weights[i]
}

brms_predict <- function(i, prep, mechanism) {
  theta <- brms_parameters(i, prep)
  if (is.null(mechanism)) {
    rprivnbinom(prep$ndraws, theta$mu, brms_alpha(i, prep), theta$dispersion)
  } else {
    rprivcount(prep$ndraws, theta$mu, mechanism, theta$dispersion)
  }
}

brms_alpha <- function(i, prep) check_alpha(prep$data$vreal1[i], call = NULL)

# A Poisson count has a dispersion of 1.
brms_parameters <- function(i, prep) {
  get <- function(name) as.numeric(brms::get_dpar(prep, name, i = i))
  overdispersed <- "dispersion" %in% prep$family$dpars
  list(mu = get("mu"), dispersion = if (overdispersed) get("dispersion") else 1)
}
