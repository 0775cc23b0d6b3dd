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
check_groups <- function(groups, n, call = rlang::caller_env()) {
  if (is.null(groups)) {
    return(NULL)
  }
  frame <- grouping_factors(groups, n, "groups", "row of the data", numbers = FALSE, call)
  for (name in names(frame)) {
    check_that(nlevels(frame[[name]]) > 1, c(
      "{.arg groups} must have at least two groups.",
      x = "All rows have the same value{if (length(frame) > 1) paste0(' of ', name)}."
    ), call)
  }
  number_groups(frame)
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
  frame <- grouping_factors(groups, n, "groups", "row of newdata", numbers = FALSE, call)
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
