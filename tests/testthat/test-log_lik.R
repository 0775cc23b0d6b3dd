released_topics <- function(alpha = 0.3, clamped = FALSE) {
  set.seed(521)
  y_tilde <- rpois(60, 2) + rgeom(60, 0.7) - rgeom(60, 0.7)
  y_tilde[c(3, 17)] <- NA
  y_tilde <- matrix(if (clamped) pmax(y_tilde, 0) else y_tilde, 6)
  private_counts(y_tilde, alpha = alpha, clamped = clamped)
}

released_network <- function() {
  set.seed(522)
  x <- plain_release(matrix(rpois(49, 2), 7), 0.4)
  dimnames(x) <- list(letters[1:7], letters[1:7])
  x
}

test_that("row sums agree with the log density of the release", {
  per_row <- seq(0.1, 0.6, 0.1)
  fits <- suppressWarnings(list( # of a network's diagonal
    paper_topics(released_topics(), 2, iter = 8, chains = 2),
    paper_topics(released_topics(), 2, iter = 8, scheme = "bessel"),
    paper_topics(released_topics(per_row), 2, iter = 8),
    paper_topics(released_topics(per_row, TRUE), 2, iter = 8),
    paper_topics(released_topics(), 2, iter = 8, noise = "ignore"),
    paper_topics(released_topics(per_row), 2, iter = 8, family = "nbinom1", dispersion_by = "row"),
    paper_topics(released_topics(per_row, TRUE), 2, iter = 8, family = "nbinom1"),
    paper_topics(released_topics(), 2, iter = 8, family = "nbinom1", dispersion = 1),
    paper_topics(released_topics(), 2, iter = 8, family = "nbinom1", dispersion = 3),
    paper_topics(released_topics(), 2, iter = 8, noise = "ignore", family = "nbinom1"),
    paper_blocks(released_network(), 2, iter = 8),
    paper_blocks(released_network(), 2, iter = 8, family = "nbinom1"),
    paper_blocks(as.matrix(released_network())^2, 2, iter = 8),
    paper_blocks(as_sparse(Matrix::Matrix(as.matrix(released_network())^2)), 2, iter = 8)
  ))
  for (fit in fits) {
    pointwise <- log_lik.ldp_fit(fit)
    expect_identical(nrow(pointwise), n_draws(fit))
    expect_within(rowSums(pointwise), as.vector(fit$log_density), TOL_SERIES)
  }
})

# log density of one cell by the sum over true counts
brute_density <- function(fit, s, row, column, clamped = FALSE) {
  y <- 0:400
  mu <- draw_mean(fit, s)[row, column]
  excess <- draw_cell_excess(fit, s, cbind(row, column))
  prior <- if (excess == 0) dpois(y, mu) else dnbinom(y, mu / excess, mu = mu)
  y_tilde <- as.matrix(fit$data)[row, column]
  alpha <- rep_len(privacy(fit$data)$alpha, row)[row]
  noise <- dtwogeom(y_tilde - y, alpha)
  if (clamped && y_tilde == 0) noise <- ptwogeom(-y, alpha)
  log(sum(prior * noise))
}

test_that("columns are the observed cells, in the order of the data", {
  per_row <- seq(0.1, 0.6, 0.1)
  for (clamped in c(FALSE, TRUE)) {
    for (family in c("poisson", "nbinom1")) {
      fit <- paper_topics(released_topics(per_row, clamped), 2, iter = 6, family = family)
      pointwise <- log_lik.ldp_fit(fit)
      place <- which(!is.na(as.matrix(fit$data)))
      expect_identical(dim(pointwise), c(3L, 58L))
      cells <- arrayInd(place, dim(fit$data))
      for (s in c(1, 3)) {
        for (i in c(1, 2, 3, 30, 58)) {
          direct <- brute_density(fit, s, cells[i, 1], cells[i, 2], clamped)
          expect_within(pointwise[s, i], direct, TOL_QUICK)
        }
      }
      some <- c(40, 2, 7)
      expect_identical(log_lik.ldp_fit(fit, cells = cells[some, ]), pointwise[, some])
    }
  }
  network <- paper_blocks(released_network(), 2, iter = 6)
  pointwise <- log_lik.ldp_fit(network)
  expect_identical(dim(pointwise), c(3L, 42L))
  expect_within(pointwise[2, 1], brute_density(network, 2, 2, 1), TOL_SERIES)
  expect_within(pointwise[2, 7], brute_density(network, 2, 1, 2), TOL_SERIES)
  by_label <- log_lik.ldp_fit(network, cells = cbind(c("b", "a"), c("a", "b")))
  expect_identical(by_label, pointwise[, c(1, 7)])
})

test_that("cells without information, and matrices that are too large, throw errors", {
  fit <- paper_topics(released_topics(), 2, iter = 6)
  log_lik <- log_lik.ldp_fit
  expect_refused(log_lik(fit, cells = cbind(1:3, 1)), "`cells` must not be masked", "Row 3")
  expect_refused(log_lik(fit, cells = cbind(9, 9)), "`cells` must be cells of the data")
  expect_refused(log_lik(fit, cell = cbind(1, 1)), "no argument `cell`", "`cells`")
  network <- paper_blocks(released_network(), 1, iter = 6)
  expect_refused(log_lik(network, cells = cbind(1:2, c(2, 2))), "on the diagonal", "Row 2")
  large <- fit
  large$run$kept <- 1000
  too_large <- quote(pointwise_cells(large, input_of(fit), matrix(1, 1e6, 2)))
  expect_refused(with_free_memory(1e9, eval(too_large)), "8 GB of memory", "(1,000,000)", "`cells`")
  expect_error(with_free_memory(1, log_lik(fit, cells = cbind(1, 1:9))), class = "ldpcounts_memory_error")
  expect_silent(log_lik(fit, cells = cbind(1, 4:9)))
})

test_that("log_lik() is a method of rstantools, whenever that is loaded", {
  skip_if_not_installed("rstantools")
  fit <- paper_topics(released_topics(), 2, iter = 6)
  expect_identical(rstantools::log_lik(fit), log_lik.ldp_fit(fit))
})

# The largest relative error of the quick densities, over values and levels of noise.
quick_error <- function(dispersion, alpha) {
  k <- rep(c(-400, -3, 0, 1, 2, 17, 90, 1100, 40000), 6)
  mu <- rep(c(1e-9, 0.01, 0.7, 9, 300, 30000), each = 9)
  exact <- if (dispersion > 1) {
    dprivnbinom(k, mu, alpha, dispersion, log = TRUE)
  } else {
    dprivpois(k, mu, alpha, log = TRUE)
  }
  quick <- release_density(k, mu, dispersion - 1, alpha, clamped = FALSE)
  max(abs(quick - exact) / pmax(1, abs(exact)))
}

test_that("densities of releases have ten digits at every noise level", {
  for (dispersion in c(1, 1 + 1e-9, 1.3, 20, 1e5)) {
    for (alpha in c(exp(-3), exp(-1), 0.9, 0.99, 1 - 1e-5)) {
      expect_lt(quick_error(dispersion, alpha), TOL_QUICK)
    }
    expect_lt(quick_error(dispersion, rep_len(c(0.3, 0.97), 54)), TOL_QUICK) # a level per row
  }
})

test_that("fits without a density throw errors", {
  density <- function(k, mu, excess, alpha) release_density(k, mu, excess, alpha, FALSE)
  expect_identical(density(c(3, 3, 3), c(NaN, Inf, 1), 0, 0.5)[1:2], c(NaN, -Inf))
  expect_identical(density(c(-1, 2), c(1, 0), 0, 0), c(-Inf, -Inf))
  expect_equal(density(4, 0, 2, 0.5), log(1 / 3) + 4 * log(0.5))
  expect_length(density(numeric(), numeric(), 0, 0.5), 0)
})
