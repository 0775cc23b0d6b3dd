# What all models share before their first sweep (the sweeps are in R/run.R). A model (R/topics.R,
# R/blocks.R, and R/tensor.R, which makes one for each number of modes) is a list of
#
#   name, label     its class, and what print() calls it
#   component       what one of its k components is called
#   n_modes         how many modes its data have: two are rows and columns
#   indices         what the two margins of each factor are: the number of a mode, or 0 for components
#   by_columns      does its kernel want cells by columns too?
#   network         which cells of the table are its data, one of NETWORKS
#   factors         names of its factors, in the order of its priors
#   symmetric       which of them are symmetric matrices
#   gibbs           function(cells, factors, noise, prior, n, keep, watch, reflect): runs n sweeps
#                   in C
#   cavi            function(cells, q, prior, delta, n, tolerance, last, constant): passes of
#                   variational inference in C, see R/cavi.R and src/rc_cavi.c
#   gibbs_rows      function(cells, factors, prior, n, reflect): n sweeps of the first factor, that of
#                   the rows, and of their excess, the other factors fixed; returns these two
#   no_new_rows     where there is no gibbs_rows, a sentence: what to do about new rows
#   start           function(dim, k, level): factors to start from, with mean about `level`
#   search_rounds   how long a better start is searched for, see settled_start()
#   race            where chains start: the number of `starts` of a race, and the length of its `legs`,
#                   as shares of the warmup, see R/race.R
#   factor_dim      function(dim, k): list of the dimensions of each factor, as users see it
#   transposed      which factors are stored as the transpose of what users see
#   mean            function(factors): mu from factors as users see them, of the shape of the data
#   cell_mean       function(factors, cells): the same at pairs of a row and a column of the table
#                   that the data are (R/modes.R)
#   row_totals      function(factors): the sums of mu over each row; no labels to switch
#   row_bounds      function(factors): numbers that no mu of each row is above
#   normalise       function(factors): the same model with the scale put where it belongs
#   permute         function(factors, order): the components in another order
#   signature       function(factors): k rows that tell the components apart
#   leading         the factors whose largest weights say in words what a component is
#   size            function(factors): how much each component carries
#
# Factors are stored as the kernels want them: the components of one row side by side.

# How often the weight of a component that holds a count is reflected about its law, not drawn from
# it. Reflected draws mix faster while other cells leave it open where a count belongs; the others
# are what moves the weight from a bad start, and what forgets how far from the mean it was. Without
# noise there is little to gain and tails would mix worse: never then. See bench/MOVES.md.
REFLECT <- 0.75

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

# What the model sees of the data, its noise taken as `noise` says.
model_input <- function(model, data, noise, arg = "data", call = rlang::caller_env()) {
  input <- model_data(data, model$network, model$n_modes, arg, call = call)
  if (noise == "ignore") take_for_truth(input) else input
}

# The cells as the sampler reads them, and the part of the log density of the release that does not
# depend on the factors.
add_cells <- function(task, input) {
  # without noise the two schemes are one
  noised <- any(input$alpha > 0)
  task$bessel <- task$augmentation %in% c("bessel", "delta") && noised
  task$reflect <- if (noised) REFLECT else 0
  task$dim <- input$dim
  task$cells <- make_cells(
    input$counts, input$alpha, task$bessel, task$model$network, task$model$by_columns
  )
  task$log_constant <- log_constant(input, task$model$network)
  task
}

# Cells at or below zero have log density |k| log(alpha) + log((1 - alpha)/(1 + alpha)) - (1 -
# alpha) mu, clamped ones -log(1 + alpha) - (1 - alpha) mu; this is their sum without mu.
log_constant <- function(input, network) {
  below <- below_zero(input$counts)
  cells <- below$cells - n_other(nrow(input$counts), network)
  a <- input$alpha
  if (input$clamped) {
    return(-sum(cells * log1p(a)))
  }
  sum(cells * (log1p(-a) - log1p(a))) + sum((below$size * log(a))[below$size > 0])
}

# The naive analysis: releases cut at zero, as if there were no noise.
take_for_truth <- function(input) {
  if (input$private) {
    input$counts[cells_where(input$counts, function(x) !is.na(x) & x < 0)] <- 0L
    input$alpha[] <- 0
    input$clamped <- FALSE
  }
  input
}

check_run <- function(iter, warmup, thin, chains, call) {
  iter <- check_whole(iter, "iter", 1, call = call)
  warmup <- check_whole(warmup, "warmup", 0, call = call)
  thin <- check_whole(thin, "thin", 1, call = call)
  chains <- check_whole(chains, "chains", 1, call = call)
  kept <- (iter - warmup) %/% thin
  if (iter <= warmup) {
    ldp_abort(c(
      "{.arg iter} must be above {.arg warmup}: sweeps in all, those thrown away among them.",
      x = "They are {iter} and {warmup}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (kept < 1) {
    ldp_abort(c(
      "{.arg thin} must leave at least one draw of {iter - warmup} sweeps after the warmup.",
      x = "It is {thin}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (kept * as.double(chains) > .Machine$integer.max) {
    ldp_abort(c(
      "{.arg iter}, {.arg thin} and {.arg chains} must keep fewer than 2^31 draws in all.",
      x = "They keep {kept * as.double(chains)}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  list(iter = iter, warmup = warmup, thin = thin, chains = chains, kept = kept)
}

# Kept draws of all chains, of so many bytes each, in no more than DRAWS_BYTES, but for the last LEAST_KEPT a
# chain, without which no chain can be judged.
thin_out <- function(run, bytes) {
  wanted <- ceiling(run$kept * run$chains * bytes / DRAWS_BYTES)
  run$thin <- as.integer(max(1, min(wanted, run$kept %/% LEAST_KEPT)))
  run$kept <- (run$iter - run$warmup) %/% run$thin
  run
}

DRAWS_BYTES <- 2e9
LEAST_KEPT <- 100L

# --- start ------------------------------------------------------------------------------------

# The mean count, about. Noise has mean zero, and mean alpha/(1 - alpha^2) when clamped. Only where
# to start from; never below a trifle.
level_of <- function(input, network) {
  observed <- n_observed(input$counts, network)
  level <- sum(stored_values(input$counts), na.rm = TRUE) / max(1, observed)
  excess <- if (input$clamped) mean(input$alpha / (1 - input$alpha^2)) else 0
  max(level - excess, 0.01)
}

# One start per chain: NULL, factors as stored, or "random".
#' @srrstats {BS2.1} starts must have the dimensions of data and k.
check_init <- function(init, model, dim, k, family, chains, call) {
  if (is.null(init)) {
    return(vector("list", chains))
  }
  if (identical(init, "random")) {
    return(rep(list("random"), chains))
  }
  starts <- if (inherits(init, "ldp_fit")) {
    check_fit(init, call)
    last_draws(init)
  } else if (is.list(init) && all(model$factors %in% names(init))) {
    list(init)
  } else {
    init
  }
  wanted <- model$factor_dim(dim, k)
  most <- factor_most(model)
  right_number <- inherits(init, "ldp_fit") || (is.list(starts) && length(starts) %in% c(1, chains))
  if (!right_number || !all(vapply(starts, is_start, TRUE, wanted, most, model$symmetric))) {
    abort_start(wanted, model$symmetric, call)
  }
  n <- n_excess(family, dim[1])
  lapply(rep_len(starts, chains), function(start) {
    factors <- stats::setNames(lapply(model$factors, function(name) {
      x <- turn(model, name, start[[name]])
      matrix(as.double(x), nrow(x))
    }), model$factors)
    if (is_estimated(family) && !is.null(start$dispersion)) {
      factors$excess <- check_start_dispersion(start$dispersion, n, call) - 1
    }
    factors
  })
}

check_start_dispersion <- function(x, n, call) {
  if (!is.numeric(x) || !length(x) %in% c(1, n) || !all(is.finite(x) & x > 1)) {
    expected <- if (n == 1) "one number above 1" else paste("one number above 1, or", n)
    abort_argument(x, "init$dispersion", expected, call)
  }
  matrix(as.double(x), n)
}

is_start <- function(start, wanted, most, symmetric) {
  is.list(start) && all(vapply(names(wanted), function(name) {
    x <- start[[name]]
    is.matrix(x) && is.numeric(x) && all(dim(x) == wanted[[name]]) &&
      all(is.finite(x) & x >= .Machine$double.xmin & x < most) &&
      (!name %in% symmetric || isSymmetric(unname(x)))
  }, TRUE))
}

# Products of three such weights, or of one a mode, summed, are still finite.
factor_most <- function(model) 10^(270 / max(3, model$n_modes))

abort_start <- function(wanted, symmetric, call) {
  shapes <- paste0(names(wanted), " (", vapply(wanted, paste, "", collapse = " x "),
    ifelse(names(wanted) %in% symmetric, ", symmetric)", ")"))
  ldp_abort(c(
    "{.arg init} must be NULL, a fit of the same shape, or lists of positive matrices.",
    i = "Wanted: {shapes}; one list, or one per chain."
  ), class = "ldpcounts_argument_error", call = call)
}
