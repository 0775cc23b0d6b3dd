small_corpus <- function(seed = 1, N = 400, V = 12, k = 2) {
  set.seed(seed)
  mu <- random_topics(V, k, 0.5)
  rownames(mu) <- paste0("word", seq_len(V))
  y <- lda_corpus(N, mu, rep(0.5, k), 10:30)
  colnames(y) <- rownames(mu)
  list(y = y, mu = mu)
}

# --- topics ---------------------------------------------------------------------------------------

test_that("topics are recovered, and more accurately with more documents", {
  sizes <- if (EXTENDED) c(1e3, 1e5) else c(1e3, 2e4)
  cases <- list(list(alpha = c(.6, .3, .1), alpha0 = 1), list(alpha = rep(.5, 4), alpha0 = 2))
  for (case in cases) {
    set.seed(2)
    mu <- random_topics(40, length(case$alpha))
    error <- vapply(sizes, function(N) {
      y <- lda_corpus(N, mu, case$alpha, 20:60)
      fit <- dp_lda_spectral(y, length(case$alpha), case$alpha0, Inf)
      expect_true(fit$converged)
      expect_within(colSums(fit$mu), 1, TOL_SERIES)
      expect_within(sum(fit$alpha), case$alpha0, TOL_SERIES)
      expect_false(is.unsorted(-fit$alpha))
      if (N > 1e4) expect_lt(max(abs(fit$alpha - case$alpha)), 0.03)
      topics_error(fit$mu, mu)
    }, 0)
    expect_lt(error[2], if (EXTENDED) 0.02 else 0.03)
    # as the root of N: 10 and 4.5
    expect_gt(error[1] / error[2], if (EXTENDED) 4 else 2)
  }
})

test_that("without noise all configurations agree, except for the moments they use", {
  corpus <- small_corpus()
  fit <- function(...) {
    set.seed(1)
    dp_lda_spectral(corpus$y, 2, 1, Inf, ...)[c("mu", "alpha", "lambda", "s")]
  }
  plain <- fit()
  expect_identical(fit(config = "1"), plain)
  raw <- fit(config = "2")
  expect_gt(max(abs(raw$mu - plain$mu)), 1e-6)
  expect_lt(max(abs(raw$mu - plain$mu)), 0.02)
})

test_that("large and small vocabularies are treated alike", {
  skip_if_not_installed("RSpectra")
  set.seed(3)
  V <- MOST_DENSE + 20
  mu <- random_topics(V, 3)
  task <- spectral_task(lda_corpus(3000, mu, c(.5, .3, .2), 20:40), 3, 1)
  implicit <- release_noised(task)
  dense <- eigen(second_matrix(task$documents, 1)$dense(), symmetric = TRUE)
  expect_within(implicit$w$values, dense$values[1:3], 1e-10)
  expect_within(
    crossprod(implicit$released$W, dense$vectors[, 1:3] %*% (dense$values[1:3] * t(dense$vectors[, 1:3])) %*%
      implicit$released$W), diag(3), 1e-6
  )
})

# --- noise ----------------------------------------------------------------------------------------

# What the V^3 noise of M3 is seen as through W, by its covariance: of a symmetric tensor of independent
# normal numbers the map to T is linear, W'W = diag(1/s), and T's entries are independent.
test_that("the noise of T is that of M3 projected by W, and the noise of matrices is symmetric", {
  set.seed(4)
  V <- 5
  k <- 3
  s <- c(0.5, 0.2, 0.03)
  W <- qr.Q(qr(matrix(stats::rnorm(V * k), V))) %*% diag(1 / sqrt(s))
  places <- triples_of(k)
  map <- vapply(seq_len(V^3), function(cell) {
    at <- arrayInd(cell, c(V, V, V))
    rows <- W[at, , drop = FALSE]
    (triple_product(rows[1, ] %o% rows[2, ], rows[3, ], places) +
      triple_product(rows[2, ] %o% rows[1, ], rows[3, ], places)) / 6
  }, numeric(10))
  variance <- triple_cube(1 / s, places) / triple_counts(places)
  expect_within(tcrossprod(map), diag(variance), 1e-10)

  task <- spectral_task(matrix(3, 10, V), k, 1, "1", 1, 1e-6)
  w <- list(s = s, W = W)
  n <- if (EXTENDED) 2000 else 1000
  mu <- moment_bounds(10, 1)$M3 # of sigma = 1
  draws <- replicate(n, release_third(numeric(10), w, mu, task)$value) / sqrt(variance)
  expect_lt(max(abs(rowMeans(draws))) * sqrt(n), normal_bound(10))
  expect_lt(max(abs(rowMeans(draws^2) - 1)) * sqrt(n / 2), normal_bound(10))
  product <- tcrossprod(draws) / n
  expect_lt(max(abs(product[upper.tri(product)])) * sqrt(n), normal_bound(45))

  mu <- moment_bounds(10, 1)$M2
  exact <- packed_second(task$documents, 1)
  draws <- replicate(n, release_m2(task, mu, "e4")$value - exact)
  draws <- draws / pair_scales(V) # the matrix itself: variances of 1 and, off the diagonal, 1/2
  variance <- 1 / pair_scales(V)^2
  expect_lt(max(abs(rowMeans(draws^2) / variance - 1)) * sqrt(n / 2), normal_bound(15))
})

test_that("flat noise is used if it is smaller, and costs the same", {
  task <- spectral_task(matrix(3, 10, 3), 2, 1, "2", 1, 1e-6)
  # W'W = diag(1/s); the longest row is short where the eigenvectors are spread out
  flat <- list(s = c(1, 1e-4), W = cbind(c(1, 0, 0), c(0, 1, 1) / sqrt(2)) * 1e-3)
  shaped <- list(s = c(1, 0.5), W = cbind(c(1, 0, 0), c(0, sqrt(2), 0)))
  of <- function(w) release_third(numeric(4), w, 0.5, task)$cost
  bounds <- moment_bounds(10, 1)
  expect_identical(of(flat)$quantity, "E3(W, W, W)")
  expect_within(of(flat)$sensitivity, bounds$E3_seen * longest_row(flat$W)^3, TOL_SERIES)
  expect_identical(of(shaped)$quantity, "E3(U, U, U)")
  expect_within(of(shaped)$sensitivity, bounds$raw, TOL_SERIES)
  task$config <- "1"
  expect_within(of(flat)$sensitivity, bounds$M3, TOL_SERIES)
})

test_that("the ledger adds up to the requested budget", {
  y <- small_corpus()$y
  N <- nrow(y)
  bounds <- moment_bounds(N, 1)
  fit <- function(..., epsilon = 1, delta = 1e-6) dp_lda_spectral(y, 2, 1, epsilon, delta, ...)
  for (ledger in list(fit(config = "1")$ledger, fit(config = "2")$ledger)) {
    expect_within(sum(ledger$mu^2), largest_gdp_mu(1, 1e-6)^2, TOL_SERIES)
    expect_within(ledger$sensitivity / ledger$sigma, ledger$mu, TOL_EXACT)
  }
  discrete <- fit(config = "2", noise = "discrete")
  expect_within(sum(discrete$ledger$mu^2), largest_gdp_mu(1, 1e-6, "discrete")^2, TOL_SERIES)
  one <- fit(config = "1")$ledger
  expect_identical(one$quantity, c("M2", "M3"))
  expect_within(one$sensitivity, c(bounds$M2, bounds$M3), TOL_SERIES)
  raw <- fit(config = "2")$ledger
  expect_identical(raw$quantity[1:2], c("M1", "E2"))
  expect_within(raw$sensitivity[1:2], bounds$raw, TOL_SERIES)
})

test_that("private topics are close to the truth, and closer for a larger epsilon", {
  set.seed(5)
  mu <- random_topics(40, 3)
  N <- if (EXTENDED) 1e6 else 4e4
  epsilon <- if (EXTENDED) c(0.3, 1, 3) else c(2, 6, 20)
  y <- lda_corpus(N, mu, c(.6, .3, .1), 10:30)
  for (config in c("1", "2")) {
    error <- vapply(epsilon, function(epsilon) {
      mean(replicate(5, {
        fit <- dp_lda_spectral(y, 3, 1, epsilon, 1e-6, config = config, rng = "R")
        topics_error(fit$mu, mu)
      }))
    }, 0)
    expect_false(is.unsorted(-error))
    expect_lt(error[2], if (EXTENDED) 0.05 else 0.15)
  }
})

# --- audit ----------------------------------------------------------------------------------------

# Tasks on two corpora of three documents, whose first ones differ as much as can be (test-moments.R).
audit_tasks <- function(...) {
  lapply(1:2, function(word) spectral_task(3 * diag(4)[c(word, 3, 3), ], 2, 0.1, ...))
}

# log of the odds that something released came from the second corpus, the best test there is: of Gaussian
# noise it is linear in what was released. What is seen through W is compared with what either corpus shows
# through it, on the scale that release_third() chose.
log_odds <- function(tasks) {
  task <- tasks[[1]]
  raw <- task$config == "2"
  alpha0 <- if (!raw) task$alpha0
  bounds <- bounds_of(task)
  whole <- if (raw) bounds$raw else bounds$M3
  places <- triples_of(2)
  M1 <- lapply(tasks, function(task) task$documents$first$M1)
  pairs <- lapply(tasks, function(task) packed_second(task$documents, alpha0))
  odds <- function(x, means, sigma) (sum((x - means[[1]])^2) - sum((x - means[[2]])^2)) / (2 * sigma^2)
  function(release) {
    W <- release$W
    s <- 1 / colSums(W^2)
    flat <- bounds$E3_seen * longest_row(W)^3
    shaped <- task$config == "1" || whole^2 * sum(1 / s)^3 < flat^2 * 8
    scales <- sqrt(triple_counts(places)) * if (shaped) triple_cube(sqrt(s), places) else 1
    triples <- lapply(tasks, function(task) scales * third_seen_through(task$documents, W, alpha0))
    third <- odds(scales * release[[if (raw) "E3" else "tensor"]], triples,
      (if (shaped) whole else flat) / task$budget[length(task$budget)])
    if (!raw) {
      return(third + odds(release$M2, pairs, bounds$M2 / task$budget[1]))
    }
    third + odds(release$M1, M1, bounds$raw / task$budget[1]) + odds(release$E2, pairs, bounds$raw / task$budget[2])
  }
}

# The largest P(odds > c | second) - exp(epsilon) P(odds > c | first) that is certain, over a few c: what
# delta must be at least.
certain_delta <- function(odds, epsilon) {
  cuts <- stats::quantile(unlist(odds), c(.3, .5, .7, .8, .9, .95))
  level <- ERROR_RATE / (2 * length(cuts))
  max(vapply(cuts, function(cut) {
    n <- length(odds[[1]])
    above <- vapply(odds, function(x) sum(x > cut), 0)
    stats::qbeta(level, above[2], n - above[2] + 1) -
      exp(epsilon) * stats::qbeta(1 - level, above[1] + 1, n - above[1])
  }, 0))
}

test_that("releases of neighbouring corpora cost exactly epsilon and delta", {
  n <- if (EXTENDED) 1e5 else 1000
  set.seed(6)
  cases <- list(c("2", "ustat"), c("1", "raw"), c("2", "raw"))
  for (case in if (EXTENDED) cases else cases[1]) {
    tasks <- audit_tasks(case[1], 1, 0.05, case[2])
    of <- log_odds(tasks)
    odds <- lapply(tasks, function(task) {
      vapply(seq_len(n), function(i) of(release_noised(task)$released), 0)
    })
    expect_lt(certain_delta(odds, 1), 0.05)
    # it can fail: so much is spent that a smaller epsilon would be a false claim
    expect_gt(certain_delta(odds, if (EXTENDED) 0.5 else 0), 0.05)
  }
})

# --- what is kept ---------------------------------------------------------------------------------

# All numbers in an object, its attributes, and the functions in it with their environments.
numbers_within <- function(x) {
  inner <- attributes(x)
  if (is.function(x)) inner <- c(inner, list(body(x), environment(x)), as.list(formals(x)))
  if (is.environment(x)) inner <- c(inner, mget(ls(x, all.names = TRUE), x))
  if (is.list(x) || is.call(x)) inner <- c(inner, unname(as.list(x)))
  c(if (is.numeric(x)) as.double(x), unlist(lapply(inner, numbers_within)))
}

test_that("a private object contains nothing about the counts without noise", {
  corpus <- small_corpus(7)
  task <- spectral_task(corpus$y, 2, 1)
  documents <- task$documents
  w <- whitening(top_eigen(second_matrix(documents, 1), 2))
  tensor <- third_seen_through(documents, w$W, 1)
  found <- decompose_tensor(tensor, 2)
  topics <- recover_topics(found$values, found$vectors, w$back, 1)
  secrets <- c(
    documents$first$M1, documents$first$pairs, documents$first$triples, w$values, w$W, tensor, found$values,
    topics$phi, topics$concentration, packed_second(documents), packed_second(documents, 1), sum(corpus$y),
    Matrix::colSums(corpus$y), mean(Matrix::rowSums(corpus$y)), length(corpus$y@x)
  )
  secrets <- secrets[abs(secrets) > 1e-8]
  known <- c(0, 1, 2, 3, nrow(corpus$y), ncol(corpus$y))
  holds <- function(fit) {
    numbers <- setdiff(numbers_within(fit), known)
    any(outer(numbers, setdiff(secrets, known), function(x, y) abs(x - y) <= 1e-13 * abs(y)))
  }
  # the walk finds what is there
  expect_true(holds(dp_lda_spectral(corpus$y, 2, 1, Inf)))
  hidden <- local({
    kept <- w$values[1]
    function() 1
  })
  expect_false(holds(list(1, NULL)))
  expect_true(holds(structure(list(1), hidden = list(hidden))))
  for (fit in list(
    dp_lda_spectral(corpus$y, 2, 1, 1, 1e-6, config = "1"),
    dp_lda_spectral(corpus$y, 2, 1, 1, 1e-6, config = "2"),
    dp_lda_spectral(corpus$y, 2, 1, 1, 1e-6, config = "2", noise = "discrete")
  )) {
    expect_true(fit$private)
    expect_false(holds(fit))
    expect_false(any(vapply(fit, function(x) is.function(x) || is.environment(x) || is.call(x), TRUE)))
    expect_false(any(rownames(corpus$y) %in% unlist(fit)))
  }
})

test_that("an object is private only with proven privacy, noise, and the system's random bits", {
  y <- small_corpus()$y
  is_private <- function(epsilon = Inf, ...) dp_lda_spectral(y, 2, 1, epsilon, ...)$private
  expect_true(is_private(1, 1e-6, config = "1"))
  expect_false(is_private())
  expect_false(is_private(config = "1"))
  expect_false(is_private(1, 1e-6, config = "2", rng = "R"))
})

test_that("noise from R's generator is reproducible, and noise from the system is not", {
  y <- small_corpus()$y
  fit <- function(...) {
    set.seed(8)
    dp_lda_spectral(y, 2, 1, 1, 1e-6, ...)$s
  }
  expect_identical(fit(config = "1", rng = "R"), fit(config = "1", rng = "R"))
  expect_false(any(fit(config = "1") == fit(config = "1")))
})

# --- arguments ------------------------------------------------------------------------------------

test_that("short documents are refused, dropped or counted, as requested", {
  corpus <- small_corpus()
  y <- as.matrix(corpus$y)
  short <- rbind(y, c(2, rep(0, 11)), 0, c(0, 1, rep(0, 10)))
  expect_refused(dp_lda_spectral(short, 2, 1, Inf), "at least 3 words in each document", "`short`")
  fit <- function(counts, ...) {
    set.seed(1)
    dp_lda_spectral(counts, 2, 1, Inf, ...)[c("mu", "s", "dim")]
  }
  expect_identical(fit(short, short = "drop"), fit(y))
  zero <- fit(short, short = "zero")
  expect_identical(zero$dim, c(403L, 12L))
  expect_lt(zero$s[1], fit(y)$s[1])
})

test_that("all objects that hold counts are accepted", {
  corpus <- small_corpus()
  fit <- function(counts) {
    set.seed(1)
    dp_lda_spectral(counts, 2, 1, Inf)$mu
  }
  y <- corpus$y
  dense <- as.matrix(y)
  storage.mode(dense) <- "integer"
  expect_identical(fit(dense), fit(y))
  listed <- data.frame(
    document = factor(row(dense)[dense > 0]), word = factor(colnames(y)[col(dense)[dense > 0]], colnames(y)),
    n = dense[dense > 0]
  )
  expect_identical(fit(xtabs(n ~ document + word, listed)), fit(y))
  skip_if_not_installed("slam")
  expect_identical(fit(slam::as.simple_triplet_matrix(dense)), fit(y))
})

test_that("words without a count are kept", {
  corpus <- small_corpus()
  y <- cbind(corpus$y, none = 0)
  expect_identical(rownames(dp_lda_spectral(y, 2, 1, Inf)$mu), colnames(y))
  expect_lt(max(dp_lda_spectral(y, 2, 1, Inf)$mu["none", ]), 1e-3)
})

test_that("invalid calls throw errors", {
  y <- small_corpus()$y
  fit <- function(epsilon = Inf, ..., counts = y, k = 2, alpha0 = 1) {
    dp_lda_spectral(counts, k, alpha0, epsilon, ...)
  }
  expect_error(dp_lda_spectral(), "is missing")
  expect_error(dp_lda_spectral(y, 2, 1), "\"epsilon\" is missing")
  expect_refused(fit(k = 13), "`k` must be one whole number from 1 to 12")
  expect_refused(fit(counts = y[1:2, ]), "at least 3 documents")
  expect_refused(fit(alpha0 = 0), "`alpha0` must be one positive number")
  expect_refused(fit(counts = y + 0.5), "not whole numbers")
  expect_refused(fit(counts = -y), "negative values")
  expect_refused(fit(counts = replace(as.matrix(y), 1, NA)), "no missing counts")
  expect_refused(fit(counts = privatize(as.matrix(y), epsilon = 1)), "is a release", "topic_model()")
  expect_refused(fit(counts = array(1, c(3, 3, 3))), "two modes")
  text <- data.frame(document = "a", word = "b", n = 1)
  expect_refused(fit(1, 1e-6, counts = text, config = "1"), "are not numeric", "xtabs(")
  # two words alone: one topic
  expect_refused(fit(counts = matrix(3, 5, 2)), "at least 2 topics", "positive")
  expect_refused(fit(1, 1e-6), "`config` must say where noise is added")
  expect_refused(fit(-1, 1e-6, config = "1"), "`epsilon` must be one number from 1e-50 to 1e+15 or Inf")
  expect_refused(fit(1, 1, config = "1"), "`delta` must be one number in [0, 1)")
  expect_refused(fit(1, 0, config = "1"), "`delta` must be above 0")
  expect_refused(fit(confg = "1"), "Did you mean `config`?")
  words <- list(documents = list(counts = matrix(0, 1e5, 1)))
  expect_refused(with_free_memory(1e9, release_pairs(words, budget = 1)), "80 GB", "1 GB are free")
})

test_that("no error message reveals a count", {
  y <- as.matrix(small_corpus()$y)
  y[1, 1] <- 98765
  for (counts in list(replace(y, 2, -1), replace(y, 2, 0.5), rbind(y, 0), y[1:2, ])) {
    expect_no_match(error_text(dp_lda_spectral(counts, 2, 1, Inf)), "98765")
  }
})

# --- methods --------------------------------------------------------------------------------------

test_that("print() describes the object, and other functions accept its topics", {
  corpus <- small_corpus()
  fit <- dp_lda_spectral(corpus$y, 2, 1, Inf)
  expect_output(print(fit), "Not private: no noise")
  expect_identical(coef(fit)$phi, t(fit$mu))
  expect_identical(top_terms(fit, 3), top_words(t(fit$mu), 3))
  expect_identical(align_topics(fit, t(corpus$mu)), align_topics(t(fit$mu), t(corpus$mu)))
  expect_identical(npmi(fit, corpus$y, 3), npmi(t(fit$mu), corpus$y, 3))
  table <- tidy(fit)
  expect_identical(dim(table), c(24L, 3L))
  expect_identical(table$beta[table$term == "word2" & table$topic == 1], fit$mu["word2", 1])
  expect_picture(plot(fit))
})

test_that("the guarantee is printed in words", {
  y <- small_corpus()$y
  said <- function(..., epsilon = 1) {
    fit <- dp_lda_spectral(y, 2, 1, epsilon, config = "1", ...)
    gsub("\\s+", " ", paste(utils::capture.output(print(fit)), collapse = " "))
  }
  expect_match(said(delta = 1e-6), "Protected: to replace one document .* \\(epsilon = 1, delta = 1e-06\\)")
  expect_match(said(delta = 1e-6), "for the idealised mechanism")
  expect_no_match(said(delta = 1e-6, noise = "discrete"), "idealised")
  expect_match(said(delta = 1e-6, rng = "R"), "Not private: noise for .* from R's generator, for study only")
  set.seed(12)
  expect_match(said(delta = 1e-6, epsilon = 0.01, rng = "R"), "Weak: the noise")
})
