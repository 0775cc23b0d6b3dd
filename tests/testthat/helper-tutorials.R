# The chunks of a tutorial in inst/tutorials, as a list of code named by their labels.
tutorial_chunks <- function(name) {
  file <- system.file("tutorials", name, paste0(name, ".Rmd"), package = "ldpcounts", mustWork = TRUE)
  lines <- readLines(file, encoding = "UTF-8")
  starts <- grep("^```\\{r ", lines)
  ends <- grep("^```$", lines)
  code <- lapply(starts, function(from) {
    to <- min(ends[ends > from])
    lines[seq_len(to - from - 1) + from]
  })
  names(code) <- sub("^```\\{r ([^,}]+).*", "\\1", lines[starts])
  code
}

tutorial_exercises <- function(chunks) sub("-check$", "", grep("-check$", names(chunks), value = TRUE))

# The wrong answers of an exercise: code, named by words of the explanation that it should get.
wrong_answers <- function(tests) {
  headed <- startsWith(tests, "# wrong: ")
  answers <- split(tests[!headed], cumsum(headed)[!headed])
  stats::setNames(vapply(answers, paste, "", collapse = "\n"), sub("^# wrong: ", "", tests[headed]))
}
