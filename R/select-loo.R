# Leave-one-out cross-validation, through package loo.

#' Leave-one-out cross-validation of a fit
#'
#' A method of the generic `loo::loo()`, which estimates how well the model predicts each
#' released count from all others, without refitting it.
#'
#' @details The unit that is left out is an observed cell. Its density is that of
#' [log_lik()][log_lik.ldp_fit]. The true count and all other latent variables of the cell have been summed
#' out. Rows cannot be left out in this way: each row has its own factors, and without that row the posterior
#' has no information about them. About 90 % of the Pareto k values would be above 0.7, compared with 1 % if
#' cells are left out. To leave out rows, fit the model without them: `holdout_cells(type = "rows")`.
#'
#' The standard errors, including those of `loo::loo_compare()`, come from package loo, which treats cells as
#' independent. Cells that share a row or an actor are not independent, so these standard errors are too small
#' if some whole rows or actors are predicted better than others. The standard errors of [compare_k()] allow
#' for this.
#'
#' Cells are processed in blocks, which limits memory to a few matrices of at most 32 MB each, and a few
#' numbers per cell. The time is proportional to the number of draws times the number of cells. For large
#' data, use a few thousand random `cells`, the same for all models; the estimates are then sums over these.
#'
#' Compare only fits to the same release, with `loo::loo_compare()`, which issues a warning if the counts
#' differ. A naive fit sets negative released counts to zero, and a fit that models the noise does not. So the
#' two have the same counts, and can be compared, only if the release is clamped. Releases with different
#' `alpha` are different data.
#' @param x A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param ... Must be empty.
#' @param cells Only these cells: an index matrix as for `fitted()`; see [ldp_fit-methods]. They must
#'   be observed. By default all observed cells.
#' @param draws The largest number of kept draws to use, over all chains together; the same number is taken
#'   from each chain. `Inf` uses all of them.
#' @return The result of `loo::loo()` (of classes `psis_loo` and `loo`) for the matrix of
#'   `log_lik()`. `pointwise` has one row per cell, in the order of `cells`. By default the order is that of
#'   `which(!is.na(as.matrix(data)))`, and the diagonal of a network is left out. Pareto smoothed importance
#'   sampling takes into account that draws of a chain are not independent.
#' @section Errors: `loo()` stops with an error of class `ldpcounts_error` if `cells` are not
#'   observed cells of the data, and if the fit has fewer than two kept draws. It warns (class
#'   `ldpcounts_pareto_k`) if cells have a Pareto k above 0.7, because the estimates
#'   may then be too high. Use more draws; if some cells still have a high Pareto k, they are
#'   influential: the estimate of a factor depends on them.
#' @references Vehtari, A., Gelman, A. and Gabry, J. (2017). Practical Bayesian model evaluation using
#'   leave-one-out cross-validation and WAIC. *Statistics and Computing* 27. Vehtari, A., Simpson, D.,
#'   Gelman, A., Yao, Y. and Gabry, J. (2024). Pareto smoothed importance sampling. *Journal of Machine
#'   Learning Research* 25.
#' @seealso [compare_k()]; [held_out_density()], which needs no approximation.
#' @examples
#' if (requireNamespace("loo", quietly = TRUE)) {
#'   set.seed(1)
#'   released <- privatize(poliblog[1:30, 1:40], epsilon = 1)
#'   one <- topic_model(released, k = 1, iter = 200)
#'   three <- topic_model(released, k = 3, iter = 200)
#'   print(suppressWarnings(loo::loo_compare(list(one = loo::loo(one), three = loo::loo(three)))))
#' }
#' @rdname loo
#' @exportS3Method loo::loo
loo.ldp_fit <- function(x, ..., cells = NULL, draws = 300) {
  check_method(x, ...)
  call <- rlang::current_env()
  check_that(n_draws(x) > 1, "{.arg x} must have at least two kept draws, but has {n_draws(x)}.")
  draws <- draws_of_each_chain(x, check_draws(draws))
  chain <- (draws - 1L) %/% x$run$kept + 1L
  input <- input_of(x)
  cells <- if (is.null(cells)) {
    observed_cells(input$counts, model_of(x)$network)
  } else {
    check_data_cells(cells, x)
  }
  y_tilde <- counts_at(input$counts, cells)
  check_observed(y_tilde)
  check_any(cells)
  # warnings of package loo are suppressed, because they would be issued for every block
  parts <- by_blocks(cells, length(draws), function(cells) {
    log_lik <- pointwise_density(x, input, cells, draws)
    large <- "In some draws the means are too large for a finite log density of the released counts."
    check_that(all(is.finite(log_lik)), large, call, class = "ldpcounts_fit_error")
    suppressWarnings({
      r_eff <- rep(NA_real_, ncol(log_lik))
      if (x$run$kept > 1) r_eff <- loo::relative_eff(exp(log_lik), chain_id = chain, cores = 1)
      r_eff[!is.finite(r_eff)] <- 1 # too few draws for an estimate
      loo::loo(log_lik, r_eff = r_eff, cores = 1)
    })
  })
  whole <- bind_cells(parts)
  n <- sum(whole$diagnostics$pareto_k > PARETO_K_TRUSTED)
  warn_if(n > 0, c(
    "{format_number(n)} of {format_number(nrow(cells))} cells have a Pareto k above {PARETO_K_TRUSTED}.",
    i = "Their densities, and so the estimates, may be too high. See {.help ldpcounts::loo.ldp_fit}."
  ), "ldpcounts_pareto_k")
  # loo_compare() compares this hash to check that fits have the same data
  structure(whole, yhash = rlang::hash(list(cells + 0, y_tilde)))
}

# At most `most` kept draws, the same number from each chain, but at least two per chain.
draws_of_each_chain <- function(fit, most) {
  each <- spread_over(seq_len(fit$run$kept), max(2, most %/% fit$run$chains))
  as.integer(in_each_chain(each, fit$run$kept, seq_len(fit$run$chains)))
}

PARETO_K_TRUSTED <- 0.7

# One object of package loo from the objects of all blocks of cells.
bind_cells <- function(parts) {
  whole <- parts[[1]]
  whole$pointwise <- do.call(rbind, lapply(parts, `[[`, "pointwise"))
  scores <- whole$pointwise[, rownames(whole$estimates), drop = FALSE]
  n <- nrow(scores)
  whole$estimates[] <- c(colSums(scores), sqrt(n) * apply(scores, 2, stats::sd))
  single <- c(colnames(scores), paste0("se_", colnames(scores))) # loo stores the estimates twice
  whole[single] <- as.list(whole$estimates)
  for (name in names(whole$diagnostics)) {
    whole$diagnostics[[name]] <- unlist(lapply(parts, function(part) part$diagnostics[[name]]))
  }
  attr(whole, "dims")[2] <- n
  whole
}
