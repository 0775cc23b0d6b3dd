# Whether topics come back from documents whose authors chose their own noise. Answers the paper's
# figure on synthetic documents: D = 90 documents, k = 3 well separated topics of V = 15 words, and
# noise levels per document from a beta distribution.
#
# `words` is the mean length of a document and `alpha_mean` the mean noise level. `prior` is
# gamma_prior() as it is ("default"), which expects most words to be rare in a topic, or one that does
# not ("even"): the topics have a shape of 1, and the rate of the documents is learned with all else.
#
# `phi_mae` is the mean absolute error of the topics, put in the order of the true ones; `mu_mae` and
# `mu_kl` are the mean absolute error and the mean Poisson divergence of the means of the counts.

settings <- list(seed = 4000, D = 90, k = 3, V = 15, iter = 1000)

units <- expand.grid(
  repetition = 1:5, alpha_mean = c(0.5, 0.7, 0.9), words = c(20, 100), prior = c("default", "even"),
  stringsAsFactors = FALSE, KEEP.OUT.ATTRS = FALSE
)

run_unit <- function(unit, settings) {
  truth <- simulate_topics(
    D = settings$D, k = settings$k, V = settings$V, words = unit$words, alpha_mean = unit$alpha_mean
  )
  released <- privatize(truth$y, alpha = truth$alpha, rng = "R")
  prior <- switch(unit$prior,
    default = gamma_prior(),
    even = list(theta = gamma_prior(rate = gamma_prior()), phi = gamma_prior(shape = 1))
  )
  errors <- function(method, data, noise = "model") {
    fit <- topic_model(data, settings$k,
      family = "poisson", prior = prior, noise = noise, iter = settings$iter, chains = 1, init = "random"
    )
    data.frame(
      method, phi_mae = signif(mae(align_topics(fit, truth$phi), truth$phi), 4),
      mu_mae = signif(mae(fit, truth$mu), 4), mu_kl = signif(poisson_kl(fit, truth$mu), 4)
    )
  }
  rbind(
    errors("private", released), errors("naive", released, "ignore"), errors("non-private", truth$y)
  )
}
