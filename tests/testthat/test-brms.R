# The families for brms. Those tests that compile Stan programs take minutes, and are among the extended ones.

skip_if_not_installed("brms")
skip_if_not_installed("rstan")

families <- list(private_poisson = brms_private_poisson(), private_nbinom1 = brms_private_nbinom1())

# What brms hands to the functions of a family: draws of parameters, one column per observation, and the data.
prepare <- function(family, mu, y = NULL, alpha, dispersion = NULL, weights = NULL) {
  structure(
    list(
      family = family, ndraws = nrow(mu), nobs = ncol(mu), dpars = list(mu = mu, dispersion = dispersion),
      data = list(Y = y, vreal1 = alpha, weights = weights)
    ),
    class = "brmsprep"
  )
}
mu <- cbind(c(0.5, 2, 30), c(1, 4, 0.01))
dispersion <- c(1.5, 3, 10)
y <- c(-4, 7)
alpha <- c(0.3, 0.8)

test_that("a family has what brms needs, and its functions do not depend on the workspace", {
  for (name in names(families)) {
    one <- families[[name]]
    expect_named(one, c("family", "stanvars"))
    expect_s3_class(one$family, "customfamily")
    expect_s3_class(one$stanvars, "stanvars")
    expect_identical(one$family$name, name)
    expect_identical(one$family$type, "int")
    for (method in c("log_lik", "posterior_predict", "posterior_epred")) expect_type(one$family[[method]], "closure")
  }
  expect_identical(families$private_nbinom1$family$lb$dispersion, "1")
})

test_that("log_lik is the density of released counts, with weights", {
  for (i in 1:2) {
    prep <- prepare(families$private_poisson$family, mu, y, alpha)
    log_lik <- prep$family$log_lik(i, prep)
    expect_identical(log_lik, dprivpois(y[i], mu[, i], alpha[i], log = TRUE))
    prep$data$weights <- c(2, 3)
    expect_identical(prep$family$log_lik(i, prep), log_lik * c(2, 3)[i])
    prep <- prepare(families$private_nbinom1$family, mu, y, alpha, dispersion)
    log_lik <- prep$family$log_lik(i, prep)
    expect_identical(log_lik, dprivnbinom(y[i], mu[, i], alpha[i], dispersion, log = TRUE))
  }
})

test_that("posterior_predict draws released counts by R's generator, and posterior_epred returns means", {
  n <- 20000
  for (one in families) {
    prep <- prepare(one$family, matrix(3, n, 1), NULL, 0.6, rep(4, n))
    set.seed(1)
    draws <- one$family$posterior_predict(1, prep)
    set.seed(1)
    expect_identical(one$family$posterior_predict(1, prep), draws)
    expect_length(draws, n)
    x <- -25:60
    p <- if (one$family$name == "private_poisson") dprivpois(x, 3, 0.6) else dprivnbinom(x, 3, 0.6, 4)
    expect_law(draws + 25, p)
    expect_identical(one$family$posterior_epred(prep), matrix(3, n, 1))
  }
})

test_that("an argument, and an alpha for predictions that is out of range, are refused", {
  expect_refused(brms_private_poisson(0.5), "`brms_private_poisson()` has no arguments", "vreal(alpha)")
  noised <- private_counts(c(1, -2), epsilon = 1)
  expect_refused(brms_private_poisson(noised), "`release` has geometric noise, or none", "vreal(alpha)")
  for (mechanism in list(discrete_gaussian_noise(2), withheld(discrete_gaussian_noise(2), 5))) {
    released <- private_counts(c(7, 12), mechanism = mechanism)
    expect_refused(
      brms_private_nbinom1(released), "does not support the mechanism of `release`",
      "Use `private_nbinom1()` with `mgcv::gam()`"
    )
  }
  wide <- private_counts(c(0, 50000), mechanism = rounding(50000))
  expect_refused(brms_private_poisson(wide), "must allow at most 10000 true counts", "50000")
  expect_refused(brms_private_nbinom1(alpha = 0.5), "`brms_private_nbinom1()` has no arguments")
  expect_refused(
    brms_private_nbinom1(mechanism = random_rounding(3)), "`brms_private_nbinom1()` has no arguments",
    "private_counts(x, mechanism = )"
  )
  for (bad in list(1, -0.1, NA_real_, NULL)) {
    prep <- prepare(families$private_poisson$family, mu, y, bad)
    expect_refused(prep$family$log_lik(1, prep), "`alpha` must be a number in [0, 1)")
    expect_refused(prep$family$posterior_predict(1, prep), "`alpha` must be a number in [0, 1)")
  }
})

test_that("brms writes a Stan program that is correct, and refuses counts that are not whole, and data without alpha", {
  data <- data.frame(y_tilde = c(3, -1, 0, 8), alpha = 0.5, x = 1:4, g = c(1, 1, 2, 2))
  for (one in families) {
    code <- brms::make_stancode(y_tilde | vreal(alpha) ~ x + (1 | g), data,
      family = one$family, stanvars = one$stanvars
    )
    expect_match(code, paste0(one$family$name, "_lpmf(Y[n] | mu[n]"), fixed = TRUE)
    expect_true(rstan::stanc(model_code = code)$status)
    standata <- function(data) {
      brms::make_standata(y_tilde | vreal(alpha) ~ x, data, family = one$family, stanvars = one$stanvars)
    }
    expect_equal(as.vector(standata(data)$vreal1), data$alpha)
    expect_error(standata(transform(data, y_tilde = y_tilde + 0.5)), "integer")
    expect_error(standata(data[c("y_tilde", "x")]), "alpha")
  }
})

test_that("brms reads a column of released counts and its noise levels, for the rows that it uses", {
  set.seed(5)
  data <- data.frame(x = rnorm(8), days = privatize(rpois(8, 3), rep(c(1, 2), 4), rng = "R"))
  data$x[2] <- NA
  data$days[5] <- NA
  data <- transform(data, alpha = privacy(days)$alpha)
  for (one in families) {
    made <- suppressWarnings(brms::make_standata(as.numeric(days) | vreal(alpha) ~ x, data,
      family = one$family, stanvars = one$stanvars
    ))
    expect_equal(as.vector(made$Y), as.numeric(data$days)[-c(2, 5)])
    expect_equal(as.vector(made$vreal1), privacy(data$days)$alpha[-c(2, 5)])
  }
})

# Columns of releases of other mechanisms than geometric noise, each with the releases at the ends of its range.
protected <- lapply(list(
  list(c(-Inf, 0, 10, 40), suppression(1, 9)), list(c(-Inf, 50), suppression(0, 30)), list(c(0, 5, 1000), rounding(5)),
  list(c(0, 6, 12), rounding(6)), list(c(0, 3, 6, 999999), random_rounding(3)),
  list(c(0, 1000, 5000), random_rounding(1000)), list(c(0, 1, 3, 6), count_classes(c(0, 1, 3, 6))),
  list(c(0, 1000), count_classes(c(0, 1000))), list(0, count_classes(0)), list(c(0, 1, 7, 300), thinning(0.3))
), function(one) private_counts(one[[1]], mechanism = one[[2]]))
means <- 10^(-6:6)

test_that("what Stan gets of the releases of other mechanisms is all that they say of true counts", {
  for (column in protected) {
    known <- stan_releases(mechanism_of_vector(column), column, NULL)
    for (i in seq_along(known$ldp_release)) {
      y <- known$ldp_low[i] + seq_len(max(1, known$ldp_number[i])) - 1
      weight <- if (known$ldp_base > 0) 1 - abs(y - known$ldp_release[i]) / known$ldp_base else 1
      top <- outer(y, known$ldp_kept * means, dpois, log = TRUE) + log(weight)
      most <- apply(top, 2, max)
      sums <- most + log(colSums(exp(sweep(top, 2, most))))
      if (known$ldp_number[i] == 0) sums <- ppois(y - 1, means, lower.tail = FALSE, log.p = TRUE)
      expect_within(sums, dprivcount(known$ldp_release[i], means, mechanism_of_vector(column), log = TRUE), 1e-10)
    }
  }
})

test_that("a column of another mechanism is a response of brms, with hidden counts, predictions and weights", {
  set.seed(1)
  data <- data.frame(x = 1:6)
  data$cases <- private_counts(c("0", "<10", "12", "<10", NA, "41"), mechanism = suppression(1, 9))
  for (make in list(brms_private_poisson, brms_private_nbinom1)) {
    one <- make(data$cases)
    made <- suppressWarnings(brms::make_standata(as.numeric(cases) ~ x, data,
      family = one$family, stanvars = one$stanvars
    ))
    expect_equal(as.vector(made$Y), c(0, -Inf, 12, -Inf, 41))
    expect_equal(as.vector(made$ldp_release), c(-Inf, 0, 12, 41))
    code <- suppressWarnings(brms::make_stancode(as.numeric(cases) ~ x, data,
      family = one$family, stanvars = one$stanvars
    ))
    expect_match(code, paste0(one$family$name, "_lpdf(Y[n] | mu[n]"), fixed = TRUE)
    expect_true(rstan::stanc(model_code = code)$status)
    overdispersed <- "dispersion" %in% one$family$dpars
    of_count <- if (overdispersed) dispersion else 1
    prep <- prepare(one$family, mu, c(-Inf, 12), NULL, if (overdispersed) dispersion, weights = c(1, 2))
    for (i in 1:2) {
      density <- dprivcount(prep$data$Y[i], mu[, i], suppression(1, 9), of_count, log = TRUE)
      expect_equal(one$family$log_lik(i, prep), c(1, 2)[i] * density)
    }
    n <- 20000
    prep <- prepare(one$family, matrix(8, n, 1), alpha = NULL, dispersion = if (overdispersed) rep(4, n))
    draws <- one$family$posterior_predict(1, prep)
    x <- c(-Inf, 0, 10:60)
    expect_law(match(draws, x) - 1, dprivcount(x, 8, suppression(1, 9), if (overdispersed) 4 else 1))
    expect_identical(one$family$posterior_epred(prep), matrix(8, n, 1))
  }
})

test_that("the vignette's regressions were stored with converged chains", {
  study <- stored_study("quine-brms")
  expect_lt(max(study$results$rhat), 1.02)
  expect_gt(min(study$results$ess), 400)
})

# rstan needs the headers of Boost; the case study knows where they are.
use_boost <- function() {
  script <- new.env()
  sys.source(case_study_file("quine-brms.R"), script)
  script$use_system_boost()
}

# The events of a count: the derivative of log Gamma(y + r)/Gamma(r) with respect to log r.
events <- function(y, r) c(0, cumsum(r / (r + (seq_len(max(y, 1)) - 1))))[y + 1]

# Gradient of the log density of a release with respect to log(mu) and log(dispersion - 1), as the posterior
# mean of that of the complete data: the true count is enumerated.
enumerated_gradient <- function(k, mu, dispersion, alpha) {
  top <- qtruecount(1e-18, k, mu, alpha, dispersion = dispersion, lower.tail = FALSE) + 5
  y <- 0:top
  p <- dtruecount(y, k, mu, alpha, dispersion = dispersion)
  r <- mu / (dispersion - 1)
  of_size <- events(y, r) - r * log1p(dispersion - 1)
  c(sum(p * of_size), sum(p * ((y - mu) / dispersion - of_size))) / sum(p)
}

# Log densities and their gradients by Stan, at a grid of k, mu, alpha and dispersion. Parameters are on the log
# scale; what they are after rounding is returned as well.
stan_densities <- function(model, grid, nbinom1) {
  data <- list(N = nrow(grid), k = grid$k, alpha = grid$alpha, nbinom1 = nbinom1)
  utils::capture.output(fit <- suppressMessages(rstan::sampling(model, data, chains = 0)))
  parameters <- log(c(grid$mu, grid$dispersion - 1))
  gradient <- rstan::grad_log_prob(fit, parameters)
  list(
    density = as.vector(rstan::constrain_pars(fit, parameters)$density),
    gradient = matrix(gradient, nrow(grid)), mu = exp(log(grid$mu)),
    dispersion = 1 + exp(log(grid$dispersion - 1))
  )
}

density_program <- function() {
  c(
    "functions {", stan_functions(), "}",
    "data { int N; int k[N]; real alpha[N]; int nbinom1; }",
    "parameters { vector[N] log_mu; vector[N] log_excess; }",
    "transformed parameters {",
    "  vector[N] density;",
    "  for (n in 1:N)",
    "    density[n] = nbinom1 ? private_nbinom1_lpmf(k[n] | exp(log_mu[n]), 1 + exp(log_excess[n]), alpha[n])",
    "      : private_poisson_lpmf(k[n] | exp(log_mu[n]), alpha[n]);",
    "}",
    "model { target += sum(density); }"
  )
}

TOL_STAN <- 1e-11 # densities and gradients by Stan

test_that("Stan's densities and gradients are those of this package", {
  extended_only()
  use_boost()
  model <- rstan::stan_model(model_code = paste(density_program(), collapse = "\n"))
  k <- c(-50, -3, -1, 0, 1, 2, 5, 15, 16, 17, 60, 300, 2000)
  mu <- c(1e-8, 1e-3, 0.1, 1, 3, 15.9, 100, 1000)
  alpha <- c(0, 1e-6, 0.01, 0.2, 0.5, 0.8, 0.95, 0.999)

  grid <- expand.grid(k = k, mu = c(mu, 1e4), alpha = alpha, dispersion = 2)
  grid <- grid[grid$alpha > 0 | grid$k >= 0, ]
  stan <- stan_densities(model, grid, 0L)
  expect_within(stan$density, dprivpois(grid$k, stan$mu, grid$alpha, log = TRUE), TOL_STAN)
  score <- truecount_mean(grid$k, stan$mu, grid$alpha) - stan$mu
  expect_within(stan$gradient[, 1], score, TOL_STAN)
  expect_identical(max(abs(stan$gradient[, 2])), 0)

  grid <- expand.grid(k = k, mu = mu, alpha = alpha, dispersion = 1 + c(1e-6, 1e-3, 0.009, 0.011, 1, 7, 500))
  grid <- grid[grid$alpha > 0 | grid$k >= 0, ]
  stan <- stan_densities(model, grid, 1L)
  density <- dprivnbinom(grid$k, stan$mu, grid$alpha, stan$dispersion, log = TRUE)
  expect_within(stan$density, density, TOL_STAN)
  set.seed(1)
  some <- sample(which(grid$alpha > 0), 1500)
  score <- mapply(enumerated_gradient, grid$k[some], stan$mu[some], stan$dispersion[some], grid$alpha[some])
  expect_within(stan$gradient[some, ], t(score), TOL_STAN)
})

release_program <- function() {
  of <- "ldp_release, ldp_low, ldp_number, ldp_base, ldp_kept)"
  c(
    "functions {", stan_functions(), "}",
    "data { int N; vector[N] y_tilde; int R; vector[R] ldp_release; vector[R] ldp_low; vector[R] ldp_number;",
    "  real ldp_base; real ldp_kept; int nbinom1; }",
    "parameters { vector[N] log_mu; vector[N] log_excess; }",
    "transformed parameters {",
    "  vector[N] density;",
    "  for (n in 1:N)",
    paste("    density[n] = nbinom1 ?",
      "private_release_nbinom1_lpdf(y_tilde[n] | exp(log_mu[n]), 1 + exp(log_excess[n]),", of
    ),
    paste("      : private_release_poisson_lpdf(y_tilde[n] | exp(log_mu[n]),", of, ";"),
    "}",
    "model { target += sum(density); }"
  )
}

test_that("Stan's densities and gradients of other mechanisms are those of this package", {
  extended_only()
  use_boost()
  model <- rstan::stan_model(model_code = paste(release_program(), collapse = "\n"))
  for (column in protected) {
    mechanism <- mechanism_of_vector(column)
    known <- stan_releases(mechanism, column, NULL)
    for (nbinom1 in 0:1) {
      excess <- if (nbinom1 == 1) c(1e-6, 1e-3, 1, 7, 500) else 1
      grid <- expand.grid(y_tilde = as.vector(known$ldp_release), mu = means, excess = excess)
      grid <- grid[nbinom1 == 0 | grid$y_tilde < 1e5, ]
      data <- c(known, as.list(grid["y_tilde"]), list(N = nrow(grid), nbinom1 = nbinom1, R = length(known$ldp_low)))
      utils::capture.output(fit <- suppressMessages(rstan::sampling(model, data, chains = 0)))
      parameters <- log(c(grid$mu, grid$excess))
      density <- as.vector(rstan::constrain_pars(fit, parameters)$density)
      gradient <- matrix(rstan::grad_log_prob(fit, parameters), nrow(grid))
      mu <- exp(log(grid$mu))
      excess <- nbinom1 * ((1 + exp(log(grid$excess))) - 1) # rounded, as in Stan
      label <- paste(format(mechanism), nbinom1)
      expect_lt(
        max(relative_error(density, dprivcount(grid$y_tilde, mu, mechanism, 1 + excess, log = TRUE))), TOL_STAN,
        label = label
      )
      # by the logarithms; terms as large as the mean and, by that of excess, 1 cancel where a release says little
      numbers <- as_numbers_of(mechanism, grid$y_tilde)
      slopes <- do.call(cbind, protected_derivatives(mechanism, numbers, mu, excess, 1)[c("mu", "theta")])
      slopes[, 2] <- slopes[, 2] * if (nbinom1 == 1) exp(log(grid$excess)) / excess else 0
      size <- pmax(abs(slopes), cbind(mu, pmax(mu, 1)))
      expect_lt(max(abs(gradient - slopes) / size), TOL_STAN, label = label)
    }
  }
})

simulated <- function(n = 120) {
  set.seed(3)
  data <- data.frame(x = rnorm(n))
  data$y <- rpois(n, exp(1 + 0.5 * data$x))
  data$y_tilde <- data$y + rtwogeom(n, 0.6)
  data
}

fit_again <- function(fit, data, seed = 1) {
  utils::capture.output(again <- stats::update(fit,
    newdata = data, recompile = FALSE, chains = 2, iter = 3000, warmup = 500, refresh = 0, seed = seed, silent = 2
  ))
  again
}

# The number of draws of a short run, 0 if it fails.
n_drawn <- function(fit, data) {
  utils::capture.output(n <- tryCatch(
    suppressWarnings(suppressMessages(posterior::ndraws(stats::update(fit,
      newdata = data, recompile = FALSE, chains = 1, iter = 20, refresh = 0, seed = 1
    )))),
    error = function(failure) 0
  ))
  as.double(n)
}

test_that("fits have the methods of brms, and with alpha = 0 they are those of poisson()", {
  extended_only()
  skip_if_not_installed("loo")
  use_boost()
  data <- simulated()
  prior <- c(brms::set_prior("normal(0, 3)", class = "Intercept"), brms::set_prior("normal(0, 1)", class = "b"))
  one <- families$private_poisson
  true <- transform(data, y_tilde = y, alpha = 0)
  compile <- function(formula, ...) {
    brms::brm(formula, true, prior = prior, chains = 0, silent = 2, ...)
  }
  private <- compile(y_tilde | vreal(alpha) ~ x, family = one$family, stanvars = one$stanvars)
  ordinary <- compile(y_tilde ~ x, family = stats::poisson()) |> suppressWarnings()

  # alpha = 0
  summarise <- function(fit) {
    draws <- posterior::subset_draws(posterior::as_draws(fit), variable = c("b_Intercept", "b_x"))
    posterior::summarise_draws(draws, "mean", "sd", "mcse_mean", "mcse_sd")
  }
  a <- summarise(fit_again(private, true))
  b <- summarise(fit_again(ordinary, true, 2))
  expect_lt(max(abs(a$mean - b$mean) / sqrt(a$mcse_mean^2 + b$mcse_mean^2)), normal_bound(4))
  expect_lt(max(abs(a$sd - b$sd) / sqrt(a$mcse_sd^2 + b$mcse_sd^2)), normal_bound(4))

  # a release
  data$alpha <- 0.6
  fit <- fit_again(private, data)
  mean <- exp(as.matrix(fit, variable = "b_Intercept") %*% matrix(1, 1, 120) + outer(
    as.vector(as.matrix(fit, variable = "b_x")), data$x
  ))
  epred <- brms::posterior_epred(fit)
  expect_equal(unname(epred), unname(mean), tolerance = TOL_SERIES)
  log_lik <- brms::log_lik(fit)
  for (i in c(1, 60, 120)) {
    expect_equal(as.vector(log_lik[, i]), dprivpois(data$y_tilde[i], epred[, i], 0.6, log = TRUE))
  }
  set.seed(1)
  replicated <- brms::posterior_predict(fit, ndraws = 500)
  expect_identical(dim(replicated), c(500L, 120L))
  expect_true(all(replicated == round(replicated)))
  expect_lt(min(replicated), 0)
  loo <- loo::loo(fit)
  expect_s3_class(loo, "psis_loo")
  expect_lt(max(loo$diagnostics$pareto_k), 0.7)

  # bad noise levels: Stan rejects all starting values, so there are no draws
  expect_gt(n_drawn(private, data), 0)
  for (bad in c(1, -0.5)) {
    expect_identical(n_drawn(private, transform(data, alpha = bad)), 0)
    expect_refused(brms::posterior_predict(fit, newdata = transform(data[1:2, ], alpha = bad)), "`alpha` must be")
  }
})
