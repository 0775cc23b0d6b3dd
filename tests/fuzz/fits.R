# Fits, and states in checkpoints, of which one part was edited, given to every function that takes a fit.
# See harness.R.
source("tests/fuzz/harness.R")
# nolint start: line_length_linter. Tables of cases.

# --- what is edited ------------------------------------------------------------------------------

set.seed(1)
counts <- matrix(rpois(48, 2), 6, dimnames = list(letters[1:6], LETTERS[1:8]))
square <- matrix(rpois(36, 2), 6)
cube <- array(rpois(48, 2), c(4, 4, 3))
tables <- privatize(counts, epsilon = c(1, 1, 1, 2, 2, 2), rng = "R")
is.na(tables) <- cbind(1, 1:2)
calls <- list(
  topics = quote(topic_model(tables, 2, iter = 6, chains = 2)),
  bessel = quote(topic_model(tables, 2, iter = 6, scheme = "bessel", prior = gamma_prior(0.1, gamma_prior(1, 1)))),
  bursts = quote(topic_model(tables, 2, iter = 6, family = "nbinom1")),
  bursts_by_row = quote(topic_model(tables, 2, iter = 6, family = "nbinom1", dispersion_by = "row")),
  fixed = quote(topic_model(tables, 2, iter = 6, family = "nbinom1", dispersion = 2)),
  plain = quote(topic_model(counts, 2, iter = 6)),
  blocks = quote(block_model(privatize(square, epsilon = 1, rng = "R"), 2, iter = 6)),
  blocks_bursts = quote(block_model(privatize(square, epsilon = 1, rng = "R"), 2, iter = 6, family = "nbinom1")),
  undirected = quote(block_model(
    privatize(square + t(square), epsilon = 1, rng = "R", directed = FALSE), 2, iter = 6, directed = FALSE
  )),
  tensor = quote(tensor_model(privatize(cube, epsilon = 1, rng = "R"), 2, iter = 6)),
  tensor_bessel = quote(tensor_model(privatize(cube, epsilon = 1, rng = "R"), 2, iter = 6, scheme = "bessel")),
  topics_cavi = quote(topic_model(tables, 2, iter = 6, chains = 2, inference = "cavi")),
  delta_cavi = quote(topic_model(tables, 2, iter = 6, inference = "cavi", scheme = "delta")),
  bursts_cavi = quote(topic_model(tables, 2, iter = 6, inference = "cavi", family = "nbinom1")),
  by_row_cavi = quote(topic_model(tables, 2, iter = 6, inference = "cavi", family = "nbinom1", dispersion_by = "row")),
  blocks_cavi = quote(block_model(privatize(square, epsilon = 1, rng = "R"), 2, iter = 6, inference = "cavi")),
  undirected_cavi = quote(block_model(
    privatize(square + t(square), epsilon = 1, rng = "R", directed = FALSE), 2, iter = 6, directed = FALSE,
    inference = "cavi"
  )),
  tensor_cavi = quote(tensor_model(privatize(cube, epsilon = 1, rng = "R"), 2, iter = 6, inference = "cavi")),
  own = quote(private_gibbs(tables, own_step, list(state = c(rate = 1), mu = matrix(1, 6, 8)), iter = 6, chains = 2))
)
own_step <- function(state, y) {
  rate <- rgamma(1, 1 + sum(y), 1 + length(y))
  list(state = c(rate = rate), mu = matrix(rate, 6, 8))
}
evaluate <- function(call) {
  set.seed(2)
  suppressWarnings(eval(call, globalenv()))
}
fits <- lapply(calls, evaluate)

# What a checkpoint holds, with the call that goes on from it: of Gibbs the end of the run, taken for the end
# of its warmup.
checkpoint_of <- function(call) {
  call$checkpoint <- tempfile(fileext = ".rds")
  evaluate(call)
  content <- readRDS(call$checkpoint)
  if (!is.null(content$state$kept)) {
    content$state$sweep <- 3L
    content$state$kept <- 0L
  }
  list(call = call, content = content)
}
checkpoints <- lapply(calls[names(calls) != "own"], checkpoint_of)

# --- how -----------------------------------------------------------------------------------------

edits <- list(
  `absent` = function(x) NULL,
  `empty` = function(x) x[0],
  `shorter` = function(x) if (length(x) > 1) x[-1] else x[0],
  `longer` = function(x) c(x, x[1]),
  `other dims` = function(x) if (is.null(dim(x))) matrix(x, 1) else `dim<-`(x, rev(dim(x))),
  `no dims` = function(x) as.vector(x),
  `text` = function(x) "a",
  `a list` = function(x) list(1),
  `NA` = function(x) replace(x, spot(x), NA),
  `NaN` = function(x) replace(x, spot(x), NaN),
  `Inf` = function(x) replace(x, spot(x), Inf),
  `-1` = function(x) replace(x, spot(x), -1),
  `0` = function(x) replace(x, spot(x), 0),
  `1e308` = function(x) replace(x, spot(x), 1e308),
  `1e199` = function(x) replace(x, spot(x), 1e199),
  `1e-320` = function(x) replace(x, spot(x), 1e-320),
  `1.5` = function(x) replace(x, spot(x), 1.5),
  `2^31 - 1` = function(x) replace(x, spot(x), .Machine$integer.max),
  `all 1e150` = function(x) replace(x, seq_along(x), 1e150),
  `all NA` = function(x) replace(x, seq_along(x), NA),
  `TRUE` = function(x) TRUE,
  `a function` = function(x) function(...) 1,
  `a factor` = function(x) factor("a"),
  `an environment` = function(x) globalenv(),
  `integer` = function(x) if (is.numeric(x)) `storage.mode<-`(x, "integer") else 1L,
  `without names` = function(x) unname(x),
  `without class` = function(x) unclass(x),
  `complex` = function(x) 1i
)
spot <- function(x) if (length(x) > 0) sample.int(length(x), 1) else integer()

# All places in nested lists, as vectors of positions.
paths_of <- function(x, before = integer(), depth = 0) {
  if (depth > 7 || !is.list(x)) {
    return(list(before))
  }
  x <- unclass(x)
  inner <- lapply(seq_along(x), function(i) paths_of(x[[i]], c(before, i), depth + 1))
  c(if (length(before) > 0) list(before), unlist(inner, recursive = FALSE))
}

edit_at <- function(x, path, edit) {
  if (length(path) == 0) {
    return(edit(x))
  }
  kept <- attributes(x)
  parts <- unclass(x)
  changed <- edit_at(parts[[path[1]]], path[-1], edit)
  if (is.null(changed)) {
    parts[[path[1]]] <- NULL
    kept$names <- names(parts)
    attributes(parts) <- kept
    return(parts)
  }
  parts[[path[1]]] <- changed
  attributes(parts) <- kept
  parts
}

name_path <- function(x, path) {
  names <- character()
  for (i in path) {
    x <- unclass(x)
    names <- c(names, if (is.null(names(x))) i else names(x)[i])
    x <- x[[i]]
  }
  paste(names, collapse = "$")
}

# --- what is done with it ------------------------------------------------------------------------

asked <- list(
  print = print, summary = function(fit) print(summary(fit)), fitted = fitted, coef = coef,
  `fitted cells` = function(fit) fitted(fit, cells = matrix(c(1, 2), 1)),
  update = function(fit) update(fit, iter = 3), `update chains` = function(fit) update(fit, chains = 1, warmup = 2),
  subset = function(fit) subset(fit, chains = 1), modes = function(fit) print(modes(fit)), as.matrix = as.matrix,
  aligned = function(fit) as.matrix(fit, aligned = TRUE), draws = function(fit) as_draws_matrix(fit),
  augment = augment, tidy = tidy, glance = glance, simulate = simulate,
  resimulate = resimulate, elbo = elbo,
  top_terms = function(fit) top_terms(fit, 2),
  predict = function(fit) predict(fit, counts[1:2, ]), `predict factors` = function(fit) predict(fit, type = "factors"),
  `predict new factors` = function(fit) predict(fit, counts[1:2, ], type = "factors"),
  plot = plot, trace = function(fit) plot(fit, type = "trace"),
  rank = function(fit) plot(fit, type = "rank"), network = function(fit) plot(fit, type = "network"),
  predictive = function(fit) plot(fit, type = "predictive"),
  held_out_density = function(fit) held_out_density(fit, counts, cbind(1, 1:2)),
  log_lik = function(fit) rstantools::log_lik(fit), epred = function(fit) rstantools::posterior_epred(fit),
  posterior_predict = function(fit) rstantools::posterior_predict(fit),
  loo = function(fit) loo::loo(fit),
  init = function(fit) topic_model(tables, 2, iter = 2, init = fit),
  `init of variational` = function(fit) topic_model(tables, 2, iter = 2, init = fit, inference = "cavi"),
  mae = function(fit) mae(fit, counts), coherence = function(fit) coherence(fit, counts, 2)
)

# Where an edit cannot be made, as of the dims of a list, the object stays as it was.
edited <- function(x, path, edit) tryCatch(edit_at(x, path, edits[[edit]]), error = function(failure) x)

edited_fit <- function() {
  name <- pick(names(fits))
  path <- pick(paths_of(fits[[name]]))
  edit <- pick(names(edits))
  ask <- pick(names(asked))
  fit <- edited(fits[[name]], path, edit)
  list(
    what = paste0(ask, " of ", name, " with ", name_path(fits[[name]], path), ": ", edit),
    run = function() asked[[ask]](fit)
  )
}

edited_checkpoint <- function() {
  name <- pick(names(checkpoints))
  content <- checkpoints[[name]]$content
  path <- pick(paths_of(content))
  edit <- pick(names(edits))
  what <- paste0("checkpoint of ", name, " with ", name_path(content, path), ": ", edit)
  content <- edited(content, path, edit)
  list(
    what = what,
    run = function() {
      call <- checkpoints[[name]]$call
      saveRDS(content, call$checkpoint)
      evaluate(call)
    }
  )
}

fuzz(function() {
  if (stats::runif(1) < 0.15) {
    edited_checkpoint()
  } else {
    edited_fit()
  }
}, bad = c("crash", "slow"))
# nolint end
