# The common part of all model functions: checks arguments, then runs Gibbs sampling or variational inference.

# `model`: a model, or a function of the data that returns one. `asked`: the frame of the function called by
# the user, with its arguments.
fit_model <- function(model, asked = rlang::caller_env()) {
  is_missing <- function(arg) eval(call("missing", as.name(arg)), asked)
  check_given(is_missing("data"), "data", asked)
  refuse_formula(asked$data, "data", asked)
  check_that(!is_missing("k"), "{.arg k}, the number of components, must be given.", asked)
  k <- check_whole(asked$k, "k", 1, 10000, call = asked)
  inference <- check_inference(asked$inference, if (!is.function(model)) model$svi, asked)
  cavi <- inference == "cavi"
  svi <- inference == "svi"
  in_files <- is_shards(asked$data) && !is.function(model) && identical(model$name, "topic_model") &&
    (svi || !is.null(asked$cluster))
  data <- if (in_files) asked$data else given_counts(asked$data, "data", asked$dims,
    directed = is.function(model) || model$network != "undirected", id = asked$id, call = asked
  )
  if (is.function(model)) model <- model(data)
  noise <- check_choice(asked$noise, "noise", c("model", "ignore"), asked)
  augmentation <- check_augmentation(asked$augmentation, inference, asked)
  family <- check_family(asked, augmentation, pairs = model$network == "undirected")
  prior <- check_prior(asked$prior, model$factors, asked)
  run <- if (cavi || svi) {
    check_gibbs_only(c(warmup = !is_missing("warmup"), thin = !is_missing("thin")), asked)
  } else {
    check_run(asked$iter, asked$warmup, asked$thin, asked$chains, asked)
  }
  progress <- check_flag(asked$progress, "progress", asked)
  message <- "{.arg cluster} is only for {.code inference = \"gibbs\"}."
  check_that(is.null(asked$cluster) || inference == "gibbs", message, asked)
  check_cluster(asked$cluster, asked)
  check_checkpoint(asked$checkpoint, asked)
  if (!svi) check_svi_only(c(batch = !is.null(asked$batch)), asked)
  shards <- is_shards(data)
  if (shards) check_shards(data, asked)
  input <- if (shards) shards_source(data, noise, asked) else model_input(model, data, noise, call = asked)
  if (noise == "model" && !shards) check_declaration(data, model$network)
  check_that(!shards || augmentation == "collapsed",
    "{.arg augmentation} must be \"collapsed\" for counts in files.", asked
  )
  check_can_group(asked$groups, inference, shards || !is.null(asked$cluster), asked)
  groups <- check_groups(asked$groups, input$dim[1], call = asked)
  warn_large_k(k, input$dim)
  task <- list(
    model = model, data = data, k = k, family = family, noise = noise, inference = inference,
    augmentation = augmentation, private = shards || input$private,
    prior = c(
      prior, if (is_estimated(family)) list(dispersion = family$prior),
      if (!is.null(groups)) list(groups = groups)
    )
  )
  if (svi) {
    message <- "{.arg checkpoint} must be NULL with {.code inference = \"svi\"}."
    check_that(is.null(asked$checkpoint), message, asked)
    iter <- if (is_missing("iter")) SVI_PASSES else asked$iter
    run <- check_svi_run(iter, asked$batch, asked$chains, task, input$dim, asked)
  } else if (cavi) {
    run <- check_cavi_run(asked$iter, asked$chains, task, input$dim, asked)
  } else {
    if (is.null(asked$thin)) run <- thin_out(run, 8 * n_weights(task, input$dim))
    tell_one_draw(run)
    if (is.null(asked$init)) run$race <- plan_race(model, k, run$warmup)
  }
  starts <- check_init(asked$init, model, input$dim, k, family, run$chains, asked)
  if (svi) {
    if (!shards) check_memory(task, input, run, call = asked)
    source <- if (shards) input else memory_source(input)
    return(run_svi(task, source, run, starts, progress, stats::runif(1)))
  }
  begin <- function(task, seed) {
    level <- if (is.null(task$level)) level_of(input, model$network) else task$level
    if (cavi) first_state(starts, seed) else start_state(task, run, starts, level, seed)
  }
  run_task(task, input, run, progress, asked$checkpoint, starts, begin,
    seed = stats::runif(1), cluster = asked$cluster, call = asked
  )
}

# Warns only with two modes. With more, a model may need more components than there are indices.
warn_large_k <- function(k, dim) {
  warn_if(length(dim) == 2 && k > max(dim), c(
    "{.arg k} is {k}, larger than both extents of the data, which are {paste(dim, collapse = ' x ')}.",
    i = "At least {k - max(dim)} component{?s} will be almost empty: choose a smaller {.arg k}."
  ), "ldpcounts_large_k")
}

tell_one_draw <- function(run) {
  tell_if(run$kept == 1, c(
    "Each chain keeps 1 draw of {run$iter} sweep{?s}, so uncertainty and convergence cannot be judged.",
    i = "Increase {.arg iter}; the default is 2000."
  ), "ldpcounts_one_draw")
}

# `svi`: the kernel of the model for stochastic variational inference, or NULL.
check_inference <- function(inference, svi, call) {
  check_that(!identical(inference, "svi") || !is.null(svi),
    "{.code inference = \"svi\"} is only for {.fn topic_model}: its rows are independent given the topics.",
    call
  )
  check_choice(inference, "inference", c("gibbs", "cavi", if (!is.null(svi)) "svi"), call)
}

check_augmentation <- function(augmentation, inference, call) {
  cavi <- inference == "cavi"
  both <- c("collapsed", "bessel")
  if (identical(augmentation, both)) augmentation <- "collapsed"
  message <- "{.arg augmentation} can be \"delta\" only with {.code inference = \"cavi\"}."
  check_that(cavi || !identical(augmentation, "delta"), message, call)
  if (inference == "svi" && !identical(augmentation, "collapsed")) {
    abort_argument(augmentation, "augmentation", "\"collapsed\" with inference = \"svi\"", call)
  }
  check_choice(augmentation, "augmentation", c(both, if (cavi) "delta"), call)
}

check_gibbs_only <- function(given, call) {
  arg <- names(which(given))
  check_that(length(arg) == 0, c(
    paste(
      "{.arg {arg[1]}} is only for {.code inference = \"gibbs\"}:",
      "iterations of variational inference are not draws."
    ),
    i = "With CAVI, {.arg iter} is the largest number of iterations, and {.arg chains} the number of starts."
  ), call)
}

# `divided`: are rows divided among files or workers?
check_can_group <- function(groups, inference, divided, call) {
  check_that(is.null(groups) || (inference != "svi" && !divided),
    "{.arg groups} cannot be used with {.code inference = \"svi\"}, a {.arg cluster}, or counts in files.",
    call
  )
}

check_svi_only <- function(given, call) {
  arg <- names(which(given))
  check_that(length(arg) == 0, "{.arg {arg[1]}} is only for {.code inference = \"svi\"}.", call)
}
