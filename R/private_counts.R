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
    ldp_abort("{.arg x} is private already.", class = "ldpcounts_argument_error")
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
    ldp_abort("{.arg {arg}} must be symmetric with {.code directed = FALSE}.",
      class = "ldpcounts_argument_error", call = call
    )
  }
}

# Pairs of actors are cells of a matrix.
check_two_modes <- function(table, directed, arg, call = rlang::caller_env()) {
  if (!directed && !is.null(table$columns)) {
    ldp_abort(c(
      "{.arg {arg}} must have two modes with {.code directed = FALSE}.",
      x = "It has {length(table_dim(table))}."
    ), class = "ldpcounts_argument_error", call = call)
  }
}

# A pair belongs to no one row.
check_one_level <- function(epsilon, precision, call = rlang::caller_env()) {
  if (length(epsilon) > 1 || length(precision) > 1) {
    ldp_abort(c(
      "With {.code directed = FALSE} all counts must have the same noise.",
      x = "{.arg epsilon}, {.arg alpha} or {.arg precision} is given by rows."
    ), class = "ldpcounts_argument_error", call = call)
  }
}

# No count is negative where there is no noise, or where releases were clamped.
check_negative <- function(counts, epsilon, clamped, call = rlang::caller_env()) {
  below <- cells_where(counts, function(x) !is.na(x) & x < 0)
  if (clamped && nrow(below) > 0) {
    ldp_abort("{.arg x} has negative counts, and is said to be clamped at zero.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  if (any(is.infinite(rep_len(epsilon, nrow(counts))[below[, 1]]))) {
    ldp_abort(c(
      "{.arg x} has negative counts in rows whose {.arg alpha} is 0.",
      i = "Without noise a count is never negative."
    ), class = "ldpcounts_argument_error", call = call)
  }
}

# The format of the objects of this package. 2: s and t, what clamping kept. 3: columns.
FORMAT_VERSION <- 3L

# alpha, epsilon, precision, and gamma = s/t (in whole numbers; NA where the noise was added
# elsewhere) are one number each, or one per row. `below` is what a clamped release keeps, per row,
# of its cells at or below zero: their number and the sum of their sizes, NA where that is unknown;
# NULL where nothing was clamped. `columns`: of more than two modes, how the columns fold up
# (R/modes.R). (Attributes on a matrix would not survive what people do to
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

# What a later version made may mean something else: refused.
check_version <- function(version, what, known) {
  if (!is_number(version)) {
    ldp_abort(c(
      "This is not {what} that ldpcounts made: it says no format.",
      i = if (what == "a private_counts") "Functions of other packages take {.code as.matrix(x)}."
    ), class = "ldpcounts_version_error", call = NULL)
  }
  if (version > known) {
    ldp_abort(c(
      "This is {what} of a later version of ldpcounts.",
      x = "Its format is {version}; this version knows formats up to {known}."
    ), class = "ldpcounts_version_error", call = NULL)
  }
}

#' @rdname private_counts
#' @export
privacy <- function(x) {
  if (!inherits(x, "private_counts")) {
    abort_argument(x, "x", "a private_counts", rlang::current_env())
  }
  fields_of(x)[c("alpha", "epsilon", "precision", "rng", "clamped", "directed")]
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

# --- what a matrix can do, and stays true ---------------------------------------------------

# Of more than two modes the table that the counts are kept as.
#' @rdname private_counts
#' @param sparse For `as.matrix()`: a `dgCMatrix` instead of a base matrix?
#' @export
as.matrix.private_counts <- function(x, ..., sparse = FALSE) {
  check_no_dots(...)
  counts <- fields_of(x)$counts
  if (check_flag(sparse, "sparse")) as_sparse(counts) else as_dense(counts, "x", rlang::current_env())
}

#' @rdname private_counts
#' @export
as.array.private_counts <- function(x, ...) {
  check_no_dots(...)
  array(as.matrix(x), dim(x), dimnames(x))
}

#' @rdname private_counts
#' @param row.names,optional For `as.data.frame()`: not used.
#' @param stringsAsFactors For `as.data.frame()`: are labels factors? If not, they are text.
#' @export
as.data.frame.private_counts <- function(x, row.names = NULL, optional = FALSE, ...,
                                         stringsAsFactors = TRUE) {
  check_no_dots(...)
  if (identical(sys.function(sys.parent()), base::data.frame) && # also for cbind() of data frames
    eval(quote(...length()), parent.frame()) > 1) {
    abort_as_column()
  }
  labels <- dimnames(x)
  counts <- as.matrix(x)
  cells <- if (privacy(x)$directed) seq_along(counts) else which(upper.tri(counts)) # each pair once
  index <- arrayInd(cells, dim(x))
  modes <- lapply(seq_along(dim(x)), function(mode) {
    label_index(index[, mode], labels[[mode]], check_flag(stringsAsFactors, "stringsAsFactors"))
  })
  titles <- mode_titles(length(modes), titles_of(fields_of(x)), c("y_tilde", "alpha"))
  data.frame(stats::setNames(modes, titles),
    y_tilde = counts[cells], alpha = rep_len(privacy(x)$alpha, nrow(counts))[index[, 1]],
    check.names = FALSE
  )
}

label_index <- function(index, labels, as_factor) {
  if (is.null(labels)) {
    return(index)
  }
  labels <- make.unique(as.character(labels))
  if (as_factor) factor(index, seq_along(labels), labels) else labels[index]
}

# What the columns of data frames that hold the indices of modes are called: by `own`, the names of the
# dimnames, where each is the name of one column only (`taken`: other columns), otherwise by their numbers.
mode_titles <- function(n, own = NULL, taken = character()) {
  titles <- unnamed <- if (n == 2) c("row", "column") else paste0("mode", seq_len(n))
  named <- which(!is.na(own) & nzchar(own))
  titles[named] <- own[named]
  if (anyDuplicated(c(titles, taken))) unnamed else titles
}

#' @export
as.double.private_counts <- function(x, ...) as.double(as.matrix(x))

#' @export
as.integer.private_counts <- function(x, ...) as.integer(as.matrix(x))

#' @export
as.vector.private_counts <- function(x, mode = "any") as.vector(as.matrix(x), mode)

# Each bar is of one count, or of as many as make at most 60 bars.
#' @importFrom graphics hist
#' @export
hist.private_counts <- function(x, breaks = whole_breaks(x), main = "Released counts",
                                xlab = "released count", ..., warn.unused = FALSE) {
  graphics::hist(as.double(x), breaks, main = main, xlab = xlab, ..., warn.unused = warn.unused)
}

whole_breaks <- function(x) {
  ends <- range(0, as.double(x), na.rm = TRUE)
  width <- ceiling((diff(ends) + 1) / 60)
  seq(ends[1] - 0.5, ends[2] - 0.5 + width, by = width)
}

#' @exportS3Method ggplot2::fortify
fortify.private_counts <- function(model, data, ...) as.data.frame(model)

#' @importFrom utils str
#' @export
str.private_counts <- function(object, ...) cat(" ", format(object), "\n", sep = "")

# The assignment of a column to a data frame asks this by NROW(), or by vapply() of NROW().
#' @export
dim.private_counts <- function(x) {
  if (assigns_column(sys.function(sys.parent(2))) || assigns_column(sys.function(sys.parent(3)))) {
    abort_as_column()
  }
  table_dim(fields_of(x))
}

assigns_column <- function(called) {
  identical(called, base::`$<-.data.frame`) || identical(called, base::`[[<-.data.frame`) ||
    identical(called, base::`[<-.data.frame`)
}

abort_as_column <- function() {
  ldp_abort(c(
    "A private_counts cannot be a column of a data frame.",
    i = "{.code as.numeric(x)} makes a vector of the released counts; it no longer says what protects them.",
    i = "{.code as.data.frame(x)} gives a data frame with one row per cell."
  ), class = "ldpcounts_untrue_error", call = NULL)
}

#' @export
dimnames.private_counts <- function(x) table_dimnames(fields_of(x))

#' @export
`dimnames<-.private_counts` <- function(x, value) {
  fields <- fields_of(x)
  if (is.null(fields$columns)) {
    fields$counts <- tryCatch(
      `dimnames<-`(fields$counts, if (is.null(value)) list(NULL, NULL) else value),
      error = function(failure) abort_labels("two", "all rows and labels of all columns")
    )
  } else {
    dim <- dim(x)
    if (is.null(value)) value <- vector("list", length(dim))
    if (!is_labels(value, dim)) abort_labels(length(dim), "each mode")
    rownames(fields$counts) <- value[[1]]
    fields$columns <- new_columns(dim[-1], lapply(value[-1], as_labels), names(value))
  }
  structure(fields, class = "private_counts")
}

# One per mode, NULL or as many as its extent.
is_labels <- function(labels, dim) {
  is.list(labels) && length(labels) == length(dim) && all(mapply(function(each, n) {
    is.null(each) || (is.atomic(each) && length(each) == n)
  }, labels, dim))
}

#' @srrstats {G2.4c} labels of any type become text.
as_labels <- function(x) if (!is.null(x)) as.character(x)

abort_labels <- function(n, what) {
  ldp_abort(c("The dimnames must be NULL, or a list of {n}.", i = "These are labels of {what}, or NULL."),
    class = "ldpcounts_argument_error", call = NULL
  )
}

#' @export
length.private_counts <- function(x) {
  if (assigns_column(sys.function(sys.parent()))) abort_as_column()
  cells <- n_cells(fields_of(x)$counts)
  if (cells > .Machine$integer.max) cells else as.integer(cells)
}

#' @export
is.na.private_counts <- function(x) is.na(as.array(x))

#' @export
`[.private_counts` <- function(x, ..., drop = FALSE) {
  indices <- given_indices(...)
  if (length(indices) != length(dim(x))) {
    ldp_abort(if (length(dim(x)) == 2) {
      "A private_counts takes two indices, of rows and columns: {.code x[i, j]}."
    } else {
      "A private_counts of {length(dim(x))} modes takes an index for each: {.code x[i, j, l]}."
    }, class = "ldpcounts_argument_error", call = NULL)
  }
  chosen <- indices_of(x, indices)
  if (!privacy(x)$directed) {
    missing <- vapply(indices, rlang::is_missing, TRUE)
    chosen[1:2] <- list(one_margin(chosen[[1]], chosen[[2]], missing[1], missing[2]))
  }
  taken <- take_indices(x, chosen)
  if (drop) drop_modes(taken) else taken
}

# Without modes of one index, but for the rows and one other: one month of a network by months is a network.
drop_modes <- function(x) {
  fields <- fields_of(x)
  columns <- fields$columns
  if (is.null(columns)) {
    return(x)
  }
  kept <- which(columns$dim > 1)
  if (length(kept) == 0) kept <- 1L
  if (length(kept) > 1) {
    fields$columns <- new_columns(columns$dim[kept], columns$labels[kept], columns$titles[c(1, kept + 1)])
  } else {
    labels <- list(rownames(fields$counts), columns$labels[[kept]])
    fields["columns"] <- list(NULL)
    dimnames(fields$counts) <- stats::setNames(labels, columns$titles[c(1, kept + 1)])
  }
  structure(fields, class = "private_counts")
}

# What came between the brackets, a missing argument where nothing did.
given_indices <- function(...) rlang::dots_list(..., .preserve_empty = TRUE, .ignore_empty = "none")

# The counts at whole numbers of each mode.
take_indices <- function(x, indices) {
  fields <- fields_of(x)
  rows <- indices[[1]]
  columns <- if (is.null(fields$columns)) {
    indices[[2]]
  } else {
    fold_columns(indices[-1], fields$columns$dim)
  }
  whole_rows <- length(columns) == ncol(fields$counts)
  fields$counts <- fields$counts[rows, columns, drop = FALSE]
  if (!is.null(fields$columns)) {
    if (!is_sparse(fields$counts) && is.null(rownames(fields$counts))) {
      dimnames(fields$counts) <- NULL # of no rows R keeps a list of nothing
    }
    labels <- Map(function(labels, index) labels[index], fields$columns$labels, indices[-1])
    fields$columns <- new_columns(lengths(indices[-1]), labels, fields$columns$titles)
  }
  for (name in LEVEL_FIELDS) {
    if (length(fields[[name]]) > 1) {
      fields[[name]] <- fields[[name]][rows]
    }
  }
  if (fields$clamped) {
    fields$below <- if (whole_rows) {
      lapply(fields$below, `[`, rows)
    } else {
      nothing_known_below(length(rows))
    }
  }
  structure(fields, class = "private_counts")
}

# Both margins of an undirected release are the same actors, in the same order.
one_margin <- function(rows, columns, no_rows, no_columns) {
  if (no_rows || no_columns || identical(rows, columns)) {
    return(if (no_rows) columns else rows)
  }
  ldp_abort(c(
    "An undirected private_counts takes the same actors for rows and columns.",
    i = "{.code x[i, ]} takes them from both; {.code as.matrix(x)[i, j]} gives counts alone."
  ), class = "ldpcounts_argument_error", call = NULL)
}

# An index of each margin as whole numbers, whatever kind it was.
indices_of <- function(x, indices) {
  lapply(seq_along(indices), function(margin) index_of(x, indices[[margin]], margin))
}

index_of <- function(x, index, margin) {
  along <- seq_len(dim(x)[margin])
  if (rlang::is_missing(index)) {
    return(along)
  }
  if (is.character(index)) index <- match_labels(index, dimnames(x)[[margin]])
  if (!is.atomic(index) || (is.logical(index) && length(index) > length(along))) {
    index <- NA
  }
  chosen <- tryCatch(unname(along[index]), error = function(failure) NA) # 1 and -1, 1i
  if (anyNA(chosen)) {
    which <- if (length(dim(x)) == 2) c("row", "column")[margin] else paste0("mode ", margin)
    ldp_abort("The {which} index of a private_counts is out of range, or no label of it.",
      class = "ldpcounts_argument_error", call = NULL
    )
  }
  if (anyDuplicated(chosen)) {
    abort_untrue("A repeated index", "The same noise twice is not the noise of two cells.")
  }
  chosen
}

#' @export
`[<-.private_counts` <- function(x, ..., value) {
  if (!is.atomic(value) || length(value) == 0 || !all(is.na(value))) {
    abort_untrue("Assignment", ONLY_NA)
  }
  indices <- given_indices(...)
  cells <- if (length(indices) == length(dim(x))) {
    fold_cells(as.matrix(expand.grid(indices_of(x, indices))), dim(x))
  } else if (length(indices) == 0 || (length(indices) == 1 && rlang::is_missing(indices[[1]]))) {
    fold_cells(as.matrix(expand.grid(lapply(dim(x), seq_len))), dim(x))
  } else if (length(indices) == 1 && is.data.frame(indices[[1]])) {
    check_cells(indices[[1]], dim(x), dimnames(x), call = NULL)
  } else if (length(indices) == 1) {
    cells_at(x, indices[[1]])
  }
  if (is.null(cells)) {
    ldp_abort("The index of a private_counts must name cells of it.",
      class = "ldpcounts_argument_error", call = NULL
    )
  }
  mask_cells(x, cells)
}

# The cells at a single index, a logical mask, numbers, or a matrix with a column per mode, as pairs of a
# row and a column of the table; NULL where there is no such cell.
cells_at <- function(x, index) {
  if (is.logical(index)) {
    if (length(index) != length(x) || anyNA(index)) {
      return(NULL)
    }
    index <- which(index)
  }
  modes <- seq_along(dim(x))
  if (is.matrix(index) && !ncol(index) %in% c(1, length(modes))) {
    return(NULL)
  }
  if (!is.matrix(index) || ncol(index) == 1) {
    return(if (is_index(index, length(x))) arrayInd(index, flat_dim(dim(x))))
  }
  if (is.character(index)) {
    labels <- dimnames(x)
    index <- do.call(cbind, lapply(modes, function(mode) match_labels(index[, mode], labels[[mode]])))
  }
  inside <- vapply(modes, function(mode) is_index(index[, mode], dim(x)[mode]), TRUE)
  if (all(inside)) fold_cells(index, dim(x))
}

# Whole numbers from 1 to n.
is_index <- function(index, n) {
  is.numeric(index) && !anyNA(index) && all(index >= 1 & index <= n & trunc(index) == index)
}

mask_cells <- function(x, cells) {
  fields <- fields_of(x)
  if (!fields$directed) {
    cells <- rbind(cells, cells[, 2:1])
  }
  fields$counts[cells] <- NA
  if (fields$clamped) {
    for (kept in names(fields$below)) {
      fields$below[[kept]][cells[, 1]] <- NA
    }
  }
  structure(fields, class = "private_counts")
}

#' @export
`is.na<-.private_counts` <- function(x, value) {
  x[value] <- NA
  x
}

#' @importFrom utils head
#' @export
head.private_counts <- function(x, n = 6L, ...) {
  n <- check_whole(n, "n", -.Machine$integer.max)
  rows <- nrow(x)
  taken <- seq_len(if (n < 0) max(0, rows + n) else min(n, rows))
  take_indices(x, c(list(taken), if (privacy(x)$directed) lapply(dim(x)[-1], seq_len) else list(taken)))
}

#' @export
rbind.private_counts <- function(..., deparse.level = 1) {
  parts <- list(...)
  lists <- vapply(parts, function(part) is.list(part) && !is.object(part), TRUE)
  parts <- do.call(c, ifelse(lists, parts, lapply(parts, list)))
  if (!all(vapply(parts, inherits, TRUE, "private_counts"))) {
    abort_untrue("rbind() with other data", "Its rows have no known noise level.")
  }
  columns <- lapply(parts, function(x) {
    modes <- seq_along(dim(x))[-1]
    list(dim(x)[-1], lapply(modes, function(mode) dimnames(x)[[mode]]))
  })
  if (length(unique(columns)) > 1) {
    ldp_abort(c("Releases bound by row must have the same columns, in the same order.",
      i = if (any(vapply(parts, function(x) length(dim(x)), 0L) > 2)) {
        "Of more than two modes, all but the first must be the same."
      }
    ), class = "ldpcounts_argument_error")
  }
  if (!all(vapply(parts, function(x) privacy(x)$directed, TRUE))) {
    abort_untrue("rbind() of undirected releases", "Their rows and columns are the same actors.")
  }
  if (sum(vapply(parts, nrow, 0L)) == 0) {
    return(parts[[1]])
  }
  fields <- lapply(unname(parts), fields_of)
  clamped <- any(vapply(fields, `[[`, TRUE, "clamped"))
  gather <- function(name) {
    collapse(unlist(lapply(fields, function(part) rep_len(part[[name]], nrow(part$counts)))))
  }
  below <- lapply(unname(parts), known_below_zero)
  warn_duplicated_labels(unlist(lapply(fields, function(part) rownames(part$counts))))
  new_private_counts(
    bind_rows(lapply(fields, function(part) {
      if (clamped && !part$clamped) clamp_counts(part$counts) else part$counts
    })),
    alpha = gather("alpha"), epsilon = gather("epsilon"), precision = gather("precision"),
    rng = combine_rng(vapply(fields, `[[`, "", "rng")), s = gather("s"), t = gather("t"),
    below = if (clamped) {
      list(
        cells = unlist(lapply(below, `[[`, "cells")), size = unlist(lapply(below, `[[`, "size"))
      )
    },
    columns = fields[[1]]$columns
  )
}

warn_duplicated_labels <- function(labels) {
  twice <- sum(duplicated(labels[!is.na(labels) & nzchar(labels)]))
  if (twice > 0) {
    cli::cli_warn(c(
      "{twice} row label{?s} come{?s/} more than once: such rows cannot be looked up by their labels.",
      i = "If the same records were released twice, see {.fn privacy_loss}."
    ), class = "ldpcounts_duplicated_labels")
  }
}

# One number where all rows have the same.
collapse <- function(values) if (length(unique(values)) == 1) values[1] else values

# One simulated part makes the whole a simulation.
combine_rng <- function(rng) {
  if (length(unique(rng)) == 1) rng[1] else if ("R" %in% rng) "R" else "mixed"
}

# --- what would make it untrue ----------------------------------------------------------------

abort_untrue <- function(what, why) {
  ldp_abort(c(
    "{what} is not possible for a private_counts.",
    i = why,
    i = "{.code as.matrix(x)} gives the released counts as a plain matrix."
  ), class = "ldpcounts_untrue_error", call = NULL)
}

NOISE_CHANGES <- "The result would not have the geometric noise that its alpha declares."
ONLY_NA <- "Only NA may be assigned, which masks cells."

#' @export
cbind.private_counts <- function(..., deparse.level = 1) {
  abort_untrue("cbind()", "More counts of the same records spend more privacy.")
}

#' @export
as.list.private_counts <- function(x, ...) {
  abort_untrue("Going through cell by cell", "Use as.matrix(x), or privacy(x).")
}

#' @export
`dim<-.private_counts` <- function(x, value) abort_untrue("dim(x) <-", NOISE_CHANGES)

#' @export
`length<-.private_counts` <- function(x, value) abort_untrue("length(x) <-", NOISE_CHANGES)

#' @export
`names<-.private_counts` <- function(x, value) abort_untrue("names(x) <-", "Use dimnames(x).")

#' @export
`$<-.private_counts` <- function(x, name, value) abort_untrue("Assignment", ONLY_NA)

#' @export
`[[<-.private_counts` <- function(x, i, value) abort_untrue("Assignment", ONLY_NA)
