# What holds for all case studies; what each of them shows is in test-case-studies-*.R.

study_names <- setdiff(sub("[.]R$", "", dir(case_study_file(), "[.]R$")), "run")

test_that("stored results were made by the scripts as they are", {
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

test_that("stored results are small, and no result is without its script", {
  files <- dir(case_study_file("results"), full.names = TRUE)
  expect_setequal(sub("[.]rds$", "", basename(files)), study_names)
  expect_lt(max(file.size(files)), 30e3)
})
