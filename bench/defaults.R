# Which default arguments do real data support? Families `poisson` and `nbinom1`; gamma priors of shape
# 0.1, 0.3 and 1, with a rate of 1 or a learned rate ("~": `gamma_prior(shape, rate = gamma_prior(1, 1))`).
# All candidates are fitted to the same releases at epsilon/N of 3, 1, 0.5 and 0.2, of which a random tenth
# of the cells is masked for the fit. Two of the data sets are read from the folder that the environment
# variable LDPCOUNTS_DATA names; they are left out if it is not set.
#
# * density: mean log density of the released counts held out, per cell, as a difference from the best
#   candidate at that level. In parentheses is the standard error of the difference; it allows for cells
#   that share a row or an actor, and treats repetitions as independent.
# * observed, held out: percentage of true counts that are in their 90 % intervals (`augment()`), for 1,000
#   observed cells and for up to 1,000 held-out cells. Counts are discrete, so correct intervals cover more
#   than 90 % where most counts are small.
# * total: posterior mean of `sum(mu)` divided by the sum of the true counts, and the percentage of
#   repetitions in which the 90 % interval of `sum(mu)` contains that sum.
# * seconds: processor time of one fit, two chains one after the other.
#
# The last table has means over data sets and levels. "2 se below" is the number of data sets and levels
# at which the density is more than two standard errors below the best; "log total" is the mean absolute
# logarithm of the ratio of totals; "R-hat" is the median R-hat of the log density. Values above 1.05 mean
# that the two chains had not converged.
# Run in the package's root, after make install: Rscript bench/defaults.R
source("bench/common.R")

CACHE <- "build/defaults" # delete this folder to measure again
LEVELS <- c(3, 1, 0.5, 0.2)
COVERED <- 1000 # number of cells whose intervals are checked
THIN <- 3

candidates <- expand.grid(
  rate = c("1", "~"), shape = c(0.1, 0.3, 1), family = c("poisson", "nbinom1"), stringsAsFactors = FALSE
)[3:1]

# --- data -------------------------------------------------------------------------------------------

read_matrix <- function(file) {
  connection <- gzfile(file, "r")
  on.exit(close(connection))
  Matrix::readMM(connection)
}

read_tensor <- function(file) {
  cells <- utils::read.csv(file, stringsAsFactors = FALSE)
  actors <- sort(unique(c(cells$sender, cells$receiver)))
  y <- stats::xtabs(count ~ factor(sender, actors) + factor(receiver, actors) + year, cells)
  array(as.integer(y), dim(y))
}

no_cells <- function(y) which(array(FALSE, dim(y)), arr.ind = TRUE)

# Events of a country with itself are not data.
on_diagonal <- function(y) which(slice.index(y, 1) == slice.index(y, 2), arr.ind = TRUE)

# y() returns the true counts of one repetition, absent() the cells that are not data.
data_sets <- list(
  enron_network = list(
    model = block_model, k = 5, iter = 600, repetitions = 3, absent = no_cells,
    what = "the Enron network, 161 x 161, k = 5", y = function(repetition) as.matrix(enron_network)
  ),
  poliblog = list(
    model = topic_model, k = 10, iter = 450, repetitions = 1, absent = no_cells,
    what = "the 300 longest posts of poliblog and its 500 most frequent words, k = 10",
    y = function(repetition) largest(poliblog, 300, 500)
  ),
  icews_small_tensor = list(
    model = tensor_model, k = 5, iter = 600, repetitions = 3, absent = on_diagonal,
    what = "conflict between countries by year, 25 x 25 x 13 without its diagonal, k = 5",
    file = "icews_small_tensor.csv.gz", y = function(repetition) read_tensor(file_of("icews_small_tensor"))
  ),
  enron_text_small = list(
    model = topic_model, k = 10, iter = 450, repetitions = 1, absent = no_cells,
    what = "the 300 longest Enron e-mails of the file and its 500 most frequent words, k = 10",
    file = "enron_text_small.mtx.gz",
    y = function(repetition) largest(read_matrix(file_of("enron_text_small")), 300, 500)
  ),
  simulated = list(
    model = topic_model, k = 2, iter = 600, repetitions = 10, absent = no_cells,
    what = "simulate_topics(D = 20, V = 15, k = 2, words = 60), k = 2",
    y = function(repetition) {
      set.seed(repetition)
      simulate_topics(D = 20, V = 15, k = 2, words = 60)$y
    }
  )
)

file_of <- function(name) file.path(Sys.getenv("LDPCOUNTS_DATA"), data_sets[[name]]$file)

is_at_hand <- function(name) {
  is.null(data_sets[[name]]$file) || (nzchar(Sys.getenv("LDPCOUNTS_DATA")) && file.exists(file_of(name)))
}

# --- one release, all candidates ----------------------------------------------------------------------

# A sample of the observed cells.
observed_sample <- function(train, network) {
  observed <- !is.na(array(unclass(as.array(train)), dim(train)))
  if (network) diag(observed) <- FALSE
  some_rows(which(observed, arr.ind = TRUE), COVERED)
}

fit_candidate <- function(set, train, candidate) {
  rate <- if (candidate$rate == "~") gamma_prior(shape = 1, rate = 1) else 1
  suppressWarnings(set$model(train, set$k,
    family = candidate$family, dispersion = NULL, dispersion_prior = beta_prior(shape1 = 1, shape2 = 1),
    dispersion_by = "all", inference = "gibbs", noise = "model", scheme = "collapsed",
    prior = gamma_prior(shape = candidate$shape, rate = rate), iter = set$iter, warmup = set$iter / 2,
    thin = THIN, chains = 2, init = NULL, progress = FALSE, checkpoint = NULL
  ))
}

share_covered <- function(fit, y, cells) {
  truth <- augment(fit, cells = cells, level = 0.9)
  100 * mean(truth$lower <= y[cells] & y[cells] <= truth$upper)
}

# Draws of sum(mu) over all cells that are data, including the held-out ones.
totals <- function(fit, absent) {
  vapply(seq_len(ldpcounts:::n_draws(fit)), function(s) {
    of_absent <- if (nrow(absent) > 0) sum(ldpcounts:::draw_cell_mean(fit, s, absent)) else 0
    sum(ldpcounts:::draw_row_totals(fit, s)) - of_absent
  }, 0)
}

# Fit all candidates to one release. Returns a list of `scores`, one row per candidate, and `error`, the
# standard errors of all pairwise differences in density.
run_unit <- function(unit) {
  set <- data_sets[[unit$data]]
  y <- set$y(unit$repetition)
  absent <- ldpcounts:::fold_cells(set$absent(y), dim(y))
  set.seed(1000 + unit$repetition)
  released <- privatize(y, epsilon = unit$level, precision = 1, rng = "R")
  if (nrow(absent) > 0) is.na(released) <- set$absent(y)
  set.seed(2000 + unit$repetition) # the same cells at all levels
  held_out <- holdout_cells(released, type = "random", fraction = 0.1)
  observed <- observed_sample(held_out$train, identical(set$model, block_model))
  some_held_out <- some_rows(held_out$cells, COVERED)
  pointwise <- NULL
  scores <- lapply(seq_len(nrow(candidates)), function(i) {
    set.seed(3000 + unit$repetition)
    time <- timed(fit <- fit_candidate(set, held_out$train, candidates[i, ]))
    density <- held_out_density(fit, released, held_out$cells)
    pointwise <<- cbind(pointwise, density$pointwise)
    total <- totals(fit, absent)
    ends <- stats::quantile(total, c(0.05, 0.95), names = FALSE)
    data.frame(unit, candidates[i, ],
      density = density$mean, observed = share_covered(fit, y, observed),
      held_out = share_covered(fit, y, some_held_out), total = mean(total) / sum(y),
      total_covered = ends[1] <= sum(y) && sum(y) <= ends[2], seconds = time,
      rhat = posterior::rhat(fit$log_density), row.names = NULL
    )
  })
  network <- if (identical(set$model, block_model)) "directed" else "none"
  error <- apply(pointwise, 2, function(x) {
    apply(x - pointwise, 2, ldpcounts:::dependent_error, cells = held_out$cells, network = network)
  })
  list(scores = do.call(rbind, scores), error = error)
}

# Run a unit, or read its file. The name of the file changes with the settings and the functions.
cached <- function(unit) {
  set <- data_sets[[unit$data]]
  work <- lapply(list(run_unit, fit_candidate, set$y), deparse)
  file <- file.path(CACHE, paste0(unit$data, "-", unit$level, "-", unit$repetition, "-", substr(rlang::hash(
    list(work, set$k, set$iter, candidates, COVERED, THIN, utils::packageVersion("ldpcounts"))
  ), 1, 8), ".rds"))
  if (!file.exists(file)) {
    saveRDS(run_unit(unit), paste0(file, ".part"))
    file.rename(paste0(file, ".part"), file)
    message(basename(file))
  }
  readRDS(file)
}

# --- tables -------------------------------------------------------------------------------------------

labels <- data.frame(
  family = candidates$family,
  prior = paste0(candidates$shape, ", ", candidates$rate), stringsAsFactors = FALSE
)

decimals <- function(x, digits = 4) formatC(x, digits = digits, format = "f")

# Means over the repetitions at one level, one row per candidate.
at_level <- function(units) {
  each <- function(f) vapply(units, f, numeric(nrow(candidates)))
  column <- function(name) rowMeans(each(function(x) as.double(x$scores[[name]])))
  density <- column("density")
  best <- which.max(density)
  error <- sqrt(rowSums(each(function(x) x$error[, best]^2))) / length(units)
  data.frame(
    difference = density - density[best], error = error, rank = rank(-density), observed = column("observed"),
    held_out = column("held_out"), total = column("total"), total_covered = 100 * column("total_covered"),
    seconds = column("seconds"), rhat = apply(each(function(x) x$scores$rhat), 1, stats::median)
  )
}

show_data <- function(name, results) {
  n <- data_sets[[name]]$repetitions
  cat(name, ": ", data_sets[[name]]$what, "; ", data_sets[[name]]$iter, " sweeps, ",
    if (n == 1) "one repetition" else paste(n, "repetitions"), "\n\n", sep = "")
  at <- function(level) paste("at", level)
  densities <- lapply(results, function(x) {
    ifelse(x$difference == 0, "best", paste0(decimals(x$difference), " (", decimals(x$error), ")"))
  })
  names(densities) <- paste("density", sapply(LEVELS, at))
  print_table(data.frame(labels, densities, seconds = decimals(
    rowMeans(sapply(results, `[[`, "seconds")), 1
  ), check.names = FALSE))
  covered <- lapply(results, function(x) sprintf("%.0f, %.0f", x$observed, x$held_out))
  names(covered) <- paste("observed, held out", sapply(LEVELS, at))
  total <- lapply(results, function(x) sprintf("%.2f, %.0f", x$total, x$total_covered))
  names(total) <- paste("total", sapply(LEVELS, at))
  print_table(data.frame(labels, covered, total, check.names = FALSE))
}

# Means over all data sets and levels; `results` has a list of levels per data set.
show_summary <- function(results) {
  all <- unlist(results, recursive = FALSE)
  mean_of <- function(name) rowMeans(sapply(all, `[[`, name))
  worst_of <- function(name) apply(sapply(all, `[[`, name), 1, min)
  below <- sapply(all, function(x) x$difference < -2 * x$error)
  cat("All data sets and levels, ", length(all), " of them\n\n", sep = "")
  print_table(data.frame(labels,
    "mean rank" = decimals(mean_of("rank"), 1), "mean difference" = decimals(mean_of("difference")),
    "worst difference" = decimals(worst_of("difference")), "2 se below" = format(rowSums(below)),
    "observed, worst" = sprintf("%.0f, %.0f", mean_of("observed"), worst_of("observed")),
    "held out, worst" = sprintf("%.0f, %.0f", mean_of("held_out"), worst_of("held_out")),
    "log total" = decimals(rowMeans(abs(log(sapply(all, `[[`, "total")))), 2),
    "total covered" = decimals(mean_of("total_covered"), 0),
    seconds = decimals(mean_of("seconds"), 1),
    "R-hat" = decimals(apply(sapply(all, `[[`, "rhat"), 1, stats::median), 2), check.names = FALSE
  ))
}

dir.create(CACHE, recursive = TRUE, showWarnings = FALSE)
here <- Filter(is_at_hand, names(data_sets))
for (name in setdiff(names(data_sets), here)) {
  cat(name, ": left out, as LDPCOUNTS_DATA names no folder with ", data_sets[[name]]$file, "\n\n", sep = "")
}
results <- lapply(stats::setNames(nm = here), function(name) {
  lapply(LEVELS, function(level) {
    at_level(lapply(seq_len(data_sets[[name]]$repetitions), function(repetition) {
      cached(data.frame(data = name, level = level, repetition = repetition))
    }))
  })
})
for (name in here) show_data(name, results[[name]])
show_summary(results)
