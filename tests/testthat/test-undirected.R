pairs_of <- function(n, mu = 2) {
  y <- matrix(0L, n, n, dimnames = list(letters[1:n], letters[1:n]))
  y[upper.tri(y)] <- rpois(n * (n - 1) / 2, mu)
  y + t(y)
}

released_pairs <- function(n = 7, ...) {
  set.seed(411)
  privatize(pairs_of(n), alpha = 0.5, rng = "R", directed = FALSE, ...)
}

above <- function(x) as.matrix(x)[upper.tri(x)]

# --- releases ---------------------------------------------------------------------------------

test_that("a pair has one noise value, and the diagonal none", {
  set.seed(412)
  y <- pairs_of(90)
  for (clamp in c(FALSE, TRUE)) {
    for (counts in list(y, Matrix::Matrix(y + 0, sparse = TRUE))) {
      x <- privatize(counts, epsilon = 1, rng = "R", directed = FALSE, clamp = clamp)
      released <- as.matrix(x)
      expect_false(privacy(x)$directed)
      expect_identical(privacy(x)$clamped, clamp)
      expect_identical(released, t(released))
      expect_identical(dimnames(x), dimnames(y))
      expect_true(all(is.na(diag(released))))
      expect_false(anyNA(above(x)))
      # the noise of the pairs has the distribution of the mechanism: chi-square at 1e-6
      at <- if (clamp) above(y) == 0 else TRUE
      tau <- (above(x) - above(y))[at]
      seen <- if (clamp) 0:3 else -3:3
      p <- dtwogeom(seen, exp(-1))
      if (clamp) p[1] <- ptwogeom(0, exp(-1))
      observed <- vapply(seen, function(k) sum(tau == k), 0)
      expected <- sum(at * rep(1, length(above(y)))) * p
      expect_lt(sum((observed - expected)^2 / expected), qchisq(1e-6, length(seen), lower.tail = FALSE))
    }
  }
})

test_that("a clamped release stores the total below zero, counting each pair once", {
  set.seed(413)
  y <- pairs_of(30, 0.2)
  set.seed(414)
  whole <- privatize(y, alpha = 0.6, rng = "R", directed = FALSE)
  set.seed(414)
  clamped <- privatize(y, alpha = 0.6, rng = "R", directed = FALSE, clamp = TRUE)
  expect_identical(pmax(as.matrix(whole), 0) + 0, as.matrix(clamped))
  expect_identical(known_below_zero(clamped), known_below_zero(whole))
  expect_identical(sum(known_below_zero(whole)$cells), as.double(sum(above(whole) <= 0)))
  expect_identical(sum(known_below_zero(whole)$size), -sum(pmin(above(whole), 0)) + 0)
  expect_silent(summary(whole))
  wrong <- private_counts(as.matrix(privatize(y, alpha = 0.9, directed = FALSE)),
    alpha = 0.1, directed = FALSE
  )
  expect_warning(summary(wrong), class = "ldpcounts_declared_alpha")
})

test_that("an undirected release stays undirected", {
  x <- released_pairs()
  expect_identical(x[3:1, ], x[, c("c", "b", "a")])
  expect_identical(x[3:1, ], x[3:1, 3:1])
  expect_identical(as.matrix(x[3:1, ]), as.matrix(x)[3:1, 3:1])
  expect_identical(dim(head(x, 2)), c(2L, 2L))
  expect_error(x[1:2, 2:3], "the same actors", class = "ldpcounts_argument_error")
  is.na(x) <- cbind(2, 5)
  expect_true(is.na(as.matrix(x)[5, 2]) && is.na(as.matrix(x)[2, 5]))
  expect_output(print(x), "7 x 7, undirected \\(1 pairs masked\\)")
  expect_output(print(x), "Networks that differ by 1 count")
  expect_error(rbind(x, x), class = "ldpcounts_untrue_error")
  expect_output(print(privacy_loss(x, x)), "Networks that differ by 1 count")
  expect_refused(privacy_loss(x, plain_release(pairs_of(7), 0.5)), "direction")
})

test_that("files keep a release undirected", {
  for (x in list(released_pairs(), released_pairs(clamp = TRUE))) {
    file <- tempfile()
    rewrite_release(x, file)
    expect_identical(read_release(file), x)
    masked <- x
    is.na(masked) <- cbind(1, 3)
    rewrite_release(masked, file)
    expect_identical(read_release(file), masked)
    lines <- readLines(file)
    writeLines(c(sub("^cells: .*", "cells: 1", lines[seq_len(grep("^cells:", lines))]), "3 1 4", "end"), file)
    expect_error(read_release(file), class = "ldpcounts_file_error")
  }
})

test_that("further noise is added pair by pair", {
  x <- released_pairs(60)
  is.na(x) <- cbind(1, 2)
  further <- privatize(x, alpha = 0.8, rng = "R", directed = FALSE, compose = TRUE, clamp = TRUE)
  expect_identical(as.matrix(further), t(as.matrix(further)))
  expect_identical(which(is.na(above(further))), 1L)
  expect_false(anyNA(known_below_zero(further)$cells[-(1:2)]))
  expect_refused(privatize(x, alpha = 0.8, compose = TRUE), "directed")
})

test_that("data that are no undirected network throw errors", {
  y <- pairs_of(4)
  y[1, 2] <- y[2, 1] + 1L
  expect_refused(privatize(y, 1, directed = FALSE), "symmetric")
  expect_refused(private_counts(y, alpha = 0.5, directed = FALSE), "symmetric")
  expect_refused(privatize(matrix(0, 2, 3), 1, directed = FALSE), "as many rows as columns")
  expect_refused(privatize(pairs_of(4), 1:4, directed = FALSE), "the same noise")
  expect_refused(private_counts(pairs_of(4), alpha = rep(0.1, 4), directed = FALSE), "the same noise")
  big <- matrix(2^40, 2, 2)
  big[1, 2] <- 2^40 + 1
  expect_refused(private_counts(big, alpha = 0.5, directed = FALSE), "symmetric")
  expect_refused(paper_blocks(y, 2, directed = FALSE), "symmetric")
  expect_refused(paper_blocks(released_pairs(), 2), "directed = FALSE")
  expect_refused(paper_blocks(plain_release(y, 0.5), 2, directed = FALSE), "undirected release")
  expect_refused(
    paper_blocks(released_pairs(), 2, directed = FALSE, family = "nbinom1", dispersion_by = "row"),
    "dispersion_by"
  )
  start <- list(theta = matrix(1, 7, 2), pi = matrix(1:4, 2))
  expect_refused(paper_blocks(released_pairs(), 2, directed = FALSE, init = start), "symmetric")
})

# --- fits -------------------------------------------------------------------------------------

test_that("two actors and one community: the posterior of one product, by integration", {
  alpha <- 0.4
  set.seed(415)
  n <- if (EXTENDED) 2e6 else 5e5
  mu <- rgamma(n, 1.5, 1) * rgamma(n, 1.5, 1) * rgamma(n, 1.5, 1)
  weight <- dprivpois(3, mu, alpha)
  truth <- sum(weight * mu) / sum(weight)
  x <- private_counts(matrix(c(0, 3, 3, 0), 2), alpha = alpha, directed = FALSE)
  for (scheme in some_of(c("collapsed", "bessel"), 2, 2)) {
    set.seed(416)
    fit <- paper_blocks(x, 1,
      directed = FALSE, prior = gamma_prior(1.5, 1), scheme = scheme, iter = 2e5,
      warmup = 1000, thin = 10
    )
    expect_lt(max(abs(fitted(fit)[c(2, 3)] / truth - 1)), 0.02)
  }
})

test_that("a network with each pair in one direction, the other masked, is the same model at k = 1", {
  # with one community nothing tells the roles apart
  x <- released_pairs(9)
  once <- as.matrix(x)
  once[lower.tri(once)] <- NA
  prior <- gamma_prior(1.2, 0.8)
  set.seed(417)
  undirected <- paper_blocks(x, 1, directed = FALSE, prior = prior, iter = 20000, thin = 5)
  directed <- paper_blocks(private_counts(once, alpha = 0.5), 1, prior = prior, iter = 20000, thin = 5)
  expect_same_posterior(undirected, directed)
})

test_that("methods of a fit work for pairs", {
  x <- released_pairs()
  is.na(x) <- cbind("a", "c")
  set.seed(418)
  fit <- paper_blocks(x, 2, directed = FALSE, family = "nbinom1", iter = 40)
  mu <- fitted(fit)
  expect_equal(mu, t(mu))
  expect_true(all(is.na(diag(mu))))
  expect_equal(unname(fitted(fit, cells = rbind(c("b", "a"), c("a", "b")))), rep(mu["a", "b"], 2))
  pi <- coef(fit)$pi
  expect_equal(pi, t(pi))
  pointwise <- log_lik.ldp_fit(fit)
  expect_identical(dim(pointwise), c(20L, 20L)) # 21 pairs, one of them masked
  expect_equal(log_lik.ldp_fit(fit, cells = cbind("d", "b")), log_lik.ldp_fit(fit, cells = cbind("b", "d")))
  expect_equal(rowSums(pointwise), as.vector(fit$log_density))
  expect_identical(nrow(augment(fit)), 20L)
  expect_true(all(augment(fit)$row < augment(fit)$column))
  expect_output(print(summary(fit)), "Undirected block model")
  expect_picture(plot(fit))
  expect_equal(draw_total(fit, 3), sum(draw_mean(fit, 3)[upper.tri(mu)]))
  # each pair once, whatever stands on the diagonal
  y <- pairs_of(7)
  true_fit <- function(y) {
    set.seed(419)
    suppressWarnings(paper_blocks(y, 2, directed = FALSE, iter = 30), classes = "ldpcounts_self_loops")
  }
  expect_identical(fitted(true_fit(y)), fitted(true_fit(y + diag(7L, 7))))
  expect_identical(fitted(true_fit(y)), fitted(true_fit(Matrix::Matrix(y + 0, sparse = TRUE))))
})

test_that("a continued run stays undirected", {
  x <- released_pairs()
  run <- function(iter) {
    set.seed(420)
    paper_blocks(x, 2, directed = FALSE, iter = iter, warmup = 5)
  }
  expect_identical(as.matrix(update(run(12), iter = 8)), as.matrix(run(20)))
  file <- tempfile()
  y <- pairs_of(7)
  of_truth <- function(directed) {
    suppressWarnings(paper_blocks(y, 2, directed = directed, iter = 20, checkpoint = file))
  }
  of_truth(FALSE)
  expect_error(of_truth(TRUE), class = "ldpcounts_checkpoint_error")
})
