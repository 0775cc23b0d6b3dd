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
block_model <- function(data, k, ..., family = c("nbinom1", "poisson"), dispersion = NULL,
                        dispersion_prior = beta_prior(), dispersion_by = c("all", "row"),
                        prior = gamma_prior(0.3, rate = gamma_prior(1, 1)), groups = NULL,
                        noise = c("model", "ignore"), inference = gibbs(), directed = TRUE,
                        id = NULL, dims = NULL) {
  call <- rlang::current_env()
  check_given(missing(data), "data", call)
  refuse_formula(data, "data", call)
  check_given(missing(k), "k", call)
  dots <- named_dots(..., arguments = c(formals(block_model), formals(gibbs)), call = call)
  inference <- as_inference(inference, dots, c("gibbs", "cavi"), names(formals(block_model)), call)
  check_flag(directed, "directed", call)
  data <- given_counts(data, "data", id, dims, directed = directed, call = call)
  fit_model(if (directed) blocks_model else undirected_model, data, k,
    family = check_family(family, dispersion, dispersion_prior, dispersion_by, inference$scheme, !directed, call),
    prior = prior, groups = groups, noise = noise, inference = inference, call = call
  )
}
