# Lists of edges that are given as a matrix of counts by mistake.

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
  ), call = call)
}
