# What a privacy level costs a planned study, computed from a sketch of it, without fitting models to
# releases.

#' Plan a study
#'
#' Computes from a sketch of a study what `epsilon` and `precision` cost: the noise per count, the standard
#' error of means, the smallest difference between groups that can be detected, and the mean absolute error of
#' the estimated means of a model. It also computes how many people a study needs, to detect a difference or
#' to reach an error.
#'
#' @param k The number of groups, topics or communities to be told apart, at most 50.
#' @param epsilon The privacy levels to be compared, positive numbers.
#' @param mechanism In place of `epsilon` and `precision`: another [mechanism][mechanisms] that adds noise
#'   (withheld below a limit or not), such as `discrete_gaussian_noise(2)`, or a list of several to be
#'   compared. Each parameter is one number. The names of the list, if it has any, are those of tables and
#'   plots.
#' @param ... For `plot()`, arguments of `autoplot()`; otherwise it must be empty.
#' @param rows,items The planned number of rows (people), or several to compare, and the number of items per
#'   row (columns). For a network, the items are the people, and `items` is not needed.
#' @param mean_count The expected mean of a count.
#' @param pilot Instead of `rows`, `items` and `mean_count`: the result of [simulate_topics()] or
#'   [simulate_blocks()], or true counts of an earlier or similar study that are public. They must have the
#'   numbers of rows and columns of the planned study.
#' @param model `"topic"` for [topic_model()], or `"block"` for [block_model()] of a directed network.
#' @param precision The largest difference between two records that is protected at `epsilon`, in counts: one
#'   positive number, or several to compare; see [privatize()].
#' @param detect A difference between the means of two groups that the study is to detect, in counts. The plan
#'   then has the number of people that each group needs.
#' @param power The probability with which differences are detected, between 0 and 1.
#' @param target A mean absolute error of the model, in counts. The plan then has the number of rows at which
#'   the error is at most `target`. Give several numbers of `rows`, from few to many, between which it is to
#'   be found.
#' @param x,object A `study_plan`.
#' @return A data frame of class `study_plan`, with one row per number of rows, `epsilon` and `precision` (or
#'   per number of rows and mechanism), and the columns
#'   \describe{
#'     \item{`rows`}{the number of rows}
#'     \item{`epsilon`, `precision`}{the privacy level; with `mechanism`, a factor `mechanism` instead}
#'     \item{`noise_sd`}{the standard deviation of the noise of a count, before counts are withheld}
#'     \item{`positive`}{the share of true zeros that are released as positive counts}
#'     \item{`se_mean`}{the standard error of the mean of one item in one of `k` groups of equal size, if it
#'       is known who belongs to which group}
#'     \item{`difference`}{the difference between two such groups that a test at the level 0.05 detects with
#'       probability `power`}
#'     \item{`people`}{the factor by which the number of people must grow to have the standard error that
#'       there is without noise. It is `NA` for withheld counts, and so are `se_mean`, `difference` and
#'       `per_group`, because their mean is not that of the true counts}
#'     \item{`per_group`}{with `detect`: the number of people that each of two groups needs, so that a test at
#'       the level 0.05 detects a difference of `detect` with probability `power`}
#'     \item{`mae`}{the mean absolute error of the means that the model estimates ([mae()])}
#'     \item{`mae_without_noise`, `mae_constant`}{the same for the model without noise, and for one constant
#'       for all cells}
#'     \item{`needed`}{with `target`: the smallest number of rows at which `mae` is at most `target`,
#'       interpolated between the planned `rows`. If it is the first of these, fewer may do; `NA` if the last
#'       is not enough. It is the same for all rows of the plan with one `epsilon` and `precision`.}
#'   }
#'   `autoplot()` returns a ggplot of the errors against `epsilon`, or for each mechanism. `plot()` draws it,
#'   and returns it invisibly.
#' @details The first columns have closed forms (`vignette("planning-a-study")`). The variance of the noise is
#' `2 alpha / (1 - alpha)^2` with `alpha = exp(-epsilon / precision)`, or that of the mechanism, and that of
#' the counts is the variance over all cells of the sketch.
#'
#' `mae` is an approximation (new in this package). It uses Gaussian random numbers in place of released
#' counts. Their variance about the mean is the inverse of the Fisher information of a Poisson count with
#' noise (plus the overdispersion). Given one factor, the other is estimated by a regression for each row or
#' column. This is repeated, each time with the new estimates, until they no longer change much. The
#' regressions have the gamma priors of the models, and their posterior means are computed by expectation
#' propagation (Minka, 2001). The errors of the two factors are drawn independently, and results are averaged
#' over up to 10 draws. No model is fitted to a release, and no posterior is sampled.
#'
#' If the sketch is a simulation, `mae` is the error of the estimated means compared with the true ones. If
#' `pilot` has counts, a model is fitted to them by variational inference, and `mae` is the error of the
#' estimated means compared with these counts, as in [compare_methods()] without `truth`.
#'
#' Errors are multiplied by 1.07, a number that was calibrated to errors of [compare_methods()] in four
#' simulated designs, and are at most those of one constant for all cells. In these designs, planned errors
#' then differ from the measured ones by at most 10 per cent, at `epsilon` from 0.5 to 4 and without noise
#' (`bench/plan.R` in the sources; three tables of counts with two releases each, priors of shape 0.3). Two
#' data sets were not used for the calibration. The difference is at most 10 per cent for `enron_network` and
#' at most 7 per cent for `poliblog`. In a sparse simulated network with a mean count of 0.02, planned errors
#' are too small, by 35 to 75 per cent. So check the level that you choose with [compare_methods()], which
#' takes longer, if most people have no counts at all.
#'
#' Time and memory do not depend on the size of the study, because a sketch has at most 300 rows and 300
#' items. In a larger study, each of these stands for several: the information that they have about topics,
#' communities or other rows is multiplied. In three simulations of 300 to 1,200 rows, errors then differed by
#' at most 5 per cent from those of a sketch of full size. Several `rows` are planned from the same sketch.
#'
#' `per_group` assumes that the variance of the counts is the same in both groups. Where groups are large,
#' `mae` falls slowly with the number of rows, since only the counts of a person tell to which group the
#' person belongs. So `needed` is a rough number: an error of `mae` of a few per cent can double it.
#'
#' A sketch of numbers of rows and items is simulated with the defaults of the simulators: groups that are
#' easy to tell apart. The result depends on random numbers, so call `set.seed()` first.
#' @section Errors: Stops with an error of class `ldpcounts_error` if an argument is wrong, such as a
#'   `mechanism` that has no privacy loss (rounding, suppression, classes, thinning).
#' @references Goodnight, J. H. (1979). A tutorial on the SWEEP operator. *The American Statistician* 33,
#'   149-158.
#'
#'   Minka, T. P. (2001). Expectation propagation for approximate Bayesian inference. *Uncertainty in
#'   Artificial Intelligence* 17, 362-369.
#' @seealso [compare_methods()] for the errors of models that are fitted to simulated releases,
#'   [explain_privacy()] for what the same levels mean for participants.
#' @examples
#' set.seed(1)
#' plan <- plan_study(k = 2, epsilon = c(1, 4), rows = 40, items = 10)
#' plan
#' plot(plan)
#' @export
plan_study <- function(k, epsilon = c(0.25, 0.5, 1, 2, 4, 8), ..., rows = NULL, items = NULL, mean_count = 1,
                       pilot = NULL, model = c("topic", "block"), precision = 1, detect = NULL, power = 0.8,
                       target = NULL, mechanism = NULL) {
  call <- rlang::current_env()
  check_no_dots(...)
  k <- check_whole(k, "k", 1, 50)
  model <- check_choice(model, "model", c("topic", "block"))
  if (is.null(mechanism)) {
    levels <- expand.grid(
      epsilon = sort(unique(check_epsilon(epsilon))), precision = sort(unique(check_precision(precision)))
    )
    noise <- function(alpha) new_mechanism("geometric", list(alpha = alpha, precision = 1))
    mechanism <- lapply(exp(-levels$epsilon / levels$precision), noise)
  } else {
    mechanism <- check_mechanisms(mechanism, missing(epsilon) && missing(precision))
    levels <- data.frame(mechanism = factor(names(mechanism), names(mechanism)))
  }
  mean_count <- check_positive(mean_count, "mean_count")
  check_that(is.null(rows) != is.null(pilot), "Give exactly one of {.arg rows} and {.arg pilot}.")
  if (!is.null(rows) && !are_whole(rows, 2)) abort_argument(rows, "rows", "whole numbers of at least 2", call)
  if (!is.null(detect)) check_positive(detect, "detect")
  check_open_share(power, "power")
  if (!is.null(target)) check_positive(target, "target")
  check_that(is.null(target) || length(rows) > 1, "With {.arg target}, {.arg rows} must be several numbers.")
  sketch <- if (is.null(pilot)) {
    sketch_numbers(k, max(rows), items, mean_count, model, call)
  } else if (inherits(pilot, "simulated_counts")) {
    sketch_simulation(pilot, call)
  } else {
    sketch_counts(pilot, k, model, call)
  }
  rows <- if (is.null(rows)) sketch$n else sort(unique(as.double(rows)))
  plan <- plan_levels(sketch, levels, mechanism, rows, k, detect, power)
  if (!is.null(target)) plan$needed <- needed_rows(plan, target)
  structure(plan, class = c("study_plan", "data.frame"), items = sketch$items, k = k)
}

# One row per number of rows and level. `errors`: for each simulation, standard Gaussian errors of the cells, one set
# for each side, which are the same for all numbers of rows, so that these can be compared. The two sets are
# independent, so that the errors of one factor do not follow those of the other.
plan_levels <- function(sketch, levels, mechanisms, rows, k, detect, power) {
  simulations <- min(MOST_SIMULATIONS, ceiling(SIMULATED_CELLS / sum(!is.na(sketch$mu))))
  one <- function() array(stats::rnorm(length(sketch$mu)), dim(sketch$mu))
  errors <- replicate(simulations, list(one(), one()), simplify = FALSE)
  do.call(rbind, lapply(rows, function(n) {
    modelled <- plan_errors(mechanisms, sketch, errors, copies_in(sketch, n))
    cbind(rows = n, levels, plan_sums(mechanisms, sketch, n / k, detect, power), modelled)
  }))
}

LEVEL_KEYS <- c("mechanism", "epsilon", "precision")

# The smallest number of rows at which the error of the model is at most `target`, for each row of a plan:
# interpolated between the planned numbers of rows, and NA if none of them is large enough.
needed_rows <- function(plan, target) {
  level <- interaction(plan[intersect(LEVEL_KEYS, names(plan))], drop = TRUE)
  needed <- vapply(split(plan, level), function(each) {
    last <- match(TRUE, each$mae <= target)
    if (is.na(last) || last == 1) {
      return(each$rows[last])
    }
    between <- last - 1:0
    ceiling(exp(stats::approx(each$mae[between], log(each$rows[between]), target)$y))
  }, 0)
  unname(needed[as.character(level)])
}

# --- sketches -------------------------------------------------------------------------------------

# More rows and items than this are not in a sketch, so that time and memory do not depend on the size of a
# study. Each row of the sketch then stands for several of the study; see copies_in().
MOST_SKETCHED <- 300

sketched <- function(n) spread_over(seq_len(n), MOST_SKETCHED)

sketch_numbers <- function(k, rows, items, mean_count, model, call) {
  rows <- min(rows, MOST_SKETCHED)
  if (model == "block") {
    simulated <- simulate_blocks(V = rows, k = k, shape = 0.2)
    simulated$mu <- simulated$mu * (mean_count / mean(simulated$mu, na.rm = TRUE))
    simulated$y[] <- stats::rpois(length(simulated$mu), ifelse(is.na(simulated$mu), 0, simulated$mu))
    return(sketch_simulation(simulated, call))
  }
  check_that(!is.null(items), "With {.arg rows}, {.arg items} must be given.", call)
  items <- check_whole(items, "items", max(2, k), call = call)
  drawn <- min(items, MOST_SKETCHED)
  sketch_simulation(simulate_topics(D = rows, V = drawn, k = k, words = mean_count * drawn), call, items)
}

# `items`: their number in the study.
sketch_simulation <- function(simulated, call, items = ncol(simulated$mu)) {
  check_that(!is.null(simulated$theta) && (!is.null(simulated$phi) || !is.null(simulated$pi)),
    "{.arg pilot} must be a simulation by {.fn simulate_topics} or {.fn simulate_blocks}, or counts.", call
  )
  rows <- sketched(nrow(simulated$mu))
  columns <- sketched(ncol(simulated$mu))
  mu <- as.matrix(simulated$mu[rows, columns])
  y <- as.matrix(simulated$y[rows, columns])
  dispersion <- max(1, mean((y - mu)^2, na.rm = TRUE) / mean(mu, na.rm = TRUE))
  new_sketch(mu, y, simulated, rows, columns, dispersion, items, known = TRUE)
}

sketch_counts <- function(pilot, k, model, call) {
  y <- counts_of(given_counts(pilot, "pilot", call = call), 2, "pilot", call)$counts
  check_complete(y, "pilot", call = call)
  fit_one <- if (model == "block") block_model else topic_model
  fit <- quietly(fit_one(y, k, inference = "cavi", chains = 1, progress = FALSE))
  factors <- coef(fit)
  rows <- sketched(nrow(y))
  columns <- sketched(ncol(y))
  mu <- matrix(stats::fitted(fit, cells = as.matrix(expand.grid(rows, columns))), length(rows))
  shown <- as.matrix(y[rows, columns])
  new_sketch(mu, shown, factors, rows, columns, factors$dispersion, ncol(y), known = FALSE)
}

# What is planned with: the means `mu` (NA on the diagonal of a network), the factors `theta`, and `phi` (with
# mu = theta phi') or `pi` (with mu = theta pi theta'), which are scaled such that mu is their product, the
# counts `y`, their dispersion, whether errors are those from mu (`known`) or from y, the number `n` of rows
# of the pilot, and the number of `items` of the study (NA for a network, where it is that of its people).
new_sketch <- function(mu, y, factors, rows, columns, dispersion, items, known) {
  network <- !is.null(factors$pi)
  theta <- factors$theta[rows, , drop = FALSE]
  other <- if (network) factors$pi %*% t(theta) else factors$phi[, columns, drop = FALSE]
  scale <- mean(mu, na.rm = TRUE) / mean((theta %*% other)[!is.na(mu)])
  list(
    mu = mu, y = y, theta = theta, phi = if (!network) t(other) * scale, pi = if (network) factors$pi * scale,
    dispersion = dispersion, known = known, n = nrow(factors$theta), items = if (network) NA else items
  )
}

# Each row or column of a sketch stands for several of a study with n rows, or for a part of one: what other
# rows and columns tell about a factor is multiplied by this number. The first number is for columns, which
# tell about rows, the second for rows, which tell about columns.
copies_in <- function(sketch, n) {
  rows <- n / nrow(sketch$mu)
  c(if (is.null(sketch$pi)) sketch$items / ncol(sketch$mu) else rows, rows)
}

# --- closed forms ---------------------------------------------------------------------------------

# `size`: the number of rows per group. The difference that is detected has `power`, in a test at the level
# 0.05.
plan_sums <- function(mechanisms, sketch, size, detect, power) {
  variance <- vapply(mechanisms, variance_of_noise, 0, USE.NAMES = FALSE)
  unbiased <- vapply(mechanisms, function(mechanism) mechanism$kind != "withheld", TRUE)
  noise <- ifelse(unbiased, variance, NA)
  above <- function(mechanism) pprivcount(0, 0, mechanism, lower.tail = FALSE)
  counts <- stats::var(sketch$y[!is.na(sketch$mu)])
  se <- sqrt((counts + noise) / size)
  quantiles <- stats::qnorm(0.975) + stats::qnorm(power)
  table <- data.frame(
    noise_sd = sqrt(variance), positive = vapply(mechanisms, above, 0, USE.NAMES = FALSE), se_mean = se,
    difference = quantiles * sqrt(2) * se, people = 1 + noise / counts
  )
  if (!is.null(detect)) table$per_group <- ceiling(2 * (counts + noise) * (quantiles / detect)^2)
  table
}

# --- errors of models -----------------------------------------------------------------------------

# Simulations are repeated until at least this number of cells was simulated, but at most MOST_SIMULATIONS
# times.
SIMULATED_CELLS <- 1.2e4
MOST_SIMULATIONS <- 10

# The share of the mean count that is added to means before their information is computed: without noise, the
# information about a mean near zero has no bound.
LEAST_MEAN <- 0.02

# Simulated errors are multiplied by this number, because the rates, the dispersion and the scale of priors
# are treated as known. It was calibrated to the errors of compare_methods() in designs A to D of
# bench/plan.R, most of which are from 3 to 16 per cent larger than the simulated ones.
PLAN_EXCESS <- 1.07

plan_errors <- function(mechanisms, sketch, errors, copies) {
  seen <- !is.na(sketch$mu)
  mu <- sketch$mu[seen]
  means_at <- function(mechanism) {
    weigh <- cell_weights(mechanism, sketch)
    vapply(errors, function(z) planned_means(weigh, sketch, z, copies)[seen], mu)
  }
  # all errors, or those that noise adds to a fit of the pilot's counts
  without <- means_at(no_noise())
  reference <- if (sketch$known) mu else without
  truth <- if (sketch$known) mu else sketch$y[seen]
  constant <- mean(abs(truth - mean(sketch$y[seen]))) # a model that learns nothing is not worse
  error <- function(means) min(mean(abs(mu + PLAN_EXCESS * (means - reference) - truth)), constant)
  different <- unique(mechanisms)
  each <- vapply(different, function(mechanism) error(means_at(mechanism)), 0, USE.NAMES = FALSE)
  data.frame(mae = each[match(mechanisms, different)], mae_without_noise = error(without), mae_constant = constant)
}

# The function that returns, for means of all cells, the precision of counts about these means. It is zero for
# cells that are not data.
cell_weights <- function(mechanism, sketch) {
  seen <- !is.na(sketch$mu)
  least <- LEAST_MEAN * mean(sketch$mu[seen])
  information <- noised_information(mechanism, c(least, 2 * max(sketch$mu[seen]) + least))
  function(mu) {
    mu <- mu + least
    array(seen / (1 / information(mu) + (sketch$dispersion - 1) * mu), dim(seen))
  }
}

# One simulation of the estimated means, with the errors z of cells.
planned_means <- function(weigh, sketch, z, copies) {
  seen <- !is.na(sketch$mu)
  mu <- ifelse(seen, sketch$mu, 0)
  variance <- 1 / weigh(mu)
  # counts of a pilot vary already
  if (!sketch$known) variance <- pmax(variance - 1 / cell_weights(no_noise(), sketch)(mu), 0)
  counts <- Map(function(error, copies) mu + ifelse(seen, sqrt(variance / copies) * error, 0), z, copies)
  if (is.null(sketch$pi)) {
    planned_product(sketch$theta, sketch$phi, weigh, counts, copies)
  } else {
    planned_network(sketch$theta, sketch$pi, weigh, counts, copies[1])
  }
}

# The function that returns the Fisher information about mu of a Poisson count with noise, interpolated between
# values on a grid of log(mu) with this range. It is at least a tiny number, so that its inverse is finite.
noised_information <- function(mechanism, range) {
  if (mechanism$kind == "none") {
    return(function(mu) 1 / mu)
  }
  grid <- seq(log(range[1]), log(range[2]), length.out = 80)
  mu <- exp(grid)
  about_log <- if (mechanism$kind == "geometric") {
    fisher_information(mu, 0, rep(mechanism$parameters$alpha, length(mu)))
  } else {
    vapply(mu, information_of_releases, 0, mechanism, 0)
  }
  values <- log(pmax(about_log / mu^2, 1e-100))
  function(mu) exp(stats::approx(grid, values, log(mu), rule = 2)$y)
}

# --- estimates of factors, given each other -------------------------------------------------------

MOST_ROUNDS <- 15
ROUNDS_TOLERANCE <- 0.02

# The estimate of theta phi'. Given the estimate of phi, that of theta_i is from a regression of the counts of
# row i, and conversely. Counts are weighted by their precision at the estimated means. `counts` has one
# matrix for each side, and `copies` one number.
planned_product <- function(theta, phi, weigh, counts, copies) {
  scale <- sqrt(colMeans(theta) / colMeans(phi))
  left <- new_side(sweep(theta, 2, scale, `/`))
  right <- new_side(sweep(phi, 2, scale, `*`))
  for (round in seq_len(MOST_ROUNDS)) {
    before <- left$mean
    weight <- weigh(tcrossprod(left$mean, right$mean))
    left <- estimate_side(
      left, copies[1] * weight %*% row_products(right$mean), copies[1] * (weight * counts[[1]]) %*% right$mean
    )
    right <- estimate_side(
      right, copies[2] * crossprod(weight, row_products(left$mean)),
      copies[2] * crossprod(weight * counts[[2]], left$mean)
    )
    if (mean(abs(left$mean - before)) <= ROUNDS_TOLERANCE * mean(before)) break
  }
  tcrossprod(left$mean, right$mean)
}

# The same for theta pi theta'. The rates pi are few, and treated as known. All actors are estimated at once,
# each given the others. So that estimates do not alternate between two states, they go half the way.
planned_network <- function(theta, pi, weigh, counts, copies) {
  side <- new_side(theta)
  for (round in seq_len(MOST_ROUNDS)) {
    before <- side$mean
    weight <- copies * weigh(before %*% tcrossprod(pi, before))
    sent <- tcrossprod(before, pi) # multiplies theta_i in the means of i's messages
    received <- before %*% pi
    side <- estimate_side(
      side, weight %*% row_products(sent) + crossprod(weight, row_products(received)),
      (weight * counts[[1]]) %*% sent + crossprod(weight * counts[[2]], received)
    )
    side$mean <- (before + side$mean) / 2
    if (mean(abs(side$mean - before)) <= ROUNDS_TOLERANCE / 2 * mean(before)) break
  }
  side$mean %*% tcrossprod(pi, side$mean)
}

# The density of a prior is computed on a grid, from a negligible to an improbably large value.
PRIOR_POINTS <- 150

new_side <- function(x) {
  priors <- apply(x, 2, prior_grid, simplify = FALSE)
  moments <- vapply(priors, grid_moments, c(0, 0))
  precision <- matrix(1 / moments[2, ], nrow(x), ncol(x), byrow = TRUE)
  list(mean = x, priors = priors, precision = precision, shift = sweep(precision, 2, moments[1, ], `*`))
}

# Points and logs of their probabilities.
prior_grid <- function(x) {
  rate <- TYPICAL_SHAPE / mean(x)
  quantiles <- stats::qgamma(c(1e-3, 1 - 1e-4), TYPICAL_SHAPE, rate)
  range <- log(c(max(quantiles[1], 0.01 * mean(x)), max(quantiles[2], 1.5 * max(x))))
  points <- exp(seq(range[1], range[2], length.out = PRIOR_POINTS))
  between <- c(0, sqrt(points[-1] * points[-PRIOR_POINTS]), Inf)
  list(points = points, log_mass = log(pmax(diff(stats::pgamma(between, TYPICAL_SHAPE, rate)), 1e-300)))
}

grid_moments <- function(prior) {
  mass <- exp(prior$log_mass) / sum(exp(prior$log_mass))
  centre <- sum(mass * prior$points)
  c(centre, sum(mass * (prior$points - centre)^2))
}

PROPAGATION_STEPS <- 2
DAMPING <- 0.7

# Posterior means of the rows of a factor by expectation propagation (Minka, 2001). Per row the information of
# its regression (as a vector) and the weighted sum of its data (`score`) are given. Gaussian distributions
# with `precision` and `shift` take the place of the gamma priors, and have the same moments once multiplied
# by all else.
estimate_side <- function(side, information, score) {
  for (step in seq_len(PROPAGATION_STEPS)) {
    joint <- joint_moments(information, score, side)
    for (c in seq_len(ncol(score))) {
      own <- pmax(1 / joint$variance[, c] - side$precision[, c], 1e-10)
      towards <- joint$mean[, c] / joint$variance[, c] - side$shift[, c]
      exact <- tilted_moments(towards, own, side$priors[[c]])
      # at least a small precision, so that the joint precision stays positive
      precision <- pmax(1 / exact$variance - own, 1e-6 * own)
      shift <- exact$mean * (own + precision) - towards
      side$precision[, c] <- (1 - DAMPING) * side$precision[, c] + DAMPING * precision
      side$shift[, c] <- (1 - DAMPING) * side$shift[, c] + DAMPING * shift
    }
  }
  side$mean <- pmax(joint_moments(information, score, side)$mean, 0)
  side
}

# Means and variances of Gaussian rows. All rows are computed at once: the sweep operator (Goodnight 1979),
# applied to each row and column of a matrix, leaves the inverse with the opposite sign.
joint_moments <- function(information, score, side) {
  k <- ncol(score)
  diagonal <- seq(1, k^2, k + 1)
  row <- rep(seq_len(k), k)
  column <- rep(seq_len(k), each = k)
  a <- information
  a[, diagonal] <- a[, diagonal] + side$precision
  for (j in seq_len(k)) {
    pivot <- a[, diagonal[j]]
    swept <- a[, column == j, drop = FALSE]
    a <- a - swept[, row, drop = FALSE] * (swept / pivot)[, column, drop = FALSE]
    a[, column == j] <- a[, row == j] <- swept / pivot
    a[, diagonal[j]] <- -1 / pivot
  }
  all <- score + side$shift
  mean <- vapply(seq_len(k), function(j) -rowSums(a[, column == j, drop = FALSE] * all), numeric(nrow(all)))
  list(mean = matrix(mean, nrow(all)), variance = -a[, diagonal, drop = FALSE])
}

# Mean and variance of the distributions with density prior(x) exp(towards x - own x^2 / 2). Those that are
# narrower than half the distance between points of the grid are Gaussian.
tilted_moments <- function(towards, own, prior) {
  points <- prior$points
  log_density <- cbind(towards, -own / 2, 1) %*% rbind(points, points^2, prior$log_mass)
  density <- exp(log_density - log_density[cbind(seq_along(own), max.col(log_density, "first"))])
  moments <- density %*% cbind(1, points, points^2)
  mean <- moments[, 2] / moments[, 1]
  variance <- pmax(moments[, 3] / moments[, 1] - mean^2, 1e-12 * mean^2)
  peak <- towards / own
  narrow <- peak > points[1] & 1 / own < (peak * log(points[2] / points[1]) / 2)^2
  list(mean = ifelse(narrow, peak, mean), variance = ifelse(narrow, 1 / own, variance))
}

# Per row, its products of pairs of entries.
row_products <- function(x) {
  k <- ncol(x)
  x[, rep(seq_len(k), k), drop = FALSE] * x[, rep(seq_len(k), each = k), drop = FALSE]
}

# --- print and plot -------------------------------------------------------------------------------

#' @rdname plan_study
#' @export
print.study_plan <- function(x, ...) {
  check_no_dots(...)
  items <- attr(x, "items")
  per_person <- paste(count_of(format_number(items), "count"), "per person")
  of <- if (is.na(items)) "messages between all people" else per_person
  people <- paste(format_number(unique(x$rows)), collapse = ", ")
  cat_wrapped(paste0("Plan of a study of ", people, " people, with ", of, ":"))
  keys <- c("rows", LEVEL_KEYS)
  table <- as.data.frame(x)
  shown <- setdiff(names(table)[vapply(table, is.numeric, TRUE)], c(keys, "per_group", "needed"))
  table[shown] <- lapply(table[shown], signif, 3)
  print_in_parts(table, sum(names(table) %in% keys))
  legend <- PLAN_LEGEND[names(PLAN_LEGEND) %in% names(x)]
  cat_wrapped(paste0(names(legend), ": ", legend), bullet = "* ")
  if (anyNA(x$se_mean)) cat_wrapped("NA: the mean of withheld counts is not that of true counts", bullet = "* ")
  invisible(x)
}

PLAN_LEGEND <- c(
  noise_sd = "standard deviation of the noise of a count",
  positive = "share of true zeros that are released above 0",
  se_mean = "standard error of the mean of a group", difference = "detectable difference between two groups",
  people = "factor by which the number of people must grow to make up for the noise",
  per_group = "people that each of two groups needs for the difference in `detect`",
  mae = paste(
    "mean absolute error of the means of a model (mae_without_noise, mae_constant: without noise, of one",
    "constant)"
  ),
  needed = "rows that the model needs for the error in `target`; NA: more than planned"
)

#' @rdname plan_study
#' @export
plot.study_plan <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname plan_study
#' @exportS3Method ggplot2::autoplot
autoplot.study_plan <- function(object, ...) {
  check_no_dots(...)
  rows <- unique(object$rows)
  column <- level_column(object)
  precision <- if (column == "epsilon") object$precision else 1
  key <- function(x) if (length(unique(x)) > 1) "legend" else "none"
  measures <- c(
    mae = "mean absolute error of the model", mae_without_noise = "the same without noise",
    difference = "detectable difference of two groups"
  )
  lines <- do.call(rbind, lapply(names(measures), function(name) {
    data.frame(
      level = object[[column]], precision = factor(precision), value = object[[name]],
      people = factor(object$rows, rows, paste(format_number(rows), "people")),
      measure = factor(measures[[name]], measures)
    )
  }))
  lines <- lines[!is.na(lines$value), ]
  ggplot2::ggplot(lines, ggplot2::aes(.data$level, .data$value, colour = .data$people)) +
    (if (length(unique(object$epsilon)) > 1) {
      ggplot2::geom_line(ggplot2::aes(group = interaction(.data$people, .data$precision)))
    }) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$precision)) +
    ggplot2::facet_wrap(ggplot2::vars(.data$measure),
      scales = "free_y", labeller = ggplot2::label_wrap_gen(22)
    ) +
    level_axis(object[[column]]) +
    ggplot2::scale_colour_viridis_d(end = 0.8, guide = key(object$rows)) +
    ggplot2::scale_shape_discrete(guide = key(precision)) +
    ggplot2::expand_limits(y = 0) +
    ggplot2::labs(
      x = column, y = NULL, colour = NULL, shape = "precision", title = "What noise costs the study"
    ) +
    ggplot2::theme(legend.position = "bottom", legend.box = "vertical")
}
