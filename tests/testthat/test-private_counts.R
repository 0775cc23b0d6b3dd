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

test_that("invalid releases throw errors", {
  expect_refused(private_counts(matrix(1.5), alpha = 0.5), "`x`", "not whole")
  expect_refused(private_counts(matrix(Inf), alpha = 0.5), "`x`", "infinite")
  expect_refused(private_counts(matrix(-1), alpha = 0), "negative counts", "`alpha`")
  expect_refused(private_counts(matrix(1), alpha = 1), "`alpha`", "[0, 1)")
  expect_refused(private_counts(matrix(1)), "exactly one of")
  expect_refused(private_counts(release(), alpha = 0.5), "a release already")
  expect_refused(private_counts(lm, alpha = 0.5), "`x` must be a matrix")
  expect_refused(private_counts(matrix(1), alfa = 0.5), "no argument `alfa`", "`alpha`")
  expect_refused(privacy(matrix(1)), "`x` must be a private_counts")
})

test_that("subsets keep the noise levels of their rows", {
  x <- release()
  expect_identical(as.matrix(x["b", 2:3]), as.matrix(x)["b", 2:3, drop = FALSE])
  expect_identical(privacy(x["b", ])$alpha, 0.6)
  expect_identical(privacy(x[c(2, 1), ])$alpha, c(0.6, 0.2))
  expect_identical(privacy(x[-1, ])$alpha, 0.6)
  expect_identical(privacy(x[c(TRUE, FALSE), ])$alpha, 0.2)
  expect_identical(dim(x[, 1, drop = FALSE]), c(2L, 1L))
  expect_identical(privacy(x[, 1])$alpha, c(0.2, 0.6))
  expect_length(x[1, 1], 1)
  expect_identical(dim(head(x, 1)), c(1L, 3L))
  expect_identical(dim(head(x, -1)), c(1L, 3L))
  expect_refused(x[1], "needs one index per mode")
  expect_refused(x[3, ], "out of range")
  expect_refused(x["c", ], "out of range, or an unknown label")
  expect_refused(x[c(1, 1), ], "A repeated index")
})

test_that("rows of several releases are bound with their noise levels", {
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
  same <- bind_again(x[1, ], x[1, ])
  expect_identical(privacy(same)$alpha, 0.2)
  expect_refused(rbind(x, x[, 1, drop = FALSE]), "same columns")
  expect_refused(rbind(x, matrix(0, 1, 3)), "no known noise level")
})

test_that("NA masks cells, and no other value can be assigned", {
  x <- release()
  is.na(x) <- cbind(1, 2)
  expect_identical(which(is.na(x)), 3L)
  x["b", ] <- NA
  expect_identical(sum(is.na(x)), 4L)
  y <- release()
  y[as.matrix(y) > 1] <- NA
  expect_identical(sum(is.na(y)), 2L)
  expect_type(as.matrix(y), "double")
  expect_refused({ y[100] <- NA }, "must be within")
  expect_refused({ y["a"] <- NA }, "must be within")
  expect_refused({ y[cbind(1, 9)] <- NA }, "must be cells of the data")
  expect_refused({ y[1, 1, 1] <- NA }, "must be within")
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
  expect_refused({ dim(y) <- c(3, 2) }, "Only NA may be assigned")
  dimnames(y) <- list(c("c", "d"), c("u", "v", "w"))
  expect_identical(colnames(y), c("u", "v", "w"))
})

test_that("operations that would invalidate a release throw errors that say why", {
  x <- release()
  expect_refused(x + 1, "`+` is not possible", "as.matrix(x)")
  expect_refused(x > 0, "`>` is not")
  expect_refused(-x, "`-` is not")
  expect_refused(log(x), "`log` is not")
  expect_refused(sum(x), "`sum` is not")
  expect_refused(max(x), "`max` is not")
  expect_refused(t(x), "t(x) is not")
  expect_refused(cbind(x, x), "cbind() is not", "their losses would add up")
  expect_refused({ length(x) <- 3 }, "Only NA may be assigned")
  expect_refused({ names(x) <- "a" }, "Only NA may be assigned")
})

test_that("print says in words what is protected, at more than one precision", {
  expect_output(print(privatize(matrix(1L), epsilon = 1)), "differ by 1 count")
  expect_output(print(privatize(matrix(1L), epsilon = 1)), "at most 2.72 times")
  expect_output(print(privatize(matrix(1L), epsilon = 1)), "differ by 10 counts in all")
  expect_output(
    print(privatize(matrix(1L), epsilon = 2, precision = 4)), "4 counts in all: any release is at most 7.39"
  )
  # counts are whole: at most 2.5 apart is at most 2, and below 1 no two records are
  expect_output(print(privatize(matrix(1L), epsilon = 1, precision = 2.5)),
    "at precision 2.5 .*by 2 counts in all: any release is at most 2.23\\s+times.*by 1 count.*by 20 counts")
  expect_output(print(privatize(matrix(1L), epsilon = 1, precision = 0.5)),
    "at precision 0.5 .*differ by 1 count: any release is at most 7.39\\s+times.*by 10 counts")
  expect_output(print(release()), "least protected row")
  expect_output(print(private_counts(matrix(1), alpha = 0)), "not protected")
  expect_output(print(summary(private_counts(matrix(1), alpha = 0))), "not protected")
  # "at most" is rounded up: exp(1.1) = 3.0042, exp(0.0001) = 1.0001
  expect_output(print(private_counts(matrix(1), epsilon = 1.1)), "at most 3.01 times")
  expect_output(print(private_counts(matrix(1), epsilon = 1e-4)), "at most 1.01 times")
  expect_output(print(private_counts(matrix(1), alpha = 0.9999)), "alpha = 0.9999")
  expect_output(print(summary(release())), "Shares")
  expect_match(format(release()), "private_counts 2 x 3")
})

test_that("the object contains neither true counts nor noise", {
  y <- matrix(1e6 * 1:100, 10) # so far apart that no release falls on another's truth
  x <- privatize(y, epsilon = 0.01)
  held <- suppressWarnings(as.numeric(unlist(unclass(x))))
  noised <- as.matrix(x) != y
  expect_gt(sum(noised), 90)
  expect_false(any(held %in% y[noised]))
  expect_identical(names(attributes(x)), c("names", "class"))
  expect_setequal(names(unclass(x)), c(
    "counts", "alpha", "precision", "s", "t", "rng", "directed", "below", "columns", "mechanism", "version"
  ))
})

sparse_release <- function() {
  private_counts(Matrix::sparseMatrix(c(1, 1, 2), c(1, 3, 3), x = c(2, 4, 7), dims = c(2, 4),
    dimnames = list(c("a", "b"), NULL)
  ), alpha = c(0.2, 0.6), clamped = TRUE)
}

test_that("a clamped release stores positive cells, and has the same methods", {
  x <- sparse_release()
  plain <- matrix(c(2, 0, 0, 0, 4, 7, 0, 0), 2, dimnames = list(c("a", "b"), NULL))
  expect_identical(as.matrix(x), plain)
  expect_s4_class(as.matrix(x, sparse = TRUE), "dgCMatrix")
  expect_identical(dim(x), c(2L, 4L))
  expect_identical(length(x), 8L)
  expect_identical(dimnames(x), list(c("a", "b"), NULL))
  expect_null(dimnames(private_counts(matrix(1), alpha = 0.5, clamped = TRUE)))
  expect_identical(as.matrix(x["b", 2:3]), plain["b", 2:3, drop = FALSE])
  expect_identical(privacy(x["b", ])$alpha, 0.6)
  expect_true(privacy(x)$clamped)
  masked <- x
  masked[1, 2:3] <- NA
  is.na(masked) <- cbind("b", "z")[0, , drop = FALSE]
  expect_identical(which(is.na(masked)), c(3L, 5L))
  masked[is.na(plain)] <- NA
  masked[c(1, 8)] <- NA
  expect_identical(which(is.na(masked)), c(1L, 3L, 5L, 8L))
  expect_output(print(masked), "clamped at zero")
  expect_output(print(summary(x)), "positive")
  expect_identical(summary(x)$share, c(negative = 0, zero = 5 / 8, positive = 3 / 8))
  expect_identical(as.matrix(head(x, 1)), plain[1, , drop = FALSE])
  dimnames(x) <- NULL
  expect_null(dimnames(x))
  expect_refused(private_counts(matrix(-1), alpha = 0.5, clamped = TRUE), "negative", "clamped at zero")
  expect_refused(private_counts(matrix(-1), alpha = 0.5, clamped = NA), "`clamped`")
})

test_that("a sparse release without clamping equals the dense one", {
  sparse <- Matrix::sparseMatrix(c(1, 2, 2), c(2, 3, 1), x = c(-4, 3, NA), dims = c(2, 3))
  x <- private_counts(sparse, alpha = 0.5)
  y <- private_counts(as.matrix(sparse), alpha = 0.5)
  expect_identical(as.matrix(x), as.matrix(y))
  expect_identical(known_below_zero(x), known_below_zero(y))
  expect_identical(known_below_zero(y), list(cells = c(3, 1), size = c(4, 0)))
  for (part in c("declared", "share")) {
    expect_equal(summary(x)[[part]], summary(y)[[part]])
  }
  expect_identical(as.matrix(rbind(x, y)), rbind(as.matrix(x), as.matrix(y)))
})

test_that("totals that clamping stored are kept for whole rows only", {
  set.seed(31)
  y <- matrix(rpois(40, 1), 4)
  full <- privatize(y, c(1, 2, 3, 4), rng = "R")
  set.seed(31)
  y <- matrix(rpois(40, 1), 4)
  x <- privatize(y, c(1, 2, 3, 4), rng = "R", clamp = TRUE)
  expect_identical(as.matrix(x), pmax(as.matrix(full), 0) + 0) # the same bits, the same noise
  all <- known_below_zero(full)
  expect_identical(known_below_zero(x), all)
  expect_equal(summary(x)$declared, summary(full)$declared)
  expect_identical(known_below_zero(x[c(3, 1), 10:1])$size, all$size[c(3, 1)])
  expect_true(all(is.na(known_below_zero(x[, -1])$cells)))
  masked <- x
  masked[2, 5] <- NA
  expect_identical(known_below_zero(masked)$cells, replace(all$cells, 2, NA))
  expect_identical(known_below_zero(rbind(masked, full[1, ]))$size, c(replace(all$size, 2, NA), all$size[1]))
  expect_true(privacy(rbind(x[1, ], full[2, ]))$clamped)
  expect_identical(as.matrix(rbind(x[1, ], full[2, ])), as.matrix(x)[1:2, ])
  expect_identical(summary(x[, -1])$declared$p_value, 1)
})

test_that("objects of a later format are refused", {
  later <- unclass(release())
  later$version <- FORMAT_VERSION + 1L
  later <- structure(later, class = "private_counts")
  for (use in list(print, privacy, dim, summary, function(x) x[1, ], function(x) paper_topics(x, 2))) {
    expect_error(use(later), class = "ldpcounts_version_error")
  }
})

test_that("epsilon is computed from alpha, and a short decimal is recovered exactly", {
  for (epsilon in c(0.1, 0.3, 1, 2.5, 17, 123.456)) {
    for (precision in c(0.7, 1, 3, 2.5, 1000)) {
      x <- private_counts(matrix(1), epsilon = epsilon, precision = precision)
      expect_identical(privacy(x)[c("epsilon", "precision")], list(epsilon = epsilon, precision = precision))
      expect_identical(privacy(x)$alpha, exp(-epsilon / precision))
    }
  }
  expect_identical(privacy(private_counts(matrix(1), alpha = 0.3))$alpha, 0.3)
  expect_equal(privacy(private_counts(matrix(1), alpha = 0.3, precision = 3))$epsilon, -3 * log(0.3))
  expect_identical(privacy(private_counts(matrix(1), alpha = 0))$epsilon, Inf)
})

test_that("errors for invalid indices and labels are those of the package", {
  x <- release()
  expect_refused({ dimnames(x) <- list(1:3, NULL) }, "dimnames must be NULL, or a list of 2")
  expect_refused({ dimnames(x) <- 3 }, "dimnames must be NULL")
  expect_refused(x[list(1), ], "out of range")
  expect_refused({ x[1, 1] <- quote(a) }, "Only NA may be assigned")
  expect_refused({ x[cbind(1.9999999999, 1)] <- NA }, "must be cells of the data")
  expect_error(dim(structure(list(), class = "private_counts")), class = "ldpcounts_version_error")
  titled <- private_counts(matrix(1:2, 1, dimnames = list(from = "a", to = NULL)), alpha = 0.5)
  expect_identical(names(dimnames(bind_again(titled, titled))), c("from", "to"))
})

test_that("every print method is registered", {
  methods <- grep("^(print|format|summary)[.]", ls(asNamespace("ldpcounts")), value = TRUE)
  for (name in methods) {
    generic <- sub("[.].*", "", name)
    class <- sub("^[a-z]*[.]", "", name)
    expect_identical(utils::getS3method(generic, class, optional = TRUE, envir = baseenv()), get(name), label = name)
  }
})
