# Checks of arguments. Input is checked once, in R, before any work is done. A check returns the checked
# value.

# unclass() because a class may have a length() method that fails.
is_one <- function(x) length(unclass(x)) == 1

is_number <- function(x) is.numeric(x) && is_one(x) && is.finite(x)

# A path of package fs has a class, but is a file name too.
is_file_name <- function(x) is.character(x) && is_one(x) && !is.na(unclass(x)) && nzchar(unclass(x))

is_whole <- function(x) abs(x - round(x)) < 1e-9

# One or several whole numbers.
are_whole <- function(x, least, most = Inf) {
  is.numeric(x) && length(x) > 0 && all(is.finite(x) & is_whole(x) & x >= least & x <= most)
}

# A column of a data frame may be a matrix, which is not accepted.
is_plain_numeric <- function(x) is.numeric(x) && !is.object(x) && is.null(dim(x))

# A list with one element per mode: NULL, or as many labels as the extent of the mode.
is_labels <- function(labels, dim) {
  is.list(labels) && length(labels) == length(dim) && all(mapply(function(each, n) {
    is.null(each) || (is.atomic(each) && length(each) == n)
  }, labels, dim))
}

as_labels <- function(x) if (!is.null(x)) as.character(x)

# The labels of n indices, or their numbers if they have none.
labels_or_numbers <- function(labels, n) if (is.null(labels)) seq_len(n) else labels

# An argument without a default must be given; `missing` is missing(x), evaluated by the caller.
check_given <- function(missing, arg, call = rlang::caller_env()) {
  check_that(!missing, "{.arg {arg}} must be given.", call)
}

check_whole <- function(x, arg, min, max = .Machine$integer.max, call = rlang::caller_env()) {
  if (!is_number(x) || !is_whole(x) || x < min || x > max) {
    expected <- paste("one whole number from", min, "to", format(max, scientific = FALSE))
    abort_argument(x, arg, expected, call)
  }
  as.integer(round(x))
}

# One finite number of which ok(x) holds, as `expected` says in words.
check_number <- function(x, arg, ok, expected, call = rlang::caller_env()) {
  if (!is_number(x) || !ok(x)) abort_argument(x, arg, expected, call)
  as.double(x)
}

check_positive <- function(x, arg, call = rlang::caller_env()) {
  check_number(x, arg, function(x) x > 0, "one positive number", call)
}

check_dispersion <- function(x, call = rlang::caller_env(), expected = "one number of at least 1") {
  check_number(x, "dispersion", function(x) x >= 1, expected, call)
}

check_share <- function(x, arg, call = rlang::caller_env()) {
  check_number(x, arg, function(x) x >= 0 && x <= 1, "one number from 0 to 1", call)
}

check_open_share <- function(x, arg, call = rlang::caller_env()) {
  check_number(x, arg, function(x) x > 0 && x < 1, "one number between 0 and 1", call)
}

check_flag <- function(x, arg, call = rlang::caller_env()) {
  if (!is.logical(x) || !is_one(x) || is.na(x)) abort_argument(x, arg, "TRUE or FALSE", call)
  x
}

# Like match.arg(), but with an error of this package: the first choice if the argument was not given.
check_choice <- function(x, arg, choices, call = rlang::caller_env()) {
  if (identical(x, choices)) x <- choices[1]
  if (!is.character(x) || !is_one(x) || !unclass(x) %in% choices) {
    abort_argument(x, arg, paste("one of", paste0("\"", choices, "\"", collapse = ", ")), call)
  }
  x
}

# One number, or one per row (or per `per`), which must all pass `ok`. The result is not recycled.
check_per_row <- function(x, arg, n_row, ok, expected, call = rlang::caller_env(), per = "row") {
  check_that(is.null(n_row) || length(x) %in% c(1, n_row), c(
    "{.arg {arg}} must be one number, or one per {per} ({n_row}).", x = "It has length {length(x)}."
  ), call)
  # describe() does not show several values, which may have been computed from counts
  valid <- is.numeric(x) && length(x) > 0 && all(is.finite(x) & ok(x))
  public <- if (arg == "precision") "It must be public, and must not be computed from the counts."
  if (!valid) abort_argument(x, arg, expected, call, public)
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
  check_that(is_number(version), "This is not {what} created by ldpcounts: it has no version number.", NULL,
    class = "ldpcounts_version_error"
  )
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
  check_that(all(valid), "Each of {.arg {arg}} must be a name, but {sum(!valid)} {?is/are} empty or missing.", call)
  again <- unique(x[duplicated(x)])
  check_that(length(again) == 0, c(
    "All {.arg {arg}} must be different.", x = "{.val {again}} {?is/are} given more than once."
  ), call)
  x
}
