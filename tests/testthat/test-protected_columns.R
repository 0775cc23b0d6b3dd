# Columns of counts that were protected by any mechanism, and regressions on them.

protected <- function(mechanism, y, seed = 31) {
  set.seed(seed)
  released <- simulate(mechanism, y = y)
  private_counts(replace(released, is.infinite(released), NA), mechanism = mechanism)
}

MECHANISMS <- list(
  discrete_gaussian_noise(2), laplace_noise(1.5), gaussian_noise(2), skellam_noise(4), random_rounding(3), rounding(5),
  suppression(1, 4), count_classes(c(0, 1, 3, 6)), withheld(discrete_gaussian_noise(2), 3), thinning(0.4)
)

test_that("a column keeps its mechanism in data frames, and is a matrix again", {
  y <- c(0, 3, 12, 7, 1)
  for (mechanism in MECHANISMS) {
    x <- protected(mechanism, y)
    expect_s3_class(x, "private_vector")
    d <- data.frame(id = 1:5, y = x)
    parts <- list(
      d[c(2, 4), ]$y, subset(d, id %in% c(2, 4))$y, tibble::as_tibble(d)$y[c(2, 4)], c(x[2], x[4]),
      merge(d, data.frame(id = c(2, 4)))$y, vctrs::vec_slice(x, c(2, 4))
    )
    for (part in parts) {
      expect_identical(as.numeric(part), as.numeric(x)[c(2, 4)])
      expect_identical(privacy(part)$mechanism, mechanism)
    }
    file <- tempfile(fileext = ".rds")
    saveRDS(d, file)
    expect_identical(readRDS(file), d)
    matrix <- cbind(a = x, b = x)
    expect_s3_class(matrix, "private_counts")
    expect_identical(privacy(matrix)$mechanism, mechanism)
    expect_identical(as.numeric(matrix[, "b"]), as.numeric(x))
    expect_identical(as.data.frame(matrix, wide = TRUE)$a, x)
    is.na(x) <- 2
    expect_identical(which(is.na(x)), 2L)
    expect_error(sum(x), class = "ldpcounts_error")
  }
  expect_output(print(tibble::tibble(x = x)), "<private> thinning")
})

test_that("marks of published tables are read in a column", {
  x <- private_counts(c("12", "<10", "0", "s"), mechanism = suppression(1, 9))
  expect_identical(as.numeric(x), c(12, -Inf, 0, -Inf))
  expect_identical(format(x), c("12", "hidden", " 0", "hidden"))
  expect_output(print(x), "hidden")
})

test_that("privatize() of a vector gives a column", {
  for (mechanism in list(discrete_gaussian_noise(2), random_rounding(3), withheld(geometric_noise(1), 3))) {
    x <- privatize(c(0, 3, 12), mechanism = mechanism)
    expect_s3_class(x, "private_vector")
    expect_identical(privacy(x)$mechanism, mechanism)
  }
})

test_that("a column has one mechanism, with the same numbers for all", {
  x <- protected(thinning(0.4), 1:4)
  expect_refused(c(x, private_counts(1:3, epsilon = 1)), "single mechanism")
  expect_refused(c(x, protected(thinning(0.5), 1:4)), "single mechanism")
  set.seed(1)
  varying <- private_counts(matrix(c(3, 6, 0, 8), 2), mechanism = random_rounding(c(3, 2)))
  expect_refused(varying[, 1], "the same numbers for all", "drop = FALSE")
  expect_identical(dim(varying[, 1, drop = FALSE]), c(2L, 1L))
})

derivatives <- function(mechanism, released, mu, excess) {
  unlist(protected_derivatives(mechanism, released, mu, excess, 2))
}

test_that("derivatives are those of the code for geometric noise", {
  at <- expand.grid(r = c(-3, 0, 5, 1000), mu = c(1e-12, 0.3, 7, 900), excess = c(0, 0.5, 30))
  for (i in seq_len(nrow(at))) {
    ours <- derivatives(geometric_noise(alpha = 0.6), at$r[i], at$mu[i], at$excess[i])
    theirs <- unlist(scaled_derivatives(at$r[i], at$mu[i], at$excess[i], 0.6, 2))
    expect_lt(max(abs(ours - theirs) / pmax(at$mu[i], abs(theirs))), 1e-9, label = paste(at[i, ], collapse = " "))
  }
})

test_that("the information is that of the code for geometric noise, and of a custom mechanism", {
  for (mu in c(0.01, 0.8, 30)) {
    for (excess in c(0, 2)) {
      theirs <- .Call(C_rc_information, mu, excess, 0.6, 1L)
      expect_equal(information_of_releases(mu, geometric_noise(alpha = 0.6), excess), theirs, tolerance = 1e-5)
    }
  }
  own <- custom_mechanism(function(release, y) stats::dbinom(release, y, 0.4, log = TRUE), c(0, Inf))
  expect_equal(information_of_releases(3, own, 1), information_of_releases(3, thinning(0.4), 1), tolerance = 1e-9)
})

test_that("regressions account for every mechanism", {
  skip_if_not_installed("mgcv")
  set.seed(32)
  n <- if (EXTENDED) 500 else 200
  d <- data.frame(x = rnorm(n), g = factor(rep(c("a", "b"), n / 2)))
  mu <- exp(1 + 0.5 * d$x + 0.4 * (d$g == "b"))
  for (dispersion in c(1, 3)) {
    y <- if (dispersion == 1) rpois(n, mu) else rnbinom(n, mu / 2, mu = mu)
    family <- if (dispersion == 1) private_poisson else private_nbinom1
    # each mechanism with one of the two families, or in the extended tests with both
    for (mechanism in some_of(MECHANISMS, 2, (dispersion + 1) / 2)) {
      d$released <- protected(mechanism, y, 33)
      fit <- mgcv::gam(released ~ x + g, family = family(), data = d)
      z <- (coef(fit) - c(1, 0.5, 0.4)) / sqrt(diag(vcov(fit)))
      expect_lt(max(abs(z)), normal_bound(6 * length(MECHANISMS)), label = format(mechanism))
      at <- if (dispersion == 1) 1 else fit$family$getTheta(TRUE)
      density <- dprivcount(as.numeric(d$released), fitted(fit), mechanism, at, log = TRUE)
      expect_equal(fit$family$aic(fit$y, fitted(fit), wt = rep(1, n)), -2 * sum(density), tolerance = 1e-10)
      # a maximum: a step in any direction lowers the likelihood
      for (j in 1:3) {
        moved <- coef(fit) + replace(numeric(3), j, 0.3 * sqrt(vcov(fit)[j, j]))
        other <- exp(as.vector(model.matrix(fit) %*% moved))
        expect_lt(sum(dprivcount(as.numeric(d$released), other, mechanism, at, log = TRUE)), sum(density))
      }
      expect_true(all(is.finite(residuals(fit))))
      expect_identical(dim(fit$family$simulate(fit, 2)), c(as.integer(n), 2L))
    }
  }
})

test_that("standard errors agree with the spread of estimates", {
  extended_only()
  skip_if_not_installed("mgcv")
  n <- 200
  x <- rep(c(-1, 1), n / 2)
  set.seed(34)
  for (mechanism in list(suppression(1, 9), random_rounding(5))) {
    found <- replicate(60, {
      d <- data.frame(x)
      released <- simulate(mechanism, y = rpois(n, exp(1.2 + 0.6 * x)))
      d$y <- private_counts(replace(released, is.infinite(released), NA), mechanism = mechanism)
      fit <- mgcv::gam(y ~ x, family = private_poisson(), data = d)
      c(coef(fit)[["x"]], sqrt(vcov(fit)[2, 2]))
    })
    # the sum of squares of 60 estimates has a chi-square distribution
    sum_of_squares <- sum((found[1, ] - mean(found[1, ]))^2) / mean(found[2, ]^2)
    expect_gt(sum_of_squares, qchisq(1e-6, 59))
    expect_lt(sum_of_squares, qchisq(1e-6, 59, lower.tail = FALSE))
    expect_lt(abs(mean(found[1, ]) - 0.6), normal_bound(2) * sd(found[1, ]) / sqrt(60) + 0.02)
  }
})

test_that("alpha cannot be given for another mechanism", {
  skip_if_not_installed("mgcv")
  d <- data.frame(y = protected(thinning(0.5), rep(3, 30)), x = 1:30)
  expect_refused(mgcv::gam(y ~ x, family = private_poisson(0.5), data = d), "another mechanism")
})

test_that("private_counts() and the models make a matrix release of a data frame of columns", {
  y <- c(0, 3, 12, 1, 40, 9)
  for (mechanism in list(discrete_gaussian_noise(2), suppression(1, 9), count_classes(c(0, 1, 5)))) {
    d <- data.frame(a = protected(mechanism, y), b = protected(mechanism, rev(y)))
    x <- private_counts(d)
    expect_identical(x, cbind(a = d$a, b = d$b))
    expect_identical(privacy(x)$mechanism, mechanism)
    expect_identical(private_counts(cbind(who = letters[1:6], d), id = "who")[, "a"], d$a)
    set.seed(9)
    fit <- topic_model(d, 2, iter = 4)
    set.seed(9)
    expect_identical(coef(fit), coef(topic_model(x, 2, iter = 4)))
    expect_refused(private_counts(x), "is a release already")
    expect_refused(private_counts(d, epsilon = 1), "is a release already")
  }
  geometric <- data.frame(a = privatize(1:3, 1), b = privatize(3:1, 1))
  expect_identical(private_counts(geometric), cbind(a = geometric$a, b = geometric$b))
})

test_that("a data frame of cells has the parameters of the mechanism", {
  y <- matrix(c(0, 3, 12, 1, 40, 9), 2)
  of_cells <- function(mechanism) as.data.frame(protected(mechanism, y))
  expect_identical(of_cells(skellam_noise(4))$variance, rep(4, 6))
  varying <- of_cells(withheld(discrete_gaussian_noise(1:2), below = 5:6))
  expect_identical(varying[c("below", "sd")], data.frame(below = rep(5:6 + 0, 3), sd = rep(1:2 + 0, 3)))
  hidden <- of_cells(suppression(1, 9))
  expect_identical(hidden[-(1:2)], data.frame(y_tilde = c(0, -Inf, 12, -Inf, 40, -Inf), from = 1, to = 9))
  expect_named(of_cells(count_classes(c(0, 1, 5))), c("row", "column", "y_tilde"))
})

test_that("the refusal of arithmetic names the mechanism", {
  x <- privatize(matrix(0:3, 2), mechanism = skellam_noise(2))
  for (refused in list(quote(x + 1), quote(1 + x), quote(sum(x)), quote(x[, 1] * 2), quote(mean(x[, 1])))) {
    expect_refused(eval(refused), "Skellam noise (variance = 2)")
  }
  expect_refused(privatize(1:3, 1) + 1, "geometric noise that its alpha declares")
})

test_that("unconditional standard errors account for the estimated dispersion", {
  skip_if_not_installed("mgcv")
  set.seed(35)
  x <- rnorm(300)
  mechanism <- suppression(1, 9)
  released <- simulate(mechanism, y = rnbinom(300, exp(1.2 + 0.4 * x), 0.5))
  d <- data.frame(x, y = private_counts(replace(released, is.infinite(released), NA), mechanism = mechanism))
  fit <- mgcv::gam(y ~ x, family = private_nbinom1(), data = d)
  minus_log_density <- function(at) {
    -sum(dprivcount(released, exp(at[1] + at[2] * x), mechanism, 1 + exp(at[3]), log = TRUE))
  }
  at <- c(coef(fit), log(fit$family$getTheta(TRUE) - 1))
  hessian <- stats::optimHess(at, minus_log_density)
  full <- sqrt(diag(solve(hessian)))[1:2]
  expect_equal(unname(sqrt(diag(vcov(fit, unconditional = TRUE)))), unname(full), tolerance = 0.03)
  expect_lt(vcov(fit)[2, 2], vcov(fit, unconditional = TRUE)[2, 2])
})
