# What holds for all case studies; what each of them shows is in test-case-studies-*.R.

study_names <- setdiff(sub("[.]R$", "", dir(case_study_file(), "[.]R$")), "run")

test_that("stored results were made by the current scripts", {
  expect_gt(length(study_names), 0)
  for (name in study_names) {
    script <- new.env()
    sys.source(case_study_file(paste0(name, ".R")), script)
    stored <- stored_study(name)
    expect_identical(stored$settings, script$settings, label = name)
    expect_identical(stored$units, script$units, label = name)
    expect_length(stored$seconds, nrow(script$units))
    # every unit has its rows, in the order of the units
    row_of <- function(x) do.call(paste, x[names(script$units)])
    expect_identical(unique(row_of(stored$results)), row_of(script$units), label = name)
  }
})

test_that("stored results are small, and each has a script", {
  files <- dir(case_study_file("results"), full.names = TRUE)
  expect_setequal(sub("[.]rds$", "", basename(files)), study_names)
  expect_lt(max(file.size(files)), 30e3)
})

test_that("a run that ended early continues where it stopped", {
  skip_on_cran()
  root <- tempfile()
  folder <- file.path(root, "inst", "case-studies")
  dir.create(folder, recursive = TRUE)
  file.copy(case_study_file("run.R"), folder)
  # the third unit fails until there is a file "go"; every unit leaves a line in "log"
  writeLines(c(
    "settings <- list(seed = 1)",
    "units <- data.frame(repetition = 1:4, size = c(2, 3))",
    "run_unit <- function(unit, settings) {",
    "  if (unit$repetition == 3 && !file.exists('go')) stop('not yet')",
    "  cat(unit$repetition, '\\n', file = 'log', append = TRUE)",
    "  data.frame(x = runif(unit$size))",
    "}"
  ), file.path(folder, "tiny.R"))
  expect_false(run_case_studies(root, "tiny") == 0)
  expect_false(file.exists(file.path(folder, "results", "tiny.rds")))
  file.create(file.path(root, "go"))
  expect_equal(run_case_studies(root, "tiny"), 0)
  expect_identical(scan(file.path(root, "log"), quiet = TRUE), c(1, 2, 3, 4))
  stored <- readRDS(file.path(folder, "results", "tiny.rds"))
  expect_identical(stored$results$repetition, c(1L, 1L, 2L, 2L, 2L, 3L, 3L, 4L, 4L, 4L))
  set.seed(1 + 3)
  expect_identical(stored$results$x[6:7], runif(2))
})
