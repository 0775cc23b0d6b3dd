# The first step through the front door (R/cells.R): of the objects that people have, those that are no
# matrices as this package knows them become matrices here, and nowhere else. Records are rows, labels
# stay, and so do rows and columns without a count.

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
#' * A numeric column that identifies the rows: its values, slightly noised, would still tell who is who. That
#'   is a column that is called `id`, `person_id`, `caseid` or the like and has no zeros; a first column of 1,
#'   2, and so on; or a column of at least 20 different whole numbers that increase from row to row, have no
#'   gaps, or are called `respondent`, `case`, `number`, `key` or the like. Name it in `id`, or leave it out.
#'   Counts that look so can be given as a matrix. Of a matrix, [privatize()] noises a column called `id` or
#'   the like, with a warning of class `ldpcounts_key`.
#' * A text or a factor that holds numbers only: convert it if it holds counts, otherwise leave it out. Where
#'   all columns are so, they may also be labels of cells, each of which counts 1: add a column of counts.
#'
#' Codes of missing answers, such as -9 or 999, are no counts: make them `NA` first. (Negative ones are
#' errors; others cannot be told from counts.)
#'
#' The counts of one person are a named vector, or what `table()` makes of their words: a matrix of one row.
#' Where noise is added or declared, a message of class `ldpcounts_one_record` says so. One count from each of
#' several persons is a matrix of one column: `cbind(y)`.
#' @section Data frames of cells:
#' A row per cell, a column for each mode, and last the count, as in what `tidytext` and
#' `dplyr::count()` make, or in a list of edges: `document`, `term`, `n`, or `from`, `to`, `count`. A cell
#' that is not listed is zero, and one that is listed several times has the sum, of which a message of class
#' `ldpcounts_added` tells. Without a last column
#' of numbers (or if there are but two columns) each row counts 1.
#'
#' Each mode is a factor, whose levels are all labels that there might be; or it holds whole numbers, and the
#' argument `dims` says their extents. A message of class `ldpcounts_modes` names the modes where they are
#' more than two: a column that only groups another one is no mode, and must be left out. A network needs the
#' same levels in both columns; the message also tells of two modes that share some of their labels and not
#' all. Models of true counts, which are not private, also take text, and tell (a message of class
#' `ldpcounts_labels_seen`) that rows and columns that are not listed are left out.
#'
#' A matrix with the numbers of two actors in each row, such as `igraph::as_edgelist()` makes, is no matrix of
#' counts, nor are numbers in columns that are called `from` and `to`, `source` and `target` or the like:
#' [privatize()] refuses what looks so. Use the graph itself, or a data frame of cells. A data frame that
#' `as.data.frame()` made of a release holds no true counts, and is refused.
#'
#' In [private_counts()] no cell may be listed twice, in a data frame or a graph: the sum of two noised
#' counts has not the noise that is declared.
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
#'   term = factor(c("tax", "law", "tax"), levels = c("law", "tax", "war")),
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

# What users give for counts, as a private_counts, a base matrix or array, a dgCMatrix or, of more than two
# modes listed in a data frame, a count_table; what is none of these as it is, for as_table() to refuse.
# What objects know beside the counts (a dfm of its documents, say) stays behind.
#
#   directed   does the caller take every cell for a count of its own? FALSE if it takes pairs, NA if
#              it takes both
#   role       "truth": true counts to be looked at; "secret": true counts to be noised, whose labels
#              become public; "release": noised counts
#   id         of a data frame with one row per record, the name of the column of labels, or NULL
given_counts <- function(x, arg, dims = NULL, directed = NA, role = "truth", id = NULL,
                         call = rlang::caller_env()) {
  if (!is.null(dims) && !is.data.frame(x)) {
    ldp_abort(c(
      "{.arg dims} is for a data frame of cells, with the numbers of each in its columns.",
      x = "{.arg {arg}} is {describe_type(x)}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (is.data.frame(x) && any(vapply(x, NROW, 0) != nrow(x))) {
    abort_invalid(x, arg, call)
  }
  refuse_formula(x, arg, call)
  id <- given_id(id, arg, call)
  if (is.data.frame(x)) {
    labelled <- vapply(x, inherits, TRUE, c("labelled", "haven_labelled"))
    x[labelled] <- lapply(x[labelled], function(column) as.vector(unclass(column)))
  }
  if (is.data.frame(x) && all(c("y_tilde", "alpha") %in% names(x))) abort_data_of_release(x, arg, call)
  if (!is.null(id)) check_id(id, x, arg, dims, call)
  if (is.null(dims) && is_wide(x, id)) {
    wide_counts(x, arg, id, call)
  } else if (is_list_of_cells(x, dims)) {
    if (is.null(dims) && !is_pair_of_ends(names(x))) check_no_numbers_as_text(x, arg, call, all = TRUE)
    listed_counts(x, arg, dims, role, call)
  } else if (inherits(x, c("igraph", "network"))) {
    graph_counts(x, arg, directed, role, call)
  } else if (inherits(x, "simple_triplet_matrix")) {
    triplet_counts(x, arg, call)
  } else if (is_one_record(x)) {
    if (role != "truth") tell_one_record(arg)
    matrix(x, 1, dimnames = list(NULL, names(x)))
  } else if (inherits(x, "table")) {
    if (is.null(dim(x))) unclass(x) else array(x, dim(x), dimnames(x))
  } else if (inherits(x, "count_table") && !is_count_table(x)) {
    abort_invalid(x, arg, call)
  } else if (methods::is(x, "Matrix")) {
    check_valid_matrix(x, arg, call)
    if (is_sparse(x)) bare_sparse(as_sparse(x)) else as_dense(methods::as(x, "dMatrix"), arg, call)
  } else {
    x
  }
}

# What as.data.frame() makes of a release.
abort_data_of_release <- function(x, arg, call) {
  ldp_abort(c(
    "{.arg {arg}} must not be a data frame of released counts, with columns {.val y_tilde} and {.val alpha}.",
    i = "Use the release itself, of which {.fn as.data.frame} made it.",
    i = paste(
      "If only the data frame is left, declare its noise:",
      "{.code private_counts({arg}[names({arg}) != \"alpha\"], alpha = )}."
    )
  ), class = "ldpcounts_argument_error", call = call)
}

# --- records --------------------------------------------------------------------------------------

# The named counts of one record.
is_one_record <- function(x) {
  is.numeric(x) && length(dim(x)) < 2 && (!is.object(x) || inherits(x, "table")) && !is.null(names(x))
}

tell_one_record <- function(arg) {
  cli::cli_inform(c(
    "{.arg {arg}} is taken as the counts of one record: a matrix of one row.",
    i = "If it has one count from each of several records, use {.code cbind({arg})}: a record is a row."
  ), class = "ldpcounts_one_record")
}

# A data frame with one row per record, and a column per item. A list of cells has few numeric columns, and
# its last one is called so.
is_wide <- function(x, id = NULL) {
  if (!is.data.frame(x)) {
    return(FALSE)
  }
  !is.null(id) || (sum(vapply(x, is_plain_numeric, TRUE)) >= 3 && !has_count_last(x))
}

has_count_last <- function(x) tolower(utils::tail(c("", names(x)), 1)) %in% COUNT_NAMES

COUNT_NAMES <- c("n", "count", "counts", "freq", "frequency", "weight", "value", "total", "y", "y_tilde")

# The name of a column without quotes is no object, or another one.
given_id <- function(id, arg, call) {
  tryCatch(id, error = function(failure) {
    ldp_abort("{.arg id} must be the name of a column of {.arg {arg}}, in quotes: {.code id = \"person\"}.",
      class = "ldpcounts_argument_error", call = call
    )
  })
}

check_id <- function(id, x, arg, dims, call) {
  if (!is.null(dims)) {
    ldp_abort(c(
      "Give at most one of {.arg id} and {.arg dims}.",
      i = "{.arg id} is for a data frame with one row per record, {.arg dims} for one with one row per cell."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (!is.data.frame(x)) {
    ldp_abort(c(
      "{.arg id} is for a data frame with one row per record.",
      x = "{.arg {arg}} is {describe_type(x)}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (!rlang::is_string(id) || !id %in% names(x) || !is.atomic(x[[id]]) || !is.null(dim(x[[id]]))) {
    abort_argument(id, "id", paste0("the name of a column of `", arg, "`, in quotes"), call)
  }
  labels <- x[[id]]
  if (anyNA(labels) || anyDuplicated(labels)) {
    ldp_abort(c(
      "{.arg {arg}} must have one row per label in column {.val {id}}.",
      x = if (anyNA(labels)) "Some labels are missing." else "Some labels come more than once.",
      i = "Add up the rows of a record first: {.fn rowsum}."
    ), class = "ldpcounts_argument_error", call = call)
  }
}

wide_counts <- function(x, arg, id, call) {
  items <- which(vapply(x, is_plain_numeric, TRUE) & !names(x) %in% id)
  columns <- lapply(items, function(j) as.double(x[[j]]))
  own <- attr(x, "row.names")
  labels <- if (!is.null(id)) as_labels(x[[id]]) else if (is.character(own)) own
  labels <- list(labels, names(x)[items])
  table <- matrix(as.double(unlist(columns)), nrow(x), length(items), dimnames = labels)
  check_no_numbers_as_text(x[!names(x) %in% id], arg, call)
  if (is_edge_list(table)) abort_edge_list(arg, call)
  check_items(columns, names(x)[items], arg, id, call)
  tell_wide(names(x)[items], setdiff(names(x), c(names(x)[items], id)), arg, id, call)
  table
}

# Left out, as text is, they would be missing from the release. `all`: may one of them be so, where not all
# are? Then they are labels of cells.
check_no_numbers_as_text <- function(x, arg, call, all = FALSE) {
  found <- names(x)[vapply(x, holds_numbers_as_text, TRUE)]
  n <- length(found)
  if (n > 0 && (!all || n == ncol(x))) {
    column <- paste0(arg, "[[\"", found[1], "\"]]")
    ldp_abort(c(
      "{cli::qty(n)}Column{?s} {.val {found}} of {.arg {arg}} {cli::qty(n)}hold{?s/} numbers as text.",
      i = "If these are counts, convert them: {.code {column} <- as.integer(as.character({column}))}.",
      i = if (all) {
        "If they are labels of cells, and each row counts 1, add a column of counts: {.code {arg}$n <- 1}."
      } else {
        "If they are labels, leave them out: {.code {column} <- NULL}."
      },
      i = if (takes(call, "id")) "{.code id = } names a column of labels of the rows, which become public."
    ), class = "ldpcounts_argument_error", call = call)
  }
}

holds_numbers_as_text <- function(x) {
  text <- if (has_labels(x)) as.character(x)
  text <- text[!is.na(text) & nzchar(trimws(text))]
  length(text) > 0 && !anyNA(suppressWarnings(as.numeric(text)))
}

check_items <- function(columns, names, arg, id, call) {
  if (length(columns) == 0) {
    ldp_abort("{.arg {arg}} must have a column of counts, and has no numeric one.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  keys <- names[mapply(is_key, columns, names, is.null(id) & seq_along(columns) == 1)]
  if (length(keys) > 0) {
    ldp_abort(c(
      "Column {.val {keys[1]}} of {.arg {arg}} seems to number the rows, and to hold no counts.",
      i = if (is.null(id) && takes(call, "id")) {
        "{.code id = {.val {keys[1]}}} takes it for the labels of the rows, which become public."
      },
      i = "To leave it out: {.code {arg}[[{.val {keys[1]}}]] <- NULL}.",
      i = "If it holds counts, make a matrix of the columns of counts with {.fn as.matrix}."
    ), class = "ldpcounts_argument_error", call = call)
  }
}

# Does a numeric column identify the rows? Counts that are called so have zeros; counts of many rows that all
# differ have gaps and are not sorted. `first`: is it the first column, where row numbers stand?
is_key <- function(x, name, first) {
  x <- x[!is.na(x)]
  if (length(x) == 0 || !all(is.finite(x) & is_whole(x))) {
    return(FALSE)
  }
  distinct <- length(x) >= FEWEST_KEYS && !anyDuplicated(x)
  (has_id_name(name) && all(x > 0)) ||
    (first && length(x) > 2 && all(x == seq_along(x))) ||
    (distinct && (!is.unsorted(x) || max(x) - min(x) < length(x) ||
      grepl(KEY_NAME, name, ignore.case = TRUE)))
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

# What was guessed: codes, ages and survey weights are numbers, too.
tell_wide <- function(items, others, arg, id, call) {
  cli::cli_inform(c(
    "{.arg {arg}} is taken as a table with one row per record, and these columns of counts: {items}.",
    i = if (length(others) > 0) "Left out, as they hold no numbers: {others}.",
    i = if (is.null(id) && takes(call, "id")) "{.code id = } names a column of labels of the rows."
  ), class = "ldpcounts_wide")
}

# --- documents ----------------------------------------------------------------------------------

# Package slam's, and tm's, whose classes say what is in rows.
triplet_counts <- function(x, arg, call) {
  if (inherits(x, "TermDocumentMatrix")) {
    ldp_abort(c(
      "{.arg {arg}} must have documents in rows, and is a TermDocumentMatrix.",
      i = "{.code t({arg})} has them in rows."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (!is.numeric(x$v) && !is.logical(x$v)) {
    ldp_abort("{.arg {arg}} must hold counts, and its values are of type {typeof(x$v)}.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  check_valid_triplet(x, arg, call)
  sparse_counts(cbind(x$i, x$j), x$v, c(x$nrow, x$ncol), x$dimnames)
}

# --- graphs -------------------------------------------------------------------------------------

graph_counts <- function(x, arg, directed, role, call) {
  package <- if (inherits(x, "igraph")) "igraph" else "network"
  check_package(package, "graphs of this class", call)
  check_graph(x, package, arg, call)
  graph <- tryCatch(
    if (package == "igraph") igraph_parts(x, arg, call) else network_parts(x, arg, call),
    error = function(failure) {
      if (inherits(failure, "ldpcounts_error")) stop(failure)
      ldp_abort(c("{.arg {arg}} must be a valid {.cls {package}}.", x = "{conditionMessage(failure)}"),
        class = "ldpcounts_argument_error", call = call
      )
    }
  )
  if (!is.numeric(graph$weight)) abort_weight(arg, call)
  cells <- graph$edges
  if (!is.null(graph$second)) {
    return(two_mode_counts(graph, arg, role, call))
  }
  if (!graph$directed) {
    if (isTRUE(directed)) abort_undirected_graph(arg, call)
    loop <- cells[, 1] == cells[, 2]
    cells <- rbind(cells, cells[!loop, 2:1, drop = FALSE])
    graph$weight <- c(graph$weight, graph$weight[!loop])
  }
  added_counts(cells, graph$weight, rep(graph$size, 2), list(graph$labels, graph$labels), arg, role, call)
}

# What is known of a graph: `edges` (two columns of vertex numbers), their `weight`, is it `directed`; of
# the vertices the number (`size`), the `labels` or NULL, and, where they are of two kinds, which are of the
# `second`.
igraph_parts <- function(x, arg, call) {
  weight <- igraph::edge_attr(x, "weight")
  if (is.null(weight)) check_no_other_weight(igraph::edge_attr_names(x), arg, call)
  second <- igraph::vertex_attr(x, "type")
  list(
    edges = igraph::as_edgelist(x, names = FALSE),
    weight = if (is.null(weight)) rep(1, igraph::ecount(x)) else weight,
    directed = igraph::is_directed(x), size = igraph::vcount(x),
    labels = as_labels(igraph::vertex_attr(x, "name")),
    second = if (is.logical(second) && !anyNA(second)) second
  )
}

network_parts <- function(x, arg, call) {
  if (network::is.hyper(x)) {
    ldp_abort("{.arg {arg}} must be a graph with two ends to each edge, and is a hypergraph.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  weight <- if ("weight" %in% network::list.edge.attributes(x)) "weight"
  if (is.null(weight)) check_no_other_weight(network::list.edge.attributes(x), arg, call)
  # an edge may have a vector, which would move the weights of those after it
  each <- if (!is.null(weight)) network::get.edge.attribute(x, weight, unlist = FALSE)
  if (any(lengths(each) > 1)) abort_weight(arg, call)
  edges <- network::as.matrix.network.edgelist(x, weight, as.sna.edgelist = TRUE)
  edges <- edges[seq_len(network::network.edgecount(x, na.omit = FALSE)), , drop = FALSE]
  size <- network::network.size(x)
  list(
    edges = edges[, 1:2, drop = FALSE], weight = edges[, 3], directed = network::is.directed(x),
    size = size, labels = as_labels(network::network.vertex.names(x)),
    second = if (network::is.bipartite(x)) {
      seq_len(size) > network::get.network.attribute(x, "bipartite")
    }
  )
}

# Each edge would count 1, and its count be lost.
check_no_other_weight <- function(attributes, arg, call) {
  found <- attributes[tolower(attributes) %in% COUNT_NAMES]
  if (length(found) > 0) {
    ldp_abort(c(
      "The edges of {.arg {arg}} have an attribute {.field {found[1]}} and no {.field weight}.",
      i = "If {.field {found[1]}} is the count of an edge, call it {.field weight}.",
      i = "If each edge counts 1, delete the attribute {.field {found[1]}}."
    ), class = "ldpcounts_argument_error", call = call)
  }
}

abort_weight <- function(arg, call) {
  ldp_abort("The {.field weight} of the edges of {.arg {arg}} must be counts, and is no numeric vector.",
    class = "ldpcounts_argument_error", call = call
  )
}

# Vertices without names have their numbers for labels, so that rows and columns are never the same actors.
two_mode_counts <- function(graph, arg, role, call) {
  back <- graph$second[graph$edges[, 1]]
  cells <- graph$edges
  cells[back, ] <- cells[back, 2:1]
  if (any(graph$second[cells[, 1]] | !graph$second[cells[, 2]])) {
    ldp_abort("{.arg {arg}} must have edges between its two kinds of vertices, and has some within a kind.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  rows <- which(!graph$second)
  columns <- which(graph$second)
  cells <- cbind(match(cells[, 1], rows), match(cells[, 2], columns))
  names <- if (is.null(graph$labels)) as.character(seq_len(graph$size)) else graph$labels
  labels <- list(names[rows], names[columns])
  added_counts(cells, graph$weight, lengths(list(rows, columns)), labels, arg, role, call)
}

abort_undirected_graph <- function(arg, call) {
  ldp_abort(c(
    "{.arg {arg}} is an undirected graph, of which a matrix has every pair twice.",
    i = paste(
      "{.fn privatize}, {.fn private_counts} and {.fn block_model} take it with",
      "{.code directed = FALSE}, and each pair once."
    )
  ), class = "ldpcounts_argument_error", call = call)
}

# --- matrices of edges ------------------------------------------------------------------------------

# Do two columns hold the numbers of the ends of edges? Such numbers are never 0, and different in each row.
# They are in columns that are called so; or they are the first of two or three columns without names, of many
# rows, which are all different, begin at 1 or 2, and leave few numbers out. (A sparse matrix has counts.)
is_edge_list <- function(x) {
  if (is_sparse(x) || nrow(x) == 0 || ncol(x) < 2) {
    return(FALSE)
  }
  titles <- tolower(colnames(x))
  pair <- Find(function(pair) all(pair %in% titles), END_NAMES)
  ends <- x[, if (is.null(pair)) 1:2 else match(pair, titles), drop = FALSE]
  all(is.finite(ends) & ends >= 1 & is_whole(ends)) && all(ends[, 1] != ends[, 2]) &&
    (!is.null(pair) || (length(unlist(dimnames(x))) == 0 && ncol(x) <= 3 && nrow(x) >= FEWEST_EDGES &&
      !anyDuplicated(ends) && min(ends) <= 2 && length(unique(as.vector(ends))) >= 0.75 * max(ends)))
}

is_pair_of_ends <- function(titles) list(tolower(titles)) %in% END_NAMES

FEWEST_EDGES <- 20
END_NAMES <- list(
  c("from", "to"), c("source", "target"), c("sender", "receiver"), c("sender", "recipient"),
  c("ego", "alter"), c("snd", "rec")
)

abort_edge_list <- function(arg, call) {
  ldp_abort(c(
    "{.arg {arg}} seems to be a list of edges: two of its columns number actors, and hold no counts.",
    i = paste(
      "Use an {.cls igraph}, or a data frame: {.code data.frame(from = factor(from, actors),",
      "to = factor(to, actors), count = )}, where {.code actors} are all actors."
    ),
    i = "If they are counts of two items, name the columns after these: {.code colnames({arg}) <- }."
  ), class = "ldpcounts_argument_error", call = call)
}

# --- cells that come several times --------------------------------------------------------------

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
    ), class = "ldpcounts_argument_error", call = call)
  }
  check_counts(values, arg, call)
}
