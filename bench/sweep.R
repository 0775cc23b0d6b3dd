# What does a sweep of topics cost, against its dot products alone and against the Bessel scheme, and what do
# bursts cost (family nbinom1; with one dispersion, or one per column), in time and in memory? 2000 x 2000,
# K = 50, mean count 0.05. A sweep of poliblog (k = 20) lost 17 % in commit 97c3b45, whose dot products were
# no longer inlined in functions for wide registers; tests/c/wall.sh now looks for such calls.
source("bench/common.R")

# The same bursts with a dispersion for each column and with estimated shapes and rates, after some sweeps.
by_column <- function(bursts, sweeps = 30) {
  factors <- bursts$model$factors
  bursts$prior[factors] <- rep(list(gamma_prior(NULL, NULL)), length(factors))
  extra <- list(excess = matrix(1, bursts$cells$dim[2]), pool = matrix(c(1, 1)))
  bursts$factors <- c(bursts$factors[factors], ldpcounts:::hyper_starts(bursts$prior[factors]), extra)
  sweep_on(bursts, sweeps)
}

# In a process of its own: what sweeps take beside what was there before them, in bytes a cell, and the most memory
# of the process.
memory_there <- function(file) {
  job <- readRDS(file)
  invisible(gc())
  before <- status_kb("VmRSS")
  sweep_on(job, 20)
  most <- status_kb("VmHWM")
  cat((most - before) * 1024 / job$n, most)
}

memory_of_sweeps <- function(job) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(job, file, compress = FALSE)
  command <- c("--vanilla", "bench/sweep.R", file)
  printed <- system2(file.path(R.home("bin"), "Rscript"), command, stdout = TRUE)
  stats::setNames(scan(text = printed, quiet = TRUE), c("sweeps", "process"))
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 1) {
  memory_there(arguments)
  quit()
}

load_floor()
topics <- ldpcounts:::topics_model
set.seed(1)
for (epsilon in c(1, 3)) {
  counts <- simulate_positive(2000, 2000, 0.05, epsilon)
  job <- prepare(topics, counts, 50, epsilon)
  dense <- as.matrix(counts)
  rest <- dense == 0 # any release at or below zero will do
  dense[rest] <- -rgeom(sum(rest), 1 - exp(-epsilon))
  bessel <- prepare(topics, dense, 50, epsilon, "bessel", sweeps = 3)
  cat(sprintf("epsilon/N of %g\n", epsilon))
  report("positive cells", job$n, digits = 7)
  report("floor, ns a cell", floor_seconds(job) / job$n * 1e9)
  report("collapsed sweep, ns a positive cell", sweep_seconds(job) / job$n * 1e9)
  report_floor("collapsed sweep / floor", over_floor(job), c("at most 6", "", "at most 12")[epsilon])
  slow <- seconds(sweep_on(bessel, 1), 3)
  report("Bessel-augmented sweep / collapsed sweep", slow / sweep_seconds(job), "at least 6")
  report("Bessel-augmented sweep / one rpois a cell", slow / seconds(rpois(4e6, 1), 3), "at most 30")
  bursts <- with_bursts(job)
  report("nbinom1 sweep / Poisson sweep", slower_by(bursts, job), "at most 2")
  columns <- by_column(bursts)
  report("with a dispersion per column and shapes / nbinom1 sweep", slower_by(columns, bursts), "at most 1.15")
  memory <- sapply(list(job, bursts, columns), memory_of_sweeps)
  report("bytes a cell that sweeps take, Poisson", memory["sweeps", 1])
  report("bytes a cell that sweeps take, nbinom1", memory["sweeps", 2])
  report("bytes a cell that sweeps take, a dispersion per column", memory["sweeps", 3])
  larger <- memory["process", 3] / memory["process", 2]
  report("most memory of the process, with these / nbinom1", larger, "at most 1.05")
}
