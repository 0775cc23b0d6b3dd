# The cells as a plain-R reference would list them.
reference_cells <- function(y, all_active, network = "none") {
  kind <- ifelse(is.na(y), "missing", ifelse(all_active | y > 0, "active", "rest"))
  if (network == "directed") diag(kind) <- "rest"
  if (network == "undirected") kind[lower.tri(kind, diag = TRUE)] <- "rest"
  lists <- function(what, margin) {
    index <- apply(kind == what, margin, function(line) which(line) - 1L, simplify = FALSE)
    list(start = c(0, cumsum(lengths(index))), index = as.integer(unlist(index)))
  }
  list(
    dim = dim(y), active = lists("active", 1),
    y_tilde = as.double(unlist(lapply(seq_len(nrow(y)), function(i) y[i, kind[i, ] == "active"]))),
    active_t = if (network != "none" || !all_active) lists("active", 2), missing = lists("missing", 1),
    missing_t = lists("missing", 2), alpha = rep(0.5, nrow(y))
  )
}

test_that("cells agree with a plain list of cells, for every kind of matrix", {
  set.seed(41)
  y <- matrix(sample(c(-2:3, NA), 42, TRUE), 6)
  for (scheme in c("collapsed", "bessel")) {
    all_active <- scheme == "bessel"
    expect_equal(
      make_cells(y, rep(0.5, 6), scheme), reference_cells(y, all_active)
    )
    expect_identical(
      make_cells(y + 0, rep(0.5, 6), scheme), make_cells(y, rep(0.5, 6), scheme)
    )
    square <- y[, 1:6]
    for (network in c("directed", "undirected")) {
      expect_equal(
        make_cells(square, rep(0.5, 6), scheme, network),
        reference_cells(square, all_active, network)
      )
    }
  }
  sparse <- methods::as(Matrix::Matrix(y + 0, sparse = TRUE), "generalMatrix")
  expect_identical(make_cells(sparse, rep(0.5, 6)), make_cells(y, rep(0.5, 6)))
  expect_identical(make_cells(sparse, rep(0.5, 6), "bessel"), make_cells(y, rep(0.5, 6), "bessel"))
})

test_that("every matrix class of counts is read alike", {
  y <- matrix(c(0, 2, 0, 1, 0, 0), 2)
  sparse <- Matrix::Matrix(y, sparse = TRUE)
  for (x in list(y, sparse, methods::as(sparse, "TsparseMatrix"), methods::as(sparse, "RsparseMatrix"),
                 Matrix::Matrix(y, sparse = FALSE))) {
    input <- model_data(x)
    expect_equal(unname(as.matrix(input$counts)), y)
    expect_identical(input$alpha, c(0, 0))
  }
  pattern <- methods::as(sparse, "nMatrix")
  expect_equal(unname(as.matrix(model_data(pattern)$counts)), (y > 0) + 0)
})

test_that("numbers within 1e-9 of whole numbers are counts", {
  y <- matrix(c(0, 2, 0, 1, 7, 1e5), 2)
  expect_identical(model_data(y + 1e-10), model_data(y))
  sparse <- function(x) methods::as(x, "CsparseMatrix")
  expect_identical(model_data(sparse(y * (1 + 1e-15))), model_data(sparse(y)))
  expect_refused(model_data(y + 1e-6), "not whole")
})

test_that("objects without counts throw errors", {
  expect_refused(model_data(matrix(-1)), "`data` must hold counts", "private_counts()")
  expect_refused(model_data(matrix(0.5)), "not whole")
  expect_refused(model_data(matrix(Inf)), "infinite")
  expect_refused(model_data(matrix(0, 0, 3)), "at least one row", "0 x 3")
  expect_refused(model_data(data.frame(a = "b")), "`data` must hold counts", "not numeric")
  expect_refused(model_data(array(1, c(2, 2, 2))), "`data` must be a matrix")
  expect_refused(model_data(matrix("a")), "character")
  expect_refused(model_data(NULL), "NULL")
  expect_refused(model_data(factor("a")), "`data`")
  sparse <- Matrix::sparseMatrix(1, 1, x = -1)
  expect_refused(model_data(sparse), "negative values")
  expect_refused(model_data(matrix(0, 2, 3), network = "directed"), "as many rows as columns", "2 x 3")
  expect_refused(model_data(matrix(0), network = "directed"), "at least two actors")
  named <- matrix(0, 2, 2, dimnames = list(c("a", "b"), c("b", "a")))
  expect_refused(model_data(named, network = "directed"), "same actors")
})

test_that("counts above the limit of privatize() throw errors", {
  expect_refused(model_data(matrix(2^31)), "above 2^31 - 1")
  expect_refused(private_counts(matrix(1e300), alpha = 0.5), "beyond 2^53")
  expect_refused(paper_topics(k = 2), "`data` must be given")
  expect_refused(privatize(epsilon = 1), "`y` must be given")
})

test_that("sparse square matrices are treated as networks", {
  y <- matrix(c(0, 0, 2, 3, 0, 1, 0, 3, 0), 3)
  by_columns <- Matrix::Matrix(y, sparse = TRUE)
  for (sparse in list(by_columns, methods::as(by_columns, "TsparseMatrix"))) {
    set.seed(42)
    expect_silent(fit <- paper_blocks(sparse, 2, iter = 20))
    set.seed(42)
    expect_equal(fitted(fit), fitted(paper_blocks(y, 2, iter = 20)))
  }
  both <- Matrix::Matrix(y + t(y), sparse = TRUE)
  expect_warning(paper_blocks(both, 2, iter = 4), class = "ldpcounts_symmetric")
})

test_that("a sparse matrix is never made dense", {
  n <- 3e5 # 9e10 cells
  sparse <- Matrix::sparseMatrix(c(1, n), c(n, 2), x = c(3, 1), dims = c(n, n))
  fit <- paper_topics(sparse, 1, iter = 2)
  expect_length(fitted(fit, cells = cbind(1, n)), 1)
})

test_that("self-loops and symmetric networks give warnings", {
  y <- matrix(c(1, 0, 2, 0, 0, 1, 1, 3, 0), 3)
  expect_warning(model_data(y, network = "directed"), class = "ldpcounts_self_loops")
  diag(y) <- 0
  expect_silent(model_data(y, network = "directed"))
  expect_warning(model_data(y + t(y), network = "directed"), class = "ldpcounts_symmetric")
})
