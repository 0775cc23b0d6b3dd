# Topics for package LDAvis.

#' Topics for LDAvis
#'
#' Returns a list of the arguments of `LDAvis::createJSON()` for a fit. `LDAvis::serVis()` displays the
#' result of `do.call(LDAvis::createJSON, ldavis_input(fit))`.
#'
#' @details The lengths of documents and the frequencies of terms are posterior means, because the true ones
#' are not known for a release. (They are posterior means for fits to true counts too.) Documents without
#' words are included. `LDAvis` needs at least three topics to place them on a map.
#' @param fit A fit of [topic_model()].
#' @return A list of
#'   * `phi`: topics in rows, terms in columns, with row sums of 1, as in `coef()`;
#'   * `theta`: documents in rows, topics in columns, with row sums of 1;
#'   * `doc.length`: the expected total of each document;
#'   * `vocab`: the terms, as text;
#'   * `term.frequency`: the expected total of each term.
#' @section Errors: An error of class `ldpcounts_error` is thrown for a fit of another model.
#' @references Sievert, C. and Shirley, K. (2014). LDAvis: a method for visualizing and interpreting
#'   topics. *Proceedings of the Workshop on Interactive Language Learning, Visualization, and
#'   Interfaces*, 63-70.
#' @seealso [tidy()][tidy.ldp_fit], [plot()][plot.ldp_fit].
#' @examples
#' set.seed(1)
#' fit <- topic_model(privatize(poliblog[1:60, 1:80], epsilon = 2), k = 3, iter = 100)
#' str(ldavis_input(fit))
#' @export
ldavis_input <- function(fit) {
  if (!inherits(fit, "topic_model")) {
    abort_argument(fit, "fit", "a fit of topic_model()", rlang::current_env())
  }
  factors <- coef(fit)
  words <- colnames(factors$phi)
  list(
    phi = factors$phi, theta = factors$theta / rowSums(factors$theta),
    doc.length = posterior_mean_of(fit, function(factors, size) model_of(fit)$row_totals(factors) * size),
    vocab = if (is.null(words)) as.character(seq_len(ncol(factors$phi))) else words,
    term.frequency = posterior_mean_of(fit, function(factors, size) {
      as.vector(colSums(factors$theta * size) %*% factors$phi)
    })
  )
}
