# Private, naive and non-private analyses of the same data.

#' Private, naive and non-private analyses, compared where the truth is known
#'
#' Noises true counts again and again, at several privacy levels, fits a model that knows the noise and one
#' that ignores it to each release, and one to the true counts, and says how near each comes to the truth. A
#' chance to learn, before data are collected, what a privacy level costs.
#'
#' @details
#' The methods:
#' * `"private"`: the model, with `noise = "model"`, of a release;
#' * `"naive"`: the model, with `noise = "ignore"`, of the same release;
#' * `"non-private"`: the model of the true counts; repetitions differ by their random numbers alone;
#' * `"mean"`, `"zero"`: no model; the mean of the true counts that are not held out, and zero, for all
#'   cells, one number each. What does not beat these has learned nothing.
#'
#' The metrics:
#' * `"mae"`: the mean absolute error ([mae()]) of `fitted()`, over all cells that are not held out;
#' * `"poisson_kl"`: the mean Poisson divergence ([poisson_kl()]), over the same cells;
#' * `"held_out_mae"`: the mean absolute error over the held-out cells;
#' * `"held_out_density"`: the log predictive density of the true counts in these cells
#'   ([held_out_density()]), in the mean over cells; larger is better;
#' * `"npmi"`, `"coherence"`: of topic models, the mean over topics, with the true counts for the reference
#'   ([npmi()]); larger is better;
#' * `"rhat"`: R-hat of the log density of the data, no error but a warning: above 1.05 the run should be
#'   longer.
#'
#' Look at more than the absolute error. Where most counts are zero, it is small for whatever predicts next
#' to nothing, the zero predictor above all. The divergence of zero from any positive count is infinite, and
#' so is its log density. That of the mean predictor is of the model's family, with the dispersion of the
#' true counts.
#'
#' All methods and repetitions have the same cells held out. A release is made by `privatize(rng = "R")`: the
#' true counts are known here, so nothing is protected, and all of it is reproducible. Do not publish such a
#' release: it is no private one. What the comparison itself tells of true counts has no privacy either.
#' @param y True counts, without missing ones, as [topic_model()], [block_model()] and [tensor_model()] take
#'   them, see [data-objects].
#' @param k The number of components.
#' @param epsilon The privacy levels to be compared, positive numbers.
#' @param ... Arguments of the model, such as `iter`, `family`, `inference` and, of a network, `directed`; it
#'   checks them. `noise` is not among them, as it is what is compared.
#' @param model `"topic"` for [topic_model()], `"block"` for [block_model()], `"tensor"` for
#'   [tensor_model()]. By default what the data are, which a message of class `ldpcounts_model_chosen` says:
#'   block models of a network (a graph, or a square table with the same labels in rows and columns), tensor
#'   models of more than two modes, else topic models. Of a square table without labels it must be given.
#' @param precision The distance between records that `epsilon` speaks of, one positive number; see
#'   [privatize()]. In an experiment, where nothing is protected, it may come from the counts, such as
#'   their mean.
#' @param repetitions How many releases at each level, and how many fits to the true counts.
#' @param cells The cells to hold out, an index matrix such as `holdout_cells()$cells`. By default a tenth of
#'   all, at random; with no row, none.
#' @param mu The means of the counts, where they are known (a simulation), of the shape of `y`, with its
#'   labels or none: errors and divergences are then those from `mu`, and not from `y`.
#' @param dims For a data frame of cells: the extents of all modes; see [tensor_model()].
#' @param progress Show a bar? It goes on by fits to one release, with the absolute error of the model.
#' @param checkpoint The name of a file that finished fits are saved to, at least every minute and when the
#'   comparison ends, is interrupted or fails; or `NULL`. The same call again with the same file goes on from
#'   there, and gives what the unbroken comparison would have given; see [long-runs].
#' @return A data frame of class `method_comparison`, with a row per method, level, repetition and metric,
#'   and columns `method` (a factor), `epsilon` (`NA` for methods that know the truth, or need no data),
#'   `repetition`, `metric` (a factor) and `value`.
#'
#'   `summary()`: a data frame with a row per metric, method and level, and columns `metric`, `method`,
#'   `epsilon`, `mean`, `se` (the standard error of the mean over repetitions; `NA` of a single one) and
#'   `repetitions`. `print()` shows these. `plot()` draws a panel per metric, against `epsilon`, with bars of
#'   one standard error, and methods without a level as lines; with `by` a row per metric, on one scale.
#'   Infinite values are left out, and so are lines of methods without structure that are farther from all
#'   others than twice what these are apart (the axis names them). `autoplot()` returns this picture as a
#'   ggplot, and `plot()` does so invisibly.
#' @section Reproducible:
#' A comparison draws one number from R's generator, and makes from that a stream for each release and its
#' fits. So what it gives does not depend on where and in what order they are made, and more `repetitions`
#' leave the first ones as they are.
#' @section Parallel:
#' Releases and their fits go to the workers of the plan that `future::plan()` set, if `future.apply` is
#' installed, one for each worker at a time; see [long-runs].
#' @section Errors: of class `ldpcounts_error`, as the model's and those of [privatize()]; for `cells` and
#'   `mu` that do not belong to `y`, and for `noise`, or an argument twice, among those of the model; of
#'   `plot()` and `autoplot()` where no score at a level is finite.
#' @references Schein et al. (2019), section 6, for the three methods and the absolute error. Gneiting, T. and
#'   Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and estimation. *Journal of the
#'   American Statistical Association* 102, for why to look at the log density.
#' @seealso [compare_k()] to choose `k`; [simulate_topics()] for data with a known `mu`.
#' @examples
#' set.seed(1)
#' documents <- simulate_topics(D = 40, V = 30)
#' compared <- compare_methods(documents$y, k = 3, epsilon = c(0.5, 2), mu = documents$mu,
#'   iter = 200, chains = 1, repetitions = 2
#' )
#' compared
#' plot(compared)
#' subset(summary(compared), metric == "poisson_kl")
#' @export
#' @order 1
compare_methods <- function(y, k, epsilon, ..., model = c("topic", "block", "tensor"), precision = 1,
                            repetitions = 5, cells = NULL, mu = NULL, dims = NULL,
                            progress = interactive(), checkpoint = NULL) {
  call <- rlang::current_env()
  check_given(missing(y), "y")
  check_given(missing(k), "k")
  check_given(missing(epsilon), "epsilon")
  arguments <- check_model_arguments(list(...))
  model <- check_model(model, y, "y", dims, names(arguments))
  precision <- check_one_precision(precision)
  progress <- check_flag(progress, "progress")
  check_checkpoint(checkpoint)
  job <- list(
    model = paste0(model, "_model"), k = check_whole(k, "k", 1, 10000), arguments = arguments,
    precision = precision, directed = !(model == "block" && isFALSE(arguments$directed))
  )
  job$data <- known_counts(y, dims, job)
  job <- add_truth(job, mu)
  plan <- list(
    epsilon = check_levels(epsilon, precision), repetitions = check_whole(repetitions, "repetitions", 1),
    cells = if (!is.null(cells)) check_cells_to_hide(cells, job)
  )
  saved <- open_checkpoint(checkpoint, comparison_fingerprint(job, plan), call, function(state) {
    is_comparison_state(state, plan_comparison(job, plan, 0), "cells", dim(job$counts))
  })
  state <- saved$state
  if (is.null(state)) state <- plan_comparison(job, plan, stats::runif(1))
  job <- hide_cells(job, state$cells)
  state <- run_comparison(job, state, progress, saved, run_comparison_task)
  new_comparison(job, state)
}

# --- arguments ------------------------------------------------------------------------------------

# Those that go to the model, but for what a comparison sets itself.
check_model_arguments <- function(arguments, call = rlang::caller_env()) {
  if (length(arguments) > 0 && (is.null(names(arguments)) || !all(nzchar(names(arguments))))) {
    ldp_abort("All arguments after {.arg epsilon} must be named.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  twice <- names(arguments)[duplicated(names(arguments))]
  if (length(twice) > 0) {
    ldp_abort("{.arg {twice[1]}} must be given once.", class = "ldpcounts_argument_error", call = call)
  }
  own <- intersect(names(arguments), c("data", "noise"))
  if (length(own) > 0) {
    ldp_abort("{.arg {own[1]}} can't be set: a comparison sets it itself.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  check_known(names(arguments), names(formals(compare_methods)), call)
  check_no_language(arguments, call)
}

# Counts that can be both released and analysed.
known_counts <- function(y, dims, job, call = rlang::caller_env()) {
  if (inherits(y, "private_counts")) {
    ldp_abort("{.arg y} must hold true counts, and is private: of a release the truth is not known.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  y <- given_counts(y, "y", dims, job$directed, call = call)
  counts <- counts_of(y, n_modes = if (job$model != "tensor_model") 2, arg = "y", call = call)$counts
  check_complete(counts, "y", call = call)
  if (job$model == "block_model") check_network(counts, "y", call)
  if (!job$directed) check_undirected(counts, "y", call = call)
  y
}

# The job with what does not depend on the held-out cells: counts as a table, the network that they are, the
# truth that estimates are compared with, an array, and where in it there are data.
add_truth <- function(job, mu, call = rlang::caller_env()) {
  input <- counts_of(job$data, n_modes = NULL)
  job$counts <- input$counts
  job$network <- if (job$model != "block_model") "none" else if (job$directed) "directed" else "undirected"
  # what looks like a mistake is warned of once, and not by every fit
  if (job$network != "none") only_data(job$counts, job$network)
  job$of_mu <- !is.null(mu)
  job$truth <- if (job$of_mu) check_mu(mu, job$data, call) else array(as.matrix(job$counts), input$dim)
  job$is_data <- array(TRUE, input$dim)
  if (job$network != "none") diag(job$is_data) <- FALSE
  job
}

check_mu <- function(mu, data, call) {
  dim <- dim(data)
  if (methods::is(mu, "Matrix")) {
    check_valid_matrix(mu, "mu", call)
    mu <- as_dense(mu, "mu", call)
  }
  fits <- is.numeric(mu) && identical(as.double(dim(mu)), as.double(dim)) &&
    all(is.na(mu) | (is.finite(mu) & mu >= 0)) && !all(is.na(mu))
  if (!fits) {
    ldp_abort(c(
      "{.arg mu} must be the means of the counts, of the shape of {.arg y}, {paste(dim, collapse = ' x ')}.",
      x = "It is {describe_type(mu)}.",
      i = "Means are finite and not negative; those that are NA are left out."
    ), class = "ldpcounts_argument_error", call = call)
  }
  check_same_labels(dimnames(mu), dimnames(data), "mu", "{.arg y}", call)
  array(mu, dim)
}

# --- held-out cells -------------------------------------------------------------------------------

check_cells_to_hide <- function(cells, job, call = rlang::caller_env()) {
  if ((is.matrix(cells) || is.data.frame(cells)) && nrow(cells) == 0) {
    return(matrix(0L, 0, 2))
  }
  cells <- check_held_out(cells, job$data, job$counts, job$network, call)
  check_some_left(nrow(cells), n_units(job$counts, job$network), call)
  cells
}

# The job with the cells, the data without them, and the truth and the true counts that a fit has seen.
hide_cells <- function(job, cells) {
  job$cells <- cells
  job$train <- if (nrow(cells) > 0) hold_out(job$data, job$counts, cells, job$network) else job$data
  job$place <- place_in(cells, dim(job$counts))
  twins <- if (job$network == "undirected") place_in(cells[, 2:1, drop = FALSE], dim(job$counts))
  seen <- replace(job$is_data, c(job$place, twins), FALSE)
  job$truth_seen <- replace(job$truth, !seen, NA)
  job$counts_seen <- as.matrix(job$counts)[seen]
  job
}

# --- tasks ----------------------------------------------------------------------------------------

# A task is one release and its fits, or (epsilon NA) a fit to the true counts, with a stream of its own.
# The state: `tasks`; of each its `scores`, NULL before it is done; `cells` that are held out.
plan_comparison <- function(job, plan, seed) {
  levels <- c(plan$epsilon, NA)
  tasks <- expand.grid(epsilon = levels, repetition = seq_len(plan$repetitions))
  streams <- chain_streams(nrow(tasks) + 1, seed)
  cells <- plan$cells
  if (is.null(cells)) cells <- with_stream(streams[[1]], a_tenth(job$counts, job$network))$value
  list(
    tasks = Map(list, epsilon = tasks$epsilon, repetition = tasks$repetition, stream = streams[-1]),
    scores = vector("list", nrow(tasks)), cells = cells
  )
}

comparison_fingerprint <- function(job, plan) {
  fingerprint_of(job[c("counts", "truth")], list(
    "compare_methods", job[c("model", "k", "arguments", "precision", "of_mu")], plan
  ))
}

# A named list, by method, of vectors of scores, named by metric.
run_comparison_task <- function(task, job) {
  with_stream(task$stream, if (is.na(task$epsilon)) {
    list("non-private" = score_method(job, job$train, "model"))
  } else {
    released <- quietly(privatize(job$data,
      epsilon = task$epsilon, precision = job$precision, rng = "R", directed = job$directed
    ))
    released <- mask_cells(released, job$cells)
    list(private = score_method(job, released, "model"), naive = score_method(job, released, "ignore"))
  })$value
}

score_method <- function(job, data, noise) {
  arguments <- c(list(quote(data), job$k), job$arguments, list(noise = noise, progress = FALSE))
  fit <- whole_fit(quietly(do.call(job$model, arguments))) # by name: a message may show a call
  held_out <- nrow(job$cells) > 0
  topics <- if (job$model == "topic_model" && ncol(job$counts) > 1) unname(coef(fit)$phi)
  c(
    errors_of(stats::fitted(fit), job),
    held_out_density = if (held_out) {
      held_out_density(fit, job$data, unfold_cells(job$cells, dim(job$data)))$mean
    },
    npmi = if (!is.null(topics)) mean(npmi(topics, job$counts)),
    coherence = if (!is.null(topics)) mean(coherence(topics, job$counts)),
    rhat = if (!is.null(fit$log_density)) suppressWarnings(posterior::rhat(fit$log_density))
  )
}

errors_of <- function(estimate, job) {
  c(
    mae = mae(estimate, job$truth_seen), poisson_kl = poisson_kl(estimate, job$truth_seen),
    held_out_mae = if (nrow(job$cells) > 0) mae(estimate[job$place], job$truth[job$place])
  )
}

# What knows no structure: the same number in all cells.
score_predictors <- function(job) {
  level <- mean(job$counts_seen)
  in_bursts <- identical(job$arguments$family, "nbinom1") && level > 0
  excess <- if (in_bursts) max(0, stats::var(job$counts_seen) / level - 1) else 0
  score <- function(value, excess) {
    y <- counts_at(job$counts, job$cells)
    c(
      errors_of(array(value, dim(job$truth)), job),
      held_out_density = if (length(y) > 0) mean(release_density(y, value, excess, 0, clamped = FALSE))
    )
  }
  list(mean = score(level, excess), zero = score(0, 0))
}

# --- results --------------------------------------------------------------------------------------

new_comparison <- function(job, state) {
  of_tasks <- Map(function(task, scores) {
    lapply(names(scores), function(method) {
      score_rows(method, task$epsilon, task$repetition, scores[[method]])
    })
  }, state$tasks, state$scores)
  predictors <- score_predictors(job)
  of_predictors <- lapply(names(predictors), function(method) {
    score_rows(method, NA_real_, 1L, predictors[[method]])
  })
  rows <- do.call(rbind, c(unlist(of_tasks, recursive = FALSE, use.names = FALSE), of_predictors))
  rows <- rows[order(rows$method, rows$epsilon, rows$repetition, rows$metric), ]
  rownames(rows) <- NULL
  structure(rows,
    class = c("method_comparison", "data.frame"),
    job = list(
      model = job$model, dim = dim(job$truth), k = job$k, precision = job$precision,
      cells = nrow(job$cells), truth = if (job$of_mu) "mu" else "y"
    )
  )
}
