y <- matrix(rep(1:4, 5), 4)

test_that("losses add up, row by row if rows differ", {
  a <- privatize(y, epsilon = 1)
  b <- privatize(y, epsilon = 0.5)
  expect_equal(privacy_loss(a, b)$epsilon, 1.5)
  expect_equal(privacy_loss(a)$epsilon, 1)
  rows <- privatize(y, epsilon = c(0.5, 1, 1, 2))
  expect_equal(privacy_loss(a, rows)$epsilon, c(1.5, 2, 2, 3))
  expect_equal(privacy_loss(a, rows)$releases$epsilon, c(1, 2))
})

test_that("the sum is given at one precision", {
  a <- privatize(y, epsilon = 1)
  b <- privatize(y, epsilon = 2, precision = 4)
  loss <- privacy_loss(a, b)
  expect_identical(loss$precision, 4)
  expect_equal(loss$epsilon, 4 + 2)
  expect_equal(privacy_loss(a, b, precision = 1)$epsilon, 1 + 0.5)
})

test_that("the precision need not be a whole number, and print() refers to whole counts", {
  a <- privatize(y, epsilon = 1, precision = 2.5)
  expect_equal(privacy_loss(a, a)$epsilon, 2)
  expect_equal(privacy_loss(a, precision = 0.5)$epsilon, 0.2)
  expect_output(print(privacy_loss(a, a)),
    "at precision 2.5.*differ by 2 counts in all.*at most\\s+4.96 times")
  b <- privatize(y, epsilon = 1, precision = 1 / 3)
  expect_output(print(privacy_loss(b)), "at precision 0.333333.*differ by 1 count:.*at most 20.1\\s+times")
})

test_that("print() states the privacy loss in words", {
  a <- privatize(y, epsilon = 1)
  expect_output(print(privacy_loss(a, a)), "2 releases of the same data together have spent epsilon = 2")
  expect_output(print(privacy_loss(a, a)), "at most 7.39")
  expect_output(print(privacy_loss(a)), "One release has spent")
  rows <- privatize(y, epsilon = 1:4)
  expect_output(print(privacy_loss(rows)), "In the least protected row: rows \\(records\\)")
  expect_output(print(privacy_loss(private_counts(y, alpha = 0))), "protects nothing")
})

test_that("invalid sets of releases throw errors", {
  a <- privatize(y, epsilon = 1)
  expect_refused(privacy_loss(), "at least one release")
  expect_refused(privacy_loss(a, y), "must be a private_counts")
  expect_refused(privacy_loss(a, a[1:2, ]), "of the same data")
  b <- a
  rownames(a) <- letters[1:4]
  expect_equal(privacy_loss(a, b)$epsilon, 2)
  rownames(b) <- letters[2:5]
  expect_refused(privacy_loss(a, b), "of the same data")
  expect_refused(privacy_loss(a, precision = 0), "`precision` must be one positive number")
  expect_refused(privacy_loss(a, precision = 1:2), "`precision` must be one positive number")
})
