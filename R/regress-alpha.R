# The noise level of each row of a regression. Families get `alpha` as an expression, which is evaluated as
# `weights` is in lm(): first in `data`, then where the family was created. Subsets and rows with missing values are
# known only when mgcv::gam() has made its model frame, and mgcv hands a family neither this nor the data. So they are
# read from the call of gam() that is in progress: this file is the one that does so.

# Noise levels above this leave hardly any information about a single count.
MOST_ALPHA <- 0.999

ALPHA_EXPECTED <- "a number from 0 to 0.999"

# A quosure of alpha, and the call of errors about it.
alpha_source <- function(alpha, call) {
  if (length(all.vars(rlang::quo_get_expr(alpha))) == 0) { # its length is checked when the data are known
    value <- rlang::eval_tidy(alpha)
    check_alpha_rows(value, length(value), seq_along(value), call)
  }
  list(alpha = alpha, call = call)
}

# The gam() or bam() call in progress, or NULL: its data, model frame, design (the model matrix `X`, `offset`, and
# prior weights `w`), method, and whether it has penalties. What does not exist yet is NULL.
fit_in_progress <- function() {
  if (!requireNamespace("mgcv", quietly = TRUE)) {
    return(NULL)
  }
  for (i in rev(seq_len(sys.nframe()))) {
    called <- sys.function(i)
    if (identical(called, mgcv::gam) || identical(called, mgcv::bam)) {
      parent <- sys.frame(sys.parents()[i])
      return(read_fit(sys.frame(i), match.call(called, sys.call(i), envir = parent), parent))
    }
  }
  NULL
}

read_fit <- function(frame, call, parent) {
  prepared <- get0("G", frame, inherits = FALSE)
  if (!is.list(prepared)) prepared <- list()
  data <- call$data
  if (is.null(data)) data <- prepared$cl$data
  model <- get0("mf", frame, inherits = FALSE)
  if (!is.data.frame(model)) model <- prepared$mf
  list(
    data = eval(data, parent), model = if (is.data.frame(model)) model,
    design = if (is.matrix(prepared$X)) prepared[c("X", "offset", "w")],
    method = get0("method", frame, inherits = FALSE), penalised = length(prepared$smooth) + length(prepared$S) > 0
  )
}

# One number, or one per row of the model frame. Other functions than gam() and bam(), whose data are not
# known, have `n_response` rows.
find_alpha <- function(source, fit, n_response = NULL) {
  data <- fit$data
  if (!is.list(data) && !is.environment(data)) data <- if (!is.null(data)) as.data.frame(data) else list()
  expression <- rlang::quo_get_expr(source$alpha)
  alpha <- tryCatch(eval(expression, data, rlang::quo_get_env(source$alpha)), error = function(failure) {
    ldp_abort(c(
      "{.arg alpha} was not found.",
      x = "{.code {rlang::as_label(expression)}} could not be evaluated.",
      i = "It must be a number, a vector with one number per row of the data, or the name of a column."
    ), call = source$call)
  })
  if (is.null(fit$model)) {
    return(check_alpha_rows(alpha, n_response, seq_len(n_response), source$call))
  }
  # the rows of the data in the model frame are found by their names
  if (is.data.frame(data)) {
    n_row <- nrow(data)
    rows <- match(row.names(fit$model), row.names(data))
  } else {
    terms <- attr(fit$model, "terms")
    response <- attr(terms, "variables")[[1 + attr(terms, "response")]]
    n_row <- NROW(eval(response, data, environment(terms)))
    rows <- as.integer(row.names(fit$model))
  }
  check_alpha_rows(alpha, n_row, rows, source$call)
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
