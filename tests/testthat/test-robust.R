# Paired, cell by cell: by how much `x` predicts better, in standard errors.
advantage <- function(x, y) {
  difference <- x$pointwise - y$pointwise
  mean(difference) / standard_error(difference)
}

score_with <- function(held_out, y, wrap, k = 3, model = paper_blocks) {
  fit <- model(wrap(held_out$train), k, iter = 300)
  held_out_density(fit, wrap(y), held_out$cells)
}

with_errors <- function(alpha) function(y) private_counts(y, alpha = alpha, clamped = TRUE)

test_that("for overdispersed counts, a model with errors is better than the Poisson model", {
  busiest <- order(-(rowSums(enron_network) + colSums(enron_network)))[1:50]
  y <- enron_network[busiest, busiest]
  diag(y) <- 0
  set.seed(651)
  held_out <- holdout_cells(y)
  poisson <- score_with(held_out, y, identity)
  robust <- score_with(held_out, y, with_errors(0.9))
  expect_gt(advantage(robust, poisson), 3)
  expect_gt(robust$mean - poisson$mean, 5)
})

test_that("a few outlying cells do not hide the structure; without them, nothing is gained", {
  set.seed(652)
  theta <- matrix(rgamma(80 * 2, 0.5), 80)
  phi <- matrix(rgamma(2 * 50, 0.5), 2)
  mu <- 6 * theta %*% phi
  plain <- matrix(rpois(4000, mu), 80)
  wild <- plain
  hit <- sample(4000, 40)
  wild[hit] <- wild[hit] + 100
  held_out <- holdout_cells(wild)
  error <- function(wrap, y) {
    y[held_out$cells] <- NA
    fit <- paper_topics(wrap(y), 2, iter = 300)
    mae(fitted(fit, cells = held_out$cells), mu[held_out$cells])
  }
  expect_lt(error(with_errors(0.5), wild), error(identity, wild) / 2)
  expect_lt(error(identity, plain), error(with_errors(0.5), plain))
})
