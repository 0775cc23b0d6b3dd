# What a sweep costs: collapsed against Bessel-augmented, and that against one rpois a cell.
# 2000 x 2000, K = 50, mean count 0.05, epsilon/N of 1; medians of five, ratios within this run.
# Run in the package's root, after make install: Rscript bench/sweep.R

library(ldpcounts)

D <- 2000
V <- 2000
K <- 50
set.seed(1)
theta <- matrix(rgamma(D * K, 0.1), D)
phi <- matrix(rgamma(K * V, 0.1), K)
mu <- theta %*% phi
mu <- mu * 0.05 / mean(mu)
y <- matrix(rpois(D * V, mu), D)
released <- privatize(y, epsilon = 1)

seconds <- function(code) system.time(code, gcFirst = TRUE)[["elapsed"]]
median_of_five <- function(run) median(replicate(5, run()))

# Seconds a sweep, after a few to settle: two runs that differ in their number of sweeps, so that
# reading the data and starting up drop out.
sweep_seconds <- function(augmentation, more) {
  start <- topic_model(released, K, augmentation = augmentation, iter = 5, warmup = 4)
  run <- function(iter) {
    seconds(topic_model(released, K,
      augmentation = augmentation, iter = iter, warmup = iter - 1, init = start
    ))
  }
  median_of_five(function() (run(1 + more) - run(1)) / more)
}

poisson <- median_of_five(function() seconds(rpois(D * V, 1)))
collapsed <- sweep_seconds("collapsed", 10)
bessel <- sweep_seconds("bessel", 2)

cat(sprintf("positive cells                    %9.0f\n", sum(as.matrix(released) > 0)))
cat(sprintf("rpois, one a cell                 %9.3f s\n", poisson))
cat(sprintf("collapsed sweep                   %9.3f s\n", collapsed))
cat(sprintf("Bessel-augmented sweep            %9.3f s\n", bessel))
cat(sprintf("collapsed / Bessel                %9.3f   (bar: below 1/6 = 0.167)\n", collapsed / bessel))
cat(sprintf("Bessel / rpois                    %9.1f   (bar: at most 30)\n", bessel / poisson))
