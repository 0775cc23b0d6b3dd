checked_fit <- function(..., chains = 2, seed = 106) {
  set.seed(seed)
  paper_topics(private_counts(matrix(rpois(60, 2) + rep(-2:2, 12), 6), epsilon = 1), 2,
    iter = 60, chains = chains, ...)
}

test_that("traces show the kept draws, with a mark at the end of the warmup", {
  fit <- checked_fit(thin = 3)
  figure <- trace_figure(fit)
  points <- figure$data
  expect_identical(unique(ggplot2::layer_data(figure, 2)$xintercept), 30)
  expect_identical(levels(points$panel)[1:2], c("log density", "total of mu"))
  expect_identical(nlevels(points$panel), 3L)
  first <- points[points$panel == "log density", ]
  expect_identical(matrix(first$y, 10), fit$log_density)
  expect_identical(unique(first$x), seq(33L, 60L, by = 3L))
  expect_identical(as.integer(first$line), rep(1:2, each = 10))
  second <- points[points$panel == "total of mu", ]
  expect_within(second$y, total_draws(fit), TOL_SERIES)
  expect_length(trace_figure(paper_topics(matrix(1:4, 2), 1, iter = 3, warmup = 0))$layers, 1)
  one <- names(traces_to_plot(checked_fit(family = "nbinom1")))
  expect_identical(one[1:3], c("log density", "total of mu", "dispersion"))
  expect_length(one, 4)
  rows <- names(traces_to_plot(checked_fit(family = "nbinom1", dispersion_by = "row")))
  expect_identical(rows[1:2], c("log density", "total of mu"))
  expect_length(rows, 3)
  # and the one of many that chains agree on least
  fit <- checked_fit()
  traces <- label_free_traces(fit)
  each <- unlist(unname(traces[c("mu of cells", "totals of rows", "co-membership of pairs")]), FALSE)
  rhat <- vapply(each, posterior::rhat, 0)
  worst <- traces_to_plot(fit)[3]
  expect_identical(unname(worst[[1]]), unname(each[[which.max(rhat)]]))
  expect_match(names(worst), names(each)[which.max(rhat)], fixed = TRUE)
})

test_that("the bound of each start is shown as a line", {
  fit <- paper_topics(private_counts(matrix(0:11, 3), epsilon = 1), 2,
    inference = "cavi", chains = 2, iter = 4)
  points <- bound_figure(fit)$data
  expect_identical(points$y, unlist(lapply(fit$chains, `[[`, "elbo")))
  expect_identical(nlevels(points$line), 2L)
  expect_identical(points$x[1:2], 1:2)
})

test_that("rank plots distinguish chains that differ", {
  fit <- checked_fit()
  fit$log_density <- cbind(30:1, 60:31) + 0
  ranks <- rank_figure(fit)$data
  apart <- ranks[ranks$quantity == "log density", ]
  # 60 draws in 6 bins of 10 ranks: one chain has the lower three, the other the upper three
  expect_identical(apart$count, as.integer(c(10, 10, 10, 0, 0, 0, 0, 0, 0, 10, 10, 10)))
  expect_identical(unique(apart$expected), 5)
  expect_identical(apart$to[1:6], seq(10, 60, 10))
  expect_identical(levels(ranks$chain), c("chain 1", "chain 2"))
  expect_true(all(tapply(ranks$count, ranks$quantity, sum) == 60))
  # all alike: ranks in the middle
  fit$log_density[] <- 1
  expect_identical(sum(rank_figure(fit)$data$count[1:12] > 0), 2L)
})

test_that("bins of counts are whole numbers, disjoint and complete", {
  edges <- count_edges()
  expect_false(is.unsorted(edges, strictly = TRUE))
  labels <- bin_labels(edges)
  expect_identical(anyDuplicated(labels), 0L)
  at <- function(count) labels[findInterval(count, edges)]
  expect_identical(at(c(0, -10, 10)), c("0", "-10", "10"))
  expect_identical(at(c(11, 20, 21)), c("11 to 20", "11 to 20", "21 to 50"))
  expect_identical(at(c(1000, 1001)), c("501 to 1,000", "1,001 to 2,000"))
  expect_identical(at(c(-11, -20, -21)), c("-20 to -11", "-20 to -11", "-50 to -21"))
  expect_identical(cell_ticks(99), c(0, 1, 10))
  expect_identical(cell_ticks(0), c(0, 1))
})

test_that("the released counts are shown with reproducible quantiles of replicated data", {
  fit <- checked_fit()
  set.seed(108)
  before <- .Random.seed
  figure <- predictive_figure(fit)
  bins <- figure$data
  expect_identical(.Random.seed, before)
  expect_identical(predictive_figure(fit)$data, bins)
  released <- as.matrix(fit$data)
  expect_identical(sum(bins$observed), 60L)
  single <- bins$count %in% as.character(-10:10)
  of_count <- function(y) sum(released == as.numeric(y))
  expect_identical(bins$observed[single], unname(vapply(as.character(bins$count[single]), of_count, 0L)))
  expect_true(all(bins$lower <= bins$median & bins$median <= bins$upper))
  expect_true(any(as.character(bins$count) == "-1"))
  expect_identical(figure$labels$x, "released count")
  expect_identical(bins$place == "within", bins$lower <= bins$observed & bins$observed <= bins$upper)
  # the mean of 50 replicates is that of the distribution: 60 cells, P(release = 0) at each draw
  made <- over_replicates(fit, function(s, input, cells, y_tilde) {
    c(
      sum(replicate_cells(fit, s, input, cells) == 0),
      sum(dprivpois(0, draw_cell_mean(fit, s, cells), input$alpha[cells[, 1]]))
    )
  })
  made <- do.call(cbind, made$values)
  expect_lt(abs(mean(made[1, ] - made[2, ])), normal_bound(1) * sqrt(60 / 4 / 50))
  clamped <- paper_topics(private_counts(matrix(0:5, 2), epsilon = 1, clamped = TRUE), 1, iter = 10)
  expect_identical(as.character(predictive_figure(clamped)$data$count[1]), "0")
  expect_identical(predictive_figure(paper_topics(matrix(0:3, 2), 1, iter = 4))$labels$x, "count")
})

test_that("the dispersion of a row is named in all plots of traces", {
  fit <- checked_fit(family = "nbinom1", dispersion_by = "row")
  rows <- label_free_traces(fit)["dispersion"]
  expect_match(names(worst_trace(rows)), "^dispersion of [0-9]+$")
  expect_match(names(worst_trace(c(list("mu of cells" = list(a = matrix(1, 30, 2))), rows))), "^dispersion of")
})
