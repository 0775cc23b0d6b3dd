# The scripts and the stored results of inst/case-studies.
case_study_file <- function(...) system.file("case-studies", ..., package = "ldpcounts")

stored_study <- function(name) readRDS(case_study_file("results", paste0(name, ".rds")))

# The status of a run of the studies `names` in another session, started in the folder `root`.
run_case_studies <- function(root, names) {
  here <- setwd(root)
  on.exit(setwd(here))
  suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
    c("inst/case-studies/run.R", names),
    env = paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep)),
    stdout = FALSE, stderr = FALSE
  ))
}

# Scores of private fits less those of the method `than` on the same data, with one row per fit, and columns
# `margin` and those of the units. Stored scores have columns `method`, `epsilon`, `metric` and `value`;
# a method without privacy has one score for all levels.
score_margins <- function(study, metric, than) {
  here <- study$results[study$results$metric == metric, ]
  units <- names(study$units)
  private <- here[here$method == "private", c(units, "epsilon", "value")]
  level <- if (than == "naive") "epsilon"
  other <- here[here$method == than, c(units, level, "value")]
  both <- merge(private, other, by = c(units, level), suffixes = c("", "_other"))
  both$margin <- both$value - both$value_other
  stopifnot(nrow(both) == nrow(private))
  both
}
