# Results do not depend on the number of threads, nor on whether chains or rows share them. In small here; the
# long version takes other sizes, and a plan of two workers.

NUMBERS <- if (EXTENDED) c(1, 2, 3, 8) else c(1, 3)
ITERATIONS <- if (EXTENDED) 4 else 2

with_each <- function(n_threads, code) {
  code <- substitute(code)
  frame <- parent.frame()
  before <- ldp_threads()
  on.exit(ldp_threads(before))
  unique(vapply(n_threads, function(n) {
    ldp_threads(n)
    rlang::hash(eval(code, frame))
  }, ""))
}

drawn <- function(fit) fit[c("draws", "log_density", "chains")]

# Enough cells that rows are shared among threads, in more parts than there are threads.
large_release <- function(dim, missing = TRUE, network = FALSE, levels = 1) {
  set.seed(23)
  counts <- array(rpois(prod(dim), 2), dim)
  if (network) counts[diag(dim[1]) == 1] <- 0
  release <- privatize(counts, epsilon = rep_len(levels, dim[1]), precision = 1, rng = "R")
  if (missing) is.na(release) <- do.call(cbind, lapply(dim, function(n) sample.int(n, 60, TRUE)))
  release
}

fits <- list(
  topics = function(iter) {
    release <- large_release(c(190, 150), levels = c(0.5, 1, 2))
    for_each_family(function(family) topic_model(release, 3, family = family, iter = iter, chains = 1))
  },
  rows = function(iter) {
    topic_model(large_release(c(170, 150)), 3, dispersion_by = "row", iter = iter, chains = 1)
  },
  bessel = function(iter) {
    release <- large_release(c(170, 150))
    topic_model(release, 3, family = "poisson", scheme = "bessel", iter = iter, chains = 1)
  },
  tokens = function(iter) {
    release <- large_release(c(300, 250), levels = c(0.5, 1, 2))
    network <- large_release(c(280, 280), FALSE, TRUE)
    for_each_family(function(family) {
      fit <- topic_model(release, 3, family = family, scheme = "tokens", iter = iter, chains = 1)
      blocks <- block_model(network, 3,
        family = family, scheme = "tokens", init = "random", iter = iter, chains = 1
      )
      list(draws = list(fit$draws, blocks$draws), log_density = fit$log_density)
    })
  },
  network = function(iter) {
    release <- large_release(c(180, 180), FALSE, TRUE)
    for_each_family(function(family) block_model(release, 3, family = family, iter = iter, chains = 1))
  },
  tensor = function(iter) {
    release <- large_release(c(60, 25, 20))
    # a search for a start would take longer than the sweeps
    init <- lapply(c(theta1 = 60, theta2 = 25, theta3 = 20), function(n) matrix(rgamma(2 * n, 1), n))
    for_each_family(function(family) {
      tensor_model(release, 2, family = family, init = init, iter = iter, chains = 1)
    })
  },
  chains = function(iter) topic_model(large_release(c(60, 50)), 3, iter = 10 * iter, chains = 3)
)

# Variational inference, from random starts: some iterations of each model and scheme.
cavi <- function(model, ..., iter) model(..., inference = "cavi", init = "random", iter = iter)

cavi_fits <- list(
  topics = function(iter) {
    release <- large_release(c(190, 150), levels = c(0.5, 1, 2))
    for_each_family(function(family) cavi(topic_model, release, 3, family = family, chains = 2, iter = iter))
  },
  rows = function(iter) cavi(topic_model, large_release(c(170, 150)), 3, dispersion_by = "row", iter = iter),
  augmented = function(iter) {
    release <- large_release(c(170, 150))
    lapply(c("bessel", "delta"), function(scheme) {
      cavi(topic_model, release, 3, family = "poisson", scheme = scheme, iter = iter)
    })
  },
  network = function(iter) {
    release <- large_release(c(180, 180), FALSE, TRUE)
    for_each_family(function(family) cavi(block_model, release, 3, family = family, iter = iter))
  },
  tensor = function(iter) {
    release <- large_release(c(60, 25, 20), levels = c(0.5, 1, 2))
    for_each_family(function(family) cavi(tensor_model, release, 2, family = family, iter = iter))
  }
)

for_each_family <- function(fit) lapply(c(poisson = "poisson", nbinom1 = "nbinom1"), fit)

digest_of <- function(name, iter, of = fits) {
  set.seed(7)
  fit <- suppressMessages(suppressWarnings(of[[name]](iter)))
  if (inherits(fit, "ldp_fit")) drawn(fit) else lapply(fit, drawn)
}

for (name in names(fits)) {
  test_that(paste("draws are the same on any number of threads:", name), {
    skip_on_cran()
    expect_length(with_each(NUMBERS, digest_of(name, ITERATIONS)), 1)
  })
}

for (name in names(cavi_fits)) {
  test_that(paste("variational inference gives the same on any number of threads:", name), {
    skip_on_cran()
    expect_length(with_each(NUMBERS, digest_of(name, ITERATIONS, cavi_fits)), 1)
  })
}

test_that("draws are the same on 1, 2, 3 and 8 threads, in longer runs", {
  extended_only()
  for (name in names(fits)) expect_length(with_each(c(1, 2, 3, 8), digest_of(name, 60)), 1)
  for (name in names(cavi_fits)) expect_length(with_each(c(1, 2, 3, 8), digest_of(name, 60, cavi_fits)), 1)
})

test_that("densities and summaries of true counts are the same on any number of threads", {
  release <- large_release(c(60, 50))
  set.seed(1)
  fit <- suppressMessages(topic_model(release, 2, iter = if (EXTENDED) 40 else 20, chains = 2, progress = FALSE))
  expect_length(with_each(NUMBERS, suppressWarnings(suppressMessages(loo::loo(fit)$pointwise))), 1)
  expect_length(with_each(NUMBERS, suppressMessages(augment(fit))), 1)
})

test_that("a regression is the same on any number of threads", {
  skip_if_not_installed("mgcv")
  set.seed(1)
  d <- data.frame(x = rnorm(1500), alpha = rep(c(0.3, 0.7, 0.9), 500))
  d$y_tilde <- rpois(1500, exp(1 + d$x / 2)) + rtwogeom(1500, d$alpha)
  fitted_by <- function(family) {
    fit <- mgcv::gam(y_tilde ~ x, family = family, data = d)
    list(coef(fit), vcov(fit), fit$deviance)
  }
  expect_length(with_each(NUMBERS, fitted_by(private_poisson(alpha))), 1)
  expect_length(with_each(NUMBERS, fitted_by(private_nbinom1(alpha))), 1)
})

test_that("predictions of new rows are the same on any number of threads", {
  release <- large_release(c(330, 150))
  for (by in c("row", if (EXTENDED) "all")) {
    set.seed(1)
    fit <- suppressWarnings(suppressMessages(topic_model(
      release[1:130, ], 2, dispersion_by = by, prior = gamma_prior(0.5, rate = gamma_prior(2, 1)), iter = 20
    )))
    predicted <- function() {
      set.seed(2)
      predict(fit, release[131:330, ], draws = 5, sweeps = 2)
    }
    expect_length(with_each(NUMBERS, predicted()), 1)
  }
})

test_that("ldp_threads() sets and returns a number of threads", {
  default <- ldp_threads()
  expect_gte(default, 1L)
  expect_identical(ldp_threads(3), default)
  expect_false(withVisible(ldp_threads(3))$visible)
  expect_identical(ldp_threads(), 3L)
  ldp_threads(0)
  expect_identical(ldp_threads(), default_threads())
  for (wrong in list(-1, 1.5, "2", NULL, c(1, 2), NA)) {
    expect_error(ldp_threads(wrong), "`n` must be", class = "ldpcounts_argument_error")
  }
  expect_identical(with_threads(1L, ldp_threads()), 1L)
  expect_identical(ldp_threads(), default_threads())
})

test_that("checks and forked processes use few threads", {
  old <- Sys.getenv("_R_CHECK_LIMIT_CORES_", NA)
  Sys.setenv("_R_CHECK_LIMIT_CORES_" = "TRUE")
  on.exit(if (is.na(old)) Sys.unsetenv("_R_CHECK_LIMIT_CORES_") else Sys.setenv("_R_CHECK_LIMIT_CORES_" = old))
  expect_lte(default_threads(), 2L)
  skip_on_os("windows")
  before <- ldp_threads(2)
  on.exit(ldp_threads(before), add = TRUE)
  release <- large_release(c(60, 50))
  fit_once <- function(i) {
    set.seed(3)
    fit <- suppressMessages(topic_model(release, 2, iter = 10, chains = 2, progress = FALSE))
    list(rlang::hash(drawn(fit)), ldp_threads())
  }
  here <- fit_once(1) # the threads of this process exist before it is forked
  there <- parallel::mclapply(1:2, fit_once, mc.cores = 2)
  expect_identical(unique(lapply(there, `[[`, 1)), here[1])
  expect_identical(unique(lapply(there, `[[`, 2)), list(1L))
})

test_that("the number of threads has a limit that depends on the cores", {
  before <- ldp_threads()
  on.exit(ldp_threads(before))
  most <- max(64, 4 * parallel::detectCores(), na.rm = TRUE)
  ldp_threads(64)
  expect_identical(ldp_threads(), 64L)
  expect_refused(ldp_threads(most + 4000), paste("`n` must be one whole number from 0 to", most))
  expect_identical(ldp_threads(), 64L)
})
