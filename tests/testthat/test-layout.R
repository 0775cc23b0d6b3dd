test_that("no file of R/ calls a higher layer or is part of a cycle, and none is too long", {
  skip_if(length(Sys.glob("../../R/*.R")) == 0, "tests run without the sources")
  skip_if_not_installed("codetools")
  calls <- calls_between(Sys.glob("../../R/*.R"))
  expect_gt(nrow(calls), 1000)
  expect_identical(layout_problems("../../R"), character())
})

# layout_problems() of files with these lines.
problems_of <- function(...) {
  folder <- tempfile("layout")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  files <- list(...)
  for (file in names(files)) writeLines(files[[file]], file.path(folder, file))
  layout_problems(folder)
}

test_that("violations of the layout are found and named", {
  skip_if_not_installed("codetools")
  high <- "high <- function() 1"
  downward <- problems_of("util-a.R" = "low <- function() 1", "plot-b.R" = "high <- function() low()")
  expect_identical(downward, character())
  upward <- "util-a.R: low() uses high of plot-b.R, a higher floor"
  expect_identical(problems_of("util-a.R" = "low <- function() high()", "plot-b.R" = high), upward)
  expect_identical(problems_of("util-a.R" = "low <- list(of = function() high)", "plot-b.R" = high), upward)
  expect_identical(
    problems_of(
      "data-a.R" = "one <- function() two()", "data-b.R" = "two <- function() one()",
      "fit-c.R" = "three <- function() one()"
    ),
    c(
      "data-a.R: one() uses two of data-b.R, in a cycle of files",
      "data-b.R: two() uses one of data-a.R, in a cycle of files"
    )
  )
  expect_identical(problems_of("other.R" = high), "other.R: on no floor")
  long <- c("# a comment", "", sprintf("f%d <- %d", 1:400, 1:400))
  expect_identical(problems_of("util-a.R" = long), character())
  expect_identical(problems_of("util-a.R" = c(long, "g <- 1")), "util-a.R: 401 lines of code")
})
