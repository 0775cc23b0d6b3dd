# True counts behind a release: their posterior means and intervals, cell by cell, and for sums over cells.

#' Estimate the true counts behind a release
#'
#' Computes the posterior distribution of chosen true counts, given the release and the model: the mean, an
#' interval, and the probability that the count is zero. With `by` or `items` it does so for sums of true
#' counts over the cells of a group.
#'
#' @details
#' Given `mu` and the dispersion, the distribution of a true count is known in closed form ([dtruecount()]).
#' The posterior is the average of these distributions over draws of `mu` and the dispersion: nothing is
#' simulated. A masked cell has the distribution of a count given `mu` alone. Without noise (`alpha = 0`), and
#' where the noise is ignored, the true count is taken to be the count itself.
#'
#' The average is taken over up to `draws` kept draws, spread evenly over all chains. With 400 independent
#' draws the Monte Carlo standard error is a twentieth of the posterior standard deviation. The time is
#' proportional to cells times draws.
#'
#' The interval of a sum is not a sum of intervals. Cells of a group depend on the same weights, so errors of
#' their means do not cancel, whereas given the weights the counts are independent. So for a sum, the true
#' counts of all its cells (also masked ones) are drawn at each of the kept draws, and added up. The mean of a
#' sum is the sum of the exact means of its cells. The ends of its interval are quantiles of the drawn sums.
#' This takes one number from R's random number generator, so `set.seed()` makes intervals reproducible. A
#' million cells and 400 draws take some minutes. Sums over people can also be estimated without a model; see
#' [private_means()], which says when which of the two is better.
#' @param x A fit of [topic_model()], [block_model()], [tensor_model()] or [private_gibbs()]; for `plot()` and
#'   `print()`, the result of `augment()`.
#' @param ... Must be empty.
#' @param by Groups of rows (of a tensor, of the indices of its first mode), over which true counts are added
#'   up: a factor, a vector, or a data frame of these, with one value per row of the data. The values of a
#'   data frame are combined.
#' @param items Columns over which true counts are added up: one value per column, which says to which sum the
#'   column belongs, or one value such as `"all"` for the sum over all columns. By default, with `by`, each
#'   column has sums of its own.
#' @param cells An index matrix, or a data frame, with one row per cell and one column per mode (the row and
#'   the column of the data, except for tensors), with numbers or labels (see [fitted()][fitted.ldp_fit]).
#'   `NULL` for all observed cells, if there are at most 1e5. Masked cells are then left out, and a message
#'   of class `ldpcounts_masked_left_out` says how many. To include them, give an index matrix such as
#'   `which(is.na(as.matrix(data)), arr.ind = TRUE)`. With `by` or `items`, the cells that are added up, each
#'   once; `NULL` then stands for all cells, also masked ones, if there are at most 1e7.
#' @param level The probability of the intervals, between 0 and 1.
#' @param draws The largest number of kept draws to use. `Inf` uses all of them.
#' @return `augment()`: a tibble of class `denoised_counts`, with columns
#'   * `row`, `column` (of a tensor `mode1`, `mode2` and so on): labels where the data have them,
#'     otherwise numbers;
#'   * `y_tilde`: the released count, `NA` if masked (0 if it is negative and the data are in files, see
#'     [release_shards()]);
#'   * `.fitted`: the posterior mean of `mu`, over all kept draws, as [fitted()][fitted.ldp_fit] gives it;
#'   * `mean`: the posterior mean of the true count;
#'   * `lower`, `upper`: the limits of the interval of the true count, which are the smallest whole numbers at
#'     which the distribution function of the posterior reaches `(1 - level) / 2` and `1 - (1 - level) / 2`;
#'   * `p_zero`: the posterior probability that the true count is 0.
#'
#'   With `by` or `items`: a tibble of class `denoised_sums`, with one row per group and item, and columns
#'   * `group`: the group, `"all"` without `by`;
#'   * `item`: the column of the data, or the value of `items`: a factor, or numbers if columns have no labels
#'     (of a tensor, the labels of all modes but the first, in one text);
#'   * `.fitted`, `mean`, `lower`, `upper`: as above, of the sum;
#'   * `cells`, `masked`: how many cells were added up, and how many of these are masked. Divide by the number
#'     of rows of the group to get means per person.
#'
#'   `plot()` of sums draws them with their intervals, for up to 12 items. `print()` also names the total that
#'   the fit contradicts, if there is one; see [check_margins()].
#'
#'   `plot()` of single counts draws the posterior distributions of up to 12 true counts, with the released
#'   counts marked (the data frame contains the fit for this purpose); `autoplot()` returns this picture as a
#'   ggplot, and `plot()` does so invisibly.
#' @section Coverage of intervals: The table shows the coverage of 90 % intervals (`level = 0.9`) in
#' simulations of 40 x 30 counts with mean 2 and three components, with 20 replicates per row of the table.
#' The weights that generate the data have gamma distributions of shape 0.1 (sparse) or 1 (even). Counts are
#' Poisson or overdispersed (variance `mu + 2 mu^2`, which neither family assumes). The last three columns are
#' for three fits: `family = "poisson"` with `gamma_prior()`; `family = "nbinom1"` with `gamma_prior(rate =
#' gamma_prior())`; and `family = "nbinom1"` with `gamma_prior(1, rate = gamma_prior())`. Each entry in these
#' columns has two percentages: the percentage of true counts that are in their intervals, and the percentage
#' of replicates whose total `sum(mu)` is in its interval.
#'
#' | shape | overdispersed | epsilon | Poisson, 0.1 | nbinom1, 0.1 | nbinom1, 1 |
#' |---|---|---|---|---|---|
#' | 0.1 | no | 1 | 98, 60 | 98, 80 | 98, 85 |
#' | 0.1 | no | 0.3 | 95, 10 | 96, 85 | 97, 95 |
#' | 0.1 | yes | 1 | 94, 15 | 96, 50 | 97, 75 |
#' | 0.1 | yes | 0.3 | 92, 0 | 93, 55 | 95, 90 |
#' | 1 | no | 1 | 95, 5 | 96, 55 | 97, 95 |
#' | 1 | no | 0.3 | 73, 0 | 88, 0 | 97, 85 |
#' | 1 | yes | 1 | 90, 0 | 94, 70 | 96, 55 |
#' | 1 | yes | 0.3 | 72, 0 | 84, 0 | 96, 80 |
#'
#' Intervals of single counts are mostly wide enough. Intervals of totals are too narrow or misplaced if the
#' true weights are less sparse than the prior expects, or if the counts are more dispersed than the family
#' allows. The reason is that noise hides small means, so that their estimates depend on the prior. By
#' default its shape and rate are therefore estimated; [gamma_prior()] says how often intervals of totals then
#' contain the truth on real tables. The percentages of totals have standard errors of up to 11, and those of
#' counts have standard errors of about 1.
#' @section Errors: `augment()` stops with an error of class `ldpcounts_error` if `cells` are not cells of the
#' data (the diagonal of a network is not), if `level` is out of range, if `cells` is `NULL` for data with
#' more than 1e5 observed cells, if `by` or `items` do not have one value per row or column, and if they are
#' given for an undirected network, in which each count belongs to two rows.
#' @references The distribution of a true count given its release is new in this package; the model is that
#'   of Schein et al. (2019), section 3.
#' @seealso [fitted.ldp_fit()] for `mu` alone, [dtruecount()] for the distribution.
#' @examples
#' set.seed(1)
#' busiest <- order(-rowSums(enron_network))[1:20]
#' released <- privatize(enron_network[busiest, busiest], epsilon = 0.5)
#' fit <- block_model(released, k = 2, iter = 100)
#' plot(augment(fit, cells = cbind(1:4, 5:8)))
#' # messages to everybody, by group of senders
#' augment(fit, by = rep(c("ten busiest", "others"), each = 10), items = "all")
#' @aliases augment
#' @export
augment.ldp_fit <- function(x, ..., by = NULL, items = NULL, cells = NULL, level = 0.95, draws = 400) {
  check_method(x, ...)
  level <- check_open_share(level, "level")
  draws <- spread_draws(x, check_draws(draws))
  if (!is.null(cells)) cells <- check_data_cells(cells, x)
  if (!is.null(by) || !is.null(items)) {
    return(sum_true_counts(x, by, items, cells, level, draws))
  }
  input <- input_of_cells(x, cells)
  if (is.null(cells)) cells <- all_observed(x, input)
  truth <- matrix(0, nrow(cells), 4, dimnames = list(NULL, c("mean", "lower", "upper", "p_zero")))
  for (at in truth_parts(input, cells, length(draws))) {
    truth[at, ] <- summarise_truth(truth_block(x, input, cells[at, , drop = FALSE], draws), level)
  }
  y_tilde <- if (is_shards(x$data)) counts_at(input$counts, cells) else released_at(x$data, cells)
  table <- data.frame(label_cells(x, cells), y_tilde = y_tilde, .fitted = mean_of_cells(x, cells), truth)
  tibble::new_tibble(as.list(table), nrow = nrow(table), class = "denoised_counts", fit = x, level = level)
}

# If `cells` is not given, at most this many true counts are estimated.
MOST_CELLS <- 1e5

all_observed <- function(fit, input, call = rlang::caller_env()) {
  network <- model_of(fit)$network
  check_number_of_cells(n_observed(input$counts, network), MOST_CELLS, call)
  masked <- n_missing(input$counts)
  tell_if(masked > 0, c(
    "{masked} masked (missing) cell{?s} {?is/are} left out.",
    i = "To predict {cli::qty(masked)}{?it/them} too, give the indices in {.arg cells}."
  ), "ldpcounts_masked_left_out")
  observed_cells(input$counts, network)
}

check_number_of_cells <- function(n, most, call) {
  check_that(n <= most, c(
    "{.arg cells} must be given for data with {format_number(n)} cells.",
    i = "By default all cells are used, up to {format_number(most)}. For the means, use {.fn fitted}."
  ), call)
}

# --- printing -------------------------------------------------------------------------------------

#' @rdname augment.ldp_fit
#' @param n How many rows are printed.
#' @export
print.denoised_counts <- function(x, ..., n = 10) {
  check_no_dots(...)
  print_estimates(x, n, paste("Estimates of", count_of(format_number(nrow(x)), "true count")), paste(
    "mean, lower, upper: of the true count; .fitted: of its rate, which can lie outside this interval; p_zero:",
    "the probability that the count is 0."
  ))
}

#' @rdname augment.ldp_fit
#' @export
print.denoised_sums <- function(x, ..., n = 20) {
  check_no_dots(...)
  title <- paste("Model-based estimates of", count_of(format_number(nrow(x)), "sum"), "of true counts")
  print_estimates(x, n, title, c(paste(
    "mean, lower, upper: of the sum of true counts; .fitted: of the sum of their rates, which can lie outside",
    "this interval; cells, masked: how many were added up, and how many of them are missing."
  ), attr(x, "contradicted")))
}

# --- sums -----------------------------------------------------------------------------------------

# The result of augment() with `by` or `items`. At each kept draw of the factors, the true counts of all cells
# are drawn given mu and the release. They are then independent, and summed, so that a sum has the uncertainty
# of the factors, which its cells share, as well as that of each count.
sum_true_counts <- function(fit, by, items, cells, level, draws, call = rlang::caller_env()) {
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
    labels <- labels_or_numbers(data_dimnames(fit)[[mode]], dim[mode])
    factor(seq_len(dim[mode]), labels = make.unique(as.character(labels)))
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
    .fitted = sum_by_line(mean_of_cells(fit, cells), sums$of, sums$n),
    draw_sums(fit, input, cells, sums, level, draws),
    cells = tabulate(sums$of, sums$n), masked = sum_by_line(is.na(counts_at(input$counts, cells)), sums$of, sums$n)
  )
  worst <- if (models_noise(fit)) worst_margin(compare_margins(fit))
  tibble::new_tibble(as.list(table),
    nrow = nrow(table), class = "denoised_sums", level = level,
    contradicted = if (!is.null(worst)) describe_margin(worst, "Problems were found: the ")
  )
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
  check_number_of_cells(n, MOST_SUMMED, call)
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

# The posterior mean of each sum, which is the sum of the means of augment(), and its interval: the smallest
# whole numbers at which the distribution function of the drawn sums reaches (1 - level) / 2 and
# (1 + level) / 2.
draw_sums <- function(fit, input, cells, sums, level, draws, call = rlang::caller_env(2)) {
  hint <- "Reduce {.arg draws}, or group the columns by {.arg items}."
  check_free_memory(8 * 3 * sums$n * length(draws), "Draws of the sums", hint, call)
  stream <- chain_streams(1, stats::runif(1))[[1]]
  mean <- numeric(sums$n)
  drawn <- matrix(0, sums$n, length(draws))
  for (at in truth_parts(input, cells, length(draws))) {
    block <- truth_block(fit, input, cells[at, , drop = FALSE], draws)
    mean <- mean + sum_by_line(summarise_truth(block, level)[, 1], sums$of[at], sums$n)
    made <- with_stream(stream, draw_block(block, length(draws)))
    stream <- made$stream
    drawn <- drawn + sum_by_line(made$value, sums$of[at], sums$n)
  }
  p <- (1 + c(-1, 1) * level) / 2
  ends <- vapply(seq_len(sums$n), function(i) stats::quantile(drawn[i, ], p, type = 1, names = FALSE), p)
  data.frame(mean = mean, lower = ends[1, ], upper = ends[2, ])
}

# The input of the fit. Of data in files, it has the counts of these cells alone; those below zero are 0,
# which does not change the distributions of their true counts.
input_of_cells <- function(fit, cells) {
  if (!is_shards(fit$data) || is_svi(fit) || is.null(cells)) {
    return(input_of(fit))
  }
  counts <- counts_in_files(fit$data, cells)
  source <- shards_source(fit$data, fit$noise)
  c(list(counts = sparse_counts(cells, counts, source$dim, NULL)), source[c("alpha", "clamped")])
}

# The largest number of kept draws to use, checked.
check_draws <- function(draws, call = rlang::caller_env()) {
  if (identical(draws, Inf)) Inf else check_whole(draws, "draws", 1, call = call)
}
