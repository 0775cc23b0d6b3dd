# Replicated data: releases of some cells, or their moments, for draws of a fit.

# Replicated releases of some cells in draw s, and their moments; `input`: see model_data().
replicate_cells <- function(...) of_cells(replicate_release, ...)
cell_moments <- function(...) of_cells(release_moments, ...)

of_cells <- function(f, fit, s, input, cells) {
  mu <- draw_cell_mean(fit, s, cells)
  f(mu, draw_cell_excess(fit, s, cells), input$alpha[cells[, 1]], input$clamped)
}

# Calls summarise(s, input, cells, y_tilde) for N_REPLICATES draws s and about N_CHECKED observed cells, whose
# released counts are `y_tilde`. Returns a list of the results and of `y_tilde`, or NULL if none of the cells
# was observed. The result is the same in each call, and the state of R's generator is not changed.
over_replicates <- function(fit, summarise) {
  at <- looked_at(fit)
  if (nrow(at$cells) == 0) {
    return(NULL)
  }
  draws <- rep_len(spread_draws(fit, N_REPLICATES), N_REPLICATES)
  values <- with_stream(chain_streams(1, 0)[[1]], lapply(draws, summarise, at$input, at$cells, at$y_tilde))
  list(y_tilde = at$y_tilde, values = values$value)
}

# The data in the form that the model uses, and some of the observed cells.
looked_at <- function(fit) {
  if (!is.null(fit$looked_at)) {
    return(c(list(input = shards_source(fit$data, fit$noise)), fit$looked_at[c("cells", "y_tilde")]))
  }
  input <- input_of(fit)
  cells <- checked_cells(input$counts, model_of(fit)$network)
  list(input = input, cells = cells, y_tilde = counts_at(input$counts, cells))
}

N_REPLICATES <- 50
N_CHECKED <- 1e4

# The same cells and their released counts, of data in files.
look_at_files <- function(task) {
  all <- prod(as.double(task$dim))
  n <- min(N_CHECKED / (task$n_observed / all), 1e6)
  cells <- if (all <= n) arrayInd(seq_len(all), task$dim) else spread_cells(task$dim, n, "none")
  y_tilde <- counts_on_shards(task$shards, cells)
  list(
    cells = cells[!is.na(y_tilde), , drop = FALSE], y_tilde = y_tilde[!is.na(y_tilde)],
    n_observed = task$n_observed
  )
}

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

# About n cells, spread over the table by multiples of the golden ratio. They are the same in each call, and
# cells that are not data (such as the diagonal of a network) are left out.
spread_cells <- function(dim, n, network) {
  all <- prod(as.double(dim))
  golden <- (sqrt(5) - 1) / 2
  index <- unique(floor(all * ((seq_len(min(n, all)) * golden) %% 1)) + 1)
  cells <- arrayInd(index, dim)
  cells[is_data(cells, network), , drop = FALSE]
}
