# Topics in the order of others.

#' Topics in the order of others
#'
#' The labels of topics are arbitrary. `align_topics()` puts topics into the order of those that they are
#' most like: of the truth of a simulation, say, or of another fit.
#'
#' @details
#' Each topic is taken as a distribution over words, and each of `target` gets a partner of its own, so
#' that the sum over pairs of the affinity (Bhattacharyya coefficient) `sum_v sqrt(p_v q_v)` is the
#' largest of all ways to pair them (Hungarian method): that is the smallest sum of squared Hellinger
#' distances, `1 - sum_v sqrt(p_v q_v)`. [coef()][coef.ldp_fit] of a fit matches the components of its
#' draws in the same way.
#' @param phi,target Topics: a matrix of topics in rows and words in columns, of weights that are not
#'   negative, or a fit of [topic_model()], whose topics are those of its `coef()`. Words are matched by
#'   column names where both have them, and by their position otherwise.
#' @return The rows of `phi`, as they are, with their row names (which say where they were: index other
#'   factors by them) and their order of words, in the order of their partners in `target`. If `phi` has more
#'   topics than `target`, those without a partner follow, in their old order; if it has fewer, rows of `NA`
#'   stand where a topic of `target` has no partner.
#' @section Errors: of class `ldpcounts_error` for topics that are not such weights, or whose words are
#'   not the same, or come twice and in another order.
#' @references Kuhn, H. W. (1955). The Hungarian method for the assignment problem. *Naval Research
#'   Logistics Quarterly* 2. Bhattacharyya, A. (1943). On a measure of divergence between two statistical
#'   populations defined by their probability distributions. *Bulletin of the Calcutta Mathematical
#'   Society* 35.
#' @seealso [npmi()] for topics without a truth.
#' @examples
#' set.seed(1)
#' truth <- simulate_topics()
#' fit <- topic_model(privatize(truth$y, alpha = truth$alpha), k = 3, iter = 200)
#' aligned <- align_topics(fit, truth$phi)
#' mae(aligned, truth$phi)
#' # the weights of the documents in the same order
#' dim(coef(fit)$theta[, rownames(aligned)])
#' @export
align_topics <- function(phi, target) {
  check_given(missing(phi), "phi")
  check_given(missing(target), "target")
  call <- rlang::current_env()
  phi <- as_topics(phi, "phi", call)
  target <- same_words(as_topics(target, "target", call), phi, call)
  phi[partners(phi, target), , drop = FALSE]
}

# The columns of `target` in the order of the words of `phi`.
same_words <- function(target, phi, call) {
  words <- colnames(phi)
  others <- colnames(target)
  by_name <- !is.null(words) && !is.null(others)
  if (ncol(target) != ncol(phi) || (by_name && !setequal(words, others))) {
    ldp_abort(c(
      "{.arg phi} and {.arg target} must have the same words.",
      x = if (ncol(target) != ncol(phi)) {
        "They have {ncol(phi)} and {ncol(target)}."
      } else {
        "Their column names differ."
      }
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (!by_name || identical(words, others)) {
    return(target)
  }
  if (anyDuplicated(words)) {
    ldp_abort("{.arg phi} and {.arg target} must have every word once, for words are matched by name.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  target[, words, drop = FALSE]
}

# The topic of `phi` that each of `target` has for a partner, NA where it has none; then the others.
partners <- function(phi, target) {
  n <- max(nrow(phi), nrow(target))
  affinity <- matrix(0, n, n)
  affinity[seq_len(nrow(target)), seq_len(nrow(phi))] <- affinities(phi, target)
  order <- as.integer(clue::solve_LSAP(affinity, maximum = TRUE))[seq_len(nrow(target))]
  order[order > nrow(phi)] <- NA
  c(order, setdiff(seq_len(nrow(phi)), order))
}
