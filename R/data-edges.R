# Detects lists of edges that are given as a matrix of counts by mistake.

# Do two columns hold the numbers of the two actors of each edge? Such numbers are never 0, and the two in a
# row differ. The columns have names such as `from` and `to`; or they are the first of two or three columns
# without names, in a matrix of many rows that are all different, and the numbers begin at 1 or 2 with few
# gaps. (A sparse matrix is taken to hold counts.)
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
    "{.arg {arg}} seems to be a list of edges: two of its columns hold numbers of actors, not counts.",
    i = paste(
      "Use an {.cls igraph}, or a data frame: {.code data.frame(from = factor(from, actors),",
      "to = factor(to, actors), count = )}, where {.code actors} lists all actors."
    ),
    i = "If they are counts of two items, use the items as column names: {.code colnames({arg}) <- }."
  ), call = call)
}
