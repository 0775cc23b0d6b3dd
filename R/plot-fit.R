# Plots of a fit.

#' Plots of a fit
#'
#' `autoplot()`, the generic of package `ggplot2`, returns a picture of a fit as a ggplot. `plot()` draws the
#' same picture.
#'
#' @details
#' The types of pictures:
#'
#' * `"components"`: what each component is. For up to 12 topics, the words of largest weight as bars; for
#'   more topics, one line for each of the 50 largest, with its share of the counts (as a bar) and its words.
#'   For a block model, `pi` and the weights of the actors, who are grouped by their main community. For a
#'   tensor, the weights of each mode as shares of their component, with a colour scale for each mode. If a
#'   mode has more than 60 indices, the 30 with the largest shares are shown.
#' * `"blocks"`, for a block model: the posterior means of the counts between actors, who are grouped by their
#'   main community, with lines between communities.
#' * `"network"`, for a block model: actors as nodes, each community in a circle of its own, with the actors
#'   that have the largest counts drawn largest and at its centre. Lines show the largest posterior means
#'   between two actors: the larger the mean, the thicker the line (with arrows if the network is directed).
#' * `"trace"`: the log density of the release, the total of `mu`, and the dispersion if it is one number,
#'   at every kept draw, with one line per chain. The last panel has the quantity on which the chains agree
#'   least (the one with the largest R-hat) among many single cells, rows and pairs of rows. Its title says
#'   which quantity it is: `mu of` a cell, `total of row`, `dispersion of a row`, or `co-membership of` two
#'   rows (the extent to which they are in the same components). All of these are label-invariant. For a
#'   variational fit, the lower bound at each iteration, with one line per start.
#' * `"density"`: the posterior densities of the same quantities, with one line per chain.
#' * `"rank"`: histograms of the ranks of draws, for the same quantities. The draws of all chains are ranked
#'   together, and each chain has its own histogram. Bars near the dashed line mean that chains agree. For a
#'   single chain, its two halves are compared.
#' * `"predictive"`: how often each count (negative ones included) occurs in about 10,000 cells of the
#'   release, and how often in the same cells of 50 replicated data sets. Bars reach from the 5 % to the 95 %
#'   quantile of the replicated data, with a line at the median. The picture is the same each time: it does
#'   not use R's random number generator.
#' @param x,object A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param type What to draw; see below.
#' @param ... `plot()` passes the other arguments to `autoplot()`, where `...` must be empty.
#' @param n The largest number of words per topic. In `"network"`, the largest number of names per community.
#'   These are the actors with the largest weights, as in `summary()`; fewer are shown if there are many
#'   communities.
#' @param edges In `"network"`, the largest number of lines that are drawn. By default the number of actors,
#'   but at most 300.
#' @return A ggplot, which `plot()` draws and returns invisibly. To add layers, scales or a theme before it is
#'   drawn, use `autoplot()`: `autoplot(fit) + theme_bw()` draws once, `plot(fit) + theme_bw()` twice.
#' @section Errors: An error of class `ldpcounts_error` is thrown for an unknown `type`, and for a type that
#' is not available for this model or inference.
#' @references Ranks: Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Bürkner, P.-C. (2021).
#'   Rank-normalization, folding, and localization: an improved R-hat for assessing convergence of MCMC.
#'   *Bayesian Analysis* 16. Replicates: Gelman, Meng and Stern (1996), see [simulate.ldp_fit()].
#' @examples
#' set.seed(1)
#' released <- privatize(poliblog[1:60, 1:80], epsilon = 2)
#' fit <- topic_model(released, k = 3, iter = 100, chains = 2)
#' plot(fit)
#' plot(fit, type = "trace")
#' plot(fit, type = "predictive")
#' busiest <- order(-rowSums(enron_network))[1:40]
#' fit <- block_model(enron_network[busiest, busiest], k = 3, iter = 100)
#' plot(fit, type = "network")
#' ggplot2::autoplot(fit, type = "blocks") + ggplot2::theme(legend.position = "bottom")
#' @srrstats {BS6.1} plot().
#' @srrstats {BS6.3} type = "density".
#' @srrstats {UL6.0} plot().
#' @srrstats {UL6.1} it has a method for every fit.
#' @export
plot.ldp_fit <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname plot.ldp_fit
#' @exportS3Method ggplot2::autoplot
autoplot.ldp_fit <- function(object, type = c(
                               "components", "blocks", "network", "trace", "density", "rank", "predictive"
                             ), ..., n = 8, edges = NULL) {
  check_method(object, ...)
  known <- eval(formals(autoplot.ldp_fit)$type)
  types <- if (is_own(object)) setdiff(known, c("components", "blocks", "network")) else known
  type <- check_choice(if (identical(type, known)) types else type, "type", types)
  n <- check_whole(n, "n", 1)
  if (!is.null(edges)) edges <- check_whole(edges, "edges", 0)
  of_networks <- "{.code type = \"{type}\"} is for a fit of {.fn block_model}."
  check_that(!type %in% c("blocks", "network") || is_network(object), of_networks)
  check_that(type != "rank" || !is_cavi(object), c(
    "{.code type = \"rank\"} compares chains, but a variational fit has no chains.",
    i = "Use {.code type = \"trace\"} to plot its bound."
  ))
  switch(type,
    components = components_figure(object, n),
    blocks = maps_figure(list(blocks_map(object))),
    network = network_figure(object, n, edges),
    trace = if (is_cavi(object)) bound_figure(object) else trace_figure(object),
    density = density_figure(object), rank = rank_figure(object), predictive = predictive_figure(object)
  )
}
