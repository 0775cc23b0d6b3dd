# What the fits under central differential privacy share: the counts that they take, their budget, noise,
# and what print() says of their promise.

central_counts <- function(counts, call) {
  if (inherits(counts, "private_counts")) {
    ldp_abort(c(
      "{.arg counts} must hold true counts, and is private.",
      i = "{.fn topic_model} knows the noise of a release."
    ), class = "ldpcounts_argument_error", call = call)
  }
  table <- as_table(counts, "counts", role = "secret", call = call)
  check_modes(table_dim(table), 2, "counts", call)
  counts <- check_counts(table$counts, "counts", call)
  check_complete(counts, "counts", call = call)
  if (any(dim(counts) == 0)) {
    ldp_abort("{.arg counts} must have at least one row and one column.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  counts
}

check_budget <- function(epsilon, delta, call = rlang::caller_env()) {
  if (!identical(epsilon, Inf)) check_positive(epsilon, "epsilon", call)
  if (!is_number(delta) || delta < 0 || delta >= 1) {
    abort_argument(delta, "delta", "one number from 0 to below 1", call)
  }
  if (epsilon < Inf && delta == 0) {
    ldp_abort("{.arg delta} must be above 0 for a finite {.arg epsilon}: Gaussian noise promises no less.",
      class = "ldpcounts_argument_error", call = call
    )
  }
}

# x with noise of standard deviation sigma in every entry; "discrete" noise puts x on a grid first.
perturb <- function(x, sigma, noise, rng, call = rlang::caller_env()) {
  if (sigma == 0) {
    return(x)
  }
  as_release_error(.Call(C_rc_perturb, x, as.double(sigma), noise, rng), call)
}

# Steps of that grid in a standard deviation (src/ldp_perturb.h).
GRID_STEPS <- 2^20

# What is protected, by how much, and what is not.
print_promise <- function(x) {
  if (x$epsilon == Inf) {
    return(cat_wrapped("Not private: no noise was added (epsilon = Inf)."))
  }
  cat_wrapped(paste0(
    "Protected: to ", x$unit, " changes the odds of any outcome by a factor of exp(", format(x$epsilon),
    ") at most, but for a probability of ", format(x$delta), " (epsilon = ", format(x$epsilon), ", delta = ",
    format(x$delta), ").", if (x$noise != "discrete") {
      " Noise is drawn in floating point: the promise is that of the ideal mechanism."
    }
  ))
  cat_wrapped(paste0(
    "Not protected: the words, all settings",
    if (x$unit == "replace one document") ", the number of documents", "; and whoever ran this saw the texts."
  ))
  if (!x$private) {
    cat_wrapped("The noise is R's: for study only, since whoever knows the seed can subtract it.")
  }
}
