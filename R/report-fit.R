# print() and summary() for fits.

describe_data <- function(fit) {
  size <- paste(dim(fit$data), collapse = " x ")
  if (!fit$private) {
    return(paste(size, "true counts, not private"))
  }
  noise <- if (fit$noise == "model") "their noise modelled" else "their noise ignored"
  paste0(size, " private counts, ", format_level(fit$data), ", ", noise)
}

# How the model was fitted, and how many sweeps, iterations or passes were done.
print_run <- function(fit) {
  run <- fit$run
  cavi <- is_cavi(fit)
  start <- if (cavi) fit$chains[[fit$best]]
  bound <- if (length(start$elbo) > 0) format(last_elbo(start), digits = 7, nsmall = 1) else "unknown"
  how <- if (is_svi(fit)) {
    paste0(
      "SVI (", fit$scheme, "): ", count_of(run$passes, "pass", "passes"), " over batches of ", run$batch,
      " rows, from the best of ", count_of(run$tried, "start"), ", ELBO of ", count_of(run$scored, "row"), " ",
      bound
    )
  } else if (cavi) {
    from <- c(gibbs = paste("from", START_SWEEPS, "sweeps of Gibbs"), random = "at random", given = "as given")
    paste0(
      "CAVI (", fit$scheme, "): ", count_of(run$passes, "iteration"),
      if (isTRUE(start$converged)) " (converged)" else " (not converged)", " of the best of ",
      count_of(run$starts, "start"), " ", from[[start$from]], ", ELBO ", bound
    )
  } else {
    paste0(
      "Gibbs (", if (is_own(fit)) "your step" else fit$scheme, "): ", count_of(run$chains, "chain"), " of ",
      count_of(run$iter, "sweep"), ", ", run$warmup, " of them warmup"
    )
  }
  cat_wrapped(paste0(
    how, "; ", count_of(n_draws(fit), "draw"), " kept (", format_bytes(8 * sum(lengths(fit$draws))), "); ",
    format(round(fit$seconds, 1)), " s"
  ))
  if (!is.null(run$wanted)) {
    done <- if (cavi) run$passes else run$iter
    cat_wrapped(paste0(
      "Interrupted: ", done, " of ", run$wanted, if (cavi) " iterations. " else " sweeps. ",
      "update(fit, iter = ", run$wanted - done, ") continues the run."
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
  if (own) cat_wrapped(paste("Numbers in the state:", describe_state(x$labels)))
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

# The names of the first numbers in the state of a fit of private_gibbs().
describe_state <- function(labels, n = 10) {
  more <- length(labels) - n
  first <- paste(utils::head(labels, n), collapse = ", ")
  if (length(labels) == 0) "none" else paste0(first, if (more > 0) paste(" and", more, "more"))
}

#' @rdname ldp_fit-methods
#' @export
summary.ldp_fit <- function(object, ...) {
  check_method(object, ...)
  table <- if (is_cavi(object)) starts_table(object) else leading_convergence(object)
  here <- !is_shards(object$data)
  contradicted <- here && object$noise == "model" &&
    !is.null(contradiction_of(object$data, model_of(object)$network))
  implied <- if (here) implied_noise(object)
  check <- if (here) dispersion_check(object)
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
  problems <- release_problems(fit, implied, check)
  if (!is_cavi(fit)) {
    return(gibbs_verdict(table, fit, problems))
  }
  of_bound <- if (is_svi(fit)) svi_verdict(fit) else cavi_verdict(table, fit$scheme)
  if (length(problems) > 0 && startsWith(of_bound, "No")) describe_problems(problems) else of_bound
}

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
  cat_wrapped(paste0(component_labels(x$fit)[shown], " (", share[shown], " %): ", leaders[shown]))
  if (!is.null(attr(x$coef, "leading"))) cat_wrapped(attr(x$coef, "leading"))
  if (is_svi(x$fit)) {
    cat("\nELBO of held-out rows after each pass:\n")
    cat_wrapped(paste(format(elbo(x$fit), digits = 8), collapse = ", "))
  } else if (is_cavi(x$fit)) {
    cat("\nFinal states of the starts:\n")
    print(format(x$convergence, digits = 8))
  } else {
    cat("\nConvergence of label-invariant quantities:\n")
    print_numbers(x$convergence)
    cat_wrapped("Rows without a mean are for sets of quantities: 90 % of a set have these values or better.")
  }
  cat("\n")
  cat_wrapped(x$verdict)
  # the checks of the family are not shown if the release contradicts alpha: another family would not help
  implied <- x$implied_noise
  family <- x$fit$family
  checks <- c(describe_implied_noise(implied, family), describe_dispersion(x$dispersion_check))
  for (line in if (!x$contradicted) checks) {
    cat("\n")
    cat_wrapped(line)
  }
  invisible(x)
}

# Prints a data frame of numbers of different sizes.
print_numbers <- function(table) {
  table[] <- lapply(table, format_each)
  print(table)
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

#' @rdname private_gibbs
#' @export
summary.private_gibbs <- function(object, ...) {
  check_method(object, ...)
  table <- own_parameters(object)
  check <- dispersion_check(object)
  structure(
    list(fit = object, parameters = table, verdict = fit_verdict(object, table, NULL, check), dispersion_check = check),
    class = "summary.private_gibbs"
  )
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

#' @rdname private_gibbs
#' @export
print.summary.private_gibbs <- function(x, ..., n = 20) {
  print(x$fit)
  cat("\n")
  print_numbers(utils::head(x$parameters, n + 1))
  if (nrow(x$parameters) > n + 1) cat("(the first", n, "of", nrow(x$parameters) - 1, "numbers)\n")
  cat("\n")
  cat_wrapped(x$verdict)
  varies <- describe_dispersion(x$dispersion_check)
  if (!is.null(varies)) {
    cat("\n")
    cat_wrapped(varies)
  }
  invisible(x)
}
