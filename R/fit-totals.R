# Sums of true counts over the cells of a group: their posterior means and intervals, from joint draws.

# The result of augment() with `by` or `items`. At each kept draw of the factors, the true counts of all cells
# are drawn given mu and the release. They are then independent, and summed, so that a sum has the uncertainty
# of the factors, which its cells share, as well as that of each count.
sum_true_counts <- function(fit, by, items, cells, level, draws, progress, call = rlang::caller_env()) {
  dim <- dim(fit$data)
  check_that(model_of(fit)$network != "undirected", c(
    "{.arg by} and {.arg items} are not available for undirected networks.",
    i = "Each count belongs to two actors, so that there is no row to which it belongs.",
    i = "{.code augment(fit, cells = )} estimates the counts of pairs."
  ), call)
  mode <- mode_of_groups(by, mode_names(fit), dim)
  group <- if (is.null(mode)) {
    check_row_groups(if (is.null(by)) rep("all", dim[1]) else by, dim[1], "by", call)
  } else {
    labels <- data_dimnames(fit)[[mode]]
    factor(seq_len(dim[mode]), labels = if (is.null(labels)) seq_len(dim[mode]) else make.unique(labels))
  }
  if (!is.null(mode) && is.null(items)) items <- "all"
  labels <- column_labels(dim, data_dimnames(fit))
  items <- item_groups(items, labels, call)
  item <- if (is.null(items)) seq_along(labels) else as.integer(items)
  if (!is.null(items)) labels <- levels(items)
  input <- input_of_cells(fit, cells)
  cells <- if (is.null(cells)) all_cells(fit, input, call) else check_distinct(cells, call)
  cells <- cells[!is.na(item[cells[, 2]]), , drop = FALSE]
  at <- if (is.null(mode)) cells[, 1] else unfold_cells(cells, dim)[, mode]
  sums <- factor_of_sums(as.integer(group)[at], item[cells[, 2]])
  table <- data.frame(
    group = factor(levels(group)[sums$group], levels(group)), item = as_items(labels)[sums$item],
    .fitted = add_up(mean_of_cells(fit, cells), sums),
    draw_sums(fit, input, cells, sums, level, draws, progress),
    cells = tabulate(sums$of, sums$n), masked = add_up(is.na(counts_at(input$counts, cells)), sums)
  )
  structure(table, class = c("denoised_sums", "data.frame"), level = level)
}

# The mode whose indices are the groups, if `by` is its number or its name.
mode_of_groups <- function(by, titles, dim) {
  if (length(by) != 1 || dim[1] == 1 || is.factor(by)) {
    return(NULL)
  }
  found <- match(by, if (is.character(by)) titles else seq_along(dim))
  if (!is.na(found)) found
}

# At most this many cells are summed if `cells` is not given.
MOST_SUMMED <- 1e7

# All cells of the data, also masked ones.
all_cells <- function(fit, input, call) {
  n <- n_cells(input$counts)
  check_that(n <= MOST_SUMMED, c(
    "{.arg cells} must be given for data with {format_number(n)} cells.",
    i = "By default all cells are used, up to {format_number(MOST_SUMMED)}."
  ), call)
  cells <- arrayInd(seq_len(n), dim(input$counts))
  cells[is_data(cells, model_of(fit)$network), , drop = FALSE]
}

check_distinct <- function(cells, call) {
  twice <- which(duplicated(cells))
  check_that(length(twice) == 0, c(
    "{.arg cells} must be different cells, because they are added up.",
    x = "Row {twice[1]} of {.arg cells} is a cell of an earlier row."
  ), call)
  cells
}

# Which sum each cell belongs to: a list of `of` (its number, one per cell), `n`, and the group and the item
# of each sum, in order.
factor_of_sums <- function(group, item) {
  key <- (group - 1) * max(1, item) + item
  sums <- sort(unique(key))
  first <- match(sums, key)
  list(of = match(key, sums), n = length(sums), group = group[first], item = item[first])
}

# Sums of numbers, or of the rows of a matrix, over the cells of each sum.
add_up <- function(x, sums, at = seq_along(sums$of)) {
  result <- matrix(0, sums$n, NCOL(x))
  if (length(at) > 0) {
    found <- rowsum(as.matrix(x) + 0, sums$of[at])
    result[as.integer(rownames(found)), ] <- found
  }
  if (is.matrix(x)) result else as.vector(result)
}

# The posterior mean of each sum, which is the sum of the means of augment(), and its interval: the smallest
# whole numbers at which the distribution function of the drawn sums reaches (1 - level) / 2 and
# (1 + level) / 2.
draw_sums <- function(fit, input, cells, sums, level, draws, progress, call = rlang::caller_env(2)) {
  memory <- memory_free()
  needed <- 8 * 3 * sums$n * length(draws)
  if (!is_affordable(needed, memory)) {
    hint <- "Reduce {.arg draws}, or group the columns by {.arg items}."
    check_free_memory(needed, "Draws of the sums", hint, memory, call)
  }
  stream <- chain_streams(1, stats::runif(1))[[1]]
  bar <- start_bar(progress, nrow(cells), 0, what = "cells", unit = "cell")
  on.exit(bar$done())
  mean <- numeric(sums$n)
  drawn <- matrix(0, sums$n, length(draws))
  done <- 0
  for (at in truth_parts(input, cells, length(draws))) {
    block <- truth_block(fit, input, cells[at, , drop = FALSE], draws)
    mean <- mean + add_up(summarise_truth(block, level)[, 1], sums, at)
    made <- with_stream(stream, draw_block(block, length(draws)))
    stream <- made$stream
    drawn <- drawn + add_up(made$value, sums, at)
    bar$update(done <- done + length(at), numeric())
  }
  p <- (1 + c(-1, 1) * level) / 2
  ends <- vapply(seq_len(sums$n), function(i) stats::quantile(drawn[i, ], p, type = 1, names = FALSE), p)
  data.frame(mean = mean, lower = ends[1, ], upper = ends[2, ])
}

# True counts of a block of cells: one row per cell, one column per draw.
draw_block <- function(block, n_draws) {
  n <- length(block$y_tilde)
  size <- n * n_draws
  mu <- pmax(block$mu, .Machine$double.xmin) # rnbinom() of size 0 and mean 0 is NaN
  drawn <- switch(block$kind,
    known = rep(as.double(block$y_tilde), n_draws),
    masked = if (is.matrix(block$excess)) {
      stats::rnbinom(size, mu / block$excess, mu = mu)
    } else {
      stats::rpois(size, mu)
    },
    noised = rtruecount(size, rep(block$y_tilde, n_draws), mu, rep(block$alpha, n_draws), 1 + block$excess)
  )
  matrix(as.double(drawn), n, n_draws)
}

#' @rdname augment.ldp_fit
#' @export
print.denoised_sums <- function(x, ..., n = 20) {
  check_no_dots(...)
  n <- check_whole(n, "n", 0)
  sums <- count_of(format_number(nrow(x)), "sum")
  cat_wrapped(paste0("Model-based estimates of ", sums, " of true counts", interval_words(attr(x, "level"))))
  print_first(structure(x, class = "data.frame"), n)
  cat_wrapped(paste(
    "mean, lower, upper: of the sum of true counts; .fitted: of the sum of their rates, which can lie outside this",
    "interval; cells, masked: how many were added up, and how many of them are missing."
  ))
  invisible(x)
}
