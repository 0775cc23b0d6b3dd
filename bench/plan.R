# Compares the errors that plan_study() predicts with those that compare_methods() measures, and prints their
# ratios. Run in the package's root: Rscript bench/plan.R [DESIGN...]. For a simulated design the measured errors
# are means over COUNTS tables of counts with the same true means, because tables differ by several per cent.

library(ldpcounts)

COUNTS <- 3

set.seed(42)
designs <- list(
  A = list(pilot = simulate_topics(D = 150, V = 30, k = 3, words = 30), k = 3, model = "topic"),
  B = list(pilot = simulate_blocks(V = 40, k = 3, shape = 0.2), k = 3, model = "block"),
  C = list(pilot = simulate_topics(D = 100, V = 60, k = 5, words = 120), k = 5, model = "topic"),
  D = list(pilot = simulate_topics(D = 300, V = 20, k = 4, words = 10), k = 4, model = "topic"),
  E = list(pilot = simulate_blocks(V = 80, k = 4), k = 4, model = "block"),
  enron = list(pilot = enron_network, k = 5, model = "block"),
  poliblog = list(pilot = poliblog, k = 10, model = "topic")
)
epsilon <- c(0.5, 1, 2, 4)

# Mean absolute errors of the model at the levels, and without noise.
measure <- function(y, design, truth = NULL) {
  compared <- compare_methods(y, design$k, epsilon,
    model = design$model, truth = truth, iter = 300, chains = 1, repetitions = 2, progress = FALSE,
    prior = gamma_prior(0.3, NULL)
  )
  mae <- subset(summary(compared), metric == "mae")
  private <- mae[mae$method == "private", ]
  c(private$mean[match(epsilon, private$epsilon)], mae$mean[mae$method == "non-private"])
}

# Counts with the same means.
draw_counts <- function(mu) {
  y <- array(0L, dim(mu))
  y[!is.na(mu)] <- rpois(sum(!is.na(mu)), mu[!is.na(mu)])
  y
}

chosen <- commandArgs(trailingOnly = TRUE)
for (name in if (length(chosen) > 0) chosen else names(designs)) {
  design <- designs[[name]]
  time <- system.time(plan <- plan_study(design$k, epsilon, pilot = design$pilot, model = design$model))
  measured <- if (inherits(design$pilot, "simulated_counts")) {
    mu <- as.matrix(design$pilot$mu)
    rowMeans(replicate(COUNTS, measure(draw_counts(mu), design, mu)))
  } else {
    measure(design$pilot, design)
  }
  planned <- c(plan$mae, plan$mae_without_noise[1])
  cat(name, ": ", time[["elapsed"]], " seconds to plan\n", sep = "")
  print(data.frame(epsilon = c(epsilon, NA), planned, measured, ratio = planned / measured), digits = 3)
}
