# Does a topic model of 20,000 x 20,000 counts with K = 50, at epsilon/N of 1 (about 1e8 positive counts), fit
# into the memory of two workers that read it from files, and does it recover the planted topics? Not part of
# `make bench`: it takes about half an hour and 4 GB on disk. Arguments: the folder of the files (which are made
# if they are not there), rows, columns, sweeps.
source("bench/common.R")

arguments <- commandArgs(TRUE)
folder <- if (length(arguments) > 0) arguments[1] else file.path(tempdir(), "shards")
size <- replace(c(20000L, 20000L, 60L), seq_along(arguments[-1]), as.integer(arguments[-1]))
D <- size[1]
V <- size[2]
SWEEPS <- size[3]
K <- 50
EPSILON <- 1
BLOCK <- D %/% 20 # rows per file

# Sparse topics and weights, with a mean of 0.05 per cell.
set.seed(1)
theta <- matrix(rgamma(D * K, 0.1), D)
phi <- matrix(rgamma(K * V, 0.1), K)
theta <- theta * (0.05 * D * V / sum(colSums(theta) * rowSums(phi)))

# Files are made on all cores.
dir.create(folder, showWarnings = FALSE)
files <- file.path(folder, sprintf("%02d.txt", 1:20))
make_file <- function(i) {
  set.seed(100 + i)
  rows <- (i - 1) * BLOCK + seq_len(BLOCK)
  y <- matrix(rpois(BLOCK * V, theta[rows, ] %*% phi), BLOCK)
  write_release(privatize(y, EPSILON), files[i])
  saveRDS(y[1:10, ], sub("txt$", "rds", files[i])) # the truth of a few rows
  file.size(files[i])
}
made <- system.time(sizes <- unlist(parallel::mclapply(which(!file.exists(files)), make_file, mc.cores = 2)))
cat(sprintf("%d files in %.0f s, %.1f GB\n", length(files), made[["elapsed"]], sum(file.size(files)) / 1e9))

options(socketOptions = "no-delay")
no_delay <- c("-e", shQuote("options(socketOptions = 'no-delay')"))
cluster <- parallel::makePSOCKcluster(2, rscript_args = no_delay)
# The memory that this process and the workers have, or the most that they have had (VmHWM), in bytes. This
# process has the factors and their draws, but no cells.
memory <- function(field) {
  of_one <- function(field) {
    line <- grep(paste0("^", field), readLines("/proc/self/status"), value = TRUE)
    1024 * as.double(gsub("[^0-9]", "", line))
  }
  c(root = of_one(field), workers = sum(unlist(parallel::clusterCall(cluster, of_one, field))))
}
empty <- memory("VmRSS")
shards <- release_shards(files)
fit <- function(noise) {
  set.seed(2)
  took <- system.time(fit <- topic_model(shards, K,
    family = "poisson", iter = SWEEPS, thin = 5, chains = 1, init = "random", noise = noise, progress = FALSE,
    cluster = cluster
  ))
  cat(sprintf("%s: %d sweeps in %.0f s\n", noise, SWEEPS, took[["elapsed"]]))
  fit
}
private <- fit("model")
peak <- memory("VmHWM") - empty
at <- cbind(sample.int(D, 1e5, TRUE), sample.int(V, 1e5, TRUE))
mu <- rowSums(theta[at[, 1], ] * t(phi)[at[, 2], ])
n_positive <- D * as.double(V) * mean(pprivpois(0, mu, exp(-EPSILON), lower.tail = FALSE))
cat(sprintf("peak memory of %s: %.2f GB, %.1f bytes per positive count (of %.3g)\n",
  c("two workers", "this process"), rev(peak) / 1e9, rev(peak) / n_positive, n_positive
), sep = "")
truth <- unlist(lapply(sub("txt$", "rds", files), readRDS), use.names = FALSE)
cells <- do.call(rbind, lapply(1:20, function(i) as.matrix(expand.grid((i - 1) * BLOCK + 1:10, seq_len(V)))))
some <- sample.int(nrow(cells), 2e5)
score <- function(fit) poisson_kl(fitted(fit, cells = cells[some, ]), truth[some])
cat(sprintf("private poisson_kl %.5f\n", score(private)))
cat(sprintf("naive   poisson_kl %.5f\n", score(fit("ignore"))))
parallel::stopCluster(cluster)
