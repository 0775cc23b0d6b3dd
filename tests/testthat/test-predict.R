# New rows given known other factors: phi of every kept draw is made the same, and theta of a new row
# has a posterior that integration gives.

DRAWS <- if (EXTENDED) 2500L else 1000L

known_topics <- function(phi, prior, draws = DRAWS, ...) {
  set.seed(701)
  k <- nrow(phi)
  data <- private_counts(matrix(1, 3, ncol(phi)), alpha = 0.5)
  fit <- paper_topics(data, k, prior = prior, iter = draws, warmup = 0, ...)
  fit$draws$phi[] <- phi
  fit$draws$theta[] <- rev(seq_len(k)) # the order of coef()
  fit$modes <- NULL
  fit
}

# Of each new row theta_1 .. theta_K and the excess: new rows x these x draws, which are independent.
theta_draws <- function(fit, newdata, sweeps = 40) {
  drawn <- list()
  average_new_rows(fit, new_rows(fit, newdata), seq_len(n_draws(fit)), sweeps, function(factors, excess) {
    drawn[[length(drawn) + 1]] <<- cbind(factors$theta, excess)
    0
  })
  simplify2array(drawn)
}

# A distribution on a grid, as draws uniform on 0 .. 49 if they come from it.
expect_grid_law <- function(draws, log_grid, weight) {
  middle <- (log_grid[-1] + log_grid[-length(log_grid)]) / 2
  below <- stats::approx(middle, cumsum(weight)[-length(weight)] / sum(weight), log(draws), rule = 2)$y
  expect_law(pmin(floor(50 * below), 49), rep(1 / 50, 50))
}

newdata <- function() {
  y_tilde <- rbind(c(4, -2, 0, 1, 7), c(2, NA, 9, -1, NA), c(3, 0, 1, 0, 2), rep(NA, 5))
  private_counts(y_tilde, alpha = c(0.3, 0.7, 0, 0.5))
}

LOG_GRID <- seq(-25, 5, length.out = 4000)

test_that("theta of a new row has the posterior found by integration, K = 1", {
  phi <- matrix(c(0.5, 1.5, 3, 0.1, 0.7), 1)
  prior <- list(theta = gamma_prior(0.8, gamma_prior(2, 1)), phi = gamma_prior(1, 1))
  fit <- known_topics(phi, prior)
  fit$draws$rate[] <- c(0.6, 1) # known, too
  log_prior <- dgamma(exp(LOG_GRID), 0.8, 0.6, log = TRUE) + LOG_GRID
  alpha <- privacy(newdata())$alpha
  counts <- as.matrix(newdata())
  set.seed(702)
  drawn <- theta_draws(fit, newdata())
  expect_identical(dim(drawn), c(4L, 1L, DRAWS))
  for (i in 1:4) {
    log_weight <- log_prior
    for (v in which(!is.na(counts[i, ]))) {
      log_weight <- log_weight + dprivpois(counts[i, v], exp(LOG_GRID) * phi[v], alpha[i], log = TRUE)
    }
    expect_grid_law(drawn[i, 1, ], LOG_GRID, exp(log_weight - max(log_weight)))
  }
})

test_that("a new row has its own dispersion if rows have, K = 1", {
  phi <- matrix(c(0.5, 1.5, 3, 0.1, 0.7), 1)
  prior <- list(theta = gamma_prior(0.8, 0.6), phi = gamma_prior(1, 1))
  fixed <- known_topics(phi, prior, family = "nbinom1", dispersion = 2.5)
  all <- known_topics(phi, prior, 3, family = "nbinom1")
  row <- known_topics(phi, prior, if (EXTENDED) 2000 else DRAWS, family = "nbinom1", dispersion_by = "row",
    dispersion_prior = beta_prior(2, 1.5)
  )
  n <- if (EXTENDED) 250 else 120
  log_grid <- seq(-14, 4, length.out = n)
  logit_grid <- seq(-8, 10, length.out = n)
  log_prior <- dgamma(exp(log_grid), 0.8, 0.6, log = TRUE) + log_grid
  p <- plogis(logit_grid)
  log_prior_p <- dbeta(p, 2, 1.5, log = TRUE) + log(p) + log1p(-p)
  counts <- as.matrix(newdata())
  log_likelihood <- function(i, theta, excess) {
    terms <- lapply(which(!is.na(counts[i, ])), function(v) {
      dprivnbinom(counts[i, v], theta * phi[v] * excess / log1p(excess),
        privacy(newdata())$alpha[i], 1 + excess, log = TRUE)
    })
    Reduce(`+`, terms)
  }
  set.seed(703)
  drawn_fixed <- theta_draws(fixed, newdata())
  drawn_row <- theta_draws(row, newdata(), sweeps = 60)
  both <- expand.grid(theta = exp(log_grid), excess = exp(logit_grid))
  for (i in 1:3) {
    log_weight <- log_prior + log_likelihood(i, exp(log_grid), 1.5)
    expect_grid_law(drawn_fixed[i, 1, ], log_grid, exp(log_weight - max(log_weight)))
    log_weight <- outer(log_prior, log_prior_p, `+`) + log_likelihood(i, both$theta, both$excess)
    weight <- exp(log_weight - max(log_weight))
    expect_grid_law(drawn_row[i, 1, ], log_grid, rowSums(weight))
    expect_grid_law(drawn_row[i, 2, ], logit_grid, colSums(weight)) # log excess = logit p
  }
  expect_identical(unique(as.vector(drawn_fixed[, 2, ])), 1.5)
  expect_identical(theta_draws(all, newdata())[1, 2, ], as.vector(all$draws$excess))
})

test_that("means agree with integration for two topics with label switching", {
  phi <- rbind(c(0.5, 1.5, 3, 0.1, 0.7), c(2, 0.2, 0.4, 0.9, 0.1))
  prior <- list(theta = gamma_prior(0.8, 0.6), phi = gamma_prior(1, 1))
  fit <- known_topics(phi, prior)
  log_grid <- seq(-14, 4, length.out = if (EXTENDED) 300 else 150)
  log_prior <- dgamma(exp(log_grid), 0.8, 0.6, log = TRUE) + log_grid
  both <- expand.grid(exp(log_grid), exp(log_grid))
  counts <- as.matrix(newdata())
  truth <- t(vapply(1:3, function(i) {
    log_weight <- as.vector(outer(log_prior, log_prior, `+`))
    for (v in which(!is.na(counts[i, ]))) {
      mu <- both[[1]] * phi[1, v] + both[[2]] * phi[2, v]
      log_weight <- log_weight + dprivpois(counts[i, v], mu, privacy(newdata())$alpha[i], log = TRUE)
    }
    weight <- exp(log_weight - max(log_weight))
    colSums(weight * both) / sum(weight)
  }, c(0, 0)))
  set.seed(704)
  drawn <- theta_draws(fit, newdata()[1:3, ])
  error <- apply(drawn, 1:2, sd) / sqrt(n_draws(fit))
  expect_lt(max(abs(rowMeans(drawn, dims = 2) - truth) / error), normal_bound(6))
  # in every other draw the topics have changed places: the answer is the same, and in the order
  # and on the scale of coef()
  odd <- seq(1, DRAWS, 2)
  fit$draws$phi[, , odd] <- phi[2:1, ]
  fit$draws$theta[, , odd] <- 1:2
  found <- predict(fit, newdata()[1:3, ], type = "factors", draws = DRAWS)
  expect_within(coef(fit)$phi, phi / rowSums(phi), TOL_SERIES)
  scale <- rowSums(phi)
  expect_lt(max(abs(t(found) / scale - t(truth)) / t(error)), normal_bound(6))
  mu <- predict(fit, newdata()[1:3, ], draws = DRAWS)
  drawn_mu <- apply(drawn, 3, function(theta) theta %*% phi)
  error <- apply(drawn_mu, 1, sd) / sqrt(n_draws(fit))
  expect_lt(max(abs(as.vector(mu - truth %*% phi)) / error), normal_bound(15))
})

small_fit <- function(...) {
  set.seed(705)
  y <- matrix(rpois(60, 2), 10, dimnames = list(paste0("d", 1:10), letters[1:6]))
  paper_topics(private_counts(y[1:7, ] - 1L, alpha = 0.3), 2, iter = 20, chains = 2, ...)
}

small_new <- function() {
  set.seed(706)
  y <- matrix(rpois(18, 2), 3, dimnames = list(document = paste0("new", 1:3), word = letters[1:6]))
  private_counts(y - 1L, alpha = c(0.2, 0.4, 0.6))
}

predicted <- function(...) {
  list(...) # set seeds of their own
  set.seed(707)
  predict(...)
}

test_that("a prediction is the mean over the draws, and draws one random number", {
  new <- small_new()
  for (fit in list(small_fit(), small_fit(family = "nbinom1"),
    small_fit(family = "nbinom1", dispersion_by = "row"))) {
    mu <- predicted(fit, new, draws = 7, sweeps = 3)
    next_number <- runif(1)
    set.seed(707)
    stream <- chain_streams(1, runif(1))[[1]]
    expect_identical(runif(1), next_number)
    each <- list()
    at <- spread_draws(fit, 7)
    with_stream(stream, average_new_rows(fit, new_rows(fit, new), at, 3, function(f, excess) {
      each[[length(each) + 1]] <<- f$theta %*% f$phi * event_size(excess)
      0
    }))
    expect_length(each, 7)
    expect_within(unname(mu), Reduce(`+`, each) / 7, TOL_EXACT)
    expect_identical(dimnames(mu), dimnames(new))
    expect_identical(predicted(fit, new, draws = 7, sweeps = 3), mu)
    theta <- predicted(fit, new, draws = 7, sweeps = 3, type = "factors")
    expect_identical(dimnames(theta), list(paste0("new", 1:3), c("topic1", "topic2")))
  }
  fit <- small_fit() # topics sum to 1
  expect_within(rowSums(predicted(fit, new, type = "factors")),
    rowSums(predicted(fit, new)), TOL_SERIES)
})

test_that("equivalent inputs give the same prediction", {
  fit <- small_fit()
  new <- small_new()
  is.na(new) <- cbind(2, 3)
  mu <- predicted(fit, new)
  counts <- as.matrix(new)
  clamped <- private_counts(pmax(counts, 0), alpha = privacy(new)$alpha, clamped = TRUE)
  expect_identical(predicted(fit, clamped), mu)
  bessel <- fit # one posterior, whatever sampler drew phi
  bessel$scheme <- "bessel"
  expect_identical(predicted(bessel, new), mu)
  ignored <- small_fit(noise = "ignore")
  truth <- pmax(counts, 0)
  expect_identical(predicted(ignored, new), predicted(ignored, truth))
  expect_identical(predicted(fit, Matrix::Matrix(truth, sparse = TRUE)), predicted(fit, truth))
  expect_false(identical(predicted(fit, truth), mu))
  expect_identical(dimnames(predicted(fit, unname(truth))), list(NULL, letters[1:6]))
  expect_identical(predict(fit), fitted(fit))
  expect_identical(predict(fit, type = "factors"), coef(fit)$theta)
})

test_that("invalid predictions throw errors before a random number is drawn", {
  fit <- small_fit()
  new <- small_new()
  network <- suppressWarnings(paper_blocks(private_counts(matrix(1, 4, 4), alpha = 0.3), 2, iter = 4))
  set.seed(708)
  before <- .Random.seed
  expect_refused(predict(fit, new[, 1:5]), "`newdata` must have the same columns", "5 columns", "6")
  expect_refused(predict(fit, new[, 6:1]), "differ from column 1 on", "newdata[, colnames(fitted(object))]")
  other <- new
  dimnames(other)[[2]][3] <- "z"
  expect_refused(predict(fit, other), "names differ from column 3 on")
  dimnames(other)[[2]][3] <- NA
  expect_refused(predict(fit, other), "names differ from column 3 on")
  expect_refused(predict(fit, as.matrix(new)), "`newdata` must hold counts", "private_counts()")
  expect_refused(predict(fit, NULL), "`newdata` must be a matrix of counts", "NULL")
  expect_refused(predict(fit, matrix(0, 0, 6)), "`newdata` must have at least one row")
  pairs <- private_counts(matrix(1, 6, 6), alpha = 0.5, directed = FALSE)
  expect_refused(predict(fit, pairs), "`newdata` is an undirected network")
  expect_refused(paper_topics(pairs, 2), "`data` is an undirected network")
  expect_refused(predict(fit, new, type = "response"), "`type`", "\"mean\", \"factors\"")
  expect_refused(predict(fit, new, draws = 0), "`draws`")
  expect_refused(predict(fit, new, sweeps = 1.5), "`sweeps`")
  expect_refused(predict(fit, new, 5), "must be named")
  expect_refused(predict(fit, new, sweep = 5), "no argument `sweep`", "`sweeps`")
  expect_refused(predict(fit, draws = 5), "`newdata`, which is missing")
  expect_refused(
    predict(network, new[, 1:4]), "block_model()", "new row and a new column", "Fit the network again"
  )
  expect_identical(.Random.seed, before)
  expect_identical(predict(network), fitted(network))
})
