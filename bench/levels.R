# What a sweep, a sweep whose draw is kept, and an effective draw cost at privacy levels that people
# would choose: the Enron network (k = 5), the posts (k = 20) and a simulated tensor (50 x 50 x 30, k = 5),
# at epsilon/N of 3 to 0.01. "ratio" is a negative binomial sweep over a Poisson one, "kept" a sweep whose
# draw is kept over one whose draw is not; medians of seven pairs of times taken in turn. Effective draws
# are of mu in 50 cells, the median over cells, per second.
source("bench/common.R")

LEVELS <- c(3, 1, 0.3, 0.1, 0.03, 0.01)

noised <- function(y, epsilon) {
  set.seed(3)
  x <- privatize(y, epsilon = epsilon, rng = "R")
  if (length(dim(y)) == 2) as.matrix(x) else as.array(x)
}

# Seconds of two things done in turn, seven times, each pair with the same random numbers: whether a draw
# is kept then changes no draw.
in_turns <- function(first, second) {
  seconds_of <- function(code, seed) {
    set.seed(seed)
    system.time(code())[["elapsed"]]
  }
  times <- vapply(1:7, function(seed) c(seconds_of(first, seed), seconds_of(second, seed)), numeric(2))
  c(seconds = min(times[1, ]), ratio = stats::median(times[2, ] / times[1, ]))
}

measure <- function(model, y, k, epsilon, sweeps) {
  counts <- noised(y, epsilon)
  set.seed(5)
  table <- if (length(dim(y)) > 2) matrix(counts, dim(y)[1]) else counts
  poisson <- prepare(model, table, k, epsilon, sweeps = sweeps, extents = dim(y))
  bursts <- with_bursts(poisson, sweeps)
  many <- max(10, sweeps %/% 5)
  both <- in_turns(function() sweep_on(poisson, many), function() sweep_on(bursts, many))
  kept <- vapply(list(poisson, bursts), function(job) {
    in_turns(function() sweep_on(job, many), function() sweep_on(job, many, seq_len(many)))
  }, numeric(2))
  effective <- vapply(list(poisson, bursts), function(job) {
    effective_draws(job, dim(y), sweeps)[["a_second"]]
  }, 0)
  cat(sprintf("%5g %9d %9.2f %6.0f %6.2f %7.0f %12.2f %6.0f %6.2f %7.0f %7.2f\n", epsilon, poisson$n,
    kept[1, 1] / many * 1e3, kept[1, 1] / many / poisson$n * 1e9, kept[2, 1], effective[1],
    kept[1, 2] / many * 1e3, kept[1, 2] / many / poisson$n * 1e9, kept[2, 2], effective[2], both[["ratio"]]))
}

show_levels <- function(what, model, y, k, sweeps) {
  cat(what, "\n", sep = "")
  cat("                Poisson                          negative binomial\n")
  cat("epsilon positive  ms/sweep ns/cell kept   eff/s     ms/sweep ns/cell kept   eff/s   ratio\n")
  for (epsilon in LEVELS) measure(model, y, k, epsilon, sweeps)
}

show_levels("Enron network (bars: ratio at most 2.5, kept at most 1.4, ns/cell at 0.01 at most 1.5 times that at 1)",
  ldpcounts:::blocks_model, enron_network, 5, 1000)
show_levels("poliblog (bar: kept at most 1.3)", ldpcounts:::topics_model, as.matrix(poliblog), 20, 150)
set.seed(7)
tensor <- simulate_tensor(dims = c(50, 50, 30), k = 5)$y
show_levels("tensor, 50 x 50 x 30", ldpcounts:::tensor_of(3), tensor, 5, 200)
