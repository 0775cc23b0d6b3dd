# Groups of rows (or of columns), as users give them: a vector, a factor, or a data frame of these.

# Checks groups with one value per row, and returns them as a factor without unused levels. The levels of a
# data frame are combinations of the values of its columns; those of the first column change slowest.
check_row_groups <- function(groups, n, arg, call = rlang::caller_env(), per = "row of the data") {
  combine_factors(grouping_factors(groups, n, arg, per, numbers = TRUE, call))
}

# The columns of `groups`, or `groups` itself, as a list of factors without unused levels. `per`: what there
# is a value for, in errors. `numbers`: whether numbers can be groups.
grouping_factors <- function(groups, n, arg, per, numbers, call) {
  columns <- if (is.data.frame(groups)) as.list(groups) else list(group = groups)
  kinds <- paste("a factor,", if (numbers) "a vector," else "text, TRUE or FALSE,", "or a data frame of these")
  if (length(columns) == 0) abort_argument(groups, arg, kinds, call)
  for (name in names(columns)) {
    x <- columns[[name]]
    of <- if (is.data.frame(groups)) paste0(arg, "$", name) else arg
    hint <- if (is.numeric(x)) "{.fn factor} makes groups of numbers, and {.fn cut} makes groups of ranges."
    valid <- is_grouping(x) && (numbers || is.factor(x) || is.character(x) || is.logical(x))
    if (!valid) abort_argument(x, of, kinds, call, hint)
    check_that(length(x) == n, c(
      "{.arg {of}} must have one value per {per} ({format_number(n)}).", x = "It has {format_number(length(x))}."
    ), call)
    check_that(!anyNA(x), c(
      "{.arg {of}} must not have missing values.",
      i = "Leave out these rows, or give them a group of their own, such as \"unknown\"."
    ), call)
  }
  lapply(columns, function(x) droplevels(as_levels(x)))
}

is_grouping <- function(x) is.null(dim(x)) && (is.factor(x) || (is.atomic(x) && length(x) > 0))

# Groups that a formula names, such as ~ gender, in a data frame.
groups_of_formula <- function(by, data, call) {
  if (!inherits(by, "formula")) {
    check_that(is.null(data), "{.arg data} is only for a formula, as in {.code by = ~ gender}.", call)
    return(by)
  }
  absent <- setdiff(all.vars(by), names(data))
  check_that(is.data.frame(data) && length(by) == 2 && length(absent) == 0, c(
    "{.arg by} must be a formula of columns of the data frame {.arg data}, without a left side.",
    x = if (length(absent) > 0) "There is no column {.val {absent[1]}}."
  ), call)
  stats::model.frame(by, data, na.action = stats::na.pass)
}

combine_factors <- function(factors) {
  codes <- lapply(factors, as.integer)
  key <- do.call(paste, codes)
  first <- which(!duplicated(key))
  first <- first[do.call(order, lapply(codes, `[`, first))]
  names <- do.call(paste, c(lapply(factors, function(each) as.character(each)[first]), sep = ", "))
  factor(match(key, key[first]), seq_along(first), make.unique(names))
}

# The columns whose counts are added up: each on its own (NULL), all of them (one value, which names the sum),
# or groups of columns (one value per column). A factor with one value per column; NULL if each is on its own.
# Labels of columns select these, and leave out the others, whose value is NA.
item_groups <- function(items, labels, call = rlang::caller_env()) {
  n <- length(labels)
  if (is.null(items)) {
    return(NULL)
  }
  if (is.character(items) && length(items) > 0 && all(items %in% labels) && !anyDuplicated(items)) {
    return(factor(match(labels, items), seq_along(items), items))
  }
  if (length(items) == 1 && n != 1 && is_grouping(items)) items <- rep(items, n)
  check_row_groups(items, n, "items", call, "column of the data")
}
