# Steps with all rows are iterations of CAVI, up to rounding.
TOL_STEP <- 1e-8

# The task of a topic model, its input, and a q around random factors.
svi_problem <- function(seed, k = 3, ...) {
  release <- random_release(seed, mean = 4)
  fit <- paper_topics(release, k, ..., inference = "cavi", iter = 3,
    prior = list(
      theta = gamma_prior(if (seed %% 2 == 0) NULL else 0.5, rate = gamma_prior(2, 1)),
      phi = gamma_prior(if (seed %% 3 == 0) gamma_prior(2, 3) else 0.4, 2)
    )
  )
  list(task = sampler_of(task_of_fit(fit), input_of(fit)), input = input_of(fit), q = q_of(fit))
}

run_step <- function(problem, rows = seq_len(problem$input$dim[1]), settle = c(0, 0), rho = 1) {
  q <- problem$q
  input <- problem$input
  task <- problem$task
  cells <- cells_of_rows(make_cells(input$counts, input$alpha, by_columns = FALSE), rows)
  by_row <- length(q$excess$divergence) > 1
  levels <- if (!by_row) alpha_levels(input$alpha)
  q$theta <- lapply(q$theta[c("shape", "rate")], function(x) x[, rows, drop = FALSE])
  q$totals <- rowSums(q$theta$shape / q$theta$rate)
  q$logs <- 0
  if (!is.null(q$excess)) {
    if (by_row) {
      for (part in c("points", "weights")) q$excess[[part]] <- q$excess[[part]][, rows, drop = FALSE]
      q$excess$divergence <- q$excess$divergence[rows]
    }
    q$excess$shown <- matrix(0, 3, length(rows))
    q$shown <- numeric(length(levels) + 2)
  }
  task$model$svi(cells, q, task$prior, as.double(levels), input$dim[1], as.double(settle), rho)
}

FAMILIES <- list(
  list(family = "poisson"), list(family = "nbinom1"), list(family = "nbinom1", dispersion_by = "row"),
  list(family = "nbinom1", dispersion = 2)
)

test_that("a step with all rows is an iteration of CAVI", {
  for (family in FAMILIES) {
    for (seed in if (EXTENDED) 1:8 else c(1, 2, 6)) {
      problem <- do.call(svi_problem, c(list(seed), family))
      task <- problem$task
      of_cavi <- problem$q
      if (!is.null(of_cavi$excess)) of_cavi$excess$shown[] <- 0
      cavi <- task$model$cavi(task$cells, of_cavi, task$prior, FALSE, 1, c(0, 0), NA_real_, 0)$q
      svi <- run_step(problem)$q
      same <- function(x, y, parts) expect_equal(x[parts], y[parts], tolerance = TOL_STEP)
      same(svi$theta, cavi$theta, c("shape", "rate"))
      same(svi$phi, cavi$phi, c("shape", "rate"))
      same(svi, cavi, "hyper")
      same(svi$excess, cavi$excess, c("points", "weights"))
    }
  }
})

# E of the counts of a row by component, and exposures, from their formulas (Poisson counts).
plain_row <- function(y_tilde, alpha, theta, phi) {
  geo <- plain_geo(theta) * plain_geo(phi)
  r <- colSums(geo)
  y <- ifelse(is.na(y_tilde) | y_tilde <= 0, 0, if (alpha > 0) truecount_mean(y_tilde, r, alpha) else y_tilde)
  exposure <- ifelse(is.na(y_tilde), 0, ifelse(y_tilde > 0, 1, 1 - alpha))
  list(counts = drop(geo %*% (y / r)), exposure = drop(plain_mean(phi) %*% exposure))
}

test_that("settled rows are fixed points of the formulas, whatever their batch", {
  for (seed in 1:6) {
    problem <- svi_problem(seed, family = "poisson")
    settled <- run_step(problem, settle = c(5000, 1e-13), rho = 0)$q
    alone <- run_step(problem, c(5, 2), c(5000, 1e-13), 0)$q
    for (part in c("shape", "rate")) {
      expect_equal(alone$theta[[part]], settled$theta[[part]][, c(5, 2)], tolerance = TOL_STEP)
    }
    hyper <- problem$q$hyper
    for (d in c(1, 4)) {
      theta <- lapply(settled$theta, function(x) x[, d])
      row <- plain_row(as.matrix(problem$input$counts)[d, ], problem$input$alpha[d], theta, problem$q$phi)
      expect_equal(theta$shape, hyper[3, 1] + row$counts, tolerance = TOL_STEP)
      expect_equal(theta$rate, hyper[1, 1] / hyper[2, 1] + row$exposure, tolerance = TOL_STEP)
    }
  }
})

test_that("the bound of rows is that of the formulas, without what all rows share", {
  for (family in FAMILIES) {
    for (seed in 1:4) {
      problem <- do.call(svi_problem, c(list(seed), family))
      task <- problem$task
      ran <- run_step(problem, settle = c(50, 1e-6), rho = 0)
      input <- problem$input
      q <- problem$q
      q[c("theta", "excess")] <- ran$q[c("theta", "excess")]
      full <- plain_bound(as.matrix(input$counts), input$alpha, q, task$prior, input$clamped)
      no_rows <- q
      no_rows$theta <- lapply(no_rows$theta, function(x) x[, 0])
      shared <- plain_factor_kl(no_rows, task$prior, "none")
      if (length(q$excess$divergence) == 1) {
        shared <- shared + plain_dispersion(q$excess, 1, task$prior$dispersion)$kl
      }
      bound <- ran$bound + log_constant_of(below_zero(input$counts), input$alpha, input$clamped)
      expect_equal(bound, full + shared, tolerance = TOL_STEP)
    }
  }
})

# A release of planted topics, and the means of its true counts.
planted <- function(seed = 5) {
  set.seed(seed)
  mu <- matrix(rgamma(900, 0.3), 300) %*% matrix(rgamma(3 * 40, 0.5), 3)
  list(mu = mu, release = privatize(matrix(rpois(length(mu), mu), 300), epsilon = 1, rng = "R"))
}

fit_svi <- function(data, seed = 1, ..., family = "poisson", iter = 3, batch = 50) {
  set.seed(seed)
  topic_model(data, 3, family = family, inference = "svi", iter = iter, batch = batch, ...)
}

test_that("fitted means are nearly as good as those of CAVI, from memory and from files", {
  data <- planted()
  set.seed(1)
  cavi <- poisson_kl(fitted(topic_model(data$release, 3, family = "poisson", inference = "cavi")), data$mu)
  files <- replicate(2, tempfile())
  write_release(data$release[1:100, ], files[1])
  write_release(data$release[101:300, ], files[2])
  cells <- as.matrix(expand.grid(seq(1, 300, 3), seq(1, 40, 3)))
  for (family in c("poisson", "nbinom1")) {
    if (EXTENDED || family == "poisson") {
      here <- fit_svi(data$release, family = family)
      expect_lt(poisson_kl(fitted(here), data$mu), 1.3 * cavi)
    }
    if (EXTENDED || family == "nbinom1") {
      there <- fit_svi(release_shards(files), family = family)
      expect_lt(poisson_kl(fitted(there, cells = cells), data$mu[cells]), 1.3 * cavi)
    }
  }
})

test_that("set.seed() makes fits reproducible, for any number of threads", {
  data <- planted()$release
  old <- ldp_threads(1)
  on.exit(ldp_threads(old))
  for (family in c("poisson", "nbinom1")) {
    ldp_threads(1)
    first <- fit_svi(data, 7, family = family, batch = 300, chains = 2)
    after <- stats::runif(1)
    ldp_threads(2)
    again <- fit_svi(data, 7, family = family, batch = 300, chains = 2)
    expect_identical(stats::runif(1), after)
    expect_identical(said(first), said(again))
  }
})

test_that("fits have the methods of other fits", {
  data <- planted()$release[1:60, ]
  fit <- fit_svi(data, family = "nbinom1", batch = 20)
  expect_s3_class(fit, c("topic_model", "ldp_fit_svi", "ldp_fit_cavi", "ldp_fit"), exact = TRUE)
  expect_length(elbo(fit), 3)
  expect_output(print(fit), "SVI (collapsed): 3 iterations", fixed = TRUE)
  expect_output(print(summary(fit)), "Final states of the starts")
  expect_identical(dim(fitted(fit)), c(60L, 40L))
  expect_length(coef(fit)$dispersion, 1)
  expect_identical(dim(top_terms(fit, 4)), c(4L, 3L))
  expect_identical(dim(predict(fit, data[1:2, ])), c(2L, 40L))
  expect_identical(glance(fit)$elbo, elbo(fit)[3])
  expect_refused(update(fit, iter = 2), "cannot be continued", "init = fit")
  expect_s3_class(fit_svi(data, init = fit, family = "nbinom1"), "ldp_fit_svi")
  naive <- fit_svi(data, noise = "ignore", init = "random")
  expect_output(print(naive), "their noise ignored")
  expect_length(elbo(fit_svi(data[1, ], iter = 1)), 1)
})

test_that("methods that need counts in memory say which do not", {
  data <- planted()$release[1:60, ]
  file <- tempfile()
  write_release(data, file)
  fit <- fit_svi(release_shards(file), batch = 20)
  expect_output(print(fit), "60 x 40 private counts")
  expect_output(print(summary(fit)), "No problem was found|Problems were found")
  expect_identical(dim(fitted(fit, cells = cbind(1:3, 1:3), level = 0.9)), c(3L, 3L))
  expect_identical(dim(predict(fit, data[1:2, ])), c(2L, 40L))
  expect_identical(dim(predict(fit, data[1:2, ], type = "factors")), c(2L, 3L))
  expect_length(fitted(fit, cells = as.matrix(expand.grid(1:60, 1:40))), 2400)
  expect_identical(nrow(tidy(fit)), 120L)
  for (call in expression(
    fitted(fit), predict(fit), as.matrix(fit), augment(fit), simulate(fit, 1),
    rstantools::log_lik(fit)
  )) {
    expect_refused(eval(call), "needs all counts in memory", "fitted(fit, cells = )")
  }
  expect_identical(nobs(fit), NA_real_)
})

test_that("arguments that do not go with SVI are refused", {
  data <- planted()$release[1:20, ]
  expect_refused(
    fit_svi(data, family = "nbinom1", dispersion_by = "row"), "`dispersion_by` must be \"all\" with `svi()`"
  )
  expect_refused(fit_svi(data, scheme = "bessel"), "`scheme` is not an argument of `svi()`")
  expect_refused(fit_svi(data, warmup = 2), "`warmup` is not an argument of `svi()`")
  expect_refused(fit_svi(data, checkpoint = tempfile()), "`checkpoint` is not an argument of `svi()`")
  expect_refused(fit_svi(data, batch = 0), "`batch` must be one whole number")
  expect_refused(topic_model(data, 2, batch = 5), "`batch` is not an argument of `gibbs()`")
  expect_refused(block_model(enron_network, 2, inference = "svi"), "`svi()` is for `topic_model()`")
  expect_refused(tensor_model(array(1, c(2, 2, 2)), 2, inference = "svi"), "`svi()` is for `topic_model()`")
})
