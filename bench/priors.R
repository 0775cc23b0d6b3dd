# Should the shape of the weights be estimated by default, and should each column have a dispersion of its own?
# The priors `gamma_prior(0.3, NULL)`, `gamma_prior(NULL, NULL)` (the default) and `gamma_prior(1, 1)`, crossed
# with `dispersion_by` "all" and "column", for the Enron network (only "all"), posts, two surveys and two
# ecological tables from CRAN packages, and dense tables from the model. All are fitted to the same releases, of which
# a random tenth of the cells is masked, by two chains from independent random starts.
#
# * density: mean log density of the released counts held out, per cell, as a difference from the first
#   prior with one dispersion, and the standard error of the difference over the cells of all repetitions.
# * cells, columns, total: percentage of true counts (1,000 cells), of sums of columns and of sums of everything that
#   are in their 90 % intervals, masked cells included; networks have only the sum of mu.
# * R-hat: median over releases of the R-hat of the log density.
# * chains: median over releases of the mean absolute difference of fitted means between the two chains, over their
#   mean.
# Run in the package's root, after make install: Rscript bench/priors.R [chains]
# With "chains", the first two priors with one dispersion are compared by runs ten times as long: R-hat of the log
# density, and its bulk effective draws per 1,000 sweeps.
source("bench/common.R")

CACHE <- "build/priors" # delete this folder to measure again
LEVELS <- c(3, 1, 0.3)

priors <- list(
  "0.3, ~" = gamma_prior(0.3, rate = gamma_prior(1, 1)), "~, ~" = gamma_prior(NULL, NULL), "1, 1" = gamma_prior(1, 1)
)
candidates <- expand.grid(prior = names(priors), by = c("all", "column"), stringsAsFactors = FALSE)

from_package <- function(name, package) {
  frame <- new.env()
  utils::data(list = name, package = package, envir = frame)
  frame[[name]]
}

of_people <- function(name, columns) {
  function(repetition) {
    set.seed(repetition)
    table <- from_package(name, "AER")[columns]
    as.matrix(table[sort(sample.int(nrow(table), 400)), ])
  }
}

data_sets <- list(
  "Enron, 161 x 161" = list(model = block_model, k = 5, iter = 600, repetitions = 1,
    y = function(repetition) as.matrix(enron_network)),
  "poliblog, 200 x 300" = list(model = topic_model, k = 5, iter = 400, repetitions = 1,
    y = function(repetition) largest(poliblog, 200, 300)),
  "NMES1988, 400 x 7" = list(model = topic_model, k = 3, iter = 600, repetitions = 1,
    y = of_people("NMES1988", c("visits", "nvisits", "ovisits", "novisits", "emergency", "hospital", "chronic"))),
  "DoctorVisits, 400 x 4" = list(model = topic_model, k = 2, iter = 600, repetitions = 1,
    y = of_people("DoctorVisits", c("visits", "illness", "reduced", "health"))),
  "hspider, 28 x 12" = list(model = topic_model, k = 3, iter = 600, repetitions = 1,
    y = function(repetition) as.matrix(from_package("hspider", "VGAM")[, -(1:6)])),
  "BCI, 50 x 225" = list(model = topic_model, k = 3, iter = 600, repetitions = 1,
    y = function(repetition) as.matrix(from_package("BCI", "vegan"))),
  "dense, 40 x 30" = list(model = topic_model, k = 3, iter = 600, repetitions = 1,
    y = function(repetition) {
      set.seed(repetition)
      mu <- matrix(rgamma(40 * 3, 1), 40) %*% matrix(rgamma(3 * 30, 1), 3)
      matrix(rnbinom(length(mu), size = mu, mu = mu), 40) # a dispersion of 2
    })
)

fit_candidate <- function(set, train, candidate) {
  by <- if (identical(set$model, block_model)) "all" else candidate$by
  set.seed(1)
  suppressWarnings(set$model(train, set$k,
    family = "nbinom1", dispersion_by = by, prior = priors[[candidate$prior]], scheme = "collapsed", iter = set$iter,
    warmup = set$iter / 2, thin = 3, chains = 2, init = NULL, progress = FALSE
  ))
}

covered <- function(fit, y, cells, network) {
  of_cells <- augment(fit, cells = cells, level = 0.9, draws = 100)
  in_cells <- share_inside(of_cells, y[cells])
  if (network) {
    totals <- vapply(seq_len(ldpcounts:::n_draws(fit)), function(s) sum(ldpcounts:::draw_row_totals(fit, s)), 0)
    ends <- stats::quantile(totals, c(0.05, 0.95))
    return(c(cells = in_cells, columns = NA, total = ends[[1]] <= sum(y) && sum(y) <= ends[[2]]))
  }
  columns <- augment(fit, by = rep("all", nrow(y)), level = 0.9, draws = 100)
  total <- augment(fit, items = "all", level = 0.9, draws = 100)
  c(cells = in_cells, columns = share_inside(columns, colSums(y)), total = share_inside(total, sum(y)))
}

# The counts and a release of them.
draw_release <- function(set, level, repetition) {
  y <- unname(set$y(repetition))
  storage.mode(y) <- "integer"
  set.seed(1000 + repetition)
  list(y = y, released = privatize(y, epsilon = level, precision = 1, rng = "R"))
}

# All candidates on one release: a list of `scores`, one row per candidate, and `pointwise`, one column per candidate.
run_unit <- function(unit) {
  set <- data_sets[[unit$data]]
  drawn <- draw_release(set, unit$level, unit$repetition)
  y <- drawn$y
  released <- drawn$released
  held_out <- holdout_cells(released, type = "random", fraction = 0.1)
  network <- identical(set$model, block_model)
  cells <- arrayInd(seq_along(y), dim(y))
  if (network) cells <- cells[cells[, 1] != cells[, 2], ]
  cells <- some_rows(cells, 1000)
  own <- candidates[candidates$by == "all" | !network, ]
  results <- lapply(seq_len(nrow(own)), function(i) {
    time <- system.time(fit <- fit_candidate(set, held_out$train, own[i, ]))[["user.self"]]
    of_chains <- vapply(1:2, function(chain) fitted(subset(fit, chain), cells = cells), numeric(nrow(cells)))
    list(
      pointwise = held_out_density(fit, released, held_out$cells)$pointwise,
      scores = data.frame(unit, own[i, ], t(covered(fit, y, cells, network)),
        rhat = posterior::rhat(fit$log_density), chains = 2 * sum(abs(apply(of_chains, 1, diff))) / sum(of_chains),
        seconds = time, row.names = NULL)
    )
  })
  list(scores = do.call(rbind, lapply(results, `[[`, "scores")), pointwise = sapply(results, `[[`, "pointwise"))
}

cached <- function(unit) {
  file <- file.path(CACHE, gsub("[ ,]+", "-", paste0(unit$data, "-", unit$level, "-", unit$repetition, ".rds")))
  if (!file.exists(file)) {
    saveRDS(run_unit(unit), file)
    message(basename(file))
  }
  readRDS(file)
}

show_data <- function(name) {
  set <- data_sets[[name]]
  for (level in LEVELS) {
    one <- function(i) cached(data.frame(data = name, level = level, repetition = i))
    units <- lapply(seq_len(set$repetitions), one)
    scores <- do.call(rbind, lapply(units, `[[`, "scores"))
    differences <- do.call(rbind, lapply(units, function(unit) unit$pointwise - unit$pointwise[, 1]))
    errors <- apply(differences, 2, stats::sd) / sqrt(nrow(differences))
    own <- units[[1]]$scores
    of_own <- function(column, f) apply(matrix(scores[[column]], nrow(own)), 1, f)
    percent <- function(column) sprintf("%.0f", 100 * of_own(column, mean))
    rows <- data.frame(
      epsilon = level, prior = own$prior, dispersion = own$by,
      density = sprintf("%.4f (%.4f)", colMeans(differences), errors),
      cells = percent("cells"), columns = percent("columns"), total = percent("total"),
      "R-hat" = sprintf("%.2f", of_own("rhat", stats::median)),
      chains = sprintf("%.3f", of_own("chains", stats::median)),
      seconds = sprintf("%.1f", of_own("seconds", stats::median)), check.names = FALSE
    )
    table <- if (level == LEVELS[1]) rows else rbind(table, rows)
  }
  cat(name, ", k = ", set$k, "; ", set$iter, " sweeps, repetitions: ", set$repetitions, "\n\n", sep = "")
  print_table(table)
}

show_chains <- function(name) {
  set <- data_sets[[name]]
  set$iter <- 10 * set$iter
  table <- lapply(LEVELS, function(level) {
    train <- holdout_cells(draw_release(set, level, 1)$released, type = "random", fraction = 0.1)$train
    fits <- lapply(1:2, function(i) fit_candidate(set, train, candidates[i, ]))
    of_each <- function(f) vapply(fits, function(fit) f(fit$log_density), 0)
    rhat <- sprintf("%.2f", of_each(posterior::rhat))
    effective <- sprintf("%.1f", of_each(posterior::ess_bulk) / (set$iter / 1000)) # half of two chains
    data.frame(
      epsilon = level, "R-hat: 0.3" = rhat[1], estimated = rhat[2], "effective: 0.3" = effective[1],
      "estimated " = effective[2], check.names = FALSE
    )
  })
  cat(name, ", k = ", set$k, "; ", set$iter, " sweeps\n\n", sep = "")
  print_table(do.call(rbind, table))
}

if ("chains" %in% commandArgs(TRUE)) {
  for (name in names(data_sets)) show_chains(name)
} else {
  dir.create(CACHE, recursive = TRUE, showWarnings = FALSE)
  for (name in names(data_sets)) show_data(name)
}
