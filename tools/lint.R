# lintr, with the settings of .lintr, over everything written in R. Run in the package's root, after
# make install: Rscript tools/lint.R [FILE...]

# lintr does not know all methods: those of suggested packages' generics, which NAMESPACE registers late, and
# those with a name in quotes.
late_methods <- function() {
  registered <- grep("^S3method\\((.*::|\")", readLines("NAMESPACE"), value = TRUE)
  gsub("\"", "", sub("^S3method\\((.*::)?(.*),(.*)\\)$", "\\2.\\3", registered))
}

is_method_name <- function(lint) {
  lint$linter == "object_name_linter" && gsub("`| .*", "", lint$line) %in% late_methods()
}

lint_files <- function(files) {
  cores <- if (.Platform$OS.type == "unix") min(4, parallel::detectCores()) else 1
  found <- parallel::mclapply(files, lintr::lint, mc.cores = cores, mc.preschedule = FALSE)
  broken <- !vapply(found, inherits, TRUE, "lints")
  if (any(broken)) stop("lintr failed on ", toString(files[broken]), "\n", found[broken][[1]])
  Filter(Negate(is_method_name), unlist(found, recursive = FALSE))
}

files <- commandArgs(trailingOnly = TRUE)
if (length(files) == 0) {
  folders <- c("R", "tests", "tools", "bench", "data-raw", "inst", "vignettes")
  files <- list.files(folders, "\\.(R|Rmd)$", recursive = TRUE, full.names = TRUE)
}
lints <- lint_files(files)
for (lint in lints) print(lint)
cat(sprintf("lint: %d files, %d findings\n", length(files), length(lints)))
quit(status = as.integer(length(lints) > 0))
