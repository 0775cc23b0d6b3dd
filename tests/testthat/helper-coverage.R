# How often 90 % intervals cover the truth where the prior or the family is not that of the data. The
# figures are in a table of ?augment.ldp_fit.

# Counts of mean 2, with weights of this gamma shape; overdispersed ones have the variance mu + 2 mu^2, which
# no family of the models has.
coverage_data <- function(shape, overdispersed) {
  theta <- matrix(rgamma(40 * 3, shape), 40)
  phi <- matrix(rgamma(3 * 30, shape), 3)
  mu <- theta %*% phi
  mu <- 2 * mu / mean(mu)
  list(mu = mu, y = matrix(if (overdispersed) rnbinom(1200, size = 0.5, mu = mu) else rpois(1200, mu), 40))
}

coverage_of <- function(fit, data) {
  cells <- augment(fit, level = 0.9)
  total <- quantile(total_draws(fit), c(0.05, 0.95))
  c(
    cells = mean(cells$lower <= data$y & data$y <= cells$upper),
    total = sum(data$mu) >= total[[1]] && sum(data$mu) <= total[[2]]
  )
}

COVERAGE_FITS <- list(
  "poisson, shape 0.1" = list(family = "poisson", prior = gamma_prior()),
  "nbinom1, shape 0.1" = list(family = "nbinom1", prior = gamma_prior(rate = gamma_prior())),
  "nbinom1, shape 1" = list(family = "nbinom1", prior = gamma_prior(1, rate = gamma_prior()))
)

# A row per kind of data, level and fit.
coverage_cases <- function() {
  expand.grid(
    fit = names(COVERAGE_FITS), epsilon = c(1, 0.3), overdispersed = c(FALSE, TRUE), shape = c(0.1, 1),
    stringsAsFactors = FALSE
  )
}

# The shares of cells and of totals that are covered.
coverage_table <- function(replicates) {
  cases <- coverage_cases()
  covered <- vapply(seq_len(nrow(cases)), function(i) {
    case <- cases[i, ]
    each <- replicate(replicates, {
      data <- coverage_data(case$shape, case$overdispersed)
      released <- privatize(data$y, case$epsilon, rng = "R")
      arguments <- c(list(released, 3, iter = 600, thin = 2), COVERAGE_FITS[[case$fit]])
      coverage_of(do.call(paper_topics, arguments), data)
    })
    rowMeans(each)
  }, c(cells = 0, total = 0))
  cbind(cases, t(covered))
}
