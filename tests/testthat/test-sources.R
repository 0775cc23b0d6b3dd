test_that("no name is defined twice", {
  files <- Sys.glob("../../R/*.R")
  skip_if(length(files) == 0, "tests run without the sources")
  names <- unlist(lapply(files, function(file) {
    lapply(parse(file), function(code) {
      if (is.call(code) && identical(code[[1]], quote(`<-`)) && is.name(code[[2]])) as.character(code[[2]])
    })
  }))
  expect_gt(length(names), 300)
  expect_identical(names[duplicated(names)], character())
})
