# What a run will take, told before it begins; what cannot fit is refused.

# Bytes, by what they are for.
memory_needed <- function(task, input, run) {
  factors <- sum(vapply(task$model$factor_dim(input$dim, task$k), prod, 0))
  values <- stored_values(input$counts)
  active <- sum(values > 0, na.rm = TRUE)
  above <- sum(values > 1, na.rm = TRUE)
  missing <- n_missing(input$counts)
  augmented <- task$augmentation %in% c("bessel", "delta")
  if (augmented) {
    active <- n_cells(input$counts) - missing
  }
  if (identical(task$inference, "cavi")) {
    return(c(
      draws = 8 * factors * run$kept, cells = 16 * active + 8 * missing,
      # of each start shapes, rates and counts; while it runs, a copy, means, and some draws
      chains = 8 * (factors * (4 * run$chains + 20) + if (augmented) 2 * active * (run$chains + 1) else 0)
    ))
  }
  own <- run$chains * max(1, run$race$starts)
  c(
    draws = 8 * factors * run$kept * run$chains,
    # column, count and transpose; row and column of a missing cell
    cells = 16 * active + 8 * missing,
    # each chain's own, or of each of its starts, and while it runs a copy, counts and exposures
    chains = 8 * factors * (own + 3) +
      if (augmented) {
        16 * active * (own + 1)
      } else if (is_estimated(task$family)) {
        24 * above # while it runs, the counts above 1
      } else {
        0
      }
  )
}

check_memory <- function(task, input, run, free = memory_free(),
                         call = rlang::caller_env()) {
  needed <- memory_needed(task, input, run)
  if (sum(needed) > free) {
    ldp_abort(c(
      "The run would take {format_bytes(sum(needed))} of memory, and {format_bytes(free)} are free.",
      i = paste(
        "Kept draws would take {format_bytes(needed[['draws']])} (a larger {.arg thin} keeps fewer),",
        "the cells {format_bytes(needed[['cells']])}, the chains {format_bytes(needed[['chains']])}."
      )
    ), class = "ldpcounts_memory_error", call = call)
  }
  needed
}
