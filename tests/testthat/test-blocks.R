test_that("collapsed and Bessel chains agree cell by cell", {
  extended_only()
  run <- function(x, scheme) {
    paper_blocks(x, 2,
      scheme = scheme, prior = gamma_prior(0.7, 0.5),
      iter = 6000, warmup = 1000, thin = 5, chains = 2
    )
  }
  set.seed(71)
  theta <- matrix(rgamma(24, 0.5), 12)
  mu <- theta %*% matrix(c(4, 0.2, 1, 3), 2) %*% t(theta)
  y <- matrix(rpois(144, mu), 12)
  rows <- plain_release(y, rep(c(0.1, 0.4, 0.7), 4))
  is.na(rows) <- matrix(runif(144) < 0.15, 12)
  rows[3, -4] <- NA # an actor most of whose messages are missing
  expect_same_posterior(run(rows, "collapsed"), run(rows, "bessel"))
  x <- plain_release(y, 0.4)
  is.na(x) <- diag(12) == 1
  expect_same_posterior(run(x, "collapsed"), run(x, "bessel"))
})

test_that("the diagonal has no effect", {
  set.seed(72)
  y <- matrix(rpois(36, 2), 6)
  x <- plain_release(y, 0.3)
  draw <- function(diagonal) {
    counts <- as.matrix(x)
    diag(counts) <- diagonal
    set.seed(73)
    fitted(paper_blocks(private_counts(counts, alpha = 0.3), 2, iter = 50))
  }
  expect_identical(draw(0), draw(1000))
  expect_identical(draw(0), draw(NA))
  expect_true(all(is.na(diag(draw(0)))))
  expect_false(anyNA(draw(0)[row(y) != col(y)]))
})

test_that("two actors and one community: the posterior of one product, by integration", {
  # mu_12 = mu_21 = theta_1 theta_2 pi = exp(s); its prior is that of a product of three gammas,
  # drawn here; the posterior weights the draws by the likelihood
  y_tilde <- matrix(c(0, 3, 1, 0), 2)
  alpha <- 0.4
  prior <- gamma_prior(1.5, 1)
  set.seed(74)
  n <- if (EXTENDED) 1e6 else 5e5
  mu <- rgamma(n, 1.5, 1) * rgamma(n, 1.5, 1) * rgamma(n, 1.5, 1)
  weight <- dprivpois(3, mu, alpha) * dprivpois(1, mu, alpha)
  truth <- sum(weight * mu) / sum(weight)
  for (scheme in some_of(c("collapsed", "bessel"), 2)) {
    set.seed(75)
    fit <- paper_blocks(private_counts(y_tilde, alpha = alpha), 1,
      prior = prior, scheme = scheme, iter = 3e5, warmup = 1000, thin = 30
    )
    expect_lt(max(abs(fitted(fit)[c(2, 3)] / truth - 1)), 0.02)
  }
})

test_that("simulated communities are recovered better than by ignoring the noise", {
  set.seed(76)
  member <- rep(1:3, each = 12)
  theta <- diag(3)[member, ] * rgamma(36 * 3, 4, 4) + 0.01
  mu <- theta %*% matrix(c(6, 1, 0.1, 0.2, 5, 1, 0.5, 0.1, 8), 3) %*% t(theta)
  diag(mu) <- NA
  y <- matrix(suppressWarnings(rpois(36^2, mu)), 36)
  diag(y) <- 0
  x <- plain_release(y, 0.6)
  iter <- if (EXTENDED) 1500 else 700
  private <- paper_blocks(x, 3, iter = iter)
  naive <- paper_blocks(x, 3, iter = iter, noise = "ignore")
  expect_lt(poisson_kl(fitted(private), mu), 0.7 * poisson_kl(fitted(naive), mu))
  found <- max.col(coef(private)$theta)
  agreement <- table(found, member)
  expect_gte(sum(apply(agreement, 2, max)), 34)
})

test_that("rates are exact if one actor makes up a community", {
  set.seed(77)
  y <- matrix(rpois(100, 1), 10)
  y[1, ] <- 1000000L
  y[, 1] <- 1000000L
  diag(y) <- 0
  draws <- as.matrix(suppressWarnings(paper_blocks(y, 2, prior = gamma_prior(0.1, 1e-8), iter = 500)))
  expect_true(all(is.finite(draws) & draws > 0))
})
