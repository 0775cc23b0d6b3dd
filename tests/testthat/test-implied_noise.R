# Counts with variance 20 mu, of rank one.
bursty_release <- function(alpha = 0.3) {
  set.seed(501)
  mu <- 2 * outer(rgamma(20, 1), rgamma(20, 1))
  plain_release(array(rnbinom(400, mu / 19, mu = mu), dim(mu)), alpha)
}

test_that("the threshold is the smallest noise below the probability", {
  for (alpha in c(1e-6, 0.01, 0.2, exp(-1), 0.7, 0.95)) {
    t <- noise_never_made(alpha)
    two_tails <- function(t) ptwogeom(-t, alpha) + ptwogeom(t - 1, alpha, lower.tail = FALSE)
    expect_lt(two_tails(t), NEVER_MADE)
    expect_gte(two_tails(t - 1), NEVER_MADE)
  }
  expect_identical(noise_never_made(0), Inf)
})

# Every positive cell, every draw, from the density: without screens.
brute_implied <- function(fit) {
  input <- input_of(fit)
  cells <- which(input$counts > 0, arr.ind = TRUE)
  p <- vapply(seq_len(nrow(cells)), function(i) {
    y_tilde <- input$counts[cells[i, , drop = FALSE]]
    alpha <- input$alpha[cells[i, 1]]
    y <- 0:1000
    never <- 2 * alpha^abs(y_tilde - y) / (1 + alpha) < NEVER_MADE
    mean(vapply(spread_draws(fit, 50), function(s) {
      mu <- draw_cell_mean(fit, s, cells[i, , drop = FALSE])
      size <- mu / draw_cell_excess(fit, s, cells[i, , drop = FALSE])
      prior <- if (is.finite(size)) dnbinom(y, size, mu = mu) else dpois(y, mu)
      weight <- prior * alpha^abs(y_tilde - y)
      sum(weight[never]) / sum(weight)
    }, 0))
  }, 0)
  sum(p > 1 / 2)
}

test_that("cells that imply improbable noise are counted as by hand", {
  set.seed(502)
  poisson <- paper_topics(bursty_release(), 1, iter = 12)
  implied <- implied_noise(poisson)
  expect_gt(implied$cells, 3)
  expect_identical(implied$cells, as.double(brute_implied(poisson)))
  expect_identical(implied$positive, sum(as.matrix(poisson$data) > 0))
  expect_identical(implied$expected, 400 * NEVER_MADE)
  bursts <- paper_topics(bursty_release(), 1, iter = 60, warmup = 54, family = "nbinom1")
  expect_identical(implied_noise(bursts)$cells, 0)
  expect_identical(brute_implied(bursts), 0L)
})

test_that("small released counts with large means are included, and rows without noise are not", {
  y_tilde <- matrix(c(1, 5, 60, 3, 2, 1), 2)
  fit <- paper_topics(private_counts(y_tilde, alpha = c(0.3, 0)), 1, iter = 4)
  for (theta in c(1, 20, 60, 100, 300)) {
    fit$draws$theta[] <- theta
    fit$draws$phi[] <- 1
    expect_identical(implied_noise(fit)$cells, as.double(brute_implied(fit)))
  }
  expect_identical(implied_noise(fit)$cells, 3)
})

test_that("for very many cells a sample is used", {
  fit <- paper_topics(private_counts(matrix(40, 30, 20), alpha = 0.3), 1, iter = 4)
  fit$draws$theta[] <- fit$draws$phi[] <- 1
  expect_identical(implied_noise(fit)$cells, 600)
  expect_identical(implied_noise(fit, most = 7)$cells, 600)
  expect_identical(spread_over(5:9, 10), 5:9)
  expect_identical(spread_over(1:100, 3), c(1L, 50L, 100L))
})

test_that("without noise there is no result", {
  expect_null(implied_noise(paper_topics(bursty_release(), 1, iter = 4, noise = "ignore")))
  expect_null(implied_noise(paper_topics(matrix(1:4, 2), 1, iter = 4)))
  expect_null(describe_implied_noise(NULL, poisson_family))
})

test_that("the result does not depend on storage or clamping", {
  released <- bursty_release()
  clamped <- private_counts(pmax(as.matrix(released), 0), alpha = 0.3, clamped = TRUE)
  set.seed(503)
  fit <- paper_topics(released, 1, iter = 10)
  sparse <- fit
  sparse$data <- clamped
  expect_equal(implied_noise(sparse), implied_noise(fit), tolerance = TOL_EXACT)
})

test_that("summary() reports the result, and what to do", {
  set.seed(502)
  fit <- paper_topics(bursty_release(), 1, iter = 20)
  said <- summary(fit)
  expect_identical(said$implied_noise, implied_noise(fit))
  text <- gsub("\\s+", " ", paste(capture.output(print(said)), collapse = " "))
  expect_match(text, paste0(
    "In ", said$implied_noise$cells, " of ", said$implied_noise$positive, " positive cells, this Poisson ",
    "fit implies noise that the mechanism would add with probability below 1e-9. The true counts vary"
  ))
  fit <- structure(list(family = poisson_family, private = FALSE), class = c("topic_model", "ldp_fit"))
  problem <- release_problems(fit, said$implied_noise)[[1]]
  expect_match(problem$found, "^[0-9,]+ of [0-9,]+ positive cells imply noise of probability below 1e-09$")
  expect_identical(problem$remedy, "refit with family = \"nbinom1\" (?`which-family`)")
  implied <- list(cells = 0, positive = 5310)
  text <- describe_implied_noise(implied, poisson_family)
  expect_match(text, "^No cell requires implausible noise: for none of 5,310 positive cells")
  implied$cells <- 12
  text <- describe_implied_noise(implied, list(name = "nbinom1"))
  expect_match(text, "^In 12 of 5,310 positive cells, this fit")
  expect_no_match(text, "Poisson")
})
