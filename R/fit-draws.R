# Kept draws of a fit: factors and dispersion of each, and draws by the mode of the posterior they are in.

# About n kept draws, spread over all chains, modes by their shares.
spread_draws <- function(fit, n) spread_over(shared_draws(fit), n)

# The factors of kept draw s, as users see them, without labels.
draw_factors <- function(fit, s) {
  model <- model_of(fit)
  lapply(stats::setNames(nm = model$factors), function(name) {
    draws <- fit$draws[[name]]
    turn(model, name, matrix(draws[, , s], dim(draws)[1]))
  })
}

# dispersion - 1 in kept draw s: one number, one per row, or none of Poisson counts.
draw_excess <- function(fit, s) fit$draws$excess[, 1, s]

# That of some cells: one number, or one per cell; 0 of Poisson counts.
draw_cell_excess <- function(fit, s, cells) {
  excess <- draw_excess(fit, s)
  if (length(excess) > 1) excess[cells[, 1]] else if (length(excess) == 1) excess else 0
}

# Of each row, in kept draw s, the total of mu, and a number that no mu is above.
draw_row_totals <- function(fit, s, totals = model_of(fit)$row_totals) {
  totals(draw_factors(fit, s)) * event_size(draw_excess(fit, s))
}
draw_row_bounds <- function(fit, s) draw_row_totals(fit, s, model_of(fit)$row_bounds)

# Where other runs start from a fit: the last draw of each chain, or the means of q.
last_draws <- function(fit) UseMethod("last_draws")

last_draws.ldp_fit_cavi <- function(fit) list(as_start(q_factors(fit), q_mean_excess(fit)))

last_draws.ldp_fit_gibbs <- function(fit) {
  last <- seq_len(fit$run$chains) * fit$run$kept
  lapply(last, function(s) as_start(draw_factors(fit, s), draw_excess(fit, s)))
}

as_start <- function(factors, excess) c(factors, if (length(excess) > 0) list(dispersion = 1 + excess))

# One row per draw, also where the dispersion is fixed; NULL for the Poisson family.
dispersion_draws <- function(fit) {
  family <- family_of(fit)
  if (family$name == "poisson") {
    return(NULL)
  }
  estimated <- fit$draws$excess
  draws <- if (is_estimated(family)) {
    1 + t(matrix(estimated, dim(estimated)[1]))
  } else {
    matrix(family$dispersion, n_draws(fit), 1)
  }
  rows <- if (identical(family$by, "row")) paste0("[", seq_len(ncol(draws)), "]")
  colnames(draws) <- paste0("dispersion", rows)
  draws
}

one_mode <- function(fit) {
  density <- if (!is.null(fit$log_density)) mean(fit$log_density) else NA_real_
  list(of = rep(1L, n_draws(fit)), share = 1, log_density = density, shares = "visits")
}

# Fits of variational inference have none.
modes_of <- function(fit) if (is.null(fit$modes)) one_mode(fit) else fit$modes

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
