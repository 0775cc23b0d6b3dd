# Scores of estimates: errors, topics in the order of other topics, and whether the top words of topics belong
# together.

#' Errors of estimates
#'
#' `mae()` computes the mean absolute error. `poisson_kl()` computes the mean Kullback-Leibler divergence
#' between the Poisson distributions with the true mean and with the estimated mean. For one cell this is
#' `truth log(truth / estimate) - truth + estimate`.
#'
#' @details
#' When most counts are zero, an estimate of zero everywhere has a small absolute error, but an infinite
#' divergence. So look at both.
#'
#' @param estimate Estimated means, such as `fitted(fit)`; at least 0 for `poisson_kl()`.
#' @param truth True counts or means, of the same shape, at least 0 for `poisson_kl()`. Both can be vectors,
#'   any of the [objects that hold counts][data-objects], or fits, whose `fitted()` is used. Cells are
#'   compared by position, whatever their labels.
#' @return One number, the mean over cells. Cells that are `NA` in either are left out.
#' @section Errors: Both functions stop with an error of class `ldpcounts_error` if the shapes differ, if no
#'   cell is known in both, and for negative values in `poisson_kl()`.
#' @references Schein et al. (2019), section 6, for the absolute error. The divergence is half the unit
#'   deviance of Poisson regression, McCullagh and Nelder (1989), *Generalized Linear Models*, section 2.3.
#' @seealso [compare_methods()], which computes both, and other metrics; [npmi()] for topics.
#' @examples
#' mae(c(1, 2, 3), c(1, 3, 5))
#' poisson_kl(c(1, 2, 3), c(1, 3, 5))
#' poisson_kl(0, 1)
#' @export
mae <- function(estimate, truth) {
  both <- comparable(estimate, truth)
  mean(abs(both$estimate - both$truth))
}

#' @rdname mae
#' @export
poisson_kl <- function(estimate, truth) {
  both <- comparable(estimate, truth)
  positive <- all(both$estimate >= 0, both$truth >= 0)
  check_that(positive, "{.arg estimate} and {.arg truth} must not be negative.")
  # a difference of logarithms: for very small means the ratio overflows, or is 0
  log_ratio <- ifelse(both$truth > 0, both$truth * (log(both$truth) - log(both$estimate)), 0)
  mean(log_ratio - both$truth + both$estimate)
}

# The cells that are known in both. Shapes are compared before sparse tables are made dense.
comparable <- function(estimate, truth, call = rlang::caller_env()) {
  both <- list(
    estimate = given_values(estimate, "estimate", call), truth = given_values(truth, "truth", call)
  )
  shapes <- vapply(both, function(x) if (is.null(dim(x))) paste(length(x)) else shape_of(x), "")
  check_that(shapes[1] == shapes[2], c(
    "{.arg estimate} and {.arg truth} must have the same shape.",
    x = "They are {shapes[1]} and {shapes[2]}."
  ), call)
  both <- lapply(both, function(x) if (is.object(x)) as.array(x) else x)
  known <- !is.na(both$estimate) & !is.na(both$truth)
  none <- "{.arg estimate} and {.arg truth} must have at least one cell that is not NA in either."
  check_that(any(known), none, call)
  lapply(both, `[`, known)
}

# Numbers, or a table of counts.
given_values <- function(x, arg, call) {
  if (inherits(x, "ldp_fit")) x <- stats::fitted(x)
  if (!is.numeric(x) || is.object(x)) given_counts(x, arg, role = "shown", call = call) else x
}

# --- aligned topics -------------------------------------------------------------------------------

#' Align topics with other topics
#'
#' Puts topics into the order of the topics that they are most similar to, such as the true topics of a
#' simulation, or the topics of another fit. The labels of topics are arbitrary, so topics must be aligned
#' before they can be compared.
#'
#' @details
#' Topics are treated as distributions over words. They are paired one to one with the topics of `target`,
#' so that the sum of the affinities (Bhattacharyya coefficients) of the pairs, `sum_v sqrt(p_v q_v)`, is
#' as large as possible (Hungarian method). Equivalently, the sum of their squared Hellinger distances,
#' `1 - sum_v sqrt(p_v q_v)`, is as small as possible. [coef()][coef.ldp_fit] of a fit aligns the components
#' of its draws in the same way.
#' @param phi,target Topics: a matrix of non-negative weights with topics in rows and words in columns, or
#'   a fit of [topic_model()], whose topics are those of its `coef()`. Words are matched by column names if
#'   both have them, and by position otherwise.
#' @return The rows of `phi`, in the order of their partners in `target`. Their row names and their order of
#'   words are unchanged; use the row names to put other factors into the same order. If `phi` has more
#'   topics than `target`, those without a partner follow in their old order; if it has fewer, there are
#'   rows of `NA` for topics of `target` without a partner.
#' @section Errors: Stops with an error of class `ldpcounts_error` if the topics are not a matrix of
#' non-negative weights or a fit of a topic model, if `phi` and `target` have different words, and if a word
#' occurs twice and words have to be reordered.
#' @references Kuhn, H. W. (1955). The Hungarian method for the assignment problem. *Naval Research
#'   Logistics Quarterly* 2. Bhattacharyya, A. (1943). On a measure of divergence between two statistical
#'   populations defined by their probability distributions. *Bulletin of the Calcutta Mathematical
#'   Society* 35.
#' @seealso [npmi()] to score topics when the true topics are not known.
#' @examples
#' set.seed(1)
#' truth <- simulate_topics()
#' fit <- topic_model(privatize(truth$y, alpha = truth$alpha), k = 3, iter = 200)
#' aligned <- align_topics(fit, truth$phi)
#' mae(aligned, truth$phi)
#' # the weights of the documents, in the same order
#' dim(coef(fit)$theta[, rownames(aligned)])
#' @export
align_topics <- function(phi, target) {
  call <- rlang::current_env()
  phi <- as_topics(phi, "phi", call)
  target <- same_words(as_topics(target, "target", call), phi, c("phi", "target"), call)
  phi[partners(phi, target), , drop = FALSE]
}

# The columns of `topics` in the order of the words of `like`. `args`: the arguments that `like` and the
# topics came from.
same_words <- function(topics, like, args, call) {
  as_many <- ncol(like) == ncol(topics)
  column <- if (as_many) match_words(like, topics, args, call) else NA
  check_that(!anyNA(column), c(
    "{.arg {args[1]}} and {.arg {args[2]}} must have the same words.",
    x = if (as_many) "Their column names differ." else "They have {ncol(like)} and {ncol(topics)} words."
  ), call)
  topics[, column, drop = FALSE]
}

# The column of `known` for each column of `x`, NA if there is none: by name if both have names, and otherwise
# by position.
match_words <- function(x, known, args, call) {
  by_name <- !is.null(colnames(x)) && !is.null(colnames(known))
  check_that(by_name || ncol(x) == ncol(known), c(
    "{.arg {args[1]}} and {.arg {args[2]}} must have the same words, or column names.",
    x = "They have {ncol(x)} and {ncol(known)} columns, and at least one of them has no column names."
  ), call)
  if (!by_name || identical(colnames(x), colnames(known))) {
    return(seq_len(ncol(x)))
  }
  twice <- args[c(anyDuplicated(colnames(x)), anyDuplicated(colnames(known))) > 0]
  once <- "{.arg {twice[1]}} must not have duplicated words, because words are matched by name."
  check_that(length(twice) == 0, once, call)
  match(colnames(x), colnames(known))
}

# The topic of `phi` that is the partner of each topic of `target`, NA if there is none; then the others.
partners <- function(phi, target) {
  n <- max(nrow(phi), nrow(target))
  affinity <- matrix(0, n, n)
  affinity[seq_len(nrow(target)), seq_len(nrow(phi))] <- affinities(phi, target)
  order <- as.integer(clue::solve_LSAP(affinity, maximum = TRUE))[seq_len(nrow(target))]
  order[order > nrow(phi)] <- NA
  c(order, setdiff(seq_len(nrow(phi)), order))
}

# --- coherence ------------------------------------------------------------------------------------

#' Coherence of topics: do their top words occur together?
#'
#' `npmi()` and `coherence()` score topics by a reference corpus: do the words with the largest weights of a
#' topic occur in the same documents?
#'
#' @details
#' Let `w1, ..., wn` be the `n` words with the largest weights in a topic, in decreasing order (ties are in
#' the order of the columns). Let `D(w)` be the number of documents of the reference that contain `w`,
#' `D(w, w')` the number of those that contain both words, and `D` the number of all documents.
#'
#' `npmi()` is the mean, over the `n (n - 1) / 2` pairs of words, of the normalised pointwise mutual
#' information, where probabilities are shares of documents, such as `P(w) = D(w) / D`:
#'
#' ```
#' log(P(w, w') / (P(w) P(w'))) / -log P(w, w')
#' ```
#'
#' It is 1 for words that only occur together, 0 for independent words, and -1 (the limit of the formula) for
#' words that never occur together, which includes words that occur in no document. For a pair of words that
#' both occur in all documents, the value is 1.
#'
#' `coherence()` is the sum over the same pairs of
#'
#' ```
#' log((D(wi, wj) + 1) / D(wj)),   j < i
#' ```
#'
#' where `wj` is the word with the larger weight. It is at most `n (n - 1) / 2 log 2`, usually negative, and
#' larger values are better. Compare only values with the same `n` and the same reference. For words that
#' never occur together the ratio is `1 / D(wj)`. If `wj` occurs in no document, the value of the pair is
#' `log(1 / D)`, the smallest value that a pair can have, so that a topic does not gain from words that are
#' not in the reference.
#' @param x A fit of [topic_model()], whose topics are those of its [coef()][coef.ldp_fit]; or a matrix of
#'   non-negative weights with topics in rows and words in columns. The scale of the weights does not matter.
#' @param reference Counts of words in documents, with documents in rows: the true counts that the topics
#'   were fitted to, or any other corpus, in any of the forms that [topic_model()] accepts (see
#'   [data-objects]; sparse data stay sparse). They must not be noised, and none may be missing. Words are
#'   matched by column names if `x` and `reference` both have them, and by position otherwise.
#' @param n How many words of each topic to use, at least 2. If there are fewer words, all are used.
#' @return A vector with one number per topic, named by topic. Papers usually report its `mean()`.
#' @section Errors: Stops with an error of class `ldpcounts_error` if the topics are not a matrix of
#' non-negative weights or a fit of a topic model, if the reference does not hold counts, is noised or has
#' missing counts, and if words cannot be matched. They cannot be matched by position if the numbers of words
#' differ, nor by name if a name occurs twice or if `x` and `reference` share no word.
#' @references Lau, J. H., Newman, D. and Baldwin, T. (2014). Machine reading tea leaves: automatically
#'   evaluating topic coherence and topic model quality. *EACL*, the measure OC-Auto-NPMI, here with whole
#'   documents instead of windows, and the mean over pairs of words instead of the sum. Mimno, D., Wallach,
#'   H., Talley, E., Leenders, M. and McCallum, A. (2011). Optimizing semantic coherence in topic models.
#'   *EMNLP*, equation 1. The value for words that are not in the reference is new in this package.
#' @seealso [align_topics()] to compare topics with true ones; [compare_methods()].
#' @examples
#' documents <- rbind(c(2, 1, 0, 0), c(1, 3, 0, 1), c(0, 0, 2, 1), c(0, 1, 1, 2))
#' topics <- rbind(money = c(5, 4, 1, 1), sports = c(1, 1, 4, 5), neither = c(5, 1, 1, 4))
#' colnames(topics) <- colnames(documents) <- c("tax", "budget", "goal", "match")
#' npmi(topics, documents, n = 2)
#' coherence(topics, documents, n = 2)
#' @export
npmi <- function(x, reference, n = 10) {
  score_top_words(x, reference, n, function(together, documents) {
    alone <- diag(together) / documents
    pair <- upper.tri(together)
    both <- together[pair] / documents
    information <- log(both / outer(alone, alone)[pair]) / -log(both)
    information[together[pair] == 0] <- -1
    information[together[pair] == documents] <- 1
    mean(information)
  })
}

#' @rdname npmi
#' @export
coherence <- function(x, reference, n = 10) {
  score_top_words(x, reference, n, function(together, documents) {
    alone <- diag(together)
    alone[alone == 0] <- documents
    pair <- upper.tri(together)
    sum(log((together[pair] + 1) / alone[row(together)[pair]]))
  })
}

# score(together, documents) for each topic. `together`: the numbers of documents that contain pairs of its
# top words, in decreasing order of their weight; on the diagonal, those that contain a word. `documents`: the
# number of documents.
score_top_words <- function(x, reference, n, score, call = rlang::caller_env()) {
  n <- check_whole(n, "n", 2, call = call)
  phi <- as_topics(x, "x", call)
  check_that(ncol(phi) > 1, "{.arg x} must have at least two words.", call)
  check_that(!inherits(reference, "private_counts"), c(
    "{.arg reference} must hold true counts, but is a release of noised counts.",
    i = "Noise adds words to documents, so a release says little about which words occur together."
  ), call)
  counts <- counts_of(reference, arg = "reference", call = call)$counts
  check_complete(counts, "reference", call = call)
  occurs <- (counts > 0) + 0
  column <- match_words(phi, occurs, c("x", "reference"), call)
  check_that(!all(is.na(column)), "{.arg x} and {.arg reference} must have words in common.", call)
  if (is.null(rownames(phi))) rownames(phi) <- paste0(topics_model$component, seq_len(nrow(phi)))
  apply(phi, 1, function(weights) {
    top <- column[largest_first(weights, n)]
    known <- !is.na(top)
    together <- matrix(0, length(top), length(top))
    together[known, known] <- as.matrix(Matrix::crossprod(occurs[, top[known], drop = FALSE]))
    score(together, nrow(occurs))
  })
}

as_dense_matrix <- function(x, arg, call) {
  if (methods::is(x, "Matrix")) {
    check_valid_matrix(x, arg, call)
    x <- as_dense(x, arg, call)
  }
  x
}

# Topics as a matrix of weights, one row per topic.
as_topics <- function(x, arg, call) {
  if (inherits(x, c("topic_model", "dp_lda"))) x <- coef(x)$phi
  x <- as_dense_matrix(x, arg, call)
  ok <- is.matrix(x) && is.numeric(x) && length(x) > 0 && all(is.finite(x) & x >= 0) && all(rowSums(x) > 0)
  check_that(ok, c(
    "{.arg {arg}} must be a fit of topic_model(), or a matrix of topics in rows.",
    x = "It is {describe_type(x)}.",
    i = "Weights of words must be finite and not negative, and each topic must have a positive weight."
  ), call)
  x
}

# Means over topics.
topic_scores <- function(topics, reference) {
  c(npmi = mean(npmi(topics, reference)), coherence = mean(coherence(topics, reference)))
}
