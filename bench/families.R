# Which family predicts true counts held out? Mean log density of a tenth of the cells, at the
# posterior means of mu and of the dispersion: mean of five masks and releases, and their spread. The
# Enron network, C = 5, and the posts, K = 10. And how far is E[y | release] from the truth, against
# the release cut at zero (MAE of the cells seen)?
library(ldpcounts)

RUNS <- 5

held_out_density <- function(fit, y, cells) {
  mu <- fitted(fit, cells = cells)
  dispersion <- coef_dispersion(fit)
  mean(dprivnbinom(y[cells], mu, 0, dispersion, log = TRUE))
}

coef_dispersion <- function(fit) {
  draws <- as.matrix(fit)
  if ("dispersion" %in% colnames(draws)) mean(draws[, "dispersion"]) else 1
}

# MAE of the posterior mean of the true counts, over that of the release cut at zero.
denoised_error <- function(fit, released, y, cells) {
  mean_truth <- 0
  n <- ldpcounts:::n_draws(fit)
  counts <- as.matrix(released)[cells]
  for (s in seq_len(n)) {
    excess <- ldpcounts:::draw_excess(fit, s)
    mean_truth <- mean_truth + truecount_mean(counts, ldpcounts:::draw_cell_mean(fit, s, cells),
      privacy(released)$alpha, 1 + if (is.null(excess)) 0 else excess) / n
  }
  c(mae(mean_truth, y[cells]), mae(pmax(counts, 0), y[cells]))
}

# Scores of one mask and its releases: a row per analysis.
run <- function(model, y, k, levels, iter, network, seed) {
  set.seed(seed)
  candidates <- if (network) which(row(y) != col(y)) else seq_along(y)
  out <- sample(candidates, round(length(candidates) / 10))
  cells <- arrayInd(out, dim(y))
  seen <- arrayInd(setdiff(candidates, out), dim(y))
  masked <- array(seq_along(y) %in% out, dim(y))
  fit_to <- function(data, ...) {
    is.na(data) <- masked
    suppressWarnings(model(data, k, ..., iter = iter, thin = 10))
  }
  one <- function(level, family, analysis, fit, error = c(NA, NA)) {
    data.frame(level = level, family = family, analysis = analysis,
      density = held_out_density(fit, y, cells), error = error[1], clamped = error[2])
  }
  rows <- lapply(c("nbinom1", "poisson"), function(family) {
    one(Inf, family, "the truth", fit_to(y, family = family))
  })
  for (level in levels) {
    released <- privatize(y, epsilon = level, rng = "R")
    for (family in c("nbinom1", "poisson")) {
      private <- fit_to(released, family = family)
      rows <- c(rows, list(
        one(level, family, "private", private, denoised_error(private, released, y, seen)),
        one(level, family, "naive", fit_to(released, family = family, noise = "ignore"))
      ))
    }
  }
  do.call(rbind, rows)
}

show <- function(what, results) {
  cat(what, "\n", sep = "")
  keys <- unique(results[c("level", "family", "analysis")])
  for (i in seq_len(nrow(keys))) {
    own <- merge(results, keys[i, ])
    cat(sprintf("%-14s %-8s %-10s %7.3f (%.3f)%s\n",
      if (is.finite(keys$level[i])) paste("epsilon/N", keys$level[i]) else "",
      keys$family[i], keys$analysis[i], mean(own$density), stats::sd(own$density),
      if (is.na(own$error[1])) "" else sprintf("   MAE %.3f of %.3f clamped: %.2f",
        mean(own$error), mean(own$clamped), mean(own$error) / mean(own$clamped))))
  }
}

repeated <- function(...) do.call(rbind, lapply(seq_len(RUNS), function(seed) run(..., seed = seed)))

show(
  "Enron network (bars: private nbinom1 within 0.05 of the truth; MAE at most 0.70, 0.50, 0.45 at 3, 1, 0.5)",
  repeated(block_model, enron_network, 5, c(3, 1, 0.5), 1000, TRUE)
)
show(
  "poliblog (bars: private nbinom1 at least -0.28 at 3 and -0.31 at 1)",
  repeated(topic_model, poliblog, 10, c(3, 1), 500, FALSE)
)
