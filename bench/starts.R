# Where block models should start: mean log density of the cells seen that chains reach, after 700
# sweeps, from a start with no leaning and from one whose communities talk among themselves
# (the default). Enron network, k = 5, eight seeds. Run after make install: Rscript bench/starts.R

library(ldpcounts)

off_diagonal <- row(enron_network) != col(enron_network)
log_density <- function(fit, data) {
  mu <- fitted(fit)[off_diagonal]
  if (inherits(data, "private_counts")) {
    mean(dprivpois(as.matrix(data)[off_diagonal], mu, privacy(data)$alpha, log = TRUE))
  } else {
    mean(dpois(data[off_diagonal], mu, log = TRUE))
  }
}
no_leaning <- function() {
  list(theta = matrix(rgamma(161 * 5, 1), 161), pi = matrix(rgamma(25, 1) * 4 / 25, 5))
}

data <- list(
  "the truth" = enron_network, "epsilon/N = 3" = privatize(enron_network, epsilon = 3),
  "epsilon/N = 1" = privatize(enron_network, epsilon = 1)
)
for (name in names(data)) {
  for (start in c("no leaning", "default")) {
    reached <- vapply(1:8, function(seed) {
      set.seed(seed)
      init <- if (start == "no leaning") no_leaning()
      log_density(block_model(data[[name]], 5, iter = 700, init = init), data[[name]])
    }, 0)
    cat(sprintf("%-14s %-11s mean %6.2f   from %6.2f to %6.2f\n", name, start, mean(reached),
      min(reached), max(reached)))
  }
}
