# Runs chains in this process, shared among its threads, or on the workers of a future plan.

# Are workers used? Yes, if there are several chains and future::plan() is set to a parallel plan.
uses_workers <- function(chains) {
  chains > 1 && requireNamespace("future.apply", quietly = TRUE) &&
    !inherits(future::plan(), "sequential")
}

# Calls f(chains, ...), which returns a list with one result per chain.
over_chains <- function(chains, f, ..., workers) {
  if (!workers) {
    return(f(chains, ...))
  }
  # chains have their own streams of random numbers, so future's random number streams are not used
  ran <- future.apply::future_lapply(lapply(seq_along(chains), function(i) chains[i]), on_worker, f, ...,
    future.seed = NULL, future.globals = FALSE, future.packages = "ldpcounts"
  )
  unlist(ran, recursive = FALSE)
}

# For over_chains(), a function of a single chain, or of something else that there are several of.
each <- function(chains, f, ...) lapply(chains, f, ...)

# A worker uses one thread, because the other workers use the other cores.
on_worker <- function(chains, f, ...) with_threads(1L, f(chains, ...))

# The length of a block of sweeps in seconds: short enough for progress and interrupts, and long enough to
# have little overhead. With workers, cells and factors are sent and returned in each block.
block_seconds <- function(workers) if (workers) 10 else 0.2
