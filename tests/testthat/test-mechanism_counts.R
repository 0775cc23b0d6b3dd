# Declaring counts that were protected elsewhere.

test_that("published tables are read as they are", {
  table <- matrix(c("12", "<10", "0", " 31 ", "", "s"), 2, dimnames = list(c("a", "b"), NULL))
  x <- private_counts(table, mechanism = suppression(1, 9))
  expect_identical(unname(as.matrix(x)), matrix(c(12, -Inf, 0, 31, NA, -Inf), 2))
  expect_identical(rownames(x), c("a", "b"))
  expect_true(is.na(x)[1, 3])
  numbers <- matrix(c(12, NA, 0, 31), 2)
  expect_identical(as.matrix(private_counts(numbers, mechanism = suppression(1, 9))), replace(numbers, 2, -Inf))
  marked <- matrix(c(12, NA, NA, 31), 2)
  some <- private_counts(marked, mechanism = suppression(1, 9), suppressed = matrix(c(FALSE, TRUE, FALSE, FALSE), 2))
  expect_identical(as.matrix(some), matrix(c(12, -Inf, NA, 31), 2))
  classes <- matrix(c("0", "1-2", "3 to 5", "6 or more", "6+", ">5"), 2)
  x <- private_counts(classes, mechanism = count_classes(c(0, 1, 3, 6)))
  expect_identical(as.matrix(x), matrix(c(0, 1, 3, 6, 6, 6), 2))
  array <- array(c("<10", 10:16), c(2, 2, 2))
  expect_identical(dim(private_counts(array, mechanism = suppression(0, 9))), c(2L, 2L, 2L))
  frame <- data.frame(row = c("a", "a", "b", "b"), column = c("u", "v", "u", "v"), n = c(12, NA, 0, 31))
  x <- private_counts(frame, mechanism = suppression(1, 9), dims = c("row", "column"))
  expect_identical(unname(as.matrix(x)), matrix(c(12, 0, -Inf, 31), 2))
  records <- data.frame(who = c("a", "b"), u = c("12", "<10"), v = c(0, 31), w = c("s", "11"))
  x <- private_counts(records, mechanism = suppression(1, 9), id = "who")
  cells <- matrix(c(12, -Inf, 0, 31, -Inf, 11), 2, dimnames = list(c("a", "b"), c("u", "v", "w")))
  expect_identical(as.matrix(x), cells)
  expect_identical(unname(as.matrix(private_counts(records[-1], mechanism = suppression(1, 9)))), unname(cells))
  # labels are not marks: a column without any number must be named by `id`
  expect_refused(private_counts(records, mechanism = suppression(1, 9)), "not numeric", "who")
  real <- private_counts(matrix(c(1.5, -2.25), 1), mechanism = laplace_noise(2))
  expect_identical(as.matrix(real), matrix(c(1.5, -2.25), 1))
})

# The error of class ldpcounts_error names the position, and no count.
expect_position <- function(x, ..., position, hidden = "7[.]?") {
  failure <- expect_error(private_counts(x, ...), class = "ldpcounts_error")
  message <- cli::ansi_strip(conditionMessage(failure))
  expect_match(message, position, fixed = TRUE)
  expect_no_match(message, "77")
}

test_that("data that contradict the mechanism are an error that names a position", {
  x <- matrix(c(3, 77, 6, 77), 2)
  expect_position(x, mechanism = random_rounding(3), position = "row 2, column 1")
  expect_position(x, mechanism = rounding(3), position = "row 2, column 1")
  expect_position(x, mechanism = suppression(70, 80), position = "row 2, column 1")
  expect_position(x, mechanism = count_classes(c(0, 3, 6)), position = "row 2, column 1")
  expect_position(x / 2, mechanism = discrete_gaussian_noise(1), position = "row 1, column 1")
  expect_position(-x, mechanism = thinning(0.1), position = "row 1, column 1")
  expect_position(x, mechanism = withheld(skellam_noise(1), 5), position = "row 1, column 1")
  expect_position(replace(x, 3, Inf), mechanism = gaussian_noise(1), position = "row 1, column 2")
  own <- custom_mechanism(function(release, y) ifelse(pmin(y, 8) == release, 0, -Inf), 0:8)
  expect_position(x, mechanism = own, position = "row 2, column 1")
  text <- matrix(c("3", "77", "<9", "77"), 2)
  expect_position(text, mechanism = suppression(1, 9), position = "row 1, column 2")
  expect_position(matrix(c("3-4", "6"), 1), mechanism = count_classes(c(0, 3, 6)), position = "row 1, column 1")
  expect_position(text, mechanism = random_rounding(3), position = "row 1, column 2")
  expect_position(array(c("3", "<9", rep("77", 6)), c(2, 2, 2)), mechanism = suppression(1, 9), position = "[2, 1, 1]")
  marks <- matrix(c(TRUE, FALSE, FALSE, FALSE), 2)
  expect_position(x, mechanism = suppression(1, 2), suppressed = marks, position = "row 1, column 1")
})

test_that("the position is that in a matrix, a vector, a data frame, a sparse matrix, and an array", {
  own <- custom_mechanism(function(release, y) ifelse(pmin(y, 8) == release, 0, -Inf), 0:8)
  # a mechanism, a possible and an impossible release
  each <- list(
    list(no_noise(), 3, 77.5), list(no_noise(), 3, -77), list(geometric_noise(1), 3, 77.5),
    list(discrete_gaussian_noise(2), 3, 77.5), list(skellam_noise(2), 3, 77.5), list(laplace_noise(1), 3.5, Inf),
    list(gaussian_noise(1), 3.5, Inf), list(random_rounding(3), 3, 77), list(rounding(3), 3, 77),
    list(suppression(70, 80), 3, 77), list(count_classes(c(0, 3, 6)), 3, 77),
    list(withheld(skellam_noise(1), 80), 90, 77), list(thinning(0.5), 3, 77.5), list(own, 3, 77)
  )
  for (one in each) {
    good <- one[[2]]
    bad <- one[[3]]
    at <- function(x, position) expect_position(x, mechanism = one[[1]], position = position)
    at(matrix(c(good, good, good, bad, bad, good), 2), "row 2, column 2")
    at(c(good, good, bad), "row 3, column 1")
    at(data.frame(u = c(good, good), v = c(good, bad)), "row 2, column 2")
    at(array(c(rep(good, 7), bad), c(2, 2, 2)), "[2, 2, 2]")
    cells <- data.frame(row = c(1, 2, 1, 2), column = c(1, 1, 2, 2), n = c(good, good, bad, good))
    expect_position(cells, mechanism = one[[1]], dims = c(row = 2, column = 2), position = "row 1, column 2")
    if (is.finite(bad) && one[[1]]$kind != "withheld") {
      at(Matrix::sparseMatrix(i = c(1, 2), j = c(1, 3), x = c(0, bad)), "row 2, column 3")
    }
  }
})

test_that("arguments that do not belong together are refused", {
  x <- matrix(0, 2, 2)
  expect_error(private_counts(x, mechanism = rounding(3), alpha = 0.3), class = "ldpcounts_error")
  expect_error(private_counts(x, mechanism = rounding(3), epsilon = 1), class = "ldpcounts_error")
  expect_error(private_counts(x, mechanism = rounding(3), clamped = TRUE), class = "ldpcounts_error")
  expect_error(private_counts(x, mechanism = rounding(3), suppressed = x == 0), class = "ldpcounts_error")
  expect_error(private_counts(x, epsilon = 1, suppressed = x == 0), class = "ldpcounts_error")
  expect_error(private_counts(x, mechanism = 3), class = "ldpcounts_error")
  expect_error(private_counts(x, mechanism = gaussian_noise(1:3)), class = "ldpcounts_error")
  expect_error(private_counts(x, mechanism = suppression(1, 2), suppressed = TRUE), class = "ldpcounts_error")
})

test_that("methods keep the mechanism", {
  set.seed(1)
  x <- private_counts(matrix(as.double(rpois(12, 3)), 3), mechanism = discrete_gaussian_noise(2))
  expect_identical(privacy(x)$mechanism, discrete_gaussian_noise(2))
  expect_identical(privacy(rbind(x, x[1:2, ]))$mechanism, discrete_gaussian_noise(2))
  expect_identical(privacy(head(x, 1))$mechanism, discrete_gaussian_noise(2))
  other <- private_counts(matrix(0, 1, 4), mechanism = discrete_gaussian_noise(3))
  expect_error(rbind(x, other), class = "ldpcounts_error")
  expect_error(rbind(x, private_counts(matrix(0, 1, 4), epsilon = 1)), class = "ldpcounts_error")
  expect_error(x + 1, class = "ldpcounts_error")
  expect_output(print(x), "Discrete Gaussian noise")
  expect_output(print(summary(x)), "rho = 0.125")
  expect_match(format(x), "sd = 2")
  expect_named(as.data.frame(x), c("row", "column", "y_tilde", "sd"))
  damaged <- unclass(x)
  damaged$counts[1] <- 0.5
  expect_error(dim(structure(damaged, class = "private_counts")), "not a valid")
})
