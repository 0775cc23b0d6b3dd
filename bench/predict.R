# What does predict() of new documents cost against a new fit of all, and how much further from the
# truth is it? poliblog, 100 of its documents new, K = 10, priors of shape 0.3; Poisson KL of their means from the true
# counts. Then by how many draws of phi, and how many sweeps for each.
source("bench/common.R")

set.seed(1)
new <- sort(sample.int(nrow(poliblog), 100))
truth <- as.matrix(poliblog)[new, ]
released <- function(epsilon) {
  x <- privatize(poliblog, epsilon = epsilon, rng = "R")
  list(old = x[-new, ], new = x[new, ], all = rbind(x[new, ], x[-new, ]))
}

# Compares, and returns what predict() was given.
compare <- function(epsilon, ..., bar = FALSE) {
  x <- released(epsilon)
  set.seed(2)
  prior <- gamma_prior(0.3, NULL)
  fit <- topic_model(x$old, 10, prior = prior, ...)
  took_refit <- seconds(refit <- topic_model(x$all, 10, prior = prior, ...), 1)
  took <- seconds(mu <- predict(fit, x$new), 3)
  refitted <- fitted(refit)[seq_along(new), ]
  cat(sprintf("epsilon/N of %g%s\n", epsilon, if (...length() > 0) ", nbinom1" else ""))
  report("seconds of a new fit, 2000 sweeps", took_refit)
  report("seconds of predict()", took)
  report("new fit / predict(), seconds", took_refit / took, if (bar) "at least 10")
  report("Poisson KL, new fit", poisson_kl(refitted, truth), digits = 4)
  report("Poisson KL, predict()", poisson_kl(mu, truth), digits = 4)
  report("predict() / new fit, Poisson KL", poisson_kl(mu, truth) / poisson_kl(refitted, truth),
    if (bar) "at most 1.1")
  invisible(list(fit = fit, new = x$new))
}

poisson <- compare(2, bar = TRUE)
compare(1)
compare(2, family = "nbinom1")

cat("epsilon/N of 2, by draws and sweeps\n")
for (draws in c(20, 50, 100)) {
  for (sweeps in c(5, 20, 80)) {
    took <- seconds(mu <- predict(poisson$fit, poisson$new, draws = draws, sweeps = sweeps), 1)
    report(sprintf("Poisson KL, %d draws, %d sweeps (%.1f s)", draws, sweeps, took),
      poisson_kl(mu, truth), digits = 4)
  }
}
