# Which lines do the quick tests run? R's by covr; C's by covr too (what R makes them do), and by gcov
# on tests/c (the kernels without R): a line of C counts when either runs it. Prints the shares, by file
# where they are below the goal, and writes the lines that nothing runs to build/coverage.txt.
# Run in the package's root, after make deps; takes ten minutes: Rscript tools/coverage.R

GOAL <- 95
Sys.setenv(NOT_CRAN = "true") # tests that CRAN is spared run here
Sys.setenv(TESTTHAT_PARALLEL = "false") # what workers run is not counted

# Of every line with code: how often it ran. Columns file, line, count.
covr_lines <- function() {
  unlink(Sys.glob(c("src/*.o", "src/*.so"))) # what is compiled already would count nothing
  covered <- covr::package_coverage(type = "tests", quiet = FALSE)
  lines <- covr::tally_coverage(covered, by = "line")
  data.frame(file = lines$filename, line = lines$line, count = lines$value)
}

# gcov's text has `count:line:source` on every line; "-" is no code, "#" and "=" code that never ran,
# and "Source" of line 0 is the file that follows.
parse_gcov <- function(text) {
  parts <- regmatches(text, regexec("^ *([^:]+): *([0-9]+):(.*)$", text))
  parts <- do.call(rbind, parts[lengths(parts) == 4])
  is_source <- parts[, 3] == "0" & startsWith(parts[, 4], "Source:")
  file <- file.path("src", basename(sub("^Source:", "", parts[, 4])))[is_source][cumsum(is_source)]
  is_code <- parts[, 3] != "0" & parts[, 2] != "-"
  count <- ifelse(grepl("^[#=]", parts[, 2]), 0, as.numeric(gsub("[^0-9]", "", parts[, 2])))
  data.frame(file = file, line = as.integer(parts[, 3]), count = count)[is_code, ]
}

gcov_lines <- function() {
  unlink("build/gcov", recursive = TRUE)
  dir.create("build/gcov", recursive = TRUE)
  build <- normalizePath("build/gcov") # of what is not there it would stay relative
  flags <- "-std=gnu17 -DMATHLIB_STANDALONE -g -O1 -ffp-contract=off --coverage"
  status <- system2("make", c(
    "-s", "-C", "tests/c", paste0("BUILD=", build), "SANITIZERS=--coverage", shQuote(paste0("FLAGS=", flags)),
    "test"
  ))
  if (status != 0) stop("the tests of the kernels without R failed")
  notes <- Sys.glob(file.path(build, "ldp_*.gcno"))
  root <- setwd("tests/c") # from where the compiler saw the sources
  on.exit(setwd(root))
  parse_gcov(system2("gcov", c("-t", "-o", build, notes), stdout = TRUE, stderr = FALSE))
}

report <- function(lines) {
  language <- ifelse(startsWith(lines$file, "src/"), "C", "R")
  share <- function(group) tapply(lines$count > 0, group, mean) * 100
  by_file <- sort(share(lines$file))
  for (file in names(by_file)[by_file < GOAL]) cat(sprintf("%5.1f %%  %s\n", by_file[[file]], file))
  missed <- lines[lines$count == 0, ]
  writeLines(sprintf("%s:%d", missed$file, missed$line), "build/coverage.txt")
  total <- share(language)
  counts <- table(language)
  for (l in names(total)) cat(sprintf("coverage: %s %.1f %% of %d lines\n", l, total[[l]], counts[[l]]))
  all(total >= GOAL)
}

lines <- rbind(covr_lines(), gcov_lines())
lines <- stats::aggregate(count ~ file + line, lines, sum)
lines <- lines[order(lines$file, lines$line), ]
quit(status = as.integer(!report(lines)))
