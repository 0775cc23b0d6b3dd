# Kept draws of a fit: their factors and dispersions, and the mode of the posterior that each belongs to.

# About n kept draws, spread over all chains, with modes represented by their shares.
spread_draws <- function(fit, n) spread_over(shared_draws(fit), n)

# The factors of kept draw s, in the shape that users see, without labels. (A fit to files keeps no draws of
# the weights of rows, which are drawn here, always in the same way.)
draw_factors <- function(fit, s) {
  model <- model_of(fit)
  lapply(stats::setNames(nm = model$factors), function(name) {
    draws <- fit$draws[[name]]
    turn(model, name, if (is.null(draws)) draw_rows(fit, name, s) else matrix(draws[, , s], dim(draws)[1]))
  })
}

draw_rows <- function(fit, name, s) {
  law <- q_of(fit)[[name]]
  stream <- fit$chains[[fit$best]]$stream
  for (i in seq_len(s)) stream <- parallel::nextRNGSubStream(stream)
  drawn <- with_stream(stream, stats::rgamma(length(law$shape), law$shape, law$rate))$value
  matrix(pmax(drawn, .Machine$double.xmin), nrow(law$shape))
}

# dispersion - 1 in kept draw s: one number, one per row, or numeric(0) for Poisson counts.
draw_excess <- function(fit, s) fit$draws$excess[, 1, s]

# dispersion - 1 of some cells: one number, or one per cell; 0 for Poisson counts.
draw_cell_excess <- function(fit, s, cells) {
  excess <- draw_excess(fit, s)
  if (length(excess) > 1) excess[cells[, 1]] else if (length(excess) == 1) excess else 0
}

# For each row in kept draw s: the total of mu, and an upper bound of mu.
draw_row_totals <- function(fit, s, totals = model_of(fit)$row_totals) {
  totals(draw_factors(fit, s)) * event_size(draw_excess(fit, s))
}
draw_row_bounds <- function(fit, s) draw_row_totals(fit, s, model_of(fit)$row_bounds)

# The starting values that a fit gives to other runs: the last draw of each chain, or the means of q.
last_draws <- function(fit) UseMethod("last_draws")

last_draws.ldp_fit_cavi <- function(fit) list(as_start(q_factors(fit), q_mean_excess(fit)))

last_draws.ldp_fit_gibbs <- function(fit) {
  last <- seq_len(fit$run$chains) * fit$run$kept
  lapply(last, function(s) as_start(draw_factors(fit, s), draw_excess(fit, s)))
}

as_start <- function(factors, excess) c(factors, if (length(excess) > 0) list(dispersion = 1 + excess))

# Draws of the dispersion, one row per draw, also if it is fixed; NULL for the Poisson family.
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

# Modes of the posterior. Fits by variational inference have none, and are treated as one mode.
modes_of <- function(fit) if (is.null(fit$modes)) one_mode(fit) else fit$modes

# The draws of the leading mode.
leading_draws <- function(fit) which(modes_of(fit)$of == 1L)

# Draws whose plain mean is the mean over modes weighted by their shares. If shares are shares of draws, these
# are all draws; otherwise the number of draws from each mode is in proportion to its share, spread over the
# draws of the mode.
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
