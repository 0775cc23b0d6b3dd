# What print() and summary() say of a fit of private_gibbs().

#' @rdname private_gibbs
#' @export
print.private_gibbs <- function(x, ...) {
  check_own_fit(x)
  cat_wrapped(paste0("Your own Poisson model of ", describe_data(x)))
  print_simulation(x)
  cat_wrapped(paste0("Gibbs (your step): ", describe_run(x)))
  cat_wrapped(paste0("Numbers in the state: ", if (length(x$labels) > 0) name_some(x$labels) else "none"))
  cat_wrapped("See summary(), fitted(), as.matrix().")
  invisible(x)
}

name_some <- function(labels, n = 10) {
  more <- length(labels) - n
  paste0(paste(labels[seq_len(min(n, length(labels)))], collapse = ", "),
    if (more > 0) paste(" and", more, "more"))
}

#' @rdname private_gibbs
#' @export
summary.private_gibbs <- function(object, ...) {
  check_no_dots(...)
  check_own_fit(object)
  draws <- as.matrix(object)
  traces <- c(list(object$log_density), apply(draws, 2, matrix,
    nrow = object$run$kept, simplify = FALSE
  ))
  names(traces) <- c("log density", object$labels)
  convergence <- convergence_table(lapply(traces, list))
  interval <- vapply(traces, stats::quantile, c(0, 0), probs = c(0.025, 0.975), na.rm = TRUE)
  table <- cbind(convergence[1:2], t(interval), convergence[-(1:2)])
  structure(
    list(fit = object, parameters = table, verdict = verdict(table, object$run, adds = FALSE)),
    class = "summary.private_gibbs"
  )
}

#' @export
print.summary.private_gibbs <- function(x, ..., n = 20) {
  print(x$fit)
  cat("\n")
  print(signif(utils::head(x$parameters, n + 1), 4))
  if (nrow(x$parameters) > n + 1) cat("(the first", n, "of", nrow(x$parameters) - 1, "numbers)\n")
  cat("\n")
  cat_wrapped(x$verdict)
  invisible(x)
}
