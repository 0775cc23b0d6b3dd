# Chains in this process, shared among its threads, or on the workers of a future plan.

# On the workers of the plan that is set with future::plan(), if there is one and chains are
# several.
uses_workers <- function(chains) {
  chains > 1 && requireNamespace("future.apply", quietly = TRUE) &&
    !inherits(future::plan(), "sequential")
}

# Calls f(chains, ...), which returns a list with one result per chain.
over_chains <- function(chains, f, ..., workers) {
  if (!workers) {
    return(f(chains, ...))
  }
  # chains have streams of their own: future's own care for random numbers is not wanted
  ran <- future.apply::future_lapply(lapply(seq_along(chains), function(i) chains[i]), on_worker, f, ...,
    future.seed = NULL, future.globals = FALSE, future.packages = "ldpcounts"
  )
  unlist(ran, recursive = FALSE)
}

# A worker uses one thread, because the other workers use the other cores.
on_worker <- function(chains, f, ...) with_threads(1L, f(chains, ...))

# How long a block of sweeps takes, in seconds: often enough for progress and interrupts, rarely enough to
# cost nothing; with workers, each block carries cells and factors there and back.
block_seconds <- function(workers) if (workers) 10 else 0.2
