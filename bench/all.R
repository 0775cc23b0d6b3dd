# Runs benchmarks and writes bench/RESULTS.md. Run in the
# package's root: make bench. Or after make install, for some of them: Rscript bench/all.R sweep distributions
scripts <- c(
  "privatize", "laws", "sweep", "levels", "interrupts", "growth", "large", "blocks", "effective", "predict",
  "moves", "families", "defaults", "modes", "choose", "cavi", "tensors", "spectral", "mechanisms",
  "coverage", "bage", "dapper"
)
# What some of them need beyond the suggested packages. Without it, their sections are kept.
needs <- c(bage = "bage", dapper = "dapper")

cpu <- function() {
  if (!file.exists("/proc/cpuinfo")) {
    return(Sys.info()[["machine"]])
  }
  sub(".*: *", "", grep("^model name", readLines("/proc/cpuinfo"), value = TRUE)[1])
}
compiler <- function() {
  cc <- system2(file.path(R.home("bin"), "R"), c("CMD", "config", "CC"), stdout = TRUE)
  system(paste(cc, "--version"), intern = TRUE)[1]
}
cumall <- function(x) cumsum(!x) == 0
run <- function(name) {
  message("bench/", name, ".R")
  file <- file.path("bench", paste0(name, ".R"))
  lines <- readLines(file) # its opening comment
  question <- sub("^# ?", "", lines[cumall(startsWith(lines, "#"))])
  question <- question[cumall(!startsWith(question, "Run "))]
  printed <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", file), stdout = TRUE)
  if (!is.null(attr(printed, "status"))) stop(file, " has failed")
  c(paste("##", name), "", question, "", "```", printed, "```", "")
}

# The section of a script in the file as it stands.
section <- function(name) {
  lines <- readLines("bench/RESULTS.md")
  from <- match(paste("##", name), lines)
  if (is.na(from)) stop("bench/RESULTS.md has no section ", name)
  ends <- which(startsWith(lines, "## ") & seq_along(lines) > from)
  lines[from:(c(ends, length(lines) + 1)[1] - 1)]
}

# Named scripts alone are run anew, all without a name.
chosen <- commandArgs(TRUE)
if (length(chosen) == 0) chosen <- scripts
can_run <- function(name) !name %in% names(needs) || requireNamespace(needs[[name]], quietly = TRUE)
sections <- lapply(scripts, function(name) if (name %in% chosen && can_run(name)) run(name) else section(name))

writeLines(c(
  "# Results of the benchmarks", "",
  paste0("Written by `make bench` on ", cpu(), ", ", parallel::detectCores(), " cores (one used), ",
    R.version.string, ", ", compiler(), ", ", utils::osVersion, "."), "",
  "Ratios are of times within one run; bars are what the package means to keep. Findings of longer runs: MOVES.md,",
  "PARALLEL.md, REGRESSION.md and TOTALS.md.", "",
  unlist(sections)
), "bench/RESULTS.md")
