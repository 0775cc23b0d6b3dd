# A dispersion for each column (for a tensor, each index of the last mode).

by_column <- function(release, k = 2, ..., iter = 60) {
  set.seed(701)
  topic_model(release, k, dispersion_by = "column", iter = iter, chains = 2, ...)
}

# Counts of people in 6 groups, with a masked cell, a masked row, and two noise levels.
some_release <- function(dim = c(12, 5), levels = c(1, 2)) {
  set.seed(702)
  y <- array(rnbinom(prod(dim), size = 0.5, mu = 3), dim, lapply(dim, function(n) paste0("l", seq_len(n))))
  release <- privatize(y, epsilon = rep_len(levels, dim[1]), rng = "R")
  cells <- if (length(dim) == 2) cbind(c(1, 3, 3), c(2, 1, 4)) else cbind(c(1, 3, 3), c(2, 1, 2), c(1, 2, 2))
  is.na(release) <- cells
  release
}

tensor_by_column <- function(...) {
  set.seed(703)
  tensor_model(some_release(c(8, 3, 4)), 2, dispersion_by = "column", iter = 60, chains = 2, ...)
}

# The numbers of draws whose names begin so.
raw_of <- function(fit, name) {
  raw <- as.matrix(fit)
  raw[, startsWith(colnames(raw), name), drop = FALSE]
}

test_that("the log density is that of each cell with the dispersion of its column", {
  for (release in list(some_release(), some_release(levels = 1), some_release(levels = c(1, 2, 3, 4)))) {
    fit <- by_column(release)
    y_tilde <- as.matrix(release)
    alpha <- rep_len(privacy(release)$alpha, nrow(release))
    dispersions <- raw_of(fit, "dispersion[")
    expect_identical(ncol(dispersions), 5L)
    density <- vapply(seq_len(nrow(dispersions)), function(s) {
      theta <- matrix(raw_of(fit, "theta")[s, ], 12)
      phi <- matrix(raw_of(fit, "phi")[s, ], 2)
      d <- rep(dispersions[s, ], each = 12)
      mu <- theta %*% phi * (d - 1) / log(d)
      sum(dprivnbinom(y_tilde, mu, alpha, d, log = TRUE), na.rm = TRUE)
    }, 0)
    expect_within(as.vector(fit$log_density), density, TOL_QUICK)
    expect_within(rowSums(log_lik.ldp_fit(fit)), density, TOL_QUICK)
  }
})

test_that("so it is for a tensor, whose columns are the indices of its last mode", {
  fit <- tensor_by_column()
  y_tilde <- as.array(fit$data)
  alpha <- privacy(fit$data)$alpha
  density <- vapply(seq_len(n_draws(fit)), function(s) {
    weights <- lapply(paste0("theta", 1:3), function(name) fit$draws[[name]][, , s])
    d <- rep(1 + fit$draws$excess[, 1, s], each = 24)
    mu <- vapply(seq_len(2), function(k) {
      as.vector(weights[[1]][k, ] %o% weights[[2]][k, ] %o% weights[[3]][k, ])
    }, numeric(96))
    each <- dprivnbinom(as.vector(y_tilde), rowSums(mu) * (d - 1) / log(d), rep_len(alpha, 96), d, log = TRUE)
    sum(each, na.rm = TRUE)
  }, 0)
  expect_within(as.vector(fit$log_density), density, TOL_QUICK)
  expect_within(rowSums(log_lik.ldp_fit(fit)), density, TOL_QUICK)
  expect_identical(names(coef(fit)$dispersion), paste0("l", 1:4))
})

# Columns are visited in batches of 65,536 positive cells.
test_that("so it is if there are more positive cells than a batch can have", {
  set.seed(715)
  y <- matrix(rnbinom(1.1e5, size = 2, mu = 3), 500)
  for (dim in list(c(500, 220), c(500, 4, 55))) {
    release <- privatize(array(y, dim), epsilon = rep(c(0.5, 1), 250), rng = "R")
    expect_gt(sum(as.array(release) > 0), 2^16)
    model <- if (length(dim) == 2) topic_model else tensor_model
    fit <- model(release, 2, dispersion_by = "column", iter = 5, warmup = 4, thin = 1, chains = 1, init = "random")
    expect_within(as.vector(fit$log_density), rowSums(log_lik.ldp_fit(fit)), TOL_QUICK)
  }
})

test_that("a tensor of two modes is a topic model", {
  extended_only()
  means <- lapply(list(topic_model, tensor_model), function(model) {
    set.seed(704)
    fit <- model(some_release(), 1, dispersion_by = "column", iter = 6000, chains = 1, init = "random")
    draws <- cbind(log(raw_of(fit, "dispersion[") - 1), fit$log_density)
    list(mean = colMeans(draws), error = apply(draws, 2, function(x) posterior::mcse_mean(matrix(x))))
  })
  z <- (means[[1]]$mean - means[[2]]$mean) / sqrt(means[[1]]$error^2 + means[[2]]$error^2)
  expect_lt(max(abs(z)), normal_bound(length(z)))
})

test_that("the last factor of coef() is on the scale of counts", {
  fit <- by_column(some_release())
  d <- coef(fit)$dispersion
  expect_identical(names(d), paste0("l", 1:5))
  expect_within(unname(d), unname(colMeans(raw_of(fit, "dispersion["))), TOL_SERIES)
  mu <- Reduce(`+`, lapply(seq_len(n_draws(fit)), function(s) {
    phi <- matrix(raw_of(fit, "phi")[s, ], 2)
    size <- event_size(raw_of(fit, "dispersion[")[s, ] - 1)
    matrix(raw_of(fit, "theta")[s, ], 12) %*% (phi * rep(size, each = 2))
  })) / n_draws(fit)
  expect_within(unname(fitted(fit)), mu, TOL_SERIES)
  expect_within(unname(fitted(fit, cells = cbind(5, 4))), mu[5, 4], TOL_SERIES)
  expect_within(rowSums(coef(fit)$phi), c(1, 1), TOL_SERIES)
  expect_identical(dim(raw_of(fit, "dispersion_prior[")), c(60L, 2L))
})

test_that("replicates, true counts, margins and scores have the dispersion of the column", {
  fit <- by_column(some_release(), iter = 200)
  fit$draws$excess[] <- c(1e-3, 40, 1e-3, 40, 40)
  cells <- cbind(2, 1:5)
  mu <- unname(fitted(fit, cells = cells))
  expect_within(draw_cell_excess(fit, 1, cells), c(1e-3, 40, 1e-3, 40, 40), TOL_EXACT)
  expect_true(all(is.finite(augment(fit)$mean)))
  expect_s3_class(check_margins(fit), "margin_check")
  expect_identical(dim(posterior_predict.ldp_fit(fit, cells = cells)), c(200L, 5L))
  expect_identical(dim(simulate(fit, 1, seed = 1)[[1]]), c(12L, 5L))
  set.seed(705)
  drawn <- vapply(1:400, function(i) replicate_counts(rep(5, 5), draw_cell_excess(fit, 1, cells)), numeric(5))
  expect_gt(min(apply(drawn, 1, var)[c(2, 4, 5)]), 5 * max(apply(drawn, 1, var)[c(1, 3)]))
  again <- resimulate(fit, shape = Inf, scale = 1000)
  expect_gt(var(again$y[, 2] / again$mu[, 2]) * mean(again$mu[, 2]), 5)
  expect_lt(var(again$y[, 1] / again$mu[, 1]) * mean(again$mu[, 1]), 5)
  expect_true(is.finite(predict(fit, some_release()[4:9, ], draws = 5)[6, 5]))
  expect_output(print(fit), "dispersion of each column estimated")
  expect_match(summary(fit)$verdict, "^(No problem|Problems)|^This run")
})

test_that("new rows are predicted as those of the fit", {
  set.seed(706)
  y <- matrix(rnbinom(300, size = 2, mu = rgamma(100, 1) * 10), 100)
  release <- privatize(y, epsilon = 2, rng = "R")
  fit <- by_column(release, k = 1, iter = 400)
  expect_lt(mean(abs(predict(fit, release) - fitted(fit))) / mean(fitted(fit)), 0.05)
})

test_that("a run can be continued, also from a checkpoint", {
  whole <- by_column(some_release(), warmup = 20, thin = 3)
  part <- by_column(some_release(), iter = 40, warmup = 20, thin = 3)
  expect_identical(said(update(part, iter = 20)), said(whole))
  file <- tempfile(fileext = ".rds")
  by_column(some_release(), warmup = 20, thin = 3, checkpoint = file)
  expect_identical(said(by_column(some_release(), warmup = 20, thin = 3, checkpoint = file)), said(whole))
  expect_s3_class(by_column(some_release(), init = whole, iter = 10), "topic_model")
  expect_s3_class(update(part, chains = 3), "topic_model")
})

test_that("draws do not depend on the number of threads", {
  skip_on_cran()
  old <- ldp_threads()
  on.exit(ldp_threads(old))
  set.seed(707)
  y <- matrix(rnbinom(26000, size = 1, mu = 4), 200)
  release <- privatize(y, epsilon = rep(c(1, 2), 100), rng = "R")
  is.na(release) <- cbind(sample.int(200, 50), sample.int(130, 50))
  fits <- lapply(1:2, function(n) {
    ldp_threads(n)
    set.seed(708)
    topic_model(release, 2, dispersion_by = "column", iter = 6, chains = 1, init = "random")
  })
  expect_identical(said(fits[[1]]), said(fits[[2]]))
})

# 300 people, three items with dispersions of 1.1, 5 and 30, and the release of their counts.
three_items <- function(dispersion = c(1.1, 5, 30)) {
  set.seed(709)
  n <- length(dispersion)
  mu <- rgamma(300, 2) %o% rep(5, n)
  d <- rep(dispersion, each = 300)
  privatize(matrix(rnbinom(300 * n, mu / (d - 1), mu = mu), 300), epsilon = 1, rng = "R")
}

test_that("each column gets its own dispersion", {
  fit <- by_column(three_items(), k = 1, iter = 600)
  draws <- raw_of(fit, "dispersion[")
  # the error rate of the whole test is that of three intervals
  ends <- apply(log(draws - 1), 2, function(x) mean(x) + c(-1, 1) * normal_bound(3) * sd(x))
  expect_true(all(ends[1, ] < log(c(0.1, 4, 29)) & log(c(0.1, 4, 29)) < ends[2, ]))
  expect_true(all(diff(colMeans(draws)) > 2))
})

test_that("equal dispersions come out equal", {
  fit <- by_column(three_items(rep(5, 8)), k = 1, iter = 600)
  apart <- apply(log(raw_of(fit, "dispersion[") - 1), 1, sd)
  alone <- apply(log(raw_of(fit, "dispersion[") - 1), 2, sd)
  expect_lt(median(apart), 0.25)
  expect_lt(median(apart), 2 * median(alone))
})

# A survey: seven counts of 400 people, of which the five kinds of visits vary much more than the others.
survey <- function() {
  set.seed(711)
  dispersion <- c(12, 20, 40, 60, 80, 1.5, 1.1)
  mu <- rgamma(400, 1.5) / 1.5 * rep(c(5.8, 1.6, 0.8, 0.5, 0.3, 0.3, 1.5), each = 400)
  d <- rep(dispersion, each = 400)
  y <- matrix(rnbinom(2800, mu / (d - 1), mu = mu), 400)
  privatize(y, epsilon = 1, rng = "R")
}

test_that("totals of the columns of a survey agree with the release", {
  z <- vapply(c("all", "column"), function(by) {
    set.seed(711)
    fit <- topic_model(survey(), 2, dispersion_by = by, iter = if (EXTENDED) 800 else 300, chains = 2)
    margins <- check_margins(fit)
    max(abs(margins$z[margins$margin == "column"]))
  }, 0)
  # noise of this size has a probability of 1e-4 in one of seven columns
  unlikely <- stats::qnorm(1 - 1e-4 / 14)
  expect_gt(z[["all"]], unlikely)
  expect_lt(z[["column"]], unlikely - 1)
})

test_that("what does not have dispersions of columns says so", {
  release <- some_release()
  expect_refused(topic_model(release, 2, dispersion_by = "column", inference = "cavi"), "`dispersion_by`", "gibbs()")
  expect_refused(topic_model(release, 2, dispersion_by = "column", inference = "svi"), "`dispersion_by`", "gibbs()")
  expect_refused(tensor_model(release, 2, dispersion_by = "column", inference = "cavi"), "`dispersion_by`", "gibbs()")
  expect_refused(block_model(release[1:5, ], 2, dispersion_by = "column"), "`dispersion_by`", "\"all\", \"row\"")
  expect_refused(topic_model(release, 2, dispersion_by = "column", dispersion = 2), "`dispersion_by`", "fixed")
  expect_refused(topic_model(release, 2, dispersion_by = "column", family = "poisson"), "`dispersion_by`")
  by_tokens <- gibbs(scheme = "tokens")
  expect_refused(topic_model(release, 2, dispersion_by = "column", inference = by_tokens), "`dispersion_by`",
    "`scheme = \"collapsed\"`"
  )
  input <- list(dim = c(200, 600), alpha = seq(0.1, 0.5, length.out = 200))
  expect_refused(check_by_column("gibbs", "auto", input, TRUE, NULL), "`dispersion_by`", "600", "200", "100,000")
  expect_refused(check_by_column("gibbs", "auto", input, FALSE, NULL), "`cluster`")
})

test_that("the joint distribution of dispersions, factors and data stays as it is", {
  priors <- list(theta = gamma_prior(1.2, 1), phi = gamma_prior(0.8, 0.7))
  family <- list(name = "nbinom1", prior = beta_prior(3, 5), by = "column")
  expect_joint_law(
    topics_model, c(4, 3), 2, priors, c(0.1, 0.35, 0.1, 0), some_missing(c(4, 3)), "collapsed", 712,
    sweeps = if (EXTENDED) 1e5 else 2000, family = family
  )
})

test_that("so does that of tensors, and with groups of rows", {
  extended_only()
  family <- list(name = "nbinom1", prior = beta_prior(3, 5), by = "column")
  three <- list(theta1 = gamma_prior(1.2, 1), theta2 = gamma_prior(0.8, 0.7), theta3 = gamma_prior(1, 0.9))
  missing <- array(FALSE, c(3, 2, 3))
  missing[2, , ] <- missing[, 1, ] <- missing[, , 3] <- missing[1, 2, 1] <- TRUE
  for (table in list(matrix(FALSE, 3, 6), some_missing(c(3, 2, 3)), matrix(missing, 3))) {
    expect_joint_law(
      tensor_of(3), c(3, 2, 3), 2, three, c(0.1, 0.35, 0.7), table, "collapsed", 713,
      sweeps = 5e4, family = family
    )
  }
  groups <- check_groups(c("a", "b", "b", "a"), 4)
  groups$shape <- 12
  expect_joint_law(
    topics_model, c(4, 3), 2, list(theta = gamma_prior(1.2, 1), phi = gamma_prior(0.8, 0.7)), 0.4,
    some_missing(c(4, 3)), "collapsed", 714, sweeps = 4e4, family = family, groups = groups
  )
})
