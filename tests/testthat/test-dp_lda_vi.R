# The kernel's own tests, in C, are tests/c/test_lda_vi.c; those of the accounts, test-gaussian_budget.R.

set.seed(20)
documents <- simulate_topics(D = 300, V = 12, words = 30)
labelled <- documents$y
colnames(labelled) <- letters[1:12]

fit_vi <- function(counts = documents$y, k = 3, epsilon = 1, delta = 1e-6, ..., alpha = 0.2, eta = 0.1,
                   lmax = 100, clip = 5, iter = 4, rng = "R") {
  dp_lda_vi(counts, k, alpha, eta, epsilon, delta, lmax, clip, iter, ..., rng = rng)
}

# Two passes in plain R, from the same start; what a pass says is clipped, added up and noised by `noise`.
plain_vi <- function(counts, k, alpha, eta, clip, iter) {
  lambda <- matrix(rgamma(k * ncol(counts), 100, 100), k)
  for (pass in seq_len(iter)) {
    beta <- exp(digamma(lambda) - digamma(rowSums(lambda)))
    said <- apply(counts, 1, function(y) {
      gamma <- rep(1, k)
      for (turn in 1:100) {
        phi <- exp(digamma(gamma)) * beta
        phi <- sweep(phi, 2, colSums(phi), `/`)
        before <- gamma
        gamma <- alpha + as.vector(phi %*% y)
        if (mean(abs(gamma - before)) < 1e-3) break
      }
      S <- sweep(phi, 2, y, `*`)
      S * min(1, clip / sqrt(sum(S^2)))
    })
    lambda <- eta + matrix(rowSums(said), k)
  }
  t(lambda)
}

test_that("without noise a fit agrees with plain R code", {
  set.seed(1)
  fit <- fit_vi(epsilon = Inf, alpha = c(0.2, 1, 0.05), iter = 2)
  set.seed(1)
  lambda <- plain_vi(documents$y, 3, c(0.2, 1, 0.05), 0.1, 5, 2)
  expect_within(unname(fit$lambda), lambda, TOL_SERIES)
  expect_within(fit$mu, sweep(fit$lambda, 2, colSums(fit$lambda), `/`), TOL_EXACT)
  expect_identical(fit$z, 0)
  expect_false(fit$private)
})

test_that("as the noise vanishes, a fit approaches the fit without noise", {
  far <- vapply(c(1e2, 1e6, 1e12), function(epsilon) {
    set.seed(1)
    noised <- fit_vi(epsilon = epsilon)
    set.seed(1)
    max(abs(noised$lambda - fit_vi(epsilon = Inf)$lambda))
  }, 0)
  expect_true(all(diff(far) < 0))
  expect_lt(far[3], 1e-3)
  set.seed(1)
  exact <- fit_vi(epsilon = 1e12, noise = "discrete")
  set.seed(1)
  expect_lt(max(abs(exact$lambda - fit_vi(epsilon = Inf)$lambda)), 1e-3)
})

test_that("a replaced document changes the sum by at most sqrt(2) clip, and the bound is attained", {
  moved <- function(one, other, clip) {
    weights <- matrix(c(1, 1e-9, 1e-9, 1), 2)
    add <- function(y) .Call(C_rc_lda_add, document_cells(y), c(1, 1), weights, clip)
    rest <- cbind(c(3, 0), c(1, 2))
    sqrt(sum((add(rbind(rest, one)) - add(rbind(rest, other)))^2))
  }
  environment(moved) <- list2env(list(rng = NULL), parent = asNamespace("ldpcounts"))
  expect_within(moved(c(1e6, 0), c(0, 1e6), 2), 2 * sqrt(2), 1e-6)
  set.seed(2)
  for (i in 1:200) {
    pair <- matrix(rnbinom(4, 0.3, 0.02), 2)
    expect_lte(moved(pair[1, ], pair[2, ], 3), 3 * sqrt(2) + 1e-12)
  }
})

test_that("the ledger adds up to the budget, exactly if all documents are in each iteration", {
  fit <- fit_vi(epsilon = 0.7, delta = 1e-5, clip = 3, iter = 7)
  expect_identical(fit$unit, "replace one document")
  expect_identical(nrow(fit$ledger), 7L)
  expect_within(gaussian_delta(0.7, sqrt(sum(fit$ledger$mu^2))), 1e-5, 1e-12)
  expect_within(fit$ledger$sensitivity, 3 * sqrt(2), TOL_EXACT)
  expect_within(fit$ledger$sigma, fit$ledger$sensitivity / fit$ledger$mu, TOL_EXACT)
  expect_within(fit$z * 3, fit$ledger$sigma, TOL_EXACT)

  exact <- fit_vi(epsilon = 0.7, delta = 1e-5, clip = 3, iter = 7, noise = "discrete")
  expect_within(exact$ledger$sigma, exact$ledger$sensitivity / exact$ledger$mu, TOL_EXACT)
  expect_within(sum(exact$ledger$mu^2), largest_gdp_mu(0.7, 1e-5, "discrete")^2, TOL_SERIES)
  # the rounding of 36 cells
  expect_within(exact$ledger$sensitivity - 3 * sqrt(2), 12 * exact$ledger$sigma / 2^20, TOL_SERIES)

})

test_that("noise has the size stated in the ledger, with both distributions", {
  # no counts: what is not cut at zero is half of the noise
  none <- matrix(0L, 2, 3000)
  for (noise in c("gaussian", "discrete")) {
    set.seed(3)
    fit <- fit_vi(none, k = 2, clip = 4, iter = 1, eta = 0.5, noise = noise)
    noised <- as.vector(fit$lambda) - 0.5
    positive <- noised[noised > 0]
    expect_lt(abs(length(positive) - 3000) / sqrt(1500), normal_bound(4))
    # the mean square of half a normal distribution
    z <- (mean(positive^2) / fit$ledger$sigma^2 - 1) / sqrt(2 / length(positive))
    expect_lt(abs(z), normal_bound(4))
  }
})

test_that("set.seed() makes only noise from R's generator reproducible", {
  same <- function(rng) {
    fits <- lapply(c(6, 6), function(seed) {
      set.seed(seed)
      fit_vi(rng = rng)$lambda
    })
    identical(fits[[1]], fits[[2]])
  }
  expect_true(same("R"))
  expect_false(same("secure"))
  expect_true(fit_vi(rng = "secure")$private)
  expect_false(fit_vi(rng = "R")$private)
})

test_that("tokens beyond lmax are not used, and documents do not affect the choice in others", {
  tokens <- function(fit) sum(fit$lambda) - 3 * 12 * 0.1
  set.seed(7)
  short <- fit_vi(epsilon = Inf, lmax = 4, clip = 1e9)
  expect_within(tokens(short), sum(pmin(rowSums(documents$y), 4)), 1e-10)
  shortened <- function(y) {
    set.seed(8)
    cells <- document_cells(y, 10)
    split(cells$y_tilde, rep(seq_len(nrow(y)), diff(cells$active$start)))
  }
  other <- documents$y
  other[3, ] <- other[3, ] * 50L + 1L
  expect_identical(shortened(other)[-3], shortened(documents$y)[-3])
})

test_that("topics are recovered, with smaller errors for a larger epsilon", {
  set.seed(9)
  many <- simulate_topics(D = 4000, V = 12, words = 30)
  error <- vapply(c(0.3, 3, Inf), function(epsilon) {
    set.seed(1)
    mae(align_topics(fit_vi(many$y, epsilon = epsilon, iter = 10), many$phi), many$phi)
  }, 0)
  expect_lt(error[3], 0.015)
  expect_lt(error[2], 0.02)
  expect_gt(error[1], error[2])
})

# All numbers in an object, however deep, attributes included.
leaves <- function(x) {
  stopifnot(is.atomic(x) || is.list(x)) # no function, no environment
  own <- if (is.list(x)) unlist(lapply(x, leaves)) else if (is.numeric(x)) as.double(x)
  c(own, unlist(lapply(attributes(x)[setdiff(names(attributes(x)), c("names", "row.names"))], leaves)))
}

# The fit of a seed, and the sums of its passes before they were noised.
watched_fit <- function(seed, ...) {
  set.seed(seed)
  fit <- fit_vi(labelled, ..., rng = "R")
  set.seed(seed)
  lambda <- matrix(rgamma(36, 100, 100), 3)
  cells <- document_cells(labelled, 100)
  sums <- list()
  mechanism <- list(noise = "gaussian", rng = "R")
  for (pass in seq_len(fit$iter)) {
    sum <- .Call(C_rc_lda_add, cells, fit$alpha, relative_weights(lambda), fit$clip)
    sums[[pass]] <- sum
    noised <- sum
    noised[] <- perturbed(sum, fit$ledger$sigma[1], mechanism)
    lambda <- fit$eta + pmax(noised, 0)
  }
  expect_identical(unname(fit$lambda), t(lambda))
  list(fit = fit, sums = sums)
}

test_that("a private object contains nothing without noise", {
  watched <- watched_fit(14)
  private <- fit_vi(labelled, rng = "secure")
  expect_true(private$private)
  expect_identical(names(private), names(watched$fit))
  expect_setequal(names(private), c(
    "mu", "lambda", "alpha", "eta", "lmax", "clip", "iter", "z", "ledger", "epsilon", "delta",
    "unit", "noise", "rng", "weak", "private"
  ))
  # sums, sums of sums, and results on documents and words without a model
  y <- documents$y
  known <- c(
    unlist(watched$sums), unlist(watched$sums) + 0.1, unlist(lapply(watched$sums, rowSums)), rowSums(y),
    colSums(y), colMeans(y), sum(y), mean(rowSums(y)), max(y), colMeans(y / rowSums(y))
  )
  fit <- watched$fit
  public <- c(0, 1, fit$alpha, fit$eta, fit$iter, fit$lmax, fit$clip, dim(fit$mu), seq_len(fit$iter))
  found <- setdiff(leaves(fit), c(public, NA))
  expect_gt(length(found), 36)
  expect_false(any(outer(found, setdiff(known, public), function(a, b) abs(a - b) <= 1e-9 * abs(b))))
  # the search finds what it looks for
  expect_true(any(outer(leaves(list(1, list(a = watched$sums[[2]][5]))), known, `==`)))
  # nothing has the length of the corpus
  expect_false(any(rapply(unclass(private), length, how = "unlist") >= 300))
})

test_that("words and topics have names, and other functions accept them", {
  set.seed(10)
  fit <- fit_vi(labelled)
  expect_identical(dimnames(fit$mu), list(letters[1:12], paste0("topic", 1:3)))
  expect_within(colSums(fit$mu), 1, TOL_EXACT)
  expect_identical(coef(fit)$phi, t(fit$mu))
  expect_identical(dim(top_terms(fit, 4)), c(4L, 3L))
  expect_identical(dim(align_topics(fit, documents$phi)), c(3L, 12L))
  expect_named(npmi(fit, labelled), paste0("topic", 1:3))
})

test_that("fits have summary(), tidy() and plot() methods", {
  set.seed(12)
  fit <- fit_vi()
  expect_identical(summary(fit), fit$ledger)
  tidied <- tidy(fit)
  expect_identical(dim(tidied), c(36L, 3L))
  expect_within(as.vector(tapply(tidied$beta, tidied$topic, sum)), rep(1, 3), TOL_SERIES)
  expect_picture(plot(fit))
})

test_that("print() says what is protected, and what is not", {
  set.seed(11)
  shown <- function(...) paste(capture.output(print(fit_vi(...))), collapse = " ")
  expect_match(shown(), "replace one document", fixed = TRUE)
  expect_match(shown(), "anyone who knows the seed", fixed = TRUE)
  expect_match(shown(rng = "secure"), "floating point", fixed = TRUE)
  expect_no_match(shown(noise = "discrete"), "floating point", fixed = TRUE)
  expect_match(shown(epsilon = Inf), "Not private", fixed = TRUE)
})

test_that("all objects that hold counts are accepted, with empty documents and a single topic", {
  sparse <- methods::as(labelled, "CsparseMatrix")
  set.seed(12)
  dense <- fit_vi(labelled)
  set.seed(12)
  expect_identical(fit_vi(sparse), dense)
  set.seed(12)
  expect_true(all(is.finite(fit_vi(rbind(labelled, 0L), k = 1)$lambda)))
})

test_that("error messages say what is wrong", {
  expect_refused(fit_vi(privatize(documents$y, epsilon = 1)), "`counts`", "is a release")
  expect_refused(fit_vi(replace(documents$y, 3, NA)), "`counts`", "missing")
  expect_refused(fit_vi(documents$y / 2), "`counts`", "whole")
  expect_refused(fit_vi(k = 0), "`k`")
  expect_refused(fit_vi(alpha = c(1, 2)), "`alpha`", "one per topic (3)")
  expect_refused(fit_vi(eta = 0), "`eta`")
  expect_refused(fit_vi(epsilon = -1), "`epsilon`")
  expect_refused(fit_vi(delta = 0), "`delta`", "above 0")
  expect_refused(fit_vi(delta = 1), "`delta`")
  expect_refused(fit_vi(clip = 0), "`clip`")
  expect_refused(fit_vi(lmax = 0.5), "`lmax`")
  expect_refused(fit_vi(epsilon = 1e-5, noise = "discrete", iter = 100), "`epsilon`", "Rounding")
  expect_refused(fit_vi(documents$y[0, ]), "`counts`", "at least one document")
  expect_refused(fit_vi(passes = 3), "passes")
  expect_error(dp_lda_vi(documents$y, 3), "is missing")
  expect_error(dp_lda_vi(documents$y, 3, 0.1, 0.1, lmax = 9, clip = 3, iter = 2), "\"epsilon\" is missing")
})
