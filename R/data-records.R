# Records: a data frame with one row per person or document, and one column per item.

tell_one_record <- function(arg) {
  cli::cli_inform(c(
    "{.arg {arg}} is treated as the counts of one record, a matrix with one row.",
    i = "If it has one count from each of several records, use {.code cbind({arg})}: records are rows."
  ), class = "ldpcounts_one_record")
}

# An error if `id` cannot be evaluated, probably because the name of a column was given without quotes.
given_id <- function(id, arg, call) {
  tryCatch(id, error = function(failure) {
    ldp_abort("{.arg id} must be the name of a column of {.arg {arg}}, in quotes: {.code id = \"person\"}.",
      call = call
    )
  })
}

# --- records --------------------------------------------------------------------------------------

# Is this a named vector, with the counts of one record?
is_one_record <- function(x) {
  is.numeric(x) && length(dim(x)) < 2 && (!is.object(x) || inherits(x, "table")) && !is.null(names(x))
}

# Is this a data frame with one row per record, and one column per item? A list of cells has fewer numeric
# columns, or a last column called `count` or the like.
is_wide <- function(x, id = NULL) {
  is.data.frame(x) &&
    (!is.null(id) || (sum(vapply(x, is_plain_numeric, TRUE)) >= 3 && !has_count_last(x)))
}

has_count_last <- function(x) tolower(utils::tail(c("", names(x)), 1)) %in% COUNT_NAMES

COUNT_NAMES <- c("n", "count", "counts", "freq", "frequency", "weight", "value", "total", "y", "y_tilde")

check_id <- function(id, x, arg, dims, call) {
  check_that(is.null(dims), c(
    "Give at most one of {.arg id} and {.arg dims}.",
    i = "Use {.arg id} if the data frame has one row per record, {.arg dims} if it has one row per cell."
  ), call)
  check_that(is.data.frame(x), c(
    "{.arg id} is only for a data frame with one row per record.",
    x = "{.arg {arg}} is {describe_type(x)}."
  ), call)
  if (!rlang::is_string(id) || !id %in% names(x) || !is.atomic(x[[id]]) || !is.null(dim(x[[id]]))) {
    abort_argument(id, "id", paste0("the name of a column of `", arg, "`, in quotes"), call)
  }
  missing <- anyNA(x[[id]])
  check_that(!missing && !anyDuplicated(x[[id]]), c(
    "{.arg {arg}} must have a different label in each row of column {.val {id}}.",
    x = if (missing) "Some labels are missing." else "Some labels are duplicated.",
    i = "If a record has several rows, add them up first with {.fn rowsum}."
  ), call)
}

wide_counts <- function(x, arg, id, role, call) {
  items <- which(vapply(x, is_plain_numeric, TRUE) & !names(x) %in% id)
  columns <- lapply(items, function(j) as.double(x[[j]]))
  own <- attr(x, "row.names")
  labels <- if (!is.null(id)) as_labels(x[[id]]) else if (is.character(own)) own
  labels <- list(labels, names(x)[items])
  table <- matrix(as.double(unlist(columns)), nrow(x), length(items), dimnames = labels)
  check_no_numbers_as_text(x[!names(x) %in% id], arg, call)
  if (role == "secret") check_header(names(x)[items], arg, call, numbers_allowed = FALSE)
  again <- unique(names(x)[items][duplicated(names(x)[items])])
  check_that(length(again) == 0, c(
    "The columns of counts in {.arg {arg}} must have different names.",
    x = "Several are called {.val {again[1]}}."
  ), call)
  if (is_edge_list(table)) abort_edge_list(arg, call)
  check_items(columns, names(x)[items], arg, id, call)
  tell_wide(names(x)[items], setdiff(names(x), c(names(x)[items], id)), arg, id, call)
  table
}

# An error for columns of text with numbers: text is left out, so counts would be missing from the release.
# With `all`, an error only if all columns are of this kind, because otherwise they are labels of cells.
check_no_numbers_as_text <- function(x, arg, call, all = FALSE) {
  found <- names(x)[vapply(x, holds_numbers_as_text, TRUE)]
  n <- length(found)
  column <- paste0(arg, "[[\"", found[1], "\"]]")
  check_that(n == 0 || (all && n < ncol(x)), c(
    "{cli::qty(n)}Column{?s} {.val {found}} of {.arg {arg}} {cli::qty(n)}hold{?s/} numbers as text.",
    i = "If these are counts, convert them: {.code {column} <- as.integer(as.character({column}))}.",
    i = if (all) {
      "If they are labels of cells and each row counts 1, add a column of counts: {.code {arg}$n <- 1}."
    } else {
      "If they are labels, leave them out: {.code {column} <- NULL}."
    },
    i = if (takes(call, "id")) "{.code id = } names the column with the labels of rows, which become public."
  ), call)
}

holds_numbers_as_text <- function(x) {
  text <- if (has_labels(x)) as.character(x)
  text <- text[!is.na(text) & nzchar(trimws(text))]
  length(text) > 0 && !anyNA(suppressWarnings(as.numeric(text)))
}

check_items <- function(columns, names, arg, id, call) {
  check_that(length(columns) > 0, "{.arg {arg}} must have a column of counts, but none is numeric.", call)
  keys <- names[mapply(is_key, columns, names, is.null(id) & seq_along(columns) == 1)]
  check_that(length(keys) == 0, c(
    "Column {.val {keys[1]}} of {.arg {arg}} seems to identify the rows, not to hold counts.",
    i = if (is.null(id) && takes(call, "id")) {
      "To use it as the labels of the rows, which become public: {.code id = {.val {keys[1]}}}."
    },
    i = "To leave it out: {.code {arg}[[{.val {keys[1]}}]] <- NULL}.",
    i = "If it holds counts, convert the columns of counts to a matrix with {.fn as.matrix}."
  ), call)
}

# Does a numeric column identify the rows? Counts in a column with such a name usually include zeros. Counts
# that all differ usually have gaps, and are not sorted. `first`: is it the first column, which often has row
# numbers?
is_key <- function(x, name, first) {
  x <- x[!is.na(x)]
  distinct <- length(x) >= FEWEST_KEYS && !anyDuplicated(x)
  length(x) > 0 && all(is.finite(x) & is_whole(x)) && (
    (has_id_name(name) && all(x > 0)) ||
      (first && length(x) > 2 && all(x == seq_along(x))) ||
      (distinct && (!is.unsorted(x) || max(x) - min(x) < length(x) ||
        grepl(KEY_NAME, name, ignore.case = TRUE)))
  )
}

has_id_name <- function(name) grepl(ID_NAME, name, ignore.case = TRUE) | grepl("[a-z]I[dD]$", name)

FEWEST_KEYS <- 20
ID_NAME <- paste0(
  "(^|[^[:alpha:]])(case|hh|p|person|resp|respondent|subject|u|user)?id(no|nr|num|number|s)?",
  "([^[:alpha:]]|$)"
)
KEY_NAME <- paste0(
  "(^|[^[:alpha:]])(case|client|code|customer|household|index|key|member|no|nr|num|number|participant|",
  "patient|person|pupil|record|respondent|row|serial|student|subject|user)$"
)

# A message that lists the columns taken for counts, as codes, ages and survey weights are numeric too.
tell_wide <- function(items, others, arg, id, call) {
  cli::cli_inform(c(
    "{.arg {arg}} is treated as a table with one row per record, and these columns of counts: {items}.",
    i = if (length(others) > 0) "Left out, because they are not numeric: {others}.",
    i = if (is.null(id) && takes(call, "id")) "{.code id = } names the column with the labels of the rows."
  ), class = "ldpcounts_wide")
}
