#' @srrstats {G5.0} published data with known sums.
test_that("the data sets agree with their sources", {
  expect_identical(dim(enron_network), c(161L, 161L))
  expect_identical(sum(enron_network > 0), 2825L)
  expect_identical(sum(enron_network), 107566L)
  expect_identical(max(enron_network), 3743L)
  expect_true(all(diag(enron_network) == 0))
  expect_identical(rownames(enron_network), enron_actors$address)
  expect_equal(unname(rowSums(enron_network)), enron_actors$sent)
  expect_identical(dim(poliblog), c(773L, 1290L))
  expect_identical(sum(poliblog > 0), 70024L)
  expect_identical(sum(poliblog), 105225L)
  expect_identical(length(poliblog_rating), 773L)
})
