# Compares the errors that plan_study() predicts with those that compare_methods() measures, and prints their
# ratios. Run in the package's root: Rscript bench/plan.R [DESIGN...]

library(ldpcounts)

set.seed(42)
designs <- list(
  A = list(pilot = simulate_topics(D = 150, V = 30, k = 3, words = 30), k = 3, model = "topic"),
  B = list(pilot = simulate_blocks(V = 40, k = 3, shape = 0.2), k = 3, model = "block"),
  C = list(pilot = simulate_topics(D = 100, V = 60, k = 5, words = 120), k = 5, model = "topic"),
  D = list(pilot = simulate_topics(D = 300, V = 20, k = 4, words = 10), k = 4, model = "topic"),
  enron = list(pilot = enron_network, k = 5, model = "block"),
  poliblog = list(pilot = poliblog, k = 10, model = "topic")
)
epsilon <- c(0.5, 1, 2, 4)
chosen <- commandArgs(trailingOnly = TRUE)
for (name in if (length(chosen) > 0) chosen else names(designs)) {
  design <- designs[[name]]
  simulated <- inherits(design$pilot, "simulated_counts")
  plan <- plan_study(design$k, epsilon, pilot = design$pilot, model = design$model)
  compared <- compare_methods(if (simulated) design$pilot$y else design$pilot, design$k, epsilon,
    model = design$model, truth = if (simulated) design$pilot$mu, iter = 300, chains = 1, repetitions = 2
  )
  mae <- subset(summary(compared), metric == "mae")
  measured <- mae$mean[match(epsilon, ifelse(mae$method == "private", mae$epsilon, NA))]
  without <- mae$mean[mae$method == "non-private"]
  cat(name, "\n")
  print(data.frame(
    epsilon = c(epsilon, NA), planned = c(plan$mae, plan$mae_without_noise[1]),
    measured = c(measured, without),
    ratio = c(plan$mae / measured, plan$mae_without_noise[1] / without)
  ), digits = 3)
}
