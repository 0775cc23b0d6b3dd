# Groups of rows: relative rates of the prior, in all models.

party <- rep(c("left", "right"), each = 10)
both <- data.frame(party, age = rep(c("old", "mid", "young", "mid"), 5))

# A release of a topic model in which the weights of groups differ by these factors, one column per group.
planted <- function(seed, n, ratio, alpha, V = 15, mean = 0.3, sizes = 1) {
  set.seed(seed)
  group <- rep(seq_len(ncol(ratio)), length.out = n)
  theta <- matrix(rgamma(n * nrow(ratio), 0.5), n) * t(ratio[, group])
  phi <- matrix(rgamma(nrow(ratio) * V, 0.3), nrow(ratio))
  phi <- phi / rowSums(phi)
  y <- matrix(rpois(n * V, mean * V * theta %*% phi), n)
  list(
    release = if (alpha > 0) plain_release(y, alpha) else y, group = letters[group],
    y = y, phi = phi, theta = theta, truth = rowsum(theta, group) / tabulate(group)
  )
}

small <- function() planted(811, 20, cbind(c(1, 2), c(3, 1)), 0.4)$release
network <- function() {
  set.seed(812)
  y <- matrix(rpois(400, 0.7), 20)
  diag(y) <- 0
  private_counts(y + rtwogeom(400, 0.4) * (row(y) != col(y)), alpha = 0.4)
}
tensor <- function() {
  set.seed(813)
  plain_release(array(rpois(20 * 5 * 3, 0.7), c(20, 5, 3)), 0.4)
}

fits <- list(
  topics = function(...) paper_topics(small(), 2, iter = 30, ...),
  blocks = function(...) paper_blocks(network(), 2, iter = 30, ...),
  tensor = function(...) paper_tensor(tensor(), 2, iter = 30, ...)
)

test_that("groups are numbered by factor, level and combination", {
  groups <- check_groups(both, 20)
  expect_identical(groups$levels, list(party = c("left", "right"), age = c("mid", "old", "young")))
  expect_identical(groups$first, c(0L, 2L, 5L))
  for (f in 1:2) expect_identical(groups$levels[[f]][level_of_rows(groups, f)], both[[f]])
  expect_identical(ncol(groups$level), nrow(unique(both)))
  unused <- factor(party, c("none", "right", "left"))
  expect_identical(check_groups(unused, 20)$levels, list(group = c("right", "left")))
  expect_identical(check_groups(party == "left", 20)$levels, list(group = c("FALSE", "TRUE")))
  expect_null(check_groups(NULL, 20))
})

test_that("wrong groups throw errors that say what is wrong", {
  fit <- function(groups, ...) topic_model(small(), 2, iter = 4, groups = groups, ...)
  expect_refused(fit(party[-1]), "`groups` must have one value per row of the data (20)", "It has 19")
  expect_refused(fit(replace(party, 3, NA)), "`groups` must not have missing values")
  expect_refused(fit(cbind(both, z = NA)), "`groups$z` must not have missing values")
  expect_refused(fit(rep("a", 20)), "`groups` must have at least two groups")
  expect_refused(fit(cbind(both, z = "a")), "All rows have the same value of z")
  expect_refused(fit(1:20), "`groups` must be a factor", "`cut()` makes groups of ranges")
  expect_refused(fit(data.frame(party, age = 1:20)), "`groups$age` must be a factor")
  expect_refused(fit(both[, 0]), "`groups` must be a factor, text, TRUE or FALSE, or a data frame")
  expect_refused(fit(list(party)), "`groups` must be a factor")
  expect_refused(fit(party, inference = "svi"), "`groups` cannot be used with `svi()`")
})

test_that("a fit with groups reports them, and all of its methods work", {
  fit <- topic_model(small(), 2, iter = 20, chains = 2, groups = both)
  expect_output(print(fit), "Groups: party (left: 10, right: 10), age", fixed = TRUE)
  expect_output(print(summary(fit)), "Groups: party")
  expect_identical(dim(fit$draws$groups), c(2L, 5L, 20L))
  rates <- coef(fit)$groups
  expect_identical(rownames(rates), c("party=left", "party=right", "age=mid", "age=old", "age=young"))
  raw <- as.matrix(fit)
  expect_identical(unname(raw[, "groups[age=mid,2]"]), fit$draws$groups[2, 3, ])
  aligned <- as.matrix(fit, aligned = TRUE)
  expect_within(
    matrix(colMeans(aligned[leading_draws(fit), startsWith(colnames(aligned), "groups")]), 5),
    unname(rates), TOL_EXACT * 10
  )
  expect_identical(posterior::nvariables(posterior::as_draws(fit, aligned = TRUE)), ncol(aligned))
  expect_identical(dim(simulate(fit, nsim = 2, seed = 1)[[1]]), dim(fit$data))
  expect_no_error(check_fit(fit))
})

# Without data, draws are from the prior. Relative rates have Gamma(2, 2) as their marginal distribution.
test_that("relative rates have their conjugate distribution without data", {
  masked <- small()
  masked[, ] <- NA
  fit <- paper_topics(masked, 2, iter = 4000, groups = both, prior = gamma_prior(0.5, 1))
  rho <- apply(fit$draws$groups, 3, as.vector)
  p <- stats::pgamma(rho, GROUP_SHAPE, GROUP_SHAPE)
  error <- apply(p, 1, function(x) posterior::mcse_mean(matrix(x)))
  expect_lt(max(abs(rowMeans(p) - 1 / 2) / error), normal_bound(length(error)))
})

test_that("draws are the same on 1, 2 and 3 threads, with rows shared among threads", {
  before <- ldp_threads()
  on.exit(ldp_threads(before))
  problem <- planted(814, 900, cbind(c(1, 2), c(3, 1), c(1, 1)), 0.5, V = 60, mean = 1)
  groups <- data.frame(g = problem$group, h = rep_len(c("x", "y"), 900))
  y <- array(rpois(900 * 6 * 10, 1), c(900, 6, 10))
  for (family in c("poisson", "nbinom1")) for (inference in c("gibbs", "cavi")) {
    digest <- function(n) {
      ldp_threads(n)
      set.seed(1)
      run <- function(model, data) {
        model(data, 2,
          groups = groups, family = family, inference = inference, iter = 4, init = "random"
        )$draws
      }
      rlang::hash(list(run(paper_topics, problem$release), run(paper_tensor, y)))
    }
    expect_length(unique(vapply(1:3, digest, "")), 1)
  }
})

test_that("a run continues from a checkpoint and by update() as if it had not stopped", {
  for (name in names(fits)) {
    set.seed(1)
    long <- fits[[name]](groups = both, warmup = 5)
    set.seed(1)
    short <- update(fits[[name]](groups = both, warmup = 5), iter = 15)
    expect_identical(short$draws$groups[, , seq_len(25)], long$draws$groups)
    file <- tempfile(fileext = ".rds")
    set.seed(1)
    saved <- fits[[name]](groups = both, warmup = 5, checkpoint = file)
    expect_identical(said(saved), said(long))
    expect_identical(said(fits[[name]](groups = both, warmup = 5, checkpoint = file)), said(saved))
    expect_error(
      fits[[name]](groups = party, warmup = 5, checkpoint = file),
      class = "ldpcounts_checkpoint_error"
    )
  }
})

test_that("fits from given starts, with row noise, masks and own dispersions have groups", {
  per_row <- rep(c(0.2, 0.5), 10)
  y <- planted(811, 20, cbind(c(1, 2), c(3, 1)), 0)$y
  masked <- private_counts(y + rtwogeom(length(y), rep(per_row, ncol(y))), alpha = per_row)
  masked[3, 2:5] <- NA
  for (inference in c("gibbs", "cavi")) {
    fit <- topic_model(masked, 2,
      groups = both, iter = 20, chains = 2, dispersion_by = "row", inference = inference
    )
    again <- topic_model(masked, 2,
      groups = party, iter = 20, chains = 1, init = fit, dispersion_by = "row", inference = inference
    )
    expect_s3_class(group_effects(again), "group_effects")
  }
  naive <- topic_model(masked, 2, groups = both, iter = 20, chains = 1, noise = "ignore")
  expect_s3_class(group_effects(naive), "group_effects")
})

# --- variational inference ------------------------------------------------------------------------

test_that("the bound with groups agrees with its formulas, and never falls", {
  for (model in KINDS) {
    for (seed in if (EXTENDED) 1:4 else 2:3) {
      n <- random_dim(seed, model)[1]
      groups <- data.frame(g = rep_len(c("a", "b"), n), h = rep_len(c("x", "x", "y"), n))
      groups <- if (seed %% 2 == 0) groups else groups$g
      for (family in c("poisson", "nbinom1")) {
        fit <- random_fit(seed, model, iter = 15, groups = groups, family = family)
        tolerance <- if (family == "poisson") TOL_SERIES else 1e-10 # as in test-cavi.R
        expect_within(utils::tail(elbo(fit), 1), plain_bound_of(fit), tolerance)
        long <- random_fit(seed, model, iter = 80, init = "random", groups = groups, family = family)
        expect_gt(min(0, diff(elbo(long))) / max(1, abs(elbo(long))), -1e-10)
      }
    }
  }
})

# With one topic, one word and two documents, the bound of the noiseless count is
# E log P(y, theta, phi, rho) + entropy, expectations over q that are integrated numerically.
test_that("the bound of a tiny case equals the integral that it stands for", {
  y <- matrix(c(2, 0), 2)
  fit <- paper_topics(y, 1, groups = c("a", "b"), prior = gamma_prior(0.5, 1.5), inference = "cavi")
  q <- q_of(fit)
  mean_of <- function(law, i, f) {
    stats::integrate(function(t) {
      x <- exp(t)
      f(x) * stats::dgamma(x, law$shape[i], law$rate[i]) * x
    }, -60, 12, subdivisions = 5000L, rel.tol = 1e-10, abs.tol = 1e-12)$value
  }
  e <- function(law, i) mean_of(law, i, identity)
  log_of <- function(law, i) mean_of(law, i, log)
  entropy <- function(law, i) {
    -mean_of(law, i, function(x) stats::dgamma(x, law$shape[i], law$rate[i], log = TRUE))
  }
  # the count of each cell has a single component, so that its latent count is the count itself
  data <- sum(vapply(1:2, function(d) {
    y[d] * (log_of(q$theta, d) + log_of(q$phi, 1)) - e(q$theta, d) * e(q$phi, 1) - lgamma(y[d] + 1)
  }, 0))
  prior <- sum(vapply(1:2, function(d) {
    0.5 * (log(1.5) + log_of(q$groups, d)) - lgamma(0.5) - 0.5 * log_of(q$theta, d) -
      1.5 * e(q$groups, d) * e(q$theta, d)
  }, 0)) + 0.5 * log(1.5) - lgamma(0.5) - 0.5 * log_of(q$phi, 1) - 1.5 * e(q$phi, 1)
  a <- GROUP_SHAPE
  of_groups <- sum(vapply(1:2, function(d) {
    a * log(a) - lgamma(a) + (a - 1) * log_of(q$groups, d) - a * e(q$groups, d)
  }, 0))
  entropies <- sum(vapply(1:2, function(d) entropy(q$theta, d) + entropy(q$groups, d), 0)) + entropy(q$phi, 1)
  expect_within(utils::tail(elbo(fit), 1), data + prior + of_groups + entropies, 1e-7) # integrate()
})

# --- effects --------------------------------------------------------------------------------------

test_that("effects are means of aligned weights of rows", {
  fit <- topic_model(small(), 2, iter = 40, chains = 2, groups = both)
  effects <- group_effects(fit, level = 0.5)
  expect_identical(nrow(effects), (2L + 1L + 3L + 3L) * 2L)
  theta <- coef(fit)$theta
  of_party <- effects[effects$factor == "party" & effects$term == "mean", ]
  expect_within(of_party$estimate, as.vector(rowsum(theta, party) / 10), 1e-12)
  expect_identical(of_party$rows, rep(10L, 4))
  expect_true(all(effects$conf.low <= effects$conf.high))
  expect_output(print(effects), "with 50 %")
  expect_output(print(effects, n = 3), more_rows(15))
  for (type in c("ratio", "mean")) {
    figure <- ggplot2::autoplot(effects, type = type)
    expect_s3_class(figure, "ggplot")
    expect_no_error(ggplot2::ggplot_build(figure))
  }
  expect_refused(group_effects(topic_model(small(), 2, iter = 4, chains = 1)), "must be a fit with groups")
  expect_refused(group_effects(fit, level = 1), "`level` must be one number between 0 and 1")
  expect_refused(group_effects(7), "`fit` must be")
})

test_that("new rows are predicted by their groups", {
  problem <- planted(815, 120, cbind(c(1, 1), c(12, 12)), 0)
  fit <- paper_topics(problem$release, 2, groups = problem$group, iter = 400, prior = gamma_prior(0.3, 1))
  none <- matrix(NA, 2, 15) # nothing is known of the rows but their groups
  storage.mode(none) <- "integer"
  set.seed(1)
  mu <- predict(fit, none, groups = c("a", "b"), draws = 200)
  expect_gt(sum(mu[2, ]) / sum(mu[1, ]), 4)
  expect_refused(predict(fit, none), "`groups` must be given")
  expect_refused(predict(fit, none, groups = "a"), "one value per row of newdata (2)", "It has 1")
  expect_refused(predict(fit, none, groups = c("a", "z")), "1 group is not among them: z")
  expect_refused(predict(fit, groups = "a"), "only for `newdata`")
  plain <- paper_topics(small(), 2, iter = 4)
  expect_refused(predict(plain, none, groups = c("a", "b")), "only for a fit that has groups")
  two <- topic_model(small(), 2, iter = 4, chains = 1, groups = both)
  expect_refused(predict(two, none, groups = c("left", "right")), "must have the columns of the groups")
})

test_that("planted differences of groups are recovered where the naive analysis misses them", {
  alpha <- geometric_alpha(1)
  ratio <- cbind(c(1, 4), c(4, 1))
  problem <- planted(816, 300, ratio, alpha, V = 20, mean = 0.1)
  set.seed(1)
  effects_of <- function(...) {
    fit <- topic_model(problem$release, 2, groups = problem$group, iter = 500, chains = 1, ...)
    effects <- group_effects(fit)
    order <- match_components(coef(fit)$phi, problem$phi)
    effects <- effects[effects$term == "ratio", ]
    effects[order, ]
  }
  truth <- problem$truth[2, ] / problem$truth[1, ]
  private <- effects_of()
  expect_true(all(private$conf.low < truth & truth < private$conf.high))
  expect_true(private$conf.low[1] > 1 && private$conf.high[2] < 1)
  naive <- effects_of(noise = "ignore")
  expect_true(all(naive$conf.low > truth | naive$conf.high < truth))
  expect_gt(min(abs(log(naive$estimate / truth))), 2 * max(abs(log(private$estimate / truth))))
})
