# Kept draws of a fit: factors and dispersion of each, and draws by the mode of the posterior they are in.

# About n kept draws, spread over all chains, modes by their shares.
spread_draws <- function(fit, n) spread_over(shared_draws(fit), n)

# The factors of kept draw s, as users see them, without labels.
draw_factors <- function(fit, s) {
  factors <- lapply(model_of(fit)$factors, function(name) {
    draws <- fit$draws[[name]]
    turn(model_of(fit), name, matrix(draws[, , s], dim(draws)[1]))
  })
  stats::setNames(factors, model_of(fit)$factors)
}

# dispersion - 1 in kept draw s: one number, one per row, or none of Poisson counts.
draw_excess <- function(fit, s) fit$draws$excess[, 1, s]

# That of some cells: one number, or one a cell; 0 of Poisson counts.
draw_cell_excess <- function(fit, s, cells) {
  excess <- draw_excess(fit, s)
  if (length(excess) > 1) excess[cells[, 1]] else if (length(excess) == 1) excess else 0
}

draw_row_bounds <- function(fit, s) {
  model_of(fit)$row_bounds(draw_factors(fit, s)) * event_size(draw_excess(fit, s))
}
draw_row_totals <- function(fit, s) {
  model_of(fit)$row_totals(draw_factors(fit, s)) * event_size(draw_excess(fit, s))
}
draw_total <- function(fit, s) sum(draw_row_totals(fit, s))

# Where other runs start from a fit: the last draw of each chain, or the means of q.
last_draws <- function(fit) {
  if (is_cavi(fit)) {
    excess <- q_mean_excess(fit)
    return(list(c(q_factors(fit), if (length(excess) > 0) list(dispersion = 1 + excess))))
  }
  lapply(seq_len(fit$run$chains) * fit$run$kept, function(s) {
    excess <- draw_excess(fit, s)
    c(draw_factors(fit, s), if (length(excess) > 0) list(dispersion = 1 + excess))
  })
}

# One row per draw, also where the dispersion is fixed; NULL for the Poisson family.
dispersion_draws <- function(fit) {
  family <- family_of(fit)
  if (family$name == "poisson") {
    return(NULL)
  }
  if (!is_estimated(family)) {
    return(matrix(family$dispersion, n_draws(fit), 1, dimnames = list(NULL, "dispersion")))
  }
  draws <- 1 + t(matrix(fit$draws$excess, dim(fit$draws$excess)[1]))
  colnames(draws) <- if (family$by == "row") {
    paste0("dispersion[", seq_len(ncol(draws)), "]")
  } else {
    "dispersion"
  }
  draws
}

one_mode <- function(fit) {
  density <- if (!is.null(fit$log_density)) mean(fit$log_density) else NA_real_
  list(of = rep(1L, n_draws(fit)), share = 1, log_density = density, shares = "visits")
}

# Fits of variational inference have none.
modes_of <- function(fit) {
  if (is.null(fit$modes) || is_cavi(fit)) one_mode(fit) else fit$modes
}

n_modes_of <- function(fit) length(modes_of(fit)$share)

# The draws of the leading mode.
leading_draws <- function(fit) which(modes_of(fit)$of == 1L)

# Draws whose mean is that over the modes by their shares: all, where shares are of draws; otherwise as many
# of each mode as its share asks for, spread over its own.
shared_draws <- function(fit) {
  modes <- modes_of(fit)
  if (modes$shares == "visits") {
    return(seq_len(n_draws(fit)))
  }
  size <- tabulate(modes$of, length(modes$share))
  n <- min((size / modes$share)[modes$share > 0])
  unlist(lapply(seq_along(size), function(mode) {
    spread_over(which(modes$of == mode), round(n * modes$share[mode]))
  }))
}
