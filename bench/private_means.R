# Do 90 % intervals of private_means() and of augment(by = ) cover nine times in ten, and which estimate of a
# group mean has the smallest error? These are the numbers in ?private_means. Takes five minutes. To run one
# of the three parts: Rscript bench/private_means.R design (or model, or errors).
source("bench/common.R")

PARTS <- commandArgs(TRUE)
if (length(PARTS) == 0) PARTS <- c("design", "model", "errors")

LEVEL <- 0.9
EPSILON <- 1
FITS <- 60 # per family
SURVEYS <- 500

noised <- function(y) private_counts(y + noise(length(y)), alpha = exp(-EPSILON))
noise <- function(n) rgeom(n, 1 - exp(-EPSILON)) - rgeom(n, 1 - exp(-EPSILON))
inside <- function(truth, low, high) mean(truth >= low & truth <= high)

# --- design-based -------------------------------------------------------------------------------

# Overdispersed counts of people in three groups (of different sizes), about 12 items. Persons differ too.
# `mean`: the expected count per group and item, the same in all surveys.
set.seed(1)
MEAN <- matrix(rgamma(36, 1, 0.5), 3)
people <- function(n) {
  group <- sample(3, n, TRUE, c(0.5, 0.3, 0.2))
  y <- matrix(rnbinom(12 * n, 1, mu = rgamma(n, 2, 2) * MEAN[group, ]), n)
  list(group = factor(group), y = y)
}

# Coverage of means, totals and differences in one survey: rows, and columns of `truth` by group, agree.
covered <- function(x, survey, truth, ...) {
  found <- private_means(x, survey$group, ..., differences = TRUE, level = LEVEL)
  pairs <- combn(3, 2)
  truth <- c(t(rbind(truth, truth[pairs[2, ], ] - truth[pairs[1, ], ])))
  hit <- truth >= found$conf.low & truth <= found$conf.high
  tapply(hit, found$quantity == "difference", mean)
}

DESIGNS <- list(
  "very large population, means" = function() {
    s <- people(300)
    covered(noised(s$y), s, MEAN)
  },
  "population of 600, means" = function() {
    all <- people(600)
    at <- sample(600, 300)
    s <- lapply(all, function(x) if (is.matrix(x)) x[at, ] else x[at])
    covered(noised(s$y), s, rowsum(all$y, all$group) / as.vector(table(all$group)), population = 600)
  },
  "population of 600, totals" = function() {
    all <- people(600)
    at <- sample(600, 300)
    s <- lapply(all, function(x) if (is.matrix(x)) x[at, ] else x[at])
    covered(noised(s$y), s, rowsum(all$y, all$group), population = 600, what = "totals")
  },
  "strata, 100 of each group, means" = function() {
    all <- people(1200)
    at <- unlist(lapply(split(1:1200, all$group), sample, 100))
    s <- lapply(all, function(x) if (is.matrix(x)) x[at, ] else x[at])
    size <- c(table(all$group))
    covered(noised(s$y), s, rowsum(all$y, all$group) / size, population = size)
  },
  "unequal probabilities, means" = function() {
    all <- people(4000)
    chance <- ifelse(rowSums(all$y) > median(rowSums(all$y)), 0.11, 0.04)
    at <- which(runif(4000) < chance)
    s <- lapply(all, function(x) if (is.matrix(x)) x[at, ] else x[at])
    covered(noised(s$y), s, rowsum(all$y, all$group) / as.vector(table(all$group)), weights = 1 / chance[at])
  },
  "everybody (population of 300), means" = function() {
    s <- people(300)
    covered(noised(s$y), s, rowsum(s$y, s$group) / as.vector(table(s$group)), population = 300)
  },
  "very large population, means, groups of 15, 9 and 6" = function() {
    s <- people(300)
    at <- unlist(Map(function(rows, n) rows[seq_len(n)], split(1:300, s$group), c(15, 9, 6)))
    s <- lapply(s, function(x) if (is.matrix(x)) x[at, ] else x[at])
    covered(noised(s$y), s, MEAN)
  }
)

if ("design" %in% PARTS) {
  cat(sprintf("Coverage of 90 %% intervals of private_means(), %d surveys, epsilon %g\n", SURVEYS, EPSILON))
}
for (design in names(DESIGNS)[rep("design" %in% PARTS, length(DESIGNS))]) {
  set.seed(2)
  hits <- replicate(SURVEYS, DESIGNS[[design]]())
  cover <- 100 * rowMeans(hits)
  cat(sprintf("%-52s %5.1f %%  (differences %5.1f %%)\n", design, cover[1], cover[2]))
}

# --- model-based --------------------------------------------------------------------------------

PEOPLE <- 150
DRAWS <- 200
short_fit <- function(..., iter = 800, prior = gamma_prior(0.3, NULL)) {
  suppressWarnings(topic_model(..., prior = prior, k = 3, chains = 1, iter = iter))
}

# Data from the model and its prior, with the coverage of totals by item, and over all items.
from_model <- function(family) {
  theta <- matrix(rgamma(PEOPLE * 3, 1), PEOPLE)
  phi <- matrix(rgamma(3 * 12, 1), 3)
  mu <- theta %*% phi
  excess <- if (family == "nbinom1") 1 / runif(1) - 1
  y <- if (family == "nbinom1") rnbinom(length(mu), mu / excess, mu = mu) else rpois(length(mu), mu)
  y <- matrix(y, PEOPLE)
  group <- sample(3, PEOPLE, TRUE)
  x <- noised(y)
  fit <- short_fit(x, family = family, prior = gamma_prior(1, 1))
  items <- augment(fit, by = group, level = LEVEL, draws = DRAWS)
  all <- augment(fit, by = group, items = "all", level = LEVEL, draws = DRAWS)
  plain <- private_means(x, group, population = PEOPLE, what = "totals", level = LEVEL)
  by_item <- c(t(rowsum(y, group)))
  c(
    items = inside(by_item, items$lower, items$upper),
    all = inside(c(rowsum(rowSums(y), group)), all$lower, all$upper),
    width = mean(items$upper - items$lower) / mean(plain$conf.high - plain$conf.low)
  )
}

if ("model" %in% PARTS) {
  cat(sprintf("\nCoverage of 90 %% intervals of augment(by = ), %d data sets, %d x 12\n", FITS, PEOPLE))
}
for (family in c("poisson", "nbinom1")[rep("model" %in% PARTS, 2)]) {
  set.seed(3)
  hits <- rowMeans(replicate(FITS, from_model(family)))
  cat(sprintf("%-10s by item %.3f, over all items %.3f; length, private_means() = 1: %.2f\n",
    family, hits[["items"]], hits[["all"]], hits[["width"]]))
}

# --- errors -------------------------------------------------------------------------------------

# Root mean squared errors, and biases, of estimates of the mean true count of a group in the release, and the
# coverage of intervals (population = number of rows: noise is the only source of error).
errors_of <- function(make, size, seed, surveys = 8) {
  set.seed(seed)
  each <- replicate(surveys, {
    y <- make()
    group <- if (is.list(y)) y$group else sample(3, nrow(y), TRUE)
    if (is.list(y)) y <- y$y
    group <- factor(group)
    if (size < Inf) { # one group of a few people, and all others
      group <- factor(ifelse(seq_along(group) %in% which(group == 1)[seq_len(size)], 1, 2))
    }
    few <- if (size < Inf) 1 else seq_len(nlevels(group))
    x <- noised(y)
    fit <- short_fit(x, iter = 500)
    n <- as.vector(table(group))
    truth <- rowsum(y, group) / n
    by_group <- function(values) matrix(values, length(n), byrow = TRUE)[few, ]
    plain <- private_means(x, group, population = nrow(y), level = LEVEL)
    model <- augment(fit, by = group, level = LEVEL, draws = DRAWS)
    estimates <- list(
      plain = by_group(plain$estimate), model = by_group(model$mean) / n[few],
      fitted = (rowsum(fitted(fit), group) / n)[few, ]
    )
    truth <- truth[few, ]
    c(
      vapply(estimates, function(x) mean((x - truth)^2), 0),
      bias = vapply(estimates, function(x) sum(x) / sum(truth) - 1, 0),
      cover = c(
        plain = inside(truth, by_group(plain$conf.low), by_group(plain$conf.high)),
        model = inside(truth * n[few], by_group(model$lower), by_group(model$upper))
      )
    )
  })
  each <- rowMeans(each)
  each[1:3] <- sqrt(each[1:3])
  each
}

low_rank <- function() {
  mu <- matrix(rgamma(900, 0.3), 300) %*% matrix(rgamma(36, 0.3) * 8, 3)
  matrix(rpois(3600, mu), 300)
}

CASES <- list(
  "model right, groups of about 100" = list(low_rank, Inf), "model right, 10 people" = list(low_rank, 10),
  "model wrong, groups of 60 to 150" = list(function() people(300), Inf),
  "model wrong, 10 people" = list(function() people(300), 10)
)

print_errors <- function(case) {
  e <- errors_of(CASES[[case]][[1]], CASES[[case]][[2]], 4)
  cat(sprintf("%-36s %.3f  %.3f  %.3f    %+5.1f  %+5.1f  %+5.1f    %5.1f  %5.1f\n", case,
    e[[1]], e[[2]], e[[3]], 100 * e[[4]], 100 * e[[5]], 100 * e[[6]], 100 * e[[7]], 100 * e[[8]]))
}

if ("errors" %in% PARTS) {
  cat("\nErrors of estimated group means of true counts (topic model, k = 3, shape 0.3): RMSE of the release,\n")
  cat("augment(by = ) and fitted(); their biases in %; coverage of the first two in %\n")
  for (case in names(CASES)) print_errors(case)
}
