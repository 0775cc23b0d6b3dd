# What compare_methods() and compare_privacy() share: checks, their tasks and how these run, the results, and plots of
# these.

# Arguments that are passed on to another function: not those that a comparison sets itself (`own`). `where`: the
# argument that holds them, if any.
check_passed_on <- function(arguments, own, call, where = NULL) {
  taken <- intersect(names(arguments), own)
  what <- "{.arg {taken[1]}} is set by the comparison: omit it{if (!is.null(where)) ' in '}{.arg {where}}."
  check_that(length(taken) == 0, what, call)
  arguments
}

check_levels <- function(epsilon, precision, call = rlang::caller_env()) {
  ok <- is.numeric(epsilon) && length(epsilon) > 0 && all(is.finite(epsilon) & epsilon > 0)
  if (!ok) abort_argument(epsilon, "epsilon", "positive, finite numbers", call)
  epsilon <- sort(unique(as.double(epsilon)))
  rates_from_epsilon(epsilon, precision, call = call)
  epsilon
}

# --- the state ------------------------------------------------------------------------------------

# The state of a comparison: `tasks`, one per row of `grid`, each with a stream of random numbers of its own;
# the `scores` of each task, NULL before it is done; and the indices `held_out`. `choose_held_out()` draws
# these, unless they are given.
plan_tasks <- function(grid, seed, choose_held_out, held_out = NULL) {
  streams <- chain_streams(nrow(grid) + 1, seed)
  if (is.null(held_out)) held_out <- with_stream(streams[[1]], choose_held_out())$value
  list(
    tasks = do.call(Map, c(list(f = list), grid, list(stream = streams[-1]))),
    scores = vector("list", nrow(grid)), held_out = held_out
  )
}

# The checkpoint of a comparison (`saved`), and the state that it continues from: that of the file, or a new one, which
# `new_state(seed)` makes.
open_comparison <- function(file, fingerprint, new_state, call) {
  saved <- open_checkpoint(file, fingerprint, call)
  list(saved = saved, state = if (is.null(saved$state)) new_state(stats::runif(1)) else saved$state)
}

# Runs as many tasks at a time as there are workers. Finished tasks are saved, however the run ends.
# `run_one(task, job)` returns the scores of a task; the first score is shown, by the name `shown`.
run_comparison <- function(job, state, progress, saved, run_one, shown = "MAE") {
  n <- length(state$tasks)
  left <- which(vapply(state$scores, is.null, TRUE))
  workers <- uses_workers(length(left))
  at_once <- if (workers) min(future::nbrOfWorkers(), n) else 1
  bar <- start_bar(progress, n, n - length(left), shown, unit = "release")
  on.exit({
    bar$done()
    save_checkpoint(saved, state)
  })
  while (length(left) > 0) {
    now <- utils::head(left, at_once)
    state$scores[now] <- over_chains(state$tasks[now], each, run_one, job, workers = workers)
    left <- setdiff(left, now)
    if (is_due(saved)) saved <- save_checkpoint(saved, state)
    bar$update(n - length(left), vapply(state$scores[now], function(scores) scores[[1]][[1]], 0))
  }
  state
}

# --- results --------------------------------------------------------------------------------------

METHODS <- c("private", "naive", "non-private", "mean", "zero")
PRIVACY_METHODS <- c(
  "local", "spectral", "variational", "local, no noise", "spectral, no noise", "variational, no noise",
  "no topics"
)

# What plots call them.
METRICS <- c(
  mae = "MAE", poisson_kl = "Poisson KL", held_out_mae = "held-out MAE",
  held_out_density = "held-out log density", l1 = "L1 distance", log_lik = "log probability of a token",
  npmi = "NPMI", coherence = "coherence", rhat = "R-hat"
)
LARGER_IS_BETTER <- c("held_out_density", "log_lik", "npmi", "coherence")

score_rows <- function(method, epsilon, repetition, scores, methods = METHODS) {
  data.frame(
    method = factor(method, methods), epsilon = epsilon, repetition = repetition,
    metric = factor(names(scores), names(METRICS)), value = unname(scores)
  )
}

# A comparison of all these rows, in order. `notes`: sentences that print() shows.
new_comparison <- function(rows, notes, class = NULL) {
  rows <- do.call(rbind, rows)
  rows <- rows[order(rows$method, rows$epsilon, rows$repetition, rows$metric), ]
  rownames(rows) <- NULL
  structure(rows, class = c(class, "method_comparison", TIBBLE), notes = notes)
}

#' @rdname compare_methods
#' @param object,x The result of `compare_methods()`, or several results bound by `rbind()`.
#' @param by The name of a column, such as `k`, that was added to distinguish the bound results. Means are
#'   then computed for each of its values, and `plot()` draws one column of panels for each.
#' @export
#' @order 2
summary.method_comparison <- function(object, ..., by = NULL) {
  check_no_dots(...)
  free <- setdiff(names(object), c("metric", "method", "epsilon", "value"))
  ok <- is.null(by) || (is.character(by) && length(by) == 1 && by %in% free)
  if (!ok) abort_argument(by, "by", "NULL or the name of a column that was added", rlang::current_env())
  columns <- c("metric", by, "method", "epsilon")
  groups <- unique(as.data.frame(object)[columns])
  groups <- groups[do.call(order, unname(groups)), ]
  key <- function(x) do.call(paste, x[columns])
  values <- split(object$value, factor(key(object), key(groups)))
  error <- function(x) if (all(is.finite(x))) standard_error(x) else NA_real_
  data.frame(groups,
    mean = vapply(values, mean, 0), se = vapply(values, error, 0), repetitions = lengths(values),
    row.names = NULL, check.names = FALSE
  )
}

#' @export
print.method_comparison <- function(x, ...) {
  check_no_dots(...)
  if (nrow(x) == 0 || !all(c("method", "epsilon", "metric", "value") %in% names(x))) {
    return(invisible(print(as.data.frame(x))))
  }
  for (note in attr(x, "notes")) cat_wrapped(note)
  means <- summary(x)
  cat_wrapped(paste0("Means (and their standard errors) of ", count_of(max(means$repetitions), "repetition"), ":"))
  rows <- unique(means[c("method", "epsilon")])
  rows <- rows[order(rows$method, rows$epsilon), ]
  key <- function(x) paste(x$method, x$epsilon)
  shown <- data.frame(
    method = rows$method, epsilon = ifelse(is.na(rows$epsilon), "", format_each(rows$epsilon))
  )
  metrics <- setdiff(unique(as.character(means$metric)), "rhat")
  for (metric in metrics) {
    scores <- means[means$metric == metric, ]
    scores <- scores[match(key(rows), key(scores)), ]
    shown[[metric]] <- format_score(scores$mean, scores$se)
  }
  print_in_parts(shown, keys = 2)
  cat_wrapped(paste0(which_is_better(metrics), "."))
  rhat <- x$value[x$metric == "rhat"]
  above <- sum(rhat > RHAT_TRUSTED, na.rm = TRUE)
  of <- count_of(length(rhat), "fit")
  if (above > 0) cat_wrapped(paste0("R-hat is above ", RHAT_TRUSTED, " in ", above, " of ", of, ": run longer (iter)."))
  invisible(x)
}

which_is_better <- function(metrics, names = metrics) {
  larger <- metrics %in% LARGER_IS_BETTER
  except <- paste0(" (for ", paste(names[larger], collapse = ", "), ": larger)")
  if (all(larger)) "Larger is better" else paste0("Smaller is better", if (any(larger)) except)
}

# --- plots ----------------------------------------------------------------------------------------

#' @rdname compare_methods
#' @export
plot.method_comparison <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname compare_methods
#' @exportS3Method ggplot2::autoplot
autoplot.method_comparison <- function(object, ..., by = NULL) {
  check_no_dots(...)
  means <- drawn_means(object, by)
  styles <- method_styles(means$method)
  means$method <- factor(means$method, styles$label)
  metrics <- levels(means$metric)
  means$metric <- factor(means$metric, labels = METRICS[metrics])
  far <- paste(attr(means, "far"), collapse = ", ")
  repetitions <- max(means$repetitions)
  levels <- sort(unique(means$epsilon))
  constant <- means[is.na(means$epsilon), ]
  points <- means[!is.na(means$epsilon), ]
  aside <- ggplot2::position_dodge(0.02)
  by_method <- function(name) stats::setNames(styles[[name]], styles$label)
  ggplot2::ggplot(means, ggplot2::aes(
    .data$epsilon, .data$mean, colour = .data$method, shape = .data$method, linetype = .data$method
  )) +
    ggplot2::geom_hline(
      ggplot2::aes(yintercept = .data$mean, colour = .data$method, linetype = .data$method), constant
    ) +
    (if (length(levels) > 1) ggplot2::geom_line(data = points, position = aside)) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$low, ymax = .data$high), points, position = aside, show.legend = FALSE
    ) +
    ggplot2::geom_point(data = points, position = aside, size = 2) +
    ggplot2::scale_colour_manual(NULL,
      values = by_method("col"), breaks = styles$label,
      guide = ggplot2::guide_legend(override.aes = list(shape = styles$pch, linetype = styles$lty))
    ) +
    ggplot2::scale_shape_manual(values = by_method("pch"), guide = "none") +
    ggplot2::scale_linetype_manual(values = by_method("lty"), guide = "none") +
    ggplot2::scale_x_log10(breaks = levels, labels = format_each(levels), limits = range(levels) * c(0.9, 1.1)) +
    ggplot2::labs(
      x = paste0("epsilon", if (nzchar(far)) paste0(" (not shown, because much worse or better: ", far, ")")),
      y = NULL, subtitle = which_is_better(metrics, METRICS[metrics]), title = paste0(
        "Scores of ", count_of(repetitions, "repetition"), if (repetitions > 1) ": means, and bars of one standard error"
      )
    ) +
    no_overlap() +
    ggplot2::theme(legend.position = "bottom") + if (is.null(by)) {
      ggplot2::facet_wrap(ggplot2::vars(.data$metric), scales = "free_y")
    } else {
      panels_by(ggplot2::vars(.data$metric), ggplot2::vars(.data$by), "free_y", nlevels(means$by))
    }
}

# The means over repetitions to draw, with bars of one standard error if there are several repetitions; `by`:
# the column whose values have one column of panels each.
drawn_means <- function(x, by, call = rlang::caller_env()) {
  drawable <- is.finite(x$value) & !is.na(x$epsilon) & x$metric != "rhat"
  check_that(any(drawable), "There is nothing to plot, because no score at any epsilon is finite.", call)
  means <- summary(x, by = by)
  means$by <- if (is.null(by)) factor("all") else factor(means[[by]])
  se <- ifelse(is.na(means$se), 0, means$se)
  means$low <- means$mean - se
  means$high <- means$mean + se
  drawn <- means[means$metric != "rhat" & is.finite(means$mean), ]
  far <- is_far_off(drawn)
  shown <- drawn[!far, ]
  shown$metric <- factor(shown$metric, intersect(names(METRICS), shown$metric))
  structure(shown, far = unique(as.character(drawn$method[far])))
}

# Is the score of a method without structure ("mean", "zero" or "no topics") so far from all others, by more
# than twice their range, that with its line nothing else in the picture could be distinguished?
is_far_off <- function(means) {
  known <- !means$method %in% c("mean", "zero", "no topics")
  vapply(seq_len(nrow(means)), function(i) {
    others <- means[known & means$metric == means$metric[i], ]
    ends <- if (nrow(others) > 0) range(others$low, others$high) else c(-Inf, Inf)
    !known[i] && max(ends[1] - means$mean[i], means$mean[i] - ends[2]) > 2 * diff(ends)
  }, TRUE)
}

# Colours that can be distinguished in grey prints and by colour-blind readers.
method_styles <- function(methods) {
  red <- "#b2182b"
  blue <- "#2166ac"
  styles <- data.frame(
    label = c(METHODS, PRIVACY_METHODS),
    col = c(red, blue, "black", "grey50", "grey50", rep(c(red, blue, "black"), 2), "grey50"),
    lty = c(1, 1, 1, 2, 3, 1, 1, 1, 2, 2, 2, 3), pch = c(19, 17, NA, NA, NA, 19, 17, 15, NA, NA, NA, NA)
  )
  styles[styles$label %in% methods, ]
}
