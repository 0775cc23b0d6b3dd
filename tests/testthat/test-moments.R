# --- what is estimated ----------------------------------------------------------------------------

test_that("moments agree with the worked example", {
  y <- rbind(c(2, 1, 0), c(1, 1, 2), c(0, 3, 1), c(1, 0, 3))
  M2 <- second_of(y, 1)
  expect_within(M2[upper.tri(M2, TRUE)], c(
    .05034722222, .05121527778, .08159722222, .04427083333, .03385416667, .109375
  ), 1e-10)
  tensor <- third_seen_through(documents_of(y), cbind(c(1, 2, 0), c(0, 1, -1)), 1)
  expect_within(tensor, c(.389178240741, .001446759259, -.066840277778, -.149016203704), 1e-11)
})

# Averages over ordered choices of different tokens, and of different documents.
outer3 <- function(a, b, c) a %o% b %o% c
placements <- function(A, b) {
  x <- A %o% b
  x + aperm(x, c(1, 3, 2)) + aperm(x, c(3, 2, 1))
}

brute_force <- function(y, alpha0) {
  N <- nrow(y)
  V <- ncol(y)
  share <- dirichlet_shares(alpha0)
  one <- diag(V)
  each <- apply(y, 1, function(counts) {
    tokens <- rep(seq_len(V), counts)
    l <- length(tokens)
    P <- matrix(0, V, V)
    Q <- array(0, c(V, V, V))
    for (i in seq_len(l)) for (j in setdiff(seq_len(l), i)) {
      P <- P + one[tokens[i], ] %o% one[tokens[j], ] / (l * (l - 1))
      for (h in setdiff(seq_len(l), c(i, j))) {
        Q <- Q + outer3(one[tokens[i], ], one[tokens[j], ], one[tokens[h], ]) / (l * (l - 1) * (l - 2))
      }
    }
    list(m = counts / l, P = P, Q = Q)
  }, simplify = FALSE)
  E2 <- Reduce(`+`, lapply(each, `[[`, "P")) / N
  E3 <- Reduce(`+`, lapply(each, `[[`, "Q")) / N
  G <- matrix(0, V, V)
  H <- K <- array(0, c(V, V, V))
  for (a in seq_len(N)) for (b in setdiff(seq_len(N), a)) {
    G <- G + each[[a]]$m %o% each[[b]]$m / (N * (N - 1))
    H <- H + placements(each[[a]]$P, each[[b]]$m) / (N * (N - 1))
    for (c in setdiff(seq_len(N), c(a, b))) {
      K <- K + outer3(each[[a]]$m, each[[b]]$m, each[[c]]$m) / (N * (N - 1) * (N - 2))
    }
  }
  list(E2 = E2, E3 = E3, M2 = E2 - share[1] * G, M3 = E3 - share[2] * H + share[3] * K)
}

test_that("documents are columns, without zeros that are stored", {
  y <- methods::as(Matrix::Matrix(c(2, 0, 1, 0, 3, 1), 2, dimnames = list(NULL, c("a", "b", "c"))), "dMatrix")
  y <- as_sparse(y)
  y@x[1] <- 0
  expect_identical(new_documents(y), documents_of(as.matrix(y)))
})

test_that("moments are averages over tokens and documents, for any projection W", {
  set.seed(1)
  for (alpha0 in c(0.2, 1, 7)) {
    y <- matrix(stats::rpois(5 * 4, 1.5), 5)
    y[rowSums(y) < 3, 1] <- 3
    exact <- brute_force(y, alpha0)
    expect_within(second_of(y), exact$E2, TOL_SERIES)
    expect_within(third_of(y), exact$E3, TOL_SERIES)
    expect_within(second_of(y, alpha0), exact$M2, TOL_SERIES)
    expect_within(third_of(y, alpha0), exact$M3, TOL_SERIES)
    W <- matrix(stats::rnorm(4 * 2), 4)
    tensor <- unpack_triples(third_seen_through(documents_of(y), W, alpha0), 2)
    seen <- vapply(1:8, function(i) {
      at <- arrayInd(i, c(2, 2, 2))
      sum(exact$M3 * outer3(W[, at[1]], W[, at[2]], W[, at[3]]))
    }, 0)
    expect_within(as.vector(tensor), seen, TOL_SERIES)
  }
})

test_that("sums of moments are right, and packed moments agree with those from documents", {
  set.seed(2)
  y <- matrix(stats::rpois(30 * 12, 0.8), 30)
  y <- y[rowSums(y) >= 3, ]
  for (alpha0 in c(0.1, 1, 10)) {
    M2 <- second_matrix(documents_of(y), alpha0)
    packed <- packed_matrix(packed_second(documents_of(y), alpha0), 12)
    x <- stats::rnorm(12)
    expect_within(M2$times(x), drop(M2$dense() %*% x), TOL_EXACT)
    expect_within(packed$times(x), M2$times(x), TOL_EXACT)
    expect_within(packed$dense(), M2$dense(), TOL_EXACT)
    expect_within(M2$times(rep(1, 12)), colMeans(y / rowSums(y)) / (alpha0 + 1), TOL_EXACT)
    expect_within(sum(third_of(y, alpha0)), 2 / ((alpha0 + 1) * (alpha0 + 2)), TOL_SERIES)
    lowered <- less_outer(M2, 0.3, x, 2)
    expect_within(lowered$dense(), M2$dense() - 0.3 * (tcrossprod(x) - 2 * diag(12)), TOL_EXACT)
    expect_within(lowered$times(x), drop(lowered$dense() %*% x), TOL_SERIES)
  }
})

# U-statistics are unbiased; plug-in moments of few documents are not, and the test sees it.
test_that("moments are unbiased", {
  n <- if (EXTENDED) 40000 else 4000
  set.seed(3)
  alpha <- c(.5, .3, .9)
  alpha0 <- sum(alpha)
  mu <- random_topics(5, 3, 1)
  N <- 6
  share <- dirichlet_shares(alpha0)
  places <- triples_of(5)
  upper <- upper.tri(diag(5), TRUE)
  M2 <- (mu %*% (alpha / (alpha0 * (alpha0 + 1)) * t(mu)))[upper] * pair_scales(5)
  weights <- 2 * alpha / (alpha0 * (alpha0 + 1) * (alpha0 + 2))
  M3 <- Reduce(`+`, lapply(1:3, function(i) weights[i] * triple_cube(mu[, i], places)))
  all <- as.matrix(lda_corpus(N * n, mu, alpha, 3:8))
  draws <- vapply(seq_len(n), function(i) {
    documents <- documents_of(all[N * (i - 1) + 1:N, ])
    M1 <- documents$first$M1
    E2 <- packed_second(documents)
    plug_in <- third_seen_through(documents, diag(5)) -
      share[2] * triple_product(unpack_pairs(E2, 5), M1, places) + share[3] * triple_cube(M1, places)
    c(
      packed_second(documents, alpha0) - M2, third_seen_through(documents, diag(5), alpha0) - M3,
      E2 - share[1] * (M1 %o% M1)[upper] * pair_scales(5) - M2, plug_in - M3
    )
  }, numeric(100))
  z <- abs(rowMeans(draws)) / apply(draws, 1, stats::sd) * sqrt(n)
  expect_lt(max(z[1:50]), normal_bound(50))
  expect_gt(max(z[51:65]), normal_bound(15))
  expect_gt(max(z[66:100]), normal_bound(35))
})

# --- eigenvectors and topics ----------------------------------------------------------------------

test_that("the largest eigenvalues agree with those of the dense matrix, including their signs", {
  set.seed(4)
  V <- MOST_DENSE + 50
  # all eigenvalues but three are negative, and one of these is the largest in size
  basis <- qr.Q(qr(matrix(stats::rnorm(V * 6), V)))
  A <- basis %*% (c(3, 2, 1, -10, -1, -1e-3) * t(basis))
  packed <- A[upper.tri(A, TRUE)] * pair_scales(V)
  skip_if_not_installed("RSpectra")
  found <- top_eigen(packed_matrix(packed, V), 3)
  expect_within(found$values, 3:1, 1e-10)
  expect_within(abs(crossprod(found$vectors, basis[, 1:3])), diag(3), 1e-8)
  expect_true(all(apply(found$vectors, 2, function(v) v[which.max(abs(v))]) > 0))
  dense <- top_eigen(list(size = 6, dense = function() diag(c(3, 2, 1, -10, -1, -1e-3))), 4)
  expect_identical(dense$values, c(3, 2, 1, -1e-3))
})

test_that("topics are recovered from population moments", {
  set.seed(5)
  alpha <- c(.6, .3, .1)
  alpha0 <- 1.5
  alpha <- alpha * alpha0
  mu <- random_topics(20, 3)
  M2 <- mu %*% (alpha / (alpha0 * (alpha0 + 1)) * t(mu))
  w <- whitening(top_eigen(list(size = 20, dense = function() M2), 3))
  expect_within(crossprod(w$W, M2 %*% w$W), diag(3), 1e-10)
  weights <- 2 * alpha / (alpha0 * (alpha0 + 1) * (alpha0 + 2))
  seen <- crossprod(w$W, mu)
  places <- triples_of(3)
  tensor <- Reduce(`+`, lapply(1:3, function(i) weights[i] * triple_cube(seen[, i], places)))
  found <- decompose_tensor(tensor, 3)
  topics <- recover_topics(found$values, found$vectors, w$back, alpha0)
  expect_within(topics$phi[, 3:1], mu, 1e-9)
  expect_within(topics$concentration[3:1], alpha, 1e-9)
})

test_that("the projection is the nearest point of the simplex", {
  set.seed(6)
  for (i in 1:50) {
    x <- stats::rnorm(6)
    near <- onto_simplex(x)
    expect_within(sum(near), 1, TOL_EXACT)
    expect_gte(min(near), 0)
    # no step along the simplex comes nearer
    gradient <- near - x
    expect_lt(max(gradient[near > 0]) - min(gradient), 1e-12)
  }
  expect_identical(onto_simplex(c(0, 1)), c(0, 1))
})

# --- how much one document changes them -----------------------------------------------------------

# Sizes of the change, over their bounds: Euclidean norms, of the raw moments too.
change_ratios <- function(y1, y2, alpha0) {
  bounds <- moment_bounds(nrow(y1), alpha0)
  M2 <- second_of(y1, alpha0) - second_of(y2, alpha0)
  M3 <- third_of(y1, alpha0) - third_of(y2, alpha0)
  c(
    sqrt(sum(M2^2)) / bounds$M2, sqrt(sum(M3^2)) / bounds$M3,
    sqrt(sum((second_of(y1) - second_of(y2))^2)) / bounds$raw,
    sqrt(sum((third_of(y1) - third_of(y2))^2)) / bounds$raw
  )
}

pure <- function(word, V) 3 * diag(V)[word, ]

test_that("bounds of sensitivity are attained", {
  # the others all of word 3; three documents with words of their own, or of both words
  for (alpha0 in c(0.05, 0.1, 0.3)) {
    others <- t(replicate(5, pure(3, 4)))
    ratio <- change_ratios(rbind(pure(1, 4), others), rbind(pure(2, 4), others), alpha0)
    expect_within(ratio[1:2], 1, 1e-10)
    expect_within(ratio[3:4], 1, 1e-10)
  }
  for (alpha0 in c(0.7, 1, 2)) {
    others <- rbind(pure(3, 4), pure(4, 4))
    ratio <- change_ratios(rbind(pure(1, 4), others), rbind(pure(2, 4), others), alpha0)
    expect_within(ratio[2], 1, 1e-10)
  }
  for (alpha0 in c(4, 10, 100)) {
    others <- rbind(pure(1, 4), pure(2, 4))
    ratio <- change_ratios(rbind(pure(1, 4), others), rbind(pure(2, 4), others), alpha0)
    expect_within(ratio[2], 1, 1e-10)
  }
})

# Documents of few words, many of them pure, and some too short to count.
adversarial_corpus <- function(N, V) {
  t(replicate(N, {
    words <- if (stats::runif(1) < 0.5) sample(V, 1) else sample(V, sample(2:3, 1))
    tabulate(words[sample.int(length(words), sample(2:5, 1), TRUE)], V)
  }))
}

test_that("no pair of neighbours exceeds the bounds", {
  set.seed(7)
  n <- if (EXTENDED) 9000 else 150
  worst <- numeric(4)
  for (i in seq_len(n)) {
    N <- sample(3:6, 1)
    y <- adversarial_corpus(N + 1, 5)
    ratios <- change_ratios(y[1:N, ], y[-1, ][c(N, 1:(N - 1)), ], sample(c(.1, .5, 1, 3, 10, 100), 1))
    worst <- pmax(worst, ratios)
  }
  expect_lt(max(worst), 1 + 1e-10)
  expect_gt(min(worst[1:2]), 0.6)
})

test_that("no pair of neighbours exceeds the bounds of projected moments", {
  set.seed(8)
  n <- if (EXTENDED) 4000 else 200
  worst <- 0
  for (i in seq_len(n)) {
    N <- sample(3:6, 1)
    k <- sample(1:3, 1)
    y <- adversarial_corpus(N + 1, 5)
    W <- matrix(stats::rnorm(5 * k), 5) * (stats::runif(5) < 0.7)
    one <- third_seen_through(documents_of(y[1:N, ]), W)
    other <- third_seen_through(documents_of(y[-1, ][c(N, 1:(N - 1)), ]), W)
    change <- sqrt(sum(triple_counts(triples_of(k)) * (one - other)^2))
    if (any(W != 0)) worst <- max(worst, change / (moment_bounds(N, 1)$E3_seen * longest_row(W)^3))
  }
  expect_lt(worst, 1 + 1e-10)
  # one word in place of another whose row is opposite
  W <- cbind(c(1, -1, 0))
  others <- rbind(pure(3, 3), pure(3, 3))
  one <- third_seen_through(documents_of(rbind(pure(1, 3), others)), W)
  other <- third_seen_through(documents_of(rbind(pure(2, 3), others)), W)
  expect_within(abs(one - other), moment_bounds(3, 1)$E3_seen, TOL_EXACT)
})
