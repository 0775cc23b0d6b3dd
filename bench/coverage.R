# Do 90 % intervals cover nine times in ten under every mechanism? Intervals of a regression coefficient (slope) are
# those of gam() with private_poisson() and private_nbinom1(), whose standard errors account for the estimated
# dispersion (vcov(unconditional = TRUE)). Intervals of true counts are quantiles of dtruecount() at the fitted means.
# True counts are discrete, so their intervals are randomised at both ends, which makes the nominal coverage exact.
# The naive analysis takes the released numbers for true counts (negative ones as 0, hidden ones as the middle of what
# is hidden). Its interval of the slope is that of glm() (Poisson, or quasi-Poisson if counts are overdispersed); it has
# no interval of a count, and "naive equal" is how often its number is the true count. After +- is the Monte Carlo
# standard error of a coverage. REGRESSION.md has coverages of slopes with more data sets.
# Run in the package's root: Rscript bench/coverage.R [slopes] [data sets] [first seed] [family] [numbers of mechanisms]
# With "slopes", counts are left out, and each data set has a seed of its own, so that parts of a run can be pooled.

suppressMessages(library(ldpcounts))
ldp_threads(1)
ALONE <- "slopes" %in% commandArgs(TRUE)
arguments <- Filter(function(x) x != "slopes", commandArgs(TRUE))
REPETITIONS <- if (length(arguments) > 0) as.numeric(arguments[1]) else 400
FIRST <- if (length(arguments) > 1) as.numeric(arguments[2]) else 1
chosen <- arguments[3]
numbers <- as.integer(arguments[-(1:3)])
N <- 200
SLOPE <- 0.4
DISPERSION <- c(private_poisson = 1, private_nbinom1 = 2)

MECHANISMS <- list(
  geometric_noise(0.5), discrete_gaussian_noise(2), laplace_noise(2), gaussian_noise(2), skellam_noise(4),
  random_rounding(3), rounding(5), suppression(1, 9), count_classes(c(0, 1, 3, 6)),
  withheld(discrete_gaussian_noise(2), below = 5), thinning(0.5)
)

# What somebody would use who does not know of the mechanism.
naive_counts <- function(mechanism, released) {
  p <- mechanism$parameters
  hidden <- if (mechanism$kind == "suppression") (p$from + p$to) / 2 else if (mechanism$kind == "withheld") p$below / 2
  released <- replace(released, released == -Inf, hidden)
  if (mechanism$kind == "classes") released <- c(0, 1.5, 4, 6)[match(released, p$breaks)]
  if (mechanism$kind == "thinning") released <- released / p$prob
  pmax(released, 0)
}

covers <- function(estimate, error) abs(estimate - SLOPE) <= stats::qnorm(0.95) * error

# Is each count in its interval? Where the interval ends inside the probability of a count, by chance.
covers_counts <- function(y, released, mu, mechanism, dispersion) {
  upper <- ptruecount(y, released, mu, dispersion = dispersion, mechanism = mechanism)
  below <- upper - dtruecount(y, released, mu, dispersion = dispersion, mechanism = mechanism)
  at <- below + stats::runif(length(y)) * (upper - below)
  mean(at > 0.05 & at < 0.95)
}

once <- function(mechanism, family) {
  x <- stats::rnorm(N)
  mu <- exp(1.2 + SLOPE * x)
  dispersion <- DISPERSION[[family]]
  y <- if (dispersion == 1) stats::rpois(N, mu) else stats::rnbinom(N, mu / (dispersion - 1), 1 / dispersion)
  released <- stats::simulate(mechanism, y = y)
  d <- data.frame(x = x, naive = naive_counts(mechanism, released))
  d$release <- private_counts(released, mechanism = mechanism)
  fit <- mgcv::gam(release ~ x, family = get(family)(), data = d)
  naive_family <- if (dispersion == 1) stats::poisson() else stats::quasipoisson()
  naive <- suppressWarnings(summary(stats::glm(naive ~ x, family = naive_family, data = d))$coefficients)
  estimated <- if (dispersion == 1) 1 else fit$family$getTheta(TRUE)
  c(
    slope = covers(stats::coef(fit)[[2]], sqrt(diag(stats::vcov(fit, unconditional = dispersion > 1)))[[2]]),
    naive_slope = covers(naive[2, 1], naive[2, 2]),
    counts = if (ALONE) NA else covers_counts(y, released, stats::fitted(fit), mechanism, estimated),
    naive_counts = mean(abs(d$naive - y) < 1e-9),
    bias = stats::coef(fit)[[2]] - SLOPE, naive_bias = naive[2, 1] - SLOPE
  )
}

percent <- function(x) sprintf("%.1f +- %.1f", 100 * mean(x), 100 * stats::sd(x) / sqrt(length(x)))

for (family in if (is.na(chosen)) names(DISPERSION) else chosen) {
  cat(family, ", ", REPETITIONS, " data sets of ", N, " counts per row: coverage in %, bias of the slope\n",
    sep = ""
  )
  line <- "%-60s %12s %12s %12s %12s %8s %8s %7s\n"
  cat(sprintf(line, "", "counts", "naive equal", "slope", "naive slope", "bias", "naive", "failed"))
  for (mechanism in if (length(numbers) > 0) MECHANISMS[numbers] else MECHANISMS) {
    each <- vapply(seq_len(REPETITIONS), function(i) {
      if (i == 1 || ALONE) set.seed(FIRST + i - 1)
      tryCatch(once(mechanism, family), error = function(e) rep(NA_real_, 6))
    }, numeric(6))
    failed <- sum(is.na(each[1, ]))
    each <- each[, !is.na(each[1, ]), drop = FALSE]
    bias <- sprintf("%.4f", rowMeans(each[5:6, , drop = FALSE]))
    cat(sprintf(line, format(mechanism), percent(each[3, ]), percent(each[4, ]), percent(each[1, ]), percent(each[2, ]),
      bias[1], bias[2], failed
    ))
  }
}
