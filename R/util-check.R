# Errors and checks of arguments. Input is checked once, in R, before any work is done. Every error names the
# argument, says what was expected and what was given, and has the class `ldpcounts_error`. No message shows a
# count.

#' @srrstats {BS2.15} all errors have classes, so that they can be caught.
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
    x = "It is {describe(x)}.",
    i = if (inherits(x, "formula")) NO_FORMULA,
    i = hint
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
  if (is.null(x)) {
    "NULL"
  } else if (is.atomic(x) && length(attr(x, "dim")) > 0) {
    kind <- if (is.object(x)) c("an object of class", class(x)[1]) else c("an array of type", typeof(x))
    paste(c(kind, "of", paste(attr(x, "dim"), collapse = " x ")), collapse = " ")
  } else if (is.atomic(x) && !is.object(x)) {
    paste0("a vector of type ", typeof(x), " and length ", length(x))
  } else {
    paste0(
      "an object of class ", class(x)[1],
      if (inherits(x, "simulated_counts")) ", in which `$y` has the counts and `$mu` their means"
    )
  }
}

# Packages that only some users need are not installed with this package.
check_package <- function(package, what, call = rlang::caller_env()) {
  check_that(requireNamespace(package, quietly = TRUE),
    "Package {.pkg {package}} must be installed, because it is needed for {what}.", call,
    class = "ldpcounts_package_error"
  )
}

# unclass() because a class may have a length() method that fails.
is_one <- function(x) length(unclass(x)) == 1

is_number <- function(x) is.numeric(x) && is_one(x) && is.finite(x)

# A path of package fs has a class, but is a file name too.
is_file_name <- function(x) {
  is.character(x) && is_one(x) && !is.na(unclass(x)) && nzchar(unclass(x))
}

is_whole <- function(x) abs(x - round(x)) < 1e-9

#' @srrstats {G2.0} one number where one is expected.
#' @srrstats {G2.1} of a numeric type.
#' @srrstats {G2.2} vectors are refused.
#' @srrstats {G2.4a} as.integer() after a check that the number is whole and in range.
#' @srrstats {G3.0} whole within 1e-9; numbers are compared by equality only where they are exact, such as 0.
#' @srrstats {BS2.6} bounds of k, iter, warmup, thin and chains.
check_whole <- function(x, arg, min, max = .Machine$integer.max, call = rlang::caller_env()) {
  if (!is_number(x) || !is_whole(x) || x < min || x > max) {
    expected <- if (max < .Machine$integer.max || (is_number(x) && x > max)) {
      paste("one whole number from", min, "to", format(max, scientific = FALSE))
    } else {
      paste("one whole number", if (min > -.Machine$integer.max) paste("of at least", min))
    }
    abort_argument(x, arg, expected, call)
  }
  as.integer(round(x))
}

# An argument without a default must be given; `missing` is missing(x), evaluated by the caller.
check_given <- function(missing, arg, call = rlang::caller_env()) {
  check_that(!missing, "{.arg {arg}} must be given.", call)
}

# All arguments without a default must be given; `frame` is that of the function called by the user.
check_all_given <- function(frame) {
  called <- rlang::frame_fn(frame)
  for (arg in setdiff(names(Filter(rlang::is_missing, formals(called))), "...")) {
    check_given(eval(call("missing", as.name(arg)), frame), arg, frame)
  }
}

#' @srrstats {G2.4b} as.double() after a check that it is a number.
check_positive <- function(x, arg, call = rlang::caller_env()) {
  if (!is_number(x) || x <= 0) abort_argument(x, arg, "one positive number", call)
  as.double(x)
}

check_flag <- function(x, arg, call = rlang::caller_env()) {
  if (!is.logical(x) || !is_one(x) || is.na(x)) abort_argument(x, arg, "TRUE or FALSE", call)
  x
}

# Applies `check`, such as check_positive(), to each of these arguments, and assigns to it what `check`
# returns. `frame` is that of the function called by the user.
check_each <- function(check, args, frame = rlang::caller_env()) {
  for (arg in args) frame[[arg]] <- check(frame[[arg]], arg, call = frame)
}

# Like match.arg(), but with an error of this package: the first choice if the argument was not given.
#' @srrstats {G2.3} one string is expected:
#' @srrstats {G2.3a} as match.arg(), with an error that lists the choices.
check_choice <- function(x, arg, choices, call = rlang::caller_env()) {
  if (identical(x, choices)) x <- choices[1]
  if (!is.character(x) || !is_one(x) || !unclass(x) %in% choices) {
    abort_argument(x, arg, paste("one of", paste0("\"", choices, "\"", collapse = ", ")), call)
  }
  x
}

# Applies check_choice() to all these arguments, with their defaults as choices, and returns the list of what
# was chosen. `frame` is that of the function called by the user.
check_choices <- function(args, frame = rlang::caller_env()) {
  choices <- formals(rlang::frame_fn(frame))[args]
  Map(function(choices, arg) check_choice(frame[[arg]], arg, eval(choices), frame), choices, args)
}

# One number, or one per row (or per `per`), which must all pass `ok`. The result is not recycled.
#' @srrstats {BS2.3} one number or one per row; any other length is an error, and nothing is recycled
#'   silently.
check_per_row <- function(x, arg, n_row, ok, expected, call = rlang::caller_env(), per = "row") {
  if (!is.numeric(x) || length(x) == 0) abort_argument(x, arg, expected, call)
  check_that(is.null(n_row) || length(x) %in% c(1, n_row), c(
    "{.arg {arg}} must be one number, or one per {per} ({n_row}).",
    x = "It has length {length(x)}."
  ), call)
  valid <- all(is.finite(x) & ok(x))
  if (!valid && length(x) == 1) abort_argument(x, arg, expected, call)
  # values per row may have been computed from counts, so none is shown
  check_that(valid, c(
    "Each value of {.arg {arg}} must be {expected}.",
    x = "At least one is not.",
    i = if (arg == "precision") "It must be public, and must not be computed from the counts."
  ), call)
  as.double(x)
}

check_epsilon <- function(x, n_row = NULL, call = rlang::caller_env()) {
  check_per_row(x, "epsilon", n_row, function(x) x > 0, "a positive, finite number", call)
}

check_alpha <- function(x, n_row = NULL, zero = TRUE, call = rlang::caller_env()) {
  expected <- if (zero) "a number in [0, 1)" else "a number in (0, 1)"
  check_per_row(x, "alpha", n_row, function(x) x < 1 & (x > 0 | (zero & x == 0)), expected, call)
}

check_precision <- function(x, n_row = NULL, call = rlang::caller_env(), per = "row") {
  check_per_row(x, "precision", n_row, function(x) x > 0, "a positive, finite number", call, per)
}

check_one_of_two <- function(epsilon, alpha, call = rlang::caller_env()) {
  check_that(is.null(epsilon) != is.null(alpha), c(
    "Give exactly one of {.arg epsilon} and {.arg alpha}.",
    x = if (is.null(alpha)) "Neither was given." else "Both were given."
  ), call)
}

# Objects of a later version are refused, because their fields may have another meaning.
check_version <- function(version, what, known) {
  check_that(is_number(version), c(
    "This is not {what} created by ldpcounts: it has no version number.",
    i = if (what == "a private_counts") "For functions of other packages use {.code as.matrix(x)}."
  ), NULL, class = "ldpcounts_version_error")
  check_that(version <= known, c(
    "This is {what} from a later version of ldpcounts.",
    x = "Its format is {version}, but this version of the package reads formats up to {known}."
  ), NULL, class = "ldpcounts_version_error")
}

# Names of items or participants, as text: at least one, all different, none empty.
check_names <- function(x, arg, call = rlang::caller_env()) {
  if (!is.atomic(x) || !is.null(dim(x)) || length(x) == 0) abort_argument(x, arg, "a vector of names", call)
  x <- enc2utf8(as.character(x))
  valid <- !is.na(x) & validUTF8(x) & !grepl("^\\s*$", x)
  check_that(all(valid),
    "Each of {.arg {arg}} must be a name, but {sum(!valid)} {?is/are} empty or missing.", call
  )
  again <- unique(x[duplicated(x)])
  check_that(length(again) == 0, c(
    "All {.arg {arg}} must be different.", x = "{.val {again}} {?is/are} given more than once."
  ), call)
  x
}

# A list with one element per mode: NULL, or as many labels as the extent of the mode.
is_labels <- function(labels, dim) {
  is.list(labels) && length(labels) == length(dim) && all(mapply(function(each, n) {
    is.null(each) || (is.atomic(each) && length(each) == n)
  }, labels, dim))
}

#' @srrstats {G2.4c} labels of any type are converted to text.
as_labels <- function(x) if (!is.null(x)) as.character(x)

is_count <- function(x, least, most = .Machine$integer.max) {
  is_plain_number(x) && x >= least && x <= most && x == round(x)
}

is_positive <- function(x) is_plain_number(x) && x > 0

is_plain_number <- function(x) is_number(x) && is.null(attributes(x))

has_dim <- function(x, dim) length(dim(x)) == length(dim) && all(dim(x) == dim)

# Doubles of this shape, all finite. (min() and max() are used because they make no copy.)
are_numbers <- function(x, dim, least = -.Machine$double.xmax, most = .Machine$double.xmax) {
  is.double(x) && !is.object(x) && has_dim(x, dim) &&
    (length(x) == 0 || isTRUE(min(x) >= least && max(x) <= most))
}

check_share <- function(x, arg, open = FALSE, call = rlang::caller_env()) {
  inside <- is_number(x) && if (open) x > 0 && x < 1 else x >= 0 && x <= 1
  expected <- if (open) "one number between 0 and 1" else "one number from 0 to 1"
  if (!inside) abort_argument(x, arg, expected, call)
  as.double(x)
}

has_labels <- function(x) is.factor(x) || is.character(x)

# A column of a data frame may be a matrix, which is not accepted.
is_plain_numeric <- function(x) is.numeric(x) && !is.object(x) && is.null(dim(x))

# An error if `what` needs more bytes than are free.
check_free_memory <- function(needed, what, hint, free, call) {
  check_that(needed <= free, c(
    paste(what, "would take {format_bytes(needed)} of memory, but only {format_bytes(free)} are free."),
    i = hint
  ), call, class = "ldpcounts_memory_error")
}

# The mean of f(x) over the elements of a list; f returns numbers, or a list of numbers.
mean_of_each <- function(x, f) {
  total <- f(x[[1]])
  for (one in x[-1]) total <- if (is.list(total)) Map(`+`, total, f(one)) else total + f(one)
  if (is.list(total)) lapply(total, `/`, length(x)) else total / length(x)
}
