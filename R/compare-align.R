# Topics in the order of other topics.

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
#' @section Errors: An error of class `ldpcounts_error` is thrown if the topics are not a matrix of
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
  check_given(missing(phi), "phi", call)
  check_given(missing(target), "target", call)
  phi <- as_topics(phi, "phi", call)
  target <- same_words(as_topics(target, "target", call), colnames(phi), ncol(phi), c("phi", "target"), call)
  phi[partners(phi, target), , drop = FALSE]
}

# The columns of `topics` in the order of these words, NULL if they have no names. `args`: the arguments that
# the words and the topics came from.
same_words <- function(topics, words, n_words, args, call) {
  others <- colnames(topics)
  by_name <- !is.null(words) && !is.null(others)
  as_many <- ncol(topics) == n_words
  check_that(as_many && (!by_name || setequal(words, others)), c(
    "{.arg {args[1]}} and {.arg {args[2]}} must have the same words.",
    x = if (as_many) "Their column names differ." else "They have {n_words} and {ncol(topics)} words."
  ), call)
  reordered <- by_name && !identical(words, others)
  check_that(!reordered || !anyDuplicated(words),
    "{.arg {args[1]}} and {.arg {args[2]}} must not have duplicated words: words are matched by name.", call
  )
  if (reordered) topics[, words, drop = FALSE] else topics
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
