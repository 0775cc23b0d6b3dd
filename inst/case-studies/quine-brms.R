# Regression of noised counts with brms: what do the same regressions of true counts, of released counts that
# are modelled with their noise, and of released counts that are taken for true counts say? The counts are the
# days that 146 children were absent from school in a year, MASS::quine. For the tables of
# vignette("regression").
#
# `precision` 5 protects five days of a child's record. A "private" regression accounts for the noise, a
# "naive" one sets negative counts to zero and ignores the noise, and the "non-private" one is of true counts
# (epsilon Inf). The last two are the same model with alpha = 0. Each unit compiles one model, which takes
# minutes, and has all levels of one family.

settings <- list(
  seed = 11000, precision = 5, epsilon = c(2, 1, 0.5), chains = 2, warmup = 500, iter = 2500, level = 0.9
)

units <- data.frame(repetition = 1, family = c("nbinom1", "poisson"), stringsAsFactors = FALSE)

run_unit <- function(unit, settings) {
  released <- release_days(settings)
  use_system_boost()
  model <- compile_model(unit$family)
  days <- MASS::quine$Days
  rows <- summarise_fit(model, days, 0, settings, method = "non-private", epsilon = Inf)
  for (epsilon in settings$epsilon) {
    alpha <- privacy(released[[as.character(epsilon)]])$alpha
    noised <- as.numeric(released[[as.character(epsilon)]])
    rows <- rbind(rows,
      summarise_fit(model, noised, alpha, settings, method = "private", epsilon = epsilon),
      summarise_fit(model, pmax(noised, 0), 0, settings, method = "naive", epsilon = epsilon)
    )
  }
  rows
}

# The released days of absence at each level: a list of vectors, named by epsilon.
release_days <- function(settings) {
  released <- lapply(settings$epsilon, function(epsilon) {
    privatize(MASS::quine$Days, epsilon, precision = settings$precision, rng = "R")
  })
  stats::setNames(released, settings$epsilon)
}

# rstan needs the headers of Boost, which may come from the system and not from package BH.
use_system_boost <- function() {
  of_system <- file.path("/usr", "include")
  if (!nzchar(system.file("include", "boost", package = "BH")) && dir.exists(file.path(of_system, "boost"))) {
    rstan::rstan_options(boost_lib = of_system)
  }
}

compile_model <- function(family) {
  private <- if (family == "poisson") brms_private_poisson() else brms_private_nbinom1()
  prior <- c(brms::set_prior("normal(2, 2)", class = "Intercept"), brms::set_prior("normal(0, 2)", class = "b"))
  if (family == "nbinom1") prior <- c(prior, brms::set_prior("gamma(2, 0.1)", class = "dispersion"))
  brms::brm(y_tilde | vreal(alpha) ~ Eth + Sex + Age + Lrn,
    data.frame(MASS::quine, y_tilde = MASS::quine$Days, alpha = 0),
    family = private$family, stanvars = private$stanvars, prior = prior, chains = 0, silent = 2
  )
}

# One row per coefficient: posterior mean, standard deviation and interval.
summarise_fit <- function(model, counts, alpha, settings, ...) {
  fit <- stats::update(model,
    newdata = data.frame(MASS::quine, y_tilde = counts, alpha = alpha), recompile = FALSE,
    chains = settings$chains, iter = settings$iter, warmup = settings$warmup, refresh = 0, silent = 2,
    seed = sample.int(1e6, 1)
  )
  draws <- posterior::subset_draws(posterior::as_draws(fit), variable = c("^b_", "dispersion"), regex = TRUE)
  tail <- (1 - settings$level) / 2
  one <- posterior::summarise_draws(draws, "mean", "sd", "rhat", "ess_bulk", ~ quantile(.x, c(tail, 1 - tail)))
  names(one)[1] <- "term"
  numbers <- data.frame(lapply(one[-1], function(x) signif(as.numeric(x), 4)))
  names(numbers) <- c("mean", "sd", "rhat", "ess", "lower", "upper")
  data.frame(..., term = sub("^b_", "", one$term), numbers)
}
