# How long a run is, and which of its draws are kept.

check_run <- function(iter, warmup, thin, chains, call) {
  iter <- check_whole(iter, "iter", 1, call = call)
  warmup <- check_whole(warmup, "warmup", 0, call = call)
  thin <- check_whole(thin, "thin", 1, call = call)
  chains <- check_whole(chains, "chains", 1, call = call)
  kept <- (iter - warmup) %/% thin
  if (iter <= warmup) {
    ldp_abort(c(
      "{.arg iter} must be above {.arg warmup}: sweeps in all, those thrown away among them.",
      x = "They are {iter} and {warmup}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (kept < 1) {
    ldp_abort(c(
      "{.arg thin} must leave at least one draw of {iter - warmup} sweeps after the warmup.",
      x = "It is {thin}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (kept * as.double(chains) > .Machine$integer.max) {
    ldp_abort(c(
      "{.arg iter}, {.arg thin} and {.arg chains} must keep fewer than 2^31 draws in all.",
      x = "They keep {kept * as.double(chains)}."
    ), class = "ldpcounts_argument_error", call = call)
  }
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
