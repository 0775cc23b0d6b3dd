# How near private and naive analyses come to the means of simulated networks, whose means are known. Answers
# the paper's experiment on synthetic networks (Schein et al. 2019, section 5.2, figure 3): 20 actors, 5
# communities, all weights from a gamma distribution of shape 0.01 and rate 0.5, and noise of alpha =
# exp(-epsilon / N) at epsilon = 2.5, 1 and 0.75, with N the mean count of the data.
#
# Networks: "busy" are draws of the paper's weights given that the mean of mu is at least 2; "sparse" are
# those of simulate_blocks(), whose mean count is seldom above 0.2; "visible" have a shape of 0.2 (new in this
# package). `precision` is "mean" by the paper's rule, or "one" for one message. `prior` is "default" by the
# package's default, or "own" for the distribution that the weights were drawn from. All fits are of the
# family "poisson".
#
# A unit is a network, a release at each level, and fits with nothing held out: `mae` and `poisson_kl` are
# those from the true means, as compare_methods() has them. The private fit starts at the posterior means of
# the naive one. From a start at random ("private, random start") a chain may stay at a network without
# messages. The metric `N`, of the method "mean", is the mean count of the network. Units of a repetition that
# have the same kind of network have the same network.

settings <- list(
  seed = 4000, V = 20, k = 5, rate = 0.5, shape = c(busy = 0.01, sparse = 0.01, visible = 0.2),
  least_mean = 2, steps = 2e4, epsilon = c(2.5, 1, 0.75), iter = 8500, warmup = 1000, thin = 25
)

kinds <- data.frame(
  network = c("busy", "busy", "sparse", "sparse", "visible"),
  precision = c("mean", "mean", "mean", "one", "mean"),
  prior = c("default", "own", "default", "default", "default"),
  stringsAsFactors = FALSE
)
units <- data.frame(
  repetition = rep(1:20, nrow(kinds)), kinds[rep(seq_len(nrow(kinds)), each = 20), ], row.names = NULL
)

simulate_network <- function(network, settings) {
  shape <- settings$shape[[network]]
  draw <- simulate_blocks(V = settings$V, k = settings$k, shape = shape, rate = settings$rate)
  if (network == "busy") draw <- busier(draw, shape, settings)
  draw
}

# The sum of mu over all pairs.
messages <- function(theta, pi) {
  total <- colSums(theta)
  sum(total * (pi %*% total)) - sum((theta %*% pi) * theta)
}

# Weights given that the mean of mu is at least `least_mean`, which is too rare to wait for: Metropolis
# steps, one weight at a time, from a draw whose weights theta were made large enough. Proposals are, in
# turn, a new draw of the weight and a multiple of it.
busier <- function(draw, shape, settings) {
  theta <- draw$theta
  pi <- draw$pi
  least <- settings$least_mean * settings$V * (settings$V - 1)
  theta <- theta * sqrt(max(1, 1.001 * least / messages(theta, pi)))
  for (step in seq_len(settings$steps)) {
    i <- sample.int(length(theta) + length(pi), 1)
    in_theta <- i <= length(theta)
    place <- if (in_theta) i else i - length(theta)
    old <- if (in_theta) theta[place] else pi[place]
    if (step %% 2 == 0) {
      new <- stats::rgamma(1, shape, settings$rate)
      log_ratio <- 0
    } else {
      factor <- stats::rnorm(1)
      new <- old * exp(factor)
      log_ratio <- shape * factor - settings$rate * (new - old)
    }
    theta_new <- if (in_theta) replace(theta, place, new) else theta
    pi_new <- if (in_theta) pi else replace(pi, place, new)
    if (log(stats::runif(1)) < log_ratio && messages(theta_new, pi_new) >= least) {
      theta <- theta_new
      pi <- pi_new
    }
  }
  mu <- theta %*% pi %*% t(theta)
  y <- matrix(stats::rpois(length(mu), mu), nrow(mu))
  diag(y) <- 0L
  list(y = y, mu = replace(mu, diag(nrow(mu)) == 1, NA), theta = theta, pi = pi)
}

mean_count <- function(y) mean(y[row(y) != col(y)])

# One row per metric of an estimate of mu.
errors_of <- function(method, epsilon, estimate, mu) {
  estimate <- replace(estimate, is.na(mu), NA)
  data.frame(
    method = method, epsilon = epsilon, metric = c("mae", "poisson_kl"),
    value = signif(c(mae(estimate, mu), poisson_kl(estimate, mu)), 4)
  )
}

run_unit <- function(unit, settings) {
  truth <- simulate_network(unit$network, settings)
  mu <- truth$mu
  N <- mean_count(truth$y)
  prior <- gamma_prior()
  if (unit$prior == "own") prior <- gamma_prior(settings$shape[[unit$network]], settings$rate)
  fit <- function(data, ...) {
    block_model(data, settings$k,
      family = "poisson", prior = prior, iter = settings$iter, warmup = settings$warmup,
      thin = settings$thin, chains = 1, progress = FALSE, ...
    )
  }
  at_level <- function(epsilon) {
    released <- privatize(truth$y, epsilon,
      precision = if (unit$precision == "mean") N else 1, rng = "R"
    )
    naive <- fit(released, noise = "ignore")
    rbind(
      errors_of("private", epsilon, fitted(fit(released, init = coef(naive)[c("theta", "pi")])), mu),
      errors_of("private, random start", epsilon, fitted(fit(released)), mu),
      errors_of("naive", epsilon, fitted(naive), mu)
    )
  }
  constant <- function(x) array(x, dim(mu))
  rbind(
    do.call(rbind, lapply(settings$epsilon, at_level)),
    errors_of("non-private", NA, fitted(fit(truth$y)), mu),
    errors_of("mean", NA, constant(N), mu), errors_of("zero", NA, constant(0), mu),
    data.frame(method = "mean", epsilon = NA, metric = "N", value = signif(N, 4))
  )
}
