# The bound of one document is tested against integration in tests/c/test_lda_vi.c.

set.seed(30)
documents <- simulate_topics(D = 400, V = 10, words = 25)
y <- documents$y
fits <- lapply(1:3, function(i) {
  set.seed(i)
  dp_lda_vi(y, i, 0.3, 0.1, Inf, 0, lmax = 100, clip = 10, iter = 5)
})
score_now <- function(..., counts = y, epsilon = 1, delta = 1e-6, rng = "R") {
  dp_lda_score(..., counts = counts, epsilon = epsilon, delta = delta, rng = rng)
}

test_that("the exact score of one topic is the log probability of its words", {
  fit <- fits[[1]]
  per_token <- as.vector(y %*% log(fit$mu)) / pmax(rowSums(y), 1)
  exact <- score_now(fit, epsilon = Inf, delta = 0)
  expect_within(exact$value, mean(per_token), 1e-6) # the document's distribution is found to 1e-3 of a token
  expect_false(exact$private)
  low <- -median(per_token)
  cut <- score_now(fit, epsilon = Inf, delta = 0, bound = low)
  expect_within(cut$value, mean(pmax(per_token, -low)), 1e-6)
  # an empty document counts 0
  more <- score_now(fit, counts = rbind(y, 0L), epsilon = Inf, delta = 0)
  expect_within(more$value * 401, exact$value * 400, TOL_SERIES)
})

test_that("a replaced document moves the score by bound / N at most", {
  mu <- rbind(c(1, 1e-12), c(1e-12, 1))
  fit <- structure(list(mu = mu, alpha = c(1e-3, 1e-3)), class = c("dp_lda_vi", "dp_lda"))
  rest <- rbind(c(4, 0), c(0, 2), c(1, 1))
  of <- function(one, ...) score_now(fit, counts = rbind(rest, one), epsilon = Inf, delta = 0, ...)$value
  set.seed(1)
  pairs <- c(list(rbind(c(1e6, 0), c(1e6, 1e6))), replicate(100, matrix(rnbinom(4, 0.4, 0.05), 2), FALSE))
  moved <- vapply(pairs, function(pair) abs(of(pair[1, ], bound = 0.5) - of(pair[2, ], bound = 0.5)), 0)
  expect_lte(max(moved), 0.5 / 4 + 1e-12)
  expect_gt(max(moved), 0.49 / 4)
})

test_that("noise has the size stated in the ledger", {
  few <- y[1:40, ]
  set.seed(2)
  n <- 2000
  noised <- replicate(n, score_now(fits[[3]], counts = few)$value)
  fit <- score_now(fits[[3]], counts = few)
  expect_within(fit$ledger$sensitivity, (log(10) + 5) / 40, TOL_EXACT)
  expect_within(fit$ledger$sigma, fit$ledger$sensitivity / largest_gdp_mu(1, 1e-6), TOL_EXACT)
  z <- (noised - score_now(fits[[3]], counts = few, epsilon = Inf, delta = 0)$value) / fit$ledger$sigma
  expect_lt(abs(mean(z)) * sqrt(n), normal_bound(2))
  expect_lt(abs(mean(z^2) - 1) * sqrt(n / 2), normal_bound(2))
})

test_that("choices have the distribution of the exponential mechanism", {
  few <- y[1:40, ]
  score_few <- function(fit, epsilon) score_now(fit, counts = few, epsilon = epsilon, delta = 0, bound = 4)
  exact <- vapply(fits, function(fit) score_few(fit, Inf)$value, 0)
  expect_identical(score_few(fits, Inf)$chosen, which.max(exact))
  set.seed(3)
  chosen <- replicate(2000, score_few(fits, 0.2)$chosen)
  weights <- exp(0.2 * 40 * exact / (2 * 4))
  expect_law(chosen - 1, weights / sum(weights))
})

test_that("Gumbel noise has its distribution, from both sources", {
  for (rng in c("R", "secure")) {
    set.seed(4)
    draws <- gumbel_noise(1e5, list(noise = "gaussian", rng = rng))
    expect_law(floor(20 * exp(-exp(-draws))), rep(1 / 20, 20))
  }
})

test_that("a private score does not contain the exact one, and prints its promise", {
  exact <- score_now(fits[[2]], epsilon = Inf, delta = 0)$value
  for (given in list(fits[[2]], fits)) {
    several <- !inherits(given, "dp_lda_vi")
    found <- score_now(given, rng = "secure", delta = if (several) 0 else 1e-6)
    expect_true(found$private)
    expect_setequal(names(found), c(
      if (several) "chosen" else "value", "bound", "ledger", "epsilon", "delta", "unit", "noise",
      "rng", "private"
    ))
    numbers <- as.double(unlist(rapply(unclass(found), as.double, "numeric", how = "unlist")))
    expect_false(any(abs(numbers - exact) < 1e-9, na.rm = TRUE))
    expect_output(print(found), "replace one document")
    expect_output(print(found), "of the fits is added")
  }
  expect_output(print(score_now(fits, delta = 0)), "number [123]")
})

test_that("error messages say what is wrong", {
  expect_refused(score_now(1), "`fit`")
  expect_refused(score_now(list()), "`fit`")
  expect_refused(score_now(list(fits[[1]], 2)), "`fit`")
  expect_refused(score_now(fits[[1]], counts = y[, -1]), "`counts`", "9 and 10 words")
  named <- fits[[1]]
  rownames(named$mu) <- letters[1:10]
  expect_refused(score_now(named, counts = `colnames<-`(y, letters[10:1])), "`counts`", "same order")
  expect_refused(score_now(fits), "`delta`", "must be 0")
  expect_refused(score_now(fits[[1]], bound = -1), "`bound`")
  expect_refused(score_now(fits[[1]], delta = 0), "`delta`")
  expect_refused(score_now(fits[[1]], epsilon = 0), "`epsilon`")
  expect_refused(score_now(fits[[1]], counts = privatize(y, epsilon = 1)), "`counts`")
})
