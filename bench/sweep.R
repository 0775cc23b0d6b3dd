# What does a sweep of topics cost, against its dot products alone and against the Bessel
# augmentation? 2000 x 2000, K = 50, mean count 0.05.
source("bench/common.R")

load_floor()
topics <- ldpcounts:::topics_model
set.seed(1)
for (epsilon in c(1, 3)) {
  counts <- simulate_positive(2000, 2000, 0.05, epsilon)
  job <- prepare(topics, counts, 50, epsilon)
  dense <- as.matrix(counts)
  rest <- dense == 0 # any release at or below zero will do
  dense[rest] <- -rgeom(sum(rest), 1 - exp(-epsilon))
  bessel <- prepare(topics, dense, 50, epsilon, bessel = TRUE, sweeps = 3)
  cat(sprintf("epsilon/N of %g\n", epsilon))
  report("positive cells", job$n, digits = 7)
  report("floor, ns a cell", floor_seconds(job) / job$n * 1e9)
  report("collapsed sweep, ns a positive cell", sweep_seconds(job) / job$n * 1e9)
  report_floor("collapsed sweep / floor", over_floor(job), c("at most 6", "", "at most 12")[epsilon])
  slow <- seconds(sweep_on(bessel, 1), 3)
  report("Bessel-augmented sweep / collapsed sweep", slow / sweep_seconds(job), "at least 6")
  report("Bessel-augmented sweep / one rpois a cell", slow / seconds(rpois(4e6, 1), 3), "at most 30")
}
