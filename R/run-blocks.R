# The loop over blocks of sweeps (or iterations), for all models: progress, checkpoints and interrupts. It runs
# all chains together, in this process or on the workers of a future plan.

# Runs blocks until the end or until an interrupt, and returns list(state, interrupted). If a block is
# interrupted, it is discarded. Results do not depend on how sweeps are divided into blocks.
#
#   state        of new_state()
#   total        the last position of the progress bar; `position(state)` is the present one
#   saved        of open_checkpoint()
#   left         function(state): the largest number of sweeps of the next block; 0 at the end
#   advance      function(state, n): the results of n further sweeps of all chains
#   absorb       function(state, ran, n): the state with these results
#   shown        function(state, ran): one number per chain for the progress bar; `what` is its name
#   begin        function(state): the state from which the first block continues
#   whole        function(state): the state to save, with what is on workers
#   agree        function(x): the same x in all processes that run this (R/run-processes.R)
run_blocks <- function(state, total, progress, saved, seconds, left, advance, absorb, shown,
                       position = function(state) state$sweep, begin = identity, whole = identity,
                       agree = identity, what = "log density") {
  began <- now() - state$seconds
  interrupted <- FALSE
  block <- 1L
  bar <- start_bar(progress, total, position(state), what)
  on.exit(bar$done())
  tryCatch(
    {
      state <- begin(state)
      while ((most <- left(state)) > 0) {
        n <- agree(min(block, most))
        started <- now()
        ran <- advance(state, n)
        took <- now() - started
        suspendInterrupts({
          state <- absorb(state, ran, n)
          state$seconds <- now() - began
        })
        bar$update(position(state), shown(state, ran))
        if (agree(is_due(saved))) {
          complete <- whole(state) # of all processes, also of those that do not save it
          saved <- save_checkpoint(saved, complete)
        }
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

# --- workers --------------------------------------------------------------------------------------

# Are workers used? Yes, if there are several chains and future::plan() is set to a parallel plan.
uses_workers <- function(chains) {
  chains > 1 && requireNamespace("future.apply", quietly = TRUE) && !inherits(future::plan(), "sequential")
}

# The length of a block of sweeps in seconds: short enough for progress and interrupts, and long enough to
# have little overhead. With workers, cells and factors are sent and returned in each block.
block_seconds <- function(workers) if (workers) 10 else 0.2

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

# A worker uses one thread, because the other workers use the other cores.
on_worker <- function(chains, f, ...) with_threads(1L, f(chains, ...))

# For over_chains(), a function of a single chain, or of something else that there are several of.
each <- function(chains, f, ...) lapply(chains, f, ...)

# --- progress -------------------------------------------------------------------------------------

# Returns list(update = function(at, values), done = function()), for a bar from `first` to `total`: of cli, or
# signals to progressr if the user has set handlers. `values`: one number per chain, if known yet; `what` is
# their name.
start_bar <- function(progress, total, first, what = "log density", unit = "sweep") {
  if (!progress) {
    return(list(update = function(...) NULL, done = function() NULL))
  }
  if (progressr_wanted()) progressr_bar(total, first, what, unit) else cli_bar(total, first, what)
}

progressr_wanted <- function() {
  requireNamespace("progressr", quietly = TRUE) &&
    (!is.null(getOption("progressr.handlers")) || isTRUE(progressr::handlers(global = NA)))
}

# The range of the values of all chains, in words.
density_words <- function(values, what = "log density") {
  if (length(values) == 0) {
    return("searching for starts")
  }
  ends <- unique(format(range(values), digits = 6, trim = TRUE))
  paste(what, paste(ends, collapse = " to "))
}

progressr_bar <- function(total, first, what, unit) {
  signal <- progressr::progressor(steps = total - first, on_exit = FALSE)
  list(
    update = function(at, values) {
      signal(amount = at - first, message = paste0(unit, " ", at, ", ", density_words(values, what)))
      first <<- at
    },
    done = function() signal(type = "finish")
  )
}

cli_bar <- function(total, first, what) {
  began <- now()
  id <- cli::cli_progress_bar(
    total = total, .auto_close = FALSE, extra = list(status = ""),
    format = paste("{cli::pb_bar} {cli::pb_current}/{cli::pb_total}", "{cli::pb_extra$status}")
  )
  list(
    update = function(at, values) {
      rate <- (at - first) / max(now() - began, 1e-3)
      cli::cli_progress_update(id = id, set = at, extra = list(status = paste0(
        format(rate, digits = 2), "/s, ", format_seconds((total - at) / rate), " left, ",
        density_words(values, what)
      )))
    },
    done = function() cli::cli_progress_done(id)
  )
}
