# What dp_lda_vi(), dp_lda_score() and compare_privacy() share: the counts that they take, their budget, and
# what print() says of their promise.

# Checked true counts, of at least one document and one word; see document_counts().
central_counts <- function(counts, call) {
  counts <- document_counts(counts, secret = TRUE, call)
  if (any(dim(counts) == 0)) {
    ldp_abort("{.arg counts} must have at least one document and one word.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  counts
}

check_budget <- function(epsilon, delta, call = rlang::caller_env()) {
  epsilon <- check_total_epsilon(epsilon, call)
  delta <- check_delta(delta, call)
  if (epsilon < Inf && delta == 0) {
    ldp_abort("{.arg delta} must be above 0 for a finite {.arg epsilon}: Gaussian noise promises no less.",
      class = "ldpcounts_argument_error", call = call
    )
  }
}

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
