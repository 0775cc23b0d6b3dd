# Methods of a release that keep its noise levels consistent with its counts: extents, labels, subsets,
# masking, rbind(), conversions; and refusals of all that would make the declared noise level wrong.

#' @export
dim.private_counts <- function(x) table_dim(fields_of(x))

#' @export
dimnames.private_counts <- function(x) table_dimnames(fields_of(x))

#' @export
`dimnames<-.private_counts` <- function(x, value) {
  fields <- fields_of(x)
  dim <- dim(x)
  if (is.null(value)) value <- vector("list", length(dim))
  check_that(is_labels(value, dim), c(
    "The dimnames must be NULL, or a list of {length(dim)}.", i = "Each is a vector of labels, or NULL."
  ), NULL)
  value <- lapply(value, as_labels)
  if (is.null(fields$columns)) {
    dimnames(fields$counts) <- value
  } else {
    rownames(fields$counts) <- value[[1]]
    fields$columns <- new_columns(dim[-1], value[-1], names(value))
  }
  structure(fields, class = "private_counts")
}

#' @export
length.private_counts <- function(x) {
  cells <- n_cells(fields_of(x)$counts)
  if (cells > .Machine$integer.max) cells else as.integer(cells)
}

#' @export
is.na.private_counts <- function(x) is.na(as.array(x))

# --- subsets --------------------------------------------------------------------------------------

#' @export
`[.private_counts` <- function(x, ..., drop = length(dim(x)) == 2) {
  indices <- rlang::dots_list(..., .preserve_empty = TRUE, .ignore_empty = "none") # an empty one is missing
  check_that(length(indices) == length(dim(x)),
    "A private_counts needs one index per mode: {.code x[i, j]} of rows and columns.", NULL
  )
  chosen <- indices_of(x, indices)
  if (!fields_of(x)$directed) { # both margins are the same actors, in the same order
    missing <- vapply(indices, rlang::is_missing, TRUE)
    check_that(any(missing) || identical(chosen[[1]], chosen[[2]]), c(
      "An undirected private_counts must have the same actors in rows and columns.",
      i = "{.code x[i, ]} selects actors in both; {.code as.matrix(x)[i, j]} returns only counts."
    ), NULL)
    chosen[1:2] <- chosen[if (missing[1]) 2 else 1]
  }
  taken <- as_part(take_indices(x, chosen), x)
  if (!drop) {
    taken
  } else if (length(dim(x)) > 2) {
    drop_modes(taken)
  } else if (fields_of(x)$directed && length(chosen[[2]]) == 1 && !rlang::is_missing(indices[[2]])) {
    vector_of_release(taken)
  } else {
    taken
  }
}

# Converts indices of the modes, of any kind, to whole numbers.
indices_of <- function(x, indices) {
  dim <- dim(x)
  lapply(seq_along(indices), function(mode) {
    index <- indices[[mode]]
    along <- seq_len(dim[mode])
    if (rlang::is_missing(index)) {
      return(along)
    }
    if (is.character(index)) index <- match_labels(index, dimnames(x)[[mode]])
    if (!is.atomic(index) || (is.logical(index) && length(index) > length(along))) index <- NA
    chosen <- tryCatch(unname(along[index]), error = function(failure) NA) # 1 and -1, 1i
    which <- if (length(dim) == 2) c("row", "column")[mode] else paste("mode", mode)
    check_that(!anyNA(chosen),
      "The {which} index of a private_counts is out of range, or an unknown label.", NULL
    )
    if (anyDuplicated(chosen)) {
      abort_untrue("A repeated index", paste(
        "The two copies would have the same noise, but models assume independent noise in each cell."
      ))
    }
    chosen
  })
}

# The counts at these whole numbers of each mode.
take_indices <- function(x, indices) {
  fields <- fields_of(x)
  rows <- indices[[1]]
  modes <- fields$columns
  columns <- if (is.null(modes)) indices[[2]] else fold_columns(indices[-1], modes$dim)
  # in another order of actors, other cells of the pairs are above the diagonal
  whole_rows <- length(columns) == ncol(fields$counts) && (fields$directed || !is.unsorted(columns))
  n <- length(fields$counts)
  place <- if (!is.null(fields$mechanism)) array(seq_len(n), dim(fields$counts))
  fields$counts <- fields$counts[rows, columns, drop = FALSE]
  if (!is.null(modes)) {
    if (!is_sparse(fields$counts) && is.null(rownames(fields$counts))) {
      dimnames(fields$counts) <- NULL # without rows, R keeps an empty list
    }
    fields$columns <- new_columns(lengths(indices[-1]), Map(`[`, modes$labels, indices[-1]), modes$titles)
  }
  fields[LEVEL_FIELDS] <- lapply(fields[LEVEL_FIELDS], function(x) if (length(x) > 1) x[rows] else x)
  if (!is.null(fields$mechanism)) {
    fields$mechanism <- mechanism_at(fields$mechanism, as.vector(place[rows, columns]), n)
  }
  if (!is.null(fields$below)) {
    fields$below <- if (whole_rows) lapply(fields$below, `[`, rows) else nothing_known_below(length(rows))
  }
  structure(fields, class = "private_counts")
}

# print() says what is protected only of a whole release.
as_part <- function(x, whole) if (identical(dim(x), dim(whole))) x else structure(x, part = TRUE)

# Drops modes with a single index, but keeps at least the rows and one other mode. So one month of a network
# by months is a network.
drop_modes <- function(x) {
  fields <- fields_of(x)
  columns <- fields$columns
  kept <- which(columns$dim > 1)
  if (length(kept) == 0) kept <- 1L
  titles <- columns$titles[c(1, kept + 1)]
  if (length(kept) > 1) {
    fields$columns <- new_columns(columns$dim[kept], columns$labels[kept], titles)
  } else {
    fields["columns"] <- list(NULL)
    dimnames(fields$counts) <- stats::setNames(list(rownames(fields$counts), columns$labels[[kept]]), titles)
  }
  structure(fields, class = "private_counts")
}

#' @importFrom utils head
#' @export
head.private_counts <- function(x, n = 6L, ...) {
  n <- check_whole(n, "n", -.Machine$integer.max)
  rows <- utils::head(seq_len(nrow(x)), n)
  taken <- if (fields_of(x)$directed) c(list(rows), lapply(dim(x)[-1], seq_len)) else list(rows, rows)
  as_part(take_indices(x, taken), x)
}

# --- masking --------------------------------------------------------------------------------------

#' @export
`[<-.private_counts` <- function(x, ..., value) {
  if (!is.atomic(value) || length(value) == 0 || !all(is.na(value))) refuse_values()
  if (...length() == 1 && !missing(..1) && (is.data.frame(..1) || (NCOL(..1) > 1 && !is.logical(..1)))) {
    return(mask_cells(x, check_cells(..1, dim(x), dimnames(x), call = NULL)))
  }
  marked <- array(FALSE, dim(x), dimnames(x))
  marked <- tryCatch(`[<-`(marked, ..., value = TRUE), error = function(failure) NULL)
  check_that(identical(dim(marked), dim(x)),
    "The index of a private_counts must be within its rows and columns.", NULL
  )
  mask_cells(x, arrayInd(which(marked), flat_dim(dim(x))))
}

mask_cells <- function(x, cells) {
  fields <- fields_of(x)
  if (!fields$directed) cells <- rbind(cells, cells[, 2:1])
  fields$counts[cells] <- NA
  if (!is.null(fields$below)) fields$below <- lapply(fields$below, replace, cells[, 1], NA)
  structure(fields, class = "private_counts")
}

#' @export
`is.na<-.private_counts` <- function(x, value) {
  x[value] <- NA
  x
}

# --- rbind() --------------------------------------------------------------------------------------

#' @export
rbind.private_counts <- function(..., deparse.level = 1) {
  parts <- list(...)
  lists <- vapply(parts, function(part) is.list(part) && !is.object(part), TRUE)
  parts <- unname(do.call(c, ifelse(lists, parts, lapply(parts, list))))
  if (!all(vapply(parts, is_release, TRUE))) {
    abort_untrue("rbind() with other data", "The other data have no known noise level.")
  }
  fields <- lapply(parts, fields_of)
  check_bindable(fields)
  counts <- lapply(fields, `[[`, "counts")
  rows <- vapply(counts, nrow, 0L)
  if (sum(rows) == 0) {
    return(parts[[1]])
  }
  labels <- unlist(lapply(counts, rownames))
  twice <- sum(duplicated(labels[!is.na(labels) & nzchar(labels)]))
  warn_if(twice > 0, c(
    "{twice} row label{?s} {?is/are} duplicated: these rows cannot be looked up by label.",
    i = "If the same records were released twice, {.fn privacy_loss} computes the total privacy loss."
  ), "ldpcounts_duplicated_labels")
  level <- lapply(stats::setNames(nm = LEVEL_FIELDS), function(name) {
    collapse(unlist(Map(rep_len, lapply(fields, `[[`, name), rows)))
  })
  clamped <- !vapply(fields, function(part) is.null(part$below), TRUE)
  below <- if (any(clamped)) do.call(Map, c(c, lapply(parts, known_below_zero)))
  if (any(clamped)) counts[!clamped] <- lapply(counts[!clamped], clamp_counts)
  new_private_counts(bind_rows(counts), level$alpha, level$precision,
    rng = combine_rng(vapply(fields, `[[`, "", "rng")), s = level$s, t = level$t,
    below = below, columns = fields[[1]]$columns, mechanism = fields[[1]]$mechanism
  )
}

check_bindable <- function(fields) {
  dims <- lapply(fields, function(part) table_dim(part)[-1])
  labels <- lapply(fields, function(part) {
    if (is.null(part$columns)) list(colnames(part$counts)) else part$columns$labels
  })
  check_that(length(unique(dims)) == 1 && length(unique(labels)) == 1, c(
    "Releases combined by {.fn rbind} must have the same columns, in the same order.",
    i = "{.code second[, colnames(first)]} puts the columns of a second release into the order of the first."
  ), NULL)
  mechanisms <- unique(lapply(fields, `[[`, "mechanism"))
  if (length(mechanisms) > 1 || !is_same_for_all(mechanisms[[1]])) {
    abort_untrue("rbind() of releases of different mechanisms", "Their rows would have different parameters.")
  }
  if (!all(vapply(fields, `[[`, TRUE, "directed"))) {
    abort_untrue("rbind() of undirected releases", "Their rows and columns are the same actors.")
  }
}

# --- conversions ----------------------------------------------------------------------------------

# With more than two modes, the table in which the counts are stored.
#' @rdname private_counts
#' @param sparse For `as.matrix()`: if `TRUE`, return a `dgCMatrix` instead of a base matrix.
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

#' @export
as.double.private_counts <- function(x, ...) as.double(as.matrix(x))

#' @export
as.integer.private_counts <- function(x, ...) as.integer(as.matrix(x))

#' @export
as.vector.private_counts <- function(x, mode = "any") as.vector(as.matrix(x), mode)

#' @rdname private_counts
#' @param row.names,optional For `as.data.frame()`: not used.
#' @param wide For `as.data.frame()`: if `TRUE`, the result has one row per row of the release. Its first
#'   column has their labels, if there are any, and the others are the released counts of each item, as
#'   columns that carry their noise level ([private_vector]).
#' @export
as.data.frame.private_counts <- function(x, row.names = NULL, optional = FALSE, ..., wide = FALSE) {
  check_no_dots(...)
  if (check_flag(wide, "wide")) {
    return(wide_columns(x))
  }
  fields <- fields_of(x)
  labels <- dimnames(x)
  counts <- as.matrix(x)
  cells <- if (fields$directed) seq_along(counts) else which(upper.tri(counts)) # each pair once
  index <- arrayInd(cells, dim(x))
  modes <- lapply(seq_along(dim(x)), function(mode) {
    names <- labels[[mode]]
    if (is.null(names)) index[, mode] else factor(index[, mode], seq_along(names), make.unique(names))
  })
  level <- if (is.null(fields$mechanism)) fields["alpha"] else parameters_of(fields$mechanism)
  level <- lapply(level, function(each) rep_len(each, length(counts))[cells])
  titles <- mode_titles(length(modes), titles_of(fields), c("y_tilde", names(level)))
  data.frame(c(stats::setNames(modes, titles), list(y_tilde = counts[cells]), level), check.names = FALSE)
}

# One private_vector per column, after the labels of the rows if there are any.
wide_columns <- function(x, call = rlang::caller_env()) {
  fields <- fields_of(x)
  check_that(is.null(fields$columns) && fields$directed,
    "With {.code wide = TRUE}, {.arg x} must have two modes, and must not be undirected.", call
  )
  own <- rownames(x)
  items <- if (is.null(colnames(x))) paste0("item", seq_len(ncol(x))) else colnames(x)
  rows <- if (!is.null(own)) list(factor(own, unique(own)))
  names(rows) <- if (!is.null(own)) mode_titles(2, titles_of(fields), items)[1]
  columns <- lapply(seq_along(items), function(j) {
    vector_of_release(take_indices(x, list(seq_len(nrow(x)), j)))
  })
  names(columns) <- items
  structure(c(rows, columns), class = "data.frame", row.names = .set_row_names(nrow(x)))
}

# --- refusals -------------------------------------------------------------------------------------

#' @export
Ops.private_counts <- refuse_arithmetic
#' @export
Math.private_counts <- refuse_arithmetic
#' @export
Summary.private_counts <- refuse_arithmetic
#' @export
mean.private_counts <- refuse_arithmetic

#' @export
t.private_counts <- function(x) abort_untrue("t(x)", "Rows are records, and noise levels belong to rows.")

#' @export
cbind.private_counts <- function(..., deparse.level = 1) {
  abort_untrue("cbind()", paste(
    "A release declares one privacy loss per row.",
    "If it held two releases of the same counts, their losses would add up."
  ))
}

#' @export
`$<-.private_counts` <- function(x, name, value) refuse_values()
#' @export
`[[<-.private_counts` <- function(x, i, value) refuse_values()
#' @export
`dim<-.private_counts` <- function(x, value) refuse_values()
#' @export
`length<-.private_counts` <- function(x, value) refuse_values()
#' @export
`names<-.private_counts` <- function(x, value) refuse_values()

# Without these, R would return NULL for the name of a column, and sum(x$name) would be 0.
#' @export
`[[.private_counts` <- function(x, i, ...) {
  fields <- unclass(x)
  if (rlang::is_string(i) && !i %in% names(fields)) {
    abort_untrue(paste0("x$", i), "{.code x[, \"name\"]} selects a column, and keeps its noise level.")
  }
  fields[[i]]
}
#' @export
`$.private_counts` <- function(x, name) x[[name]]
