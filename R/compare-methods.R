# Private, naive and non-private analyses of the same data.

#' Compare private, naive and non-private analyses of known counts
#'
#' Adds noise to true counts, repeatedly and at several privacy levels. Two models are fitted to each release,
#' one that accounts for the noise and one that ignores it, and a third model is fitted to the true counts.
#' Each fit is scored by how close it comes to the truth. Use it before data are collected, to learn how much
#' accuracy is lost at a privacy level.
#'
#' @details
#' The methods:
#' * `"private"`: the model, with `noise = "model"`, fitted to a release;
#' * `"naive"`: the model, with `noise = "ignore"`, fitted to the same release; with another mechanism than
#'   geometric noise, the model fitted to the released numbers as if they were true counts (rounded to whole
#'   numbers; 0 if they are negative or withheld);
#' * `"non-private"`: the model fitted to the true counts; repetitions differ by their random numbers only;
#' * `"mean"`, `"zero"`: no model; all cells are predicted by the mean of the true counts that are not held
#'   out, or by zero. A method that is not better than these has learned nothing.
#'
#' The metrics:
#' * `"mae"`: the mean absolute error ([mae()]) of `fitted()`, over all cells that are not held out;
#' * `"poisson_kl"`: the mean Poisson divergence ([poisson_kl()]), over the same cells;
#' * `"held_out_mae"`: the mean absolute error over the held-out cells;
#' * `"held_out_density"`: the log predictive density of the true counts in the held-out cells
#'   ([held_out_density()]), averaged over cells; larger is better;
#' * `"npmi"`, `"coherence"`: for topic models, the mean over topics, with the true counts as the reference
#'   (see [npmi()]); larger is better;
#' * `"rhat"`: R-hat of the log density of the data, which is a check of the run: if it is above 1.05, the run
#'   should be longer.
#'
#' Look at more than the absolute error. If most counts are zero, the absolute error is small for any method
#' that predicts small values, such as `"zero"`. If zero is predicted for a positive count, the divergence is
#' infinite, and the log density is minus infinity. The log density of `"mean"` is computed with the family of
#' the model and the dispersion of the true counts.
#'
#' The same cells are held out for all methods and repetitions. Releases are made by `privatize(rng = "R")`
#' or, with another mechanism than geometric noise, by [simulate()][simulate.ldp_mechanism]:
#' their noise is reproducible, which is no drawback here because the true counts are known anyway. Do not
#' publish such a release, because it is not private. The results of a comparison are not private either.
#' @param y True counts, without missing ones, in any of the forms that [topic_model()], [block_model()] and
#'   [tensor_model()] accept; see [data-objects].
#' @param k The number of components.
#' @param epsilon The privacy levels to be compared, positive numbers.
#' @param mechanism In place of `epsilon` and `precision`: another [mechanism][mechanisms] that adds noise
#'   (withheld below a limit or not), such as `discrete_gaussian_noise(2)`, or a list of several to be
#'   compared. Each parameter is one number. The names of the list, if it has any, are those of tables and
#'   plots.
#' @param ... Arguments of the model, such as `iter`, `family`, `inference` and, for a network, `directed`.
#'   The model checks them. `noise` cannot be given, because its values are compared. If none of `iter`,
#'   `warmup`, `thin`, `chains` and `init` is given, Gibbs samplers run 2 chains of 500 sweeps. Scores are
#'   averaged over releases, so each fit may be shorter than one whose results are reported.
#' @param model `"topic"` for [topic_model()], the default, `"block"` for [block_model()], `"tensor"` for
#'   [tensor_model()].
#' @param precision The largest difference between two records that is protected at `epsilon`, in counts: one
#'   positive number; see [privatize()]. In an experiment, where nothing is protected, it may be computed from
#'   the counts, such as their mean.
#' @param repetitions The number of releases at each level, and of fits to the true counts.
#' @param cells The cells to hold out, an index matrix such as `holdout_cells()$cells`. By default a random
#'   tenth of all cells. Give a matrix without rows to hold out none.
#' @param truth The true means of the counts, if they are known (in a simulation). They must have the shape
#'   of `y`, and the same labels or no labels. Errors and divergences then compare estimates with `truth`
#'   instead of `y`.
#' @param dims For a data frame of cells: the names of the columns of the modes; see [privatize()].
#' @param progress If `TRUE`, show a progress bar, which advances with each release and shows a score of the
#'   last fit.
#' @return A tibble of class `method_comparison`, with one row per method, level, repetition and metric,
#'   and columns `method` (a factor), `epsilon` (`NA` for methods that use the true counts, or no data),
#'   `repetition`, `metric` (a factor) and `value`. With `mechanism`, a factor `mechanism` takes the place of
#'   `epsilon`, here and in the following.
#'
#'   `summary()`: a data frame with one row per metric, method and level, and columns `metric`, `method`,
#'   `epsilon`, `mean`, `se` (the standard error of the mean over repetitions; `NA` for a single repetition)
#'   and `repetitions`. `print()` shows these. `plot()` draws one panel per metric. Means are plotted against
#'   `epsilon`, with bars of one standard error; methods without a privacy level are horizontal lines.
#'   Infinite values are not drawn. `"mean"` and `"zero"` are not drawn either if they are so far from the
#'   other methods that the differences between these could not be seen. (This is the case if their distance
#'   from the range of the other methods is more than twice the width of the range.) The title of the axis
#'   then names the methods that are left out. `autoplot()` returns this picture as a ggplot, and `plot()`
#'   does so invisibly.
#' @section Reproducible:
#' A comparison draws one number from R's generator, and derives from it one stream of random numbers for each
#' release and its fits. So the results do not depend on where and in what order the fits run, and if
#' `repetitions` is increased, the results of the first ones do not change.
#' @section Errors: Stops with an error of class `ldpcounts_error` if the model or [privatize()] does,
#' for `cells` and `truth` that do not belong to `y`, for a `mechanism` without privacy loss (such as
#' rounding), and if the arguments of the model include `noise`.
#' `plot()` and `autoplot()` do so if no score at a privacy level is finite.
#' @references Schein et al. (2019), section 6, for the three methods and the absolute error. Gneiting, T. and
#'   Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and estimation. *Journal of the
#'   American Statistical Association* 102, for why to look at the log density.
#' @seealso [compare_k()] to choose `k`; [simulate_topics()] for data whose true means are known.
#' @examples
#' set.seed(1)
#' documents <- simulate_topics(D = 40, V = 30)
#' compared <- compare_methods(documents$y, k = 3, epsilon = c(0.5, 2), truth = documents$mu,
#'   iter = 200, chains = 1, repetitions = 2
#' )
#' compared
#' plot(compared)
#' subset(summary(compared), metric == "poisson_kl")
#' @export
#' @order 1
compare_methods <- function(y, k, epsilon, ..., model = c("topic", "block", "tensor"), precision = 1,
                            repetitions = 5, cells = NULL, truth = NULL, dims = NULL,
                            progress = interactive(), mechanism = NULL) {
  call <- rlang::current_env()
  arguments <- with_short_run(check_passed_on(list(...), c("data", "noise"), call))
  model <- check_choice(model, "model", c("topic", "block", "tensor"))
  if (!is.null(mechanism)) mechanism <- check_mechanisms(mechanism, missing(epsilon) && missing(precision))
  precision <- check_positive(precision, "precision")
  settings <- list(
    model = paste0(model, "_model"), k = check_whole(k, "k", 1, 10000), arguments = arguments,
    precision = precision, mechanism = mechanism, directed = !(model == "block" && isFALSE(arguments$directed))
  )
  progress <- check_flag(progress, "progress")
  known <- known_data(y, dims, truth, settings)
  # a task is one release and its fits, or, with level NA, a fit to the true counts
  grid <- expand.grid(
    level = c(if (is.null(mechanism)) check_levels(epsilon, precision) else seq_along(mechanism), NA),
    repetition = seq_len(check_whole(repetitions, "repetitions", 1))
  )
  cells <- check_held_out_cells(cells, known)
  plan <- plan_tasks(grid, function() a_tenth(known$counts, known$network), cells)
  job <- new_comparison_job(settings, known, plan$held_out)
  finish_comparison(job, plan$tasks, run_tasks(plan$tasks, run_comparison_task, job, progress, "MAE"))
}

# --- arguments ------------------------------------------------------------------------------------

# Two chains, so that R-hat can be computed. With the defaults of the models, a comparison takes seven to
# eight times as long, and scores differ by much less than between releases.
with_short_run <- function(arguments) {
  gibbs <- is.null(arguments$inference) || identical(arguments$inference, "gibbs")
  is_set <- any(names(arguments) %in% c("iter", "warmup", "thin", "chains", "init"))
  if (gibbs && !is_set) c(arguments, iter = 500, chains = 2) else arguments
}

# What is known of the data: the `data` as given, the table of their true `counts`, whether they are a
# `network` ("none", "directed" or "undirected"), the array `truth` that estimates are compared with (the true
# means, if `truth_given`, and otherwise the counts), and which of its cells are data.
known_data <- function(y, dims, truth, settings, call = rlang::caller_env()) {
  check_that(!inherits(y, "private_counts"),
    "{.arg y} must hold true counts, but is a release, whose true counts are not known.", call
  )
  data <- given_counts(y, "y", dims = dims, directed = settings$directed, call = call)
  input <- counts_of(data, n_modes = if (settings$model != "tensor_model") 2, arg = "y", call = call)
  counts <- input$counts
  check_complete(counts, "y", call = call)
  is_data <- array(TRUE, input$dim)
  network <- "none"
  if (settings$model == "block_model") {
    network <- if (settings$directed) "directed" else "undirected"
    check_network(counts, "y", call)
    if (!settings$directed) check_undirected(counts, "y", call = call)
    only_data(counts, network) # warns once of what looks like a mistake; the fits are quiet
    diag(is_data) <- FALSE
  }
  list(
    data = data, counts = counts, network = network, truth_given = !is.null(truth), is_data = is_data,
    truth = if (is.null(truth)) array(as.matrix(counts), input$dim) else check_true_means(truth, data, call)
  )
}

check_true_means <- function(truth, data, call) {
  truth <- as_dense_matrix(truth, "truth", call)
  ok <- is.numeric(truth) && shape_of(truth) == shape_of(data) &&
    all(is.na(truth) | (is.finite(truth) & truth >= 0))
  check_that(ok, c(
    "{.arg truth} must be the means of the counts, of the shape of {.arg y}, {shape_of(data)}.",
    x = "It is {describe_type(truth)}.",
    i = "Means must be finite and not negative. Means that are NA are left out."
  ), call)
  check_same_labels(dimnames(truth), dimnames(data), "truth", "{.arg y}", call)
  array(truth, dim(data))
}

# NULL if they are to be chosen.
check_held_out_cells <- function(cells, known, call = rlang::caller_env()) {
  if (is.null(cells)) {
    return(NULL)
  }
  if (NROW(cells) == 0) {
    return(matrix(0L, 0, 2))
  }
  cells <- check_held_out(cells, known$data, known$counts, known$network, call)
  check_some_left(nrow(cells), n_units(known$counts, known$network), call)
  cells
}

# --- tasks ----------------------------------------------------------------------------------------

# What the tasks of a comparison have in common: the settings of the fits, what is known of the data, the
# cells `held_out` and their `place` in an array, the data without these cells (`train`), and the truth and
# the counts of all other cells.
new_comparison_job <- function(settings, known, held_out) {
  place <- place_in(held_out, dim(known$counts))
  twins <- if (known$network == "undirected") place_in(held_out[, 2:1, drop = FALSE], dim(known$counts))
  seen <- replace(known$is_data, c(place, twins), FALSE)
  some <- nrow(held_out) > 0
  c(settings, known, list(
    held_out = held_out, place = place,
    train = if (some) hold_out(known$data, known$counts, held_out, known$network) else known$data,
    truth_seen = replace(known$truth, !seen, NA), counts_seen = as.matrix(known$counts)[seen]
  ))
}

# A list of vectors of scores, named by method; the scores are named by metric.
run_comparison_task <- function(task, job) {
  with_stream(task$stream, if (is.na(task$level)) {
    list("non-private" = score_method(job, job$train, "model"))
  } else {
    released <- mask_cells(release_at(task$level, job), job$held_out)
    naive <- released
    if (!is.null(fields_of(released)$mechanism)) {
      naive <- job$train
      naive$counts <- round(pmax(fields_of(released)$counts, 0)) # withheld counts are -Inf
    }
    list(private = score_method(job, released, "model"), naive = score_method(job, naive, "ignore"))
  })$value
}

# A release of the counts: `level` is an epsilon, or the number of a mechanism.
release_at <- function(level, job) {
  mechanism <- if (!is.null(job$mechanism)) job$mechanism[[level]]
  quietly(if (is.null(mechanism)) {
    privatize(job$data, epsilon = level, precision = job$precision, rng = "R", directed = job$directed)
  } else if (mechanism$kind == "geometric") {
    privatize(job$data, mechanism = mechanism, rng = "R", directed = job$directed)
  } else {
    table <- true_counts(job$data, NULL, NULL, job$directed, "error")
    protect_counts(table, mechanism, "R", job$directed, exact = FALSE)
  })
}

score_method <- function(job, data, noise) {
  arguments <- c(list(quote(data), job$k), job$arguments, list(noise = noise, progress = FALSE))
  fit <- whole_fit(quietly(do.call(job$model, arguments))) # by name: a message may show a call
  c(
    errors_of(stats::fitted(fit), job),
    held_out_density = if (nrow(job$held_out) > 0) {
      held_out_density(fit, job$data, unfold_cells(job$held_out, dim(job$data)))$mean
    },
    if (job$model == "topic_model" && ncol(job$counts) > 1) topic_scores(unname(coef(fit)$phi), job$counts),
    rhat = if (!is.null(fit$log_density)) suppressWarnings(posterior::rhat(fit$log_density))
  )
}

errors_of <- function(estimate, job) {
  c(
    mae = mae(estimate, job$truth_seen), poisson_kl = poisson_kl(estimate, job$truth_seen),
    held_out_mae = if (nrow(job$held_out) > 0) mae(estimate[job$place], job$truth[job$place])
  )
}

# Predictors without structure: the same number for all cells. `excess` is the dispersion above 1.
score_predictors <- function(job) {
  level <- mean(job$counts_seen)
  overdispersed <- identical(job$arguments$family, "nbinom1") && level > 0
  excess <- if (overdispersed) max(0, stats::var(job$counts_seen) / level - 1) else 0
  y <- counts_at(job$counts, job$held_out)
  score <- function(value, excess) {
    density <- if (length(y) > 0) mean(release_density(y, value, excess, 0, clamped = FALSE))
    c(errors_of(array(value, dim(job$truth)), job), held_out_density = density)
  }
  list(mean = score(level, excess), zero = score(0, 0))
}

finish_comparison <- function(job, tasks, scores) {
  tasks <- c(tasks, list(list(level = NA_real_, repetition = 1L)))
  rows <- Map(function(task, scores) {
    do.call(rbind, Map(score_rows, names(scores), task$level, task$repetition, scores))
  }, tasks, c(scores, list(score_predictors(job))))
  new_comparison(rows, paste0(
    job$model, "(), k = ", job$k, ", of ", shape_of(job$data), " true counts noised ",
    if (is.null(job$mechanism)) paste("with precision", format_number(job$precision)) else "by mechanisms", "; ",
    count_of(format_number(nrow(job$held_out)), "held-out cell"),
    if (job$truth_given) "; errors are differences from `truth`", "."
  ), mechanisms = names(job$mechanism))
}
