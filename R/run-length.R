# The length of a run, and which of its draws are kept.

# Checks the length of a run, and returns it. `warmup`: NULL for half of `iter`; `thin`: NULL keeps all draws.
check_run <- function(iter, warmup, thin, chains, call) {
  iter <- check_whole(iter, "iter", 1, call = call)
  warmup <- if (is.null(warmup)) iter %/% 2L else check_whole(warmup, "warmup", 0, call = call)
  thin <- if (is.null(thin)) 1L else check_whole(thin, "thin", 1, call = call)
  chains <- check_whole(chains, "chains", 1, call = call)
  kept <- (iter - warmup) %/% thin
  check_that(iter > warmup, c(
    "{.arg iter} must be larger than {.arg warmup}, because it includes the sweeps of the warmup.",
    x = "They are {iter} and {warmup}."
  ), call)
  check_that(kept >= 1, c(
    "{.arg thin} must not be larger than {iter - warmup}, the number of sweeps after the warmup.",
    x = "It is {thin}."
  ), call)
  in_all <- kept * as.double(chains)
  check_that(in_all <= .Machine$integer.max, c(
    "{.arg iter}, {.arg thin} and {.arg chains} must keep fewer than 2^31 draws in all.",
    x = "They keep {in_all}."
  ), call)
  list(iter = iter, warmup = warmup, thin = thin, chains = chains, kept = kept)
}

# The run of gibbs(), for data of this shape.
gibbs_run <- function(inference, task, dim, call) {
  run <- check_run(inference$iter, inference$warmup, inference$thin, inference$chains, call)
  if (is.null(inference$thin)) run <- thin_out(run, 8 * n_weights(task, dim))
  tell_one_draw(run)
  if (is.null(inference$init)) run$race <- plan_race(task$model, task$k, run$warmup)
  run
}

# Chooses `thin` so that the kept draws of all chains take at most DRAWS_BYTES, given the number of bytes per
# draw. At least LEAST_KEPT draws per chain are kept, because convergence could not be judged with fewer.
thin_out <- function(run, bytes) {
  wanted <- ceiling(run$kept * run$chains * bytes / DRAWS_BYTES)
  run$thin <- as.integer(max(1, min(wanted, run$kept %/% LEAST_KEPT)))
  run$kept <- (run$iter - run$warmup) %/% run$thin
  run
}

DRAWS_BYTES <- 2e9
LEAST_KEPT <- 100L
