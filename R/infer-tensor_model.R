# tensor_model(); the model itself is in R/model-tensor.R.

#' Components of private tensors
#'
#' Draws from the posterior of Poisson tensor factorization, `mu[i, j, ..., l] = sum_k theta1[i, k]
#' theta2[j, k] ... thetaM[l, k]`, given counts with two modes or more, noised or not: who wrote to whom
#' and when, say.
#'
#' @param data Counts of any number of modes, from two to twelve: a [private_counts()], whose noise is
#'   modelled; or true counts, an array, a data frame with a row per cell, a column for each mode, and last
#'   the count, or any other of the [objects that hold counts][data-objects]. Cells that a data frame does
#'   not list are zeros. The first mode is that of the records: a noise level, and with `dispersion_by =
#'   "row"` a dispersion, belongs to an index of it. Cells that are `NA` are masked.
#' @param k The number of components, from 1 to 10,000.
#' @param dims For a data frame: the extents of all modes. `NULL` where all modes are factors, whose levels
#'   say them; a mode that is none holds numbers from 1 to its extent. They are no secret: an index that
#'   no cell has must be among them all the same.
#' @inheritParams topic_model
#' @details
#' A matrix is the case of two modes: [topic_model()] is the same model, with `theta1` as `theta` and
#' `theta2` as the transpose of `phi`, and gives the same posterior. A data frame with two modes is a
#' sparse matrix.
#'
#' The posterior of a tensor has modes that a chain seldom leaves, where two components share what one
#' explains, and another is missed. So a chain that is not given its start (`init`) searches for one before
#' its first sweep is counted: after 30 sweeps each component (of more than eight the smallest) is drawn
#' anew, twice round, and what 30 sweeps make of it is kept if the log density is higher. (Tensors of two
#' modes begin at random, as [topic_model()].) The short run of Gibbs that a start of `inference = "cavi"` is
#' does the same. Of planted tensors of 30 x 25 x 20 x 4 (`k = 4`, mean count 1, `epsilon` of 1) the Poisson
#' KL of `fitted()` was 0.010 to 0.012 by Gibbs in 15 runs of 15, 0.015 to 0.021 by variational inference in
#' 9 of 9, and 0.29 to 0.35 with `noise = "ignore"`; single random starts mostly end at 0.1 to 0.6
#' (`bench/tensors.R` in the sources). Several chains tell whether they agree all the same.
#'
#' A sweep or a pass costs what the positive and the missing cells cost, times the number of modes. The
#' extents of all modes but the first must multiply to less than 2^31.
#' @return A fit, of class `c("tensor_model", "ldp_fit_gibbs", "ldp_fit")` (or `"ldp_fit_cavi"`); see
#'   [ldp_fit-methods]. Its factors are `theta1` (extent of the first mode x k), `theta2` and so on. The fit
#'   keeps the data that it was given, a data frame as a table of its cells.
#' @inheritSection topic_model Starts
#' @inheritSection topic_model Defaults
#' @inheritSection topic_model Reproducible
#' @inheritSection topic_model Variational inference
#' @inheritSection topic_model Warnings
#' @section Errors: of class `ldpcounts_error`, as [topic_model()]; and for a data frame whose modes are
#'   neither factors, nor text, nor whole numbers within `dims`.
#' @references Schein, A., Wu, Z. S., Schofield, A., Zhou, M. and Wallach, H. (2019). Locally private
#'   Bayesian inference for count models. *ICML*, section 3, for the class of models. Schein, A., Paisley,
#'   J., Blei, D. and Wallach, H. (2015). Bayesian Poisson tensor factorization for inferring multilateral
#'   relations from sparse dyadic event counts. *KDD*, equation 1, for this one. The collapsed sampler
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
tensor_model <- model_function(function(data, k, ..., dims = NULL) {
  check_no_dots(...)
  # what has fewer modes than two is refused as a matrix is
  fit_model(function(data) tensor_of(max(2, length(dim(data)))))
})
