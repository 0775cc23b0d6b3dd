# Cells as users give them: an index matrix or a data frame, of numbers or labels.

# Cells of data with these extents and labels as pairs of a row and a column of their table, from an
# index matrix of numbers or labels.
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

# Numbers in a data frame may be labels, such as those of respondents: as text where they are.
number_or_label <- function(at, extent, labels, call) {
  place <- match(as.character(at), labels)
  other <- !is.na(place) & place != at
  are_labels <- any(other) && !anyNA(place) && !all(at %in% seq_len(extent))
  check_that(are_labels || !any(other), c(
    "Numbers in {.arg cells} must be positions or labels, and may be both: labels are numbers.",
    x = "Row {which(other)[1]} of {.arg cells} has a number that is the label of another position.",
    i = "For labels, convert the column to text: {.fn as.character}.",
    i = "For positions, use an index matrix: {.fn cbind}."
  ), call)
  if (are_labels) as.character(at) else at
}

# A list of the numbers or labels of each mode, or NULL. A data frame may have further columns, where its
# modes are called as augment() or as.data.frame() of a release call them.
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

# The places of labels among those of a mode, NA where there is none. What several have is no label to look
# up by.
match_labels <- function(wanted, labels, call = NULL) {
  twice <- intersect(wanted, labels[duplicated(labels)])
  check_that(length(twice) == 0, c(
    "{encodeString(twice[1], quote = '\"')} is the label of several rows, columns or indices of a mode.",
    i = "Use numbers, or make the labels unique: {.fn make.unique}."
  ), call)
  match(wanted, labels)
}

# A network's diagonal has none of its cells; pairs of an undirected one are i < j.
check_cells_of_network <- function(cells, network, call = rlang::caller_env()) {
  loops <- cells[, 1] == cells[, 2]
  check_that(network == "none" || !any(loops), c(
    "{.arg cells} must be off the diagonal of the network, which is not data.",
    x = "Row {which(loops)[1]} of {.arg cells} is on it."
  ), call)
  if (network == "undirected") cbind(pmin(cells[, 1], cells[, 2]), pmax(cells[, 1], cells[, 2])) else cells
}

# What the columns of data frames that hold the indices of modes are called: by `own`, the names of the
# dimnames, where each is the name of one column only (`taken`: other columns), otherwise by their numbers.
mode_titles <- function(n, own = NULL, taken = character()) {
  titles <- unnamed <- if (n == 2) c("row", "column") else paste0("mode", seq_len(n))
  named <- which(!is.na(own) & nzchar(own))
  titles[named] <- own[named]
  if (anyDuplicated(c(titles, taken))) unnamed else titles
}
