# tensor_model(); the model itself is in R/model-tensor.R.

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
#'   counts][data-objects]. The first mode contains the records: each of its indices has its own noise level and,
#'   with `dispersion_by = "row"`, its own dispersion. Cells that are `NA` are masked, that is, treated as
#'   not observed.
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
#' @section Errors: An error of class `ldpcounts_error` is thrown in the same cases as by [topic_model()],
#'   and for a data frame if a column of a mode is not a factor, text, or whole numbers within `dims`.
#' @references Schein, A., Wu, Z. S., Schofield, A., Zhou, M. and Wallach, H. (2019). Locally private
#'   Bayesian inference for count models. *ICML*, section 3, for the class of models. Schein, A., Paisley,
#'   J., Blei, D. and Wallach, H. (2015). Bayesian Poisson tensor factorization for inferring multilateral
#'   relations from sparse dyadic event counts. *KDD*, equation 1, for this model. The collapsed sampler
#'   and the collapsed bound are new in this package.
#' @examples
#' set.seed(1)
#' theta <- lapply(c(12, 10, 6), function(n) matrix(rgamma(n * 2, 0.5), n))
#' mu <- outer(outer(theta[[1]][, 1], theta[[2]][, 1]), theta[[3]][, 1]) +
#'   outer(outer(theta[[1]][, 2], theta[[2]][, 2]), theta[[3]][, 2])
#' y <- array(rpois(length(mu), 3 * mu), dim(mu))
#' released <- privatize(y, epsilon = 1)
#' fit <- tensor_model(released, k = 2, iter = 200)
#' fit
#' mae(fitted(fit), y)
#' # the same counts as a list of cells
#' cells <- data.frame(which(y > 0, arr.ind = TRUE), count = y[y > 0])
#' fit <- tensor_model(privatize(cells, epsilon = 1, dims = dim(y)), k = 2, iter = 200)
#' @export
tensor_model <- function(data, k, ..., family = c("nbinom1", "poisson"), dispersion = NULL,
                         dispersion_prior = beta_prior(), dispersion_by = c("all", "row"),
                         prior = gamma_prior(0.3, rate = gamma_prior(1, 1)), groups = NULL,
                         noise = c("model", "ignore"), inference = gibbs(), id = NULL, dims = NULL) {
  call <- rlang::current_env()
  check_given(missing(data), "data", call)
  refuse_formula(data, "data", call)
  check_given(missing(k), "k", call)
  dots <- named_dots(..., arguments = c(formals(tensor_model), formals(gibbs)), call = call)
  inference <- as_inference(inference, dots, c("gibbs", "cavi"), names(formals(tensor_model)), call)
  data <- given_counts(data, "data", id, dims, directed = TRUE, call = call)
  # data with fewer than two modes give the same error as with a matrix
  fit_model(tensor_of(max(2, length(dim(data)))), data, k,
    family = check_family(family, dispersion, dispersion_prior, dispersion_by, inference$scheme, FALSE, call),
    prior = prior, groups = groups, noise = noise, inference = inference, call = call
  )
}
