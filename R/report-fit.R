# print() and summary() for fits.

describe_data <- function(fit) {
  size <- paste(dim(fit$data), collapse = " x ")
  if (!fit$private) {
    return(paste(size, "true counts, not private"))
  }
  noise <- if (fit$noise == "model") "their noise modelled" else "their noise ignored"
  paste0(size, " private counts, ", format_level(fit$data), ", ", noise)
}

# How the model was fitted, and how many sweeps or iterations were done.
print_run <- function(fit) {
  run <- fit$run
  variational <- is_cavi(fit)
  done <- if (variational) run$passes else run$iter
  how <- if (variational) {
    start <- fit$chains[[fit$best]]
    paste0(
      toupper(fit$inference), " (", fit$scheme, "): ", count_of(done, "iteration"),
      if (isTRUE(start$converged)) " (converged)" else " (not converged)", " of the best of ",
      count_of(max(run$starts, run$tried), "start"), ", ELBO ",
      format(last_elbo(start), digits = 7, nsmall = 1)
    )
  } else {
    paste0(
      "Gibbs (", if (is_own(fit)) "your step" else fit$scheme, "): ", count_of(run$chains, "chain"), " of ",
      count_of(done, "sweep"), ", ", run$warmup, " of them warmup"
    )
  }
  cat_wrapped(paste0(
    how, "; ", count_of(n_draws(fit), "draw"), " kept (", format_bytes(8 * sum(lengths(fit$draws))), "); ",
    format(round(fit$seconds, 1)), " s"
  ))
  if (!is.null(run$wanted)) {
    left <- run$wanted - done
    cat_wrapped(paste0(
      "Interrupted: update(fit, iter = ", left, ") does the other ", left, " of ", run$wanted, "."
    ))
  }
}

#' @export
print.ldp_fit <- function(x, ...) {
  check_fit(x)
  own <- is_own(x)
  cat_wrapped(paste0(model_of(x)$label, if (!own) paste0(", k = ", x$k, ","), " of ", describe_data(x)))
  if (x$private && privacy(x$data)$rng == "R") cat_wrapped(rng_sentence("R"))
  if (!own) cat_wrapped(paste("Family:", describe_family(x$family)))
  if (!own) cat_wrapped(paste("Prior:", describe_priors(x)))
  if (!is.null(x$prior$groups)) cat_wrapped(paste("Groups:", describe_groups(x$prior$groups)))
  print_run(x)
  if (own) {
    named <- if (length(x$labels) > 0) toString(utils::head(x$labels, 10)) else "none"
    cat_wrapped(paste("Numbers in the state:", named))
  }
  cat_wrapped("See summary(), fitted(), coef(), plot(), as.matrix().")
  invisible(x)
}

# One prior for all factors, or one per factor, and the prior of an estimated dispersion.
describe_priors <- function(fit) {
  priors <- vapply(fit$prior[model_of(fit)$factors], format, "")
  of_factors <- if (length(unique(priors)) == 1) priors[[1]] else paste(names(priors), priors, sep = " ~ ")
  paste(c(of_factors, if (is_estimated(fit$family)) format(fit$family$prior)), collapse = ", ")
}

# The factors of groups with their number of groups, and the groups with their numbers of rows if these are
# few.
describe_groups <- function(groups) {
  of_factor <- vapply(seq_along(groups$levels), function(f) {
    levels <- groups$levels[[f]]
    n <- tabulate(level_of_rows(groups, f), length(levels))
    few <- length(levels) <= 6
    paste0(names(groups$levels)[f], " (", if (few) {
      paste0(levels, ": ", format_number(n), collapse = ", ")
    } else {
      paste(length(levels), "groups")
    }, ")")
  }, "")
  paste(of_factor, collapse = ", ")
}

#' @rdname ldp_fit-methods
#' @export
summary.ldp_fit <- function(object, ...) {
  check_method(object, ...)
  own <- is_own(object)
  table <- if (own) {
    own_parameters(object)
  } else if (is_cavi(object)) {
    starts_table(object)
  } else {
    leading_convergence(object)
  }
  here <- !is_shards(object$data)
  contradicted <- here && !own && object$noise == "model" &&
    !is.null(contradiction_of(object$data, model_of(object)$network))
  implied <- if (here && !own) implied_noise(object)
  check <- if (has_dispersion_check(object)) dispersion_check(object)
  structure(
    list(
      fit = object, coef = coef(object), convergence = table,
      verdict = fit_verdict(object, table, implied, check, contradicted), contradicted = contradicted,
      implied_noise = implied, dispersion_check = check
    ),
    class = "summary.ldp_fit"
  )
}

# `contradicted`: do the counts of the release contradict its alpha?
fit_verdict <- function(fit, table, implied, check, contradicted = FALSE) {
  if (contradicted) {
    return(paste(
      "Problems were found: the declared alpha and the counts at or below zero cannot both be right.",
      "See summary() of the release, correct its alpha, or declare that it is clamped, and fit again."
    ))
  }
  if (!is_shards(fit$data) && !any(stored_values(table_of(fit$data)$counts) > 0, na.rm = TRUE)) {
    return("Problems were found: no observed count is above zero, so the fit shows only its prior.")
  }
  margins <- if (models_noise(fit)) compare_margins(fit)
  problems <- release_problems(fit, implied, check, margins)
  if (!is_cavi(fit)) {
    return(gibbs_verdict(table, fit, problems, if (!is.null(margins)) describe_rest(margins)))
  }
  of_bound <- if (is_svi(fit)) svi_verdict(fit) else cavi_verdict(table, fit$scheme)
  if (length(problems) > 0 && is_good(of_bound)) describe_problems(problems) else of_bound
}

#' @export
print.summary.ldp_fit <- function(x, ..., n = 20) {
  print(x$fit)
  if (!is_own(x$fit)) print_leaders(x$fit, x$coef, n)
  table <- utils::head(x$convergence, n)
  if (is_cavi(x$fit)) {
    cat("\nFinal states of the starts:\n")
    print(format(table, digits = 8))
  } else {
    cat("\nConvergence of label-invariant quantities:\n")
    table[] <- lapply(table, format_each)
    print(table)
  }
  if (anyNA(x$convergence$mean)) {
    cat_wrapped("Rows without a mean are for sets of quantities: 90 % of a set have these values or better.")
  }
  # the checks of the family are not shown if the release contradicts alpha: another family would not help
  checks <- c(describe_implied_noise(x$implied_noise, x$fit$family), describe_dispersion(x$dispersion_check))
  for (line in c(x$verdict, if (!x$contradicted) checks)) {
    cat("\n")
    cat_wrapped(line)
  }
  invisible(x)
}

print_leaders <- function(fit, coef, n) {
  size <- model_of(fit)$size(coef)
  share <- round(100 * size / sum(size))
  component <- model_of(fit)$component
  cat("\nLargest first, with the share of the counts that each ", component, " carries:\n", sep = "")
  shown <- seq_len(min(fit$k, n))
  leaders <- leading_labels(fit, coef)
  cat_wrapped(paste0(component_labels(fit)[shown], " (", share[shown], " %): ", leaders[shown]))
  if (!is.null(attr(coef, "leading"))) cat_wrapped(attr(coef, "leading"))
}

# The labels with the largest weights in each component: words, actors, or some labels of each mode.
leading_labels <- function(fit, coef, n = 8) {
  model <- model_of(fit)
  each <- lapply(model$leading, function(name) {
    of_component <- model$indices[[name]][1] == 0
    weights <- if (of_component) coef[[name]] else t(coef[[name]])
    words <- apply(top_words(weights, ceiling(n / length(model$leading))), 2, paste, collapse = ", ")
    if (length(model$leading) > 1) paste0(mode_names(fit)[max(model$indices[[name]])], ": ", words) else words
  })
  do.call(paste, c(each, sep = "; "))
}

# A row for each quantity: mean, standard deviation, 95 % interval, R-hat, effective sample sizes.
own_parameters <- function(fit) {
  traces <- own_traces(fit)
  convergence <- convergence_table(traces)
  interval <- vapply(traces, function(trace) {
    stats::quantile(trace[[1]], c(0.025, 0.975), na.rm = TRUE)
  }, c(0, 0))
  cbind(convergence[1:2], t(interval), convergence[-(1:2)])
}

#' @rdname private_gibbs
#' @export
tidy.private_gibbs <- function(x, ...) {
  check_method(x, ...)
  table <- own_parameters(x)[-1, ]
  tibble::tibble(
    term = rownames(table), estimate = table$mean, std.error = table$sd, conf.low = table[["2.5%"]],
    conf.high = table[["97.5%"]]
  )
}
