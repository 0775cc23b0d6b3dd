# The log density of a release, cell by cell and draw by draw.

#' Log density of a release, cell by cell
#'
#' Method of the generic `rstantools::log_lik()`, for comparing models: the log density of
#' each released count at each kept draw, in closed form, with the true count summed out.
#'
#' @details The density of a cell is that of [dprivpois()], or of [dprivnbinom()] with `family = "nbinom1"`,
#' at the `mu` and the dispersion of the draw, with a relative error below 1e-8. A zero in a clamped release
#' represents all released counts at or below zero, whose total probability is `E[alpha^y] / (1 + alpha)`.
#' Without noise, or if the noise is ignored, the density is that of the count itself. The density does not
#' depend on the sampling `scheme`. Its sum over cells is the log density of the release, which `summary()`
#' monitors.
#'
#' Compare a private and a naive fit only if the release is clamped. Otherwise the naive fit has set negative
#' counts to zero, and the two densities are those of different data. Do not compare fits to releases with
#' different `alpha` either: these are different data, too.
#' @param object A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param ... Must be empty.
#' @param cells Compute the log density of these cells only: an index matrix as for `fitted()`; see
#'   [ldp_fit-methods]. They must be observed.
#' @seealso [loo.ldp_fit()], which does not need the whole matrix in memory; [held_out_density()].
#' @return A matrix with one row per kept draw (chain after chain) and one column per row of `cells`; by
#'   default one column per observed cell. The order of the columns is then that of
#'   `which(!is.na(as.matrix(data)))`, which is column after column (for a tensor, the same as
#'   `which(!is.na(as.array(data)))`). The diagonal of a network is left out.
#' @section Errors: An error of class `ldpcounts_error` is thrown for `cells` that are not observed cells of
#' the data, and if there is not enough memory for the matrix.
#' @references Schein et al. (2019), section 3, for the model; the closed forms are new in this package.
#' @examples
#' set.seed(1)
#' fit <- topic_model(privatize(poliblog[1:60, 1:80], epsilon = 1), k = 3, iter = 60)
#' if (requireNamespace("rstantools", quietly = TRUE)) {
#'   pointwise <- rstantools::log_lik(fit)
#'   dim(pointwise)
#'   range(rowSums(pointwise))
#' }
#' @rdname log_lik
#' @exportS3Method rstantools::log_lik
log_lik.ldp_fit <- function(object, ..., cells = NULL) {
  check_method(object, ...)
  input <- input_of(object)
  cells <- pointwise_cells(object, input, cells)
  check_observed(counts_at(input$counts, cells))
  pointwise_density(object, input, cells)
}

# The cells to which the columns of a matrix of draws belong: those requested, or all observed ones. An error
# is thrown if there is not enough memory for the matrix.
pointwise_cells <- function(fit, input, cells, call = rlang::caller_env()) {
  network <- model_of(fit)$network
  if (!is.null(cells)) cells <- check_data_cells(cells, fit, call = call)
  n <- if (is.null(cells)) n_observed(input$counts, network) else nrow(cells)
  check_pointwise_memory(n_draws(fit), n, call = call)
  if (is.null(cells)) observed_cells(input$counts, network) else cells
}

# A matrix with one row per draw s, f(s), and n columns, one per cell.
draws_in_rows <- function(draws, n, f) {
  rows <- matrix(0, length(draws), n)
  for (i in seq_along(draws)) rows[i, ] <- f(draws[i])
  rows
}

# Log density of the released counts in some cells, one row per draw.
pointwise_density <- function(fit, input, cells, draws = seq_len(n_draws(fit))) {
  y_tilde <- counts_at(input$counts, cells)
  draws_in_rows(draws, nrow(cells), function(s) log_density_of_cells(fit, s, input, cells, y_tilde))
}

# A list of the results of `f` for blocks of cells. Blocks are so small that a matrix with one number per draw
# and cell is not large.
by_blocks <- function(cells, n_draws, f, size = 4e6) { # 32 MB per matrix
  lapply(unname(blocks_of(nrow(cells), n_draws, size)), function(block) f(cells[block, , drop = FALSE]))
}

# Log density of some cells in draw s.
log_density_of_cells <- function(fit, s, input, cells, y_tilde) {
  mu <- draw_cell_mean(fit, s, cells)
  excess <- draw_cell_excess(fit, s, cells)
  release_density(y_tilde, mu, excess, alpha_of_cells(input, cells), input$clamped)
}

# The alpha of cells: one number if all rows of the data have the same noise, otherwise one per cell.
alpha_of_cells <- function(input, cells) {
  if (min(input$alpha) == max(input$alpha)) input$alpha[1] else input$alpha[cells[, 1]]
}

check_observed <- function(y_tilde, call = rlang::caller_env()) {
  check_that(!anyNA(y_tilde), c(
    "{.arg cells} must not be masked.",
    x = "Row {which(is.na(y_tilde))[1]} of {.arg cells} is masked."
  ), call)
}

# Is there enough memory for the matrix and the index of its columns?
check_pointwise_memory <- function(draws, cells, free = memory_free(), call = rlang::caller_env()) {
  check_free_memory(8 * draws * cells + 32 * cells, "The matrix", paste0(
    "It has one row per draw (", draws, ") and one column per cell (", format_number(cells),
    "). Select fewer {.arg cells}."
  ), free, call)
}
