# What print() and summary() say of a fit.

describe_data <- function(fit) {
  size <- paste(dim(fit$data), collapse = " x ")
  if (!fit$private) {
    return(paste(size, "true counts, not private"))
  }
  noise <- if (fit$noise == "model") "their noise modelled" else "their noise ignored"
  paste0(size, " private counts, ", format_level(fit$data), ", ", noise)
}

print_simulation <- function(fit) {
  if (fit$private && privacy(fit$data)$rng == "R") cat_wrapped(rng_sentence("R"))
}

describe_run <- function(fit) {
  run <- fit$run
  size <- format_bytes(8 * sum(lengths(fit$draws)))
  paste0(
    count_of(run$chains, "chain"), " of ", count_of(run$iter, "sweep"), ", ", run$warmup,
    " of them warmup; ", count_of(n_draws(fit), "draw"), " kept (", size, "); ",
    format(round(fit$seconds, 1)), " s"
  )
}

# How the fit was made, and how far.
print_run <- function(fit) {
  wanted <- fit$run$wanted
  cavi <- is_cavi(fit)
  scheme <- if (is_own(fit)) "your step" else fit$augmentation
  cat_wrapped(paste0(
    if (cavi) "CAVI (" else "Gibbs (", scheme, "): ", if (cavi) describe_passes(fit) else describe_run(fit)
  ))
  if (!is.null(wanted)) {
    done <- if (cavi) fit$run$passes else fit$run$iter
    cat_wrapped(paste0(
      "Interrupted: ", done, " of ", wanted, if (cavi) " passes. " else " sweeps. ", "update(fit, iter = ",
      wanted - done, ") continues the run."
    ))
  }
}

#' @srrstats {BS6.0} print().
#' @srrstats {UL4.3} model, method and run.
#' @srrstats {UL4.3a} a few lines, whatever the size.
#' @export
print.ldp_fit <- function(x, ...) {
  check_fit(x)
  cat_wrapped(paste0(model_of(x)$label, ", k = ", x$k, ", of ", describe_data(x)))
  print_simulation(x)
  cat_wrapped(paste0("Family: ", describe_family(family_of(x))))
  priors <- vapply(x$prior[model_of(x)$factors], format, "")
  same <- length(unique(priors)) == 1
  cat_wrapped(paste0("Prior: ", if (same) priors[1] else paste(names(priors), priors,
    sep = " ~ ", collapse = ", "
  ), if (is_estimated(family_of(x))) paste0(", ", format(family_of(x)$prior))))
  print_run(x)
  cat_wrapped("See summary(), fitted(), coef(), plot(), as.matrix().")
  invisible(x)
}

#' @rdname ldp_fit-methods
#' @export
summary.ldp_fit <- function(object, ...) {
  check_no_dots(...)
  check_fit(object)
  cavi <- is_cavi(object)
  table <- if (cavi) starts_table(object) else leading_convergence(object)
  network <- model_of(object)$network
  values <- stored_values(table_of(object$data)$counts)
  contradicted <- object$noise == "model" && !is.null(contradiction_of(object$data, network))
  structure(
    list(
      fit = object, coef = coef(object), convergence = table,
      verdict = if (contradicted) {
        CONTRADICTED
      } else if (!any(values > 0, na.rm = TRUE)) {
        "There is nothing to learn: no observed count is above zero, and the fit shows its prior."
      } else if (cavi) {
        cavi_verdict(table, object$augmentation)
      } else {
        verdict_of(object, table)
      },
      contradicted = contradicted,
      implied_noise = implied_noise(object), dispersion_check = dispersion_check(object)
    ),
    class = "summary.ldp_fit"
  )
}

CONTRADICTED <- paste(
  "The declared alpha and the counts at or below zero cannot both be right, so this fit is not to be",
  "trusted: see summary() of the release, correct its alpha, or declare that it is clamped, and fit again."
)

#' @export
print.summary.ldp_fit <- function(x, ...) {
  print(x$fit)
  share <- model_of(x$fit)$size(x$coef)
  share <- round(100 * share / sum(share))
  cat("\nLargest first, with the share of the counts that each ", model_of(x$fit)$component,
    " carries:\n",
    sep = ""
  )
  leaders <- leading_labels(x$fit, x$coef)
  shown <- seq_len(min(x$fit$k, 20))
  cat_wrapped(paste0(shown, " (", share[shown], " %): ", leaders[shown]))
  if (is_cavi(x$fit)) {
    cat("\nWhere the starts ended:\n")
    print(format(x$convergence, digits = 8))
  } else {
    cat("\nConvergence of label-invariant quantities:\n")
    print(signif(x$convergence, 4))
    cat_wrapped("Rows without a mean are sets of quantities: 90 % of a set have these values or better ones.")
  }
  cat("\n")
  cat_wrapped(x$verdict)
  # what a wrong alpha looks like is nothing that another family would mend
  for (line in if (!x$contradicted) describe_family_checks(x)) {
    cat("\n")
    cat_wrapped(line)
  }
  invisible(x)
}

# Does the family fit? A line on the noise that it implies, and one on how spread counts are.
describe_family_checks <- function(summary) {
  family <- family_of(summary$fit)
  implied <- summary$implied_noise
  refit <- !is.null(implied) && implied$cells > 0
  c(
    describe_implied_noise(implied, family),
    describe_dispersion(summary$dispersion_check, family, refit)
  )
}

# What stands out in each component: words, or actors, or some of each mode.
leading_labels <- function(fit, coef, n = 8) {
  model <- model_of(fit)
  each <- lapply(model$leading, function(name) {
    of_component <- model$indices[[name]][1] == 0
    weights <- if (of_component) coef[[name]] else t(coef[[name]])
    apply(top_words(weights, ceiling(n / length(model$leading))), 2, paste, collapse = ", ")
  })
  do.call(paste, c(each, sep = "; "))
}
