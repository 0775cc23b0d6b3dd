# The Poisson block model, mu_ij = sum_cd theta_ic pi_cd theta_jd, i != j.
blocks_model <- list(
  name = "block_model",
  label = "Block model",
  component = "community",
  n_modes = 2,
  network = "directed",
  by_columns = TRUE,
  factors = c("theta", "pi"),
  symmetric = character(),
  indices = list(theta = c(1, 0), pi = c(0, 0)),
  transposed = c(theta = TRUE, pi = FALSE),
  gibbs = function(cells, factors, noise, prior, n, keep, watch = FALSE, reflect = REFLECT) {
    .Call(C_rc_blocks_gibbs, cells, factors, noise, prior, n, keep, watch, reflect, TRUE)
  },
  cavi = function(cells, q, prior, delta, n, tolerance, last, constant) {
    .Call(C_rc_blocks_cavi, cells, q, prior, delta, n, tolerance, last, constant, TRUE)
  },
  no_new_rows = paste(
    "A new actor is a new row and a new column: it changes what is known of all others.",
    "Fit the network again with the new actors in it; what is not known of them is NA."
  ),
  # Communities that talk among themselves: from a start without this leaning, chains end in poor
  # modes far more often (bench/starts.R).
  start = function(dim, k, level) {
    leaning <- 0.01 + 0.99 * diag(k)
    list(
      theta = matrix(stats::rgamma(k * dim[1], 1), k),
      pi = leaning * level / sum(leaning)
    )
  },
  search_rounds = 0,
  race = list(starts = 64, legs = c(1 / 32, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)),
  factor_dim = function(dim, k) list(theta = c(dim[1], k), pi = c(k, k)),
  mean = function(factors) {
    mu <- factors$theta %*% tcrossprod(factors$pi, factors$theta)
    diag(mu) <- NA
    mu
  },
  cell_mean = function(factors, cells) {
    sender <- (factors$theta %*% factors$pi)[cells[, 1], , drop = FALSE]
    mu <- rowSums(sender * factors$theta[cells[, 2], , drop = FALSE])
    mu[cells[, 1] == cells[, 2]] <- NA
    mu
  },
  row_totals = function(factors) {
    sender <- factors$theta %*% factors$pi
    as.vector(sender %*% colSums(factors$theta)) - rowSums(sender * factors$theta)
  },
  row_bounds = function(factors) {
    as.vector(factors$theta %*% factors$pi %*% apply(factors$theta, 2, max))
  },
  # the mean weight of an actor is 1; pi carries the counts
  normalise = function(factors) {
    scale <- colMeans(factors$theta)
    list(theta = sweep(factors$theta, 2, scale, `/`), pi = factors$pi * outer(scale, scale))
  },
  permute = function(factors, order) {
    list(
      theta = factors$theta[, order, drop = FALSE],
      pi = factors$pi[order, order, drop = FALSE]
    )
  },
  signature = function(factors) t(factors$theta),
  leading = "theta",
  size = function(factors) rowSums(factors$pi) + colSums(factors$pi)
)

# The same with a symmetric pi, of pairs i < j.
undirected_model <- utils::modifyList(blocks_model, list(
  label = "Undirected block model",
  network = "undirected",
  symmetric = "pi",
  gibbs = function(cells, factors, noise, prior, n, keep, watch = FALSE, reflect = REFLECT) {
    .Call(C_rc_blocks_gibbs, cells, factors, noise, prior, n, keep, watch, reflect, FALSE)
  },
  cavi = function(cells, q, prior, delta, n, tolerance, last, constant) {
    .Call(C_rc_blocks_cavi, cells, q, prior, delta, n, tolerance, last, constant, FALSE)
  },
  row_totals = function(factors) blocks_model$row_totals(factors) / 2
))

#' Communities in a private network
#'
#' Draws from the posterior of the Poisson block model, `mu[i, j] = sum_cd theta[i, c] pi[c, d]
#' theta[j, d]`, given counts of messages between actors, noised or not.
#'
#' @param data Counts, senders in rows and the same actors as recipients in columns: a
#'   [private_counts()], whose noise is modelled; or true counts: a square matrix or `Matrix`, an `igraph`,
#'   a `network`, a data frame of edges, or any other of the [objects that hold counts][data-objects]. The
#'   diagonal is not data. Cells that are `NA` are masked.
#' @param directed `FALSE` where counts belong to pairs of actors: the data are symmetric, each pair
#'   is taken once, and `pi` is symmetric. A release must then come of `privatize(directed = FALSE)`,
#'   or be declared so in [private_counts()]; all its rows have one `alpha`, and `dispersion_by` must be
#'   `"all"`.
#' @param k The number of communities, from 1 to 10,000.
#' @inheritParams topic_model
#' @return A fit, of classes `block_model` and `ldp_fit`; see [ldp_fit-methods]. Its factors are
#'   `theta` (actors x k) and `pi` (k x k, from the sender's community to the recipient's). The
#'   fit keeps the data that it was given.
#' @inheritSection topic_model Starts
#' @inheritSection topic_model Defaults
#' @inheritSection topic_model Reproducible
#' @inheritSection topic_model Variational inference
#' @inheritSection topic_model Warnings
#' @section Errors: of class `ldpcounts_error`, as [topic_model()], and for data that are not
#'   square, or not symmetric with `directed = FALSE`, and for an undirected release without it. A
#'   warning is issued when counts on the diagonal are left out (of a release: counts that are too large for
#'   noise alone), and when a symmetric network is given as directed.
#' @references Schein et al. (2019), *ICML*, sections 4 and 5; for the model, Schein, A., Zhou,
#'   M., Blei, D. and Wallach, H. (2016). Bayesian Poisson Tucker decomposition for learning the
#'   structure of international relations. *ICML*. The collapsed sampler is ours.
#' @examples
#' busiest <- order(-rowSums(enron_network))[1:40]
#' released <- privatize(enron_network[busiest, busiest], epsilon = 1)
#' fit <- block_model(released, k = 3, iter = 200)
#' fit
#' round(coef(fit)$pi, 2)
#' # messages between two actors, whoever wrote them
#' pairs <- (enron_network + t(enron_network))[busiest, busiest]
#' released <- privatize(pairs, epsilon = 1, directed = FALSE)
#' fit <- block_model(released, k = 3, iter = 200, directed = FALSE)
#' round(coef(fit)$pi, 2)
#' @export
block_model <- function(data, k, ..., directed = TRUE, family = c("nbinom1", "poisson"),
                        dispersion = NULL, dispersion_prior = beta_prior(),
                        dispersion_by = c("all", "row"), inference = c("gibbs", "cavi"),
                        noise = c("model", "ignore"), augmentation = c("collapsed", "bessel"),
                        prior = gamma_prior(0.3, rate = gamma_prior(1, 1)),
                        iter = 2000, warmup = floor(iter / 2), thin = NULL, chains = 4,
                        init = NULL, progress = interactive(), checkpoint = NULL) {
  check_no_dots(...)
  directed <- check_flag(directed, "directed")
  if (!directed && identical(dispersion_by, "row")) {
    ldp_abort(c(
      "{.arg dispersion_by} must be \"all\" with {.code directed = FALSE}.",
      i = "A count of a pair belongs to no one row."
    ), class = "ldpcounts_argument_error")
  }
  fit_model(
    if (directed) blocks_model else undirected_model, data, k,
    list(family, dispersion, dispersion_prior, dispersion_by), inference,
    noise, augmentation, prior, iter, warmup, thin, chains, init, progress, checkpoint,
    gibbs_only = c(warmup = !missing(warmup), thin = !missing(thin))
  )
}
