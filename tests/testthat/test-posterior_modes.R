# Modes: which draws belong together, their shares, and what is said of them.

# A fit whose draws are planted: `of` is the mode of each draw, one column per chain; `centres` the factors of
# each mode, as users see them. Weights vary by a gamma number of this shape, labels where they `switch`.
planted <- function(of, centres, shape = 30, labels = NULL, switch = TRUE) {
  n <- nrow(centres[[1]]$theta)
  k <- ncol(centres[[1]]$theta)
  y <- matrix(1, n, n, dimnames = list(labels, labels))
  diag(y) <- 0
  y[1, 2] <- 2 # not symmetric
  fit <- block_model(private_counts(y, alpha = 0.1), k,
    family = "poisson", prior = gamma_prior(), iter = nrow(of), warmup = 0, chains = ncol(of), init = "random"
  )
  theta <- fit$draws$theta
  pi <- fit$draws$pi
  for (s in seq_along(of)) {
    centre <- centres[[of[s]]]
    vary <- function(x) x * rgamma(length(x), shape, shape)
    labels <- if (switch) sample(k) else seq_len(k)
    theta[, , s] <- t(vary(centre$theta))[labels, ]
    pi[, , s] <- vary(centre$pi)[labels, labels]
  }
  fit$draws[c("theta", "pi")] <- list(theta, pi)
  fit$log_density[] <- c(-100, -103, -90)[of] + rnorm(length(of))
  fit$modes <- find_modes(fit)
  fit
}

# Three groups of four actors in two communities.
two_of_three <- function() {
  group <- rep(1:3, each = 4)
  in_one <- function(mode) list(theta = 0.02 + outer(group == mode, c(FALSE, TRUE), `==`), pi = 0.1 + diag(2))
  lapply(1:3, in_one)
}

# A chain that goes between modes with these shares, staying about `stay` draws in each.
travel <- function(n, share, stay) {
  of <- sample(length(share), n %/% stay + 1, TRUE, share)
  rep(of, each = stay)[seq_len(n)]
}

test_that("two modes that chains move between have the right shares", {
  set.seed(921)
  n <- if (EXTENDED) 1500 else 900
  of <- replicate(4, travel(n, c(0.7, 0.3), 40))
  fit <- planted(of, two_of_three())
  expect_identical(length(fit$modes$share), 2L)
  expect_identical(fit$modes$shares, "visits")
  truth <- mean(of == 1)
  expect_lt(abs(truth - 0.7), 0.1) # as planted
  expect_lt(abs(fit$modes$share[1] - truth), 0.05)
  expect_gt(mean(fit$modes$of == as.vector(of)), 0.95)
  expect_identical(shared_draws(fit), seq_len(4 * n)) # visits are in proportion
  expect_match(capture.output(modes(fit))[2:6], "1, 2, 3, 4", all = FALSE)
})

test_that("chains that do not move between modes are grouped, with stacking weights", {
  set.seed(922)
  of <- matrix(rep(c(1, 2, 1, 3), each = 300), 300)
  fit <- planted(of, two_of_three())
  found <- modes(fit)
  expect_identical(found$chains, c("4", "1, 3", "2"))
  expect_identical(attr(found, "shares"), "stacking")
  expect_equal(found$log_density, vapply(list(4, c(1, 3), 2), function(of) mean(fit$log_density[, of]), 0))
  expect_equal(sum(found$share), 1)
  # coef() is of the leading mode alone
  expect_equal(coef(fit)[c("theta", "pi")], coef(subset(fit, chains = "4"))[c("theta", "pi")])
  expect_output(print(coef(fit)), "Of the leading mode of 3, which has a stacking weight of [0-9]+ %. modes.fit. shows")
  # fitted() averages by the shares
  each <- lapply(list("4", c("1", "3"), "2"), function(chains) fitted(subset(fit, chains = chains)))
  mixed <- Reduce(`+`, Map(`*`, each, found$share))
  expect_lt(max(abs(fitted(fit) - mixed), na.rm = TRUE), 0.05)
  draws <- shared_draws(fit)
  expect_false(anyDuplicated(draws) > 0)
  expect_equal(tabulate(fit$modes$of[draws], 3) / length(draws), found$share, tolerance = 0.02)
})

test_that("drifting weights, short runs, one component and variational fits give one mode", {
  set.seed(923)
  expect_identical(length(planted(matrix(1, 200, 3), two_of_three(), shape = 1)$modes$share), 1L)
  expect_identical(length(planted(matrix(1, 200, 3), two_of_three(), shape = 100)$modes$share), 1L)
  y <- matrix(rpois(40, 3), 8)
  expect_identical(nrow(modes(topic_model(y, 1, iter = 200))), 1L)
  expect_identical(nrow(modes(topic_model(y, 3, iter = 10))), 1L)
  expect_output(print(modes(topic_model(y, 1, iter = 200))), "One mode")
  expect_refused(modes(topic_model(y, 2, inference = "cavi")), "variational")
  expect_refused(modes(1), "`fit` must be a fit")
})

test_that("the leading mode has the highest log density, or the most draws if several are as good", {
  expect_identical(rank_modes(c(-100, -90, -103), c(10, 5, 20)), c(2L, 1L, 3L))
  expect_identical(rank_modes(c(-90, -92, -100), c(10, 30, 60)), c(2L, 1L, 3L))
  expect_identical(rank_modes(c(-92, -90), c(10, 10)), c(2L, 1L))
})

test_that("groups that are hardly farther apart than their own parts are merged", {
  group <- rep(1:2, each = 6)
  apart <- function(between) {
    distance <- 0.1 + (between - 0.1) * outer(group, group, `!=`)
    diag(distance) <- 0
    distance
  }
  expect_identical(join_blurred(group, apart(0.15)), rep(1L, 12))
  expect_identical(join_blurred(group, apart(0.3)), group)
  # pieces wander, some neighbours are as far apart as groups: without a limit from within they would be two
  expect_identical(group_pieces(apart(0.15), c(1:5, 7:11)), rep(1L, 12))
})

test_that("a chain with a small but consistent difference is a separate mode", {
  extended_only()
  set.seed(928)
  theta <- 0.02 + kronecker(diag(2), rep(1, 40))
  other <- replace(theta, 1:4, 0.02) # four of the actors of the first community
  centres <- lapply(list(theta, other), function(theta) list(theta = theta, pi = 0.1 + diag(2)))
  found <- function(of) modes(planted(of, centres, shape = 0.1, switch = FALSE))
  expect_identical(found(matrix(rep(c(1, 2, 1, 1), each = 1000), 1000))$chains, c("1, 3, 4", "2"))
  expect_identical(nrow(found(matrix(1, 400, 4))), 1L)
})

test_that("modes() reports what modes agree on", {
  set.seed(924)
  names <- c(paste0("a", 1:4), paste0("b", 1:4), paste0("c", 1:4))
  fit <- planted(matrix(rep(1:2, each = 200), 200), two_of_three(), labels = names)
  agreed <- attr(modes(fit), "agreement")
  # mode 1: a | b and c; mode 2: b | a and c
  text <- paste(capture.output(print(modes(fit))), collapse = " ")
  expect_match(text, "Of 2 communities, found in every mode .*: none; not stable: community1, community2")
  expect_identical(dim(agreed$overlap), c(2L, 2L))
  expect_equal(agreed$overlap[, 1], c(1, 1))
  expect_true(all(agreed$overlap[, 2] < ALIKE))
  expect_s3_class(modes(fit)[1, ], "data.frame")
  expect_picture(plot(modes(fit)))
})

test_that("with one mode, modes() reports what its chains agree on", {
  set.seed(927)
  names <- c(paste0("a", 1:4), paste0("b", 1:4), paste0("c", 1:4))
  said <- function(of) {
    fit <- planted(of, two_of_three(), labels = names)
    fit$modes <- one_mode(fit) # as of runs that are too short to tell modes apart
    paste(capture.output(print(modes(fit))), collapse = " ")
  }
  agreed <- said(matrix(1, 200, 2))
  expect_match(agreed, "One mode was found .*; see summary\\(\\) for convergence.")
  expect_match(agreed, "Of 2 communities, found in every chain .*: community1, community2; not stable: none")
  expect_match(said(matrix(rep(1:2, each = 200), 200)), "Of 2 .*: none; not stable: community1, community2")
})

test_that("topics are compared by their weights", {
  set.seed(928)
  y <- matrix(rpois(300, 2), 60, dimnames = list(NULL, letters[1:5]))
  fit <- topic_model(privatize(y, epsilon = 1, rng = "R"), k = 3, iter = 40, chains = 3)
  fit$modes <- one_mode(fit)
  agreed <- attr(modes(fit), "agreement")
  expect_equal(agreed$overlap[, 1], c(1, 1, 1))
  expect_true(all(agreed$overlap[, -1] < 1))
  expect_match(paste(capture.output(print(modes(fit))), collapse = " "), "affinity of at least 0.97\\)")
})

test_that("stacking weights are those that maximise the mean log density", {
  set.seed(925)
  density <- matrix(rnorm(600, sd = 2), 200)
  weights <- stacking_weights(density)
  expect_equal(sum(weights), 1)
  score <- function(w) mean(log(exp(density) %*% w))
  best <- optim(c(0, 0), function(x) -score(exp(c(x, 0)) / sum(exp(c(x, 0)))), control = list(reltol = 1e-14))
  expect_equal(score(weights), -best$value, tolerance = 1e-8)
  expect_equal(stacking_weights(cbind(density[, 1], density[, 1] - 50)), c(1, 0), tolerance = 1e-6)
  # one draw leaves nothing out
  expect_equal(left_out_density(density[, 1, drop = FALSE]), density[, 1])
  same <- matrix(density[, 1], 200, 7)
  expect_equal(left_out_density(same), density[, 1])
})

test_that("the modes of a symmetric posterior are found, with equal shares", {
  # three groups of three actors who talk within groups, and two communities: any two groups may share one
  group <- rep(1:3, each = 3)
  y <- 2 * outer(group, group, `==`)
  diag(y) <- 0
  set.seed(926)
  iter <- if (EXTENDED) 60500 else 30500
  fit <- suppressWarnings(block_model(y, 2,
    family = "poisson", prior = gamma_prior(0.3, 1), iter = iter, warmup = 500, thin = 20, init = "random"
  ))
  found <- modes(fit)
  expect_identical(nrow(found), 3L)
  expect_lt(max(abs(found$share - 1 / 3)), 0.12)
})

test_that("a symmetric table has three modes, which are named, and whose mixture is that of all draws", {
  y <- (1 + 2 * diag(3))[rep(1:3, each = 4), rep(1:3, each = 4)] # any two of three groups may share a topic
  set.seed(1)
  fit <- topic_model(private_counts(y, alpha = exp(-3)), 2,
    groups = rep(c("a", "b", "c"), each = 4), family = "poisson", prior = gamma_prior(1, 1), iter = 1000
  )
  expect_identical(fit$modes$shares, "visits")
  expect_identical(length(fit$modes$share), 3L)
  summarised <- summary(fit)
  expect_match(summarised$verdict, "^This run found 3 modes")
  words <- "Of the leading mode of 3, which has [0-9]+ % of the draws. modes.fit. shows the others."
  for (x in list(coef(fit), top_terms(fit), group_effects(fit), summarised)) {
    expect_output(print(x), gsub(" ", "\\\\s+", words))
  }
  all <- group_effects(fit, modes = "all", level = 0.9)
  expect_no_match(capture.output(print(all)), "leading")
  # by hand: the mean weight of each group in each draw, with topics in the order of coef()
  orders <- alignment(fit)$orders
  theta <- lapply(seq_len(n_draws(fit)), function(s) normalised_draw(fit, s)$theta[, orders[, s]])
  means <- all[all$term == "mean", ]
  for (row in seq_len(nrow(means))) {
    inside <- rep(c("a", "b", "c"), each = 4) == means$group[row]
    x <- vapply(theta, function(draw) mean(draw[inside, match(means$component[row], c("topic1", "topic2"))]), 0)
    expect_equal(means$estimate[row], mean(x))
    expect_equal(c(means$conf.low[row], means$conf.high[row]), quantile(x, c(0.05, 0.95), names = FALSE))
  }
  expect_true(any(all$conf.high > group_effects(fit, level = 0.9)$conf.high * 1.2))
  expect_refused(group_effects(fit, modes = "some"), "`modes` must be one of")
})
