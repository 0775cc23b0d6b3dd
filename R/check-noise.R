# The noise that a fit implies, against the distribution of the mechanism's noise. Where the distribution of
# counts has thinner tails than the counts, a fit explains large ones by noise that is never made.

# Noise of this probability is never made.
NEVER_MADE <- 1e-9

# A fit explains a positive cell by noise that is never made if, in the mean over some draws, the
# posterior probability of such noise is above one half. NULL without noise; otherwise
#   cells        so many positive cells are explained so; a whole number, estimated from a part of
#                them where more than `most` need the work, of which 50 draws take a second
#   positive     positive cells in all
#   expected     how many cells the mechanism would make so, at most
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

# Which positive cells can have such noise: those that reach it from above, and smaller ones where
# mu is large. Beyond y_tilde the distribution of the true count is that of a count of mean alpha mu,
# cut off: to have half its mass t or more above y_tilde, alpha mu must come near t.
can_have_noise <- function(fit, alpha, row, y_tilde, draws) {
  threshold <- noise_never_made(alpha)
  bounds <- vapply(draws, function(s) draw_row_bounds(fit, s), numeric(length(alpha)))
  has_large_mean <- alpha * apply(matrix(bounds, length(alpha)), 1, max) >= threshold / 2
  list(
    above = which(y_tilde >= threshold[row]),
    below = which(y_tilde < threshold[row] & has_large_mean[row])
  )
}

# P(|y_tilde - y| >= t | y_tilde) in the mean over draws.
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

# One sentence or two; none without noise.
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
