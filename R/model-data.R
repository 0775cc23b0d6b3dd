# The data of a model: counts, extents and noise levels, and the cells that the kernels read.

# Checks counts with this number of modes (NULL: any number), and returns list(counts =, dim =): their table
# (R/data-table.R), and the extents of all modes. For a network it does not check direction or diagonal.
#' @srrstats {G2.8} here all data become a base matrix or a dgCMatrix, before they reach a model.
counts_of <- function(data, n_modes = 2, arg = "data", call = rlang::caller_env()) {
  check_given(missing(data), arg, call)
  private <- is_release(data)
  table <- table_of(given_counts(data, arg, call = call))
  dim <- table_dim(table)
  check_modes(dim, n_modes, arg, call)
  counts <- check_counts(table$counts, arg, call, signed = private)
  least <- if (length(dim) == 2) "at least one row and one column" else "an extent of at least 1 in each mode"
  message <- c("{.arg {arg}} must have {least}.", x = "It is {paste(dim, collapse = ' x ')}.")
  check_that(all(dim > 0), message, call)
  list(counts = counts, dim = dim)
}

# The input of a model, as list(counts =, dim =, alpha =, private =, clamped =): counts and dim as returned by
# counts_of(), and alpha with one number per row, 0 if counts are (or are treated as) true counts. `arg`: the
# name of the data in error messages.
model_data <- function(data, network = "none", n_modes = 2, arg = "data", call = rlang::caller_env()) {
  table <- counts_of(data, n_modes, arg, call)
  counts <- table$counts
  private <- is_release(data)
  fields <- if (private) validate_private_counts(fields_of(data), COUNT_RULES, call)
  alpha <- if (private) rep_len(fields$alpha, nrow(counts)) else numeric(nrow(counts))
  if (network != "none") {
    check_network(counts, arg, call, private)
    check_direction(counts, network, fields$directed, call)
    counts <- only_data(counts, network, alpha)
  } else if (private && !fields$directed) {
    abort_undirected(arg, call)
  }
  list(counts = counts, dim = table$dim, alpha = alpha, private = private, clamped = !is.null(fields$below))
}

check_modes <- function(dim, n_modes, arg, call) {
  two <- identical(as.double(n_modes), 2)
  wanted <- if (two) "be a matrix of counts, with two modes" else "have {n_modes} modes"
  check_that(is.null(n_modes) || length(dim) == n_modes, c(
    paste0("{.arg {arg}} must ", wanted, "."),
    x = "It has {length(dim)} modes, {paste(dim, collapse = ' x ')}.",
    i = if (two && sum(dim[-1] > 1) < 2) "{.code {arg}[, , 1, drop = TRUE]} has two modes.",
    i = if (two) "{.fn tensor_model} accepts data with any number of modes.",
    i = if (two) "For a single column of counts in a data frame, use {.code cbind(df$count)}."
  ), call)
}

# The cells in the form that the kernels read (src/ldp_cells.h). `all_active`: every observed cell has a
# latent count (Bessel augmentation), not only the positive ones. `by_columns`: are cells also needed by
# column?
#' @srrstats {G2.15} every cell may be missing: it then has exposure 0.
make_cells <- function(counts, alpha, all_active = FALSE, network = "none", by_columns = TRUE) {
  if (all_active) counts <- as.matrix(counts)
  table <- match(network, NETWORKS) - 1L
  .Call(C_rc_make_cells, counts, as.double(alpha), all_active, table, by_columns)
}

released_at <- function(data, cells) counts_at(table_of(data)$counts, cells)

# The input of a model, with the noise modelled or ignored, as the argument `noise` says.
model_input <- function(model, data, noise, arg = "data", call = rlang::caller_env()) {
  input <- model_data(data, model$network, model$n_modes, arg, call = call)
  if (noise == "ignore") take_for_truth(input) else input
}

# Adds to a task the cells in the form that the sampler reads, and the part of the log density of the release
# that does not depend on the factors.
add_cells <- function(task, input) {
  # without noise the two sampling schemes are the same
  noised <- any(input$alpha > 0)
  task$bessel <- task$scheme %in% c("bessel", "delta") && noised
  task$reflect <- if (noised) REFLECT else 0
  task$dim <- input$dim
  if (is.null(input$counts)) { # they are in files, which the workers of a cluster read
    return(task)
  }
  own <- task$model$cells
  task$cells <- if (is.null(own)) cells_of_task(task, input, task$bessel) else own(input)
  task$log_constant <- if (is.null(own)) log_constant(input, task$model$network) else 0
  task
}

cells_of_task <- function(task, input, all_active) {
  make_cells(input$counts, input$alpha, all_active, task$model$network, task$model$by_columns)
}

# The task for use in this process only, with cells that the kernels have checked and need not check again.
open_cells <- function(task) {
  if (is.null(task$model$cells)) task$cells <- .Call(C_rc_open_cells, task$cells)
  task
}

# Cells at or below zero have log density |k| log(alpha) + log((1 - alpha)/(1 + alpha)) - (1 - alpha) mu, and
# clamped ones -log(1 + alpha) - (1 - alpha) mu. This is the sum over these cells, without the terms in mu.
log_constant <- function(input, network) {
  below <- below_zero(input$counts)
  below$cells <- below$cells - n_other(nrow(input$counts), network)
  log_constant_of(below, input$alpha, input$clamped)
}

# The same, given for each row the number of these cells and the sum of their absolute values.
log_constant_of <- function(below, a, clamped) {
  if (clamped) {
    return(-sum(below$cells * log1p(a)))
  }
  sum(below$cells * (log1p(-a) - log1p(a))) + sum((below$size * log(a))[below$size > 0])
}

# The naive analysis: sets negative released counts to zero, and treats the result as true counts.
take_for_truth <- function(input) {
  if (input$private) {
    input$counts[cells_where(input$counts, function(x) !is.na(x) & x < 0)] <- 0L
    input$alpha[] <- 0
    input$clamped <- FALSE
  }
  input
}

# The approximate mean count, for starting values, with a small positive lower limit. Noise has mean zero, or
# alpha/(1 - alpha^2) if it is clamped.
level_of <- function(input, network) {
  mean_level(sum(stored_values(input$counts), na.rm = TRUE), n_observed(input$counts, network), input)
}

# The same, given the sum of all counts and their number.
mean_level <- function(sum, n, input) {
  excess <- if (input$clamped) mean(input$alpha / (1 - input$alpha^2)) else 0
  max(sum / max(1, n) - excess, 0.01)
}
