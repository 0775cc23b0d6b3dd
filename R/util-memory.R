# How much memory is free; objects that would need more are refused.

# Free memory in bytes, or what R may still use if R_MAX_VSIZE sets a lower limit; Inf if neither is known.
# gc() is called only if there is such a limit, because it is slow.
memory_free <- function() {
  system <- tryCatch(ps::ps_system_memory()[["avail"]], error = function(failure) Inf)
  limit <- mem.maxVSize() * 2^20
  if (limit < system) max(0, limit - 8 * gc()["Vcells", "used"]) else system
}

# For small objects the system is not asked how much memory is free.
is_affordable <- function(bytes, free = memory_free()) bytes <= 1e8 || bytes <= free

# The approximate number of bytes that a row or a column takes even if it is empty: for its label, sums and
# indices.
BYTES_PER_LINE <- 64

fits_in_memory <- function(dim, free = memory_free()) {
  is_affordable(BYTES_PER_LINE * sum(as.double(dim)), free)
}

check_extent_memory <- function(dim, arg, call, free = memory_free()) {
  check_that(fits_in_memory(dim, free), c(
    "{.arg {arg}} has too many rows and columns to be held in memory.",
    x = "It is {paste(dim, collapse = ' x ')}."
  ), call, class = "ldpcounts_memory_error")
}
