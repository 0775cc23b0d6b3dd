# Are the vignettes easy to read? No line of visible code is longer than 80 characters, no visible chunk
# longer than 12 lines, every figure is as wide as the text and has alternative text, and the vignettes (not the
# articles of the web site) have together at most 16,000 words (code is not counted). Are the examples of help pages
# short? At most six lines of code; comments, set.seed(), lone brackets and the test whether a suggested package is
# installed are not counted. Run in the package's root: Rscript tools/vignettes.R

WIDEST <- 80
LONGEST <- 12
WORDS <- 16000
EXAMPLE <- 6

DRAWS <- paste0(
  "(^|[^._[:alnum:]])(plot|matplot|barplot|hist|boxplot|curve|heat_map|autoplot|ggplot|pairs)\\("
)

# The chunks of a vignette: first line, options as text, and lines of code.
chunks_of <- function(lines) {
  starts <- grep("^```\\{r", lines)
  lapply(starts, function(from) {
    to <- from + which(lines[-seq_len(from)] == "```")[1]
    list(line = from, options = lines[from], code = lines[seq_len(to - from - 1) + from])
  })
}

is_set <- function(chunk, option, value) grepl(paste0("\\b", option, " *= *", value), chunk$options)

# What is wrong with a chunk, each with its line. Code that is folded (shown when it is clicked), in the
# chunk or in the whole vignette, is not visible code.
faults <- function(chunk, folded) {
  shown <- !is_set(chunk, "include", "FALSE")
  code_shown <- shown && !folded && !is_set(chunk, "echo", "FALSE") && !is_set(chunk, "fold", "")
  wide <- which(nchar(chunk$code) > WIDEST)
  long <- sum(nzchar(chunk$code)) > LONGEST
  figure <- shown && any(grepl(DRAWS, sub("#.*", "", chunk$code))) && !is_set(chunk, "eval", "FALSE")
  c(
    if (code_shown) stats::setNames(rep("line of more than 80 characters", length(wide)), chunk$line + wide),
    if (code_shown && long) stats::setNames("chunk of more than 12 lines", chunk$line),
    if (figure && !is_set(chunk, "fig.alt", "")) stats::setNames("figure without fig.alt", chunk$line),
    if (is_set(chunk, "(out|fig).width", "")) stats::setNames("figure with a width of its own", chunk$line)
  )
}

words_of <- function(lines) {
  text <- lines[-seq_len(which(lines == "---")[2])]
  fence <- startsWith(text, "```")
  prose <- text[!(cumsum(fence) %% 2 == 1 | fence)]
  sum(lengths(regmatches(prose, gregexpr("[[:alpha:]][^[:space:]]*", prose))))
}

failures <- 0
words <- 0
for (file in Sys.glob(c("vignettes/*.Rmd", "vignettes/articles/*.Rmd"))) {
  name <- sub("[.]Rmd$", "", basename(file))
  lines <- readLines(file, encoding = "UTF-8")
  folded <- any(grepl("opts_chunk$set(fold", lines, fixed = TRUE))
  found <- unlist(lapply(chunks_of(lines), faults, folded))
  number <- words_of(lines)
  if (dirname(file) == "vignettes") words <- words + number
  findings <- if (length(found) > 0) sprintf(", %d findings", length(found)) else ""
  cat(sprintf("%-34s %6s words%s\n", name, format(number, big.mark = ","), findings))
  cat(sprintf("%s:%s: %s\n", file, names(found), found), sep = "")
  failures <- failures + length(found)
}
cat(sprintf("vignettes for users: %s words, of at most %s\n",
  format(words, big.mark = ","), format(WORDS, big.mark = ",")
))
failures <- failures + (words > WORDS)

# The lines of code of the examples of a help page with functions.
example_lines <- function(file) {
  rd <- tools::parse_Rd(file)
  parts <- vapply(rd, attr, "", "Rd_tag")
  if (!"\\usage" %in% parts || !"\\examples" %in% parts) return(0)
  lines <- tempfile()
  tools::Rd2ex(rd, lines, commentDonttest = FALSE)
  code <- trimws(readLines(lines, encoding = "UTF-8"))
  code <- code[-seq_len(grep("^### [*][*] Examples", code))]
  hidden <- cumsum(code == "## Don't show:") > cumsum(code == "## End(Don't show)")
  sum(!hidden & !grepl("^$|^#|^set[.]seed|^[])}]+$|^if [(]requireNamespace[^&]*[{]$", code))
}

pages <- Sys.glob("man/*.Rd")
long <- sub("[.]Rd$", "", basename(pages[vapply(pages, example_lines, 0) > EXAMPLE]))
examples <- sprintf("man/%s.Rd: examples of more than %d lines", long, EXAMPLE)
cat(sprintf("help pages: %d\n", length(pages)))
cat(sprintf("%s\n", examples), sep = "")
failures <- failures + length(examples)
cat(sprintf("vignettes: %d findings\n", failures))
quit(status = as.integer(failures > 0))
