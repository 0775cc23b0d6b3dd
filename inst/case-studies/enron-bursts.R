# Where the errors of the two families come from: cells with few messages, or with many? Answers why
# the absolute error and the proper scores of enron-methods.R disagree about the Poisson model; the
# paper has no such figure.
#
# A tenth of the cells is held out, the same for all units of a repetition. Cells are put into classes
# by their true count. A row is a class of a fit, with
#
# `cells`, `held_out`          how many cells of the class are seen, and held out;
# `total`, `fitted`            the sums of true counts and of their estimates, of cells that are seen;
# `mae`                        the part of the class in the mean absolute error of seen cells;
# `density`                    its part in the mean log density of held-out cells;
# `never_made`, `positive`     of the fit: how many of its positive cells it explains by noise that the
#                              mechanism makes with probability below 1e-9; see summary().

settings <- list(
  seed = 5000, k = 10, iter = 500,
  from = c("0" = 0, "1 to 10" = 1, "11 to 100" = 11, "over 100" = 101)
)

analyses <- data.frame(
  noise = c("none", "ignore", "model", "model", "model"), epsilon = c(NA, 1, 3, 1, 0.5)
)
units <- merge(analyses, expand.grid(
  family = c("poisson", "nbinom1"), repetition = 1, stringsAsFactors = FALSE
))

run_unit <- function(unit, settings) {
  held_out <- holdout_cells(enron_network)
  data <- held_out$train
  if (unit$noise != "none") {
    data <- privatize(enron_network, unit$epsilon, rng = "R")
    is.na(data) <- held_out$cells
  }
  fit <- block_model(data, settings$k,
    family = unit$family, prior = gamma_prior(0.1, 1),
    noise = if (unit$noise == "ignore") "ignore" else "model", iter = settings$iter, chains = 1,
    init = "random"
  )
  found <- errors_by_class(fit, held_out, settings$from)
  never_made <- summary(fit)$implied_noise # NULL where no noise is modelled
  found$never_made <- if (is.null(never_made)) NA else never_made$cells
  found$positive <- if (is.null(never_made)) NA else never_made$positive
  found
}

errors_by_class <- function(fit, held_out, from) {
  class_of <- function(y) cut(y, c(from, Inf), names(from), right = FALSE)
  seen <- !is.na(as.matrix(held_out$train)) & row(enron_network) != col(enron_network)
  y <- enron_network[seen]
  estimate <- fitted(fit)[seen]
  density <- held_out_density(fit, enron_network, held_out$cells)$pointwise
  by_class <- function(x, y) as.vector(signif(tapply(x, class_of(y), sum), 4))
  data.frame(
    class = names(from), cells = as.vector(table(class_of(y))),
    held_out = as.vector(table(class_of(enron_network[held_out$cells]))),
    total = as.vector(tapply(y, class_of(y), sum)), fitted = by_class(estimate, y),
    mae = by_class(abs(estimate - y) / length(y), y),
    density = by_class(density / length(density), enron_network[held_out$cells])
  )
}
