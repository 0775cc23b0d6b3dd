released <- function(clamped = FALSE) {
  set.seed(531)
  y_tilde <- rnbinom(60, 0.5, 0.2) + rgeom(60, 0.6) - rgeom(60, 0.6)
  y_tilde[c(3, 17)] <- NA
  labels <- list(paste0("doc", 1:6), paste0("word", 1:10))
  y_tilde <- matrix(if (clamped) pmax(y_tilde, 0) else y_tilde, 6, dimnames = labels)
  private_counts(y_tilde, alpha = seq(0.1, 0.6, 0.1), clamped = clamped)
}

# There is a message that masked cells are left out, which is not the subject of these tests.
augment <- function(...) suppressMessages(ldpcounts::augment(...), classes = "ldpcounts_masked_left_out")

network_fit <- function(...) {
  set.seed(532)
  x <- plain_release(matrix(rpois(49, 2), 7), 0.4)
  dimnames(x) <- list(letters[1:7], letters[1:7])
  paper_blocks(x, 2, iter = 20, ...)
}

# The posterior of a true count on 0, 1, ..., 30000, the mean over draws of normalised products.
brute_truth <- function(fit, row, column) {
  y <- 0:30000
  y_tilde <- input_of(fit)$counts[row, column]
  alpha <- input_of(fit)$alpha[row]
  laws <- vapply(seq_len(n_draws(fit)), function(s) {
    mu <- draw_mean(fit, s)[row, column]
    excess <- draw_cell_excess(fit, s, cbind(row, column))
    prior <- if (excess == 0) dpois(y, mu) else dnbinom(y, mu / excess, mu = mu)
    weight <- if (is.na(y_tilde)) prior else prior * alpha^abs(y_tilde - y)
    weight / sum(weight)
  }, y + 0)
  rowMeans(laws)
}

expect_truth <- function(fit, denoised, level) {
  place <- function(label, labels) if (is.character(label)) match(label, labels) else label
  for (i in seq_len(nrow(denoised))) {
    cell <- denoised[i, ]
    row <- place(cell$row, rownames(fit$data))
    column <- place(cell$column, colnames(fit$data))
    law <- brute_truth(fit, row, column)
    expect_within(cell$mean, sum(law * (seq_along(law) - 1)), TOL_SERIES)
    expect_within(cell$p_zero, law[1], TOL_SERIES)
    reaches <- function(p) which(cumsum(law) >= p)[1] - 1
    expect_identical(cell$lower, reaches((1 - level) / 2))
    expect_identical(cell$upper, reaches(1 - (1 - level) / 2))
    expect_within(cell$.fitted, fitted(fit)[row, column], TOL_EXACT)
  }
}

test_that("summaries of true counts agree with those computed by hand", {
  iter <- if (EXTENDED) 20 else 8
  fits <- list(
    paper_topics(released(), 2, iter = iter), paper_topics(released(TRUE), 2, iter = iter),
    paper_topics(released(), 2, iter = iter, family = "nbinom1"),
    paper_topics(released(), 2, iter = iter, family = "nbinom1", dispersion_by = "row"),
    paper_topics(released(), 2, iter = iter, family = "nbinom1", dispersion = 1),
    paper_topics(released(), 2, iter = iter, family = "nbinom1", dispersion = 9)
  )
  large <- which.max(as.matrix(released()))
  cells <- arrayInd(c(1, 3, 17, 20, 33, large), c(6, 10)) # two of them masked
  for (fit in fits) {
    for (level in c(0.5, if (EXTENDED) 0.999)) {
      denoised <- augment(fit, cells = cells, level = level)
      expect_truth(fit, denoised, level)
      expect_identical(is.na(denoised$y_tilde), c(FALSE, TRUE, TRUE, FALSE, FALSE, FALSE))
    }
  }
  expect_truth(network_fit(), augment(network_fit(), cells = cbind(1:3, c(2, 1, 7))), 0.95)
})

test_that("quantiles are right for large counts and wide distributions", {
  fit <- paper_topics(private_counts(matrix(c(900, 2, 0, 70), 2), alpha = 0.95), 1, iter = 30)
  expect_truth(fit, augment(fit), 0.95)
  expect_truth(fit, augment(fit, level = 0.999), 0.999)
})

test_that("there is one row per observed cell, in the order of the data, with labels if there are any", {
  fit <- paper_topics(released(), 2, iter = 20)
  denoised <- augment(fit)
  expect_s3_class(denoised, c("denoised_counts", "tbl_df", "tbl", "data.frame"), exact = TRUE)
  expect_named(
    denoised, c("row", "column", "y_tilde", ".fitted", "mean", "lower", "upper", "p_zero")
  )
  counts <- as.matrix(fit$data)
  expect_identical(denoised$y_tilde, as.double(counts[!is.na(counts)]))
  expect_identical(denoised$row, rownames(counts)[row(counts)[!is.na(counts)]])
  labels <- cbind(c("doc2", "doc5"), c("word1", "word10"))
  by_label <- augment(fit, cells = labels)
  expect_identical(by_label, augment(fit, cells = cbind(c(2, 5), c(1, 10))))
  expect_identical(by_label$mean[1], denoised$mean[2])
  bare <- paper_topics(unname_counts(released()), 2, iter = 4)
  expect_identical(augment(bare, cells = cbind(2, 3))[1:2], augment(bare)[13, 1:2],
    ignore_attr = TRUE
  )
  expect_identical(augment(bare, cells = cbind(2, 3))$column, 3L)
  network <- augment(network_fit())
  expect_identical(nrow(network), 42L)
  expect_false(any(network$row == network$column))
  expect_identical(nrow(augment(fit, cells = matrix(0, 0, 2))), 0L)
})

test_that("results do not depend on how cells are split into blocks", {
  fit <- paper_topics(released(), 2, iter = 20, family = "nbinom1")
  input <- input_of(fit)
  cells <- arrayInd(1:60, c(6, 10))
  whole <- truth_parts(input, cells, 10)
  expect_setequal(lengths(whole), c(2L, 58L))
  small <- truth_parts(input, cells, 10, size = 70)
  expect_identical(max(lengths(small)), 7L)
  gather <- function(parts) {
    do.call(rbind, lapply(parts, function(at) {
      cbind(at, summarise_truth(truth_block(fit, input, cells[at, , drop = FALSE]), 0.9))
    }))
  }
  expect_identical(gather(small), gather(whole))
})

test_that("without noise the estimate is the count", {
  naive <- paper_topics(released(), 2, iter = 10, noise = "ignore")
  counts <- as.matrix(released())
  seen <- augment(naive)
  expect_identical(seen$y_tilde, as.double(counts[!is.na(counts)]))
  expect_identical(seen$mean, pmax(seen$y_tilde, 0))
  expect_identical(seen$lower, seen$mean)
  expect_identical(seen$upper, seen$mean)
  expect_identical(seen$p_zero, as.double(seen$mean == 0))
  expect_truth(naive, augment(naive, cells = cbind(3, 1)), 0.95) # masked
  true <- paper_topics(matrix(c(0, 3, 1, 2), 2), 1, iter = 10, family = "nbinom1")
  expect_identical(augment(true)$mean, c(0, 3, 1, 2))
  half <- paper_topics(private_counts(matrix(c(4, 3, 0, 2), 2), alpha = c(0, 0.5)), 1, iter = 10)
  expect_identical(augment(half)$upper[c(1, 3)], c(4, 0))
})

test_that("invalid cells, and too many cells, throw errors", {
  fit <- paper_topics(released(), 2, iter = 4)
  expect_refused(augment(fit, cells = cbind(7, 1)), "`cells` must be cells of the data")
  expect_refused(augment(fit, cells = 1:4), "two columns")
  expect_refused(augment(fit, level = 1), "`level` must be one number between 0 and 1")
  expect_refused(augment(fit, level = c(0.5, 0.9)), "`level`")
  expect_refused(augment(fit, "rows"), "must be named")
  expect_refused(augment(fit, cell = cbind(1, 1)), "no argument `cell`", "`cells`")
  expect_refused(augment(network_fit(), cells = cbind("b", "b")), "on the diagonal", "Row 1")
  large <- paper_topics(Matrix::Matrix(0, 400, 300, sparse = TRUE), 1, iter = 2)
  expect_refused(augment(large), "`cells` must be given", "120,000 cells")
  expect_identical(augment(large, cells = cbind(400, 300))$p_zero, 1)
})

test_that("print() shows a few cells, and plot() up to twelve", {
  fit <- paper_topics(released(), 2, iter = 20)
  denoised <- augment(fit)
  expect_output(print(denoised), "Estimates of 58 true counts, with 95 % intervals")
  expect_output(print(denoised), more_rows(48))
  expect_length(capture.output(print(denoised[1:2, ])), 8) # a title, three lines of heads, two rows, two of notes
  expect_output(print(denoised[, c("row", "mean")], n = 58), "doc6")
  for (some in list(denoised, denoised[c(5, 2), ], augment(fit, cells = cbind(3, 1)))) {
    picture <- expect_picture(plot(some))
    expect_identical(nlevels(picture$data$cell), min(12L, nrow(some)))
  }
  expect_picture(plot(augment(network_fit())))
  expect_picture(plot(augment(paper_topics(matrix(0:3, 2), 1, iter = 4))))
  expect_match(ggplot2::autoplot(denoised)$labels$caption, "The first 12 of 58 cells", fixed = TRUE)
  expect_refused(plot(denoised[, "mean", drop = FALSE]), "with at least one row")
  expect_refused(plot(denoised[0, ]), "with at least one row")
  expect_refused(plot(denoised, 3), "must be named")
})

test_that("draws have the posterior distribution of the true count", {
  fit <- paper_topics(released(), 2, iter = 20)
  denoised <- augment(fit)[1:3, ]
  laws <- truth_frames(denoised)
  for (i in 1:3) {
    expect_gt(sum(laws[[i]]$density), 0.997)
    expect_lte(sum(laws[[i]]$density), 1 + TOL_SERIES)
    expect_gte(diff(range(laws[[i]]$y, laws[[i]]$y_tilde)), 5)
    expect_identical(unique(laws[[i]]$y_tilde), denoised$y_tilde[i])
    expect_equal(sum(laws[[i]]$y * laws[[i]]$density), denoised$mean[i], tolerance = 0.05)
  }
  expect_identical(laws[[1]]$cell[1], paste(denoised$row[1], denoised$column[1], sep = ", "))
  known <- truth_frames(augment(paper_topics(matrix(0:3, 2), 1, iter = 4), cells = cbind(2, 2)))[[1]]
  expect_identical(known$density, c(1, 0, 0, 0, 0, 0))
  expect_identical(known$y, seq(3, 8))
  expect_identical(ggplot2::autoplot(denoised)$data$density, unlist(lapply(laws, `[[`, "density")))
  expect_refused(ggplot2::autoplot(denoised, n = 3), "no argument `n`")
})

test_that("a subset of the draws gives similar results, and its size can be chosen", {
  fit <- paper_topics(private_counts(matrix(c(3, 0, -1, 8), 2), alpha = 0.3), 1, iter = 1000)
  few <- augment(fit, draws = 2)
  expect_identical(few$.fitted, augment(fit)$.fitted)
  expect_equal(few$.fitted, as.vector(fitted(fit)))
  by_hand <- sapply(c(1, 500), function(s) {
    truecount_mean(few$y_tilde, draw_cell_mean(fit, s, cbind(c(1, 2, 1, 2), c(1, 1, 2, 2))), 0.3)
  })
  expect_equal(few$mean, rowMeans(by_hand), tolerance = TOL_EXACT)
  expect_identical(augment(fit, draws = Inf), augment(fit, draws = 500), ignore_attr = TRUE)
  expect_refused(augment(fit, draws = 0), "`draws`")
})

test_that("summaries of wide distributions follow the same rules as those of narrow ones", {
  # counts beyond the room of the kernel, beside small ones
  released <- private_counts(matrix(c(3, 5000, -1, 9000, 2, 4096), 2), alpha = 0.9)
  fit <- paper_topics(released, 1, iter = 60, family = "nbinom1")
  input <- input_of(fit)
  cells <- cbind(rep(1:2, 3), rep(1:3, each = 2))
  block <- truth_block(fit, input, cells)
  narrow <- .Call(C_rc_truth, block$y_tilde, block$alpha, block$mu, block$excess, NULL, c(0.05, 0.95), 1L)
  expect_identical(is.na(narrow[, 1]), block$y_tilde > 4000)
  wide <- unname(summarise_wide(block, c(0.05, 0.95)))
  small <- block$y_tilde < 4000
  expect_equal(narrow[small, ], wide[small, ], tolerance = 1e-9)
  said <- augment(fit, cells = cells, level = 0.9)
  expect_equal(unname(as.matrix(said[c("mean", "lower", "upper", "p_zero")])),
    wide, tolerance = 1e-9)
})
