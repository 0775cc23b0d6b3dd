# Whether data are counts: a base matrix or a dgCMatrix of whole numbers, NA where masked.
#
# Objects that claim to be of a class, and may have been edited by hand, damaged, or made by something
# else. Kernels, and compiled code of other packages, read them without looking: so they are checked here,
# at the door, before anything else is done with them.
#
# Matrices and tables are checked here, releases in R/release-class.R, and fits in R/fit-validate.R.

# A base matrix or a dgCMatrix of numbers; or an error.
as_plain_matrix <- function(x, arg, call = rlang::caller_env()) {
  if (is_sparse(x)) {
    return(x)
  }
  if (is.list(x) && !is.object(x) && length(x) > 0 && all(vapply(x, inherits, TRUE, "private_counts"))) {
    ldp_abort(c(
      "{.arg {arg}} is a list of releases, and must be one release.",
      i = "{.code do.call(rbind, {arg})} puts the rows of all of them into one."
    ), call = call)
  }
  if (!is.matrix(x) || !is.numeric(x) || is.object(x)) {
    kinds <- c(
      "a numeric matrix or array", "a Matrix", "a data frame of cells", "a table", "a dfm",
      "a DocumentTermMatrix", "a graph", if (arg %in% c("data", "newdata")) "a private_counts"
    )
    ldp_abort(c(
      "{.arg {arg}} must be a matrix of counts ({.or {kinds}}).",
      x = "It is {describe_type(x)}.",
      i = if (is.data.frame(x)) record_hint(call),
      i = if (is.logical(x)) "{.code {arg} + 0} makes counts of yes and no.",
      i = if (is.character(x) && is.matrix(x)) text_matrix_hint(x),
      i = if (is.numeric(x) && is.null(dim(x)) && !is.object(x)) {
        paste(
          "{.code matrix({arg}, nrow = 1)} makes a row of the counts of one record,",
          "{.code cbind({arg})} a column of one count from each of {length(x)} record{?s}."
        )
      },
      i = "All of them: {.code help(\"data-objects\")}."
    ), call = call)
  }
  if (all(names(attributes(x)) %in% c("dim", "dimnames"))) {
    return(x)
  }
  `attributes<-`(x, list(dim = dim(x), dimnames = dimnames(x)))
}

# Of a matrix of text: edges or cells, or numbers.
text_matrix_hint <- function(x) {
  if (ncol(x) %in% 2:3 && !all(grepl("^ *-?[0-9]+ *$", x))) {
    paste(
      "If its rows are edges or cells, make a data frame of it with {.fn as.data.frame}:",
      "its labels must be factors with all labels as levels, its counts, if any, numbers in the last column."
    )
  } else {
    paste(
      "{.code mode({arg}) <- \"numeric\"} makes numbers of text. If a column holds labels, give the data",
      "frame itself, and that column's name as {.code id = }."
    )
  }
}

# Without further attributes and cached factorizations.
bare_sparse <- function(x) {
  methods::new("dgCMatrix", i = x@i, p = x@p, x = x@x, Dim = x@Dim, Dimnames = x@Dimnames)
}

# Whole numbers and NA only; not below zero unless `signed`.
#' @srrstats {UL1.1} what is not counts is refused by name.
#' @srrstats {G2.16} infinite values and NaN are errors.
check_counts <- function(x, arg, call = rlang::caller_env(), signed = FALSE) {
  values <- stored_values(x)
  complain <- function(problem, bad, hint = NULL) {
    where <- where_bad(x, bad)
    ldp_abort(c(
      "{.arg {arg}} must hold counts, and has {problem}.", x = if (!is.null(where)) "{where}", i = hint
    ), call = call)
  }
  if (is.double(values)) {
    unbounded <- is.infinite(values) | is.nan(values)
    if (any(unbounded)) complain("infinite values or NaN", unbounded)
    if (!all(is_whole(values), na.rm = TRUE)) {
      complain("values that are not whole numbers", !is_whole(values))
    }
    values <- round(values)
    if (is_sparse(x)) x@x <- values else x[] <- values
  }
  if (!signed && any(values < 0, na.rm = TRUE)) {
    complain("negative values", values < 0, paste(
      "If they are noised, say so: {.fn private_counts}.",
      "If they are codes of missing answers, as in surveys, make them {.code NA} first."
    ))
  }
  # true counts as far as privatize() takes them; releases as far as doubles count
  if (!signed && any(values > .Machine$integer.max, na.rm = TRUE)) {
    complain("values above 2^31 - 1", values > .Machine$integer.max)
  }
  if (signed && any(abs(values) > 2^53, na.rm = TRUE)) {
    complain("values beyond 2^53", abs(values) > 2^53)
  }
  x
}

# Which labelled columns of counts have values that are `bad`, in words; NULL where there are none.
where_bad <- function(counts, bad) {
  if (is.null(colnames(counts))) {
    return(NULL)
  }
  columns <- if (is_sparse(counts)) sparse_columns(counts) else as.vector(col(counts))
  found <- colnames(counts)[unique(columns[which(bad)])]
  paste0(
    if (length(found) == 1) "Column " else "Columns ",
    paste0("\"", utils::head(found, 5), "\"", collapse = ", "),
    if (length(found) > 5) paste(" and", length(found) - 5, "more"),
    if (length(found) == 1) " has" else " have", " such values."
  )
}

# For a data frame with a row per record.
record_hint <- function(call) {
  if (takes(call, "id")) {
    paste(
      "One row per record, and one column per item: {.code id = } names a column of labels of the rows,",
      "which become public. Without labels, if all columns are counts: {.code as.matrix({arg})}."
    )
  } else {
    "{.fn as.matrix} makes a matrix of a data frame of counts with a row per record."
  }
}

tell_empty <- function(counts, arg) {
  if (n_cells(counts) == 0) {
    cli::cli_inform("{.arg {arg}} has no cells: it is {nrow(counts)} x {ncol(counts)}.",
      class = "ldpcounts_empty"
    )
  }
}

#' @srrstats {G2.13} missing counts are looked for before any noise is drawn.
#' @srrstats {G2.14a} to noise them is an error.
check_complete <- function(counts, arg, hint = NULL, call = rlang::caller_env()) {
  if (n_missing(counts) > 0) {
    where <- where_bad(counts, is.na(stored_values(counts)))
    ldp_abort(c(
      "{.arg {arg}} must have no missing counts.", x = if (!is.null(where)) "{where}", i = hint
    ), call = call)
  }
}

# --- what claims to be a matrix -------------------------------------------------------------------

# TRUE, or what is wrong: slots of a Matrix that contradict each other make package Matrix read what is
# not there.
slots_agree <- function(x) tryCatch(methods::validObject(x, test = TRUE), error = conditionMessage)

abort_invalid <- function(x, arg, call) {
  ldp_abort("{.arg {arg}} must be a valid {.cls {class(x)[1]}}, and is not: it has been edited or damaged.",
    call = call
  )
}

check_valid_matrix <- function(x, arg, call) {
  problem <- slots_agree(x)
  if (!isTRUE(problem)) {
    ldp_abort(c("{.arg {arg}} must be a valid {.cls {class(x)[1]}}.", x = "{problem[1]}."), call = call)
  }
  check_extent_memory(dim(x), arg, call)
}

# Package slam's: a place and a value per entry.
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
  if (methods::is(x, "dgCMatrix")) {
    return(isTRUE(slots_agree(x)))
  }
  is.matrix(x) && is.numeric(x) && !is.object(x)
}

# How the columns of a table fold up into modes.
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

# --- cells that come several times ----------------------------------------------------------------

# A dgCMatrix of counts at cells, added up where a cell has several.
added_counts <- function(cells, values, dim, labels, arg, role, call) {
  check_sums(cells, values, arg, role, call)
  sparse_counts(cells, values, dim, if (length(unlist(labels)) > 0) labels)
}

# Only counts add up: halves make no whole, and two noised counts have more noise than one.
check_sums <- function(cells, values, arg, role, call) {
  again <- duplicated(cells)
  if (!any(again)) {
    return(invisible())
  }
  if (role == "release") {
    ldp_abort(c(
      "{.arg {arg}} must have every cell once.",
      x = "{sum(again)} of those that it lists come{?s/} again.",
      i = "The sum of two noised counts has not the noise that is declared."
    ), call = call)
  }
  check_counts(values, arg, call)
}
