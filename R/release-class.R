# The class of releases: fields, checks when a release is created, and its noise level.

#' Released counts with their noise level
#'
#' `private_counts()` declares that counts were noised elsewhere by the geometric mechanism, and stores them
#' with their noise level. [privatize()] returns such objects itself. `privacy()` returns the noise level.
#'
#' @order 1
#' @param x Released counts: whole numbers of any sign, `NA` for cells that were not observed. A matrix, an
#'   array, a `Matrix`, or any other of the [objects that hold counts][data-objects]. A data frame
#'   has one row per record or, with `dims`, one row per cell (see `fill`). For the methods: a
#'   `private_counts`.
#' @param ... For `rbind()`, several `private_counts` (for a list of them, use `do.call(rbind, releases)`);
#'   for `plot()`, arguments of `autoplot()`; otherwise it must be empty.
#' @param alpha,epsilon Exactly one of the two: the ratio of the geometric noise, or the privacy loss; one
#'   number, or one per row. `alpha = 0` (no noise) is allowed here if no count is negative.
#' @param precision The largest difference between two records that is protected at `epsilon`, in counts: a
#'   positive number, or one per row; see [privatize()].
#' @param dims,id For a data frame: see [privatize()]. Labels may be text, because they are public already.
#' @param fill For a data frame of cells that does not list all of them: `NA` if the others were not observed,
#'   or 0 if only counts other than 0 are listed. `NULL` throws an error that says how many are not listed.
#' @param clamped `TRUE` if negative counts were set to zero after the noise was added.
#' @param directed `FALSE` for counts of pairs of actors, if noise was added once per pair. `x` must then be
#'   square and symmetric, `alpha` or `epsilon` must be one number, and the diagonal is not data (`NA`).
#' @return `private_counts()`: an object of class `private_counts`, to be used as the data of
#'   [topic_model()], [block_model()] or [tensor_model()], which read `alpha` from it.
#'
#'   `privacy()`: a list of `alpha`, `epsilon` and `precision` (one number each, or one per row), `rng` (the
#'   source of the noise: `"secure"`, `"R"`, `"external"` for counts noised elsewhere, or `"mixed"`),
#'   `clamped` and `directed`.
#'
#'   `as.data.frame()`: a data frame with one row per cell (in an undirected release, one per pair) and one
#'   column per mode, with labels or numbers. These columns have the names of the dimnames, or else `row` and
#'   `column` (with more than two modes, `mode1`, `mode2` and so on). The last columns are `y_tilde`, the
#'   released count (`NA` if masked), and `alpha`. [merge()] joins it with a data frame of covariates.
#' @details Methods keep the noise levels consistent with the counts. `x[i, j]`, `head()` and `rbind()` keep
#' the noise level of each row. `is.na(x) <-` and `x[i, j] <- NA` mask cells. `as.matrix()` returns the
#' released counts (`as.numeric()` as a vector), `hist()` draws their histogram, and `as.data.frame()` returns
#' a data frame with one row per cell. A release cannot be stored in a column of a data frame. To store one
#' column of a release there, convert it with `as.numeric()`. Arithmetic, sums, `t()` and assignments of
#' values other than `NA` throw an error, because the noise of the result would no longer be geometric with
#' this `alpha`. `cbind()` throws an error too, because its result could contain two releases of the same
#' counts. Their privacy losses add up, so the loss of a row would be larger than the one that is declared.
#' Apply these functions to `as.matrix(x)`, which has no noise level attached.
#'
#' An undirected release contains every pair twice, and methods preserve this symmetry: `x[i, ]` selects the
#' actors `i` in both rows and columns, masking a cell also masks the other cell of the pair, and there is
#' no `rbind()`.
#'
#' Counts with more than two modes are stored as a table, with the first mode in its rows and all others in
#' its columns, where the index of the second mode changes fastest. `as.matrix(x)` returns this table, and
#' `as.array(x)` the array. `dim(x)` has all extents. The noise levels belong to the first mode, and
#' `head()` and `rbind()` apply to it; `x[i, j, l]` takes one index per mode.
#'
#' A release that is clamped at zero (`privatize(clamp = TRUE)`, or `clamped = TRUE` here) stores only its
#' positive and its masked cells. Fits of the models do not change, because, with a known `alpha`, all
#' counts at or below zero carry the same information (`vignette("ldpcounts")`). But moments and sums of
#' released counts are no longer unbiased, and the check of `alpha` (see below) has less information. For
#' this check [privatize()] keeps two numbers per row: the number of cells at or below zero, and the sum of
#' their absolute values. These numbers are dropped if cells of the row are masked or removed. `rbind()` of
#' clamped and other releases clamps all of them.
#'
#' `print()` states in words what is protected; of a part of a release, by `x[i, j]`, `head()` or `tail()`, it
#' states the noise level in one line. `summary()` also compares the released counts at or below
#' zero with the declared `alpha`: given that a released count is not positive, its absolute value is
#' geometric with ratio `alpha`, whatever the true count is. If the counts contradict the declared `alpha`,
#' a warning of class `ldpcounts_declared_alpha` is issued, with the `alpha` that is estimated from these
#' counts and its exact 95 % interval. (For a correctly declared `alpha` this happens in at most one of 1e5
#' releases.)
#' @section Errors: An error of class `ldpcounts_error` is thrown if counts are not whole numbers, if `alpha`
#'   is not in `[0, 1)`, for operations after which the noise levels would be wrong, and if cells are looked
#'   up by a label that several rows or columns share. `rbind()` issues a warning of class
#'   `ldpcounts_duplicated_labels` if several rows have the same label.
#' @references Schein et al. (2019), definition 2.
#' @seealso [robust-model] for plain counts, which can be analysed as if they were noised.
#' @examples
#' x <- private_counts(matrix(c(2, -1, 0, 5, 1, -3), 2), epsilon = 1)
#' x
#' privacy(x)$alpha
#' x[1, ]
#' is.na(x) <- cbind(1, 2)
#' as.matrix(x)
#' head(as.data.frame(x))
#' # join covariates of the rows
#' merge(as.data.frame(x, na.rm = TRUE), data.frame(row = 1:2, age = c(34, 58)))
#' # three modes
#' x <- private_counts(array(c(2, -1, 0, 5, 1, -3, 0, 2), c(2, 2, 2)), epsilon = 1)
#' x[, , 1]
#' @export
private_counts <- function(x, ..., alpha = NULL, epsilon = NULL, precision = 1,
                           clamped = FALSE, directed = TRUE, dims = NULL, id = NULL, fill = NULL) {
  check_no_dots(...)
  check_given(missing(x), "x")
  check_that(!is_release(x), "{.arg x} is a release already.")
  clamped <- check_flag(clamped, "clamped")
  directed <- check_flag(directed, "directed")
  check_one_of_two(epsilon, alpha)
  check_precision(precision)
  if (is.null(alpha)) check_epsilon(epsilon) else check_alpha(alpha)
  fill <- check_fill(fill, x, rlang::current_env())
  table <- given_counts(x, "x", id, dims, directed, role = "release", fill = fill)
  check_two_modes(table, directed, "x")
  counts <- check_counts(table$counts, "x", signed = TRUE)
  tell_empty(counts, "x")
  if (is_sparse(counts)) counts <- Matrix::drop0(counts)
  n_row <- nrow(counts)
  precision <- check_precision(precision, n_row)
  alpha <- if (is.null(alpha)) alpha_of_rate(check_epsilon(epsilon, n_row) / precision) else check_alpha(alpha, n_row)
  if (!directed) {
    check_undirected(counts, "x", noised = TRUE)
    check_one_level(alpha, precision)
    counts <- mirrored(counts)
  }
  declared <- function(counts) {
    new_private_counts(counts, alpha, precision,
      rng = "external", below = if (clamped) nothing_known_below(n_row), directed = directed,
      columns = table$columns
    )
  }
  problem <- broken_rule(unclass(declared(counts)), COUNT_RULES)
  check_that(is.null(problem), paste0("{.arg x} ", problem, "."))
  declared(if (clamped) clamp_counts(counts) else counts)
}

check_fill <- function(fill, x, call) {
  check_that(is.null(fill) || is.data.frame(x), "{.arg fill} is only for a data frame of cells.", call)
  valid <- is.null(fill) || (is.atomic(fill) && is_one(fill) && (is.na(fill) || identical(as.double(fill), 0)))
  if (!valid) abort_argument(fill, "fill", "0 or NA", call)
  fill
}

# Counts of pairs must be the same at [i, j] and [j, i].
check_undirected <- function(counts, arg, noised = FALSE, call = rlang::caller_env()) {
  check_network(counts, arg, call, noised)
  check_that(is_symmetric(counts), "With {.code directed = FALSE}, {.arg {arg}} must be symmetric.", call)
}

# Counts of pairs of actors must have two modes.
check_two_modes <- function(table, directed, arg, call = rlang::caller_env()) {
  check_that(directed || is.null(table$columns), c(
    "With {.code directed = FALSE}, {.arg {arg}} must have two modes.",
    x = "It has {length(table_dim(table))}."
  ), call)
}

# A pair does not belong to a single row, so noise levels per row are not possible.
check_one_level <- function(epsilon, precision, call = rlang::caller_env()) {
  check_that(length(epsilon) < 2 && length(precision) < 2, c(
    "With {.code directed = FALSE} all counts must have the same noise.",
    x = "{.arg epsilon}, {.arg alpha} or {.arg precision} has one value per row."
  ), call)
}

# `alpha` and `precision` have one number, or one per row, and so have `s` and `t`, whole numbers with
# s / t = -log(alpha) exactly, NA if the noise was added elsewhere. `below` has, for each row of a clamped
# release, the number of its cells at or below zero and the sum of their absolute values, NA if unknown; it is
# NULL if the release is not clamped. `columns` says, for more than two modes, how the columns are made up of
# modes (R/data-table.R). A subnormal `alpha` is inexact, and becomes 0: noise other than 0 never occurs then. All
# other properties of the noise follow from these: see privacy(). The object
# is a list, because attributes of a matrix would be lost in many operations.
new_private_counts <- function(counts, alpha, precision, rng, s = NA_real_, t = NA_real_,
                               below = NULL, directed = TRUE, columns = NULL) {
  structure(
    list(
      counts = counts, alpha = normal_or_zero(alpha), precision = precision, s = s, t = t, rng = rng,
      directed = directed, below = below, columns = columns, version = FORMAT_VERSION
    ),
    class = "private_counts"
  )
}

nothing_known_below <- function(n_row) {
  list(cells = rep(NA_real_, n_row), size = rep(NA_real_, n_row))
}

# The table (R/data-table.R) in a release or a count_table.
table_of <- function(data) if (is_release(data)) fields_of(data) else data

#' @rdname private_counts
#' @export
privacy <- function(x) {
  if (is_shards(x)) x <- unclass(x)$release
  check_release(x)
  fields <- fields_of(x)
  c(
    fields["alpha"], list(epsilon = epsilon_of(fields)), fields[c("precision", "rng")],
    list(clamped = !is.null(fields$below)), fields["directed"]
  )
}

# epsilon, from the exact rate if it is known, otherwise from alpha. If a decimal number with at most 6 places
# differs only by rounding error, it is returned.
epsilon_of <- function(fields) {
  level <- fields[LEVEL_FIELDS]
  level <- lapply(level, rep_len, if (all(lengths(level) > 0)) max(lengths(level)) else 0)
  epsilon <- ifelse(is.na(level$s), -log(level$alpha) * level$precision,
    scaled(level$precision, level$s, level$t))
  short <- round(epsilon * 1e6) / 1e6
  near <- is.finite(epsilon) & short > 0 & abs(epsilon - short) < 1e-12 * epsilon
  as.double(ifelse(near, short, epsilon))
}

check_release <- function(x, call = rlang::caller_env()) {
  if (!is_release(x)) {
    abort_argument(x, "x", "a private_counts", call, paste(
      "{.fn privatize} adds noise to true counts and returns a private_counts; {.fn private_counts} declares",
      "noise that was added elsewhere."
    ))
  }
}

# Per row, the number of cells at or below zero and the sum of their absolute values; NA if they are unknown
# because cells of a clamped release were masked or removed.
known_below_zero <- function(x) {
  fields <- fields_of(x)
  if (is.null(fields$below)) counted_below_zero(fields) else fields$below
}

# The names of all modes, or NULL; modes without labels may have names too.
titles_of <- function(fields) {
  if (is.null(fields$columns)) names(dimnames(fields$counts)) else fields$columns$titles
}

# x s / t, also where x s is too large for a double.
scaled <- function(x, s, t) {
  direct <- x * s / t
  ifelse(is.finite(direct), direct, x * (s / t))
}
