# Do default fits come to a result that does not depend on the seed? For one release of `enron_network` for
# each setting and ten seeds: what the verdict is, how many modes there are, how far the leading mode's log
# density is below the best of all seeds, and how alike its communities are to those that most seeds have
# (adjusted Rand index). With `long`, besides, where 100 random chains of 3,000 sweeps end.
# Run in the package's root, after make install: Rscript bench/modes.R [long]
source("bench/common.R")

communities <- function(fit) max.col(coef(fit)$theta, ties.method = "first")

what_is_said <- function(verdict) {
  known <- c(
    trusted = "^No problem was found", modes = "^This run found", draws = "^Problems were found: there are only",
    moving = "^Problems were found: the chain", contradicted = "^Problems were found: (the fit|counts|[0-9])"
  )
  names(known)[vapply(known, grepl, TRUE, verdict)]
}

measure <- function(k, epsilon, seeds = 1:10, long = FALSE) {
  set.seed(1)
  released <- privatize(enron_network, epsilon = epsilon, rng = "R")
  each <- lapply(seeds, function(seed) {
    set.seed(seed)
    fit <- block_model(released, k, progress = FALSE)
    list(
      said = what_is_said(summary(fit)$verdict), modes = nrow(modes(fit)),
      log_density = modes(fit)$log_density[1], communities = communities(fit), seconds = fit$seconds
    )
  })
  alike <- outer(seq_along(each), seq_along(each), Vectorize(function(i, j) {
    igraph::compare(each[[i]]$communities, each[[j]]$communities, "adjusted.rand")
  }))
  typical <- which.max(rowSums(alike > 0.9))
  get <- function(name) vapply(each, `[[`, each[[1]][[name]], name)
  cat(sprintf("k = %d, epsilon/N %g (%.0f s a fit)\n", k, epsilon, stats::median(get("seconds"))))
  cat("  verdict:", paste(names(table(get("said"))), table(get("said")), collapse = ", "), "\n")
  cat("  modes:", get("modes"), "\n")
  best <- max(get("log_density"))
  cat("  leading mode below", format(best, digits = 7), "by", round(best - get("log_density"), 1), "\n")
  alike <- alike[typical, ]
  shown <- format(round(alike, 2), nsmall = 2)
  cat("  alike:", shown, "; above 0.9:", sum(alike > 0.9), "of", length(alike), "\n")
  if (long) long_chains(released, k)
}

# The largest of 100 means of few draws is too large by chance, so the best chains go on.
long_chains <- function(released, k) {
  set.seed(99)
  fit <- block_model(released, k,
    chains = 100, iter = 3000, warmup = 2000, thin = 20, init = "random", progress = FALSE
  )
  ends <- colMeans(fit$log_density)
  best <- order(-ends)[1:5]
  below <- round(max(ends) - sort(ends, decreasing = TRUE)[2:10], 1)
  cat("  100 long random chains: best", format(max(ends), digits = 7), "then below it", below, "\n")
  further <- update(subset(fit, best), iter = 10000, warmup = 3000, progress = FALSE)$log_density
  error <- apply(further, 2, posterior::mcse_mean)
  cat("  the best five of them, 10,000 sweeps further:", format(colMeans(further), digits = 7), "\n")
  cat("  standard errors", round(error, 1), "\n")
}

long <- identical(commandArgs(TRUE), "long")
for (setting in list(c(5, 1), c(3, 1), c(10, 1), c(5, 3), c(5, 0.5))) {
  measure(setting[1], setting[2], long = long)
}
