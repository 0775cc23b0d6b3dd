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
LEVELS <- c(0.9, 0.95)
priors <- list(gamma_prior(1, 1), gamma_prior(0.3, 0.1))

draw_counts <- function(prior) {
  weights <- function(n) matrix(rgamma(n * K, prior$shape, prior$rate), n)
  events <- weights(ROWS) %*% t(weights(COLUMNS)) # lambda of ?`which-family`, whose prior this is
  p <- rbeta(1, beta_prior()$shape1, beta_prior()$shape2) # 1 - 1/dispersion
  matrix(rnbinom(length(events), events / -log1p(-p), 1 - p), ROWS)
}

one_table <- function(seed, prior, epsilon) {
  set.seed(seed)
  y <- draw_counts(prior)
  released <- privatize(y, epsilon = epsilon, precision = 1, rng = "R")
  fit <- suppressWarnings(topic_model(released, K, prior = prior, iter = 1500, chains = 2, progress = FALSE))
  vapply(LEVELS, function(level) shares_inside(intervals_of(fit, GROUP, level), y, GROUP), numeric(5))
}

# Percentages, with their standard errors over tables; `inside`: kinds x levels x tables.
coverage_of <- function(prior, epsilon, inside) {
  mean <- apply(inside, 1:2, mean)
  error <- apply(inside, 1:2, stats::sd) / sqrt(dim(inside)[3])
  shown <- array(sprintf("%.1f (%.1f)", 100 * mean, 100 * error), dim(mean), dimnames(mean))
  data.frame(prior = prior, epsilon = epsilon, intervals = paste(100 * LEVELS, "%"), t(shown))
}

settings <- expand.grid(epsilon = c(1, 0.3), prior = seq_along(priors))
inside <- lapply(seq_len(nrow(settings)), function(i) {
  seeds <- (i - 1) * TABLES + seq_len(TABLES)
  simplify2array(parallel::mclapply(
    seeds, one_table, priors[[settings$prior[i]]], settings$epsilon[i], mc.cores = PROCESSES
  ))
})

rows <- Map(coverage_of, vapply(priors, format, "")[settings$prior], settings$epsilon, inside)
all <- array(unlist(inside), c(5, length(LEVELS), TABLES * length(inside)), dimnames(inside[[1]]))
print_table(do.call(rbind, c(rows, list(coverage_of("all", "", all)))))
