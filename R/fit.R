#' What a fit can tell
#'
#' Methods for the fits of [topic_model()], [block_model()] and [tensor_model()].
#'
#' @details
#' The labels of components are arbitrary, and so is the scale of one factor against another:
#' average `mu` (`fitted()`), never raw factors. `coef()` averages factors after it has matched
#' the components of every draw (Hungarian method) and normalised them (of several [modes()] it describes
#' the leading one alone): topics are distributions
#' over words; communities have a mean weight of 1, and `pi` carries the counts; of a tensor the columns
#' of all factors but the last sum to 1. Components come in order of how much they carry.
#'
#' A fit with `inference = "cavi"` has laws of all weights in place of draws: its `fitted()` and `coef()`
#' are their exact means, and where this page says draws it has up to 200 draws from these laws. Its
#' `summary()` tells, for `convergence`, where each start ended, and its `verdict` speaks of that.
#'
#' @param object,x,fit A fit.
#' @param ... Must be empty: all further arguments are named.
#' @param cells For `fitted()`: only these cells, at their cost. A matrix or data frame with one row per cell
#'   and one column per mode (two of them, the row and the column of the data, but for tensors), with numbers
#'   or labels. Numbers of a data frame are positions, unless each is a label and one is no position; those
#'   that may be both are an error.
#' @param level For `fitted()`: `NULL`, or the probability of an interval of `mu` in each of `cells`, between
#'   0 and 1.
#' @param n For `top_terms()`: how many words.
#' @param aligned Draws as `coef()` averages them, normalised and with one labelling over all chains, or
#'   the raw ones?
#' @return
#' `fitted()`: the posterior mean of `mu`, a matrix or array of the shape of the data (of a network, with an
#' `NA` diagonal), or a vector with one number per row of `cells`, named by the labels of the data. It is
#' computed from the kept draws each time. With `level`: a matrix with one row per row of `cells`, and
#' columns `mean`, `lower` and `upper`, the last two with the same probability on either side. (Intervals of
#' `mu` are not of the counts themselves: those are in [augment()][augment.ldp_fit].)
#'
#' `coef()`: a named list of posterior means of the aligned, normalised factors, with labels.
#'
#' `as.matrix()`: the raw draws, one row per kept draw, chain after chain, one column per
#' parameter: `theta[d,k]` and `phi[k,v]`, or `theta[i,c]` and `pi[c,d]`, or `theta1[i,k]`, `theta2[j,k]`
#' and so on, with numbers for indices; and `rate[theta]` and so on where a [gamma_prior()] has a random rate.
#' With `aligned = TRUE` the factors are those that `coef()` is the mean of, draw by draw: `phi[2,7]` is then
#' of the second topic of `coef()` in all of them. (Rates are of the raw scale, and left out.)
#' `as_draws_matrix()`, `as_draws_array()`, `as_draws()` and so on: the same for the `posterior` package;
#' `as.mcmc.list()` for `coda`. Raw draws come with a message once per session, of class
#' `ldpcounts_raw_draws`: labels of components may differ between chains.
#'
#' `summary()`: a list that prints the model, the run, the components, a table of `convergence`, a
#' `verdict`, which says whether to trust the run and what to do next, and two checks of the family. The
#' table has R-hat and effective sample sizes of label-invariant quantities: the log density of the release,
#' the total of `mu`, the dispersion, 100 cells of `mu`, the totals of 50 rows, and, for 100 pairs of rows,
#' how far the two are in the same components (all spread over the data, the same each time). For each of
#' these three sets the table has the value that 90 % of its quantities reach. A run is trusted if R-hat is
#' at most 1.05 and there are 100 effective draws: the Monte Carlo error of a mean is then a tenth of the
#' posterior standard deviation. (R-hat of four chains that agree is then 1.04 by chance. Vehtari et al.
#' advise 1.01, which is what chance makes of 400 effective draws.) Of a fit with several [modes()]
#' the table is of the chains in the leading one. First of all the
#' verdict compares the fitted total, and the totals of rows, with the released ones, which are unbiased:
#' where they are too far apart for noise (once in 10,000 fits), the prior outweighs the counts, or
#' something else is wrong, however well chains agree.
#'
#' The two checks of the family: `implied_noise`
#' (`NULL` without noise) has `cells`, the number of `positive` cells for which the fit implies noise
#' that the mechanism would add with a `probability` below 1e-9 (such noise is more likely than not, in
#' the mean over about 50 draws), and how many are `expected` at most. A Poisson fit to overdispersed
#' counts implies such noise, see [which-family]. `dispersion_check` (a posterior predictive check of 50
#' replicates, at about 10,000 observed cells) has the mean squared Pearson residual of the release,
#' `observed` and `replicated`, and the share `p` of replicates in which it is larger.
#'
#' `top_terms()`: a character matrix, the words of each topic in a column.
#' @section Errors: of class `ldpcounts_error` for `cells` that are not cells of the data, for misspelt
#'   arguments, for parts that a fit does not have (`fit$theta` is in `coef(fit)`), and for generics that
#'   have no answer for a fit, such as `AIC()` and `confint()`; the error says what to use instead.
#' @references R-hat and effective sample size: Vehtari, A., Gelman, A., Simpson, D., Carpenter, B.
#'   and Bürkner, P.-C. (2021). Rank-normalization, folding, and localization: an improved R-hat for
#'   assessing convergence of MCMC. *Bayesian Analysis* 16. Alignment: Papastamoulis, P. (2016).
#'   label.switching: an R package for dealing with the label switching problem in MCMC outputs.
#'   *Journal of Statistical Software* 69. Posterior predictive checks: Gelman, A., Meng, X.-L. and
#'   Stern, H. (1996). Posterior predictive assessment of model fitness via realized discrepancies.
#'   *Statistica Sinica* 6. Comparing implied noise with the mechanism is ours.
#' @seealso [predict()][predict.ldp_fit] for new documents, [update()][update.ldp_fit] to go on with a
#'   fit, [plot()][plot.ldp_fit], [tidy() and glance()][tidy.ldp_fit], [augment()][augment.ldp_fit],
#'   [ldavis_input()], [log_lik()][log_lik.ldp_fit].
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 100)
#' dim(fitted(fit))
#' fitted(fit, cells = cbind(c(1, 2), c(5, 7)))
#' fitted(fit, cells = cbind(c(1, 2), c(5, 7)), level = 0.9)
#' top_terms(fit, n = 5)
#' summary(fit)
#' @srrstats {UL4.4} summary().
#' @srrstats {BS6.4} summary().
#' @srrstats {UL3.1} components come in order of what they carry.
#' @srrstats {UL3.0} so do communities.
#' @name ldp_fit-methods
#' @aliases as_draws as_draws_array as_draws_matrix
NULL

# --- what a fit is -------------------------------------------------------------------------------

# The format of fits. 2: the model is known by the class of the fit, and no longer part of it. 3:
# with a family. 4: with the kind of inference.
FIT_VERSION <- 4L

# The model that a fit is of (a list, see R/gibbs.R), whatever version of the package made it.
model_of <- function(fit) {
  check_version(fit$version, "a fit", FIT_VERSION)
  switch(class(fit)[1],
    topic_model = topics_model,
    block_model = if (isFALSE(fit$directed)) undirected_model else blocks_model,
    tensor_model = tensor_of(length(dim(fit$data)))
  )
}

is_network <- function(fit) model_of(fit)$network != "none"

family_of <- function(fit) if (is.null(fit$family)) poisson_family else fit$family

# What the model sees of the data of a fit, as model_data() has it.
input_of <- function(fit) quietly(model_input(model_of(fit), fit$data, fit$noise))

# Without what a fit warned of, or told, already.
quietly <- function(code) {
  told <- c("ldpcounts_self_loops", "ldpcounts_symmetric", "ldpcounts_declared_alpha", "ldpcounts_large_k")
  suppressWarnings(suppressMessages(code, classes = "ldpcounts_one_draw"), classes = told)
}

# --- draws ------------------------------------------------------------------------------------

n_draws <- function(fit) fit$run$kept * fit$run$chains

# The posterior mean of f(factors, size), which is linear in each factor and in the size of events: over
# kept draws, modes by their shares, or under q, where all of these are independent, and means of products are
# products of means.
posterior_mean_of <- function(fit, f) {
  if (is_cavi(fit)) {
    return(f(q_factors(fit), q_event_size(fit)))
  }
  total <- 0
  draws <- shared_draws(fit)
  for (s in draws) {
    total <- total + f(draw_factors(fit, s), event_size(draw_excess(fit, s)))
  }
  total / length(draws)
}

# About n kept draws, spread over all chains, modes by their shares.
spread_draws <- function(fit, n) spread_over(shared_draws(fit), n)

# About n of these, from the first to the last.
spread_over <- function(x, n) x[unique(round(seq(1, length(x), length.out = min(n, length(x)))))]

# The factors of kept draw s, as users see them, without labels.
draw_factors <- function(fit, s) {
  factors <- lapply(model_of(fit)$factors, function(name) {
    draws <- fit$draws[[name]]
    turn(model_of(fit), name, matrix(draws[, , s], dim(draws)[1]))
  })
  stats::setNames(factors, model_of(fit)$factors)
}

# dispersion - 1 in kept draw s: one number, one per row, or none of Poisson counts.
draw_excess <- function(fit, s) fit$draws$excess[, 1, s]

# That of some cells: one number, or one a cell; 0 of Poisson counts.
draw_cell_excess <- function(fit, s, cells) {
  excess <- draw_excess(fit, s)
  if (length(excess) > 1) excess[cells[, 1]] else if (length(excess) == 1) excess else 0
}

# mu of some cells, with these factors, and in kept draw s.
cell_mean <- function(fit, factors, size, cells) {
  if (length(size) > 1) size <- size[cells[, 1]]
  model_of(fit)$cell_mean(factors, cells) * size
}
draw_cell_mean <- function(fit, s, cells) {
  cell_mean(fit, draw_factors(fit, s), event_size(draw_excess(fit, s)), cells)
}
draw_row_bounds <- function(fit, s) {
  model_of(fit)$row_bounds(draw_factors(fit, s)) * event_size(draw_excess(fit, s))
}
draw_row_totals <- function(fit, s) {
  model_of(fit)$row_totals(draw_factors(fit, s)) * event_size(draw_excess(fit, s))
}
draw_total <- function(fit, s) sum(draw_row_totals(fit, s))

# Where other runs start from a fit: the last draw of each chain, or the means of q.
last_draws <- function(fit) {
  if (is_cavi(fit)) {
    excess <- q_mean_excess(fit)
    return(list(c(q_factors(fit), if (length(excess) > 0) list(dispersion = 1 + excess))))
  }
  lapply(seq_len(fit$run$chains) * fit$run$kept, function(s) {
    excess <- draw_excess(fit, s)
    c(draw_factors(fit, s), if (length(excess) > 0) list(dispersion = 1 + excess))
  })
}

component_names <- function(fit) paste0(model_of(fit)$component, seq_len(fit$k))

# NULL where there are no labels (a Matrix has list(NULL, NULL)).
data_dimnames <- function(fit) {
  labels <- dimnames(fit$data)
  if (is_network(fit)) { # rows and columns are the same actors: the names of one serve both
    names <- if (is.null(labels[[1]])) labels[[2]] else labels[[1]]
    labels <- list(names, names)
  }
  if (length(unlist(labels)) > 0) labels
}

factor_dimnames <- function(fit) {
  labels <- data_dimnames(fit)
  lapply(model_of(fit)$indices, function(of_factor) {
    each <- lapply(of_factor, function(index) if (index > 0) labels[[index]] else component_names(fit))
    titles <- vapply(of_factor, function(index) if (index > 0) mode_names(fit)[index] else "component", "")
    if (!is.null(names(labels))) stats::setNames(each, titles) else each
  })
}

#' @rdname ldp_fit-methods
#' @importFrom stats fitted
#' @export
fitted.ldp_fit <- function(object, ..., cells = NULL, level = NULL) {
  check_no_dots(...)
  check_fit(object)
  if (!is.null(level)) {
    level <- check_share(level, "level", open = TRUE)
    if (is.null(cells)) abort_argument(cells, "cells", "given where `level` is", rlang::current_env())
  }
  if (is.null(cells)) {
    return(`dimnames<-`(posterior_mean(object), data_dimnames(object)))
  }
  cells <- check_cells(cells, dim(object$data), data_dimnames(object))
  mean <- mean_of_cells(object, cells)
  labels <- if (!is.null(data_dimnames(object))) unname(label_cells(object, cells))
  names <- if (!is.null(labels)) do.call(paste, c(labels, sep = ", "))
  if (is.null(level)) {
    return(stats::setNames(mean, names))
  }
  `rownames<-`(cbind(mean, mean_intervals(object, cells, level)), names)
}

# Equal-tailed intervals of mu in some cells, over draws.
mean_intervals <- function(fit, cells, level) {
  draws <- shared_draws(fit)
  ends <- matrix(0, nrow(cells), 2, dimnames = list(NULL, c("lower", "upper")))
  for (at in blocks_of(nrow(cells), length(draws))) {
    mu <- each_draw(draws, length(at), function(s) draw_cell_mean(fit, s, cells[at, , drop = FALSE]))
    ends[at, ] <- t(apply(mu, 1, stats::quantile, (1 + c(-1, 1) * level) / 2, names = FALSE, na.rm = TRUE))
  }
  ends
}

# The posterior mean of mu in some cells: of many, all cells at once cost less.
mean_of_cells <- function(fit, cells) {
  if (nrow(cells) > prod(dim(fit$data)) / 4) {
    mean <- posterior_mean(fit)
    return(matrix(mean, nrow(mean))[cells])
  }
  posterior_mean_of(fit, function(factors, size) cell_mean(fit, factors, size, cells))
}

posterior_mean <- function(fit) {
  posterior_mean_of(fit, function(factors, size) model_of(fit)$mean(factors) * size)
}

# Cells of data with these extents and labels as pairs of a row and a column of their table, from an
# index matrix of numbers or labels.
check_cells <- function(cells, dim, labels, call = rlang::caller_env()) {
  n <- length(dim)
  given <- cells_by_mode(cells, n, names(labels))
  if (is.null(given)) {
    columns <- if (n == 2) "two columns, row and column" else paste(n, "columns, one a mode")
    ldp_abort(c(
      "{.arg cells} must be a matrix, or a data frame, of numbers or labels with {columns}.",
      x = "It is {describe_type(cells)}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  index <- matrix(0, nrow(cells), n)
  for (margin in seq_len(n)) {
    at <- given[[margin]]
    if (is.data.frame(cells) && is.numeric(at)) at <- number_or_label(at, dim[margin], labels[[margin]], call)
    index[, margin] <- if (is.character(at)) match_labels(at, labels[[margin]], call) else at
    inside <- index[, margin] %in% seq_len(dim[margin])
    if (!all(inside)) {
      ldp_abort(c(
        "{.arg cells} must be cells of the data, which are {paste(dim, collapse = ' x ')}.",
        x = "Row {which(!inside)[1]} of {.arg cells} is not."
      ), class = "ldpcounts_argument_error", call = call)
    }
  }
  fold_cells(index, dim)
}

# Numbers in a data frame may be labels, such as those of respondents: as text where they are.
number_or_label <- function(at, extent, labels, call) {
  place <- match(as.character(at), labels)
  other <- !is.na(place) & place != at
  if (!any(other)) {
    return(at)
  }
  if (!anyNA(place) && !all(at %in% seq_len(extent))) {
    return(as.character(at))
  }
  ldp_abort(c(
    "Numbers in {.arg cells} must be positions or labels, and may be both: labels are numbers.",
    x = "Row {which(other)[1]} of {.arg cells} has a number that is the label of another position.",
    i = "For labels, make text of the column: {.fn as.character}.",
    i = "For positions, use an index matrix: {.fn cbind}."
  ), class = "ldpcounts_argument_error", call = call)
}

# A list of the numbers or labels of each mode, or NULL. A data frame may have further columns, where its
# modes are called as augment() or as.data.frame() of a release call them.
cells_by_mode <- function(cells, n, titles) {
  if (is.data.frame(cells)) {
    called <- Filter(function(names) length(names) == n && all(names %in% names(cells)),
      list(titles, mode_titles(n)))
    given <- lapply(if (length(called) > 0) called[[1]] else seq_along(cells), function(j) {
      if (is.factor(cells[[j]])) as.character(cells[[j]]) else cells[[j]]
    })
    valid <- vapply(given, function(x) {
      (is_plain_numeric(x) || is.character(x)) && length(x) == nrow(cells)
    }, TRUE)
    return(if (length(given) == n && all(valid)) given)
  }
  if (is.matrix(cells) && ncol(cells) == n && (is.numeric(cells) || is.character(cells))) {
    lapply(seq_len(n), function(mode) cells[, mode])
  }
}

# The places of labels among those of a mode, NA where there is none. What several have is no label to look
# up by.
match_labels <- function(wanted, labels, call = NULL) {
  twice <- intersect(wanted, labels[duplicated(labels)])
  if (length(twice) > 0) {
    ldp_abort(c(
      "{encodeString(twice[1], quote = '\"')} is the label of several rows, columns or indices of a mode.",
      i = "Use numbers, or make the labels unique: {.fn make.unique}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  match(wanted, labels)
}

# Cells as check_cells() has them, of the data of a fit.
check_data_cells <- function(cells, fit, call = rlang::caller_env()) {
  cells <- check_cells(cells, dim(fit$data), data_dimnames(fit), call = call)
  check_cells_of_network(cells, model_of(fit)$network, call = call)
}

# A network's diagonal has none of its cells; pairs of an undirected one are i < j.
check_cells_of_network <- function(cells, network, call = rlang::caller_env()) {
  if (network == "none") {
    return(cells)
  }
  loops <- cells[, 1] == cells[, 2]
  if (any(loops)) {
    ldp_abort(c(
      "{.arg cells} must be off the diagonal of the network, which is not data.",
      x = "Row {which(loops)[1]} of {.arg cells} is on it."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (network == "directed") {
    return(cells)
  }
  cbind(pmin(cells[, 1], cells[, 2]), pmax(cells[, 1], cells[, 2]))
}

# All parameters of all draws: one row per draw.
#' @rdname ldp_fit-methods
#' @export
as.matrix.ldp_fit <- function(x, ..., aligned = FALSE) {
  check_no_dots(...)
  check_fit(x)
  factors <- if (check_flag(aligned, "aligned")) aligned_draws(x) else raw_draws(x)
  do.call(cbind, c(factors, list(if (!aligned) rate_draws(x), dispersion_draws(x))))
}

# A list of matrices, one per factor: a row per draw, a named column per number.
raw_draws <- function(fit) {
  model <- model_of(fit)
  lapply(model$factors, function(name) {
    draws <- fit$draws[[name]]
    in_columns(if (model$transposed[[name]]) aperm(draws, c(2, 1, 3)) else draws, name)
  })
}

aligned_draws <- function(fit) {
  model <- model_of(fit)
  orders <- alignment(fit)$orders
  draws <- lapply(seq_len(n_draws(fit)), function(s) {
    model$permute(normalised_draw(fit, s), orders[, s])
  })
  lapply(model$factors, function(name) {
    each <- lapply(draws, `[[`, name)
    in_columns(array(unlist(each), c(dim(each[[1]]), length(each))), name)
  })
}

# From an array with a slice per draw.
in_columns <- function(draws, name) {
  shape <- dim(draws)
  columns <- matrix(draws, shape[1] * shape[2])
  rownames(columns) <- paste0(
    name, "[", rep(seq_len(shape[1]), shape[2]), ",", rep(seq_len(shape[2]), each = shape[1]), "]"
  )
  t(columns)
}

# One row per draw, also where the dispersion is fixed; NULL for the Poisson family.
dispersion_draws <- function(fit) {
  family <- family_of(fit)
  if (family$name == "poisson") {
    return(NULL)
  }
  if (!is_estimated(family)) {
    return(matrix(family$dispersion, n_draws(fit), 1, dimnames = list(NULL, "dispersion")))
  }
  draws <- 1 + t(matrix(fit$draws$excess, dim(fit$draws$excess)[1]))
  colnames(draws) <- if (family$by == "row") {
    paste0("dispersion[", seq_len(ncol(draws)), "]")
  } else {
    "dispersion"
  }
  draws
}

# The draws of the rates that are random, or NULL.
rate_draws <- function(fit) {
  priors <- fit$prior[model_of(fit)$factors]
  random <- vapply(priors, has_random_rate, TRUE)
  if (any(random)) {
    rates <- t(matrix(fit$draws$rate, length(random)))
    colnames(rates) <- paste0("rate[", names(priors), "]")
    rates[, random, drop = FALSE]
  }
}

#' @rdname ldp_fit-methods
#' @export
as_draws_array.ldp_fit <- function(x, ..., aligned = FALSE) {
  check_no_dots(...)
  if (missing(aligned)) tell_raw_draws(x)
  stack_chains(as.matrix(x, aligned = aligned), x$run)
}

# R-hat of raw weights is large whenever two chains number their components differently.
tell_raw_draws <- function(fit) {
  if (fit$k > 1 && fit$run$chains > 1) {
    cli::cli_inform(c(
      "These are raw draws: chains may number their components differently, which makes R-hat large.",
      i = "{.code aligned = TRUE} gives draws with one numbering, as in {.fn coef}."
    ), class = "ldpcounts_raw_draws", .frequency = "once", .frequency_id = "ldpcounts_raw_draws")
  }
}

# Draws of posterior, from a row per draw, chain after chain.
stack_chains <- function(draws, run) {
  posterior::as_draws_array(array(draws, c(run$kept, run$chains, ncol(draws)),
    dimnames = list(NULL, NULL, colnames(draws))
  ))
}

#' @rdname ldp_fit-methods
#' @export
as_draws_matrix.ldp_fit <- function(x, ...) posterior::as_draws_matrix(as_draws_array(x, ...))

#' @rdname ldp_fit-methods
#' @export
as_draws.ldp_fit <- function(x, ...) as_draws_array(x, ...)

# The methods of posterior for anything would not hear of `aligned`.
#' @rdname ldp_fit-methods
#' @exportS3Method posterior::as_draws_df
as_draws_df.ldp_fit <- function(x, ...) posterior::as_draws_df(as_draws_array(x, ...))

#' @rdname ldp_fit-methods
#' @exportS3Method posterior::as_draws_list
as_draws_list.ldp_fit <- function(x, ...) posterior::as_draws_list(as_draws_array(x, ...))

#' @rdname ldp_fit-methods
#' @exportS3Method posterior::as_draws_rvars
as_draws_rvars.ldp_fit <- function(x, ...) posterior::as_draws_rvars(as_draws_array(x, ...))

#' @rdname ldp_fit-methods
#' @exportS3Method coda::as.mcmc.list
as.mcmc.list.ldp_fit <- function(x, ..., aligned = FALSE) {
  check_no_dots(...)
  if (missing(aligned)) tell_raw_draws(x)
  as_mcmc_list(as.matrix(x, aligned = aligned), x$run)
}

# Draws of coda, from a row per draw, chain after chain, with the numbers of their sweeps.
as_mcmc_list <- function(draws, run) {
  chains <- split(seq_len(nrow(draws)), rep(seq_len(run$chains), each = run$kept))
  coda::mcmc.list(lapply(unname(chains), function(rows) {
    coda::mcmc(draws[rows, , drop = FALSE], start = run$warmup + run$thin, thin = run$thin)
  }))
}

# --- aligned factors --------------------------------------------------------------------------

# The order of the components of `signature` (k rows) that best matches `target`: largest sum
# of affinities.
match_components <- function(signature, target) {
  as.integer(clue::solve_LSAP(affinities(signature, target), maximum = TRUE))
}

# sum sqrt(p q) of the rows as distributions: those of `target` in rows, of `signature` in columns.
affinities <- function(signature, target) {
  tcrossprod(sqrt(target / rowSums(target)), sqrt(signature / rowSums(signature)))
}

#' @rdname ldp_fit-methods
#' @importFrom stats coef
#' @export
coef.ldp_fit <- function(object, ...) {
  check_no_dots(...)
  check_fit(object)
  means <- alignment(object)$means
  dispersion <- posterior_dispersion(object)
  c(Map(`dimnames<-`, means, factor_dimnames(object)), if (!is.null(dispersion)) {
    list(dispersion = label_dispersion(dispersion, object))
  })
}

# Means, one or one per row; NULL for the Poisson family.
posterior_dispersion <- function(fit) {
  if (is_cavi(fit) && is_estimated(family_of(fit))) {
    return(1 + q_mean_excess(fit))
  }
  draws <- dispersion_draws(fit)
  if (!is.null(draws)) colMeans(draws)
}

# One labelling over all draws, by size: the means of the normalised factors, and the order that gives
# the components of each draw these labels, one column per draw. Labels never switch between draws from q.
alignment <- function(fit) {
  model <- model_of(fit)
  found <- if (is_cavi(fit)) {
    list(means = normalised_means(fit), orders = matrix(seq_len(fit$k), fit$k, n_draws(fit)))
  } else {
    match_draws(fit)
  }
  by_size <- order(-model$size(found$means))
  list(means = model$permute(found$means, by_size), orders = found$orders[by_size, , drop = FALSE])
}

# Means of the normalised factors: the mean of a ratio is not the ratio of the means.
normalised_means <- function(fit) {
  n <- n_draws(fit)
  total <- normalised_draw(fit, 1)
  for (s in seq_len(n)[-1]) total <- Map(`+`, total, normalised_draw(fit, s))
  lapply(total, `/`, n)
}

# The means of the leading mode alone, and the order of the components of every draw.
match_draws <- function(fit) {
  leading <- leading_draws(fit)
  found <- matched_means(fit, leading)
  orders <- matrix(0L, fit$k, n_draws(fit))
  orders[, leading] <- found$orders
  target <- model_of(fit)$signature(found$means)
  for (s in setdiff(seq_len(n_draws(fit)), leading)) {
    orders[, s] <- match_components(model_of(fit)$signature(normalised_draw(fit, s)), target)
  }
  list(means = found$means, orders = orders)
}

# Means of the normalised factors over some draws, their components matched twice over: to the last of these
# draws, then to the mean that this gave.
matched_means <- function(fit, draws) {
  model <- model_of(fit)
  orders <- matrix(0L, fit$k, length(draws))
  target <- model$signature(normalised_draw(fit, draws[length(draws)]))
  for (pass in 1:2) {
    total <- NULL
    for (i in seq_along(draws)) {
      draw <- normalised_draw(fit, draws[i])
      orders[, i] <- match_components(model$signature(draw), target)
      draw <- model$permute(draw, orders[, i])
      total <- if (is.null(total)) draw else Map(`+`, total, draw)
    }
    means <- lapply(total, `/`, length(draws))
    target <- model$signature(means)
  }
  list(means = means, orders = orders)
}

normalised_draw <- function(fit, s) model_of(fit)$normalise(draw_factors(fit, s))

label_dispersion <- function(dispersion, fit) {
  stats::setNames(dispersion, if (length(dispersion) > 1) data_dimnames(fit)[[1]])
}

#' @rdname ldp_fit-methods
#' @export
top_terms <- function(fit, n = 10, ...) {
  check_no_dots(...)
  if (!inherits(fit, c("topic_model", "dp_lda"))) {
    expected <- "a fit of topic_model(), dp_lda_spectral() or dp_lda_vi()"
    abort_argument(fit, "fit", expected, rlang::current_env())
  }
  top_words(coef(fit)$phi, check_whole(n, "n", 1))
}

top_words <- function(phi, n) {
  n <- min(n, ncol(phi))
  words <- colnames(phi)
  if (is.null(words)) {
    words <- as.character(seq_len(ncol(phi)))
  }
  terms <- apply(phi, 1, function(weights) words[largest_first(weights, n)])
  matrix(terms, n, dimnames = list(NULL, rownames(phi)))
}

# --- in words ---------------------------------------------------------------------------------

describe_data <- function(fit) {
  size <- paste(dim(fit$data), collapse = " x ")
  if (!fit$private) {
    return(paste(size, "true counts, not private"))
  }
  noise <- if (fit$noise == "model") "their noise modelled" else "their noise ignored"
  paste0(size, " private counts, ", format_level(fit$data), ", ", noise)
}

print_simulation <- function(fit) {
  if (fit$private && privacy(fit$data)$rng == "R") cat_wrapped(rng_sentence("R"))
}

describe_run <- function(fit) {
  run <- fit$run
  size <- format_bytes(8 * sum(lengths(fit$draws)))
  paste0(
    count_of(run$chains, "chain"), " of ", count_of(run$iter, "sweep"), ", ", run$warmup,
    " of them warmup; ", count_of(n_draws(fit), "draw"), " kept (", size, "); ",
    format(round(fit$seconds, 1)), " s"
  )
}

#' @srrstats {BS6.0} print().
#' @srrstats {UL4.3} model, method and run.
#' @srrstats {UL4.3a} a few lines, whatever the size.
#' @export
print.ldp_fit <- function(x, ...) {
  check_fit(x)
  cat_wrapped(paste0(model_of(x)$label, ", k = ", x$k, ", of ", describe_data(x)))
  print_simulation(x)
  cat_wrapped(paste0("Family: ", describe_family(family_of(x))))
  priors <- vapply(x$prior[model_of(x)$factors], format, "")
  same <- length(unique(priors)) == 1
  cat_wrapped(paste0("Prior: ", if (same) priors[1] else paste(names(priors), priors,
    sep = " ~ ", collapse = ", "
  ), if (is_estimated(family_of(x))) paste0(", ", format(family_of(x)$prior))))
  cat_wrapped(paste0(
    if (is_cavi(x)) "CAVI (" else "Gibbs (", x$augmentation, "): ",
    if (is_cavi(x)) describe_passes(x) else describe_run(x)
  ))
  if (!is.null(x$run$wanted)) {
    done <- if (is_cavi(x)) x$run$passes else x$run$iter
    cat_wrapped(paste0(
      "Interrupted: ", done, " of ", x$run$wanted, if (is_cavi(x)) " passes. " else " sweeps. ",
      "update(fit, iter = ", x$run$wanted - done, ") continues the run."
    ))
  }
  cat_wrapped("See summary(), fitted(), coef(), plot(), as.matrix().")
  invisible(x)
}

#' @rdname ldp_fit-methods
#' @export
summary.ldp_fit <- function(object, ...) {
  check_no_dots(...)
  check_fit(object)
  cavi <- is_cavi(object)
  table <- if (cavi) starts_table(object) else leading_convergence(object)
  network <- model_of(object)$network
  values <- stored_values(released_counts(object$data))
  contradicted <- object$noise == "model" && !is.null(contradiction_of(object$data, network))
  structure(
    list(
      fit = object, coef = coef(object), convergence = table,
      verdict = if (contradicted) {
        CONTRADICTED
      } else if (!any(values > 0, na.rm = TRUE)) {
        "There is nothing to learn: no observed count is above zero, and the fit shows its prior."
      } else if (cavi) {
        cavi_verdict(table, object$augmentation)
      } else {
        verdict_of(object, table)
      },
      contradicted = contradicted,
      implied_noise = implied_noise(object), dispersion_check = dispersion_check(object)
    ),
    class = "summary.ldp_fit"
  )
}

CONTRADICTED <- paste(
  "The declared alpha and the counts at or below zero cannot both be right, so this fit is not to be",
  "trusted: see summary() of the release, correct its alpha, or declare that it is clamped, and fit again."
)

total_draws <- function(fit) {
  vapply(seq_len(n_draws(fit)), function(s) draw_total(fit, s), 0)
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
  cat_wrapped(paste0(shown, " (", share[shown], " %): ", leaders[shown]))
  if (is_cavi(x$fit)) {
    cat("\nWhere the starts ended:\n")
    print(format(x$convergence, digits = 8))
  } else {
    cat("\nConvergence of label-invariant quantities:\n")
    print(signif(x$convergence, 4))
    cat_wrapped("A row without a mean is about many quantities: 90 % of them do at least as well.")
  }
  cat("\n")
  cat_wrapped(x$verdict)
  # what a wrong alpha looks like is nothing that another family would mend
  for (line in if (!x$contradicted) describe_family_checks(x)) {
    cat("\n")
    cat_wrapped(line)
  }
  invisible(x)
}

# Does the family fit? A line on the noise that it implies, and one on how spread counts are.
describe_family_checks <- function(summary) {
  family <- family_of(summary$fit)
  implied <- summary$implied_noise
  refit <- !is.null(implied) && implied$cells > 0
  c(
    describe_implied_noise(implied, family),
    describe_dispersion(summary$dispersion_check, family, refit)
  )
}

# What stands out in each component: words, or actors, or some of each mode.
leading_labels <- function(fit, coef, n = 8) {
  model <- model_of(fit)
  each <- lapply(model$leading, function(name) {
    of_component <- model$indices[[name]][1] == 0
    weights <- if (of_component) coef[[name]] else t(coef[[name]])
    apply(top_words(weights, ceiling(n / length(model$leading))), 2, paste, collapse = ", ")
  })
  do.call(paste, c(each, sep = "; "))
}
