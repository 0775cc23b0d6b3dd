# The standards of rOpenSci for statistical software (version 0.2.0), by section. Each has one answer in
# tools/standards.csv.
STANDARDS <- c(
  G1 = "0 1 2 3 4 4a 5 6",
  G2 = "0 0a 1 1a 2 3 3a 3b 4 4a 4b 4c 4d 4e 5 6 7 8 9 10 11 12 13 14 14a 14b 14c 15 16", G3 = "0 1 1a",
  G4 = "0", G5 = "0 1 2 2a 2b 3 4 4a 4b 4c 5 6 6a 6b 7 8 8a 8b 8c 8d 9 9a 9b 10 11 11a 12",
  BS1 = "0 1 2 2a 2b 2c 3 3a 3b 4 5", BS2 = "1 1a 2 3 4 5 6 7 8 9 10 11 12 13 14 15", BS3 = "0 1 2",
  BS4 = "0 1 2 3 4 5 6 7", BS5 = "0 1 2 3 4 5", BS6 = "0 1 2 3 4 5", BS7 = "0 1 2 3 4 4a", PD1 = "0",
  PD2 = "0", PD3 = "0 1 2 3 4 5 5a", PD4 = "0 1 2 3 4", UL1 = "0 1 2 3 3a 4 4a 4b", UL2 = "0 1 2 3",
  UL3 = "0 1 2 3 4", UL4 = "0 1 2 3 3a 4", UL6 = "0 1 2", UL7 = "0 1 2 3 4 5 5a"
)

test_that("every standard has one answer, which names something that exists", {
  skip_if_not(file.exists("../../tools/standards.csv"), "tests run without the sources")
  answers <- utils::read.csv("../../tools/standards.csv")
  numbers <- strsplit(STANDARDS, " ")
  expected <- paste0(rep(names(numbers), lengths(numbers)), ".", unlist(numbers))
  expect_setequal(answers$standard, expected)
  expect_identical(anyDuplicated(answers$standard), 0L)
  expect_true(all(answers$answer %in% c("met", "not met", "not applicable")))
  expect_true(all(nzchar(answers$how)))
  expect_identical(nzchar(answers$where), answers$answer == "met")
  where <- unlist(strsplit(answers$where, ", "))
  files <- grep("/", where, value = TRUE)
  expect_identical(files[!file.exists(file.path("../..", files))], character())
  functions <- sub("[()]+$", "", grep("[()]$", where, value = TRUE))
  expect_identical(functions[!vapply(functions, exists, TRUE, envir = asNamespace("ldpcounts"))], character())
  pages <- paste0("../../man/", sub("^[?]", "", grep("^[?]", where, value = TRUE)), ".Rd")
  expect_identical(pages[!file.exists(pages)], character())
})
