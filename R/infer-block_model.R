# block_model(); the directed and the undirected model are in R/model-blocks.R.

#' Fit a block model to a private network
#'
#' Draws from the posterior of the Poisson block model, `mu[i, j] = sum_cd theta[i, c] pi[c, d] theta[j, d]`.
#' The counts may be noised or not. For Poisson counts, `mu[i, j]` is the expected number of messages from
#' actor `i` to actor `j`. For the default family, `"nbinom1"`, the expected number is a multiple of this sum;
#' see [which-family].
#'
#' @param data Counts, with senders in rows and the same actors as recipients in columns: a
#'   [private_counts()], whose noise is modelled; or true counts: a square matrix or `Matrix`, an `igraph`,
#'   a `network`, a data frame of edges, or any other of the [objects that hold counts][data-objects]. The
#'   diagonal is not data. Cells that are `NA` are masked, that is, treated as not observed.
#' @param directed `FALSE` if counts belong to pairs of actors. The data are then symmetric, each pair is
#'   used once, and `pi` is symmetric. A release must come from `privatize(directed = FALSE)`, or be declared
#'   with `directed = FALSE` in [private_counts()]. All its rows have the same `alpha`, and `dispersion_by`
#'   must be `"all"`.
#' @param k The number of communities, from 1 to 10,000.
#' @inheritParams topic_model
#' @return A fit, of class `c("block_model", "ldp_fit_gibbs", "ldp_fit")` (or `"ldp_fit_cavi"`); see
#'   [ldp_fit-methods]. Its factors are `theta` (actors x k) and `pi` (k x k, from the sender's community to
#'   the recipient's). The fit contains the data.
#' @inheritSection topic_model Starts
#' @inheritSection topic_model Defaults
#' @inheritSection topic_model Groups
#' @inheritSection topic_model Reproducible
#' @inheritSection topic_model Variational inference
#' @inheritSection topic_model Warnings
#' @section Errors: An error of class `ldpcounts_error` is thrown in the same cases as by [topic_model()], for
#'   data that are not square, for data that are not symmetric although `directed = FALSE`, and for an
#'   undirected release without `directed = FALSE`. A warning is issued if a symmetric network is analysed as
#'   directed, and if counts on the diagonal are left out. (For a release, the second warning is issued only
#'   if the counts on the diagonal are too large to be noise alone.)
#' @references Schein et al. (2019), *ICML*, sections 4 and 5; for the model, Schein, A., Zhou,
#'   M., Blei, D. and Wallach, H. (2016). Bayesian Poisson Tucker decomposition for learning the
#'   structure of international relations. *ICML*. The collapsed sampler is new in this package.
#' @examples
#' busiest <- order(-rowSums(enron_network))[1:40]
#' released <- privatize(enron_network[busiest, busiest], epsilon = 1)
#' fit <- block_model(released, k = 3, iter = 200)
#' fit
#' round(coef(fit)$pi, 2)
#' # messages between two actors, in both directions together
#' pairs <- (enron_network + t(enron_network))[busiest, busiest]
#' released <- privatize(pairs, epsilon = 1, directed = FALSE)
#' fit <- block_model(released, k = 3, iter = 200, directed = FALSE)
#' round(coef(fit)$pi, 2)
#' @export
block_model <- model_function(function(data, k, ..., directed = TRUE) {
  check_no_dots(...)
  fit_model(if (check_flag(directed, "directed")) blocks_model else undirected_model)
})
