# Each pass, and what it may lose to rounding, of its size.
TOL_MONOTONE <- 1e-10

steps_of <- function(fit) min(0, diff(elbo(fit))) / max(1, abs(elbo(fit)))

test_that("the bound agrees with its formulas in random problems", {
  for (model in KINDS) {
    for (seed in 1:(if (EXTENDED) 12 else 2)) {
      expect_within(tail(elbo(fit <- random_fit(seed, model, iter = 15)), 1), plain_bound_of(fit), TOL_SERIES)
      for (by in c("all", if (model != "undirected") "row")) {
        fit <- random_fit(seed, model, iter = 15, family = "nbinom1", dispersion_by = by)
        # integrals over the dispersion: their own tolerance
        expect_within(tail(elbo(fit), 1), plain_bound_of(fit), 1e-10)
      }
      fit <- random_fit(seed, model, iter = 15, family = "nbinom1", dispersion = 2.5)
      expect_within(tail(elbo(fit), 1), plain_bound_of(fit), TOL_SERIES)
    }
  }
})

test_that("the bound agrees with its formulas for counts without a short series", {
  for (seed in if (EXTENDED) 1:4 else 2:3) {
    for (kind in c("none", "tensor")) {
      fit <- random_fit(seed, kind, iter = 15, mean = 80)
      expect_within(tail(elbo(fit), 1), plain_bound_of(fit), TOL_SERIES)
      fit <- random_fit(seed, kind, iter = 15, mean = 80, family = "nbinom1")
      expect_within(tail(elbo(fit), 1), plain_bound_of(fit), 1e-10)
    }
  }
})

test_that("the bound never falls in random problems, and the collapsed bound is the larger one", {
  for (model in KINDS) {
    for (seed in 1:(if (EXTENDED) 20 else 3)) {
      collapsed <- random_fit(seed, model, iter = 80, init = "random")
      expect_gt(steps_of(collapsed), -TOL_MONOTONE)
      bursts <- random_fit(seed, model, iter = 80, init = "random", family = "nbinom1")
      expect_gt(steps_of(bursts), -TOL_MONOTONE)
      if (model != "undirected") {
        by_row <- random_fit(seed, model, iter = 40, family = "nbinom1", dispersion_by = "row")
        expect_gt(steps_of(by_row), -TOL_MONOTONE)
      }
      bessel <- random_fit(seed, model, iter = 80, scheme = "bessel")
      expect_gt(steps_of(bessel), -TOL_MONOTONE)
      if (!is.null(q_of(bessel)$noise) && all(input_of(bessel)$alpha > 0)) {
        # the noise has moved since the last bound, which could only raise it
        q <- q_of(bessel)
        augmented <- plain_bound_of(bessel, q)
        expect_gt(augmented, tail(elbo(bessel), 1) - 1e-10 * abs(augmented))
        expect_lt(augmented, tail(elbo(update(bessel, iter = 1)), 1) + 1e-10 * abs(augmented))
        q$noise <- NULL
        expect_gt(plain_bound_of(bessel, q), augmented)
      }
    }
  }
})

test_that("from the same start the collapsed bound ends above the augmented one", {
  for (kind in KINDS) {
    release <- random_release(4, kind)
    ends <- vapply(c("collapsed", "bessel"), function(scheme) {
      set.seed(601)
      tail(elbo(fit_kind(release, kind, 2, scheme = scheme)), 1)
    }, 0)
    expect_gt(ends[["collapsed"]], ends[["bessel"]])
  }
})

test_that("the delta method agrees with the first version of the paper in random problems", {
  for (kind in KINDS) {
    for (seed in some_of(c(1, 4, 5, 8, 9, 12), 2)) { # noise in every row
      fit <- random_fit(seed, kind, iter = 10, scheme = "delta")
      before <- q_of(fit)$noise
      q <- q_of(update(fit, iter = 1)) # of which the local step came last
      y_tilde <- as.matrix(input_of(fit)$counts)
      alpha <- rep_len(input_of(fit)$alpha, nrow(y_tilde))
      cells <- which(!is.na(t(y_tilde)), arr.ind = TRUE)[, 2:1] # row after row
      cells <- cells[is_data(cells, model_of(fit)$network), ]
      steps <- mapply(plain_delta_step,
        y_tilde[cells], plain_products(q)$mu[cells], plain_variances(q, kind)[cells],
        alpha[cells[, 1]], before$g1, before$g2
      )
      expect_within(q$noise$g1, steps["g1", ], TOL_SERIES)
      expect_within(q$noise$g2, steps["g2", ], TOL_SERIES)
      counts <- q[[model_of(fit)$factors[2]]]$counts
      if (kind == "undirected") counts <- counts[upper.tri(counts, TRUE)]
      expect_within(sum(counts), sum(steps["y", ]), TOL_SERIES)
    }
  }
})

# Passes until nothing moves.
settled <- function(fit, passes = 3000) {
  model <- model_of(fit)
  sampler <- sampler_of(task_of_fit(fit), input_of(fit))
  ran <- model$cavi(
    sampler$cells, q_of(fit), fit$prior, FALSE, passes, c(1e-15, 1), NA_real_, sampler$log_constant
  )
  fit$chains[[fit$best]]$q <- ran$q
  fit
}

# How much the bound gains at most where single shapes and rates are moved a little.
gain_of_moves <- function(fit, names) {
  q <- q_of(fit)
  before <- plain_bound_of(fit)
  pairs <- expand.grid(name = names, what = c("shape", "rate"), stringsAsFactors = FALSE)
  moved <- unlist(Map(function(name, what) {
    places <- round(seq(1, length(q[[name]][[what]]), length.out = 4))
    vapply(places, function(i) {
      max(vapply(c(0.99, 1.01), function(by) {
        moved <- q[[name]][[what]]
        moved[i] <- moved[i] * by
        if (name %in% model_of(fit)$symmetric) moved[lower.tri(moved)] <- t(moved)[lower.tri(moved)]
        q[[name]][[what]] <- moved
        plain_bound_of(fit, q)
      }, 0))
    }, 0)
  }, pairs$name, pairs$what))
  max(moved) - before
}

test_that("after convergence, changing a single distribution does not raise the bound", {
  for (seed in c(4, if (EXTENDED) c(1, 5))) {
    for (kind in KINDS) {
      for (family in some_of(c("poisson", "nbinom1"), 2, match(kind, KINDS) %% 2 + 1)) {
        fit <- settled(random_fit(seed, kind, family = family))
        expect_lt(gain_of_moves(fit, model_of(fit)$factors), 1e-9)
      }
    }
  }
  bessel <- settled(random_fit(4, "none", scheme = "bessel"))
  expect_lt(gain_of_moves(bessel, c("theta", "phi")), 1e-9)
  q <- q_of(bessel)
  before <- plain_bound_of(bessel)
  for (i in c(1, 20, 40)) {
    for (by in c(0.9, 1.1)) {
      q$noise$g1[i] <- q$noise$g1[i] * by
      expect_lt(plain_bound_of(bessel, q), before + 1e-9)
      q <- q_of(bessel)
    }
  }
  # a distribution of the dispersion with another mean, or another spread
  fit <- settled(random_fit(1, "none", family = "nbinom1"))
  q <- q_of(fit)
  before <- plain_bound_of(fit)
  t <- q$excess$points[, 1]
  center <- sum(t * q$excess$weights)
  for (tilt in c(-0.01, 0.01)) {
    for (power in 1:2) {
      w <- q$excess$weights * exp(tilt * (t - center)^power)
      other <- q
      other$excess$weights <- w / sum(w)
      expect_lt(plain_bound_of(fit, other), before + 1e-9)
    }
  }
})

test_that("after convergence, changing an estimated shape does not raise the bound", {
  for (kind in KINDS) {
    for (seed in 2:3) { # the rates are estimated too, or fixed
      fit <- settled(random_fit(seed, kind))
      before <- plain_bound_of(fit)
      q <- q_of(fit)
      for (i in seq_len(ncol(q$hyper))) {
        for (by in c(0.99, 1.01)) {
          moved <- q
          moved$hyper[3, i] <- moved$hyper[3, i] * by
          expect_lt(plain_bound_of(fit, moved), before)
        }
      }
    }
  }
})

test_that("the bound is below the log probability of the release, and close to it", {
  y_tilde <- matrix(c(2, -1, 0, 4, 1, 3), 2)
  alpha <- 0.4
  prior <- gamma_prior(10, 8)
  release <- private_counts(y_tilde, alpha = alpha)
  set.seed(602)
  gap_of <- function(truth, ...) {
    truth - tail(elbo(paper_topics(release, 1, inference = "cavi", prior = prior, ...)), 1)
  }
  poisson <- grid_log_evidence(y_tilde, prior, function(k, mu) dprivpois(k, mu, alpha))
  gaps <- c(gap_of(poisson), gap_of(poisson, scheme = "bessel"))
  expect_true(all(gaps > 0))
  expect_lt(gaps[1], 0.35)
  expect_gt(gaps[2], gaps[1])
  bursts <- function(dispersion, n) {
    size <- (dispersion - 1) / log(dispersion)
    density <- function(k, lambda) dprivnbinom(k, lambda * size, alpha, dispersion)
    grid_log_evidence(y_tilde, prior, density, n)
  }
  fixed <- gap_of(bursts(2, c(160, 300)), family = "nbinom1", dispersion = 2)
  expect_gt(fixed, 0)
  expect_lt(fixed, 0.35)
  t <- seq(-9, 7, by = 0.8)
  mass <- vapply(t, function(t) bursts(1 + exp(t), c(60, 90)), 0)
  estimated <- gap_of(log_sum_exp(mass + log(0.8) + dlogis(t, log = TRUE)), family = "nbinom1")
  expect_gt(estimated, 0)
  expect_lt(estimated, 0.8)
})

test_that("the bound is below the log probability with a third mode too", {
  y_tilde <- matrix(c(2, -1, 0, 4, 1, 3), 2)
  prior <- gamma_prior(10, 8)
  # of one index: its weight, at x = exp(t), multiplies all means
  t <- seq(-2.5, 1.7, by = 0.15)
  log_prior <- dgamma(exp(t), 10, 8, log = TRUE) + t + log(0.15)
  truth <- log_sum_exp(log_prior + vapply(exp(t), function(x) {
    grid_log_evidence(y_tilde, prior, function(k, mu) dprivpois(k, mu * x, 0.4), c(80, 120))
  }, 0))
  set.seed(609)
  release <- private_counts(array(y_tilde, c(2, 3, 1)), alpha = 0.4)
  gap_of <- function(...) {
    truth - tail(elbo(paper_tensor(release, 1, inference = "cavi", prior = prior, ...)), 1)
  }
  gaps <- c(gap_of(), gap_of(scheme = "bessel"))
  expect_gt(gaps[1], 0)
  expect_lt(gaps[1], 0.5)
  expect_gt(gaps[2], gaps[1])
})

test_that("the bound of a clamped release uses the distribution of clamped counts", {
  y_tilde <- matrix(c(2, 0, 0, 4, 1, 3), 2)
  density <- function(k, mu) {
    if (k > 0) dprivpois(k, mu, 0.4) else exp(-0.6 * mu) / 1.4
  }
  truth <- grid_log_evidence(y_tilde, gamma_prior(10, 8), density)
  for (scheme in c("collapsed", "bessel")) {
    set.seed(603)
    bound <- tail(elbo(paper_topics(private_counts(y_tilde, alpha = 0.4, clamped = TRUE), 1,
      inference = "cavi", prior = gamma_prior(10, 8), scheme = scheme
    )), 1)
    expect_lt(bound, truth)
    expect_gt(bound, truth - if (scheme == "collapsed") 0.35 else 2.5)
  }
})

test_that("true counts and ignored noise are the same analysis", {
  y <- as.matrix(random_release(6))
  y[is.na(y)] <- 1
  fit <- function(data, ...) {
    set.seed(604)
    paper_topics(data, 2, inference = "cavi", iter = 30, ...)
  }
  expect_identical(elbo(fit(pmax(y, 0))), elbo(fit(private_counts(y, alpha = 0.3), noise = "ignore")))
  expect_equal(elbo(fit(pmax(y, 0), scheme = "bessel")), elbo(fit(pmax(y, 0))))
})

test_that("a fit has the methods of a Gibbs fit, computed from the means of q and draws from it", {
  set.seed(605)
  topics <- random_fit(1, "none", family = "nbinom1", dispersion_by = "row", chains = 2)
  blocks <- random_fit(4, "directed")
  pairs <- random_fit(4, "undirected")
  expect_identical(as.matrix(pairs)[, "pi[1,2]"], as.matrix(pairs)[, "pi[2,1]"])
  for (fit in list(topics, blocks, pairs)) {
    q <- q_of(fit)
    products <- plain_products(q)
    size <- q_event_size(fit)
    expected <- products$mu * size
    if (model_of(fit)$network != "none") diag(expected) <- NA
    expect_equal(unname(fitted(fit)), expected, tolerance = TOL_SERIES)
    cells <- cbind(1:3, 3:1 + 1)
    expect_equal(fitted(fit, cells = cells), fitted(fit)[cells], tolerance = TOL_SERIES)
    draws <- as.matrix(fit)
    expect_identical(nrow(draws), n_draws(fit))
    mean <- q$theta$shape[1, 2] / q$theta$rate[1, 2]
    sd <- sqrt(q$theta$shape[1, 2]) / q$theta$rate[1, 2]
    expect_lt(abs(mean(draws[, "theta[2,1]"]) - mean), normal_bound(2) * sd / sqrt(n_draws(fit)))
    expect_identical(dim(log_lik.ldp_fit(fit))[1], n_draws(fit))
    expect_identical(dim(coef(fit)$theta), dim(t(q$theta$shape)))
    expect_output(print(fit), "CAVI \\(collapsed\\): [0-9]+ iterations \\(converged\\)")
    expect_output(print(summary(fit)), "Final states of the starts")
    expect_s3_class(posterior::as_draws_array(fit), "draws_array")
    expect_s3_class(augment(fit, cells = cells), "denoised_counts")
    expect_picture(plot(fit))
    expect_picture(plot(fit, type = "trace"))
  }
  expect_length(coef(topics)$dispersion, 6)
  expect_match(summary(topics)$verdict, "2 starts")
  random <- random_fit(1, "none") # its priors have random rates
  expect_true(all(c("rate[theta]", "rate[phi]") %in% colnames(as.matrix(random))))
})

test_that("starts are short Gibbs runs, random or given, and reproducible by seeds", {
  release <- random_release(4)
  fit <- function(...) {
    set.seed(606)
    paper_topics(release, 2, inference = "cavi", iter = 40, ...)
  }
  expect_identical(fit()$draws, fit()$draws)
  several <- fit(chains = 3)
  expect_identical(several$chains[[1]]$elbo, fit()$chains[[1]]$elbo)
  ends <- summary(several)$convergence$elbo
  expect_identical(tail(elbo(several), 1), max(ends))
  expect_false(identical(elbo(fit(init = "random")), elbo(fit())))
  start <- list(theta = matrix(rep(c(1, 2), each = 6), 6), phi = matrix(1:16 / 8, 2))
  expect_identical(elbo(fit(init = start)), elbo(fit(init = list(start))))
  # from where a fit ended there is little left to gain
  again <- fit(init = several)
  expect_gt(elbo(again)[5], max(ends) - 0.5)
  set.seed(607)
  paper_topics(release, 2, inference = "cavi", chains = 2, iter = 5)
  after <- stats::runif(1)
  set.seed(607)
  stats::runif(1)
  expect_identical(after, stats::runif(1))
})

test_that("update() and checkpoints continue a run as if it had not stopped", {
  release <- random_release(8)
  file <- tempfile(fileext = ".rds")
  fit <- function(iter, ...) {
    set.seed(608)
    paper_topics(release, 3, inference = "cavi", iter = iter, chains = 2, init = "random", ...)
  }
  short <- fit(7)
  longer <- update(short, iter = 8)
  expect_identical(longer$draws, fit(15)$draws)
  expect_identical(elbo(longer), elbo(fit(15)))
  first <- fit(15, checkpoint = file)
  expect_identical(fit(15, checkpoint = file)$draws, first$draws)
  expect_refused(fit(16, checkpoint = file), "is not a checkpoint of this run")
  expect_gt(length(elbo(update(fit(500), iter = 3))), length(elbo(fit(500))))
})

test_that("an interrupt returns the results so far", {
  rlang::local_interactive()
  release <- random_release(8)
  input <- model_input(topics_model, release, "model")
  interrupted_at <- function(n, start) {
    blocks <- 0
    model <- topics_model
    for (step in c("gibbs", "cavi")) {
      local({
        run <- topics_model[[step]]
        model[[step]] <<- function(...) {
          blocks <<- blocks + 1
          if (blocks == n) rlang::interrupt()
          run(...)
        }
      })
    }
    task <- new_task(model, release, dim(release), 2L, poisson_family, "model", "cavi", "collapsed",
      private = TRUE, prior = check_prior(gamma_prior(), c("theta", "phi"))
    )
    run <- new_run(100L, 1L, n_cavi_draws(task))
    expect_warning(
      fit <- run_cavi(task, sampler_of(task, input), run, begin_cavi(list(start), 0.3), FALSE, NULL, input),
      class = "ldpcounts_interrupted"
    )
    expect_output(print(fit), "not converged")
    expect_output(print(fit), "Interrupted: update.*of\\s+100")
    expect_match(summary(fit)$verdict, "^Problems were found: the bound was still changing")
    expect_identical(dim(fitted(fit)), dim(release))
    fit
  }
  fit <- interrupted_at(3, "random")
  expect_length(elbo(fit), 3) # after blocks of one and of two passes
  expect_length(elbo(update(fit, iter = 2)), 5)
  expect_length(elbo(interrupted_at(1, NULL)), 0) # within the run of Gibbs
})

test_that("arguments that do not apply throw errors", {
  y <- matrix(1:12, 3)
  for (model in list(paper_topics, paper_blocks)) {
    data <- if (identical(model, paper_blocks)) y[, 1:3] * (1 - diag(3)) else y
    fit <- function(...) model(data, 1, ..., inference = "cavi", iter = 5)
    expect_refused(fit(warmup = 1), "`warmup` is not an argument of `cavi()`", "`gibbs()` has it")
    expect_refused(fit(thin = 1), "`thin` is not an argument of `cavi()`")
    expect_refused(fit(init = "randomly"), "`init`")
    expect_refused(fit(family = "nbinom1", scheme = "bessel"), "`scheme` must be \"collapsed\"")
    expect_refused(fit(family = "nbinom1", scheme = "delta"), "`scheme` must be \"collapsed\"")
    expect_refused(model(data, 1, scheme = "delta"), "`scheme` must be one of \"auto\"")
    expect_refused(model(data, 1, inference = "vb"), "`inference`")
    expect_refused(model(data, 1, init = "any"), "`init`")
    expect_refused(elbo(suppressWarnings(model(data, 1, iter = 4))), "`fit` must be a fit with inference")
  }
  expect_length(suppressWarnings(elbo(paper_topics(y, 1, inference = "cavi", iter = 1))), 1)
})

# --- starts and means ---------------------------------------------------------------------------

test_that("draws of a start are averaged on one scale", {
  set.seed(40)
  part <- function(rows, columns) matrix(rgamma(rows * columns, 1), rows)
  topics <- list(theta = part(3, 5), phi = part(3, 4))
  mu <- function(x) crossprod(x$theta, x$phi)
  wandered <- list(theta = topics$theta * c(1e-30, 1, 1e25), phi = topics$phi / c(1e-30, 1, 1e25))
  expect_within(mu(wandered), mu(topics), 1e-12)
  found <- at_scale_of(topics, wandered, topics_model)
  expect_within(found$theta, topics$theta, 1e-12)
  expect_within(found$phi, topics$phi, 1e-12)

  blocks <- list(theta = part(2, 6), pi = part(2, 2))
  by <- c(1e20, 1e-10)
  wandered <- list(theta = blocks$theta * by, pi = blocks$pi / outer(by, by))
  found <- at_scale_of(blocks, wandered, blocks_model)
  expect_within(found$theta, blocks$theta, 1e-12)
  expect_within(found$pi, blocks$pi, 1e-12)

  tensor <- list(theta1 = part(2, 3), theta2 = part(2, 4), theta3 = part(2, 5))
  wandered <- Map(`*`, tensor, list(c(1e9, 2), c(1e9, 3), 1 / c(1e18, 6)))
  found <- at_scale_of(tensor, wandered, tensor_of(3))
  for (name in names(tensor)) expect_within(found[[name]], tensor[[name]], 1e-12)
})

test_that("coef() is the mean of normalised draws, and not a ratio of means", {
  set.seed(41)
  released <- privatize(simulate_topics(D = 8, V = 5, k = 2, words = 6)$y, epsilon = 1, rng = "R")
  fit <- paper_topics(released, 2, inference = "cavi", iter = 200, progress = FALSE)
  phi <- coef(fit)$phi
  draws <- fit$draws$phi # topics x words x draws
  shares <- apply(sweep(draws, c(1, 3), apply(draws, c(1, 3), sum), `/`), c(1, 2), mean)
  order <- max.col(-as.matrix(dist(rbind(phi, shares)))[1:2, 3:4], ties.method = "first")
  expect_within(unname(phi), unname(shares[order, ]), 1e-12)
  ratio <- apply(draws, c(1, 2), mean)
  ratio <- ratio / rowSums(ratio)
  expect_gt(max(abs(phi - ratio[order, ])), 1e-3)
})

test_that("a start with infinite values is dropped, and an error is thrown if no other is left", {
  set.seed(42)
  released <- privatize(simulate_topics(D = 8, V = 5, k = 2, words = 6)$y, epsilon = 1, rng = "R")
  fit <- paper_topics(released, 2, inference = "cavi", iter = 5, chains = 2, progress = FALSE)
  fit$chains <- lapply(fit$chains, function(start) replace(start, "elbo", list(-Inf)))
  task <- task_of_fit(fit)
  state <- new_state(fit$chains, sweep = 5)
  run <- new_run(5L, 2L, 20L)
  expect_error(
    run_cavi(task, sampler_of(task, input_of(fit)), run, state, FALSE, NULL, input_of(fit)),
    class = "ldpcounts_cavi_error"
  )
})

test_that("starts share an optimum if their bounds and fitted means agree", {
  table <- data.frame(elbo = c(-1e5, -1e5 - 0.5, -1e5 - 50), distance = c(0, 0.02, 0.01), passes = 9,
    converged = TRUE)
  expect_match(cavi_verdict(table, "collapsed"), "2 of 3 starts end in the same optimum")
  table$distance <- c(0, 0.8, 0.7) # bounds within 0.1 %, means that have little in common
  expect_match(cavi_verdict(table, "collapsed"), "of the 3 starts no other")
})

test_that("further iterations hardly raise a bound that has converged", {
  set.seed(43)
  released <- privatize(enron_network[1:60, 1:60] * 20L, epsilon = 1, rng = "R")
  fit <- paper_blocks(released, 3, family = "poisson", inference = "cavi", progress = FALSE)
  bound <- elbo(fit)
  expect_lt(abs(diff(bound))[length(bound) - 1], 1e-3)
  expect_lt(max(elbo(update(fit, iter = 200))) - max(bound), 0.5)
})
