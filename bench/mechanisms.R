# What do other mechanisms than geometric noise cost? Processor time of a sweep of a topic model over the same
# true counts, from the factors they were drawn from, in turns. One thread.
#   - noise of one variance: discrete Gaussian, Laplace (real numbers) and Skellam noise, and random rounding,
#     beside geometric noise in its faster scheme
#   - counts below 10 suppressed, 1 % of cells above: does the time grow with tokens and active cells?

source("bench/common.R")
ldp_threads(1)

# True counts with mean `mean`, and the factors.
simulate_truth <- function(D, V, k, mean, shape = 0.1) {
  theta <- matrix(rgamma(D * k, shape), D)
  phi <- matrix(rgamma(k * V, shape), k)
  scale <- sqrt(mean / sum(colSums(theta) * rowSums(phi)) * D * V)
  prior <- gamma_prior(shape, 1 / scale)
  list(
    y = matrix(rpois(D * V, scale^2 * theta %*% phi), D),
    factors = list(theta = scale * t(theta), phi = scale * phi), prior = list(theta = prior, phi = prior)
  )
}

# A job whose cells are ready, after some sweeps. `cells`: of new_cells().
job_of <- function(truth, cells, excess = NULL) {
  job <- list(
    model = ldpcounts:::topics_model, prior = truth$prior, factors = truth$factors,
    cells = .Call(ldpcounts:::C_rc_open_cells, cells)
  )
  if (is.null(excess)) sweep_on(job, 10) else with_bursts(job, 10)
}

protected_job <- function(truth, mechanism, ...) {
  released <- simulate(mechanism, y = truth$y)
  released <- ldpcounts:::declare_protected(
    structure(ifelse(is.infinite(released), NA, released), dim = dim(released)), mechanism, NULL, TRUE, NULL, NULL, NULL
  )
  job_of(truth, ldpcounts:::protected_cells(ldpcounts:::model_data(released)), ...)
}

geometric_job <- function(truth, alpha, scheme, ...) {
  noise <- rtwogeom(length(truth$y), alpha)
  job_of(truth, ldpcounts:::make_cells(truth$y + noise, rep(alpha, nrow(truth$y)), scheme), ...)
}

in_turns <- function(jobs, sweeps, times = 5) {
  replicate(times, vapply(jobs, function(job) timed(sweep_on(job, sweeps)) / sweeps, 0))
}

compare_noise <- function(D, V, k, mean, epsilon, ...) {
  alpha <- exp(-epsilon)
  sd <- sqrt(2 * alpha) / (1 - alpha)
  truth <- simulate_truth(D, V, k, mean)
  jobs <- list(
    "geometric noise, tokens" = geometric_job(truth, alpha, "tokens", ...),
    "geometric noise, collapsed" = geometric_job(truth, alpha, "collapsed", ...),
    "discrete Gaussian noise" = protected_job(truth, discrete_gaussian_noise(sd), ...),
    "Skellam noise" = protected_job(truth, skellam_noise(sd^2), ...),
    "Laplace noise" = protected_job(truth, laplace_noise(sd / sqrt(2)), ...),
    "random rounding to base 3" = protected_job(truth, random_rounding(3), ...)
  )
  times <- in_turns(jobs, 3)
  faster <- pmin(times[1, ], times[2, ])
  for (name in names(jobs)) {
    ratio <- times[name, ] / faster
    cat(sprintf(
      "%d x %d, k %d, mean %g, epsilon/N %g, %s: %.1f ms, %.2f times geometric noise (%.2f to %.2f)\n",
      D, V, k, mean, epsilon, name, 1e3 * min(times[name, ]), stats::median(ratio), min(ratio), max(ratio)
    ))
  }
}

# Counts of 10 or more are in a share `above` of all cells, and large, as shapes are small.
simulate_concentrated <- function(D, V, k, above) {
  truth <- simulate_truth(D, V, k, 1, shape = 0.03)
  for (i in 1:6) {
    factor <- (above / max(mean(truth$y >= 10), above / 10))^0.6
    truth$factors <- lapply(truth$factors, function(x) x * sqrt(factor))
    truth$prior <- lapply(truth$prior, function(prior) gamma_prior(prior$shape, prior$rate / sqrt(factor)))
    truth$y[] <- rpois(D * V, crossprod(truth$factors$theta, truth$factors$phi))
  }
  truth
}

compare_suppression <- function(sizes, k, above = 0.01) {
  for (n in sizes) {
    truth <- simulate_concentrated(n, n, k, above)
    job <- protected_job(truth, suppression(0, 9))
    mu <- crossprod(job$factors$theta, job$factors$phi)
    shown <- sum(truth$y >= 10)
    time <- min(in_turns(list(job), 5))
    cat(sprintf(
      paste(
        "%d x %d, k %d, suppression below 10: %.2e cells, %.2f %% above, with %.2e counts; %.2e tokens;",
        "%.1f ms, %.0f ns per token and cell above\n"
      ),
      n, n, k, n^2, 100 * shown / n^2, sum(truth$y[truth$y >= 10]), sum(mu), 1e3 * time,
      1e9 * time / (sum(mu) + shown)
    ))
  }
}

cat("Poisson counts\n")
set.seed(1)
compare_noise(2000, 2000, 50, 0.05, 1)
compare_noise(2000, 2000, 50, 0.05, 0.25)
compare_noise(700, 700, 20, 3, 1)
compare_suppression(c(700, 1400, 2800), 50)
compare_suppression(2800, 50, above = 0.001) # as many cells, a tenth of the tokens
cat("overdispersed counts\n")
compare_noise(1000, 1000, 50, 0.05, 1, excess = 1)
