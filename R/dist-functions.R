# The common part of the d, p, q and r functions of all distributions: checks, recycling, warnings.
# src/rc_distributions.c identifies a distribution by its name. `numbers`: the numeric arguments, by name, in the
# order of the function that was called.

dist_density <- function(distribution, numbers, log, call = rlang::caller_env()) {
  numbers <- as_numbers(numbers, call)
  check_flag(log, "log", call)
  warn_not_whole(numbers[[1]], names(numbers)[1])
  warn_nan(.Call(C_rc_density, distribution, unname(numbers), log), numbers)
}

dist_probability <- function(distribution, numbers, lower.tail, log.p, call = rlang::caller_env()) {
  numbers <- as_numbers(numbers, call)
  check_flag(lower.tail, "lower.tail", call)
  check_flag(log.p, "log.p", call)
  warn_nan(.Call(C_rc_probability, distribution, unname(numbers), lower.tail, log.p), numbers)
}

dist_quantile <- function(distribution, numbers, lower.tail, log.p, call = rlang::caller_env()) {
  numbers <- as_numbers(numbers, call)
  check_flag(lower.tail, "lower.tail", call)
  check_flag(log.p, "log.p", call)
  if (log.p) names(numbers)[1] <- "log p"
  warn_nan(.Call(C_rc_quantile, distribution, unname(numbers), lower.tail, log.p), numbers)
}

dist_draw <- function(distribution, n, parameters, call = rlang::caller_env()) {
  n <- if (length(n) > 1 && !isS4(n)) length(n) else check_whole(n, "n", 0, call = call)
  too_many <- "There is not enough memory for {format_number(n)} draws."
  check_that(is_affordable(8 * n), too_many, call, class = "ldpcounts_memory_error")
  parameters <- as_numbers(parameters, call)
  empty <- min(lengths(parameters)) == 0
  draws <- if (empty) rep(NaN, n) else .Call(C_rc_draw, distribution, n, unname(parameters))
  if (anyNA(draws)) warn_outside(parameters)
  draws
}

# Functions of numbers that are not distributions; src/rc_distributions.c identifies them by name.
dist_function <- function(name, numbers, call = rlang::caller_env()) {
  numbers <- as_numbers(numbers, call)
  warn_nan(.Call(C_rc_function, name, unname(numbers)), numbers)
}

# Numeric arguments (a logical NA is accepted, as in base R) as doubles. Attributes are kept.
as_numbers <- function(numbers, call) {
  for (arg in names(numbers)) {
    x <- numbers[[arg]]
    if (!is.numeric(x) && !is.logical(x)) {
      released <- inherits(x, "private_counts")
      abort_argument(x, arg, "numeric", call, if (released) "{.fn as.numeric} returns the released counts.")
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
