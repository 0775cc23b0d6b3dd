# Chains in this process, or on the workers of a future plan.

# On the workers of the plan that is set with future::plan(), if there is one and chains are
# several.
uses_workers <- function(chains) {
  chains > 1 && requireNamespace("future.apply", quietly = TRUE) &&
    !inherits(future::plan(), "sequential")
}

# f(chain, ...) of every chain.
over_chains <- function(chains, f, ..., workers) {
  if (!workers) {
    return(lapply(chains, f, ...))
  }
  # chains have streams of their own: future's own care for random numbers is not wanted
  future.apply::future_lapply(chains, f, ...,
    future.seed = NULL, future.globals = FALSE, future.packages = "ldpcounts"
  )
}

# How long a block of sweeps takes, in seconds: often enough for progress and interrupts, rarely enough to
# cost nothing; with workers, each block carries cells and factors there and back.
block_seconds <- function(workers) if (workers) 10 else 0.2
