# Objects whose parts contradict each other: some of them ended R.

counts <- matrix(c(2, 0, 1, 0, 0, 3, 1, 4, 0, 2, 0, 1), 4)
triplets <- methods::as(Matrix::Matrix(counts, sparse = TRUE), "TsparseMatrix")
columns <- methods::as(triplets, "CsparseMatrix")

change <- function(x, slot, value) {
  methods::slot(x, slot, check = FALSE) <- value
  x
}

broken_matrices <- list(
  `row out of range` = change(triplets, "i", replace(triplets@i, 2, 99999L)),
  `negative column` = change(triplets, "j", replace(triplets@j, 2, -1L)),
  `values missing` = change(triplets, "x", triplets@x[1]),
  `p short` = change(columns, "p", columns@p[1:2]),
  `p empty` = change(columns, "p", integer()),
  `p too large` = change(columns, "p", replace(columns@p, 3, 100000L)),
  `p not increasing` = change(columns, "p", replace(columns@p, 2, 7L)),
  `i out of range` = change(columns, "i", replace(columns@i, 1, 50L)),
  `i missing` = change(columns, "i", columns@i[-1]),
  `a wrong extent` = change(columns, "Dim", c(4L, 300L)),
  `a negative extent` = change(columns, "Dim", c(-4L, 3L)),
  `labels of another length` = change(columns, "Dimnames", list(letters[1:9], NULL))
)

refused <- function(code) {
  inherits(tryCatch(code, error = identity), "ldpcounts_error")
}

test_that("a Matrix whose slots contradict each other is refused, whoever gets it", {
  for (name in names(broken_matrices)) {
    x <- broken_matrices[[name]]
    expect_true(refused(privatize(x, epsilon = 1)), info = name)
    expect_true(refused(privatize(x, epsilon = 1, clamp = TRUE)), info = name)
    expect_true(refused(private_counts(x, epsilon = 1)), info = name)
    expect_true(refused(topic_model(x, 2, iter = 2, progress = FALSE)), info = name)
    expect_true(refused(dp_lda_spectral(x, 2, 1)), info = name)
  }
})

test_that("a table of nothing that memory cannot hold is refused", {
  huge <- change(columns, "Dim", c(2147483647L, 3L))
  huge@i <- integer()
  huge@x <- numeric()
  huge@p <- integer(4)
  expect_error(check_extent_memory(dim(huge), "y", NULL, 1e9), class = "ldpcounts_memory_error")
  expect_null(check_extent_memory(c(1000, 1000), "y", NULL, 0)) # never worth asking
  if (memory_free() < 1e11) {
    expect_error(privatize(huge, epsilon = 1), class = "ldpcounts_memory_error")
    expect_error(topic_model(huge, 2), class = "ldpcounts_memory_error")
  }
  expect_error(check_release_memory(change(huge, "Dim", c(50000L, 50000L)), NULL, 1e9),
    class = "ldpcounts_memory_error", regexp = "clamp = TRUE"
  )
})

test_that("a release that was edited is refused, whatever is asked of it", {
  released <- privatize(counts, epsilon = 1, rng = "R")
  sparse <- privatize(columns, epsilon = 1, clamp = TRUE, rng = "R")
  cube <- privatize(array(1:24, c(4, 3, 2)), epsilon = 1, rng = "R")
  edited <- function(x, field, value) {
    x <- unclass(x)
    x[field] <- list(value)
    structure(x, class = "private_counts")
  }
  broken <- c(
    lapply(broken_matrices[4:11], function(x) edited(sparse, "counts", x)),
    list(
      edited(released, "counts", NULL), edited(released, "counts", "a"), edited(released, "alpha", 1),
      edited(released, "alpha", NaN), edited(released, "alpha", c(0.5, 0.4)), edited(released, "epsilon", -1),
      edited(released, "precision", Inf), edited(released, "s", "1"), edited(released, "rng", "mine"),
      edited(released, "clamped", TRUE), edited(released, "directed", NA),
      edited(sparse, "below", list(cells = 1, size = 2)), edited(sparse, "below", NULL),
      edited(cube, "columns", list(dim = c(5L, 5L))), edited(released, "version", NULL)
    )
  )
  for (x in broken) {
    expect_true(refused(summary(x)))
    expect_true(refused(print(x)))
    expect_true(refused(dim(x)))
    expect_true(refused(as.matrix(x)))
    expect_true(refused(x[1, 1]))
    expect_true(refused(write_release(x, tempfile())))
    expect_true(refused(topic_model(x, 2, iter = 2, progress = FALSE)))
  }
  infinite <- edited(released, "counts", replace(as.matrix(released), 1, Inf))
  expect_true(refused(topic_model(infinite, 2, iter = 2, progress = FALSE)))
})

test_that("what is called a graph and is none is refused", {
  skip_if_not_installed("igraph")
  parts <- unclass(igraph::make_ring(5))
  graph <- function(i, value) {
    parts[i] <- list(value)
    structure(parts, class = "igraph")
  }
  broken <- list(
    structure(list(), class = "igraph"), structure("a", class = "igraph"), graph(1, -1), graph(1, "a"),
    graph(2, NA), graph(3, c(0, 99, 1, 2, 3)), graph(4, 1), graph(9, NULL), graph(3, c(0, NaN, 1, 2, 3))
  )
  for (x in broken) expect_true(refused(privatize(x, epsilon = 1, directed = FALSE)))
  expect_false(refused(privatize(structure(parts, class = "igraph"), epsilon = 1, directed = FALSE)))
})

test_that("triplets out of range are refused", {
  triplet <- function(i, j) {
    structure(list(i = i, j = j, v = c(1, 2), nrow = 3L, ncol = 2L), class = "simple_triplet_matrix")
  }
  expect_false(refused(privatize(triplet(1:2, 1:2), epsilon = 1)))
  for (x in list(triplet(c(1, 9), 1:2), triplet(1:2, c(0, 1)), triplet(1, 1:2), triplet(c(NA, 1), 1:2))) {
    expect_true(refused(privatize(x, epsilon = 1)))
  }
})
