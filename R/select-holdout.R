# Held-out cells: how they are chosen, and checks of cells that users choose.

#' Hold out cells, and score them
#'
#' `holdout_cells()` chooses cells and masks them. `held_out_density()` scores how well a fit to the other
#' cells predicts the counts in them.
#'
#' @details
#' What is held out:
#' * `"random"`: a `fraction` of the observed cells, each with the same probability;
#' * `"rows"`: all cells of a `fraction` of the rows (the indices of the first mode), at random: people,
#'   or documents, that the model has not seen. For these rows the fit has only the prior (in a network, also
#'   what others send to the actor), so the score says how well new rows are predicted;
#' * `"active"`: the mask of Schein et al. (2019), every cell that involves any of the `n` most active senders
#'   (rows) or recipients (columns). These have the largest sums of counts; of equal sums, the first is taken.
#'   For a private release, released counts are summed, which costs no further privacy. Because the noise has
#'   mean zero, sums of many cells are close to those of the true counts. (In a clamped release, counts are
#'   too high on average, by `alpha^(y + 1)/(1 - alpha^2)` for a true count `y`; the excess is largest where
#'   the true count is zero. If rows have different `alpha`, those with a larger `alpha` may therefore seem
#'   more active than they are.) If there are more than two modes, the first is that of senders and the second
#'   that of recipients.
#'
#' The diagonal of a network is not data. The diagonal of a square table is therefore not held out, and does
#' not count as activity, unless rows and columns have different labels. An undirected release, and true
#' counts that are symmetric, have two cells for each pair: both are masked, and the one above the diagonal is
#' among `cells`.
#'
#' To score a cell, its density ([dprivpois()], or [dprivnbinom()] at the dispersion of the draw) is averaged
#' over draws. The score is the logarithm of this average. The density is that of the true count if `data` are
#' true counts (a simulation, or a non-private analysis), and that of the released count if `data` are a
#' [private_counts()], with its `alpha`. A fit with `noise = "ignore"` sets the negative counts of a release
#' to zero and takes the result for true counts. It is scored on these counts.
#'
#' Cells in the same row (in a network, cells that share an actor) are not independent. The standard error
#' allows for this. It is clustered by row: the differences of the scores from their mean are summed over the
#' cells of each row (for a tensor, of each index of the first mode), and these sums are squared and added.
#' For a network, it is the standard error of Aronow and others (2015, eq. 3), which allows for all pairs of
#' cells that share an actor. In both cases it is multiplied by `sqrt(G/(G - 1))` for `G` rows or actors. With
#' fewer than about twenty rows or actors, the standard error is itself uncertain.
#'
#' Compare scores only for the same cells of the same `data`. Private and naive analyses can be compared on
#' true counts or on a clamped release. On any other release, the two are not scored on the same counts.
#' @param data `holdout_cells()`: counts, as accepted by [topic_model()], [block_model()] and
#'   [tensor_model()]; see [data-objects]. `held_out_density()`: such counts, of the same shape as the data
#'   of `fit`, but including the cells that were held out.
#' @param type What is held out, see below.
#' @param ... Must be empty: all further arguments are named.
#' @param fraction For `"random"` and `"rows"`: the share of cells or rows to hold out, between 0 and 1.
#' @param n For `"active"`: the number of senders, and also the number of recipients.
#' @param dims For a data frame of cells: the names of the columns of the modes; see [privatize()].
#' @return `holdout_cells()`: a list of `train` and `cells`. `train` is the data with the chosen cells masked
#'   (`NA`). `cells` is an index matrix of these cells, with one row per cell and one column per mode of the
#'   data. Its rows are in the order in which R stores a matrix or array (column after column). It can be used
#'   as `cells` in `fitted()`, [augment()][augment.ldp_fit], [log_lik()][log_lik.ldp_fit] and
#'   `held_out_density()`. Cells that were masked already are not included.
#'
#'   `held_out_density()`: an object of class `held_out_density`, a list of `mean` (per cell), `se` (its
#'   standard error, by rows or actors, see above; `NA` if all cells are in one row), `cells` (their
#'   number), `scored` (a description of the counts that were scored) and `pointwise` (the log density of each
#'   cell). It is printed as a sentence.
#' @section Reproducible: Cells are chosen with R's generator, so `set.seed()` makes the choice
#' reproducible. `"active"` does not use it.
#' @section Errors: `holdout_cells()` stops with an error of class `ldpcounts_error` if data are not counts,
#'   if `fraction` or `n` is out of range, and if no cell or every cell would be held out.
#'   `held_out_density()` does so if `data` have another shape or other labels than the data of `fit`, and if
#'   `cells` are not observed in `data` or were observed in the data of `fit`.
#' @references Schein et al. (2019), section 6. The log predictive density: Gelman, A., Hwang, J. and
#'   Vehtari, A. (2014). Understanding predictive information criteria for Bayesian models. *Statistics
#'   and Computing* 24, equation 5. The standard error: Aronow, P., Samii, C. and Assenova, V. (2015).
#'   Cluster-robust variance estimation for dyadic data. *Political Analysis* 23.
#' @seealso [compare_k()], and [loo.ldp_fit()] which does not need held-out cells.
#' @examples
#' set.seed(1)
#' y <- poliblog[1:60, 1:80]
#' released <- privatize(y, epsilon = 2)
#' held_out <- holdout_cells(released)
#' fit <- topic_model(held_out$train, k = 3, iter = 60)
#' # scored on the true counts
#' held_out_density(fit, y, held_out$cells)
#' @export
holdout_cells <- function(data, type = c("random", "rows", "active"), ..., fraction = 0.1, n = 50,
                          dims = NULL) {
  check_no_dots(...)
  type <- check_choice(type, "type", c("random", "rows", "active"))
  fraction <- check_open_share(fraction, "fraction")
  n <- check_whole(n, "n", 1)
  check_given(missing(data), "data")
  data <- given_counts(data, "data", dims = dims)
  input <- counts_of(data, n_modes = NULL)
  counts <- input$counts
  network <- network_of(data, counts)
  size <- function(all) max(1, round(fraction * all))
  cells <- switch(type,
    random = random_cells(counts, network, size(n_units(counts, network))),
    rows = cells_on_lines(counts, network, list(sample.int(nrow(counts), size(nrow(counts)))), input$dim),
    active = {
      lines <- lapply(1:2, function(mode) most_active(counts, network, n, mode, input$dim))
      cells_on_lines(counts, network, lines, input$dim)
    }
  )
  check_some_left(nrow(cells), n_units(counts, network))
  index <- unfold_cells(cells, input$dim)
  storage.mode(index) <- "integer"
  train <- hold_out(data, counts, cells, network)
  list(train = if (is_release(train)) train else as_given(train), cells = index)
}

# The kind of network that a table may be. Rows and columns can be the same actors if the table is square and
# their labels do not differ. A network of true counts is undirected if it is symmetric.
network_of <- function(data, counts) {
  if (length(dim(data)) > 2 || nrow(counts) != ncol(counts) || labels_differ(counts)) {
    return("none")
  }
  symmetric <- any(counts != 0, na.rm = TRUE) && is_symmetric(counts)
  undirected <- if (inherits(data, "private_counts")) !privacy(data)$directed else symmetric
  if (undirected) "undirected" else "directed"
}

# The number of observed cells; the diagonal of a network is not counted, whatever it contains.
n_units <- function(counts, network) {
  masked <- cells_where(counts, is.na)
  n_cells(counts) - sum(n_other(nrow(counts), network)) - sum(is_data(masked, network))
}

# `size` random observed cells, in the order of the data. Except for undirected networks, the memory needed
# does not depend on the number of zeros of sparse counts. If the places s_1 < s_2 < ... are skipped, the r-th
# place left is r + #{j : s_j - j < r}.
random_cells <- function(counts, network, size) {
  if (network == "undirected") {
    cells <- observed_cells(counts, network)
    return(cells[sort(sample.int(nrow(cells), min(size, nrow(cells)))), , drop = FALSE])
  }
  dim <- dim(counts)
  diagonal <- if (network == "directed") place_in(diagonal_cells(dim[1]), dim)
  skipped <- sort(unique(c(place_in(cells_where(counts, is.na), dim), diagonal)))
  left <- n_cells(counts) - length(skipped)
  rank <- sort(sample.int(left, min(size, left)))
  cells_in(rank + findInterval(rank - 1, skipped - seq_along(skipped)), dim)
}

# The n indices of a mode with the largest sums, the first of equals. `shape`: the extents of all modes.
most_active <- function(counts, network, n, mode, shape = dim(counts)) {
  has_counts <- function(x) !is.na(x) & x != 0
  cells <- cells_where(counts, has_counts)
  values <- values_where(counts, has_counts)
  seen <- network == "none" | cells[, 1] != cells[, 2]
  index <- unfold_cells(cells[seen, , drop = FALSE], shape)[, mode]
  activity <- sum_by_line(values[seen], index, shape[mode])
  order(-activity)[seq_len(min(n, length(activity)))]
}

# The observed cells with one of these indices in the first mode, or in the second, ..., in the order of the
# data, as pairs of a row and a column of the table. In an undirected network each pair belongs to the lines
# of both actors.
cells_on_lines <- function(counts, network, lines, shape = dim(counts)) {
  if (network == "undirected") lines <- rep(list(unique(unlist(lines))), 2)
  places <- lapply(seq_along(lines), function(mode) {
    index <- replace(lapply(shape, seq_len), mode, lines[mode])
    place_in(as.matrix(expand.grid(index, KEEP.OUT.ATTRS = FALSE)), shape)
  })
  cells <- cells_in(sort(unique(unlist(places))), dim(counts))
  cells[!is.na(counts_at(counts, cells)) & is_data(cells, network), , drop = FALSE]
}

check_some_left <- function(held_out, observed, call = rlang::caller_env()) {
  check_that(held_out > 0 && held_out < observed, c(
    "Some cells must be held out, and some must be left to fit the model.",
    x = "{format_number(held_out)} of {format_number(observed)} observed cells would be held out.",
    i = "Change {.arg fraction}, or with {.code type = \"active\"} the argument {.arg n}."
  ), call)
}

# The data with these cells masked; `counts`: the checked counts of the data.
hold_out <- function(data, counts, cells, network) {
  if (is_release(data)) {
    return(mask_cells(data, cells)) # which masks both cells of a pair
  }
  if (network == "undirected") cells <- rbind(cells, cells[, 2:1, drop = FALSE])
  counts[cells] <- NA
  data$counts <- counts
  data
}

# A tenth of the observed cells, but at most a million, because more cells would hardly make the scores more
# precise.
a_tenth <- function(counts, network) {
  random_cells(counts, network, max(1, min(round(n_units(counts, network) / 10), 1e6)))
}

check_held_out <- function(cells, data, counts, network, call = rlang::caller_env()) {
  cells <- check_cells(cells, dim(data), dimnames(data), call = call)
  cells <- unique(check_cells_of_network(cells, network, call = call))
  check_observed(counts_at(counts, cells), call = call)
  cells
}

# --- scores ---------------------------------------------------------------------------------------

#' @rdname holdout_cells
#' @param fit A fit of [topic_model()], [block_model()] or [tensor_model()] to data in which the cells are
#'   masked, such as `train`.
#' @param cells The cells held out: an index matrix, such as `holdout_cells()$cells`, of numbers or
#'   labels; or the whole result of `holdout_cells()`.
#' @export
held_out_density <- function(fit, data, cells, ..., dims = NULL) {
  check_no_dots(...)
  check_is_fit(fit, own = TRUE)
  check_given(missing(data), "data")
  check_given(missing(cells), "cells")
  if (is_holdout(cells)) cells <- cells$cells
  data <- given_counts(data, "data", dims = dims)
  input <- quietly(model_input(model_of(fit), data, fit$noise))
  check_that(shape_of(data) == shape_of(fit$data), c(
    "{.arg data} must have the shape of the data of {.arg fit}, {shape_of(fit$data)}.",
    x = "It is {shape_of(data)}."
  ))
  check_same_labels(dimnames(data), data_dimnames(fit), "data", "the data of {.arg fit}")
  cells <- check_data_cells(cells, fit)
  check_observed(counts_at(input$counts, cells))
  seen <- which(!is.na(released_at(fit$data, cells)))
  check_that(length(seen) == 0, c(
    "{.arg cells} must be cells that are masked in the data of {.arg fit}.",
    x = "Row {seen[1]} of {.arg cells} is a cell that is not masked: the fit used it.",
    i = "For the density of such cells, use {.fn log_lik}."
  ))
  check_any(cells)
  draws <- shared_draws(fit)
  pointwise <- unlist(by_blocks(cells, length(draws), function(cells) {
    log_mean_exp(pointwise_density(fit, input, cells, draws))
  }))
  structure(
    list(
      mean = mean(pointwise), se = dependent_error(pointwise, cells, model_of(fit)$network),
      cells = length(pointwise), scored = describe_scored(input, fit$noise), pointwise = pointwise
    ),
    class = "held_out_density"
  )
}

# Is x a result of holdout_cells()?
is_holdout <- function(x) is.list(x) && !is.object(x) && all(c("train", "cells") %in% names(x))

shape_of <- function(x) paste(dim(x), collapse = " x ")

# Cells are matched by position, so labels of a mode must be the same if both have them.
check_same_labels <- function(labels, known, arg, of, call = rlang::caller_env()) {
  for (mode in seq_along(known)) {
    own <- labels[[mode]]
    check_that(same_labels(own, known[[mode]]), c(
      paste0("{.arg {arg}} must have the same labels as ", of, ", in the same order."),
      x = "The labels of mode {mode} differ from number {first_other(own, known[[mode]])} on."
    ), call)
  }
}

# Checks that there are cells to score.
check_any <- function(cells, call = rlang::caller_env()) {
  check_that(nrow(cells) > 0, "{.arg cells} must have at least one row.", call)
}

# The standard error of a mean over cells that are not independent if they share a row (in a network, an
# actor). The variance of their sum is computed from sums of rows, or from all pairs of cells that share an
# actor (Aronow, Samii and Assenova 2015, eq. 3). NA if all cells are in one row.
dependent_error <- function(x, cells, network = "none") {
  from_mean <- x - mean(x)
  sums_of_squares <- function(group, values = from_mean) rowsum(values, group, reorder = FALSE)^2
  if (network == "none") {
    of_groups <- sums_of_squares(cells[, 1])
    variance <- sum(of_groups)
  } else {
    of_groups <- sums_of_squares(c(cells), c(from_mean, from_mean))
    pairs <- cbind(pmin(cells[, 1], cells[, 2]), pmax(cells[, 1], cells[, 2]))
    of_pairs <- sum(sums_of_squares(place_in(pairs, rep(max(pairs), 2))))
    # the two cells of a pair of actors share both actors; with few actors the difference can be negative
    variance <- max(sum(of_groups) - of_pairs, of_pairs)
  }
  n <- length(of_groups)
  if (n < 2) NA_real_ else sqrt(variance * n / (n - 1)) / length(x)
}

describe_scored <- function(input, noise) {
  naive <- "released counts with negative ones set to zero, treated as true counts"
  released <- if (input$clamped) "counts of a clamped release" else "released counts"
  if (!input$private) "true counts" else if (noise == "ignore") naive else released
}

#' @export
print.held_out_density <- function(x, ...) {
  cat_wrapped(paste0(
    "Log predictive density of ", format_number(x$cells), " held-out cells (", x$scored, "): ",
    format_score(x$mean, x$se), " per cell (standard error in parentheses)."
  ))
  invisible(x)
}
