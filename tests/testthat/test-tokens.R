# scheme = "tokens": the same posterior as that of the collapsed scheme.

# Functions of each draw whose means are compared: mu of all cells, its squares, whether it is above a number
# (hence quantiles), the log density, and the dispersion.
summaries_of <- function(fit, above) {
  mu <- mu_draws(fit)[, seq_along(above), drop = FALSE]
  dispersion <- if (is_estimated(fit$family)) 1 - 1 / dispersion_draws(fit)[, 1]
  values <- cbind(mu, mu^2, 1 * (mu > rep(above, each = nrow(mu))), as.vector(fit$log_density), dispersion)
  seen <- apply(values, 2, function(x) !anyNA(x) && stats::var(x) > 0)
  error <- apply(values, 2, function(x) posterior::mcse_mean(matrix(x, fit$run$kept)))
  list(mean = colMeans(values), error = error, seen = seen)
}

expect_same_summaries <- function(fit1, fit2) {
  above <- apply(mu_draws(fit1), 2, stats::median)
  a <- summaries_of(fit1, above)
  b <- summaries_of(fit2, above)
  both <- a$seen & b$seen
  z <- (abs(a$mean - b$mean) / sqrt(a$error^2 + b$error^2))[both]
  expect_lt(max(z), normal_bound(length(z)))
}

compare_schemes <- function(model, ..., seed, iter = if (EXTENDED) 20000 else 5000) {
  fits <- lapply(c("collapsed", "tokens"), function(scheme) {
    set.seed(seed)
    model(..., scheme = scheme, iter = iter, warmup = 500, thin = 10)
  })
  expect_same_summaries(fits[[1]], fits[[2]])
}

# Released counts of this mean.
noised <- function(dim, mean, alpha, seed, missing = FALSE) {
  set.seed(seed)
  y <- array(rpois(prod(dim), mean * rgamma(prod(dim), 1)), dim)
  if (missing) y[1, 2] <- y[3, ] <- NA
  level <- rep_len(alpha, dim[1])
  released <- y + array(rgeom(length(y), 1 - level) - rgeom(length(y), 1 - level), dim)
  private_counts(released, alpha = alpha)
}

per_row <- c(0.15, 0.4, 0.6, 0.8, 0.3)

test_that("topics: the posterior is that of the collapsed scheme", {
  skip_on_cran()
  prior <- gamma_prior(0.7, 0.8)
  compare_schemes(paper_topics, noised(c(5, 4), 0.2, 0.6, 1), 2, prior = prior, seed = 2)
  compare_schemes(paper_topics, noised(c(5, 4), 5, per_row, 3, missing = TRUE), 2, prior = prior, seed = 4)
})

test_that("overdispersed topics: the posterior is that of the collapsed scheme", {
  skip_on_cran()
  prior <- gamma_prior(0.7, 0.8)
  compare_schemes(paper_topics, noised(c(5, 4), 0.3, 0.6, 5), 2, prior = prior, family = "nbinom1", seed = 6)
  compare_schemes(paper_topics, noised(c(5, 4), 4, per_row, 7, missing = TRUE), 2,
    prior = prior, family = "nbinom1", dispersion_by = "row", seed = 8
  )
})

test_that("blocks and tensors: the posterior is that of the collapsed scheme", {
  skip_on_cran()
  prior <- gamma_prior(1, 1)
  network <- noised(c(5, 5), 0.8, 0.5, 9)
  both <- as.matrix(network) + t(as.matrix(network))
  undirected <- private_counts(both, alpha = 0.5, directed = FALSE)
  tensor <- noised(c(3, 2, 3), 0.6, c(0.2, 0.5, 0.7), 10, missing = FALSE)
  quiet <- function(...) suppressWarnings(paper_blocks(...)) # of the diagonal
  cases <- list(
    function(family) compare_schemes(quiet, network, 2, prior = prior, family = family, seed = 11),
    function(family) {
      compare_schemes(paper_tensor, tensor, 2, prior = prior, family = family, init = "random", seed = 13)
    },
    function(family) {
      compare_schemes(quiet, undirected, 2, directed = FALSE, prior = prior, family = family, seed = 12)
    }
  )
  for (case in some_of(cases, 2)) case("poisson")
  for (case in some_of(cases, 2, 2)) case("nbinom1")
})

test_that("topics by tokens agree with integration on a grid", {
  y_tilde <- matrix(c(3, -1, 0, 4, 2, -2), 2)
  prior <- gamma_prior(0.8, 0.5)
  for (alpha in some_of(list(c(0.2, 0.6), 0.4), 2)) {
    truth <- grid_posterior(y_tilde, rep_len(alpha, 2), prior)
    set.seed(14)
    fit <- paper_topics(private_counts(y_tilde, alpha = alpha), 1,
      prior = prior, scheme = "tokens", iter = 4e5, warmup = 1000, thin = 10
    )
    expect_grid_posterior(fit, truth)
  }
})

test_that("a run by tokens continues where it stopped, also from another scheme and from a file", {
  data <- noised(c(12, 9), 1, per_row[c(1:5, 1:5, 1:2)], 15, missing = TRUE)
  fit <- function(iter, ...) {
    set.seed(16)
    paper_topics(data, 2, family = "nbinom1", scheme = "tokens", iter = iter, warmup = 10, chains = 2, ...)
  }
  whole <- fit(60)
  expect_identical(said(update(fit(40), iter = 20)), said(whole))
  old <- options(ldpcounts.checkpoint_seconds = 0)
  on.exit(options(old))
  file <- tempfile(fileext = ".rds")
  expect_identical(said(fit(60, checkpoint = file)), said(whole))
  expect_identical(said(fit(60, checkpoint = file)), said(whole))
  from <- paper_topics(data, 2, family = "nbinom1", iter = 40, chains = 2)
  expect_s3_class(fit(20, init = from), "topic_model")
  expect_refused(fit(60, checkpoint = file, groups = gl(2, 6)), "other arguments")
  one <- function(iter, ...) {
    set.seed(16)
    paper_topics(data, 1, scheme = "tokens", iter = iter, warmup = 10, chains = 2, ...)
  }
  until <- if (EXTENDED) 60 else 20
  expect_identical(said(update(one(50), until = until)), said(one(50, until = until)))
})

test_that("the log density of a draw does not depend on the scheme", {
  data <- noised(c(20, 30), 2, 0.5, 17, missing = TRUE)
  data[2, 5] <- NA
  large <- as.matrix(data)
  large[4, 7] <- 253
  large[4, 8] <- 254
  large[5, 9] <- 1e6
  data <- private_counts(large, alpha = 0.5)
  for (family in c("poisson", "nbinom1")) {
    set.seed(18)
    fit <- paper_topics(data, 3, family = family, scheme = "tokens", iter = 30)
    log_lik <- rowSums(log_lik.ldp_fit(fit))
    expect_within(fit$log_density[, 1], log_lik, TOL_QUICK)
  }
})

test_that("releases are bytes, and only those too large for a byte are listed", {
  y <- matrix(c(-3, 0, 1, 253, 254, NA, 1e5, 7), 2)
  coded <- make_cells(y, c(0.5, 0.5), "tokens")
  expect_identical(as.integer(coded$code), c(0L, 1L, 254L, 254L, 0L, 253L, 255L, 7L))
  expect_identical(coded$y_tilde, c(254, 1e5))
  expect_identical(coded$active, list(start = c(0, 2, 2), index = c(2L, 3L)))
  square <- matrix(1:9, 3)
  expect_identical(as.integer(make_cells(square, rep(0.5, 3), "tokens", "directed")$code),
    c(255L, 4L, 7L, 2L, 255L, 8L, 3L, 6L, 255L)
  )
  expect_identical(as.integer(make_cells(square, rep(0.5, 3), "tokens", "undirected")$code),
    c(255L, 4L, 7L, 255L, 255L, 8L, 255L, 255L, 255L)
  )
})

# What scheme = "auto" stands for, for a release of this mean count.
large_tables <- list()
large_table <- function(mean, alpha, extent) {
  key <- paste(mean, alpha, extent)
  if (is.null(large_tables[[key]])) {
    set.seed(19)
    y <- matrix(rpois(extent^2, mean) + rtwogeom(extent^2, alpha), extent)
    large_tables[[key]] <<- private_counts(y, alpha = alpha)
  }
  large_tables[[key]]
}

chosen <- function(mean, alpha, k, family = poisson_family, extent = 1000, scheme = "auto", thin = 20) {
  data <- large_table(mean, alpha, extent)
  task <- new_task(topics_model, data, dim(data), k, family, "model", "gibbs", scheme, TRUE,
    prior = check_prior(gamma_prior(), c("theta", "phi"))
  )
  choose_scheme(task, model_input(topics_model, data, "model"), new_run(2000, 4, 50, 1000, thin))
}

test_that("scheme = \"auto\" chooses tokens for large tables of few counts", {
  expect_identical(chosen(0.01, 0.7, 100), "tokens")
  expect_identical(chosen(0.01, 0.7, 100, extent = 100), "collapsed")
  expect_identical(chosen(1, 0.3, 30), "collapsed")
  expect_identical(chosen(0.01, 0.7, 100, scheme = "collapsed"), "collapsed")
  expect_identical(chosen(1, 0.3, 30, scheme = "tokens"), "tokens")
  dispersed <- list(name = "nbinom1", dispersion = 1.5)
  expect_identical(chosen(0.01, 0.7, 100, dispersed), "tokens")
  expect_identical(chosen(1, 0.3, 30, dispersed), "collapsed")
  estimated <- list(name = "nbinom1", prior = beta_prior(), by = "all")
  expect_identical(chosen(1, 0.3, 30, estimated), "collapsed")
  expect_identical(chosen(0.01, 0.7, 100, estimated), "tokens")
  expect_identical(chosen(0.01, 0.7, 100, replace(estimated, "by", "column")), "collapsed")
  # densities of all kept draws take most of the time
  expect_identical(chosen(0.01, 0.7, 100, thin = 1), "collapsed")
})

test_that("a fit says which scheme it used", {
  set.seed(20)
  fit <- paper_topics(noised(c(5, 4), 1, 0.5, 21), 2, iter = 10)
  expect_identical(fit$scheme, "collapsed")
  expect_output(print(fit), "Gibbs (collapsed)", fixed = TRUE)
  expect_output(print(gibbs()), "scheme = auto", fixed = TRUE)
})
