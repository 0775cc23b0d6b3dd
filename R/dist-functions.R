# The common part of the d, p, q and r functions of all distributions: checks, recycling, warnings.
# src/rc_distributions.c identifies a distribution by its name. Each function here reads the arguments of the
# calling function from its frame, `call`: numbers, in the order of the arguments of that function, and
# switches such as `log`.

dist_density <- function(distribution, call = rlang::caller_env()) {
  numbers <- dist_numbers(call)
  log <- check_flag(call$log, "log", call)
  warn_not_whole(numbers[[1]], names(numbers)[1])
  warn_nan(.Call(C_rc_density, distribution, unname(numbers), log), numbers)
}

#' @srrstats {PD3.1} one function for all distributions, by their name.
#' @srrstats {PD3.0} series only where there is no closed form.
#' @srrstats {PD3.5} their terms decrease, see the head of the source of each distribution in src/.
dist_probability <- function(distribution, call = rlang::caller_env()) {
  numbers <- dist_numbers(call)
  lower.tail <- check_flag(call$lower.tail, "lower.tail", call)
  log.p <- check_flag(call$log.p, "log.p", call)
  warn_nan(.Call(C_rc_probability, distribution, unname(numbers), lower.tail, log.p), numbers)
}

dist_quantile <- function(distribution, call = rlang::caller_env()) {
  numbers <- dist_numbers(call)
  lower.tail <- check_flag(call$lower.tail, "lower.tail", call)
  log.p <- check_flag(call$log.p, "log.p", call)
  if (log.p) names(numbers)[1] <- "log p"
  warn_nan(.Call(C_rc_quantile, distribution, unname(numbers), lower.tail, log.p), numbers)
}

dist_draw <- function(distribution, call = rlang::caller_env()) {
  check_dots_and_given(call)
  n <- if (length(call$n) > 1 && !isS4(call$n)) length(call$n) else check_whole(call$n, "n", 0, call = call)
  too_many <- "There is not enough memory for {format_number(n)} draws."
  check_that(is_affordable(8 * n), too_many, call, class = "ldpcounts_memory_error")
  parameters <- dist_numbers(call)
  empty <- min(lengths(parameters)) == 0
  draws <- if (empty) rep(NaN, n) else .Call(C_rc_draw, distribution, n, unname(parameters))
  if (anyNA(draws)) warn_outside(parameters)
  draws
}

# Functions of numbers that are not distributions; src/rc_distributions.c identifies them by name.
dist_function <- function(name, call = rlang::caller_env()) {
  numbers <- dist_numbers(call)
  warn_nan(.Call(C_rc_function, name, unname(numbers)), numbers)
}

# `...` must be empty, and arguments without a default must be given.
check_dots_and_given <- function(frame) {
  called <- names(formals(rlang::frame_fn(frame)))
  if ("..." %in% called && eval(quote(...length()), frame) > 0) {
    given <- eval(quote(...names()), frame)
    check_that(!is.null(given) && nzchar(given[1]), "There are too many arguments.", frame)
    abort_unknown(given[nzchar(given)][1], setdiff(called, "..."), frame)
  }
  check_all_given(frame)
}

# The numeric arguments (a logical NA is accepted, as in base R), converted to doubles. Attributes are kept.
dist_numbers <- function(frame) {
  check_dots_and_given(frame)
  switches <- c("n", "log", "lower.tail", "log.p", "...")
  numbers <- mget(setdiff(names(formals(rlang::frame_fn(frame))), switches), frame)
  for (arg in names(numbers)) {
    x <- numbers[[arg]]
    if (!is.numeric(x) && !is.logical(x)) {
      released <- inherits(x, "private_counts")
      abort_argument(x, arg, "numeric", frame, if (released) "{.fn as.numeric} returns the released counts.")
    }
    if (!is.double(x)) storage.mode(numbers[[arg]]) <- "double"
  }
  numbers
}

warn_not_whole <- function(x, arg) {
  x <- x[is.finite(x)]
  message <- "{.arg {arg}} has values that are not whole numbers; their density is 0."
  warn_if(any(abs(x - round(x)) > 1e-9 * pmax(1, abs(x))), message)
}

# Warns, like base R, if a result is NaN although no argument was.
warn_nan <- function(value, arguments) {
  if (anyNA(value)) {
    brought <- Reduce(`|`, lapply(arguments, function(x) rep_len(is.na(x), length(value))))
    if (any(is.nan(value) & !brought)) warn_outside(arguments)
  }
  value
}

# Warns that NaNs were produced, like base R, and names the first parameter outside its range.
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
