# Replicated data: releases of some cells, or their moments, for draws of a fit.

# Releases of some cells, and their moments, in draw s; `input` as model_data() has it.
replicate_cells <- function(...) of_cells(replicate_release, ...)
cell_moments <- function(...) of_cells(release_moments, ...)

of_cells <- function(f, fit, s, input, cells) {
  mu <- draw_cell_mean(fit, s, cells)
  f(mu, draw_cell_excess(fit, s, cells), input$alpha[cells[, 1]], input$clamped)
}

# What summarise(s, input, cells, y_tilde) gives of N_REPLICATES draws s, at about N_CHECKED observed cells: a
# list, with `y_tilde`, what was observed at these. The same each time, and off the caller's stream of
# random numbers. NULL if none of the cells were observed.
over_replicates <- function(fit, summarise) {
  at <- looked_at(fit)
  if (nrow(at$cells) == 0) {
    return(NULL)
  }
  draws <- rep_len(spread_draws(fit, N_REPLICATES), N_REPLICATES)
  values <- with_stream(chain_streams(1, 0)[[1]], lapply(draws, summarise, at$input, at$cells, at$y_tilde))
  list(y_tilde = at$y_tilde, values = values$value)
}

# What the model sees of the data, and some of the observed cells.
looked_at <- function(fit) {
  input <- input_of(fit)
  cells <- checked_cells(input$counts, model_of(fit)$network)
  list(input = input, cells = cells, y_tilde = counts_at(input$counts, cells))
}

N_REPLICATES <- 50
N_CHECKED <- 1e4

# About N_CHECKED observed cells, spread over the data, or all of them.
checked_cells <- function(counts, network) {
  share <- n_observed(counts, network) / n_cells(counts)
  n <- min(N_CHECKED / share, 1e6)
  if (n_cells(counts) <= n) {
    return(observed_cells(counts, network))
  }
  cells <- spread_cells(dim(counts), n, network)
  cells[!is.na(counts_at(counts, cells)), , drop = FALSE]
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
