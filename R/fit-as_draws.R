# Draws of a fit for package posterior, and as a matrix.

# All parameters of all draws: one row per draw.
#' @rdname ldp_fit-methods
#' @export
#' @order 3
as.matrix.ldp_fit <- function(x, ..., aligned = FALSE) {
  check_method(x, ...)
  check_flag(aligned, "aligned")
  if (is_own(x)) {
    return(own_numbers(x))
  }
  check_in_memory(x)
  factors <- if (aligned) aligned_draws(x) else raw_draws(x)
  do.call(cbind, c(
    factors, list(
      if (!aligned) hyper_draws(x), dispersion_draws(x), if (!aligned) pool_draws(x),
      group_rate_draws(x, aligned)
    )
  ))
}

# A list of matrices, one per factor, with one row per draw and one named column per number.
raw_draws <- function(fit) {
  model <- model_of(fit)
  lapply(model$factors, function(name) {
    draws <- fit$draws[[name]]
    in_columns(if (model$transposed[[name]]) aperm(draws, c(2, 1, 3)) else draws, name)
  })
}

aligned_draws <- function(fit) {
  model <- model_of(fit)
  orders <- alignment(fit)$orders
  draws <- lapply(seq_len(n_draws(fit)), function(s) {
    model$permute(normalised_draw(fit, s), orders[, s])
  })
  lapply(model$factors, function(name) {
    each <- lapply(draws, `[[`, name)
    in_columns(array(unlist(each), c(dim(each[[1]]), length(each))), name)
  })
}

# One row per draw and one column per number, from an array whose last dimension is the draws.
in_columns <- function(draws, name) {
  shape <- dim(draws)
  places <- outer(seq_len(shape[1]), seq_len(shape[2]), paste, sep = ",")
  `colnames<-`(t(matrix(draws, shape[1] * shape[2])), paste0(name, "[", places, "]"))
}

# The draws of the prior of dispersions of columns, or NULL.
pool_draws <- function(fit) {
  if (is_by_column(fit$family)) {
    `colnames<-`(t(matrix(fit$draws$pool, 2)), paste0("dispersion_prior[", c("shape1", "shape2"), "]"))
  }
}

# The draws of the estimated shapes and rates of priors, or NULL.
hyper_draws <- function(fit) {
  priors <- fit$prior[model_of(fit)$factors]
  do.call(cbind, lapply(c("rate", "shape"), function(name) {
    random <- vapply(priors, function(prior) name %in% estimated_in(prior), TRUE)
    if (any(random)) {
      numbers <- t(matrix(fit$draws[[name]], length(random)))
      colnames(numbers) <- paste0(name, "[", names(priors), "]")
      numbers[, random, drop = FALSE]
    }
  }))
}

# The draws of the relative rates of groups, or NULL: one row per draw.
group_rate_draws <- function(fit, aligned) {
  if (is.null(fit$prior$groups)) {
    return(NULL)
  }
  draws <- group_rates(fit, seq_len(n_draws(fit)), aligned)
  places <- outer(level_names(fit$prior$groups), seq_len(fit$k), paste, sep = ",")
  `colnames<-`(t(matrix(draws, prod(dim(draws)[1:2]))), paste0("groups[", places, "]"))
}

#' @rdname ldp_fit-methods
#' @export
#' @order 3
as_draws_array.ldp_fit <- function(x, ..., aligned = FALSE) {
  check_no_dots(...)
  draws <- as.matrix(x, aligned = aligned) # checks the fit
  if (missing(aligned)) tell_raw_draws(x)
  names <- list(NULL, NULL, colnames(draws))
  posterior::as_draws_array(array(draws, c(x$run$kept, x$run$chains, ncol(draws)), names))
}

# These functions of package posterior would take the parameters for chains, and return a number that means
# nothing.
refuse_diagnostic <- function(x, ...) {
  ldp_abort(c(
    "R-hat and effective sample sizes belong to quantities, not to a fit.",
    i = "{.code summary(fit)$convergence} has those of label-invariant quantities.",
    i = "{.code posterior::summarise_draws(as_draws(fit, aligned = TRUE))} has those of each weight."
  ), call = NULL)
}
#' @exportS3Method posterior::rhat_basic
rhat_basic.ldp_fit <- refuse_diagnostic
#' @exportS3Method posterior::ess_basic
ess_basic.ldp_fit <- refuse_diagnostic
#' @exportS3Method posterior::ess_bulk
ess_bulk.ldp_fit <- refuse_diagnostic
#' @exportS3Method posterior::ess_mean
ess_mean.ldp_fit <- refuse_diagnostic

# A message, because R-hat of raw weights is large whenever two chains number their components differently.
tell_raw_draws <- function(fit) {
  if (fit$k > 1 && fit$run$chains > 1) {
    cli::cli_inform(c(
      "These are raw draws: chains may number their components differently, which makes R-hat large.",
      i = "{.code aligned = TRUE} returns draws with the same numbering in all chains, as in {.fn coef}."
    ), class = "ldpcounts_raw_draws", .frequency = "once", .frequency_id = "ldpcounts_raw_draws")
  }
}

#' @rdname ldp_fit-methods
#' @export
#' @order 3
as_draws_matrix.ldp_fit <- function(x, ...) posterior::as_draws_matrix(as_draws_array(x, ...))

#' @rdname ldp_fit-methods
#' @export
#' @order 3
as_draws.ldp_fit <- function(x, ...) as_draws_array(x, ...)

# The default methods of package posterior would ignore `aligned`.
#' @rdname ldp_fit-methods
#' @exportS3Method posterior::as_draws_df
#' @order 3
as_draws_df.ldp_fit <- function(x, ...) posterior::as_draws_df(as_draws_array(x, ...))

#' @rdname ldp_fit-methods
#' @exportS3Method posterior::as_draws_list
#' @order 3
as_draws_list.ldp_fit <- function(x, ...) posterior::as_draws_list(as_draws_array(x, ...))

#' @rdname ldp_fit-methods
#' @exportS3Method posterior::as_draws_rvars
#' @order 3
as_draws_rvars.ldp_fit <- function(x, ...) posterior::as_draws_rvars(as_draws_array(x, ...))

# The numbers in the state of a fit of private_gibbs(): one row per draw, one named column per number.
own_numbers <- function(fit) {
  matrix(fit$draws$numbers, n_draws(fit), length(fit$labels), byrow = TRUE, dimnames = list(NULL, fit$labels))
}

#' @export
coef.private_gibbs <- function(object, ...) {
  check_method(object, ...)
  colMeans(own_numbers(object))
}

# Their traces in the form of label_free_traces(), where each set has one quantity.
own_traces <- function(fit) {
  numbers <- traces_of(own_numbers(fit), fit$run)
  lapply(c(list("log density" = fit$log_density), stats::setNames(numbers, fit$labels)), list)
}

# A list of matrices with one column per chain, from a matrix with one row per draw and one column per
# quantity.
traces_of <- function(draws, run) unname(apply(draws, 2, matrix, nrow = run$kept, simplify = FALSE))
