# The functions that fit models; the models are in R/model-definitions.R.

#' Fit a topic model to private documents
#'
#' Draws from the posterior (or an approximation of it) of the Poisson topic model, also called Poisson matrix
#' factorization, given counts of words in documents, noised or not. For Poisson counts, the expected count of
#' word `v` in document `d` is `mu[d, v] = sum_k theta[d, k] phi[k, v]`. For the default family, `"nbinom1"`,
#' it is a multiple of this sum; see [which-family].
#'
#' @param data Counts, with documents in rows and words in columns: a [private_counts()], whose noise is
#'   modelled; files of released counts, named by [release_shards()] (with a `cluster`, or with [svi()]); or
#'   true counts: a matrix, a `Matrix`, a `dfm`, a `DocumentTermMatrix`, a data frame of documents, terms and
#'   counts, or any other of the [objects that hold counts][data-objects]. Cells that are `NA` are masked,
#'   that is, treated as not observed.
#' @param k The number of topics, from 1 to 10,000.
#' @param ... Arguments of the function of `inference`, such as `iter` and `chains` of [gibbs()].
#' @param family The family of true counts given `mu`: `"nbinom1"`, for overdispersed counts with variance
#'   `dispersion * mu`, which suits nearly all real data; or `"poisson"`, the model of Schein et al. (2019),
#'   which is the default with `scheme = "bessel"` and `"delta"`. See [which-family].
#' @param dispersion For `"nbinom1"`: the variance of a count divided by its mean, a number of at least 1 (1
#'   is the Poisson distribution); or `NULL` to estimate it.
#' @param dispersion_prior A [beta_prior()] on `1 - 1 / dispersion`, used if the dispersion is estimated.
#' @param dispersion_by One dispersion for `"all"` counts, one for each `"row"` of the data or, in topic and
#'   tensor models with [gibbs()], one for each `"column"` (for a tensor, each index of its last mode). Use
#'   `"column"` if the columns are few items that differ, such as the questions of a survey: with one
#'   dispersion for all of them, the totals of items whose counts vary less or more than the others can be
#'   wrong (see [which-family] and [check_margins()]).
#' @param prior A [gamma_prior()] for all factors, or a named list with one for each factor, or `NULL`. With
#'   `NULL`, [gibbs()] estimates the shape and the rate of each factor's prior, because with strong noise the
#'   totals depend on them; [cavi()] and [svi()] estimate the rate of a prior of shape 0.3 (see
#'   [gamma_prior()]). Schein et al. (2019) use `gamma_prior(0.1, 1)`.
#' @param groups Groups of the rows of the data (for a tensor, of the indices of its first mode; for a
#'   network, of actors), or `NULL`: a factor, a character or logical vector, or a data frame of them, with
#'   one value per row. The weights of rows then have different means in different groups, which are
#'   estimated; see [group_effects()].
#' @param noise What to do about the noise of private counts: `"model"` it, or `"ignore"` it (the naive
#'   analysis: negative released counts are set to zero, and the result is taken for true counts).
#' @param inference How the model is fitted: [gibbs()], [cavi()] or, for topic models, [svi()]; or its name.
#' @param id,dims For a data frame: the name of the column with the labels of its records, or the names of the
#'   columns of the modes of its cells; see [privatize()].
#' @return A fit, of class `c("topic_model", "ldp_fit_gibbs", "ldp_fit")` (or `"ldp_fit_cavi"`, or both
#'   `"ldp_fit_svi"` and `"ldp_fit_cavi"`); see [ldp_fit-methods]. Its factors are `theta` (documents x k) and
#'   `phi` (k x words). The fit
#'   contains the data. An interrupt (Ctrl-C) ends the run and returns the fit so far, with a warning
#'   of class `ldpcounts_interrupted`. In a script it saves the run to the `checkpoint`, and stops with an
#'   error of that class.
#' @section Errors: `topic_model()` stops with an error of class `ldpcounts_error`, before any work is done,
#'   if data are not counts (a matrix with negative entries is probably a release, which must be declared with
#'   [private_counts()]), if an argument is out of range or misspelt, if the run needs more memory than there
#'   is, and if the `checkpoint` is of another call.
#' @section Warnings: The models warn if the counts of a release at or below zero contradict its declared
#'   `alpha` (class `ldpcounts_declared_alpha`; see [private_counts()]). Such a release has another `alpha`,
#'   or was clamped but not declared with `clamped = TRUE`, or holds true counts. They also warn if `k` is
#'   larger than both the number of rows and the number of columns (class `ldpcounts_large_k`). If each chain
#'   keeps only one draw, a message says so (class `ldpcounts_one_draw`).
#' @references Schein, A., Wu, Z. S., Schofield, A., Zhou, M. and Wallach, H. (2019). Locally
#'   private Bayesian inference for count models. *ICML*, sections 4 and 5; the appendix of its first
#'   version, arXiv 1803.08471v1, for variational inference with augmentation. The collapsed sampler
#'   and the collapsed bound are new in this package.
#' @examples
#' words <- order(-colSums(poliblog))[1:60]
#' released <- privatize(poliblog[1:100, words], epsilon = 2)
#' fit <- topic_model(released, k = 3, iter = 200)
#' fit
#' top_terms(fit, 5)
#' plot(fit)
#' @export
topic_model <- function(data, k, ..., family = c("nbinom1", "poisson"), dispersion = NULL,
                        dispersion_prior = beta_prior(), dispersion_by = c("all", "row", "column"),
                        prior = NULL, groups = NULL, noise = c("model", "ignore"), inference = gibbs(),
                        id = NULL, dims = NULL) {
  call <- rlang::current_env()
  check_data_and_k(data, k, call)
  inference <- as_inference(inference, list(...), c("gibbs", "cavi", "svi"), formals(topic_model), call)
  in_files <- is_shards(data) && (type_of(inference) == "svi" || !is.null(inference$cluster))
  if (!in_files) data <- given_counts(data, "data", id, dims, directed = TRUE, call = call)
  family <- check_family(family, dispersion, dispersion_prior, dispersion_by, inference$scheme, "none", call)
  fit_model(topics_model, data, k, family, prior, groups, noise, inference, call)
}

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
#' @section Errors: `block_model()` stops with an error of class `ldpcounts_error` in the same cases as
#'   [topic_model()], and if data are not square, if they are not symmetric although `directed = FALSE`, and
#'   if an undirected release comes without `directed = FALSE`. It warns if a symmetric network is analysed as
#'   directed, and if it leaves out true counts on the diagonal.
#' @references Schein et al. (2019), *ICML*, sections 4 and 5; for the model, Schein, A., Zhou,
#'   M., Blei, D. and Wallach, H. (2016). Bayesian Poisson Tucker decomposition for learning the
#'   structure of international relations. *ICML*. The collapsed sampler is new in this package.
#' @examples
#' busiest <- order(-rowSums(enron_network))[1:40]
#' released <- privatize(enron_network[busiest, busiest], epsilon = 1)
#' fit <- block_model(released, k = 3, iter = 200)
#' fit
#' plot(fit)
#' @export
block_model <- function(data, k, ..., family = c("nbinom1", "poisson"), dispersion = NULL,
                        dispersion_prior = beta_prior(), dispersion_by = c("all", "row"),
                        prior = NULL, groups = NULL, noise = c("model", "ignore"), inference = gibbs(),
                        directed = TRUE, id = NULL, dims = NULL) {
  call <- rlang::current_env()
  check_data_and_k(data, k, call)
  inference <- as_inference(inference, list(...), c("gibbs", "cavi"), formals(block_model), call)
  check_flag(directed, "directed", call)
  data <- given_counts(data, "data", id, dims, directed = directed, call = call)
  model <- if (directed) blocks_model else undirected_model
  family <- check_family(family, dispersion, dispersion_prior, dispersion_by, inference$scheme, model$network, call)
  fit_model(model, data, k, family, prior, groups, noise, inference, call)
}

#' Fit a tensor factorization to private counts
#'
#' Draws from the posterior of Poisson tensor factorization, `mu[i, j, ..., l] = sum_k theta1[i, k]
#' theta2[j, k] ... thetaM[l, k]`, given counts with two modes or more, such as the numbers of messages by
#' sender, recipient and month. The counts may be noised or not. (The modes of a table are its dimensions.)
#' For Poisson counts, `mu` is the expected count. For the default family, `"nbinom1"`, the expected count is
#' a multiple of this sum; see [which-family].
#'
#' @param data Counts with two to twelve modes: a [private_counts()], whose noise is modelled; or true
#'   counts: an array, a data frame of cells (see `dims`), or any other of the [objects that hold
#'   counts][data-objects]. The first mode contains the records: each of its indices has its own noise level
#'   and, with `dispersion_by = "row"`, its own dispersion. Cells that are `NA` are masked, that is, treated
#'   as not observed.
#' @param k The number of components, from 1 to 10,000.
#' @inheritParams topic_model
#' @details With two modes the data are a matrix (a data frame is treated as a sparse matrix), and the model
#' and its posterior are those of [topic_model()], where `theta1` is `theta` and `theta2` is the transpose
#' of `phi`.
#'
#' With three modes or more, a chain can get stuck in a local maximum of the posterior, in which two
#' components share the counts of one true component, and another component is missing. So a chain without
#' `init` searches for a good start. After 30 sweeps, its components are redrawn one by one, in two rounds.
#' (If there are more than eight components, each round redraws the eight smallest.) A new component is kept
#' if the log density is higher after 30 further sweeps. The short Gibbs run of `inference = "cavi"` searches
#' in the same way.
#'
#' In simulations with tensors of 30 x 25 x 20 x 4 cells (`k = 4`, mean count 1, `epsilon = 1`) the mean
#' Poisson divergence of `fitted()` was 0.010 to 0.012 with Gibbs sampling in all 15 runs, 0.015 to 0.021
#' with variational inference in all 9 runs, and 0.29 to 0.35 with `noise = "ignore"`. With single random
#' starts it was mostly 0.1 to 0.6 (`bench/tensors.R` in the sources). Still, run several chains to see
#' whether they agree.
#'
#' The time of a sweep or an iteration is proportional to the number of positive and missing cells, times
#' the number of modes. The product of the extents of all modes except the first must be less than 2^31.
#' @return A fit, of class `c("tensor_model", "ldp_fit_gibbs", "ldp_fit")` (or `"ldp_fit_cavi"`); see
#'   [ldp_fit-methods]. Its factors are `theta1` (extent of the first mode x k), `theta2` and so on. The fit
#'   contains the data (a data frame is converted to a table of its cells).
#' @inheritSection topic_model Warnings
#' @section Errors: `tensor_model()` stops with an error of class `ldpcounts_error` in the same cases as
#'   [topic_model()], and if a column of a mode is not a factor, text, or whole numbers within `dims`.
#' @references Schein, A., Wu, Z. S., Schofield, A., Zhou, M. and Wallach, H. (2019). Locally private
#'   Bayesian inference for count models. *ICML*, section 3, for the class of models. Schein, A., Paisley,
#'   J., Blei, D. and Wallach, H. (2015). Bayesian Poisson tensor factorization for inferring multilateral
#'   relations from sparse dyadic event counts. *KDD*, equation 1, for this model. The collapsed sampler
#'   and the collapsed bound are new in this package.
#' @examples
#' set.seed(1)
#' y <- simulate_tensor(dims = c(12, 10, 6), k = 2)$y
#' released <- privatize(y, epsilon = 1)
#' fit <- tensor_model(released, k = 2, iter = 200)
#' fit
#' plot(fit)
#' @export
tensor_model <- function(data, k, ..., family = c("nbinom1", "poisson"), dispersion = NULL,
                         dispersion_prior = beta_prior(), dispersion_by = c("all", "row", "column"),
                         prior = NULL, groups = NULL, noise = c("model", "ignore"), inference = gibbs(),
                         id = NULL, dims = NULL) {
  call <- rlang::current_env()
  check_data_and_k(data, k, call)
  inference <- as_inference(inference, list(...), c("gibbs", "cavi"), formals(tensor_model), call)
  data <- given_counts(data, "data", id, dims, directed = TRUE, call = call)
  # data with fewer than two modes give the same error as with a matrix
  model <- tensor_of(max(2, length(dim(data))))
  family <- check_family(family, dispersion, dispersion_prior, dispersion_by, inference$scheme, "none", call)
  fit_model(model, data, k, family, prior, groups, noise, inference, call)
}
