# The topic model, in the form described in R/model-interface.R. topic_model() is in R/infer-topic_model.R.

# The Poisson topic model, mu_dv = sum_k theta_dk phi_kv.
topics_model <- list(
  name = "topic_model",
  label = "Topic model",
  component = "topic",
  n_modes = 2,
  network = "none",
  by_columns = TRUE,
  factors = c("theta", "phi"),
  indices = list(theta = c(1, 0), phi = c(0, 2)),
  transposed = c(theta = TRUE, phi = FALSE),
  gibbs = function(...) .Call(C_rc_topics_gibbs, ..., n_threads()),
  shard = function(...) .Call(C_rc_topics_shard, ..., n_threads()),
  cavi = function(...) .Call(C_rc_topics_cavi, ..., n_threads()),
  svi = function(...) .Call(C_rc_topics_svi, ..., n_threads()),
  gibbs_rows = function(cells, chains, prior, n, reflect) {
    ran <- .Call(C_rc_topics_documents, cells, chains, prior, n, reflect, n_threads())
    lapply(ran, `[[`, "factors")
  },
  start = function(dim, k, level) {
    scale <- sqrt(level / k)
    list(
      theta = matrix(stats::rgamma(k * dim[1], 1) * scale, k),
      phi = matrix(stats::rgamma(k * dim[2], 1) * scale, k)
    )
  },
  race = list(starts = 4, legs = c(1 / 8, 1 / 4)),
  factor_dim = function(dim, k) list(theta = c(dim[1], k), phi = c(k, dim[2])),
  mean = function(factors) factors$theta %*% factors$phi,
  cell_mean = function(factors, cells) {
    rowSums(factors$theta[cells[, 1], , drop = FALSE] * t(factors$phi)[cells[, 2], , drop = FALSE])
  },
  row_totals = function(factors) as.vector(factors$theta %*% rowSums(factors$phi)),
  row_bounds = function(factors) as.vector(factors$theta %*% apply(factors$phi, 1, max)),
  # rows of phi sum to 1 (distributions over words); theta has the scale of the counts
  normalise = function(factors) {
    scale <- rowSums(factors$phi)
    list(theta = sweep(factors$theta, 2, scale, `*`), phi = factors$phi / scale)
  },
  permute = function(factors, order) {
    list(theta = factors$theta[, order, drop = FALSE], phi = factors$phi[order, , drop = FALSE])
  },
  signature = function(factors) factors$phi,
  leading = "phi",
  size = function(factors) colSums(factors$theta)
)
