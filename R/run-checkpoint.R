# Long runs survive: the state of a run (R/run-chains.R) in a file, written whole or not at all.

# While a run goes on; more, up to a minute, where writing takes long.
seconds_between_checkpoints <- function(writing = 0) {
  asked <- getOption("ldpcounts.checkpoint_seconds", 30)
  max(asked, min(60, 10 * writing))
}

CHECKPOINT_KIND <- "ldpcounts checkpoint"

check_checkpoint <- function(checkpoint, call = rlang::caller_env()) {
  given <- !is.null(checkpoint)
  if (given && !is_file_name(checkpoint)) {
    abort_argument(checkpoint, "checkpoint", "NULL or the name of a file", call)
  }
  usable <- !given || (dir.exists(dirname(checkpoint)) && !dir.exists(checkpoint))
  check_that(usable, "{.arg checkpoint} must be a file in a folder that exists.", call)
}

# What must be the same for a run to go on from a file, by name. The seed need not: the streams of
# random numbers are in the file. `from`: where the chains started, given or not.
fingerprint <- function(task, input, run, from) {
  parts <- intersect(c("k", "family", "noise", "inference", "augmentation", "prior", "step"), names(task))
  fingerprint_of(input[c("counts", "dim", "alpha", "clamped")], list(
    task$model$name, task$model$network, lapply(task[parts], code_of),
    run[c("iter", "warmup", "thin", "chains")], from
  ))
}

fingerprint_of <- function(data, call) {
  version <- as.character(utils::packageVersion("ldpcounts"))
  list(version = version, data = rlang::hash(data), call = rlang::hash(call))
}

# A function may come from another session, with other references to its source.
code_of <- function(x) if (is.function(x)) as.list(utils::removeSource(x)) else x

# list(file, fingerprint, state, at): `state` is NULL where there is no file yet. `is_valid(state)`: can the
# run go on from it?
open_checkpoint <- function(file, fingerprint, call, is_valid = is.list) {
  if (is.null(file)) {
    return(NULL)
  }
  list(
    file = normalizePath(file, mustWork = FALSE), fingerprint = fingerprint,
    state = if (file.exists(file)) read_checkpoint(file, fingerprint, call, is_valid),
    at = proc.time()[["elapsed"]], wait = seconds_between_checkpoints()
  )
}

read_checkpoint <- function(file, fingerprint, call, is_valid) {
  refuse <- function(reason) {
    ldp_abort(c("{.file {file}} is no checkpoint of this run.", x = reason,
      i = "Another file, or none, starts the run from its beginning."
    ), class = "ldpcounts_checkpoint_error", call = call)
  }
  content <- tryCatch(suppressWarnings(readRDS(file)), error = function(failure) NULL)
  if (!is.list(content) || !identical(content$kind, CHECKPOINT_KIND)) {
    refuse("It was not written as a checkpoint, or is damaged.")
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
  if (!isTRUE(tryCatch(is_valid(content$state), error = function(failure) FALSE))) {
    refuse("It has been edited, or is damaged.")
  }
  content$state
}

# Writes the state where the file is old enough, or `last`. A full disk does not end a run: it is
# told of, and the file stays as it was.
save_checkpoint <- function(saved, state, last = FALSE) {
  now <- proc.time()[["elapsed"]]
  if (is.null(saved) || (!last && now - saved$at < saved$wait)) {
    return(saved)
  }
  content <- list(kind = CHECKPOINT_KIND, fingerprint = saved$fingerprint, state = state)
  tryCatch(
    write_whole_file(saved$file, function(connection) saveRDS(content, connection)),
    ldpcounts_file_error = function(failure) {
      cli::cli_warn(c("The checkpoint could not be written, and the run goes on.",
        i = "{conditionMessage(failure)}"
      ), class = "ldpcounts_checkpoint_warning")
    }
  )
  saved$at <- proc.time()[["elapsed"]]
  saved$wait <- seconds_between_checkpoints(saved$at - now)
  saved
}
