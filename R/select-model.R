# The model function that compare_k() and compare_methods() call for given data.

MODELS <- c("topic", "block", "tensor")

# The model that the user chose or, by default, the one that the data suggest. `given`: names of further
# arguments.
check_model <- function(model, data, arg, dims, given, call = rlang::caller_env()) {
  if (!identical(model, MODELS)) {
    return(check_choice(model, "model", MODELS, call))
  }
  model <- choose_model(data, arg, dims, given, call)
  told <- switch(model,
    block = c(
      "Comparing block models, because {.arg {arg}} has the same actors in rows and columns.",
      i = "To compare topic models, use {.code model = \"topic\"}."
    ),
    tensor = "Comparing tensor models, because {.arg {arg}} has more than two modes."
  )
  tell_if(!is.null(told), told, "ldpcounts_model_chosen")
  model
}

choose_model <- function(data, arg, dims, given, call) {
  if ("directed" %in% given || (inherits(data, "private_counts") && !privacy(data)$directed)) {
    return("block")
  }
  counts <- suppressMessages(given_counts(data, arg, dims = dims, call = call)) # they are issued by the fit
  dim <- dim(counts)
  if (length(dim) != 2 || dim[1] != dim[2] || dim[1] < 2) {
    return(if (length(dim) > 2) "tensor" else "topic")
  }
  labels <- dimnames(counts)
  unlabelled <- is.null(labels[[1]]) || is.null(labels[[2]])
  check_that(!unlabelled || inherits(data, c("igraph", "network")), c(
    "{.arg model} must be given: {.arg {arg}} is square, and has no labels that show if it is a network.",
    i = "Use {.code model = \"block\"} if rows and columns are the same actors.",
    i = "Use {.code model = \"topic\"} if rows are documents (or other records) and columns words (or items)."
  ), call)
  if (setequal(labels[[1]], labels[[2]])) "block" else "topic"
}

# If the user interrupts a fit, the whole comparison ends: an incomplete fit is not scored.
whole_fit <- function(code) {
  tryCatch(code, ldpcounts_interrupted = function(cut_short) rlang::interrupt())
}

# Checks that every argument is one of the comparison (`own`), of a model or of its inference.
check_known <- function(given, own, call = rlang::caller_env()) {
  taken <- c(list(topic_model, block_model, tensor_model), INFERENCES)
  known <- c(own, unlist(lapply(taken, function(f) names(formals(f)))))
  unknown <- setdiff(given, c(known, ""))
  if (length(unknown) > 0) abort_unknown(unknown[1], setdiff(known, "..."), call)
}
