# Local and central differential privacy on the same data.

#' Compare topics under local and central differential privacy
#'
#' Fits topics to the same documents under local and under central privacy, and scores them. Local privacy
#' uses [topic_model()] with a corpus noised by [privatize()]; central privacy uses [dp_lda_spectral()] and
#' [dp_lda_vi()]. Each function is used at several privacy levels and without noise. The result shows how much
#' accuracy is lost by not relying on a trusted party.
#'
#' @details
#' **The levels stand for different guarantees.** Local privacy adds noise to every document before anyone
#' sees it, and its `epsilon` applies to documents that differ by up to `precision` counts. With `precision =
#' 1` it protects a single word. If a whole document of 100 words is replaced, the privacy loss is up to 200
#' times this `epsilon`. The `epsilon` of central privacy applies to the replacement of one whole document by
#' any other, but a trusted party sees all documents. To compare guarantees for a whole document, set
#' `precision` to twice the length of the longest document; to compare the guarantees that are commonly
#' offered, leave it at 1. The column `unit` says for each row what `epsilon` protects.
#'
#' The methods:
#' * `"local"`: a new release in each repetition, and [topic_model()], which accounts for its noise;
#' * `"spectral"`: [dp_lda_spectral()], with noise on the moments (`config = "1"`); short documents are left
#'   out;
#' * `"variational"`: [dp_lda_vi()], with 20 passes over all documents;
#' * each of these with `"no noise"`: the best that the method can do;
#' * `"no topics"`: every topic is the same distribution, the share of each word in all documents together. A
#'   method that is not better than this has learned nothing.
#'
#' The metrics, all for topics as distributions over words:
#' * `"l1"`, if the `truth` is known: the sum over words of absolute differences from the true topics, from 0
#'   to 2, averaged over topics, after [align_topics()];
#' * `"log_lik"`: the log probability of a token, averaged over the held-out documents. It is computed for all
#'   methods by the variational bound given the topics, with a symmetric Dirichlet distribution of
#'   concentration `alpha0`; larger is better;
#' * `"npmi"`, `"coherence"`: the mean over topics, with the documents as the reference (see [npmi()]); larger
#'   is better.
#'
#' Nothing in a comparison is private: the noise comes from R's generator, and the scores are computed from
#' true counts. The defaults of `variational` are computed from the lengths of documents (`lmax` is their 95 %
#' quantile, `clip` a fifth of its square root).
#' @param counts True counts, with documents in rows and words in columns, in any of the forms that
#'   [topic_model()] accepts.
#' @param k The number of topics.
#' @param epsilon The privacy levels, positive numbers.
#' @param ... Must be empty: all further arguments are named.
#' @param truth The true topics, if they are known: `k` rows, with words in columns. Or `NULL`.
#' @param methods The methods to compare: one or more of `"local"`, `"spectral"` and `"variational"`.
#' @param alpha0 The concentration of the Dirichlet distribution of a document's topics: the sum of its
#'   parameters.
#' @param delta The `delta` of central privacy; see [dp_lda_vi()].
#' @param precision The largest difference between two records that local privacy protects, in counts: one
#'   positive number; see [privatize()].
#' @param repetitions The number of releases and fits at each level.
#' @param held_out The share of documents, chosen at random, that are held out to compute `"log_lik"`; 0 for
#'   none.
#' @param local,spectral,variational Lists of further arguments of [topic_model()], [dp_lda_spectral()] and
#'   [dp_lda_vi()].
#' @inheritParams compare_methods
#' @return A tibble of classes `privacy_comparison` and [`method_comparison`][compare_methods], with one
#'   row per method, level, repetition and metric, and columns `method` (a factor), `unit` (what `epsilon`
#'   protects), `epsilon` (`NA` without noise), `repetition`, `metric` (a factor) and `value`. `summary()`,
#'   `plot()` and `autoplot()` are those of [compare_methods()], with `unit` in the summary.
#' @section Reproducible: As for [compare_methods()], one number is drawn from R's generator, and the random
#' numbers of all fits are derived from it.
#' @section Errors: Stops with an error of class `ldpcounts_error` if one of the three functions does,
#' and if `truth` has other words than `counts`.
#' @references DeCarolis, C., Ram, M., Esmaeili, S., Wang, Y.-X. and Huang, F. (2020). An end-to-end
#'   differentially private latent Dirichlet allocation using a spectral algorithm. *ICML*, for the error of
#'   topics after Hungarian matching.
#' @seealso [compare_methods()] for the loss of accuracy if the noise is ignored;
#'   `vignette("whom-must-you-trust")`.
#' @examples
#' set.seed(1)
#' documents <- simulate_topics(D = 1000, V = 15, k = 3, words = 40)
#' compared <- compare_privacy(documents$y, k = 3, epsilon = c(1, 4), truth = documents$phi,
#'   alpha0 = 0.3, repetitions = 1, local = list(iter = 60, chains = 1)
#' )
#' compared
#' plot(compared)
#' @export
compare_privacy <- function(counts, k, epsilon, ..., truth = NULL,
                            methods = c("local", "spectral", "variational"), alpha0 = 1, delta = 1e-6,
                            precision = 1, repetitions = 3, held_out = 0.1, local = list(), spectral = list(),
                            variational = list(), progress = interactive()) {
  check_no_dots(...)
  call <- rlang::current_env()
  precision <- check_positive(precision, "precision")
  progress <- check_flag(progress, "progress")
  counts <- central_counts(counts)
  check_that(ncol(counts) > 1, "{.arg counts} must have at least two words, or all topics are the same.")
  k <- check_whole(k, "k", 1, 10000)
  truth <- if (!is.null(truth)) true_topics(truth, k, counts, call)
  dimnames(counts) <- list(NULL, NULL)
  known <- c("local", "spectral", "variational")
  some <- is.character(methods) && length(methods) > 0 && all(methods %in% known)
  if (!some) abort_argument(methods, "methods", "some of \"local\", \"spectral\", \"variational\"", call)
  settings <- list(
    k = k, methods = intersect(known, methods), alpha0 = check_concentration(alpha0), delta = delta,
    precision = precision, truth = truth, further = list(
      local = check_further(local, "local", c("data", "k", "noise", "progress")),
      spectral = check_further(spectral, "spectral", c("counts", "k", "alpha0", "epsilon", "delta", "rng")),
      variational = check_further(variational, "variational", c("counts", "k", "epsilon", "delta", "rng"))
    )
  )
  epsilon <- check_levels(epsilon, precision)
  check_budget(epsilon[1], delta)
  held_out <- check_share(held_out, "held_out")
  # a task is one fit; without noise, epsilon is Inf
  grid <- expand.grid(
    method = settings$methods, epsilon = c(epsilon, Inf),
    repetition = seq_len(check_whole(repetitions, "repetitions", 1)), stringsAsFactors = FALSE
  )
  plan <- plan_tasks(grid, function() sort(sample.int(nrow(counts), floor(held_out * nrow(counts)))))
  # what the tasks have in common: the settings, the documents that are fitted (`train`), those that are held out, as
  # cells (NULL if there are none), and their number
  left <- setdiff(seq_len(nrow(counts)), plan$held_out)
  job <- c(settings, list(
    train = counts[left, , drop = FALSE],
    held_out = if (length(plan$held_out) > 0) document_cells(counts[plan$held_out, , drop = FALSE]),
    n_held_out = length(plan$held_out)
  ))
  shown <- if (is.null(truth)) "log likelihood" else "L1"
  finish_privacy_comparison(job, plan$tasks, run_tasks(plan$tasks, run_privacy_task, job, progress, shown))
}

# Further arguments of one of the functions; see check_passed_on().
check_further <- function(x, arg, own, call = rlang::caller_env()) {
  ok <- is.list(x) && !is.object(x) && rlang::is_dictionaryish(x)
  if (!ok) abort_argument(x, arg, "a list of named arguments without duplicates", call)
  check_passed_on(x, own, call)
}

# Words are matched by name if the counts have names too, and by position otherwise.
true_topics <- function(truth, k, counts, call) {
  truth <- as_topics(truth, "truth", call)
  check_that(nrow(truth) == k, "{.arg truth} must have {k} rows, one per topic, but has {nrow(truth)}.", call)
  truth <- same_words(truth, counts, c("counts", "truth"), call)
  unname(truth / rowSums(truth))
}

# --- tasks ----------------------------------------------------------------------------------------

# A list of one vector of scores, named by method.
run_privacy_task <- function(task, job) {
  fit_topics <- switch(task$method, local = local_topics, spectral = spectral_topics, variational_topics)
  topics <- with_stream(task$stream, fit_topics(task, job))$value
  stats::setNames(list(score_topics(topics, job)), task$method)
}

local_topics <- function(task, job) {
  data <- job$train
  if (task$epsilon < Inf) {
    data <- privatize(data, epsilon = task$epsilon, precision = job$precision, rng = "R")
  }
  arguments <- c(list(quote(data), job$k), job$further$local, list(progress = FALSE))
  coef(whole_fit(quietly(do.call("topic_model", arguments))))$phi # by name: a message may show a call
}

spectral_topics <- function(task, job) {
  arguments <- utils::modifyList(list(config = "1", short = "drop"), job$further$spectral)
  central_fit_topics("dp_lda_spectral", task, job, c(list(alpha0 = job$alpha0), arguments))
}

variational_topics <- function(task, job) {
  lmax <- max(1, ceiling(stats::quantile(Matrix::rowSums(job$train), 0.95, names = FALSE)))
  default <- list(alpha = job$alpha0 / job$k, eta = 1 / job$k, lmax = lmax, iter = 20)
  arguments <- utils::modifyList(default, job$further$variational)
  if (is.null(arguments$clip)) arguments$clip <- sqrt(arguments$lmax) / 5
  central_fit_topics("dp_lda_vi", task, job, arguments)
}

central_fit_topics <- function(fit, task, job, arguments) {
  delta <- if (task$epsilon < Inf) job$delta else 0
  fixed <- list(counts = quote(job$train), k = job$k, epsilon = task$epsilon, delta = delta, rng = "R")
  t(do.call(fit, c(fixed, arguments))$mu)
}

# Of topics in rows.
score_topics <- function(topics, job) {
  topics <- unname(topics)
  fit <- list(mu = t(topics), alpha = rep(job$alpha0 / job$k, job$k))
  c(
    l1 = if (!is.null(job$truth)) mean(rowSums(abs(align_topics(topics, job$truth) - job$truth))),
    log_lik = if (!is.null(job$held_out)) mean_score(fit, job$held_out, Inf),
    topic_scores(topics, job$train)
  )
}

# The mean log probability of a token over documents, given topics.
mean_score <- function(fit, cells, bound) {
  topics <- pmax(t(fit$mu), 1e-12) # no word has probability 0
  .Call(C_rc_lda_score, cells, as.double(fit$alpha), topics, bound) / cells$dim[1]
}

# --- results --------------------------------------------------------------------------------------

finish_privacy_comparison <- function(job, tasks, scores) {
  shares <- Matrix::colSums(job$train) / sum(job$train) # of each word, for every topic
  no_topics <- score_topics(matrix(shares, job$k, length(shares), byrow = TRUE), job)
  tasks <- c(tasks, list(list(method = "no topics", epsilon = Inf, repetition = 1L)))
  apart <- count_of(format_number(job$precision), "count")
  rows <- Map(function(task, scores) {
    noised <- task$epsilon < Inf
    label <- if (noised || task$method == "no topics") task$method else paste0(task$method, ", no noise")
    epsilon <- if (noised) task$epsilon else NA_real_
    rows <- score_rows(label, epsilon, task$repetition, scores[[1]], PRIVACY_METHODS)
    local <- paste(apart, "of a document")
    unit <- if (!noised) "none" else if (task$method == "local") local else "one document replaced"
    data.frame(rows["method"], unit = unit, rows[-1])
  }, tasks, c(scores, list(list(no_topics))))
  new_comparison(rows, c(
    paste0(
      "Topics of ", nrow(job$train), " documents, k = ", job$k, ", alpha0 = ", format(job$alpha0), "; ",
      count_of(job$n_held_out, "held-out document"), "."
    ),
    paste0("local: epsilon is for documents that are ", apart, " apart; nobody needs to be trusted."),
    paste0(
      "spectral, variational: epsilon, with delta = ", format(job$delta), ", is for replacing one whole ",
      "document; the person who fits the model sees all documents."
    )
  ), "privacy_comparison")
}
