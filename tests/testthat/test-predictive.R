fit_to_release <- function(clamped = FALSE, ...) {
  set.seed(631)
  y_tilde <- rpois(30, 2) + rgeom(30, 0.5) - rgeom(30, 0.5)
  y_tilde[c(4, 20)] <- NA
  labels <- list(paste0("doc", 1:5), paste0("word", 1:6))
  y_tilde <- matrix(if (clamped) pmax(y_tilde, 0) else y_tilde, 5, dimnames = labels)
  paper_topics(
    private_counts(y_tilde, alpha = seq(0.3, 0.7, 0.1), clamped = clamped), 2, iter = 40, ...
  )
}

test_that("replicates have the shape and the missing cells of the data", {
  fit <- fit_to_release()
  replicates <- simulate(fit, nsim = 7, seed = 1)
  expect_type(replicates, "list")
  expect_named(replicates, paste0("sim_", 1:7))
  for (x in replicates) {
    expect_true(is.matrix(x))
    expect_identical(dimnames(x), dimnames(fit$data))
    expect_identical(is.na(x), is.na(fit$data))
  }
  expect_true(any(vapply(replicates, min, 0, na.rm = TRUE) < 0))
  expect_length(simulate(fit), 1)
  network <- paper_blocks(plain_release(matrix(rpois(49, 2), 7), 0.4), 2, iter = 20)
  expect_identical(which(is.na(simulate(network)[[1]])), which(diag(7) == 1))
  set.seed(638)
  y <- matrix(rpois(49, 2), 7)
  y[lower.tri(y)] <- t(y)[lower.tri(y)]
  y[2, 4] <- y[4, 2] <- NA
  pairs <- paper_blocks(private_counts(y, alpha = 0.4, directed = FALSE), 2, directed = FALSE, iter = 20)
  x <- simulate(pairs)[[1]]
  expect_identical(x, t(x))
  expect_identical(is.na(x), is.na(y) | diag(7) == 1)
  expect_identical(dim(posterior_predict.ldp_fit(pairs)), c(10L, 20L))
  at_or_above_zero <- list(fit_to_release(TRUE), fit_to_release(noise = "ignore"))
  for (fit in at_or_above_zero) {
    expect_identical(min(unlist(simulate(fit, nsim = 20)), na.rm = TRUE), 0)
  }
})

test_that("the argument seed works as in stats::simulate()", {
  fit <- fit_to_release()
  linear <- lm(dist ~ speed, cars)
  set.seed(632)
  before <- .Random.seed
  first <- simulate(fit, nsim = 2)
  expect_identical(attr(first, "seed"), before)
  expect_false(identical(.Random.seed, before))
  set.seed(632)
  expect_identical(simulate(fit, nsim = 2), first)
  before <- .Random.seed
  seeded <- simulate(fit, nsim = 2, seed = 9)
  expect_identical(.Random.seed, before)
  expect_identical(attr(seeded, "seed"), attr(simulate(linear, seed = 9), "seed"))
  expect_identical(simulate(fit, nsim = 2, seed = 9), seeded)
  set.seed(9)
  expect_identical(simulate(fit, nsim = 2)$sim_2, seeded$sim_2)
})

test_that("replicates have the distribution of a release, given a draw", {
  values <- -40:80
  for (family in c("poisson", "nbinom1")) {
    for (clamped in c(FALSE, TRUE)) {
      fit <- fit_to_release(clamped, family = family, thin = 20) # one draw
      expect_identical(n_draws(fit), 1L)
      mu <- draw_mean(fit, 1)
      dispersion <- 1 + draw_cell_excess(fit, 1, cbind(1, 1))
      alpha <- privacy(fit$data)$alpha
      replicates <- simulate(fit, nsim = if (EXTENDED) 2000 else 500, seed = 633)
      for (cell in list(c(1, 1), c(5, 2), c(3, 6))) {
        i <- cell[1]
        law <- dprivnbinom(values, mu[i, cell[2]], alpha[i], dispersion)
        draws <- vapply(replicates, function(x) x[i, cell[2]], 0)
        if (clamped) {
          expect_law(draws, c(sum(law[values <= 0]), law[values > 0]))
        } else {
          expect_law_on(pmin(pmax(draws, -40), 80), values, law)
        }
      }
    }
  }
})

test_that("draws are sampled with equal probability, without replacement if there are enough", {
  # draws that tell which one they are: mu of 1000 times the number of the draw
  fit <- paper_topics(matrix(3), 1, iter = 20)
  fit$draws$theta[] <- seq_len(10)
  fit$draws$phi[] <- 1000
  drawn <- function(n) unname(round(vapply(simulate(fit, nsim = n), `[`, 0, 1) / 1000))
  set.seed(634)
  expect_identical(sort(drawn(10)), as.double(1:10))
  expect_identical(anyDuplicated(drawn(4)), 0L)
  expect_law(drawn(1000) - 1, rep(0.1, 10))
  expect_law(replicate(500, drawn(1)) - 1, rep(0.1, 10))
})

test_that("there is one row per draw and one column per observed cell, in the order of log_lik()", {
  fit <- fit_to_release(chains = 2)
  observed <- which(!is.na(as.matrix(fit$data)))
  epred <- posterior_epred.ldp_fit(fit)
  expect_identical(dim(epred), c(40L, 28L))
  expect_within(epred, mu_draws(fit)[, observed], TOL_EXACT)
  expect_identical(dim(posterior_predict.ldp_fit(fit)), c(40L, 28L))
  cells <- rbind(c(2, 3), c(4, 1)) # the second is masked
  expect_within(posterior_epred.ldp_fit(fit, cells = cells), mu_draws(fit)[, c(12, 4)], TOL_EXACT)
  expect_within(colMeans(posterior_epred.ldp_fit(fit, cells = cells)), fitted(fit, cells = cells), TOL_EXACT)
  labels <- cbind(c("doc2", "doc4"), c("word3", "word1"))
  set.seed(635)
  by_label <- posterior_predict.ldp_fit(fit, cells = labels)
  set.seed(635)
  expect_identical(posterior_predict.ldp_fit(fit, cells = cells), by_label)
})

test_that("posterior_epred() has the means of the releases, also of clamped ones", {
  values <- -300:600
  for (family in c("poisson", "nbinom1")) {
    for (clamped in c(FALSE, TRUE)) {
      fit <- fit_to_release(clamped, family = family)
      alpha <- privacy(fit$data)$alpha
      epred <- posterior_epred.ldp_fit(fit)
      observed <- which(!is.na(as.matrix(fit$data)))
      for (s in c(1, 20)) {
        mu <- draw_mean(fit, s)
        for (column in c(1, 15, 28)) {
          i <- row(mu)[observed[column]]
          dispersion <- 1 + draw_cell_excess(fit, s, cbind(i, 1))
          law <- dprivnbinom(values, mu[observed[column]], alpha[i], dispersion)
          mean <- sum(law * if (clamped) pmax(values, 0) else values)
          expect_within(epred[s, column], mean, 1e-11) # what the sum itself is good to
        }
      }
      set.seed(636)
      predicted <- do.call(rbind, replicate(60, posterior_predict.ldp_fit(fit), simplify = FALSE))
      error <- predicted - epred[rep(1:20, 60), ]
      z <- colMeans(error) / (apply(error, 2, sd) / sqrt(nrow(error)))
      expect_lt(max(abs(z)), normal_bound(28))
    }
  }
})

test_that("the functions are methods of rstantools, whenever that is loaded", {
  skip_if_not_installed("rstantools")
  fit <- fit_to_release()
  expect_identical(rstantools::posterior_epred(fit), posterior_epred.ldp_fit(fit))
  set.seed(637)
  drawn <- rstantools::posterior_predict(fit)
  set.seed(637)
  expect_identical(posterior_predict.ldp_fit(fit), drawn)
})

test_that("invalid plots throw errors", {
  fit <- fit_to_release()
  expect_refused(simulate(fit, nsim = 0), "`nsim` must be one whole number from 1 to")
  expect_refused(simulate(fit, seed = "1"), "`seed` must be NULL or one number", "\"1\"")
  expect_refused(simulate(fit, 1, NULL, draws = 3), "no argument `draws`")
  expect_refused(posterior_predict.ldp_fit(fit, cells = cbind(9, 9)), "`cells` must be cells of the data")
  expect_refused(posterior_epred.ldp_fit(fit, cell = 1), "no argument `cell`")
  expect_error(with_free_memory(1, simulate(fit, nsim = 9)), class = "ldpcounts_memory_error")
  expect_refused(with_free_memory(1e9, simulate(fit, nsim = round(1e9 / 30))), "8 GB of memory", "`nsim`")
})
