# How far estimates of the means are from the truth, over nine noise levels and three sizes of
# counts. Answers the curves of Poisson KL against alpha: for small, middling and large counts, the
# analysis that models the noise against the naive one, which takes the release cut at zero for the
# truth.
#
# The truth is a topic model of D documents and V words, with all factors drawn from a gamma distribution
# under which counts have mean `scale`. `prior` is "true" where the analyses have that distribution for
# their prior, "default" where they have gamma_prior() as it is, and "learned" where its rate is
# random. `noise` is "model", "ignore", or "none" (the true counts, alpha = 0); "mean" is no
# analysis, but the mean of the true mu for every cell.
#
# `kl` is the mean over cells of the Poisson KL of the posterior mean of mu from the true mu, `mae`
# the mean absolute error, `level` the mean of the estimate over that of the truth.

settings <- list(seed = 1000, D = 60, V = 40, k = 3, shape = 0.3, iter = 600)

some_units <- function(noise, alpha, prior) {
  expand.grid(
    repetition = 1:3, noise = noise, alpha = alpha, scale = c(0.2, 1, 5), prior = prior,
    stringsAsFactors = FALSE
  )
}
priors <- c("true", "default", "learned")
units <- rbind(
  some_units("mean", 0, "none"),
  some_units("none", 0, priors),
  some_units(c("model", "ignore"), 1:9 / 10, priors)
)

run_unit <- function(unit, settings) {
  true_prior <- gamma_prior(settings$shape, settings$shape * sqrt(settings$k / unit$scale))
  gamma_factor <- function(n, m) matrix(rgamma(n * m, true_prior$shape, true_prior$rate), n)
  mu <- gamma_factor(settings$D, settings$k) %*% gamma_factor(settings$k, settings$V)
  y <- matrix(rpois(length(mu), mu), nrow(mu))
  estimate <- if (unit$noise == "mean") {
    0 * mu + mean(mu)
  } else {
    analyse(y, unit, settings, true_prior)
  }
  data.frame(
    kl = poisson_kl(estimate, mu), mae = mae(estimate, mu), level = mean(estimate) / mean(mu)
  )
}

analyse <- function(y, unit, settings, true_prior) {
  prior <- switch(unit$prior,
    true = true_prior, default = gamma_prior(), learned = gamma_prior(rate = gamma_prior())
  )
  data <- if (unit$alpha > 0) privatize(y, alpha = unit$alpha, rng = "R") else y
  noise <- if (unit$noise == "ignore") "ignore" else "model"
  fitted(topic_model(data, settings$k,
    family = "poisson", prior = prior, noise = noise, iter = settings$iter, chains = 1, init = "random"
  ))
}
