# Whether the top words of topics belong together: normalised pointwise mutual information, and coherence.

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
#' @section Errors: An error of class `ldpcounts_error` is thrown if the topics are not a matrix of
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
#' colnames(documents) <- c("tax", "budget", "goal", "match")
#' topics <- rbind(money = c(5, 4, 1, 1), sports = c(1, 1, 4, 5), neither = c(5, 1, 1, 4))
#' colnames(topics) <- colnames(documents)
#' npmi(topics, documents, n = 2)
#' coherence(topics, documents, n = 2)
#' set.seed(1)
#' fit <- topic_model(privatize(poliblog[1:100, 1:150], epsilon = 2), k = 3, iter = 60)
#' mean(npmi(fit, poliblog[1:100, 1:150]))
#' @export
npmi <- function(x, reference, n = 10) {
  of_top_words(x, reference, n, function(together, documents) {
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
  of_top_words(x, reference, n, function(together, documents) {
    alone <- diag(together)
    alone[alone == 0] <- documents
    pair <- upper.tri(together)
    sum(log((together[pair] + 1) / alone[row(together)[pair]]))
  })
}

# score(together, documents) for each topic. `together`: the numbers of documents that hold pairs of its top
# words, in decreasing order of their weight; on the diagonal, those that hold a word. `documents`: the number
# of documents.
of_top_words <- function(x, reference, n, score, call = rlang::caller_env()) {
  check_given(missing(x), "x", call)
  check_given(missing(reference), "reference", call)
  n <- check_whole(n, "n", 2, call = call)
  phi <- as_topics(x, "x", call)
  check_that(ncol(phi) > 1, "{.arg x} must have at least two words.", call)
  holds <- words_held(reference, call)
  column <- match_words(phi, holds, call)
  if (is.null(rownames(phi))) rownames(phi) <- paste0(topics_model$component, seq_len(nrow(phi)))
  apply(phi, 1, function(weights) {
    score(count_together(holds, column[largest_first(weights, n)]), nrow(holds))
  })
}

# Topics as a matrix of weights, one row per topic.
as_topics <- function(x, arg, call) {
  if (inherits(x, c("topic_model", "dp_lda"))) x <- coef(x)$phi
  if (methods::is(x, "Matrix")) {
    check_valid_matrix(x, arg, call)
    x <- as_dense(x, arg, call)
  }
  ok <- is.matrix(x) && is.numeric(x) && length(x) > 0 && all(is.finite(x) & x >= 0) && all(rowSums(x) > 0)
  check_that(ok, c(
    "{.arg {arg}} must be a fit of topic_model(), or a matrix of topics in rows.",
    x = "It is {describe_type(x)}.",
    i = "Weights of words must be finite and not negative, and each topic must have a positive weight."
  ), call)
  x
}

# Which words each document of the reference holds, 1 or 0.
words_held <- function(reference, call) {
  check_that(!inherits(reference, "private_counts"), c(
    "{.arg reference} must hold true counts, but is a release of noised counts.",
    i = "Noise adds words to documents, so a release says little about which words occur together."
  ), call)
  counts <- counts_of(reference, arg = "reference", call = call)$counts
  check_complete(counts, "reference", call = call)
  (counts > 0) + 0
}

# The column of the reference for each word of the topics, NA if there is none.
match_words <- function(phi, reference, call) {
  words <- colnames(phi)
  known <- colnames(reference)
  if (is.null(words) || is.null(known)) {
    check_that(ncol(phi) == ncol(reference), c(
      "{.arg x} and {.arg reference} must have the same words, or column names.",
      x = "They have {ncol(phi)} and {ncol(reference)} columns, and at least one of them has no column names."
    ), call)
    return(seq_len(ncol(phi)))
  }
  twice <- c("x", "reference")[c(anyDuplicated(words), anyDuplicated(known)) > 0]
  once <- "{.arg {twice[1]}} must not have duplicated column names, because words are matched by name."
  check_that(length(twice) == 0, once, call)
  column <- match(words, known)
  common <- "{.arg x} and {.arg reference} must have words in common, but share no column name."
  check_that(!all(is.na(column)), common, call)
  column
}

count_together <- function(holds, columns) {
  together <- matrix(0, length(columns), length(columns))
  known <- !is.na(columns)
  together[known, known] <- as.matrix(Matrix::crossprod(holds[, columns[known], drop = FALSE]))
  together
}

# Means over topics.
topic_scores <- function(topics, reference) {
  c(npmi = mean(npmi(topics, reference)), coherence = mean(coherence(topics, reference)))
}
