# What tensor models recover from a list of cells, private against naive, at epsilon/N of 1: Poisson
# divergence of a planted 30 x 25 x 20 x 4 structure (k = 4, mean count 1; 1000 sweeps, or variational
# inference), and where single random starts end (400 sweeps, `init`). What a sweep costs over the dot
# products of its table, and how it grows: three modes, the last of 20, epsilon/N of 1, mean count 0.05. With
# the name of a file of cells (a data frame of labels and a count, as csv), the mean log density of a tenth
# of them held out under nbinom1, twelve times, with its diagonal left out (k = 20, a dispersion a row).
# Run in the package's root, after make install: Rscript bench/tensors.R [file.csv.gz]
source("bench/common.R")

mean_of <- function(theta) ldpcounts:::tensor_of(length(theta))$mean(theta)
weights <- function(dim, k, shape) {
  theta <- lapply(dim, function(n) matrix(rgamma(n * k, shape), n))
  stats::setNames(theta, paste0("theta", seq_along(dim)))
}

planted <- function(seed, dim = c(30, 25, 20, 4), k = 4) {
  set.seed(seed)
  mu <- mean_of(weights(dim, k, 0.3))
  mu <- mu / mean(mu)
  y <- array(rpois(length(mu), mu), dim)
  cells <- data.frame(which(y > 0, arr.ind = TRUE), count = y[y > 0])
  list(mu = mu, release = privatize(cells, epsilon = 1, dims = dim, rng = "R"), dim = dim, k = k)
}

for (seed in 1:3) {
  p <- planted(seed)
  error <- function(...) poisson_kl(fitted(tensor_model(p$release, p$k, ...)), p$mu)
  kl <- vapply(c("model", "ignore"), function(noise) error(iter = 1000, noise = noise), 0)
  cavi <- vapply(c("model", "ignore"), function(noise) error(inference = "cavi", noise = noise), 0)
  several <- error(inference = "cavi", chains = 4)
  random <- error(inference = "cavi", init = "random", chains = 5)
  single <- vapply(1:6, function(start) {
    init <- lapply(weights(p$dim, p$k, 1), `*`, p$k^-0.25)
    error(iter = 400, init = init)
  }, 0)
  cat(sprintf(
    "planted %d: private %.4f, naive %.4f, factor %.1f; private from single starts %s\n", seed, kl[1],
    kl[2], kl[2] / kl[1], paste(sprintf("%.3f", sort(single)), collapse = " ")
  ))
  cat(sprintf(
    "  CAVI: private %.4f, best of four starts %.4f, over Gibbs %.2f; of five random %.4f; naive %.4f\n",
    cavi[1], several, several / kl[1], random, cavi[2]
  ))
}

load_floor()
measure <- function(n) {
  set.seed(1)
  dim <- c(n, n / 20, 20)
  counts <- simulate_positive(n, n, 0.05, 1, 10, 0.5)
  job <- prepare(ldpcounts:::tensor_of(3), counts, 10, 1, extents = dim)
  ratios <- over_floor(job, 3)
  ns <- sweep_seconds(job, 3) / job$n * 1e9
  what <- sprintf("%s, %d cells, %.0f ns a cell: over floor", paste(dim, collapse = " x "), job$n, ns)
  report_floor(what, ratios)
  list(job = job, ratio = ratios[["ratio"]])
}
results <- lapply(c(600, 1200, 2400), measure)
cells <- vapply(results, function(result) result$job$n, 0L)
ratio <- vapply(results, `[[`, 0, "ratio")
report("slope of log(time/floor) by positive cells", slope(cells, ratio), digits = 2)
job <- results[[1]]$job
report("a pass of variational inference / a sweep", pass_over_sweep(job))
report("bytes a positive cell, beside the input", as.double(utils::object.size(job$cells)) / job$n)

# The log predictive density of true counts at held-out cells, each in turn. (2000 sweeps: at 500 the
# dispersion still falls, and private fits are the further from rest.)
held_out <- function(data, shape, y, cells, ...) {
  fit <- tensor_model(data, 20, family = "nbinom1", dispersion_by = "row", prior = gamma_prior(shape), ...)
  held_out_density(fit, y, cells)$pointwise
}

file <- commandArgs(TRUE)
if (length(file) == 1) {
  listed <- utils::read.csv(file)
  actors <- sort(unique(unlist(listed[1:2])))
  listed[1:2] <- lapply(listed[1:2], factor, actors)
  listed[3] <- factor(listed[[3]])
  modes <- names(listed)[1:3]
  true <- private_counts(listed, alpha = 0, dims = modes, fill = 0)
  y <- as.array(true)
  index <- unname(which(y >= 0, arr.ind = TRUE))
  loop <- index[, 1] == index[, 2]
  for (shape in c(1, 0.1)) {
    each <- vapply(1:12, function(seed) {
      set.seed(seed)
      held <- !loop & runif(length(y)) < 0.1
      release <- privatize(listed, epsilon = 1, dims = modes, rng = "R")
      is.na(release) <- is.na(true) <- index[loop | held, ]
      scores <- list(
        private = held_out(release, shape, y, index[held, ]),
        naive = held_out(release, shape, y, index[held, ], noise = "ignore"),
        plain = held_out(true, shape, y, index[held, ])
      )
      vapply(scores, mean, 0)
    }, numeric(3))
    gain <- each["private", ] - each["naive", ]
    cat(sprintf(
      "held out, shape %g: private %.3f, naive %.3f, no privacy %.3f; private less naive %.3f (%.3f): %s\n",
      shape, mean(each["private", ]), mean(each["naive", ]), mean(each["plain", ]), mean(gain),
      sd(gain) / sqrt(length(gain)), paste(sprintf("%.3f", gain), collapse = " ")
    ))
  }
}
