# Fits: their class, the check at the door of every function that takes one, and their labels. A fit is a list
# of class c(<name of the model>, "ldp_fit_<inference>", "ldp_fit"), with these fields:
#
#   data, private       the data as they were given; are they a release?
#   k, family, prior, noise, directed
#                       the model: number of components, new_family() and new_priors() in R/model-prior.R,
#                       "model" or "ignore", FALSE for an undirected network
#   inference, scheme   "gibbs", "cavi" or "svi", and the sampling scheme
#   run                 the length of the run and what it keeps, see new_run() in R/run-length.R
#   draws               arrays of the kept draws, chain after chain in the last dimension: one per factor, and
#                       excess, rate, shape, pool and groups if these are estimated
#   log_density         of the release in each draw: a column per chain; not for variational inference
#   chains              the final states of the chains (or of the starts), from which update() continues
#   best                of variational inference: the start with the highest bound
#   modes               the modes of the posterior, see R/fit-modes.R; not for variational inference
#   race                the state of a search for starts that was interrupted, see R/run-starts.R, or NULL
#   labelled            the names that the user gave to components, with their weights at that time, or NULL
#   looked_at           of data in files: some cells with their released counts, and the number of all
#   step, labels        of private_gibbs(): the function, and the names of the numbers in its state
#   seconds, version    the time that the run took; FIT_VERSION

# The version of the format of fits.
FIT_VERSION <- 1L

# The model of a fit: a list, see R/model-definitions.R.
model_of <- function(fit) {
  switch(class(fit)[1],
    topic_model = topics_model,
    block_model = if (isFALSE(fit$directed)) undirected_model else blocks_model,
    # not tensor_model(): this would validate the data each time
    tensor_model = tensor_of(sum(startsWith(names(fit$draws), "theta"))),
    private_gibbs = own_model(fit$step, fit$labels)
  )
}

is_network <- function(fit) model_of(fit)$network != "none"

# The data of a fit in the form that the model uses; see model_data().
input_of <- function(fit) {
  check_in_memory(fit)
  quietly(model_input(model_of(fit), fit$data, fit$noise))
}

# The mechanism of its release, if it is not geometric noise.
mechanism_of <- function(fit) if (is_release(fit$data)) fields_of(fit$data)$mechanism

# For methods that need all counts, or numbers for all cells.
check_in_memory <- function(fit) {
  check_that(!is_shards(fit$data), c(
    "This needs all counts in memory, but the data of the fit are in files ({.fn release_shards}).",
    i = paste(
      "Available are {.fn coef}, {.fn top_terms}, {.fn tidy}, {.fn summary}, {.fn plot},",
      "{.code fitted(fit, cells = )} and {.code predict(fit, newdata)}; with {.code inference = \"gibbs\"}",
      "also {.code augment(fit, cells = )}."
    )
  ), NULL)
}

# Evaluates `code` without the warnings and messages that the user has already seen when the model was fitted.
quietly <- function(code) {
  told <- c("ldpcounts_self_loops", "ldpcounts_symmetric", "ldpcounts_declared_alpha", "ldpcounts_large_k")
  suppressWarnings(suppressMessages(code, classes = "ldpcounts_one_draw"), classes = told)
}

n_draws <- function(fit) fit$run$kept * fit$run$chains

# The dimnames of the data; NULL if there are no labels (a Matrix has list(NULL, NULL)).
data_dimnames <- function(fit) {
  labels <- dimnames(fit$data)
  if (is_network(fit)) { # rows and columns are the same actors: the names of one are used for both
    names <- if (is.null(labels[[1]])) labels[[2]] else labels[[1]]
    labels <- list(names, names)
  }
  if (length(unlist(labels)) > 0) labels
}

# One column per mode, with labels or numbers.
label_cells <- function(fit, cells) {
  index <- unfold_cells(cells, dim(fit$data))
  each <- lapply(seq_len(ncol(index)), function(mode) {
    labels <- data_dimnames(fit)[[mode]]
    if (is.null(labels)) as.integer(index[, mode]) else labels[index[, mode]]
  })
  stats::setNames(each, mode_names(fit))
}

mode_names <- function(fit) {
  columns <- c("component", "y_tilde", ".fitted", "mean", "lower", "upper", "p_zero", model_of(fit)$factors)
  mode_titles(length(dim(fit$data)), names(data_dimnames(fit)), columns)
}

# A fit, from its task, of which it keeps all but the model and `dim`, which can be found again (task_of_fit()), and its
# run. `made`: the results of the inference.
new_fit <- function(task, run, made) {
  parts <- list(directed = task$model$network != "undirected", run = run)
  structure(
    c(task[setdiff(names(task), c("model", "dim"))], parts, made, list(version = FIT_VERSION)),
    class = c(
      task$model$name, paste0("ldp_fit_", task$inference),
      if (task$inference == "svi") "ldp_fit_cavi", # has the methods of other variational fits
      "ldp_fit"
    )
  )
}

task_of_fit <- function(fit) {
  kept <- unclass(fit)[intersect(names(formals(new_task)), names(fit))]
  do.call(new_task, c(list(model = model_of(fit), dim = dim(fit$data)), kept))
}

is_own <- function(fit) inherits(fit, "private_gibbs")

is_svi <- function(fit) inherits(fit, "ldp_fit_svi")

is_cavi <- function(fit) inherits(fit, "ldp_fit_cavi")

# Labels of the rows (actors, documents), or numbers.
row_labels <- function(fit) labels_or_numbers(data_dimnames(fit)[[1]], dim(fit$data)[1])

# An error for a fit that has been edited or damaged; `part` is what is wrong in it. It is also called by
# src/rc_check.c, which checks the type and the length of everything that a kernel reads.
abort_damaged <- function(part, call = NULL) {
  ldp_abort(c(
    "This fit has been edited or damaged.",
    x = "Field {.field {part}} does not have the form that it has in a new fit.",
    i = "Fit the model again, or read the fit again from where it was saved."
  ), class = "ldpcounts_fit_error", call = call)
}

# Is this a fit of a version that this package reads, with as many draws as its run says? What else is in a
# fit is not checked: an edited fit ends in an error of R or of src/rc_check.c.
check_fit <- function(fit, call = rlang::caller_env()) {
  parts <- if (is.list(fit)) unclass(fit)
  lost <- setdiff(FIT_PARTS, names(parts))
  if (is.list(fit) && length(lost) > 0) abort_damaged(lost[1], call)
  check_version(parts[["version"]], "a fit", FIT_VERSION)
  if (!class(fit)[1] %in% FIT_CLASSES) abort_damaged("class", call)
  n <- as.double(parts$run$kept) * as.double(parts$run$chains)
  complete <- vapply(parts$draws, function(x) isTRUE(dim(x)[3] == n), TRUE)
  if (length(complete) == 0 || !all(complete)) abort_damaged("draws", call)
  invisible(fit)
}

# The parts that every fit has.
FIT_PARTS <- c(
  "version", "data", "k", "family", "noise", "inference", "scheme", "private", "prior", "directed", "run", "draws",
  "chains", "seconds"
)

FIT_CLASSES <- c("topic_model", "block_model", "tensor_model", "private_gibbs")

# Checks the fit that a method was given, and that the `...` of the method is empty. (Names begin with dots,
# because `...` may have any name.)
check_method <- function(.fit, ..., .call = rlang::caller_env()) {
  check_no_dots(..., call = .call)
  check_fit(.fit, .call)
}

# Is it a fit of a release in memory, whose geometric noise is modelled?
models_noise <- function(fit) {
  fit$private && fit$noise == "model" && !is_shards(fit$data) && is.null(mechanism_of(fit))
}

# Is the variation of counts checked (dispersion_check())? Not in files, nor under another mechanism, whose releases
# may be hidden.
has_dispersion_check <- function(fit) !is_shards(fit$data) && is.null(mechanism_of(fit))

# A fit of a model function; of private_gibbs() too, if `own`.
check_is_fit <- function(fit, own = FALSE, call = rlang::caller_env()) {
  if (!inherits(fit, "ldp_fit") || (is_own(fit) && !own)) {
    abort_argument(fit, "fit", "a fit of topic_model(), block_model() or tensor_model()", call)
  }
  check_fit(fit, call)
}
