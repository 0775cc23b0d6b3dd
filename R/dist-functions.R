# The common part of the d, p, q and r functions of all distributions: checks, recycling, warnings.
# src/rc_distributions.c identifies a distribution by its name. `numbers`: the numeric arguments, by name, in
# the order of the function that was called.

dist_density <- function(distribution, numbers, log, call = rlang::caller_env()) {
  numbers <- as_numbers(numbers, call)
  check_flag(log, "log", call)
  x <- numbers[[1]][is.finite(numbers[[1]])]
  not_whole <- "{.arg {names(numbers)[1]}} has values that are not whole numbers; their density is 0."
  warn_if(any(abs(x - round(x)) > 1e-9 * pmax(1, abs(x))), not_whole)
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
  warn_nan(.Call(C_rc_quantile, distribution, unname(numbers), lower.tail, log.p), numbers)
}

dist_draw <- function(distribution, n, parameters, call = rlang::caller_env()) {
  n <- if (length(n) > 1 && !isS4(n)) length(n) else check_whole(n, "n", 0, call = call)
  parameters <- as_numbers(parameters, call)
  empty <- min(lengths(parameters)) == 0
  draws <- if (empty) rep(NaN, n) else .Call(C_rc_draw, distribution, n, unname(parameters))
  warn_if(anyNA(draws), "NaNs produced.")
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

# Warns, like base R, if a result is NaN although no argument was.
warn_nan <- function(value, arguments) {
  if (anyNA(value)) {
    brought <- Reduce(`|`, lapply(arguments, function(x) rep_len(is.na(x), length(value))))
    warn_if(any(is.nan(value) & !brought), "NaNs produced.")
  }
  value
}
