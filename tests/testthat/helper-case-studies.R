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
