# Writing files, completely or not at all.

check_file_name <- function(file, call = rlang::caller_env()) {
  check_given(missing(file), "file", call)
  if (!is_file_name(file)) abort_argument(file, "file", "the name of a file", call)
}

check_folder <- function(file, done, call = rlang::caller_env()) {
  check_that(dir.exists(dirname(file)), c(
    "{.file {file}} could not be {done}.",
    x = "There is no folder {.file {dirname(file)}}."
  ), call, class = "ldpcounts_file_error")
}

# A file that exists is replaced only if the user says so. (A link that leads nowhere exists too.)
check_new_file <- function(file, overwrite, hint = NULL, call = rlang::caller_env()) {
  check_file_name(file, call)
  check_folder(file, "written", call)
  exists <- file.exists(file) || (nzchar(Sys.readlink(file)) && !is.na(Sys.readlink(file)))
  check_that(overwrite || !exists, c(
    "{.file {file}} exists.", i = "To replace it, use {.code overwrite = TRUE}.", i = hint
  ), call, class = "ldpcounts_file_error")
}

# Writes to a temporary file and then renames it, so that an interrupt or a full disk leaves the old file
# unchanged.
write_whole_file <- function(file, write, arrived = bytes_in, call = rlang::caller_env()) {
  failed <- function(failure) {
    ldp_abort(c("{.file {file}} could not be written.", x = "{conditionMessage(failure)}."),
      class = "ldpcounts_file_error", call = call
    )
  }
  file <- normalizePath(file, mustWork = FALSE) # so that a link remains a link
  unfinished <- tempfile("unfinished-", dirname(file))
  on.exit(unlink(unfinished))
  tryCatch(
    {
      zipped <- endsWith(file, ".gz")
      connection <- if (zipped) gzfile(unfinished, "wb") else file(unfinished, "wb")
      tryCatch(
        {
          write(connection)
          written <- seek(connection, rw = "write")
        },
        finally = close(connection)
      )
      # close() writes the rest of the buffer, without an error if this fails: so compare the sizes
      if (arrived(unfinished, zipped) != written) stop("the disk may be full")
      if (!file.rename(unfinished, file)) stop("the old file cannot be replaced")
    },
    error = failed, warning = failed
  )
}

bytes_in <- function(file, zipped) {
  if (!zipped) {
    return(file.size(file))
  }
  connection <- gzfile(file, "rb")
  on.exit(close(connection))
  total <- 0
  while ((n <- length(readBin(connection, "raw", 1e6))) > 0) total <- total + n
  total
}
