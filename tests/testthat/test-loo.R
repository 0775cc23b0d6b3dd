small_release <- function() {
  set.seed(626)
  plain_release(matrix(rpois(12, 2), 4), 0.5) # some are below zero
}

# As loo itself does all cells at once.
loo_at_once <- function(fit, log_lik = log_lik.ldp_fit(fit)) {
  chain <- rep(seq_len(fit$run$chains), each = fit$run$kept)
  suppressWarnings(loo::loo(log_lik, r_eff = loo::relative_eff(exp(log_lik), chain_id = chain)))
}

without_hash <- function(x) `attr<-`(x, "yhash", NULL)

test_that("loo() agrees with loo of log_lik()", {
  skip_if_not_installed("loo")
  fits <- list(
    paper_topics(small_release(), 2, iter = 200, chains = 2),
    paper_topics(small_release(), 1, iter = 200, family = "nbinom1"),
    paper_blocks(plain_release(matrix(rpois(49, 2), 7), 0.4), 2, iter = 200)
  )
  for (fit in fits) {
    ours <- suppressWarnings(loo::loo(fit), classes = "ldpcounts_pareto_k")
    expect_equal(without_hash(ours), loo_at_once(fit), tolerance = 1e-12)
  }
  cells <- cbind(c(4, 1, 2), c(1, 3, 2))
  some <- suppressWarnings(loo::loo(fits[[1]], cells = cells))
  all <- suppressWarnings(loo::loo(fits[[1]]))
  expect_equal(some$pointwise, all$pointwise[c(4, 9, 6), ], tolerance = 1e-12)
})

test_that("loo() does not depend on blocks of cells", {
  skip_if_not_installed("loo")
  fit <- paper_topics(small_release(), 2, iter = 200)
  log_lik <- log_lik.ldp_fit(fit)
  parts <- list(1:5, 6, 7:12)
  of_parts <- function(f) suppressWarnings(lapply(parts, function(at) f(log_lik[, at, drop = FALSE])))
  bound <- bind_cells(of_parts(function(x) loo_at_once(fit, x)))
  expect_equal(bound, loo_at_once(fit), tolerance = 1e-12)
})

# The truth of leave-one-out: fits without each of the cells.
test_that("loo() agrees with fits that leave out a cell", {
  skip_if_not_installed("loo")
  set.seed(622)
  released <- small_release()
  fit_to <- function(data) paper_topics(data, 1, prior = gamma_prior(5, 3.5), iter = if (EXTENDED) 3000 else 1500)
  cells <- observed_cells(as.matrix(released), "none")
  refits <- vapply(seq_len(nrow(cells)), function(i) {
    cell <- cells[i, , drop = FALSE]
    masked <- released
    is.na(masked) <- cell
    fit <- fit_to(masked)
    density <- exp(pointwise_density(fit, model_input(topics_model, released, "model"), cell))
    c(held_out_density(fit, released, cell)$mean, posterior::mcse_mean(density) / mean(density))
  }, c(0, 0))
  estimated <- loo::loo(fit_to(released), draws = Inf) # without a warning
  errors <- sqrt(refits[2, ]^2 + estimated$pointwise[, "mcse_elpd_loo"]^2)
  expect_lt(max(abs(estimated$pointwise[, "elpd_loo"] - refits[1, ]) / errors), normal_bound(12))
  expect_lt(max(errors), 0.03)
})

test_that("fits to different counts cannot be compared", {
  skip_if_not_installed("loo")
  hash <- function(...) attr(suppressWarnings(loo::loo(paper_topics(..., 1, iter = 60))), "yhash")
  released <- small_release()
  clamped <- private_counts(pmax(as.matrix(released), 0), alpha = 0.3, clamped = TRUE)
  expect_true(any(as.matrix(released) < 0))
  expect_identical(hash(released), hash(released))
  expect_false(hash(released) == hash(released, noise = "ignore"))
  expect_identical(hash(clamped), hash(clamped, noise = "ignore"))
  expect_false(hash(released) == hash(clamped))
  one <- paper_topics(released, 1, iter = 60)
  two <- paper_topics(clamped, 1, iter = 60)
  pair <- suppressWarnings(list(one = loo::loo(one), two = loo::loo(two)))
  expect_warning(loo::loo_compare(pair), "same y variable")
  some <- observed_cells(as.matrix(released), "none")
  both <- suppressWarnings(list(one = loo::loo(one), two = loo::loo(one, cells = some)))
  expect_identical(attr(both$one, "yhash"), attr(both$two, "yhash"))
})

test_that("there is one warning for unreliable cells, and an error for unobserved ones", {
  skip_if_not_installed("loo")
  fit <- paper_topics(small_release(), 2, iter = 12) # six draws
  expect_warning(loo::loo(fit), class = "ldpcounts_pareto_k")
  masked <- small_release()
  is.na(masked) <- cbind(2, 1)
  fit <- paper_topics(masked, 1, iter = 60)
  expect_refused(loo::loo(fit, cells = cbind(1:2, 1)), "`cells` must not be masked", "Row 2")
  expect_refused(loo::loo(fit, cells = cbind(9, 1)), "`cells` must be cells of the data")
  expect_refused(loo::loo(fit, cells = matrix(0, 0, 2)), "at least one row")
  expect_refused(loo::loo(fit, cell = 1), "no argument `cell`")
})

test_that("a subset of the draws of each chain gives similar results", {
  skip_if_not_installed("loo")
  set.seed(31)
  fit <- paper_topics(matrix(rpois(60, 2), 6), 2, iter = 400, chains = 2)
  expect_identical(draws_of_each_chain(fit, 4), c(1L, 200L, 201L, 400L))
  expect_identical(draws_of_each_chain(fit, Inf), 1:400)
  expect_identical(draws_of_each_chain(fit, 1), c(1L, 200L, 201L, 400L))
  some <- suppressWarnings(loo::loo(fit, draws = 200))
  all <- suppressWarnings(loo::loo(fit, draws = Inf))
  expect_identical(dim(some), c(200L, 60L))
  expect_lt(abs(some$estimates[1, 1] - all$estimates[1, 1]), 3)
  expect_refused(loo::loo(fit, draws = 1.5), "`draws`")
})
