# Objects whose parts contradict each other: some of them ended R.

counts <- matrix(c(2, 0, 1, 0, 0, 3, 1, 4, 0, 2, 0, 1), 4)
triplets <- methods::as(Matrix::Matrix(counts, sparse = TRUE), "TsparseMatrix")
columns <- methods::as(triplets, "CsparseMatrix")

change <- function(x, slot, value) {
  methods::slot(x, slot, check = FALSE) <- value
  x
}

broken_matrices <- list(
  `row out of range` = change(triplets, "i", replace(triplets@i, 2, 99999L)),
  `negative column` = change(triplets, "j", replace(triplets@j, 2, -1L)),
  `values missing` = change(triplets, "x", triplets@x[1]),
  `p short` = change(columns, "p", columns@p[1:2]),
  `p empty` = change(columns, "p", integer()),
  `p too large` = change(columns, "p", replace(columns@p, 3, 100000L)),
  `p not increasing` = change(columns, "p", replace(columns@p, 2, 7L)),
  `i out of range` = change(columns, "i", replace(columns@i, 1, 50L)),
  `i missing` = change(columns, "i", columns@i[-1]),
  `a wrong extent` = change(columns, "Dim", c(4L, 300L)),
  `a negative extent` = change(columns, "Dim", c(-4L, 3L)),
  `labels of another length` = change(columns, "Dimnames", list(letters[1:9], NULL))
)

refused <- function(code) {
  inherits(tryCatch(code, error = identity), "ldpcounts_error")
}

test_that("a Matrix with inconsistent slots throws an error in every function", {
  for (name in names(broken_matrices)) {
    x <- broken_matrices[[name]]
    expect_true(refused(privatize(x, epsilon = 1)), info = name)
    expect_true(refused(privatize(x, epsilon = 1, clamp = TRUE)), info = name)
    expect_true(refused(private_counts(x, epsilon = 1)), info = name)
    expect_true(refused(paper_topics(x, 2, iter = 2, progress = FALSE)), info = name)
    expect_true(refused(dp_lda_spectral(x, 2, 1, Inf)), info = name)
  }
})

test_that("an empty table that is too large for memory throws an error", {
  huge <- change(columns, "Dim", c(2147483647L, 3L))
  huge@i <- integer()
  huge@x <- numeric()
  huge@p <- integer(4)
  expect_error(check_extent_memory(dim(huge), "y", NULL, 1e9), class = "ldpcounts_memory_error")
  expect_null(check_extent_memory(c(1000, 1000), "y", NULL, 0)) # never worth asking
  if (memory_free() < 1e11) {
    expect_error(privatize(huge, epsilon = 1), class = "ldpcounts_memory_error")
    expect_error(paper_topics(huge, 2), class = "ldpcounts_memory_error")
  }
  expect_error(with_free_memory(1e9, add_noise(change(huge, "Dim", c(50000L, 50000L)))),
    class = "ldpcounts_memory_error", regexp = "clamp = TRUE"
  )
})

test_that("an edited release throws an error in every function", {
  released <- privatize(counts, epsilon = 1, rng = "R")
  sparse <- privatize(columns, epsilon = 1, clamp = TRUE, rng = "R")
  cube <- privatize(array(1:24, c(4, 3, 2)), epsilon = 1, rng = "R")
  edited <- function(x, field, value) {
    x <- unclass(x)
    x[field] <- list(value)
    structure(x, class = "private_counts")
  }
  broken <- c(
    lapply(broken_matrices[4:11], function(x) edited(sparse, "counts", x)),
    list(
      edited(released, "counts", NULL), edited(released, "counts", "a"), edited(released, "alpha", 1),
      edited(released, "alpha", NaN), edited(released, "alpha", c(0.5, 0.4)), edited(released, "epsilon", -1),
      edited(released, "precision", Inf), edited(released, "s", "1"), edited(released, "rng", "mine"),
      edited(released, "clamped", TRUE), edited(released, "directed", NA),
      edited(sparse, "below", list(cells = 1, size = 2)),
      edited(cube, "columns", list(dim = c(5L, 5L))), edited(released, "version", NULL)
    )
  )
  functions <- list(
    summary, print, dim, as.matrix, function(x) x[1, 1], function(x) write_release(x, tempfile()),
    function(x) paper_topics(x, 2, iter = 2, progress = FALSE)
  )
  for (i in seq_along(broken)) {
    for (f in some_of(functions, 2, 1 + i %% 2)) expect_true(refused(f(broken[[i]])))
  }
  infinite <- edited(released, "counts", replace(as.matrix(released), 1, Inf))
  expect_true(refused(paper_topics(infinite, 2, iter = 2, progress = FALSE)))
})

test_that("objects of a graph class that are no graphs throw errors", {
  skip_if_not_installed("igraph")
  parts <- unclass(igraph::make_ring(5))
  graph <- function(i, value) {
    parts[i] <- list(value)
    structure(parts, class = "igraph")
  }
  broken <- list(
    structure(list(), class = "igraph"), structure("a", class = "igraph"), graph(1, -1), graph(1, "a"),
    graph(2, NA), graph(3, c(0, 99, 1, 2, 3)), graph(4, 1), graph(9, NULL), graph(3, c(0, NaN, 1, 2, 3))
  )
  for (x in broken) expect_true(refused(privatize(x, epsilon = 1, directed = FALSE)))
  expect_false(refused(privatize(structure(parts, class = "igraph"), epsilon = 1, directed = FALSE)))
})

test_that("triplets out of range throw errors", {
  triplet <- function(i, j) {
    structure(list(i = i, j = j, v = c(1, 2), nrow = 3L, ncol = 2L), class = "simple_triplet_matrix")
  }
  expect_false(refused(privatize(triplet(1:2, 1:2), epsilon = 1)))
  for (x in list(triplet(c(1, 9), 1:2), triplet(1:2, c(0, 1)), triplet(1, 1:2), triplet(c(NA, 1), 1:2))) {
    expect_true(refused(privatize(x, epsilon = 1)))
  }
})

# --- fits ----------------------------------------------------------------------------------------

# `x` with `value` in the place of its part at `path`, whatever classes are on the way.
edited <- function(x, path, value) {
  kept <- attributes(x)
  parts <- unclass(x)
  parts[path[1]] <- list(if (length(path) > 1) edited(parts[[path[1]]], path[-1], value) else value)
  attributes(parts) <- kept
  parts
}

part_of <- function(x, path) Reduce(function(x, name) unclass(x)[[name]], path, x)

# A few of the edits that tests/fuzz/fits.R makes.
wrongly <- list(
  absent = function(x) NULL, empty = function(x) x[0], short = function(x) x[-1], text = function(x) "a",
  nan = function(x) replace(x, length(x), NaN), infinite = function(x) replace(x, 1, Inf),
  negative = function(x) replace(x, 1, -1), `other dims` = function(x) array(x, c(1, length(x)))
)

asked_of_fits <- list(
  print = function(fit) capture.output(print(fit)), summary = summary, fitted = fitted, coef = coef,
  augment = augment, plot = plot,
  update = function(fit) update(fit, iter = 2, progress = FALSE), matrix = as.matrix, simulate = simulate,
  density = function(fit) held_out_density(fit, counts, cbind(1, 1))
)

# What else can be edited in a fit ends in an error or a value, never in the end of R: tests/fuzz/fits.R.
test_that("a fit of another class or version, or with other draws than its run has, is an error", {
  set.seed(901)
  release <- privatize(counts, epsilon = 1)
  step <- function(state, y) list(state = c(rate = mean(y)), mu = matrix(mean(y) + 1, 4, 3))
  fits <- list(
    paper_topics(release, 2, family = "nbinom1", iter = 4, chains = 2, progress = FALSE),
    paper_topics(release, 2, inference = "cavi", iter = 4, progress = FALSE),
    private_gibbs(counts, step, list(state = c(rate = 1), mu = matrix(1, 4, 3)), iter = 4)
  )
  for (i in seq_along(fits)) {
    fit <- fits[[i]]
    first <- c("draws", names(fit$draws)[1])
    broken <- c(
      lapply(c("absent", "empty", "text", "short", "other dims"), function(edit) {
        edited(fit, first, wrongly[[edit]](part_of(fit, first)))
      }),
      lapply(list("draws", c("run", "kept"), c("run", "chains"), "version"), edited, x = fit, value = NULL),
      list(edited(fit, c("run", "kept"), .Machine$integer.max), edited(fit, "version", 99)),
      list(structure(unclass(fit), class = c("regression", "ldp_fit")))
    )
    # a third of the methods for each fit, so that each edit meets every method
    for (j in seq_along(broken)) for (name in some_of(names(asked_of_fits), 3, 1 + (i + j) %% 3)) {
      expect_error(asked_of_fits[[name]](broken[[j]]))
    }
    renamed <- stats::setNames(unclass(fit), letters[seq_along(fit)])
    expect_error(summary(structure(renamed, class = class(fit))), class = "ldpcounts_fit_error")
    names(fit)[match("data", names(fit))] <- "counts"
    expect_error(summary(fit), class = "ldpcounts_fit_error")
  }
})

test_that("an edited chain is not continued", {
  set.seed(902)
  release <- privatize(counts, epsilon = 1)
  last <- function(fit, path, edit) {
    fit$chains[[1]] <- edited(fit$chains[[1]], path, edit(part_of(fit$chains[[1]], path)))
    tryCatch(update(fit, iter = 2, progress = FALSE), error = identity)
  }
  bessel <- paper_topics(release, 2, scheme = "bessel", iter = 4, progress = FALSE)
  for (edit in wrongly[names(wrongly) != "other dims"]) {
    for (path in list(c("factors", "theta"), c("factors", "phi"), c("noise", "g1"), c("noise", "g2"))) {
      expect_s3_class(last(bessel, path, edit), "ldpcounts_fit_error")
    }
  }
})

test_that("an edited variational fit throws an error", {
  set.seed(903)
  network <- counts[, c(1:3, 1)] * (1 - diag(4))
  fit <- paper_blocks(network, 2, family = "nbinom1", inference = "cavi", iter = 4, progress = FALSE)
  q <- function(...) c("chains", 1, "q", ...)
  for (path in list(c("theta", "counts"), c("excess", "shown"), c("excess", "divergence"))) {
    broken <- fit
    names(broken$chains) <- 1
    broken <- edited(broken, q(path), part_of(broken, q(path))[-1])
    expect_error(update(broken, iter = 2, progress = FALSE), class = "ldpcounts_fit_error")
  }
})

test_that("an edited checkpoint throws an error", {
  file <- tempfile(fileext = ".rds")
  go <- function() {
    set.seed(904)
    paper_topics(privatize(counts, epsilon = 1, rng = "R"), 2, iter = 6, progress = FALSE, checkpoint = file)
  }
  go()
  whole <- readRDS(file)
  names(whole$state$chains) <- 1
  paths <- list(
    "draws", c("draws", "theta"), "sweep", "kept", "log_density", "chains", c("chains", 1, "factors", "phi"),
    c("chains", 1, "stream")
  )
  for (path in paths) {
    for (edit in wrongly[c("absent", "empty", "text", "short")]) {
      at <- c("state", path)
      saveRDS(edited(whole, at, edit(part_of(whole, at))), file)
      expect_error(go(), class = "ldpcounts_checkpoint_error")
    }
  }
  saveRDS(edited(whole, "fingerprint", "a"), file)
  expect_error(go(), class = "ldpcounts_checkpoint_error")
})

test_that("kernels check the type and length of buffers", {
  cells <- make_cells(counts, rep(0.5, 4))
  factors <- list(theta = matrix(1, 2, 4), phi = matrix(1, 2, 3))
  prior <- list(theta = gamma_prior(), phi = gamma_prior())
  sweep <- function(cells, factors, prior) one_chain(topics_model, cells, factors, NULL, prior, 1L)
  expect_identical(names(sweep(cells, factors, prior)$factors), c("theta", "phi"))
  refused_by_kernel <- function(...) expect_error(sweep(...), class = "ldpcounts_fit_error")
  for (path in list(
    "dim", "y_tilde", "alpha", c("active", "start"), c("active", "index"), c("missing", "start"),
    c("active_t", "index")
  )) {
    for (edit in wrongly[c("absent", "short", "text", "negative")]) {
      value <- edit(part_of(cells, path))
      if (path[1] == "y_tilde" && length(value) == length(cells$y_tilde)) next # -1 is a count
      refused_by_kernel(edited(cells, path, value), factors, prior)
    }
  }
  for (name in names(factors)) {
    for (edit in wrongly) refused_by_kernel(cells, edited(factors, name, edit(factors[[name]])), prior)
  }
  for (edit in wrongly[names(wrongly) != "other dims"]) {
    refused_by_kernel(cells, factors, edited(prior, c("theta", "rate"), edit(1)))
  }
})

# --- what tests/fuzz has found -------------------------------------------------------------------

test_that("errors for arguments are those of the package, not of base R", {
  counts <- matrix(rpois(24, 2), 6)
  released <- privatize(counts, epsilon = 1, rng = "R")
  wide <- Matrix::sparseMatrix(i = 1, j = 1, x = 1, dims = c(2e5, 2e5)) # 320 GB with all its zeros
  no_topics <- structure(list(), class = "dp_lda")
  refused <- function(code) expect_error(code, class = "ldpcounts_error")
  refused(mae(wide, wide))
  refused(coherence(wide, counts))
  refused(coherence(no_topics, counts))
  refused(top_terms(no_topics))
  refused(elbo(structure(1, class = c("topic_model", "ldp_fit"))))
  refused(private_gibbs(released, function(state, y) list(state = 1, mu = y + 1), function() stop("{no}")))
  set.seed(1)
  topics <- dp_lda_vi(counts, 2, 1, 1, Inf, 0, lmax = 5, clip = 1, iter = 2, rng = "R")
  refused(rtwogeom(wide, 0.5)) # a draw for each cell of it
  refused(simulate_blocks(rate = 1e-308))
  refused(paper_topics(released, 2, prior = structure(list(), class = "gamma_prior")))
  no_rate <- structure(list(), class = "gamma_prior")
  no_rate <- structure(list(shape = 1, rate = no_rate), class = "gamma_prior")
  refused(paper_topics(released, 2, prior = no_rate))
  refused(paper_topics(released, 2, prior = list(theta = gamma_prior(), phi = no_rate)))
  refused(gamma_prior(1, rate = structure(1, class = "gamma_prior")))
  no_shapes <- structure(list(), class = "beta_prior")
  refused(paper_topics(released, 2, family = "nbinom1", dispersion_prior = no_shapes))
  for (columns in list(list(a = 1:3, b = 1), list(a = factor(1:3), b = factor(1)))) {
    refused(privatize(structure(columns, class = "data.frame", row.names = 1:3), epsilon = 1))
    refused(paper_topics(structure(columns, class = "data.frame"), 2))
  }
  refused(released[c(1, -1), ])
  refused(simulate(paper_topics(released, 2, iter = 4), seed = 1e10))
  refused(paper_topics(released, 2, family = quote(x)))
  refused(dp_lda_spectral(counts + 1, 2, 1e308, Inf))
  refused(dp_lda_spectral(counts + 1, 2, 1, epsilon = 1, delta = 1e-310, config = "1"))
  refused(compare_privacy(counts, 2, 1, local = structure(list(), class = "gamma_prior")))
  refused(compare_privacy(counts[, 1, drop = FALSE], 2, 1))
  # not by expect_error(), whose trace asks the object for its length
  odd <- tryCatch(topic_model(counts, 2, dispersion_by = structure("a", class = "igraph")), error = identity)
  expect_s3_class(odd, "ldpcounts_argument_error")
  refused(topic_model(counts, structure(1:2, class = "igraph")))
  refused(topic_model(counts, 2, iter = 4, checkpoint = structure(letters, class = "igraph")))
  refused(as_draws_matrix(structure(list(version = 1), class = c("block_model", "ldp_fit_gibbs", "ldp_fit"))))
  # shapes are compared before 7 GB are asked for
  refused(poisson_kl(Matrix::sparseMatrix(i = 1, j = 1, x = 1, dims = c(30000, 30000)), counts))
  weak <- suppressWarnings(private_counts(counts, epsilon = 1e300))
  refused(privatize(weak, epsilon = 1, compose = TRUE))
})

test_that("leave-one-out needs more than one draw", {
  skip_if_not_installed("loo")
  counts <- matrix(rpois(24, 2), 6)
  one <- paper_topics(counts, 2, iter = 1, warmup = 0)
  expect_error(loo::loo(one), class = "ldpcounts_argument_error")
  compared <- quietly(compare_k(counts, 1:2, iter = 1, warmup = 0, chains = 1))
  expect_true(all(is.na(compared$loo)) && all(is.finite(compared$held_out)))
})
