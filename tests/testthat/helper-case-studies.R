# The scripts and the stored results of inst/case-studies.
case_study_file <- function(...) system.file("case-studies", ..., package = "ldpcounts")

stored_study <- function(name) readRDS(case_study_file("results", paste0(name, ".rds")))
