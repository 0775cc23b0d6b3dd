# Runs the case studies named as arguments, or all of them, and writes inst/case-studies/results.
# Run in the package's root: make case-studies. Or after make install, for one of them:
#
#     Rscript inst/case-studies/run.R noise-levels
#
# Each finished unit of work leaves a file in build/case-studies, so a run that was killed goes on
# where it was. MC_CORES=2 does two units at a time. README.md says what a study is.

library(ldpcounts)

FOLDER <- "inst/case-studies"
RESULTS <- file.path(FOLDER, "results")
CACHE <- "build/case-studies"

# What the file of a study defines: `settings`, `units`, `run_unit` and other functions.
read_study <- function(name) {
  study <- new.env(parent = globalenv())
  sys.source(file.path(FOLDER, paste0(name, ".R")), study)
  study
}

# A file for each unit. It has another name when the settings, the unit, the study's functions or
# the version of the package are others.
cache_files <- function(name, study) {
  functions <- lapply(Filter(is.function, as.list(study, sorted = TRUE)), deparse)
  shared <- list(utils::packageVersion("ldpcounts"), study$settings, functions)
  keys <- vapply(seq_len(nrow(study$units)), function(i) {
    rlang::hash(list(shared, c(study$units[i, ])))
  }, "")
  file.path(CACHE, paste0(name, "-", keys, ".rds"))
}

# Whole or not at all.
save_whole <- function(value, file) {
  part <- paste0(file, ".", Sys.getpid())
  saveRDS(value, part, compress = "xz")
  file.rename(part, file)
}

# Units of the same repetition begin with the same random numbers, so with the same data.
run_and_save <- function(study, i, file) {
  unit <- study$units[i, ]
  set.seed(study$settings$seed + unit$repetition)
  time <- system.time(rows <- study$run_unit(unit, study$settings))
  seconds <- time[["user.self"]] + time[["sys.self"]] # whatever else the machine does
  save_whole(list(rows = data.frame(unit, rows, row.names = NULL), seconds = seconds), file)
}

run_study <- function(name) {
  study <- read_study(name)
  files <- cache_files(name, study)
  open <- which(!file.exists(files))
  message(name, ": ", length(files), " units, ", length(open), " of them to do")
  parallel::mclapply(seq_along(open), function(j) {
    run_and_save(study, open[j], files[open[j]])
    message(name, ": ", j, " of ", length(open))
  }, mc.cores = getOption("mc.cores", 1L), mc.preschedule = FALSE)
  if (!all(file.exists(files))) stop(name, ": ", sum(!file.exists(files)), " units have failed")
  done <- lapply(files, readRDS)
  save_whole(list(
    settings = study$settings, units = study$units,
    results = do.call(rbind, lapply(done, `[[`, "rows")),
    seconds = vapply(done, `[[`, 0, "seconds"),
    made_by = c(ldpcounts = as.character(utils::packageVersion("ldpcounts")), R = R.version.string)
  ), file.path(RESULTS, paste0(name, ".rds")))
}

chosen <- commandArgs(TRUE)
if (length(chosen) == 0) chosen <- setdiff(sub("[.]R$", "", dir(FOLDER, "[.]R$")), "run")
for (folder in c(RESULTS, CACHE)) dir.create(folder, recursive = TRUE, showWarnings = FALSE)
for (name in chosen) run_study(name)
