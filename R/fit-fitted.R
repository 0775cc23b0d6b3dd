# Posterior means of mu: of all cells, or of some.

# The posterior mean of f(factors, size), which must be linear in each factor and in the mean size of events.
# For Gibbs sampling it is the mean over kept draws, with modes weighted by their shares. For variational
# inference it is f of the means: factors and size are independent under q, so the mean of a product is the
# product of means.
posterior_mean_of <- function(fit, f) {
  if (is_cavi(fit)) {
    return(f(q_factors(fit), q_event_size(fit)))
  }
  mean_of_each(shared_draws(fit), function(s) f(draw_factors(fit, s), draw_event_size(fit, s)))
}

# mu of some cells, given factors, and in kept draw s.
cell_mean <- function(fit, factors, size, cells) {
  if (length(size) > 1) size <- size[cells[, 1]]
  model_of(fit)$cell_mean(factors, cells) * size
}
draw_cell_mean <- function(fit, s, cells) {
  cell_mean(fit, draw_factors(fit, s), draw_event_size(fit, s), cells)
}

#' @rdname ldp_fit-methods
#' @importFrom stats fitted
#' @export
#' @order 2
fitted.ldp_fit <- function(object, ..., cells = NULL, level = NULL) {
  check_method(object, ...)
  labels <- data_dimnames(object)
  if (!is.null(level)) {
    level <- check_open_share(level, "level")
    if (is.null(cells)) abort_argument(cells, "cells", "given where `level` is", rlang::current_env())
  }
  if (is.null(cells)) {
    return(`dimnames<-`(posterior_mean(object), labels))
  }
  cells <- check_cells(cells, dim(object$data), labels)
  mean <- mean_of_cells(object, cells)
  names(mean) <- if (!is.null(labels)) do.call(paste, c(unname(label_cells(object, cells)), sep = ", "))
  if (is.null(level)) mean else cbind(mean, mean_intervals(object, cells, level))
}

# Means and equal-tailed intervals of mu in some cells, over draws.
mean_intervals <- function(fit, cells, level) {
  draws <- shared_draws(fit)
  ends <- matrix(0, nrow(cells), 2, dimnames = list(NULL, c("lower", "upper")))
  for (at in blocks_of(nrow(cells), length(draws))) {
    mu <- each_draw(draws, length(at), function(s) draw_cell_mean(fit, s, cells[at, , drop = FALSE]))
    ends[at, ] <- t(apply(mu, 1, stats::quantile, (1 + c(-1, 1) * level) / 2, names = FALSE, na.rm = TRUE))
  }
  ends
}

# The posterior mean of mu in some cells. If there are many, it is faster to compute the means of all cells.
mean_of_cells <- function(fit, cells) {
  if (nrow(cells) > prod(dim(fit$data)) / 4 && !is_shards(fit$data)) {
    mean <- posterior_mean(fit)
    return(matrix(mean, nrow(mean))[cells])
  }
  posterior_mean_of(fit, function(factors, size) cell_mean(fit, factors, size, cells))
}

posterior_mean <- function(fit, call = rlang::caller_env()) {
  check_in_memory(fit)
  check_free_memory(3 * 8 * prod(dim(fit$data)), "The means of all cells",
    "{.code fitted(fit, cells = )} computes the means of some cells.", call
  )
  remember(fit, "mean", {
    model <- model_of(fit)
    posterior_mean_of(fit, function(factors, size) model$mean(factors) * size)
  })
}

# Checks cells of the data of a fit; see check_cells().
check_data_cells <- function(cells, fit, call = rlang::caller_env()) {
  cells <- check_cells(cells, dim(fit$data), data_dimnames(fit), call = call)
  check_cells_of_network(cells, model_of(fit)$network, call = call)
}
