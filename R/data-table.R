# All counts that are not a release are converted (by R/data-objects.R) to the class count_table. This is a
# list of `counts`, a base matrix or a dgCMatrix with mode 1 in its rows and all other modes in its columns,
# where the index of the second mode changes fastest, as in R's arrays; and of `columns`, which says how the
# columns are made up of modes:
#
#   dim      extents of the modes from the second on
#   labels   a list of their labels, NULL for a mode without labels
#   titles   names of all modes, including the first, or NULL
#
# If there are only two modes, `columns` is NULL. The labels of mode 1 are those of the rows. A release has
# the same two fields. Inside the package, cells are pairs of a row and a column of the table. Only arguments
# and results have an index for each mode.

new_count_table <- function(counts, columns = NULL) {
  structure(list(counts = counts, columns = columns), class = "count_table")
}

is_count_table <- function(x) {
  parts <- unclass(x)
  inherits(x, "count_table") && is.list(parts) && is_table(parts$counts) &&
    (is.null(parts$columns) || is_columns(parts$columns, ncol(parts$counts)))
}

# A base matrix of numbers, or a valid dgCMatrix.
is_table <- function(x) {
  if (methods::is(x, "dgCMatrix")) isTRUE(slots_agree(x)) else is_numeric_matrix(x)
}

# Valid `columns` of a table with this number of columns.
is_columns <- function(columns, n_column) {
  dim <- if (is.list(columns)) columns$dim
  is.numeric(dim) && length(dim) >= 1 && !anyNA(dim) && all(dim >= 0) &&
    prod(as.double(dim)) == n_column && is.list(columns$labels) && is_labels(columns$labels, dim) &&
    (is.null(columns$titles) || (is.character(columns$titles) && length(columns$titles) == length(dim) + 1))
}

is_release <- function(x) inherits(x, "private_counts")

# A release of one count per person; see R/release-vector.R.
is_private_vector <- function(x) inherits(x, "private_vector")

# Release files that are not read into memory; see R/release-shards.R.
is_shards <- function(x) inherits(x, "release_shards")

table_of_array <- function(x, arg, call) {
  dim <- dim(x)
  labels <- dimnames(x)
  check_extents(dim, arg, call)
  counts <- `attributes<-`(x, list(dim = c(dim[1], as.integer(prod(dim[-1])))))
  if (!is.null(labels[[1]])) rownames(counts) <- labels[[1]]
  new_count_table(counts, new_columns(dim[-1], labels[-1], names(labels)))
}

new_columns <- function(dim, labels = NULL, titles = NULL) {
  if (is.null(labels)) labels <- vector("list", length(dim))
  list(dim = as.integer(dim), labels = unname(labels), titles = titles)
}

# The largest number of modes of a model.
MOST_MODES <- 12

check_extents <- function(dim, arg, call) {
  check_that(length(dim) <= MOST_MODES,
    "{.arg {arg}} must have at most {MOST_MODES} modes, but has {length(dim)}.", call
  )
  check_that(max(dim[1], prod(dim[-1])) <= .Machine$integer.max, c(
    "{.arg {arg}} is too large: the product of all extents except the first must be less than 2^31.",
    x = "These extents are {paste(format_number(dim[-1]), collapse = ' x ')}.",
    i = "Make the mode with the largest extent the first."
  ), call)
}

# --- extents and labels ---------------------------------------------------------------------------

# The extents of all modes.
table_dim <- function(table) {
  if (is.null(table$columns)) dim(table$counts) else c(nrow(table$counts), table$columns$dim)
}

# NULL if no mode has labels (a Matrix without labels has list(NULL, NULL)).
table_dimnames <- function(table) {
  labels <- if (is.null(table$columns)) {
    dimnames(table$counts)
  } else {
    all <- c(list(rownames(table$counts)), table$columns$labels)
    stats::setNames(all, table$columns$titles)
  }
  if (length(unlist(labels)) > 0) labels
}

#' @export
dim.count_table <- function(x) table_dim(unclass(x))

#' @export
dimnames.count_table <- function(x) table_dimnames(unclass(x))

#' @export
as.matrix.count_table <- function(x, ...) as_dense(x$counts, "x", NULL)

#' @export
as.array.count_table <- function(x, ...) array(as.matrix(x), dim(x), dimnames(x))

#' @export
is.na.count_table <- function(x) is.na(as.array(x))

# Converts a count_table back to a matrix or an array; a sparse one with more than two modes is not changed.
as_given <- function(table) {
  if (is.null(table$columns)) table$counts else if (is_sparse(table$counts)) table else as.array(table)
}

#' @export
print.count_table <- function(x, ...) {
  cat("Counts, ", paste(dim(x), collapse = " x "), "\n", sep = "")
  invisible(x)
}

# The numbers of rows and columns of the table.
flat_dim <- function(dim) c(dim[1], prod(as.double(dim[-1])))

# --- cells ----------------------------------------------------------------------------------------

# The number of a cell in column-major order, from its indices, and back.
place_in <- function(cells, dim) as.vector(1 + (cells - 1) %*% cumprod(c(1, dim))[seq_along(dim)])
cells_in <- function(place, dim) {
  cells <- arrayInd(place, dim)
  storage.mode(cells) <- "integer"
  cells
}

# Converts cells with an index for each mode to pairs of a row and a column of the table, and back.
fold_cells <- function(cells, dim) cbind(cells[, 1], place_in(cells[, -1, drop = FALSE], dim[-1]))

unfold_cells <- function(cells, dim) {
  if (length(dim) == 2) cells else cbind(cells[, 1], arrayInd(cells[, 2], dim[-1]))
}

# The numbers of the columns of the table for these indices of the modes from the second on, in the order of
# an array with these modes.
fold_columns <- function(indices, dim) {
  as.vector(do.call(`[`, c(list(array(seq_len(prod(dim)), dim)), indices)))
}

# --- the argument `cells` -------------------------------------------------------------------------

# Converts an index matrix or a data frame, of numbers or labels, into pairs of a row and a column of the
# table with these extents and labels.
check_cells <- function(cells, dim, labels, call = rlang::caller_env()) {
  n <- length(dim)
  index <- cells_by_mode(cells, n, names(labels))
  columns <- if (n == 2) "two columns, row and column" else paste(n, "columns, one per mode")
  check_that(!is.null(index), c(
    "{.arg cells} must be a matrix, or a data frame, of numbers or labels with {columns}.",
    x = "It is {describe_type(cells)}."
  ), call)
  for (mode in seq_len(n)) {
    if (is.character(index[[mode]])) index[[mode]] <- match_labels(index[[mode]], labels[[mode]], call)
    inside <- index[[mode]] %in% seq_len(dim[mode])
    check_that(all(inside), c(
      "{.arg cells} must be cells of the data, which are {paste(dim, collapse = ' x ')}.",
      x = "Row {which(!inside)[1]} of {.arg cells} is not."
    ), call)
  }
  fold_cells(do.call(cbind, index), dim)
}

# A list of the numbers or labels of each mode, or NULL. A data frame may have further columns if the columns
# of the modes have the names that augment(), or as.data.frame() of a release, gives them.
cells_by_mode <- function(cells, n, titles) {
  if (is.matrix(cells)) cells <- if (is.numeric(cells) || is.character(cells)) as.data.frame(unname(cells))
  if (!is.data.frame(cells)) {
    return(NULL)
  }
  named <- Filter(function(own) length(own) == n && all(own %in% names(cells)), list(titles, mode_titles(n)))
  index <- unname(as.list(cells)[if (length(named) > 0) named[[1]] else seq_along(cells)])
  index <- lapply(index, function(at) if (is.factor(at)) as.character(at) else at)
  valid <- vapply(index, function(at) is_plain_numeric(at) || is.character(at), TRUE)
  if (length(index) == n && all(valid) && all(lengths(index) == nrow(cells))) index
}

# The positions of labels among those of a mode, NA for unknown labels. Duplicated labels cannot be looked up.
match_labels <- function(wanted, labels, call = NULL) {
  twice <- intersect(wanted, labels[duplicated(labels)])
  check_that(length(twice) == 0, c(
    "{encodeString(twice[1], quote = '\"')} is the label of several rows, columns or indices of a mode.",
    i = "Use numbers, or make the labels unique with {.fn make.unique}."
  ), call)
  match(wanted, labels)
}

# The diagonal of a network is not data. The cells of an undirected network are the pairs with i < j.
check_cells_of_network <- function(cells, network, call = rlang::caller_env()) {
  loops <- cells[, 1] == cells[, 2]
  check_that(network == "none" || !any(loops), c(
    "{.arg cells} must not be on the diagonal of the network, which is not data.",
    x = "Row {which(loops)[1]} of {.arg cells} is on it."
  ), call)
  if (network == "undirected") cbind(pmin(cells[, 1], cells[, 2]), pmax(cells[, 1], cells[, 2])) else cells
}

# Names of the columns with the indices of the modes, in a data frame of cells: `own`, the names of the
# dimnames, if no name is then duplicated (`taken`: names of the other columns), otherwise standard names.
mode_titles <- function(n, own = NULL, taken = character()) {
  titles <- unnamed <- if (n == 2) c("row", "column") else paste0("mode", seq_len(n))
  named <- which(!is.na(own) & nzchar(own))
  titles[named] <- own[named]
  if (anyDuplicated(c(titles, taken))) unnamed else titles
}

# --- labels of cells ---------------------------------------------------------------------------------

# Labels of the columns of a table with these extents and labels: those of the second mode, or those of all
# modes from the second on, in one text; numbers where there are no labels.
column_labels <- function(dim, labels) {
  if (length(dim) == 2 && is.null(labels[[2]])) {
    return(seq_len(dim[2]))
  }
  index <- arrayInd(seq_len(prod(dim[-1])), dim[-1])
  each <- lapply(seq_along(dim)[-1], function(mode) {
    if (is.null(labels[[mode]])) index[, mode - 1] else labels[[mode]][index[, mode - 1]]
  })
  make.unique(do.call(paste, c(each, sep = ", ")))
}

# A factor of these labels, or the numbers of columns without labels.
as_items <- function(labels) if (is.character(labels)) factor(labels, labels) else labels
