# How much memory is free, and what takes more is refused.

# Free memory in bytes, or what R may still take of it where R_MAX_VSIZE sets a lower limit; Inf
# where neither is known. gc() is slow, and seldom needed.
memory_free <- function() {
  system <- tryCatch(ps::ps_system_memory()[["avail"]], error = function(failure) Inf)
  limit <- mem.maxVSize() * 2^20
  if (limit < system) max(0, limit - 8 * gc()["Vcells", "used"]) else system
}

# What is small is not worth asking the system for.
is_affordable <- function(bytes, free = memory_free()) bytes <= 1e8 || bytes <= free

# What rows and columns take, also where they are empty: about so many bytes each, in labels, sums and
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
