# A release of 12 x 9 counts, two cells masked; rows of different alpha.
some_release <- function(clamped = FALSE, sparse = FALSE) {
  set.seed(601)
  y_tilde <- rnbinom(108, 0.7, 0.3) + rgeom(108, 0.6) - rgeom(108, 0.6)
  y_tilde[c(5, 40)] <- NA
  labels <- list(paste0("doc", 1:12), paste0("word", 1:9))
  y_tilde <- matrix(if (clamped) pmax(y_tilde, 0) else y_tilde, 12, dimnames = labels)
  if (sparse) y_tilde <- as_sparse(Matrix::Matrix(y_tilde))
  private_counts(y_tilde, alpha = seq(0.1, 0.65, 0.05), clamped = clamped)
}

some_network <- function() {
  set.seed(602)
  matrix(rpois(100, 2) * rpois(100, 1), 10, dimnames = list(letters[1:10], letters[1:10]))
}

test_that("exactly the held-out cells are masked", {
  counts <- as.matrix(some_release())
  bare <- pmax(counts, 0)
  forms <- list(
    some_release(), some_release(TRUE), some_release(sparse = TRUE), bare,
    matrix(as.integer(bare), 12), as_sparse(Matrix::Matrix(bare)), some_network()
  )
  for (data in forms) {
    for (type in c("random", "rows", "active")) {
      set.seed(603)
      held_out <- holdout_cells(data, type, fraction = 0.2, n = 2)
      expect_named(held_out, c("train", "cells"))
      cells <- held_out$cells
      expect_identical(dim(cells)[2], 2L)
      expect_type(cells, "integer")
      before <- as.matrix(data)
      after <- as.matrix(held_out$train)
      expect_identical(class(held_out$train), class(data))
      expect_identical(typeof(after), typeof(before))
      expect_identical(dimnames(after), dimnames(before))
      expect_false(anyNA(before[cells]))
      before[cells] <- NA
      expect_identical(after, before)
      expect_false(is.unsorted(place_in(cells, dim(data)), strictly = TRUE)) # order of the data
    }
  }
  train <- holdout_cells(some_release(), "active", n = 2)$train
  expect_identical(privacy(train), privacy(some_release()))
})

test_that("a fraction of the observed cells is held out, all with the same probability", {
  counts <- some_network()
  counts[2, 3] <- NA
  observed <- which(!is.na(counts) & row(counts) != col(counts)) # 89
  repetitions <- if (EXTENDED) 500 else 150
  for (data in list(counts, as_sparse(Matrix::Matrix(counts)))) {
    set.seed(604)
    drawn <- replicate(repetitions, place_in(holdout_cells(data, fraction = 0.3)$cells, c(10, 10)))
    expect_identical(dim(drawn), c(27L, as.integer(repetitions))) # of 89 cells, 26.7
    often <- tabulate(drawn, 100)
    expect_true(all(often[-observed] == 0))
    share <- 27 / 89
    z <- (often[observed] - repetitions * share) / sqrt(repetitions * share * (1 - share))
    expect_lt(max(abs(z)), normal_bound(89))
  }
})

test_that("a fraction of 1 holds out all observed cells", {
  set.seed(605)
  for (network in NETWORKS) {
    counts <- some_network()
    counts[c(1, 12, 13, 57, 100)] <- NA
    for (x in list(counts, as_sparse(Matrix::Matrix(counts)))) {
      expect_identical(random_cells(x, network, Inf), observed_cells(counts, network))
    }
  }
  dim <- c(4, 3, 5) # cells of arrays too
  expect_identical(place_in(cells_in(1:60, dim), dim), as.double(1:60))
})

test_that("a fraction of the rows is held out, all with the same probability", {
  data <- some_release()
  set.seed(606)
  chosen <- replicate(200, {
    cells <- holdout_cells(data, "rows", fraction = 0.25)$cells
    rows <- unique(cells[, 1])
    expect_identical(nrow(cells), sum(!is.na(as.matrix(data)[rows, ])))
    rows
  })
  expect_identical(nrow(chosen), 3L)
  z <- (tabulate(chosen, 12) - 50) / sqrt(200 * 0.25 * 0.75)
  expect_lt(max(abs(z)), normal_bound(12))
})

test_that("cells of the most active actors agree with those found by hand", {
  # sums without the diagonal: of rows 5, 3, 9, 3 and of columns 4, 6, 3, 7
  y <- matrix(c(90, 1, 3, 0, 2, 90, 4, 0, 0, 0, 90, 3, 3, 2, 2, 90), 4)
  held_out <- holdout_cells(y, "active", n = 1)
  expect_identical(held_out$cells, cbind(c(3L, 3L, 1L, 2L, 3L), c(1L, 2L, 4L, 4L, 4L)))
  # of equals the first: rows 3 and 1, then 2; columns 4 and 2, then 1
  expect_identical(unique(most_active(y, network_of(y, y), 3, 1)), c(3L, 1L, 2L))
  expect_identical(most_active(y, network_of(y, y), 3, 2), c(4L, 2L, 1L))
  # labels that differ: no network, and its diagonal is data
  dimnames(y) <- list(letters[1:4], LETTERS[1:4])
  expect_identical(most_active(y, network_of(y, y), 1, 1), 3L) # 99, of which 90 on the diagonal
  expect_identical(nrow(holdout_cells(y, "active", n = 1)$cells), 7L)
})

test_that("cells of the most active actors agree with the definition", {
  set.seed(607)
  for (form in list(as.matrix, function(x) as_sparse(Matrix::Matrix(x)))) {
    y <- matrix(rpois(600, 3), 20)
    y[sample(600, 40)] <- NA
    n <- 4
    senders <- order(-rowSums(y, na.rm = TRUE))[1:n]
    recipients <- order(-colSums(y, na.rm = TRUE))[1:n]
    involved <- (row(y) %in% senders | col(y) %in% recipients) & !is.na(y)
    cells <- holdout_cells(form(y), "active", n = n)$cells
    expect_identical(cells, which(involved, arr.ind = TRUE, useNames = FALSE))
  }
  # of the network with its diagonal left out, as in Schein et al. (2019)
  y <- enron_network
  diag(y) <- 0
  involved <- row(y) %in% order(-rowSums(y))[1:50] | col(y) %in% order(-colSums(y))[1:50]
  cells <- holdout_cells(enron_network, "active")$cells
  expect_identical(sort(place_in(cells, dim(y))), as.double(which(involved & row(y) != col(y))))
  # a release is judged as it is, with what is below zero
  released <- private_counts(matrix(c(-9, 8, 1, 0, 2, 2), 2), alpha = 0.9)
  cells <- holdout_cells(released, "active", n = 1)$cells
  expect_identical(cells, cbind(c(2L, 2L, 1L, 2L), c(1L, 2L, 3L, 3L)))
})

test_that("pairs of an undirected network are held out, with both cells", {
  set.seed(614)
  y <- matrix(rpois(144, 2), 12)
  y[lower.tri(y)] <- t(y)[lower.tri(y)]
  y[2, 5] <- y[5, 2] <- NA
  forms <- list(
    y, as_sparse(Matrix::Matrix(y)), private_counts(y - 1, alpha = 0.3, directed = FALSE)
  )
  for (data in forms) {
    for (type in c("random", "rows", "active")) {
      held_out <- holdout_cells(data, type, fraction = 0.2, n = 2)
      cells <- held_out$cells
      expect_true(all(cells[, 1] < cells[, 2]))
      expect_false(any(cells[, 1] == 2 & cells[, 2] == 5))
      train <- as.matrix(held_out$train)
      expect_true(all(is.na(train[cells]), is.na(train[cells[, 2:1]])))
      diag(train) <- 0 # masked in an undirected release
      expect_identical(sum(is.na(train)), 2L + 2L * nrow(cells))
      size <- c(random = 13, rows = 11 + 10, active = 11 + 10)[[type]] # 0.2 * 65; two of the actors
      expect_lte(abs(nrow(cells) - size), if (type == "random") 0 else 1) # the pair that is masked
    }
  }
  # one that is symmetric by chance
  cells <- holdout_cells(private_counts(y, alpha = 0.3), fraction = 0.5)$cells
  expect_true(any(cells[, 1] > cells[, 2]))
  expect_identical(nrow(cells), 65L) # of 130
  # NA where there is no data
  bare <- replace(y, diag(12) == 1, NA)
  expect_identical(holdout_cells(bare, "active", n = 2), {
    held_out <- holdout_cells(y, "active", n = 2)
    diag(held_out$train) <- NA
    held_out
  })
  expect_identical(c(n_units(bare, "directed"), n_units(bare, "undirected")), c(130, 65))
  top <- order(-rowSums(y - diag(diag(y)), na.rm = TRUE))[1:2]
  cells <- holdout_cells(y, "active", n = 2)$cells
  expect_true(all(cells[, 1] %in% top | cells[, 2] %in% top))
})

test_that("memory does not grow with cells that sparse counts do not store", {
  set.seed(608)
  y <- Matrix::sparseMatrix(i = c(7, 9), j = c(3, 1e5), x = c(1, 2), dims = c(2e5, 1e5))
  held_out <- holdout_cells(y, fraction = 1e-8)
  expect_identical(nrow(held_out$cells), 200L)
  expect_identical(n_missing(held_out$train), 200L)
  expect_identical(anyDuplicated(held_out$cells), 0L)
})

test_that("held-out cells are accepted by functions with an argument cells", {
  set.seed(609)
  data <- some_release()
  held_out <- holdout_cells(data)
  fit <- paper_topics(held_out$train, 2, iter = 10)
  expect_length(fitted(fit, cells = held_out$cells), 11)
  expect_identical(nrow(augment(fit, cells = held_out$cells)), 11L)
  whole <- paper_topics(data, 2, iter = 10)
  expect_identical(dim(log_lik.ldp_fit(whole, cells = held_out$cells)), c(5L, 11L))
})

test_that("invalid masks throw errors", {
  y <- some_network()
  expect_refused(holdout_cells(), "`data` must be given")
  expect_refused(holdout_cells("a"), "`data` must be a matrix")
  expect_refused(holdout_cells(-y), "private_counts")
  expect_refused(holdout_cells(y, "cells"), "`type` must be one of", "\"random\"", "\"cells\"")
  expect_refused(holdout_cells(y, fraction = 1), "`fraction` must be one number between 0 and 1")
  expect_refused(holdout_cells(y, fraction = NA), "`fraction`")
  expect_refused(holdout_cells(y, n = 0), "`n` must be one whole number from 1 to")
  expect_refused(holdout_cells(y, "active"), "left to fit the model", "90 of 90", "`n`")
  expect_refused(holdout_cells(y, frac = 0.5), "no argument `frac`", "`fraction`")
  expect_refused(holdout_cells(y, "random", 0.2), "must be named")
  expect_refused(holdout_cells(matrix(NA_real_, 3, 2)), "0 of 0")
  expect_refused(holdout_cells(matrix(1, 1, 2), "rows"), "2 of 2")
})

# --- scores ---------------------------------------------------------------------------------------

# Log of the mean over draws of P(release), each the sum over true counts of prior times noise.
brute_score <- function(fit, cells, y_tilde, alpha, clamped) {
  y <- 0:600
  vapply(seq_len(nrow(cells)), function(i) {
    densities <- vapply(seq_len(n_draws(fit)), function(s) {
      mu <- draw_mean(fit, s)[cells[i, 1], cells[i, 2]]
      excess <- draw_cell_excess(fit, s, cells[i, , drop = FALSE])
      prior <- if (excess == 0) dpois(y, mu) else dnbinom(y, mu / excess, mu = mu)
      noise <- if (alpha[cells[i, 1]] == 0) {
        as.double(y == y_tilde[i])
      } else if (clamped && y_tilde[i] == 0) {
        ptwogeom(-y, alpha[cells[i, 1]])
      } else {
        dtwogeom(y_tilde[i] - y, alpha[cells[i, 1]])
      }
      sum(prior * noise)
    }, 0)
    log(mean(densities))
  }, 0)
}

# From all pairs of cells that share a row, or of a network an actor.
brute_error <- function(x, cells, network) {
  ends <- if (network == "none") 1 else 1:2
  in_common <- Vectorize(function(i, j) any(cells[i, ends] %in% cells[j, ends]))
  share <- outer(seq_along(x), seq_along(x), in_common)
  n <- length(unique(c(cells[, ends])))
  from_mean <- x - mean(x)
  sqrt(sum(outer(from_mean, from_mean) * share) * n / (n - 1)) / length(x)
}

expect_score <- function(score, fit, cells, y_tilde, alpha, clamped, scored) {
  truth <- brute_score(fit, cells, y_tilde, rep_len(alpha, nrow(fit$data)), clamped)
  expect_within(score$pointwise, truth, TOL_SERIES)
  expect_within(score$mean, mean(truth), TOL_SERIES)
  expect_within(score$se, brute_error(truth, cells, model_of(fit)$network), 1e-11)
  expect_identical(score$cells, nrow(cells))
  expect_identical(score$scored, scored)
}

test_that("standard errors for networks count all pairs of cells that share an actor", {
  set.seed(612)
  cells <- which(diag(9) == 0, arr.ind = TRUE)[sample(72, 40), ]
  x <- rnorm(40) + rnorm(9)[cells[, 1]] + rnorm(9)[cells[, 2]]
  expect_within(dependent_error(x, cells, "directed"), brute_error(x, cells, "directed"), TOL_EXACT)
  expect_identical(dependent_error(1:3, cbind(1, 1:3)), NA_real_) # a single row
})

# With effects of 60 rows, or actors, the variance of the mean over 2000 draws against the mean of the squared
# errors; the sample variance has a standard error of 3.2 %, so 20 % are six.
test_that("standard errors agree with the spread of repeated means", {
  set.seed(613)
  rows <- cbind(rep(1:60, each = 5), 1:5)
  actors <- which(diag(60) == 0, arr.ind = TRUE)
  draw <- function(cells, network) {
    effect <- rnorm(60)
    x <- rnorm(nrow(cells)) + effect[cells[, 1]] + if (network != "none") effect[cells[, 2]] else 0
    c(mean = mean(x), se = dependent_error(x, cells, network), plain = standard_error(x))
  }
  for (network in c("none", "directed")) {
    cells <- if (network == "none") rows else actors
    drawn <- replicate(if (EXTENDED) 2000 else 700, draw(cells, network))
    expect_lt(abs(mean(drawn["se", ]^2) / var(drawn["mean", ]) - 1), 0.2)
    expect_gt(var(drawn["mean", ]), 2 * mean(drawn["plain", ]^2)) # as if independent
  }
})

test_that("a score is the log of the mean density, for released and true counts", {
  set.seed(610)
  truth <- matrix(rpois(108, 3), 12)
  for (family in c("poisson", "nbinom1")) {
    for (clamped in c(FALSE, TRUE)) {
      data <- some_release(clamped)
      held_out <- holdout_cells(data)
      cells <- held_out$cells
      y_tilde <- as.matrix(data)[cells]
      fit <- paper_topics(held_out$train, 2, iter = 16, chains = 2, family = family)
      scored <- if (clamped) "counts of a clamped release" else "released counts"
      expect_score(
        held_out_density(fit, data, cells), fit, cells, y_tilde, privacy(data)$alpha, clamped, scored
      )
      of_truth <- held_out_density(fit, truth, cells)
      expect_score(of_truth, fit, cells, truth[cells], 0, FALSE, "true counts")
      naive <- paper_topics(held_out$train, 2, iter = 16, family = family, noise = "ignore")
      expect_score(
        held_out_density(naive, data, cells), naive, cells, pmax(y_tilde, 0), 0, FALSE,
        "released counts with negative ones set to zero, treated as true counts"
      )
    }
  }
})

test_that("true counts of a network can be scored by labels", {
  set.seed(611)
  y <- some_network()
  held_out <- holdout_cells(y)
  fit <- suppressWarnings(paper_blocks(held_out$train, 2, iter = 16))
  score <- expect_silent(held_out_density(fit, y, held_out$cells)) # a fit warned of the diagonal
  expect_score(score, fit, held_out$cells, y[held_out$cells], 0, FALSE, "true counts")
  labels <- array(letters[held_out$cells], dim(held_out$cells))
  expect_identical(held_out_density(fit, y, labels), score)
  expect_output(print(score), "9 held-out cells [(]true counts[)]: -")
})

test_that("scores do not depend on blocks of cells, nor on underflow", {
  fit <- paper_topics(some_release(), 2, iter = 10)
  cells <- observed_cells(as.matrix(fit$data), "none")
  seen <- by_blocks(cells, 5, identity, size = 35) # five draws: seven cells
  expect_identical(unique(vapply(seen[-16], nrow, 0L)), 7L)
  expect_identical(do.call(rbind, seen), cells)
  x <- cbind(c(-2000, -2001), c(0, -Inf), c(-Inf, -Inf), log(c(0.2, 0.4)))
  expect_within(log_mean_exp(x)[c(1, 2, 4)], c(-2000 + log((1 + exp(-1)) / 2), -log(2), log(0.3)), TOL_EXACT)
  expect_identical(log_mean_exp(x)[3], -Inf)
})

# Of one component, with the words integrated one by one, the density of a masked cell is known: the
# ratio of two integrals.
test_that("a score is the density of a masked cell given the other cells", {
  set.seed(612)
  prior <- gamma_prior(2, 1)
  released <- matrix(c(3, -1, 1, 4), 2)
  alpha <- c(0.3, 0.5)
  masked <- replace(released, 3, NA) # row 1, column 2
  fit <- paper_topics(private_counts(masked, alpha = alpha), 1,
    prior = prior, iter = if (EXTENDED) 20500 else 12500, warmup = 500
  )
  cells <- cbind(1, 2)
  score <- held_out_density(fit, private_counts(released, alpha = alpha), cells)
  input <- model_input(topics_model, private_counts(released, alpha = alpha), "model")
  density <- exp(pointwise_density(fit, input, cells))
  error <- posterior::mcse_mean(density) / mean(density)
  truth <- log_evidence(released, alpha, prior) - log_evidence(masked, alpha, prior)
  expect_lt(abs(score$mean - truth), normal_bound(1) * error)
  expect_lt(error, 0.01)
})

test_that("scores of observed or missing cells throw errors", {
  set.seed(613)
  data <- some_release()
  held_out <- holdout_cells(data)
  fit <- paper_topics(held_out$train, 2, iter = 10)
  score <- function(...) held_out_density(fit, ...)
  cells <- held_out$cells
  expect_refused(score(data, rbind(cells, c(1, 1))), "`cells` must be cells that are masked", "Row 12")
  expect_refused(score(held_out$train, cells), "`cells` must not be masked", "Row 1")
  expect_refused(score(data[1:5, ], cells), "`data` must have the shape", "12 x 9", "5 x 9")
  expect_refused(score(data, cells[0, , drop = FALSE]), "at least one row")
  expect_refused(score(data, cbind(13, 1)), "`cells` must be cells of the data")
  expect_refused(score(as.matrix(data), cells), "negative values", "private_counts")
  expect_refused(score(data, cells, 1), "must be named")
  expect_refused(held_out_density(1, data, cells), "`fit` must be a fit")
})

test_that("numbers are shown to the second digit of their error", {
  expect_identical(
    format_score(c(-1.23456, 12.5, 0), c(0.0123, 3.4, 0)),
    c("-1.235 (0.012)", "12.5 (3.4)", "0.000 (0.000)")
  )
  expect_identical(format_score(c(-1.2, NA), c(NA, NA)), c("-1.200", ""))
})
