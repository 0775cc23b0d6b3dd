# What compare_methods() and compare_privacy() share: checks, their tasks and how these run, the results, and
# plots of these.

# Arguments that are passed on to another function: not those that a comparison sets itself (`own`).
check_passed_on <- function(arguments, own, call) {
  taken <- intersect(names(arguments), own)
  check_that(length(taken) == 0, "{.arg {taken[1]}} is set by the comparison: omit it.", call)
  arguments
}

check_levels <- function(epsilon, precision, call = rlang::caller_env()) {
  ok <- is.numeric(epsilon) && length(epsilon) > 0 && all(is.finite(epsilon) & epsilon > 0)
  if (!ok) abort_argument(epsilon, "epsilon", "positive, finite numbers", call)
  epsilon <- sort(unique(as.double(epsilon)))
  rates_from_epsilon(epsilon, precision, call = call)
  epsilon
}

# The mechanisms to be compared, a list with the names that tables and plots have for them.
check_mechanisms <- function(mechanism, only, call = rlang::caller_env()) {
  check_that(only, "Give {.arg mechanism}, or {.arg epsilon} and {.arg precision}, but not both.", call)
  each <- if (is_mechanism(mechanism)) list(mechanism) else mechanism
  valid <- is.list(each) && length(each) > 0 && all(vapply(each, is_mechanism, TRUE))
  expected <- "a mechanism, such as `discrete_gaussian_noise(2)`, or a list of mechanisms"
  if (!valid) abort_argument(mechanism, "mechanism", expected, call)
  for (one in each) {
    check_that(before_withholding(one)$kind %in% c(WHOLE_NOISE, REAL_NOISE), c(
      "{.arg mechanism} must be noise, which has a privacy loss.",
      x = "It is {tolower(format(one))}. Its privacy loss is {mechanism_loss(one, 1e-6)$text}.",
      i = "{.fn simulate} makes releases of known counts by any mechanism, to which models can be fitted."
    ), call)
    check_that(all(lengths(parameters_of(one)) == 1), "{.arg mechanism} must have one number for each parameter.", call)
  }
  words <- gsub(" noise|,? withheld| =|\\)", "", vapply(each, format, "")) # "Laplace, scale 2, below 10"
  words <- gsub(" (", ", ", words, fixed = TRUE)
  given <- if (is.null(names(each))) words else ifelse(nzchar(names(each)), names(each), words)
  stats::setNames(each, make.unique(given))
}

# The column that says what was compared.
level_column <- function(x) if ("mechanism" %in% names(x)) "mechanism" else "epsilon"

# --- tasks ----------------------------------------------------------------------------------------

# The tasks of a comparison, one per row of `grid`, each with a stream of random numbers of its own, and the
# indices `held_out`. `choose_held_out()` draws these, unless they are given.
plan_tasks <- function(grid, choose_held_out, held_out = NULL) {
  streams <- chain_streams(nrow(grid) + 1, stats::runif(1))
  if (is.null(held_out)) held_out <- with_stream(streams[[1]], choose_held_out())$value
  list(tasks = do.call(Map, c(list(f = list), grid, list(stream = streams[-1]))), held_out = held_out)
}

# The scores of all tasks, of run_one(task, job). The first score of each is shown, by the name `shown`.
run_tasks <- function(tasks, run_one, job, progress, shown) {
  bar <- start_bar(progress, length(tasks), 0, shown)
  on.exit(bar$done())
  lapply(seq_along(tasks), function(i) {
    scores <- run_one(tasks[[i]], job)
    bar$update(i, scores[[1]][[1]])
    scores
  })
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

score_rows <- function(method, level, repetition, scores, methods = METHODS) {
  data.frame(
    method = factor(method, methods), epsilon = level, repetition = repetition,
    metric = factor(names(scores), names(METRICS)), value = unname(scores)
  )
}

# A comparison of all these rows, in order. `notes`: sentences that print() shows. `mechanisms`: names in place of
# the levels, which are then their numbers.
new_comparison <- function(rows, notes, class = NULL, mechanisms = NULL) {
  rows <- do.call(rbind, rows)
  rows <- rows[order(rows$method, rows$epsilon, rows$repetition, rows$metric), ]
  rownames(rows) <- NULL
  if (!is.null(mechanisms)) {
    rows$epsilon <- factor(mechanisms[rows$epsilon], mechanisms)
    names(rows)[names(rows) == "epsilon"] <- "mechanism"
  }
  structure(rows, class = c(class, "method_comparison", TIBBLE), notes = notes)
}

#' @rdname compare_methods
#' @param object,x The result of `compare_methods()`, or several results bound by `rbind()`, with a column,
#'   such as `k`, that was added to distinguish them.
#' @param by The name of this column. Means are then computed for each of its values, and `plot()` draws one
#'   column of panels for each.
#' @export
#' @order 2
summary.method_comparison <- function(object, ..., by = NULL) {
  check_no_dots(...)
  if (!is.null(by)) by <- check_choice(by, "by", names(object))
  columns <- c("metric", by, "method", intersect("unit", names(object)), level_column(object))
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
  level <- level_column(x)
  if (nrow(x) == 0 || !all(c("method", level, "metric", "value") %in% names(x))) {
    return(invisible(print(as.data.frame(x))))
  }
  for (note in attr(x, "notes")) cat_wrapped(note)
  means <- summary(x)
  repetitions <- count_of(max(means$repetitions), "repetition")
  cat_wrapped(paste0("Means (and their standard errors) of ", repetitions, ":"))
  rows <- unique(means[c("method", level)])
  rows <- rows[order(rows$method, rows[[level]]), ]
  key <- function(x) paste(x$method, x[[level]])
  shown <- rows
  words <- if (level == "epsilon") format_each(rows$epsilon) else as.character(rows$mechanism)
  shown[[level]] <- ifelse(is.na(rows[[level]]), "", words)
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
  if (above > 0) {
    of <- count_of(length(rhat), "fit")
    cat_wrapped(paste0("R-hat is above ", RHAT_TRUSTED, " in ", above, " of ", of, ": run longer (iter)."))
  }
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
  means$level <- means[[level_column(means)]]
  constant <- means[is.na(means$level), ]
  points <- means[!is.na(means$level), ]
  aside <- ggplot2::position_dodge(if (is.factor(points$level)) 0.3 else 0.02)
  by_method <- function(name) stats::setNames(styles[[name]], styles$label)
  ggplot2::ggplot(means, ggplot2::aes(
    .data$level, .data$mean, colour = .data$method, shape = .data$method, linetype = .data$method
  )) +
    ggplot2::geom_hline(
      ggplot2::aes(yintercept = .data$mean, colour = .data$method, linetype = .data$method), constant
    ) +
    (if (length(unique(points$epsilon)) > 1) ggplot2::geom_line(data = points, position = aside)) +
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
    level_axis(points$level) +
    ggplot2::labs(
      x = paste0(level_column(means), if (nzchar(far)) paste0(" (not shown, because much worse or better: ", far, ")")),
      y = NULL, subtitle = which_is_better(metrics, METRICS[metrics]), title = paste0(
        "Scores of ", count_of(repetitions, "repetition"),
        if (repetitions > 1) ": means, and bars of one standard error"
      )
    ) +
    no_overlap() +
    ggplot2::theme(legend.position = "bottom") + if (is.null(by)) {
      ggplot2::facet_wrap(ggplot2::vars(.data$metric), scales = "free_y")
    } else {
      n <- length(unique(means[[by]]))
      panels_by(ggplot2::vars(.data$metric), ggplot2::vars(.data[[by]]), "free_y", n)
    }
}

# The horizontal axis, of levels of epsilon or of mechanisms.
level_axis <- function(level) {
  if (is.factor(level)) {
    lines <- function(text) paste(strwrap(text, 10), collapse = "\n")
    return(ggplot2::scale_x_discrete(labels = function(x) vapply(x, lines, "")))
  }
  level <- sort(unique(level))
  ggplot2::scale_x_log10(breaks = level, labels = format_each(level), limits = range(level) * c(0.9, 1.1))
}

# The means over repetitions to draw, with bars of one standard error if there are several repetitions.
drawn_means <- function(x, by, call = rlang::caller_env()) {
  level <- level_column(x)
  drawable <- is.finite(x$value) & !is.na(x[[level]]) & x$metric != "rhat"
  check_that(any(drawable), "There is nothing to plot, because no score at any {level} is finite.", call)
  means <- summary(x, by = by)
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
