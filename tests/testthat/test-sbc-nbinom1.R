# The negative binomial family draws from the posterior, dispersion included. Extended: three minutes.
# 1 - 1/dispersion has mean 6/7, near the alphas: large bursts.

topics_priors <- list(theta = gamma_prior(0.8, 1), phi = gamma_prior(0.7, 0.5))
blocks_priors <- list(theta = gamma_prior(0.9, 1), pi = gamma_prior(0.8, 0.7))

for (by in c("all", "row")) {
  family <- list(name = "nbinom1", prior = beta_prior(12, 2), by = by)
  test_that(paste("topics of overdispersed counts are calibrated, a dispersion by", by), {
    extended_only()
    expect_calibrated(
      topics_model, c(4, 6), 2, topics_priors, c(0.7, 0.86, 0.8, 0.9), some_missing(c(4, 6)),
      "collapsed", 234, replicates = 1200, family = family
    )
  })
  test_that(paste("blocks of overdispersed counts are calibrated, a dispersion by", by), {
    extended_only()
    expect_calibrated(
      blocks_model, c(5, 5), 2, blocks_priors, c(0.7, 0.86, 0.8, 0.9, 0.85), some_missing(c(5, 5)),
      "collapsed", 235, replicates = 1200, family = family
    )
  })
}

test_that("topics with a dispersion for each column, estimated shapes and levels by row are calibrated", {
  extended_only()
  shapes <- list(theta = gamma_prior(gamma_prior(8, 10), 1), phi = gamma_prior(gamma_prior(8, 10), gamma_prior(3, 3)))
  for (priors in list(topics_priors, shapes)) {
    expect_calibrated(
      topics_model, c(4, 6), 2, priors, c(0.3, 0.6, 0.5, 0.7), some_missing(c(4, 6)), "collapsed", 239,
      replicates = 1200, family = list(name = "nbinom1", prior = beta_prior(6, 4), by = "column")
    )
  }
})
