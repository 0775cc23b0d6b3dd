# Fits to a release with masked cells and noise levels per row.
release_with_masks <- function(alpha = seq(0.1, 0.6, 0.1), ...) {
  set.seed(721)
  y_tilde <- matrix(rnbinom(60, 0.5, 0.2) + rgeom(60, 0.6) - rgeom(60, 0.6), 6)
  y_tilde[c(3, 17)] <- NA
  dimnames(y_tilde) <- list(NULL, letters[1:10])
  if (...length() > 0) y_tilde <- pmax(y_tilde, 0)
  private_counts(y_tilde, alpha = alpha, ...)
}

by <- c("x", "y", "x", "z", "z", "z")
cells_of_all <- arrayInd(1:60, c(6, 10))

# The sums of numbers per cell, by group and item.
sums_of <- function(values, group = by, item = letters[1:10]) {
  c(t(tapply(values, list(group[cells_of_all[, 1]], factor(item, unique(item))[cells_of_all[, 2]]), sum)))
}

test_that("means of sums are the sums of means, of masked cells too", {
  fits <- list(
    paper_topics(release_with_masks(), 2, iter = 20),
    paper_topics(release_with_masks(clamped = TRUE), 2, iter = 20),
    paper_topics(release_with_masks(), 2, iter = 20, family = "nbinom1", dispersion_by = "row"),
    paper_topics(release_with_masks(c(0, 0, 0, 0.3, 0.4, 0.5), clamped = TRUE), 2, iter = 20),
    paper_topics(release_with_masks(), 2, iter = 20, noise = "ignore")
  )
  for (fit in fits) {
    cells <- augment(fit, cells = cells_of_all)
    found <- augment(fit, by = by)
    expect_within(found$mean, sums_of(cells$mean), TOL_SERIES)
    expect_within(found$.fitted, sums_of(cells$.fitted), TOL_SERIES)
    expect_identical(found$cells, as.integer(sums_of(rep(1, 60))))
    expect_identical(found$masked, sums_of(is.na(cells$y_tilde)) + 0)
    expect_true(all(is.finite(unlist(found[c("mean", "lower", "upper")]))))
    expect_true(all(found$lower == round(found$lower) & found$lower <= found$upper & found$lower >= 0))
    two <- augment(fit, by = by, items = rep(c("p", "q"), 5))
    expect_within(two$mean, sums_of(cells$mean, item = rep(c("p", "q"), 5)), TOL_SERIES)
    expect_within(augment(fit, items = "all")$mean, sum(cells$mean), TOL_SERIES)
  }
})

test_that("sums have the distribution of sums of independent counts at each draw", {
  # two cells and a fixed dispersion; all draws of mu, many times, so that the mixture is known
  fit <- paper_topics(private_counts(matrix(c(3, -1, NA, 4), 2), alpha = c(0.3, 0.6)), 1, iter = 2000)
  input <- input_of(fit)
  cells <- cbind(c(1, 2, 1, 2), c(1, 1, 2, 2))
  draws <- shared_draws(fit)
  y <- 0:60
  laws <- vapply(draws, function(s) {
    mu <- draw_cell_mean(fit, s, cells)
    each <- lapply(seq_len(4), function(i) {
      k <- input$counts[cells[i, , drop = FALSE]]
      if (is.na(k)) dpois(y, mu[i]) else dtruecount(y, k, mu[i], input$alpha[cells[i, 1]])
    })
    sum <- Reduce(function(a, b) convolve(a, rev(b), type = "open")[seq_along(y)], each)
    pmax(sum, 0)
  }, numeric(length(y)))
  law <- rowMeans(laws)
  # one total per draw of mu: independent given mu, so a mixture of multinomials with the mean `law`
  set.seed(722)
  sums <- factor_of_sums(rep(1, 4), rep(1, 4))
  drawn <- colSums(rbind(
    draw_block(truth_block(fit, input, cells[c(1, 2, 4), ], draws), length(draws)),
    draw_block(truth_block(fit, input, cells[3, , drop = FALSE], draws), length(draws))
  ))
  expect_law(drawn, law)
  found <- augment(fit, items = "all", draws = Inf, level = 0.8)
  expect_identical(found$cells, 4L)
  # ends are within five standard errors, as probabilities
  error <- normal_bound(4) * sqrt(0.1 * 0.9 / length(draws))
  cdf <- cumsum(law)
  expect_gte(cdf[found$lower + 1], 0.1 - error)
  expect_lte(c(0, cdf)[found$lower + 1], 0.1 + error)
  expect_gte(cdf[found$upper + 1], 0.9 - error)
  expect_lte(c(0, cdf)[found$upper + 1], 0.9 + error)
})

test_that("draws of overdispersed, masked and known counts have their distributions", {
  set.seed(723)
  n <- 20000
  block <- function(kind, ...) {
    list(kind = kind, y_tilde = 4, alpha = 0.5, mu = matrix(2.5, 1, n), excess = matrix(1.5, 1, n), ...)
  }
  y <- 0:200
  expect_law(draw_block(block("masked"), n), dnbinom(y, 2.5 / 1.5, mu = 2.5))
  expect_law(draw_block(block("noised"), n), dtruecount(y, 4, 2.5, 0.5, 2.5))
  expect_identical(unique(c(draw_block(block("known"), n))), 4)
  poisson <- block("masked")
  poisson$excess <- 0
  expect_law(draw_block(poisson, n), dpois(y, 2.5))
  none <- block("masked")
  none$mu[] <- 0 # by underflow
  expect_identical(unique(c(draw_block(none, n))), 0)
})

test_that("an interval of a sum accounts for what its cells share", {
  # a single small group: the sum of two rows that hardly say anything is as uncertain as their weights
  fit <- paper_topics(private_counts(matrix(5, 2, 30), alpha = 0.9), 1, iter = 2000)
  found <- augment(fit, items = "all", level = 0.9)
  total <- rowSums(matrix(total_draws(fit)))
  expect_gt(found$upper - found$lower, diff(quantile(total, c(0.05, 0.95))))
  # known counts have no uncertainty
  known <- augment(paper_topics(matrix(1:6, 2), 1, iter = 4), by = c("a", "b"))
  expect_identical(known$mean, as.double(c(1, 3, 5, 2, 4, 6)))
  expect_identical(known$lower, known$mean)
  expect_identical(known$upper, known$mean)
})

test_that("results are reproducible, take one random number, and do not depend on blocks", {
  fit <- paper_topics(release_with_masks(), 2, iter = 20, family = "nbinom1")
  set.seed(724)
  first <- augment(fit, by = by)
  after <- runif(1)
  set.seed(724)
  expect_identical(augment(fit, by = by), first)
  set.seed(724)
  runif(1)
  expect_identical(runif(1), after)
  expect_false(identical(augment(fit, by = by)$upper, first$upper))
  set.seed(724)
  other <- factor(by, c("z", "y", "x", "none"))
  expect_identical(augment(fit, by = other)$mean, first$mean[c(21:30, 11:20, 1:10)])
})

test_that("columns, groups and cells are as documented", {
  fit <- paper_topics(release_with_masks(), 2, iter = 20)
  found <- augment(fit, by = by)
  expect_s3_class(found, c("denoised_sums", "tbl_df", "tbl", "data.frame"), exact = TRUE)
  expect_named(found, c("group", "item", ".fitted", "mean", "lower", "upper", "cells", "masked"))
  expect_identical(levels(found$group), c("x", "y", "z"))
  expect_identical(found$item, factor(rep(letters[1:10], 3)))
  # some cells only
  some <- augment(fit, by = by, cells = rbind(c(1, 2), c(3, 2), c(4, 9)))
  expect_identical(as.character(some$group), c("x", "z"))
  expect_identical(as.character(some$item), c("b", "i"))
  expect_identical(some$cells, 2:1)
  one <- augment(fit, cells = cbind(c(1, 3, 4), c(2, 2, 9)))$mean
  expect_within(some$mean, c(one[1] + one[2], one[3]), TOL_SERIES)
  expect_identical(nrow(augment(fit, by = by, cells = matrix(0, 0, 2))), 0L)
  # networks without their diagonal, and tensors
  set.seed(725)
  x <- plain_release(matrix(rpois(49, 2), 7), 0.4)
  network <- paper_blocks(x, 2, iter = 20)
  expect_identical(augment(network, by = c(1, 1, 1, 2, 2, 2, 2), items = "all")$cells, c(18L, 24L))
  cube <- paper_tensor(plain_release(array(rpois(24, 3), c(4, 3, 2)), 0.4), 2, iter = 20)
  items <- levels(augment(cube, by = c(1, 1, 2, 2))$item)
  expect_identical(items, c("1, 1", "2, 1", "3, 1", "1, 2", "2, 2", "3, 2"))
  cells <- augment(cube)
  rows <- augment(cube, by = 1:4, items = "all")$mean
  expect_within(rows, c(tapply(cells$mean, cells$mode1, sum)), TOL_SERIES)
  # variational inference, and a user's own model
  cavi <- paper_topics(release_with_masks(), 2, inference = "cavi", iter = 20)
  expect_true(all(augment(cavi, by = by)$upper >= augment(cavi, by = by)$lower))
  step <- function(state, y) list(state = state, mu = matrix(2, 6, 10))
  init <- list(state = 1, mu = matrix(2, 6, 10))
  own <- suppressMessages(private_gibbs(release_with_masks(), step, init, iter = 20))
  expect_within(augment(own, by = by)$.fitted, 2 * sums_of(rep(1, 60)), TOL_SERIES)
})

test_that("invalid groups, items and cells throw errors", {
  fit <- paper_topics(release_with_masks(), 2, iter = 4)
  expect_refused(augment(fit, by = 1:5), "`by` must have one value per row of the data (6)", "It has 5")
  expect_refused(augment(fit, by = c(NA, by[-1])), "`by` must not have missing values")
  expect_refused(augment(fit, items = 1:3), "`items` must have one value per column of the data (10)")
  expect_refused(augment(fit, by = by, cells = rbind(c(1, 1), c(2, 2), c(1, 1))), "different cells", "Row 3")
  expect_refused(augment(fit, by = by, cells = cbind(7, 1)), "`cells` must be cells of the data")
  set.seed(726)
  pairs <- privatize(matrix(c(0, 1, 2, 1, 0, 3, 2, 3, 0), 3), epsilon = 1, directed = FALSE)
  network <- suppressMessages(block_model(pairs, 1, directed = FALSE, iter = 4, chains = 1))
  expect_refused(augment(network, by = 1:3), "not available for undirected networks")
})

test_that("print() and plot() show sums", {
  fit <- paper_topics(release_with_masks(), 2, iter = 20)
  found <- augment(fit, by = by, level = 0.9)
  expect_output(print(found), "Model-based estimates of 30 sums of true counts, with 90 % intervals")
  expect_output(print(found), more_rows(10))
  expect_identical(nlevels(expect_picture(plot(found))$data$item), 10L)
  expect_refused(plot(found[0, ]), "at least one row")
})

test_that("intervals of sums cover as often as they say", {
  extended_only()
  for (family in c("poisson", "nbinom1")) {
    set.seed(727)
    covered <- replicate(40, {
      mu <- matrix(rgamma(300, 1), 100) %*% matrix(rgamma(36, 1), 3)
      excess <- 1 / runif(1) - 1
      y <- if (family == "poisson") rpois(1200, mu) else rnbinom(1200, mu / excess, mu = mu)
      y <- matrix(y, 100)
      group <- sample(3, 100, TRUE)
      x <- plain_release(y, exp(-1))
      fit <- suppressWarnings(topic_model(x, 3, family = family, prior = gamma_prior(1, 1), chains = 2))
      found <- augment(fit, by = group, level = 0.9)
      mean(c(t(rowsum(y, group))) >= found$lower & c(t(rowsum(y, group))) <= found$upper)
    })
    # 40 replicates have a standard error of up to 0.03 if cells of a replicate are dependent
    expect_gt(mean(covered), 0.80)
    expect_lt(mean(covered), 0.98)
  }
})
