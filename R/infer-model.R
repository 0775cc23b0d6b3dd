# What all model functions do: they check their arguments, then run Gibbs chains or variational inference.

# `family`: the arguments of check_family() that a user gives. `gibbs_only`: which of the arguments
# that CAVI does not know were given, named. `warmup` and `thin` are promises.
fit_model <- function(model, data, k, family, inference, noise, augmentation, prior, iter, warmup,
                      thin, chains, init, progress, checkpoint, gibbs_only,
                      call = rlang::caller_env()) {
  if (!missing(data)) refuse_formula(data, "data", call)
  if (missing(k)) {
    ldp_abort("{.arg k}, the number of components, must be given.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  k <- check_whole(k, "k", 1, 10000, call = call)
  inference <- check_choice(inference, "inference", c("gibbs", "cavi"), call = call)
  cavi <- inference == "cavi"
  check_given(missing(data), "data", call)
  data <- given_counts(data, "data", directed = model$network != "undirected", call = call)
  noise <- check_choice(noise, "noise", c("model", "ignore"), call = call)
  augmentation <- check_augmentation(augmentation, cavi, call = call)
  # quoted: a symbol among the arguments is none that R should look for
  family <- do.call(check_family, c(family, augmentation, call = call), quote = TRUE)
  prior <- check_prior(prior, model$factors, call = call)
  if (cavi) check_gibbs_only(gibbs_only, call)
  run <- if (!cavi) check_run(iter, warmup, if (is.null(thin)) 1 else thin, chains, call = call)
  progress <- check_flag(progress, "progress", call = call)
  check_checkpoint(checkpoint, call = call)
  input <- model_input(model, data, noise, call = call)
  if (noise == "model") check_declaration(data, model$network)
  warn_large_k(k, input$dim)
  task <- list(
    model = model, data = data, k = k, family = family, noise = noise, augmentation = augmentation,
    prior = c(prior, if (is_estimated(family)) list(dispersion = family$prior)),
    private = input$private
  )
  if (cavi) task$inference <- inference
  if (!cavi && is.null(thin)) run <- thin_out(run, 8 * n_weights(task, input$dim))
  if (!cavi) tell_one_draw(run)
  if (cavi) run <- check_cavi_run(iter, chains, task, input$dim, call)
  starts <- check_init(init, model, input$dim, k, family, run$chains, call = call)
  if (!cavi && is.null(init)) run$race <- plan_race(model, k, run$warmup)
  if (cavi) {
    return(fit_cavi(task, input, run, starts, progress, checkpoint, stats::runif(1), call))
  }
  run_task(task, input, run, progress, checkpoint, from = starts, seed = stats::runif(1),
    begin = function(task, seed) {
      start_state(task, run, starts, level_of(input, model$network), seed)
    }, call = call
  )
}

# Of more modes than two, more components than indices can be needed.
warn_large_k <- function(k, dim) {
  if (length(dim) == 2 && k > max(dim)) {
    cli::cli_warn(c(
      "{.arg k} is {k}, above both extents of the data, {paste(dim, collapse = ' x ')}.",
      i = "At least {k - max(dim)} component{?s} will hold next to nothing: choose a smaller {.arg k}."
    ), class = "ldpcounts_large_k")
  }
}

tell_one_draw <- function(run) {
  if (run$kept == 1) {
    cli::cli_inform(c(
      "Each chain keeps 1 draw of {run$iter} sweep{?s}, which says nothing about uncertainty or convergence.",
      i = "Increase {.arg iter}; the default is 2000."
    ), class = "ldpcounts_one_draw")
  }
}

check_augmentation <- function(augmentation, cavi, call) {
  both <- c("collapsed", "bessel")
  if (identical(augmentation, both)) {
    return("collapsed")
  }
  if (!cavi && identical(augmentation, "delta")) {
    ldp_abort("{.arg augmentation} can be \"delta\" with {.code inference = \"cavi\"} only.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  check_choice(augmentation, "augmentation", c(both, if (cavi) "delta"), call = call)
}

check_gibbs_only <- function(given, call) {
  given <- names(which(given))
  if (length(given) > 0) {
    ldp_abort(c(
      "{.arg {given[1]}} is for {.code inference = \"gibbs\"}: passes of CAVI are not draws.",
      i = "{.arg iter} bounds the passes, and {.arg chains} is the number of starts."
    ), class = "ldpcounts_argument_error", call = call)
  }
}
