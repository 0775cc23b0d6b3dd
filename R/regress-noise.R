# The noise of each row of a regression. Its level is read from the response if that is a private_vector. For
# plain numbers, families get `alpha` as an expression, which is evaluated as `weights` is in lm(): first in
# `data`, then where the family was created.

# Noise levels above this leave hardly any information about a single count.
MOST_ALPHA <- 0.999

ALPHA_EXPECTED <- "a number from 0 to 0.999"

# What the families know of alpha when they are made: a quosure, NULL if it was not given; whether it is
# constant, so that the data do not matter; and the call of errors about it.
alpha_source <- function(alpha, call) {
  expression <- rlang::quo_get_expr(alpha)
  given <- !rlang::quo_is_missing(alpha) && !is.null(expression)
  constant <- given && length(all.vars(expression)) == 0
  if (constant) { # its length is checked when the data are known
    value <- rlang::eval_tidy(alpha)
    check_alpha_rows(value, length(value), seq_along(value), call)
  }
  list(alpha = if (given) alpha, constant = constant, call = call)
}

# The levels of a response that carries them, one number or one per row; NULL for plain numbers.
alpha_of_response <- function(y, source) {
  if (!is_private_vector(y)) {
    check_that(!is.null(source$alpha), c(
      "The response must be a release, or {.arg alpha} must be given.",
      x = "It is {describe_type(y)}, which has no noise level.",
      i = "{.fn privatize} and {.fn private_counts} make a release, which can be a column of the data.",
      i = "For plain numbers, give the noise level: {.code private_nbinom1(alpha = )}."
    ), source$call)
    return(NULL)
  }
  level <- privacy(y)
  check_that(!level$clamped, c(
    "The response must not be clamped at zero.",
    i = "Use counts that were released with {.code clamp = FALSE}, the default of {.fn privatize}."
  ), source$call, class = c("ldpcounts_clamped_error", "ldpcounts_argument_error"))
  check_alpha_rows(level$alpha, length(y), seq_along(y), source$call)
}

# The value of alpha outside the data, if it is one number there, or one for each of n rows; else NULL.
alpha_outside_data <- function(source, n) {
  value <- tryCatch(rlang::eval_tidy(source$alpha), error = function(failure) NULL)
  usable <- is_plain_numeric(value) && length(value) %in% c(1, n)
  if (usable) check_alpha_rows(value, n, seq_len(n), source$call)
}

# One number, or one per row of the model frame of a fit `G` of mgcv. G has the call of gam(), but not the
# data.
find_alpha <- function(source, G) {
  expression <- rlang::quo_get_expr(source$alpha)
  env <- rlang::quo_get_env(source$alpha)
  if (source$constant) {
    return(check_alpha_rows(eval(expression, env), nrow(G$mf), seq_len(nrow(G$mf)), source$call))
  }
  not_found <- function(why) {
    ldp_abort(c(
      "{.arg alpha} was not found.", x = why,
      i = "It must be a number, a vector with one number per row of the data, or the name of a column.",
      i = "Or let the response carry it: {.code private_counts(y_tilde, alpha = alpha) ~ x}."
    ), call = source$call)
  }
  found <- find_data(G, env)
  if (is.null(found)) found <- find_data(G, environment(G$terms))
  if (is.null(found)) not_found("The data of the fit were not found.")
  alpha <- tryCatch(eval(expression, found$data, env), error = function(failure) {
    not_found("{.code {rlang::as_label(expression)}} could not be evaluated.")
  })
  check_alpha_rows(alpha, found$n, found$rows, source$call)
}

# The data that the call of gam() names in this environment, the number of their rows, and which of them are
# used; NULL if they do not have the response of the fit. The rows in the model frame are found by their
# names.
find_data <- function(G, env) {
  response <- attr(G$terms, "variables")[[1 + attr(G$terms, "response")]]
  tryCatch({
    data <- eval(G$cl$data, env)
    if (is.null(data)) data <- list()
    if (!is.list(data) && !is.environment(data)) data <- as.data.frame(data)
    y <- as.double(eval(response, data, environment(G$terms)))
    rows <- if (is.data.frame(data)) match(row.names(G$mf), row.names(data)) else as.integer(row.names(G$mf))
    if (identical(y[rows], as.double(G$y))) list(data = data, n = length(y), rows = rows)
  }, error = function(failure) NULL)
}

check_alpha_rows <- function(alpha, n_row, rows, call) {
  if (!is.numeric(alpha) || is.object(alpha) || !is.null(dim(alpha)) || length(alpha) == 0) {
    abort_argument(alpha, "alpha", paste0(ALPHA_EXPECTED, ", or one per row of the data"), call)
  }
  check_that(length(alpha) %in% c(1, n_row), c(
    "{.arg alpha} must be one number, or one per row of the data ({n_row}).",
    x = "It has length {length(alpha)}."
  ), call)
  used <- if (length(alpha) == 1) alpha else alpha[rows]
  check_that(all(is.finite(used) & used >= 0 & used <= MOST_ALPHA), c(
    paste0(if (length(alpha) == 1) "{.arg alpha}" else "Each value of {.arg alpha}", " must be {ALPHA_EXPECTED}."),
    x = if (length(alpha) == 1) "It is {describe(alpha)}." else "At least one is not.",
    i = "{.fn geometric_alpha} computes it from {.arg epsilon}."
  ), call)
  as.double(used)
}

# The noise levels of n rows, which a family (new_family_state() in R/regress-mgcv.R) knows.
alpha_of <- function(state, n) {
  check_that(!is.null(state$alpha), c(
    "{.fn private_poisson} and {.fn private_nbinom1} are families for {.fn mgcv::gam}.",
    x = "Other functions, such as {.fn glm}, cannot use them. {.fn bam} finds no {.arg alpha} in its data.",
    i = "Let the response carry the noise: {.code private_counts(y_tilde, alpha = alpha) ~ x}."
  ), NULL)
  check_that(length(state$alpha) %in% c(1, n), c(
    "The family has the noise levels of {length(state$alpha)} rows, but {n} are used.",
    i = "Create the family in the call of {.fn gam}. {.fn bam} needs one noise level for all rows."
  ), NULL)
  state$alpha
}

# The same for starting values, which mgcv needs before it says what the data are. If alpha is not found
# without them, it is estimated from the counts at or below zero.
rough_alpha <- function(state, y) {
  if (!is.null(state$alpha)) {
    return(alpha_of(state, length(y)))
  }
  if (!is.null(state$outside)) {
    return(state$outside)
  }
  below <- -y[y <= 0]
  sum(below) / max(1, sum(below) + length(below))
}

# --- derivatives ----------------------------------------------------------------------------------

# Derivatives of log densities with respect to the mean `mu` of the true count and to `theta`, the log of `excess`.

# As in ldp_derivative (src/ldp_derivatives.h): the first two, six or eleven are those of level 0, 1 and 2. With the
# names that mgcv has for derivatives of the deviance.
DERIVATIVES <- c(
  mu = "Dmu", mu2 = "Dmu2", theta = "Dth", mu_theta = "Dmuth", mu3 = "Dmu3", mu2_theta = "Dmu2th",
  mu4 = "Dmu4", theta2 = "Dth2", mu_theta2 = "Dmuth2", mu2_theta2 = "Dmu2th2", mu3_theta = "Dmu3th"
)

# The power of mu by which src/ldp_derivatives.c multiplies each of them.
POWERS <- c(1, 2, 0, 1, 3, 2, 4, 0, 1, 2, 3)

# A list of vectors, one element per cell; those by mu are multiplied by the power of mu that is their order.
scaled_derivatives <- function(y_tilde, mu, excess, alpha, level) {
  d <- .Call(C_rc_derivatives, as.double(y_tilde), as.double(mu), excess, alpha, as.integer(level), n_threads())
  stats::setNames(d, names(DERIVATIVES)[seq_along(d)])
}

# The largest log density of each released count over all means.
saturated_density <- function(y_tilde, excess, alpha) {
  .Call(C_rc_saturated, as.double(y_tilde), excess, alpha, n_threads())
}

# The Fisher information of each cell about log(mu). If many cells have the same noise level, it is interpolated, with a
# relative error below 1e-3.
fisher_information <- function(mu, excess, alpha, tables = new.env()) {
  exact <- function(mu, alpha) .Call(C_rc_information, as.double(mu), excess, alpha, n_threads())
  if (length(unique(alpha)) > length(mu) / 20) exact(mu, alpha) else interpolated(exact, mu, excess, alpha, tables)
}

# exact(mu, level) of each cell, computed for some means per level and interpolated; `step`: how far apart these are.
# `tables`: an environment that keeps what was computed for the present excess, since the iterations of a fit change the
# means only a little.
interpolated <- function(exact, mu, excess, level, tables, step = TABLE_STEP) {
  if (!identical(tables$excess, excess)) {
    tables$excess <- excess
    tables$of_level <- list()
  }
  value <- rep(NaN, length(mu))
  inside <- is.finite(mu) & mu > 0
  for (one in unique(level)) {
    rows <- which(inside & level == one)
    if (length(rows) == 0) next
    eta <- log(mu[rows])
    table <- tables$of_level[[as.character(one)]]
    if (!covers(table, eta)) table <- new_table(eta, function(mu) exact(mu, one), step)
    tables$of_level[[as.character(one)]] <- table
    value[rows] <- if (is.null(table)) exact(mu[rows], one) else exp(table$spline(eta))
  }
  value
}

# Natural logarithms of means in a table are this far apart; twice as far for other mechanisms than geometric
# noise, whose information takes longer and is as accurate then.
TABLE_STEP <- 0.1

covers <- function(table, eta) !is.null(table) && min(eta) >= table$ends[1] && max(eta) <= table$ends[2]

# A spline of the log information; NULL where a table would have as many means as there are cells.
new_table <- function(eta, exact, step) {
  ends <- step * (range(eta) %/% step + c(-1, 2)) # from below the least to above the largest
  at <- seq(ends[1], ends[2], length.out = round(diff(ends) / step) + 1)
  if (length(at) <= length(eta) / 2) {
    list(ends = ends, spline = stats::splinefun(at, log(exact(exp(at)))))
  }
}

# --- how releases are distributed -----------------------------------------------------------------

# What the functions of a family ask about releases `y`, given the means `mu` of true counts, one per row, and their
# `excess` or `dispersion`:
#
#   geometric      are they counts with geometric noise?
#   as_numbers     releases as mgcv has them
#   about          numbers near the true counts, for starting values and residuals
#   density        log density
#   saturated      its largest value over all means
#   derivatives    of scaled_derivatives()
#   information    of fisher_information()
#   draw, quantiles, probabilities
geometric_releases <- function(state) {
  alpha <- function(y) alpha_of(state, length(y))
  list(
    geometric = TRUE, as_numbers = identity, about = identity,
    density = function(y, mu, excess) release_density(y, mu, excess, alpha(y), FALSE),
    saturated = function(y, excess) saturated_density(y, excess, alpha(y)),
    derivatives = function(y, mu, excess, level) scaled_derivatives(y, mu, excess, rough_alpha(state, y), level),
    information = function(mu, excess, y) fisher_information(mu, excess, rough_alpha(state, y), state$tables),
    draw = function(mu, dispersion) rprivnbinom(length(mu), mu, alpha(mu), dispersion),
    quantiles = function(p, mu, dispersion) qprivnbinom(p, mu, alpha(mu), dispersion),
    probabilities = function(y, mu, dispersion, log) pprivnbinom(y, mu, alpha(mu), dispersion, log.p = log)
  )
}

# The same for a response with another mechanism.
releases_of <- function(mechanism, response, state) {
  if (!is.null(mechanism$custom)) mechanism <- with_tables(mechanism, as.double(response))
  marked <- function(y) as_release_of(mechanism, y)
  list(
    geometric = FALSE, as_numbers = function(y) as_numbers_of(mechanism, y),
    about = function(y) rough_counts(mechanism, marked(y)),
    density = function(y, mu, excess) count_behind(MASS, mechanism, marked(y), mu, 1 + excess),
    saturated = function(y, excess) protected_saturated(mechanism, y),
    derivatives = function(y, mu, excess, level) protected_derivatives(mechanism, y, mu, excess, level),
    information = function(mu, excess, y) protected_information(mechanism, mu, excess, state$tables),
    draw = function(mu, dispersion) as_numbers_of(mechanism, rprivcount(length(mu), mu, mechanism, dispersion)),
    quantiles = function(p, mu, dispersion) as_numbers_of(mechanism, qprivcount(p, mu, mechanism, dispersion)),
    probabilities = function(y, mu, dispersion, log) pprivcount(marked(y), mu, mechanism, dispersion, log.p = log)
  )
}

# --- other mechanisms -----------------------------------------------------------------------------

# mgcv computes with the response, in which a hidden count is therefore a number: one that no release has.
hidden_number <- function(mechanism) {
  p <- mechanism$parameters
  if (mechanism$kind == "suppression") p$from + 1.25 else min(0, p$below, mechanism$custom$from) - 0.25
}

as_numbers_of <- function(mechanism, released) replace(released, released %in% HIDDEN, hidden_number(mechanism))

as_release_of <- function(mechanism, y) {
  if (hides_counts(mechanism)) replace(y, y %in% hidden_number(mechanism), HIDDEN) else y
}

# The alpha of geometric noise that has the variance of the mechanism, for starting values.
alpha_like <- function(mechanism, source) {
  check_that(is.null(source$alpha),
    "{.arg alpha} cannot be given: the response has another mechanism than geometric noise.", source$call
  )
  variance <- variance_of_noise(mechanism)
  if (variance > 0) (1 + variance - sqrt(1 + 2 * variance)) / variance else 0
}

# As scaled_derivatives().
protected_derivatives <- function(mechanism, y, mu, excess, level) {
  released <- as_release_of(mechanism, y)
  code <- mechanism_code(mechanism, released)
  d <- .Call(C_rc_mechanism_derivatives, code, code$level, as.double(released), as.double(mu), excess,
    as.integer(level), n_threads()
  )
  stats::setNames(d, names(DERIVATIVES)[seq_along(d)])
}

# As saturated_density() without dispersion: by golden sections of the logarithm of the mean.
protected_saturated <- function(mechanism, y) {
  released <- as_release_of(mechanism, y)
  different <- unique(released)
  density <- function(eta) count_behind(MASS, mechanism, different, exp(eta), 1)
  golden <- (sqrt(5) - 1) / 2
  low <- rep(log(1e-9), length(different))
  high <- log(4 * pmax(rough_counts(mechanism, different), 0) + 1000)
  for (step in 1:60) {
    left <- high - golden * (high - low)
    right <- low + golden * (high - low)
    rises <- density(left) < density(right)
    low <- ifelse(rises, left, low)
    high <- ifelse(rises, high, right)
  }
  density((low + high) / 2)[match(released, different)]
}

# The Fisher information of each cell about log(mu), interpolated as by fisher_information().
protected_information <- function(mechanism, mu, excess, tables) {
  if (!is.null(mechanism$custom)) {
    ends <- range(mu[is.finite(mu) & mu > 0]) * c(0.5, 2)
    near <- lapply(ends, function(mu) releases_near(mu, mechanism, excess)$released)
    wide <- if (is.null(tables$mechanism)) mechanism else tables$mechanism
    mechanism <- tables$mechanism <- with_tables(wide, unlist(near))
  }
  exact <- function(mu, level) vapply(mu, information_of_releases, 0, mechanism, excess)
  interpolated(exact, mu, excess, "all", tables, 2 * TABLE_STEP)
}

# The mean square of the derivative of the log probability, over the releases of a count with this mean.
information_of_releases <- function(mu, mechanism, excess) {
  each <- releases_near(mu, mechanism, excess)
  at <- rep(mu, length(each$released))
  p <- each$weight * exp(count_behind(MASS, mechanism, each$released, at, 1 + excess))
  score <- protected_derivatives(mechanism, each$released, at, excess, 0)$mu
  seen <- p > 0
  max(sum((p * score^2)[seen]) / sum(p[seen]), .Machine$double.xmin)
}

# The releases of a count with this mean, as list(released =, weight =). Noise of real numbers, and large numbers,
# are replaced by some of them, which have larger weights.
releases_near <- function(mu, mechanism, excess) {
  inner <- before_withholding(mechanism)
  p <- inner$parameters
  mean <- if (inner$kind == "thinning") mu * p$prob else mu
  ends <- mean + c(-1, 1) * (12 * sqrt(mean * (1 + excess) + variance_of_noise(mechanism)) + 20 * (1 + excess))
  real <- inner$kind %in% REAL_NOISE
  step <- if (real) diff(ends) / 1000 else if (is.null(p$base)) 1 else p$base
  if (mechanism$kind == "gaussian") step <- max(step, p$sd / 2) # the density is smooth: a sum is the integral
  every <- if (real) step else step * max(1, ceiling(diff(ends) / step / 1000))
  released <- seq(every * floor(ends[1] / every), ends[2], every)
  weight <- rep(if (real) step else every / step, length(released))
  if (inner$kind == "classes") {
    released <- p$breaks
    weight <- rep(1, length(released))
  }
  if (!is.null(mechanism$custom)) {
    listed <- setdiff(mechanism$custom$listed, HIDDEN)
    released <- c(listed, setdiff(released[released >= mechanism$custom$from], listed))
    weight <- rep(c(1, every), c(length(listed), length(released) - length(listed)))
  }
  if (!is.null(mechanism$noise)) weight[released < mechanism$parameters$below] <- 0
  if (hides_counts(mechanism)) {
    released <- c(released, HIDDEN)
    weight <- c(weight, 1)
  }
  possible <- weight > 0 & !impossible_releases(mechanism, released)$bad
  list(released = released[possible], weight = weight[possible])
}
