# Does a fit contradict the totals of its release?

# A fit contradicts the release if its fitted total differs from the released total, which is unbiased, by
# more than noise and the variation of counts explain (by chance, once in 10,000 fits); or if the totals of at
# least a quarter of the rows differ so much that this should happen for only one row in a hundred. (A few
# rows of real data always differ, because of a single large count.) Returns NULL, or the sentences to print.
check_location <- function(fit) {
  in_memory <- !is_shards(fit$data)
  compared <- if (fit$private && fit$noise == "model" && in_memory) compare_totals(fit)
  if (length(compared$z) == 0) {
    return(NULL)
  }
  off <- abs(compared$z[-1]) > stats::qnorm(0.005, lower.tail = FALSE)
  contradicted <- abs(compared$z[1]) > stats::qnorm(5e-5, lower.tail = FALSE)
  if (!contradicted && sum(off) < max(3, length(off) / 4)) {
    return(NULL)
  }
  shown <- function(x, digits) format(signif(x[1], digits), big.mark = ",", scientific = FALSE)
  what <- if (contradicted) {
    paste0(
      "Its fitted total is ", shown(compared$fitted, 3), ", but the total of the release is ",
      shown(compared$released, 3), " (standard error ", shown(compared$sd, 2), ")."
    )
  } else {
    paste("The fitted totals of", sum(off), "of", length(off), "rows are far from the released totals.")
  }
  z <- if (contradicted) compared$z[1] else stats::median(compared$z[-1][off])
  paste("Do not trust this fit: it contradicts the release.", what, relocating(fit, z))
}

# What to do. Under strong noise, a prior that pulls all weights to zero can outweigh the counts.
relocating <- function(fit, z) {
  is_mild <- function(prior) hyper_start(prior, "shape") >= 1 && has_random_rate(prior)
  if (is_own(fit)) {
    "Counts may vary more than a Poisson model allows, or `step` may sample from a different posterior."
  } else if (z < 0 && !all(vapply(fit$prior[model_of(fit)$factors], is_mild, TRUE))) {
    "The prior may outweigh the counts: fit again with prior = gamma_prior(1, rate = gamma_prior())."
  } else if (family_of(fit)$name == "poisson") {
    "Counts may vary more than the family allows: fit again with family = \"nbinom1\"."
  } else {
    "See summary() of the release, which compares its counts with the declared alpha."
  }
}

# The total of all observed cells, then the total of each row: fitted, released, the standard deviation of the
# released total given the fit, and z.
compare_totals <- function(fit) {
  input <- input_of(fit)
  if (input$clamped || n_missing(input$counts) > 0 || model_of(fit)$network == "undirected") {
    return(compare_spread_cells(fit))
  }
  rows <- rowSums(input$counts)
  n <- length(rows)
  at <- spread_draws(fit, 100)
  means <- each_draw(at, n, function(s) draw_row_totals(fit, s))
  excess <- each_draw(at, n, function(s) rep_len(draw_cell_excess(fit, s, cbind(seq_len(n))), n))
  cells <- prod(dim(input$counts)) / n - is_network(fit)
  noise <- cells * release_moments(0, 0, input$alpha, FALSE)$variance
  variance <- rowMeans(release_moments(means, excess, 0, FALSE)$variance) + noise
  totals <- colSums(means)
  total <- compared(mean(totals), sum(rows), sum(variance) + spread_of(totals))
  by_row <- compared(rowMeans(means), rows, variance + apply(means, 1, spread_of))
  Map(c, total, by_row)
}

spread_of <- function(x) if (length(x) > 1) stats::var(x) else 0

compared <- function(fitted, released, variance) {
  sd <- sqrt(pmax(variance, .Machine$double.xmin))
  list(fitted = fitted, released = released, sd = sd, z = (fitted - released) / sd)
}

# For clamped or undirected releases, and if cells are masked: only the total of about 10,000 observed cells.
compare_spread_cells <- function(fit) {
  at <- looked_at(fit)
  if (nrow(at$cells) == 0) {
    return(NULL)
  }
  totals <- vapply(spread_draws(fit, N_REPLICATES), function(s) {
    vapply(cell_moments(fit, s, at$input, at$cells), sum, 0)
  }, c(mean = 0, variance = 0))
  means <- totals["mean", ]
  compared(mean(means), sum(at$y_tilde), mean(totals["variance", ]) + spread_of(means))
}
