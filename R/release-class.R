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
#' @param ... Must be empty, but for `rbind()`, which takes several `private_counts`, or lists of them.
#' @param alpha,epsilon Exactly one of them, one number or one per row. `alpha = 0` (no noise)
#'   is allowed here, if no count is negative.
#' @param precision The distance between records that `epsilon` speaks of: a positive number, or one per
#'   row; see [geometric_alpha()].
#' @param dims,id For a data frame: see [privatize()].
#' @param clamped Were negative counts set to zero after the noise?
#' @param directed `FALSE` for counts of pairs of actors, whose noise was added once a pair: `x` is then
#'   square and symmetric, `alpha` or `epsilon` is one number, and the diagonal is no data (`NA`).
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
#' its positive and its masked cells only. Models lose nothing by it, as with a known `alpha` a
#' count at or below zero tells the same whatever its size (`vignette("ldpcounts")`). Lost are
#' moments, sums of releases, and most of the check of `alpha` below: for that [privatize()] keeps,
#' per row, the number of cells at or below zero and the sum of their sizes, and where cells of a
#' row are masked or dropped these two are dropped as well. `rbind()` of clamped and other releases
#' clamps all of them.
#'
#' `print()` says in words what is protected. `summary()` also compares the part of the release at
#' or below zero with the declared `alpha`: given that a release is not above zero, its size is
#' geometric with ratio `alpha`, whatever the true count is. It warns (class
#' `ldpcounts_declared_alpha`) when the two cannot both be right, in at most one of 1e5 releases
#' where they are, and gives the `alpha` that these counts tell, with its exact 95 % interval.
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
  if (inherits(x, "private_counts")) {
    ldp_abort("{.arg x} is private already." )
  }
  clamped <- check_flag(clamped, "clamped")
  directed <- check_flag(directed, "directed")
  table <- as_table(x, "x", dims, directed, role = "release", id = id)
  check_two_modes(table, directed, "x")
  counts <- check_counts(table$counts, "x", signed = TRUE)
  tell_empty(counts, "x")
  if (is_sparse(counts)) {
    counts <- Matrix::drop0(counts)
  }
  n_row <- nrow(counts)
  check_one_of_two(epsilon, alpha)
  precision <- check_precision(precision, n_row)
  if (is.null(alpha)) {
    epsilon <- check_epsilon(epsilon, n_row)
    alpha <- exp(-epsilon / precision)
  } else {
    alpha <- check_alpha(alpha, n_row)
    epsilon <- -log(alpha) * precision
  }
  check_negative(counts, epsilon, clamped)
  if (!directed) {
    check_undirected(counts, "x", noised = TRUE)
    check_one_level(epsilon, precision)
    counts <- mirrored(counts)
  }
  new_private_counts(
    if (clamped) clamp_counts(counts) else counts, alpha, epsilon, precision,
    rng = "external", below = if (clamped) nothing_known_below(n_row), directed = directed,
    columns = table$columns
  )
}

# Counts of pairs: what stands at [i, j] stands at [j, i].
check_undirected <- function(counts, arg, noised = FALSE, call = rlang::caller_env()) {
  check_network(counts, arg, call, noised)
  if (!is_symmetric(counts)) {
    ldp_abort("{.arg {arg}} must be symmetric with {.code directed = FALSE}.", call = call)
  }
}

# Pairs of actors are cells of a matrix.
check_two_modes <- function(table, directed, arg, call = rlang::caller_env()) {
  if (!directed && !is.null(table$columns)) {
    ldp_abort(c(
      "{.arg {arg}} must have two modes with {.code directed = FALSE}.",
      x = "It has {length(table_dim(table))}."
    ), call = call)
  }
}

# A pair belongs to no one row.
check_one_level <- function(epsilon, precision, call = rlang::caller_env()) {
  if (length(epsilon) > 1 || length(precision) > 1) {
    ldp_abort(c(
      "With {.code directed = FALSE} all counts must have the same noise.",
      x = "{.arg epsilon}, {.arg alpha} or {.arg precision} is given by rows."
    ), call = call)
  }
}

# No count is negative where there is no noise, or where releases were clamped.
check_negative <- function(counts, epsilon, clamped, call = rlang::caller_env()) {
  below <- cells_where(counts, function(x) !is.na(x) & x < 0)
  if (clamped && nrow(below) > 0) {
    ldp_abort("{.arg x} has negative counts, and is said to be clamped at zero.", call = call)
  }
  if (any(is.infinite(rep_len(epsilon, nrow(counts))[below[, 1]]))) {
    ldp_abort(c(
      "{.arg x} has negative counts in rows whose {.arg alpha} is 0.",
      i = "Without noise a count is never negative."
    ), call = call)
  }
}

# The format of the objects of this package. 2: s and t, what clamping kept. 3: columns.
FORMAT_VERSION <- 3L

# alpha, epsilon, precision, and gamma = s/t (in whole numbers; NA where the noise was added
# elsewhere) are one number each, or one per row. `below` is what a clamped release keeps, per row,
# of its cells at or below zero: their number and the sum of their sizes, NA where that is unknown;
# NULL where nothing was clamped. `columns`: of more than two modes, how the columns fold up
# (R/data-table.R). (Attributes on a matrix would not survive what people do to
# matrices: the object is a list.)
new_private_counts <- function(counts, alpha, epsilon, precision, rng, s = NA_real_, t = NA_real_,
                               below = NULL, directed = TRUE, columns = NULL) {
  structure(
    list(
      counts = counts, alpha = alpha, epsilon = epsilon, precision = precision, s = s, t = t,
      rng = rng, clamped = !is.null(below), directed = directed, below = below,
      columns = columns, version = FORMAT_VERSION
    ),
    class = "private_counts"
  )
}

LEVEL_FIELDS <- c("alpha", "epsilon", "precision", "s", "t")

nothing_known_below <- function(n_row) {
  list(cells = rep(NA_real_, n_row), size = rep(NA_real_, n_row))
}

# The fields of a release, whatever version of the package made it.
fields_of <- function(x) {
  fields <- unclass(x)
  check_version(if (is.list(fields)) fields$version, "a private_counts", FORMAT_VERSION)
  if (fields$version < 2) {
    fields$s <- fields$t <- NA_real_
  }
  fields$version <- FORMAT_VERSION
  validate_private_counts(fields)
  fields
}

#' @rdname private_counts
#' @export
privacy <- function(x) {
  check_release(x)
  fields_of(x)[c("alpha", "epsilon", "precision", "rng", "clamped", "directed")]
}

check_release <- function(x, call = rlang::caller_env()) {
  if (!inherits(x, "private_counts")) {
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
  if (fields$clamped) {
    fields$below
  } else if (fields$directed) {
    below_zero(fields$counts)
  } else {
    below <- below_zero(above_diagonal(fields$counts)) # each pair once
    below$cells <- below$cells - n_other(nrow(fields$counts), "undirected")
    below
  }
}

# What its modes are called, or NULL; also where they have no labels.
titles_of <- function(fields) {
  if (is.null(fields$columns)) names(dimnames(fields$counts)) else fields$columns$titles
}
