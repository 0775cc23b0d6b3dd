# The front door of every function that takes counts: what users give becomes a matrix or a table here.
# It goes on as one class, count_table (R/data-table.R), or as the release that it is. Records are rows,
# labels stay, and so do rows and columns without a count.

#' Counts in the objects that you have
#'
#' Every function of this package that takes counts takes them in any of these objects, and every result
#' has their labels. Rows are records: documents, senders, persons. None is ever dropped, also where it
#' has no count.
#'
#' @section Matrices, arrays and tables:
#' A base matrix or array, a matrix of any class of package `Matrix`, a `simple_triplet_matrix` of package
#' `slam`, and what `table()` and `xtabs()` make.
#' @section Texts:
#' A `dfm` of package `quanteda` and a `DocumentTermMatrix` of package `tm`. A `TermDocumentMatrix` has its
#' records in columns, so it is refused: take `t()` of it. Weighted matrices (tf-idf, shares) hold no
#' counts.
#' @section Graphs:
#' An `igraph` or a `network`, senders in rows. Several edges between two vertices add up. Where edges
#' have an attribute `weight`, it is the count, else each edge counts 1; an edge whose weight is `NA`, or
#' which a `network` has as missing, is a missing count. In a graph with two kinds of vertices (a logical
#' vertex attribute `type` of an `igraph`, `bipartite` of a `network`) the first kind is in rows, the
#' second in columns, and edges go both ways; vertices without names have their numbers for labels.
#'
#' An undirected graph has each of its pairs twice in a matrix. [privatize()], [private_counts()] and
#' [block_model()] take it with `directed = FALSE` only, and models of tables do not take it. Other objects
#' have then each pair in both orders, with one count: of edges that are listed once, `m <- xtabs(count ~
#' from + to, edges)` and `m + t(m)` make that.
#' @section Data frames with one row per record:
#' One column per item, as in a survey: respondents in rows, counts in the numeric columns. The argument `id`
#' of [privatize()], [private_counts()] and [topic_model()] names the column of their labels. Other columns
#' that are not numeric are left out. A message of class `ldpcounts_wide` names them and the columns of
#' counts. Leave out codes, ages and survey weights before, which are numbers as well. Labelled columns (of
#' package `haven`, say) are taken by their numbers. Without `id` a data frame is taken so if it has at least
#' three numeric columns, and the last column is not called `n`, `count`, `weight` or the like; of fewer use
#' `id`, or `as.matrix()`.
#'
#' Columns that are not what they should be are errors:
#' * A numeric column that identifies the rows: its values, slightly noised, would still identify people. That
#'   is a column that is called `id`, `person_id`, `caseid` or the like and has no zeros; a first column of 1,
#'   2, and so on; or a column of at least 20 different whole numbers that increase from row to row, have no
#'   gaps, or are called `respondent`, `case`, `number`, `key` or the like. Name it in `id`, or leave it out.
#'   Counts that look so can be given as a matrix. Of a matrix, [privatize()] noises a column called `id` or
#'   the like, with a warning of class `ldpcounts_key`.
#' * A text or a factor that holds numbers only: convert it if it holds counts, otherwise leave it out. Where
#'   all columns are so, they may also be labels of cells, each of which counts 1: add a column of counts.
#'
#' Codes of missing answers, such as -9 or 999, are no counts: make them `NA` first. (Negative ones are
#' errors; others cannot be distinguished from counts.)
#'
#' The counts of one person are a named vector, or what `table()` makes of their words: a matrix of one row.
#' Where noise is added or declared, a message of class `ldpcounts_one_record` says so. One count from each of
#' several persons is a matrix of one column: `cbind(y)`.
#' @section Data frames of cells:
#' A row per cell, a column for each mode, and last the count, as in what `tidytext` and
#' `dplyr::count()` make, or in a list of edges: `document`, `term`, `n`, or `from`, `to`, `count`. A cell
#' that is not listed is zero, and one that is listed several times has the sum, of which a message of class
#' `ldpcounts_added` says so. Without a last column
#' of numbers (or if there are but two columns) each row counts 1.
#'
#' Each mode is a factor, whose levels are all labels that there might be; or it holds whole numbers, and the
#' argument `dims` says their extents. A message of class `ldpcounts_modes` names the modes where they are
#' more than two: a column that only groups another one is no mode, and must be left out. A network needs the
#' same levels in both columns; the message also names two modes that share some of their labels and not
#' all. Models of true counts, which are not private, also take text; a message of class
#' `ldpcounts_labels_seen` then says that rows and columns that are not listed are left out.
#'
#' A matrix with the numbers of two actors in each row, such as `igraph::as_edgelist()` makes, is no matrix of
#' counts, nor are numbers in columns that are called `from` and `to`, `source` and `target` or the like:
#' [privatize()] refuses what looks so. Use the graph itself, or a data frame of cells. A data frame that
#' `as.data.frame()` made of a release holds no true counts, and is refused.
#'
#' In [private_counts()] no cell may be listed twice, in a data frame or a graph: the sum of two noised
#' counts does not have the noise that is declared.
#' @section What becomes public:
#' A release is public with its rows, its columns and their labels, whatever object it was made of. So they
#' must not depend on the counts: a vocabulary that was gathered from secret texts says which words are in
#' them. Fix it beforehand: levels of factors, `vertices` of `igraph::graph_from_data_frame()`, the
#' `dictionary` of `tm::DocumentTermMatrix()`, `quanteda::dfm_match()`.
#' @section Errors: of class `ldpcounts_error` for what is none of these, and for objects whose package is
#'   not installed. All say what to do.
#' @examples
#' # words of three documents, one of which has none
#' words <- data.frame(
#'   document = factor(c("a", "a", "c"), levels = c("a", "b", "c")),
#'   term = factor(c("tax", "job", "tax"), levels = c("job", "tax", "war")),
#'   n = c(2, 1, 4)
#' )
#' as.matrix(privatize(words, epsilon = 1))
#' # messages between four people, one of whom has none
#' people <- c("ann", "bob", "cat", "dan")
#' messages <- data.frame(
#'   from = factor(c("ann", "ann", "bob"), people), to = factor(c("bob", "bob", "cat"), people)
#' )
#' as.matrix(privatize(messages, epsilon = 1))
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
#' @srrstats {G2.7} base, Matrix, slam, tm, quanteda, igraph, network, table and data frames of cells.
#' @srrstats {BS1.1} how true and noised counts are given, in words and code.
#' @srrstats {UL1.0} what is taken and what is refused.
#' @srrstats {G2.4} conversions are this first step; a few kinds come out of it.
#' @name data-objects
NULL

# What users give for counts: a release as it is, all else as a count_table (R/data-table.R), not checked yet.
# A count_table stays as it is, so that nothing is converted twice. What objects know beside the counts (a dfm
# of its documents, say) stays behind.
#
#   directed   does the caller take every cell for a count of its own? FALSE if it takes pairs, NA if
#              it takes both
#   role       "truth": true counts to be looked at; "secret": true counts to be noised, whose labels
#              become public; "release": noised counts; "shown": any numbers
#   id         of a data frame with one row per record, the name of the column of labels, or NULL
given_counts <- function(x, arg, dims = NULL, directed = NA, role = "truth", id = NULL,
                         call = rlang::caller_env()) {
  check_that(is.null(dims) || is.data.frame(x), c(
    "{.arg dims} is for a data frame of cells, with the numbers of each in its columns.",
    x = "{.arg {arg}} is {describe_type(x)}."
  ), call)
  refuse_formula(x, arg, call)
  id <- given_id(id, arg, call)
  if (is.data.frame(x)) x <- plain_columns(x, arg, call)
  if (!is.null(id)) check_id(id, x, arg, dims, call)
  if (is_release(x)) {
    return(x)
  }
  if (inherits(x, "count_table") && !is_count_table(x)) abort_invalid(x, arg, call)
  x <- if (is.null(dims) && is_wide(x, id)) {
    wide_counts(x, arg, id, call)
  } else if (is_list_of_cells(x, dims)) {
    if (is.null(dims) && !is_pair_of_ends(names(x))) check_no_numbers_as_text(x, arg, call, all = TRUE)
    listed_counts(x, arg, dims, role, call)
  } else if (inherits(x, c("igraph", "network"))) {
    graph_counts(x, arg, directed, role, call)
  } else if (inherits(x, "simple_triplet_matrix")) {
    triplet_counts(x, arg, call)
  } else if (is_one_record(x)) {
    if (is_public(role)) tell_one_record(arg)
    matrix(x, 1, dimnames = list(NULL, names(x)))
  } else if (inherits(x, "table")) {
    if (is.null(dim(x))) unclass(x) else array(x, dim(x), dimnames(x))
  } else if (methods::is(x, "Matrix")) {
    check_valid_matrix(x, arg, call)
    if (is_sparse(x)) bare_sparse(as_sparse(x)) else as_dense(methods::as(x, "dMatrix"), arg, call)
  } else {
    x
  }
  if (is.array(x) && is.numeric(x) && role != "shown") check_no_margins(x, arg, call)
  if (inherits(x, "count_table")) {
    x
  } else if (is_tensor_array(x)) {
    table_of_array(x, arg, call)
  } else {
    new_count_table(as_plain_matrix(x, arg, call))
  }
}

# A data frame without labelled columns (of package haven, say), which are taken by their numbers.
plain_columns <- function(x, arg, call) {
  if (any(vapply(x, NROW, 0) != nrow(x))) abort_invalid(x, arg, call)
  # what as.data.frame() makes of a release
  check_that(!all(c("y_tilde", "alpha") %in% names(x)), c(
    "{.arg {arg}} must not be a data frame of released counts, with columns {.val y_tilde} and {.val alpha}.",
    i = "Use the release itself, of which {.fn as.data.frame} made it.",
    i = paste(
      "If only the data frame is left, make factors of its columns of text, leave out all but these, the",
      "numbers of rows and columns, and {.val y_tilde}, and declare the extents and the noise:",
      "{.code private_counts({arg}, dims = , alpha = )}."
    )
  ), call)
  labelled <- vapply(x, inherits, TRUE, c("labelled", "haven_labelled"))
  x[labelled] <- lapply(x[labelled], function(column) as.vector(unclass(column)))
  x
}

# The sums that addmargins() adds would be further counts of the same people.
check_no_margins <- function(x, arg, call) {
  modes <- seq_along(dim(x))
  has_sums <- function(mode) {
    n <- dim(x)[mode]
    each <- matrix(aperm(x, c(mode, modes[-mode])), n)
    identical(dimnames(x)[[mode]][n], "Sum") && isTRUE(all(colSums(each[-n, , drop = FALSE]) == each[n, ]))
  }
  sums <- Filter(has_sums, modes[dim(x) > 1])
  where <- if (length(modes) == 2) c("row", "column")[sums] else paste("index of mode", sums)
  check_that(length(sums) == 0, c(
    "{.arg {arg}} must have no margins: its last {where}, {.val Sum}, {cli::qty(where)}hold{?s/} sums.",
    i = "Leave out {.fn addmargins}, and add up the results: a sum is a second count of the same people."
  ), call)
}

# --- documents ------------------------------------------------------------------------------------

# Package slam's, and tm's, whose classes say what is in rows.
triplet_counts <- function(x, arg, call) {
  check_that(!inherits(x, "TermDocumentMatrix"), c(
    "{.arg {arg}} must have documents in rows, and is a TermDocumentMatrix.",
    i = "{.code t({arg})} has them in rows."
  ), call)
  check_that(is.numeric(x$v) || is.logical(x$v),
    "{.arg {arg}} must hold counts, and its values are of type {typeof(x$v)}.", call
  )
  check_valid_triplet(x, arg, call)
  sparse_counts(cbind(x$i, x$j), x$v, c(x$nrow, x$ncol), x$dimnames)
}
