# Draws every plot of the package into build/plots, with the ggplot2 that is installed, and prints the messages and
# warnings of each, of which there should be none:
#
#   Rscript bench/plots.R
suppressMessages(library(ldpcounts))

folder <- file.path("build", "plots", as.character(utils::packageVersion("ggplot2")))
dir.create(folder, recursive = TRUE, showWarnings = FALSE)

n_told <- 0
draw <- function(name, plot) {
  tell <- function(condition) {
    n_told <<- n_told + 1
    cat(name, ": ", conditionMessage(condition), "\n", sep = "")
  }
  grDevices::png(file.path(folder, paste0(name, ".png")), 1050, 750, res = 150)
  on.exit(grDevices::dev.off())
  withCallingHandlers(force(plot), message = tell, warning = tell)
}

set.seed(1)
topics <- simulate_topics(D = 60, V = 30, k = 3, words = 60)
released <- privatize(topics$y, epsilon = 1, rng = "R")
sex <- factor(rep(c("women", "men"), 30))
fit <- suppressMessages(topic_model(released, 3, iter = 400, groups = data.frame(sex)))
network <- privatize(enron_network, epsilon = 1, rng = "R")
blocks <- suppressMessages(block_model(network, 4, iter = 300))
tensor <- simulate_tensor(dims = c(20, 12, 8), k = 2)$y
three <- suppressMessages(tensor_model(privatize(tensor, 1, rng = "R"), 2, iter = 300))

for (type in c("components", "trace", "rank", "predictive")) {
  draw(paste0("topics-", type), plot(fit, type = type))
  draw(paste0("blocks-", type), plot(blocks, type = type))
  draw(paste0("tensor-", type), plot(three, type = type))
}
draw("network", plot(blocks, type = "network"))
draw("two-communities", plot(suppressMessages(block_model(network, 2, iter = 100)), type = "network"))
draw("release", plot(released))
draw("network-release", plot(network))
draw("heat_map", heat_map(topics$y))
draw("modes", plot(modes(blocks)))
for (type in c("ratio", "mean")) draw(paste0("group_effects-", type), plot(group_effects(fit), type = type))
draw("augment", plot(augment(fit, cells = cbind(1:12, 1:12))))
draw("augment-by", plot(augment(fit, by = sex)))
draw("private_means", plot(private_means(released, by = sex)))
draw("private_means-differences", plot(private_means(released[, 1:5], by = sex, differences = TRUE)))
draw("plan_study", plot(plan_study(k = 2, epsilon = c(0.5, 1, 2), rows = 60, items = 10)))
draw("plan_study-one", plot(plan_study(k = 2, epsilon = 1, rows = c(40, 80), items = 10)))
draw("compare_k", plot(suppressMessages(compare_k(released, 1:4, iter = 100, loo_cells = 200))))
draw("compare_methods", plot(suppressMessages(
  compare_methods(topics$y[1:40, ], 3, epsilon = c(0.5, 1), repetitions = 2, iter = 100)
)))
draw("dp_lda", plot(dp_lda_vi(topics$y, 2, 1, 1, Inf, 0, lmax = 30, clip = 1, iter = 20, rng = "R")))

cat(length(list.files(folder)), "plots,", n_told, "messages and warnings, ggplot2",
  as.character(utils::packageVersion("ggplot2")), "\n")
