# Whatever is declared private must hold nothing of the data but what has got noise. So two objects made of
# neighbouring data, in one stream of random numbers, may differ in the noised fields alone: every field of
# the whole object is compared, attributes included.

# Paths of the parts in which two objects differ.
differing <- function(a, b, path = "") {
  here <- if (identical(attributes(a), attributes(b))) NULL else paste0(path, "@")
  if (is.list(a) && is.list(b) && identical(names(a), names(b)) && length(a) == length(b)) {
    parts <- if (is.null(names(a))) seq_along(a) else names(a)
    deeper <- function(x, y, name) differing(x, y, paste0(path, "/", name))
    inside <- Map(deeper, unclass(a), unclass(b), parts)
    return(c(here, unlist(inside, use.names = FALSE)))
  }
  c(here, if (!identical(as.vector(a), as.vector(b))) path)
}

twice <- function(make, one, other, seed = 1) {
  lapply(list(one, other), function(data) {
    set.seed(seed)
    make(data)
  })
}

expect_alike <- function(make, one, other, noised) {
  made <- twice(make, one, other)
  expect_identical(setdiff(c(differing(made[[1]], made[[2]]), "none"), noised), "none")
}

set.seed(30)
documents <- simulate_topics(D = 200, V = 8, words = 30)$y
documents <- documents[rowSums(documents) >= 3, ]
colnames(documents) <- letters[1:8]
replaced <- rbind(rep(c(0, 400), c(6, 2)), documents[-1, ])
emptied <- rbind(0, documents[-1, ])

test_that("differing() sees every kind of difference", {
  expect_null(differing(list(a = 1, b = list(2)), list(a = 1, b = list(2))))
  expect_identical(differing(list(a = 1, b = list(2)), list(a = 1, b = list(3))), "/b/1")
  expect_identical(differing(structure(list(a = 1), n = 3), structure(list(a = 1), n = 4)), "@")
  expect_identical(differing(list(a = 1:2), list(a = 1:3)), "/a")
})

test_that("releases of neighbouring counts differ in the counts only", {
  other <- documents
  other[5, 2] <- other[5, 2] + 3
  network <- crossprod(documents)
  changed <- network
  changed[2, 5] <- changed[5, 2] <- network[2, 5] + 1
  made <- function(...) {
    function(data) {
      released <- privatize(data, ..., rng = "R")
      c(fields_of(released), privacy(released))
    }
  }
  counts <- c("/counts", "/counts@", "/below/cells")
  expect_alike(made(epsilon = 1), documents, other, counts)
  expect_alike(made(epsilon = 1, clamp = TRUE), documents, other, counts)
  two_levels <- made(epsilon = rep(c(1, 2), length.out = nrow(other)), precision = 3)
  expect_alike(two_levels, documents, other, counts)
  expect_alike(made(epsilon = 1, directed = FALSE), network, changed, counts)
  cells <- expand.grid(i = 1:4, j = 1:3, l = 1:2)
  cells$n <- 1:24
  expect_alike(made(epsilon = 1, dims = c(4, 3, 2)), cells, replace(cells, "n", list(24:1)), counts)
  # a further release at a lower level
  once <- twice(function(data) privatize(data, epsilon = 1, rng = "R"), documents, other)
  expect_alike(made(epsilon = 0.5, compose = TRUE), once[[1]], once[[2]], counts)
})

test_that("files of releases of neighbouring counts differ in the counts only", {
  other <- replace(documents, 9, documents[9] + 1)
  lines <- twice(function(data) {
    file <- tempfile()
    write_release(privatize(data, epsilon = 1, rng = "R"), file)
    readLines(file)
  }, documents, other)
  expect_identical(grep("^#", lines[[1]], value = TRUE), grep("^#", lines[[2]], value = TRUE))
})

test_that("variational fits to neighbouring data differ in the topics only", {
  fit <- function(...) {
    function(counts) {
      dp_lda_vi(counts, 2, 0.2, 0.1, 1, 1e-6, lmax = 50, clip = 3, iter = 3, ..., rng = "R")
    }
  }
  topics <- c("/mu", "/lambda")
  expect_alike(fit(), documents, replaced, topics)
  expect_alike(fit(noise = "discrete"), documents, replaced, topics)
})

test_that("spectral fits to neighbouring data differ in noised values and their functions only", {
  computed <- c("/mu", "/alpha", "/alpha@", "/lambda", "/s", "/converged", "/weak", "/ledger/sigma")
  fit <- function(...) {
    function(counts) {
      suppressWarnings(dp_lda_spectral(counts, 2, 0.4, 2, ..., rng = "R"))
    }
  }
  settings <- list(
    list(config = "1", delta = 1e-6), list(config = "2", delta = 1e-6),
    list(config = "1", noise = "discrete", delta = 1e-6)
  )
  for (setting in settings) {
    make <- do.call(fit, setting)
    expect_alike(make, documents, replaced, c(computed, "/ledger/sensitivity", "/ledger/quantity"))
    expect_alike(do.call(fit, c(setting, short = "zero")), documents, emptied,
      c(computed, "/ledger/sensitivity", "/ledger/quantity"))
  }
})

test_that("short documents cannot be dropped from a private spectral fit", {
  fit <- function(...) {
    dp_lda_spectral(emptied, 2, 0.4, 2, 1e-6, config = "1", ...)
  }
  expect_error(fit(short = "drop"), class = "ldpcounts_argument_error", regexp = "`short`")
  expect_true(fit(short = "zero")$private)
  expect_false(fit(short = "drop", rng = "R")$private)
})

test_that("scores and choices for neighbouring data differ in their value only", {
  set.seed(2)
  fits <- lapply(2:3, function(k) {
    dp_lda_vi(documents, k, 0.2, 0.1, 1, 1e-6, lmax = 50, clip = 3, iter = 2, rng = "R")
  })
})
