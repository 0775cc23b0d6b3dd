# All quick tests, in R and in C; with LDPCOUNTS_EXTENDED_TESTS=true the long ones too. The last
# line counts both: "N passed, N failed, N skipped". Run in the package's root, after make install.

Sys.setenv(NOT_CRAN = "true") # tests that CRAN is spared run here

add <- function(a, b) a + b[names(a)]

# The C kernels without R, under sanitizers: their own last line is such a count.
c_tests <- function(title = "Tests of the C code without R (tests/c)", command = Sys.getenv("MAKE", "make"),
                    arguments = c("-s", "-C", "tests/c", "test")) {
  cat(title, "\n", sep = "")
  output <- suppressWarnings(system2(command, arguments, stdout = TRUE, stderr = TRUE))
  cat(output, sep = "\n")
  status <- attr(output, "status")
  last <- grep("^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$", output, value = TRUE)
  counts <- c(passed = 0, failed = 1, skipped = 0) # no count is a failure
  if (length(last) > 0) {
    counts[] <- as.numeric(regmatches(last[length(last)], gregexpr("[0-9]+", last[length(last)]))[[1]])
  }
  if (!is.null(status) && counts[["failed"]] == 0) {
    counts[["failed"]] <- 1
  }
  counts
}

# Files run side by side, one per core: a fit with threads of its own would only wait for them.
r_tests <- function() {
  if (is.na(Sys.getenv("OMP_NUM_THREADS", NA))) Sys.setenv(OMP_NUM_THREADS = "1")
  cat("Tests of the R package (tests/testthat)\n")
  results <- as.data.frame(testthat::test_dir("tests/testthat",
    package = "ldpcounts", load_package = "installed", reporter = "summary",
    stop_on_failure = FALSE
  ))
  if (any(results$warning > 0)) {
    cat("Tests with warnings:", unique(results$test[results$warning > 0]), sep = "\n  ")
  }
  # an unexpected warning is a failure: users would see it too
  bad <- sum(results$failed) + sum(results$error) + sum(results$warning)
  c(passed = sum(results$passed), failed = bad, skipped = sum(results$skipped))
}

counts <- c_tests()
if (identical(Sys.getenv("LDPCOUNTS_EXTENDED_TESTS"), "true") && !nzchar(Sys.which("qemu-s390x"))) {
  cat("SKIPPED: the tests for s390x: there is no qemu-s390x (Rscript tools/deps.R platforms)\n")
  counts[["skipped"]] <- counts[["skipped"]] + 1
} else if (identical(Sys.getenv("LDPCOUNTS_EXTENDED_TESTS"), "true")) {
  title <- "The same for s390x, whose integers begin with the highest byte"
  counts <- add(counts, c_tests(title, "sh", c("tools/platforms.sh", "s390x")))
}
counts <- add(counts, r_tests())
cat(sprintf(
  "%d passed, %d failed, %d skipped\n", counts[["passed"]], counts[["failed"]], counts[["skipped"]]
))
quit(status = as.integer(counts[["failed"]] > 0))
