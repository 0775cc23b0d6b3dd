# Networks: graphs of packages igraph and network, and tables with the same actors in rows and columns.

# --- graphs of packages igraph and network --------------------------------------------------------

graph_counts <- function(x, arg, directed, role, call) {
  package <- if (inherits(x, "igraph")) "igraph" else "network"
  check_package(package, "graphs of this class", call)
  refuse <- function(...) abort_invalid(x, arg, call)
  if (!is.list(unclass(x)) || (package == "igraph" && !is_igraph(x))) refuse()
  parts_of <- if (package == "igraph") igraph_parts else network_parts
  graph <- explain_failure(parts_of(x, arg, call), refuse)
  check_that(is.numeric(graph$weight),
    "The {.field weight} of the edges of {.arg {arg}} must be a numeric vector of counts.", call
  )
  if (!is.null(graph$second)) {
    return(two_mode_counts(graph, arg, role, call))
  }
  check_that(graph$directed || !isTRUE(directed), c(
    "{.arg {arg}} is an undirected graph: its matrix contains each pair twice.",
    i = "In {.fn privatize}, {.fn private_counts} and {.fn block_model}, use {.code directed = FALSE}."
  ), call)
  other_way <- if (graph$directed) integer() else which(graph$edges[, 1] != graph$edges[, 2])
  cells <- rbind(graph$edges, graph$edges[other_way, 2:1, drop = FALSE])
  weight <- c(graph$weight, graph$weight[other_way])
  added_counts(cells, weight, rep(graph$size, 2), list(graph$labels, graph$labels), arg, role, call)
}

# The parts of a graph: `edges` (two columns of vertex numbers), their `weight`, whether it is `directed`, the
# number of vertices (`size`), their `labels` or NULL, and, in a bipartite graph, which vertices are of the
# `second` kind.
igraph_parts <- function(x, arg, call) {
  check_edge_attributes(igraph::edge_attr(x), arg, call)
  weight <- igraph::edge_attr(x, "weight")
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
  check_that(!network::is.hyper(x),
    "{.arg {arg}} must be a graph in which each edge joins two vertices, not a hypergraph.", call
  )
  names <- setdiff(network::list.edge.attributes(x), "na") # which marks missing edges
  values <- lapply(names, function(name) network::get.edge.attribute(x, name, unlist = FALSE))
  names(values) <- names
  check_edge_attributes(lapply(values, unlist), arg, call)
  single <- all(lengths(values$weight) <= 1) # a vector of weights would shift those of all later edges
  weight <- if (single && "weight" %in% names) "weight"
  edges <- network::as.matrix.network.edgelist(x, weight, as.sna.edgelist = TRUE)
  edges <- edges[seq_len(network::network.edgecount(x, na.omit = FALSE)), , drop = FALSE]
  size <- network::network.size(x)
  list(
    edges = edges[, 1:2, drop = FALSE], weight = if (single) edges[, 3] else values$weight,
    directed = network::is.directed(x), size = size, labels = as_labels(network::network.vertex.names(x)),
    second = if (network::is.bipartite(x)) seq_len(size) > network::get.network.attribute(x, "bipartite")
  )
}

# An error if counts may be in another attribute: each edge would count 1, and its count would be lost.
check_edge_attributes <- function(attributes, arg, call) {
  found <- names(Filter(is.numeric, attributes))
  check_that("weight" %in% names(attributes) || length(found) == 0, c(
    "The edges of {.arg {arg}} have a numeric attribute {.field {found[1]}}, but no {.field weight}.",
    i = "If {.field {found[1]}} is the count of an edge, rename it {.field weight}.",
    i = "If each edge counts 1, delete the attribute {.field {found[1]}}."
  ), call)
}

# Vertices without names are labelled by their numbers, so that no label is both in rows and in columns.
two_mode_counts <- function(graph, arg, role, call) {
  back <- graph$second[graph$edges[, 1]]
  cells <- graph$edges
  cells[back, ] <- cells[back, 2:1]
  check_that(!any(graph$second[cells[, 1]] | !graph$second[cells[, 2]]),
    "{.arg {arg}} is bipartite, but some of its edges join two vertices of the same kind.", call
  )
  rows <- which(!graph$second)
  columns <- which(graph$second)
  cells <- cbind(match(cells[, 1], rows), match(cells[, 2], columns))
  names <- if (is.null(graph$labels)) as.character(seq_len(graph$size)) else graph$labels
  labels <- list(names[rows], names[columns])
  added_counts(cells, graph$weight, lengths(list(rows, columns)), labels, arg, role, call)
}

# Checks the parts that package igraph reads without checking: the number of vertices, whether edges are
# directed, the vertices of each edge, and the indices of edges by vertex.
is_igraph <- function(x) {
  parts <- unclass(x)
  if (length(parts) < 9 || !is_number(parts[[1]]) || !rlang::is_bool(parts[[2]]) || is.null(parts[[4]])) {
    return(FALSE)
  }
  n <- parts[[1]]
  m <- length(parts[[3]])
  inside <- function(part, length, most) {
    is.null(part) || # an index that is not there
      (is.numeric(part) && length(part) == length && all(is.finite(part) & part >= 0 & part <= most))
  }
  n >= 0 && is_whole(n) && is.list(parts[[9]]) && length(parts[[9]]) == 4 &&
    all(mapply(inside, parts[3:8], c(m, m, m, m, n + 1, n + 1), c(n - 1, n - 1, m - 1, m - 1, m, m)))
}

# --- which cells are data -------------------------------------------------------------------------

# Which cells of a table are data: in a directed network those off the diagonal, in an undirected network
# those above it.
NETWORKS <- c("none", "directed", "undirected")

is_data <- function(cells, network) {
  switch(network,
    none = rep(TRUE, nrow(cells)),
    directed = cells[, 1] != cells[, 2],
    undirected = cells[, 1] < cells[, 2]
  )
}

# The number of cells per row that are not data.
n_other <- function(rows, network) {
  switch(network, none = numeric(rows), directed = rep(1, rows), undirected = as.double(seq_len(rows)))
}

# Sets the cells of a network that are not data to zero, and warns of probable mistakes. In a release, there
# is noise on the diagonal too. `noised`: have the counts noise? One answer, or one per row.
only_data <- function(counts, network, noised = FALSE) {
  diagonal <- diagonal_cells(nrow(counts))
  warn_if(any(counts[diagonal] > 0 & !noised, na.rm = TRUE),
    "Messages of actors to themselves (the diagonal) are not data and are left out.", "ldpcounts_self_loops"
  )
  if (network == "undirected") {
    return(above_diagonal(counts))
  }
  counts[diagonal] <- 0L
  warn_if(any(counts != 0, na.rm = TRUE) && is_symmetric(counts), c(
    "The network is symmetric, but is analysed as directed.",
    i = "If its counts belong to pairs, each is used twice: use {.code directed = FALSE} instead."
  ), "ldpcounts_symmetric")
  counts
}

diagonal_cells <- function(n) cbind(seq_len(n), seq_len(n))

n_observed <- function(counts, network) {
  n_cells(counts) - n_missing(counts) - sum(n_other(nrow(counts), network))
}

# The observed cells, column by column, as an index matrix.
observed_cells <- function(counts, network) {
  cells <- which(!is.na(as_dense(counts, "data", NULL)), arr.ind = TRUE, useNames = FALSE)
  cells[is_data(cells, network), , drop = FALSE]
}

# --- checks of actors and of direction ------------------------------------------------------------

check_network <- function(counts, arg, call, noised = FALSE) {
  check_that(!labels_differ(counts), c(
    "{.arg {arg}} must be a network, with the same actors in rows and columns, in the same order.",
    i = if (!noised) "Add missing rows and columns with counts of zero; use factors with the same levels.",
    i = "The actors of both are {.code both <- intersect(rownames({arg}), colnames({arg}))}.",
    i = "{.code {arg}[both, both]} is a network."
  ), call)
  check_that(nrow(counts) == ncol(counts) && nrow(counts) >= 2, c(
    "{.arg {arg}} must be a network of at least two actors, with as many rows as columns.",
    x = "It is {nrow(counts)} x {ncol(counts)}."
  ), call)
}

# Do both margins have labels, but not the same ones?
labels_differ <- function(counts) !same_labels(rownames(counts), colnames(counts))

# A release must be undirected if and only if `directed = FALSE`; true counts must be symmetric if
# `directed = FALSE`.
check_direction <- function(counts, network, directed, call) {
  pairs <- network == "undirected"
  check_that(!pairs || isFALSE(directed) || (is.null(directed) && is_symmetric(counts)), c(
    "With {.code directed = FALSE}, {.arg data} must be symmetric true counts, or an undirected release.",
    i = "{.code privatize(directed = FALSE)} makes one: the two cells of a pair then have the same noise."
  ), call)
  use <- c(paste("{.arg data}", IS_UNDIRECTED), i = "Use {.code directed = FALSE}.")
  check_that(pairs || !isFALSE(directed), use, call)
}

IS_UNDIRECTED <- "is an undirected network, in which the two cells of a pair hold the same noised count."

# An undirected release is an error where a table is expected, because each pair would be counted twice.
abort_undirected <- function(arg, call) {
  ldp_abort(c(
    paste("{.arg {arg}}", IS_UNDIRECTED),
    i = "Use {.fn block_model} with {.code directed = FALSE}.",
    i = "For other models, convert it to a table in which each pair is counted once:",
    " " = "{.code m <- as.matrix(x); m[lower.tri(m)] <- NA; private_counts(m, alpha = privacy(x)$alpha)}"
  ), call = call)
}

# --- symmetric tables -----------------------------------------------------------------------------

above_diagonal <- function(counts) {
  if (is_sparse(counts)) {
    return(bare_sparse(as_sparse(Matrix::triu(counts, 1))))
  }
  counts[lower.tri(counts, diag = TRUE)] <- 0L
  counts
}

# Exactly symmetric, ignoring the names of rows and columns.
is_symmetric <- function(counts) {
  if (!is_sparse(counts)) {
    counts <- unname(counts)
    return(identical(counts, t(counts)))
  }
  counts <- Matrix::drop0(counts)
  turned <- Matrix::t(counts)
  all(mapply(identical, list(counts@i, counts@p, counts@x), list(turned@i, turned@p, turned@x)))
}

# Copies the counts above the diagonal to below it, and sets the diagonal to NA, because it is not data.
mirrored <- function(counts) {
  if (is_sparse(counts)) {
    labels <- dimnames(counts)
    counts <- bare_sparse(as_sparse(Matrix::forceSymmetric(counts, "U")))
    dimnames(counts) <- labels
    Matrix::diag(counts) <- NA_real_
    return(bare_sparse(as_sparse(counts)))
  }
  counts <- upper_twice(counts)
  diag(counts) <- NA
  counts
}

# Copies the values above the diagonal of a square matrix to below it.
upper_twice <- function(x) {
  below <- lower.tri(x)
  x[below] <- t(x)[below]
  x
}
