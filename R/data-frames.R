# Data frames. Without `dims`, a data frame has one row per record and one column per item, and all columns
# but `id` hold counts. With `dims`, it has one row per cell. Nothing else is guessed.

check_layout <- function(x, arg, id, dims, call) {
  check_that(is.null(id) || is.null(dims), c(
    "Give at most one of {.arg id} and {.arg dims}.",
    i = "Use {.arg id} if the data frame has one row per record, {.arg dims} if it has one row per cell."
  ), call)
  check_that(is.data.frame(x) || (is.null(id) && is.null(dims)), c(
    "{.arg {if (is.null(id)) 'dims' else 'id'}} is only for a data frame.",
    x = "{.arg {arg}} is {describe_type(x)}."
  ), call)
}

# The matrix release of a private_vector, or of a data frame of them; other objects are not changed.
as_release <- function(x, arg, id = NULL, call = rlang::caller_env()) {
  columns <- if (is.data.frame(x)) as.list(x) else if (is_private_vector(x)) list(x)
  released <- vapply(columns, is_private_vector, NA)
  if (!any(released)) {
    return(x)
  }
  others <- setdiff(names(columns)[!released], id)
  check_that(length(others) == 0, c(
    "All columns of {.arg {arg}} must be released counts, or none of them.",
    x = "Column{?s} {.val {others}} {?is/are} not.",
    i = "Leave out other columns. {.arg id} names the column with the labels of the records."
  ), call)
  labels <- if (!is.null(id)) record_labels(columns, id, arg, call)
  release <- do.call(cbind, columns[released])
  own <- attr(x, "row.names")
  if (is.null(labels) && is.character(own)) labels <- own
  if (is.data.frame(x)) dimnames(release) <- list(labels, names(columns)[released])
  release
}

# A matrix of records, or a count_table of cells. (A tibble or a data.table is used as a list of its columns.)
frame_counts <- function(x, arg, id, dims, role, fill, call) {
  columns <- lapply(as.list(x), plain_column)
  if (!all(vapply(columns, NROW, 0) == nrow(x))) abort_invalid(x, arg, call)
  check_that(!all(c("y_tilde", "alpha") %in% names(x)), c(
    "{.arg {arg}} must not be a data frame of released counts, with columns {.val y_tilde} and {.val alpha}.",
    i = "Use the release itself, or delete {.val alpha}: {.code private_counts({arg}, dims = , alpha = )}."
  ), call)
  if (!is.null(dims)) {
    return(cell_counts(columns, arg, dims, role, fill, call))
  }
  own <- attr(x, "row.names")
  labels <- if (!is.null(id)) record_labels(columns, id, arg, call) else if (is.character(own)) own
  record_counts(columns[!names(columns) %in% id], labels, nrow(x), arg, role, call)
}

# Labelled columns (of packages haven and Hmisc) become their numbers, and 64-bit integers doubles. Values
# that the column declares as missing become NA.
plain_column <- function(column) {
  if (inherits(column, "integer64")) {
    check_package("bit64", "columns of 64-bit integers", NULL)
    return(as.double(bit64::as.double.integer64(column)))
  }
  described <- inherits(column, c("labelled", "haven_labelled", "AsIs")) && is.null(dim(column))
  if (!described || !typeof(column) %in% c("integer", "double")) {
    return(column)
  }
  values <- as.vector(unclass(column))
  # is.na() has a method for declared values while haven is loaded; the attributes are always there
  range <- attr(column, "na_range")
  declared <- is.na(column) | values %in% attr(column, "na_values")
  if (!is.null(range)) declared <- declared | (values >= range[1] & values <= range[2])
  replace(values, which(declared), NA)
}

# --- one row per record ---------------------------------------------------------------------------

record_labels <- function(columns, id, arg, call) {
  if (!rlang::is_string(id) || sum(names(columns) == id) != 1 || !is.null(dim(columns[[id]]))) {
    abort_argument(id, "id", paste0("the name of a column of `", arg, "`, in quotes"), call)
  }
  labels <- as.character(columns[[id]])
  check_that(!anyNA(labels) && !anyDuplicated(labels), c(
    "{.arg {arg}} must have a different label in each row of column {.val {id}}, and none may be missing.",
    i = "If a record has several rows, add them up first with {.fn rowsum}."
  ), call)
  labels
}

record_counts <- function(items, labels, n, arg, role, call) {
  check_that(length(items) > 0, "{.arg {arg}} must have a column of counts.", call)
  if (role == "secret") check_header(names(items), arg, call, numbers_allowed = FALSE)
  check_different(names(items), arg, call)
  other <- names(items)[!vapply(items, is_plain_numeric, TRUE)]
  modes <- paste(c(paste0("\"", other, "\""), if (length(other) == 1) "..."), collapse = ", ")
  check_that(length(other) == 0, c(
    "{.arg {arg}} must hold counts, but {cli::qty(other)}column{?s} {.val {other}} {?is/are} not numeric.",
    i = "For one row per record, name the column of (public) labels: {.code id = \"{other[1]}\"}.",
    i = "For one row per cell, name the columns of its modes: {.code dims = c({modes})}.",
    i = "Leave out other columns that are not counts.",
    i = "A function without these arguments accepts the table {.code xtabs(count ~ row + column, data)}."
  ), call)
  counts <- matrix(as.double(unlist(items)), n, length(items), dimnames = list(labels, names(items)))
  found <- label_columns(counts)
  check_that(length(found) == 0, c(
    "{.arg {arg}} must hold counts, but {cli::qty(found)}column{?s} {.val {found}} seem{?s/} to hold labels.",
    i = "Name the column of labels, which become public: {.code id = \"{found[1]}\"}. Or leave it out.",
    i = "If these are counts, convert the data frame with {.fn as.matrix}."
  ), call)
  counts
}

# Columns that may identify persons, by their names: noise does not hide such numbers. Counts usually include
# zeros.
label_columns <- function(counts) {
  named <- grep("(^|[^a-z]|case|person|respondent|subject|user)id([^a-z]|$)", tolower(colnames(counts)))
  colnames(counts)[Filter(function(j) isTRUE(all(counts[, j] > 0)), named)]
}

check_different <- function(names, arg, call) {
  names <- names[nzchar(names) & !is.na(names)]
  check_that(!anyDuplicated(names), c(
    "The columns of counts in {.arg {arg}} must have different names.",
    x = "Several are called {.val {names[duplicated(names)][1]}}."
  ), call)
}

# Counts of the first record that became names, because a file without a line of names was read as if it had
# one: "3", or "X3" and "X3.1" after read.csv(). Names become public. In a matrix, consecutive numbers may be
# codes of items. `numbers_allowed`: not in a data frame, which may have been read from a file.
check_header <- function(names, arg, call, numbers_allowed = TRUE) {
  coded <- grepl(if (numbers_allowed) "^X?[0-9]+$" else "^X[0-9]+$", names)
  numbers <- if (all(coded)) as.numeric(sub("X", "", names))
  consecutive <- length(numbers) > 1 && all(diff(numbers) == 1)
  is_count <- grepl("^X?[.]?[0-9]+([.][0-9]+)*$|^(NA|X)([.][0-9]*)?$", names) | !grepl("[[:alpha:]]", names)
  check_that(length(names) == 0 || !all(is_count) || consecutive, c(
    "{.arg {arg}} must have the names of items, but all its names are numbers, as if they were counts.",
    i = "If a file has no line of names, read it with {.code header = FALSE}.",
    i = "If they are names, which become public, begin each with a letter: {.code paste0(\"q\", names)}."
  ), call)
}

# --- one row per cell -----------------------------------------------------------------------------

# `dims` has the names of the columns of the modes, or extents, of the columns that it names or of the first.
cell_counts <- function(columns, arg, dims, role, fill, call) {
  modes <- if (is.character(dims)) dims else names(dims)
  if (is.null(modes)) modes <- utils::head(names(columns), length(dims))
  check_dims(dims, modes, names(columns), call)
  rest <- Filter(is_plain_numeric, columns[!names(columns) %in% modes])
  check_that(length(rest) == 1, c(
    "{.arg {arg}} must have one numeric column, the count, besides those that {.arg dims} names.",
    x = if (length(rest) > 1) "It has {.val {names(rest)}}." else "It has none.",
    i = "If each row counts 1, add the count: {.code {arg}$count <- 1}."
  ), call)
  index <- columns[modes]
  text <- vapply(index, is.character, TRUE)
  if (role != "secret") index[text] <- lapply(index[text], as_levels) # which labels occur may be secret
  tell_if(any(text) && role != "secret", c(
    "The labels of {.arg {arg}} are text: rows and columns without a listed cell are left out.",
    i = "To include them, use factors with all labels as levels."
  ), "ldpcounts_labels_seen")
  labels <- unname(lapply(index, levels))
  dim <- as.double(if (is.numeric(dims)) dims else lengths(labels))
  extents <- if (is.numeric(dims)) dim else NA
  cells <- Map(decode_mode, index, modes, extents, MoreArgs = list(arg, modes, call))
  check_extents(dim, arg, call)
  cells <- fold_cells(do.call(cbind, unname(cells)), dim)
  counts <- added_counts(cells, rest[[1]], flat_dim(dim), list(labels[[1]], NULL), arg, role, call)
  n <- length(counts@x) # a sparse matrix stores each listed cell once
  tell_if(role == "secret" && n < nrow(cells), c(
    "Rows of {.arg {arg}} with the same labels are added up: {nrow(cells)} rows become {n} cell{?s}.",
    i = "To protect each row as a separate record, use one row per record and one column per item."
  ), "ldpcounts_added")
  if (role == "release") counts <- fill_cells(counts, cells, fill, arg, call)
  if (length(dim) > 2) {
    return(new_count_table(counts, new_columns(dim[-1], labels[-1], modes)))
  }
  dimnames(counts) <- if (length(unlist(labels)) > 0) stats::setNames(labels, modes) else list(NULL, NULL)
  new_count_table(counts)
}

check_dims <- function(dims, modes, names, call) {
  if (!(is.character(dims) || are_whole(dims, 1)) || length(dims) < 2) {
    expected <- "the names of two or more columns, or the extents (at least 1) of two or more modes"
    abort_argument(dims, "dims", expected, call)
  }
  wrong <- modes[duplicated(modes) | vapply(modes, function(mode) sum(names == mode) != 1, TRUE)]
  check_that(length(modes) == length(dims) && length(wrong) == 0, c(
    "{.arg dims} must name different columns of the data frame.",
    x = if (length(wrong) > 0) "{.val {wrong}} {?is/are} not." else "It has {length(names)} column{?s}."
  ), call)
}

# The numbers of the indices in the column of a mode; `extent` is NA if `dims` has only names.
decode_mode <- function(at, mode, extent, arg, modes, call) {
  valid <- if (is.factor(at)) {
    !anyNA(at) && extent %in% c(NA, nlevels(at))
  } else {
    is_plain_numeric(at) && isTRUE(all(at >= 1 & at <= extent & is_whole(at)))
  }
  expected <- if (is.na(extent)) {
    "a factor with all possible labels as levels"
  } else {
    "a factor with {format_number(extent)} levels, or whole numbers from 1 to {format_number(extent)}"
  }
  check_that(valid, c(
    paste0("Column {.val {mode}} of {.arg {arg}} must be ", expected, ", without missing values."),
    x = if (is.character(at)) "It is text: which labels occur in it could reveal something about the counts.",
    i = if (is.character(at)) "Convert it with {.code factor(labels, levels = )}; its levels become public.",
    i = if (is.na(extent)) "For whole numbers, use {.code dims = c({paste(modes, collapse = ' = , ')} = )}."
  ), call)
  as.integer(round(as.numeric(at)))
}

# Noised counts of cells that are not listed: such a cell of a release most likely was not observed.
fill_cells <- function(counts, cells, fill, arg, call) {
  others <- n_cells(counts) - nrow(cells)
  check_that(others == 0 || !is.null(fill), c(
    "{.arg {arg}} must list all {format_number(n_cells(counts))} cells, or {.arg fill} must be given.",
    x = "{format_number(others)} {cli::qty(others)}cell{?s} {?is/are} not listed.",
    i = "{.code fill = NA}: they were not observed. {.code fill = 0}: only counts other than 0 are listed."
  ), call)
  if (others == 0 || !is.na(fill)) {
    return(counts)
  }
  filled <- replace(as_dense(counts, arg, call), TRUE, NA)
  filled[cells] <- counts_at(counts, cells)
  filled
}
