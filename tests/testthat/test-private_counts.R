release <- function() {
  private_counts(matrix(c(2, -1, 0, 5, 1, -3), 2, dimnames = list(c("a", "b"), NULL)),
    alpha = c(0.2, 0.6)
  )
}

test_that("counts noised elsewhere are wrapped with their level", {
  x <- release()
  p <- privacy(x)
  expect_identical(p$alpha, c(0.2, 0.6))
  expect_equal(p$epsilon, -log(c(0.2, 0.6)))
  expect_identical(p$rng, "external")
  expect_equal(privacy(private_counts(matrix(1), epsilon = 2, precision = 4))$alpha, exp(-0.5))
  expect_identical(privacy(private_counts(matrix(1), alpha = 0))$epsilon, Inf)
  expect_identical(privacy(private_counts(matrix(1), epsilon = 0.3, precision = 7))$epsilon, 0.3)
  sparse <- Matrix::sparseMatrix(1:2, 2:3, x = c(-4, 3), dims = c(2, 3))
  expect_equal(as.matrix(private_counts(sparse, alpha = 0.5)), as.matrix(sparse))
})

test_that("what is no release is refused", {
  expect_refused(private_counts(matrix(1.5), alpha = 0.5), "`x`", "not whole")
  expect_refused(private_counts(matrix(Inf), alpha = 0.5), "`x`", "infinite")
  expect_refused(private_counts(matrix(-1), alpha = 0), "negative counts", "`alpha`")
  expect_refused(private_counts(matrix(1), alpha = 1), "`alpha`", "[0, 1)")
  expect_refused(private_counts(matrix(1)), "exactly one of")
  expect_refused(private_counts(release(), alpha = 0.5), "private already")
  expect_refused(private_counts(lm, alpha = 0.5), "`x` must be a matrix")
  expect_refused(private_counts(matrix(1), alfa = 0.5), "no argument `alfa`", "`alpha`")
  expect_refused(privacy(matrix(1)), "`x` must be a private_counts")
})

test_that("subsets carry the level of their rows", {
  x <- release()
  expect_identical(as.matrix(x["b", 2:3]), as.matrix(x)["b", 2:3, drop = FALSE])
  expect_identical(privacy(x["b", ])$alpha, 0.6)
  expect_identical(privacy(x[c(2, 1), ])$alpha, c(0.6, 0.2))
  expect_identical(privacy(x[-1, ])$alpha, 0.6)
  expect_identical(privacy(x[c(TRUE, FALSE), ])$alpha, 0.2)
  expect_identical(dim(x[, 1]), c(2L, 1L))
  expect_identical(dim(x[1, 1, drop = TRUE]), c(1L, 1L))
  expect_identical(dim(head(x, 1)), c(1L, 3L))
  expect_identical(dim(head(x, -1)), c(1L, 3L))
  expect_refused(x[1], "takes two indices")
  expect_refused(x[3, ], "out of range")
  expect_refused(x["c", ], "out of range, or no label")
  expect_refused(x[c(1, 1), ], "A repeated index")
})

test_that("rows of several releases are bound with their levels", {
  x <- release()
  both <- rbind(x, privatize(matrix(0L, 1, 3), epsilon = 1))
  expect_identical(dim(both), c(3L, 3L))
  expect_equal(privacy(both)$alpha, c(0.2, 0.6, exp(-1)))
  expect_identical(privacy(both)$rng, "mixed")
  simulated <- rbind(x, privatize(matrix(0L, 1, 3), epsilon = 1, rng = "R"))
  expect_output(print(simulated), "SIMULATION ONLY")
  none <- rbind(x[0, ], x[0, ])
  expect_identical(dim(none), c(0L, 3L))
  expect_silent(capture.output(print(none)))
  expect_silent(capture.output(print(summary(none))))
  same <- rbind(x[1, ], x[1, ])
  expect_identical(privacy(same)$alpha, 0.2)
  expect_refused(rbind(x, x[, 1]), "same columns")
  expect_refused(rbind(x, matrix(0, 1, 3)), "no known noise level")
})

test_that("NA masks cells, and nothing else may be assigned", {
  x <- release()
  is.na(x) <- cbind(1, 2)
  expect_identical(which(is.na(x)), 3L)
  x["b", ] <- NA
  expect_identical(sum(is.na(x)), 4L)
  y <- release()
  y[as.matrix(y) > 1] <- NA
  expect_identical(sum(is.na(y)), 2L)
  expect_type(as.matrix(y), "double")
  expect_refused({ y[100] <- NA }, "must name cells")
  expect_refused({ y["a"] <- NA }, "must name cells")
  expect_refused({ y[cbind(1, 9)] <- NA }, "must name cells")
  expect_refused({ y[TRUE] <- NA }, "must name cells")
  expect_refused({ y[1, 1, 1] <- NA }, "must name cells")
  expect_refused({ y[1, 1] <- NULL }, "Only NA may be assigned")
  expect_refused({ y[1, 1] <- character() }, "Only NA may be assigned")
  expect_identical(dim(y), c(2L, 3L))
  whole <- release()
  whole[] <- NA
  expect_true(all(is.na(whole)))
  expect_output(print(whole), "6 masked")
  expect_refused({ y[1, 1] <- 0 }, "Only NA may be assigned")
  expect_refused({ y$alpha <- 0.1 }, "Only NA may be assigned")
  expect_refused({ y[["alpha"]] <- 0.1 }, "Only NA may be assigned")
  expect_refused({ dim(y) <- c(3, 2) }, "dim(x) <-")
  dimnames(y) <- list(c("c", "d"), c("u", "v", "w"))
  expect_identical(colnames(y), c("u", "v", "w"))
})

test_that("what would make it untrue is an error that says why", {
  x <- release()
  expect_refused(x + 1, "`+` is not possible", "as.matrix(x)")
  expect_refused(x > 0, "`>` is not")
  expect_refused(-x, "`-` is not")
  expect_refused(log(x), "log() is not")
  expect_refused(sum(x), "sum() is not")
  expect_refused(max(x), "max() is not")
  expect_refused(mean(x), "mean() is not")
  expect_refused(median(x), "median() is not")
  expect_refused(quantile(x), "quantile() is not")
  expect_refused(t(x), "t() is not")
  expect_refused(cbind(x, x), "cbind() is not")
  expect_refused(c(x, x), "c() is not")
  expect_refused(rep(x, 2), "rep() is not")
  expect_refused(lapply(x, identity), "cell by cell")
  expect_refused({ length(x) <- 3 }, "length(x) <-")
  expect_refused({ names(x) <- "a" }, "names(x) <-")
})

test_that("print says in words what is protected, at more than one precision", {
  expect_output(print(privatize(matrix(1L), epsilon = 1)), "differ by 1 count")
  expect_output(print(privatize(matrix(1L), epsilon = 1)), "at most 2.72 times")
  expect_output(print(privatize(matrix(1L), epsilon = 1)), "differ by 10 counts in all")
  expect_output(
    print(privatize(matrix(1L), epsilon = 2, precision = 4)), "4 counts in all: any release is at most 7.39"
  )
  expect_output(print(release()), "least protected row")
  expect_output(print(private_counts(matrix(1), alpha = 0)), "not protected")
  expect_output(print(summary(private_counts(matrix(1), alpha = 0))), "not protected")
  # "at most" is rounded up: exp(1.1) = 3.0042, exp(0.0001) = 1.0001
  expect_output(print(private_counts(matrix(1), epsilon = 1.1)), "at most 3.01 times")
  expect_output(print(private_counts(matrix(1), epsilon = 1e-4)), "at most 1.01 times")
  expect_output(print(private_counts(matrix(1), alpha = 0.9999)), "alpha = 0.9999")
  expect_output(print(summary(release())), "Quantiles")
  expect_match(format(release()), "private_counts 2 x 3")
})

test_that("the object holds neither true counts nor noise", {
  y <- matrix(1e6 * 1:100, 10) # so far apart that no release falls on another's truth
  x <- privatize(y, epsilon = 0.01)
  held <- suppressWarnings(as.numeric(unlist(unclass(x))))
  noised <- as.matrix(x) != y
  expect_gt(sum(noised), 90)
  expect_false(any(held %in% y[noised]))
  expect_identical(names(attributes(x)), c("names", "class"))
  expect_setequal(names(unclass(x)), c(
    "counts", "alpha", "epsilon", "precision", "s", "t", "rng", "clamped", "directed", "below",
    "version"
  ))
})
