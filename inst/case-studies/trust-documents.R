# How many documents local and central privacy need: the error of topics at epsilon = 1 and without noise, on
# 1,000 to 100,000 documents of 10 to 30 tokens of 40 words, with topics drawn as in trust-errors.R.
#
# compare_privacy() does it all; its help says what the methods are. `precision` is that of the local release:
# 1, or twice the greatest length, with which epsilon is for a whole document there too. Chains are long, and
# learn the rates of their priors.

settings <- list(
  seed = 7500, V = 40, from = 10, to = 30, alpha = c(0.6, 0.3, 0.1), shape = 0.3, epsilon = 1, iter = 1000
)

units <- rbind(
  expand.grid(N = c(1e3, 1e4, 1e5), precision = 1, method = c("spectral", "variational"), repetition = 1:3),
  expand.grid(N = c(1e3, 1e4), precision = c(1, 60), method = "local", repetition = 1:2),
  expand.grid(N = 1e5, precision = 1, method = "local", repetition = 1)
)
units$method <- as.character(units$method)
attr(units, "out.attrs") <- NULL

dirichlet <- function(n, alpha) {
  weights <- matrix(rgamma(n * length(alpha), rep(alpha, each = n)), n)
  weights / rowSums(weights)
}

run_unit <- function(unit, settings) {
  topics <- dirichlet(length(settings$alpha), rep(settings$shape, settings$V))
  shares <- dirichlet(unit$N, settings$alpha) %*% topics
  length <- floor(runif(unit$N, settings$from, settings$to + 1))
  y <- t(vapply(
    seq_len(unit$N), function(n) rmultinom(1, length[n], shares[n, ])[, 1], integer(settings$V)
  ))
  compared <- compare_privacy(y, length(settings$alpha), settings$epsilon,
    truth = topics, methods = unit$method, alpha0 = sum(settings$alpha), precision = unit$precision,
    repetitions = 1, held_out = 0, progress = FALSE,
    local = list(
      family = "poisson", prior = gamma_prior(rate = gamma_prior()), iter = settings$iter, chains = 1,
      init = "random"
    )
  )
  l1 <- compared[compared$metric == "l1", ]
  data.frame(scored = as.character(l1$method), epsilon = l1$epsilon, l1 = signif(l1$value, 4))
}
