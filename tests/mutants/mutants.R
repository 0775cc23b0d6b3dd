# Wrong kernels must be caught. Each mutant is a copy of the package with one deliberate mistake;
# the named test file must fail on it, and pass on the unchanged copy. About six minutes.
# Run in the package's root: make mutants

mutants <- list(
  list(
    name = "unchanged (must pass)", file = "src/ldp_noise.c", tests = c("geweke-topics", "geweke-blocks"),
    edits = list()
  ),
  list(
    name = "misprint 1: the mean alpha/(1-alpha) taken for a rate",
    file = "src/ldp_noise.c", tests = "geweke-topics",
    edits = list(c("return alpha * (g > 0", "return (1 - alpha) * (g > 0"))
  ),
  list(
    name = "misprint 2: Bessel argument 2 sqrt(2 l1 l2)",
    file = "src/ldp_noise.c", tests = "geweke-topics",
    edits = list(c("2 * sqrt((lambda1 + mu) * lambda2)", "2 * sqrt(2 * (lambda1 + mu) * lambda2)"))
  ),
  list(
    name = "exposure 1 for non-positive cells",
    file = "src/ldp_noise.c", tests = "geweke-topics",
    edits = list(c("rest[d] = 1 - alpha[d];", "rest[d] = 1;"), c("excess[d] = alpha[d];", "excess[d] = 0;"))
  ),
  list(
    name = "all actors in parallel, from the old weights",
    file = "src/ldp_blocks.c", tests = "geweke-blocks",
    edits = list(
      c("line(w.counts_theta, C, i), w.exposure, theta_i);",
        "line(w.counts_theta, C, i), w.exposure, line(w.counts_theta, C, i));"),
      c("}\n\n/* Step 3: pi. */",
        "    for (int t = 0; t < C * V; t++)\n        model->theta[t] = w.counts_theta[t];\n}\n\n/* Step 3: pi. */")
    )
  )
)

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
}

# Does the test file pass with the package from this library?
passes <- function(test, library) {
  code <- sprintf(
    'library(ldpcounts, lib.loc = "%s")
     library(testthat)
     test_dir("tests/testthat", package = "ldpcounts", load_package = "installed",
       filter = "^%s$", reporter = "silent", stop_on_failure = TRUE)', library, test
  )
  script <- tempfile(fileext = ".R")
  writeLines(code, script)
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script),
    env = "LDPCOUNTS_EXTENDED_TESTS=true", stdout = FALSE, stderr = FALSE
  ) == 0
}

wrong <- 0
for (mutant in mutants) {
  library <- tempfile("library")
  dir.create(library)
  install_mutant(mutant, library)
  passed <- all(vapply(mutant$tests, passes, TRUE, library = library))
  as_wanted <- passed == (length(mutant$edits) == 0)
  wrong <- wrong + !as_wanted
  cat(if (as_wanted) "ok   " else "WRONG", mutant$name, "-", if (passed) "passes" else "caught", "\n")
}
cat(length(mutants) - wrong, " passed, ", wrong, " failed, 0 skipped\n", sep = "")
quit(status = as.integer(wrong > 0))
