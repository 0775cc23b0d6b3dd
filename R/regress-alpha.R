# The noise level of each row of a regression. Families get `alpha` as an expression, which is evaluated as
# `weights` is in lm(): first in `data`, then where the family was created. Subsets and rows with missing
# values are known only when mgcv::gam() has made its model frame, so the rows are found by the names of its
# rows.

# Noise levels above this leave hardly any information about a single count.
MOST_ALPHA <- 0.999

ALPHA_EXPECTED <- "a number from 0 to 0.999"

# The expression, and where it was written.
alpha_source <- function(expression, env, call) {
  source <- list(expression = expression, env = env, call = call)
  if (length(all.vars(expression)) == 0) { # its length is checked when the data are known
    alpha <- eval(expression, env)
    check_alpha_rows(alpha, length(alpha), seq_along(alpha), call)
  }
  source
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
  alpha <- tryCatch(eval(source$expression, data, source$env), error = function(failure) {
    ldp_abort(c(
      "{.arg alpha} was not found.",
      x = "{.code {rlang::as_label(source$expression)}} could not be evaluated.",
      i = "It must be a number, a vector with one number per row of the data, or the name of a column."
    ), call = source$call)
  })
  if (is.null(fit$model)) {
    return(check_alpha_rows(alpha, n_response, seq_len(n_response), source$call))
  }
  rows <- rows_of(fit$model, data)
  n_row <- if (is.data.frame(data)) nrow(data) else length_of_response(fit$model, data)
  check_alpha_rows(alpha, n_row, rows, source$call)
}

# The rows of the data in the model frame.
rows_of <- function(model, data) {
  if (is.data.frame(data)) match(row.names(model), row.names(data)) else as.integer(row.names(model))
}

length_of_response <- function(model, data) {
  terms <- attr(model, "terms")
  response <- attr(terms, "variables")[[1 + attr(terms, "response")]]
  NROW(eval(response, data, environment(terms)))
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
  valid <- all(is.finite(used) & used >= 0 & used <= MOST_ALPHA)
  check_that(valid, c(
    paste0(if (length(alpha) == 1) "{.arg alpha}" else "Each value of {.arg alpha}", " must be {ALPHA_EXPECTED}."),
    x = if (length(alpha) == 1) "It is {describe(alpha)}." else "At least one is not.",
    i = "{.fn geometric_alpha} computes it from {.arg epsilon}."
  ), call)
  as.double(used)
}
