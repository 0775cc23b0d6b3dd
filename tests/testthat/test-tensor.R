planted <- function(dim, k, shape = 0.5) {
  theta <- lapply(dim, function(n) matrix(rgamma(n * k, shape), n))
  names(theta) <- paste0("theta", seq_along(dim))
  theta
}

tensor_release <- function(dim = c(6, 5, 4), seed = 430, alpha = 0.4) {
  set.seed(seed)
  mu <- tensor_of(length(dim))$mean(planted(dim, 2))
  y <- array(rpois(length(mu), 2 * mu), dim)
  private_counts(y + rtwogeom(length(y), alpha), alpha = alpha)
}

# Posterior means of mu by importance sampling from the prior, and their standard errors: nothing of the
# sampler is in here. `excess`: dispersion - 1 from its prior, NULL for Poisson counts.
importance_posterior <- function(y_tilde, alpha, k, priors, n, dispersion = NULL) {
  dim <- dim(y_tilde)
  factors <- lapply(seq_along(dim), function(m) {
    array(rgamma(n * dim[m] * k, priors[[m]]$shape, priors[[m]]$rate), c(n, dim[m], k))
  })
  p <- if (!is.null(dispersion)) rbeta(n, dispersion$shape1, dispersion$shape2)
  size <- if (is.null(p)) 1 else event_size(p / (1 - p))
  cells <- which(!is.na(array(0, dim)), arr.ind = TRUE)
  log_weight <- 0
  mu <- apply(cells, 1, function(cell) {
    each <- lapply(seq_along(dim), function(m) factors[[m]][, cell[m], ])
    rowSums(matrix(Reduce(`*`, each), n)) * size
  })
  for (cell in which(!is.na(y_tilde))) {
    at <- alpha[cells[cell, 1]]
    log_weight <- log_weight + if (is.null(p)) {
      dprivpois(y_tilde[cell], mu[, cell], at, log = TRUE)
    } else {
      dprivnbinom(y_tilde[cell], mu[, cell], at, 1 / (1 - p), log = TRUE)
    }
  }
  weight <- exp(log_weight - max(log_weight))
  weight <- weight / sum(weight)
  mean <- colSums(weight * mu)
  list(mean = mean, error = sqrt(colSums((weight * sweep(mu, 2, mean))^2)))
}

expect_importance_posterior <- function(fit, truth) {
  draws <- mu_draws(fit)
  error <- apply(draws, 2, posterior::mcse_mean)
  z <- (colMeans(draws) - truth$mean) / sqrt(error^2 + truth$error^2)
  expect_lt(max(abs(z)), normal_bound(length(z)))
  expect_lt(max(truth$error / truth$mean), 0.05) # it says something
}

small <- function() array(c(3, -1, 0, 4, NA, -2, 1, 1, 0, 2, -3, 0), c(2, 3, 2))
small_priors <- list(
  theta1 = gamma_prior(1.2, 1), theta2 = gamma_prior(0.8, 0.7), theta3 = gamma_prior(1, 0.9)
)

test_that("both samplers agree with importance sampling", {
  set.seed(431)
  alpha <- c(0.2, 0.6)
  truth <- importance_posterior(small(), alpha, 2, small_priors, if (EXTENDED) 2e5 else 5e4)
  for (scheme in c("collapsed", if (EXTENDED) "bessel")) {
    fit <- paper_tensor(private_counts(small(), alpha = alpha), 2,
      prior = small_priors, scheme = scheme, iter = 51000, warmup = 1000, thin = 20
    )
    expect_importance_posterior(fit, truth)
  }
})

# The quick tests compare the posteriors of both schemes instead (test-tokens.R).
test_that("the posterior of negative binomial counts agrees with importance sampling", {
  extended_only()
  set.seed(432)
  truth <- importance_posterior(small(), c(0.4, 0.4), 2, small_priors, 5e4, beta_prior(3, 5))
  fit <- paper_tensor(private_counts(small(), alpha = 0.4), 2,
    prior = small_priors, family = "nbinom1", dispersion_prior = beta_prior(3, 5),
    iter = 51000, warmup = 1000, thin = 20
  )
  expect_importance_posterior(fit, truth)
})

test_that("the draws for a matrix are those of topic_model()", {
  set.seed(433)
  x <- plain_release(matrix(rpois(15 * 8, rgamma(120, 0.5)), 15), rep(c(0.2, 0.5, 0.6), 5))
  x[3, 2:5] <- x[4, ] <- x[, 7] <- NA
  both <- function(...) {
    lapply(list(paper_topics, paper_tensor), function(model) {
      set.seed(434)
      as.matrix(model(x, 3, iter = 20, warmup = 0, ...))
    })
  }
  cases <- list(
    list(), list(scheme = "bessel"), list(family = "nbinom1"), list(noise = "ignore"),
    list(family = "nbinom1", dispersion_by = "row")
  )
  for (case in cases) {
    draws <- do.call(both, case)
    shared <- seq_len(15 * 3)
    phi <- as.vector(t(matrix(seq_len(3 * 8), 3))) # phi has components in rows, theta2 in columns
    rest <- setdiff(seq_len(ncol(draws[[1]])), seq_len(15 * 3 + 24))
    expect_within(draws[[2]], draws[[1]][, c(shared, 45 + phi, rest)], TOL_SERIES)
  }
})

test_that("the variational bounds for a matrix are those of topic_model()", {
  set.seed(444)
  x <- plain_release(matrix(rpois(15 * 8, rgamma(120, 0.5)), 15), rep(c(0.2, 0.5, 0.6), 5))
  x[3, 2:5] <- x[4, ] <- x[, 7] <- NA
  start <- planted(c(15, 8), 3)
  inits <- list(
    list(NULL, NULL), # both samplers have the same draws, so the same starts
    list(list(theta = start$theta1, phi = t(start$theta2)), start)
  )
  random <- list(gamma_prior(0.5, gamma_prior(2, 3)), gamma_prior(0.4, 2))
  cases <- list(
    list(), list(scheme = "bessel"), list(scheme = "delta"), list(noise = "ignore"),
    list(family = "nbinom1"), list(family = "nbinom1", dispersion_by = "row"), list(prior = random)
  )
  for (case in cases) {
    for (init in inits) {
      fits <- Map(function(model, names, init) {
        if (!is.null(case$prior)) names(case$prior) <- names
        set.seed(445)
        do.call(model, c(list(x, 3, inference = "cavi", init = init, iter = 30), case))
      }, list(paper_topics, paper_tensor), list(c("theta", "phi"), c("theta1", "theta2")), init)
      expect_within(elbo(fits[[2]]), elbo(fits[[1]]), TOL_SERIES)
      expect_within(fitted(fits[[2]]), fitted(fits[[1]]), 1e-10) # after 30 passes
    }
  }
})

test_that("the posterior of a matrix is that of topic_model(), for other seeds too", {
  extended_only()
  set.seed(435)
  x <- plain_release(matrix(rpois(12 * 8, rgamma(96, 0.5)), 12), 0.4)
  prior <- gamma_prior(0.5, 0.5)
  run <- function(model) model(x, 2, prior = prior, iter = 9000, warmup = 1000, thin = 4, chains = 2)
  expect_same_posterior(run(paper_topics), run(paper_tensor))
})

test_that("collapsed and Bessel chains agree cell by cell, also if cells are missing", {
  extended_only()
  x <- tensor_release()
  x[2, , ] <- x[, 3, ] <- x[1, 1, 1] <- NA
  run <- function(scheme) {
    paper_tensor(x, 2,
      prior = gamma_prior(0.7, 0.7), scheme = scheme, iter = 9000, warmup = 1000, thin = 4,
      chains = 2
    )
  }
  set.seed(436)
  expect_same_posterior(run("collapsed"), run("bessel"))
})

test_that("with every cell masked the draws are those of the prior", {
  x <- private_counts(array(NA_real_, c(2, 3, 2)), alpha = 0.5)
  set.seed(437)
  draws <- as.matrix(paper_tensor(x, 1, prior = gamma_prior(0.7, 2), iter = 10100, warmup = 100))
  uniform <- pgamma(draws, 0.7, 2)
  for (parameter in seq_len(ncol(uniform))) {
    expect_law(floor(50 * uniform[, parameter]), rep(1 / 50, 50))
  }
})

test_that("arrays, tables of cells, sparse and clamped releases lead to one posterior", {
  x <- tensor_release()
  run <- function(data, ...) {
    set.seed(438)
    start <- planted(c(6, 5, 4), 2)
    as.matrix(paper_tensor(data, 2, iter = 20, init = start, ...))
  }
  clamped <- private_counts(pmax(as.array(x), 0), alpha = 0.4, clamped = TRUE)
  expect_identical(run(clamped), run(x))
  y <- pmax(as.array(x), 0)
  expect_identical(run(x, noise = "ignore"), run(y))
  at <- which(y > 0, arr.ind = TRUE)
  cells <- data.frame(at, n = y[y > 0])
  expect_identical(run(cells, dims = dim(y)), run(y))
  fit <- paper_tensor(cells, 2, iter = 4, dims = dim(y))
  expect_identical(dim(fitted(fit)), dim(y))
  expect_output(print(fit), "6 x 5 x 4 true counts")
  expect_output(print(fit$data), "6 x 5 x 4")
  expect_silent(update(fit, iter = 2))
})

test_that("simulated components are recovered better than by ignoring the noise", {
  set.seed(439)
  truth <- tensor_of(4)$mean(planted(c(15, 12, 10, 2), 2, 0.4))
  truth <- truth / mean(truth)
  x <- private_counts(rpois(length(truth), truth) + rtwogeom(length(truth), exp(-1)) + 0 * truth,
    epsilon = 1
  )
  private <- paper_tensor(x, 2, iter = 300)
  naive <- paper_tensor(x, 2, iter = 300, noise = "ignore")
  # over eight seeds the ratio was 0.05 to 0.2
  expect_lt(poisson_kl(fitted(private), truth), 0.5 * poisson_kl(fitted(naive), truth))
})

test_that("variational inference recovers simulated components too", {
  kl <- vapply(1:3, function(seed) {
    set.seed(seed)
    truth <- tensor_of(4)$mean(planted(c(15, 12, 10, 2), 2, 0.4))
    truth <- truth / mean(truth)
    x <- private_counts(rpois(length(truth), truth) + rtwogeom(length(truth), exp(-1)) + 0 * truth,
      epsilon = 1
    )
    of <- function(...) poisson_kl(fitted(paper_tensor(x, 2, inference = "cavi", ...)), truth)
    c(of(), of(noise = "ignore"))
  }, c(0, 0))
  # over four seeds the ratio was 0.12 to 0.29
  expect_true(all(kl[1, ] < 0.5 * kl[2, ]))
})

test_that("chains find a component that single starts miss", {
  set.seed(461)
  dim <- c(15, 12, 10, 3)
  mu <- tensor_of(4)$mean(planted(dim, 3, 0.3))
  mu <- mu / mean(mu)
  x <- plain_release(array(rpois(length(mu), mu), dim), exp(-1))
  error <- function(...) poisson_kl(paper_tensor(x, 3, iter = 200, ...), mu)
  searched <- replicate(4, error())
  single <- replicate(4, error(init = lapply(planted(dim, 3, 1), `*`, 3^-0.25)))
  # over ten seeds 0.02 to 0.06 in 40 chains of 40; of single starts 24 of 40 end there
  expect_lt(max(searched), 0.1)
  expect_gt(min(single), 0.2)
})

test_that("a simulated structure is recovered from a list of cells", {
  extended_only()
  set.seed(1)
  dim <- c(30, 25, 20, 4)
  truth <- tensor_of(4)$mean(planted(dim, 4, 0.3))
  truth <- truth / mean(truth)
  y <- array(rpois(length(truth), truth), dim)
  cells <- data.frame(which(y > 0, arr.ind = TRUE), count = y[y > 0])
  x <- privatize(cells, 1, dims = dim, rng = "R")
  kl <- function(noise) poisson_kl(fitted(paper_tensor(x, 4, iter = 1000, noise = noise)), truth)
  # bench/tensors.R: over three seeds the ratio was 0.028 to 0.037
  expect_lt(kl("model"), 0.2 * kl("ignore"))
})

test_that("extreme counts, noise levels and priors leave finite, positive factors", {
  y <- array(c(0, 2e9, 5, 0, 1, 0, 3e5, 0, 0, 2, 0, 0), c(3, 2, 2, 1, 1))
  for (alpha in c(1e-12, 0.5, 0.99999)) {
    set.seed(440)
    x <- private_counts(y, alpha = alpha)
    for (scheme in c("collapsed", "bessel")) {
      draws <- as.matrix(quietly(paper_tensor(x, 2, scheme = scheme, iter = 200)))
      expect_true(all(is.finite(draws) & draws > 0))
      fit <- quietly(paper_tensor(x, 2, scheme = scheme, inference = "cavi", init = "random"))
      expect_true(all(is.finite(elbo(fit)) & c(0, diff(elbo(fit))) > -1e-10 * abs(elbo(fit))))
      draws <- as.matrix(fit)
      expect_true(all(is.finite(draws) & draws > 0))
    }
  }
  sparse <- as.matrix(paper_tensor(y, 3, prior = gamma_prior(0.003, 1e-6), iter = 200))
  expect_true(all(is.finite(sparse) & sparse > 0))
  # as many modes as there may be, weights whose G would underflow
  many <- array(y, c(3, 2, 2, rep(1, 9)))
  fit <- paper_tensor(many, 3, prior = gamma_prior(0.02), inference = "cavi", init = "random")
  expect_true(all(is.finite(elbo(fit)) & c(0, diff(elbo(fit))) > -1e-10 * abs(elbo(fit))))
})

# --- what a fit can tell -------------------------------------------------------------------------

labelled_fit <- function(...) {
  x <- tensor_release()
  dimnames(x) <- list(letters[1:6], NULL, LETTERS[1:4])
  set.seed(444)
  paper_tensor(x, 2, iter = 60, ...)
}

test_that("a fit of a tensor has the methods of other fits", {
  fit <- labelled_fit(chains = 2)
  mu <- fitted(fit)
  expect_identical(dim(mu), c(6L, 5L, 4L))
  expect_identical(dimnames(mu), dimnames(fit$data))
  draws <- as.matrix(fit)
  expect_identical(colnames(draws)[c(1, 12, 13, 23, 30)],
    c("theta1[1,1]", "theta1[6,2]", "theta2[1,1]", "theta3[1,1]", "theta3[4,2]")
  )
  by_hand <- sapply(1:2, function(k) {
    draws[, paste0("theta1[2,", k, "]")] * draws[, paste0("theta2[5,", k, "]")] *
      draws[, paste0("theta3[3,", k, "]")]
  })
  expect_equal(mu[2, 5, 3], mean(rowSums(by_hand)), tolerance = TOL_SERIES)
  cells <- rbind(c(2, 5, 3), c(6, 1, 1))
  expect_equal(unname(fitted(fit, cells = cells)), mu[cells], tolerance = TOL_SERIES)
  expect_refused(fitted(fit, cells = cbind(1, 1)), "3 columns, one per mode")
  expect_refused(fitted(fit, cells = cbind(1, 6, 1)), "6 x 5 x 4", "Row 1")
  expect_s3_class(as_draws(fit), "draws_array")
  expect_output(print(fit), "Tensor model, k = 2, of 6 x 5 x 4 private counts")
  expect_output(print(summary(fit)), "carries")
  expect_equal(rowSums(array(mu, c(6, 20))), rowMeans(sapply(seq_len(n_draws(fit)), function(s) {
    model_of(fit)$row_totals(draw_factors(fit, s))
  })), ignore_attr = TRUE, tolerance = TOL_SERIES)
  expect_true(all(vapply(seq_len(n_draws(fit)), function(s) {
    all(apply(draw_mean(fit, s), 1, max) <= model_of(fit)$row_bounds(draw_factors(fit, s)))
  }, TRUE)))
})

test_that("a variational fit of a tensor has the methods of other fits", {
  x <- tensor_release()
  dimnames(x) <- list(letters[1:6], NULL, LETTERS[1:4])
  run <- function(...) {
    set.seed(446)
    paper_tensor(x, 2, ..., inference = "cavi")
  }
  fit <- run(family = "nbinom1", dispersion_by = "row", chains = 2)
  q <- q_of(fit)
  mu <- fitted(fit)
  expect_identical(dimnames(mu), dimnames(x))
  expect_equal(matrix(mu, 6), plain_products(q)$mu * q_event_size(fit), tolerance = TOL_SERIES)
  cells <- rbind(c(2, 5, 3), c(6, 1, 1))
  expect_equal(unname(fitted(fit, cells = cells)), mu[cells], tolerance = TOL_SERIES)
  factors <- coef(fit)
  expect_equal(colSums(factors$theta2), c(component1 = 1, component2 = 1))
  expect_identical(rownames(factors$theta3), LETTERS[1:4])
  draws <- as.matrix(fit)
  expect_identical(nrow(draws), n_draws(fit))
  for (at in list(c(1, 2), c(2, 5), c(3, 4))) {
    law <- q[[paste0("theta", at[1])]]
    drawn <- draws[, sprintf("theta%d[%d,2]", at[1], at[2])]
    sd <- sqrt(law$shape[2, at[2]]) / law$rate[2, at[2]]
    expected <- law$shape[2, at[2]] / law$rate[2, at[2]]
    expect_lt(abs(mean(drawn) - expected), normal_bound(3) * sd / sqrt(n_draws(fit)))
  }
  expect_identical(dim(log_lik.ldp_fit(fit)), c(n_draws(fit), 120L))
  expect_output(print(fit), "CAVI \\(collapsed\\): [0-9]+ iterations \\(converged\\)")
  expect_match(summary(fit)$verdict, "2 starts")
  expect_s3_class(augment(fit), "denoised_counts")
  expect_picture(plot(fit))
  expect_picture(plot(fit, type = "trace"))
  expect_refused(predict(fit, x), "tensor_model", "Fit the model again")
  short <- run(iter = 4, chains = 2, init = "random")
  expect_identical(elbo(update(short, iter = 5)), elbo(run(iter = 9, chains = 2, init = "random")))
  file <- tempfile()
  first <- run(iter = 5, checkpoint = file)
  expect_identical(said(run(iter = 5, checkpoint = file)), said(first))
  # from where a fit ended there is little left to gain
  ended <- run()
  expect_gt(elbo(run(init = ended, iter = 5))[5], tail(elbo(ended), 1) - 0.5)
})

test_that("coef() aligns components, and puts the scale in the last mode", {
  fit <- labelled_fit()
  flipped <- fit
  odd <- seq(1, n_draws(fit), 2)
  for (name in model_of(fit)$factors) {
    flipped$draws[[name]][, , odd] <- fit$draws[[name]][2:1, , odd]
  }
  factors <- coef(fit)
  expect_equal(coef(flipped), factors)
  expect_equal(colSums(factors$theta1), c(component1 = 1, component2 = 1))
  expect_equal(colSums(factors$theta2), c(component1 = 1, component2 = 1))
  expect_equal(sum(factors$theta3), sum(fitted(fit)), tolerance = TOL_SERIES)
  expect_identical(dimnames(factors$theta3), list(LETTERS[1:4], c("component1", "component2")))
  # one component has nothing to align
  set.seed(442)
  one <- paper_tensor(tensor_release(), 1, iter = 40)
  last <- vapply(seq_len(n_draws(one)), function(s) {
    model_of(one)$normalise(draw_factors(one, s))$theta3[, 1]
  }, numeric(4))
  expect_equal(coef(one)$theta3[, 1], rowMeans(last), tolerance = TOL_SERIES)
})

test_that("cells, densities and plots work with all modes", {
  fit <- labelled_fit(family = "nbinom1", dispersion_by = "row")
  is.na(fit$data) <- cbind(1, 1, 1)
  truth <- augment(fit)
  expect_identical(names(truth)[1:3], c("mode1", "mode2", "mode3"))
  expect_identical(nrow(truth), 119L)
  at <- cbind(match(truth$mode1, letters), truth$mode2, match(truth$mode3, LETTERS))
  expect_identical(truth$y_tilde, as.array(fit$data)[at])
  expect_equal(truth$.fitted, fitted(fit)[at], tolerance = TOL_SERIES)
  pointwise <- log_lik.ldp_fit(fit)
  expect_identical(dim(pointwise), c(30L, 119L))
  expect_equal(log_lik.ldp_fit(fit, cells = at), pointwise, tolerance = TOL_SERIES)
  whole <- labelled_fit(family = "nbinom1")
  expect_equal(rowSums(log_lik.ldp_fit(whole)), whole$log_density[, 1], tolerance = 1e-9)
  checks <- summary(fit)
  expect_identical(checks$implied_noise$positive, sum(as.array(fit$data) > 0, na.rm = TRUE))
  expect_identical(checks$dispersion_check$cells, 119L)
  expect_picture(plot(fit))
  expect_picture(plot(fit, type = "trace"))
  expect_picture(plot(truth[1:3, ]))
})

test_that("updates, checkpoints and starts work as for the other models", {
  x <- tensor_release()
  run <- function(...) {
    set.seed(443)
    paper_tensor(x, 2, ...)
  }
  whole <- run(iter = 30, warmup = 10, chains = 2)
  expect_identical(said(update(run(iter = 20, warmup = 10, chains = 2), iter = 10)), said(whole))
  file <- tempfile()
  first <- run(iter = 30, warmup = 10, checkpoint = file)
  expect_identical(said(run(iter = 30, warmup = 10, checkpoint = file)), said(first))
  # the same table with other modes is another call
  other <- private_counts(array(as.array(x), c(6, 4, 5)), alpha = 0.4)
  expect_error(
    paper_tensor(other, 2, iter = 30, warmup = 10, checkpoint = file), class = "ldpcounts_checkpoint_error"
  )
  expect_s3_class(run(iter = 4, init = whole), "tensor_model")
  start <- planted(dim(x), 2)
  expect_s3_class(run(iter = 4, init = start), "tensor_model")
  expect_refused(run(iter = 4, init = start[2:3]), "theta1 (6 x 2)", "theta3 (4 x 2)")
  random <- run(iter = 10, prior = list(
    theta1 = gamma_prior(), theta2 = gamma_prior(0.3, gamma_prior(2, 3)), theta3 = gamma_prior(0.5)
  ))
  expect_true("rate[theta2]" %in% colnames(as.matrix(random)))
  expect_refused(run(prior = list(theta = gamma_prior())), "theta1 = , theta2 = , theta3 =")
})

test_that("a large sparse tensor is never made dense", {
  n <- 2e4 # 1.2e9 cells
  cells <- data.frame(i = c(1, n, 5), j = c(n, 2, 2), l = c(1, 3, 3), count = c(3, 1, 1))
  fit <- paper_tensor(cells, 1, dims = c(n, n, 3), iter = 2)
  expect_length(fitted(fit, cells = cbind(1, n, 3)), 1)
  fit <- paper_tensor(cells, 1, dims = c(n, n, 3), inference = "cavi", iter = 2, init = "random")
  expect_length(fitted(fit, cells = cbind(1, n, 3)), 1)
})

test_that("cells of a tensor are held out in the form of the data", {
  release <- tensor_release()
  is.na(release) <- cbind(2, 3, 1)
  truth <- pmax(as.array(release), 0)
  truth[is.na(truth)] <- 0
  listed <- data.frame(which(truth > 0, arr.ind = TRUE), count = truth[truth > 0])
  for (type in c("random", "rows", "active")) {
    for (data in list(release, truth, listed)) {
      set.seed(440)
      dims <- if (is.data.frame(data)) c(6, 5, 4)
      held_out <- holdout_cells(data, type, fraction = 0.3, n = 1, dims = dims)
      expect_identical(dim(held_out$train), c(6L, 5L, 4L))
      before <- if (is.data.frame(data)) truth else as.array(data)
      after <- if (is.data.frame(data)) {
        array(as.matrix(unclass(held_out$train)$counts), c(6, 5, 4))
      } else {
        as.array(held_out$train)
      }
      expect_type(held_out$cells, "integer")
      expect_false(is.unsorted(place_in(held_out$cells, c(6, 5, 4)), strictly = TRUE))
      expect_false(anyNA(before[held_out$cells]))
      before[held_out$cells] <- NA
      expect_identical(after + 0, before + 0)
    }
  }
  # by their definition: who sends most, and who receives most, on any day
  sums <- lapply(1:2, function(mode) apply(as.array(release), mode, sum, na.rm = TRUE))
  cells <- which(!is.na(as.array(release)), arr.ind = TRUE)
  theirs <- cells[, 1] == which.max(sums[[1]]) | cells[, 2] == which.max(sums[[2]])
  expect_identical(holdout_cells(release, "active", n = 1)$cells, unname(cells[theirs, ]))
  expect_refused(holdout_cells(release, dims = c(6, 5, 4)), "dims")
})

test_that("held-out cells of a tensor are scored, and leave-one-out scores the others", {
  release <- tensor_release()
  truth <- pmax(as.array(release), 0)
  set.seed(441)
  held_out <- holdout_cells(release)
  fit <- paper_tensor(held_out$train, k = 2, iter = 60)
  mu <- apply(held_out$cells, 1, function(cell) {
    draws <- as.matrix(fit)
    terms <- lapply(1:2, function(k) {
      draws[, sprintf("theta1[%d,%d]", cell[1], k)] * draws[, sprintf("theta2[%d,%d]", cell[2], k)] *
        draws[, sprintf("theta3[%d,%d]", cell[3], k)]
    })
    Reduce(`+`, terms)
  })
  y_tilde <- as.array(release)[held_out$cells]
  density <- vapply(seq_along(y_tilde), function(i) mean(dprivpois(y_tilde[i], mu[, i], 0.4)), 0)
  expect_equal(held_out_density(fit, release, held_out$cells)$pointwise, log(density))
  y <- truth[held_out$cells]
  density <- vapply(seq_along(y), function(i) mean(dpois(y[i], mu[, i])), 0)
  expect_equal(held_out_density(fit, truth, held_out$cells)$pointwise, log(density))
  listed <- data.frame(which(truth > 0, arr.ind = TRUE), count = truth[truth > 0])
  expect_equal(held_out_density(fit, listed, held_out$cells, dims = c(6, 5, 4))$pointwise, log(density))
  expect_refused(held_out_density(fit, truth[, , 1], held_out$cells), "3 modes", "6 x 5")
  expect_refused(held_out_density(fit, truth[, , 1:2], held_out$cells), "6 x 5 x 4", "6 x 5 x 2")

  compare <- function(...) {
    compare_k(release, 2,
      model = "tensor", cells = held_out$cells, iter = 60, chains = 1, family = "poisson",
      prior = gamma_prior(0.1, 1), ...
    )
  }
  set.seed(442)
  compared <- compare(loo_cells = 0)
  set.seed(442)
  fit <- paper_tensor(held_out$train, k = 2, iter = 60)
  expect_identical(compared$held_out, held_out_density(fit, release, held_out$cells)$mean)
  skip_if_not_installed("loo")
  set.seed(443)
  compared <- compare(loo_cells = 200) # all that are left
  set.seed(443)
  sample.int(108, 108)
  fit <- paper_tensor(held_out$train, k = 2, iter = 60)
  by_hand <- suppressWarnings(loo::loo(fit))
  expect_identical(nrow(by_hand$pointwise), 108L)
  expect_within(compared$loo, by_hand$estimates["elpd_loo", "Estimate"] / 108, TOL_EXACT)
})

test_that("replicated data of a tensor are arrays", {
  release <- tensor_release()
  dimnames(release) <- list(letters[1:6], NULL, LETTERS[1:4])
  is.na(release) <- cbind(2, 3, 1)
  fit <- paper_tensor(release, k = 2, iter = 400)
  replicates <- simulate(fit, nsim = 200, seed = 443)
  for (replicate in replicates[1:2]) {
    expect_identical(dim(replicate), dim(release))
    expect_identical(dimnames(replicate), dimnames(release))
    expect_identical(which(is.na(replicate)), which(is.na(release)))
  }
  expect_equal(
    colMeans(posterior_epred.ldp_fit(fit, cells = cbind(1, 2, 3))),
    unname(fitted(fit, cells = cbind(1, 2, 3)))
  )
  expect_equal(colMeans(posterior_epred.ldp_fit(fit)), fitted(fit)[!is.na(release)])
  # all of 200 draws, each once: noise has mean zero
  drawn <- vapply(replicates, mean, 0, na.rm = TRUE)
  expected <- rowMeans(posterior_epred.ldp_fit(fit))
  expect_lt(abs(mean(drawn) - mean(expected)) / (stats::sd(drawn) / sqrt(200)), normal_bound(1))
  slice <- vapply(replicates, function(x) mean(x[, , 4]), 0)
  expected <- mean(fitted(fit)[, , 4])
  expect_lt(abs(mean(slice) - expected) / (stats::sd(slice) / sqrt(200)), normal_bound(1))
})

test_that("invalid arguments for tensors throw errors before any computation", {
  release <- tensor_release()
  fit <- paper_tensor(release, k = 2, iter = 10)
  expect_identical(predict(fit), fitted(fit))
  expect_refused(predict(fit, release), "tensor_model", "Fit the model again")
  expect_refused(paper_tensor(release, k = 2, scheme = "delta"), "`scheme` must be one of \"auto\"")
  expect_refused(paper_tensor(release, k = 2, inference = "cavi", thin = 2), "`thin` is not an argument of `cavi()`")
  expect_refused(paper_tensor(release, k = 2, init = "any"), "`init`")
  expect_refused(compare_k(release, 1:2, model = "topic"), "two modes", "tensor_model")
  expect_refused(private_gibbs(release, identity, list()), "two modes")
  expect_refused(elbo(fit), "cavi")
})
