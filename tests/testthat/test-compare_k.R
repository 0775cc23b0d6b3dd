planted <- function() {
  set.seed(641)
  theta <- matrix(rgamma(60 * 3, 0.3), 60)
  phi <- matrix(rgamma(3 * 40, 0.3), 3)
  matrix(rpois(60 * 40, 20 * theta %*% phi), 60)
}

# Groups that talk among themselves.
block_counts <- function(n, groups) {
  group <- rep_len(seq_len(groups), n)
  matrix(rpois(n^2, ifelse(outer(group, group, `==`), 8, 0.3)), n)
}

test_that("means, differences and their errors agree with those computed by hand", {
  each <- list(c(-1, -2, -3, -2), c(-2, -2, -4, -4), c(-1, -1, -1, -4))
  compared <- compare_densities(each, "held_out", cbind(1:4, 1), "none")
  expect_named(compared, c("held_out", "held_out_se", "held_out_diff", "held_out_diff_se"))
  expect_within(compared$held_out, c(-2, -3, -1.75), TOL_EXACT)
  # sums of squares about the means 2, 4 and 6.75; over n (n - 1) = 12
  expect_within(compared$held_out_se, sqrt(c(2, 4, 6.75) / 12), TOL_EXACT)
  # differences to the third: (0, -1, -2, 2) of mean -1/4, (-1, -1, -3, 0) of mean -5/4
  expect_within(compared$held_out_diff, c(-0.25, -1.25, 0), TOL_EXACT)
  expect_within(compared$held_out_diff_se, sqrt(c(8.75, 4.75, 0) / 12), TOL_EXACT)
  # the same in two rows: sums about the means are (1, -1), (2, -2), (1.5, -1.5), of which G/(G - 1) is 2
  in_two <- compare_densities(each, "held_out", cbind(c(1, 1, 2, 2), 1), "none")
  expect_within(in_two$held_out_se, sqrt(2 * c(2, 8, 4.5)) / 4, TOL_EXACT)
  expect_identical(compare_densities(list(NULL, NULL), "loo", NULL, "none")$loo, c(NA_real_, NA_real_))
})

a_comparison <- function(diff, diff_se, ..., rhat = 1) {
  n <- length(diff)
  structure(
    data.frame(
      k = 2 * seq_len(n), held_out = diff - 1, held_out_se = 0.02, held_out_diff = diff,
      held_out_diff_se = diff_se, loo = NA_real_, loo_se = NA_real_, loo_diff = NA_real_,
      loo_diff_se = NA_real_, pareto_k = NA_real_, rhat = rhat
    ),
    class = c("k_comparison", "data.frame"), cells = c(held_out = 1500, loo = 0),
    scored = "true counts"
  )
}

test_that("the best k, and the smallest within one standard error of it, are found", {
  chosen <- function(...) unlist(summary(a_comparison(...))[1, c("best", "one_se")], use.names = FALSE)
  expect_identical(chosen(c(-0.3, -0.02, 0, -0.001), c(0.01, 0.01, 0, 0.01)), c(6, 6))
  expect_identical(chosen(c(-0.3, 0), c(NA, NA)), c(4, 4)) # of a single cell
  expect_identical(chosen(c(-0.3, -0.02, 0, -0.001), c(0.01, 0.03, 0, 0.01)), c(6, 4))
  expect_identical(chosen(c(0, -0.02), c(0, 0.01)), c(2, 2))
  expect_identical(summary(a_comparison(0, 0))$score, "held_out") # no loo
})

test_that("print() states the result, with warnings", {
  shown <- function(...) paste(capture.output(print(a_comparison(...))), collapse = " ")
  clear <- shown(c(-0.3, 0, -0.02), c(0.01, 0, 0.01))
  expect_match(clear, "Held out (1,500 cells, true counts): best k = 4, and none smaller", fixed = TRUE)
  expect_match(clear, "-1.300 (0.020) -0.300 (0.010)", fixed = TRUE)
  expect_match(clear, "best*", fixed = TRUE)
  expect_no_match(clear, "R-hat|largest|Leave")
  open <- shown(c(-0.3, -0.01, 0), c(0.01, 0.02, 0))
  expect_match(open, "best k = 6; k = 4 is the smallest within one standard error", fixed = TRUE)
  expect_match(shown(c(-0.3, -0.1, 0), c(0.01, 0.02, 0)), "may improve beyond it. For prediction, compare larger",
    fixed = TRUE
  )
  expect_match(shown(c(0, -1, -1), c(0, 0, 0), rhat = c(1, 1.2, 1.3)), "R-hat is above 1.05 at k = 4, 6")
})

test_that("scores agree with those of separate fits", {
  y <- planted()
  released <- private_counts(y + rgeom(2400, 0.6) - rgeom(2400, 0.6), alpha = 0.4)
  set.seed(642)
  compared <- compare_k(released, c(3, 1, 3), iter = 60, family = "nbinom1", loo_cells = 0)
  expect_identical(compared$k, c(1L, 3L))
  set.seed(642)
  held_out <- holdout_cells(released) # neither is the table square
  for (i in 1:2) {
    fit <- topic_model(held_out$train, compared$k[i], iter = 60, family = "nbinom1")
    score <- held_out_density(fit, released, held_out$cells)
    expect_identical(compared$held_out[i], score$mean)
    expect_identical(compared$held_out_se[i], score$se)
    expect_identical(compared$rhat[i], posterior::rhat(fit$log_density))
  }
  expect_true(all(is.na(compared$loo)))
  set.seed(643)
  cells <- cbind(1:20, rep(c(3, 5), 10))
  known <- compare_k(released, 2, cells = cells, iter = 60, loo_cells = 0, noise = "ignore")
  set.seed(643)
  masked <- released
  is.na(masked) <- cells
  fit <- topic_model(masked, 2, iter = 60, noise = "ignore")
  expect_identical(known$held_out, held_out_density(fit, released, cells)$mean)
  expect_identical(known$held_out_diff, 0)
  expect_identical(known$pareto_k, NA_real_)
})

test_that("leave-one-out uses the cells that were not held out", {
  skip_if_not_installed("loo")
  y <- planted()
  set.seed(644)
  compared <- compare_k(y, 2, iter = 100, loo_cells = 500)
  set.seed(644)
  held_out <- holdout_cells(y)
  cells <- random_cells(held_out$train, "none", 500)
  fit <- topic_model(held_out$train, 2, iter = 100)
  by_hand <- suppressWarnings(loo::loo(fit, cells = cells))
  expect_within(compared$loo, by_hand$estimates["elpd_loo", "Estimate"] / 500, TOL_EXACT)
  expect_within(compared$loo_se, dependent_error(by_hand$pointwise[, "elpd_loo"], cells), TOL_EXACT)
  expect_identical(compared$pareto_k, mean(by_hand$diagnostics$pareto_k > 0.7))
})

test_that("simulated components are found, in networks too", {
  set.seed(645)
  expect_identical(summary(compare_k(planted(), 1:4, iter = 150, loo_cells = 0))$one_se, 3L)
  y <- block_counts(30, 3)
  expect_warning(
    compared <- compare_k(y, 2:4, model = "block", iter = if (EXTENDED) 300 else 150, loo_cells = 0),
    class = "ldpcounts_self_loops"
  )
  expect_identical(summary(compared)$one_se, 3L)
  expect_identical(attr(compared, "cells")[["held_out"]], 87L)
})

test_that("a million cells are held out of data with billions of cells", {
  set.seed(648)
  huge <- Matrix::sparseMatrix(i = 1:9, j = 1:9, x = 1:9, dims = c(50000, 50000))
  expect_identical(nrow(a_tenth(huge, "none")), 1000000L)
})

test_that("pairs of an undirected network are held out", {
  set.seed(647)
  y <- block_counts(20, 2)
  y[lower.tri(y)] <- t(y)[lower.tri(y)]
  diag(y) <- 0
  released <- privatize(y, epsilon = 2, directed = FALSE, rng = "R")
  of_release <- function(...) {
    compare_k(released, 1:2, model = "block", directed = FALSE, iter = 100, loo_cells = 0, ...)
  }
  compared <- of_release()
  expect_identical(attr(compared, "cells")[["held_out"]], 19L) # of 190
  expect_identical(summary(compared)$one_se, 2L)
  expect_identical(nrow(of_release(cells = cbind(5:4, c(1, 9)))), 2L)
  expect_refused(
    compare_k(released, 2, model = "block", iter = 20, loo_cells = 0), "undirected", "directed = FALSE"
  )
})

test_that("a comparison is reproducible, and can be plotted", {
  run <- function() {
    set.seed(646)
    compare_k(planted(), 1:2, iter = 40, loo_cells = 0)
  }
  compared <- run()
  expect_identical(run(), compared)
  scores <- expect_picture(plot(compared))$data
  expect_identical(nrow(scores), 2L) # leave-one-out was not wanted
  expect_identical(levels(scores$score), "held out")
  expect_identical(scores$difference, compared$held_out_diff)
  expect_identical(scores$high - scores$difference, scores$difference - scores$low)
  expect_identical(scores$k[scores$best], summary(compared)$best)
  expect_identical(scores$k[scores$one_se], summary(compared)$one_se)
  expect_picture(plot(compare_k(planted(), 1, iter = 40, loo_cells = 0)))
})

test_that("an interrupted fit ends the comparison", {
  tried <- NULL
  fit_model <- function(k) {
    tried <<- c(tried, k)
    if (k == 2) cli::cli_warn("Interrupted.", class = "ldpcounts_interrupted")
    k
  }
  compare <- function(k) tryCatch(score_each(k, fit_model, identity), interrupt = function(condition) "ended")
  expect_identical(compare(c(1, 3)), list(1, 3))
  expect_identical(compare(1:3), "ended")
  expect_identical(tried, c(1, 3, 1, 2))
})

test_that("invalid comparisons throw errors before any fit", {
  y <- planted()
  expect_refused(compare_k(), "`data` must be given")
  expect_refused(compare_k(y), "`k` must be given")
  expect_refused(compare_k(y, c(2, 0)), "`k` must be whole numbers from 1 to 10000")
  expect_refused(compare_k(y, 2.5), "`k`")
  expect_refused(compare_k(y, "2"), "`k`", "\"2\"")
  expect_refused(compare_k(y, 2, model = "tree"), "`model` must be one of")
  expect_refused(compare_k(y, 2, model = "block"), "`data` must be a network")
  expect_refused(compare_k(y, 2, loo_cells = -1), "`loo_cells`")
  expect_refused(compare_k(y, 2, cells = cbind(61, 1)), "`cells` must be cells of the data")
  expect_refused(compare_k(replace(y, 61, NA), 2, cells = cbind(1, 2)), "`cells` must not be masked")
  expect_refused(compare_k(y, 2:3, checkpoint = tempfile()), "`checkpoint` cannot be used")
  expect_refused(compare_k(y, 2, itr = 9, loo_cells = 0), "no argument `itr`", "`iter`")
  square <- block_counts(6, 2)
  diag(square) <- 0
  expect_refused(compare_k(square, 2, model = "block", cells = cbind(2, 2)), "on the diagonal")
})

test_that("variational fits can be compared, without R-hat", {
  set.seed(71)
  released <- privatize(simulate_topics(D = 20, V = 8, k = 2, words = 30)$y, epsilon = 2, rng = "R")
  compared <- compare_k(released, 1:2, inference = "cavi", iter = 50, loo_cells = 0, progress = FALSE)
  expect_true(all(is.finite(compared$held_out)))
  expect_true(all(is.na(compared$rhat)))
  expect_output(print(compared), "held out")
})
