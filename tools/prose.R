# Spelling (British; words that are no mistakes are in inst/WORDLIST, one per line), links that can be
# checked without a network (relative ones, help topics, vignettes and files that prose names), and
# expressions for which the project has a standard term (the table TERMS; meanings: CONTRIBUTING.md, Vocabulary).
# Run in the package's root: Rscript tools/prose.R

PROSE <- c(
  "README.md", "NEWS.md", "CONTRIBUTING.md", Sys.glob("tests/*.md"), Sys.glob("inst/*/*.md"),
  Sys.glob("vignettes/*.Rmd"), Sys.glob("vignettes/articles/*.Rmd"), Sys.glob("inst/tutorials/*/*.Rmd")
)
FOLDERS <- c("R", "src", "tests", "tools", "bench", "data-raw", "inst", "man", "vignettes", "\\.ci")

# All that matches in these files, named by file:line.
matches_in <- function(files, pattern) {
  unlist(lapply(files, function(file) {
    lines <- readLines(file, encoding = "UTF-8")
    found <- regmatches(lines, gregexpr(pattern, lines, perl = TRUE))
    stats::setNames(unlist(found), rep(sprintf("%s:%d", file, seq_along(lines)), lengths(found)))
  }))
}

complain <- function(what, places) {
  if (length(places) > 0) cat(sprintf("%s: %s %s\n", names(places), what, places), sep = "")
  length(places)
}

# [text](path) and ![text](path): the file is there.
relative_links <- function() {
  targets <- matches_in(PROSE, "(?<=\\]\\()[^)\\s]+(?=\\))")
  targets <- targets[!grepl("^(https?:|mailto:|#)", targets)]
  paths <- file.path(dirname(sub(":[0-9]+$", "", names(targets))), sub("#.*", "", targets))
  complain("no file", targets[!file.exists(paths)])
}

# ?`topic`, vignette("name") and `path/of/a/file`, in prose and in help.
named_things <- function() {
  help <- Sys.glob("man/*.Rd")
  topics <- gsub("\\\\alias\\{|\\}", "", matches_in(help, "\\\\alias\\{[^}]*\\}"))
  named <- matches_in(c(PROSE, help), "(?<=[?]`)[^`]+(?=`)")
  vignettes <- sub("\\.Rmd$", "", basename(Sys.glob("vignettes/*.Rmd")))
  shown <- matches_in(c(PROSE, help, Sys.glob("R/*.R")), "(?<=vignette\\(\")[^\"]+(?=\"\\))")
  files <- matches_in(PROSE, sprintf("(?<=`)(?:%s)/[\\w./-]+(?=`)", paste(FOLDERS, collapse = "|")))
  complain("no help topic", named[!named %in% topics]) +
    complain("no vignette", shown[!shown %in% vignettes]) +
    complain("no file", files[!file.exists(files) & !grepl("NAME", files)])
}

# Regular expressions of words to avoid, and what to write instead.
TERMS <- read.csv(strip.white = TRUE, text = "
pattern,                                              write
(?<!power )\\blaws?\\b(?! =),                         distribution (density; probability mass function)
\\b(in|of|takes|several) bursts?\\b,                     overdispersed counts
\\bspread counts\\b|\\bcounts more spread\\b,            overdispersed counts
\\bknow(s|ing)? (the|of|what) noise\\b,                 accounts for the noise
\\bthe mechanism makes\\b|noise is never made,           noise that the mechanism adds
\\bmade anew\\b|\\bmakes anew\\b,                        replicated data; posterior predictive draws
\\blabels to switch\\b,                                 label-invariant quantities
\\bstill moving\\b|\\bstill on their way\\b,             has not converged
\\b(has|have) settled\\b|\\bcomes? to rest\\b,           has converged
\\bless exactly\\b,                                     less accurate
\\b(is|are) ours\\b|\\(ours\\b,                         new in this package
\\b(our own|of our own)\\b,                             new in this package
\\b(is|are) told\\b|\\bif told so\\b,                    a warning is issued; an error is thrown
\\b(a row a|a column a|a draw a|a sweep a) \\w+,        one row per draw
\\breflect(s|ed|ion|ions)? (of (a )?weights?|about)\\b, over-relaxation
\\bflatters\\b,                                         say what the result is
")

# The prose of a file: text without code in backticks, comments of C, comments and strings of R, comments and titles of
# tests and case studies.
readable <- function(file) {
  lines <- readLines(file, encoding = "UTF-8")
  if (grepl("[.]Rmd$|[.]md$", file)) {
    fence <- grepl("^\\s*```", lines)
    lines[cumsum(fence) %% 2 == 1 | fence] <- ""
  } else if (startsWith(file, "src/")) {
    # from /* to */, over lines
    text <- paste(lines, collapse = "\n")
    comment <- gregexpr("(?s)/[*].*?[*]/", text, perl = TRUE)
    regmatches(text, comment, invert = TRUE) <-
      lapply(regmatches(text, comment, invert = TRUE), function(code) gsub("[^\n]", "", code))
    lines <- strsplit(text, "\n")[[1]]
  } else if (grepl("^(tests|inst)/", file)) {
    lines[!grepl("^\\s*(#|test_that\\()", lines)] <- ""
  } else if (endsWith(file, ".R")) {
    lines <- ifelse(grepl("#|\"", lines), sub("^[^#\"]*", "", lines), "")
  }
  gsub("`[^`]*`|\\\\(code|link|url|item)\\{[^{}]*\\}", "", lines)
}

nonstandard <- function() {
  files <- c(PROSE, Sys.glob(c("man/*.Rd", "R/*.R", "src/*.[ch]", "tests/testthat/*.R", "inst/case-studies/*.R")))
  sum(vapply(files, function(file) {
    lines <- readable(file)
    # `?which-family` explains bursts
    terms <- if (grepl("which.family", file)) TERMS[!grepl("burst", TERMS$pattern), ] else TERMS
    sum(mapply(function(pattern, write) {
      at <- grep(pattern, lines, perl = TRUE, ignore.case = TRUE)
      found <- regmatches(lines[at], regexpr(pattern, lines[at], perl = TRUE, ignore.case = TRUE))
      complain(sprintf("write \"%s\", not", write), stats::setNames(found, sprintf("%s:%d", file, at)))
    }, terms$pattern, terms$write))
  }, 0))
}

misspelt <- function() {
  words <- if (file.exists("inst/WORDLIST")) readLines("inst/WORDLIST", encoding = "UTF-8")
  found <- rbind(
    spelling::spell_check_package("."),
    spelling::spell_check_files(grep("^(README|NEWS|vignettes)", PROSE, value = TRUE, invert = TRUE),
      ignore = c("ldpcounts", words), lang = "en_GB"
    )
  )
  if (nrow(found) > 0) print(found)
  nrow(found)
}

count <- relative_links() + named_things() + nonstandard() + misspelt()
cat(sprintf("prose: %d findings\n", count))
quit(status = as.integer(count > 0))
