# How many effective draws of mu does a sweep give, and a second, when factors are reflected about
# their distribution (ldp_reflect) instead of drawn from it, at all or most of the time? Bulk ESS of 200
# cells fixed at random, median and lower quartile, and tail ESS; two chains from one burnt-in
# start; 400 x 400, K = 10, mean count 0.05; the posts, K = 10; the Enron network, C = 5. Beside
# them the ratios to fresh draws.
source("bench/common.R")

SWEEPS <- 2000
BLOCK <- 250 # draws held at a time

advance <- function(job, reflect, n, keep = integer()) {
  ran <- job$model$gibbs(job$cells, job$factors, job$noise, job$prior, as.integer(n), keep,
    FALSE, reflect
  )
  job$factors <- ran$factors
  job$draws <- ran$draws
  job
}

cells_of <- function(dim) {
  set.seed(4)
  at <- cbind(sample.int(dim[1], 260, TRUE), sample.int(dim[2], 260, TRUE))
  at[at[, 1] != at[, 2], ][1:200, ]
}

# mu of the cells, a row each, over the next sweeps.
trace_mu <- function(job, reflect, at) {
  names <- stats::setNames(nm = job$model$factors)
  blocks <- lapply(seq_len(SWEEPS / BLOCK), function(block) {
    job <<- advance(job, reflect, BLOCK, seq_len(BLOCK))
    vapply(seq_len(BLOCK), function(i) {
      draw <- lapply(names, function(f) ldpcounts:::turn(job$model, f, job$draws[[f]][, , i]))
      job$model$cell_mean(draw, at)
    }, numeric(nrow(at)))
  })
  do.call(cbind, blocks)
}

effective <- function(job, reflect, at) {
  chains <- vapply(1:2, function(seed) {
    set.seed(seed)
    job <- advance(job, reflect, 200)
    mu <- trace_mu(job, reflect, at)
    bulk <- apply(mu, 1, posterior::ess_bulk) / SWEEPS
    tail <- apply(mu, 1, posterior::ess_tail) / SWEEPS
    c(median = stats::median(bulk), quartile = stats::quantile(bulk, 0.25, names = FALSE),
      tail = stats::median(tail))
  }, numeric(3))
  c(rowMeans(chains), apart = abs(diff(chains["median", ])))
}

# Time of a sweep over that of one with fresh draws, the two in turns.
relative_time <- function(job, reflect) {
  n <- repeats(seconds(advance(job, 0, 20), 2) / 20)
  ratios <- replicate(9, seconds(advance(job, reflect, n), 1) / seconds(advance(job, 0, n), 1))
  stats::median(ratios)
}

compare <- function(what, model, y, k, epsilon) {
  set.seed(3)
  counts <- as.matrix(privatize(y, epsilon = epsilon, rng = "R"))
  set.seed(5)
  job <- prepare(model, counts, k, epsilon, sweeps = 1500)
  at <- cells_of(dim(counts))
  cat(sprintf("%s, epsilon/N of %g\n", what, epsilon))
  for (reflect in c(0, 0.75, 0.875)) {
    now <- suppressWarnings(effective(job, reflect, at))
    if (reflect == 0) drawn <- now
    ratio <- now / drawn
    time <- relative_time(job, reflect)
    cat(sprintf(paste("reflect %.3f   a sweep %.3f (%.2f x; chains %.3f apart)   quartile %.3f (%.2f x)",
      "  tail %.2f x   time %.2f x   a second %.2f x\n"), reflect, now["median"], ratio["median"],
      now["apart"], now["quartile"], ratio["quartile"], ratio["tail"], time, ratio["median"] / time))
  }
}

set.seed(2)
mu <- matrix(rgamma(4000, 0.1), 400) %*% matrix(rgamma(4000, 0.1), 10)
y <- matrix(rpois(160000, mu * 0.05 / mean(mu)), 400)
for (epsilon in c(1, 3)) compare("topics", ldpcounts:::topics_model, y, 10, epsilon)
for (epsilon in c(1, 3)) compare("Enron network", ldpcounts:::blocks_model, enron_network, 5, epsilon)
compare("poliblog", ldpcounts:::topics_model, poliblog, 10, 3)
