# Arrays and lists of cells as data: what a release of them is, and what can be done with it.

counts <- function() {
  set.seed(420)
  labels <- list(from = letters[1:3], to = NULL, when = c("x", "y"), how = NULL)
  array(rpois(3 * 4 * 2 * 2, 1), c(3, 4, 2, 2), dimnames = labels)
}

# The positive cells of an array, in a random order.
list_of <- function(y) {
  at <- which(y > 0, arr.ind = TRUE)
  cells <- as.data.frame(unname(at))
  labels <- dimnames(y)
  for (mode in which(lengths(labels) > 0)) {
    cells[[mode]] <- factor(labels[[mode]][cells[[mode]]], labels[[mode]])
  }
  names(cells) <- names(labels)
  cells$n <- y[y > 0]
  cells[sample(nrow(cells)), ]
}

noised <- function(y, ..., epsilon = c(0.7, 1, 2)) {
  set.seed(421)
  privatize(y, epsilon, ..., rng = "R")
}

test_that("releases of an array and of its matrix agree, and keep the modes", {
  y <- counts()
  x <- noised(y)
  expect_identical(dim(x), dim(y))
  expect_identical(dimnames(x), dimnames(y))
  expect_identical(as.vector(as.array(x)), as.vector(as.matrix(noised(matrix(y, 3)))))
  expect_identical(as.matrix(x), matrix(as.array(x), 3, dimnames = list(letters[1:3], NULL)))
  expect_identical(length(x), 48L)
  expect_identical(privacy(x)$epsilon, c(0.7, 1, 2))
  expect_output(print(x), "3 x 4 x 2 x 2")
  expect_output(print(x), "of the first slice")
  expect_output(print(summary(x)), "Shares")
  expect_match(format(x), "private_counts 3 x 4 x 2 x 2")
  expect_identical(as.array(private_counts(as.array(x), alpha = 0.5)), as.array(x))
  plain <- matrix(1:6, 2)
  expect_identical(as.array(private_counts(plain, alpha = 0.5)), plain)
  expect_identical(privacy_loss(x, x)$epsilon, 2 * c(0.7, 1, 2))
})

test_that("a list of cells is released as the corresponding array", {
  y <- counts()
  cells <- list_of(y)
  extents <- c(3, 4, 2, 2)
  listed <- noised(cells, dims = extents)
  expect_identical(as.array(listed), as.array(noised(y)))
  clamped <- noised(cells, dims = extents, clamp = TRUE)
  expect_s4_class(as.matrix(clamped, sparse = TRUE), "dgCMatrix")
  expect_identical(as.array(clamped), pmax(as.array(listed), 0))
  expect_identical(dimnames(clamped), dimnames(y))
  # nothing listed: all cells are zeros, and noised
  none <- noised(cells[0, ], dims = extents, epsilon = 0.1)
  expect_gt(sum(as.array(none) != 0), 24)
  # two modes are a matrix
  two <- data.frame(doc = factor(c("b", "a", "b"), c("a", "b")), word = c(2, 1, 3), n = c(5, 1, 2))
  expect_identical(
    unname(as.matrix(private_counts(two, alpha = 0.5, dims = c(2, 3), fill = 0))),
    matrix(c(1, 0, 0, 5, 0, 2), 2)
  )
  two$word <- factor(two$word)
  expect_identical(dim(fitted(paper_topics(two, 2, dims = c("doc", "word"), iter = 4))), c(2L, 3L))
})

test_that("invalid lists of cells throw errors with a hint", {
  cells <- data.frame(i = c(1, 2), j = c(1, 1), l = c(1, 3), n = c(4, 2))
  release <- function(cells, dims = c(2, 2, 3)) privatize(cells, 1, dims = dims)
  twice <- rbind(cells, cells[1, ])
  expect_refused(private_counts(twice, alpha = 0.5, dims = c(2, 2, 3)), "a cell more than once")
  expect_refused(
    release(cells, c("i", "j", "l")), "Column \"i\" of `y` must be a factor", "`dims = c(i = , j = , l = )`"
  )
  expect_refused(release(cells, c(2, 2, 2)), "Column \"l\" of `y`", "from 1 to 2")
  expect_refused(release(cells, c(2, 2)), "It has \"l\" and \"n\"")
  expect_refused(release(cells, c(2, 2, 0.5)), "`dims` must be")
  expect_refused(release(transform(cells, i = c(1, NA))), "Column \"i\" of `y`")
  expect_refused(release(transform(cells, i = factor(c("a", NA)))), "missing values")
  expect_refused(release(transform(cells, i = factor(1:2, 1:3))), "with 2 levels")
  expect_refused(release(transform(cells, i = c("a", "b"))), "must be a factor")
  expect_refused(release(transform(cells, n = c("a", "b"))), "must have one numeric column")
  expect_refused(release(transform(cells, n = c(-1, 2))), "negative")
  expect_refused(release(transform(cells, n = c(0.5, 2))), "not whole")
  expect_refused(release(transform(cells, n = c(NA, 2))), "no missing counts")
  expect_refused(release(matrix(1), 1), "`dims` is only for a data frame")
  expect_refused(release(cells, c(2, 1e6, 1e6)), "too large", "less than 2^31")
  expect_refused(privatize(array(1, rep(1, 13)), 1), "at most 12 modes")
  expect_refused(private_counts(array(0.5, c(1, 1, 2)), alpha = 0.1), "not whole")
  expect_refused(paper_tensor(list(a = 1), 1), "`data` must be a matrix of counts")
  expect_no_match(error_text(release(transform(cells, n = c(-31415, 2)))), "31415")
})

test_that("subsets take an index for each mode", {
  x <- noised(counts())
  y <- as.array(x)
  same <- function(a, b) {
    expect_identical(as.array(a), b)
    expect_identical(dim(a), dim(b))
  }
  same(x[, , , ], y)
  same(x[2:3, -1, "y", ], y[2:3, -1, "y", , drop = FALSE])
  same(x["c", c(TRUE, FALSE), , 2], y["c", c(TRUE, FALSE), , 2, drop = FALSE])
  same(x[, c(4, 2), , 1], y[, c(4, 2), , 1, drop = FALSE])
  same(head(x, 2), y[1:2, , , , drop = FALSE])
  same(rbind(x[3, , , ], x[1:2, , , ]), y[c(3, 1, 2), , , , drop = FALSE])
  expect_identical(privacy(x["c", , , ])$epsilon, 2)
  expect_identical(privacy(rbind(x[3, , , ], x[1:2, , , ]))$epsilon, c(2, 0.7, 1))
  expect_refused(x[1, ], "needs one index per mode")
  expect_refused(x[1, 1, 3, 1], "mode 3 index", "out of range")
  expect_refused(x[1, c(1, 1), 1, 1], "A repeated index")
  expect_refused(rbind(x, x[, 1:2, , ]), "same columns")
  clamped <- noised(counts(), clamp = TRUE)
  same(clamped[2:3, -1, "y", ], pmax(y, 0)[2:3, -1, "y", , drop = FALSE])
  expect_true(all(is.na(known_below_zero(clamped[, , 1, ])$cells)))
  expect_false(anyNA(known_below_zero(clamped[1:2, , , ])$cells))
})

test_that("cells are masked by an index for each mode, in one matrix, or by a mask", {
  x <- noised(counts())
  masked <- function(mask) {
    y <- as.array(x)
    y[mask] <- NA
    y
  }
  some <- rbind(c(1, 2, 1, 2), c(3, 4, 2, 1))
  a <- b <- x
  is.na(a) <- some
  expect_identical(as.array(a), masked(some))
  expect_identical(which(is.na(a)), which(is.na(masked(some))))
  mask <- is.na(masked(some))
  b[mask] <- NA
  expect_identical(as.array(b), as.array(a))
  b <- x
  b[which(mask)] <- NA
  expect_identical(as.array(b), as.array(a))
  b[2, , "y", ] <- NA
  expect_identical(is.na(b)[2, , "y", ], array(TRUE, c(4, 2)))
  expect_identical(sum(is.na(b)), 10L)
  b[] <- NA
  expect_true(all(is.na(b)))
  expect_refused({ a[cbind(1, 1)] <- NA }, "`cells` must be")
  expect_refused({ a[cbind(1, 1, 3, 1)] <- NA }, "`cells` must be")
  expect_refused({ a[1, 1] <- NA }, "must be within")
  expect_identical(dim(privatize(a, 0.2, compose = TRUE)), dim(a))
  expect_identical(is.na(privatize(a, 0.2, compose = TRUE)), is.na(a))
})

test_that("labels of all modes are kept, and changed", {
  x <- noised(counts())
  labels <- list(LETTERS[1:3], 1:4, NULL, c("u", "v"))
  dimnames(x) <- labels
  expect_identical(dimnames(x), list(LETTERS[1:3], as.character(1:4), NULL, c("u", "v")))
  expect_identical(dimnames(x[2, , , "v"])[[4]], "v")
  dimnames(x) <- NULL
  expect_null(dimnames(x))
  expect_refused({ dimnames(x) <- labels[1:2] }, "dimnames must be NULL, or a list of 4")
  expect_refused({ dimnames(x) <- rev(labels) }, "dimnames must be NULL")
  expect_refused(heat_map(x), "two modes", "slice")
})

test_that("releases of more than two modes are written and read, identical", {
  x <- noised(counts())
  clamped <- noised(counts(), clamp = TRUE)
  is.na(clamped) <- rbind(c(1, 2, 1, 2))
  bare <- private_counts(array(c(3L, -1L, 0L, 2L), c(1, 2, 2)), alpha = 0.5)
  labelled <- bare
  dimnames(labelled) <- list(NULL, c("a\nb", NA), NULL)
  for (release in list(x, clamped, bare, labelled, x[0, , , ], x[, 0, , ])) {
    file <- tempfile()
    rewrite_release(release, file)
    expect_identical(readLines(file, 1), "ldpcounts-release 1")
    expect_identical(read_release(file), structure(release, part = NULL))
  }
  rewrite_release(x, file)
  lines <- readLines(file)
  refused <- function(from, to, ...) {
    writeLines(sub(from, to, lines), file)
    expect_refused(read_release(file), ...)
  }
  refused("^extents: 4 2 2", "extents: 4 2 3", "extents", "product")
  refused("^extents: 4 2 2", "extents: 16", "extents")
  refused("^extents: 4 2 2", "#", "must come after", "extents")
  refused("^mode4_title: how", "mode5_title: how", "mode5_title, which belongs to no mode")
  refused("^mode4_title: how", "column_title: how", "column_title, which belongs to no mode")
})

test_that("models of matrices refuse more modes, and name tensor_model()", {
  x <- noised(counts())
  expect_refused(paper_topics(x, 2), "with two modes", "3 x 4 x 2 x 2", "tensor_model()")
  expect_refused(paper_blocks(x, 2), "with two modes", "tensor_model()")
  expect_refused(paper_topics(counts(), 2), "must be a matrix of counts")
  expect_refused(paper_tensor(x[, 0, , ], 2), "extent of at least 1", "3 x 0 x 2 x 2")
  expect_refused(paper_tensor(-counts(), 2), "negative values", "private_counts()")
  expect_refused(paper_tensor(k = 2), "`data` must be given")
  expect_refused(paper_tensor(x), "`k` must be given")
})
