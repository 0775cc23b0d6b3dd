# The configurations of DeCarolis et al. (2020) calibrate noise to bounds that depend on the corpus. Theorem 5 takes the
# third power of a bound on the change of W where the first power is needed, and compares with a W that depends on both
# corpora. Where eigenvalues of M2 are close together, T moves by much more than it says.

# Documents of three words, 16 f of them: the two largest eigenvalues of M2 lie near one another.
tied_corpus <- function(f, changed = FALSE) {
  y <- rbind(c(4, 0, 0), c(0, 4, 0), c(2, 2, 0))[rep(1:3, c(5, 5, 6) * f), ]
  if (changed) y[1, ] <- c(0, 4, 0)
  y
}

# How far T moves, in the best order of its coordinates and with the best signs.
tensor_distance <- function(one, other) {
  one <- unpack_triples(one, 2)
  other <- unpack_triples(other, 2)
  min(vapply(0:7, function(i) {
    signs <- c(1, -1)[1 + bitwAnd(i %/% c(1, 2), 1)]
    order <- if (i < 4) 1:2 else 2:1
    turned <- other[order, order, order] * (signs %o% signs %o% signs)
    sqrt(sum((one - turned)^2))
  }, 0))
}

# T, seen through the whitening of the same corpus, and the eigenvalues of M2.
whitened <- function(counts) {
  documents <- documents_of(counts)
  w <- whitening(top_eigen(second_matrix(documents, 1), 2))
  list(tensor = third_seen_through(documents, w$W, 1), s = w$s)
}

# Theorem 5 for N documents and 2 topics with alpha0 = 1, whose eigenvalues of M2 are at least s.
published_sensitivity <- function(N, s) {
  share <- dirichlet_shares(1)
  M2 <- (2 + 4 * share[1]) / N # bounds on sums of absolute changes
  M3 <- (2 + 12 * share[2] + 6 * share[3]) / N
  whole <- 1 + 6 * share[2] * N / (N - 1) + 3 * share[3] * N^2 / ((N - 1) * (N - 2))
  left <- s - M2
  whole * (sqrt(4) * M2 / (s * sqrt(left)))^3 + M3 * (2 / left)^1.5
}

test_that("the published sensitivity of T is wrong", {
  for (case in list(c(10, 1.6), c(100, 0.115), c(1000, 0.0113))) {
    one <- whitened(tied_corpus(case[1]))
    other <- whitened(tied_corpus(case[1], TRUE))
    expect_equal(published_sensitivity(16 * case[1], one$s[2]), case[2], tolerance = 0.03)
    expect_gt(tensor_distance(one$tensor, other$tensor), 1.9)
  }
})
