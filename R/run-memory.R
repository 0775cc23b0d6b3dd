# Estimates how much memory a run needs before it begins, and refuses runs for which there is not enough.

# The number of bytes, by purpose.
memory_needed <- function(task, input, run) {
  factors <- n_weights(task, input$dim)
  if (is.null(input$counts)) { # they are in files, and the cells on workers
    draws <- 8 * factors * run$kept * run$chains
    return(c(draws = draws, cells = 0, chains = 24 * factors * run$chains))
  }
  values <- stored_values(input$counts)
  missing <- n_missing(input$counts)
  cavi <- task$inference != "gibbs"
  augmented <- task$scheme %in% c("bessel", "delta")
  active <- if (augmented) n_cells(input$counts) - missing else sum(values > 0, na.rm = TRUE)
  own <- run$chains * max(1, run$race$starts)
  at_once <- min(n_threads(), own)
  # besides, each thread has counts and exposures of the columns, or of the actors of a network
  network <- task$model$network != "none"
  columns <- if (network) factors else 2 * (factors - prod(task$model$factor_dim(input$dim, task$k)[[1]]))
  # for each start of CAVI: shapes, rates and counts; while it runs, a copy, means, and some draws; for each
  # chain (or each of its starts): the factors and two copies; for each chain that runs: exposures
  of_factors <- if (cavi) 4 * own + 20 else 3 * own + at_once
  of_threads <- if (cavi || !is.null(task$model$cells)) 0 else n_threads() * columns
  # for each chain that runs at the moment, the counts above 1
  above <- if (is_estimated(task$family) && !cavi && !augmented) 3 * sum(values > 1, na.rm = TRUE) else 0
  of_events <- above * at_once
  of_noise <- if (augmented) 6 * active * own else 0
  c(
    draws = 8 * factors * run$kept * if (cavi) 1 else run$chains,
    # column, count and transpose; row and column of a missing cell
    cells = 16 * active + 8 * missing, chains = 8 * (factors * of_factors + of_threads + of_events + of_noise)
  )
}

check_memory <- function(task, input, run, free = memory_free(), call = rlang::caller_env()) {
  needed <- memory_needed(task, input, run)
  sizes <- vapply(needed, format_bytes, "")
  check_free_memory(sum(needed), "The run", paste0(
    "Kept draws would take ", sizes[["draws"]], " (a larger {.arg thin} keeps fewer), the cells ",
    sizes[["cells"]], ", the chains ", sizes[["chains"]], "."
  ), free, call)
  needed
}
