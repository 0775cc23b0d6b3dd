# Effective draws per second of a Poisson rate whose counts were released with discrete Gaussian noise, against
# package dapper: 400 counts (as many as in its vignette), noise with standard deviation 2, a gamma prior.
#
# dapper gets one record per count, as in its vignette: the contribution of a record to the statistic is its own
# log probability, so that a proposal costs the same for any number of records, and its proposals are from the
# model. With this package the rate is drawn in two ways: by Gibbs sampling, true counts by rtruecount() and the
# rate given them; and without true counts, from the posterior that dprivcount() gives on a grid of 2,000
# rates, whose draws are independent. This is possible because the release has a density; dapper needs the
# true counts. Posterior means and standard deviations agree.
# Run after make install: Rscript bench/dapper.R. Package dapper (CRAN) is not among the suggested ones.
source("bench/common.R")
ldp_threads(1)

N <- 400
SD <- 2
SHAPE <- 1
RATE <- 0.1
noise <- discrete_gaussian_noise(SD)
set.seed(1)
released <- stats::simulate(noise, y = stats::rpois(N, 4))
draw_rate <- function(y) stats::rgamma(1, SHAPE + sum(y), RATE + N)

by_dapper <- function(n) {
  model <- dapper::new_privacy(
    posterior_f = function(dmat, theta) draw_rate(dmat),
    latent_f = function(theta) matrix(stats::rpois(N, theta), ncol = 1),
    statistic_f = function(xi, sdp, i) -(sdp[i] - xi)^2 / (2 * SD^2),
    mechanism_f = function(sdp, sx) sx, npar = 1
  )
  as.vector(dapper::dapper_sample(model, sdp = released, init_par = 4, niter = n + 100, warmup = 100)$chain)
}

by_gibbs <- function(n) {
  rate <- 4
  replicate(n, rate <<- draw_rate(rtruecount(N, released, rate, mechanism = noise)))
}

by_density <- function(n) {
  at <- exp(seq(log(0.5), log(20), length.out = 2000))
  counts <- table(released)
  log_density <- vapply(at, function(mu) sum(counts * dprivcount(as.numeric(names(counts)), mu, noise, log = TRUE)), 0)
  log_p <- log_density + stats::dgamma(at, SHAPE, RATE, log = TRUE) + log(at)
  p <- exp(log_p - max(log_p))
  below <- cumsum(p) - p / 2
  stats::approx(below / sum(p), at, stats::runif(n), ties = "ordered", rule = 2)$y
}

measure <- function(what, draw, n) {
  took <- system.time(draws <- draw(n))[["user.self"]]
  effective <- min(n, posterior::ess_bulk(draws))
  cat(sprintf("%-42s mean %.4f  sd %.4f  effective draws per draw %.3f, per second %s\n", what, mean(draws),
    stats::sd(draws), effective / n, format(effective / took, digits = 3, big.mark = ",")))
  effective / took
}

theirs <- measure("dapper", by_dapper, 2000)
gibbs <- measure("Gibbs by rtruecount()", by_gibbs, 10000)
density <- measure("independent draws by dprivcount()", by_density, 1e5)
report("Gibbs / dapper, effective draws per second", gibbs / theirs)
report("independent draws / dapper", density / theirs, "at least 100")
