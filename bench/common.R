# What the benchmarks share. Each script answers one question and prints ratios of times measured
# within its own run, since nothing else survives a change of machine.
# Run in the package's root, after make install: Rscript bench/NAME.R

library(ldpcounts)
library(Matrix, warn.conflicts = FALSE)

# The smallest of several: what others do on the machine only ever adds.
seconds <- function(code, times = 7) {
  code <- substitute(code)
  frame <- parent.frame()
  min(replicate(times, system.time(eval(code, frame), gcFirst = FALSE)[["elapsed"]]))
}

# --- data -------------------------------------------------------------------------------------

# Select the longest documents and the most frequent words.
largest <- function(y, n_rows, n_columns) {
  rows <- sort(order(-Matrix::rowSums(y))[seq_len(n_rows)])
  columns <- sort(order(-Matrix::colSums(y))[seq_len(n_columns)])
  as.matrix(y[rows, columns])
}

# At most n rows of a matrix, at random.
some_rows <- function(x, n) if (nrow(x) > n) x[sort(sample.int(nrow(x), n)), , drop = FALSE] else x

# Positive cells of a release of D x V counts with mean `mean`, without ever making the table:
# tokens by component, noise for cells that hold some, positions for noise alone. Attribute
# `truth`: the factors, and the prior from which they came.
simulate_positive <- function(D, V, mean, epsilon, k = 50, shape = 0.1) {
  alpha <- exp(-epsilon)
  theta <- matrix(rgamma(D * k, shape), D)
  phi <- matrix(rgamma(k * V, shape), k)
  sizes <- colSums(theta) * rowSums(phi)
  tokens <- rpois(k, sizes / sum(sizes) * mean * D * V)
  counts <- rle(sort(places_of_tokens(theta, phi, tokens)))
  seen <- counts$values
  y_tilde <- counts$lengths + rgeom(length(seen), 1 - alpha) - rgeom(length(seen), 1 - alpha)
  n_noise <- rpois(1, -log1p(-alpha / (1 + alpha)) * D * V) # each cell is hit with alpha/(1+alpha)
  noise <- unique(floor(runif(n_noise, 0, D * V)) + 1)
  noise <- noise[!noise %in% seen]
  place <- c(seen[y_tilde > 0], noise)
  value <- c(y_tilde[y_tilde > 0], 1 + rgeom(length(noise), 1 - alpha))
  counts <- Matrix::sparseMatrix(
    i = (place - 1) %% D + 1, j = (place - 1) %/% D + 1, x = as.double(value), dims = c(D, V)
  )
  scale <- sqrt(mean * D * V / sum(sizes))
  prior <- gamma_prior(shape, 1 / scale)
  structure(counts, truth = list(theta = theta * scale, phi = phi * scale, prior = prior))
}

# The cells on which so many tokens of each component fall.
places_of_tokens <- function(theta, phi, tokens) {
  unlist(lapply(seq_along(tokens), function(i) {
    row <- sample.int(nrow(theta), tokens[i], TRUE, theta[, i])
    (sample.int(ncol(phi), tokens[i], TRUE, phi[i, ]) - 1) * nrow(theta) + row
  }))
}

# The cells of a model and factors after some sweeps, ready to be swept on. `extents`: of a tensor, whose
# table `counts` is.
prepare <- function(model, counts, k, epsilon, scheme = "collapsed", sweeps = 30, extents = dim(counts)) {
  alpha <- rep(exp(-epsilon), nrow(counts))
  cells <- ldpcounts:::make_cells(counts, alpha, scheme, model$network)
  n <- length(cells$y_tilde)
  noise <- if (scheme == "bessel") list(g1 = numeric(n), g2 = numeric(n))
  job <- list(model = model, cells = cells, noise = noise, n = n)
  job$prior <- stats::setNames(rep(list(gamma_prior()), length(model$factors)), model$factors)
  level <- max(sum(counts) / length(counts) / 5, 0.01)
  job$factors <- model$start(extents, k, level)
  sweep_on(job, sweeps)
}

# The same job with negative binomial counts, after some sweeps.
with_bursts <- function(job, sweeps = 30) {
  job$prior$dispersion <- beta_prior()
  job$factors$excess <- matrix(1)
  sweep_on(job, sweeps)
}

# A line of what Linux knows of this process, such as the most memory it has had (VmHWM), in kB.
status_kb <- function(field) {
  status <- readLines("/proc/self/status")
  as.double(gsub("[^0-9]", "", grep(paste0("^", field), status, value = TRUE)))
}

sweep_on <- function(job, n, keep = integer(), reflect = 0.75) {
  chain <- list(factors = job$factors, noise = job$noise, seeds = ldpcounts:::sweep_seeds(n))
  ran <- job$model$gibbs(job$cells, list(chain), job$prior, as.integer(n), keep, FALSE, reflect)[[1]]
  job$factors <- ran$factors
  job$noise <- ran$noise
  job$draws <- ran$draws
  job
}

# Jobs of a topic model of counts of simulate_positive() in two schemes, after some sweeps from the truth.
jobs_by_scheme <- function(counts, alpha, sweeps) {
  truth <- attr(counts, "truth")
  lapply(c(collapsed = "collapsed", tokens = "tokens"), function(scheme) {
    cells <- ldpcounts:::make_cells(counts, rep(alpha, nrow(counts)), scheme)
    sweep_on(list(
      model = ldpcounts:::topics_model, prior = list(theta = truth$prior, phi = truth$prior),
      cells = .Call(ldpcounts:::C_rc_open_cells, cells), factors = list(theta = t(truth$theta), phi = truth$phi)
    ), sweeps)
  })
}

# How often to do what takes so long, that all takes as long as a block of sweeps does in a run.
repeats <- function(once) max(1, ceiling(ldpcounts:::BLOCK_SECONDS / max(once, 1e-4)))

# Seconds a sweep.
sweep_seconds <- function(job, times = 7) {
  n <- repeats(seconds(sweep_on(job, 1), 2))
  seconds(sweep_on(job, n), times) / n
}

# Fifty cells, the same for all.
cells_of <- function(dim) {
  set.seed(4)
  at <- vapply(dim, function(n) sample.int(n, 60, n < 60), integer(60))
  at[at[, 1] != at[, 2], ][1:50, ]
}

# Bulk effective sizes of mu in these cells, the median over cells, of so many sweeps from here. Draws are kept in
# parts, since those of all factors take much memory.
effective_draws <- function(job, dim, sweeps, in_a_part = 50) {
  at <- cells_of(dim)
  took <- 0
  parts <- lapply(seq_len(ceiling(sweeps / in_a_part)), function(part) {
    took <<- took + system.time(job <<- sweep_on(job, in_a_part, seq_len(in_a_part)))[["elapsed"]]
    vapply(seq_len(in_a_part), function(i) means_at(job, at, i), numeric(nrow(at)))
  })
  mu <- do.call(cbind, parts)
  effective <- stats::median(apply(mu, 1, posterior::ess_bulk))
  c(a_second = effective / took, a_sweep = effective / ncol(mu))
}

# The means of these cells in kept draw i.
means_at <- function(job, at, i) {
  model <- job$model
  draw <- lapply(stats::setNames(nm = model$factors), function(name) {
    ldpcounts:::turn(model, name, job$draws[[name]][, , i])
  })
  excess <- job$draws$excess[, , i]
  model$cell_mean(draw, at) * if (is.null(excess)) 1 else ldpcounts:::event_size(excess)
}

# A pass of variational inference over a sweep from the same place, in turns.
pass_over_sweep <- function(job) {
  q <- ldpcounts:::new_q(job, job$factors)
  passes <- function(n) job$model$cavi(job$cells, q, job$prior, FALSE, n, c(0, 0), NA_real_, 0)
  stats::median(replicate(5, {
    (timed(passes(60L)) - timed(passes(20L))) / timed(sweep_on(job, 40))
  }))
}

# Processor time.
timed <- function(code) system.time(code)[["user.self"]]

# --- the floor --------------------------------------------------------------------------------

load_floor <- function() {
  library <- tempfile("floor", fileext = .Platform$dynlib.ext)
  flags <- system2(file.path(R.home("bin"), "R"), c("CMD", "config", "--cppflags"), stdout = TRUE)
  status <- system2("gcc", c(
    "-O3 -march=native -ffast-math -shared -fPIC", flags, "bench/floor.c", "-o", library
  ))
  if (status != 0) stop("gcc cannot compile bench/floor.c")
  dyn.load(library)
}

# Seconds of the dot products over the same cells with as many components; of a tensor over those of its
# table.
floor_seconds <- function(job, times = 7) {
  x <- job$factors[[1]]
  z <- if (job$model$network != "none") x else job$factors[[2]]
  if (job$model$n_modes > 2) z <- matrix(1, nrow(x), prod(vapply(job$factors[-1], ncol, 0L)))
  lists <- job$cells$active
  once <- function() .Call("floor_dots", lists$start, lists$index, x, z)
  n <- repeats(seconds(once(), 2))
  seconds(for (i in seq_len(n)) once(), times) / n
}

# How many times as long as another's a job's sweep is: the two timed in turns, and the median of the ratios.
slower_by <- function(job, than, turns = 20) {
  stats::median(replicate(turns, sweep_seconds(job, 3) / sweep_seconds(than, 3)))
}

# Sweep over floor, the two timed in turns; the median of the ratios, and their range.
over_floor <- function(job, turns = 5) {
  ratios <- replicate(turns, sweep_seconds(job, 3) / floor_seconds(job, 3))
  c(ratio = stats::median(ratios), low = min(ratios), high = max(ratios))
}

# How y grows with x: slope of the logarithms.
slope <- function(x, y) stats::coef(stats::lm(log(y) ~ log(x)))[[2]]

report <- function(what, value, bar = NULL, digits = 3) {
  cat(sprintf("%-52s %10s%s\n", what, format(signif(value, digits), big.mark = ",", scientific = FALSE),
    if (is.null(bar)) "" else paste0("   (", bar, ")")))
}

report_floor <- function(what, ratios, bar = NULL) {
  report(what, ratios[["ratio"]],
    paste0(c(if (!is.null(bar)) bar, sprintf("range %.1f to %.1f", ratios[["low"]], ratios[["high"]])),
      collapse = "; "))
}

# --- tables -------------------------------------------------------------------------------------

share_inside <- function(table, truth) mean(table$lower <= truth & truth <= table$upper)

# Intervals of the true counts of a matrix, and of their sums over rows, columns, groups of rows and everything.
intervals_of <- function(fit, by, level) {
  rows <- nrow(fit$data)
  of <- function(...) augment(fit, ..., level = level, draws = 400)
  list(
    cells = augment(fit, level = level), rows = of(by = seq_len(rows), items = "all"), columns = of(by = rep("all", rows)),
    groups = of(by = by, items = "all"), total = of(items = "all")
  )
}

# Which share of each kind contains the truth?
shares_inside <- function(intervals, y, by) {
  truth <- list(
    cells = y[cbind(intervals$cells$row, intervals$cells$column)], rows = rowSums(y), columns = colSums(y),
    groups = tapply(rowSums(y), by, sum), total = sum(y)
  )
  mapply(share_inside, intervals, truth)
}

# Print a markdown table, with columns of equal width.
print_table <- function(table) {
  cells <- rbind(names(table), vapply(table, function(x) strrep("-", 3), ""), as.matrix(table))
  first <- names(table) %in% c("family", "prior")
  for (j in seq_len(ncol(cells))) {
    width <- max(nchar(cells[, j]))
    cells[2, j] <- if (first[j]) strrep("-", width) else paste0(strrep("-", width - 1), ":")
    cells[, j] <- formatC(cells[, j], width = if (first[j]) -width else width)
  }
  writeLines(c(paste0("| ", apply(cells, 1, paste, collapse = " | "), " |"), ""))
}
