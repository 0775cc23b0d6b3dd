# Does a topic model of 20,000 x 20,000 counts with K = 50, at epsilon/N of 1 (about 1e8 positive counts), fit
# into the memory of two workers that read it from files, and does it recover the planted topics? Not part of
# `make bench`: it takes about half an hour and 4 GB on disk. Arguments: the folder of the files (which are made
# if they are not there), rows, columns, sweeps.
#
# The memory of factors, their draws and messages is that of the same fit to a table of the same size whose counts
# are 0, but for one in each row. What the fit to the large table needs beyond it is the memory of its cells.
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
empty_files <- file.path(folder, sprintf("empty_%02d.txt", 1:20))
make_files <- function(i) {
  set.seed(100 + i)
  rows <- (i - 1) * BLOCK + seq_len(BLOCK)
  y <- matrix(rpois(BLOCK * V, theta[rows, ] %*% phi), BLOCK)
  write_release(privatize(y, EPSILON), files[i])
  saveRDS(y[1:10, ], sub("txt$", "rds", files[i])) # the truth of a few rows
  one_per_row <- matrix(0L, BLOCK, V)
  one_per_row[cbind(seq_len(BLOCK), sample.int(V, BLOCK, TRUE))] <- 1L
  write_release(privatize(one_per_row, epsilon = 60), empty_files[i])
}
made <- system.time(parallel::mclapply(which(!file.exists(empty_files)), make_files, mc.cores = 2))
cat(sprintf("%d files in %.0f s, %.1f GB\n", length(files), made[["elapsed"]], sum(file.size(files)) / 1e9))

# The memory that a process has, or the most that it has had (VmHWM), in bytes.
memory <- function(field) {
  line <- grep(paste0("^", field), readLines("/proc/self/status"), value = TRUE)
  1024 * as.double(gsub("[^0-9]", "", line))
}
fit <- function(files, noise, cluster) {
  set.seed(2)
  took <- system.time(fit <- topic_model(release_shards(files), K,
    family = "poisson", iter = SWEEPS, thin = 5, chains = 1, init = "random", noise = noise, progress = FALSE,
    cluster = cluster
  ))
  cat(sprintf("%s of %s: %d sweeps in %.0f s\n", noise, basename(files[1]), SWEEPS, took[["elapsed"]]))
  fit
}
# Fitted means are compared with the truth in some of the cells whose truth was kept.
of_file <- rep(1:20, each = 1e4)
at <- cbind(sample.int(10, 2e5, TRUE), sample.int(V, 2e5, TRUE))
truth <- unlist(lapply(1:20, function(i) readRDS(sub("txt$", "rds", files[i]))[at[of_file == i, ]]))
cells <- cbind((of_file - 1) * BLOCK + at[, 1], at[, 2])
# A fit on two new workers, and how much more memory they needed than before it, and this process than before all
# fits. This process has the factors and their draws, but no cells.
before_fits <- memory("VmRSS")
fit_from_files <- function(files, noise) {
  cluster <- parallel::makePSOCKcluster(2)
  on.exit(parallel::stopCluster(cluster))
  of_workers <- function(field) sum(unlist(parallel::clusterCall(cluster, memory, field)))
  before <- of_workers("VmRSS")
  fit <- fit(files, noise, cluster)
  fitted <- fitted(fit, cells = cells) # the workers have the factors of the rows
  peak <- c(workers = of_workers("VmHWM") - before, root = memory("VmHWM") - before_fits)
  list(poisson_kl = poisson_kl(fitted, truth), peak = peak)
}
empty <- fit_from_files(empty_files, "model") # first: the memory of this process never shrinks
private <- fit_from_files(files, "model")
at <- cbind(sample.int(D, 1e6, TRUE), sample.int(V, 1e6, TRUE))
mu <- rowSums(theta[at[, 1], ] * t(phi)[at[, 2], ])
n_positive <- D * as.double(V) * mean(pprivpois(0, mu, exp(-EPSILON), lower.tail = FALSE))
cat(sprintf("positive counts: %.3g\n", n_positive))
for (who in c("workers", "root")) {
  cat(sprintf("peak memory of %s: %.2f GB, %.1f bytes per positive count; %.1f beside factors (%.0f MB)\n",
    c(workers = "two workers", root = "this process")[[who]], private$peak[[who]] / 1e9,
    private$peak[[who]] / n_positive, (private$peak - empty$peak)[[who]] / n_positive, empty$peak[[who]] / 1e6
  ))
}
cat(sprintf("private poisson_kl %.5f\n", private$poisson_kl))
cat(sprintf("naive   poisson_kl %.5f\n", fit_from_files(files, "ignore")$poisson_kl))
