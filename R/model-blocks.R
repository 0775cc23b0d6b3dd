# The block models of directed and undirected networks, in the form described in R/model-interface.R.
# block_model() is in R/infer-block_model.R.

# The Poisson block model, mu_ij = sum_cd theta_ic pi_cd theta_jd, i != j.
blocks_model <- list(
  name = "block_model",
  label = "Block model",
  component = "community",
  n_modes = 2,
  network = "directed",
  by_columns = TRUE,
  factors = c("theta", "pi"),
  indices = list(theta = c(1, 0), pi = c(0, 0)),
  transposed = c(theta = TRUE, pi = FALSE),
  gibbs = function(...) .Call(C_rc_blocks_gibbs, ..., TRUE, n_threads()),
  cavi = function(...) .Call(C_rc_blocks_cavi, ..., TRUE, n_threads()),
  no_new_rows = paste(
    "New actors have a new row and a new column, so they change the estimates for all actors.",
    "Fit the network again with the new actors, and set counts that are not known to NA."
  ),
  # Starts with most messages inside communities: from other starts, chains end in poor modes far more
  # often (bench/starts.R).
  start = function(dim, k, level) {
    leaning <- 0.01 + 0.99 * diag(k)
    list(
      theta = matrix(stats::rgamma(k * dim[1], 1), k),
      pi = leaning * level / sum(leaning)
    )
  },
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
  # scales theta so that the mean weight of actors is 1; pi gets the scale of the counts
  normalise = function(factors) {
    scale <- colMeans(factors$theta)
    list(theta = sweep(factors$theta, 2, scale, `/`), pi = factors$pi * outer(scale, scale))
  },
  permute = function(factors, order) {
    list(theta = factors$theta[, order, drop = FALSE], pi = factors$pi[order, order, drop = FALSE])
  },
  signature = function(factors) t(factors$theta),
  leading = "theta",
  size = function(factors) rowSums(factors$pi) + colSums(factors$pi)
)

# The same for pairs i < j, with a symmetric pi.
undirected_model <- utils::modifyList(blocks_model, list(
  label = "Undirected block model",
  network = "undirected",
  symmetric = "pi",
  gibbs = function(...) .Call(C_rc_blocks_gibbs, ..., FALSE, n_threads()),
  cavi = function(...) .Call(C_rc_blocks_cavi, ..., FALSE, n_threads()),
  row_totals = function(factors) blocks_model$row_totals(factors) / 2
))
