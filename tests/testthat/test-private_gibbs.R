# Steps that say what they saw, and steps whose posterior integration gives.

small_release <- function() {
  private_counts(rbind(c(3, -2, NA), c(0, 5, 1), c(4, 0, NA)), alpha = c(0.3, 0.6, 0))
}

# The means stay, and the state is what was drawn.
watcher <- function(mu) function(state, y) list(state = as.vector(y), mu = mu)

drawn_as <- function(data, step, init, ..., seed = 721) {
  force(data)
  set.seed(seed)
  private_gibbs(data, step, init, ..., progress = FALSE)
}

said <- function(fit) fit[setdiff(names(fit), c("seconds", "step"))]

test_that("true counts come from their distribution given the release, and masked ones from the model", {
  mu <- matrix(c(2, 0.7, 1.5, 3, 4, 0.2, 1, 2.5, 6), 3)
  counts <- as.matrix(small_release())
  alpha <- privacy(small_release())$alpha[row(counts)]
  for (clamped in c(FALSE, TRUE)) {
    data <- private_counts(if (clamped) pmax(counts, 0) else counts, alpha = c(0.3, 0.6, 0),
      clamped = clamped
    )
    iter <- if (EXTENDED) 4000 else 1000
    fit <- drawn_as(data, watcher(mu), list(state = rep(0, 9), mu = mu), iter = iter, warmup = 0)
    draws <- as.matrix(fit)
    expect_identical(colnames(draws), paste0("state[", 1:9, "]"))
    for (cell in 1:9) {
      law <- if (is.na(counts[cell])) {
        dpois(0:60, mu[cell])
      } else {
        dtruecount(0:60, counts[cell], mu[cell], alpha[cell])
      }
      expect_law(draws[, cell], law)
    }
    expect_within(fitted(fit), mu, TOL_SERIES)
  }
})

test_that("the posterior of a regression agrees with the closed-form likelihood", {
  set.seed(722)
  x <- runif(40, -1, 1)
  alpha <- rep(c(0.3, 0.6), 20)
  y_tilde <- rpois(40, exp(0.5 + x)) + rgeom(40, 1 - alpha) - rgeom(40, 1 - alpha)
  y_tilde[c(4, 5, 31)] <- NA
  truth <- regression_moments(y_tilde, x, alpha)
  released <- private_counts(cbind(y_tilde), alpha = alpha)
  fit <- drawn_as(released, regression_step(x), list(state = c(b1 = 0, b2 = 0), mu = rep(1, 40)),
    iter = 10500, warmup = 500
  )
  draws <- powers(as.matrix(fit))
  z <- (colMeans(draws) - truth) / apply(draws, 2, posterior::mcse_mean)
  expect_lt(max(abs(z)), normal_bound(5))
  # and these errors are small
  expect_lt(max(apply(draws, 2, posterior::mcse_mean)), 0.03)
})

# mu = b (1, ..., 9) with an exact draw of b ~ Gamma(1, 1), and numbers that go with it.
simple_step <- function(state, y) {
  b <- stats::rgamma(1, 1 + sum(y), 1 + sum(1:9))
  list(state = list(b = b, mu = matrix(b * 1:9, 3), note = "not a number"), mu = matrix(b * 1:9, 3))
}
simple_init <- list(state = list(b = 1, mu = matrix(1, 3, 3), note = ""), mu = matrix(1, 3, 3))

test_that("means and log densities are those of the kept draws", {
  data <- small_release()
  dimnames(data) <- list(letters[1:3], LETTERS[1:3])
  fit <- drawn_as(data, simple_step, simple_init, iter = 40, warmup = 10, thin = 3, chains = 2)
  draws <- as.matrix(fit)
  expect_identical(dim(draws), c(20L, 10L))
  expect_identical(colnames(draws)[c(1, 2, 3, 5)], c("b", "mu[1,1]", "mu[2,1]", "mu[1,2]"))
  expect_within(as.vector(fitted(fit)), colMeans(draws[, -1]), TOL_EXACT)
  expect_identical(dimnames(fitted(fit)), dimnames(data))
  counts <- as.vector(as.matrix(data))
  expected <- apply(draws[, -1], 1, function(mu) {
    sum(dprivpois(counts, mu, rep(c(0.3, 0.6, 0), 3), log = TRUE), na.rm = TRUE)
  })
  expect_within(as.vector(fit$log_density), expected, TOL_SERIES)
  array <- posterior::as_draws_array(fit)
  expect_identical(dim(array), c(10L, 2L, 10L))
  expect_identical(as.vector(array[, 2, "b"]), unname(draws[11:20, "b"]))
  expect_identical(dim(posterior::as_draws_matrix(fit)), dim(draws))
  expect_s3_class(posterior::as_draws(fit), "draws_array")
})

test_that("elements of the state have names", {
  expect_identical(labels_of(3), "state")
  expect_identical(labels_of(c(3, 4)), c("state[1]", "state[2]"))
  expect_identical(labels_of(c(a = 3, b = 4)), c("a", "b"))
  expect_identical(labels_of(matrix(1, 1, 2)), c("state[1,1]", "state[1,2]"))
  state <- list(beta = c(u = 1, v = 2), s = 3L, on = c(TRUE, FALSE), f = mean, 7, w = "x", e = numeric())
  expect_identical(labels_of(state), c("beta[u]", "beta[v]", "s", "on[1]", "on[2]", "state5"))
  expect_identical(numbers_of(state), c(1, 2, 3, 1, 0, 7))
  expect_identical(labels_of("none"), character())
  fit <- drawn_as(small_release(), function(state, y) list(state = "s", mu = matrix(1, 3, 3)),
    list(state = "s", mu = matrix(1, 3, 3)), iter = 10
  )
  expect_identical(dim(as.matrix(fit)), c(5L, 0L))
  expect_output(print(fit), "state: none")
  expect_output(print(summary(fit)), "log density")
})

test_that("one random number is drawn, and 40 sweeps and 20 more equal 60", {
  run <- function(...) drawn_as(small_release(), simple_step, simple_init, warmup = 10, chains = 2, ...)
  whole <- run(iter = 60)
  next_number <- runif(1)
  set.seed(721)
  runif(1)
  expect_identical(runif(1), next_number)
  expect_identical(said(run(iter = 60)), said(whole))
  expect_false(isTRUE(all.equal(as.matrix(whole)[1:50, ], as.matrix(whole)[51:100, ])))
  further <- update(run(iter = 40), iter = 20, progress = FALSE)
  expect_identical(said(further), said(whole))
  further <- update(further, iter = 5, progress = FALSE)
  expect_identical(said(further), said(run(iter = 65)))
  expect_refused(update(further), "must be given")
})

test_that("chains start from the given values", {
  start <- function(b) list(state = b, mu = matrix(b, 3, 3))
  stay <- function(state, y) start(state)
  run <- function(init, ...) {
    unname(as.matrix(drawn_as(small_release(), stay, init, iter = 1, warmup = 0, ...))[, 1])
  }
  expect_identical(run(start(2), chains = 2), c(2, 2))
  expect_identical(run(list(start(2), start(3)), chains = 2), c(2, 3))
  random <- run(function() start(runif(1)), chains = 2)
  expect_identical(run(function() start(runif(1)), chains = 2), random)
  expect_false(random[1] == random[2])
  expect_identical(random[1], run(function() start(runif(1))))
  set.seed(723)
  fit <- private_gibbs(small_release(), simple_step, simple_init, iter = 10, chains = 2)
  on <- private_gibbs(small_release(), function(state, y) list(state = state, mu = matrix(1, 3, 3)),
    fit, iter = 1, warmup = 0, chains = 2
  )
  expect_identical(as.matrix(on), as.matrix(fit)[c(5, 10), ])
})

test_that("true counts are used unchanged, with their labels", {
  y <- matrix(c(2, NA, 0, 7), 2, dimnames = list(c("a", "b"), c("u", "v")))
  seen <- NULL
  step <- function(state, y) {
    seen <<- y
    list(state = 1, mu = matrix(2, 2, 2))
  }
  drawn_as(y, step, step(1, y), iter = 3)
  expect_identical(dimnames(seen), dimnames(y))
  expect_identical(seen[-2], y[-2])
  expect_false(is.na(seen[2]))
  sparse <- Matrix::Matrix(y, sparse = TRUE)
  drawn_as(sparse, step, step(1, y), iter = 3)
  expect_identical(seen[-2], y[-2])
  # one column: a vector of means will do
  column <- private_counts(cbind(c(2, -1)), alpha = 0.3)
  fit <- drawn_as(column, function(state, y) list(state = 1, mu = c(1, 2)),
    list(state = 1, mu = c(1, 2)), iter = 4
  )
  expect_identical(fitted(fit), cbind(c(1, 2)))
})

test_that("an interrupt returns the draws so far, and the run can be continued", {
  rlang::local_interactive()
  calls <- 0
  step <- function(state, y) {
    calls <<- calls + 1
    if (calls == 30) rlang::interrupt()
    simple_step(state, y)
  }
  run <- function(step, ...) drawn_as(small_release(), step, simple_init, ...)
  expect_warning(fit <- run(step, iter = 1000, warmup = 4), class = "ldpcounts_interrupted")
  expect_gt(fit$run$kept, 0)
  expect_identical(nrow(as.matrix(fit)), fit$run$kept)
  whole <- run(simple_step, iter = fit$run$iter + 10L, warmup = 4)
  further <- update(fit, iter = 10, progress = FALSE)
  expect_identical(as.matrix(further), as.matrix(whole))
  expect_identical(fitted(further), fitted(whole))
  calls <- 0
  text <- capture_warnings(fit <- run(step, iter = 1000, warmup = 900))
  expect_match(text, "No draw had been kept")
  expect_identical(dim(as.matrix(fit)), c(1L, 10L))
  expect_within(as.vector(fitted(fit)), as.matrix(fit)[, -1], TOL_EXACT)
})

test_that("print() and summary() describe the fit and its convergence", {
  fit <- drawn_as(small_release(), simple_step, simple_init, iter = 1000, chains = 2)
  expect_output(print(fit), "Your own Poisson model of 3 x 3 private counts")
  expect_output(print(fit), "2 chains of 1000 sweeps")
  expect_output(print(fit), "b, mu\\[1,1\\]")
  parameters <- summary(fit)$convergence
  expect_identical(rownames(parameters)[1:2], c("log density", "b"))
  draws <- as.matrix(fit)[, "b"]
  expect_identical(
    unlist(parameters["b", 1:4], use.names = FALSE),
    unname(c(mean(draws), sd(draws), quantile(draws, c(0.025, 0.975))))
  )
  expect_output(print(summary(fit)), "Problems were found: counts vary more than the model\\s+expects")
})

test_that("progress reports do not change a run", {
  run <- function(progress) {
    set.seed(725)
    private_gibbs(small_release(), simple_step, simple_init, iter = 20, progress = progress)
  }
  expect_identical(said(run(TRUE)), said(run(FALSE)))
})

test_that("errors in the user's step name the sweep", {
  mu <- matrix(1, 3, 3)
  init <- list(state = 1, mu = mu)
  fails <- function(value, ..., chains = 1) {
    calls <- 0
    step <- function(state, y) {
      calls <<- calls + 1
      if (calls > 2) value() else init
    }
    expect_refused(drawn_as(small_release(), step, init, iter = 9, chains = chains), ...)
  }
  fails(function() stop("no {such} thing"), "`step` failed", "sweep 3 of chain 1", "no {such} thing")
  fails(function() stop("no"), "in sweep 1 of chain 3", chains = 4)
  expected <- c("`step` must return list(state = , mu = )", "3 x 3", "in sweep 3 of chain 1")
  fails(function() NULL, expected, "It is NULL")
  fails(function() mu, expected, "It is an array of type double of 3 x 3")
  fails(function() list(1, mu), expected, "without these names")
  fails(function() list(state = 1, mu = 1), expected, "`mu` is a vector of type double and length 1")
  fails(function() list(state = 1, mu = rep(1, 9)), expected, "length 9")
  fails(function() list(state = 1, mu = t(mu[1:2, ])), expected, "3 x 2")
  fails(function() list(state = 1, mu = matrix("1", 3, 3)), expected, "type character")
  fails(function() list(state = 1:2, mu = mu), expected, "2 numbers, but had 1 before")
  for (bad in list(0, -1, NA, NaN, Inf)) {
    fails(function() list(state = 1, mu = replace(mu, 8, bad)), expected,
      "not finite and positive in 1 cell, the first in row 2, column 3")
  }
  step <- function(state, y) stop("no")
  error <- tryCatch(drawn_as(small_release(), step, init, iter = 9), error = identity)
  expect_s3_class(error, "ldpcounts_step_error")
})

test_that("invalid calls throw errors before a random number is drawn", {
  data <- small_release()
  init <- list(state = 1, mu = matrix(1, 3, 3))
  step <- function(state, y) init
  set.seed(724)
  before <- .Random.seed
  expect_refused(private_gibbs(matrix(-1), step, init), "`data` must hold counts")
  expect_refused(private_gibbs(data, init = init), "`step` must be given")
  expect_refused(private_gibbs(data, "step", init), "`step` must be a function", "\"step\"")
  expect_refused(private_gibbs(data, step), "`init` must be given")
  expect_refused(private_gibbs(data, step, 1), "`init` must be list(state = , mu = )", "It is 1")
  expect_refused(private_gibbs(data, step, list(state = 1, mu = matrix(0, 3, 3))), "`init`", "9 cells")
  pairs <- private_counts(matrix(1, 3, 3), alpha = 0.5, directed = FALSE)
  expect_refused(private_gibbs(pairs, step, init), "`data` is an undirected network", "lower.tri")
  two <- list(state = 1:2, mu = matrix(1, 3, 3))
  expect_refused(private_gibbs(data, step, list(), chains = 3), "`init`", "a list without these names")
  expect_refused(private_gibbs(data, step, list(init, init), chains = 3), "`init`", "one such list per chain")
  expect_refused(private_gibbs(data, step, init, 500), "must be named")
  expect_refused(private_gibbs(data, step, init, iters = 500), "no argument `iters`")
  expect_refused(private_gibbs(data, step, init, iter = 10, warmup = 10), "larger than `warmup`")
  expect_refused(private_gibbs(data, step, init, progress = 1), "`progress`")
  expect_identical(.Random.seed, before)
  expect_refused(private_gibbs(data, step, function() 1, iter = 4), "`init`", "It is 1")
  expect_refused(private_gibbs(data, step, list(init, two), chains = 2), "`init`", "2 numbers, but had 1")
})

test_that("a constant element of the state does not affect the verdict", {
  set.seed(72)
  released <- privatize(matrix(rpois(30, 3), 6), epsilon = 2, rng = "R")
  step <- function(state, y) {
    rate <- rgamma(1, 1 + sum(y), 1 + length(y))
    list(state = list(rate = rate, size = 30), mu = matrix(rate, nrow(y), ncol(y)))
  }
  init <- list(state = list(rate = 1, size = 30), mu = matrix(1, 6, 5))
  fit <- private_gibbs(released, step, init, iter = 600)
  expect_no_match(summary(fit)$verdict, "too few")
  constant <- data.frame(mean = 1, sd = 0, rhat = NA, ess_bulk = NA)
  said <- gibbs_verdict(constant, list(run = list(kept = 50, iter = 100, chains = 1), seconds = 1, private = FALSE))
  expect_match(said, "^Problems were found: 50 draws per chain are too few to judge convergence[.]")
})

test_that("a fit has the methods of other fits", {
  fit <- drawn_as(small_release(), simple_step, simple_init, iter = 300, chains = 2)
  expect_s3_class(fit, c("private_gibbs", "ldp_fit_gibbs", "ldp_fit"), exact = TRUE)
  density <- rstantools::log_lik(fit)
  expect_within(rowSums(density), as.vector(fit$log_density), TOL_SERIES)
  mu <- as.matrix(fit)[, -1]
  expect_identical(unname(rstantools::posterior_epred(fit)), unname(mu[, !is.na(as.matrix(small_release()))]))
  means <- fitted(fit, cells = cbind(1, 3), level = 0.9)
  expect_within(means[1, ], c(mean(mu[, 7]), quantile(mu[, 7], c(0.05, 0.95))), TOL_EXACT)
  expect_s3_class(suppressWarnings(loo::loo(fit)), "psis_loo")
  expect_identical(nrow(augment(fit)), 7L)
  expect_identical(augment(fit, cells = cbind(3, 1))$mean, 4)
  expect_s3_class(tidy(fit), "tbl_df")
  expect_identical(tidy(fit)$term, colnames(as.matrix(fit)))
  expect_identical(tidy(fit)$estimate, unname(coef(fit)))
  expect_identical(as.data.frame(glance(fit)[c("model", "chains", "draws", "nobs")]),
    data.frame(model = "private_gibbs", chains = 2L, draws = 300L, nobs = 7)
  )
  expect_length(simulate(fit, 2), 2)
  expect_identical(as.matrix(subset(fit, 2)), as.matrix(fit)[151:300, ])
  expect_identical(update(fit, warmup = 200)$run$kept, 100L)
  expect_refused(update(fit, chains = 1), "`chains` cannot be added")
  expect_refused(predict(fit, small_release()), "in the data as NA")
  expect_refused(modes(fit), "a fit of topic_model()")
  expect_refused(resimulate(fit), "a fit of topic_model()")
  expect_refused(plot(fit, type = "network"), "\"trace\", \"rank\", \"predictive\"")
  for (type in c("trace", "rank", "predictive")) {
    expect_s3_class(ggplot2::autoplot(fit, type = type), "ggplot")
  }
})

test_that("a run continues from its checkpoint, and not from that of another step", {
  file <- tempfile()
  run <- function(step = simple_step, ...) drawn_as(small_release(), step, simple_init, iter = 60, ...)
  whole <- run()
  calls <- 0
  old <- options(ldpcounts.checkpoint_seconds = 0)
  on.exit(options(old))
  interrupted <- function(state, y) {
    calls <<- calls + 1
    if (calls == 40) rlang::interrupt()
    simple_step(state, y)
  }
  expect_error(run(interrupted, checkpoint = file), class = "ldpcounts_interrupted")
  expect_true(file.exists(file))
  calls <- 100
  expect_identical(as.matrix(run(interrupted, checkpoint = file)), as.matrix(whole))
  expect_refused(run(simple_step, checkpoint = file), "other arguments")
})

test_that("there is a message for overdispersed counts", {
  set.seed(726)
  released <- privatize(cbind(MASS::quine$Days), epsilon = 1, rng = "R")
  step <- function(state, y) {
    rate <- stats::rgamma(1, 1 + sum(y), 1 + length(y))
    list(state = c(rate = rate), mu = rep(rate, length(y)))
  }
  fit <- private_gibbs(released, step, list(state = c(rate = 10), mu = rep(10, 146)), iter = 400, chains = 2)
  expect_output(print(summary(fit)), "Counts vary more than the model expects")
  printed <- paste(capture.output(print(summary(fit))), collapse = " ") # lines wrap anywhere
  expect_match(printed, "gamma weight per count", fixed = TRUE)
})

test_that("errors for formulas and respondents say what to do", {
  people <- data.frame(visits = rpois(50, 2), age = runif(50))
  expect_refused(private_gibbs(visits ~ age, data = people), "models of this package have no formula")
  expect_refused(private_gibbs(MASS::quine, function(state, y) state, list()), "are not numeric")
})
