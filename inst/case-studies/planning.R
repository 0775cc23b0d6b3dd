# How many people, and how much privacy, let groups be recovered? Answers the figure of
# vignettes/articles/studies.Rmd: agreement of estimated groups with the true ones, and Poisson KL of
# the estimated means, against the numbers of people and the noise.
#
# Two designs, each with k groups. "counts": every person reports V counts of mean one, and belongs
# mostly to one of k well separated groups (topics). "network": every person reports how often they
# wrote to each other person; memberships and rates are gamma draws of shape 0.2.
#
# `budget` is epsilon / N, on which alone the noise depends; Inf is the analysis of the true counts.
# Private and naive analyses are of the same release. All have a prior of learned rate, since a
# fixed one pulls estimates to its own mean where there is much noise (noise-levels.R).
#
# `agreement` is the adjusted Rand index of people's main groups, estimated and true: 1 for the same
# groups under whatever labels, 0 in expectation for groups by lot. `kl` is the mean over cells of
# the Poisson KL of the posterior mean of mu from the true mu; that of method "mean" is the KL of
# the mean of the true mu, taken for every cell.

settings <- list(seed = 4000, k = 3, V = 30, words = 30, shape = 0.2, iter = 600)

some_units <- function(design, people) {
  expand.grid(
    repetition = 1:10, people = people, budget = c(0.1, 0.3, 0.5, 1, 2, 4, Inf), design = design,
    stringsAsFactors = FALSE
  )
}
units <- rbind(some_units("counts", c(50, 150, 450)), some_units("network", c(20, 40, 80)))

run_unit <- function(unit, settings) {
  truth <- if (unit$design == "counts") {
    simulate_topics(D = unit$people, V = settings$V, k = settings$k, words = settings$words)
  } else {
    simulate_blocks(V = unit$people, k = settings$k, shape = settings$shape)
  }
  if (unit$budget == Inf) {
    constant <- poisson_kl(0 * truth$mu + mean(truth$mu, na.rm = TRUE), truth$mu)
    return(rbind(
      score("non-private", fit_groups(truth$y, unit, settings), truth),
      data.frame(method = "mean", agreement = 0, kl = constant)
    ))
  }
  released <- privatize(truth$y, epsilon = unit$budget, rng = "R")
  rbind(
    score("private", fit_groups(released, unit, settings), truth),
    score("naive", fit_groups(released, unit, settings, noise = "ignore"), truth)
  )
}

fit_groups <- function(data, unit, settings, ...) {
  model <- if (unit$design == "counts") topic_model else block_model
  model(data, settings$k,
    family = "poisson", prior = gamma_prior(rate = gamma_prior()), iter = settings$iter, chains = 1,
    init = "random", ...
  )
}

score <- function(method, fit, truth) {
  agreement <- adjusted_rand(main_group(coef(fit)$theta), main_group(truth$theta))
  data.frame(method = method, agreement = agreement, kl = poisson_kl(fit, truth$mu))
}

# Of each person the group in which their weight is largest, groups being equally large.
main_group <- function(theta) max.col(sweep(theta, 2, colSums(theta), `/`), ties.method = "first")

# Hubert, L. and Arabie, P. (1985). Comparing partitions. Journal of Classification 2, equation 5.
adjusted_rand <- function(x, y) {
  pairs <- function(counts) sum(choose(counts, 2))
  both <- pairs(table(x, y))
  by_lot <- pairs(table(x)) * pairs(table(y)) / choose(length(x), 2)
  largest <- (pairs(table(x)) + pairs(table(y))) / 2
  if (largest == by_lot) 1 else (both - by_lot) / (largest - by_lot)
}
