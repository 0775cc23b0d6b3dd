# The log density of held-out cells.

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
  check_that(!is_holdout(data), c(
    "{.arg data} must be the counts given to {.fn holdout_cells}, not its result.",
    i = "Give the result as {.arg cells}: {.code held_out_density(fit, counts, held_out)}."
  ))
  check_given(missing(cells), "cells")
  if (is_holdout(cells)) cells <- cells$cells
  data <- given_counts(data, "data", dims = dims)
  input <- quietly(model_input(model_of(fit), data, fit$noise))
  check_same_shape(input$dim, fit)
  check_same_labels(dimnames(data), data_dimnames(fit), "data", "the data of {.arg fit}")
  cells <- check_data_cells(cells, fit)
  check_observed(counts_at(input$counts, cells))
  check_unseen(cells, fit)
  check_any(cells)
  draws <- shared_draws(fit)
  pointwise <- unlist(by_blocks(cells, length(draws), function(cells) {
    log_mean_exp(pointwise_density(fit, input, cells, draws))
  }))
  structure(
    list(
      mean = mean(pointwise), se = dependent_error(pointwise, cells, model_of(fit)$network),
      cells = length(pointwise),
      scored = describe_scored(input, fit$noise), pointwise = pointwise
    ),
    class = "held_out_density"
  )
}

# Is x a result of holdout_cells()?
is_holdout <- function(x) is.list(x) && !is.object(x) && all(c("train", "cells") %in% names(x))

shape_of <- function(x) paste(dim(x), collapse = " x ")

check_same_shape <- function(dim, fit, call = rlang::caller_env()) {
  shape <- paste(dim, collapse = " x ")
  check_that(shape == shape_of(fit$data), c(
    "{.arg data} must have the shape of the data of {.arg fit}, {shape_of(fit$data)}.",
    x = "It is {shape}."
  ), call)
}

# Cells are matched by position, so labels of a mode must be the same if both have them.
check_same_labels <- function(labels, known, arg, of, call = rlang::caller_env()) {
  for (mode in seq_along(known)) {
    own <- labels[[mode]]
    if (same_labels(own, known[[mode]])) next
    which <- if (length(known) == 2) c("rows", "columns")[mode] else paste("mode", mode)
    ldp_abort(c(
      paste0("{.arg {arg}} must have the same labels as ", of, ", in the same order."),
      x = if (setequal(own, known[[mode]])) {
        "The labels of {which} are in another order."
      } else {
        "The labels of {which} differ from number {first_other(own, known[[mode]])} on."
      }
    ), call = call)
  }
}

# Checks that there are cells to score.
check_any <- function(cells, call = rlang::caller_env()) {
  check_that(nrow(cells) > 0, "{.arg cells} must have at least one row.", call)
}

check_unseen <- function(cells, fit, call = rlang::caller_env()) {
  seen <- which(!is.na(released_at(fit$data, cells)))
  check_that(length(seen) == 0, c(
    "{.arg cells} must be cells that are masked in the data of {.arg fit}.",
    x = "Row {seen[1]} of {.arg cells} is a cell that is not masked: the fit used it.",
    i = "For the density of such cells, use {.fn log_lik}."
  ), call)
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
  if (!input$private) {
    "true counts"
  } else if (noise == "ignore") {
    "released counts with negative ones set to zero, treated as true counts"
  } else if (input$clamped) {
    "counts of a clamped release"
  } else {
    "released counts"
  }
}

#' @export
print.held_out_density <- function(x, ...) {
  cat_wrapped(paste0(
    "Log predictive density of ", format_number(x$cells), " held-out cells (", x$scored, "): ",
    format_score(x$mean, x$se), " per cell (standard error in parentheses)."
  ))
  invisible(x)
}
