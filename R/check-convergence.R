# Can a run be trusted? This is judged by label-invariant quantities: single ones, and sets of similar ones.
# In a set nine quantities in ten must have converged, because the largest R-hat of many is large by chance
# alone.

# A named list of sets. Each set is a list of traces, which are matrices with one row per kept draw and one
# column per chain. The same quantities are used in each call.
label_free_traces <- function(fit) {
  if (is_own(fit)) {
    return(own_traces(fit))
  }
  model <- model_of(fit)
  actors <- actor_labels(fit)
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
    size <- event_size(draw_excess(fit, s))
    totals <- model$row_totals(factors) * size
    together <- if (!is.null(pairs)) togetherness(model, factors, pairs)
    c(sum(totals), cell_mean(fit, factors, size, cells), totals[rows], together)
  }, numeric(sum(lengths(labels))))
  set <- factor(rep(names(labels), lengths(labels)), names(labels))
  sets <- split(stats::setNames(traces_of(t(values), fit$run), unlist(labels)), set)
  estimated <- is_estimated(family_of(fit))
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
  if (modes$shares == "visits") seq_along(inside) else which(inside >= min(1, max(inside)))
}

# Package posterior warns of very short runs that effective sample sizes are capped. The warning is
# suppressed, because the numbers show it.
convergence <- function(draws) {
  suppressWarnings(c(
    mean = mean(draws), sd = stats::sd(draws), rhat = posterior::rhat(draws),
    ess_bulk = posterior::ess_bulk(draws), ess_tail = posterior::ess_tail(draws)
  ))
}

#' @srrstats {BS4.3} R-hat and effective sizes of package posterior.
#' @srrstats {BS5.3} part of summary().
#' @srrstats {BS5.4} print() names the checks.
# One row per name. For a set of several traces: the value that 90 % of them reach.
convergence_table <- function(traces) {
  rows <- lapply(Filter(length, traces), function(of_name) {
    each <- vapply(of_name, convergence, numeric(5))
    if (ncol(each) == 1) {
      return(each[, 1])
    }
    reached <- function(name, p) stats::quantile(each[name, ], p, na.rm = TRUE, names = FALSE)
    rest <- c(rhat = MOST, ess_bulk = 1 - MOST, ess_tail = 1 - MOST)
    c(mean = NA, sd = NA, mapply(reached, names(rest), rest))
  })
  as.data.frame(do.call(rbind, rows))
}

MOST <- 0.9

largest <- function(x) if (all(is.na(x))) NA_real_ else max(x, na.rm = TRUE)

# With 100 effective draws the Monte Carlo error of a mean is a tenth of the posterior standard deviation, and
# R-hat of four chains is up to 1.04 by chance. The limit 1.01 of Vehtari et al. (2021) is for 400 effective
# draws.
RHAT_TRUSTED <- 1.05
ESS_TRUSTED <- 100

# The convergence table of the chains in the leading mode.
leading_convergence <- function(fit) {
  chains <- leading_chains(fit)
  convergence_table(lapply(label_free_traces(fit), lapply, `[`, , chains, drop = FALSE))
}

verdict_of <- function(fit, table) {
  found <- modes_of(fit)
  # chains that move between modes are judged like chains in a single mode
  modes <- if (found$shares == "visits") 1 else length(found$share)
  verdict(table, fit$run, modes, check_location(fit), leading = length(leading_chains(fit)))
}

# --- the verdict ----------------------------------------------------------------------------------

#' @srrstats {BS5.5} says which quantity has not converged, and what to do.
# One or two sentences on a run, and what to do next, from a convergence_table() of the chains of the leading
# mode. `modes`: the number of modes; `location`: see check_location(); `adds`: can update() add chains?
verdict <- function(table, run, modes = 1, location = NULL, adds = TRUE, leading = run$chains) {
  if (!is.null(location)) {
    return(location)
  }
  constant <- !is.na(table$sd) & table$sd <= 0 # a constant gives no information on convergence
  if (!all(constant)) table <- table[!constant, ]
  if (run$kept < 10 || anyNA(table$rhat)) {
    iter <- max(1000, run$iter)
    few <- paste0("Too few draws to tell whether this run can be trusted: ", run$kept, " per chain. ")
    return(paste0(few, "update(fit, iter = ", iter, ") adds draws."))
  }
  ess <- pmin(table$ess_bulk, table$ess_tail)
  fewest <- floor(min(ess))
  worst <- which.max(table$rhat)
  # all draws so far become warmup: otherwise a chain that converged late would still affect R-hat
  anew <- function() further(run, run$iter, drop = adds)
  if (modes > 1) {
    paste0(
      "This run found ", modes, " modes of the posterior, between which chains seldom move. ",
      "coef() and plot() describe the leading mode, and the table is for the ",
      if (leading == 1) "chain that was" else paste(leading, "chains that were"),
      " in it longest. modes(fit) says what all modes agree on.",
      if (fewest < ESS_TRUSTED / 2) {
        few <- paste0(" There are few effective draws (", fewest, "), so ")
        paste0(few, "the chains may not have converged yet, and may still reach one mode. ", anew())
      }
    )
  } else if (table$rhat[worst] > RHAT_TRUSTED) {
    paste0(
      "Do not trust this run yet: ", if (run$chains > 1) "its chains disagree" else "it has not converged",
      " (R-hat of ", format_above(table$rhat[worst], RHAT_TRUSTED), " for ", rownames(table)[worst], "). ",
      anew()
    )
  } else if (fewest < ESS_TRUSTED) {
    more <- ceiling((ESS_TRUSTED / max(fewest, 1) - 1) * run$kept * run$thin / 100) * 100
    paste0(
      "Not enough draws yet: ", fewest, " effective draws (for ", rownames(table)[which.min(ess)],
      "), but at least ", ESS_TRUSTED, " are needed. ", further(run, more)
    )
  } else {
    most <- sprintf("%.2f", ceiling(100 * table$rhat[worst]) / 100)
    trusted(run, paste0("R-hat at most ", most, ", at least ", fewest, " effective draws"), adds)
  }
}

trusted <- function(run, known, adds) {
  if (run$chains > 1) {
    dropped <- if (isTRUE(run$dropped > 0)) paste0("; ", run$dropped, " others were dropped")
    return(paste0("This run can be trusted: its ", run$chains, " chains agree (", known, ")", dropped, "."))
  }
  paste0(
    "This chain has converged (", known, "), but other chains might reach a different mode. ",
    if (adds) "update(fit, chains = 3) adds three chains." else "Run several chains (chains = 4)."
  )
}

further <- function(run, iter, drop = FALSE) {
  number <- function(x) format(x, scientific = FALSE)
  paste0(
    "update(fit, iter = ", number(iter), if (drop) paste0(", warmup = ", number(run$iter)),
    ") continues the run", if (drop) " and drops the draws so far", ". ",
    'See vignette("gibbs-or-variational").'
  )
}
