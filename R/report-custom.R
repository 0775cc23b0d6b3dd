# summary() and tidy() for fits of private_gibbs().

#' @rdname private_gibbs
#' @export
summary.private_gibbs <- function(object, ...) {
  check_method(object, ...)
  table <- own_parameters(object)
  structure(
    list(
      fit = object, parameters = table,
      verdict = verdict(table, object$run, location = check_location(object), adds = FALSE),
      dispersion_check = dispersion_check(object)
    ),
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
  varies <- describe_dispersion(x$dispersion_check, poisson_family, named = TRUE)
  if (!is.null(varies)) {
    cat("\n")
    cat_wrapped(paste0(varies, if (is_overdispersed(x$dispersion_check)) {
      " Intervals are too narrow: include one gamma weight per count in the state (?private_gibbs)."
    }))
  }
  invisible(x)
}
