# Converts the counts that users give, in all functions. The result is a release, or an object of class
# count_table (R/data-table.R). Records are rows; labels are kept, and so are rows and columns without counts.

#' Data types that can hold counts
#'
#' Lists the data types that all functions of this package accept as counts. Results have the labels of the
#' data. Rows are records, such as documents, senders or persons. Rows are never dropped, even if all their
#' counts are zero.
#'
#' @section Matrices, arrays and tables: A base matrix or array, a matrix of any class of package `Matrix`,
#' a `simple_triplet_matrix` of package `slam`, and the results of `table()` and `xtabs()`.
#' @section Texts: A `dfm` of package `quanteda` and a `DocumentTermMatrix` of package `tm`. A
#' `TermDocumentMatrix` has its records in columns: transpose it with `t()`. Weighted
#' matrices (tf-idf, proportions) are not counts.
#' @section Graphs: An `igraph` or a `network`; rows are senders. Several edges between the same two
#' vertices are added up. If edges have an attribute `weight`, it is the count, otherwise each edge
#' counts 1. Without a `weight`, no other attribute of the edges may be numeric, because it could be the
#' count: rename it `weight`, or delete it. An edge with weight `NA`, or that is marked as missing in a
#' `network`, is a missing count. A bipartite graph (an `igraph` with a logical vertex attribute `type`, or a
#' `network` with `bipartite`) has its first kind of vertices in rows and its second in columns, whatever the
#' direction of edges; their labels are their names or, without names, their numbers.
#'
#' As a matrix, an undirected graph contains each pair twice. [privatize()], [private_counts()] and
#' [block_model()] accept it only with `directed = FALSE`, and [topic_model()] and [tensor_model()] do not
#' accept it. With `directed = FALSE`, other objects must contain each pair in both orders, with the same
#' count. To make such a matrix from a list with one row per edge, use `m <- xtabs(count ~ from + to,
#' edges)` and `m + t(m)`.
#' @section Data frames with one row per record: Each column is an item, as in a survey with respondents in
#' rows and counts in columns. The columns are true counts, or all of them are released ([private_vector]).
#' The argument `id` of [privatize()], [private_counts()] and the models names the column with the labels of
#' the records. All other columns must hold counts: leave out columns of text, codes, ages and survey weights
#' first. Labelled columns (of package `haven`, for example) are used as numbers, and values that they declare
#' as missing as `NA`. Columns of 64-bit integers (of package `bit64`) are converted. Codes of missing
#' answers, such as -9 or 999, are not counts: replace them by `NA` first.
#'
#' Numbers that identify people would identify them even after noise was added. So there is an error for a
#' column without zeros of a data frame that is called `id`, `person_id`, `caseid` or the like. In a matrix,
#' where a column may have any word as its name, [privatize()] issues a warning of class `ldpcounts_key`
#' instead.
#'
#' @section Vectors: For [privatize()] and [private_counts()], a vector without names has one count per
#' person, and the result is a [private_vector]. A named vector, or a one-dimensional `table()`, has the
#' counts of one person, and is treated as a matrix with one row; a message of class `ldpcounts_one_record`
#' says so.
#' @section Data frames with one row per cell: The argument `dims` names the columns of the modes, as in `dims
#' = c("document", "term")`. (The modes of a table are its dimensions: rows, columns and so on.) The one other
#' numeric column is the count; if each row counts 1, add a column of ones. Columns that are not numeric play
#' no part. Examples are `document`, `term`, `n`, as returned by `tidytext` or `dplyr::count()`, and a list of
#' edges with columns `from`, `to`, `count`. A cell that is not listed is zero, but in [private_counts()] the
#' argument `fill` says what it is: among noised counts, it is most likely a cell that nobody observed. If a
#' cell is listed several times, its true counts are added up, and [privatize()] issues a message of class
#' `ldpcounts_added`.
#'
#' The column of a mode is a factor whose levels are all possible labels. A network needs the same levels in
#' both columns. If columns hold whole numbers, `dims` gives the extents (the numbers of indices) of all
#' modes: `dims = c(document = 20, term = 500)`. Extents without names belong to the first columns. Models of
#' true counts, where nothing is private, and [private_counts()], whose labels are public already, also accept
#' text. A message of class `ldpcounts_labels_seen` then says that rows and columns without a listed cell are
#' left out.
#'
#' Functions without `dims`, such as [mae()] and [heat_map()], accept the table that `xtabs(count ~ row +
#' column, data)` makes. The result of `as.data.frame()` of a release does not hold true counts, and is an
#' error.
#'
#' In [private_counts()], no cell may be listed twice in a data frame, a graph or a sparse matrix of triplets,
#' because the sum of two noised counts does not have the noise distribution that is declared. In a table or a
#' matrix of noised counts, a zero may stand for a cell that nobody observed: `xtabs()` and `table()` do not
#' tell the two apart. Use the data frame from which the table was made, or set such cells to `NA`.
#' @section What becomes public: The rows and columns of a release and their labels are public, whatever
#' object it was made from. If all names of columns are numbers (in a matrix, if they are not consecutive),
#' [privatize()] stops with an error: they could be the counts of the first record, if a file without a line
#' of names was read as if it had one. Names must not depend on the counts: a vocabulary collected from secret
#' texts reveals which words are in them. Fix the labels beforehand: by the levels of factors, the argument
#' `vertices` of `igraph::graph_from_data_frame()`, the `dictionary` of `tm::DocumentTermMatrix()`, or
#' `quanteda::dfm_match()`.
#' @section Errors: All these functions stop with an error of class `ldpcounts_error` for other objects, and
#'   for objects whose package is not installed. The messages say what to do.
#' @examples
#' # words of three documents, one of which has none
#' words <- data.frame(
#'   document = factor(c("a", "a", "c"), levels = c("a", "b", "c")),
#'   term = factor(c("tax", "job", "tax"), levels = c("job", "tax", "war")),
#'   n = c(2, 1, 4)
#' )
#' as.matrix(privatize(words, epsilon = 1, dims = c("document", "term")))
#' # messages between four people, one of whom has none
#' people <- c("ann", "bob", "cat", "dan")
#' messages <- data.frame(
#'   from = factor(c("ann", "bob"), people), to = factor(c("bob", "cat"), people), weight = c(2, 1)
#' )
#' as.matrix(privatize(messages, epsilon = 1, dims = c("from", "to")))
#' if (requireNamespace("igraph", quietly = TRUE)) {
#'   graph <- igraph::graph_from_data_frame(messages, vertices = people)
#'   as.matrix(privatize(graph, epsilon = 1))
#' }
#' privatize(table(mtcars$gear, mtcars$cyl), epsilon = 1)
#' # answers of three people, and of one
#' answers <- data.frame(person = c("ann", "bob", "cat"), calls = c(3, 1, 0), mails = c(0, 5, 2))
#' privatize(answers, epsilon = 1, id = "person")
#' privatize(c(calls = 3, mails = 0), epsilon = 1)
#' # counts that were noised elsewhere
#' private_counts(matrix(c(2, -1, 0, 3), 2), epsilon = 1)
#' @name data-objects
NULL

# Converts what users give as counts: returns a release unchanged, and everything else as a count_table
# (R/data-table.R), whose counts are not checked yet. A count_table is not converted again. Other information
# in the object (such as that of a dfm about its documents) is dropped.
#
#   id, dims   of a data frame, the column of labels or the modes; see R/data-frames.R
#   directed   does the caller treat every cell as a separate count? FALSE if it treats the two cells of a
#              pair as one count, NA if it accepts both
#   role       "truth": true counts to be looked at; "secret": true counts to be noised, whose labels
#              become public; "release": noised counts; "shown": any numbers
#   fill       for a release: what is in the cells that a data frame does not list, 0 or NA
given_counts <- function(x, arg, id = NULL, dims = NULL, directed = NA, role = "truth", fill = NULL,
                         call = rlang::caller_env()) {
  refuse_formula(x, arg, call)
  check_that(!is_shards(x), c(
    "{.arg {arg}} must be counts in memory, but it is a {.cls release_shards}, which names files.",
    i = "{.fn topic_model} accepts files, with {.code inference = \"svi\"} or with a {.arg cluster}.",
    i = "{.code do.call(rbind, lapply(files, read_release))} reads files of moderate size into memory."
  ), call)
  check_layout(x, arg, id, dims, call)
  if (is.null(dims)) x <- as_release(x, arg, id, call)
  if (inherits(x, "count_table") && !is_count_table(x)) abort_invalid(x, arg, call)
  if (is_release(x) || inherits(x, "count_table")) {
    return(x)
  }
  public <- role %in% c("secret", "release")
  counts <- if (is.data.frame(x)) {
    frame_counts(x, arg, id, dims, role, fill, call)
  } else if (inherits(x, c("igraph", "network"))) {
    graph_counts(x, arg, directed, role, call)
  } else if (inherits(x, "simple_triplet_matrix")) {
    triplet_counts(x, arg, role, call)
  } else if (methods::is(x, "Matrix")) {
    check_valid_matrix(x, arg, call)
    if (methods::is(x, "TsparseMatrix")) check_sums(cbind(x@i, x@j), x@x, arg, role, call)
    if (is_sparse(x)) bare_sparse(as_sparse(x)) else as_dense(methods::as(x, "dMatrix"), arg, call)
  } else if (public && is_count_vector(x)) {
    matrix(plain_column(x))
  } else if (is_one_record(x)) {
    tell_if(public, c(
      "{.arg {arg}} is treated as the counts of one record, a matrix with one row.",
      i = "If it has one count from each of several records, use {.code unname({arg})}."
    ), "ldpcounts_one_record")
    matrix(x, 1, dimnames = list(NULL, names(x)))
  } else if (inherits(x, "table") && !is.null(dim(x))) {
    if (public) tell_occurring(x, arg)
    array(x, dim(x), dimnames(x))
  } else {
    x
  }
  if (is.array(counts) && is.numeric(counts) && role != "shown") check_no_margins(counts, arg, call)
  # the names of a table are values of a variable, and those of a data frame have been checked
  named <- (is.matrix(counts) || is_sparse(counts)) && !inherits(x, c("table", "data.frame"))
  if (role == "secret" && named && is.matrix(counts)) check_header(colnames(counts), arg, call)
  if (role != "shown" && named) check_different(colnames(counts), arg, call)
  if (inherits(counts, "count_table")) {
    counts
  } else if (is.array(counts) && is.numeric(counts) && !is.object(counts) && length(dim(counts)) > 2) {
    table_of_array(counts, arg, call)
  } else {
    new_count_table(as_plain_matrix(counts, arg, call))
  }
}

# A base matrix or a dgCMatrix of numbers, without further attributes.
as_plain_matrix <- function(x, arg, call) {
  if (is_sparse(x)) {
    return(x)
  }
  check_that(is_numeric_matrix(x), c(
    "{.arg {arg}} must be a matrix of counts, or another object that {.code help(\"data-objects\")} lists.",
    x = "It is {describe_type(x)}.",
    i = if (is.list(x)) "{.code do.call(rbind, {arg})} combines the rows of a list of releases.",
    i = if (is.numeric(x) && is.null(dim(x)) && !is.object(x)) {
      "For the counts of one record, use {.code matrix({arg}, nrow = 1)}. For one count from each of
       {length(x)} record{?s}, use {.code cbind({arg})}."
    }
  ), call)
  plain <- list(dim = dim(x), dimnames = dimnames(x))
  if (all(names(attributes(x)) %in% names(plain))) x else `attributes<-`(x, plain)
}

# --- Matrix, slam and tm --------------------------------------------------------------------------

# Sparse matrices of packages slam and tm. The classes of tm tell whether documents are in rows.
triplet_counts <- function(x, arg, role, call) {
  check_that(!inherits(x, "TermDocumentMatrix"), c(
    "{.arg {arg}} must have documents in rows, but is a TermDocumentMatrix.",
    i = "Transpose it: {.code t({arg})}."
  ), call)
  check_that(is.numeric(x$v) || is.logical(x$v),
    "{.arg {arg}} must hold counts, but its values are of type {typeof(x$v)}.", call
  )
  refuse <- function(...) abort_invalid(x, arg, call)
  if (length(unique(lengths(unclass(x)[c("i", "j", "v")]))) > 1) refuse()
  dim <- c(x$nrow, x$ncol)
  explain_failure(check_extent_memory(dim, arg, call), refuse)
  explain_failure(added_counts(cbind(x$i, x$j), x$v, dim, x$dimnames, arg, role, call), refuse)
}

# --- tables and vectors ---------------------------------------------------------------------------

# A vector without names has one count per record. (Columns of some packages have a class.)
is_count_vector <- function(x) {
  is.atomic(x) && is.null(dim(x)) && is.null(names(x)) && is_plain_numeric(plain_column(x))
}

# A named vector, or a table of one variable, has the counts of one record.
is_one_record <- function(x) {
  is.numeric(x) && length(dim(x)) < 2 && (!is.object(x) || inherits(x, "table")) && !is.null(names(x))
}

# A table of labels that all occur was perhaps made from text: then people without counts have no row.
tell_occurring <- function(x, arg) {
  occurs <- vapply(seq_along(dim(x)), function(mode) all(apply(x, mode, sum) > 0), TRUE)
  tell_if(length(dim(x)) > 1 && all(occurs), c(
    "{.arg {arg}} is a table in which each row and column has a count.",
    i = "A label that did not occur is not in it. To include it, make the table from factors with all levels."
  ), "ldpcounts_labels_seen")
}

# An error for the sums that addmargins() adds, because these would be further counts of the same people.
check_no_margins <- function(x, arg, call) {
  for (mode in seq_along(dim(x))) {
    n <- dim(x)[mode]
    each <- matrix(aperm(x, c(mode, seq_along(dim(x))[-mode])), n)
    sums <- n > 1 && identical(dimnames(x)[[mode]][n], "Sum") && isTRUE(all(2 * each[n, ] == colSums(each)))
    check_that(!sums, c(
      "{.arg {arg}} must not have margins, but the last index of mode {mode}, {.val Sum}, holds sums.",
      i = "Do not use {.fn addmargins}: a sum counts the same people again. Add up the results instead."
    ), call)
  }
}
