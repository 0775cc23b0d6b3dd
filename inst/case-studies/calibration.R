# How often 50 % and 90 % intervals cover, by noise level: of true counts (`augment()`), of those that were
# masked for the fit, and of means (`fitted()`), for the analysis that models the noise and the naive one,
# which takes the release cut at zero for the truth. Answers whether the uncertainty that a fit reports can
# be believed.
#
# Three data sets are simulated, one from each model, with dispersion 2; two are real. Of these the means
# are not known. Fits have default arguments, but for the number of sweeps and of chains.
#
# `covered` is the share of cells that are in their intervals, `width` the mean of upper - lower. A count is
# a whole number, and its interval has at least the stated probability, often much more.

settings <- list(
  seed = 4000, iter = 600, chains = 2, cells = 500, fraction = 0.1, dispersion = 2,
  k = c(topics = 3, blocks = 3, tensor = 3, enron_network = 5, poliblog = 5)
)

some_units <- function(data, repetitions) {
  expand.grid(
    repetition = seq_len(repetitions), data = data, epsilon = c(3, 1, 0.5, 0.2),
    noise = c("model", "ignore"), stringsAsFactors = FALSE
  )
}
units <- rbind(some_units(c("topics", "blocks", "tensor"), 8), some_units(c("enron_network", "poliblog"), 2))

run_unit <- function(unit, settings) {
  truth <- make_truth(unit$data, settings)
  released <- privatize(truth$y, unit$epsilon, rng = "R")
  held_out <- holdout_cells(released, fraction = settings$fraction)
  fit <- suppressWarnings(truth$model(held_out$train, settings$k[[unit$data]],
    noise = unit$noise, iter = settings$iter, chains = settings$chains, progress = FALSE
  ))
  seen <- some_cells(which(!is.na(unclass(as.array(held_out$train))), arr.ind = TRUE), settings$cells)
  if (unit$data %in% c("blocks", "enron_network")) seen <- seen[seen[, 1] != seen[, 2], ]
  hidden <- some_cells(held_out$cells, settings$cells)
  rows <- lapply(c(0.5, 0.9), function(level) {
    of_counts <- function(cells) augment(fit, cells = cells, level = level)
    rbind(
      score("count", level, truth$y[seen], of_counts(seen)),
      score("hidden count", level, truth$y[hidden], of_counts(hidden)),
      if (!is.null(truth$mu)) {
        score("mean", level, truth$mu[seen], data.frame(fitted(fit, cells = seen, level = level)))
      }
    )
  })
  do.call(rbind, rows)
}

make_truth <- function(data, settings) {
  switch(data,
    topics = c(simulate_topics(
      D = 60, V = 30, k = 3, words = 60, dispersion = settings$dispersion
    )[c("y", "mu")], model = topic_model),
    blocks = c(simulate_blocks(
      V = 40, k = 3, shape = 0.3, rate = 0.5, dispersion = settings$dispersion
    )[c("y", "mu")], model = block_model),
    tensor = c(simulate_tensor(
      dims = c(15, 15, 8), k = 3, dispersion = settings$dispersion
    )[c("y", "mu")], model = tensor_model),
    enron_network = list(y = as.matrix(enron_network), model = block_model),
    poliblog = list(y = largest(poliblog, 200, 300), model = topic_model)
  )
}

# The longest documents, and the most frequent words.
largest <- function(y, n_rows, n_columns) {
  rows <- sort(order(-Matrix::rowSums(y))[seq_len(n_rows)])
  columns <- sort(order(-Matrix::colSums(y))[seq_len(n_columns)])
  as.matrix(y[rows, columns])
}

some_cells <- function(cells, n) {
  cells[sort(sample.int(nrow(cells), min(n, nrow(cells)))), , drop = FALSE]
}

score <- function(quantity, level, truth, interval) {
  data.frame(
    quantity = quantity, level = level,
    covered = mean(interval$lower <= truth & truth <= interval$upper),
    width = mean(interval$upper - interval$lower), stringsAsFactors = FALSE
  )
}
