# What a run will take, told before it begins; what cannot fit is refused.

format_bytes <- function(bytes) {
  format(structure(bytes, class = "object_size"), units = "auto", standard = "SI")
}

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

# Free memory in bytes, or what R may still take of it where it was told to take less (R_MAX_VSIZE); Inf
# where neither is known. gc() is slow, and seldom needed.
memory_free <- function() {
  system <- tryCatch(ps::ps_system_memory()[["avail"]], error = function(failure) Inf)
  limit <- mem.maxVSize() * 2^20
  if (limit < system) max(0, limit - 8 * gc()["Vcells", "used"]) else system
}

# What is small is not worth asking the system for.
is_affordable <- function(bytes, free = memory_free()) bytes <= 1e8 || bytes <= free

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

# As a base matrix, if memory holds it and what is made of it.
as_dense <- function(x, arg, call) {
  needed <- 2 * 8 * prod(as.double(dim(x)))
  if (!is_affordable(needed)) {
    ldp_abort(c(
      "{.arg {arg}} is too large to be held in memory with all its zeros.",
      x = "It is {paste(dim(x), collapse = ' x ')}, and would take {format_bytes(needed)}."
    ), class = "ldpcounts_memory_error", call = call)
  }
  as.matrix(x)
}
