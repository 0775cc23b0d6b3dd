# How long a run is, and which of its draws are kept.

# `thin`: NULL for all draws.
check_run <- function(iter, warmup, thin, chains, call) {
  iter <- check_whole(iter, "iter", 1, call = call)
  warmup <- check_whole(warmup, "warmup", 0, call = call)
  thin <- if (is.null(thin)) 1L else check_whole(thin, "thin", 1, call = call)
  chains <- check_whole(chains, "chains", 1, call = call)
  kept <- (iter - warmup) %/% thin
  check_that(iter > warmup, c(
    "{.arg iter} must be above {.arg warmup}: it counts all sweeps, those of the warmup included.",
    x = "They are {iter} and {warmup}."
  ), call)
  check_that(kept >= 1, c(
    "{.arg thin} must leave at least one draw of {iter - warmup} sweeps after the warmup.",
    x = "It is {thin}."
  ), call)
  in_all <- kept * as.double(chains)
  check_that(in_all <= .Machine$integer.max, c(
    "{.arg iter}, {.arg thin} and {.arg chains} must keep fewer than 2^31 draws in all.",
    x = "They keep {in_all}."
  ), call)
  list(iter = iter, warmup = warmup, thin = thin, chains = chains, kept = kept)
}

# Kept draws of all chains, of so many bytes each, in no more than DRAWS_BYTES, but for the last LEAST_KEPT a
# chain, without which no chain can be judged.
thin_out <- function(run, bytes) {
  wanted <- ceiling(run$kept * run$chains * bytes / DRAWS_BYTES)
  run$thin <- as.integer(max(1, min(wanted, run$kept %/% LEAST_KEPT)))
  run$kept <- (run$iter - run$warmup) %/% run$thin
  run
}

DRAWS_BYTES <- 2e9
LEAST_KEPT <- 100L
