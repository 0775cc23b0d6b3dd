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
#' `parallel::mclapply()`, for example) use one thread, and so do chains that a model function runs on the
#' workers of a `future` plan. If you run several fits at the same time in R processes of your own, call
#' `ldp_threads(1)` in each of them. If the package was compiled without OpenMP, as with Apple's compiler,
#' there is one thread.
#'
#' @param n The number of threads, a whole number from 1 to 64, or to four per core if this is more; 0 for the
#'   default. If missing, the number is not changed.
#' @return The number of threads. If `n` is given, the previous number, invisibly.
#' @section Errors: An error of class `ldpcounts_error` is thrown if `n` is not such a number.
#' @seealso [topic_model()]; `future::plan()` for chains on several machines.
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
  n <- check_whole(n, "n", 0, most_threads())
  threads$n <- if (n > 0) n
  invisible(before)
}

MOST_THREADS <- 4096L # the limit in src/rc_threads.c

# More threads than this slow each other down, and each takes memory.
most_threads <- function() {
  cores <- parallel::detectCores()
  min(MOST_THREADS, max(64L, 4L * cores, default_threads(), na.rm = TRUE))
}

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
