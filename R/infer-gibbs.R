# Gibbs sampling: runs chains from their starts, or from a checkpoint, and returns a fit. The loop over
# sweeps is in R/run-chains.R, and the sweeps are in C (src/ldp_topics.h, src/ldp_blocks.h,
# src/ldp_tensor.h). There are two sampling schemes:
#
#   collapsed     the noise is integrated out: a sweep visits positive and missing cells only, draws their
#                 true counts from their conditional distributions (?dtruecount), and then draws the weights
#   bessel        latent parts of the noise of every cell are drawn too (Schein et al. 2019), so a sweep
#                 visits all cells
#
# Both have the same posterior. They are documented in ?topic_model.

# Does a complete run: checks and shows how much memory it needs, then continues from the checkpoint, or from
# begin(task, seed). `from`: what the chains start from; a checkpoint must have been written with the same.
# `seed` is a promise, so that no random number is drawn if the run is refused.
run_task <- function(task, input, run, progress, checkpoint, from, begin, seed = NULL, cluster = NULL,
                     call = rlang::caller_env()) {
  began <- proc.time()[["elapsed"]]
  memory <- check_memory(task, input, run, call = call)
  if (progress) announce(task, input, run, memory)
  task <- add_cells(task, input)
  saved <- open_checkpoint(checkpoint, fingerprint(task, input, run, from), call = call)
  force(seed)
  state <- saved$state
  if (!is.null(cluster)) {
    task <- open_shards(task, input, open_processes(cluster, call))
    on.exit(close_shards(task$shards))
    if (is.null(input$counts)) task$looked_at <- look_at_files(task)
    seed <- task$shards$agree(seed)
    state <- task$shards$agree(state)
    if (!task$shards$writes) saved <- NULL
  }
  if (is.null(state)) {
    state <- begin(task, seed)
    state$seconds <- state$seconds + proc.time()[["elapsed"]] - began # includes the search for starts
  }
  if (task$inference == "cavi") {
    return(run_passes(task, input, run, state, progress, saved))
  }
  run_chains(task, run, state, progress, saved)
}

run_chains <- function(task, run, state, progress, saved) {
  ran <- run_sweeps(task, run, state, progress, saved)
  made <- ran$state[c("draws", "log_density", "chains", "race", "seconds")]
  if (is.null(names(made$chains))) names(made$chains) <- seq_len(run$chains)
  fit <- new_fit(task, ran$run, made[lengths(made) > 0])
  began <- proc.time()[["elapsed"]]
  fit$modes <- find_modes(fit)
  fit$seconds <- fit$seconds + proc.time()[["elapsed"]] - began
  fit
}
