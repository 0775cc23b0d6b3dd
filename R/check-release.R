# Does a fit agree with its release: in its totals, in the noise that it implies, and in the variation of
# counts?

# The problems of a fit that its release shows. `implied`, `check`, `margins`: of implied_noise(),
# dispersion_check() and compare_margins(); those that are NULL find none.
release_problems <- function(fit, implied = NULL, check = NULL, margins = NULL) {
  worst <- if (!is.null(margins)) worst_margin(margins)
  poisson <- fit$family$name == "poisson"
  refit <- if (is_own(fit)) {
    "include one gamma weight per count in the state (?private_gibbs)"
  } else if (poisson) {
    REFIT
  } else {
    "try a larger k, or dispersion_by = \"row\""
  }
  Filter(Negate(is.null), list(
    if (!is.null(worst)) {
      new_problem(paste("the", margin_words(worst)), paste0(
        "totals of this fit cannot be used, but private_means() can estimate them; ",
        suggest_remedy(fit, worst$estimated < worst$released)
      ))
    },
    if (isTRUE(implied$cells > 0)) {
      new_problem(paste0(
        format_number(implied$cells), " of ", format_number(implied$positive), " positive cells imply noise of ",
        "probability below ", implied$probability
      ), refit)
    },
    if (!is.null(check) && is_overdispersed(check)) {
      new_problem(paste0(
        "counts vary more than the model expects (mean squared residual ", format(check$observed, digits = 3),
        ", in replicated data ", format(check$replicated, digits = 3), ")"
      ), refit)
    }
  ))
}

# What to do about a total. Under strong noise, a prior that pulls all weights to zero can outweigh the
# counts, and one dispersion for all columns can take rare ones for noise.
suggest_remedy <- function(fit, too_few) {
  is_free <- function(prior) length(estimated_in(prior)) == 2
  if (is_own(fit)) {
    "include one gamma weight per count in the state (?private_gibbs), or check what `step` draws from"
  } else if (too_few && !all(vapply(fit$prior[model_of(fit)$factors], is_free, TRUE))) {
    by_column <- identical(fit$family$by, "all") && model_of(fit)$network == "none" && !is_cavi(fit)
    paste0(
      "the prior may outweigh the counts: fit again with prior = gamma_prior(NULL, NULL)",
      if (by_column) ", dispersion_by = \"column\""
    )
  } else if (fit$family$name == "poisson") {
    "counts may vary more than the family allows: fit again with family = \"nbinom1\""
  } else {
    "see summary() of the release, which compares its counts with the declared alpha"
  }
}

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
  if (!is_noised(input) || !is.null(input$mechanism)) {
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
  totals <- model_of(fit)$row_bounds
  bounds <- vapply(draws, function(s) draw_row_totals(fit, s, totals), numeric(length(alpha)))
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
      "a Poisson distribution allows."
    } else {
      "the family allows."
    }
  )
}

REFIT <- "refit with family = \"nbinom1\" (?`which-family`)"

# Mean squared Pearson residual, which is about 1 if released counts vary as much as the model says.
mean_squared_residual <- function(y_tilde, moments) {
  mean((y_tilde - moments$mean)^2 / pmax(moments$variance, .Machine$double.xmin))
}

# Posterior predictive check (Gelman, Meng and Stern 1996) of the dispersion of released counts: for each
# draw, the mean squared residual of the observed counts and of one replicate.
dispersion_check <- function(fit) {
  made <- over_replicates(fit, function(s, input, cells, y_tilde) {
    moments <- cell_moments(fit, s, input, cells)
    replicated <- replicate_cells(fit, s, input, cells)
    c(mean_squared_residual(y_tilde, moments), mean_squared_residual(replicated, moments))
  })
  if (is.null(made)) {
    return(NULL)
  }
  spread <- do.call(cbind, made$values)
  list(
    observed = mean(spread[1, ]), replicated = mean(spread[2, ]),
    p = mean(spread[2, ] >= spread[1, ]), cells = length(made$y_tilde), replicates = N_REPLICATES
  )
}

# In large data even a negligible misfit is detected, so excess variation below a tenth is not reported.
SPREAD_NOTABLE <- 1.1

describe_dispersion <- function(check) {
  if (is.null(check)) {
    return(NULL)
  }
  more <- is_overdispersed(check)
  less <- check$p > 0.95 && check$replicated > SPREAD_NOTABLE * check$observed
  varies <- if (more) "more than" else if (less) "less than" else "about as much as"
  residuals <- vapply(check[c("observed", "replicated")], format, "", digits = 3)
  paste0(
    "Counts vary ", varies, " the model expects (mean squared residual ", residuals[["observed"]],
    ", in replicated data ", residuals[["replicated"]], "; posterior predictive p ", format_tail(check), ")."
  )
}

is_overdispersed <- function(check) check$p < 0.05 && check$observed > SPREAD_NOTABLE * check$replicated

# The tail probability, as exactly as the number of replicates allows.
format_tail <- function(check) {
  least <- 1 / check$replicates
  p <- min(max(check$p, least), 1 - least)
  paste(if (check$p < p) "<" else if (check$p > p) ">" else "=", format(p, digits = 2))
}
