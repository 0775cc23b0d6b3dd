# From a task to a fit: lays out the data, checks what depends on them, runs Gibbs sampling or variational
# inference, from the beginning or from a checkpoint, and returns the fit.

# The first arguments of the model functions. A formula throws its own error, although there is no `k` beside it.
check_data_and_k <- function(data, k, call) {
  check_given(missing(data), "data", call)
  refuse_formula(data, "data", call)
  check_given(missing(k), "k", call)
}

# The common part of the model functions. `inference`: from as_inference(); `family`: from check_family();
# `data`: from given_counts(), or counts in files.
fit_model <- function(model, data, k, family, prior, groups, noise, inference, call) {
  type <- type_of(inference)
  cluster <- inference$cluster
  in_files <- is_shards(data)
  k <- check_whole(k, "k", 1, 10000, call = call)
  noise <- check_choice(noise, "noise", c("model", "ignore"), call)
  if (is.null(prior)) prior <- gamma_prior(if (type == "gibbs") NULL else TYPICAL_SHAPE, NULL)
  prior <- check_prior(prior, model$factors, call)
  check_cluster(cluster, call)
  check_that(is.null(cluster) || model$network == "none",
    "{.arg cluster} is only for {.fn topic_model} and {.fn tensor_model}.", call
  )
  check_that(is.null(groups) || (type != "svi" && is.null(cluster) && !in_files),
    "{.arg groups} cannot be used with {.fn svi}, a {.arg cluster}, or counts in files.", call
  )
  if (in_files) check_shards(data, call)
  check_that(!in_files || inference$scheme != "bessel",
    "{.arg scheme} must be \"collapsed\" or \"tokens\" for counts in files.", call
  )
  input <- if (in_files) shards_source(data, noise, call) else model_input(model, data, noise, call = call)
  if (noise == "model" && !in_files) check_declaration(data, model$network)
  by_gibbs <- type == "gibbs" && is.null(cluster) && inference$scheme %in% c("auto", "collapsed")
  check_that(is.null(input$mechanism) || by_gibbs, c(
    "Other mechanisms than geometric noise need {.fn gibbs}, without {.arg scheme} and {.arg cluster}.",
    x = "The mechanism is {tolower(format(input$mechanism))}."
  ), call)
  groups <- check_groups(groups, input$dim[1], call = call)
  check_that(type != "svi" || !identical(family$by, "row"),
    "{.arg dispersion_by} must be \"all\" with {.fn svi}.", call
  )
  if (is_by_column(family)) check_by_column(type, inference$scheme, input, is.null(cluster), call)
  # with more than two modes, a model may need more components than there are indices
  warn_if(length(input$dim) == 2 && k > max(input$dim), c(
    "{.arg k} is {k}, larger than both extents of the data, which are {paste(input$dim, collapse = ' x ')}.",
    i = "At least {k - max(input$dim)} component{?s} will be almost empty: choose a smaller {.arg k}."
  ), "ldpcounts_large_k")
  task <- new_task(model, data, input$dim, k, family, noise, type, inference$scheme, input$private,
    prior = new_priors(prior, family, groups)
  )
  run <- switch(type,
    gibbs = plan_run(inference$iter, inference$warmup, inference$thin, inference$chains, call, task,
      race = is.null(inference$init)
    ),
    cavi = new_run(inference$iter, inference$chains, n_cavi_draws(task)),
    svi = new_run(inference$iter, inference$chains, n_svi_draws(task),
      batch = min(inference$batch, input$dim[1])
    )
  )
  task$scheme <- choose_scheme(task, input, run)
  tell_if(type == "gibbs" && run$kept == 1, c(
    "Each chain keeps 1 draw of {run$iter} sweep{?s}, so uncertainty and convergence cannot be judged.",
    i = "Increase {.arg iter}; the default is 2000."
  ), "ldpcounts_one_draw")
  goal <- if (type == "gibbs") new_goal(inference$until, inference$minutes, run$iter, call)
  starts <- check_init(inference$init, model, input$dim, k, family, run$chains, call)
  if (type == "svi") {
    if (!in_files) check_memory(task, input, run, call = call)
    source <- if (in_files) input else memory_source(input)
    return(run_svi(task, source, run, starts, inference$progress, stats::runif(1)))
  }
  begin <- function(sampler, seed) {
    if (type == "cavi") begin_cavi(starts, seed) else begin_gibbs(sampler, run, starts, seed)
  }
  run_task(task, input, run, inference$progress, inference$checkpoint, from = starts, begin,
    new_seed = TRUE, cluster = cluster, goal = goal, call = call
  )
}

MOST_PLACES <- 1e5

# What dispersions of columns do not work with. Each column has tables for each noise level.
check_by_column <- function(type, scheme, input, alone, call) {
  refuse_unless <- function(holds, why) {
    check_that(holds, c("{.arg dispersion_by} cannot be \"column\" here.", x = why), call)
  }
  refuse_unless(type == "gibbs", "{.fn cavi} and {.fn svi} do not have it: use {.fn gibbs}, or \"row\".")
  refuse_unless(scheme != "tokens", "{.code scheme = \"tokens\"} does not have it: use {.code scheme = \"collapsed\"}.")
  refuse_unless(alone, "A {.arg cluster} does not have it: fit the model without one, or use \"row\".")
  refuse_unless(is.null(input$mechanism), "It is for geometric noise only: use \"row\".")
  n_levels <- length(unique(input$alpha))
  n <- input$dim[length(input$dim)]
  refuse_unless(n * n_levels <= MOST_PLACES, paste0(
    "The data have ", format_number(n), " columns and ", format_number(n_levels), " noise levels, but their ",
    "product must be at most ", format_number(MOST_PLACES), "."
  ))
}

# Does a complete run: checks and shows how much memory it needs, then continues from the checkpoint, or from
# begin(sampler, seed). `from`: what the chains start from; a checkpoint must have been written with the same.
# `new_seed`: is `seed` a number from R's generator, or NULL? `goal`: of new_goal().
run_task <- function(task, input, run, progress, checkpoint, from, begin, new_seed = FALSE, cluster = NULL,
                     goal = NULL, call = rlang::caller_env()) {
  began <- now()
  memory <- check_memory(task, input, run, call = call)
  if (progress) announce(task, run, memory, goal)
  sampler <- if (!is.null(input$counts)) sampler_of(task, input)
  saved <- open_checkpoint(checkpoint, fingerprint(task, input, run, c(from, goal["ess"])), call)
  seed <- if (new_seed) stats::runif(1) # not before: a run that is refused draws no random number
  state <- saved$state
  looked_at <- NULL
  if (!is.null(cluster)) {
    sampler <- open_shards(task, input, sampler, open_processes(cluster, call))
    shards <- sampler$shards
    on.exit(close_shards(shards))
    if (is.null(input$counts)) looked_at <- look_at_files(sampler)
  } else {
    sampler <- open_cells(sampler)
  }
  if (is.null(state)) {
    state <- begin(sampler, seed)
    state$seconds <- state$seconds + now() - began # includes the search for starts
  }
  if (task$inference == "cavi") {
    run_cavi(task, sampler, run, state, progress, saved, input)
  } else {
    run_gibbs(task, sampler, run, state, progress, saved, input, looked_at, goal)
  }
}

# Gibbs sampling: the sweeps are in C (src/ldp_topics.h, src/ldp_blocks.h, src/ldp_tensor.h). There are three
# sampling schemes, with the same posterior:
#
#   collapsed     the noise is integrated out: a sweep visits positive and missing cells only, draws their
#                 true counts from their conditional distributions (?dtruecount), and then draws the weights
#   tokens        all cells have true counts, which are proposed for a whole row and accepted, see
#                 src/ldp_tokens.h
#   bessel        latent parts of the noise of every cell are drawn too (Schein et al. 2019), so a sweep
#                 visits all cells
#
# `looked_at`: some of the counts in files, see look_at_files(). With a `goal`, the run is made longer until
# it is reached; a checkpoint may be from a longer run, with room for more draws.
run_gibbs <- function(task, sampler, run, state, progress, saved, input = NULL, looked_at = NULL, goal = NULL) {
  room <- nrow(state$log_density)
  if (!is.null(goal) && room > run$kept) run <- longer_run(run, run$warmup + room * run$thin)
  what <- "log density"
  repeat {
    done <- run_sweeps(sampler, run, state, progress, saved, goal, what)
    made <- c(done$state[c("draws", "log_density", "chains", "race", "seconds")], list(looked_at = looked_at))
    if (is.null(names(made$chains))) names(made$chains) <- seq_len(run$chains)
    fit <- new_fit(task, done$run, made[lengths(made) > 0]) # a fit has no empty parts
    began <- now()
    more <- if (!is.null(goal) && !done$interrupted) {
      tryCatch(sweeps_to_goal(fit, goal, task, input), interrupt = function(condition) {
        tell_interrupted(run, done$state, saved, goal)
        NULL
      })
    }
    if (is.null(more)) { # methods find modes later if this is interrupted
      fit["modes"] <- list(tryCatch(find_modes(fit), interrupt = function(condition) NULL))
    }
    fit$seconds <- fit$seconds + now() - began
    if (is.null(more)) {
      return(fit)
    }
    run <- more$run
    state <- state_of_fit(fit, sampler, run)
    what <- paste(more$ess, "of", goal$ess, "effective draws, log density")
  }
}

# The longer run that may reach the goal, and the effective draws so far; NULL if there are enough, or if time
# or memory is not. The draws grow by half to twice their number, because extrapolation from few draws is
# rough. First only some of the draws are judged, which is faster; all of them, if the goal seems to be reached.
sweeps_to_goal <- function(fit, goal, task, input) {
  run <- fit$run
  judge <- function(fit) worst_convergence(leading_convergence(with_modes(fit), goal$ess), fit$run$kept)
  some <- thinner(fit, max(MOST_JUDGED, ceiling(4 * goal$ess / run$chains)))
  worst <- judge(some)
  if (has_enough(worst, goal$ess) && some$run$kept < run$kept) worst <- judge(fit)
  if (has_enough(worst, goal$ess)) {
    return(NULL)
  }
  after <- max(run$iter - run$warmup, 0)
  agree <- isTRUE(worst$rhat <= RHAT_TRUSTED)
  wanted <- if (agree) sweeps_to_reach(1.05 * goal$ess, worst, run) else after
  after <- after + min(max(wanted, after / 2, LEAST_KEPT * run$thin), max(after, LEAST_KEPT * run$thin))
  longer <- longer_run(run, run$warmup + ceiling(after / run$thin) * run$thin)
  over <- now() >= goal$ends
  needed <- memory_needed(task, input, longer)
  if (!over && needed[["draws"]] <= DRAWS_BYTES && sum(needed) <= memory_free()) {
    return(list(run = longer, ess = max(worst$ess, 0, na.rm = TRUE)))
  }
  tell_ended(goal, over, sum(needed), if (agree) worst$ess)
  NULL
}

# Says that a run ended before its goal: because time was `over`, or because more draws would take so many bytes.
# `ess`: the effective draws, if R-hat is small enough.
tell_ended <- function(goal, over, bytes, ess) {
  why <- if (over) "after {goal$minutes} minute{?s}" else "because more draws would take {format_bytes(bytes)}"
  cli::cli_inform(c(
    paste0("The run ended ", why, if (is.null(ess)) {
      ", when R-hat was not yet at most {RHAT_TRUSTED}."
    } else {
      ", with {ess} of {goal$ess} effective draws."
    }),
    i = if (over) "{.code update(fit, until = {goal$ess})} continues it." else "A larger {.arg thin} keeps fewer draws."
  ), class = "ldpcounts_until")
}

# A run that has more sweeps, `iter` in all.
longer_run <- function(run, iter, call = NULL) {
  plan_run(iter, run$warmup, run$thin, run$chains, call, race = run$race)
}

# The state at the end of a fit's run, with room for the draws of a longer run.
state_of_fit <- function(fit, sampler, run) {
  old <- fit$run
  kept <- if (isTRUE(old$provisional)) 0L else old$kept
  rows <- seq_len(kept)
  state <- state_with_room(sampler, run, fit$chains, fit$race)
  state$sweep <- old$iter
  state$seconds <- fit$seconds
  state$log_density[rows, ] <- fit$log_density[rows, ]
  store_draws_in_place(state, lapply(seq_len(run$chains), function(chain) {
    lapply(fit$draws, function(x) x[, , (chain - 1L) * old$kept + rows, drop = FALSE])
  }), run)
  state$kept <- kept
  state
}

# --- starting values given by users ---------------------------------------------------------------

# Returns one start per chain: factors as stored, "random", or NULL for a random start that is improved by a search,
# see begin_chain().
check_init <- function(init, model, dim, k, family, chains, call) {
  if (is.null(init) || identical(init, "random")) {
    return(rep(list(init), chains))
  }
  of_fit <- inherits(init, "ldp_fit")
  if (of_fit) {
    check_fit(init, call)
    init <- last_draws(init)
  } else if (is.list(init) && all(model$factors %in% names(init))) {
    init <- list(init)
  }
  wanted <- model$factor_dim(dim, k)
  right_number <- of_fit || (is.list(init) && length(init) %in% c(1, chains))
  shapes <- paste0(names(wanted), " (", vapply(wanted, paste, "", collapse = " x "),
    ifelse(names(wanted) %in% model$symmetric, ", symmetric)", ")"))
  check_that(right_number && all(vapply(init, is_start, TRUE, wanted, model)), c(
    "{.arg init} must be NULL, a fit of the same shape, or lists of positive matrices.",
    i = "Give one list, or one list per chain, of {shapes}."
  ), call)
  lapply(rep_len(init, chains), stored_start, model, family, n_excess(family, dim), call)
}

is_start <- function(start, wanted, model) {
  # weights are limited, so that sums of products of three, or of one per mode, are finite
  most <- 10^(270 / max(3, model$n_modes))
  is.list(start) && all(vapply(names(wanted), function(name) {
    x <- start[[name]]
    is.matrix(x) && is.numeric(x) && all(dim(x) == wanted[[name]]) &&
      all(is.finite(x) & x >= .Machine$double.xmin & x < most) &&
      (!name %in% model$symmetric || isSymmetric(unname(x)))
  }, TRUE))
}

# The factors as stored, with `excess` (n dispersions) if the start has a dispersion and one is estimated.
stored_start <- function(start, model, family, n, call) {
  factors <- lapply(stats::setNames(nm = model$factors), function(name) {
    x <- turn(model, name, start[[name]])
    matrix(as.double(x), nrow(x))
  })
  given <- start$dispersion
  if (!is_estimated(family) || is.null(given)) {
    return(factors)
  }
  if (!is.numeric(given) || !length(given) %in% c(1, n) || !all(is.finite(given) & given > 1)) {
    abort_argument(given, "init$dispersion", paste0("one number above 1", if (n > 1) paste(", or", n)), call)
  }
  c(factors, list(excess = matrix(as.double(given) - 1, n)))
}
