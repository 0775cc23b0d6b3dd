# The common part of the model functions: lays out the data, checks what depends on them, and runs Gibbs sampling
# or variational inference.

# `inference`: from as_inference(); `family`: from check_family(); `data`: from given_counts(), or
# counts in files.
fit_model <- function(model, data, k, family, prior, groups, noise, inference, call) {
  type <- type_of(inference)
  shards <- is_shards(data)
  k <- check_whole(k, "k", 1, 10000, call = call)
  noise <- check_choice(noise, "noise", c("model", "ignore"), call)
  prior <- check_prior(prior, model$factors, call)
  estimates_shape <- any(vapply(prior, function(factor) "shape" %in% estimated_in(factor), TRUE))
  check_that(type == "gibbs" || !estimates_shape,
    "{.fn {type}} cannot estimate the shape of {.arg prior}: give it as a number, or use {.fn gibbs}.", call
  )
  check_cluster(inference$cluster, call)
  divided <- shards || !is.null(inference$cluster)
  check_that(is.null(inference$cluster) || model$network == "none",
    "{.arg cluster} is only for {.fn topic_model} and {.fn tensor_model}.", call
  )
  check_that(is.null(groups) || (type != "svi" && !divided),
    "{.arg groups} cannot be used with {.fn svi}, a {.arg cluster}, or counts in files.", call
  )
  if (shards) check_shards(data, call)
  check_that(!shards || inference$scheme == "collapsed",
    "{.arg scheme} must be \"collapsed\" for counts in files.", call
  )
  input <- if (shards) shards_source(data, noise, call) else model_input(model, data, noise, call = call)
  if (noise == "model" && !shards) check_declaration(data, model$network)
  groups <- check_groups(groups, input$dim[1], call = call)
  warn_large_k(k, input$dim)
  task <- list(
    model = model, data = data, k = k, family = family, noise = noise, inference = type,
    scheme = inference$scheme, private = shards || input$private,
    prior = c(
      prior, if (is_estimated(family)) list(dispersion = family$prior),
      if (!is.null(groups)) list(groups = groups)
    )
  )
  run <- switch(type,
    gibbs = gibbs_run(inference, task, input$dim, call), cavi = cavi_run(inference, task, input$dim),
    svi = svi_run(inference, task, input$dim)
  )
  starts <- check_init(inference$init, model, input$dim, k, family, run$chains, call)
  if (type == "svi") {
    if (!shards) check_memory(task, input, run, call = call)
    source <- if (shards) input else memory_source(input)
    return(run_svi(task, source, run, starts, inference$progress, stats::runif(1)))
  }
  begin <- function(task, seed) {
    level <- if (is.null(task$level)) level_of(input, model$network) else task$level
    if (type == "cavi") first_state(starts, seed) else start_state(task, run, starts, level, seed)
  }
  run_task(task, input, run, inference$progress, inference$checkpoint, starts, begin,
    seed = stats::runif(1), cluster = inference$cluster, call = call
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
