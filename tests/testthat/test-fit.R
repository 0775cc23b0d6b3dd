small_topics <- function(...) {
  set.seed(91)
  y <- matrix(rpois(40, 2), 5, dimnames = list(paste0("doc", 1:5), paste0("word", 1:8)))
  paper_topics(private_counts(y, alpha = 0.3), 3, iter = 30, ...)
}

small_blocks <- function(...) {
  set.seed(92)
  y <- matrix(rpois(49, 2), 7, dimnames = list(letters[1:7], letters[1:7]))
  paper_blocks(private_counts(y, alpha = 0.3), 2, iter = 30, ...)
}

test_that("as.matrix() has one row per draw and correctly named columns", {
  fit <- small_topics(chains = 2)
  draws <- as.matrix(fit)
  expect_identical(dim(draws), c(30L, 5L * 3L + 3L * 8L))
  expect_identical(colnames(draws)[c(1, 2, 6, 16, 17, 19)], c(
    "theta[1,1]", "theta[2,1]", "theta[1,2]", "phi[1,1]", "phi[2,1]", "phi[1,2]"
  ))
  s <- 17
  theta <- matrix(draws[s, 1:15], 5)
  phi <- matrix(draws[s, 16:39], 3)
  expect_within(theta %*% phi, topics_model$mean(draw_factors(fit, s)), TOL_EXACT)

  blocks <- small_blocks()
  draws <- as.matrix(blocks)
  expect_identical(colnames(draws)[c(1, 8, 15, 16)], c("theta[1,1]", "theta[1,2]", "pi[1,1]", "pi[2,1]"))
  theta <- matrix(draws[4, 1:14], 7)
  pi <- matrix(draws[4, 15:18], 2)
  mu <- theta %*% pi %*% t(theta)
  expect_within(mu[row(mu) != col(mu)], mu_draws(blocks)[4, row(mu) != col(mu)], TOL_EXACT)
})

test_that("fitted is the mean of mu over draws, of all cells or of some", {
  for (fit in list(small_topics(chains = 2), small_blocks())) {
    mu <- fitted(fit)
    expect_identical(dimnames(mu), dimnames(fit$data))
    by_draw <- colMeans(mu_draws(fit))
    seen <- !is.na(by_draw)
    expect_within(as.vector(mu)[seen], by_draw[seen], TOL_EXACT)
    cells <- cbind(c(2, 5, 1), c(3, 1, 1))
    expect_equal(unname(fitted(fit, cells = cells)), mu[cells], tolerance = TOL_EXACT)
    labels <- cbind(rownames(mu)[cells[, 1]], colnames(mu)[cells[, 2]])
    expect_identical(fitted(fit, cells = labels), fitted(fit, cells = cells))
    intervals <- fitted(fit, cells = cells, level = 0.5)
    expect_identical(colnames(intervals), c("mean", "lower", "upper"))
    by_hand <- apply(mu_draws(fit)[, matrix(seq_along(mu), nrow(mu))[cells]], 2,
      quantile, c(0.25, 0.75), na.rm = TRUE, names = FALSE)
    expect_equal(unname(intervals[, 1]), mu[cells], tolerance = TOL_EXACT)
    expect_equal(unname(t(intervals[, 2:3])), by_hand, tolerance = TOL_EXACT)
    expect_refused(fitted(fit, cells = cells, level = 90), "`level`", "between 0 and 1")
    expect_refused(fitted(fit, level = 0.9), "`cells` must be given")
    expect_refused(fitted(fit, cells = cbind(1, 99)), "`cells` must be cells of the data", "Row 1")
    expect_refused(fitted(fit, cells = cbind("nobody", "word1")), "`cells`")
    expect_refused(fitted(fit, cells = 1:3), "two columns")
    expect_refused(fitted(fit, cell = cells), "no argument `cell`", "`cells`")
  }
})

test_that("in a network the names of one margin are used for both", {
  y <- matrix(c(0, 1, 2, 0, 0, 3, 1, 1, 0), 3, dimnames = list(NULL, c("a", "b", "c")))
  fit <- paper_blocks(y, 1, iter = 10)
  expect_identical(rownames(coef(fit)$theta), c("a", "b", "c"))
  expect_identical(rownames(fitted(fit)), c("a", "b", "c"))
  expect_identical(fitted(fit, cells = cbind("a", "b")), fitted(fit, cells = cbind(1, 2)))
})

test_that("coef is normalised, labelled and ordered, and undoes label switching", {
  fit <- small_topics()
  factors <- coef(fit)
  expect_identical(dimnames(factors$theta), list(paste0("doc", 1:5), paste0("topic", 1:3)))
  expect_identical(dimnames(factors$phi), list(paste0("topic", 1:3), paste0("word", 1:8)))
  expect_equal(unname(rowSums(factors$phi)), rep(1, 3))
  expect_false(is.unsorted(-colSums(factors$theta)))
  # the same draws with labels and scale shuffled draw by draw
  shuffled <- fit
  set.seed(93)
  for (s in seq_len(n_draws(fit))) {
    order <- sample(3)
    scale <- rgamma(3, 5)
    shuffled$draws$theta[, , s] <- fit$draws$theta[order, , s] * scale
    shuffled$draws$phi[, , s] <- fit$draws$phi[order, , s] / scale
  }
  # the reference draw is shuffled too, so matching starts elsewhere: same last draw first
  shuffled$draws$theta[, , 15] <- fit$draws$theta[, , 15]
  shuffled$draws$phi[, , 15] <- fit$draws$phi[, , 15]
  expect_equal(coef(shuffled), factors, tolerance = 1e-10)
  blocks <- coef(small_blocks())
  expect_equal(unname(colMeans(blocks$theta)), rep(1, 2))
  expect_identical(dimnames(blocks$pi), list(paste0("community", 1:2), paste0("community", 1:2)))
})

test_that("the formats of posterior contain the same draws", {
  fit <- small_topics(chains = 2)
  array <- posterior::as_draws_array(fit)
  expect_identical(posterior::nchains(array), 2L)
  expect_identical(posterior::niterations(array), 15L)
  draws <- as.matrix(fit)
  expect_equal(as.vector(array[, 2, "phi[2,3]"]), unname(draws[16:30, "phi[2,3]"]))
  matrix <- as_draws_matrix(fit)
  expect_equal(as.vector(matrix[, "theta[1,2]"]), unname(draws[, "theta[1,2]"]))
  expect_s3_class(posterior::as_draws_df(fit), "draws_df")
  expect_s3_class(as_draws(fit), "draws")
  means <- as.double(posterior::summarise_draws(array, "mean")$mean)
  expect_equal(means, unname(colMeans(draws)))
})

test_that("print() and summary() describe the run", {
  fit <- small_topics()
  expect_output(print(fit), "Topic model, k = 3, of 5 x 8 private counts")
  expect_output(print(fit), "noise modelled")
  expect_output(print(fit), "15 draws kept")
  expect_output(print(small_topics(noise = "ignore")), "noise ignored")
  expect_output(print(paper_topics(matrix(1:4, 2), 1, iter = 4)), "not private")
  expect_output(print(summary(fit)), "rhat")
  expect_output(print(summary(small_blocks())), "each community")
  expect_identical(dim(top_terms(fit, 4)), c(4L, 3L))
  expect_true(all(top_terms(fit) %in% paste0("word", 1:8)))
  expect_refused(top_terms(small_blocks()), "`fit` must be a fit of topic_model()")
})

test_that("total is the sum of mu", {
  for (fit in list(small_topics(), small_blocks())) {
    expect_within(total_draws(fit), rowSums(mu_draws(fit), na.rm = TRUE), TOL_SERIES)
  }
})

test_that("one component, one row, one column", {
  fit <- paper_topics(matrix(3L), 1, iter = 20)
  expect_identical(dim(fitted(fit)), c(1L, 1L))
  expect_identical(dim(coef(fit)$phi), c(1L, 1L))
  expect_equal(dim(as.matrix(fit)), c(10, 2))
  expect_output(print(summary(fit)), "topic")
  pair <- paper_blocks(matrix(c(0, 1, 2, 0), 2), 1, iter = 20)
  expect_identical(dim(coef(pair)$pi), c(1L, 1L))
  one_draw <- quietly(paper_topics(matrix(3L), 2, iter = 2))
  expect_output(print(summary(one_draw)), "topic")
})

test_that("fits of a later format are refused", {
  fit <- paper_topics(matrix(1:6, 2), 1, iter = 2)
  fit$version <- FIT_VERSION + 1L
  expect_error(fitted(fit), class = "ldpcounts_version_error")
  expect_error(print(fit), class = "ldpcounts_version_error")
})

test_that("means are cached, and only used for the same draws", {
  fit <- topic_model(matrix(1:12, 4), 2, iter = 20)
  first <- fitted(fit)
  expect_identical(fitted(fit), first)
  edited <- fit
  edited$draws$theta[] <- 2 * edited$draws$theta
  expect_within(fitted(edited), 2 * first, TOL_SERIES)
  expect_false(identical(coef(edited)$theta, coef(fit)$theta))
  expect_identical(fitted(subset(fit, 1)), posterior_mean_of(subset(fit, 1), function(factors, size) {
    factors$theta %*% factors$phi * size
  }))
  for (i in 1:10) fitted(subset(fit, 1 + i %% 4))
  expect_lte(length(remembered_means$values), MOST_REMEMBERED)
  expect_identical(fitted(fit), first)
})

test_that("a fit whose fields were renamed is damaged, and not one of another version", {
  fit <- paper_topics(matrix(1:12, 4), 2, iter = 10)
  names(fit) <- letters[seq_along(fit)]
  expect_refused(summary(fit), "has been edited or damaged")
})
