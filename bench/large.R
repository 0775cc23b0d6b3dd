# Time and memory of a large job, and does it recover what was planted? Topics of 10,000 x 10,000, K
# = 50, mean count 0.015, epsilon/N of 3, a clamped release; 120 sweeps, 20 draws kept, the mean of
# 100,000 cells, private and naive. A process of its own fits, so that making the data is not
# counted.
source("bench/common.R")

BAR_GB <- 1

# Tokens by component, so that the table of means is never made.
plant <- function(D, V, k, mean, shape = 0.1) {
  theta <- matrix(rgamma(D * k, shape), D)
  phi <- matrix(rgamma(k * V, shape), k)
  theta <- theta * mean * D * V / sum(colSums(theta) * rowSums(phi))
  tokens <- rpois(k, colSums(theta) * rowSums(phi))
  row <- unlist(lapply(1:k, function(i) sample.int(D, tokens[i], TRUE, theta[, i])))
  column <- unlist(lapply(1:k, function(i) sample.int(V, tokens[i], TRUE, phi[i, ])))
  list(
    theta = theta, phi = phi,
    y = Matrix::sparseMatrix(row, column, x = 1, dims = c(D, V)) # doubles are added up
  )
}

fit_there <- function(file) {
  planted <- readRDS(file)
  at <- planted$at
  before <- status_kb("VmRSS")
  fit <- function(noise) {
    set.seed(2)
    took <- system.time({
      fit <- topic_model(planted$release, 50, noise = noise, iter = 120, warmup = 100, progress = FALSE)
      mu <- fitted(fit, cells = at)
    })[["elapsed"]]
    list(mu = mu, seconds = took)
  }
  private <- fit("model")
  report("most memory of the process, GB", status_kb("VmHWM") / 2^20, paste("at most", BAR_GB))
  report("memory before the fit, R and the release, GB", before / 2^20)
  report("seconds of 120 sweeps and 20 log densities", private$seconds)
  report("Poisson KL, private", poisson_kl(private$mu, planted$mu), digits = 4)
  report("Poisson KL, naive", poisson_kl(fit("ignore")$mu, planted$mu), "private below naive", digits = 4)

  counts <- as.matrix(planted$release, sparse = TRUE)
  cells <- ldpcounts:::make_cells(counts, rep(exp(-3), nrow(counts)))
  report("bytes a positive cell, beside the input", as.double(utils::object.size(cells)) /
    length(cells$y_tilde), "at most 24")
  rm(cells)
  load_floor()
  job <- prepare(ldpcounts:::topics_model, counts, 50, 3, sweeps = 20)
  report("positive cells", job$n, digits = 7)
  report("sweep, seconds", sweep_seconds(job, 3))
  report_floor("sweep / floor", over_floor(job, 5), "at most 10")
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 1) {
  fit_there(arguments)
} else {
  set.seed(1)
  planted <- plant(10000, 10000, 50, 0.015)
  at <- cbind(sample.int(10000, 1e5, TRUE), sample.int(10000, 1e5, TRUE))
  file <- tempfile(fileext = ".rds")
  saveRDS(list(
    release = privatize(planted$y, epsilon = 3, clamp = TRUE), at = at,
    mu = ldpcounts:::topics_model$cell_mean(planted, at)
  ), file, compress = FALSE)
  rm(planted)
  invisible(gc())
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "bench/large.R", file))
  unlink(file)
}
