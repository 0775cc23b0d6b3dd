# Local and central differential privacy on the same data.

#' Whom must you trust? Local and central privacy on the same documents
#'
#' Fits topics to the same documents under local privacy, by [topic_model()] of a [privatize()]d corpus, and
#' under central privacy, by [dp_lda_spectral()] and [dp_lda_vi()], at several privacy levels and without
#' noise, and says how good they are: what it costs that nobody need be trusted.
#'
#' @details
#' **The levels are of different promises.** Local privacy noises every document before anyone sees it, and
#' its `epsilon` is for documents that are `precision` counts apart: with `precision = 1` it protects one
#' word, and a whole document of 100 words, which another may replace, no better than with `200 epsilon`.
#' Central privacy has its `epsilon` for one whole document replaced by any other, but there is somebody who
#' sees all of them. To compare what both promise of a whole document give a `precision` of twice the
#' greatest length; to compare what is usually offered leave it at 1. The column `unit` says it for every row.
#'
#' The methods:
#' * `"local"`: a release, made anew in each repetition, and [topic_model()], which knows its noise;
#' * `"spectral"`: [dp_lda_spectral()], with noise on the moments (`config = "1"`), short documents left out;
#' * `"variational"`: [dp_lda_vi()], 20 full passes;
#' * these with `"no noise"`: what each could do at best;
#' * `"no topics"`: the share of each word in all documents, for every topic. What does not beat this has
#'   learned nothing.
#'
#' The metrics, all of topics that are distributions over words:
#' * `"l1"`, where `topics` are known: the sum over words of absolute differences, from 0 to 2, in the mean
#'   over topics, after [align_topics()];
#' * `"log_lik"`: the log probability of a token, in the mean over documents that were held out, by the
#'   variational bound with these topics and a symmetric Dirichlet law of concentration `alpha0`, the same for
#'   all methods; larger is better;
#' * `"npmi"`, `"coherence"`: the mean over topics, with the documents for the reference ([npmi()]); larger is
#'   better.
#'
#' Nothing here is private: noise is R's, the true counts are looked at, and so are lengths, for the defaults
#' of `variational` (`lmax` the 95 % quantile, `clip` a fifth of its square root).
#' @param counts True counts, documents in rows and words in columns, as [topic_model()] takes them.
#' @param k The number of topics.
#' @param epsilon The privacy levels, positive numbers.
#' @param ... Must be empty: all further arguments are named.
#' @param topics The true topics, where they are known: `k` rows, words in columns. Or `NULL`.
#' @param methods Which methods, of `"local"`, `"spectral"` and `"variational"`.
#' @param alpha0 The concentration of the Dirichlet law of a document's topics, its parameters' sum.
#' @param delta Of central privacy.
#' @param precision Of local privacy, one positive number; see [privatize()].
#' @param repetitions How many releases and fits at each level.
#' @param held_out The share of documents that no method sees, at random, for `"log_lik"`; 0 for none.
#' @param local,spectral,variational Lists of further arguments of [topic_model()], [dp_lda_spectral()] and
#'   [dp_lda_vi()].
#' @inheritParams compare_methods
#' @return A data frame of classes `privacy_comparison` and [`method_comparison`][compare_methods], with a
#'   row per method, level, repetition and metric, and columns `method` (a factor), `unit` (what `epsilon` is
#'   for), `epsilon` (`NA` without noise), `repetition`, `metric` (a factor) and `value`. `summary()`,
#'   `plot()` and `autoplot()` are those of [compare_methods()], with `unit` in the summary.
#'
#'   In a script, unless `progress` is given, a message of class `ldpcounts_fits` says how many fits there
#'   are.
#' @section Reproducible: As [compare_methods()]: one number of R's generator makes a stream for each fit.
#' @section Parallel: As [compare_methods()]: fits go to the workers of the plan that `future::plan()` set.
#' @section Errors: of class `ldpcounts_error`, as those of the three functions; for `topics` of other words.
#' @references DeCarolis, C., Ram, M., Esmaeili, S., Wang, Y.-X. and Huang, F. (2020). An end-to-end
#'   differentially private latent Dirichlet allocation using a spectral algorithm. *ICML*, for the error of
#'   topics after Hungarian matching.
#' @seealso [compare_methods()] for what ignoring the noise costs; `vignette("whom-must-you-trust")`.
#' @examples
#' set.seed(1)
#' documents <- simulate_topics(D = 1000, V = 15, k = 3, words = 40)
#' compared <- compare_privacy(documents$y, k = 3, epsilon = c(1, 4), topics = documents$phi,
#'   alpha0 = 0.3, repetitions = 1, local = list(iter = 60, chains = 1)
#' )
#' compared
#' plot(compared)
#' @export
compare_privacy <- function(counts, k, epsilon, ..., topics = NULL,
                            methods = c("local", "spectral", "variational"), alpha0 = 1, delta = 1e-6,
                            precision = 1, repetitions = 3, held_out = 0.1, local = list(), spectral = list(),
                            variational = list(), progress = interactive(), checkpoint = NULL) {
  check_no_dots(...)
  call <- rlang::current_env()
  check_given(missing(counts), "counts")
  check_given(missing(k), "k")
  check_given(missing(epsilon), "epsilon")
  precision <- check_one_precision(precision)
  silent <- missing(progress) && !interactive()
  progress <- check_flag(progress, "progress")
  check_checkpoint(checkpoint)
  counts <- central_counts(counts, call)
  if (ncol(counts) < 2) {
    ldp_abort("{.arg counts} must have at least two words: of one, all topics are the same.",
      class = "ldpcounts_argument_error"
    )
  }
  words <- colnames(counts)
  dimnames(counts) <- list(NULL, NULL)
  job <- list(
    counts = counts, k = check_whole(k, "k", 1, 10000),
    methods = check_privacy_methods(methods), alpha0 = check_concentration(alpha0), delta = delta,
    precision = precision, further = list(
      local = check_further(local, "local", c("data", "k", "noise", "progress")),
      spectral = check_further(spectral, "spectral", c("counts", "k", "alpha0", "epsilon", "delta", "rng")),
      variational = check_further(variational, "variational", c("counts", "k", "epsilon", "delta", "rng"))
    )
  )
  plan <- list(
    epsilon = check_levels(epsilon, precision), repetitions = check_whole(repetitions, "repetitions", 1),
    held_out = check_share(held_out, "held_out")
  )
  check_budget(plan$epsilon[1], delta)
  if (!is.null(topics)) job$topics <- true_topics(topics, job$k, words, ncol(counts), call)
  saved <- open_checkpoint(checkpoint, fingerprint_of(job, list("compare_privacy", plan)), call,
    is_valid = function(state) {
      is_comparison_state(state, plan_promises(job, plan, 0), "hidden", nrow(job$counts))
    }
  )
  state <- saved$state
  if (is.null(state)) state <- plan_promises(job, plan, stats::runif(1))
  job <- hide_documents(job, state$hidden)
  if (silent) {
    cli::cli_inform(c(
      i = "There are {length(state$tasks)} fits; {.code progress = TRUE} shows how many are done."
    ), class = "ldpcounts_fits")
  }
  shown <- if (is.null(topics)) "log likelihood" else "L1"
  state <- run_comparison(job, state, progress, saved, run_promise_task, shown)
  new_privacy_comparison(job, state)
}

# --- arguments ------------------------------------------------------------------------------------

check_privacy_methods <- function(methods, call = rlang::caller_env()) {
  known <- c("local", "spectral", "variational")
  if (!is.character(methods) || length(methods) == 0 || !all(methods %in% known)) {
    abort_argument(methods, "methods", "some of \"local\", \"spectral\", \"variational\"", call)
  }
  intersect(known, methods)
}

# Arguments for one of the functions, but for what the comparison sets itself.
check_further <- function(x, arg, own, call = rlang::caller_env()) {
  named <- is.list(x) && !is.object(x) && (length(x) == 0 || (!is.null(names(x)) && all(nzchar(names(x)))))
  if (!named || anyDuplicated(names(x))) {
    abort_argument(x, arg, "a list of named arguments, each of them once", call)
  }
  taken <- intersect(names(x), own)
  if (length(taken) > 0) {
    ldp_abort("{.arg {taken[1]}} can't be in {.arg {arg}}: the comparison sets it itself.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  check_no_language(x, call)
}

# Matched by name where the counts have names too, and by position otherwise.
true_topics <- function(topics, k, words, n_words, call) {
  topics <- as_topics(topics, "topics", call)
  by_name <- !is.null(words) && !is.null(colnames(topics))
  if (nrow(topics) != k || ncol(topics) != n_words || (by_name && !setequal(words, colnames(topics)))) {
    ldp_abort(c(
      "{.arg topics} must have {k} rows, and a column for each of the {n_words} words of {.arg counts}.",
      x = "It is {nrow(topics)} x {ncol(topics)}.",
      i = if (by_name) "Column names must be the same."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (by_name) topics <- topics[, words, drop = FALSE]
  unname(topics / rowSums(topics))
}

# --- tasks ----------------------------------------------------------------------------------------

# A task is one fit, with a stream of its own. Of no noise epsilon is Inf.
plan_promises <- function(job, plan, seed) {
  tasks <- expand.grid(
    method = job$methods, epsilon = c(plan$epsilon, Inf), repetition = seq_len(plan$repetitions),
    stringsAsFactors = FALSE
  )
  streams <- chain_streams(nrow(tasks) + 1, seed)
  n <- nrow(job$counts)
  hidden <- with_stream(streams[[1]], sample.int(n, floor(plan$held_out * n)))$value
  list(
    tasks = Map(list,
      method = tasks$method, epsilon = tasks$epsilon, repetition = tasks$repetition, stream = streams[-1]
    ),
    scores = vector("list", nrow(tasks)), hidden = sort(hidden)
  )
}

hide_documents <- function(job, hidden) {
  job$hidden <- if (length(hidden) > 0) document_cells(job$counts[hidden, , drop = FALSE])
  job$train <- if (length(hidden) > 0) job$counts[-hidden, , drop = FALSE] else job$counts
  job
}

# A list of scores, by method.
run_promise_task <- function(task, job) {
  topics <- with_stream(task$stream, switch(task$method,
    local = local_topics(task, job), spectral = spectral_fit_topics(task, job),
    variational = variational_topics(task, job)
  ))$value
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

# Where the topics were not released (config 3strict), they are as good as uniform.
spectral_fit_topics <- function(task, job) {
  fixed <- list(
    counts = quote(job$train), k = job$k, alpha0 = job$alpha0, epsilon = task$epsilon,
    delta = if (task$epsilon < Inf) job$delta else 0, rng = "R"
  )
  arguments <- utils::modifyList(list(config = "1", short = "drop"), job$further$spectral)
  fit <- do.call("dp_lda_spectral", c(fixed, arguments))
  if (fit$refused) matrix(1 / ncol(job$train), job$k, ncol(job$train)) else t(fit$mu)
}

variational_topics <- function(task, job) {
  lmax <- max(1, ceiling(stats::quantile(Matrix::rowSums(job$train), 0.95, names = FALSE)))
  fixed <- list(
    counts = quote(job$train), k = job$k, epsilon = task$epsilon,
    delta = if (task$epsilon < Inf) job$delta else 0, rng = "R"
  )
  default <- list(alpha = job$alpha0 / job$k, eta = 1 / job$k, lmax = lmax, iter = 20)
  arguments <- utils::modifyList(default, job$further$variational)
  if (is.null(arguments$clip)) arguments$clip <- sqrt(arguments$lmax) / 5
  t(do.call("dp_lda_vi", c(fixed, arguments))$mu)
}

# --- scores ---------------------------------------------------------------------------------------

# Of topics in rows.
score_topics <- function(topics, job) {
  topics <- unname(topics)
  floored <- list(mu = t(topics), alpha = rep(job$alpha0 / job$k, job$k))
  several <- ncol(topics) > 1
  c(
    l1 = if (!is.null(job$topics)) {
      mean(rowSums(abs(align_topics(topics, job$topics) - job$topics)))
    },
    log_lik = if (!is.null(job$hidden)) mean_score(floored, job$hidden, Inf),
    npmi = if (several) mean(npmi(topics, job$train)),
    coherence = if (several) mean(coherence(topics, job$train))
  )
}

# The share of each word, for every topic.
no_topics <- function(job) {
  shares <- Matrix::colSums(job$train) / sum(job$train)
  matrix(shares, job$k, length(shares), byrow = TRUE)
}

# --- results --------------------------------------------------------------------------------------

PRIVACY_METHODS <- c(
  "local", "spectral", "variational", "local, no noise", "spectral, no noise", "variational, no noise",
  "no topics"
)

new_privacy_comparison <- function(job, state) {
  rows_of <- function(method, task, scores) {
    noised <- task$epsilon < Inf
    label <- if (noised || method == "no topics") method else paste0(method, ", no noise")
    rows <- score_rows(
      label, if (noised) task$epsilon else NA_real_, task$repetition, scores, PRIVACY_METHODS
    )
    data.frame(rows["method"], unit = if (noised) unit_of(method, job$precision) else "none", rows[-1])
  }
  of_tasks <- Map(function(task, scores) rows_of(task$method, task, scores[[1]]), state$tasks, state$scores)
  of_none <- rows_of("no topics", list(epsilon = Inf, repetition = 1L), score_topics(no_topics(job), job))
  rows <- do.call(rbind, c(of_tasks, list(of_none)))
  rows <- rows[order(rows$method, rows$epsilon, rows$repetition, rows$metric), ]
  rownames(rows) <- NULL
  structure(rows,
    class = c("privacy_comparison", "method_comparison", "data.frame"),
    job = list(
      dim = dim(job$counts), k = job$k, alpha0 = job$alpha0, delta = job$delta, precision = job$precision,
      hidden = length(state$hidden), methods = job$methods
    )
  )
}

apart_in_counts <- function(precision) {
  paste(format_number(precision), if (precision == 1) "count" else "counts")
}

unit_of <- function(method, precision) {
  if (method == "local") paste(apart_in_counts(precision), "of a document") else "one document replaced"
}

#' @export
summary.privacy_comparison <- function(object, ...) {
  rows <- NextMethod()
  key <- function(x) paste(x$method, x$epsilon)
  unit <- object$unit[match(key(rows), key(object))]
  data.frame(rows[c("metric", "method")], unit = unit, rows[-(1:2)])
}

#' @export
print.privacy_comparison <- function(x, ...) {
  job <- attr(x, "job")
  NextMethod()
  if (!is.null(job)) {
    for (line in describe_promises(job)) cat_wrapped(line, bullet = "* ")
  }
  invisible(x)
}

describe_promises <- function(job) {
  c(
    if ("local" %in% job$methods) {
      paste0(
        "local: epsilon is for documents that are ", apart_in_counts(job$precision),
        " apart; nobody need be trusted."
      )
    },
    if (length(setdiff(job$methods, "local")) > 0) {
      paste0(
        paste(setdiff(job$methods, "local"), collapse = ", "), ": epsilon, with delta = ", format(job$delta),
        ", is for one whole document replaced; whoever fits sees all documents."
      )
    }
  )
}
