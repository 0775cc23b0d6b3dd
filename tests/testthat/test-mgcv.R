# Families of private counts for mgcv::gam() (R/regress-mgcv.R, R/regress-noise.R).

skip_if_not_installed("mgcv")
gam <- mgcv::gam

TOL_ORDINARY <- 1e-8 # coefficients of private_poisson(0) and poisson()
TOL_SAME <- 1e-5 # fits of the same model to the same data, as far as mgcv's iterations go

survey <- function(n, alpha, dispersion = 1) {
  d <- data.frame(x = rnorm(n), z = runif(n), g = factor(sample(8, n, TRUE)), time = runif(n, 0.5, 4))
  mu <- exp(0.5 + 0.6 * d$x)
  d$y <- if (dispersion == 1) rpois(n, mu) else rnbinom(n, size = mu / (dispersion - 1), mu = mu)
  d$alpha <- rep_len(alpha, n)
  d$y_tilde <- d$y + rgeom(n, 1 - d$alpha) - rgeom(n, 1 - d$alpha)
  d
}

set.seed(41)
d <- survey(400, c(0.2, 0.6))
d2 <- survey(400, c(0.2, 0.6), dispersion = 3)

test_that("private_poisson(0) gives the fit of poisson()", {
  ordinary <- gam(y ~ x + z, family = poisson(), data = d, method = "REML")
  fit <- gam(y ~ x + z, family = private_poisson(0), data = d)
  expect_lt(max(abs(coef(fit) - coef(ordinary))), TOL_ORDINARY)
  expect_within(vcov(fit), vcov(ordinary), TOL_ORDINARY)
  expect_within(
    c(deviance(fit), fit$null.deviance, AIC(fit), logLik(fit)),
    c(deviance(ordinary), ordinary$null.deviance, AIC(ordinary), logLik(ordinary)), TOL_ORDINARY
  )
  expect_within(residuals(fit), residuals(ordinary), 1e-6)
  expect_within(residuals(fit, "pearson"), residuals(ordinary, "pearson"), TOL_ORDINARY)
  smooth <- y ~ s(x) + s(g, bs = "re")
  expect_lt(max(abs(
    coef(gam(smooth, family = private_poisson(0), data = d)) -
      coef(gam(smooth, family = poisson(), data = d, method = "REML"))
  )), TOL_SAME)
})

TOL_COVARIANCE <- 1e-3 # of interpolated information

# mgcv's covariance is the inverse of the expected information, relative to the variances.
expect_covariance <- function(fit, excess) {
  each <- mapply(function(mu, alpha) fisher_information(mu, excess, alpha), fitted(fit), d$alpha)
  x <- model.matrix(fit)
  direct <- solve(crossprod(x, each * x))
  sd <- sqrt(diag(direct))
  expect_lt(max(abs(vcov(fit) - direct) / outer(sd, sd)), TOL_COVARIANCE)
}

test_that("equal means", {
  expect_no_warning(fit <- gam(y_tilde ~ 1, family = private_nbinom1(alpha, dispersion = 2), data = d))
  expect_covariance(fit, 1)
})

test_that("the fit maximises the likelihood of the released counts", {
  fit <- gam(y_tilde ~ x, family = private_poisson(alpha), data = d)
  log_likelihood <- function(b) sum(dprivpois(d$y_tilde, exp(b[1] + b[2] * d$x), d$alpha, TRUE))
  best <- optim(c(0.3, 0.3), log_likelihood, control = list(fnscale = -1, reltol = 1e-14))
  expect_within(coef(fit), best$par, 1e-4)
  expect_within(as.numeric(logLik(fit)), best$value, 1e-7)
  expect_covariance(fit, 0)
  fit <- gam(y_tilde ~ x, family = private_nbinom1(alpha, dispersion = 3), data = d2)
  log_likelihood <- function(b) sum(dprivnbinom(d2$y_tilde, exp(b[1] + b[2] * d2$x), d2$alpha, 3, TRUE))
  best <- optim(c(0.3, 0.3), log_likelihood, control = list(fnscale = -1, reltol = 1e-14))
  expect_within(coef(fit), best$par, 1e-4)
  expect_covariance(fit, 2)
  expect_identical(fit$family$getTheta(TRUE), 3)
})

test_that("coefficients and dispersion are recovered", {
  set.seed(42)
  many <- survey(5000, 0.4, dispersion = 3)
  fit <- gam(y_tilde ~ x, family = private_nbinom1(alpha), data = many)
  z <- (coef(fit) - c(0.5, 0.6)) / sqrt(diag(vcov(fit)))
  expect_lt(max(abs(z)), normal_bound(2))
  expect_lt(abs(fit$family$getTheta(TRUE) - 3), 0.5)
  expect_match(fit$family$family, "private nbinom1(dispersion", fixed = TRUE)
  expect_output(print(summary(fit)), "Family: private nbinom1")
  # the dispersion is the maximum of the likelihood, up to the change by REML
  at <- function(theta) sum(fit$family$dev.resids(fit$y, fitted(fit), 1, theta))
  expect_lt(abs(optimize(at, c(0, 2))$minimum - fit$family$getTheta()), 0.01)
})

test_that("alpha is a number, a vector, or a column of the data, which comes first", {
  alpha <- 0.9
  by_column <- gam(y_tilde ~ x, family = private_poisson(alpha), data = d)
  levels <- d$alpha
  expect_identical(coef(gam(y_tilde ~ x, family = private_poisson(levels), data = d)), coef(by_column))
  # another alpha than that of the noise, which gives a warning
  other <- function(code) suppressWarnings(code, classes = "ldpcounts_declared_alpha")
  by_variable <- other(gam(y_tilde ~ x, family = private_poisson(alpha), data = d[names(d) != "alpha"]))
  expect_identical(coef(by_variable), coef(other(gam(y_tilde ~ x, family = private_poisson(0.9), data = d))))
  expect_gt(max(abs(coef(by_variable) - coef(by_column))), TOL_SAME)
  outside <- private_poisson(alpha)
  expect_identical(coef(gam(y_tilde ~ x, family = outside, data = d)), coef(by_column))
  wrapped <- function(data, level) gam(y_tilde ~ x, family = private_poisson(level), data = data)
  expect_identical(coef(other(wrapped(d, 0.9))), coef(by_variable))
  prepared <- gam(y_tilde ~ x, family = private_poisson(alpha), data = d, fit = FALSE)
  expect_identical(coef(gam(G = prepared)), coef(by_column))
  without_data <- with(d, gam(y_tilde ~ x, family = private_poisson(levels)))
  expect_identical(coef(without_data), coef(by_column))
})

test_that("noise levels follow subsets and rows with missing values", {
  gaps <- d
  gaps$y_tilde[3] <- NA
  gaps$x[390] <- NA
  kept <- d[d$z > 0.3 & !seq_len(400) %in% c(3, 390), ]
  expected <- coef(gam(y_tilde ~ x, family = private_poisson(alpha), data = kept))
  fit <- gam(y_tilde ~ x, family = private_poisson(alpha), data = gaps, subset = z > 0.3)
  expect_identical(coef(fit), expected)
  excluded <- gam(
    y_tilde ~ x, family = private_poisson(alpha), data = gaps, subset = z > 0.3, na.action = na.exclude
  )
  expect_identical(coef(excluded), expected)
  expect_length(residuals(excluded), sum(d$z > 0.3))
  called <- do.call(gam, list(y_tilde ~ x, family = private_poisson(alpha), data = gaps, subset = d$z > 0.3))
  expect_identical(coef(called), expected)
})

test_that("noise levels of other rows are an error, in each function that needs them", {
  set.seed(7)
  d <- data.frame(x = rnorm(40))
  d$y <- privatize(rpois(40, 3), epsilon = rep(1:2, 20), rng = "R")
  family <- mgcv::gam(y ~ x, family = private_poisson(), data = d)$family
  for (call in list(
    quote(aic(1:3, c(2, 2, 2), wt = 1, dev = 0)), quote(dev.resids(1:3, c(2, 2, 2), 1)),
    quote(Dd(1:3, c(2, 2, 2), 0, 1)), quote(rd(c(2, 2, 2), 1, 1)), quote(cdf(1:3, c(2, 2, 2), 1, 1))
  )) {
    expect_error(eval(call, unclass(family)), "has the noise levels of 40 rows, but 3 are used")
  }
})

test_that("predictions are means of true counts, and need no noise level", {
  fit <- gam(y_tilde ~ x + s(z), family = private_nbinom1(alpha), data = d2)
  new <- data.frame(x = c(-1, 0, 2), z = 0.5)
  link <- predict(fit, new, se.fit = TRUE)
  response <- predict(fit, new, type = "response", se.fit = TRUE)
  expect_within(response$fit, exp(link$fit), TOL_EXACT)
  expect_within(response$se.fit, exp(link$fit) * link$se.fit, TOL_EXACT)
  expect_within(residuals(fit, "response"), d2$y_tilde - fitted(fit), TOL_EXACT)
  expect_true(all(is.finite(residuals(fit))))
  draw_plot(plot(fit))
})

test_that("weights are numbers of equal rows", {
  set.seed(43)
  weights <- sample(3, nrow(d2), TRUE)
  weighted <- gam(y_tilde ~ x, family = private_nbinom1(alpha), data = d2, weights = weights)
  repeated <- gam(y_tilde ~ x, family = private_nbinom1(alpha), data = d2[rep(seq_len(400), weights), ])
  expect_within(coef(weighted), coef(repeated), TOL_SAME)
  expect_within(vcov(weighted), vcov(repeated), TOL_SAME)
  expect_within(weighted$family$getTheta(), repeated$family$getTheta(), 1e-3)
})

test_that("offsets and random effects are those of the true counts", {
  set.seed(44)
  n <- 3000
  e <- data.frame(time = runif(n, 0.5, 4), g = factor(sample(30, n, TRUE)))
  effect <- rnorm(30, 0, 0.5)
  e$y_tilde <- rpois(n, e$time * exp(0.3 + effect[e$g])) + rtwogeom(n, 0.4)
  fit <- gam(y_tilde ~ s(g, bs = "re") + offset(log(time)), family = private_poisson(0.4), data = e)
  expect_gt(cor(coef(fit)[-1], effect), 0.95)
  expect_lt(abs(coef(fit)[1] + mean(coef(fit)[-1]) - 0.3 - mean(effect)), 0.1)
  expect_lt(abs(mgcv::gam.vcomp(fit)["s(g)", "std.dev"] - sd(effect)), 0.15)
})

test_that("links other than the logarithm are fitted", {
  for (link in c("log", "sqrt", "identity")) {
    fit <- gam(y_tilde ~ g, family = private_poisson(alpha, link = link), data = d)
    expect_true(fit$converged)
    if (link == "log") expected <- fitted(fit)
    expect_within(fitted(fit), expected, 1e-4) # a mean per group, whatever the link
  }
})

test_that("simulated data are released counts with the noise of the data", {
  fit <- gam(y_tilde ~ x, family = private_nbinom1(alpha), data = d2)
  set.seed(45)
  draws <- as.matrix(simulate(fit, 2000))
  expect_identical(dim(draws), c(400L, 2000L))
  variance <- fit$family$variance(fitted(fit))
  z <- (rowMeans(draws) - fitted(fit)) / sqrt(variance / 2000)
  expect_lt(max(abs(z)), normal_bound(400) + 1) # skewed counts
  p <- c(0.1, 0.5, 0.9)
  mu <- rep(2, 400)
  expect_identical(fit$family$qf(0.5, mu, 1, 1), qprivnbinom(0.5, mu, d2$alpha, fit$family$getTheta(TRUE)))
})

test_that("fits with little information end, from any released counts", {
  set.seed(46)
  for (alpha in c(0.9, 0.99)) {
    e <- data.frame(x = rnorm(200), y_tilde = rpois(200, 1) + rtwogeom(200, alpha))
    for (family in list(private_poisson(alpha), private_nbinom1(alpha))) {
      fit <- suppressWarnings(gam(y_tilde ~ x, family = family, data = e))
      expect_true(all(is.finite(coef(fit))))
    }
  }
  e <- data.frame(x = rnorm(50), y_tilde = -rgeom(50, 0.3)) # the mean is negative
  fit <- suppressWarnings(gam(y_tilde ~ 1, family = private_poisson(0.7), data = e))
  expect_lt(coef(fit), 0)
})

test_that("starting means of heavy-tailed counts with an outlier are numbers above 0", {
  set.seed(3)
  x <- rt(1000, 2)
  y <- rpois(1000, pmin(exp(0.5 + 0.3 * x), 1e5) * rgamma(1000, 0.5, 0.5)) + rtwogeom(1000, 0.4)
  y[7] <- 1e6 # without limits of the means, exp(eta) overflows
  design <- list(X = cbind(1, x), offset = 0, w = rep(1, 1000))
  start <- ldpcounts:::start_values(y, 0.4, design, poisson())
  expect_true(all(is.finite(start$mu) & start$mu > 0))
  expect_true(is.finite(start$excess))
})

# The same data with the released counts as a column that carries its noise levels.
as_column <- function(d) {
  d$released <- private_counts(d$y_tilde, alpha = d$alpha)
  d[c("released", "x", "z", "g", "time")]
}

test_that("bam() accepts these families", {
  fit <- gam(y_tilde ~ x, family = private_nbinom1(0.4, 1.5), data = d)
  big <- mgcv::bam(y_tilde ~ x, family = private_nbinom1(0.4, 1.5), data = d)
  expect_within(coef(big), coef(fit), 1e-3)
  column <- as_column(d[d$alpha == 0.2, ])
  fit <- gam(released ~ x, family = private_nbinom1(), data = column)
  expect_within(coef(mgcv::bam(released ~ x, family = private_nbinom1(), data = column)), coef(fit), 1e-3)
  expect_refused(mgcv::bam(y_tilde ~ x, family = private_poisson(alpha), data = d), "private_counts(y_tilde")
})

TOL_COLUMN <- 1e-12 # fits to the same numbers

expect_same_fit <- function(fit, other) {
  expect_within(coef(fit), coef(other), TOL_COLUMN)
  expect_within(vcov(fit), vcov(other), TOL_COLUMN)
  expect_within(c(logLik(fit), AIC(fit), deviance(fit)), c(logLik(other), AIC(other), deviance(other)), TOL_COLUMN)
  expect_within(fitted(fit), fitted(other), TOL_COLUMN)
  for (type in c("deviance", "pearson", "response")) {
    expect_within(residuals(fit, type), residuals(other, type), TOL_COLUMN)
  }
}

test_that("the noise is read from a response that carries it", {
  column <- as_column(d2)
  for (link in c("log", "sqrt")) {
    expect_same_fit(
      gam(released ~ x, family = private_nbinom1(link = link), data = column),
      gam(y_tilde ~ x, family = private_nbinom1(alpha, link = link), data = d2)
    )
  }
  fit <- gam(released ~ s(x) + g + offset(log(time)), family = private_poisson(), data = as_column(d))
  expect_same_fit(fit, gam(y_tilde ~ s(x) + g + offset(log(time)), family = private_poisson(d$alpha), data = d))
  expect_same_fit(gam(released ~ x, family = private_nbinom1, data = column, method = "REML"),
    gam(y_tilde ~ x, family = private_nbinom1(d2$alpha), data = d2))
  declared <- gam(private_counts(y_tilde, alpha = alpha) ~ x, family = private_nbinom1(), data = d2)
  fit <- gam(released ~ x, family = private_nbinom1(), data = column)
  expect_same_fit(fit, declared)
  # one level
  one <- d2[d2$alpha == 0.2, ]
  expect_same_fit(gam(released ~ x, family = private_nbinom1(), data = as_column(one)),
    gam(y_tilde ~ x, family = private_nbinom1(0.2), data = one))
  # what is done with a fit
  new <- data.frame(x = c(-1, 2))
  other <- gam(y_tilde ~ x, family = private_nbinom1(alpha), data = d2)
  expect_within(predict(fit, new, type = "response"), predict(other, new, type = "response"), TOL_COLUMN)
  set.seed(1)
  draws <- simulate(fit, 3)
  set.seed(1)
  expect_identical(unname(simulate(other, 3)), unname(draws))
  smaller <- gam(released ~ 1, family = private_nbinom1(dispersion = 3), data = column)
  larger <- update(smaller, . ~ x)
  expect_lt(AIC(larger), AIC(smaller))
  tested <- anova(smaller, larger, test = "Chisq")
  expect_within(tested$Deviance[2], 2 * as.numeric(logLik(larger) - logLik(smaller)), 1e-9)
  expect_s3_class(model.frame(fit)$released, "private_vector")
  expect_output(print(summary(fit)), "private nbinom1")
  draw_plot(plot(gam(released ~ s(x), family = private_nbinom1(), data = column)))
})

test_that("a fit to a column has the likelihood of each count and its own noise", {
  column <- as_column(d)
  fit <- gam(released ~ x, family = private_nbinom1(dispersion = 2), data = column)
  # by enumeration of the true counts and of the noise
  alpha <- privacy(column$released)$alpha
  enumerated <- vapply(seq_len(nrow(d)), function(i) {
    y <- 0:200
    noise <- (1 - alpha[i]) / (1 + alpha[i]) * alpha[i]^abs(as.numeric(column$released[i]) - y)
    log(sum(dnbinom(y, size = fitted(fit)[i], mu = fitted(fit)[i]) * noise))
  }, 0)
  expect_within(as.numeric(logLik(fit)), sum(enumerated), 1e-10)
})

test_that("levels follow their rows: missing covariates, subset, weights and dropped factor levels", {
  set.seed(48)
  e <- survey(300, c(0.1, 0.4, 0.7, 0.85), dispersion = 3)
  e$weight <- sample(3, 300, TRUE)
  e$g <- factor(sample(c("a", "b", "c"), 300, TRUE), levels = c("a", "b", "c", "unused"))
  column <- cbind(as_column(e), weight = e$weight)
  column$x[c(2, 90, 170)] <- NA
  column$g[c(3, 91)] <- NA
  column$released[c(4, 250)] <- NA
  rows <- setdiff(which(e$z > 0.25 & e$g != "c"), c(2, 90, 170, 3, 91, 4, 250))
  kept <- droplevels(e[rows, ])
  expected <- gam(y_tilde ~ x + g, family = private_nbinom1(kept$alpha), data = kept, weights = weight)
  for (action in list(na.omit, na.exclude)) {
    fit <- gam(released ~ x + g, family = private_nbinom1(), data = column, weights = weight,
      subset = z > 0.25 & g != "c", na.action = action)
    expect_within(coef(fit), coef(expected), TOL_COLUMN)
    expect_within(as.numeric(logLik(fit)), as.numeric(logLik(expected)), TOL_COLUMN)
  }
  # rows in another order, and in a tibble
  shuffled <- tibble::as_tibble(column)[sample(300), ]
  fit <- gam(released ~ x + g, family = private_nbinom1(), data = shuffled, weights = weight,
    subset = z > 0.25 & g != "c")
  expect_within(coef(fit), coef(expected), 1e-6)
  expect_within(as.numeric(logLik(fit)), as.numeric(logLik(expected)), 1e-9)
  # levels of the first rows of the data give another fit
  wrong <- suppressWarnings(gam(y_tilde ~ x + g, family = private_nbinom1(e$alpha[seq_along(rows)]), data = kept,
    weights = weight))
  expect_gt(max(abs(coef(wrong) - coef(expected))), 0.01)
})

test_that("a response that contradicts alpha, or that is clamped, is refused", {
  column <- cbind(as_column(d), alpha = d$alpha)
  expect_same_fit(gam(released ~ x, family = private_poisson(alpha), data = column),
    gam(released ~ x, family = private_poisson(), data = column))
  for (family in list(private_poisson(0.3), private_nbinom1(alpha + 0.01))) {
    expect_refused(gam(released ~ x, family = family, data = column), "contradicts the response")
  }
  column$released <- private_counts(pmax(d$y_tilde, 0), alpha = d$alpha, clamped = TRUE)
  expect_refused(gam(released ~ x, family = private_poisson(), data = column), "must not be clamped")
  # data of another name where the family was made: their alpha is not used
  other <- function(e) {
    d <- e
    d$y_tilde <- d$y_tilde + 1
    formula <- y_tilde ~ x
    list(private_poisson(alpha), formula)
  }
  made <- other(d)
  expect_refused(gam(made[[2]], family = made[[1]], data = d), "The data of the fit were not found")
})

test_that("bad arguments meet errors of this package", {
  expect_refused(private_poisson(1), "a number from 0 to 0.999", "It is 1")
  expect_refused(private_nbinom1(0.9991), "a number from 0 to 0.999")
  expect_refused(private_poisson(-0.1), "a number from 0 to 0.999")
  expect_refused(private_poisson(NA_real_), "a number from 0 to 0.999")
  expect_refused(private_poisson("a"), "`alpha` must be a number", "It is \"a\"")
  expect_refused(private_poisson(list(0.5)), "`alpha` must be a number", "list")
  expect_refused(private_nbinom1(0.3, dispersion = 0.5), "`dispersion` must be", "at least 1")
  expect_refused(private_nbinom1(0.3, link = "logit"), "`link` must be one of")
  fit <- function(formula, family, data = d, ...) gam(formula, family = family, data = data, ...)
  for (family in list(private_poisson, private_poisson(), private_nbinom1())) {
    expect_refused(fit(y_tilde ~ x, family), "must be a release, or `alpha` must be given", "private_counts()")
  }
  expect_refused(fit(y_tilde ~ x, private_poisson(rep(0.3, 5))), "one per row of the data (400)", "length 5")
  expect_refused(
    gam(y_tilde ~ x, family = private_poisson(nowhere), data = d), "`alpha` was not found", "nowhere"
  )
  expect_refused(gam(y_tilde ~ x, family = private_poisson(alpha + 0.5), data = d), "At least one is not")
  expect_refused(gam(y_tilde ~ x, family = private_poisson(g), data = d), "`alpha` must be", "factor")
  expect_refused(fit(I(y_tilde + 0.5) ~ x, private_poisson(0.3)), "whole numbers")
  expect_refused(fit(cbind(y_tilde, y) ~ x, private_poisson(0.3)), "a vector of released counts")
  expect_refused(fit(factor(y_tilde) ~ x, private_poisson(0.3)), "a vector of released counts")
  expect_refused(fit(y_tilde ~ x, private_poisson(0)), "must not be negative")
  expect_refused(stats::glm(y_tilde ~ x, family = private_poisson(0.3), data = d), "`mgcv::gam()`", "`glm()`")
  expect_refused(fit(pmax(y_tilde, 0) ~ x, private_poisson(0.6)), "seem to be clamped", "clamp = FALSE")
  gaps <- transform(d, x = replace(x, 7, NA))
  expect_refused(fit(y_tilde ~ x, private_poisson(0.5), gaps, na.action = na.pass), "must not be missing")
})

test_that("few zeros without negative counts are not taken for clamped counts", {
  e <- data.frame(y_tilde = c(rep(0, 3), 4:30), x = rnorm(30))
  expect_s3_class(gam(y_tilde ~ x, family = private_nbinom1(0.3), data = e), "gam")
})

test_that("90 % intervals cover", {
  extended_only()
  set.seed(47)
  for (dispersion in c(1, 3)) {
    covered <- replicate(1000, {
      e <- survey(200, 0.5, dispersion)
      family <- if (dispersion == 1) private_poisson(0.5) else private_nbinom1(0.5)
      fit <- gam(y_tilde ~ x, family = family, data = e)
      abs(coef(fit) - c(0.5, 0.6)) < qnorm(0.95) * sqrt(diag(vcov(fit)))
    })
    # 0.9 within 4.9 standard errors and a bias of 0.02 of so few data
    expect_lt(max(abs(rowMeans(covered) - 0.9)), 0.02 + normal_bound(4) * sqrt(0.09 / 1000))
  }
})

test_that("method ML without a penalty is refused with what to use instead, and REML works", {
  skip_if_not_installed("mgcv")
  set.seed(781)
  d <- data.frame(x = runif(100))
  d$r <- rpois(100, 3) + rtwogeom(100, 0.5)
  for (family in list(private_poisson, private_nbinom1)) {
    expect_refused(mgcv::gam(r ~ x, family = family(0.5), data = d, method = "ML"), "method = \"ML\"", "\"REML\"")
    expect_true(mgcv::gam(r ~ x, family = family(0.5), data = d, method = "REML")$converged)
  }
  expect_true(mgcv::gam(r ~ s(x, k = 4), family = private_poisson(0.5), data = d, method = "ML")$converged)
})

test_that("private_poisson() warns of counts that vary more than it allows, and only of them", {
  skip_if_not_installed("mgcv")
  set.seed(782)
  d <- data.frame(x = runif(200), alpha = rep(c(0.3, 0.7), 100))
  noise <- rtwogeom(200, d$alpha)
  d$right <- rpois(200, exp(1 + d$x)) + noise
  d$heavy <- rnbinom(200, size = 0.5, mu = exp(1 + d$x)) + noise
  expect_no_warning(mgcv::gam(right ~ x, family = private_poisson(alpha), data = d))
  expect_warning(mgcv::gam(heavy ~ x, family = private_poisson(alpha), data = d), class = "ldpcounts_overdispersed")
  expect_no_warning(mgcv::gam(heavy ~ x, family = private_nbinom1(alpha), data = d))
})

test_that("an alpha that the counts contradict gives a warning", {
  skip_if_not_installed("mgcv")
  set.seed(783)
  d <- data.frame(x = runif(300))
  d$r <- rpois(300, 1) + rtwogeom(300, 0.8)
  expect_warning(mgcv::gam(r ~ x, family = private_nbinom1(0.4), data = d), class = "ldpcounts_declared_alpha")
})

# Times are not tested, but the number of evaluations is limited, and each takes a limited number of steps.
test_that("regressions on large counts converge", {
  skip_if_not_installed("mgcv")
  set.seed(784)
  for (size in c(1e3, 1e7)) {
    for (spread in c(0, 0.5)) {
      d <- data.frame(x = runif(90), alpha = c(0.3, 0.6, 0.9))
      d$r <- rpois(90, size * exp(d$x + spread * rnorm(90))) + rtwogeom(90, d$alpha)
      fit <- mgcv::gam(r ~ x, family = private_nbinom1(alpha), data = d)
      expect_identical(fit$outer.info$conv, "full convergence")
      expect_lt(abs(coef(fit)[["x"]] - 1), 6 * sqrt(vcov(fit)[2, 2]) + 1e-3)
    }
  }
})
