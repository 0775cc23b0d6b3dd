# Groups of rows (or of columns), as users give them: a vector, a factor, or a data frame of these.

# Checks groups with one value per row, and returns them as a factor without unused levels. The levels of a
# data frame are combinations of the values of its columns; those of the first column change slowest. `per`:
# what there is a value for, in errors.
check_row_groups <- function(groups, n, arg, call = rlang::caller_env(), per = "row of the data") {
  columns <- if (is.data.frame(groups)) as.list(groups) else list(groups)
  valid <- vapply(columns, is_grouping, TRUE)
  if (length(columns) == 0 || !all(valid)) {
    expected <- paste0("a factor, a vector, or a data frame of these, with one value per ", per)
    abort_argument(if (is.data.frame(groups)) columns[!valid][1][[1]] else groups, arg, expected, call)
  }
  found <- length(columns[[1]])
  check_that(found == n, c(
    "{.arg {arg}} must have one value per {per} ({format_number(n)}).",
    x = "It has {format_number(found)}."
  ), call)
  check_that(!any(unlist(lapply(columns, is.na))), c(
    "{.arg {arg}} must not have missing values.",
    i = "Give missing values a group of their own, or leave out their rows."
  ), call)
  combine_factors(lapply(columns, function(column) droplevels(as.factor(column))))
}

is_grouping <- function(x) is.null(dim(x)) && (is.factor(x) || (is.atomic(x) && length(x) > 0 && !is.list(x)))

combine_factors <- function(factors) {
  if (length(factors) == 1) {
    return(factors[[1]])
  }
  codes <- lapply(factors, as.integer)
  key <- do.call(paste, codes)
  first <- which(!duplicated(key))
  first <- first[do.call(order, lapply(codes, `[`, first))]
  names <- do.call(paste, c(lapply(factors, function(each) as.character(each)[first]), sep = ", "))
  factor(match(key, key[first]), seq_along(first), make.unique(names))
}

# The columns whose counts are added up: each on its own (NULL), all of them (one value, which names the sum),
# or groups of columns (one value per column). A factor with one value per column; NULL if each is on its own.
item_groups <- function(items, n, call = rlang::caller_env()) {
  if (is.null(items)) {
    return(NULL)
  }
  if (length(items) == 1 && n != 1 && is_grouping(items)) items <- rep(items, n)
  check_row_groups(items, n, "items", call, "column of the data")
}
