# Whether a fit contradicts the totals of its release.

# Where the fit contradicts the release: its fitted total lies farther from the released one, which is
# unbiased, than noise and counts vary, so far that it would happen once in 10,000 fits; or the totals of a
# quarter of the rows lie so far off that one in a hundred should. (A few rows of real data always do, for a
# burst in one cell.) NULL, or what to say of it.
check_location <- function(fit) {
  if (!fit$private || fit$noise == "ignore") {
    return(NULL)
  }
  compared <- compare_totals(fit)
  if (length(compared$z) == 0) {
    return(NULL)
  }
  off <- abs(compared$z[-1]) > stats::qnorm(0.005, lower.tail = FALSE)
  contradicted <- abs(compared$z[1]) > stats::qnorm(5e-5, lower.tail = FALSE)
  if (!contradicted && sum(off) < max(3, length(off) / 4)) {
    return(NULL)
  }
  shown <- function(x, digits) format(signif(x, digits), big.mark = ",", scientific = FALSE)
  paste0(
    "Do not trust this fit: it contradicts the release. ", if (contradicted) {
      paste0(
        "Its fitted total is ", shown(compared$fitted[1], 3), ", where the release has ",
        shown(compared$released[1], 3), " (standard error ", shown(compared$sd[1], 2), "). "
      )
    } else {
      paste0("The fitted totals of ", sum(off), " of ", length(off), " rows are far from the released ones. ")
    },
    relocating(fit, if (contradicted) compared$z[1] else stats::median(compared$z[-1][off]))
  )
}

# What helps: under strong noise a prior that pulls all weights to zero outweighs the counts.
relocating <- function(fit, z) {
  if (is_own(fit)) {
    return("Counts may vary more than a Poisson model allows, or `step` may have another posterior in mind.")
  }
  priors <- fit$prior[model_of(fit)$factors]
  mild <- all(vapply(priors, function(prior) prior$shape >= 1 && has_random_rate(prior), TRUE))
  if (z < 0 && !mild) {
    return("The prior outweighs the counts: fit again with prior = gamma_prior(1, rate = gamma_prior()).")
  }
  if (family_of(fit)$name == "poisson") {
    return("Counts vary more than the family allows: fit again with family = \"nbinom1\".")
  }
  "summary() of the release says whether its alpha can be as declared."
}

# The total of all observed cells, then that of each row: fitted, released, the standard deviation of what was
# released given the fit, and z.
compare_totals <- function(fit) {
  input <- input_of(fit)
  if (input$clamped || n_missing(input$counts) > 0 || model_of(fit)$network == "undirected") {
    return(compare_spread_cells(fit))
  }
  rows <- rowSums(input$counts)
  n <- length(rows)
  at <- spread_draws(fit, LOCATED_DRAWS)
  of_draws <- function(f) matrix(vapply(at, function(s) rep_len(f(s), n), numeric(n)), n)
  means <- of_draws(function(s) draw_row_totals(fit, s))
  excess <- of_draws(function(s) draw_cell_excess(fit, s, cbind(seq_len(n))))
  cells <- prod(dim(input$counts)) / n - is_network(fit)
  noise <- cells * release_moments(0, 0, input$alpha, FALSE)$variance
  variance <- rowMeans(release_moments(means, excess, 0, FALSE)$variance) + noise
  totals <- colSums(means)
  total <- compared(mean(totals), sum(rows), sum(variance) + spread_of(totals))
  by_row <- compared(rowMeans(means), rows, variance + apply(means, 1, spread_of))
  Map(c, total, by_row)
}

LOCATED_DRAWS <- 100

spread_of <- function(x) if (length(x) > 1) stats::var(x) else 0

compared <- function(fitted, released, variance) {
  sd <- sqrt(pmax(variance, .Machine$double.xmin))
  list(fitted = fitted, released = released, sd = sd, z = (fitted - released) / sd)
}

# Of clamped releases, of pairs, and where cells are masked: the total of about 10,000 observed cells alone.
compare_spread_cells <- function(fit) {
  input <- input_of(fit)
  cells <- checked_cells(input$counts, model_of(fit)$network)
  if (nrow(cells) == 0) {
    return(NULL)
  }
  at <- spread_draws(fit, N_REPLICATES)
  moments <- lapply(at, function(s) lapply(cell_moments(fit, s, input, cells), sum))
  means <- vapply(moments, `[[`, 0, "mean")
  compared(
    mean(means), sum(counts_at(input$counts, cells)),
    mean(vapply(moments, `[[`, 0, "variance")) + spread_of(means)
  )
}
