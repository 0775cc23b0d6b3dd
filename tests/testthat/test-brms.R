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
  custom <- custom_mechanism(function(release, y) ifelse(release == y, 0, -Inf), c(0, Inf))
  expect_refused(brms_private_poisson(noised), "`release` has geometric noise, or none", "vreal(alpha)")
  for (mechanism in list(withheld(discrete_gaussian_noise(2), 5), custom)) {
    released <- private_counts(c(7, 12), mechanism = mechanism)
    expect_refused(
      brms_private_nbinom1(released), "does not support the mechanism of `release`",
      "Use `private_nbinom1()` with `mgcv::gam()`"
    )
  }
  wide <- private_counts(c(0, 50000), mechanism = rounding(50000))
  expect_refused(brms_private_poisson(wide), "must allow at most 10000 true counts", "50000")
  for (mechanism in list(gaussian_noise(501), skellam_noise(501^2))) {
    wide <- private_counts(c(0, 1), mechanism = mechanism)
    expect_refused(brms_private_nbinom1(wide), "standard deviation of at most 500", "501")
  }
  for (mechanism in list(laplace_noise(0.001), laplace_noise(1001))) {
    column <- private_counts(c(0, 1), mechanism = mechanism)
    expect_refused(brms_private_nbinom1(column), "between 0.01 and 1000", format(mechanism$parameters$scale))
  }
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
    known <- stan_data(mechanism_of_vector(column), column, NULL)
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

test_that("a column with noise that is not geometric is a response of brms", {
  for (mechanism in list(gaussian_noise(2), discrete_gaussian_noise(0.6), skellam_noise(3), laplace_noise(2))) {
    column <- private_counts(c(-3, 7, NA), mechanism = mechanism)
    data <- data.frame(x = 1:3, column = column)
    for (make in list(brms_private_poisson, brms_private_nbinom1)) {
      one <- make(column)
      formula <- as.numeric(column) ~ x
      made <- suppressWarnings(brms::make_standata(formula, data, family = one$family, stanvars = one$stanvars))
      expect_equal(as.vector(made$Y), c(-3, 7))
      expect_equal(
        made[[if (mechanism$kind == "laplace") "ldp_scale" else "ldp_sd"]],
        if (mechanism$kind == "skellam") sqrt(3) else mechanism$parameters[[1]]
      )
      code <- suppressWarnings(brms::make_stancode(formula, data, family = one$family, stanvars = one$stanvars))
      expect_match(code, paste0(one$family$name, "_lpdf(Y[n] | mu[n]"), fixed = TRUE)
      expect_true(rstan::stanc(model_code = code)$status)
      overdispersed <- "dispersion" %in% one$family$dpars
      of_count <- if (overdispersed) dispersion else 1
      prep <- prepare(one$family, mu, c(-3, 7), NULL, if (overdispersed) dispersion)
      for (i in 1:2) {
        expect_equal(one$family$log_lik(i, prep), dprivcount(c(-3, 7)[i], mu[, i], mechanism, of_count, log = TRUE))
      }
    }
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

# The model, kept until R ends: with a model rstan unloads its code, which finalizers of its fits still call.
keep_loaded <- function(model) {
  options(ldpcounts_test_models = c(getOption("ldpcounts_test_models"), list(model)))
  model
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
  model <- keep_loaded(rstan::stan_model(model_code = paste(density_program(), collapse = "\n")))
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

# A Stan program with the densities of a mechanism, whose data are declared as in the list `known`. For noise that is
# summed, `window` is the mode from which the sum begins, and the number of its terms.
release_program <- function(mechanism, known) {
  prefix <- BRMS_MECHANISMS[[mechanism$kind]]
  density <- paste0(prefix, c("poisson", "nbinom1"), "_lpdf(y_tilde[n] | exp(log_mu[n]),")
  arguments <- paste0(paste(names(known), collapse = ", "), ")")
  declared <- ifelse(vapply(known, is.array, NA), "vector[R]", "real")
  summed <- prefix == "private_noise_"
  c(
    "functions {", stan_functions(),
    "  row_vector window_of(real release, real mu, real dispersion, real sd, real variance) {",
    "    real mode = ldp_nearest_count(release) + ldp_mode(ldp_nearest_count(release), release, sd, variance,",
    "      mu / dispersion, (dispersion - 1) / dispersion);",
    "    return [mode, ldp_noise_sum(mode, release, sd, variance, mu / dispersion, (dispersion - 1) / dispersion)[2]];",
    "  }", "}",
    "data { int N; vector[N] y_tilde; int R; int nbinom1;", paste0(declared, " ", names(known), ";"), "}",
    "parameters { vector[N] log_mu; vector[N] log_excess; }",
    "transformed parameters {",
    "  vector[N] density;",
    if (summed) "  matrix[N, 2] window;",
    "  for (n in 1:N) {",
    paste("    density[n] = nbinom1 ?", density[2], "1 + exp(log_excess[n]),", arguments),
    paste("      :", density[1], arguments, ";"),
    if (summed) "    window[n] = window_of(y_tilde[n], exp(log_mu[n]), 1 + nbinom1 * exp(log_excess[n]),",
    if (summed) "      ldp_sd, ldp_variance);",
    "  }", "}",
    "model { target += sum(density); }"
  )
}

# A function of the logarithms of means and of excesses that returns Stan's densities, gradients and windows.
stan_evaluate <- function(model, column, y_tilde, nbinom1) {
  known <- stan_data(mechanism_of_vector(column), column, NULL)
  n <- length(y_tilde)
  data <- c(known, list(y_tilde = as.array(y_tilde), N = n, nbinom1 = nbinom1, R = length(known$ldp_low)))
  utils::capture.output(fit <- suppressMessages(rstan::sampling(model, data, chains = 0)))
  function(log_mu, log_excess) {
    transformed <- rstan::constrain_pars(fit, c(log_mu, log_excess))
    list(
      density = as.vector(transformed$density), window = transformed$window,
      gradient = matrix(rstan::grad_log_prob(fit, c(log_mu, log_excess)), n)
    )
  }
}

stan_model_of <- function(column) {
  use_boost()
  mechanism <- mechanism_of_vector(column)
  program <- release_program(mechanism, stan_data(mechanism, column, NULL))
  keep_loaded(rstan::stan_model(model_code = paste(program, collapse = "\n")))
}

# Densities by Stan and their gradients, by the logarithms of the mean and of the excess. Terms as large as the mean
# and, by the excess, as 1 cancel where a release says little.
expect_stan_densities <- function(model, columns, nbinom1_below) {
  for (column in columns) {
    mechanism <- mechanism_of_vector(column)
    for (nbinom1 in 0:1) {
      excess <- if (nbinom1 == 1) c(1e-6, 1e-3, 1, 7, 500) else 1
      grid <- expand.grid(y_tilde = unique(as.double(column)), mu = means, excess = excess)
      grid <- grid[nbinom1 == 0 | grid$y_tilde < nbinom1_below, ]
      stan <- stan_evaluate(model, column, grid$y_tilde, nbinom1)(log(grid$mu), log(grid$excess))
      mu <- exp(log(grid$mu))
      excess <- nbinom1 * ((1 + exp(log(grid$excess))) - 1) # rounded, as in Stan
      label <- paste(format(mechanism), nbinom1)
      ours <- dprivcount(grid$y_tilde, mu, mechanism, 1 + excess, log = TRUE)
      expect_lt(max(relative_error(stan$density, ours)), TOL_STAN, label = label)
      numbers <- as_numbers_of(mechanism, grid$y_tilde)
      slopes <- do.call(cbind, protected_derivatives(mechanism, numbers, mu, excess, 1)[c("mu", "theta")])
      slopes[, 2] <- slopes[, 2] * if (nbinom1 == 1) exp(log(grid$excess)) / excess else 0
      size <- pmax(abs(slopes), cbind(mu, pmax(mu, 1)))
      expect_lt(max(abs(stan$gradient - slopes) / size), TOL_STAN, label = label)
      if (!is.null(stan$window)) {
        p <- mechanism$parameters
        most <- 10 * p$sd
        if (mechanism$kind == "skellam") {
          most <- 50 + sqrt(2500 + 100 * sqrt((grid$y_tilde - stan$window[, 1])^2 + p$variance^2))
        }
        expect_true(all(stan$window[, 2] <= 3 + 2 * most), label = label)
      }
    }
  }
}

test_that("Stan's densities and gradients of published tables are those of this package", {
  extended_only()
  expect_stan_densities(stan_model_of(protected[[1]]), protected, nbinom1_below = 1e5)
})

test_that("Stan's densities and gradients of noise are those of this package, also far from the release", {
  extended_only()
  noised <- function(noise, x) private_counts(x, mechanism = noise)
  whole <- c(-200, -3, 0, 1, 2, 17, 300, 5000)
  real <- c(-200.3, -3, -0.5, 0, 0.49, 0.5, 1.7, 2, 300.2)
  columns <- c(
    lapply(c(0.2, 1, 3, 40), function(sd) noised(discrete_gaussian_noise(sd), whole)),
    lapply(c(0.05, 0.7, 3, 100), function(sd) noised(gaussian_noise(sd), real)),
    lapply(c(0.05, 1, 9, 200), function(variance) noised(skellam_noise(variance), whole))
  )
  model <- stan_model_of(columns[[1]])
  expect_stan_densities(model, columns, nbinom1_below = 1e4)
  for (column in columns[c(3, 7, 11)]) {
    for (nbinom1 in 0:1) {
      evaluate <- stan_evaluate(model, column, 2, nbinom1)
      for (bad in c(21, 800, Inf, NaN)) expect_error(evaluate(bad, 0), "must be below 1e9")
      expect_equal(evaluate(-740, 0)$density, dprivcount(2, 0, mechanism_of_vector(column), log = TRUE))
      expect_lt(max(evaluate(0, NaN)$window[, 2], evaluate(0, 800)$window[, 2]), 300)
    }
  }
  of_scale <- lapply(c(0.01, 0.3, 2, 50), function(scale) noised(laplace_noise(scale), real))
  of_scale[[5]] <- noised(laplace_noise(1000), c(-0.5, 30.2))
  expect_stan_densities(stan_model_of(of_scale[[1]]), of_scale, nbinom1_below = 1e4)
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
    keep_loaded(brms::brm(formula, true, prior = prior, chains = 0, silent = 2, ...))
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
