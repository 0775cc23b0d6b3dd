# Extents, labels, rows and columns of a release, masking of cells, and rbind().

# Detects the assignment of a release to a column of a data frame, which calls NROW(), or vapply() of NROW().
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
    i = "{.code as.numeric(x)} returns the released counts as a vector, without their noise level.",
    i = "{.code as.data.frame(x)} returns a data frame with one row per cell."
  ), class = "ldpcounts_untrue_error", call = NULL)
}

#' @export
dimnames.private_counts <- function(x) table_dimnames(fields_of(x))

#' @export
`dimnames<-.private_counts` <- function(x, value) {
  fields <- fields_of(x)
  dim <- dim(x)
  if (is.null(value)) value <- vector("list", length(dim))
  check_that(is_labels(value, dim), if (length(dim) == 2) {
    c("The dimnames must be NULL, or a list of two.", i = "Each is a vector of labels, or NULL.")
  } else {
    c("The dimnames must be NULL, or a list of {length(dim)}.", i = "Each is a vector of labels, or NULL.")
  }, NULL)
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
  if (assigns_column(sys.function(sys.parent()))) abort_as_column()
  cells <- n_cells(fields_of(x)$counts)
  if (cells > .Machine$integer.max) cells else as.integer(cells)
}

#' @export
is.na.private_counts <- function(x) is.na(as.array(x))

#' @export
`[.private_counts` <- function(x, ..., drop = FALSE) {
  indices <- given_indices(...)
  n <- length(dim(x))
  check_that(length(indices) == n, if (n == 2) {
    "A private_counts needs two indices, of rows and columns: {.code x[i, j]}."
  } else {
    "A private_counts with {n} modes needs one index per mode, as in {.code x[i, j, l]}."
  }, NULL)
  chosen <- indices_of(x, indices)
  if (!privacy(x)$directed) chosen[1:2] <- list(one_margin(chosen, vapply(indices, rlang::is_missing, TRUE)))
  taken <- as_part(take_indices(x, chosen), x)
  if (drop) drop_modes(taken) else taken
}

# Marks fewer cells than those of `whole`, for print().
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
  } else if (!is.null(columns)) {
    fields["columns"] <- list(NULL)
    dimnames(fields$counts) <- stats::setNames(
      list(rownames(fields$counts), columns$labels[[kept]]), titles
    )
  }
  structure(fields, class = "private_counts")
}

# The indices between the brackets; an empty index is a missing argument.
given_indices <- function(...) rlang::dots_list(..., .preserve_empty = TRUE, .ignore_empty = "none")

# The counts at these whole numbers of each mode.
take_indices <- function(x, indices) {
  fields <- fields_of(x)
  rows <- indices[[1]]
  modes <- fields$columns
  columns <- if (is.null(modes)) indices[[2]] else fold_columns(indices[-1], modes$dim)
  # in another order of actors, other cells of the pairs are above the diagonal
  whole_rows <- length(columns) == ncol(fields$counts) && (fields$directed || !is.unsorted(columns))
  fields$counts <- fields$counts[rows, columns, drop = FALSE]
  if (!is.null(modes)) {
    if (!is_sparse(fields$counts) && is.null(rownames(fields$counts))) {
      dimnames(fields$counts) <- NULL # without rows, R keeps an empty list
    }
    labels <- Map(`[`, modes$labels, indices[-1])
    fields$columns <- new_columns(lengths(indices[-1]), labels, modes$titles)
  }
  fields[LEVEL_FIELDS] <- lapply(fields[LEVEL_FIELDS], function(x) if (length(x) > 1) x[rows] else x)
  if (!is.null(fields$below)) {
    fields$below <- if (whole_rows) lapply(fields$below, `[`, rows) else nothing_known_below(length(rows))
  }
  structure(fields, class = "private_counts")
}

# Both margins of an undirected release are the same actors, in the same order.
one_margin <- function(chosen, missing) {
  check_that(any(missing) || identical(chosen[[1]], chosen[[2]]), c(
    "An undirected private_counts must have the same actors in rows and columns.",
    i = "{.code x[i, ]} selects actors in both; {.code as.matrix(x)[i, j]} returns only counts."
  ), NULL)
  chosen[[if (missing[1]) 2 else 1]]
}

# Converts an index of a margin, of any kind, to whole numbers.
indices_of <- function(x, indices) {
  lapply(seq_along(indices), function(margin) index_of(x, indices[[margin]], margin))
}

index_of <- function(x, index, margin) {
  along <- seq_len(dim(x)[margin])
  if (rlang::is_missing(index)) {
    return(along)
  }
  if (is.character(index)) index <- match_labels(index, dimnames(x)[[margin]])
  if (!is.atomic(index) || (is.logical(index) && length(index) > length(along))) index <- NA
  chosen <- tryCatch(unname(along[index]), error = function(failure) NA) # 1 and -1, 1i
  which <- if (length(dim(x)) == 2) c("row", "column")[margin] else paste("mode", margin)
  check_that(!anyNA(chosen),
    "The {which} index of a private_counts is out of range, or an unknown label.", NULL
  )
  if (anyDuplicated(chosen)) {
    abort_untrue("A repeated index", paste(
      "The two copies would have the same noise, but models assume independent noise in each cell."
    ))
  }
  chosen
}

#' @export
`[<-.private_counts` <- function(x, ..., value) {
  if (!is.atomic(value) || length(value) == 0 || !all(is.na(value))) abort_untrue("Assignment", ONLY_NA)
  indices <- given_indices(...)
  if (length(indices) == 0 || (length(indices) == 1 && rlang::is_missing(indices[[1]]))) {
    indices <- lapply(dim(x), seq_len)
  }
  cells <- if (length(indices) == length(dim(x))) {
    fold_cells(as.matrix(expand.grid(indices_of(x, indices))), dim(x))
  } else if (length(indices) == 1 && is.data.frame(indices[[1]])) {
    check_cells(indices[[1]], dim(x), dimnames(x), call = NULL)
  } else if (length(indices) == 1) {
    cells_at(x, indices[[1]])
  }
  check_that(!is.null(cells), "The index of a private_counts must be within its rows and columns.", NULL)
  mask_cells(x, cells)
}

# The cells of a single index (a logical mask, numbers, or a matrix with one column per mode), as pairs of a
# row and a column of the table; NULL if there is no such cell.
cells_at <- function(x, index) {
  if (is.logical(index)) index <- if (length(index) == length(x) && !anyNA(index)) which(index)
  if (!is.matrix(index) || ncol(index) == 1) {
    return(if (is_index(index, length(x))) arrayInd(index, flat_dim(dim(x))))
  }
  if (ncol(index) == length(dim(x))) {
    places <- lapply(seq_len(ncol(index)), function(mode) {
      if (is.character(index)) match_labels(index[, mode], dimnames(x)[[mode]]) else index[, mode]
    })
    if (all(mapply(is_index, places, dim(x)))) fold_cells(do.call(cbind, places), dim(x))
  }
}

# Whole numbers from 1 to n.
is_index <- function(index, n) {
  is.numeric(index) && !anyNA(index) && all(index >= 1 & index <= n & trunc(index) == index)
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

#' @importFrom utils head
#' @export
head.private_counts <- function(x, n = 6L, ...) {
  n <- check_whole(n, "n", -.Machine$integer.max)
  taken <- utils::head(seq_len(nrow(x)), n)
  columns <- if (privacy(x)$directed) lapply(dim(x)[-1], seq_len) else list(taken)
  as_part(take_indices(x, c(list(taken), columns)), x)
}

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
  warn_duplicated_labels(unlist(lapply(counts, rownames)))
  level <- lapply(stats::setNames(nm = LEVEL_FIELDS), function(name) {
    collapse(unlist(Map(rep_len, lapply(fields, `[[`, name), rows)))
  })
  clamped <- !vapply(fields, function(part) is.null(part$below), TRUE)
  below <- if (any(clamped)) do.call(Map, c(c, lapply(parts, known_below_zero)))
  if (any(clamped)) counts[!clamped] <- lapply(counts[!clamped], clamp_counts)
  new_private_counts(bind_rows(counts), level$alpha, level$precision,
    rng = combine_rng(vapply(fields, `[[`, "", "rng")), s = level$s, t = level$t,
    below = below, columns = fields[[1]]$columns
  )
}

check_bindable <- function(fields) {
  dims <- lapply(fields, function(part) table_dim(part)[-1])
  labels <- lapply(fields, function(part) {
    if (is.null(part$columns)) list(colnames(part$counts)) else part$columns$labels
  })
  columns <- lapply(labels, `[[`, 1)
  check_that(length(unique(dims)) == 1 && length(unique(labels)) == 1, c(
    "Releases combined by {.fn rbind} must have the same columns, in the same order.",
    i = if (!is.null(columns[[1]]) && all(vapply(columns, setequal, TRUE, columns[[1]]))) {
      "The columns are in another order: {.code second[, colnames(first)]} puts them into that of the first."
    },
    i = if (any(lengths(dims) > 1)) "With more than two modes, all except the first must be the same."
  ), NULL)
  if (!all(vapply(fields, `[[`, TRUE, "directed"))) {
    abort_untrue("rbind() of undirected releases", "Their rows and columns are the same actors.")
  }
}

warn_duplicated_labels <- function(labels) {
  twice <- sum(duplicated(labels[!is.na(labels) & nzchar(labels)]))
  warn_if(twice > 0, c(
    "{twice} row label{?s} {?is/are} duplicated: these rows cannot be looked up by label.",
    i = "If the same records were released twice, {.fn privacy_loss} computes the total privacy loss."
  ), "ldpcounts_duplicated_labels")
}

# If one part is a simulation (noise from R's generator), the result is too.
combine_rng <- function(rng) {
  if (length(unique(rng)) == 1) rng[1] else if ("R" %in% rng) "R" else "mixed"
}
