# Graphs of packages igraph and network.

graph_counts <- function(x, arg, directed, role, call) {
  package <- if (inherits(x, "igraph")) "igraph" else "network"
  check_package(package, "graphs of this class", call)
  valid <- if (package == "igraph") is_igraph(x) else is.list(unclass(x))
  if (!valid) abort_invalid(x, arg, call)
  graph <- explain_failure(
    if (package == "igraph") igraph_parts(x, arg, call) else network_parts(x, arg, call),
    function(failure) {
      valid <- "{.arg {arg}} must be a valid {.cls {package}}."
      ldp_abort(c(valid, x = "{conditionMessage(failure)}"), call = call)
    }
  )
  if (!is.numeric(graph$weight)) abort_weight(arg, call)
  if (!is.null(graph$second)) {
    return(two_mode_counts(graph, arg, role, call))
  }
  check_that(graph$directed || !isTRUE(directed), c(
    "{.arg {arg}} is an undirected graph: its matrix contains each pair twice.",
    i = "In {.fn privatize}, {.fn private_counts} and {.fn block_model}, use {.code directed = FALSE}."
  ), call)
  cells <- graph$edges
  if (!graph$directed) {
    loop <- cells[, 1] == cells[, 2]
    cells <- rbind(cells, cells[!loop, 2:1, drop = FALSE])
    graph$weight <- c(graph$weight, graph$weight[!loop])
  }
  added_counts(cells, graph$weight, rep(graph$size, 2), list(graph$labels, graph$labels), arg, role, call)
}

# The parts of a graph: `edges` (two columns of vertex numbers), their `weight`, whether it is `directed`, the
# number of vertices (`size`), their `labels` or NULL, and, in a bipartite graph, which vertices are of the
# `second` kind.
igraph_parts <- function(x, arg, call) {
  weight <- igraph::edge_attr(x, "weight")
  if (is.null(weight)) check_no_other_weight(igraph::edge_attr(x), arg, call)
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
  attributes <- network::list.edge.attributes(x)
  weight <- if ("weight" %in% attributes) "weight"
  if (is.null(weight)) {
    others <- setdiff(attributes, "na") # which marks missing edges
    values <- lapply(others, function(name) unlist(network::get.edge.attribute(x, name)))
    check_no_other_weight(stats::setNames(values, others), arg, call)
  }
  # an edge may have a vector of weights, which would shift the weights of all later edges
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

# An error if counts may be in another attribute: each edge would count 1, and its count would be lost.
check_no_other_weight <- function(attributes, arg, call) {
  found <- names(Filter(is.numeric, attributes))
  check_that(length(found) == 0, c(
    "The edges of {.arg {arg}} have a numeric attribute {.field {found[1]}}, but no {.field weight}.",
    i = "If {.field {found[1]}} is the count of an edge, rename it {.field weight}.",
    i = "If each edge counts 1, delete the attribute {.field {found[1]}}."
  ), call)
}

abort_weight <- function(arg, call) {
  ldp_abort("The {.field weight} of the edges of {.arg {arg}} must be a numeric vector of counts.",
    call = call
  )
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
