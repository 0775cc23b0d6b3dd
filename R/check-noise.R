# Compares the noise that a fit implies with the distribution of the mechanism's noise. If the family has
# thinner tails than the counts, a fit explains large counts by noise so large that the mechanism would
# practically never add it.

# Noise with a probability below this is called implausible.
NEVER_MADE <- 1e-9

# A positive cell is explained by implausible noise if the posterior probability of such noise, averaged over
# some draws, is above one half. NULL without noise; otherwise
#   cells        the number of positive cells that are explained by such noise; if more than `most` cells
#                would have to be examined, it is estimated from a part of them, and rounded; for 2e4 cells,
#                50 draws take about a second
#   positive     the number of positive cells
#   expected     an upper limit of the number of cells to which the mechanism would add such noise
#   probability  NEVER_MADE
implied_noise <- function(fit, most = 2e4) {
  input <- input_of(fit)
  if (all(input$alpha == 0)) {
    return(NULL)
  }
  is_positive <- function(x) !is.na(x) & x > 0
  cells <- cells_where(input$counts, is_positive)
  y_tilde <- values_where(input$counts, is_positive)
  draws <- spread_draws(fit, 50)
  reach <- can_have_noise(fit, input$alpha, cells[, 1], y_tilde, draws)
  number <- vapply(Filter(length, reach), function(which) {
    part <- spread_over(which, most)
    p <- noise_probability(fit, input$alpha, cells[part, , drop = FALSE], y_tilde[part], draws)
    mean(p > 1 / 2) * length(which)
  }, 0)
  list(
    cells = round(sum(number)), positive = nrow(cells),
    expected = NEVER_MADE * n_observed(input$counts, model_of(fit)$network), probability = NEVER_MADE
  )
}

# Smallest t with P(|tau| >= t) = 2 alpha^t / (1 + alpha) below NEVER_MADE; Inf without noise.
noise_never_made <- function(alpha) {
  ifelse(alpha == 0, Inf, floor(log(NEVER_MADE * (1 + alpha) / 2) / log(alpha)) + 1)
}

# The positive cells that can have such noise: released counts of at least the threshold t, and smaller ones
# whose mu is large. Above y_tilde, the distribution of the true count is that of a count with mean alpha mu,
# truncated. So at least half of it can only be t or more above y_tilde if alpha mu is near t or larger.
can_have_noise <- function(fit, alpha, row, y_tilde, draws) {
  threshold <- noise_never_made(alpha)
  bounds <- vapply(draws, function(s) draw_row_bounds(fit, s), numeric(length(alpha)))
  has_large_mean <- alpha * apply(matrix(bounds, length(alpha)), 1, max) >= threshold / 2
  list(
    above = which(y_tilde >= threshold[row]),
    below = which(y_tilde < threshold[row] & has_large_mean[row])
  )
}

# P(|y_tilde - y| >= t | y_tilde), averaged over draws.
noise_probability <- function(fit, alpha, cells, y_tilde, draws) {
  alpha <- alpha[cells[, 1]]
  t <- noise_never_made(alpha)
  mean_of_each(draws, function(s) {
    mu <- draw_cell_mean(fit, s, cells)
    dispersion <- 1 + draw_cell_excess(fit, s, cells)
    ptruecount(y_tilde - t, y_tilde, mu, alpha, dispersion) +
      ptruecount(y_tilde + t - 1, y_tilde, mu, alpha, dispersion, lower.tail = FALSE)
  })
}

# One or two sentences; none without noise.
describe_implied_noise <- function(implied, family) {
  if (is.null(implied) || implied$positive == 0) {
    return(NULL)
  }
  poisson <- family$name == "poisson"
  cells <- paste(format_number(implied$positive), "positive cells")
  noise <- "noise that the mechanism would add with probability below 1e-9."
  if (implied$cells == 0) {
    return(paste("No cell requires implausible noise: for none of", cells, "does the fit imply", noise))
  }
  paste(
    "In", format_number(implied$cells), "of", paste0(cells, ", this"), if (poisson) "Poisson fit" else "fit",
    "implies", noise, "The true counts vary more than", if (poisson) {
      paste("a Poisson distribution allows.", REFIT)
    } else {
      "the family allows. Try a larger k, or dispersion_by = \"row\"."
    }
  )
}

REFIT <- "Refit with family = \"nbinom1\" (?`which-family`)."
