# Runs chains in this process, or on the workers of a future plan.

# Are workers used? Yes, if there are several chains and future::plan() is set to a parallel plan.
uses_workers <- function(chains) {
  chains > 1 && requireNamespace("future.apply", quietly = TRUE) &&
    !inherits(future::plan(), "sequential")
}

# Applies f(chain, ...) to all chains.
over_chains <- function(chains, f, ..., workers) {
  if (!workers) {
    return(lapply(chains, f, ...))
  }
  # chains have their own streams of random numbers, so future's random number streams are not used
  future.apply::future_lapply(chains, f, ...,
    future.seed = NULL, future.globals = FALSE, future.packages = "ldpcounts"
  )
}

# The length of a block of sweeps in seconds: short enough for progress and interrupts, and long enough to
# have little overhead. With workers, cells and factors are sent and returned in each block.
block_seconds <- function(workers) if (workers) 10 else 0.2
