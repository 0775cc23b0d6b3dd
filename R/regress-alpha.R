# The noise level of each row of a regression. It is read from the response if that is a private_vector. For
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
