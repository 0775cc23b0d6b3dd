# Checks of fits and of the states of runs in checkpoints, which may have been edited by hand or damaged.

# The error for a fit or a checkpoint that is not valid; `part` is the first part that is wrong. It is also
# called by src/rc_check.c.
abort_damaged <- function(part, call = NULL) {
  ldp_abort(c(
    "This fit has been edited or damaged.",
    x = "Field {.field {part}} does not have the form that it has in a new fit.",
    i = "Fit the model again, or read the fit again from where it was saved."
  ), class = "ldpcounts_fit_error", call = call)
}

# Called first by every method for fits. Checks that all parts exist, have the right type and size, and are
# finite. Draws are not copied, because they may take gigabytes.
check_fit <- function(fit, call = rlang::caller_env()) {
  parts <- if (is_own(fit)) OWN_FIT_PARTS else FIT_PARTS
  if (!is_cavi(fit)) parts$best <- NULL
  check_version(if (is.list(fit)) unclass(fit)[["version"]], "a fit", FIT_VERSION)
  for (part in names(parts)) {
    holds <- tryCatch(parts[[part]](fit), error = function(failure) FALSE)
    if (!isTRUE(holds)) abort_damaged(part, call)
  }
  invisible(fit)
}

# At the door of a method: nothing is in its `...` besides.
check_method <- function(.fit, ..., .call = rlang::caller_env(), .of = rlang::caller_fn()) {
  check_no_dots(..., call = .call, of = .of)
  check_fit(.fit, .call)
}

# A fit of a model function; of private_gibbs() too, if `own`.
check_is_fit <- function(fit, own = FALSE, call = rlang::caller_env()) {
  if (!inherits(fit, "ldp_fit") || (is_own(fit) && !own)) {
    abort_argument(fit, "fit", "a fit of topic_model(), block_model() or tensor_model()", call)
  }
  check_fit(fit, call)
}

# The order matters: each part is read by those after it.
FIT_PARTS <- list(
  class = function(fit) {
    is.list(fit) && class(fit)[1] %in% c("topic_model", "block_model", "tensor_model") &&
      identical(class(fit)[-1], c(class_of_inference(fit$inference), "ldp_fit"))
  },
  data = function(fit) {
    n <- length(dim(fit$data))
    is_data_of_fit(fit$data) && all(dim(fit$data) >= 1) && n >= 2 && n <= MOST_MODES &&
      (n == 2 || class(fit)[1] == "tensor_model") &&
      (!is_network(fit) || dim(fit$data)[1] == dim(fit$data)[2])
  },
  k = function(fit) is_count(fit$k, 1, 10000),
  family = function(fit) is_family(fit$family),
  noise = function(fit) rlang::is_string(fit$noise, c("model", "ignore")),
  scheme = function(fit) rlang::is_string(fit$scheme, c("collapsed", "bessel", "delta")),
  private = function(fit) identical(fit$private, is_release(fit$data) || is_shards(fit$data)),
  directed = function(fit) rlang::is_bool(fit$directed),
  prior = function(fit) {
    factors <- model_of(fit)$factors
    all(vapply(fit$prior[factors], is_gamma_prior, TRUE)) && all(factors %in% names(fit$prior)) &&
      setequal(names(fit$prior), c(
        factors, if (is_estimated(family_of(fit))) "dispersion",
        if (!is.null(fit$prior$groups) && is_groups(fit$prior$groups, dim(fit$data)[1])) "groups"
      ))
  },
  inference = function(fit) rlang::is_string(fit$inference, c("gibbs", "cavi", "svi")),
  run = function(fit) is_run(fit$run) && (!is_cavi(fit) || is_count(fit$run$starts, 1)),
  seconds = function(fit) is_plain_number(fit$seconds) && fit$seconds >= 0,
  draws = function(fit) {
    task <- task_of_fit(fit)
    shapes <- lapply(kept_shapes(task, dim(fit$data)), c, n_draws(fit))
    if (is_svi(fit) && is_shards(fit$data)) shapes[task$model$factors[1]] <- NULL
    are_arrays(fit$draws, shapes)
  },
  log_density = function(fit) {
    is_cavi(fit) || (is.double(fit$log_density) &&
      has_dim(fit$log_density, c(fit$run$kept, fit$run$chains)) &&
      (isTRUE(fit$run$provisional) || are_numbers(fit$log_density, dim(fit$log_density))))
  },
  chains = function(fit) {
    n <- if (is_cavi(fit)) fit$run$starts else fit$run$chains
    is.list(fit$chains) && length(fit$chains) == n &&
      all(vapply(fit$chains, is_chain, TRUE, task_of_fit(fit), dim(fit$data)))
  },
  race = function(fit) is.null(fit$race) || is_race(fit$race, fit$run, task_of_fit(fit), dim(fit$data)),
  modes = function(fit) is.null(fit$modes) || is_modes(fit$modes, n_draws(fit)),
  labelled = function(fit) is_labelled(fit$labelled, fit$k),
  looked_at = function(fit) {
    at <- fit$looked_at
    is.null(at) || (is.matrix(at$cells) && ncol(at$cells) == 2 && is.double(at$y_tilde) &&
      length(at$y_tilde) == nrow(at$cells) && !anyNA(at$y_tilde) && is_plain_number(at$n_observed))
  },
  best = function(fit) is_count(fit$best, 1, length(fit$chains)) && !has_failed(fit$chains[[fit$best]])
)

# The parts that are different in fits of private_gibbs().
OWN_FIT_PARTS <- utils::modifyList(FIT_PARTS, list(
  class = function(fit) identical(class(fit), c("private_gibbs", "ldp_fit_gibbs", "ldp_fit")),
  prior = function(fit) identical(fit$prior, list()),
  step = function(fit) is.function(fit$step),
  labels = function(fit) is.character(fit$labels)
))

is_data_of_fit <- function(x) {
  if (is_shards(x)) x <- x$release
  if (is_release(x)) is.list(fields_of(x)) else is_count_table(x)
}

is_run <- function(run) {
  least <- c(iter = 0, warmup = 0, thin = 1, chains = 1, kept = 1)
  known <- c(least, dropped = 0, passes = 0, wanted = 1)
  given <- intersect(names(known), names(run))
  is.list(run) && all(names(least) %in% given) && all(mapply(is_count, run[given], known[given])) &&
    (is.null(run$race) || is_race_plan(run$race)) &&
    (is.null(run$provisional) || rlang::is_bool(run$provisional))
}

# Is this what label_components() stores?
is_labelled <- function(labelled, k) {
  is.null(labelled) || (is.character(labelled$names) && length(labelled$names) == k &&
    is.matrix(labelled$signature) && nrow(labelled$signature) == k && all(is.finite(labelled$signature)))
}

# Is this a chain, or a start of variational inference, for data of this shape? See R/run-chains.R and
# R/infer-cavi.R. The number of cells of its noise is checked by src/rc_family.c and src/rc_cavi.c.
is_chain <- function(chain, task, dim) {
  factors <- chain$factors
  is.list(chain) && is_stream(chain$stream) && if (task$inference %in% c("cavi", "svi")) {
    is_started(chain, task, dim)
  } else if (task$model$name == "private_gibbs") {
    is_number(factors$sweep) && is_number(factors$chain) &&
      are_arrays(factors[c("numbers", "mu")], kept_shapes(task, dim))
  } else {
    are_arrays(factors, kept_shapes(task, dim))
  }
}

# Is this a start of variational inference? If its bound is -Inf, the start has failed, and its parameters can
# be anything.
is_started <- function(start, task, dim) {
  is.double(start$elbo) && !anyNA(start$elbo) && rlang::is_bool(start$converged) &&
    rlang::is_string(start$from, c("gibbs", "given", "random")) &&
    (has_failed(start) || is_q(start$q, task, dim))
}

# See new_q() in R/infer-cavi.R.
is_q <- function(q, task, dim) {
  least <- .Machine$double.xmin
  n_factors <- length(task$model$factors)
  shapes <- kept_shapes(task, dim)[c(task$model$factors, if (!is.null(task$prior$groups)) "groups")]
  n <- n_excess(task$family, dim[1])
  all(mapply(function(law, shape) {
    are_numbers(law$shape, shape, least) && are_numbers(law$rate, shape, least)
  }, q[names(shapes)], shapes)) && are_numbers(q$rates, c(2, n_factors), least) && if (n == 0) {
    is.null(q$excess)
  } else {
    are_numbers(q$excess$points, c(CAVI_GRID, n)) && are_numbers(q$excess$weights, c(CAVI_GRID, n), 0, 1)
  }
}

# See R/fit-modes.R.
is_modes <- function(modes, n) {
  k <- length(modes$share)
  is.integer(modes$of) && length(modes$of) == n && k >= 1 && setequal(modes$of, seq_len(k)) &&
    is.double(modes$share) && all(modes$share >= 0 & modes$share <= 1) && is.double(modes$log_density) &&
    length(modes$log_density) == k && rlang::is_string(modes$shares, c("visits", "stacking"))
}

# The state of a run whose starts are still being compared, see R/run-starts.R.
is_race <- function(race, run, task, dim) {
  plan <- run$race
  is_count(race$leg, 1, length(plan$legs)) && is_count(race$sweep, 0, plan$legs[race$leg] - 1) &&
    length(race$racers) == run$chains * in_leg(plan, race$leg) &&
    all(vapply(race$racers, function(racer) is_chain(racer, task, dim) && is.double(racer$score), TRUE)) &&
    identical(
      tabulate(vapply(race$racers, `[[`, 0L, "of"), run$chains), rep(in_leg(plan, race$leg), run$chains)
    )
}

is_race_plan <- function(plan) {
  is_count(plan$starts, 1, 1000) && is.integer(plan$starts) && is.integer(plan$legs) &&
    length(plan$legs) > 0 && !anyNA(plan$legs) && all(plan$legs >= 1) &&
    2^length(plan$legs) <= plan$starts * 2
}

# The state of a run in a checkpoint. For variational inference, some starts may not exist yet.
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

# Is x a list of arrays with these names and shapes? The numbers in a state of private_gibbs() can be any
# numbers.
are_arrays <- function(x, shapes, least = .Machine$double.xmin) {
  is.list(x) && setequal(names(x), names(shapes)) && all(mapply(function(x, shape, name) {
    if (name == "numbers") is.double(x) && has_dim(x, shape) else are_numbers(x, shape, least)
  }, x[names(shapes)], shapes, names(shapes)))
}

are_draws <- function(draws, task, dim, n, least = .Machine$double.xmin) {
  are_arrays(draws, lapply(kept_shapes(task, dim), c, n), least)
}
