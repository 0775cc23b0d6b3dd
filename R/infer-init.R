# Starting values given by users.

# Returns one start per chain: NULL, factors as stored, or "random".
#' @srrstats {BS2.1} starts must have the dimensions of data and k.
check_init <- function(init, model, dim, k, family, chains, call) {
  if (is.null(init) || identical(init, "random")) {
    return(rep(list(init), chains))
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
  right_number <- inherits(init, "ldp_fit") || (is.list(starts) && length(starts) %in% c(1, chains))
  shapes <- paste0(names(wanted), " (", vapply(wanted, paste, "", collapse = " x "),
    ifelse(names(wanted) %in% model$symmetric, ", symmetric)", ")"))
  check_that(right_number && all(vapply(starts, is_start, TRUE, wanted, model)), c(
    "{.arg init} must be NULL, a fit of the same shape, or lists of positive matrices.",
    i = "Give one list, or one list per chain, of {shapes}."
  ), call)
  lapply(rep_len(starts, chains), stored_start, model, family, n_excess(family, dim[1]), call)
}

stored_start <- function(start, model, family, n, call) {
  factors <- lapply(stats::setNames(nm = model$factors), function(name) {
    x <- turn(model, name, start[[name]])
    matrix(as.double(x), nrow(x))
  })
  if (is_estimated(family) && !is.null(start$dispersion)) {
    factors$excess <- check_start_dispersion(start$dispersion, n, call) - 1
  }
  factors
}

check_start_dispersion <- function(x, n, call) {
  if (!is.numeric(x) || !length(x) %in% c(1, n) || !all(is.finite(x) & x > 1)) {
    expected <- paste0("one number above 1", if (n > 1) paste(", or", n))
    abort_argument(x, "init$dispersion", expected, call)
  }
  matrix(as.double(x), n)
}

is_start <- function(start, wanted, model) {
  # weights are limited, so that sums of products of three, or of one per mode, are finite
  most <- 10^(270 / max(3, model$n_modes))
  is.list(start) && all(vapply(names(wanted), function(name) {
    x <- start[[name]]
    is.matrix(x) && is.numeric(x) && all(dim(x) == wanted[[name]]) &&
      all(is.finite(x) & x >= .Machine$double.xmin & x < most) &&
      (!name %in% model$symmetric || isSymmetric(unname(x)))
  }, TRUE))
}
