# What vignette("paper") and the article `studies` of the web site share: stored results and experiments on networks.
folder <- system.file("case-studies", package = "ldpcounts")
read_study <- function(name) readRDS(file.path(folder, "results", paste0(name, ".rds")))

# The mean over repetitions, and its standard error in parentheses.
mean_se <- function(x, digits = 3) {
  shown <- function(x) formatC(x, digits, format = "f")
  if (length(x) == 1) return(paste(shown(x), "(1 run)"))
  paste0(shown(mean(x)), " (", shown(sd(x) / sqrt(length(x))), ")")
}
with_count <- function(x, digits = 3) paste0(mean_se(x, digits), ", ", sum(x < 0))
share_of <- function(x, draws) sapply(x, function(k) mean(draws == k))
as_comparison <- function(results) {
  structure(results, class = c("method_comparison", "data.frame"))
}

# Simulated networks.
blocks <- read_study("synthetic-blocks")
script <- new.env()
sys.source(file.path(folder, "synthetic-blocks.R"), script)
draw_network <- function(kind, repetition = 1) {
  set.seed(blocks$settings$seed + repetition)
  script$simulate_network(kind, blocks$settings)
}
epsilon <- blocks$settings$epsilon
estimate <- function(epsilon, y, precision, prior = gamma_prior()) {
  released <- privatize(y, epsilon, precision = precision, rng = "R")
  fit <- function(...) {
    block_model(released, k = 5, family = "poisson", prior = prior, iter = 1000, chains = 1, ...)
  }
  naive <- fit(noise = "ignore")
  private <- fit(init = coef(naive)[c("theta", "pi")])
  list(private = fitted(private), naive = fitted(naive))
}
draw_blocks <- function(network, estimates, limit) {
  order <- order(max.col(network$theta), -rowSums(network$theta))
  private <- lapply(estimates, `[[`, "private")
  naive <- lapply(estimates, `[[`, "naive")
  names(private) <- paste("private, epsilon", epsilon)
  names(naive) <- paste("naive, epsilon", epsilon)
  maps <- c(list("true means" = network$mu), private, list("true counts" = network$y), naive)
  shown <- lapply(maps, function(x) replace(x, diag(nrow(x)) == 1, NA)[order, order])
  heat_map(shown, limit = limit, rows = 2)
}
network_errors <- function(network, estimates) {
  constant <- function(x) array(x, dim(network$mu))
  score <- function(x) c(mae(x, network$mu), poisson_kl(x, network$mu))
  table <- rbind(
    t(sapply(estimates, function(x) score(x$private))),
    t(sapply(estimates, function(x) score(x$naive))),
    score(constant(script$mean_count(network$y))),
    score(constant(0))
  )
  data.frame(analysis = c(rep(c("private", "naive"), each = 3), "mean", "zero"),
    epsilon = c(epsilon, epsilon, NA, NA),
    MAE = round(table[, 1], 3), KL = round(table[, 2], 3))
}
blocks$results$kind <- with(blocks$results, paste(network, precision, prior))
kinds <- c("busy mean default" = "busy, N = mean", "visible mean default" = "visible, N = mean",
  "sparse mean default" = "sparse, N = mean", "sparse one default" = "sparse, N = 1",
  "busy mean own" = "busy, own prior")
blocks$results$kind <- factor(blocks$results$kind, names(kinds), kinds)

# The Enron network: scores of both studies, and the private score minus that of another method on the same data.
held_out <- holdout_cells(enron_network, type = "active", n = 50)
seen <- !is.na(as.matrix(held_out$train)) & row(enron_network) != col(enron_network)
unseen <- which(rowSums(seen) == 0 & colSums(seen) == 0)
reconstruction <- read_study("enron-reconstruction")
enron <- read_study("enron-methods")
scores <- rbind(data.frame(reconstruction$results, held_out = "none"), enron$results)
with_names <- function(scores) {
  scores$k <- factor(scores$k, labels = paste(c(5, 10, 20), "communities"))
  as_comparison(scores)
}
whole <- with_names(scores[scores$held_out == "none", ])
active <- with_names(scores[scores$held_out == "active", ])
paired_scores <- function(metric, than, held_out, families = c("poisson", "nbinom1")) {
  here <- scores[scores$metric == metric & scores$held_out %in% held_out & scores$family %in% families, ]
  of <- c("held_out", "k", "family", "repetition", if (than == "naive") "epsilon")
  pairs <- merge(here[here$method == "private", c(union(of, "epsilon"), "value")],
    here[here$method == than, c(of, "value")], by = of)
  pairs$margin <- pairs$value.x - pairs$value.y
  pairs
}
settings <- c("none 5", "none 10", "none 20", "active 5", "active 10", "active 20", "random 10")
margins <- function(metric, than, summary = mean_se) {
  pairs <- paired_scores(metric, than, c("none", "active", "random"))
  pairs$setting <- factor(paste(pairs$held_out, pairs$k), settings, sub("none", "whole", settings))
  tapply(pairs$margin, droplevels(pairs[c("setting", "epsilon", "family")]), summary)
}

# In how many settings the mean difference supports a claim, contradicts it (both by more than two standard errors),
# or does neither.
tally <- function(metric, than, family = c("poisson", "nbinom1"), which = NULL) {
  t <- margins(metric, than, function(x) mean(x) / (sd(x) / sqrt(length(x))))
  if (metric == "held_out_density") t <- -t
  rows <- is.null(which) | sub(" .*", "", rownames(t)) %in% which
  t <- t[rows, , family]
  t <- t[!is.na(t)]
  paste(sum(t < -2), sum(t > 2), sum(abs(t) <= 2), sep = " | ")
}

# A real corpus: scores of three analyses of each release.
methods <- c(private = "#b2182b", naive = "#2166ac", "non-private" = "black")
corpus <- read_study("topics-corpus")
score_of <- function(metric, family, method, epsilon = NA) {
  all <- corpus$results
  mean(all$value[all$metric == metric & all$family == family & all$method == method &
    all$epsilon %in% epsilon])
}
families <- c("poisson", "nbinom1")
constants <- c("non-private" = 1, mean = 2, zero = 3) # line types
score_panel <- function(metric, family, title) {
  here <- corpus$results[corpus$results$metric == metric & corpus$results$family == family, ]
  here <- here[is.finite(here$value), ]
  plot(NA, xlim = c(0.9, 3.3), ylim = range(here$value), log = "x", xaxt = "n", las = 1,
    xlab = "epsilon", ylab = "", main = paste0(title, ", ", family))
  axis(1, 1:3)
  for (name in intersect(here$method, names(constants))) {
    abline(h = mean(here$value[here$method == name]), lty = constants[[name]])
  }
  for (name in c("private", "naive")) {
    some <- here[here$method == name, ]
    points(some$epsilon, some$value, pch = 3, col = methods[[name]])
    lines(1:3, tapply(some$value, some$epsilon, mean), col = methods[[name]], lwd = 2)
  }
}
score_legend <- function(place, names) {
  shown <- c(methods, mean = "black", zero = "black")[names]
  legend(place, names, bty = "n", lty = ifelse(names %in% names(constants), constants[names], 1),
    lwd = ifelse(names %in% names(constants), 1, 2), col = shown)
}
