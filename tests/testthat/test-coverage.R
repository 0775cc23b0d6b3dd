# How often intervals cover, against the figures of ?augment.ldp_fit. Extended: eight minutes.

# The figures of the help page, as coverage_table() has its rows.
documented_coverage <- function() {
  page <- tools::Rd_db("ldpcounts")[["augment.ldp_fit.Rd"]]
  text <- utils::capture.output(tools::Rd2txt(page, options = list(underline_titles = FALSE)))
  rows <- regmatches(text, regexec("^ *([01][.]?1?) +(yes|no) +(1|0[.]3) +([0-9].*[0-9]) *$", text))
  rows <- Filter(length, rows)
  figures <- do.call(rbind, lapply(rows, function(row) {
    percent <- regmatches(row[5], gregexpr("[0-9]+", row[5]))[[1]]
    matrix(as.numeric(percent) / 100, ncol = 2, byrow = TRUE)
  }))
  first <- do.call(rbind, lapply(rows, `[`, 2:4))
  data.frame(
    fit = rep(names(COVERAGE_FITS), length(rows)), epsilon = rep(as.numeric(first[, 3]), each = 3),
    overdispersed = rep(first[, 2] == "yes", each = 3), shape = rep(as.numeric(first[, 1]), each = 3),
    cells = figures[, 1], total = figures[, 2]
  )
}

test_that("the help page has a figure for every case", {
  documented <- documented_coverage()
  expect_identical(nrow(merge(documented, coverage_cases())), nrow(coverage_cases()))
  expect_true(all(documented$cells > 0.5 & documented$cells <= 1))
})

# Shares of 20 replicates each, of the help and of this run: of totals the difference has a standard error
# below 0.16. Coverages of cells differ between replicates by a standard deviation below 0.1.
test_that("intervals have the coverage stated in the help page", {
  extended_only()
  set.seed(672)
  covered <- merge(coverage_table(20), documented_coverage(),
    by = c("fit", "epsilon", "overdispersed", "shape"), suffixes = c("", "_documented")
  )
  bound <- normal_bound(2 * nrow(covered))
  expect_lt(max(abs(covered$cells - covered$cells_documented)), bound * 0.1 * sqrt(2 / 20))
  expect_lt(max(abs(covered$total - covered$total_documented)), bound * 0.16)
  wide <- covered[covered$fit == "nbinom1, shape 1", ]
  expect_gt(min(wide$cells), 0.9)
  # of 160 totals 0.825 are covered, a share that has a standard error of 0.03
  expect_gt(mean(wide$total), 0.68)
})
