# Does a comparison find the planted number of components? For test-choose.R and bench/choose.R.

# D x V counts of mean 1 with K planted components.
planted_counts <- function(D, V, K, shape = 0.3) {
  theta <- matrix(stats::rgamma(D * K, shape), D)
  phi <- matrix(stats::rgamma(K * V, shape), K)
  mu <- theta %*% phi
  matrix(stats::rpois(D * V, mu / mean(mu)), D)
}

# What is chosen, best and by the rule of one standard error, from the truth, from a release at
# epsilon/N of 2 (clamped, so that private and naive scores are of the same numbers), and from that
# release with its noise ignored; with a prior of shape 0.3. A row per score.
choose_planted <- function(seed, K = 4, k = 1:7, iter = 300, loo_cells = 3000, naive = TRUE) {
  set.seed(seed)
  y <- planted_counts(300, 200, K)
  released <- ldpcounts::privatize(y, epsilon = 2, rng = "R", clamp = TRUE)
  cells <- ldpcounts::holdout_cells(y)$cells
  chosen <- function(analysis, data, ..., loo_cells = 0) {
    compared <- ldpcounts::compare_k(data, k, cells = cells, iter = iter, thin = iter %/% 300, ...,
      prior = ldpcounts::gamma_prior(0.3, NULL), loo_cells = loo_cells
    )
    data.frame(seed = seed, analysis = analysis, summary(compared))
  }
  rbind(
    chosen("non-private", y),
    chosen("private", released, loo_cells = loo_cells),
    if (naive) chosen("naive", released, noise = "ignore")
  )
}
