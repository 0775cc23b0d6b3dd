# Which component each row mostly belongs to, and which rows belong together.

# The number of counts that is expected of each row in each component, given factors: label-invariant up to
# the order of its columns. Actors send no counts to themselves.
row_counts <- function(fit, factors) {
  first <- factors[[1]]
  of_all_rows <- function(each) rep(each, each = nrow(first))
  first * switch(model_of(fit)$name,
    block_model = (of_all_rows(colSums(first)) - first) %*% (factors$pi + t(factors$pi)),
    topic_model = of_all_rows(rowSums(factors$phi)),
    tensor_model = of_all_rows(Reduce(`*`, lapply(factors[-1], colSums)))
  )
}

# A row per actor (document, index of the first mode): its largest component, the share of its expected counts
# that this component carries, and the probability that it is its largest.
membership_table <- function(fit) {
  draws <- leading_draws(fit)
  orders <- alignment(fit)$orders
  shares <- first <- 0
  for (s in draws) {
    counts <- row_counts(fit, draw_factors(fit, s))[, orders[, s], drop = FALSE]
    shares <- shares + counts / rowSums(counts) / length(draws)
    first <- first + outer(main_component(counts), seq_len(fit$k), `==`) / length(draws)
  }
  at <- main_component(shares)
  cells <- cbind(seq_along(at), at)
  table <- list(
    row_names_of(fit), component_labels(fit)[at], share = shares[cells], probability = first[cells]
  )
  names(table)[1:2] <- c(membership_titles(fit), model_of(fit)$component)
  tibble::as_tibble(table)
}

# A row per pair of actors: the probability that they have the same largest component. All draws count,
# because it does not matter which component that is.
pairs_table <- function(fit, free = memory_free(), call = rlang::caller_env()) {
  names <- row_names_of(fit)
  n <- length(names)
  check_free_memory(8 * 6 * n^2, "A table of all pairs of rows",
    "{.code tidy(fit, \"membership\")} has one row per row.", free, call
  )
  draws <- shared_draws(fit)
  together <- matrix(0, n, n)
  for (s in draws) {
    first <- main_component(row_counts(fit, draw_factors(fit, s)))
    together <- together + outer(first, first, `==`)
  }
  pairs <- which(upper.tri(together), arr.ind = TRUE, useNames = FALSE)
  pairs <- pairs[order(pairs[, 1], pairs[, 2]), , drop = FALSE]
  table <- list(names[pairs[, 1]], names[pairs[, 2]], probability = together[pairs] / length(draws))
  names(table)[1:2] <- paste0(membership_titles(fit), 1:2)
  tibble::as_tibble(table)
}

membership_titles <- function(fit) {
  switch(model_of(fit)$name,
    topic_model = "document", block_model = "actor", tensor_model = mode_names(fit)[1]
  )
}

row_names_of <- function(fit) {
  labels <- data_dimnames(fit)[[1]]
  if (is.null(labels)) seq_len(dim(fit$data)[1]) else labels
}

# Numbers, or the names that the user gave.
component_labels <- function(fit, ...) {
  if (is.null(fit$labelled)) seq_len(fit$k) else component_names(fit, ...)
}
