# All quick tests, in R and in C; with LDPCOUNTS_EXTENDED_TESTS=true the long ones too. The last
# line counts both: "N passed, N failed, N skipped". Run in the package's root, after make install.

Sys.setenv(NOT_CRAN = "true") # tests that CRAN is spared run here

# The C kernels without R, under sanitizers, with the lowest priority: while R's tests wait or end, the C tests have
# the cores. The last line of what they print is such a count.
start_c_tests <- function(command = Sys.getenv("MAKE", "make"), arguments = c("-s", "-C", "tests/c", "test")) {
  output <- tempfile()
  process <- processx::process$new("nice", c("-n", "19", command, arguments),
    stdout = output, stderr = "2>&1", cleanup_tree = TRUE
  )
  list(process = process, output = output)
}

end_c_tests <- function(started, title = "Tests of the C code without R (tests/c)") {
  cat(title, "\n", sep = "")
  started$process$wait()
  output <- readLines(started$output)
  cat(output, sep = "\n")
  last <- grep("^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$", output, value = TRUE)
  counts <- c(passed = 0, failed = 1, skipped = 0) # no count is a failure
  if (length(last) > 0) {
    counts[] <- as.numeric(regmatches(last[length(last)], gregexpr("[0-9]+", last[length(last)]))[[1]])
  }
  if (started$process$get_exit_status() != 0 && counts[["failed"]] == 0) {
    counts[["failed"]] <- 1
  }
  counts
}

# Files run side by side, one per core, in processes that run one file after another. testthat does this too
# (Config/testthat/parallel), but it sends every expectation to the first process, which costs more than most
# expectations.
CORES <- as.integer(Sys.getenv("TESTTHAT_CPUS", parallel::detectCores()))
TIMES <- "build/test-times.rds" # seconds per file, as of the last run

# Files that took longest begin first, so that no core is without work at the end; new files before all others.
files_in_order <- function() {
  files <- list.files("tests/testthat", "^test-.*[.]R$")
  last <- if (file.exists(TIMES)) readRDS(TIMES)[files] else 0 * seq_along(files)
  first <- trimws(strsplit(read.dcf("DESCRIPTION", "Config/testthat/start-first"), ",")[[1]])
  is_first <- files %in% sprintf("test-%s.R", first)
  files[order(!is.na(last), -last, !is_first)]
}

# In a process of its own. What testthat sets before each comparison for the eyes of a user costs half of the
# comparison.
run_file <- function(file) {
  library(testthat)
  MultiReporter$set("public", "local_user_output", function(.env = NULL) invisible(), overwrite = TRUE)
  path <- tempfile()
  began <- proc.time()[["elapsed"]]
  results <- as.data.frame(test_file(file.path("tests/testthat", file),
    package = "ldpcounts", load_package = "installed", stop_on_failure = FALSE,
    reporter = SummaryReporter$new(show_praise = FALSE, omit_dots = TRUE, max_reports = 1000, file = path)
  ))
  list(
    # an unexpected warning is a failure: users would see it too
    counts = c(
      passed = sum(results$passed), failed = sum(results$failed, results$error, results$warning),
      skipped = sum(results$skipped)
    ),
    output = readLines(path), seconds = proc.time()[["elapsed"]] - began
  )
}

# A process that crashed is a failure, and another one takes its place.
result_of <- function(answer) {
  if (answer$code == 200 && is.null(answer$error)) {
    return(answer$result)
  }
  problem <- if (is.null(answer$error)) "the process has crashed" else conditionMessage(answer$error)
  list(counts = c(passed = 0, failed = 1, skipped = 0), output = problem, seconds = NA_real_)
}

report_file <- function(file, result) {
  counts <- result$counts
  cat(sprintf(
    "%s: %d passed, %d failed, %d skipped (%.1f s)\n", file, counts[["passed"]], counts[["failed"]],
    counts[["skipped"]], result$seconds
  ))
  if (counts[["failed"]] > 0) cat(result$output, sep = "\n")
}

r_tests <- function() {
  # a fit with threads of its own would only wait for the other files
  if (is.na(Sys.getenv("OMP_NUM_THREADS", NA))) Sys.setenv(OMP_NUM_THREADS = "1")
  # most functions of tests run too few times to be worth compiling: it takes a tenth of the time
  if (is.na(Sys.getenv("R_ENABLE_JIT", NA))) Sys.setenv(R_ENABLE_JIT = "0")
  cat("Tests of the R package (tests/testthat)\n")
  left <- files_in_order()
  seconds <- numeric()
  total <- c(passed = 0, failed = 0, skipped = 0)
  busy <- list() # sessions by the name of the file that each runs
  begin <- function(session) {
    if (length(left) == 0) {
      return(session$close())
    }
    session$call(run_file, list(left[1]))
    busy[[left[1]]] <<- session
    left <<- left[-1]
  }
  for (i in seq_len(CORES)) begin(callr::r_session$new())
  while (length(busy) > 0) {
    state <- processx::poll(lapply(busy, function(session) session$get_poll_connection()), -1)
    for (file in names(busy)[vapply(state, `!=`, NA, "timeout")]) {
      session <- busy[[file]]
      answer <- session$read()
      if (is.null(answer) || !answer$code %in% c(200, 500, 501, 502)) next # a message
      busy[[file]] <- NULL
      result <- result_of(answer)
      report_file(file, result)
      total <- total + result$counts
      seconds[[file]] <- result$seconds
      begin(if (session$is_alive()) session else callr::r_session$new())
    }
  }
  saveRDS(seconds[!is.na(seconds)], TIMES)
  total
}

started <- start_c_tests()
counts <- r_tests()
counts <- counts + end_c_tests(started)
if (identical(Sys.getenv("LDPCOUNTS_EXTENDED_TESTS"), "true") && !nzchar(Sys.which("qemu-s390x"))) {
  cat("SKIPPED: the tests for s390x: there is no qemu-s390x (Rscript tools/deps.R platforms)\n")
  counts[["skipped"]] <- counts[["skipped"]] + 1
} else if (identical(Sys.getenv("LDPCOUNTS_EXTENDED_TESTS"), "true")) {
  emulated <- start_c_tests("sh", c("tools/platforms.sh", "s390x"))
  counts <- counts + end_c_tests(emulated, "The same for s390x, whose integers begin with the highest byte")
}
cat(sprintf(
  "%d passed, %d failed, %d skipped\n", counts[["passed"]], counts[["failed"]], counts[["skipped"]]
))
quit(status = as.integer(counts[["failed"]] > 0))
