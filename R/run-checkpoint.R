# Checkpoints: the state of a run (new_state() in R/run-chains.R) in a file, written completely or not at all.

CHECKPOINT_KIND <- "ldpcounts checkpoint"

check_checkpoint <- function(checkpoint, call = rlang::caller_env()) {
  if (is.null(checkpoint)) {
    return()
  }
  if (!is_file_name(checkpoint)) abort_argument(checkpoint, "checkpoint", "NULL or the name of a file", call)
  check_that(dir.exists(dirname(checkpoint)) && !dir.exists(checkpoint),
    "{.arg checkpoint} must be the name of a file in an existing folder.", call
  )
}

# A named list of what must be the same if a run is to continue from a file: the counts, and all of the task
# but what stands for them or only labels them. The seed need not be the same, because the file contains the
# streams of random numbers. `from`: where the chains started.
fingerprint <- function(task, input, run, from) {
  parts <- task[setdiff(names(task), c("model", "data", "dim", "private", "labels", "labelled"))]
  counts <- if (is.null(input$counts)) unname(tools::md5sum(task$data$files)) else input$counts
  mechanism <- c(input$mechanism[c("kind", "parameters", "noise")], lapply(input$mechanism$custom, code_of))
  list(
    version = as.character(utils::packageVersion("ldpcounts")),
    data = rlang::hash(c(list(counts), input[c("dim", "alpha", "clamped")], mechanism)),
    call = rlang::hash(list(
      task$model$name, task$model$network, lapply(parts, code_of),
      run[c("iter", "warmup", "thin", "chains")], from
    ))
  )
}

# The code of a function without its source references, which differ between sessions.
code_of <- function(x) if (is.function(x)) as.list(utils::removeSource(x)) else x

# An open checkpoint.
#
#   file           its whole name
#   fingerprint    of the run, see fingerprint()
#   state          the state in the file when it was opened; NULL if there was no file yet
#   at             when the state was last saved
#   wait           how many seconds later it is to be saved again
new_checkpoint <- function(file, fingerprint, state = NULL, wait = wait_between()) {
  list(file = file, fingerprint = fingerprint, state = state, at = now(), wait = wait)
}

# The time between checkpoints in seconds; longer, up to a minute, if writing takes long.
wait_between <- function(writing = 0) {
  max(getOption("ldpcounts.checkpoint_seconds", 30), min(60, 10 * writing))
}

# NULL without a file.
open_checkpoint <- function(file, fingerprint, call) {
  if (is.null(file)) {
    return(NULL)
  }
  state <- if (file.exists(file)) read_checkpoint(file, fingerprint, call)
  new_checkpoint(normalizePath(file, mustWork = FALSE), fingerprint, state)
}

read_checkpoint <- function(file, fingerprint, call) {
  refuse <- function(reason) {
    ldp_abort(c("{.file {file}} is not a checkpoint of this run.", x = reason,
      i = "To start the run from its beginning, use another file, or no checkpoint."
    ), class = "ldpcounts_checkpoint_error", call = call)
  }
  content <- tryCatch(suppressWarnings(readRDS(file)), error = function(failure) NULL)
  if (!is.list(content) || !identical(content$kind, CHECKPOINT_KIND)) {
    refuse("It is not a checkpoint, or it is damaged.")
  }
  found <- content$fingerprint
  differs <- function(name) !is.list(found) || !identical(fingerprint[[name]], found[[name]])
  other <- Find(differs, names(fingerprint))
  if (!is.null(other)) {
    refuse(switch(other,
      version = "It was written by another version of ldpcounts.",
      data = "It was written by a run on other data.",
      call = "It was written by a call with other arguments."
    ))
  }
  if (!is.list(content$state) || !identical(content$digest, rlang::hash(content$state))) {
    refuse("It has been edited or damaged.")
  }
  content$state
}

# Is there a file, and the last checkpoint old enough?
is_due <- function(saved) !is.null(saved) && now() - saved$at >= saved$wait

# Writes the state, and returns the checkpoint for the next time. If writing fails (the disk may be full), the
# run continues with a warning, and the old file is kept.
save_checkpoint <- function(saved, state) {
  if (is.null(saved)) {
    return(NULL)
  }
  began <- now()
  content <- list(
    kind = CHECKPOINT_KIND, fingerprint = saved$fingerprint, digest = rlang::hash(state), state = state
  )
  tryCatch(
    write_whole_file(saved$file, function(connection) saveRDS(content, connection)),
    ldpcounts_file_error = function(failure) {
      cli::cli_warn(c("The checkpoint could not be written. The run continues without it.",
        i = "{conditionMessage(failure)}"
      ), class = "ldpcounts_checkpoint_warning")
    }
  )
  new_checkpoint(saved$file, saved$fingerprint, wait = wait_between(now() - began))
}

now <- function() proc.time()[["elapsed"]]
