# The main task of the package on real data: add noise to counts, estimate communities and topics from the noised
# counts alone, and measure how much is gained by modelling the noise and overdispersion. Prints two
# tables and writes demo.png. Run in the package's root, after make install: Rscript tools/demo.R

suppressPackageStartupMessages(library(ldpcounts))

RELEASES <- 3
HELD_OUT <- 0.1
FAMILIES <- c("nbinom1", "poisson")
SCORES <- c("held-out density", "denoised MAE", "MAE of mu", "Poisson KL", "seconds")
began <- proc.time()[["elapsed"]]

# Run two fits at a time on platforms that can fork. Each fit has its own seed, so the order does not matter.
in_parallel <- function(jobs, run) {
  cores <- if (.Platform$OS.type == "unix") min(2, parallel::detectCores()) else 1
  results <- parallel::mclapply(jobs, run, mc.cores = cores, mc.preschedule = FALSE)
  failed <- vapply(results, inherits, TRUE, "try-error")
  if (any(failed)) stop(results[[which(failed)[1]]])
  results
}

# A tenth of the cells, without the diagonal of a network.
choose_held_out <- function(y, network) {
  candidates <- if (network) which(row(y) != col(y)) else seq_along(y)
  sample(candidates, round(HELD_OUT * length(candidates)))
}

# The log density of true counts in held-out cells, and errors of denoised counts and of mu in the other cells.
scores <- function(mu, dispersion, y, held_out, denoised = NA, seconds = NA) {
  seen <- !is.na(mu)
  seen[held_out] <- FALSE
  c(
    mean(dprivnbinom(y[held_out], mu[held_out], 0, dispersion, log = TRUE)), denoised,
    mae(mu[seen], y[seen]), poisson_kl(mu[seen], y[seen]), seconds
  )
}

# The mean absolute error of denoised counts (posterior means) in 2000 of the cells that are not held out.
denoised_error <- function(fit, y, mask) {
  seen <- which(!mask & (row(y) != col(y) | nrow(y) != ncol(y)))
  cells <- arrayInd(sample(seen, 2000), dim(y))
  mae(augment(fit, cells = cells)$mean, y[cells])
}

# One job: a method and a family, for one release at one level of epsilon/N (or for the true counts).
run_job <- function(job, y, k, model, network, iter) {
  set.seed(job$seed)
  held_out <- choose_held_out(y, network)
  mask <- array(seq_along(y) %in% held_out, dim(y))
  data <- if (job$method == "non-private") y else job$released
  is.na(data) <- mask
  noise <- if (job$method == "naive") "ignore" else "model"
  seconds <- system.time(
    fit <- model(data, k,
      family = job$family, noise = noise, iter = iter, thin = max(1, iter %/% 100), chains = 1,
      init = "random"
    )
  )[["elapsed"]]
  mu <- fitted(fit)
  dispersion <- if (job$family == "nbinom1") coef(fit)$dispersion else 1
  error <- if (job$method == "non-private") NA else denoised_error(fit, y, mask)
  level <- if (is.na(job$epsilon)) "" else sprintf("epsilon/N %g", job$epsilon)
  cat(sprintf("  %-11s %-8s %-13s release %d  %5.1f s\n", job$method, job$family, level, job$release,
    seconds))
  list(
    scores = scores(mu, dispersion, y, held_out, error, seconds), job = job,
    fit = if (network) fit,
    words = if (!network) top_terms(fit, 8)
  )
}

# Make the releases once, with random bits of the operating system, so that all methods use the same releases.
# The naive analysis is run at some levels only: it treats noise as counts, and much noise gives millions of them.
make_jobs <- function(y, levels, naive_levels) {
  seeds <- sample.int(1e6, RELEASES)
  noisy <- expand.grid(
    family = FAMILIES, method = c("private", "naive"), release = seq_len(RELEASES), epsilon = levels,
    stringsAsFactors = FALSE
  )
  noisy <- noisy[noisy$method == "private" | noisy$epsilon %in% naive_levels, ]
  plain <- expand.grid(
    family = FAMILIES, method = "non-private", release = seq_len(RELEASES), epsilon = NA,
    stringsAsFactors = FALSE
  )
  released <- lapply(stats::setNames(nm = levels), function(epsilon) {
    replicate(RELEASES, privatize(y, epsilon = epsilon), simplify = FALSE)
  })
  lapply(split(rbind(noisy, plain), seq_len(nrow(noisy) + nrow(plain))), function(row) {
    c(as.list(row), list(
      seed = seeds[row$release],
      released = if (!is.na(row$epsilon)) released[[as.character(row$epsilon)]][[row$release]]
    ))
  })
}

# The maximum likelihood estimate of the dispersion of counts that all have the same mean.
constant_dispersion <- function(counts) {
  times <- table(counts)
  values <- as.numeric(names(times))
  log_likelihood <- function(log_excess) {
    sum(times * dprivnbinom(values, mean(counts), 0, 1 + exp(log_excess), log = TRUE))
  }
  1 + exp(stats::optimize(log_likelihood, c(-10, 10), maximum = TRUE)$maximum)
}

# Scores of predictions without a model: zero for every cell, and the true mean for every cell with each family.
trivial_scores <- function(jobs, y, network) {
  runs <- unique(vapply(jobs, function(job) job$seed, 0))
  lapply(c(zero = "zero", mean = "mean", dispersed = "dispersed"), function(kind) {
    vapply(runs, function(seed) {
      set.seed(seed)
      held_out <- choose_held_out(y, network)
      seen <- if (network) row(y) != col(y) else TRUE
      level <- if (kind == "zero") 0 else mean(y[seen])
      mu <- array(level, dim(y))
      if (network) diag(mu) <- NA
      scores(mu, if (kind == "dispersed") constant_dispersion(y[seen]) else 1, y, held_out)
    }, numeric(length(SCORES)))
  })
}

show_number <- function(x) {
  if (all(is.na(x))) {
    return("-")
  }
  if (any(is.infinite(x))) {
    return(format(mean(x)))
  }
  sprintf("%.3f (%.3f)", mean(x), stats::sd(x))
}

print_table <- function(results, trivial, levels) {
  row <- function(label, values) {
    cat(sprintf("%-42s", label), sprintf("%18s", apply(values, 1, show_number)), "\n", sep = "")
  }
  cat("\nMean over releases (standard deviation in parentheses); N is the precision\n")
  cat(sprintf("%-42s", ""), sprintf("%18s", SCORES), "\n", sep = "")
  for (epsilon in c(levels, NA)) {
    for (method in if (is.na(epsilon)) "non-private" else c("private", "naive")) {
      for (family in FAMILIES) {
        label <- c(nbinom1 = "negative binomial", poisson = "Poisson")[[family]]
        level <- if (is.na(epsilon)) "true counts" else sprintf("epsilon/N %g", epsilon)
        chosen <- find_results(results, method, epsilon, family)
        if (length(chosen) > 0) row(
          sprintf("%-13s %s, %s", level, sub("non-private", "fit", method), label),
          vapply(chosen, function(r) r$scores, numeric(length(SCORES)))
        )
      }
    }
  }
  row("true counts   zero for every cell", trivial$zero)
  row("true counts   constant, negative binomial", trivial$dispersed)
  row("true counts   constant, Poisson", trivial$mean)
  cat("\n")
}

find_results <- function(results, method, epsilon, family) {
  Filter(function(r) {
    r$job$method == method && r$job$family == family &&
      (is.na(epsilon) || isTRUE(r$job$epsilon == epsilon))
  }, results)
}

analyse <- function(title, y, k, model, network, levels, iter, naive_levels = levels) {
  cat(title, "\n", sep = "")
  jobs <- make_jobs(y, levels, naive_levels)
  results <- in_parallel(jobs, function(job) run_job(job, y, k, model, network, iter))
  print_table(results, trivial_scores(jobs, y, network), levels)
  invisible(results)
}

# True counts, released counts, and denoised counts with both families, on one colour scale.
draw_picture <- function(results, epsilon, file) {
  fits <- lapply(stats::setNames(nm = FAMILIES), function(family) {
    find_results(results, "private", epsilon, family)[[1]]$fit
  })
  busy <- rowSums(enron_network) + colSums(enron_network)
  actors <- order(-busy)[1:60]
  community <- max.col(coef(fits$nbinom1)$theta, ties.method = "first")
  actors <- actors[order(community[actors], -busy[actors])]
  cells <- as.matrix(expand.grid(actors, actors))
  cells <- cells[cells[, 1] != cells[, 2], ]
  square <- function(values) {
    x <- array(NA_real_, dim(enron_network))
    x[cells] <- values
    x[actors, actors]
  }
  released <- find_results(results, "private", epsilon, "poisson")[[1]]$job$released
  panels <- list(
    "True counts" = square(enron_network[cells]),
    "Released, noised" = square(as.matrix(released)[cells]),
    "Denoised, negative binomial" = square(augment(fits$nbinom1, cells = cells)$mean),
    "Denoised, Poisson (2019)" = square(augment(fits$poisson, cells = cells)$mean)
  )
  png(file, width = 1800, height = 520, type = "cairo", res = 150)
  on.exit(dev.off())
  addresses <- sprintf("recipient (the 60 busiest addresses at Enron, by community; epsilon/N = %g)", epsilon)
  heat_map(panels, limit = max(enron_network), xlab = addresses, ylab = "sender", labels = FALSE, rows = 1)
}

# The topics of two fits, the largest first, one per line.
print_words <- function(results, epsilon) {
  for (method in c("private", "naive")) {
    cat("Top words, ", method, ", negative binomial, epsilon/N ", epsilon, ":\n", sep = "")
    words <- find_results(results, method, epsilon, "nbinom1")[[1]]$words
    cat(sprintf("  %2d  %s\n", seq_len(ncol(words)), apply(words, 2, paste, collapse = " ")), sep = "")
  }
}

set.seed(1)
network <- analyse(
  "Communities: enron_network, 161 x 161, k = 5, a tenth of the cells held out",
  enron_network, 5, block_model, TRUE, c(3, 1, 0.5, 0.3, 0.1), 600
)
cat(strwrap(paste(
  "In words: the private negative binomial fit, which models the noise and overdispersed counts, predicts",
  "held-out messages about as well as a fit to the true counts, and its denoised counts have much smaller",
  "errors than the released counts. The private Poisson fit (the model of Schein et al., 2019) explains large",
  "counts as noise. Its mu has a small mean absolute error, because that score favours small estimates. By the",
  "other scores it is worse than a fit that ignores the noise. At an epsilon/N of 0.1 little can be learned: a",
  "constant prediction with the true mean and dispersion is nearly as good."
), 80), "", sep = "\n")
draw_picture(network, 1, "demo.png")

topics <- analyse(
  "Topics: poliblog, 773 x 1290, k = 10, a tenth of the cells held out",
  poliblog, 10, topic_model, FALSE, c(3, 1, 0.3, 0.1), 300, naive_levels = c(3, 1)
)
cat(strwrap(paste(
  "In words: at an epsilon/N of 1 the private topics predict better than a constant prediction with the true",
  "mean and dispersion, but not at 0.3. For texts as short as these, a study with so much noise is not worth",
  "running."
), 80), "", sep = "\n")
print_words(topics, 1)
cat(sprintf("\nThe picture is in demo.png. The demo took %.0f s.\n", proc.time()[["elapsed"]] - began))
