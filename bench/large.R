# Time and memory of a large job: topics of 10,000 x 10,000, K = 50, mean count 0.015, epsilon/N of
# 3, 20 draws kept, and the mean of 100,000 cells. A process of its own samples, so that making the
# data is not counted.
source("bench/common.R")

BAR_GB <- 1

status_kb <- function(field) { # Linux alone
  status <- readLines("/proc/self/status")
  as.double(gsub("[^0-9]", "", grep(paste0("^", field), status, value = TRUE)))
}

sample_there <- function(file) {
  counts <- readRDS(file)
  topics <- ldpcounts:::topics_model
  before <- status_kb("VmRSS")
  cells <- ldpcounts:::make_cells(counts, rep(exp(-3), nrow(counts)))
  report("bytes a positive cell, beside the input", as.double(utils::object.size(cells)) /
    length(cells$y_tilde), "at most 24")
  rm(cells)
  job <- prepare(topics, counts, 50, 3, sweeps = 20)
  job <- sweep_on(job, 20, 1:20)
  at <- cbind(sample.int(10000, 1e5, TRUE), sample.int(10000, 1e5, TRUE))
  means <- 0
  for (i in 1:20) {
    draw <- list(theta = t(job$draws$theta[, , i]), phi = job$draws$phi[, , i])
    means <- means + topics$cell_mean(draw, at) / 20
  }
  report("most memory of the process, GB", status_kb("VmHWM") / 2^20, paste("at most", BAR_GB))
  report("memory before the sampler, R and the input, GB", before / 2^20)
  load_floor()
  report("positive cells", job$n, digits = 7)
  report("sweep, seconds", sweep_seconds(job, 3))
  report_floor("sweep / floor", over_floor(job, 5), "at most 10")
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 1) {
  sample_there(arguments)
} else {
  set.seed(1)
  file <- tempfile(fileext = ".rds")
  saveRDS(simulate_positive(10000, 10000, 0.015, 3), file, compress = FALSE)
  invisible(gc())
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "bench/large.R", file))
  unlink(file)
}
