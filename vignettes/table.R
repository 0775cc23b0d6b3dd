# The table of the vignettes, made from what they say of themselves: each has in its first lines the `question` that it
# answers, and its `place` in the order of reading.
vignette_table <- function(folder = ".", except = character()) {
  files <- setdiff(list.files(folder, "[.]Rmd$"), except)
  heads <- lapply(file.path(folder, files), function(file) {
    lines <- readLines(file, encoding = "UTF-8")
    yaml::yaml.load(lines[seq(2, which(lines == "---")[2] - 1)])
  })
  at <- order(vapply(heads, `[[`, 0, "place"))
  rows <- paste0(
    "| ", vapply(heads, `[[`, "", "question"), " | `vignette(\"", sub("[.]Rmd$", "", files), "\")` |"
  )
  c("| question | answer |", "|---|---|", rows[at])
}
