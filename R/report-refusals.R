# Errors for calls that new users are likely to try but that objects of this package do not support. Each
# error says what to do instead. To add a call, add it to the list in answers().

# --- generics -------------------------------------------------------------------------------------

# A list of entries: the class, a sentence that says what to do instead, the package of the generics, and
# their names.
answers <- function() {
  parts <- "{.code x[i, ]} selects rows and {.code x[, j]} columns, with their noise level;"
  cells <- "{.code as.data.frame(x)} returns a data frame with one row per cell."
  vector <- "It is a table of rows and columns, not a vector of counts."
  model <- "It is data: to fit a model, use {.fn topic_model}, {.fn block_model} or {.fn tensor_model}."
  means <- paste(
    "{.code coef(fit)} returns the estimated factors, {.code fitted(fit)} the mean of every count, and",
    "{.code as_draws(fit)} the draws."
  )
  density <- paste(
    "{.code rstantools::log_lik(fit)} returns the log density of each cell in each draw;",
    "{.code loo::loo(fit)} and {.fn compare_k} compare models."
  )
  intervals <- paste(
    "{.code posterior::summarise_draws(as_draws(fit, aligned = TRUE))} returns intervals of parameters, and",
    "{.code fitted(fit, cells = , level = )} intervals of means."
  )
  frames <- paste(
    "{.code tidy(fit)} returns a data frame of the estimated factors, {.code augment(fit)} one of the true",
    "counts, and {.code as.data.frame(as.matrix(fit))} one of the draws."
  )
  picture <- "{.code plot(fit)} plots the fit; {.code as.matrix(fit)} has one column of draws per parameter."
  own <- paste(
    "{.code summary(fit)$parameters} has the means and intervals of the numbers in the state,",
    "{.code tidy(fit)} returns them as a data frame, {.code as_draws(fit)} returns the draws, and",
    "{.code fitted(fit)} the mean of every count."
  )
  convergence <- paste(
    "{.code summary(fit)$convergence} has R-hat and effective sample sizes of label-invariant quantities;",
    "{.code posterior::summarise_draws(as_draws(fit, aligned = TRUE))} has those of each weight."
  )
  counts <- "Use the parts of the list: {.code s$y} has the counts, and {.code s$mu} their means."
  graphs <- c("boxplot", "barplot", "image", "pairs", "lines", "points")
  no_formula <- c("formula", "terms", "model.frame", "model.matrix", "df.residual")
  likelihood <- c("logLik", "deviance", "AIC", "BIC", "anova")
  spread <- c("confint", "vcov", "quantile")
  diagnostics <- c(
    "rhat", "rhat_basic", paste0("ess_", c("basic", "bulk", "tail", "mean", "sd", "quantile")),
    paste0("mcse_", c("mean", "sd", "quantile"))
  )
  groups <- c("mean", "Ops", "Math", "Summary")
  by_groups <- paste(
    NOISE_CHANGES, "{.code private_means(x, by = )} estimates means and totals, with standard errors."
  )
  of_summary <- function(instead) {
    list(
      list(instead, "base", c("plot", "as.data.frame", "as.matrix")), list(instead, "stats", "coef"),
      list(instead, "generics", c("tidy", "glance", "augment"))
    )
  }
  list(
    private_counts = list(
      list(NOISE_CHANGES, "base", c("Ops", "Math", "matrixOps", "rep", "cut", "determinant")),
      list(NOISE_CHANGES, "stats", c("median", "quantile")),
      list(by_groups, "base", c("mean", "Summary", "rowsum")), list(by_groups, "stats", "aggregate"),
      list("Rows are records, and noise levels belong to rows.", "base", c("t", "aperm")),
      list("To add rows, use rbind().", "base", "c"),
      list(
        "Models leave out masked cells; {.code x[rowSums(is.na(x)) == 0, ]} has the complete rows.", "stats",
        c("na.omit", "na.exclude")
      ),
      list("{.code x[order(as.matrix(x)[, j]), ]} sorts the rows by column j.", "base", c("xtfrm", "sort")),
      list(vector, "base", c("unique", "duplicated", "rev", "as.logical", "as.table")),
      list(vector, "stats", c("density", "ftable")),
      list(paste(parts, cells), "base", c("split", "subset", "by", "with", "within", "transform")),
      list(paste(parts, cells), "dplyr", c(
        "filter", "select", "mutate", "arrange", "slice", "summarise", "reframe", "group_by", "count",
        "tally", "rename", "pull", "distinct", "relocate", "left_join", "right_join", "inner_join",
        "full_join", "semi_join", "anti_join"
      )),
      list(cells, "tidyr", c("pivot_longer", "pivot_wider")),
      list("{.code plot(x)}, {.code hist(x)} and {.code heat_map(x)} plot the counts.", "graphics", graphs),
      list(paste(model, cells), "generics", c("tidy", "glance", "augment")),
      list(model, "stats", c(
        "coef", "fitted", "residuals", "predict", "simulate", "update", likelihood, "confint", "vcov"
      ))
    ),
    ldp_fit = list(
      list(density, "stats", likelihood), list(intervals, "stats", spread),
      list(paste(
        "Subtract {.code fitted(fit)} from the counts; {.code summary(fit)} and",
        "{.code plot(fit, type = \"predictive\")} check the family."
      ), "stats", "residuals"),
      list(paste(
        "The model has no formula. {.code print(fit)} shows what was fitted, and {.fn top_terms} returns the",
        "words of topics."
      ), "stats", no_formula),
      list("{.code posterior::as_draws_array(fit)} returns the draws.", "base", c("as.array", "aperm")),
      list("{.code update(fit, warmup = )} drops early draws.", "stats", "window"),
      list("{.code coef(fit)$dispersion} is the estimated dispersion.", "stats", "sigma"),
      list(means, "base", groups), list(means, "stats", "median"), list(means, "utils", c("head", "tail")),
      list(frames, "base", "as.data.frame"), list(frames, "ggplot2", "fortify"),
      list(picture, "graphics", c(graphs, "hist")), list(picture, "stats", "density"),
      list(convergence, "posterior", diagnostics),
      list("{.code coda::as.mcmc.list(fit)} returns all chains.", "coda", "as.mcmc")
    ),
    private_gibbs = list(
      list(own, "stats", c(spread, no_formula)), list(own, "base", groups),
      list(own, "posterior", diagnostics)
    ),
    simulated_counts = list(
      list(counts, "base", c(groups, "plot", "as.matrix", "as.data.frame")),
      list(counts, "graphics", c(graphs, "hist"))
    ),
    summary.ldp_fit = of_summary(
      "Use the fit itself: {.code coef(fit)}, {.code tidy(fit)}, {.code plot(fit)}."
    ),
    summary.private_gibbs = of_summary(own),
    gamma_prior = list(list("{.code curve(dgamma(x, shape, rate))} plots its density.", "base", "plot")),
    beta_prior = list(list("{.code curve(dbeta(x, shape1, shape2))} plots its density.", "base", "plot")),
    privacy_loss = list(list(
      "{.fn print} explains it in words; {.code $epsilon} and {.code $releases} have the numbers.", "base",
      c("plot", "summary", "as.data.frame")
    ))
  )
}

.onLoad <- function(libname, pkgname) {
  threads$process <- Sys.getpid()
  all <- answers()
  for (class in names(all)) for (row in all[[class]]) answer(class, row[[1]], row[[2]], row[[3]])
}

# Registers methods that throw the error, now or when the package of the generics is loaded.
answer <- function(class, sentence, package, generics) {
  force(list(class, sentence, generics))
  method <- function(...) abort_unanswered(.Generic, class, sentence)
  register <- function(...) {
    where <- asNamespace(package)
    for (generic in Filter(function(name) exists(name, where), generics)) {
      registerS3method(generic, class, method, where)
    }
  }
  if (isNamespaceLoaded(package)) register() else setHook(packageEvent(package, "onLoad"), register)
}

ANSWERED <- c(
  private_counts = "a private_counts", ldp_fit = "a fit", private_gibbs = "a fit of private_gibbs()",
  summary.ldp_fit = "the summary of a fit",
  summary.private_gibbs = "the summary of a fit", gamma_prior = "a gamma_prior()",
  beta_prior = "a beta_prior()", privacy_loss = "a privacy_loss()", simulated_counts = "simulated counts"
)

# The functions that users call, named by the generics that these call internally.
CALLED <- c(xtfrm = "order", fortify = "ggplot")

abort_unanswered <- function(generic, class, sentence) {
  call <- if (generic %in% names(CALLED)) CALLED[[generic]] else generic
  what <- if (make.names(call) == call) paste0(call, "()") else paste0("`", call, "`")
  if (class == "private_counts") abort_untrue(what, sentence)
  ldp_abort(c("{what} is not defined for {ANSWERED[[class]]}.", i = sentence), call = NULL)
}

# --- functions without methods --------------------------------------------------------------------

# Functions that are not generic, but first call one of these generics on their argument, with their packages.
CALLERS <- list(
  is.array = c(rowSums = "base", colSums = "base", rowMeans = "base", colMeans = "base"),
  is.matrix = c(cor = "stats", diag = "base", Matrix = "Matrix"), is.numeric = c(heatmap = "stats")
)

refuse_caller <- function(question, asked_by = rlang::caller_fn(2)) {
  callers <- CALLERS[[question]]
  for (name in names(callers)) {
    if (identical(asked_by, get(name, asNamespace(callers[[name]])))) {
      abort_untrue(paste0(name, "()"), "The result would have no noise level.")
    }
  }
  FALSE
}

#' @export
is.array.private_counts <- function(x) refuse_caller("is.array")

#' @export
is.matrix.private_counts <- function(x) refuse_caller("is.matrix")

#' @export
is.numeric.private_counts <- function(x) refuse_caller("is.numeric")

# --- elements -------------------------------------------------------------------------------------

# The element with this name, or NULL if it may be absent. An error is thrown for any other name, which is
# probably a guess at what a function returns.
element_of <- function(x, name) {
  parts <- unclass(x)
  name <- unclass(name) # a class may have a method for length() that fails
  may_be_absent <- if (!inherits(x, "private_counts")) c(names(FIT_PARTS), names(OWN_FIT_PARTS))
  if (rlang::is_string(name) && !name %in% c(names(parts), may_be_absent)) {
    class <- intersect(class(x), names(INSTEAD))[1]
    ldp_abort(c("There is no {.code ${name}} in {ANSWERED[[class]]}.", i = INSTEAD[[class]]), call = NULL)
  }
  parts[[name]]
}

INSTEAD <- c(
  private_counts = paste(
    "{.code as.matrix(x)[, \"name\"]} returns the released counts of a column, {.code x[, \"name\"]} keeps",
    "their noise level, and {.code privacy(x)} returns it."
  ),
  private_gibbs = paste(
    "{.code as.matrix(fit)} returns the draws of the numbers in the state, {.code coef(fit)} their means,",
    "and {.code fitted(fit)} the mean of every count."
  ),
  ldp_fit = paste(
    "{.code coef(fit)} returns the estimated factors, such as {.code coef(fit)$theta}, and",
    "{.code max.col(coef(fit)$theta)} the main component of each row. {.code fitted(fit)} returns the mean",
    "of every count, {.code as_draws(fit)} the draws, and {.code glance(fit)} one row about the run."
  )
)

#' @export
`$.private_counts` <- element_of

#' @export
`[[.private_counts` <- function(x, i, ...) element_of(x, i)

#' @export
`$.ldp_fit` <- element_of

#' @export
`[[.ldp_fit` <- function(x, i, ...) element_of(x, i)

# --- assignments -----------------------------------------------------------------------------------

# A fit is a list, whose parts R would rename or cut off without a word.
refuse_assignment <- function(x, value) {
  ldp_abort(c(
    "The parts of a fit cannot be renamed or cut off.",
    i = "{.fn label_components} names its components; {.fn update} and {.fn subset} change its draws."
  ), class = "ldpcounts_untrue_error", call = NULL)
}

#' @export
`names<-.ldp_fit` <- refuse_assignment
#' @export
`length<-.ldp_fit` <- refuse_assignment
#' @export
`dim<-.ldp_fit` <- refuse_assignment
#' @export
`dimnames<-.ldp_fit` <- refuse_assignment
#' @export
`levels<-.ldp_fit` <- refuse_assignment
