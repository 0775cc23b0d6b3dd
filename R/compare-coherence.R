# Whether the top words of topics belong together: normalised pointwise mutual information, and coherence.

#' Do the top words of a topic belong together?
#'
#' `npmi()` and `coherence()` ask a reference corpus: are the words that a topic gives the most weight
#' found in the same documents?
#'
#' @details
#' Let `w1, ..., wn` be the `n` words of the largest weight in a topic, the largest first (of equal ones
#' the first), `D(w)` the number of documents of the reference that hold `w` at least once, `D(w, w')`
#' that of documents that hold both, and `D` that of all.
#'
#' `npmi()` is the mean over the `n (n - 1) / 2` pairs of the normalised pointwise mutual information,
#' with probabilities that are shares of documents, `P(w) = D(w) / D` and so on:
#'
#' ```
#' log(P(w, w') / (P(w) P(w'))) / -log P(w, w')
#' ```
#'
#' It is 1 for words that are found together only, 0 for independent ones, and -1, which is the limit of
#' the formula, for words that are never found together, also if one of them is in no document. Two
#' words that are in all documents count 1.
#'
#' `coherence()` is the sum over the same pairs of
#'
#' ```
#' log((D(wi, wj) + 1) / D(wj)),   j < i
#' ```
#'
#' so that the word of the larger weight is below the line. It is at most `n (n - 1) / 2 log 2`, mostly
#' negative, and larger is better; compare values of the same `n` and the same reference only. For words
#' that are never found together the ratio is `1 / D(wj)`; if `wj` is in no document the pair counts
#' `log(1 / D)`, the least that any pair can have. So a topic never gains by words that the reference does
#' not know.
#' @param x A fit of [topic_model()], whose topics are those of its [coef()][coef.ldp_fit]; or a matrix of
#'   topics in rows and words in columns, of weights that are not negative: their scale does not matter.
#' @param reference Counts of words in documents, documents in rows: the true counts behind the topics, or
#'   any other corpus, as [topic_model()] takes them, see [data-objects] (what is sparse stays so), but not
#'   noised, and without missing ones. Words are matched by column names where `x` and `reference` both
#'   have them, and by their position otherwise.
#' @param n How many words of each topic: a whole number from 2; all, if there are no more.
#' @return A vector with a number per topic, with the names of the topics; its `mean()` is what papers
#'   report.
#' @section Errors: of class `ldpcounts_error` for topics that are not such weights, for a reference that is
#'   not such counts, and where words can't be matched: by position if there are not as many in both, by
#'   name if one of them has a name twice, or `reference` no word of `x` at all.
#' @references Lau, J. H., Newman, D. and Baldwin, T. (2014). Machine reading tea leaves: automatically
#'   evaluating topic coherence and topic model quality. *EACL*, the measure OC-Auto-NPMI, here with whole
#'   documents for windows and the mean of pairs for their sum. Mimno, D., Wallach, H., Talley,
#'   E., Leenders, M. and McCallum, A. (2011). Optimizing semantic coherence in topic models. *EMNLP*,
#'   equation 1. What words unknown to the reference count is ours.
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

# score(together, documents) of each topic: in how many documents its top words are found by twos, the
# word of the largest weight first, alone on the diagonal; and how many documents there are.
of_top_words <- function(x, reference, n, score, call = rlang::caller_env()) {
  check_given(missing(x), "x", call)
  check_given(missing(reference), "reference", call)
  n <- check_whole(n, "n", 2, call = call)
  phi <- as_topics(x, "x", call)
  if (ncol(phi) < 2) {
    ldp_abort("{.arg x} must have at least two words.", class = "ldpcounts_argument_error", call = call)
  }
  holds <- words_held(reference, call)
  column <- match_words(phi, holds, call)
  if (is.null(rownames(phi))) rownames(phi) <- paste0(topics_model$component, seq_len(nrow(phi)))
  apply(phi, 1, function(weights) {
    score(count_together(holds, column[largest_first(weights, n)]), nrow(holds))
  })
}

# Topics as a matrix of weights, a topic a row.
as_topics <- function(x, arg, call) {
  if (inherits(x, "topic_model")) {
    return(coef(x)$phi)
  }
  if (inherits(x, "dp_lda")) {
    x <- central_topics(x, call)
  }
  if (methods::is(x, "Matrix")) {
    check_valid_matrix(x, arg, call)
    x <- as_dense(x, arg, call)
  }
  fits <- is.matrix(x) && is.numeric(x) && length(x) > 0 && all(is.finite(x) & x >= 0) &&
    all(rowSums(x) > 0)
  if (!fits) {
    ldp_abort(c(
      "{.arg {arg}} must be a fit of topic_model(), or a matrix of topics in rows.",
      x = "It is {describe_type(x)}.",
      i = "Weights of words are finite, none is negative, and no topic has zeros alone."
    ), class = "ldpcounts_argument_error", call = call)
  }
  x
}

# Which words each document of the reference holds, 1 or 0.
words_held <- function(reference, call) {
  if (inherits(reference, "private_counts")) {
    ldp_abort(c("{.arg reference} must hold true counts, and is private.",
      i = "Noise puts words into documents: what is found together in a release says little."
    ), class = "ldpcounts_argument_error", call = call)
  }
  counts <- counts_of(reference, arg = "reference", call = call)$counts
  check_complete(counts, "reference", call = call)
  if (!is_sparse(counts)) {
    return((counts > 0) + 0)
  }
  counts <- Matrix::drop0(counts)
  counts@x[] <- 1
  counts
}

# The column of the reference that each word of the topics is, NA where it is none.
match_words <- function(phi, reference, call) {
  words <- colnames(phi)
  known <- colnames(reference)
  if (is.null(words) || is.null(known)) {
    if (ncol(phi) != ncol(reference)) {
      ldp_abort(c(
        "{.arg x} and {.arg reference} must have the same words, or column names.",
        x = "They have {ncol(phi)} and {ncol(reference)} columns, and not both have names."
      ), class = "ldpcounts_argument_error", call = call)
    }
    return(seq_len(ncol(phi)))
  }
  twice <- c(x = anyDuplicated(words) > 0, reference = anyDuplicated(known) > 0)
  if (any(twice)) {
    arg <- names(which(twice))[1]
    ldp_abort("{.arg {arg}} must have every column name once, for words are matched by them.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  column <- match(words, known)
  if (all(is.na(column))) {
    ldp_abort("{.arg x} and {.arg reference} must have words in common: none of their column names is.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  column
}

count_together <- function(holds, columns) {
  together <- matrix(0, length(columns), length(columns))
  known <- !is.na(columns)
  found <- holds[, columns[known], drop = FALSE]
  together[known, known] <- as.matrix(if (is_sparse(found)) Matrix::crossprod(found) else crossprod(found))
  together
}
