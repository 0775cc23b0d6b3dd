# The computer: how many threads are used, how much memory is free, files that are written completely or not at
# all, and files that are read in parts.

#' Number of threads
#'
#' Sets or gets the number of threads that model functions and the families of regressions
#' ([private_poisson()]) use. Chains run at the same time, each on one thread. If there are more threads than
#' chains, several threads share the rows of the data in each chain. Starts of variational inference
#' (`inference = "cavi"`) run one after another, and up to eight threads share the rows of the data. Results
#' do not depend on the number of threads.
#'
#' By default, all cores that the system offers may be used. The environment variables `OMP_NUM_THREADS` and
#' `OMP_THREAD_LIMIT`, set before R starts, lower this number. Fewer threads are used if more would not save
#' time, as for small data and for data with few counts per column. Forked processes (of
#' `parallel::mclapply()`, for example) use one thread. If you run several fits at the same time in R
#' processes of your own, call `ldp_threads(1)` in each of them. If the package was compiled without OpenMP,
#' as with Apple's compiler, there is one thread.
#'
#' @param n The number of threads, a whole number from 1 to 64, or to four per core if this is more; 0 for the
#'   default. If missing, the number is not changed.
#' @return The number of threads. If `n` is given, the previous number, invisibly.
#' @section Errors: Stops with an error of class `ldpcounts_error` if `n` is not such a number.
#' @seealso [topic_model()]
#' @examples
#' ldp_threads()
#' before <- ldp_threads(1)
#' ldp_threads(before)
#' @export
ldp_threads <- function(n) {
  before <- n_threads()
  if (missing(n)) {
    return(before)
  }
  # more threads than this slow each other down, and each takes memory
  most <- min(MOST_THREADS, max(64L, 4L * parallel::detectCores(), default_threads(), na.rm = TRUE))
  n <- check_whole(n, "n", 0, most)
  threads$n <- if (n > 0) n
  invisible(before)
}

MOST_THREADS <- 4096L # the limit in src/rc_threads.c

# `process`: the id of the process that loaded the package; `n`: the number that the user has set.
threads <- list2env(list(process = NULL, n = NULL))

# OpenMP cannot be used after a fork, so forked processes have one thread.
n_threads <- function() {
  if (!identical(threads$process, Sys.getpid())) {
    return(1L)
  }
  if (is.null(threads$n)) default_threads() else threads$n
}

# R CMD check allows two threads at most.
default_threads <- function() {
  limit <- tolower(Sys.getenv("_R_CHECK_LIMIT_CORES_"))
  most <- min(MOST_THREADS, .Call(C_rc_threads))
  if (limit %in% c("", "false")) most else min(2L, most)
}

with_threads <- function(n, code) {
  before <- threads$n
  on.exit(threads$n <- before)
  threads$n <- n
  code
}

.onLoad <- function(libname, pkgname) threads$process <- Sys.getpid()

# --- memory ---------------------------------------------------------------------------------------

# Free memory in bytes, or what R may still use if R_MAX_VSIZE sets a lower limit; Inf if neither is known.
# gc() is called only if there is such a limit, because it is slow.
memory_free <- function() {
  system <- tryCatch(ps::ps_system_memory()[["avail"]], error = function(failure) Inf)
  limit <- mem.maxVSize() * 2^20
  if (limit < system) max(0, limit - 8 * gc()["Vcells", "used"]) else system
}

# For small objects the system is not asked how much memory is free.
is_affordable <- function(bytes, free = memory_free()) bytes <= 1e8 || bytes <= free

# Each row or column takes about 64 bytes even if it is empty: for its label, sums and indices.
fits_in_memory <- function(dim, free = memory_free()) is_affordable(64 * sum(as.double(dim)), free)

check_extent_memory <- function(dim, arg, call, free = memory_free()) {
  check_that(fits_in_memory(dim, free), c(
    "{.arg {arg}} has too many rows and columns to be held in memory.",
    x = "It is {paste(dim, collapse = ' x ')}."
  ), call, class = "ldpcounts_memory_error")
}

# An error if `what` needs more bytes than are free.
check_free_memory <- function(needed, what, hint, call, free = memory_free()) {
  check_that(needed <= free, c(
    paste(what, "would take {format_bytes(needed)} of memory, but only {format_bytes(free)} are free."), i = hint
  ), call, class = "ldpcounts_memory_error")
}

# --- files ----------------------------------------------------------------------------------------

# A file that exists is replaced only if the user says so. (A link that leads nowhere exists too.)
check_new_file <- function(file, overwrite, hint = NULL, call = rlang::caller_env()) {
  check_given(missing(file), "file", call)
  if (!is_file_name(file)) abort_argument(file, "file", "the name of a file", call)
  check_that(dir.exists(dirname(file)), c(
    "{.file {file}} could not be written.", x = "There is no folder {.file {dirname(file)}}."
  ), call, class = "ldpcounts_file_error")
  exists <- file.exists(file) || !Sys.readlink(file) %in% c("", NA)
  check_that(overwrite || !exists, c(
    "{.file {file}} exists.", i = "To replace it, use {.code overwrite = TRUE}.", i = hint
  ), call, class = "ldpcounts_file_error")
}

# Writes to a temporary file and then renames it, so that an interrupt or a full disk leaves the old file
# unchanged.
write_whole_file <- function(file, write, arrived = bytes_in, call = rlang::caller_env()) {
  failed <- function(failure) {
    text <- c("{.file {file}} could not be written.", x = "{conditionMessage(failure)}.")
    ldp_abort(text, "ldpcounts_file_error", call)
  }
  file <- normalizePath(file, mustWork = FALSE) # so that a link remains a link
  unfinished <- tempfile("unfinished-", dirname(file))
  on.exit(unlink(unfinished))
  tryCatch(
    {
      zipped <- endsWith(file, ".gz")
      connection <- if (zipped) gzfile(unfinished, "wb") else file(unfinished, "wb")
      written <- tryCatch(finally = close(connection), {
        write(connection)
        seek(connection, rw = "write")
      })
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

# --- text files that are read in parts, and not trusted --------------------------------------------

# The number of bytes that are read at a time.
BYTES_PER_READ <- 2^20

# How many bytes a file of a given size on the disk, in bytes, may have after decompression: a file that somebody
# sent must not take more memory or time than its size justifies.
most_text <- function(size) 2^25 + 30 * size

# Opens a file. The result changes while it is read; it can be read once, from the beginning to the end.
open_file <- function(file, call) {
  source <- list2env(list(
    file = file, call = call, # for errors
    size = file.size(file), # on the disk, in bytes
    connection = NULL,
    text = raw(), # bytes that were read last
    skip = 0, # how many of them have been used
    unpacked = 0, # bytes that were read so far
    ended = FALSE, # are these all bytes of the file?
    line = 0 # the number of the line that was read last
  ), parent = emptyenv())
  regular <- .Call(C_rc_is_regular, path.expand(file))
  check_file(regular, source, "is not a regular file, but a folder, a pipe or a device")
  source$connection <- explain_reading(source, "cannot be opened", gzfile(file, "rb"))
  source
}

# Throws an error about a file unless `ok`, or one about the line that was read last. (The other arguments
# are not evaluated if it holds.)
check_file <- function(ok, source, problem, hint = NULL, where = "It") {
  if (!ok) {
    ldp_abort(c(
      "{.file {source$file}} cannot be read as a release.", x = paste0(where, " ", problem, "."), i = hint
    ), class = "ldpcounts_file_error", call = source$call)
  }
}

check_line <- function(ok, source, problem, hint = NULL) {
  check_file(ok, source, problem, hint, paste("Line", format(source$line, scientific = FALSE)))
}

# Replaces the errors and warnings of the system, which explain less.
explain_reading <- function(source, problem, code) {
  failed <- function(failure) check_file(FALSE, source, problem)
  tryCatch(code, error = failed, warning = failed)
}

# Reads further bytes. FALSE if there are none.
read_more <- function(source) {
  left <- length(source$text) - source$skip
  n <- max(min(BYTES_PER_READ, 4 * source$size + 1000), left) # long lines in few steps
  problem <- "is damaged and cannot be decompressed"
  more <- explain_reading(source, problem, readBin(source$connection, "raw", n))
  source$unpacked <- source$unpacked + length(more)
  check_file(source$unpacked <= most_text(source$size), source,
    "unpacks to more than a file of its size can have"
  )
  source$text <- c(utils::tail(source$text, left), more)
  source$skip <- 0
  source$ended <- length(more) == 0
  !source$ended
}

# The next n lines, or fewer if the file ends; the line that begins a section is the last if `to_section`.
read_lines <- function(source, n, to_section = FALSE) {
  lines <- character()
  repeat {
    found <- .Call(C_rc_read_lines, source$text, source$skip, n - length(lines), source$ended, to_section)
    source$skip <- found$used
    lines <- c(lines, found$lines)
    if (length(lines) == n || found$section || source$ended) break
    read_more(source)
  }
  check_line(all(validUTF8(lines)), source, "is not followed by text in UTF-8")
  source$line <- source$line + length(lines)
  lines
}

check_end <- function(source) {
  last <- read_lines(source, 1)
  source$line <- source$line + 1 - length(last)
  check_line(identical(last, "end"), source, "should be {.code end}: the file is truncated or damaged")
  repeat {
    left <- utils::tail(source$text, length(source$text) - source$skip)
    check_line(all(left <= as.raw(32)), source, "must be the last, but others follow")
    source$skip <- length(source$text)
    if (!read_more(source)) break
  }
}
