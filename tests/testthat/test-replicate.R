test_that("moments of a release agree with its distribution, clamped or not", {
  k <- -300:600
  for (alpha in c(0, 0.2, 0.7)) {
    for (mu in c(0.01, 0.8, 9)) {
      for (excess in c(0, 0.5, 4)) {
        density <- dprivnbinom(k, mu, alpha, 1 + excess)
        for (clamped in c(FALSE, TRUE)) {
          seen <- if (clamped) pmax(k, 0) else k
          mean <- sum(seen * density)
          moments <- release_moments(mu, excess, alpha, clamped)
          expect_within(moments$mean, mean, 1e-11) # what the sum itself is good to
          expect_within(moments$variance, sum((seen - mean)^2 * density), 1e-11)
        }
        y <- 0:600
        prior <- if (excess == 0) dpois(y, mu) else dnbinom(y, mu / excess, mu = mu)
        expect_within(log_generating(mu, excess, alpha), log(sum(prior * alpha^y)), TOL_SERIES)
      }
    }
  }
})

test_that("replicates have the distribution of a release", {
  set.seed(511)
  n <- 2e4
  k <- -20:60
  for (excess in c(0, 3)) {
    draws <- replicate_release(rep(2, n), excess, 0.5, FALSE)
    expect_law_on(draws, k, dprivnbinom(k, 2, 0.5, 1 + excess))
    clamped <- replicate_release(rep(2, n), excess, 0.5, TRUE)
    law <- c(pprivnbinom(0, 2, 0.5, 1 + excess), dprivnbinom(1:60, 2, 0.5, 1 + excess))
    expect_law(clamped, law)
    expect_law(replicate_release(rep(2, n), excess, 0, FALSE), dprivnbinom(0:60, 2, 0, 1 + excess))
  }
  expect_identical(replicate_counts(c(0, 0), 0), c(0L, 0L))
  expect_identical(replicate_counts(c(0, 0), 3), c(0L, 0L))
})

small_counts <- function(dispersion) {
  set.seed(512)
  mu <- outer(rgamma(40, 2), rgamma(30, 2))
  y <- if (dispersion > 1) rnbinom(1200, mu / (dispersion - 1), mu = mu) else rpois(1200, mu)
  array(y, dim(mu))
}

test_that("the check finds counts that vary more than the model allows, and no others", {
  plain <- small_counts(1)
  bursts <- small_counts(4)
  clamp <- function(x) private_counts(pmax(as.matrix(x), 0), alpha = 0.3, clamped = TRUE)
  check <- function(y, ...) {
    dispersion_check(paper_topics(y, 1, iter = 60, prior = gamma_prior(2, 1), ...))
  }
  right <- list(
    check(plain), check(plain_release(plain, 0.3)), check(bursts, family = "nbinom1"),
    check(clamp(plain_release(plain, 0.3)))
  )
  for (seen in right) {
    expect_gt(seen$p, 0) # of 50 replicates, at these seeds
    expect_lt(seen$p, 1)
    expect_lt(abs(seen$observed - 1), 0.3)
    expect_lt(abs(seen$replicated - 1), 0.1)
    expect_identical(seen$cells, 1200L)
  }
  for (seen in list(check(bursts), check(plain_release(bursts, 0.3)))) {
    expect_identical(seen$p, 0)
    expect_gt(seen$observed, 1.3)
  }
  expect_identical(check(plain, family = "nbinom1", dispersion = 20)$p, 1)
})

test_that("the check is reproducible, and does not change R's random numbers", {
  fit <- paper_topics(small_counts(1), 1, iter = 10)
  set.seed(513)
  before <- .Random.seed
  first <- dispersion_check(fit)
  expect_identical(.Random.seed, before)
  runif(1)
  expect_identical(dispersion_check(fit), first)
})

test_that("a separate stream does not create .Random.seed", {
  callers <- get0(".Random.seed", globalenv())
  on.exit(assign(".Random.seed", callers, globalenv()))
  kind <- RNGkind()
  rm(".Random.seed", envir = globalenv())
  chain_streams(1, 0)
  expect_false(exists(".Random.seed", globalenv()))
  expect_identical(RNGkind(), kind)
})

test_that("checked cells are observed ones, even if few are observed", {
  counts <- matrix(NA_real_, 300, 200)
  counts[cbind(1:200, 200:1)] <- 1
  cells <- checked_cells(counts, "none")
  expect_gt(nrow(cells), 100)
  expect_false(anyNA(counts[cells]))
  network <- checked_cells(matrix(0, 150, 150), "directed")
  expect_false(any(network[, 1] == network[, 2]))
  expect_gt(nrow(network), 9000)
  masked <- paper_topics(matrix(NA_real_, 2, 2), 1, iter = 4)
  expect_null(dispersion_check(masked))
  expect_output(print(summary(masked)), "topic")
})

test_that("counts_at() reads dense and sparse counts", {
  set.seed(514)
  counts <- matrix(rpois(60, 0.5), 6)
  counts[2, 3] <- NA
  cells <- cbind(c(2, 1:6, 6), c(3, 6:1, 10))
  expect_identical(counts_at(counts, cells), as.double(counts[cells]))
  expect_identical(counts_at(as_sparse(Matrix::Matrix(counts)), cells), as.double(counts[cells]))
})

checked <- function(p, observed) list(observed = observed, replicated = 1, p = p, cells = 9L, replicates = 50)

test_that("the printed line states how overdispersed counts are", {
  line <- function(p, observed = if (p < 0.5) 1.234 else 0.8) {
    describe_dispersion(checked(p, observed))
  }
  expect_identical(line(0.4), paste0(
    "Counts vary about as much as the model expects (mean squared residual 1.23, in replicated data 1; ",
    "posterior predictive p = 0.4)."
  ))
  expect_match(line(0, observed = 1.05), "about as much as .*p < 0.02")
  expect_match(line(0), "more than.*p < 0.02[)][.]$")
  expect_match(line(1), "less than.*p > 0.98")
  # the verdict says what to do
  problems <- function(family, p, observed = 1.234) {
    fit <- structure(list(family = family, private = FALSE), class = c("topic_model", "ldp_fit"))
    release_problems(fit, check = checked(p, observed))
  }
  expect_match(problems(poisson_family, 0)[[1]]$found, "^counts vary more than .*residual 1.23, in replicated data 1.$")
  expect_match(problems(poisson_family, 0)[[1]]$remedy, "^refit with family")
  expect_match(problems(list(name = "nbinom1"), 0)[[1]]$remedy, "larger k")
  expect_length(problems(poisson_family, 0.4), 0)
  expect_length(problems(poisson_family, 0, 1.05), 0)
})
