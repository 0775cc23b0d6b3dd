# Models of releases under other mechanisms than geometric noise.

ERROR_RATE <- 1e-6

small_table <- function() {
  set.seed(7)
  simulate_topics(D = 12, V = 8, k = 2, words = 40)$y
}

released_by <- function(mechanism, y = small_table()) {
  set.seed(8)
  x <- simulate(mechanism, y = y)
  x[is.infinite(x)] <- NA # hidden counts
  private_counts(x, mechanism = mechanism)
}

quick_fit <- function(f, ..., chains = 1, iter = if (EXTENDED) 60 else 20) {
  set.seed(9)
  f(..., iter = iter, chains = chains, init = "random", progress = FALSE)
}

ALL <- list(
  discrete_gaussian_noise(1.5), laplace_noise(1), gaussian_noise(1), skellam_noise(2), random_rounding(3), rounding(5),
  suppression(1, 4), count_classes(c(0, 1, 3, 6)), withheld(discrete_gaussian_noise(1.5), 3), thinning(0.5),
  custom_mechanism(
    function(release, y) {
      hidden <- ifelse(y %% 3 == 0, 0.5, 0.1)
      log(ifelse(release == -Inf, hidden, ifelse(y == release, 1 - hidden, 0)))
    },
    c(-Inf, 0, Inf)
  )
)

test_that("topic models of every mechanism: log density, true counts, replicates, prediction", {
  for (i in seq_along(ALL)) {
    mechanism <- ALL[[i]]
    released <- released_by(mechanism)
    for (family in some_of(c("nbinom1", "poisson"), 2, 1 + i %% 2)) {
      fit <- quick_fit(topic_model, released, 2, family = family)
      density <- rstantools::log_lik(fit)
      expect_equal(rowSums(density), as.vector(unlist(fit$log_density)), tolerance = 1e-9)
      s <- 3
      excess <- if (family == "poisson") 0 else fit$draws$excess[1, 1, s]
      cells <- arrayInd(seq_along(released), dim(released))
      mu <- ldpcounts:::draw_cell_mean(fit, s, cells)
      expect_equal(
        unname(density[s, ]), dprivcount(as.vector(as.matrix(released)), mu, mechanism, 1 + excess, log = TRUE),
        tolerance = 1e-10
      )
      truth <- augment(fit, draws = 5)
      expect_true(all(truth$lower <= truth$upper & truth$mean >= 0))
      expect_identical(dim(simulate(fit, 1, seed = 1)[[1]]), dim(released))
      expect_false(any(ldpcounts:::impossible_releases(mechanism, simulate(fit, 1, seed = 1)[[1]])$bad))
      expect_identical(dim(predict(fit, released[1:3, ], draws = 2, sweeps = 3)), c(3L, ncol(released)))
    }
  }
})

test_that("the function of a custom mechanism is called once per released count, and not once per draw", {
  calls <- 0
  own <- custom_mechanism(function(release, y) {
    calls <<- calls + 1
    stats::dbinom(release, y, 0.7, log = TRUE)
  }, c(0, Inf))
  released <- released_by(own)
  fit <- quick_fit(topic_model, released, 2)
  calls <- 0
  rstantools::log_lik(fit)
  expect_gt(calls, 0)
  expect_lte(calls, length(unique(as.vector(as.matrix(released)))))
})

test_that("summaries of true counts are those of the distribution functions", {
  mechanism <- withheld(skellam_noise(3), 2)
  released <- released_by(mechanism)
  fit <- quick_fit(topic_model, released, 2)
  input <- ldpcounts:::input_of(fit)
  cells <- arrayInd(1:40, dim(released))
  block <- ldpcounts:::truth_block(fit, input, cells, 1:7)
  expect_equal(
    ldpcounts:::summarise_truth(block, 0.9), ldpcounts:::summarise_wide(block, c(0.05, 0.95)),
    tolerance = 1e-10, ignore_attr = TRUE
  )
})

test_that("a mechanism of geometric noise is alpha, and has its posterior", {
  y <- small_table()
  x <- y + rtwogeom(length(y), 0.4)
  expect_identical(private_counts(x, mechanism = geometric_noise(alpha = 0.4)), private_counts(x, alpha = 0.4))
  expect_identical(private_counts(y, mechanism = no_noise()), private_counts(y, alpha = 0))
})

# Means of draws of two chains that are different programs, in standard errors by batches of draws.
differences <- function(one, other) {
  batches <- function(x) apply(x, 1, function(draws) colMeans(matrix(draws, length(draws) / 40)))
  one <- batches(one)
  other <- batches(other)
  (colMeans(one) - colMeans(other)) / sqrt((apply(one, 2, var) + apply(other, 2, var)) / 40)
}

test_that("the general code and the fast one for geometric noise have the same posterior", {
  y <- small_table()
  set.seed(10)
  x <- y + rtwogeom(length(y), 0.4)
  x[2, 3] <- NA
  fast <- private_counts(x, alpha = 0.4)
  general <- ldpcounts:::declare_protected(x, geometric_noise(alpha = 0.4), NULL, TRUE, NULL, NULL, NULL)
  cells <- arrayInd(seq_along(x), dim(x))
  for (family in c("poisson", "nbinom1")) {
    moments <- lapply(list(fast, general), function(released) {
      fit <- quick_fit(topic_model, released, 1, iter = 4500, family = family)
      mu <- vapply(seq_len(fit$run$kept), function(s) ldpcounts:::draw_cell_mean(fit, s, cells), numeric(length(x)))
      excess <- if (family == "nbinom1") as.vector(fit$draws$excess)
      rbind(mu, mu^2, log(mu), excess, excess^2)[, seq_len(fit$run$kept %/% 40 * 40)]
    })
    z <- differences(moments[[1]], moments[[2]])
    # with 39 degrees of freedom on either side; at least a chain must mix
    expect_lt(max(abs(z)), stats::qt(1 - ERROR_RATE / (4 * length(z)), 40))
  }
})

# Hides most multiples of three and few other counts, so that a hidden count is rather 0, 3, 6, ... than a number
# between them.
hides_most <- custom_mechanism(function(release, y) {
  hidden <- ifelse(y %% 3 == 0, 0.9, 0.05)
  log(ifelse(release == -Inf, hidden, ifelse(y == release, 1 - hidden, 0)))
}, c(-Inf, 0, Inf))

test_that("the posterior of one cell is that of numerical integration, for a mechanism that is not log-concave", {
  released <- private_counts(matrix(-Inf, 1, 1), mechanism = hides_most)
  log_theta <- seq(-9, 3, length.out = 161)
  grid <- expand.grid(theta = exp(log_theta), phi = exp(log_theta))
  for (dispersion in c(1, 2)) {
    set.seed(11)
    fit <- topic_model(released, 1,
      family = if (dispersion == 1) "poisson" else "nbinom1", dispersion = if (dispersion > 1) dispersion,
      prior = gamma_prior(1.5, 1), chains = 1, iter = 9000, warmup = 1000, progress = FALSE
    )
    mu <- as.vector(fit$draws$theta * fit$draws$phi)
    moments <- rbind(log(mu), mu, mu^2)
    batches <- apply(moments, 1, function(draws) colMeans(matrix(draws, length(draws) / 40)))
    weight <- dgamma(grid$theta, 1.5, 1) * dgamma(grid$phi, 1.5, 1) * grid$theta * grid$phi *
      dprivcount(-Inf, grid$theta * grid$phi, hides_most, dispersion)
    truth <- with(list(mu = grid$theta * grid$phi), colSums(weight / sum(weight) * cbind(log(mu), mu, mu^2)))
    z <- (colMeans(batches) - truth) / sqrt(apply(batches, 2, var) / 40)
    expect_lt(max(abs(z)), stats::qt(1 - ERROR_RATE / 12, 39))
  }
})

test_that("blocks and tensors are fitted, and draws do not depend on threads", {
  set.seed(3)
  network <- matrix(rpois(144, 2), 12)
  diag(network) <- 0
  array <- array(rpois(60, 2), c(5, 4, 3))
  mechanism <- random_rounding(3)
  fits <- list(
    quick_fit(block_model, released_by(mechanism, network), 2),
    quick_fit(tensor_model, released_by(mechanism, array), 2)
  )
  for (fit in fits) {
    expect_true(all(is.finite(fit$log_density)))
    expect_true(all(is.finite(rstantools::log_lik(fit))))
  }
  pairs <- network + t(network)
  hidden <- simulate(suppression(1, 4), y = pairs)
  hidden[is.infinite(hidden)] <- NA
  diag(hidden) <- 0
  undirected <- private_counts(hidden, mechanism = suppression(1, 4), directed = FALSE)
  expect_true(all(is.finite(quick_fit(block_model, undirected, 2, directed = FALSE)$log_density)))
  set.seed(4)
  large <- matrix(rpois(300 * 80, 1), 300)
  released <- released_by(discrete_gaussian_noise(1), large)
  one <- ldpcounts:::with_threads(1L, quick_fit(topic_model, released, 2, iter = 6))
  two <- ldpcounts:::with_threads(2L, quick_fit(topic_model, released, 2, iter = 6))
  expect_identical(one$draws, two$draws)
})

test_that("checkpoints, masks, groups and parameters per row or cell", {
  y <- small_table()
  n <- length(y)
  released <- released_by(discrete_gaussian_noise(seq(0.5, 2, length.out = n)), y)
  part <- released[3:5, 2:4]
  expect_equal(
    privacy(part)$mechanism$parameters$sd, as.vector(matrix(seq(0.5, 2, length.out = n), nrow(y))[3:5, 2:4])
  )
  is.na(released) <- cbind(1, 2)
  file <- tempfile()
  groups <- rep(c("a", "b"), 6)
  one <- quick_fit(topic_model, released, 2, groups = groups, checkpoint = file)
  again <- quick_fit(topic_model, released, 2, groups = groups, checkpoint = file)
  expect_identical(one$draws, again$draws)
  truth <- augment(one, cells = cbind(1, 2), draws = 5)
  expect_true(is.na(truth$y_tilde))
  by_row <- released_by(skellam_noise(seq_len(nrow(y))), y)
  expect_true(all(is.finite(quick_fit(topic_model, by_row, 2)$log_density)))
})

test_that("the memory that a run states has all observed cells, which all have latent counts", {
  released <- released_by(rounding(5))
  fit <- quick_fit(topic_model, released, 2)
  input <- model_input(topics_model, released, "model")
  listed <- sampler_of(task_of_fit(fit), input)$n_active
  expect_gt(listed, sum(input$counts > 0, na.rm = TRUE))
  needed <- memory_needed(task_of_fit(fit), input, fit$run)
  expect_identical(needed[["cells"]], 16 * listed + 8 * n_missing(input$counts))
})

test_that("sums of true counts and checks of the release are given", {
  fit <- quick_fit(topic_model, released_by(suppression(1, 4)), 2, chains = 2)
  sums <- augment(fit, by = rep(c("a", "b"), 6), draws = 20)
  expect_true(all(sums$lower <= sums$mean & sums$mean <= sums$upper))
  expect_match(summary(fit)$verdict, "found")
})

test_that("what needs geometric noise says so", {
  released <- released_by(discrete_gaussian_noise(1))
  expect_error(topic_model(released, 2, inference = "cavi"), "gibbs")
  expect_error(topic_model(released, 2, inference = "svi"), "gibbs")
  expect_error(topic_model(released, 2, scheme = "bessel"), "gibbs")
  expect_error(topic_model(released, 2, noise = "ignore"), "naive")
  expect_error(private_means(released_by(rounding(5))), "mean zero")
  expect_error(privatize(released, 1, compose = TRUE), "another mechanism")
  expect_error(privacy_loss(released), "another mechanism")
  expect_error(explain_privacy(released), "another mechanism")
  expect_error(private_gibbs(released, function(state, y) NULL, list(state = 1, mu = 1)), "another mechanism")
  fit <- quick_fit(topic_model, released, 2)
  expect_error(check_margins(fit), "another mechanism")
})
