# The tensor model for any number of modes, in the form described in R/model-interface.R. tensor_model() is in
# R/infer-tensor_model.R.

# Poisson tensor factorization with M = n_modes modes, mu_i1..iM = sum_k theta1_i1k theta2_i2k .. thetaM_iMk.
tensor_of <- function(n_modes) {
  names <- paste0("theta", seq_len(n_modes))
  modes <- stats::setNames(seq_len(n_modes), names)
  list(
    name = "tensor_model",
    label = "Tensor model",
    component = "component",
    n_modes = n_modes,
    network = "none",
    by_columns = FALSE,
    factors = names,
    indices = lapply(modes, function(mode) c(mode, 0)),
    transposed = vapply(modes, function(mode) TRUE, TRUE),
    gibbs = function(cells, chains, prior, n, keep, watch, reflect) {
      .Call(C_rc_tensor_gibbs, cells, chains, prior, n, keep, watch, reflect, n_threads())
    },
    cavi = function(cells, q, prior, delta, n, tolerance, last, constant) {
      .Call(C_rc_tensor_cavi, cells, q, prior, delta, n, tolerance, last, constant, n_threads())
    },
    start = function(dim, k, level) {
      scale <- (level / k)^(1 / n_modes)
      lapply(modes, function(mode) matrix(stats::rgamma(k * dim[mode], 1) * scale, k))
    },
    no_new_rows = "Fit the model again, with the counts of the new indices in the data.",
    search_rounds = if (n_modes > 2) 2,
    # a search for poor components gives better starts than a race, in less time (bench/MOVES.md)
    race = if (n_modes == 2) topics_model$race,
    factor_dim = function(dim, k) lapply(modes, function(mode) c(dim[mode], k)),
    mean = function(factors) {
      mu <- tcrossprod(factors[[1]], Reduce(column_products, factors[-1]))
      array(mu, vapply(factors, nrow, 0L, USE.NAMES = FALSE))
    },
    cell_mean = function(factors, cells) {
      index <- unfold_cells(cells, vapply(factors, nrow, 0L))
      weights <- lapply(seq_along(factors), function(mode) {
        factors[[mode]][index[, mode], , drop = FALSE]
      })
      rowSums(Reduce(`*`, weights))
    },
    row_totals = function(factors) times_rest(factors, colSums),
    row_bounds = function(factors) times_rest(factors, function(x) apply(x, 2, max)),
    # columns of all factors except the last sum to 1; the last has the scale of the counts
    normalise = function(factors) {
      scale <- lapply(factors[-n_modes], colSums)
      factors[-n_modes] <- Map(function(x, by) sweep(x, 2, by, `/`), factors[-n_modes], scale)
      factors[[n_modes]] <- sweep(factors[[n_modes]], 2, Reduce(`*`, scale), `*`)
      factors
    },
    permute = function(factors, order) lapply(factors, function(x) x[, order, drop = FALSE]),
    # all factors as shares, with columns that sum to 1
    signature = function(factors) do.call(cbind, lapply(factors, function(x) t(x) / colSums(x))),
    leading = names,
    size = function(factors) colSums(factors[[n_modes]])
  )
}

# The products of the rows of two factors; the row of the first changes fastest.
column_products <- function(x, y) {
  x[rep(seq_len(nrow(x)), nrow(y)), , drop = FALSE] * y[rep(seq_len(nrow(y)), each = nrow(x)), , drop = FALSE]
}

# theta1 times the product, per component, of `summary` of the columns of the other factors.
times_rest <- function(factors, summary) {
  as.vector(factors[[1]] %*% Reduce(`*`, lapply(factors[-1], summary)))
}
