# The kept draws of a fit: factors and dispersions, the mode of the posterior that each belongs to, and the
# distribution q of variational inference.

# About n kept draws, spread over all chains, with modes represented by their shares.
spread_draws <- function(fit, n) spread_over(shared_draws(fit), n)

# The factors of kept draw s, in the shape that users see, without labels. If columns have dispersions, the
# last factor is on the scale of counts, so that mu is the product of the factors.
draw_factors <- function(fit, s) {
  factors <- raw_factors(fit, s)
  if (is_by_column(fit$family)) multiply_last(fit, factors, event_size(draw_excess(fit, s))) else factors
}

# The last factor times one number per column of the data.
multiply_last <- function(fit, factors, by) {
  model <- model_of(fit)
  last <- length(factors)
  margin <- if (model$indices[[last]][1] == 0) 2 else 1
  replace(factors, last, list(sweep(factors[[last]], margin, by, `*`)))
}

# The mean count per event by which a product of such factors is multiplied.
draw_event_size <- function(fit, s) if (is_by_column(fit$family)) 1 else event_size(draw_excess(fit, s))

# The factors as samplers draw them. (A fit to files keeps no draws of the weights of rows, which are drawn
# here, always in the same way.)
raw_factors <- function(fit, s) {
  model <- model_of(fit)
  lapply(stats::setNames(nm = model$factors), function(name) {
    draws <- fit$draws[[name]]
    turn(model, name, if (is.null(draws)) draw_rows(fit, name, s) else matrix(draws[, , s], dim(draws)[1]))
  })
}

draw_rows <- function(fit, name, s) {
  q <- q_of(fit)[[name]]
  stream <- fit$chains[[fit$best]]$stream
  for (i in seq_len(s)) stream <- parallel::nextRNGSubStream(stream)
  drawn <- with_stream(stream, stats::rgamma(length(q$shape), q$shape, q$rate))$value
  matrix(pmax(drawn, .Machine$double.xmin), nrow(q$shape))
}

# dispersion - 1 in kept draw s: one number, one per row or column, or numeric(0) for Poisson counts.
draw_excess <- function(fit, s) fit$draws$excess[, 1, s]

# dispersion - 1 of some cells: one number, or one per cell; 0 for Poisson counts.
draw_cell_excess <- function(fit, s, cells) {
  excess <- draw_excess(fit, s)
  if (is_by_column(fit$family)) {
    excess[1 + (cells[, 2] - 1) %/% (flat_dim(dim(fit$data))[2] / length(excess))]
  } else if (length(excess) > 1) {
    excess[cells[, 1]]
  } else if (length(excess) == 1) {
    excess
  } else {
    0
  }
}

# For each row in kept draw s: the total of mu, or with `totals = model$row_bounds` an upper bound of mu.
draw_row_totals <- function(fit, s, totals = model_of(fit)$row_totals) {
  totals(draw_factors(fit, s)) * draw_event_size(fit, s)
}

# The starting values that a fit gives to other runs: the last draw of each chain, or the means of q.
last_draws <- function(fit) {
  as_start <- function(factors, excess) c(factors, if (length(excess) > 0) list(dispersion = 1 + excess))
  if (is_cavi(fit)) {
    return(list(as_start(q_factors(fit), q_mean_excess(fit))))
  }
  last <- seq_len(fit$run$chains) * fit$run$kept
  lapply(last, function(s) as_start(raw_factors(fit, s), draw_excess(fit, s)))
}

# Draws of the dispersion, one row per draw, also if it is fixed; NULL for the Poisson family.
dispersion_draws <- function(fit) {
  if (fit$family$name == "poisson") {
    return(NULL)
  }
  excess <- fit$draws$excess
  draws <- if (is_estimated(fit$family)) {
    1 + t(matrix(excess, dim(excess)[1]))
  } else {
    matrix(fit$family$dispersion, n_draws(fit), 1)
  }
  of_each <- if (isTRUE(fit$family$by != "all")) paste0("[", seq_len(ncol(draws)), "]")
  `colnames<-`(draws, paste0("dispersion", of_each))
}

one_mode <- function(fit) {
  density <- if (!is.null(fit$log_density)) mean(fit$log_density) else NA_real_
  list(of = rep(1L, n_draws(fit)), share = 1, log_density = density, shares = "visits")
}

# Modes of the posterior. Fits by variational inference have none, and are treated as one mode.
modes_of <- function(fit) if (is.null(fit$modes)) one_mode(fit) else fit$modes

# Are shares of modes shares of draws, because chains move between modes?
are_visits <- function(modes) modes$shares == "visits"

# The draws of the leading mode.
leading_draws <- function(fit) which(modes_of(fit)$of == 1L)

# NULL if there is one mode.
describe_leading <- function(fit) {
  modes <- modes_of(fit)
  if (length(modes$share) > 1) {
    share <- paste0(round(100 * modes$share[1]), " %")
    paste0(
      "Of the leading mode of ", length(modes$share), ", which has ", if (are_visits(modes)) {
        paste(share, "of the draws")
      } else {
        paste("a stacking weight of", share)
      }, ". modes(fit) shows the others."
    )
  }
}

# Draws whose plain mean is the mean over modes weighted by their shares. If shares are shares of draws, these
# are all draws; otherwise the number of draws from each mode is in proportion to its share, spread over the
# draws of the mode.
shared_draws <- function(fit) {
  modes <- modes_of(fit)
  if (are_visits(modes)) {
    return(seq_len(n_draws(fit)))
  }
  size <- tabulate(modes$of, length(modes$share))
  n <- min((size / modes$share)[modes$share > 0])
  unlist(lapply(seq_along(size), function(mode) {
    spread_over(which(modes$of == mode), round(n * modes$share[mode]))
  }))
}

has_converged <- function(starts) vapply(starts, function(start) isTRUE(start$converged), TRUE)

last_elbo <- function(start) {
  n <- length(start$elbo)
  if (n > 0) start$elbo[n] else -Inf
}

# A start has failed if its parameters became infinite or NaN; its last bound is then -Inf.
has_failed <- function(start) identical(last_elbo(start), -Inf) && length(start$elbo) > 0

# The numbers of iterations that these starts have done.
passes_of <- function(starts) vapply(starts, function(start) length(start$elbo), 0L)

CAVI_GRID <- 257L # LDP_CAVI_GRID

q_of <- function(fit) fit$chains[[fit$best]]$q

# The means of q: factors in the shape that users see, and the mean size of an event.
means_of_q <- function(model, q) {
  lapply(stats::setNames(nm = model$factors), function(name) {
    turn(model, name, q[[name]]$shape / q[[name]]$rate)
  })
}

q_factors <- function(fit) means_of_q(model_of(fit), q_of(fit))

q_mean_excess <- function(fit, of = identity) {
  q <- q_of(fit)$excess
  if (is.null(q)) numeric() else colSums(q$weights * of(exp(q$points)))
}

q_event_size <- function(fit) {
  size <- q_mean_excess(fit, event_size)
  if (length(size) == 0) 1 else size
}

remembered_means <- new.env(parent = emptyenv())

MOST_REMEMBERED <- 6L # results, each of at most MOST_REMEMBERED_BYTES
MOST_REMEMBERED_BYTES <- 5e7

# The value of `code`, or the cached value if it has been computed for this fit and name before.
remember <- function(fit, name, code) {
  key <- rlang::hash(list(name, class(fit)[1], fit$directed, dim(fit$data), fit$draws, fit$modes, fit$run))
  known <- remembered_means$values
  value <- known[[key]]
  if (is.null(value)) value <- code
  small <- if (utils::object.size(value) <= MOST_REMEMBERED_BYTES) stats::setNames(list(value), key)
  remembered_means$values <- utils::tail(c(known[setdiff(names(known), key)], small), MOST_REMEMBERED)
  value
}
