# Checks whether data are counts: a base matrix or a dgCMatrix of whole numbers, NA where masked.
#
# Objects of a class may have been edited by hand, or damaged, or created by other code. The kernels, and the
# compiled code of other packages, read them without checking. So they are checked here, before anything else
# is done with them.
#
# Matrices and tables are checked here, releases in R/release-class.R, and fits in R/fit-class.R.

# Returns a base matrix or a dgCMatrix of numbers, or throws an error.
as_plain_matrix <- function(x, arg, call = rlang::caller_env()) {
  if (is_sparse(x)) {
    return(x)
  }
  releases <- is.list(x) && !is.object(x) && length(x) > 0 && all(vapply(x, is_release, TRUE))
  check_that(!releases, c(
    "{.arg {arg}} must be one release, not a list of releases.",
    i = "{.code do.call(rbind, {arg})} combines the rows of all of them into one release."
  ), call)
  kinds <- c(
    "a numeric matrix or array", "a Matrix", "a data frame of cells", "a table", "a dfm",
    "a DocumentTermMatrix", "a graph", if (arg %in% c("data", "newdata")) "a private_counts"
  )
  check_that(is_numeric_matrix(x), c(
    "{.arg {arg}} must be a matrix of counts ({.or {kinds}}).",
    x = "It is {describe_type(x)}.",
    i = if (is.data.frame(x)) record_hint(call),
    i = if (is.logical(x)) "{.code {arg} + 0} converts it to counts: 1 for TRUE, 0 for FALSE.",
    i = if (is.character(x) && is.matrix(x)) text_matrix_hint(x),
    i = if (is.numeric(x) && is.null(dim(x)) && !is.object(x)) {
      paste(
        "For the counts of one record, use {.code matrix({arg}, nrow = 1)}. For one count from each of",
        "{length(x)} record{?s}, use {.code cbind({arg})}."
      )
    },
    i = "See {.code help(\"data-objects\")} for all accepted objects."
  ), call)
  plain <- list(dim = dim(x), dimnames = dimnames(x))
  if (all(names(attributes(x)) %in% names(plain))) x else `attributes<-`(x, plain)
}

# A hint for a matrix of text, which may hold edges, cells or numbers.
text_matrix_hint <- function(x) {
  if (ncol(x) %in% 2:3 && !all(grepl("^ *-?[0-9]+ *$", x))) {
    paste(
      "If its rows are edges or cells, convert it with {.fn as.data.frame}. Columns of labels must be",
      "factors with all possible labels as levels. Counts, if any, must be numbers in the last column."
    )
  } else {
    paste(
      "{.code mode({arg}) <- \"numeric\"} converts text to numbers. If a column holds labels, give the data",
      "frame itself, with the name of that column as {.code id = }."
    )
  }
}

# A dgCMatrix without further attributes and cached factorizations.
bare_sparse <- function(x) {
  methods::new("dgCMatrix", i = x@i, p = x@p, x = x@x, Dim = x@Dim, Dimnames = x@Dimnames)
}

# Whole numbers and NA only; not below zero unless `signed`.
#' @srrstats {UL1.1} an error names the argument that does not hold counts.
#' @srrstats {G2.16} infinite values and NaN are errors.
check_counts <- function(x, arg, call = rlang::caller_env(), signed = FALSE) {
  values <- stored_values(x)
  refuse <- function(bad, problem, hint = NULL) {
    refuse_cells(x, bad, paste0("hold counts, but has ", problem), arg, hint, call)
  }
  if (is.double(values)) {
    refuse(is.infinite(values) | is.nan(values), "infinite values or NaN")
    refuse(!is_whole(values), "values that are not whole numbers")
    values <- round(values)
    if (is_sparse(x)) x@x <- values else x[] <- values
  }
  if (signed) { # released counts; doubles are exact up to this value
    refuse(abs(values) > 2^53, "values beyond 2^53")
  } else {
    refuse(values < 0, "negative values", paste(
      "If these are noised counts, declare them with {.fn private_counts}.",
      "If they are codes of missing answers, as in surveys, replace them by {.code NA} first."
    ))
    refuse(values > .Machine$integer.max, "values above 2^31 - 1")
  }
  x
}

# An error if some cells are `bad`; it names their columns.
refuse_cells <- function(counts, bad, problem, arg, hint, call) {
  found <- any(bad, na.rm = TRUE)
  where <- if (found && !is.null(colnames(counts))) where_bad(counts, bad)
  check_that(!found, c(
    paste0("{.arg {arg}} must ", problem, "."), x = if (!is.null(where)) "{where}", i = hint
  ), call)
}

# A sentence that lists the columns with `bad` values, by their labels.
where_bad <- function(counts, bad) {
  columns <- if (is_sparse(counts)) sparse_columns(counts) else as.vector(col(counts))
  found <- colnames(counts)[unique(columns[which(bad)])]
  n <- length(found)
  shown <- paste0("\"", utils::head(found, 5), "\"", collapse = ", ")
  more <- if (n > 5) paste(" and", n - 5, "more")
  paste0(if (n == 1) "Column " else "Columns ", shown, more, if (n == 1) " has" else " have", " such values.")
}

# A hint for a data frame with one row per record.
record_hint <- function(call) {
  if (takes(call, "id")) {
    paste(
      "For one row per record and one column per item: {.code id = } names the column with the labels of the",
      "records, which become public. Without labels, if all columns are counts, use {.code as.matrix({arg})}."
    )
  } else {
    "If it has one row per record, and all columns are counts, convert it with {.fn as.matrix}."
  }
}

tell_empty <- function(counts, arg) {
  message <- "{.arg {arg}} has no cells: it is {nrow(counts)} x {ncol(counts)}."
  tell_if(n_cells(counts) == 0, message, "ldpcounts_empty")
}

#' @srrstats {G2.13} missing counts are detected before any noise is drawn.
#' @srrstats {G2.14a} an error is thrown for them.
check_complete <- function(counts, arg, hint = NULL, call = rlang::caller_env()) {
  refuse_cells(counts, is.na(stored_values(counts)), "have no missing counts", arg, hint, call)
}

# Counts of the first record that became names, because a file without a line of names was read as if it had
# one: "3", or "X3" and "X3.1" after read.csv(). Names become public. In a matrix, consecutive numbers may be codes of
# items. `numbers_allowed`: not in a data frame, which may have been read from a file.
check_header <- function(names, arg, call, numbers_allowed = TRUE) {
  pattern <- "^X?[.]?[0-9]+([.][0-9]+)*$|^(NA|X)([.][0-9]*)?$"
  coded <- grepl(if (numbers_allowed) "^X?[0-9]+$" else "^X[0-9]+$", names)
  numbers <- if (all(coded)) as.numeric(sub("X", "", names))
  consecutive <- length(numbers) > 1 && all(diff(numbers) == 1)
  is_count <- grepl(pattern, names) | !grepl("[[:alpha:]]", names)
  check_that(length(names) == 0 || !all(is_count) || consecutive, c(
    "{.arg {arg}} must have the names of items, but all its names are numbers, as if they were counts.",
    i = paste(
      "They could be the counts of the first record: if the file has no line of names, read it with",
      "{.code header = FALSE}."
    ),
    i = "If they are names, which become public, begin each with a letter: {.code paste0(\"q\", names)}."
  ), call)
}

# --- validity of matrices -------------------------------------------------------------------------

# TRUE, or what is wrong. If the slots of a Matrix contradict each other, package Matrix may read outside
# its memory.
slots_agree <- function(x) tryCatch(methods::validObject(x, test = TRUE), error = conditionMessage)

abort_invalid <- function(x, arg, call) {
  ldp_abort("{.arg {arg}} is not a valid {.cls {class(x)[1]}}: it has been edited or damaged.",
    call = call
  )
}

check_valid_matrix <- function(x, arg, call) {
  problem <- slots_agree(x)
  valid <- "{.arg {arg}} must be a valid {.cls {class(x)[1]}}."
  check_that(isTRUE(problem), c(valid, x = "{problem[1]}."), call)
  check_extent_memory(dim(x), arg, call)
}

# A sparse matrix of package slam, with a position and a value per entry.
check_valid_triplet <- function(x, arg, call) {
  places <- function(at, n) {
    is.numeric(at) && length(at) == length(x$v) && all(is_whole(at) & at >= 1 & at <= n)
  }
  extent <- function(n) is_number(n) && is_whole(n) && n >= 0 && n <= .Machine$integer.max
  valid <- extent(x$nrow) && extent(x$ncol) && places(x$i, x$nrow) && places(x$j, x$ncol) &&
    (is.null(x$dimnames) || is_labels(x$dimnames, c(x$nrow, x$ncol)))
  if (!isTRUE(valid)) abort_invalid(x, arg, call)
  check_extent_memory(c(x$nrow, x$ncol), arg, call)
}

# A base matrix of numbers, or a valid dgCMatrix.
is_table <- function(x) {
  if (methods::is(x, "dgCMatrix")) isTRUE(slots_agree(x)) else is_numeric_matrix(x)
}

is_numeric_matrix <- function(x) is.matrix(x) && is.numeric(x) && !is.object(x)

# Is this a valid `columns` of a table (R/data-table.R), which says how its columns fold up into modes?
is_columns <- function(columns, n_column) {
  dim <- if (is.list(columns)) columns$dim
  is.numeric(dim) && length(dim) >= 1 && !anyNA(dim) && all(dim >= 0) &&
    prod(as.double(dim)) == n_column && is.list(columns$labels) && is_labels(columns$labels, dim) &&
    (is.null(columns$titles) || (is.character(columns$titles) && length(columns$titles) == length(dim) + 1))
}

is_count_table <- function(x) {
  parts <- unclass(x)
  inherits(x, "count_table") && is.list(parts) && is_table(parts$counts) &&
    (is.null(parts$columns) || is_columns(parts$columns, ncol(parts$counts)))
}

# --- cells that are listed several times ----------------------------------------------------------

# A dgCMatrix of counts; the counts of a cell that is listed several times are added up.
added_counts <- function(cells, values, dim, labels, arg, role, call) {
  check_sums(cells, values, arg, role, call)
  sparse_counts(cells, values, dim, if (length(unlist(labels)) > 0) labels)
}

# Only whole, true counts may be added up: the sum of two noised counts has more noise than was declared.
check_sums <- function(cells, values, arg, role, call) {
  again <- duplicated(cells)
  check_that(role != "release" || !any(again), c(
    "{.arg {arg}} must not list a cell more than once.",
    x = "{sum(again)} cell{?s} {?is/are} listed again.",
    i = "Noised counts cannot be added up: their sum has more noise than was declared."
  ), call)
  if (any(again)) check_counts(values, arg, call)
}

