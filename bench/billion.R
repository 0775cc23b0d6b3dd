# How long does a sweep of a topic model of 10^9 cells take on one machine, and how much memory do two workers and
# this process need? 100,000 x 10,000 counts with a mean of 0.001, epsilon/N of 0.5, K = 50, read from files. Not
# part of `make bench`: it takes about a quarter of an hour and 9 GB on disk.
#   Rscript bench/billion.R [folder of the files, which are made if they are not there]
source("bench/common.R")

folder <- c(commandArgs(TRUE), file.path(tempdir(), "billion"))[1]
D <- 100000L
V <- 10000L
K <- 50
BLOCK <- 2500L # rows per file
SWEEPS <- 50

# Sparse topics and weights.
set.seed(1)
theta <- matrix(rgamma(D * K, 0.1), D)
phi <- matrix(rgamma(K * V, 0.1), K)
theta <- theta * (0.001 * D * V / sum(colSums(theta) * rowSums(phi)))

dir.create(folder, showWarnings = FALSE)
files <- file.path(folder, sprintf("%02d.txt", seq_len(D %/% BLOCK)))
make_file <- function(i) {
  set.seed(100 + i)
  of_block <- theta[(i - 1) * BLOCK + seq_len(BLOCK), ]
  places <- places_of_tokens(of_block, phi, rpois(K, colSums(of_block) * rowSums(phi)))
  y <- matrix(tabulate(places, BLOCK * V), BLOCK)
  write_release(privatize(y, 0.5), files[i])
  NULL # and not the release, of which this process would have all at once
}
made <- system.time(parallel::mclapply(which(!file.exists(files)), make_file, mc.cores = 2))
cat(sprintf("%d files in %.0f s, %.1f GB\n", length(files), made[["elapsed"]], sum(file.size(files)) / 1e9))
rm(theta)
invisible(gc())

cluster <- parallel::makePSOCKcluster(2)
ldp_threads(1)
run <- function(sweeps) {
  set.seed(2)
  system.time(topic_model(release_shards(files), K,
    family = "poisson", scheme = "tokens", iter = sweeps, warmup = sweeps - 1, chains = 1, init = "random",
    progress = FALSE, cluster = cluster
  ))[["elapsed"]]
}
few <- run(2)
many <- run(2 + SWEEPS)
cat(sprintf("reading and two sweeps: %.0f s; a sweep: %.2f s (bar: 3), two workers\n", few, (many - few) / SWEEPS))
most <- c(status_kb("VmHWM"), unlist(parallel::clusterCall(cluster, status_kb, "VmHWM"))) * 1024 / 1e9
cat(sprintf("most memory of this process %.2f GB, of the workers %.2f and %.2f (bar: 4)\n", most[1], most[2], most[3]))
parallel::stopCluster(cluster)
