test_that("packed tensors agree with full tensors", {
  set.seed(1)
  for (k in 1:4) {
    places <- triples_of(k)
    expect_identical(nrow(places), as.integer(choose(k + 2, 3)))
    expect_true(all(places[, 1] <= places[, 2] & places[, 2] <= places[, 3]))
    # the order of src/ldp_symmetric.h
    place <- places - 1
    expect_identical(
      choose(place[, 3] + 2, 3) + choose(place[, 2] + 1, 2) + place[, 1] + 1, as.double(seq_len(nrow(places)))
    )
    b <- stats::rnorm(k)
    A <- crossprod(matrix(stats::rnorm(k * k), k))
    expect_within(unpack_triples(triple_cube(b, places), k), b %o% b %o% b, TOL_EXACT)
    x <- A %o% b
    all <- x + aperm(x, c(1, 3, 2)) + aperm(x, c(3, 2, 1))
    expect_within(unpack_triples(triple_product(A, b, places), k), all, TOL_EXACT)
    expect_within(sum(triple_counts(places) * all[places]^2), sum(all^2), TOL_EXACT)
  }
})

random_components <- function(k, lambda) {
  v <- qr.Q(qr(matrix(stats::rnorm(k * k), k)))
  places <- triples_of(k)
  list(v = v, tensor = Reduce(`+`, lapply(seq_len(k), function(i) lambda[i] * triple_cube(v[, i], places))))
}

# Equal values leave the first start, the trace of T, without a direction.
test_that("components of orthogonal tensors are recovered", {
  set.seed(2)
  for (lambda in list(3, c(3, 2), c(2, 2, 2, 2), c(9, 5, 1, 0.1), 12:1)) {
    made <- random_components(length(lambda), lambda)
    found <- decompose_tensor(made$tensor, length(lambda))
    expect_true(found$converged)
    expect_within(found$values, lambda, 1e-9)
    agreement <- abs(crossprod(found$vectors, made$v))
    expect_within(sort(agreement, decreasing = TRUE)[seq_along(lambda)], 1, 1e-9)
    expect_within(crossprod(found$vectors), diag(length(lambda)), 1e-9)
  }
})

test_that("for other tensors the result explains most of the tensor", {
  set.seed(3)
  made <- random_components(4, c(5, 4, 3, 2))
  noise <- 0.05 * stats::rnorm(20)
  found <- decompose_tensor(made$tensor + noise, 4)
  expect_lt(max(abs(found$values - c(5, 4, 3, 2))), 0.3)
  single <- vapply(1:20, function(i) sum(decompose_tensor(made$tensor + noise, 4, starts = 1)$values^2), 0)
  expect_gt(sum(found$values^2), max(single) - 1e-6)
})

test_that("there is a message if the maximum number of steps is reached", {
  set.seed(4)
  made <- random_components(4, c(5, 4, 3, 2))
  expect_false(decompose_tensor(made$tensor, 4, starts = 0, maxit = 1)$converged)
})
