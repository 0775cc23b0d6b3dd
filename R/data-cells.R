# The argument `cells`: an index matrix or a data frame, of numbers or labels.

# Converts `cells` of data with these extents and labels into pairs of a row and a column of the table
# (R/data-table.R).
check_cells <- function(cells, dim, labels, call = rlang::caller_env()) {
  n <- length(dim)
  given <- cells_by_mode(cells, n, names(labels))
  columns <- if (n == 2) "two columns, row and column" else paste(n, "columns, one per mode")
  check_that(!is.null(given), c(
    "{.arg cells} must be a matrix, or a data frame, of numbers or labels with {columns}.",
    x = "It is {describe_type(cells)}."
  ), call)
  index <- matrix(0, nrow(cells), n)
  for (margin in seq_len(n)) {
    at <- given[[margin]]
    if (is.data.frame(cells) && is.numeric(at)) at <- number_or_label(at, dim[margin], labels[[margin]], call)
    index[, margin] <- if (is.character(at)) match_labels(at, labels[[margin]], call) else at
    inside <- index[, margin] %in% seq_len(dim[margin])
    check_that(all(inside), c(
      "{.arg cells} must be cells of the data, which are {paste(dim, collapse = ' x ')}.",
      x = "Row {which(!inside)[1]} of {.arg cells} is not."
    ), call)
  }
  fold_cells(index, dim)
}

# Numbers in a data frame may be labels, such as those of respondents. If they are, converts them to text.
number_or_label <- function(at, extent, labels, call) {
  place <- match(as.character(at), labels)
  other <- !is.na(place) & place != at
  are_labels <- any(other) && !anyNA(place) && !all(at %in% seq_len(extent))
  check_that(are_labels || !any(other), c(
    "Numbers in {.arg cells} are ambiguous: the labels of the data are numbers too.",
    x = "Row {which(other)[1]} of {.arg cells} has a number that is the label of another position.",
    i = "If these are labels, convert the column to text with {.fn as.character}.",
    i = "If they are positions, use an index matrix, made with {.fn cbind}."
  ), call)
  if (are_labels) as.character(at) else at
}

# A list of the numbers or labels of each mode, or NULL. A data frame may have further columns if the columns
# of the modes have the names that augment(), or as.data.frame() of a release, gives them.
cells_by_mode <- function(cells, n, titles) {
  if (is.data.frame(cells)) {
    called <- Filter(function(names) length(names) == n && all(names %in% names(cells)),
      list(titles, mode_titles(n)))
    given <- lapply(if (length(called) > 0) called[[1]] else seq_along(cells), function(j) {
      if (is.factor(cells[[j]])) as.character(cells[[j]]) else cells[[j]]
    })
    valid <- vapply(given, function(x) {
      (is_plain_numeric(x) || is.character(x)) && length(x) == nrow(cells)
    }, TRUE)
    return(if (length(given) == n && all(valid)) given)
  }
  if (is.matrix(cells) && ncol(cells) == n && (is.numeric(cells) || is.character(cells))) {
    lapply(seq_len(n), function(mode) cells[, mode])
  }
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
