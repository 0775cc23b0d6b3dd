# Does the example in README.md print what README.md says? Runs its block of R code with five seeds,
# two at a time: about 75 seconds of processor time. The comments "from a to b" give the range of the value that
# their line prints; the sentence with "a to b times" gives that of the first such value over the second.
# Run in the package's root, after make install: Rscript tools/readme.R

SEEDS <- 1:5
NUMBER <- "([0-9.]*[0-9])"

readme <- readLines("README.md", encoding = "UTF-8")
from <- grep("^library\\(ldpcounts\\)$", readme)[1]
to <- grep("^```$", readme)
code <- readme[from:(min(to[to > from]) - 1)]
prose <- paste(readme, collapse = " ")

# The two numbers of every match, one row per match.
ranges_in <- function(text, pattern) {
  found <- regmatches(text, regexec(pattern, text))
  t(vapply(Filter(length, found), function(match) as.numeric(match[2:3]), numeric(2)))
}

claimed <- grep(paste("#.* from", NUMBER, "to", NUMBER), code)
ranges <- rbind(
  ranges_in(code[claimed], paste("from", NUMBER, "to", NUMBER)),
  ranges_in(prose, paste(NUMBER, "to", NUMBER, "times"))
)
labels <- c(trimws(sub(".*#(.*):.*", "\\1", code[claimed])), "denoised over released")
stopifnot(nrow(ranges) == length(labels), length(claimed) > 1)

# The example in a folder of its own, with noise that the seed decides: a check must not fail by chance.
run_example <- function(seed) {
  folder <- tempfile("readme")
  dir.create(folder)
  old <- setwd(folder)
  grDevices::pdf(NULL)
  on.exit({
    grDevices::dev.off()
    setwd(old)
    unlink(folder, recursive = TRUE)
  })
  example <- new.env()
  example$privatize <- function(...) ldpcounts::privatize(..., rng = "R")
  example$set.seed <- function(ignored) base::set.seed(seed)
  base::set.seed(seed)
  lines <- parse(text = code, keep.source = TRUE)
  ends <- vapply(attr(lines, "srcref"), function(srcref) srcref[3], 0L)
  values <- lapply(lines, eval, example)
  printed <- unlist(values[match(claimed, ends)])
  summaries <- Filter(function(value) inherits(value, "summary.ldp_fit"), values)
  list(values = c(printed, printed[1] / printed[2]), verdict = summaries[[1]]$verdict)
}

began <- proc.time()[["elapsed"]]
cores <- if (.Platform$OS.type == "unix") 2 else 1
runs <- parallel::mclapply(SEEDS, run_example, mc.cores = cores, mc.preschedule = FALSE)
failed <- vapply(runs, inherits, TRUE, "try-error")
if (any(failed)) stop(runs[[which(failed)[1]]])

values <- vapply(runs, function(run) run$values, numeric(length(labels)))
inside <- ranges[, 1] <= values & values <= ranges[, 2]
verdicts <- vapply(runs, function(run) run$verdict, "")
as_stated <- grepl("^(No problem was found|This run found|Problems were found: counts vary more)", verdicts)
print(data.frame(
  row.names = labels, from = ranges[, 1], to = ranges[, 2], smallest = signif(apply(values, 1, min), 3),
  largest = signif(apply(values, 1, max), 3), seeds_outside = rowSums(!inside)
))
cat(unique(sub("[.:].*", "", verdicts)), sep = "\n")
wrong <- sum(!inside) + sum(!as_stated)
cat(sprintf("readme: %d findings, %.0f s\n", wrong, proc.time()[["elapsed"]] - began))
quit(status = as.integer(wrong > 0))
