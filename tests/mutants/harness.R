# What the lists of mutants share. A mutant has a name, the file to change, pairs of a text and
# what takes its place, and the tests that must each fail on it: `tests` of tests/testthat,
# `c_tests` of tests/c. One without edits must pass them all.

edit <- function(file, edits) {
  text <- paste(readLines(file), collapse = "\n")
  for (pair in edits) {
    places <- gregexpr(pair[1], text, fixed = TRUE)[[1]]
    if (length(places) != 1 || places < 0) {
      stop("the text to change stands ", sum(places > 0), " times in ", file, ": ", pair[1])
    }
    text <- sub(pair[1], pair[2], text, fixed = TRUE)
  }
  writeLines(text, file)
}

# A private copy of the package with the mistake, installed in a library of its own.
install_mutant <- function(mutant, library) {
  copy <- tempfile("mutant")
  dir.create(copy)
  parts <- c("DESCRIPTION", "NAMESPACE", "R", "src", "data", "inst")
  file.copy(parts[file.exists(parts)], copy, recursive = TRUE)
  unlink(Sys.glob(file.path(copy, "src", c("*.o", "*.so"))))
  edit(file.path(copy, mutant$file), mutant$edits)
  status <- system2(file.path(R.home("bin"), "R"),
    c("CMD", "INSTALL", "--no-docs", "--no-test-load", "-l", library, copy),
    stdout = FALSE, stderr = FALSE
  )
  if (status != 0) stop("could not install the mutant: ", mutant$name)
  copy
}

# A test file that passes takes a third of this, on a slow machine.
SECONDS_MOST <- 900

# What the test file does with the package from this library: it "passes", it "fails", or, as a wrong
# kernel may run off, it "does not end", which counts as failed.
outcome_of <- function(test, library, extended) {
  code <- sprintf(
    'library(ldpcounts, lib.loc = "%s")
     library(testthat)
     test_dir("tests/testthat", package = "ldpcounts", load_package = "installed",
       filter = "^%s$", reporter = "silent", stop_on_failure = TRUE)', library, test
  )
  script <- tempfile(fileext = ".R")
  writeLines(code, script)
  status <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script),
    # in this process: others would load the package from where it is installed
    env = c("TESTTHAT_PARALLEL=false", if (extended) "LDPCOUNTS_EXTENDED_TESTS=true"),
    stdout = FALSE, stderr = FALSE, timeout = SECONDS_MOST
  ))
  if (status == 0) "passes" else if (status == 124) "does not end" else "fails"
}

# The same of a program of tests/c with the kernels of this copy.
outcome_of_c <- function(program, copy) {
  build <- file.path(copy, "build")
  dir.create(build, showWarnings = FALSE)
  binary <- file.path(build, program)
  source <- file.path(copy, "src")
  places <- paste0(c("SRC=", "BUILD="), c(source, build))
  status <- system2("make", c("-s", "-C", "tests/c", places, binary), stdout = FALSE, stderr = FALSE)
  if (status != 0) stop("could not build ", program)
  if (system2(binary, stdout = FALSE, stderr = FALSE) == 0) "passes" else "fails"
}

# The outcomes of its tests, by their names.
test_mutant <- function(mutant, extended) {
  library <- tempfile("library")
  dir.create(library)
  copy <- install_mutant(mutant, library)
  c(
    vapply(as.character(mutant$tests), outcome_of, "", library = library, extended = extended),
    vapply(as.character(mutant$c_tests), outcome_of_c, "", copy = copy)
  )
}

# `extended`: with the long tests, where the quick ones cannot see the mistakes? An argument on the
# command line is a pattern: only mutants whose names match it.
run_mutants <- function(mutants, extended = TRUE) {
  wrong <- 0
  pattern <- commandArgs(TRUE)
  if (length(pattern) > 0) {
    mutants <- Filter(function(mutant) grepl(pattern[1], mutant$name), mutants)
  }
  for (mutant in mutants) {
    outcomes <- test_mutant(mutant, extended)
    as_wanted <- all((outcomes == "passes") == (length(mutant$edits) == 0))
    wrong <- wrong + !as_wanted
    verdict <- paste(names(outcomes), outcomes, collapse = ", ")
    cat(if (as_wanted) "ok   " else "WRONG", " ", mutant$name, ": ", verdict, "\n", sep = "")
  }
  cat(length(mutants) - wrong, " passed, ", wrong, " failed, 0 skipped\n", sep = "")
  quit(status = as.integer(wrong > 0))
}
