#' Log density of a release, cell by cell
#'
#' Method of the generic `rstantools::log_lik()`, for `loo::loo()` and its kin: the log density of
#' each released count at each kept draw, in closed form, with the true count summed out.
#'
#' @details
#' The density of a cell is that of [dprivpois()], or of [dprivnbinom()] with
#' `family = "nbinom1"`, at the draw's `mu` and dispersion; a zero of a clamped release stands for
#' all releases at or below zero, with probability `E[alpha^y] / (1 + alpha)`. Where there is no
#' noise, or it is ignored, it is that of the count itself. It does not depend on the
#' `augmentation`. The sum over cells is the log density of the release that `summary()` watches.
#'
#' Private and naive analyses are comparable on a clamped release only, and never across different
#' `alpha`: they give densities of different data.
#' @param object A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param ... Must be empty.
#' @param cells Only these cells, at their cost: an index matrix as for `fitted()`; see
#'   [ldp_fit-methods]. They must be observed.
#' @return A matrix, one row per kept draw (chain after chain), one column per observed cell, in the
#'   order of `which(!is.na(as.matrix(data)))`, which is column after column (of a tensor the same as
#'   `which(!is.na(as.array(data)))`), without the diagonal of a network; or one per row of `cells`.
#' @section Errors: of class `ldpcounts_error` for `cells` that are not observed cells of the data,
#'   and for a matrix that memory can't hold.
#' @references Schein et al. (2019), section 3, for the model; the closed forms are ours.
#' @examples
#' set.seed(1)
#' fit <- topic_model(private_counts(poliblog[1:60, 1:80], epsilon = 1), k = 3, iter = 60)
#' if (requireNamespace("rstantools", quietly = TRUE)) {
#'   pointwise <- rstantools::log_lik(fit)
#'   dim(pointwise)
#'   range(rowSums(pointwise))
#' }
#' @rdname log_lik
#' @exportS3Method rstantools::log_lik
log_lik.ldp_fit <- function(object, ..., cells = NULL) {
  check_no_dots(...)
  input <- input_of(object)
  network <- model_of(object)$network
  if (!is.null(cells)) cells <- check_data_cells(cells, object)
  n <- if (is.null(cells)) n_observed(input$counts, network) else nrow(cells)
  check_pointwise_memory(n_draws(object), n)
  if (is.null(cells)) cells <- observed_cells(input$counts, network)
  y_tilde <- counts_at(input$counts, cells)
  check_observed(y_tilde)
  density <- matrix(0, n_draws(object), nrow(cells))
  for (s in seq_len(n_draws(object))) {
    density[s, ] <- log_density_of_cells(object, s, input, cells, y_tilde)
  }
  density
}

# In draw s. A clamped zero has the probability of all releases k <= 0: that of 0 times the sum of
# alpha^|k|.
log_density_of_cells <- function(fit, s, input, cells, y_tilde) {
  alpha <- input$alpha[cells[, 1]]
  mu <- draw_cell_mean(fit, s, cells)
  density <- if (n_excess(family_of(fit), nrow(fit$data)) == 0) {
    dprivpois(y_tilde, mu, alpha, log = TRUE)
  } else {
    dprivnbinom(y_tilde, mu, 1 + draw_cell_excess(fit, s, cells), alpha, log = TRUE)
  }
  if (input$clamped) density - ifelse(y_tilde == 0, log1p(-alpha), 0) else density
}

check_observed <- function(y_tilde, call = rlang::caller_env()) {
  if (anyNA(y_tilde)) {
    ldp_abort(c(
      "{.arg cells} must be observed cells.",
      x = "Row {which(is.na(y_tilde))[1]} of {.arg cells} is masked."
    ), class = "ldpcounts_argument_error", call = call)
  }
}

# The matrix, and the index of its columns.
check_pointwise_memory <- function(draws, cells, free = memory_free(), call = rlang::caller_env()) {
  needed <- 8 * draws * cells + 32 * cells
  if (needed > free) {
    ldp_abort(c(
      "The matrix would take {format_bytes(needed)} of memory, and {format_bytes(free)} are free.",
      i = paste(
        "A row a draw ({draws}), a column a cell ({format_number(cells)}):",
        "choose some {.arg cells}."
      )
    ), class = "ldpcounts_memory_error", call = call)
  }
}
