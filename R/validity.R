# Objects that claim to be of a class, and may have been edited by hand, damaged, or made by something
# else. Kernels, and compiled code of other packages, read them without looking: so they are checked here,
# at the door, before anything else is done with them.

# --- matrices -----------------------------------------------------------------------------------

# TRUE, or what is wrong: slots of a Matrix that contradict each other make package Matrix read what is
# not there.
slots_agree <- function(x) tryCatch(methods::validObject(x, test = TRUE), error = conditionMessage)

abort_invalid <- function(x, arg, call) {
  ldp_abort("{.arg {arg}} must be a valid {.cls {class(x)[1]}}, and is not: it has been edited or damaged.",
    class = "ldpcounts_argument_error", call = call
  )
}

check_valid_matrix <- function(x, arg, call) {
  problem <- slots_agree(x)
  if (!isTRUE(problem)) {
    ldp_abort(c("{.arg {arg}} must be a valid {.cls {class(x)[1]}}.", x = "{problem[1]}."),
      class = "ldpcounts_argument_error", call = call
    )
  }
  check_extent_memory(dim(x), arg, call)
}

# What rows and columns take, also where they are empty: about so many bytes each, in labels, sums and
# indices.
BYTES_PER_LINE <- 64

fits_in_memory <- function(dim, free = memory_free()) {
  is_affordable(BYTES_PER_LINE * sum(as.double(dim)), free)
}

check_extent_memory <- function(dim, arg, call, free = memory_free()) {
  if (!fits_in_memory(dim, free)) {
    ldp_abort(c(
      "{.arg {arg}} has too many rows and columns to be held in memory.",
      x = "It is {paste(dim, collapse = ' x ')}."
    ), class = "ldpcounts_memory_error", call = call)
  }
}

# Package slam's: a place and a value per entry.
check_valid_triplet <- function(x, arg, call) {
  places <- function(at, n) {
    is.numeric(at) && length(at) == length(x$v) && all(is_whole(at) & at >= 1 & at <= n)
  }
  extent <- function(n) is_number(n) && is_whole(n) && n >= 0 && n <= .Machine$integer.max
  valid <- extent(x$nrow) && extent(x$ncol) && places(x$i, x$nrow) && places(x$j, x$ncol) &&
    (is.null(x$dimnames) || is_labels(x$dimnames, c(x$nrow, x$ncol)))
  if (!isTRUE(valid)) {
    abort_invalid(x, arg, call)
  }
  check_extent_memory(c(x$nrow, x$ncol), arg, call)
}

# --- releases -----------------------------------------------------------------------------------

# The fields of what claims to be a release, in the present format.
validate_private_counts <- function(fields, call = NULL) {
  counts <- fields$counts
  n_row <- if (is_table(counts)) nrow(counts)
  per_row <- function(x, allowed) {
    is.numeric(x) && length(x) %in% c(1, n_row) && all(allowed(x))
  }
  has_level <- function(x) is.na(x) | (x >= 1 & x <= 2^31 & is_whole(x))
  holds <- c(
    counts = !is.null(n_row),
    alpha = per_row(fields$alpha, function(x) !is.na(x) & x >= 0 & x < 1),
    epsilon = per_row(fields$epsilon, function(x) !is.na(x) & x > 0),
    precision = per_row(fields$precision, function(x) is.finite(x) & x > 0),
    s = per_row(fields$s, has_level), t = per_row(fields$t, has_level),
    rng = rlang::is_string(fields$rng, c("secure", "R", "external", "mixed")),
    clamped = rlang::is_bool(fields$clamped) && fields$clamped == !is.null(fields$below),
    directed = rlang::is_bool(fields$directed),
    below = is.null(fields$below) || is_below(fields$below, n_row),
    columns = is.null(fields$columns) || is_columns(fields$columns, ncol(counts))
  )
  if (!all(holds)) {
    ldp_abort(c(
      "This is not a valid {.cls private_counts}: it has been edited or damaged.",
      x = "Field {.field {names(holds)[!holds][1]}} is not what {.fn private_counts} accepts."
    ), class = "ldpcounts_argument_error", call = call)
  }
  invisible(fields)
}

# A base matrix of numbers, or a valid dgCMatrix.
is_table <- function(x) {
  if (methods::is(x, "dgCMatrix")) {
    return(isTRUE(slots_agree(x)))
  }
  is.matrix(x) && is.numeric(x) && !is.object(x)
}

# Counts and sums per row, NA where they are not known.
is_below <- function(below, n_row) {
  per_row <- function(x) is.numeric(x) && length(x) == n_row && all(is.na(x) | (is.finite(x) & x >= 0))
  is.list(below) && per_row(below$cells) && per_row(below$size)
}

# How the columns of a table fold up into modes.
is_columns <- function(columns, n_column) {
  dim <- if (is.list(columns)) columns$dim
  is.numeric(dim) && length(dim) >= 1 && !anyNA(dim) && all(dim >= 0) &&
    prod(as.double(dim)) == n_column && is.list(columns$labels) && is_labels(columns$labels, dim) &&
    (is.null(columns$titles) || (is.character(columns$titles) && length(columns$titles) == length(dim) + 1))
}

# What a data frame of cells with more than two modes becomes (R/modes.R).
is_count_table <- function(x) {
  parts <- unclass(x)
  is.list(parts) && is_table(parts$counts) && is_columns(parts$columns, ncol(parts$counts))
}

# --- fits ---------------------------------------------------------------------------------------

# What an edited fit, or the file of a checkpoint, meets: `part` is the first that is wrong. src/rc_check.c
# calls it too.
abort_damaged <- function(part, call = NULL) {
  ldp_abort(c(
    "This fit has been edited or damaged.",
    x = "Field {.field {part}} is not as a run makes it.",
    i = "Fit the model again, or read the fit again from where it was saved."
  ), class = "ldpcounts_fit_error", call = call)
}

# At the door of every method for fits: what they read is there, of the right type and size, and finite.
# No copy is made of draws, of which there may be gigabytes.
check_fit <- function(fit, call = rlang::caller_env()) {
  check_parts(fit, if (is_cavi(fit)) FIT_PARTS else FIT_PARTS[names(FIT_PARTS) != "best"], call)
}

check_own_fit <- function(fit, call = rlang::caller_env()) check_parts(fit, OWN_FIT_PARTS, call)

check_parts <- function(fit, parts, call) {
  check_version(if (is.list(fit)) unclass(fit)[["version"]], "a fit", FIT_VERSION)
  for (part in names(parts)) {
    holds <- tryCatch(parts[[part]](fit), error = function(failure) FALSE)
    if (!isTRUE(holds)) abort_damaged(part, call)
  }
  invisible(fit)
}

# Parts may be absent where `fit` is of an older format than the one that brought them. The order matters:
# each is read by those after it.
FIT_PARTS <- list(
  class = function(fit) is.list(fit) && class(fit)[1] %in% c("topic_model", "block_model", "tensor_model"),
  data = function(fit) {
    n <- length(dim(fit$data))
    is_data_of_fit(fit$data) && all(dim(fit$data) >= 1) && n >= 2 && n <= MOST_MODES &&
      (n == 2 || class(fit)[1] == "tensor_model") &&
      (!is_network(fit) || dim(fit$data)[1] == dim(fit$data)[2])
  },
  k = function(fit) is_count(fit$k, 1, 10000),
  family = function(fit) (is.null(fit$family) && fit$version < 3) || is_family(fit$family),
  noise = function(fit) rlang::is_string(fit$noise, c("model", "ignore")),
  augmentation = function(fit) rlang::is_string(fit$augmentation, c("collapsed", "bessel", "delta")),
  private = function(fit) identical(fit$private, inherits(fit$data, "private_counts")),
  directed = function(fit) (is.null(fit$directed) && fit$version < 3) || rlang::is_bool(fit$directed),
  prior = function(fit) {
    factors <- model_of(fit)$factors
    all(vapply(fit$prior[factors], is_gamma_prior, TRUE)) && all(factors %in% names(fit$prior)) &&
      setequal(names(fit$prior), c(factors, if (is_estimated(family_of(fit))) "dispersion"))
  },
  inference = function(fit) is.null(fit$inference) || is_cavi(fit),
  run = function(fit) is_run(fit$run) && (!is_cavi(fit) || is_count(fit$run$starts, 1)),
  seconds = function(fit) is_plain_number(fit$seconds) && fit$seconds >= 0,
  draws = function(fit) are_draws(fit$draws, task_of_fit(fit), dim(fit$data), n_draws(fit)),
  log_density = function(fit) {
    is_cavi(fit) || (is.null(fit$log_density) && fit$version < 2) ||
      (is.double(fit$log_density) && has_dim(fit$log_density, c(fit$run$kept, fit$run$chains)) &&
        (isTRUE(fit$run$provisional) || are_numbers(fit$log_density, dim(fit$log_density))))
  },
  chains = function(fit) {
    n <- if (is_cavi(fit)) fit$run$starts else fit$run$chains
    (is.null(fit$chains) && fit$version < 2) ||
      (is.list(fit$chains) && length(fit$chains) == n &&
        all(vapply(fit$chains, is_chain, TRUE, task_of_fit(fit), dim(fit$data))))
  },
  race = function(fit) is.null(fit$race) || is_race(fit$race, fit$run, task_of_fit(fit), dim(fit$data)),
  modes = function(fit) is.null(fit$modes) || is_modes(fit$modes, n_draws(fit)),
  best = function(fit) is_count(fit$best, 1, length(fit$chains)) && !has_failed(fit$chains[[fit$best]])
)

# What the scores read of a fit of dp_lda_vi() or dp_lda_spectral().
check_central_fit <- function(fit, call) {
  k <- if (is.list(fit)) ncol(fit$mu)
  holds <- c(
    mu = is.matrix(fit$mu) && is.numeric(fit$mu) && length(fit$mu) > 0 && all(is.finite(fit$mu)),
    alpha = is.numeric(fit$alpha) && length(fit$alpha) == k && all(is.finite(fit$alpha) & fit$alpha >= 0)
  )
  if (!all(holds)) abort_damaged(names(holds)[!holds][1], call)
}

OWN_FIT_PARTS <- list(
  data = function(fit) is_data_of_fit(fit$data) && length(dim(fit$data)) == 2 && all(dim(fit$data) >= 1),
  private = FIT_PARTS$private,
  step = function(fit) is.function(fit$step),
  noise = function(fit) identical(fit$noise, "model"),
  run = FIT_PARTS$run,
  seconds = FIT_PARTS$seconds,
  labels = function(fit) is.character(fit$labels),
  draws = function(fit) {
    is.double(fit$draws$numbers) && has_dim(fit$draws$numbers, c(length(fit$labels), 1, n_draws(fit)))
  },
  log_density = FIT_PARTS$log_density,
  chains = function(fit) {
    n <- length(fit$labels)
    is.list(fit$chains) && length(fit$chains) == fit$run$chains && all(vapply(fit$chains, function(chain) {
      factors <- chain$factors
      is_stream(chain$stream) && is.double(factors$numbers) && has_dim(factors$numbers, c(n, 1)) &&
        are_numbers(factors$mu, dim(fit$data), .Machine$double.xmin) &&
        (identical(factors$total, 0) || are_numbers(factors$total, dim(fit$data), 0)) &&
        is_number(factors$sweep) && is_number(factors$chain)
    }, TRUE))
  }
)

is_data_of_fit <- function(x) {
  if (inherits(x, "private_counts")) {
    is.list(fields_of(x))
  } else if (inherits(x, "count_table")) {
    is_count_table(x)
  } else {
    is_table(x) || is_tensor_array(x)
  }
}

is_family <- function(family) {
  is.list(family) && if (identical(family$name, "poisson")) {
    length(family) == 1
  } else {
    identical(family$name, "nbinom1") && if (is.null(family$prior)) {
      is_positive(family$dispersion) && family$dispersion >= 1
    } else {
      is_beta_prior(family$prior) && rlang::is_string(family$by, c("all", "row"))
    }
  }
}

is_beta_prior <- function(prior) {
  inherits(prior, "beta_prior") && is.list(prior) && is_positive(prior$shape1) && is_positive(prior$shape2)
}

is_gamma_prior <- function(prior) {
  if (!inherits(prior, "gamma_prior") || !is.list(prior) || !is_positive(prior$shape)) {
    return(FALSE)
  }
  is_positive(prior$rate) || (is_gamma_prior(prior$rate) && is_positive(prior$rate$rate))
}

is_run <- function(run) {
  is.list(run) && is_count(run$iter, 0) && is_count(run$warmup, 0) && is_count(run$thin, 1) &&
    is_count(run$chains, 1) && is_count(run$kept, 1) && (is.null(run$race) || is_race_plan(run$race)) &&
    (is.null(run$dropped) || is_count(run$dropped, 0)) && (is.null(run$passes) || is_count(run$passes, 0)) &&
    (is.null(run$provisional) || rlang::is_bool(run$provisional)) &&
    (is.null(run$wanted) || is_count(run$wanted, 1))
}

# A chain, or a start of variational inference, of data of this shape; see R/run.R and R/cavi.R. How many
# cells its noise is of is left to src/rc_family.c and src/rc_cavi.c.
is_chain <- function(chain, task, dim) {
  is.list(chain) && is_stream(chain$stream) && if (identical(task$inference, "cavi")) {
    is_started(chain, task, dim)
  } else {
    are_factors(chain$factors, task, dim)
  }
}

are_factors <- function(factors, task, dim) {
  shapes <- kept_shapes(task, dim)
  is.list(factors) && setequal(names(factors), names(shapes)) &&
    all(mapply(are_numbers, factors[names(shapes)], shapes, .Machine$double.xmin))
}

# One whose bound has become -Inf has ended, with whatever parameters.
is_started <- function(start, task, dim) {
  is.double(start$elbo) && !anyNA(start$elbo) && rlang::is_bool(start$converged) &&
    rlang::is_string(start$from, c("gibbs", "given", "random")) &&
    (has_failed(start) || is_q(start$q, task, dim))
}

# See make_q() in R/cavi.R.
is_q <- function(q, task, dim) {
  least <- .Machine$double.xmin
  shapes <- kept_shapes(task, dim)[task$model$factors]
  n <- n_excess(task$family, dim[1])
  all(mapply(function(law, shape) {
    are_numbers(law$shape, shape, least) && are_numbers(law$rate, shape, least)
  }, q[names(shapes)], shapes)) && are_numbers(q$rates, c(2, length(shapes)), least) && if (n == 0) {
    is.null(q$excess)
  } else {
    are_numbers(q$excess$points, c(CAVI_GRID, n)) && are_numbers(q$excess$weights, c(CAVI_GRID, n), 0, 1)
  }
}

# See R/posterior_modes.R.
is_modes <- function(modes, n) {
  k <- length(modes$share)
  is.integer(modes$of) && length(modes$of) == n && k >= 1 && setequal(modes$of, seq_len(k)) &&
    is.double(modes$share) && all(modes$share >= 0 & modes$share <= 1) && is.double(modes$log_density) &&
    length(modes$log_density) == k && rlang::is_string(modes$shares, c("visits", "stacking"))
}

# While starts compete, see R/race.R.
is_race <- function(race, run, task, dim) {
  plan <- run$race
  is_count(race$leg, 1, length(plan$legs)) && is_count(race$sweep, 0, plan$legs[race$leg] - 1) &&
    length(race$racers) == run$chains * in_leg(plan, race$leg) &&
    all(vapply(race$racers, function(racer) {
      is_chain(racer, task, dim) && is.double(racer$score)
    }, TRUE)) &&
    identical(
      tabulate(vapply(race$racers, `[[`, 0L, "of"), run$chains), rep(in_leg(plan, race$leg), run$chains)
    )
}

is_race_plan <- function(plan) {
  is_count(plan$starts, 1, 1000) && is.integer(plan$starts) && is.integer(plan$legs) &&
    length(plan$legs) > 0 && !anyNA(plan$legs) && all(plan$legs >= 1) &&
    2^length(plan$legs) <= plan$starts * 2
}

# The state of a run, as a checkpoint has it: of variational inference some starts may be unmade.
is_state <- function(state, task, run) {
  cavi <- identical(task$inference, "cavi")
  chains <- state$chains
  is_count(state$sweep, 0, run$iter) && is_number(state$seconds) && state$seconds >= 0 &&
    is.list(chains) && length(chains) == run$chains && all(vapply(chains, function(chain) {
      unmade <- cavi && state$sweep == 0 && is.null(chain$q)
      if (unmade) is_stream(chain$stream) else is_chain(chain, task, task$dim)
    }, TRUE)) &&
    (is.null(state$race) || (state$sweep == 0 && is_race(state$race, run, task, task$dim))) &&
    (cavi || (
      is_count(state$kept, 0) && state$kept == max(0, (state$sweep - run$warmup) %/% run$thin) &&
        has_dim(state$log_density, c(run$kept, run$chains)) && is.double(state$log_density) &&
        are_draws(state$draws, task, task$dim, run$kept * run$chains, 0)
    ))
}

are_draws <- function(draws, task, dim, n, least = .Machine$double.xmin) {
  shapes <- kept_shapes(task, dim)
  is.list(draws) && setequal(names(draws), names(shapes)) && all(mapply(function(x, shape) {
    are_numbers(x, c(shape, n), least)
  }, draws[names(shapes)], shapes))
}

# The state of R's generator as chain_streams() makes it: L'Ecuyer's, with inversion and rejection.
is_stream <- function(x) {
  is.integer(x) && length(x) == 7 && identical(x[1], 10407L) && any(x[2:4] != 0, na.rm = TRUE) &&
    any(x[5:7] != 0, na.rm = TRUE)
}

is_count <- function(x, least, most = .Machine$integer.max) {
  is_plain_number(x) && x >= least && x <= most && x == round(x)
}

is_positive <- function(x) is_plain_number(x) && x > 0

is_plain_number <- function(x) is_number(x) && is.null(attributes(x))

has_dim <- function(x, dim) length(dim(x)) == length(dim) && all(dim(x) == dim)

# Doubles of this shape, all finite; min() and max() need no copy.
are_numbers <- function(x, dim, least = -.Machine$double.xmax, most = .Machine$double.xmax) {
  is.double(x) && !is.object(x) && has_dim(x, dim) &&
    (length(x) == 0 || isTRUE(min(x) >= least && max(x) <= most))
}

# --- graphs -------------------------------------------------------------------------------------

# What package igraph reads without a look: the number of vertices, whether edges are directed, their ends,
# and the indices of edges by their ends.
is_igraph <- function(x) {
  parts <- unclass(x)
  if (!is.list(parts) || length(parts) < 9) {
    return(FALSE)
  }
  numbers <- function(i, length, least, most) {
    part <- parts[[i]]
    is.numeric(part) && length(part) == length && all(is.finite(part) & part >= least & part <= most)
  }
  index <- function(i, length, most) is.null(parts[[i]]) || numbers(i, length, 0, most)
  n <- parts[[1]]
  m <- length(parts[[3]])
  numbers(1, 1, 0, .Machine$integer.max) && rlang::is_bool(parts[[2]]) &&
    numbers(3, m, 0, n - 1) && numbers(4, m, 0, n - 1) &&
    index(5, m, m - 1) && index(6, m, m - 1) && index(7, n + 1, m) && index(8, n + 1, m) &&
    is.list(parts[[9]]) && length(parts[[9]]) == 4
}

check_graph <- function(x, package, arg, call) {
  valid <- if (package == "igraph") is_igraph(x) else is.list(unclass(x))
  if (!valid) {
    abort_invalid(x, arg, call)
  }
}
