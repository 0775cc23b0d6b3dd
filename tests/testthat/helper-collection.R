# Programs that run the parts of the collection page: Node, a C compiler, and Chromium. Where one is missing,
# tests are skipped; but not in continuous integration (.ci), where it is a failure.

skip_without <- function(program) {
  found <- nzchar(Sys.which(program))
  if (!found && nzchar(Sys.getenv("LDPCOUNTS_CI"))) stop(program, " is missing: run make deps")
  testthat::skip_if_not(found, paste(program, "(make deps installs it where it can)"))
}

skip_without_node <- function() {
  testthat::skip_on_cran()
  skip_without("node")
}

skip_without_browser <- function() {
  skip_without_node()
  skip_without("chromedriver")
  testthat::skip_if_not_installed("jsonlite")
}

# Runs a program of tests/testthat/collection, and returns its lines.
run_lines <- function(program, args, input = NULL) {
  errors <- tempfile()
  on.exit(unlink(errors))
  lines <- suppressWarnings(system2(program, shQuote(args),
    stdout = TRUE, stderr = errors, stdin = if (is.null(input)) "" else input
  ))
  status <- attr(lines, "status")
  if (!is.null(status)) stop(program, " failed:\n", paste(readLines(errors), collapse = "\n"))
  lines
}

sampler_file <- function() system.file("collection", "sampler.js", package = "ldpcounts")

tapes_js <- function(..., input = NULL) {
  run_lines("node", c(testthat::test_path("collection", "tapes.js"), sampler_file(), ...), input)
}

# Compiles a C program with kernels of src/; skips the test where the sources or a compiler are missing.
compile_with_kernels <- function(sources, flags = character()) {
  src <- normalizePath(testthat::test_path("..", "..", "src"), mustWork = FALSE)
  testthat::skip_if_not(dir.exists(src), "the sources of the package")
  compiler <- system2(file.path(R.home("bin"), "R"), c("CMD", "config", "CC"), stdout = TRUE)
  compiler <- strsplit(trimws(compiler), " ")[[1]]
  program <- tempfile("program")
  files <- ifelse(file.exists(sources), sources, file.path(src, sources))
  built <- system2(compiler[1], c(compiler[-1], "-O1", "-Wall", flags, paste0("-I", src), shQuote(files),
    "-o", program, "-lm"
  ))
  testthat::skip_if_not(built == 0, "a C compiler")
  program
}

# Compiled once per process.
compiled <- new.env()
compile_tapes <- function() {
  if (is.null(compiled$tapes)) {
    compiled$tapes <- compile_with_kernels(c(testthat::test_path("collection", "tapes.c"), "ldp_secure.c"))
  }
  compiled$tapes
}

# What a task of collection/browser.js saw, as a list.
browse <- function(task, page, ..., folder = tempfile("browser")) {
  args <- c(testthat::test_path("collection", "browser.js"), folder, task, page, ...)
  answer <- run_lines("node", args)
  jsonlite::fromJSON(paste(answer, collapse = "\n"), simplifyDataFrame = FALSE)
}

# The names of all texts that hold one of `counts`: in a list of texts, or in the files of a folder.
holding <- function(x, counts) {
  texts <- if (is.character(x) && length(x) == 1 && dir.exists(x)) {
    files <- list.files(x, recursive = TRUE, full.names = TRUE, all.files = TRUE)
    stats::setNames(lapply(files, function(file) readBin(file, "raw", file.size(file))), files)
  } else {
    lapply(rapply(x, as.character, how = "unlist"), function(text) charToRaw(paste(text, collapse = "\n")))
  }
  has_one <- function(bytes) function(count) length(grepRaw(count, bytes, fixed = TRUE)) > 0
  has <- function(bytes) any(vapply(counts, has_one(bytes), TRUE))
  names(Filter(has, texts))
}
