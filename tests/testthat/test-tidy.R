tiny_topics <- function(...) {
  set.seed(811)
  y <- matrix(rpois(24, 2), 4, dimnames = list(paste0("doc", 1:4), paste0("word", 1:6)))
  paper_topics(private_counts(y, alpha = 0.3), 2, iter = 20, ...)
}
tiny_blocks <- function(...) {
  set.seed(812)
  paper_blocks(private_counts(matrix(rpois(25, 2), 5), alpha = 0.3), 2, iter = 20, ...)
}
tiny_tensor <- function() {
  set.seed(813)
  paper_tensor(array(rpois(24, 1), 2:4, dimnames = list(NULL, letters[1:3], NULL)), 2, iter = 20)
}

test_that("tidy() has the weights of coef(), with the names of tidytext", {
  fit <- tiny_topics()
  factors <- coef(fit)
  beta <- tidy(fit)
  expect_s3_class(beta, "data.frame")
  expect_named(beta, c("topic", "term", "beta"))
  expect_identical(beta$beta, factors$phi[cbind(beta$topic, match(beta$term, colnames(factors$phi)))])
  expect_equal(as.vector(tapply(beta$beta, beta$topic, sum)), c(1, 1))
  gamma <- tidy(fit, matrix = "gamma")
  expect_named(gamma, c("document", "topic", "gamma"))
  expect_equal(as.vector(tapply(gamma$gamma, gamma$document, sum)), rep(1, 4))
  one <- gamma$document == "doc3"
  third <- unname(factors$theta[3, ])
  expect_equal(gamma$gamma[one][order(gamma$topic[one])], third / sum(third))

  fit <- tiny_blocks()
  theta <- tidy(fit)
  expect_named(theta, c("actor", "community", "theta"))
  expect_identical(theta$theta, coef(fit)$theta[cbind(theta$actor, theta$community)]) # numbers: no labels
  pi <- tidy(fit, "pi")
  expect_named(pi, c("from", "to", "pi"))
  expect_identical(pi$pi, coef(fit)$pi[cbind(pi$from, pi$to)])

  fit <- tiny_tensor()
  second <- tidy(fit, "theta2")
  expect_named(second, c("mode2", "component", "theta2"))
  expect_identical(second$mode2, rep(letters[1:3], 2))
  expect_identical(second$theta2, as.vector(coef(fit)$theta2))
  expect_identical(nrow(tidy(fit)), 18L)
  expect_refused(tidy(fit, "beta"), "`matrix` must be one of", "theta3")
  expect_refused(tidy(fit, "theta1", log = TRUE), "no argument `log`")
})

test_that("glance() has one row that describes the fit", {
  fits <- list(
    tiny_topics(chains = 2), tiny_blocks(family = "nbinom1", dispersion_by = "row"), tiny_tensor(),
    tiny_topics(family = "nbinom1", dispersion = 3), tiny_topics(inference = "cavi")
  )
  rows <- lapply(fits, glance)
  columns <- names(rows[[1]])
  for (row in rows) {
    expect_identical(dim(row), c(1L, length(columns)))
    expect_named(row, columns)
  }
  all <- do.call(rbind, rows)
  expect_identical(all$model, c("topic_model", "block_model", "tensor_model", "topic_model", "topic_model"))
  expect_identical(all$nobs, c(24, 20, 24, 24, 24)) # the diagonal of a network is not data
  expect_identical(all$private, c(TRUE, TRUE, FALSE, TRUE, TRUE))
  expect_identical(all$inference, rep(c("gibbs", "cavi"), c(4, 1)))
  expect_identical(all$draws, vapply(fits, n_draws, 0L))
  expect_identical(all$chains[1:2], c(2L, 1L))
  expect_identical(all$log_density[1], mean(fits[[1]]$log_density))
  expect_identical(all$dispersion[c(1, 3, 4)], c(1, 1, 3))
  expect_equal(all$dispersion[2], mean(coef(fits[[2]])$dispersion))
  expect_identical(is.na(all$elbo), c(TRUE, TRUE, TRUE, TRUE, FALSE))
  watched <- summary(fits[[1]])$convergence
  expect_identical(all$rhat[1], max(watched$rhat))
  expect_identical(all$ess[1], min(watched$ess_bulk))
})

# Labels and scale shuffled draw by draw, which changes no mu.
shuffled <- function(fit) {
  for (s in seq_len(n_draws(fit))) {
    order <- sample(fit$k)
    scale <- rgamma(fit$k, 5)
    fit$draws$theta[, , s] <- fit$draws$theta[order, , s] * scale
    fit$draws$phi[, , s] <- fit$draws$phi[order, , s] / scale
  }
  fit
}

test_that("aligned draws have the labelling and the means of coef()", {
  for (fit in list(tiny_topics(chains = 2), tiny_blocks(), tiny_tensor(), tiny_topics(inference = "cavi"))) {
    draws <- as.matrix(fit, aligned = TRUE)
    expect_identical(colnames(draws), colnames(as.matrix(fit)))
    for (name in model_of(fit)$factors) {
      means <- colMeans(draws[, startsWith(colnames(draws), paste0(name, "[")), drop = FALSE])
      if (!is_cavi(fit)) expect_equal(unname(means), as.vector(coef(fit)[[name]]), tolerance = TOL_SERIES)
    }
  }
  # topics of draws of a sharp posterior: every draw is near its mean, whatever its labels were
  set.seed(814)
  phi <- rbind(c(30, 30, 1, 1, 1), c(1, 1, 1, 30, 30), c(1, 1, 60, 1, 1))
  y <- matrix(rpois(60 * 5, (diag(3)[rep(1:3, 20), ] + 0.02) %*% phi), 60)
  fit <- shuffled(paper_topics(y, 3, iter = 400, chains = 2))
  draws <- as_draws_array(fit, aligned = TRUE)
  means <- coef(fit)$phi
  for (k in 1:3) {
    of_topic <- draws[, , paste0("phi[", k, ",", 1:5, "]")]
    expect_lt(max(abs(sweep(of_topic, 3, means[k, ]))), 0.15) # topics are 0.4 and more apart
  }
  expect_gt(max(abs(sweep(as.matrix(fit)[, paste0("phi[1,", 1:5, "]")], 2, means[1, ]))), 0.3)
})

test_that("aligned draws give the same mu", {
  fit <- shuffled(tiny_topics())
  draws <- as.matrix(fit, aligned = TRUE)
  for (s in c(1, 7)) {
    theta <- matrix(draws[s, 1:8], 4)
    phi <- matrix(draws[s, 9:20], 2)
    expect_equal(rowSums(phi), c(1, 1))
    expect_within(theta %*% phi, draw_mean(fit, s), TOL_EXACT)
  }
  expect_refused(as.matrix(fit, aligned = 1), "`aligned` must be TRUE or FALSE")
})

test_that("all formats of draws have the argument aligned", {
  fit <- tiny_topics(chains = 2)
  expected <- as.matrix(fit, aligned = TRUE)[, "phi[1,2]"]
  second <- function(draws) as.vector(posterior::as_draws_array(draws)[, , "phi[1,2]"])
  for (format in list(
    posterior::as_draws, posterior::as_draws_array, posterior::as_draws_matrix, posterior::as_draws_df,
    posterior::as_draws_list, posterior::as_draws_rvars
  )) {
    expect_equal(second(format(fit, aligned = TRUE)), unname(expected))
    expect_refused(format(fit, align = TRUE), "`aligned`")
  }
  random <- tiny_topics(prior = gamma_prior(0.1, gamma_prior(1, 1)))
  expect_true("rate[theta]" %in% colnames(as.matrix(random)))
  expect_false("rate[theta]" %in% colnames(as.matrix(random, aligned = TRUE)))
})

test_that("the methods that rstantools requires of a fit exist", {
  skip_if_not_installed("rstantools")
  fit <- tiny_topics()
  cells <- cbind(1:3, 2:4)
  expect_identical(dim(rstantools::log_lik(fit, cells = cells)), c(10L, 3L))
  expect_equal(colMeans(rstantools::posterior_epred(fit, cells = cells)), unname(fitted(fit, cells = cells)))
  set.seed(815)
  expect_identical(dim(rstantools::posterior_predict(fit, cells = cells)), c(10L, 3L))
})

test_that("factors have the same names in coef() and tidy(), and modes those of the data", {
  set.seed(31)
  fit <- paper_topics(matrix(rpois(40, 3), 8), 2, iter = 20)
  expect_equal(tidy(fit, "phi")$phi, tidy(fit)$beta)
  expect_equal(tidy(fit, "theta")$theta, as.vector(coef(fit)$theta))
  counts <- array(rpois(60, 2), c(5, 4, 3), list(sender = NULL, place = letters[1:4], month = month.abb[1:3]))
  tensor <- paper_tensor(counts, 2, iter = 20)
  expect_identical(names(tidy(tensor, "theta3")), c("month", "component", "theta3"))
  expect_identical(names(dimnames(coef(tensor)$theta3)), c("month", "component"))
  expect_identical(names(augment(tensor))[1:3], c("sender", "place", "month"))
  expect_identical(augment(tensor, cells = cbind(1, 2, 3))$month, "Mar")
  names(dimnames(counts)) <- c("mean", "place", "place")
  expect_identical(names(augment(paper_tensor(counts, 2, iter = 20)))[1:3], c("mode1", "mode2", "mode3"))
})
