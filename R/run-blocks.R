# The loop over blocks of sweeps (or iterations), for all models: progress, checkpoints and interrupts. It
# runs all chains together.

# Runs blocks until the end or until an interrupt, and returns list(state, interrupted). If a block is
# interrupted, it is discarded. Results do not depend on how sweeps are divided into blocks.
#
#   state        of new_state()
#   total        the last position of the progress bar; `position(state)` is the present one
#   saved        of open_checkpoint()
#   left         function(state): the largest number of sweeps of the next block; 0 at the end
#   advance      function(state, n): the results of n further sweeps of all chains
#   absorb       function(state, results, n): the state with these results
#   shown        function(state, results): one number per chain for the progress bar; `what` is its name
#   begin        function(state): the state from which the first block continues
#   whole        function(state): the state to save, with what is on workers
#   seconds      the length of a block: short enough for progress and interrupts, and long enough to have
#                little overhead
run_blocks <- function(state, total, progress, saved, left, advance, absorb, shown,
                       position = function(state) state$sweep, begin = identity, whole = identity,
                       seconds = BLOCK_SECONDS, what = "log density") {
  began <- now() - state$seconds
  interrupted <- FALSE
  block <- 1L
  bar <- start_bar(progress, total, position(state), what)
  on.exit(bar$done())
  tryCatch(
    {
      state <- begin(state)
      while ((most <- left(state)) > 0) {
        n <- min(block, most)
        started <- now()
        results <- advance(state, n)
        took <- now() - started
        suspendInterrupts({
          state <- absorb(state, results, n)
          state$seconds <- now() - began
        })
        bar$update(position(state), shown(state, results))
        if (is_due(saved)) saved <- save_checkpoint(saved, whole(state))
        block <- as.integer(max(1, min(2 * block, n * seconds / max(took, 1e-6), 1e4)))
      }
    },
    interrupt = function(condition) interrupted <<- TRUE
  )
  bar$done()
  state <- whole(state)
  save_checkpoint(saved, state)
  list(state = state, interrupted = interrupted)
}

BLOCK_SECONDS <- 0.2

# At the console, issues a warning, and the incomplete fit is returned. In a script, throws an error, because
# the script would otherwise continue with an incomplete fit.
say_interrupted <- function(how_far, has, more, saved) {
  class <- "ldpcounts_interrupted"
  if (rlang::is_interactive()) {
    continue <- "{.code update(fit, {more})} continues the run."
    return(cli::cli_warn(c("{how_far}", i = "{has}", i = continue), class = class))
  }
  ldp_abort(c("{how_far}", i = if (is.null(saved)) {
    "Nothing was saved. To save runs, use the argument {.arg checkpoint} of the model functions."
  } else {
    "The run so far is saved in {.file {saved$file}}. Repeat the same call to continue it."
  }), class, call = NULL)
}

# --- progress -------------------------------------------------------------------------------------

# Returns list(update = function(at, values), done = function()), for a bar from `first` to `total`. `values`:
# one number per chain, if known yet; `what` is their name.
start_bar <- function(progress, total, first, what = "log density") {
  if (!progress) {
    return(list(update = function(...) NULL, done = function() NULL))
  }
  began <- now()
  id <- cli::cli_progress_bar(
    total = total, .auto_close = FALSE, extra = list(status = ""),
    format = paste("{cli::pb_bar} {cli::pb_current}/{cli::pb_total}", "{cli::pb_extra$status}")
  )
  list(
    update = function(at, values) {
      rate <- (at - first) / max(now() - began, 1e-3)
      left <- format_seconds((total - at) / rate)
      status <- paste0(format(rate, digits = 2), "/s, ", left, " left, ", density_words(values, what))
      cli::cli_progress_update(id = id, set = at, extra = list(status = status))
    },
    done = function() cli::cli_progress_done(id)
  )
}

# The range of the values of all chains, in words.
density_words <- function(values, what = "log density") {
  if (length(values) == 0) {
    return("searching for starts")
  }
  ends <- unique(format(range(values), digits = 6, trim = TRUE))
  paste(what, paste(ends, collapse = " to "))
}
