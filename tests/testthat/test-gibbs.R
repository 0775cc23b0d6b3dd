y_random <- function() {
  set.seed(81)
  matrix(rpois(48, 2), 8, dimnames = list(letters[1:8], LETTERS[1:6]))
}

test_that("a fit draws exactly one random number, and keeps RNGkind()", {
  y <- y_random()
  after <- function(...) {
    set.seed(82)
    paper_topics(y, 2, ...)
    stats::runif(1)
  }
  set.seed(82)
  stats::runif(1)
  second <- stats::runif(1)
  expect_identical(after(iter = 20), second)
  expect_identical(after(iter = 75, chains = 3), second)
  old <- RNGkind()
  on.exit(RNGkind(old[1], old[2], old[3]))
  RNGkind("Wichmann-Hill", "Box-Muller")
  paper_topics(y, 2, iter = 10)
  expect_identical(RNGkind()[1:2], c("Wichmann-Hill", "Box-Muller"))
})

test_that("the seed determines the draws, and a chain does not depend on the number of chains", {
  y <- y_random()
  fit <- function(...) {
    set.seed(83)
    as.matrix(paper_topics(privatize_plain(y), 2, iter = 40, ...))
  }
  privatize_plain <- function(y) private_counts(y, alpha = 0.3)
  expect_identical(fit(), fit())
  three <- fit(chains = 3)
  expect_identical(three[1:20, ], fit())
  expect_false(identical(three[21:40, ], three[1:20, ]))
  set.seed(84)
  expect_false(identical(as.matrix(paper_topics(privatize_plain(y), 2, iter = 40)), fit()))
})

test_that("warmup and thinning keep the right sweeps", {
  y <- y_random()
  draws <- function(...) {
    set.seed(85)
    as.matrix(paper_topics(y, 2, ...))
  }
  all <- draws(iter = 20, warmup = 0)
  expect_identical(nrow(all), 20L)
  expect_identical(draws(iter = 20, warmup = 5), all[6:20, ])
  expect_identical(draws(iter = 20, warmup = 5, thin = 4), all[c(9, 13, 17), ])
})

test_that("chains start from the given values", {
  y <- y_random()
  start <- list(theta = matrix(1, 8, 2), phi = matrix(2, 2, 6))
  run <- function(init) {
    set.seed(86)
    as.matrix(paper_topics(y, 2, iter = 3, warmup = 0, init = init, chains = 2))
  }
  expect_identical(run(start), run(list(start, start)))
  fit <- paper_topics(y, 2, iter = 10, chains = 2)
  expect_identical(dim(run(fit)), c(6L, 28L))
  expect_refused(run(list(theta = matrix(1, 8, 2))), "`init` must be NULL", "theta (8 x 2)")
  expect_refused(run(list(theta = matrix(1, 8, 3), phi = matrix(2, 2, 6))), "`init`")
  expect_refused(run(list(theta = matrix(-1, 8, 2), phi = matrix(2, 2, 6))), "`init`")
  expect_refused(run(paper_topics(y, 3, iter = 4)), "`init`")
  expect_refused(run(3), "`init`")
  expect_refused(run(list()), "`init`")
  expect_refused(run(numeric()), "`init`")
  expect_refused(run(list(start, start, start)), "`init`")
  expect_refused(run(list(theta = matrix(1e300, 8, 2), phi = matrix(2, 2, 6))), "`init`")
})

test_that("a message states how much memory draws take, and can be suppressed", {
  y <- y_random()
  expect_message(paper_topics(y, 2, iter = 10, progress = TRUE), "draws .* will take .* of memory")
  expect_silent(paper_topics(y, 2, iter = 10, progress = FALSE))
  loops <- function() paper_blocks(matrix(1:4, 2), 1, iter = 4, progress = FALSE)
  expect_warning(loops(), class = "ldpcounts_self_loops")
  expect_silent(suppressWarnings(loops()))
})

test_that("arguments out of range throw errors before a random number is drawn", {
  y <- y_random()
  set.seed(87)
  before <- .Random.seed
  for (model in list(paper_topics, paper_blocks)) {
    data <- if (identical(model, paper_blocks)) y[1:6, ] else y
    dimnames(data) <- NULL
    expect_refused(model(data), "`k`", "must be given")
    for (bad in list(0, 1.5, NA_real_, -1, "2", 1:2, NULL, 20000)) {
      expect_refused(model(data, bad), "`k` must be one whole number from 1 to 10000")
    }
    expect_refused(model(data, 2, iter = 10, warmup = 10), "`iter` must be larger than `warmup`")
    expect_refused(model(data, 2, iter = 0), "`iter`")
    expect_refused(model(data, 2, iter = 10.5), "`iter`", "10.5")
    expect_refused(model(data, 2, warmup = -1), "`warmup`")
    expect_refused(model(data, 2, thin = 0), "`thin`")
    expect_refused(model(data, 2, iter = 10, thin = 6), "`thin` must not be larger than")
    expect_refused(model(data, 2, chains = 0), "`chains`")
    expect_refused(model(data, 2, iter = 2e9, warmup = 0, chains = 100), "fewer than 2^31 draws")
    expect_refused(model(data, 2, chains = NA), "`chains`")
    expect_refused(model(data, 2, prior = 0.1), "`prior` must be a gamma_prior()")
    expect_refused(model(data, 2, prior = list(theta = gamma_prior())), "`prior`")
    expect_refused(model(data, 2, noise = "modell"), "`noise`", "\"ignore\"")
    expect_refused(model(data, 2, scheme = "delta"), "`scheme`")
    expect_refused(model(data, 2, progress = NA), "`progress`")
    expect_refused(model(data, 2, iters = 5), "no argument `iters`", "Did you mean `iter`?")
    expect_refused(model(data, 2, 100), "must be named")
    expect_refused(model("counts", 2), "`data` must be a matrix of counts")
  }
  expect_identical(.Random.seed, before)
})

test_that("cells that were opened give the same sweeps, and are refused after they were saved", {
  set.seed(6)
  y <- matrix(rpois(60, 2), 6)
  task <- list(model = topics_model, cells = make_cells(y, rep(0.3, 6)))
  opened <- open_cells(task)$cells
  prior <- list(theta = gamma_prior(), phi = gamma_prior())
  start <- topics_model$start(dim(y), 2, mean(y))
  sweeps <- function(cells) {
    set.seed(7)
    one_chain(topics_model, cells, start, NULL, prior, 3)
  }
  expect_identical(sweeps(opened), sweeps(task$cells))
  gc()
  expect_identical(sweeps(opened), sweeps(task$cells))
  expect_refused(sweeps(unserialize(serialize(opened, NULL))), "cells")
  task$cells$y_tilde[2] <- NaN
  expect_refused(open_cells(task), "y_tilde")
})
