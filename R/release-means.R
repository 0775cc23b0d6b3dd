# Design-based means, totals and differences of groups, from a release alone.

#' Means, totals and differences of groups, from released counts
#'
#' Estimates means or totals of true counts by group and item, and differences between groups, from a release
#' of a survey. Standard errors include sampling and noise. No model of the counts is assumed.
#'
#' @details The noise has mean zero, so the weighted mean of released counts is as good an estimate of a mean
#' as that of the true counts, apart from its larger variance. The variance has two parts.
#'
#' * Sampling: the linearised variance of package survey (functions `svymean()`, `svytotal()` and `svyby()`).
#'   Rows are sampled on their own (no clusters). If `population` is one number, or not given, all rows are
#'   one sample and groups are domains of it, so the number of rows in a group is random, which makes totals
#'   less certain. If `population` has one number per group, each group is a stratum with a sample of its own.
#' * Noise: `2 alpha / (1 - alpha)^2` per cell, with the `alpha` of the row, times its squared weight. Of other
#'   mechanisms ([mechanisms]) discrete Gaussian, Skellam, Laplace and Gaussian noise are accepted, with their
#'   variances, and random rounding, with `(base^2 - 1) / 6`, its variance if all remainders are equally frequent.
#'
#' Released counts of different people differ by noise as well as by their true counts. So the variance that
#' is computed from released counts already contains the noise, and noise is not added to it again. But a
#' finite population makes the sampling part smaller, by a factor `1 - n/N`, and not the noise. With equal
#' weights and one noise level, the variance of a mean is
#'
#' `(1 - n/N) (s^2 - v) / n + v / n`,
#'
#' where `s^2` is the variance of released counts within the group and `v` that of the noise. If all members
#' of the population are in the release, set `population` to their number. Then only the noise is uncertain.
#'
#' With a `design`, estimates and the variance of sampling are those of package survey for the released
#' counts. Where the design has finite populations, the variance of the noise is added that they would take
#' away: a share of the noise of each row which is the product of its sampling fractions. Degrees of freedom
#' are the number of clusters minus the number of strata in the group.
#'
#' Intervals are `estimate` plus and minus quantiles of the t distribution. Its degrees of freedom `df` are
#' the number of observed rows of the group minus one (for totals of domains, that of all rows), or more where
#' the known variance of the noise is a part of the variance (Satterthwaite's formula). As in package survey,
#' the sampling variance in a domain of `m` rows is too small by a factor of about `1 - 1/m`. For this
#' reason, and because counts are skewed, intervals in groups of fewer than 20 rows are too short.
#'
#' Masked cells are left out, as if they had not been sampled: this assumes that they do not differ from
#' observed cells of the group. Totals are extrapolated to the masked cells.
#' @param release A release with one row per person: a [private_counts()] or a [private_vector]; true counts
#'   can be declared with `private_counts(y, alpha = 0)`. Or a formula of columns of `data`, such as `days ~
#'   sex + region` with groups on its right side, `cbind(days, visits) ~ sex` for several counts, or `~ days +
#'   visits` without groups.
#' @param by Groups of rows: a factor, a vector, or a data frame of these, with one value per row of the
#'   release, without missing values; or a formula such as `~ gender + age`, of columns of `data`. By default
#'   all rows are one group, `"all"`. The values of several columns are combined (`"women, 30 to 49"`).
#' @param data For a formula: the data frame that has its variables, with one row per row of the release. It
#'   may be the second argument: `private_means(days ~ sex, people)`. `weights` is evaluated in it first.
#' @param design A design that `survey::svydesign()` has made of a data frame, instead of `data`, `weights`
#'   and `population`: strata, clusters, weights and finite populations are those of the design.
#' @param weights Sampling weights: positive numbers, one per row, the number of people for whom the row
#'   stands. By default the size of the population divided by the number of rows, or 1 if there is no
#'   `population`.
#' @param ... Must be empty.
#' @param what `"means"` per person, or `"totals"` over the population (over the rows of the release if
#'   neither `weights` nor `population` is given).
#' @param differences If `TRUE`, add the differences between all pairs of groups.
#' @param population The number of people in the population from which the rows were sampled without
#'   replacement: one number, or one per group (named by the groups, or in the order of their levels; names of
#'   groups without rows are ignored). `NULL`
#'   for a population that is much larger than the sample.
#' @param items The names of some columns, to which the result is limited; or columns to add up before
#'   anything else is computed: one value per column, which says to which sum the column belongs, or one
#'   value such as `"all"` for the sum of all columns. By default each column is an item.
#' @param level The probability of the intervals, between 0 and 1.
#' @return `private_means()`: a tibble of class `private_means`, with one row per group and item, and,
#'   with `differences = TRUE`, one per pair of groups and item. Its columns are
#'   * `group`: the group, or for a difference two groups, as in `"b - a"`;
#'   * `item`: the column of the release: a factor, or numbers if the columns have no labels (if the release
#'     has more than two modes, the labels of all modes but the first, in one text);
#'   * `estimate`, `std.error`: the estimate and its standard error, which is `NA` if it cannot be estimated
#'     because the group has a single observed row (`estimate` is `NA` if it has none);
#'   * `conf.low`, `conf.high`: the limits of the interval;
#'   * `quantity`: `"mean"`, `"total"` or `"difference"`;
#'   * `noise.error`: the standard deviation of the estimate due to noise alone;
#'   * `df`: degrees of freedom of the interval;
#'   * `n`, `masked`: the number of observed and of masked rows, added up over both groups of a difference.
#'
#'   `autoplot()` returns a ggplot of the estimates with their intervals, for up to 12 items; `plot()` draws
#'   it, and returns it invisibly.
#' @section When to use means of the release, and when a model:
#' `private_means()` assumes nothing about the counts. Its estimates are unbiased in groups of any size. A
#' model, as in [augment(fit, by = )][augment.ldp_fit], combines information over rows and items, so that its
#' intervals are shorter, but its estimates are biased if the model does not hold. Use `private_means()` if
#' the means of groups are what you want to know and groups are large. Use `augment(fit, by = )` for small
#' groups and rare counts, if the model fits well, and for clamped releases. Do not add up the intervals of
#' `augment(fit)` to get the interval of a sum, and do not take sums of `fitted()` for sums of true counts.
#'
#' The first table has the coverage of 90 % intervals of `private_means()`, in percent, in 500 simulated
#' surveys of 300 people in three groups, with 12 items and `epsilon = 1` (`bench/private_means.R` in the
#' sources). Counts vary more than Poisson counts, and so do people.
#'
#' | population and sample | estimates | differences |
#' |---|---|---|
#' | very large population, means | 89.0 | 89.2 |
#' | population of 600, means | 89.4 | 89.1 |
#' | population of 600, totals | 89.5 | 89.6 |
#' | strata with 100 people each, means | 88.9 | 88.9 |
#' | unequal sampling probabilities, means | 90.3 | 90.9 |
#' | everybody is in the release, means | 89.7 | 90.0 |
#' | groups of only 15, 9 and 6 people, means | 86.2 | 87.6 |
#'
#' Intervals of `augment(fit, by = )` cover as often as they say if the data are from the model: in 60 data
#' sets of each family (150 people, 12 items), 90 % intervals of totals per group and item covered 90.5 %
#' (`"poisson"`) and 90.9 % (`"nbinom1"`), and those of totals over all items 88.9 % and 91.1 %. They had 0.78
#' and 0.79 times the length of those of `private_means()`.
#'
#' The last table compares estimates of group means of the true counts in the release: root mean squared
#' errors (RMSE), biases, and coverage of 90 % intervals in percent, in 8 data sets of 300 people. For the
#' first two rows, counts are Poisson and `mu` has three components. For the others, counts are overdispersed
#' and their means differ between people and have no such structure. The fits are by `topic_model(k = 3)` with
#' priors of shape 0.3. If the model is wrong, its errors are similar for all people of a group, so that they
#' do not average out in a large group.
#'
#' In each column: RMSE, bias, coverage.
#'
#' | model, group | `private_means()` | `augment(by = )` | `fitted()` |
#' |---|---|---|---|
#' | right, about 100 people | 0.12, -0.8 %, 93 | 0.08, -0.5 %, 94 | 0.13, -0.4 % |
#' | right, 10 people | 0.47, +0.3 %, 90 | 0.30, +1.0 %, 92 | 0.44, +1.7 % |
#' | wrong, 60 to 150 people | 0.13, +0.4 %, 92 | 0.18, -4.3 %, 63 | 0.58, -4.0 % |
#' | wrong, 10 people | 0.41, +3.7 %, 94 | 0.29, -0.9 %, 93 | 0.80, -2.4 % |
#'
#' Sums of `augment(fit)$mean` are the estimates of `augment(fit, by = )`. The biases of `private_means()` in
#' this table are within about two standard errors of the simulation.
#' @section Warnings: `private_means()` warns (class `ldpcounts_declared_alpha`) if the counts at or below
#' zero contradict the declared `alpha`; see [private_counts()].
#' @section Errors: `private_means()` stops with an error of class `ldpcounts_error` for anything but a
#' release, and if groups, weights, populations or items do not match the release. The class is
#' `ldpcounts_clamped_error` if the release is clamped at zero (noise that was negative has been lost, so
#' means would be biased), and `ldpcounts_untrue_error` if it is undirected (its rows are not a sample of
#' persons). Mechanisms whose releases have another mean than the true counts, such as suppression, are errors
#' too.
#' @references Cochran, W. G. (1977). *Sampling Techniques*, sections 2.11 to 2.13 for means and totals of
#'   domains. Lumley, T. (2004). Analysis of complex survey samples. *Journal of Statistical Software* 9(8).
#'   Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance components. *Biometrics
#'   Bulletin* 2.
#' @seealso [augment()][augment.ldp_fit] with `by`, for sums of true counts under a model;
#'   [as.data.frame()][private_counts] to join a release with covariates.
#' @examplesIf requireNamespace("MASS", quietly = TRUE)
#' # days absent from school in one year: means of 146 pupils of a town with 1500
#' quine <- MASS::quine
#' set.seed(1)
#' quine$released <- privatize(quine$Days, epsilon = 1, rng = "R")
#' found <- private_means(released ~ Eth + Sex, quine, population = 1500, differences = TRUE)
#' found
#' plot(found)
#' @export
private_means <- function(release, by = NULL, weights = NULL, ..., what = c("means", "totals"),
                          differences = FALSE, population = NULL, items = NULL, level = 0.95, data = NULL,
                          design = NULL) {
  check_no_dots(...)
  check_given(missing(release), "release")
  call <- rlang::current_env()
  what <- check_choice(what, "what", c("means", "totals"))
  differences <- check_flag(differences, "differences")
  level <- check_open_share(level, "level")
  is_formula <- inherits(release, "formula")
  if (is_formula && is.null(data) && is.data.frame(by)) {
    data <- by # private_means(days ~ sex, people)
    by <- NULL
  }
  if (!is.null(design)) {
    check_design(design, data, missing(weights), population, call)
    data <- design$variables
  }
  check_that(is.null(data) || is.data.frame(data),
    "{.arg data} must be the data frame that has the variables."
  )
  weights <- rlang::eval_tidy(rlang::enquo(weights), data)
  if (is_formula) {
    parts <- parts_of_formula(release, by, data, call)
    release <- parts$release
    by <- parts$by
  } else {
    by <- groups_of_formula(by, if (is.null(design) || inherits(by, "formula")) data, call)
  }
  release <- check_unbiased(release)
  if (is.null(fields_of(release)$mechanism)) check_declaration(release)
  n <- dim(release)[1]
  check_that(all(dim(release) > 0), "{.arg release} must have at least one row and one column.")
  group <- check_row_groups(if (is.null(by)) rep("all", n) else by, n, "by", per = "row of the release")
  labels <- column_labels(dim(release), dimnames(release))
  items <- item_groups(items, labels, call)
  if (is.null(design)) {
    design <- sampling_design(group, weights, population)
    found <- estimate_items(release, items, labels, design, what)
    if (differences && nlevels(group) > 1) found <- rbind(found, pair_differences(found, design))
  } else {
    check_that(nrow(design$variables) == n, "{.arg release} must have one row per row of {.arg design}.")
    found <- estimate_survey(release, items, labels, group, design, what, differences)
  }
  table <- as_estimates(found, level)
  # a group may be called "b - a" too
  table$group <- factor(table$group, unique(c(levels(group), table$group)))
  structure(table, class = c("private_means", TIBBLE), level = level, what = what)
}

# The release and the groups of days ~ sex, cbind(days, visits) ~ sex, or ~ days.
parts_of_formula <- function(formula, by, data, call) {
  env <- environment(formula)
  value <- function(code) eval(code, data, env)
  two_sided <- length(formula) == 3
  code <- if (two_sided) list(formula[[2]]) else as.list(attr(stats::terms(formula), "variables"))[-1]
  responses <- explain_failure(lapply(code, value), function(failure) {
    ldp_abort(c(
      "The response of the formula could not be evaluated.", x = "{conditionMessage(failure)}."
    ), call = call)
  })
  is_matrix <- length(responses) == 1 && is_release(responses[[1]])
  check_that(is_matrix || all(vapply(responses, is_private_vector, NA)), c(
    "The response of the formula must be released counts.",
    i = "{.fn privatize} and {.fn private_counts} of a column make a column of released counts."
  ), call)
  names(responses) <- vapply(code, deparse1, "")
  right <- if (two_sided) formula[-2]
  check_that(is.null(right) || is.null(by),
    "Give groups in the formula or in {.arg by}, but not in both.", call
  )
  if (!is.null(right)) {
    by <- stats::model.frame(right, data, na.action = stats::na.pass)
    if (length(by) == 0) by <- NULL # days ~ 1
  } else if (inherits(by, "formula")) {
    by <- groups_of_formula(by, data, call)
  }
  list(release = if (is_matrix) responses[[1]] else do.call(cbind, responses), by = by)
}

# --- checks ---------------------------------------------------------------------------------------

check_unbiased <- function(release, call = rlang::caller_env()) {
  release <- check_release(release, "release", call)
  fields <- fields_of(release)
  check_mean_of_noise(fields, call)
  level <- privacy(release)
  check_that(!level$clamped, c(
    "{.arg release} must not be clamped at zero.",
    x = "Its negative counts were set to zero, so that means of its counts are too large.",
    i = "Release counts with {.code clamp = FALSE}.",
    i = "Or fit a model: {.code augment(fit, by = )} accounts for clamping."
  ), call, class = c("ldpcounts_clamped_error", "ldpcounts_argument_error"))
  check_that(level$directed, c(
    "{.arg release} must not be undirected.",
    i = "Each of its counts belongs to two rows, so that rows are not a sample of persons."
  ), call, class = "ldpcounts_untrue_error")
  release
}

# The mechanisms whose releases have the mean of the true count, and a variance that does not depend on it.
UNBIASED <- c("discrete_gaussian", "laplace", "gaussian", "skellam", "random_rounding")

check_mean_of_noise <- function(fields, call) {
  mechanism <- fields$mechanism
  unbiased <- is.null(mechanism) || mechanism$kind %in% UNBIASED
  check_that(unbiased, c(
    "{.fn private_means} needs a mechanism whose noise has mean zero.",
    x = "The mechanism is {tolower(format(mechanism))}: means of released counts are not those of true counts.",
    i = "Fit a model: {.code augment(fit, by = )} accounts for it, and so does {.fn mgcv::gam} with
        {.fn private_nbinom1}."
  ), call)
  per_row <- is.null(mechanism) || all(lengths(mechanism$parameters) %in% c(1, nrow(fields$counts)))
  check_that(per_row, "{.fn private_means} needs the same noise for all counts of a row.", call)
}

check_design <- function(design, data, no_weights, population, call) {
  check_package("survey", "designs", call)
  if (!inherits(design, "survey.design2") || isTRUE(design$pps) || !is.data.frame(design$variables)) {
    abort_argument(design, "design", "a design made by survey::svydesign() of a data frame", call)
  }
  check_that(is.null(data) && no_weights && is.null(population), c(
    "{.arg data}, {.arg weights} and {.arg population} must not be given with {.arg design}.",
    i = "Arguments {.arg weights} and {.arg fpc} of {.fn survey::svydesign} are for weights and populations."
  ), call)
}

# How the rows were sampled: a list of
#   group      a factor, one value per row
#   weights    one per row
#   strata     is each group a sample of its own?
#   share      per group, the share of its population that was sampled (0 if the population is infinite)
sampling_design <- function(group, weights, population, call = rlang::caller_env()) {
  n <- length(group)
  size <- tabulate(group, nlevels(group))
  population <- check_population(population, size, levels(group), call)
  strata <- length(population) > 1
  share <- if (is.null(population)) 0 * size else (if (strata) size else rep(n, length(size))) / population
  if (is.null(weights)) weights <- if (is.null(population)) 1 else (1 / share)[group]
  weights <- check_per_row(weights, "weights", n, function(x) x > 0, "a positive, finite number", call)
  weights <- rep_len(weights, n)
  list(group = group, weights = weights, strata = strata, share = share)
}

# NULL, one number, or one per group in the order of the groups, which may be named (and have further names).
check_population <- function(population, size, names, call) {
  if (is.null(population)) {
    return(NULL)
  }
  if (length(population) > 1 && !is.null(names(population))) {
    check_that(all(names %in% names(population)) && !anyDuplicated(names(population)), c(
      "The names of {.arg population} must include those of the groups.", i = "The groups are {.val {names}}."
    ), call)
    population <- population[names]
  }
  fits <- is_plain_numeric(population) && all(is.finite(population)) &&
    length(population) %in% c(1, length(size))
  check_that(fits, c(
    "{.arg population} must be one number, or one per group ({length(size)}).",
    x = "It is {describe_type(population)}."
  ), call)
  least <- if (length(population) > 1) size else sum(size)
  check_that(all(population >= least), c(
    "{.arg population} must be at least the number of rows that were sampled from it.",
    x = "It is smaller than the number of rows."
  ), call)
  as.double(population)
}

# --- estimates ------------------------------------------------------------------------------------

# One row per group and item, with columns estimate, variance (NA if unknown), noise (variance due to noise),
# random (the part of the variance that is estimated), freedom (its degrees of freedom), total (the sum of the
# linearised variable), n and masked.
estimate_items <- function(release, items, labels, design, what) {
  fields <- fields_of(release)
  design$noise <- noise_of_rows(fields)
  counts <- if (is.null(items)) fields$counts else add_columns(fields$counts, items)
  added <- if (is.null(items)) rep(1, length(labels)) else tabulate(items, nlevels(items))
  if (!is.null(items)) labels <- levels(items)
  rows <- split(seq_len(nrow(counts)), design$group)
  by_group <- lapply(seq_along(rows), function(g) {
    found <- do.call(rbind, lapply(blocks_of(length(labels), length(rows[[g]])), function(at) {
      y <- as.matrix(counts[rows[[g]], at, drop = FALSE])
      estimate_block(unname(y), rows[[g]], added[at], design, design$share[g], what)
    }))
    cbind(group = names(rows)[g], item = as_items(labels), found)
  })
  cbind(do.call(rbind, by_group), quantity = if (what == "means") "mean" else "total")
}

# Of two-sided geometric noise.
noise_variance <- function(alpha) 2 * alpha / (1 - alpha)^2
noise_fourth_cumulant <- function(alpha) 2 * alpha * (1 + 4 * alpha + alpha^2) / (1 - alpha)^4

# The variance that a mechanism adds to a count: of rounding, if all remainders are equally frequent; 0 where it
# depends on the count. Of withheld counts, that of their noise.
variance_of_noise <- function(mechanism) {
  noise <- before_withholding(mechanism)
  p <- noise$parameters
  switch(noise$kind,
    geometric = noise_variance(p$alpha), discrete_gaussian = discrete_gaussian_variance(p$sd),
    gaussian = p$sd^2, laplace = 2 * p$scale^2, skellam = p$variance, random_rounding = (p$base^2 - 1) / 6,
    rounding = (p$base^2 - 1) / 12, 0
  )
}

# It is sd^2 up to a relative difference of 2e-7 at sd = 1 and 1e-30 at sd = 2. With a smaller sd it is smaller.
discrete_gaussian_variance <- function(sd) {
  p <- exp(-outer(1:40, pmin(sd, 2), `/`)^2 / 2)
  ifelse(sd < 2, 2 * colSums((1:40)^2 * p) / (1 + 2 * colSums(p)), sd^2)
}

# The variance of the noise of a count in each row.
noise_of_rows <- function(fields) {
  geometric <- is.null(fields$mechanism)
  variance <- if (geometric) noise_variance(fields$alpha) else variance_of_noise(fields$mechanism)
  rep_len(variance, nrow(fields$counts))
}

# One column per item, the sum of its columns; NA if one of them is.
add_columns <- function(counts, items) {
  sums <- vapply(levels(items), function(item) {
    part <- counts[, which(items == item), drop = FALSE]
    as.double(if (is_sparse(part)) Matrix::rowSums(part) else rowSums(part))
  }, numeric(nrow(counts)))
  matrix(sums, nrow(counts))
}

# Estimates of one group. The estimate is a function of the sums of w y, and its linearised variable is
#
#   d_i = c w_i m + s w_i (y_i - m) seen_i,    m: the mean, W: the sum of w, W_seen: that of observed rows,
#
# with c = 0 and s = 1 / W_seen for the mean, and c = 1 and s = W / W_seen for the total. Its variance over n
# rows (those of the stratum, or all) estimates the variance of sampling plus `within`, the part of the noise
# in it. The noise of the estimate itself is `noise`.
estimate_block <- function(y, rows, added, design, share, what) {
  w <- design$weights[rows]
  scale <- max(w) # so that squares of very small or large weights are numbers
  w <- w / scale
  v <- design$noise[rows]
  n <- if (design$strata) length(rows) else length(design$group)
  seen <- !is.na(y)
  y[!seen] <- 0
  all <- sum(w)
  W <- colSums(w * seen)
  mean <- colSums(w * y) / W
  total <- what == "totals"
  c <- as.double(total)
  s <- if (total) all / W else 1 / W
  each <- function(x) rep(x, each = length(w))
  d <- c * outer(w, mean) + each(s) * w * seen * (y - each(mean))
  variance <- pmax(0, colSums(d^2) - colSums(d)^2 / n) * n / (n - 1)
  of_mean <- colSums(w^2 * v * seen) / W^2
  squares <- colSums(w^2 * seen)
  within <- s^2 * of_mean * W^2 + 2 * s * (c - s) * colSums(w^3 * v * seen) / W +
    (c - s)^2 * of_mean * squares + c * of_mean * (sum(w^2) - squares)
  within <- (within - c * of_mean * all^2 / n) * n / (n - 1)
  noise <- if (total) all^2 * of_mean else of_mean
  observed <- colSums(seen)
  left <- 1 - share * observed / length(rows) # what is not in the sample, of the population
  freedom <- if (total) rep(n - 1, length(W)) else observed - 1
  random <- ifelse(left == 0, 0, ifelse(freedom < 1, NA, left * variance))
  if (!total) scale <- 1
  data.frame(
    estimate = ifelse(observed == 0, NA, if (total) scale * all * mean else mean),
    variance = scale^2 * (random + added * ifelse(left == 0, noise, pmax(0, noise - left * within))),
    noise = ifelse(observed == 0, NA, scale^2 * added * noise), random = scale^2 * random, freedom = freedom,
    total = scale * colSums(d), n = observed, masked = length(rows) - observed
  )
}

# The same for a design of package survey, with differences. The variance that the package computes from
# released counts contains their noise, but a finite population reduces it: with the sampling fractions f1,
# f2, ... of the stages, the part f1 f2 ... of the noise of a row is missing, and is added.
estimate_survey <- function(release, items, labels, group, design, what, differences) {
  fields <- fields_of(release)
  counts <- as.matrix(if (is.null(items)) fields$counts else add_columns(fields$counts, items))
  added <- if (is.null(items)) rep(1, length(labels)) else tabulate(items, nlevels(items))
  if (!is.null(items)) labels <- levels(items)
  total <- what == "totals"
  fpc <- design$fpc
  missing <- if (is.null(fpc$popsize)) 0 else apply(as.matrix(fpc$sampsize / fpc$popsize), 1, prod)
  names <- levels(group)
  each <- lapply(seq_along(labels), function(j) {
    seen <- !is.na(counts[, j])
    one <- design
    one$variables <- data.frame(y = counts[, j], group = group)
    one <- subset(one, seen)
    theirs <- survey::svyby(~y, ~group, one, if (total) survey::svytotal else survey::svymean, covmat = TRUE)
    at <- match(names, theirs$group)
    # vcov() fails for one group
    covariance <- if (nrow(theirs) > 1) unname(stats::vcov(theirs)) else matrix(survey::SE(theirs)^2)
    covariance <- covariance[at, at, drop = FALSE]
    w <- seen / design$prob
    share <- if (total) rep(1, length(names)) else 1 / as.vector(rowsum(w, group, reorder = TRUE))
    noise <- (w * share[group])^2 * noise_of_rows(fields) * added[j]
    sums <- function(x) as.vector(rowsum(x, group, reorder = TRUE))
    list(
      estimate = stats::coef(theirs)[at], covariance = covariance, noise = sums(noise),
      lost = sums(noise * missing), n = sums(as.double(seen)), masked = sums(as.double(!seen))
    )
  })
  # a linear combination of groups, with coefficients 0, 1 and -1
  contrast <- function(name, coefficients, quantity) {
    used <- which(coefficients != 0)
    of <- coefficients[used]
    freedom <- survey::degf(subset(design, group %in% names[used]))
    do.call(rbind, lapply(seq_along(labels), function(j) {
      x <- each[[j]]
      random <- sum(of * (x$covariance[used, used, drop = FALSE] %*% of))
      data.frame(
        group = name, item = as_items(labels)[j], estimate = sum(of * x$estimate[used]),
        variance = random + sum(x$lost[used]), noise = sum(x$noise[used]), random = random,
        freedom = freedom, total = NA, n = sum(x$n[used]), masked = sum(x$masked[used]), quantity = quantity
      )
    }))
  }
  unit <- diag(length(names))
  found <- lapply(seq_along(names), function(g) contrast(names[g], unit[g, ], if (total) "total" else "mean"))
  pairs <- if (differences && length(names) > 1) utils::combn(length(names), 2, simplify = FALSE)
  found <- c(found, lapply(pairs, function(pair) {
    contrast(paste(names[pair[2]], "-", names[pair[1]]), unit[pair[2], ] - unit[pair[1], ], "difference")
  }))
  do.call(rbind, found)
}

# All differences between two groups. Estimates of strata, and means of domains, are not correlated; totals
# of domains are, because a row that is in one group is not in the other.
pair_differences <- function(found, design) {
  pairs <- utils::combn(levels(design$group), 2)
  n <- length(design$group)
  by_group <- split(found, factor(found$group, levels(design$group)))
  each <- lapply(seq_len(ncol(pairs)), function(j) {
    a <- by_group[[pairs[1, j]]]
    b <- by_group[[pairs[2, j]]]
    shared <- if (design$strata || found$quantity[1] == "mean") {
      0
    } else {
      2 * (1 - design$share[1]) * a$total * b$total / (n - 1)
    }
    random <- a$random + b$random + shared
    data.frame(
      group = rep(paste(pairs[2, j], "-", pairs[1, j]), nrow(a)), item = a$item,
      estimate = b$estimate - a$estimate, variance = a$variance + b$variance + shared,
      noise = a$noise + b$noise, random = random,
      freedom = if (any(shared != 0)) a$freedom else combined_freedom(a, b), total = NA,
      n = a$n + b$n, masked = a$masked + b$masked, quantity = rep("difference", nrow(a))
    )
  })
  do.call(rbind, each)
}

# Satterthwaite's degrees of freedom of a sum of two independent variances.
combined_freedom <- function(a, b) {
  (a$random + b$random)^2 / (a$random^2 / pmax(a$freedom, 1) + b$random^2 / pmax(b$freedom, 1))
}

# The columns that users see. The known variance of the noise has no uncertainty.
as_estimates <- function(found, level) {
  df <- ifelse(found$random == 0, Inf, found$freedom * (found$variance / found$random)^2)
  error <- sqrt(found$variance)
  half <- stats::qt((1 + level) / 2, df) * error
  tibble::tibble(
    group = found$group, item = found$item, estimate = found$estimate, std.error = error,
    conf.low = found$estimate - half, conf.high = found$estimate + half, quantity = found$quantity,
    noise.error = sqrt(found$noise), df = df, n = found$n, masked = found$masked
  )
}

# --- methods --------------------------------------------------------------------------------------

#' @rdname private_means
#' @param object,x The result of `private_means()`.
#' @param n For `print()`: how many rows are printed.
#' @export
print.private_means <- function(x, ..., n = 20) {
  check_no_dots(...)
  what <- attr(x, "what")
  if (is.null(what)) what <- "estimates"
  one_quantity <- length(unique(x[["quantity"]])) < 2
  hidden <- c("df", if (one_quantity) "quantity", if (all(x[["masked"]] == 0)) "masked")
  unknown <- sum(is.na(x[["std.error"]]))
  print_estimates(x, n, paste("Design-based", what), c(
    "noise.error: the part of std.error that is due to noise; n: the number of observed rows.",
    if (unknown > 0) paste(count_of(unknown, "standard error"), "unknown: fewer than two observed rows")
  ), note = "; standard errors include sampling and noise", hidden = hidden)
}
