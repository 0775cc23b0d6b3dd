# Regressions on private counts by mgcv: do 90 % intervals cover in data sets of 300 respondents with two
# covariates, and how long does gam() take? Results are kept in bench/REGRESSION.md.
# Run after make install: Rscript bench/regression.R [SEED], or for the times alone: Rscript bench/regression.R times
source("bench/common.R")
library(mgcv, warn.conflicts = FALSE)

# One data set: 300 respondents, two covariates, counts of one item. Dispersion 2.5 where counts are
# overdispersed.
BETA <- c(0.5, 0.5, -0.4)
DISPERSION <- 2.5
simulate_survey <- function(family, alpha, n = 300) {
  d <- data.frame(x1 = rnorm(n), x2 = rbinom(n, 1, 0.5))
  mu <- as.vector(exp(cbind(1, d$x1, d$x2) %*% BETA))
  y <- if (family == "poisson") rpois(n, mu) else rnbinom(n, size = mu / (DISPERSION - 1), mu = mu)
  d$y_tilde <- y + rtwogeom(n, alpha)
  d
}

covers <- function(fit) abs(coef(fit) - BETA) < qnorm(0.95) * sqrt(diag(vcov(fit)))

# A share of 2000 data sets has a standard error of 0.7 %; of 500, of 1.3 %, so that one of twelve shares may well be
# 3 % off. So the range over four times 500 is shown too.
survey_coverage <- function(family, epsilon, n_sets = 2000) {
  alpha <- exp(-epsilon)
  results <- replicate(n_sets, {
    d <- simulate_survey(family, alpha)
    noised <- if (family == "poisson") private_poisson(alpha) else private_nbinom1(alpha)
    plain <- if (family == "poisson") poisson() else nb()
    d$positive <- pmax(d$y_tilde, 0)
    private <- gam(y_tilde ~ x1 + x2, family = noised, data = d)
    naive <- gam(positive ~ x1 + x2, family = plain, data = d, method = "REML")
    rbind(covers(private), covers(naive))
  })
  of_500 <- apply(array(results, c(2, 3, 500, n_sets / 500)), c(1, 2, 4), mean)
  shares <- sprintf("%.1f (%.1f to %.1f)", 100 * apply(results, 1:2, mean), 100 * apply(of_500, 1:2, min),
    100 * apply(of_500, 1:2, max))
  matrix(shares, 2)
}

coverage_lines <- function(seed) {
  set.seed(seed)
  cases <- expand.grid(epsilon = c(1, 0.5), family = c("poisson", "nbinom1"), stringsAsFactors = FALSE)
  unlist(lapply(seq_len(nrow(cases)), function(i) {
    found <- survey_coverage(cases$family[i], cases$epsilon[i])
    message(cases$family[i], " ", cases$epsilon[i], ": ", paste(found, collapse = " "))
    sprintf(
      "| `%s` | %g | %s | %s |", cases$family[i], cases$epsilon[i], c("private", "naive"),
      apply(found, 1, paste, collapse = " | ")
    )
  }))
}

# Elapsed and CPU seconds, the least of several runs.
fit_seconds <- function(code, times = 3) {
  code <- substitute(code)
  frame <- parent.frame()
  runs <- replicate(times, {
    spent <- system.time(eval(code, frame))
    c(spent[["elapsed"]], spent[["user.self"]] + spent[["sys.self"]])
  })
  apply(runs, 1, min)
}

time_lines <- function(n = 1e5, epsilon = 1) {
  set.seed(25)
  alpha <- exp(-epsilon)
  d <- data.frame(matrix(rnorm(9 * n), n, dimnames = list(NULL, paste0("x", 1:9))))
  mu <- as.vector(exp(0.5 + as.matrix(d) %*% c(0.3, -0.3, 0.2, -0.2, 0.1, 0.1, 0, 0, 0.05)))
  d$y <- rpois(n, mu)
  d$y1 <- d$y + rtwogeom(n, alpha)
  d$y2 <- rnbinom(n, size = mu / 1.5, mu = mu) + rtwogeom(n, alpha)
  model <- function(y) reformulate(paste0("x", 1:9), y)
  ldp_threads(1)
  plain <- fit_seconds(gam(model("y"), family = poisson(), data = d))
  private <- fit_seconds(gam(model("y1"), family = private_poisson(alpha), data = d))
  overdispersed <- fit_seconds(gam(model("y2"), family = private_nbinom1(alpha), data = d))
  ldp_threads(2)
  on_two_threads <- fit_seconds(gam(model("y2"), family = private_nbinom1(alpha), data = d))
  line <- function(name, spent) {
    sprintf("| %s | %.2f | %.2f | %.1f |", name, spent[1], spent[2], spent[2] / plain[2])
  }
  c(
    line("`poisson()`", plain), line("`private_poisson(alpha)`", private),
    line("`private_nbinom1(alpha)`", overdispersed),
    line("`private_nbinom1(alpha)`, two threads", on_two_threads)
  )
}

load_average <- function() {
  if (!file.exists("/proc/loadavg")) {
    return("unknown")
  }
  strsplit(readLines("/proc/loadavg"), " ")[[1]][1]
}

argument <- c(commandArgs(TRUE), "24")[1]
if (argument != "times") {
  writeLines(c(
    "Percentage of 90 % intervals of each coefficient that cover its true value (bar for private: 87 to 93):", "",
    "| family | epsilon/N | regression | intercept | x1 | x2 |", "|---|---|---|---|---|---|",
    coverage_lines(as.integer(argument)), ""
  ))
}
cat("gam() of 1e5 cells with ten coefficients, epsilon/N of 1, one thread, the least of three runs (bars: 5 s\n")
cat("elapsed on an idle core, 20 times poisson()). Load average before: ", load_average(), "\n\n", sep = "")
writeLines(c("| family | elapsed s | CPU s | times `poisson()` (CPU) |", "|---|---|---|---|", time_lines()))
