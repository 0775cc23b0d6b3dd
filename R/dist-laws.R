# What the d, p, q and r functions of every law share: checks, recycling, warnings. A law is known
# to src/rc_laws.c by its name; `values` and `parameters` are named lists, and the name of an
# argument is what an error calls it.

law_density <- function(law, values, parameters, log, call = rlang::caller_env()) {
  arguments <- check_law_arguments(c(values, parameters), call)
  log <- check_flag(log, "log", call)
  warn_not_whole(arguments[[1]], names(arguments)[1])
  warn_nan(.Call(C_rc_density, law, unname(arguments), log), arguments)
}

#' @srrstats {PD3.1} one function for all laws, by their name.
#' @srrstats {PD3.0} series only where there is no closed form.
#' @srrstats {PD3.5} they are the tails' own terms, which fall: the head of each law in src/ shows it.
law_probability <- function(law, values, parameters, lower.tail, log.p,
                            call = rlang::caller_env()) {
  arguments <- check_law_arguments(c(values, parameters), call)
  lower.tail <- check_flag(lower.tail, "lower.tail", call)
  log.p <- check_flag(log.p, "log.p", call)
  warn_nan(.Call(C_rc_probability, law, unname(arguments), lower.tail, log.p), arguments)
}

law_quantile <- function(law, values, parameters, lower.tail, log.p,
                         call = rlang::caller_env()) {
  arguments <- check_law_arguments(c(values, parameters), call)
  lower.tail <- check_flag(lower.tail, "lower.tail", call)
  log.p <- check_flag(log.p, "log.p", call)
  if (log.p) names(arguments)[1] <- "log p"
  warn_nan(.Call(C_rc_quantile, law, unname(arguments), lower.tail, log.p), arguments)
}

law_draw <- function(law, n, parameters, call = rlang::caller_env()) {
  check_law_call(call)
  n <- if (length(n) > 1 && !isS4(n)) length(n) else check_whole(n, "n", 0, call = call)
  if (!is_affordable(8 * n)) {
    ldp_abort("{format_number(n)} draws are more than memory holds.",
      class = "ldpcounts_memory_error", call = call
    )
  }
  parameters <- check_law_arguments(parameters, call)
  draws <- if (min(lengths(parameters)) == 0) {
    rep(NaN, n)
  } else {
    .Call(C_rc_draw, law, n, unname(parameters))
  }
  if (anyNA(draws)) warn_outside(parameters)
  draws
}

# A function of numbers that is no law, known to src/rc_laws.c by its name.
law_function <- function(name, arguments, call = rlang::caller_env()) {
  arguments <- check_law_arguments(arguments, call)
  warn_nan(.Call(C_rc_function, name, unname(arguments)), arguments)
}

# `...` of the function whose frame this is holds nothing; its other arguments are there.
check_law_call <- function(frame) {
  called <- rlang::frame_fn(frame)
  if ("..." %in% names(formals(called)) && eval(quote(...length()), frame) > 0) {
    given <- eval(quote(...names()), frame)
    if (is.null(given) || !nzchar(given[1])) {
      ldp_abort("There are more arguments than this function has.",
        class = "ldpcounts_argument_error", call = frame
      )
    }
    abort_unknown(given[nzchar(given)][1], setdiff(names(formals(called)), "..."), frame)
  }
  check_all_given(frame)
}

# Numeric, or logical NA as base R takes it; doubles from here on, attributes kept.
check_law_arguments <- function(arguments, call) {
  check_law_call(call)
  for (arg in names(arguments)) {
    x <- arguments[[arg]]
    if (!is.numeric(x) && !is.logical(x)) {
      released <- inherits(x, "private_counts")
      abort_argument(x, arg, "numeric", call, if (released) "{.fn as.numeric} gives the released counts.")
    }
    if (!is.double(x)) {
      storage.mode(arguments[[arg]]) <- "double"
    }
  }
  arguments
}

warn_not_whole <- function(x, arg) {
  x <- x[is.finite(x)]
  if (any(abs(x - round(x)) > 1e-9 * pmax(1, abs(x)))) {
    cli::cli_warn("{.arg {arg}} has values that are not whole numbers; their density is 0.")
  }
}

# Base R's warning: a NaN that no argument brought along.
warn_nan <- function(value, arguments) {
  if (anyNA(value)) {
    brought <- Reduce(`|`, lapply(arguments, function(x) rep_len(is.na(x), length(value))))
    if (any(is.nan(value) & !brought)) warn_outside(arguments)
  }
  value
}

# Base R's warning, with the first parameter that is outside its range.
warn_outside <- function(arguments) {
  known <- arguments[intersect(names(arguments), names(RANGES))]
  inside <- mapply(function(x, arg) all(RANGES[[arg]]$ok(x), na.rm = TRUE), known, names(known))
  outside <- names(known)[!as.logical(inside)]
  cli::cli_warn(c("NaNs produced.",
    i = if (length(outside) > 0) "{.arg {outside[1]}} must be {RANGES[[outside[1]]]$words}."
  ))
}

POSITIVE_OR_ZERO <- list(words = "at least 0", ok = function(x) x >= 0)

RANGES <- list(
  alpha = list(words = "at least 0 and below 1", ok = function(x) x >= 0 & x < 1),
  dispersion = list(words = "at least 1 and finite", ok = function(x) x >= 1 & x < Inf),
  y_tilde = list(words = "whole", ok = function(x) is_whole(x)),
  nu = list(words = "above -1", ok = function(x) x > -1),
  p = list(words = "from 0 to 1", ok = function(x) x >= 0 & x <= 1),
  "log p" = list(words = "at most 0", ok = function(x) x <= 0),
  mu = POSITIVE_OR_ZERO, a = POSITIVE_OR_ZERO, lambda1 = POSITIVE_OR_ZERO, lambda2 = POSITIVE_OR_ZERO
)
