# Do 90 % intervals of the default call hold the true counts and their totals, where summary() finds no problem?
# Six real tables are noised several times at epsilon/N of 3, 1, 0.5 and 0.3, and fitted with the default arguments:
# a network, posts, two surveys and two ecological tables. Three of them need the packages AER, mvabund or vegan (only
# their data), and are left out if these are not installed.
#
# * The tables have the percentage of 90 % intervals (`augment()`) that hold the true counts of cells, of rows, of
#   columns and of groups of rows, and the true sum of all counts; in parentheses the standard error over releases.
# * They are by epsilon and by verdict: "none" (no problem was found), "rests" (none was found, but the verdict says
#   which share of the sum of all counts comes from the model), "modes" and "problems".
#
# Run in the package's root, after make install: Rscript bench/real-tables.R [noised = 20] [call = default] [file.csv].
# Other calls are "fixed" (`prior = gamma_prior(0.3, NULL)`), "column" (`dispersion_by = "column"`), and "both". The
# table by epsilon and verdict is also written to the file. A call takes about an hour.
source("bench/common.R")

arguments <- commandArgs(TRUE)
NOISED <- if (length(arguments) > 0) as.integer(arguments[1]) else 20L
CALL <- if (length(arguments) > 1) arguments[2] else "default"
CACHE <- "build/real-tables" # delete this folder to measure again
LEVELS <- c(3, 1, 0.5, 0.3)

calls <- list(
  default = list(), fixed = list(prior = gamma_prior(0.3, NULL)), column = list(dispersion_by = "column"),
  both = list(prior = gamma_prior(0.3, NULL), dispersion_by = "column")
)

from_package <- function(name, package) {
  frame <- new.env()
  utils::data(list = name, package = package, envir = frame)
  frame[[name]]
}

survey <- function(name, columns, by) {
  set.seed(1)
  people <- from_package(name, "AER")
  people <- people[sort(sample.int(nrow(people), 150)), ]
  list(y = as.matrix(people[columns]), by = people[[by]])
}

# Each has its table, groups of rows, model and k.
tables <- list(
  Enron = function() {
    busiest <- order(-rowSums(enron_network))[1:25]
    list(y = as.matrix(enron_network)[busiest, busiest], by = rep(1:5, each = 5), model = block_model, k = 3)
  },
  poliblog = function() {
    rows <- sort(order(-Matrix::rowSums(poliblog))[1:40])
    list(y = largest(poliblog, 40, 50), by = poliblog_rating[rows], model = topic_model, k = 3)
  },
  DoctorVisits = function() {
    c(survey("DoctorVisits", c("visits", "illness", "reduced", "health"), "gender"), model = topic_model, k = 2)
  },
  NMES1988 = function() {
    columns <- c("visits", "nvisits", "ovisits", "novisits", "emergency", "hospital", "chronic")
    c(survey("NMES1988", columns, "health"), model = topic_model, k = 3)
  },
  spider = function() {
    spider <- from_package("spider", "mvabund")
    list(y = spider$abund, by = spider$x[, "fallen.leaves"] > 0, model = topic_model, k = 3)
  },
  BCI = function() {
    y <- as.matrix(from_package("BCI", "vegan"))
    list(y = largest(y, nrow(y), 30), by = from_package("BCI.env", "vegan")$Habitat, model = topic_model, k = 3)
  }
)
needs <- c(DoctorVisits = "AER", NMES1988 = "AER", spider = "mvabund", BCI = "vegan")

verdict_of <- function(fit) {
  verdict <- summary(fit)$verdict
  if (startsWith(verdict, "Problems")) {
    "problems"
  } else if (startsWith(verdict, "This run")) {
    "modes"
  } else if (grepl("comes from the model", verdict, fixed = TRUE)) {
    "rests"
  } else {
    "none"
  }
}

run_unit <- function(unit, call) {
  table <- tables[[unit$data]]()
  y <- unname(table$y)
  storage.mode(y) <- "integer"
  network <- identical(table$model, block_model)
  if (network) diag(y) <- 0L
  set.seed(1000 + unit$repetition)
  released <- privatize(y, epsilon = unit$epsilon, precision = 1, rng = "R")
  of_call <- calls[[call]]
  if (network) of_call$dispersion_by <- NULL # networks have none by column
  fit <- suppressWarnings(do.call(table$model, c(list(released, table$k), of_call)))
  intervals <- intervals_of(fit, table$by, 0.9)
  total <- intervals$total
  checked <- check_margins(fit)
  data.frame(unit,
    verdict = verdict_of(fit), t(shares_inside(intervals, y, table$by)),
    truth = sum(y), estimated = total$mean, sd = (total$upper - total$lower) / (2 * stats::qnorm(0.95)),
    released = checked$released[1], noise_sd = checked$noise.sd[1], z = checked$z[1], seconds = fit$seconds
  )
}

cached <- function(unit, call) {
  file <- file.path(CACHE, paste0(paste(call, unit$data, unit$epsilon, unit$repetition, sep = "-"), ".rds"))
  if (!file.exists(file)) {
    saveRDS(run_unit(unit, call), paste0(file, ".part"))
    file.rename(paste0(file, ".part"), file)
    message(basename(file))
  }
  readRDS(file)
}

# Percentages with their standard errors over releases.
KINDS <- c("cells", "rows", "columns", "groups", "total")
coverage_by <- function(scores, by) {
  do.call(rbind, lapply(split(scores, scores[by], drop = TRUE, sep = " "), function(part) {
    n <- nrow(part)
    each <- vapply(KINDS, function(kind) {
      x <- 100 * part[[kind]]
      if (n == 1) sprintf("%.0f", x) else sprintf("%.0f (%.0f)", mean(x), stats::sd(x) / sqrt(n))
    }, "")
    data.frame(part[1, by, drop = FALSE], fits = n, t(each), row.names = NULL)
  }))
}

dir.create(CACHE, recursive = TRUE, showWarnings = FALSE)
has_data <- function(name) is.na(needs[name]) || nzchar(system.file(package = needs[name]))
here <- Filter(has_data, names(tables))
for (name in setdiff(names(tables), here)) cat(name, ": left out, as its package is not installed\n\n", sep = "")
units <- expand.grid(data = here, epsilon = LEVELS, repetition = seq_len(NOISED), stringsAsFactors = FALSE)
scores <- do.call(rbind, lapply(seq_len(nrow(units)), function(i) cached(units[i, ], CALL)))

cat(CALL, "call,", NOISED, "releases per table and level\n\n")
for (by in list("verdict", c("epsilon", "verdict"), c("data", "epsilon"))) {
  table <- coverage_by(scores, by)
  print_table(table)
  if (length(arguments) > 2 && identical(by, c("epsilon", "verdict"))) {
    utils::write.csv(table, arguments[3], row.names = FALSE)
  }
}
