# Families of private counts for mgcv::gam(): "extended families" (?mgcv::family.mgcv), lists of functions.
# Their deviance is twice the difference between the log density of a released count and its largest value
# over all means of a Poisson count. An overdispersed count is a mixture of Poisson counts, so no density is
# larger, and the largest value does not depend on the dispersion.

#' Families of private counts for generalised additive models
#'
#' `private_poisson()` and `private_nbinom1()` are families for [mgcv::gam()]: they fit regressions to
#' released counts and account for their noise. Formulas, smooth terms, random effects, offsets, weights,
#' `summary()`, `predict()` and `plot()` work as with other families.
#'
#' @details The response is a release, as a column of the data ([private_vector]), whose noise levels the
#' families read; or plain numbers, and then `alpha` gives the noise level. `private_counts(y_tilde, alpha =
#' alpha) ~ x` makes a release of two columns of the data. Noise levels follow their rows, whatever rows are
#' left out by `subset` or because of missing values. In the following, the released count of a row is
#' `y_tilde = y + tau`. The true count `y` of a row has mean `mu`, which depends on the covariates by
#' `link(mu) = eta`. It is Poisson, or negative binomial with variance `dispersion * mu` (`private_nbinom1()`,
#' in the notation of [dprivnbinom()]). The noise `tau` is two-sided geometric with ratio `alpha`.
#' Coefficients maximise the likelihood of the released counts, [dprivpois()] or [dprivnbinom()], with the
#' penalties of smooth terms. The dispersion and smoothing parameters maximise the restricted likelihood
#' (REML). With `alpha = 0`, `private_poisson()` gives the same coefficients as [stats::poisson()].
#'
#' Standard errors, intervals and p-values include the noise: they are derived from the expected information
#' of the released counts. `predict(fit, type = "response")` and `fitted(fit)` are means of true counts, which
#' do not depend on `alpha`. Predictions for new data therefore need no noise level.
#' `fit$family$getTheta(TRUE)` returns the dispersion, and `summary()` prints it.
#'
#' A column whose counts were protected by another mechanism ([mechanisms]), such as random rounding or
#' suppression, is a response too: `gam(cases ~ age, family = private_nbinom1(), data = d)` with `d$cases <-
#' private_counts(d$cases, mechanism = suppression(1, 9))`. The likelihood is that of [dprivcount()]. Residuals of
#' hidden counts are those of a rough guess: 0, or of suppression the lowest count of the range plus 1. A
#' [custom_mechanism()] takes several seconds per iteration.
#'
#' The standard errors of `summary()` take the estimated `dispersion` as known. Those of
#' `vcov(fit, unconditional = TRUE)` and `predict(fit, se.fit = TRUE, unconditional = TRUE)` account for its
#' estimation. Use them where counts are hidden: intervals of the first kind covered the true coefficient in
#' 86 % of data sets in place of 90 % (counts from 1 to 9 suppressed).
#'
#' Negative released counts are expected, and must be kept. Counts that were stored with `clamp = TRUE` are
#' not valid: replacing negative counts by 0 raises the mean of the counts, and the likelihood would take each
#' 0 as a released 0. Fits stop with an error if there are zeros but no negative counts, and if that would have a
#' probability below 1e-9 for counts that were not clamped (of released counts up to 0, each is 0 with
#' probability `1 - alpha`). Missing released counts (masked cells) are dropped with their rows by
#' `na.action`.
#'
#' The deviance compares the log density of each released count with its largest value over all means of a
#' Poisson count. `residuals()` of type `"deviance"` use the largest value for the dispersion of the fit.
#' Pearson residuals are divided by the standard deviation of the released count, `sqrt(dispersion mu + 2
#' alpha / (1 - alpha)^2)`. `simulate()` draws released counts, with new noise.
#'
#' A family object holds the noise levels and the dispersion of its last fit, as do families of mgcv. Create
#' it in the call of `gam()`, so that no two fits share it. [mgcv::bam()] accepts these families if all rows
#' have the same noise level, and does not find an `alpha` that is a column of its data. Other functions of
#' mgcv (such as `gamm()`) do not accept families of this kind.
#'
#' @section Comparing models: The default `method = "REML"` estimates the dispersion of `private_nbinom1()` by
#' the restricted likelihood. So `logLik()` is not maximised, and a larger model can have a smaller `logLik()`
#' than a smaller one: in simulations without an effect and with 100 rows, this happened in 12 % of
#' comparisons, and it happens with `mgcv::nb()` too. To compare models by `logLik()`, `AIC()` or `anova()`,
#' give all of them the dispersion of the largest: `private_nbinom1(alpha, dispersion =
#' largest$family$getTheta(TRUE))`. `method = "ML"` maximises the likelihood, but needs a smooth term: without a
#' penalty, `gam()` stops with an error.
#'
#' A coefficient of a group can differ from the log ratio of the means of the groups, even in sign, also for
#' true counts. If the variance is proportional to the mean, as `private_nbinom1()` assumes, a count says most
#' about the number of events behind it where it is small, so that large counts have less influence than in a
#' mean. If the means themselves are of interest, use [private_means()].
#' @section Warnings: `private_poisson()` issues a warning of class `ldpcounts_overdispersed` if the released
#' counts vary far more than Poisson counts with noise. Both families issue one of class
#' `ldpcounts_declared_alpha` if the counts at or below zero contradict `alpha`; see [private_counts()].
#' @param alpha For a response of plain numbers, the noise level, from 0 to 0.999: one number, a vector with
#'   one number per row of the data, or the name of a column of `data`. Like `weights` of [lm()], it is
#'   evaluated in `data` first, so a column named `alpha` takes precedence over a variable of that name.
#'   [geometric_alpha()] computes it from `epsilon`. A release carries its noise levels, and needs no `alpha`.
#' @param link The link function: `"log"`, `"sqrt"` or `"identity"`.
#' @param dispersion The dispersion of the true counts, variance divided by mean, at least 1; `NULL` estimates
#'   it.
#' @return An object of class `extended.family` and `family`, for the argument `family` of [mgcv::gam()].
#' @section Errors: All errors have the class `ldpcounts_error`. Fits stop with one, before they begin, if
#' the response is clamped, or has no noise level and `alpha` is not given; if `alpha` contradicts the
#' response, is not numeric, has another length than 1 or the number of rows, or is outside its range; if the
#' response is not numeric, has values that are not whole numbers, or has the zeros of clamped counts; if
#' counts are negative although `alpha` is 0; if covariates are missing and `na.action` keeps their rows; and
#' if package mgcv is not installed.
#' @seealso [private_vector] for releases in data frames; [dprivpois()] and [dprivnbinom()] for the
#'   distributions; [mgcv::gam()] and [mgcv::s()] for formulas and smooth terms; [private_gibbs()] for
#'   Bayesian regressions.
#' @references Derivatives of log densities of incomplete data: Fisher, R. A. (1925), Theory of statistical
#'   estimation, *Mathematical Proceedings of the Cambridge Philosophical Society* 22, 700-725, and Louis, T.
#'   A. (1982), Finding the observed information matrix when using the EM algorithm, *Journal of the Royal
#'   Statistical Society B* 44, 226-233, equations 3.1 and 3.2. Extended families and REML: Wood, S. N., Pya,
#'   N. and Saefken, B. (2016), Smoothing parameter and model selection for general smooth models, *Journal of
#'   the American Statistical Association* 111, 1548-1563. The model of the noise: Schein, A. et al. (2019),
#'   Locally private Bayesian inference for count models, *Proceedings of Machine Learning Research* 97,
#'   section 3. The computation of the derivatives is new in this package.
#' @examplesIf requireNamespace("mgcv", quietly = TRUE) && requireNamespace("MASS", quietly = TRUE)
#' # days absent from school in one year
#' quine <- MASS::quine
#' set.seed(1)
#' quine$released <- privatize(quine$Days, epsilon = 1, rng = "R")
#' fit <- mgcv::gam(released ~ Eth + Age, family = private_nbinom1(), data = quine)
#' summary(fit)
#' predict(fit, data.frame(Eth = "A", Age = "F1"), type = "response", se.fit = TRUE)
#' @export
private_poisson <- function(alpha = NULL, link = "log") {
  private_family("private poisson", alpha_source(rlang::enquo(alpha), rlang::current_env()), 1, link)
}

#' @rdname private_poisson
#' @export
private_nbinom1 <- function(alpha = NULL, dispersion = NULL, link = "log") {
  call <- rlang::current_env()
  if (!is.null(dispersion)) check_dispersion(dispersion, call, "NULL or one number of at least 1")
  private_family("private nbinom1", alpha_source(rlang::enquo(alpha), call), dispersion, link)
}

# The functions of a family share a `state`.
private_family <- function(name, source, dispersion, link, call = rlang::caller_env()) {
  check_package("mgcv", "regressions on private counts", call)
  link <- check_choice(link, "link", c("log", "sqrt", "identity"), call)
  state <- new_family_state(source, dispersion)
  state$releases <- geometric_releases(state)
  links <- stats::make.link(link)
  structure(c(
    list(
      family = name, link = link, linkfun = links$linkfun, linkinv = links$linkinv, mu.eta = links$mu.eta,
      valideta = links$valideta, validmu = function(mu) all(is.finite(mu) & mu > 0),
      n.theta = as.integer(is.null(dispersion)), ini.theta = state$theta,
      getTheta = function(trans = FALSE) if (trans) 1 + excess_of(state) else state$theta,
      putTheta = function(theta) state$theta <- theta
    ),
    likelihood_functions(state, link), start_functions(state), result_functions(state)
  ), class = c("extended.family", "family"))
}

# What a family remembers of its last fit. It is an environment, because mgcv calls one function after the other.
new_family_state <- function(source, dispersion) {
  excess <- if (!is.null(dispersion)) as.double(dispersion) - 1
  list2env(parent = emptyenv(), list(
    source = source, # where alpha is to be found if the response has no noise levels: alpha_source()
    alpha = NULL, # the noise levels of the rows, NULL until they are known
    releases = NULL, # how releases are distributed: geometric_releases() or releases_of()
    excess = excess, # dispersion - 1, NULL if it is estimated
    theta = if (is.null(excess)) 0 else log(max(excess, .Machine$double.xmin)), # log(excess) of the last iteration
    y = NULL, saturated = NULL, # the counts of a fit, and their largest log densities
    start = NULL, # means at which the fit starts
    from_response = FALSE, # does the response carry its noise levels?
    outside = NULL, # alpha outside the data: alpha_outside_data()
    tables = new.env(parent = emptyenv()) # see fisher_information()
  ))
}

excess_of <- function(state, theta = NULL) {
  if (!is.null(state$excess)) state$excess else exp(if (is.null(theta)) state$theta else theta)
}

# Sets the noise levels of the rows, and checks the response.
settle_alpha <- function(state, y, alpha) {
  changed <- !identical(alpha, state$alpha)
  state$alpha <- alpha
  if (changed) check_response(y, alpha_of(state, length(y)), state$source$call)
}

likelihood_functions <- function(state, link) {
  density <- function(y, mu, theta) {
    outside <- which(!(is.finite(mu) & mu > 0))
    mu[outside] <- 1
    value <- state$releases$density(as.double(y), mu, excess_of(state, theta))
    value[outside] <- NaN
    value
  }
  list(
    dev.resids = function(y, mu, wt, theta = NULL) {
      if (is.null(state$alpha)) settle_alpha(state, y, state$outside) # bam() does not call get.null.coef()
      2 * wt * (poisson_saturated(state, y) - density(y, mu, theta))
    },
    Dd = function(y, mu, theta, wt, level = 0) {
      excess <- excess_of(state, theta)
      slopes <- state$releases$derivatives(y, mu, excess, level)
      d <- deviance_derivatives(slopes, mu, wt, state$releases$information(mu, excess, y))
      if (link == "identity") {
        # the log density of a count of at most 0 is then a straight line, and mgcv divides by its second derivative
        straight <- which(d$Dmu2 == 0)
        d$Dmu2[straight] <- 1e-6 * d$EDmu2[straight]
      }
      d
    },
    aic = function(y, mu, theta = NULL, wt, dev) -2 * sum(wt * density(y, mu, theta)),
    ls = function(y, w, theta, scale) {
      list(ls = sum(w * poisson_saturated(state, y)), lsth1 = 0, LSTH1 = matrix(0, length(y), 1), lsth2 = 0)
    },
    variance = function(mu) mu * (1 + excess_of(state)) + noise_variance(alpha_of(state, length(mu)))
  )
}

# Computed once for the counts of a fit.
poisson_saturated <- function(state, y) {
  if (!identical(state$y, y)) {
    state$saturated <- state$releases$saturated(y, 0)
    state$y <- y
  }
  state$saturated
}

# `d`: of scaled_derivatives(); `information`: about log(mu).
deviance_derivatives <- function(d, mu, wt, information) {
  powers <- POWERS[seq_along(d)]
  scale <- Reduce(`/`, rep(list(mu), max(powers)), -2 * wt, accumulate = TRUE) # -2 wt / mu^0, ^1, ...
  d <- Map(function(each, power) each * scale[[power + 1]], d, powers)
  names(d) <- DERIVATIVES[names(d)]
  d$EDmu2 <- 2 * wt * information / mu^2
  d
}

start_functions <- function(state) {
  call <- state$source$call
  list(
    # mgcv calls this with the response of the model frame, and uses the y that is returned
    preinitialize = function(y, family) {
      state$alpha <- state$y <- state$start <- NULL
      check_counted(y, call)
      mechanism <- mechanism_of_vector(y)
      geometric <- is.null(mechanism)
      alpha <- if (geometric) alpha_of_response(y, state$source) else alpha_like(mechanism, state$source)
      if (!geometric) state$alpha <- alpha
      state$releases <- if (geometric) geometric_releases(state) else releases_of(mechanism, y, state)
      state$from_response <- !is.null(alpha)
      state$outside <- alpha_outside_data(state$source, length(y))
      if (state$from_response && state$source$constant) check_same_alpha(state$outside, alpha, call)
      if (is.null(alpha) && state$source$constant) alpha <- state$outside
      y <- state$releases$as_numbers(as.double(y))
      if (!is.null(alpha) && geometric) settle_alpha(state, y, alpha)
      # improved by get.null.coef(), which bam() does not call
      rough <- state$releases$about(y)
      level <- start_level(rough, rough_alpha(state, y), rep(1, length(y)))
      excess <- (start_variance(rough, rough_alpha(state, y), level) / level - 1) / 2
      list(y = y, Theta = if (is.null(state$excess)) log_start(excess))
    },
    initialize = expression({
      mustart <- family$mustart(y, weights)
    }),
    mustart = function(y, weights) {
      if (length(state$start) == length(y)) {
        state$start
      } else {
        begin_means(state$releases$about(y), rough_alpha(state, y), weights)
      }
    },
    # mgcv calls this before its iterations, with all that it knows of the model
    get.null.coef = function(G, ...) {
      check_covariates(G$mf, call)
      check_that(!identical(G$cl$method, "ML") || length(G$smooth) + length(G$S) > 0, c(
        "{.code method = \"ML\"} needs a model with a smooth term or another penalty.",
        i = paste(
          "Use {.code method = \"REML\"}: without penalties, both have the same coefficients at the same",
          "dispersion."
        )
      ), call)
      if (!is.null(state$source$alpha)) {
        alpha <- find_alpha(state$source, G)
        if (state$from_response) check_same_alpha(alpha, state$alpha, call)
        settle_alpha(state, G$y, if (state$from_response) state$alpha else alpha)
      }
      rough <- state$releases$about(G$y)
      start <- start_values(rough, state$alpha, G, G$family, state$excess)
      state$start <- start$mu
      if (is.null(state$excess)) state$theta <- log_start(start$excess)
      n <- length(G$y)
      level <- start_level(rough, alpha_of(state, n), G$w)
      at <- start_rows(n, NCOL(G$X))
      coefficients <- qr.coef(qr(G$X[at, , drop = FALSE]), G$family$linkfun(level) - rep_len(G$offset, n)[at])
      coefficients[is.na(coefficients)] <- 0
      list(null.coef = coefficients, null.scale = sum(G$family$dev.resids(G$y, rep(level, n), G$w)) / n)
    }
  )
}

log_start <- function(excess) log(min(max(excess, 0.1), 20))

check_same_alpha <- function(given, known, call) {
  same <- abs(given - known) < 1e-9
  check_that(all(same), c(
    "{.arg alpha} contradicts the response, which has its own noise levels.",
    i = "Leave out {.arg alpha}."
  ), call)
}

# The mean of released counts, or its standard error if that is larger: it is above 0, although the mean may
# not be.
start_level <- function(y, alpha, weights) {
  noise <- noise_variance(alpha)
  precise <- weights / (1 + noise)
  level <- sum(precise * y) / sum(precise)
  max(level, sqrt(sum(precise) / sum(weights / (1 + noise)^2)) / sqrt(length(y)), 1e-3)
}

# The variance of true counts about their mean, and at least the mean.
start_variance <- function(y, alpha, level) max(mean((y - level)^2) - mean(noise_variance(alpha)), level)

# Means close to released counts, which are drawn towards their mean in so far as they vary because of noise. Without
# noise they are the starting values of poisson(), so that the iterations are the same.
begin_means <- function(y, alpha, weights) {
  level <- start_level(y, alpha, weights)
  variance <- start_variance(y, alpha, level)
  shrunk <- level + variance / (variance + noise_variance(alpha)) * (y - level)
  ifelse(rep_len(alpha, length(y)) > 0, pmax(shrunk, level / 4), y + 0.1)
}

# Starting values of the means and of the excess: the closer they are, the fewer iterations are needed. They are
# estimated from some of the rows by a few steps of glm(). If there are too few rows for that, `mu` is NULL, and half
# of the excess over the variance of Poisson counts is assumed to be due to covariates. Counts without noise need no
# starting means, and a known excess no estimate.
start_values <- function(y, alpha, design, links, excess) {
  noisy <- any(alpha > 0)
  if (!noisy && !is.null(excess)) {
    return(list())
  }
  n <- length(y)
  at <- start_rows(n, NCOL(design$X))
  free <- length(at) - NCOL(design$X)
  if (free <= 0.75 * length(at)) {
    level <- start_level(y, alpha, rep(1, n))
    return(list(mu = NULL, excess = (start_variance(y, alpha, level) / level - 1) / 2))
  }
  alpha_at <- rep_len(alpha, n)[at]
  mu <- quick_means(y, alpha_at, design, at, links)
  variance <- mu[at] + noise_variance(alpha_at)
  excess <- sum((y[at] - mu[at])^2 / variance * length(at) / free - 1) / sum(mu[at] / variance)
  list(mu = if (noisy) mu, excess = excess)
}

# Rows that represent all, at least 20 per coefficient where there are so many.
start_rows <- function(n, n_coefficients) unique(round(seq(1, n, length.out = max(START_ROWS, 20 * n_coefficients))))

START_ROWS <- 5000
START_STEPS <- 6

# Means of the true counts of all rows. Their coefficients are estimated from the rows `at`, whose noise levels are
# `alpha`, by weighted least squares for counts whose variance is that of Poisson counts and noise. No mean is outside
# the range of means of these rows.
quick_means <- function(y, alpha, design, at, links) {
  X <- design$X[at, , drop = FALSE]
  offset <- rep_len(design$offset, length(y))
  noise <- noise_variance(alpha)
  mu <- begin_means(y[at], alpha, design$w[at])
  least <- min(mu) / 100
  most <- max(mu) # exp(eta) could overflow
  for (step in seq_len(START_STEPS)) {
    eta <- links$linkfun(mu)
    slope <- links$mu.eta(eta)
    fit <- stats::lm.wfit(X, eta - offset[at] + (y[at] - mu) / slope, design$w[at] * slope^2 / (mu + noise))
    mu <- pmin(pmax(links$linkinv(fit$fitted.values + offset[at]), least), most)
  }
  known <- !is.na(fit$coefficients)
  eta <- as.vector(design$X[, known, drop = FALSE] %*% fit$coefficients[known]) + offset
  pmin(pmax(links$linkinv(eta), min(mu)), max(mu))
}

check_covariates <- function(model, call) {
  missing <- vapply(as.list(model), anyNA, NA)
  check_that(!any(missing), c(
    "Covariates and counts must not be missing.",
    x = "Missing values are in: {.val {names(model)[missing]}}.",
    i = "{.code na.action = na.omit}, the default, drops rows with missing values."
  ), call)
}

# No more zeros than this, where no released count is negative, unless they were clamped.
CLAMPED_PROBABILITY <- 1e-9

check_counted <- function(y, call) {
  check_that(is.numeric(y) && is.null(dim(y)), c(
    "The response must be a vector of released counts.",
    x = "It is {describe_type(y)}."
  ), call)
  # masked counts are dropped by na.action before
  check_that(!anyNA(y), c(
    "Covariates and counts must not be missing.", x = "Released counts are missing.",
    i = "{.code na.action = na.omit}, the default, drops rows with missing values."
  ), call)
}

check_response <- function(y, alpha, call) {
  check_that(all(is.finite(y) & is_whole(y)), c(
    "The response must have whole numbers: released counts.",
    x = "At least one is not a whole number."
  ), call)
  check_that(all(y >= 0 | alpha > 0), c(
    "Counts without noise must not be negative.",
    x = "At least one count with {.code alpha = 0} is negative."
  ), call)
  alpha <- rep_len(alpha, length(y))
  clamped <- all(y >= 0) && sum(log1p(-alpha[y == 0])) < log(CLAMPED_PROBABILITY)
  check_that(!clamped, c(
    "The released counts seem to be clamped: no count is negative, but many are 0.",
    x = "Replacing negative counts by 0 biases their mean, so a regression on them is not valid.",
    i = "Use counts that were released with {.code clamp = FALSE}, the default of {.fn privatize}."
  ), call)
  below <- list(cells = as.double(y <= 0), size = pmax(-y, 0))
  declared <- check_declared_alpha(below, alpha)
  if (doubtful(declared)) warn_declared_alpha(declared, below)
}

# Warns if released counts vary far more than Poisson counts with noise: the sum of squared Pearson residuals is
# compared with its mean and variance, which follow from the second and fourth cumulants of a released count.
# With 20 counts or more, the probability of a false alarm is about 1e-5 or less.
warn_overdispersed <- function(y, mu, alpha, weights) {
  variance <- mu + noise_variance(alpha)
  fourth <- mu + noise_fourth_cumulant(alpha)
  squares <- weights * (y - mu)^2 / variance
  excess <- sum(squares - 1) / sqrt(sum(2 + fourth / variance^2))
  warn_if(excess > 6, c(
    "The released counts vary more than {.fn private_poisson} allows.",
    x = paste(
      "The mean of squared Pearson residuals is {format(mean(squares), digits = 2)}, and should be about 1.",
      "Standard errors are too small."
    ),
    i = "Use {.fn private_nbinom1}, whose counts have a variance of {.code dispersion} times their mean."
  ), "ldpcounts_overdispersed")
}

result_functions <- function(state) {
  dispersion <- function() 1 + excess_of(state)
  draw <- function(mu) state$releases$draw(mu, dispersion())
  list(
    rd = function(mu, wt, scale) draw(mu),
    qf = function(p, mu, wt, scale) state$releases$quantiles(p, mu, dispersion()),
    cdf = function(q, mu, wt, scale, logp = FALSE) state$releases$probabilities(q, mu, dispersion(), logp),
    simulate = function(object, nsim) as.data.frame(replicate(nsim, draw(object$fitted.values))),
    residuals = function(object, type = "deviance", ...) private_residuals(object, type, state),
    postproc = function(family, y, prior.weights, fitted, linear.predictors, offset, intercept, ...) {
      result <- list(null.deviance = null_deviance(family, y, linear.predictors, offset, prior.weights))
      state$y <- state$saturated <- state$start <- NULL # needed in the fit only: a number per row each
      if (identical(state$excess, 0) && state$releases$geometric) {
        warn_overdispersed(y, fitted, alpha_of(state, length(y)), prior.weights)
      }
      if (family$family != "private poisson") {
        result$family <- paste0(family$family, "(dispersion ", format(dispersion(), digits = 4), ")")
      }
      result
    }
  )
}

private_residuals <- function(object, type, state) {
  type <- check_choice(type, "type", c("deviance", "pearson", "scaled.pearson", "working", "response"), NULL)
  y <- as.double(object$y) # bam() keeps the response as it was
  mu <- object$fitted.values
  away <- state$releases$about(y) - mu
  switch(type,
    working = object$residuals,
    response = away,
    deviance = {
      excess <- excess_of(state)
      lost <- state$releases$saturated(y, excess) - state$releases$density(y, mu, excess)
      sign(away) * sqrt(2 * object$prior.weights * pmax(lost, 0))
    },
    away * sqrt(object$prior.weights / object$family$variance(mu))
  )
}

# The least deviance of a model with an intercept and the offset.
null_deviance <- function(family, y, eta, offset, weights) {
  deviance <- function(intercept) sum(family$dev.resids(y, family$linkinv(intercept + offset), weights))
  centre <- stats::weighted.mean(eta - offset, weights)
  width <- 0.1 * abs(centre) + 1
  for (i in 1:20) {
    ends <- centre + c(-width, width)
    if (family$link != "log") ends[1] <- max(ends[1], 1e-8 - min(offset))
    found <- stats::optimize(deviance, ends, tol = 1e-6)
    if (min(abs(found$minimum - ends)) > 1e-3 * diff(ends)) break
    width <- 2 * width
  }
  found$objective
}
