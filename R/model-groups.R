# Groups of rows, for the argument `groups` of model functions. They are an element `groups` of the priors of a
# task, in the form that src/rc_groups.c reads:
#
#   combination     per row, the number of the combination of levels that it has, from 0
#   level           a matrix with one row per factor and one column per combination: the number of the level,
#                   from 0, counted over all factors
#   first           the number of the first level of each factor, and the number of all levels
#   shape           the shape, and the rate, of the gamma prior of relative rates
#   levels          a list of the labels of the levels of each factor
#
# The relative rates are stored with the factors of the model, as `groups`: one row per component and one
# column per level.

# With Gamma(2, 2) priors of two relative rates, their ratio is between 0.16 and 6.4 with probability 0.9.
GROUP_SHAPE <- 2

# NULL if there are no groups. `n`: the number of rows of the data.
check_groups <- function(groups, n, rows = "rows of the data", call = rlang::caller_env()) {
  if (is.null(groups)) {
    return(NULL)
  }
  frame <- lapply(group_frame(groups, n, rows, call), function(x) droplevels(as.factor(x)))
  for (name in names(frame)) {
    check_that(nlevels(frame[[name]]) > 1, c(
      "{.arg groups} must have at least two groups.",
      x = "All rows have the same value{if (length(frame) > 1) paste0(' of ', name)}."
    ), call)
  }
  number_groups(frame)
}

# The factors of `groups` as a list, with the names of columns.
group_frame <- function(groups, n, rows, call) {
  single <- !is.data.frame(groups)
  columns <- if (single) list(group = groups) else as.list(groups)
  expected <- "a factor, or a data frame of factors (character and logical vectors are factors too)"
  if (length(columns) == 0) abort_argument(groups, "groups", expected, call)
  for (name in names(columns)) {
    x <- columns[[name]]
    arg <- if (single) "groups" else paste0("groups$", name)
    ok <- (is.factor(x) || is.character(x) || is.logical(x)) && is.null(dim(x))
    hint <- if (is.numeric(x)) "{.fn factor} makes groups of numbers, and {.fn cut} makes groups of ranges."
    if (!ok) abort_argument(x, arg, if (single) expected else "a factor", call, hint)
    check_that(length(x) == n, c(
      "{.arg {arg}} must have one value per row.", x = "It has {length(x)}, and there are {n} {rows}."
    ), call)
    check_that(!anyNA(x), c(
      "{.arg {arg}} must not have missing values.",
      x = "{sum(is.na(x))} value{?s} {?is/are} NA.",
      i = "Leave out these rows, or give them a group of their own, such as \"unknown\"."
    ), call)
  }
  columns
}

# `frame`: a list of factors without NA. `levels`: their levels.
number_groups <- function(frame, levels = lapply(frame, base::levels)) {
  first <- c(0L, cumsum(lengths(levels, use.names = FALSE)))
  of_rows <- vapply(seq_along(frame), function(f) {
    match(as.character(frame[[f]]), levels[[f]]) - 1L + first[f]
  }, integer(length(frame[[1]])))
  of_rows <- matrix(of_rows, ncol = length(frame))
  key <- do.call(paste, as.data.frame(of_rows))
  distinct <- !duplicated(key)
  list(
    combination = match(key, key[distinct]) - 1L, level = t(of_rows[distinct, , drop = FALSE]),
    first = first, shape = GROUP_SHAPE, levels = levels
  )
}

n_levels <- function(groups) sum(lengths(groups$levels))

# The number of the level of each row, within the levels of factor f.
level_of_rows <- function(groups, f) groups$level[f, groups$combination + 1L] - groups$first[f] + 1L

# Names such as "group=left", one per level of all factors.
level_names <- function(groups) {
  paste0(rep(names(groups$levels), lengths(groups$levels)), "=", unlist(groups$levels))
}

# Groups of new rows, with the levels of those of the fit.
check_new_groups <- function(groups, known, n, call = rlang::caller_env()) {
  if (is.null(known)) {
    check_that(is.null(groups), "{.arg groups} is only for a fit that has groups.", call)
    return(NULL)
  }
  names <- names(known$levels)
  check_that(!is.null(groups),
    "{.arg groups} must be given: the fit has groups, so each row of {.arg newdata} needs its own.", call
  )
  frame <- group_frame(groups, n, "rows of newdata", call)
  if (!is.data.frame(groups) && length(names) == 1) names(frame) <- names
  check_that(all(names %in% names(frame)), c(
    "{.arg groups} must have the columns of the groups of the fit.",
    x = "Missing: {setdiff(names, names(frame))}."
  ), call)
  for (name in names) {
    other <- setdiff(as.character(frame[[name]]), known$levels[[name]])
    check_that(length(other) == 0, c(
      "{.arg groups} must be groups that the data of the fit have.",
      x = "{length(other)} group{?s} {?is/are} not among them: {utils::head(other, 5)}."
    ), call)
  }
  number_groups(frame[names], known$levels)
}

# Is this an element `groups` of the priors for data with n rows?
is_groups <- function(groups, n) {
  k <- length(groups$levels)
  is.list(groups$levels) && k > 0 && all(vapply(groups$levels, is.character, TRUE)) &&
    is.integer(groups$first) && identical(groups$first, c(0L, cumsum(lengths(groups$levels, FALSE)))) &&
    is.integer(groups$combination) && length(groups$combination) == n &&
    is.integer(groups$level) && is.matrix(groups$level) && nrow(groups$level) == k &&
    all(groups$combination >= 0 & groups$combination < ncol(groups$level)) &&
    all(groups$level >= groups$first[-(k + 1)] & groups$level < groups$first[-1]) &&
    is_positive(groups$shape)
}
