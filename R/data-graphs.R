# Graphs of packages igraph and network.

graph_counts <- function(x, arg, directed, role, call) {
  package <- if (inherits(x, "igraph")) "igraph" else "network"
  check_package(package, "graphs of this class", call)
  valid <- if (package == "igraph") is_igraph(x) else is.list(unclass(x))
  if (!valid) abort_invalid(x, arg, call)
  graph <- tryCatch(
    if (package == "igraph") igraph_parts(x, arg, call) else network_parts(x, arg, call),
    ldpcounts_error = stop,
    error = function(failure) {
      valid <- "{.arg {arg}} must be a valid {.cls {package}}."
      ldp_abort(c(valid, x = "{conditionMessage(failure)}"), call = call)
    }
  )
  if (!is.numeric(graph$weight)) abort_weight(arg, call)
  if (!is.null(graph$second)) {
    return(two_mode_counts(graph, arg, role, call))
  }
  check_that(graph$directed || !isTRUE(directed), c(
    "{.arg {arg}} is an undirected graph, whose matrix has each pair twice.",
    i = "For {.fn privatize}, {.fn private_counts} and {.fn block_model} use {.code directed = FALSE}."
  ), call)
  cells <- graph$edges
  if (!graph$directed) {
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
  check_that(!network::is.hyper(x),
    "{.arg {arg}} must be a graph with two ends to each edge, and is a hypergraph.", call
  )
  attributes <- network::list.edge.attributes(x)
  weight <- if ("weight" %in% attributes) "weight"
  if (is.null(weight)) check_no_other_weight(attributes, arg, call)
  # an edge may have a vector, which would move the weights of those after it
  each <- if (!is.null(weight)) network::get.edge.attribute(x, weight, unlist = FALSE)
  if (any(lengths(each) > 1)) abort_weight(arg, call)
  edges <- network::as.matrix.network.edgelist(x, weight, as.sna.edgelist = TRUE)
  edges <- edges[seq_len(network::network.edgecount(x, na.omit = FALSE)), , drop = FALSE]
  size <- network::network.size(x)
  two_modes <- network::is.bipartite(x)
  list(
    edges = edges[, 1:2, drop = FALSE], weight = edges[, 3], directed = network::is.directed(x),
    size = size, labels = as_labels(network::network.vertex.names(x)),
    second = if (two_modes) seq_len(size) > network::get.network.attribute(x, "bipartite")
  )
}

# Each edge would count 1, and its count be lost.
check_no_other_weight <- function(attributes, arg, call) {
  found <- attributes[tolower(attributes) %in% COUNT_NAMES]
  check_that(length(found) == 0, c(
    "The edges of {.arg {arg}} have an attribute {.field {found[1]}} and no {.field weight}.",
    i = "If {.field {found[1]}} is the count of an edge, call it {.field weight}.",
    i = "If each edge counts 1, delete the attribute {.field {found[1]}}."
  ), call)
}

abort_weight <- function(arg, call) {
  ldp_abort("The {.field weight} of the edges of {.arg {arg}} must be counts, and is no numeric vector.",
    call = call
  )
}

# Vertices without names have their numbers for labels, so that rows and columns are never the same actors.
two_mode_counts <- function(graph, arg, role, call) {
  back <- graph$second[graph$edges[, 1]]
  cells <- graph$edges
  cells[back, ] <- cells[back, 2:1]
  check_that(!any(graph$second[cells[, 1]] | !graph$second[cells[, 2]]),
    "{.arg {arg}} must have edges between its two kinds of vertices, and has some within a kind.", call
  )
  rows <- which(!graph$second)
  columns <- which(graph$second)
  cells <- cbind(match(cells[, 1], rows), match(cells[, 2], columns))
  names <- if (is.null(graph$labels)) as.character(seq_len(graph$size)) else graph$labels
  labels <- list(names[rows], names[columns])
  added_counts(cells, graph$weight, lengths(list(rows, columns)), labels, arg, role, call)
}

# What package igraph reads without a look: the number of vertices, whether edges are directed, their ends,
# and the indices of edges by their ends.
is_igraph <- function(x) {
  parts <- unclass(x)
  if (!is.list(parts) || length(parts) < 9) {
    return(FALSE)
  }
  numbers <- function(i, length, least, most) {
    part <- parts[[i]]
    is.numeric(part) && length(part) == length && all(is.finite(part) & part >= least & part <= most)
  }
  index <- function(i, length, most) is.null(parts[[i]]) || numbers(i, length, 0, most)
  n <- parts[[1]]
  m <- length(parts[[3]])
  numbers(1, 1, 0, .Machine$integer.max) && rlang::is_bool(parts[[2]]) &&
    numbers(3, m, 0, n - 1) && numbers(4, m, 0, n - 1) &&
    index(5, m, m - 1) && index(6, m, m - 1) && index(7, n + 1, m) && index(8, n + 1, m) &&
    is.list(parts[[9]]) && length(parts[[9]]) == 4
}
