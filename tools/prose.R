# Spelling (British; words that are no mistakes are in inst/WORDLIST, one a line) and links that can be
# checked without a network: relative ones, help topics, vignettes and files that prose names.
# Run in the package's root: Rscript tools/prose.R

PROSE <- c(
  "README.md", "NEWS.md", "CONTRIBUTING.md", Sys.glob("tests/*.md"), Sys.glob("inst/*/*.md"),
  Sys.glob("vignettes/*.Rmd")
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

count <- relative_links() + named_things() + misspelt()
cat(sprintf("prose: %d findings\n", count))
quit(status = as.integer(count > 0))
