# Results of comparisons: their methods and metrics, print() and summary().

METHODS <- c("private", "naive", "non-private", "mean", "zero")

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

# A comparison of all these rows, in order. `job`: what print() says of it.
new_comparison <- function(rows, job, class = NULL) {
  rows <- do.call(rbind, rows)
  rows <- rows[order(rows$method, rows$epsilon, rows$repetition, rows$metric), ]
  rownames(rows) <- NULL
  structure(rows, class = c(class, "method_comparison", "data.frame"), job = job)
}

# A choice of rows and columns is a comparison as long as it has all columns of scores.
with_scores <- function(part, from) {
  keep_class(part, from, function(part) {
    all(c("method", "epsilon", "repetition", "metric", "value") %in% names(part))
  })
}

#' @export
`[.method_comparison` <- function(x, ...) with_scores(NextMethod(), x)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.method_comparison <- function(data, template) with_scores(data, template)

#' @rdname compare_methods
#' @param object,x The result of `compare_methods()`, or several results bound by `rbind()`.
#' @param by The name of a column, such as `k`, that was added to distinguish the bound results. Means are
#'   then computed for each of its values, and `plot()` draws one column of panels for each.
#' @export
#' @order 2
summary.method_comparison <- function(object, ..., by = NULL) {
  check_no_dots(...)
  check_by(by, object)
  columns <- c("metric", by, "method", "epsilon")
  groups <- unique(as.data.frame(object)[columns])
  groups <- groups[do.call(order, unname(groups)), ]
  key <- function(x) do.call(paste, x[columns])
  values <- split(object$value, factor(key(object), key(groups)))
  rows <- data.frame(groups,
    mean = vapply(values, mean, 0),
    se = vapply(values, function(x) if (all(is.finite(x))) standard_error(x) else NA_real_, 0),
    repetitions = lengths(values), check.names = FALSE
  )
  rownames(rows) <- NULL
  rows
}

check_by <- function(by, x, call = rlang::caller_env()) {
  free <- setdiff(names(x), c("metric", "method", "epsilon", "value", "mean", "se", "repetitions"))
  ok <- is.null(by) || (is.character(by) && length(by) == 1 && by %in% free)
  if (!ok) abort_argument(by, "by", "NULL or the name of a column that was added", call)
}

#' @export
print.method_comparison <- function(x, ...) {
  check_no_dots(...)
  if (nrow(x) == 0) {
    return(invisible(print(as.data.frame(x))))
  }
  means <- summary(x)
  means$se[which(means$se < 1e-9 * abs(means$mean))] <- 0 # rounding errors of equal numbers
  job <- attr(x, "job")
  if (!is.null(job)) cat_wrapped(if (is.null(job$model)) describe_corpus(job) else describe_comparison(job))
  repetitions <- count_of(max(means$repetitions), "repetition")
  cat_wrapped(paste0("Means (and their standard errors) of ", repetitions, ":"))
  rows <- unique(means[c("method", "epsilon")])
  rows <- rows[order(rows$method, rows$epsilon), ]
  shown <- data.frame(
    method = rows$method, epsilon = ifelse(is.na(rows$epsilon), "", format_each(rows$epsilon))
  )
  for (metric in setdiff(unique(as.character(means$metric)), "rhat")) {
    of_metric <- means[means$metric == metric, ]
    at <- match(paste(rows$method, rows$epsilon), paste(of_metric$method, of_metric$epsilon))
    shown[[metric]] <- ifelse(is.na(at), "", format_score(of_metric$mean[at], of_metric$se[at]))
  }
  print_in_parts(shown, keys = 2)
  for (line in describe_scores(x)) cat_wrapped(line)
  invisible(x)
}

describe_comparison <- function(job) {
  paste0(
    job$model, "(), k = ", job$k, ", of ", paste(job$dim, collapse = " x "),
    " true counts noised with precision ", format_number(job$precision), "; ",
    if (job$held_out > 0) count_of(format_number(job$held_out), "held-out cell") else "no cell held out",
    if (job$truth_given) "; errors are differences from `truth`", "."
  )
}

# Whether large or small scores are better, and how many fits have not converged.
describe_scores <- function(x) {
  found <- setdiff(unique(as.character(x$metric)), "rhat")
  rhat <- x$value[x$metric == "rhat"]
  above <- sum(rhat > RHAT_TRUSTED, na.rm = TRUE)
  of <- count_of(length(rhat), "fit")
  c(
    paste0(which_is_better(found), "."),
    if (above > 0) paste0("R-hat is above ", RHAT_TRUSTED, " in ", above, " of ", of, ": run longer (iter).")
  )
}

which_is_better <- function(metrics, names = metrics) {
  larger <- metrics %in% LARGER_IS_BETTER
  except <- paste0(" (for ", paste(names[larger], collapse = ", "), ": larger)")
  if (all(larger)) "Larger is better" else paste0("Smaller is better", if (any(larger)) except)
}

describe_corpus <- function(job) {
  paste0(
    "Topics (rows are documents) of ", paste(job$dim, collapse = " x "), " true counts, k = ", job$k,
    ", alpha0 = ", format(job$alpha0), "; ",
    if (job$held_out > 0) count_of(job$held_out, "held-out document") else "no document held out", "."
  )
}
