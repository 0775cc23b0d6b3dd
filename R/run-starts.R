# The start of a single chain: given factors, or random ones, which may be improved by a search.

start_chain <- function(task, level, start, stream) {
  made <- with_stream(stream, {
    if (is.list(start)) start else task$model$start(task$dim, task$k, level)
  })
  priors <- task$prior[task$model$factors]
  n_excess <- n_excess(task$family, task$dim[1])
  factors <- c(
    made$value, hyper_starts(priors),
    if (n_excess > 0 && is.null(made$value$excess)) {
      list(excess = matrix(start_excess(task$family, n_excess)))
    },
    if (!is.null(task$prior$groups)) list(groups = matrix(1, task$k, n_levels(task$prior$groups)))
  )
  list(factors = factors, noise = no_noise_yet(task), stream = made$stream)
}

# If a shape or rate is estimated in one prior, those of all priors are stored with the factors.
hyper_starts <- function(priors) {
  estimated <- unique(unlist(lapply(priors, estimated_in)))
  lapply(stats::setNames(nm = estimated), function(name) matrix(vapply(priors, hyper_start, 0, name)))
}

# The noise of the Bessel augmentation before the first sweep.
no_noise_yet <- function(task) {
  if (task$bessel) {
    none <- numeric(if (is.null(task$shards)) length(task$cells$y_tilde) else sum(task$shards$cells))
    list(g1 = none, g2 = none)
  }
}

# A random start, improved by a search for models with `search_rounds`. In each round its components are
# redrawn one by one, the smallest first, and a new component is kept if the log density is higher after some
# sweeps. This helps because a chain seldom leaves a mode in which two components share the counts of one true
# component, and another is missing; a redrawn component can find the missing one (bench/tensors.R).
settled_start <- function(task, level, stream) {
  chain <- start_chain(task, level, NULL, stream)
  rounds <- seq_len(max(task$model$search_rounds, 0))
  if (task$k == 1 || length(rounds) == 0) {
    return(chain)
  }
  chain <- settle(chain, task)
  for (round in rounds) {
    for (component in utils::head(order(component_sizes(chain, task)), MOST_REDRAWN)) {
      tried <- settle(redraw_component(chain, component, task, level), task)
      if (tried$log_density_now <= chain$log_density_now) tried <- replace(chain, "stream", tried["stream"])
      chain <- tried
    }
  }
  chain_parts(chain)
}

MOST_REDRAWN <- 8L # per round

# Runs some sweeps. The first use priors with a larger shape, which spread weights more evenly: with a small
# shape, each count would be assigned to a single component too early.
settle <- function(chain, task) {
  spread <- task
  for (name in task$model$factors) {
    spread$prior[[name]]$shape <- max(hyper_start(task$prior[[name]], "shape"), SETTLE_SHAPE)
  }
  chain <- advance_chain(chain, spread, SETTLE_SWEEPS[["spread"]], integer(), FALSE)$chain
  ran <- advance_chain(chain, task, SETTLE_SWEEPS[["own"]], integer(), TRUE)
  c(ran$chain, ran["log_density_now"])
}

SETTLE_SWEEPS <- c(spread = 20L, own = 10L)
SETTLE_SHAPE <- 3

redraw_component <- function(chain, component, task, level) {
  fresh <- start_chain(task, level, NULL, chain$stream)
  for (name in task$model$factors) {
    chain$factors[[name]][component, ] <- fresh$factors[[name]][component, ]
  }
  replace(chain, "stream", fresh["stream"])
}

# The total of mu per component, including the diagonal of a network.
component_sizes <- function(chain, task) {
  Reduce(`*`, lapply(chain$factors[task$model$factors], rowSums))
}
