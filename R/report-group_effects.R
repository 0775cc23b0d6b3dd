# Effects of groups: mean weights by group, and their ratios.

#' Differences between groups of rows
#'
#' Estimates the mean weight of each component in each group of rows, and the ratios of these means between
#' groups, with intervals that account for the noise. It is for fits with `groups`.
#'
#' @details The estimates are computed from aligned draws, by default those of the leading mode, on the scale
#' of `coef()`: for a topic model, the mean weight is the mean expected number of words (or of events, see
#' [which-family]) of a topic per document. A group with longer documents therefore has larger weights in all
#' topics.
#'
#' The estimates are about the rows of the data: the mean of their weights. The
#' intervals show what the release leaves unknown about these rows. The groups are compared as they are, also
#' if there are several factors.
#'
#' Ratios are better suited for comparisons than differences, because the effects of groups multiply weights.
#' The estimate of a ratio is its geometric posterior mean, so that exchanging the two groups gives the
#' inverse.
#'
#' If groups are small, or if the noise is strong, the prior of the relative rates, `Gamma(2, 2)`, pulls the
#' ratios towards 1. Variational inference can exaggerate differences; see section *Model*.
#' @param fit A fit with `groups`.
#' @param ... Must be empty.
#' @param level The probability of the intervals, between 0 and 1.
#' @param modes Which [modes()] of the posterior: `"leading"` for the leading one, as in `coef()`, or `"all"`
#'   for the mixture of all modes by their shares. Each draw is aligned with the leading mode. If chains move
#'   between modes, these are all draws. Use it if modes differ in more than the question depends on.
#' @return A tibble of class `group_effects`, with one row per component and group (`term` is `"mean"`),
#'   followed by one row per component and pair of groups (`term` is `"ratio"`), for each factor. Its columns
#'   are `factor`, the name of the factor (`"group"` if `groups` is not a data frame); `component`; `term`;
#'   `group`; `versus`, the group in the denominator of a ratio, otherwise `NA`; `rows`, the number of rows in
#'   the group; `estimate`; and the limits `conf.low` and `conf.high` of the interval.
#' @section Model: With the argument `groups` of a model, the first factor has the prior `theta[d, k] ~
#' Gamma(shape, rate * rho)`, where `rho` is the relative rate of component `k` in the group of row `d`.
#' Relative rates have the prior `Gamma(2, 2)`, with mean 1, and are estimated. So rows of the same group
#' inform each other about how large their weights are, and the weights of different groups are not pulled
#' towards a common mean. [group_effects()] returns the mean weights of the groups, and their ratios. A large
#' relative rate means small weights.
#'
#' If `groups` is a data frame, the effects of its columns multiply: `rho` is the product of one relative rate
#' per column. The relative rates of each column then describe the differences that the other columns leave,
#' and need fewer rows than one rate per combination of groups. If you expect interactions, give the
#' combinations as a single factor: `groups = interaction(a, b)`.
#'
#' Groups must not have missing values. Levels without rows are dropped. If groups are secret, a fit with
#' `groups` reveals them: the noise of the counts does not protect them.
#'
#' [coef()][ldp_fit-methods] has the posterior means of relative rates in `groups`, and `as.matrix()` has
#' their draws in columns such as `groups[party=left,1]`. Only their ratios within a column of `groups` can be
#' interpreted, because their scale is set by the prior and by the scale of the weights.
#'
#' With strong noise and small counts, `inference = "cavi"` can exaggerate the differences between groups
#' greatly, with intervals that are much too narrow. In a simulation with 300 documents, a mean count of 0.27
#' and `epsilon = 1`, it estimated a ratio of 4.2 as 83, and Gibbs sampling as 3.4, with a 90 % interval from
#' 2.4 to 5.9. With a mean count of 0.65 the estimates were 5.9 and 4.7. The naive analysis (`noise =
#' "ignore"`) estimated 2.0 and 3.2. Use Gibbs sampling to compare groups.
#'
#' The model and its sampler are new in this package. The update of the relative rates is conjugate, and a
#' sweep takes about as long as without groups.
#' @section Errors: `group_effects()` stops with an error of class `ldpcounts_error` if `fit` is not a fit
#'   with groups, and if an argument is out of range or misspelt.
#' @examples
#' set.seed(1)
#' posts <- seq(1, nrow(poliblog), 8)
#' released <- privatize(poliblog[posts, 1:60], epsilon = 2)
#' fit <- topic_model(released, k = 2, groups = poliblog_rating[posts], iter = 200, chains = 2)
#' effects <- group_effects(fit)
#' effects
#' plot(effects)
#' @export
group_effects <- function(fit, ..., level = 0.95, modes = c("leading", "all")) {
  check_no_dots(...)
  check_is_fit(fit)
  groups <- fit$prior$groups
  check_that(!is.null(groups), c(
    "{.arg fit} must be a fit with groups.", i = "Fit the model again with {.arg groups}."
  ))
  level <- check_open_share(level, "level")
  modes <- check_choice(modes, "modes", c("leading", "all"))
  draws <- if (modes == "leading") leading_draws(fit) else shared_draws(fit)
  orders <- alignment(fit)$orders
  means <- array(
    vapply(draws, function(s) means_of_rows(fit, s, orders[, s]), matrix(0, n_levels(groups), fit$k)),
    c(n_levels(groups), fit$k, length(draws))
  )
  tables <- lapply(seq_along(groups$levels), function(f) {
    at <- seq(groups$first[f] + 1L, groups$first[f + 1L])
    table <- effects_table(means[at, , , drop = FALSE], groups, f, component_names(fit), level)
    cbind(factor = names(groups$levels)[f], table)
  })
  tables <- do.call(rbind, tables)
  tibble::new_tibble(as.list(tables),
    nrow = nrow(tables), class = "group_effects", level = level,
    leading = if (modes == "leading") describe_leading(fit)
  )
}

# Mean weights in draw s: one row per level of all factors, one column per component. `order`: of the
# components of the draw, so that all draws have the same numbering.
means_of_rows <- function(fit, s, order) {
  groups <- fit$prior$groups
  weights <- model_of(fit)$permute(normalised_draw(fit, s), order)[[1]]
  do.call(rbind, lapply(seq_along(groups$levels), function(f) {
    level <- level_of_rows(groups, f)
    rowsum(weights, level, reorder = TRUE) / tabulate(level)
  }))
}

# `means`: levels of factor f x components x draws.
effects_table <- function(means, groups, f, components, level) {
  levels <- groups$levels[[f]]
  rows <- tabulate(level_of_rows(groups, f), length(levels))
  pairs <- utils::combn(length(levels), 2)
  of_means <- apply(means, 1:2, summarise_effect, mean, level)
  ratios <- means[pairs[2, ], , , drop = FALSE] / means[pairs[1, ], , , drop = FALSE]
  of_ratios <- apply(ratios, 1:2, summarise_effect, function(x) exp(mean(log(x))), level)
  one <- function(term, group, versus, numbers) {
    data.frame(
      component = rep(components, each = length(group)), term = term, group = levels[group],
      versus = levels[versus], rows = rows[group], matrix(numbers, ncol = 3, byrow = TRUE)
    )
  }
  table <- rbind(
    one("mean", seq_along(levels), rep(NA_integer_, length(levels)), of_means),
    one("ratio", pairs[2, ], pairs[1, ], of_ratios)
  )
  `names<-`(table, c("component", "term", "group", "versus", "rows", "estimate", "conf.low", "conf.high"))
}

summarise_effect <- function(x, estimate, level) {
  c(estimate(x), stats::quantile(x, c(1 - level, 1 + level) / 2, names = FALSE))
}

#' @rdname group_effects
#' @param x,object The result of `group_effects()`.
#' @param n The largest number of rows to show.
#' @export
print.group_effects <- function(x, ..., n = 20) {
  check_no_dots(...)
  print_estimates(x, n, "Mean weights by group, and their ratios, of the rows of the data", c(
    "mean: the mean weight of the rows of a group; ratio: that of group divided by that of versus.",
    attr(x, "leading")
  ))
}
