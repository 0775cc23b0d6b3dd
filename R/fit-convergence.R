# How well the chains of a fit agree, and how many effective draws they have. Gibbs sampling is judged by
# label-invariant quantities: single ones, and sets of similar ones. In a set nine quantities in ten must have
# converged, because the largest R-hat of many is large by chance alone.

# A named list of sets. Each set is a list of traces, which are matrices with one row per kept draw and one
# column per chain. The same quantities are used in each call.
label_free_traces <- function(fit) {
  if (is_own(fit)) {
    return(own_traces(fit))
  }
  model <- model_of(fit)
  actors <- as.character(row_labels(fit))
  cells <- spread_cells(flat_dim(dim(fit$data)), 100, model$network)
  rows <- spread_over(seq_len(dim(fit$data)[1]), 50)
  pairs <- if (fit$k > 1) spread_cells(rep(dim(fit$data)[1], 2), 100, "undirected")
  labels <- list(
    "total of mu" = "", "mu of cells" = do.call(paste, c(unname(label_cells(fit, cells)), sep = ", ")),
    "totals of rows" = actors[rows],
    "co-membership of pairs" = if (!is.null(pairs)) paste(actors[pairs[, 1]], actors[pairs[, 2]], sep = ", ")
  )
  values <- vapply(seq_len(n_draws(fit)), function(s) {
    factors <- draw_factors(fit, s)
    size <- draw_event_size(fit, s)
    totals <- model$row_totals(factors) * size
    together <- if (!is.null(pairs)) togetherness(model, factors, pairs)
    c(sum(totals), cell_mean(fit, factors, size, cells), totals[rows], together)
  }, numeric(sum(lengths(labels))))
  set <- factor(rep(names(labels), lengths(labels)), names(labels))
  sets <- split(stats::setNames(traces_of(t(values), fit$run), unlist(labels)), set)
  estimated <- is_estimated(fit$family)
  c(
    list("log density" = if (!is.null(fit$log_density)) list(fit$log_density)), sets[1],
    list("dispersion" = if (estimated) traces_of(dispersion_draws(fit), fit$run)), sets[-1]
  )
}

# How far two rows are in the same components: the sum over components of the products of their shares.
togetherness <- function(model, factors, pairs) {
  factors <- model$normalise(factors)
  weights <- factors[[1]]
  if (model$n_modes > 2) weights <- sweep(weights, 2, model$size(factors), `*`)
  shares <- weights / pmax(rowSums(weights), .Machine$double.xmin)
  rowSums(shares[pairs[, 1], , drop = FALSE] * shares[pairs[, 2], , drop = FALSE])
}

# The chains by which the leading mode is judged: those that never leave it or, if there are none, those with
# most draws in it.
leading_chains <- function(fit) {
  modes <- modes_of(fit)
  inside <- colMeans(matrix(modes$of == 1L, fit$run$kept))
  if (are_visits(modes)) seq_along(inside) else which(inside >= min(1, max(inside)))
}

# Package posterior warns of very short runs that effective sample sizes are capped. The warning is
# suppressed, because the numbers show it.
convergence <- function(draws) {
  suppressWarnings(c(
    mean = mean(draws), sd = stats::sd(draws), rhat = posterior::rhat(draws),
    ess_bulk = posterior::ess_bulk(draws), ess_tail = posterior::ess_tail(draws)
  ))
}

# One row per name. For a set of several traces: the value that 90 % of them reach.
convergence_table <- function(traces) {
  rows <- lapply(Filter(length, traces), function(of_name) {
    each <- vapply(of_name, convergence, numeric(5))
    if (ncol(each) == 1) {
      return(each[, 1])
    }
    reached <- function(name, p) stats::quantile(each[name, ], p, na.rm = TRUE, names = FALSE)
    c(
      mean = NA, sd = NA, rhat = reached("rhat", MOST), ess_bulk = reached("ess_bulk", 1 - MOST),
      ess_tail = reached("ess_tail", 1 - MOST)
    )
  })
  as.data.frame(do.call(rbind, rows))
}

MOST <- 0.9

# The criteria of "No problem was found". With 100 effective draws the Monte Carlo error of a mean is a tenth
# of the posterior standard deviation, and R-hat of four chains is up to 1.04 by chance. Those of Vehtari et
# al. (2021), 1.01 and 400 effective draws, are stricter; the verdict says whether they are met, too.
RHAT_TRUSTED <- 1.05
ESS_TRUSTED <- 100
RHAT_STRICT <- 1.01
ESS_STRICT <- 400

# The convergence table of the chains in the leading mode. Of long chains some draws are used, which are
# enough to see whether there are `ess` effective ones.
leading_convergence <- function(fit, ess = ESS_STRICT) {
  chains <- leading_chains(fit)
  of_chains <- function(trace) trace[, chains, drop = FALSE]
  some <- thinner(fit, max(MOST_JUDGED, ceiling(4 * ess / length(chains))))
  convergence_table(lapply(label_free_traces(some), lapply, of_chains))
}

# Draws per chain that are used if no more effective draws are wanted than they are.
MOST_JUDGED <- 1000

# The worst of a convergence table: the largest R-hat, the fewest effective draws, and which quantities have
# them. NA if there are too few draws to tell.
worst_convergence <- function(table, kept) {
  constant <- !is.na(table$sd) & table$sd <= 0 # a constant gives no information on convergence
  if (!all(constant)) table <- table[!constant, ]
  if (kept < 10 || anyNA(table$rhat)) {
    return(list(rhat = NA_real_, ess = NA_real_))
  }
  ess <- pmin(table$ess_bulk, table$ess_tail)
  list(
    rhat = max(table$rhat), slowest = rownames(table)[which.max(table$rhat)],
    ess = floor(min(ess)), fewest = rownames(table)[which.min(ess)]
  )
}

has_enough <- function(worst, ess) isTRUE(worst$rhat <= RHAT_TRUSTED && worst$ess >= ess)

# How many more sweeps would give this many effective draws, if their number grows as that of the draws.
sweeps_to_reach <- function(ess, worst, run) ceiling(max(ess / max(worst$ess, 1) - 1, 0) * run$kept * run$thin)

# "about 6,000 more sweeps, 40 seconds", from the time that the sweeps of a fit took.
describe_sweeps <- function(sweeps, fit) {
  run <- fit$run
  done <- run$iter + raced_sweeps(run$race, fit$race)
  seconds <- max(1, sweeps * fit$seconds / max(done, 1))
  unit <- if (seconds < 90) c(1, "second") else if (seconds < 5400) c(60, "minute") else c(3600, "hour")
  time <- count_of(format_number(signif(ceiling(seconds / as.numeric(unit[1])), 2)), unit[2])
  paste0("about ", format_number(signif(sweeps, 2)), " more sweeps, ", time)
}
