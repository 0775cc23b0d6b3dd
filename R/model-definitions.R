# Models: what a model is, and the topic model, the block models and the tensor models. (A user's own model is
# in R/model-custom.R.) A model is a list with the fields
#
#   name, label     its class, and its name in the output of print()
#   component       the word for one of its k components
#   n_modes         the number of modes of its data (two are rows and columns)
#   network         which cells of the table are its data, one of NETWORKS
#   factors         names of its factors, in the order of its priors
#   indices         what the two margins of each factor are: the number of a mode, or 0 for components
#   symmetric       which of the factors are symmetric matrices, if any
#   transposed      which factors are stored as the transpose of what is shown to users. Factors are stored in
#                   the layout of the kernels, with the components of a row next to each other
#   factor_dim      function(dim, k): list of the dimensions of each factor, as shown to users
#   by_columns      does its kernel need cells by column too?
#   cells           if `gibbs` has no kernel, function(input): the input of `gibbs` instead of cells; its log
#                   densities then include all terms
#   gibbs           function(cells, chains, prior, n, keep, watch, reflect): runs n sweeps of each chain, see
#                   rc_run() in src/rc.h. A chain is a list of factors, noise and seeds (sweep_seeds()), or of
#                   factors and `stream` if `gibbs` draws with R's generator
#   shard           the same for a shard of the rows, see src/rc_shard.c; absent if rows cannot be divided
#   gibbs_rows      function(cells, chains, prior, n, reflect): n sweeps of the first factor (that of the
#                   rows) and of their excess, with the other factors and the rates fixed; returns the
#                   factors of each chain
#   no_new_rows     if there is no gibbs_rows, a sentence that says what to do about new rows
#   cavi            function(cells, q, prior, delta, n, tolerance, last, log_constant): runs iterations of
#                   variational inference, see R/infer-cavi.R and src/rc_cavi.c
#   svi             function(cells, q, prior, levels, n_rows, settle, rho): a step with a batch of rows, see
#                   R/infer-svi.R and src/rc_svi.c; only topics have it
#   start           function(dim, k, mean_count): starting values of the factors, for a mean of about `mean_count`
#   race            how chains start: the number of `starts` of a race, and the lengths of its `legs`
#                   (stages), as shares of the warmup, see R/run-starts.R
#   search_rounds   number of rounds of the search for a better start, see settled_start(); may be absent
#   mean            function(factors): mu, in the shape of the data, from factors as shown to users
#   cell_mean       function(factors, cells): the same for cells given as pairs of a row and a column of the
#                   table (R/data-table.R)
#   row_totals      function(factors): the sums of mu over each row (label-invariant)
#   row_bounds      function(factors): an upper bound of mu for each row
#   normalise       function(factors): the same model with a standard scale of each factor
#   permute         function(factors, order): the components in another order
#   signature       function(factors): a matrix whose k rows identify the components
#   leading         the factors whose largest weights are used to describe a component
#   size            function(factors): the total expected count of each component

# What is fitted, which a fit keeps (see new_fit() in R/fit-class.R).
#
#   model        see above
#   data         as given_counts() returns them, or files (release_shards())
#   dim          the extents of the data
#   k            the number of components
#   family       of new_family()
#   noise        "model" or "ignore"
#   inference    "gibbs", "cavi" or "svi"
#   scheme       "collapsed", "tokens", "bessel" or "delta"; "auto" until choose_scheme() has chosen one
#   private      are the data a release?
#   prior        of new_priors()
#   step         of private_gibbs(): the user's function,
#   labels       and labels of the numbers in its state
#   labelled     the user's names of components, see label_components()
new_task <- function(model, data, dim, k, family, noise, inference, scheme, private, prior, step = NULL,
                     labels = NULL, labelled = NULL) {
  Filter(Negate(is.null), list(
    model = model, data = data, dim = dim, k = k, family = family, noise = noise, inference = inference,
    scheme = scheme, private = private, prior = prior, step = step, labels = labels, labelled = labelled
  ))
}

# The shapes, as stored, of everything that is kept of a sweep. `task`: a task, or a sampler (R/model-data.R).
kept_shapes <- function(task) {
  model <- task$model
  shapes <- model$factor_dim(task$dim, task$k)[model$factors]
  transposed <- unlist(model$transposed[model$factors])
  shapes[transposed] <- lapply(shapes[transposed], rev)
  n <- n_excess(task$family, task$dim)
  groups <- task$prior$groups
  c(
    shapes, lapply(hyper_starts(task$prior[model$factors]), dim), if (n > 0) list(excess = c(n, 1)),
    if (is_by_column(task$family)) list(pool = c(2, 1)),
    if (!is.null(groups)) list(groups = c(task$k, n_levels(groups)))
  )
}

# Are its sweeps compiled?
has_kernel <- function(model) is.null(model$cells)

# Converts a factor, or its shape, between the stored form and the form shown to users, in both directions.
turn <- function(model, name, x) if (model$transposed[[name]]) t(x) else x

# The number of values in all factors.
n_weights <- function(task) sum(vapply(task$model$factor_dim(task$dim, task$k), prod, 0))

# --- topics ---------------------------------------------------------------------------------------

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
  gibbs = function(cells, chains, prior, n, keep, watch, reflect) {
    .Call(C_rc_topics_gibbs, cells, chains, prior, n, keep, watch, reflect, n_threads())
  },
  shard = function(opened, whole, prior, n, keep, watch, reflect) {
    .Call(C_rc_topics_shard, opened, whole, prior, n, keep, watch, reflect, n_threads())
  },
  cavi = function(cells, q, prior, delta, n, tolerance, last, log_constant) {
    .Call(C_rc_topics_cavi, cells, q, prior, delta, n, tolerance, last, log_constant, n_threads())
  },
  svi = function(cells, q, prior, levels, n_rows, settle, rho) {
    .Call(C_rc_topics_svi, cells, q, prior, levels, n_rows, settle, rho, n_threads())
  },
  gibbs_rows = function(cells, chains, prior, n, reflect) {
    ran <- .Call(C_rc_topics_documents, cells, chains, prior, n, reflect, n_threads())
    lapply(ran, `[[`, "factors")
  },
  start = function(dim, k, mean_count) {
    scale <- sqrt(mean_count / k)
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

# --- networks -------------------------------------------------------------------------------------

# The Poisson block model, mu_ij = sum_cd theta_ic pi_cd theta_jd, for all i != j, or for pairs i < j with a
# symmetric pi.
block_model_of <- function(directed) {
  list(
    name = "block_model",
    label = if (directed) "Block model" else "Undirected block model",
    component = "community",
    n_modes = 2,
    network = if (directed) "directed" else "undirected",
    by_columns = TRUE,
    factors = c("theta", "pi"),
    symmetric = if (!directed) "pi",
    indices = list(theta = c(1, 0), pi = c(0, 0)),
    transposed = c(theta = TRUE, pi = FALSE),
    gibbs = function(cells, chains, prior, n, keep, watch, reflect) {
      .Call(C_rc_blocks_gibbs, cells, chains, prior, n, keep, watch, reflect, directed, n_threads())
    },
    cavi = function(cells, q, prior, delta, n, tolerance, last, log_constant) {
      .Call(C_rc_blocks_cavi, cells, q, prior, delta, n, tolerance, last, log_constant, directed, n_threads())
    },
    no_new_rows = paste(
      "New actors have a new row and a new column, so they change the estimates for all actors.",
      "Fit the network again with the new actors, and set counts that are not known to NA."
    ),
    # Starts with most messages inside communities: from other starts, chains end in poor modes far more
    # often (bench/starts.R).
    start = function(dim, k, mean_count) {
      leaning <- 0.01 + 0.99 * diag(k)
      list(theta = matrix(stats::rgamma(k * dim[1], 1), k), pi = leaning * mean_count / sum(leaning))
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
      totals <- as.vector(sender %*% colSums(factors$theta)) - rowSums(sender * factors$theta)
      totals / if (directed) 1 else 2
    },
    row_bounds = function(factors) as.vector(factors$theta %*% factors$pi %*% apply(factors$theta, 2, max)),
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
}

blocks_model <- block_model_of(TRUE)
undirected_model <- block_model_of(FALSE)

# --- tensors --------------------------------------------------------------------------------------

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
    shard = function(opened, whole, prior, n, keep, watch, reflect) {
      .Call(C_rc_tensor_shard, opened, whole, prior, n, keep, watch, reflect, n_threads())
    },
    cavi = function(cells, q, prior, delta, n, tolerance, last, log_constant) {
      .Call(C_rc_tensor_cavi, cells, q, prior, delta, n, tolerance, last, log_constant, n_threads())
    },
    start = function(dim, k, mean_count) {
      scale <- (mean_count / k)^(1 / n_modes)
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
