test_that("no file of R/ calls a higher layer or is part of a cycle, and none is too long", {
  skip_if(length(Sys.glob("../../R/*.R")) == 0, "tests run without the sources")
  skip_if_not_installed("codetools")
  calls <- calls_between(Sys.glob("../../R/*.R"))
  expect_gt(nrow(calls), 1000)
  expect_identical(layout_problems("../../R", calls), character())
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
  downward <- problems_of(`util-a.R` = "low <- function() 1", `plot-b.R` = "high <- function() low()")
  expect_identical(downward, character())
  upward <- "util-a.R: low() uses high of plot-b.R, a higher floor"
  expect_identical(problems_of(`util-a.R` = "low <- function() high()", `plot-b.R` = high), upward)
  expect_identical(problems_of(`util-a.R` = "low <- list(of = function() high)", `plot-b.R` = high), upward)
  expect_identical(
    problems_of(
      `data-a.R` = "one <- function() two()", `data-b.R` = "two <- function() one()",
      `fit-c.R` = "three <- function() one()"
    ),
    c(
      "data-a.R: one() uses two of data-b.R, in a cycle of files",
      "data-b.R: two() uses one of data-a.R, in a cycle of files"
    )
  )
  expect_identical(problems_of(`other.R` = high), "other.R: on no floor")
  long <- c("# a comment", "", sprintf("f%d <- %d", 1:400, 1:400))
  expect_identical(problems_of(`util-a.R` = long), character())
  expect_identical(problems_of(`util-a.R` = c(long, "g <- 1")), "util-a.R: 401 lines of code")
})

test_that("no function reads the frame of another", {
  skip_if(length(Sys.glob("../../R/*.R")) == 0, "tests run without the sources")
  expect_identical(frame_problems("../../R", MAY_READ_FRAMES), character())
})

test_that("code that reads a frame is found", {
  found <- function(code) frame_readers_in(parse(text = code))
  expect_identical(found("f <- function() parent.frame()"), "parent.frame")
  expect_identical(found("f <- function(env = parent.frame()) g(env)"), "parent.frame")
  expect_identical(found("f <- function(x) lapply(x, function(y) sys.function(1))"), "sys.function")
  expect_identical(found("x <- list(f = base::sys.call)"), "sys.call")
  expect_identical(found("f <- function(g) formals(g) <- list(x = 1)"), "formals<-")
  expect_identical(found("f <- function(call) assign('x', 1, call)"), "assign")
  expect_identical(found("f <- function(call) call$x"), "$")
  expect_identical(found("f <- function() g(rlang::caller_env())"), "caller_env")
  expect_identical(found("f <- function(env = rlang::caller_env()) env"), "caller_env")
  expect_length(found("f <- function(x, call = rlang::caller_env(), .envir = caller_env()) x[1, ]"), 0)
  expect_length(found("f <- function(stream) assign('.Random.seed', stream, globalenv())"), 0)
  folder <- tempfile("frames")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  writeLines(c("g <- function() 1", "f <- function() parent.frame()"), file.path(folder, "util-a.R"))
  expect_identical(frame_problems(folder), "util-a.R: parent.frame()")
})

test_that("the package has few files", {
  skip_if(length(Sys.glob("../../R/*.R")) == 0, "tests run without the sources")
  size <- size_of_code("../../R")
  cat("\nR/ has", size[["files"]], "files and", size[["lines"]], "lines of code.\n")
  expect_lte(size[["files"]], MOST_FILES)
})

test_that("mutants edit text that is in the sources", {
  file <- "../mutants/mutants.R"
  skip_if_not(file.exists(file), "tests run without the sources")
  code <- as.list(parse(file))
  code <- Find(function(part) identical(part[[1]], quote(`<-`)) && identical(part[[2]], quote(mutants)), code)
  missing <- unlist(lapply(eval(code[[3]]), function(mutant) {
    text <- paste(c(readLines(file.path("../..", mutant$file)), ""), collapse = "\n")
    found <- vapply(mutant$edits, function(edit) grepl(edit[1], text, fixed = TRUE), TRUE)
    if (!all(found)) mutant$name
  }))
  expect_null(missing)
})
