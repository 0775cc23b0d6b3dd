# What a release is: its fields, its checks when it is made, and what is known of its noise.

#' Counts that carry their privacy
#'
#' `private_counts()` wraps counts that were noised elsewhere by the geometric mechanism;
#' [privatize()] makes such objects itself. `privacy()` says what protects them.
#'
#' @order 1
#' @param x Released counts: whole numbers of any sign, `NA` for cells that were not observed. A matrix, an
#'   array, a `Matrix`, or any other of the [objects that hold counts][data-objects]; among them a data
#'   frame with a row per cell, a column for each mode, and last the count, where a cell that is not listed
#'   is zero. Or, for the methods, a `private_counts`.
#' @param ... For `rbind()`, several `private_counts` (of a list of them, `do.call(rbind, releases)`); for
#'   `plot()`, arguments of `autoplot()`; else it must be empty.
#' @param alpha,epsilon Exactly one of them, one number or one per row. `alpha = 0` (no noise)
#'   is allowed here, if no count is negative.
#' @param precision The distance between records for which `epsilon` holds: a positive number, or one per
#'   row; see [geometric_alpha()].
#' @param dims,id For a data frame: see [privatize()].
#' @param clamped Were negative counts set to zero after the noise?
#' @param directed `FALSE` for counts of pairs of actors, whose noise was added once per pair: `x` is
#'   then square and symmetric, `alpha` or `epsilon` is one number, and the diagonal is not data (`NA`).
#' @return `private_counts()`: an object of class `private_counts`, to be given to
#'   [topic_model()], [block_model()] or [tensor_model()], which read `alpha` from it. `privacy()`: a list of
#'   `alpha`, `epsilon`, `precision` (numbers, or one per row), `rng` (`"secure"`, `"R"`,
#'   `"external"` for counts noised elsewhere, `"mixed"`), `clamped` and `directed`.
#'   `as.data.frame()`: one row per cell (of an undirected release, per pair), one column per mode, named by
#'   the names of the dimnames or `row` and `column` (`mode1`, `mode2` and so on of more than two modes), with
#'   labels or numbers; then `y_tilde`, the released count, `NA` if masked, and `alpha`.
#' @details
#' Methods keep the object true. `x[i, j]`, `head()` and `rbind()` carry the noise level of
#' each row along, `is.na(x) <- ` and `x[i, j] <- NA` mask cells, `as.matrix()` gives the
#' released counts (`as.numeric()` as a vector, `hist()` their histogram), `as.data.frame()` a data frame with
#' a row per cell. A release cannot be a column of a data frame; `as.numeric()` of one of its columns can.
#' Arithmetic, sums, `t()`, `cbind()` and other assignments would make an object whose noise is no longer
#' geometric with its `alpha`, and are errors; do them on `as.matrix(x)`, whose results no longer say what
#' protects them.
#'
#' An undirected release has every pair twice, and keeps that so: `x[i, ]` takes the actors `i` from both
#' margins, masking a cell masks its twin, and there is no `rbind()`.
#'
#' Counts of more than two modes are kept as a table, the first mode in its rows and all others in its
#' columns, the second fastest: that is what `as.matrix(x)` gives, where `as.array(x)` gives the array.
#' `dim(x)` has all extents. The noise levels are those of the first mode, and `head()` and `rbind()` are
#' about it; `x[i, j, l]` takes an index for each mode.
#'
#' A release that is clamped at zero (`privatize(clamp = TRUE)`, or `clamped = TRUE` here) stores
#' its positive and its masked cells only. Models lose nothing by it, because, with a known
#' `alpha`, every count at or below zero carries the same information (`vignette("ldpcounts")`). Lost are
#' moments, sums of releases, and most of the check of `alpha` below: for that [privatize()] keeps,
#' per row, the number of cells at or below zero and the sum of their sizes, and where cells of a
#' row are masked or dropped these two are dropped as well. `rbind()` of clamped and other releases
#' clamps all of them.
#'
#' `print()` says in words what is protected. `summary()` also compares the part of the release at
#' or below zero with the declared `alpha`: given that a release is not above zero, its size is
#' geometric with ratio `alpha`, whatever the true count is. It warns (class
#' `ldpcounts_declared_alpha`) when the two cannot both be right, in at most one of 1e5 releases
#' where they are, and gives the `alpha` that is estimated from these counts, with its exact 95 % interval.
#' @section Errors: of class `ldpcounts_error`, when counts are not whole, when `alpha` is not
#'   in `[0, 1)`, for operations that would make the object untrue, and for a label that several rows or
#'   columns have, where cells are looked up by labels. `rbind()` issues a warning of class
#'   `ldpcounts_duplicated_labels` for such rows.
#' @references Schein et al. (2019), definition 2.
#' @seealso [robust-model] for plain counts, which may be wrapped too.
#' @examples
#' x <- private_counts(matrix(c(2, -1, 0, 5, 1, -3), 2), epsilon = 1)
#' x
#' privacy(x)$alpha
#' x[1, ]
#' is.na(x) <- cbind(1, 2)
#' as.matrix(x)
#' head(as.data.frame(x))
#' # three modes
#' x <- private_counts(array(c(2, -1, 0, 5, 1, -3, 0, 2), c(2, 2, 2)), epsilon = 1)
#' x[, , 1]
#' @export
private_counts <- function(x, ..., alpha = NULL, epsilon = NULL, precision = 1,
                           clamped = FALSE, directed = TRUE, dims = NULL, id = NULL) {
  check_no_dots(...)
  check_given(missing(x), "x")
  check_that(!is_release(x), "{.arg x} is private already.")
  clamped <- check_flag(clamped, "clamped")
  directed <- check_flag(directed, "directed")
  table <- given_counts(x, "x", dims, directed, role = "release", id = id)
  check_two_modes(table, directed, "x")
  counts <- check_counts(table$counts, "x", signed = TRUE)
  tell_empty(counts, "x")
  if (is_sparse(counts)) counts <- Matrix::drop0(counts)
  n_row <- nrow(counts)
  check_one_of_two(epsilon, alpha)
  precision <- check_precision(precision, n_row)
  alpha <- if (is.null(alpha)) exp(-check_epsilon(epsilon, n_row) / precision) else check_alpha(alpha, n_row)
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

# Counts of pairs: what stands at [i, j] stands at [j, i].
check_undirected <- function(counts, arg, noised = FALSE, call = rlang::caller_env()) {
  check_network(counts, arg, call, noised)
  check_that(is_symmetric(counts), "{.arg {arg}} must be symmetric with {.code directed = FALSE}.", call)
}

# Pairs of actors are cells of a matrix.
check_two_modes <- function(table, directed, arg, call = rlang::caller_env()) {
  check_that(directed || is.null(table$columns), c(
    "{.arg {arg}} must have two modes with {.code directed = FALSE}.",
    x = "It has {length(table_dim(table))}."
  ), call)
}

# A pair belongs to no one row.
check_one_level <- function(epsilon, precision, call = rlang::caller_env()) {
  check_that(length(epsilon) < 2 && length(precision) < 2, c(
    "With {.code directed = FALSE} all counts must have the same noise.",
    x = "{.arg epsilon}, {.arg alpha} or {.arg precision} has a value per row."
  ), call)
}

# `alpha` and `precision` are one number each, or one per row, and so is the exact rate s / t = -log(alpha),
# in whole numbers, NA where the noise was added elsewhere. `below` is what a clamped release keeps, per row,
# of its cells at or below zero: their number and the sum of their sizes, NA where that is unknown; NULL where
# nothing was clamped. `columns`: of more than two modes, how the columns fold up (R/data-table.R). What else
# is known of the noise follows from these: see privacy_of(). (Attributes on a matrix would not survive what
# people do to matrices: the object is a list.)
new_private_counts <- function(counts, alpha, precision, rng, s = NA_real_, t = NA_real_,
                               below = NULL, directed = TRUE, columns = NULL) {
  structure(
    list(
      counts = counts, alpha = alpha, precision = precision, s = s, t = t, rng = rng,
      directed = directed, below = below, columns = columns, version = FORMAT_VERSION
    ),
    class = "private_counts"
  )
}

nothing_known_below <- function(n_row) {
  list(cells = rep(NA_real_, n_row), size = rep(NA_real_, n_row))
}

# The table (R/data-table.R) that a release or a count_table holds.
table_of <- function(data) if (is_release(data)) fields_of(data) else data

#' @rdname private_counts
#' @export
privacy <- function(x) {
  check_release(x)
  privacy_of(fields_of(x))
}

privacy_of <- function(fields) {
  c(
    fields["alpha"], list(epsilon = epsilon_of(fields)), fields[c("precision", "rng")],
    list(clamped = !is.null(fields$below)), fields["directed"]
  )
}

# From the exact rate where it is known, otherwise from alpha. Rounding is undone where a decimal of at most 6
# places is that near.
epsilon_of <- function(fields) {
  level <- fields[LEVEL_FIELDS]
  level <- lapply(level, rep_len, if (all(lengths(level) > 0)) max(lengths(level)) else 0)
  epsilon <- ifelse(is.na(level$s), -log(level$alpha) * level$precision,
    level$precision * level$s / level$t)
  short <- round(epsilon * 1e6) / 1e6
  near <- is.finite(epsilon) & short > 0 & abs(epsilon - short) < 1e-12 * epsilon
  as.double(ifelse(near, short, epsilon))
}

check_release <- function(x, call = rlang::caller_env()) {
  if (!is_release(x)) {
    abort_argument(x, "x", "a private_counts", call, paste(
      "{.fn privatize} adds noise to true counts and makes one; {.fn private_counts} declares noise that was",
      "added elsewhere."
    ))
  }
}

# Per row, the number of cells at or below zero and the sum of their sizes; NA where clamping, and
# masking or dropping cells after it, left that unknown.
known_below_zero <- function(x) {
  fields <- fields_of(x)
  if (is.null(fields$below)) counted_below_zero(fields) else fields$below
}

# What its modes are called, or NULL; also where they have no labels.
titles_of <- function(fields) {
  if (is.null(fields$columns)) names(dimnames(fields$counts)) else fields$columns$titles
}
