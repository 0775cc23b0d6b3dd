# Errors and warnings. Every error names the argument, says what was expected and what was given, and has the
# class `ldpcounts_error`. No message shows a count.

ldp_abort <- function(message, class = "ldpcounts_argument_error", call = rlang::caller_env(),
                      .envir = rlang::caller_env()) {
  # A call with its arguments, or a traceback, may contain the data: keep only the name of the function.
  if (is.environment(call)) call <- rlang::frame_call(call)[1]
  # Like cli::cli_abort(), but without a traceback, which would contain the data of all calls.
  message[] <- vapply(message, cli::format_inline, "", .envir = .envir)
  stop(rlang::error_cnd(c(class, "ldpcounts_error"),
    message = message[[1]], body = message[-1], use_cli_format = TRUE, call = call
  ))
}

# An error: `arg` must be `expected`, but its value `x` is not.
abort_argument <- function(x, arg, expected, call, hint = NULL) {
  ldp_abort(c(
    "{.arg {arg}} must be {expected}.",
    x = "It is {describe(x)}.", i = if (inherits(x, "formula")) NO_FORMULA, i = hint
  ), call = call)
}

# Throws an error with `message` unless `ok`. By default the error is one about an argument.
check_that <- function(ok, message, call = rlang::caller_env(), .envir = rlang::caller_env(),
                       class = "ldpcounts_argument_error") {
  if (!ok) ldp_abort(message, class, call, .envir)
}

# Issue a warning, or a message, if `condition` holds.
warn_if <- function(condition, message, class = NULL, .envir = rlang::caller_env()) {
  if (condition) cli::cli_warn(message, class = class, .envir = .envir)
}
tell_if <- function(condition, message, class, .envir = rlang::caller_env()) {
  if (condition) cli::cli_inform(message, class = class, .envir = .envir)
}

NO_FORMULA <- paste(
  "The models of this package have no formula: give the counts first, as a release or a matrix. For a",
  "regression of released counts on covariates, use {.fn private_nbinom1} as the {.arg family} of {.fn mgcv::gam};",
  "see {.code vignette(\"regression\")}."
)

# Refuses a formula that is given as data.
refuse_formula <- function(x, arg, call) {
  if (inherits(x, "formula")) abort_argument(x, arg, "counts", call)
}

# Replaces an error that is not one of this package by what `explain` does.
explain_failure <- function(code, explain) {
  tryCatch(code, error = function(failure) {
    if (inherits(failure, "ldpcounts_error")) stop(failure)
    explain(failure)
  })
}

# Describes what was given, in words. Only for parameters, never for data: it may show a value.
describe <- function(x) {
  if (!is.atomic(x) || is.object(x) || !is.null(dim(x)) || length(x) != 1) {
    return(describe_type(x))
  }
  if (is.character(x)) encodeString(x, quote = "\"") else format(x, digits = 15)
}

describe_type <- function(x) {
  means <- if (inherits(x, "simulated_counts")) ", in which `$y` has the counts and `$mu` their means"
  if (is.null(x)) {
    "NULL"
  } else if (!is.atomic(x) || is.object(x)) {
    paste0("an object of class ", class(x)[1], means)
  } else if (is.array(x)) {
    paste("an array of type", typeof(x), "of", paste(dim(x), collapse = " x "))
  } else {
    paste("a vector of type", typeof(x), "and length", length(x))
  }
}

# --- unnamed and unknown arguments ----------------------------------------------------------------

# `...` of an exported function, that of the error's call, must be empty: anything in it is a misspelt or
# unnamed argument.
check_no_dots <- function(..., call = rlang::caller_env()) {
  if (...length() == 0) {
    return(invisible())
  }
  arguments <- formals(rlang::frame_fn(call))
  given <- ...names()
  if (!is.null(given) && nzchar(given[1])) abort_unknown(given[1], setdiff(names(arguments), "..."), call)
  abort_unnamed(..1, arguments, call)
}

abort_unnamed <- function(value, arguments, call) {
  first <- match("...", names(arguments))
  ldp_abort(c(
    paste0("All arguments ", if (first > 1) "after {.arg {names(arguments)[first - 1]}} ", "must be named."),
    x = "Argument {first} has no name. It is {describe_type(value)}.",
    i = if (inherits(value, "formula")) NO_FORMULA
  ), call = call)
}

abort_unknown <- function(unknown, known, call) {
  guess <- closest_argument(unknown, known)
  ldp_abort(c(
    "There is no argument {.arg {unknown}}.", i = if (!is.na(guess)) "Did you mean {.arg {guess}}?"
  ), call = call)
}

# An argument that begins with this name, or differs from it by few letters; or NA.
closest_argument <- function(unknown, known) {
  distance <- utils::adist(unknown, known, ignore.case = TRUE)[1, ]
  near <- distance == min(distance) & distance <= min(3, nchar(unknown) / 2)
  c(known[startsWith(known, unknown)], known[near], NA)[1]
}

# Packages that only some users need are not installed with this package.
check_package <- function(package, what, call = rlang::caller_env()) {
  check_that(requireNamespace(package, quietly = TRUE),
    "Package {.pkg {package}} must be installed, because it is needed for {what}.", call,
    class = "ldpcounts_package_error"
  )
}
