y_small <- matrix(c(0L, 3L, 1L, 0L, 7L, 2L), 2, dimnames = list(c("a", "b"), c("u", "v", "w")))

test_that("a release keeps the shape and the names, and stores whole numbers", {
  x <- privatize(y_small, epsilon = 1)
  expect_s3_class(x, "private_counts")
  expect_identical(dim(x), dim(y_small))
  expect_identical(dimnames(x), dimnames(y_small))
  expect_type(as.matrix(x), "integer")
  expect_equal(privacy(x)[1:4], list(alpha = exp(-1), epsilon = 1, precision = 1, rng = "secure"))
})

test_that("dense and sparse, integer and double input give the same release", {
  draw <- function(y) {
    set.seed(5)
    as.matrix(privatize(y, epsilon = 0.7, rng = "R"))
  }
  doubles <- y_small + 0
  sparse <- Matrix::Matrix(doubles, sparse = TRUE)
  expect_identical(draw(doubles), draw(y_small))
  expect_identical(draw(sparse), draw(y_small))
  expect_identical(draw(methods::as(sparse, "TsparseMatrix")), draw(y_small))
})

test_that("zero extents are released as they are", {
  expect_identical(dim(privatize(matrix(0L, 0, 5), epsilon = 1)), c(0L, 5L))
  expect_identical(dim(privatize(matrix(0L, 3, 0), epsilon = 1)), c(3L, 0L))
  expect_output(print(privatize(matrix(0L, 0, 5), epsilon = 1)), "0 x 5")
})

test_that("the largest count does not overflow", {
  y <- matrix(.Machine$integer.max, 40, 5)
  set.seed(1)
  x <- as.matrix(privatize(y, epsilon = 0.1, rng = "R"))
  expect_type(x, "double")
  expect_true(any(x > .Machine$integer.max))
  expect_lt(max(abs(x - y)), 1000)
})

test_that("one noise level per row is applied to its row", {
  set.seed(2)
  y <- matrix(0L, 3, 40000)
  epsilon <- c(0.2, 1, 5)
  x <- privatize(y, epsilon = epsilon, rng = "R")
  expect_equal(privacy(x)$alpha, exp(-epsilon))
  for (row in 1:3) {
    alpha <- exp(-epsilon[row])
    expect_law(abs(as.matrix(x)[row, ]), (1 - alpha) / (1 + alpha) * c(1, 2 * alpha^(1:100)))
  }
  expect_equal(privacy(privatize(y, epsilon = 6, precision = c(1, 2, 3)))$alpha, exp(-c(6, 3, 2)))
})

test_that("secure noise has the right distribution, and neither uses nor changes R's seed", {
  set.seed(3)
  before <- .Random.seed
  a <- as.matrix(privatize(matrix(0L, 300, 300), epsilon = 1))
  expect_identical(.Random.seed, before)
  set.seed(3)
  b <- as.matrix(privatize(matrix(0L, 300, 300), epsilon = 1))
  expect_false(identical(a, b))
  alpha <- exp(-1)
  expect_law(abs(a), (1 - alpha) / (1 + alpha) * c(1, 2 * alpha^(1:40)))
  expect_law(as.integer(a[a != 0] > 0), c(0.5, 0.5))
})

test_that("simulated noise is reproducible, and print() says that it is simulated", {
  draw <- function() {
    set.seed(9)
    privatize(y_small, epsilon = 1, rng = "R")
  }
  expect_identical(draw(), draw())
  expect_output(print(draw()), "SIMULATION ONLY")
})

test_that("forked children draw different noise", {
  skip_on_os("windows")
  children <- parallel::mclapply(1:2, function(i) {
    as.matrix(privatize(matrix(0L, 20, 20), epsilon = 0.5))
  }, mc.cores = 2)
  expect_false(identical(children[[1]], children[[2]]))
})

test_that("nothing is released when the system's random bits fail, and given bits give known noise", {
  code <- paste0("privatize(matrix(4242L, 30, 40), epsilon = 1", c(")", ", clamp = TRUE)"))
  told <- with_failing_system(rep(c(0, 100, 1e6), each = 2), # after so many bytes
    c(rep(code, 2), rep("cat(as.matrix(privatize(matrix(10L), epsilon = 1)))", 2)),
    c(rep("0x55", 4), "0x06", "0x0e")
  )
  expect_length(told, 6)
  # Given bits give the noise of the sampler's steps.
  # gamma = 1: U = 0 without a bit; BernExp(0) succeeds without one; V: the first BernExp(1)
  # passes K = 1 for sure and needs one bit at K = 2, digits of 1/2 = 0.1: bit 0 is success, so
  # K = 3, digits 0.0101...: bit 1 is failure, K odd, success; then bits 1: failure at K = 2,
  # K even, stop. V = 1; sign bit 0: tau = +1. Bits 0, 1, 1, 0, lowest first: 0x06; 0x0e has the other sign.
  expect_identical(told[5:6], c("11", "9"))
  expect_match(told[1:4], "random bits failed; nothing was released")
  expect_no_match(told[1:4], "42")
})

test_that("invalid counts throw errors that do not quote them", {
  expect_refused(privatize(matrix(c(1, -77), 1), epsilon = 1), "`y` must hold counts", "negative")
  expect_refused(privatize(matrix(c(1, 7.5), 1), epsilon = 1), "`y`", "not whole numbers")
  expect_refused(privatize(matrix(c(1, NA), 1), epsilon = 1), "`y`", "no missing counts")
  expect_refused(privatize(matrix(c(1L, NA), 1), epsilon = 1), "`y`", "no missing counts")
  expect_refused(privatize(matrix(c(1, NaN), 1), epsilon = 1), "`y`", "infinite values or NaN")
  expect_refused(privatize(matrix(c(1, Inf), 1), epsilon = 1), "`y`", "infinite values or NaN")
  expect_refused(privatize(matrix(c(1, 2^31), 1), epsilon = 1), "`y`", "values above 2^31 - 1")
  texts <- c(
    error_text(privatize(matrix(c(1, -77), 1), epsilon = 1)),
    error_text(privatize(matrix(c(1, 77.5), 1), epsilon = 1)),
    error_text(privatize(matrix(c(1, 2^31 + 77), 1), epsilon = 1))
  )
  expect_false(any(grepl("77", texts)))
})

test_that("no error object contains the counts", {
  y <- matrix(c(41999, 41998), 1)
  failure <- tryCatch(do.call(privatize, list(y, epsilon = -1)), error = identity)
  expect_s3_class(failure, "ldpcounts_error")
  expect_false(any(grepl("4199", c(deparse(failure$call), utils::capture.output(str(failure))))))
})

test_that("parameters out of range throw errors", {
  y <- y_small
  for (bad in list(0, -1, NA_real_, Inf, NaN, "1", numeric())) {
    expect_refused(privatize(y, epsilon = bad), "`epsilon`")
  }
  for (bad in list(0, 1, 1.5, -0.1, NA_real_)) {
    expect_refused(privatize(y, alpha = bad), "`alpha` must be a number in (0, 1)")
  }
  expect_refused(privatize(y), "exactly one of `epsilon` and `alpha`", "Neither")
  expect_refused(privatize(y, epsilon = 1, alpha = 0.5), "exactly one", "Both")
  expect_refused(privatize(y, epsilon = c(1, 2, 3)), "`epsilon`", "one per row (2)", "length 3")
  expect_refused(privatize(y, alpha = c(0.1, 0.2, 0.3)), "`alpha`", "one per row (2)")
  expect_refused(privatize(y, epsilon = 1, precision = -1.5), "`precision`", "-1.5")
  expect_refused(privatize(y, epsilon = 1, precision = 0), "`precision`")
  expect_refused(privatize(y, epsilon = 1, precision = 1:3), "`precision`", "length 3")
  expect_refused(privatize(y, epsilon = 1e-7), "`epsilon`", "at least 1e-06")
  expect_refused(privatize(y, epsilon = 1, rng = "fast"), "`rng`", "\"secure\"", "\"fast\"")
})

test_that("unknown objects, private data and misspelt arguments throw errors", {
  expect_refused(privatize("a", epsilon = 1), "`y` must be a matrix of counts", "character")
  expect_refused(privatize(list(1), epsilon = 1), "`y` must be a matrix", "list")
  expect_refused(privatize(matrix(TRUE), epsilon = 1), "`y` must be a matrix", "logical")
  expect_refused(privatize(privatize(y_small, epsilon = 1), epsilon = 1), "`y` is a release already")
  expect_refused(privatize(y_small, epsilon = 1, precison = 2), "no argument `precison`",
    "Did you mean `precision`?")
  expect_refused(privatize(y_small, 1, 2), "must be named")
})

clamped_with <- function(counts) {
  set.seed(5)
  privatize(counts, c(1, 2, 3), rng = "R", clamp = TRUE)
}

test_that("a clamped release of sparse counts is streamed, column by column", {
  counts <- Matrix::sparseMatrix(c(1, 3, 2), c(1, 2, 5), x = c(4, 2^31 - 1, 1), dims = c(3, 6),
    dimnames = list(NULL, letters[1:6])
  )
  whole <- clamped_with(counts)
  expect_identical(dimnames(whole), list(NULL, letters[1:6]))
  expect_identical(as.matrix(whole), as.matrix(clamped_with(as.matrix(counts))))
  expect_gt(as.matrix(whole)[3, 2], 2^31 - 100)
  set.seed(5)
  dense <- privatize(as.matrix(counts), c(1, 2, 3), rng = "R")
  expect_identical(as.matrix(whole), pmax(as.matrix(dense), 0))
  # rows longer than a block, and blocks of a few columns
  for (cells in c(1, 7, 1e6)) {
    x <- add_noise_clamped(counts, list(s = 50, t = 1), "secure", cells_per_block = cells)
    expect_identical(x$counts, counts) # no noise to speak of
    expect_identical(x$below, list(cells = c(5, 5, 5), size = c(0, 0, 0)))
  }
  expect_identical(dim(privatize(matrix(0, 0, 3), 1, clamp = TRUE)), c(0L, 3L))
  expect_identical(dim(privatize(matrix(0, 3, 0), 1, clamp = TRUE)), c(3L, 0L))
  expect_refused(privatize(counts, 1, clamp = "yes"), "`clamp`")
})

test_that("memory of a clamped release grows with its positive cells", {
  counts <- Matrix::sparseMatrix(1:10, 1:10, x = 5, dims = c(4000, 4000))
  x <- privatize(counts, 12, clamp = TRUE)
  expect_lt(as.double(object.size(unclass(x))), 2e5) # 128 MB when dense
})

test_that("further noise gives the requested noise level", {
  # E z^tau factor by factor: 2Geo(now), what is added, 2Geo(then)
  now <- exp(-2)
  then <- exp(-0.5)
  n <- 0:400
  side <- c((1 - then) / (1 - now), (then - now) / (1 - now) * (1 - then) * then^(n[-1] - 1))
  added <- function(tau) sum(side[n + 1] * ifelse(n + tau <= 400, side[pmin(n + tau, 400) + 1], 0))
  tau <- -60:60
  steps <- -150:150
  of_steps <- vapply(abs(steps), added, 0)
  law <- vapply(tau, function(at) sum(dtwogeom(at - steps, now) * of_steps), 0)
  expect_within(law, dtwogeom(tau, then), TOL_SERIES)
  # and the sampler adds just that: 2e5 draws of it alone, upon counts known to the test
  set.seed(161)
  before <- private_counts(matrix(0L, 200, 1000), epsilon = 2)
  after <- as.matrix(privatize(before, 0.5, rng = "R", compose = TRUE))
  expected <- vapply(0:40, added, 0)
  expect_law(abs(after), expected * c(1, rep(2, 40)))
  expect_lt(abs(sum(sign(after))) / sqrt(sum(after != 0)), normal_bound(1))
  # gammas with different denominators, above 1 too
  before <- private_counts(matrix(0L, 200, 1000), epsilon = 7 / 3)
  after <- privatize(before, 4, precision = 3, rng = "R", compose = TRUE)
  total <- as.matrix(after) + rtwogeom(2e5, exp(-7 / 3))
  law <- dtwogeom(0:30, exp(-4 / 3)) * c(1, rep(2, 30))
  expect_law(abs(total), law)
})

test_that("a release becomes more private row by row, and never less", {
  y <- matrix(rpois(300, 5), 3, dimnames = list(c("a", "b", "c"), NULL))
  x <- privatize(y, c(1, 2, 5))
  is.na(x) <- cbind(2, 4)
  z <- privatize(x, 2, compose = TRUE)
  expect_identical(privacy(z)$epsilon, c(1, 2, 2))
  expect_identical(as.matrix(z)[1:2, ], as.matrix(x)[1:2, ])
  expect_false(identical(as.matrix(z)[3, ], as.matrix(x)[3, ]))
  expect_identical(rownames(z), c("a", "b", "c"))
  expect_identical(which(is.na(z)), which(is.na(x)))
  expect_message(same <- privatize(x, 5, compose = TRUE), "as private already")
  expect_identical(same, x)
  expect_identical(privacy(privatize(x, 1, compose = TRUE))$epsilon, 1)
  expect_identical(privacy(privatize(x, 0.3, compose = TRUE, rng = "R"))$rng, "R")
  clamped <- privatize(x, 1, compose = TRUE, clamp = TRUE)
  expect_true(privacy(clamped)$clamped)
  expect_identical(is.na(known_below_zero(clamped)$cells), c(FALSE, TRUE, FALSE))
  expect_refused(privatize(x, 1), "a release already", "compose = TRUE")
  expect_refused(privatize(clamped, 0.5, compose = TRUE), "clamped at zero")
  expect_refused(privatize(private_counts(y, alpha = 0), 1, compose = TRUE), "without noise")
  # noised elsewhere: at the very level, and at one that is no short decimal
  elsewhere <- private_counts(y, epsilon = 1, precision = 3)
  expect_message(same <- privatize(elsewhere, 1, precision = 3, compose = TRUE), "as private already")
  expect_identical(same, elsewhere)
  odd <- rates_in_force(fields_of(private_counts(y, alpha = 0.3)), 3)
  expect_true(all(odd$s / odd$t >= -log(0.3) & odd$s / odd$t < -log(0.3) + 2e-6))
  # a level whose precision is no short decimal is taken from alpha, and not below it
  odd <- private_counts(y, epsilon = 1, precision = 1 / 0.7)
  odd <- rates_in_force(fields_of(odd), 3)
  expect_true(all(odd$s / odd$t >= 0.7 & odd$s / odd$t < 0.7 + 2e-6))
  typed <- private_counts(y, epsilon = 1, precision = 2.5)
  expect_message(privatize(typed, 1, precision = 2.5, compose = TRUE), "as private already")
  # no rows
  for (none in list(x[0, ], private_counts(y, alpha = 0.3)[0, ])) {
    expect_identical(dim(privatize(none, 0.5, compose = TRUE)), c(0L, 100L))
    clamped <- privatize(none, 0.5, compose = TRUE, clamp = TRUE)
    expect_identical(privacy(clamped)$epsilon, 0.5)
  }
  # so little noise that alpha is 0 in doubles
  hardly <- privatize(y, 800)
  expect_identical(privacy(hardly)$alpha, 0)
  expect_identical(privacy_loss(hardly)$epsilon, 800)
  expect_identical(privacy(privatize(hardly, 1, compose = TRUE))$epsilon, 1)
  # no fraction of small enough numbers lies between
  fine <- private_counts(y, alpha = exp(-1 / 3))
  expect_s3_class(privatize(fine, 0.1, compose = TRUE), "private_counts")
  # noised elsewhere at a level whose alpha is 0 in doubles: no noise
  nearly_exact <- private_counts(matrix(5, 1, 2), epsilon = 800)
  expect_refused(privatize(nearly_exact, 0.1, compose = TRUE), "without noise")
  expect_refused(
    privatize(privatize(y, 5, precision = 2000003), 4, precision = 2000029, compose = TRUE),
    "an epsilon and a precision of fewer digits"
  )
})

test_that("precision can be any positive number, and the level is never above the requested one", {
  y <- matrix(rpois(40, 2), 4)
  x <- privatize(y, epsilon = 1, precision = 2.5)
  expect_identical(privacy(x)$precision, 2.5)
  expect_identical(privacy(x)$epsilon, 1)
  expect_identical(c(fields_of(x)$s, fields_of(x)$t), c(2, 5))
  expect_identical(privacy(x)$alpha, exp(-2 / 5))
  # the mean count of the data, which is no short decimal: a rule of experiments
  for (epsilon in c(2.5, 1, 0.75)) {
    N <- mean(c(y, 1, 0, 0))
    x <- privatize(y, epsilon, precision = N)
    expect_lte(privacy(x)$epsilon, epsilon)
    expect_equal(privacy(x)$epsilon, epsilon, tolerance = 2e-6)
    expect_identical(privacy(x)$alpha, exp(-fields_of(x)$s / fields_of(x)$t))
  }
  rows <- privatize(y, epsilon = 1, precision = c(0.5, 1, 1.5, 1e-3))
  expect_equal(privacy(rows)$alpha, exp(-1 / c(0.5, 1, 1.5, 1e-3)))
})

test_that("further noise at small levels takes no longer than first noise", {
  x <- privatize(matrix(0L, 100, 100), 1e-4)
  expect_lt(system.time(privatize(x, 9e-5, compose = TRUE))[["elapsed"]], 2) # once 7
})

test_that("attributes of the counts are not in the release", {
  y <- structure(matrix(1:4, 2), truth = "secret")
  expect_identical(as.matrix(privatize(y, 50)), matrix(1:4, 2))
  expect_identical(attributes(as.matrix(private_counts(y, alpha = 0.1))), list(dim = c(2L, 2L)))
  sparse <- Matrix::Matrix(c(4, 1, 1, 3), 2, sparse = TRUE)
  invisible(Matrix::chol(Matrix::forceSymmetric(sparse)))
  attr(sparse, "truth") <- "secret"
  expect_null(attr(as.matrix(private_counts(sparse, alpha = 0.1), sparse = TRUE), "truth"))
})
