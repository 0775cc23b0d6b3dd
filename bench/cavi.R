# Variational inference (inference = "cavi") beside Gibbs: poliblog, k = 10, three seeds a level of
# privacy, priors of shape 0.3. Bounds that starts end at, error of the mean counts, and cost in processor time.
source("bench/common.R")

y <- as.matrix(poliblog)
k <- 10
last <- function(fit) utils::tail(elbo(fit), 1)
error <- function(fit) poisson_kl(fitted(fit), y)
numbers <- function(x, digits) paste(formatC(x, digits = digits, format = "f"), collapse = " ")
say <- function(what, x, digits = 4) cat(sprintf("%-44s %s\n", what, numbers(x, digits)))

# Of the augmentation every cell takes part in every pass, which is what takes time here.
of_seed <- function(epsilon, seed) {
  set.seed(seed)
  released <- privatize(y, epsilon = epsilon, rng = "R")
  fit <- function(...) {
    set.seed(seed)
    topic_model(released, k, prior = gamma_prior(0.3, NULL), ...)
  }
  cat(sprintf("epsilon/N of %g, seed %d\n", epsilon, seed))
  sweeps <- timed(gibbs <- fit(iter = 600, thin = 3))
  whole <- timed(cavi <- fit(inference = "cavi"))
  random <- fit(inference = "cavi", init = "random", chains = 5)
  say("bound from the default start", last(cavi), 0)
  say("the best of five random starts, less that", last(random) - last(cavi), 0)
  say("Poisson KL, Gibbs (600 sweeps)", error(gibbs))
  say("Poisson KL, CAVI; over Gibbs'", c(error(cavi), error(cavi) / error(gibbs)))
  say("  the best of five random starts", error(random))
  say("  naive CAVI", error(fit(inference = "cavi", noise = "ignore")))
  say("passes from the default start", cavi$run$passes, 0)
  say("a fit from the default start / 600 sweeps", whole / sweeps, 2)
  bessel <- fit(inference = "cavi", scheme = "bessel")
  say("the augmentation's bound, less the collapsed", last(bessel) - last(cavi), 0)
  say("Poisson KL and MAE, collapsed", c(error(cavi), mae(fitted(cavi), y)))
  say("  bessel, exact", c(error(bessel), mae(fitted(bessel), y)))
}

for (epsilon in c(2, 1)) {
  cat(sprintf("epsilon/N of %g\n", epsilon))
  set.seed(1)
  counts <- as.matrix(privatize(y, epsilon = epsilon, rng = "R"))
  say("a pass / a sweep", pass_over_sweep(prepare(ldpcounts:::topics_model, counts, k, epsilon)), 2)
}
cat(sprintf("Poisson KL of the mean count alone: %.4f\n", poisson_kl(0 * y + mean(y), y)))
for (seed in 1:3) for (epsilon in c(2, 1)) of_seed(epsilon, seed)
