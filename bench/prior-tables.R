# Do intervals hold the true counts and their totals as often as they should, if the truth comes from the prior? Tables
# of 40 x 30 counts (k = 3, family nbinom1; weights from gamma_prior(1, 1) or gamma_prior(0.3, 0.1), the dispersion from
# beta_prior()) are noised at epsilon/N of 1 and 0.3 and fitted with that prior. Percentage of 90 and of 95 % intervals
# (`augment()`) that hold the true counts of cells, and the true sums of rows, columns, four groups of rows and the
# whole table; in parentheses the standard error over tables. The ends of intervals of sums are quantiles of 400 draws,
# between which 89.6 and 94.5 % are expected; those of cells are whole numbers, so that more is.
# Run in the package's root, after make install: Rscript bench/prior-tables.R [tables = 100] [processes = 2]
source("bench/common.R")

arguments <- as.integer(commandArgs(TRUE))
TABLES <- if (length(arguments) > 0) arguments[1] else 100L
PROCESSES <- if (length(arguments) > 1) arguments[2] else 2L
ROWS <- 40
COLUMNS <- 30
K <- 3
GROUP <- rep(1:4, each = ROWS / 4)
# Weights and their prior.
priors <- list(gamma_prior(1, 1), gamma_prior(0.3, 0.1))

draw_counts <- function(prior) {
  weights <- function(n) matrix(rgamma(n * K, prior$shape, prior$rate), n)
  events <- weights(ROWS) %*% t(weights(COLUMNS)) # lambda of ?`which-family`, whose prior this is
  p <- rbeta(1, beta_prior()$shape1, beta_prior()$shape2) # 1 - 1/dispersion
  matrix(rnbinom(length(events), events / -log1p(-p), 1 - p), ROWS)
}

is_inside <- function(sums, truth) mean(sums$lower <= truth & truth <= sums$upper)

coverage_of <- function(fit, y, level) {
  of <- function(...) augment(fit, ..., level = level, draws = 400)
  cells <- augment(fit, level = level)
  c(
    cells = is_inside(cells, y[cbind(cells$row, cells$column)]),
    rows = is_inside(of(by = seq_len(ROWS), items = "all"), rowSums(y)),
    columns = is_inside(of(by = rep("all", ROWS)), colSums(y)),
    groups = is_inside(of(by = GROUP, items = "all"), tapply(rowSums(y), GROUP, sum)),
    total = is_inside(of(items = "all"), sum(y))
  )
}

one_table <- function(seed, prior, epsilon) {
  set.seed(seed)
  y <- draw_counts(prior)
  released <- privatize(y, epsilon = epsilon, precision = 1, rng = "R")
  fit <- suppressWarnings(topic_model(released, K, prior = prior, iter = 1500, chains = 2, progress = FALSE))
  c(coverage_of(fit, y, 0.9), coverage_of(fit, y, 0.95))
}

show_coverage <- function(title, inside) {
  error <- apply(inside, 1, stats::sd) / sqrt(ncol(inside))
  shown <- matrix(sprintf("%.1f (%.1f)", 100 * rowMeans(inside), 100 * error), 2, byrow = TRUE)
  dimnames(shown) <- list(c("90 %", "95 %"), rownames(inside)[1:5])
  cat(title, ", ", ncol(inside), " tables\n", sep = "")
  print(noquote(shown))
}

inside <- NULL
for (prior in priors) {
  for (epsilon in c(1, 0.3)) {
    seeds <- length(inside) / 10 + seq_len(TABLES)
    tables <- parallel::mclapply(seeds, one_table, prior, epsilon, mc.cores = PROCESSES)
    show_coverage(paste("shape", prior$shape, "and epsilon/N", epsilon), simplify2array(tables))
    inside <- cbind(inside, simplify2array(tables))
  }
}
show_coverage("all", inside)
