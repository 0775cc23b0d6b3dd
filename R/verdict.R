# Can a run be trusted? Judged by quantities that have no labels to switch.

# A named list of traces, matrices with a row per kept draw and a column per chain.
label_free_traces <- function(fit) {
  model <- model_of(fit)
  cells <- spread_cells(flat_dim(dim(fit$data)), 100, model$network)
  values <- vapply(seq_len(n_draws(fit)), function(s) {
    c(draw_total(fit, s), draw_cell_mean(fit, s, cells))
  }, numeric(1 + nrow(cells)))
  each <- apply(values, 1, matrix, nrow = fit$run$kept, simplify = FALSE)
  dispersion <- if (is_estimated(family_of(fit))) apply(dispersion_draws(fit), 2, matrix,
    nrow = fit$run$kept, simplify = FALSE
  )
  traces <- list(
    "log density" = if (!is.null(fit$log_density)) list(fit$log_density),
    "total of mu" = each[1], "mu, worst cell" = each[-1], dispersion
  )
  names(traces)[4] <- if (length(dispersion) > 1) "dispersion, worst row" else "dispersion"
  traces
}

# About n cells, spread over all of them by the golden ratio: the same ones each time, and none that
# is not data.
spread_cells <- function(dim, n, network) {
  all <- prod(as.double(dim))
  golden <- (sqrt(5) - 1) / 2
  index <- unique(floor(all * ((seq_len(min(n, all)) * golden) %% 1)) + 1)
  cells <- arrayInd(index, dim)
  cells[is_data(cells, network), , drop = FALSE]
}

# Very short runs make posterior warn that it caps what it says; the numbers show it.
convergence <- function(draws) {
  suppressWarnings(c(
    mean = mean(draws), sd = stats::sd(draws), rhat = posterior::rhat(draws),
    ess_bulk = posterior::ess_bulk(draws), ess_tail = posterior::ess_tail(draws)
  ))
}

# A row per name; where a name has several traces that of the worst: the largest R-hat, and the
# smallest effective sizes.
#' @srrstats {BS4.3} R-hat and effective sizes of package posterior.
#' @srrstats {BS5.3} part of summary().
#' @srrstats {BS5.4} print() names the checks.
convergence_table <- function(traces) {
  rows <- lapply(Filter(length, traces), function(of_name) {
    each <- vapply(of_name, convergence, numeric(5))
    if (ncol(each) == 1) {
      return(each[, 1])
    }
    c(
      mean = NA, sd = NA, rhat = largest(each["rhat", ]), ess_bulk = -largest(-each["ess_bulk", ]),
      ess_tail = -largest(-each["ess_tail", ])
    )
  })
  as.data.frame(do.call(rbind, rows))
}

largest <- function(x) if (all(is.na(x))) NA_real_ else max(x, na.rm = TRUE)

# Chains agree, and a mean is known to a tenth of its posterior's standard deviation.
RHAT_TRUSTED <- 1.05
ESS_TRUSTED <- 100

# One sentence, or two, from a convergence_table().
#' @srrstats {BS5.5} says which quantity has not converged, and what to do.
verdict <- function(table, run) {
  constant <- !is.na(table$sd) & table$sd <= 0 # a number that never changes says nothing of the chains
  if (!all(constant)) table <- table[!constant, ]
  if (run$kept < 10 || anyNA(table$rhat)) {
    return(paste0(
      "Too few draws to tell whether this run can be trusted: ", run$kept, " a chain."
    ))
  }
  worst <- which.max(table$rhat)
  rhat <- format(table$rhat[worst], digits = 3)
  ess <- floor(min(table$ess_bulk))
  if (table$rhat[worst] > RHAT_TRUSTED) {
    return(paste0(
      "Do not trust this run yet: ", if (run$chains > 1) "its chains disagree" else "it is still moving",
      " (R-hat of ", rhat, " for ", rownames(table)[worst], "). Run it longer, with update(); ",
      if (run$chains > 1) {
        "if that does not help, the chains are in different modes: compare their log densities."
      } else {
        "and run several chains."
      }
    ))
  }
  if (ess < ESS_TRUSTED) {
    more <- ceiling((ESS_TRUSTED / max(ess, 1) - 1) * run$kept * run$thin / 100) * 100
    return(paste0(
      "Not enough draws yet: ", ess, " effective ones (for ", rownames(table)[which.min(table$ess_bulk)],
      "). About update(fit, iter = ", format(more, scientific = FALSE), ") would give ", ESS_TRUSTED, "."
    ))
  }
  known <- paste0("R-hat at most ", rhat, ", at least ", ess, " effective draws")
  if (run$chains == 1) {
    return(paste0(
      "This chain has settled (", known, "), but one chain can't tell whether others would end ",
      "elsewhere: run several (chains = 4) before you rely on it."
    ))
  }
  paste0("This run can be trusted: its ", run$chains, " chains agree (", known, ").")
}
