# How much do the prior and the inference matter? Answers the figure of
# vignettes/articles/studies.Rmd: shapes and rates of the gamma prior, Gibbs and variational
# inference, at two privacy levels.
#
# The truth is semi-synthetic: factors that a topic model has found in political blog posts (the D
# longest, the V most frequent words), every weight multiplied by a gamma number, and counts drawn
# anew. So the weights are like those of real texts, and follow none of the priors.
#
# `budget` is epsilon / N, on which alone the noise depends. `rate` is "one" for the fixed rate of 1,
# "learned" for one with a prior of its own.
#
# `kl` is the mean over cells of the Poisson KL of the posterior mean of mu from the true mu, `level`
# the mean of the estimate over that of the truth, `covered` the share, of 500 cells, of those whose
# true mu is in the central 90 % interval. `kl_mean` is the KL of the mean of the true mu, taken for
# every cell.

settings <- list(seed = 5000, D = 100, V = 60, k = 5, iter = 600)

some_units <- function(shape, inference) {
  expand.grid(
    repetition = 1:10, budget = c(0.3, 2), shape = shape, rate = c("one", "learned"),
    inference = inference, stringsAsFactors = FALSE
  )
}
units <- rbind(some_units(c(0.03, 0.1, 0.3, 1), "gibbs"), some_units(0.1, "cavi"))

run_unit <- function(unit, settings) {
  posts <- order(-rowSums(poliblog))[seq_len(settings$D)]
  words <- order(-colSums(poliblog))[seq_len(settings$V)]
  pilot <- topic_model(poliblog[posts, words], settings$k,
    family = "poisson", prior = gamma_prior(0.1, 1), iter = 100, chains = 1
  )
  truth <- resimulate(pilot)
  prior <- gamma_prior(unit$shape, rate = if (unit$rate == "learned") gamma_prior() else 1)
  released <- privatize(truth$y, epsilon = unit$budget, rng = "R")
  fit <- topic_model(released, settings$k,
    family = "poisson", prior = prior, inference = unit$inference, iter = settings$iter, chains = 1,
    init = if (unit$inference == "gibbs") "random"
  )
  estimate <- fitted(fit)
  data.frame(
    kl = poisson_kl(estimate, truth$mu), level = mean(estimate) / mean(truth$mu),
    covered = share_covered(fit, truth$mu),
    kl_mean = poisson_kl(0 * truth$mu + mean(truth$mu), truth$mu)
  )
}

share_covered <- function(fit, mu) {
  cells <- arrayInd(round(seq(1, length(mu), length.out = 500)), dim(mu))
  draws <- rstantools::posterior_epred(fit, cells = cells)
  ends <- apply(draws, 2, quantile, probs = c(0.05, 0.95))
  mean(ends[1, ] <= mu[cells] & mu[cells] <= ends[2, ])
}
