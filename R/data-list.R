# Lists of cells: a data frame with one row per cell, one column per mode, and the count in the last column.

# Is this a list of cells? Its last column holds the counts, or is a mode like the others. In a data frame
# with two columns, both are modes.
is_list_of_cells <- function(x, dims = NULL) {
  is.data.frame(x) &&
    (ncol(x) >= 3 || (ncol(x) == 2 && (!is.null(dims) || any(vapply(x, has_labels, TRUE)))))
}

listed_counts <- function(x, arg, dims, role, fill, call) {
  table <- table_of_list(x, arg, dims, role, fill, call)
  if (is_public(role) || takes(call, "k")) tell_list(table, nrow(x), arg, dims, role)
  if (length(table$columns$dim) == 1) {
    dimnames(table$counts) <- dimnames(table)
    table["columns"] <- list(NULL)
  }
  table
}

# Do labels become public, for this `role` in given_counts()?
is_public <- function(role) role %in% c("secret", "release")

# A message that says how a list with n_row rows was understood. (The table stores each listed cell once.)
tell_list <- function(table, n_row, arg, dims, role) {
  extents <- paste0(table$columns$titles, " (", table_dim(table), ")")
  n_cells <- if (is_sparse(table$counts)) length(table$counts@x) else n_row # no cell is listed twice there
  modes <- is.null(dims) && length(extents) > 2
  added <- n_cells < n_row
  rows <- rownames(table$counts)
  columns <- table$columns$labels[[1]]
  network <- length(extents) == 2 && share_actors(rows, columns, table$columns$titles)
  actors <- is_public(role) && network && !identical(rows, columns)
  tell_if(modes || added || actors, c(
    "{.arg {arg}} is treated as counts with {length(extents)} modes: {extents}.",
    i = if (modes) "If a column only describes or groups another one, it is not a mode: leave it out.",
    i = if (added) "Rows with the same labels are added up: {n_row} rows become {n_cells} cell{?s}.",
    i = if (added && !network) {
      "To protect each row as a separate record, use one row per record and one column per item."
    },
    if (actors) {
      c(
        i = "Its two modes share only some of their labels, so it is not treated as a network.",
        i = "If it is a network, both columns need all actors as levels:",
        " " = "{.code actors <- union(levels({arg}[[1]]), levels({arg}[[2]]))}",
        " " = "{.code {arg}[1:2] <- lapply({arg}[1:2], factor, levels = actors)}"
      )
    }
  ), c("ldpcounts_modes", if (added) "ldpcounts_added"))
}

# Do two modes share labels of actors? Numbers may be codes of anything: they count as labels of actors only
# if the modes have names such as `from` and `to`.
share_actors <- function(rows, columns, titles) {
  shared <- intersect(rows, columns)
  length(shared) > 0 && (!holds_numbers_as_text(shared) || is_pair_of_ends(titles))
}

# Errors for counts that are text, or not in the last column, in a list of cells without `dims`.
check_last_column <- function(x, arg, call) {
  n <- ncol(x)
  last <- x[[n]]
  numbers <- which(vapply(x, is_plain_numeric, TRUE))
  as_text <- is.character(last) && length(last) > 0 && all(grepl("^ *-?[0-9]+ *$", last))
  check_that(!as_text, c(
    "The last column of {.arg {arg}} must hold counts, but is text.",
    i = "Convert it to numbers: {.code {arg}${names(x)[n]} <- as.numeric({arg}${names(x)[n]})}.",
    i = "If it holds labels, and each row counts 1, convert it with {.fn factor}: it is then another mode."
  ), call)
  order <- paste(c(seq_len(n)[-numbers], numbers), collapse = ", ")
  check_that(!has_labels(last) || length(numbers) != 1, c(
    "{.arg {arg}} must have its counts in the last column: use {.code {arg}[c({order})]}.",
    x = "Its only numeric column is column {numbers}.",
    i = if (takes(call, "dims")) "If it is a mode, and each row counts 1, give its extent in {.arg dims}."
  ), call)
}

FACTOR_OF_NUMBERS <- paste(
  "For numbers from 1 to n, use {.code factor(numbers, levels = 1:n)}. For other numbers, such as those of",
  "respondents, use {.code factor(numbers, levels = unique(numbers))}, if the data contain all of them.",
  "Levels become public."
)

# A list of cells without `dims` has at least two modes with labels. Labels that occur twice are not those
# of records.
abort_few_labels <- function(x, arg, call) {
  label <- names(x)[vapply(x, has_labels, TRUE)]
  as_text <- length(label) == 1 && holds_numbers_as_text(x[[label]])
  column <- paste0(arg, "[[\"", label, "\"]]")
  last <- utils::tail(names(x), 1)
  extents <- if (takes(call, "dims")) " or hold whole numbers, with its extent in {.arg dims}"
  ldp_abort(c(
    "It is not clear whether {.arg {arg}} has one row per record or one row per cell.",
    x = if (has_count_last(x)) "The name of its last column, {.val {last}}, suggests one row per cell.",
    i = if (as_text) {
      "If {.code {column}} holds counts, convert it with {.code as.integer(as.character({column}))}."
    },
    i = if (length(label) == 1 && !as_text && !anyDuplicated(x[[label]])) {
      "For one row per record and one column per item: use {.code id = {.val {label}}}."
    } else {
      record_hint(call)
    },
    i = paste0(
      "For one row per cell: each column of a mode must be a factor", extents,
      ", and the last column must hold the counts. ", FACTOR_OF_NUMBERS
    )
  ), call = call)
}

# An error if the last column holds dates: the years of a list of edges would be taken for counts.
check_no_time <- function(name, arg, call) {
  check_that(!grepl("^(year|month|week|day|date|time|timestamp|wave)$", name, ignore.case = TRUE), c(
    "The last column of {.arg {arg}} must hold counts, but is called {.val {name}}.",
    i = "If each row counts 1, leave the column out, or convert it to a factor: it is then another mode."
  ), call)
}

table_of_list <- function(x, arg, dims, role, fill, call) {
  n <- ncol(x)
  if (is.null(dims) && sum(vapply(x, has_labels, TRUE)) <= 1 && takes(call, "id")) {
    abort_few_labels(x, arg, call)
  }
  if (is.null(dims) && n > 2) check_last_column(x, arg, call)
  each_counts_1 <- n == 2 || (has_labels(x[[n]]) && length(dims) != n - 1)
  counts <- if (each_counts_1) rep(1, nrow(x)) else x[[n]]
  if (!is_plain_numeric(counts)) {
    abort_list("The last column of {.arg {arg}} must hold counts, but is not a numeric vector.", arg, call)
  }
  if (!each_counts_1) check_no_time(names(x)[n], arg, call)
  n_modes <- if (each_counts_1) n else n - 1
  dims <- check_dims(dims, n_modes, call)
  index <- text_as_factors(as.list(x)[seq_len(n_modes)], arg, role, call)
  modes <- Map(decode_mode, index, seq_len(n_modes), dims, MoreArgs = list(arg = arg, call = call))
  dim <- unname(vapply(modes, `[[`, 0, "extent"))
  check_extents(dim, arg, call)
  cells <- fold_cells(do.call(cbind, lapply(modes, `[[`, "index")), dim)
  labels <- lapply(modes, `[[`, "labels")
  counts <- added_counts(cells, counts, flat_dim(dim), list(labels[[1]], NULL), arg, role, call)
  if (role == "release") counts <- fill_cells(counts, cells, fill, arg, call)
  new_count_table(
    counts,
    new_columns(dim[-1], labels[-1], names(x)[seq_len(n_modes)])
  )
}

# Noised counts of cells that are not listed: a cell that is left out of a release most likely was not observed.
fill_cells <- function(counts, cells, fill, arg, call) {
  others <- n_cells(counts) - nrow(cells)
  check_that(others == 0 || !is.null(fill), c(
    "{.arg {arg}} must list all {format_number(n_cells(counts))} cells, or {.arg fill} must say what the others are.",
    x = "{format_number(others)} {cli::qty(others)}cell{?s} {?is/are} not listed.",
    i = "{.code fill = NA}: they were not observed. {.code fill = 0}: only counts other than 0 are listed."
  ), call)
  if (others == 0 || !is.na(fill)) {
    return(counts)
  }
  filled <- as_dense(counts, arg, call)
  listed <- matrix(FALSE, nrow(filled), ncol(filled))
  listed[cells] <- TRUE
  filled[!listed] <- NA
  filled
}

# A column of text contains the labels that occur, but not all labels that are possible.
#' @srrstats {G2.4d} text is converted to factors, for true counts and for releases only.
text_as_factors <- function(index, arg, role, call) {
  text <- vapply(index, is.character, TRUE)
  check_that(!any(text) || role != "secret", c(
    "Column {which(text)[1]} of {.arg {arg}} must be a factor whose levels are all possible labels.",
    x = "It is text: which labels occur in it could reveal something about the counts.",
    i = "Convert it with {.code factor(labels, levels = )}; its levels become public."
  ), call)
  tell_if(any(text), c(
    "The labels of {.arg {arg}} are text: rows and columns without a listed cell are left out.",
    i = "To include them, use factors with all labels as levels."
  ), "ldpcounts_labels_seen")
  index[text] <- lapply(index[text], as_levels)
  index
}

check_dims <- function(dims, n_modes, call) {
  if (is.null(dims)) {
    return(rep(NA_real_, n_modes))
  }
  if (!is.numeric(dims) || length(dims) != n_modes || !all(is.finite(dims) & dims >= 1 & is_whole(dims))) {
    expected <- paste0("NULL or ", n_modes, " whole numbers of at least 1, the extent of each mode")
    abort_argument(dims, "dims", expected, call)
  }
  as.double(dims)
}

# Returns list(index =, extent =, labels =) for one mode, column m of the list; `extent` is NA if `dims` is
# not given.
#' @srrstats {G2.4e} factors are converted to indices here, and their levels to labels.
decode_mode <- function(index, m, extent, arg, call) {
  need <- function(ok, ..., hint = NULL) {
    if (!ok) abort_list(c(paste0("Column ", m, " of {.arg {arg}} must ", ...), i = hint), arg, call)
  }
  said <- paste0(format_number(extent), ", the extent given in {.arg dims}.")
  if (is.factor(index)) {
    need(!anyNA(index), "have no missing values.")
    need(is.na(extent) || extent == nlevels(index), "be a factor whose number of levels is ", said)
    return(list(index = as.integer(index), extent = as.double(nlevels(index)), labels = levels(index)))
  }
  need(is_plain_numeric(index) && !is.na(extent), "be a factor whose levels are all possible labels",
    if (takes(call, "dims")) ", or hold whole numbers, with its extent in {.arg dims}", ".",
    hint = if (is.numeric(index)) FACTOR_OF_NUMBERS
  )
  inside <- !is.na(index) & is_whole(index) & index >= 1 & index <= extent
  need(all(inside), "hold whole numbers from 1 to ", said)
  list(index = round(index), extent = extent, labels = NULL)
}

abort_list <- function(message, arg, call) {
  ldp_abort(c(message,
    i = "A data frame of cells has one row per cell, one column per mode, and the count in the last column.",
    i = record_hint(call)
  ), call = call)
}
