# Whether a sampler that models the noise converges to the right mean, and the naive one does not.
# Answers the convergence experiment of the poster: all factors are clamped at the truth but one,
# and the error of that one is followed sweep by sweep.
#
# The model is mu = theta phi, D documents by V words, with theta known. The sampler is written out
# here, in plain R, with four ways to get true counts: "collapsed" and "bessel" draw them given the
# release, by the two schemes of the package, which have the same posterior; "naive" takes the
# release cut at zero for them, and "non-private" knows them. Chains start ten times too high.
# Counts are small or middling, `scale` in the mean.
#
# `error` is the relative error of phi at a sweep, sum |phi - truth| / sum truth; `total` is
# sum phi / sum truth at that sweep; `mean_error` and `mean_total` are the same of the mean of the
# draws of the later half of the sweeps so far.

settings <- list(
  seed = 2000, D = 500, V = 15, k = 3, shape = 1, prior = c(shape = 0.1, rate = 1),
  start = 10, sweeps = 300,
  shown = c(0:10, 12, 15, 20, 30, 40, 50, 70, 100, 150, 200, 250, 300)
)

units <- expand.grid(
  repetition = 1:3, way = c("non-private", "collapsed", "bessel", "naive"), epsilon = c(2, 1, 0.5),
  scale = c(0.3, 3), stringsAsFactors = FALSE
)

# A function that draws true counts given mu. "bessel" remembers the rates of the two parts of the
# noise, which are exponential before anything is seen.
draw_truth <- function(way, y, y_tilde, alpha) {
  n <- length(y)
  lambda1 <- lambda2 <- rep(alpha / (1 - alpha), n)
  switch(way,
    "non-private" = function(mu) y,
    naive = function(mu) pmax(y_tilde, 0),
    collapsed = function(mu) rtruecount(n, y_tilde, mu, alpha),
    bessel = function(mu) {
      m <- rbessel(n, abs(y_tilde), 2 * sqrt((lambda1 + mu) * lambda2))
      y_plus <- m + pmax(y_tilde, 0)
      y <- rbinom(n, y_plus, mu / (mu + lambda1))
      lambda1 <<- rgamma(n, 1 + y_plus - y, scale = alpha)
      lambda2 <<- rgamma(n, 1 + m + pmax(-y_tilde, 0), scale = alpha)
      y
    }
  )
}

# Draws phi given true counts: every count is split over the topics, one topic after the other, and
# phi has its gamma distribution given the parts.
draw_phi <- function(theta, phi, y, prior) {
  counts <- 0 * phi
  for (k in seq_len(nrow(phi))) {
    mine <- outer(theta[, k], phi[k, ])
    rest <- theta[, k:nrow(phi), drop = FALSE] %*% phi[k:nrow(phi), ]
    part <- rbinom(length(y), y, pmin(1, mine / pmax(rest, 1e-300)))
    counts[k, ] <- colSums(matrix(part, nrow(theta)))
    y <- y - part
  }
  phi[] <- rgamma(length(phi), prior[["shape"]] + counts, prior[["rate"]] + colSums(theta))
  phi
}

run_unit <- function(unit, settings) {
  gamma_factor <- function(n, m, rate) matrix(rgamma(n * m, settings$shape, rate), n)
  theta <- gamma_factor(settings$D, settings$k, settings$shape)
  truth <- gamma_factor(settings$k, settings$V, settings$shape * settings$k / unit$scale)
  mu <- theta %*% truth
  y <- matrix(rpois(length(mu), mu), nrow(mu))
  released <- privatize(y, unit$epsilon, rng = "R")

  y_tilde <- as.vector(as.matrix(released))
  draw_y <- draw_truth(unit$way, as.vector(y), y_tilde, privacy(released)$alpha)
  phi <- 0 * truth + settings$start * unit$scale / settings$k
  draws <- list(phi)
  for (s in seq_len(settings$sweeps)) {
    phi <- draw_phi(theta, phi, draw_y(as.vector(theta %*% phi)), settings$prior)
    draws[[s + 1]] <- phi
  }
  do.call(rbind, lapply(settings$shown, function(s) errors_at(s, draws, truth)))
}

errors_at <- function(sweep, draws, truth) {
  now <- draws[[sweep + 1]]
  later <- draws[seq(floor(sweep / 2), sweep) + 1]
  mean <- Reduce(`+`, later) / length(later)
  error <- function(phi) signif(sum(abs(phi - truth)) / sum(truth), 4)
  total <- function(phi) signif(sum(phi) / sum(truth), 4)
  data.frame(
    sweep,
    error = error(now), total = total(now), mean_error = error(mean), mean_total = total(mean)
  )
}
