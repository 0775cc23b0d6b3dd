# The loop over sweeps: blocks, further sweeps, workers, interrupts.

released <- function() {
  set.seed(201)
  private_counts(matrix(rpois(48, 2), 8, dimnames = list(letters[1:8], LETTERS[1:6])) - 1L, alpha = 0.3)
}

fit_of <- function(..., model = paper_topics, data = released()) {
  set.seed(202)
  model(data, 2, ..., progress = FALSE)
}

square <- function() released()[1:6, ]

task_of <- function(scheme = "collapsed", model = topics_model) {
  data <- released()
  new_task(model, data, dim(data), 2L, poisson_family, "model", "gibbs", scheme, private = TRUE,
    prior = check_prior(gamma_prior(), model$factors)
  )
}

sampler_for <- function(task) sampler_of(task, model_input(task$model, task$data, "model"))

run_of <- function(task, run, saved = NULL) {
  sampler <- sampler_for(task)
  state <- begin_gibbs(sampler, run, vector("list", run$chains), 0.5)
  run_gibbs(task, sampler, run, state, FALSE, saved)
}

test_that("draws do not depend on how sweeps are split into blocks", {
  for (scheme in c("collapsed", "bessel")) {
    sampler <- sampler_for(task_of(scheme))
    chain <- begin_gibbs(sampler, plan_run(10, 0, 1, 1), list(NULL), 0.5)$chains[[1]]
    whole <- advance_chain(chain, sampler, 7L, 1:7, FALSE)
    first <- advance_chain(chain, sampler, 3L, integer(), FALSE)
    second <- advance_chain(first$chain, sampler, 4L, 4L, TRUE)
    expect_identical(second$chain, whole$chain)
    expect_identical(second$draws$phi[, , 1], whole$draws$phi[, , 7])
    expect_identical(second$log_density, whole$log_density[7])
    expect_identical(second$log_density_now, whole$log_density[7])
    expect_identical(first$log_density_now, NA_real_)
  }
})

test_that("40 sweeps and 20 more give exactly the same draws as 60", {
  for (scheme in c("collapsed", "bessel")) {
    whole <- fit_of(iter = 60, warmup = 20, thin = 3, chains = 2, scheme = scheme)
    part <- fit_of(iter = 40, warmup = 20, thin = 3, chains = 2, scheme = scheme)
    expect_identical(said(update(part, iter = 20)), said(whole))
    expect_identical(said(update(update(part, iter = 7), iter = 13)), said(whole))
  }
  whole <- fit_of(iter = 30, warmup = 5, model = paper_blocks, data = unname_counts(square()))
  part <- fit_of(iter = 10, warmup = 5, model = paper_blocks, data = unname_counts(square()))
  expect_identical(said(update(part, iter = 20)), said(whole))
})

test_that("continuing a run does not change R's random numbers, and invalid runs throw errors", {
  fit <- fit_of(iter = 20)
  set.seed(203)
  before <- .Random.seed
  update(fit, iter = 5)
  expect_identical(.Random.seed, before)
  expect_refused(update(fit), "`iter`, `chains`, `warmup` or `until` must be given")
  expect_refused(update(fit, iter = 0), "`iter` must be one whole number")
  expect_refused(update(fit, iters = 5), "no argument `iters`")
})

test_that("the log density of the release is that of dprivpois, all cells together", {
  for (scheme in c("collapsed", "bessel")) {
    for (clamped in c(FALSE, TRUE)) {
      x <- released()
      is.na(x) <- cbind(c(1, 2, 2), c(3, 1:2))
      if (clamped) {
        x <- rbind(x[1:4, ], mask_cells(
          private_counts(pmax(as.matrix(x[5:8, ]), 0), alpha = 0.3, clamped = TRUE), cbind(1, 1)
        ))
      }
      fit <- fit_of(iter = 10, chains = 2, scheme = scheme, data = x)
      counts <- as.vector(as.matrix(x))
      expected <- apply(mu_draws(fit), 1, function(mu) {
        each <- dprivpois(counts, mu, 0.3, log = TRUE)
        if (clamped) { # where P(0) = E[alpha^y]/(1 + alpha)
          each <- ifelse(counts > 0, each, -0.7 * mu - log1p(0.3))
        }
        sum(each, na.rm = TRUE)
      })
      expect_within(as.vector(fit$log_density), expected, TOL_SERIES)
    }
  }
  y <- pmax(as.matrix(released()), 0)
  fit <- fit_of(iter = 10, data = y)
  expected <- apply(mu_draws(fit), 1, function(mu) sum(dpois(as.vector(y), mu, log = TRUE)))
  expect_within(as.vector(fit$log_density), expected, TOL_SERIES)
})

test_that("the log density of a network leaves its diagonal out", {
  x <- unname_counts(square())
  is.na(x) <- cbind(2, 3)
  for (scheme in c("collapsed", "bessel")) {
    fit <- fit_of(iter = 10, model = paper_blocks, data = x, scheme = scheme)
    expected <- apply(mu_draws(fit), 1, function(mu) {
      sum(dprivpois(as.vector(as.matrix(x)), mu, 0.3, log = TRUE), na.rm = TRUE)
    })
    expect_within(as.vector(fit$log_density), expected, TOL_SERIES)
  }
})

# A model that is interrupted in its n-th block.
interrupted_in <- function(n, model = topics_model) {
  blocks <- 0
  gibbs <- model$gibbs
  model$gibbs <- function(...) {
    blocks <<- blocks + 1
    if (blocks == n) rlang::interrupt()
    gibbs(...)
  }
  model
}

test_that("an interrupt returns the draws so far, and the run can be continued", {
  rlang::local_interactive()
  run <- plan_run(1000, 4, 2, 2)
  # blocks of 1, 2, 4 ... sweeps of both chains; in the fifth block
  task <- task_of(model = interrupted_in(5))
  expect_warning(
    fit <- run_of(task, run),
    class = "ldpcounts_interrupted"
  )
  sweeps <- fit$run$iter
  expect_gte(sweeps, 4)
  expect_lte(sweeps, 15)
  expect_identical(fit$run$kept, (sweeps - 4L) %/% 2L)
  expect_identical(dim(as.matrix(fit)), c(2L * fit$run$kept, 28L))
  expect_output(print(fit), paste("2 chains of", sweeps, "sweeps"))
  expect_output(print(fit), paste0("does the other\\s+", 1000 - as.numeric(sweeps), "\\s+of\\s+1000"))
  expect_output(print(fit), paste0("update[(]fit, iter = ", 1000 - sweeps))
  expect_silent(capture.output(print(summary(fit))))
  expect_false(anyNA(fit$log_density))
  whole <- fit
  task <- task_of()
  run <- plan_run(sweeps + 10L, 4, 2, 2)
  unbroken <- run_of(task, run)
  expect_identical(said(update(fit, iter = 10)), said(unbroken))
})

test_that("a run interrupted during the warmup can be continued", {
  rlang::local_interactive()
  run <- plan_run(1000, 900, 1, 2)
  task <- task_of(model = interrupted_in(5))
  text <- capture_warnings(fit <- run_of(task, run))
  expect_match(text, "No draw had been kept")
  expect_identical(nrow(as.matrix(fit)), 2L)
  expect_output(print(fit), "topic", ignore.case = TRUE)
  expect_identical(dim(fitted(fit)), c(8L, 6L))
  expect_refused(update(fit, iter = 1), "must be larger than `warmup`")
  task <- task_of()
  run <- plan_run(910, 900, 1, 2)
  unbroken <- run_of(task, run)
  expect_identical(said(update(fit, iter = 910 - fit$run$iter)), said(unbroken))
})

test_that("in a script an interrupt throws an error", {
  rlang::local_interactive(FALSE)
  run <- plan_run(1000, 4, 2, 2)
  task <- task_of(model = interrupted_in(5))
  refused <- rlang::catch_cnd(run_of(task, run))
  expect_s3_class(refused, c("ldpcounts_interrupted", "ldpcounts_error"), exact = FALSE)
  expect_match(conditionMessage(refused), "Interrupted after [0-9]+ of 1000 sweeps.*Nothing was saved")
  file <- tempfile(fileext = ".rds")
  saved <- open_checkpoint(file, list(version = "", data = "", call = ""), NULL)
  task <- task_of(model = interrupted_in(5))
  refused <- rlang::catch_cnd(run_of(task, run, saved))
  expect_match(conditionMessage(refused), "The run so far is saved in .*Repeat the same call")
  expect_gt(readRDS(file)$state$sweep, 0)
})

test_that("a run states its memory, and throws an error before it starts if that is too much", {
  task <- task_of()
  input <- model_input(topics_model, released(), "model")
  run <- plan_run(1000, 0, 1, 2)
  needed <- memory_needed(task, input, run)
  expect_identical(needed[["draws"]], 8 * 28 * 2000)
  expect_identical(check_memory(task, input, run, free = Inf), needed)
  expect_refused(check_memory(task, input, run, free = 1e4), "of memory", "10 kB are free", "`thin`")
  set.seed(204)
  before <- .Random.seed
  expect_error(
    paper_topics(matrix(0L, 3000, 3000), 1000, iter = 2e6, thin = 1), class = "ldpcounts_memory_error"
  )
  expect_identical(.Random.seed, before)
})

test_that("progress is shown by cli, or not at all", {
  expect_message(paper_topics(released(), 2, iter = 10, progress = TRUE), "kept draws .* of memory")
  expect_silent(paper_topics(released(), 2, iter = 10, progress = FALSE))
  bar <- start_bar(TRUE, 100, 0)
  expect_silent(bar$done())
  expect_identical(density_words(c(-1.5, -1.5)), "log density -1.5")
  expect_identical(density_words(c(-3, -1.5)), "log density -3.0 to -1.5")
  expect_identical(vapply(c(3.2, 100, 7200), format_seconds, ""), c("4s", "2min", "2h"))
})
