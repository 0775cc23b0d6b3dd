# What a privacy level costs a planned study, computed from a sketch of it, without fitting models to
# releases.

#' Plan a study
#'
#' Computes from a sketch of a study what `epsilon` and `precision` cost: the noise per count, the standard
#' error of means, the smallest difference between groups that can be detected, and the mean absolute error of
#' the estimated means of a model.
#'
#' @param k The number of groups, topics or communities to be told apart.
#' @param epsilon The privacy levels to be compared, positive numbers.
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
#'   then says how many people each group needs.
#' @param power The probability with which differences are detected, between 0 and 1.
#' @param x,object A `study_plan`.
#' @return A data frame of class `study_plan`, with one row per number of rows, `epsilon` and `precision`, and
#'   the columns
#'   \describe{
#'     \item{`rows`}{the number of rows, if several are compared}
#'     \item{`epsilon`, `precision`}{the privacy level}
#'     \item{`noise_sd`}{the standard deviation of the noise of a count}
#'     \item{`positive`}{the share of true zeros that are released as positive counts}
#'     \item{`se_mean`}{the standard error of the mean of one item in one of `k` groups of equal size, if it
#'       is known who belongs to which group}
#'     \item{`difference`}{the difference between two such groups that a test at the level 0.05 detects with
#'       probability `power`}
#'     \item{`people`}{the factor by which the number of people must grow to have the standard error that
#'       there is without noise}
#'     \item{`per_group`}{with `detect`: the number of people that each of two groups needs, so that a test at
#'       the level 0.05 detects a difference of `detect` with probability `power`}
#'     \item{`mae`}{the mean absolute error of the means that the model estimates ([mae()])}
#'     \item{`mae_without_noise`, `mae_constant`}{the same for the model without noise, and for one constant
#'       for all cells}
#'   }
#'   `autoplot()` returns a ggplot of the errors against `epsilon`. `plot()` draws it, and returns it
#'   invisibly.
#' @details The first columns have closed forms (`vignette("planning-a-study")`). The variance of the noise is
#' `2 alpha / (1 - alpha)^2` with `alpha = exp(-epsilon / precision)`, and that of the counts is the
#' variance over all cells of the sketch.
#'
#' `mae` is an approximation (new in this package). It uses Gaussian random numbers in place of released
#' counts. Their variance about the mean is the inverse of the Fisher information of a Poisson count with noise
#' (plus the overdispersion). Given one factor, the other is estimated by a regression for each row or column.
#' This is repeated, each time with the new estimates, until they no longer change much. The regressions have
#' the gamma priors of the models, and their posterior means are computed by expectation propagation (Minka,
#' 2001). The errors of the two factors are drawn independently, and results are averaged over up to 10 draws.
#' No model is fitted to a release, and no posterior is sampled.
#'
#' If the sketch is a simulation, `mae` is the error of the estimated means compared with the true ones. If
#' `pilot` has counts, a model is fitted to them by variational inference, and `mae` is the error of the
#' estimated means compared with these counts, as in [compare_methods()] without `truth`.
#'
#' Errors are multiplied by 1.07, a number that was calibrated to errors of [compare_methods()] in four
#' simulated designs, and are at most those of one constant for all cells. In these designs, planned errors then
#' differ from the measured ones by at most 10 per cent, at `epsilon` from 0.5 to 4 and without noise
#' (`bench/plan.R` in the sources; three tables of counts with two releases each). Two data sets were not used
#' for the calibration. The difference is at most 10 per cent for `enron_network` and at most 7 per cent for
#' `poliblog`. In a sparse simulated network with a mean count of 0.02, planned errors are too small, by 35 to 75
#' per cent. So check the level that you choose with [compare_methods()], which takes longer, if most people have
#' no counts at all.
#'
#' Of more than 1,000 rows or items (300 people in a network), this number is simulated. The planned error of the
#' model is then an upper bound for the larger study, and a message of class `ldpcounts_sketched` says so.
#'
#' A sketch of numbers of rows and items is simulated with the defaults of the simulators: groups that are
#' easy to tell apart. The result depends on random numbers, so call `set.seed()` first.
#' @section Errors: An error of class `ldpcounts_error` is thrown if an argument is wrong.
#' @references Minka, T. P. (2001). Expectation propagation for approximate Bayesian inference. *Uncertainty in
#'   Artificial Intelligence* 17, 362-369.
#' @seealso [compare_methods()] for the errors of models that are fitted to simulated releases,
#'   [explain_privacy()] for what the same levels mean for participants.
#' @examples
#' set.seed(1)
#' plan <- plan_study(k = 3, rows = 100, items = 30, mean_count = 1)
#' plan
#' plot(plan)
#' # how many people does a difference of half a count need?
#' plan_study(k = 2, epsilon = c(0.5, 1, 2), rows = c(100, 400), items = 10, detect = 0.5)
#' pilot <- simulate_topics(D = 100, V = 30, words = 30)
#' plan_study(k = 3, epsilon = 1, pilot = pilot, precision = c(1, 2))
#' @export
plan_study <- function(k, epsilon = c(0.25, 0.5, 1, 2, 4, 8), ..., rows = NULL, items = NULL, mean_count = 1,
                       pilot = NULL, model = c("topic", "block"), precision = 1, detect = NULL, power = 0.8) {
  call <- rlang::current_env()
  check_no_dots(...)
  check_given(missing(k), "k")
  k <- check_whole(k, "k", 1, 1000)
  model <- check_choice(model, "model", c("topic", "block"))
  check_epsilon(epsilon)
  check_precision(precision)
  mean_count <- check_positive(mean_count, "mean_count")
  check_that(is.null(rows) != is.null(pilot), "Give exactly one of {.arg rows} and {.arg pilot}.")
  if (!is.null(rows)) rows <- check_several(rows, "rows", 2, call)
  if (!is.null(detect)) check_positive(detect, "detect")
  check_share(power, "power", open = TRUE)
  levels <- expand.grid(epsilon = sort(unique(as.double(epsilon))), precision = sort(unique(precision)))
  plans <- lapply(if (is.null(rows)) list(NULL) else rows, function(n) {
    plan_one(k, levels, n, items, mean_count, pilot, model, detect, power, call)
  })
  plan <- do.call(rbind, lapply(plans, `[[`, "table"))
  if (length(rows) > 1) plan <- cbind(rows = rep(rows, each = nrow(levels)), plan)
  dim <- plans[[1]]$dim
  if (length(rows) > 1) dim[1] <- NA
  structure(plan, class = c("study_plan", "data.frame"), dim_of_study = dim, k = k, detect = detect, power = power)
}

check_several <- function(x, arg, least, call) {
  valid <- is.numeric(x) && length(x) > 0 && all(is.finite(x)) && all(is_whole(x) & x >= least & x < 2^31)
  if (!valid) abort_argument(x, arg, paste("whole numbers of at least", least), call)
  sort(unique(as.double(x)))
}

# The plan for one number of rows, or for a pilot: list(table, dim), with one row per level.
plan_one <- function(k, levels, rows, items, mean_count, pilot, model, detect, power, call) {
  sketch <- if (is.null(pilot)) {
    sketch_numbers(k, rows, items, mean_count, model, call)
  } else if (inherits(pilot, "simulated_counts")) {
    sketch_simulation(pilot, call)
  } else {
    sketch_counts(pilot, k, model, call)
  }
  dim <- if (is.null(pilot)) c(rows, if (model == "block") rows else items) else dim(sketch$mu)
  alpha <- exp(-levels$epsilon / levels$precision)
  sums <- plan_sums(alpha, sketch, dim[1] / k, detect, power)
  list(table = cbind(levels, sums, plan_errors(alpha, sketch)), dim = dim)
}

# --- sketches -------------------------------------------------------------------------------------

# A sketch is a list of the means `mu` (NA on the diagonal of a network), the factors `theta`, and `phi` (with
# mu = theta phi') or `pi` (with mu = theta pi theta'), the counts `y`, the dispersion of counts, and whether
# errors are those from mu (`known`) or from y.

# More rows, or items, than this are not simulated, so that the time and memory of a plan are limited. The error of the
# model is then that of a study of this size: more rows and items make it smaller.
MOST_SKETCHED <- c(topic = 1000, block = 300)

sketch_numbers <- function(k, rows, items, mean_count, model, call) {
  most <- MOST_SKETCHED[[model]]
  tell_if(max(rows, items) > most, c(
    "The error of the model, {.field mae}, is planned for {most} rows or items, where there are more.",
    i = "It is an upper bound for the larger study. The other columns are for all rows."
  ), "ldpcounts_sketched")
  rows <- min(rows, most)
  if (model == "block") {
    simulated <- simulate_blocks(V = rows, k = k, shape = 0.2)
    simulated$mu <- simulated$mu * (mean_count / mean(simulated$mu, na.rm = TRUE))
    simulated$pi <- simulated$pi * rescaling(simulated)
    simulated$y[] <- stats::rpois(length(simulated$mu), ifelse(is.na(simulated$mu), 0, simulated$mu))
    return(sketch_simulation(simulated, call))
  }
  check_that(!is.null(items), "With {.arg rows}, {.arg items} must be given.", call)
  items <- min(check_whole(items, "items", 2, call = call), most)
  sketch_simulation(simulate_topics(D = rows, V = items, k = k, words = mean_count * items), call)
}

# The factor by which mu is larger than the product of the factors.
rescaling <- function(simulated) {
  product <- simulated$theta %*% simulated$pi %*% t(simulated$theta)
  mean(simulated$mu, na.rm = TRUE) / mean(product[!is.na(simulated$mu)])
}

sketch_simulation <- function(simulated, call) {
  check_that(!is.null(simulated$theta) && (!is.null(simulated$phi) || !is.null(simulated$pi)),
    "{.arg pilot} must be a simulation by {.fn simulate_topics} or {.fn simulate_blocks}, or counts.", call
  )
  mu <- as.matrix(simulated$mu)
  y <- as.matrix(simulated$y)
  dispersion <- max(1, mean((y - mu)^2, na.rm = TRUE) / mean(mu, na.rm = TRUE))
  list(
    mu = mu, theta = simulated$theta, phi = if (is.null(simulated$pi)) t(scaled_topics(simulated, mu)),
    pi = simulated$pi, y = y, dispersion = dispersion, known = TRUE
  )
}

# The topics, with one row per topic, scaled such that theta phi = mu.
scaled_topics <- function(simulated, mu) {
  phi <- simulated$phi
  phi * (sum(mu) / sum(simulated$theta %*% phi))
}

sketch_counts <- function(pilot, k, model, call) {
  y <- as.matrix(counts_of(given_counts(pilot, "pilot", call = call), 2, "pilot", call)$counts)
  check_complete(y, "pilot", call = call)
  fit_one <- if (model == "block") block_model else topic_model
  fit <- quietly(fit_one(y, k, inference = "cavi", chains = 1, progress = FALSE))
  factors <- coef(fit)
  mu <- stats::fitted(fit)
  sketch <- list(mu = mu, theta = factors$theta, y = y, dispersion = factors$dispersion, known = FALSE)
  if (model == "topic") {
    sketch$phi <- t(scaled_topics(factors, mu))
  } else {
    sketch$pi <- factors$pi * rescaling(c(factors, sketch["mu"]))
  }
  sketch
}

# --- closed forms ---------------------------------------------------------------------------------

# `size`: the number of rows per group. The difference that is detected has `power`, in a test at the level 0.05.
plan_sums <- function(alpha, sketch, size, detect, power) {
  noise <- 2 * alpha / (1 - alpha)^2
  counts <- stats::var(sketch$y[!is.na(sketch$mu)])
  se <- sqrt((counts + noise) / size)
  quantiles <- stats::qnorm(0.975) + stats::qnorm(power)
  table <- data.frame(
    noise_sd = sqrt(noise), positive = alpha / (1 + alpha), se_mean = se,
    difference = quantiles * sqrt(2) * se, people = 1 + noise / counts
  )
  if (!is.null(detect)) table$per_group <- ceiling(2 * (counts + noise) * (quantiles / detect)^2)
  table
}

# --- errors of models -----------------------------------------------------------------------------

# Simulations are repeated until at least this number of cells was simulated, but at most MOST_SIMULATIONS times.
SIMULATED_CELLS <- 1.2e4
MOST_SIMULATIONS <- 10

# The share of the mean count that is added to means before their information is computed: without noise, the
# information about a mean near zero has no bound.
LEAST_MEAN <- 0.02

# Simulated errors are multiplied by this number, because the rates, the dispersion and the scale of priors are
# treated as known. It was calibrated to the errors of compare_methods() in designs A to D of bench/plan.R, most of
# which are from 3 to 16 per cent larger than the simulated ones.
PLAN_EXCESS <- 1.07

plan_errors <- function(alpha, sketch) {
  seen <- !is.na(sketch$mu)
  mu <- sketch$mu[seen]
  simulations <- min(MOST_SIMULATIONS, ceiling(SIMULATED_CELLS / length(mu)))
  errors <- replicate(simulations, replicate(2, random_errors(sketch), simplify = FALSE), simplify = FALSE)
  means_at <- function(alpha) {
    weigh <- cell_weights(alpha, sketch)
    vapply(errors, function(z) planned_means(weigh, sketch, z)[seen], mu)
  }
  # all errors, or those that noise adds to a fit of the pilot's counts
  without <- means_at(0)
  reference <- if (sketch$known) mu else without
  truth <- if (sketch$known) mu else sketch$y[seen]
  constant <- mean(abs(truth - mean(sketch$y[seen]))) # a model that learns nothing is not worse
  error <- function(means) min(mean(abs(mu + PLAN_EXCESS * (means - reference) - truth)), constant)
  each <- vapply(unique(alpha), function(a) error(means_at(a)), 0)
  data.frame(
    mae = each[match(alpha, unique(alpha))], mae_without_noise = error(without),
    mae_constant = constant
  )
}

random_errors <- function(sketch) array(stats::rnorm(length(sketch$mu)), dim(sketch$mu))

# The function that returns, for means of all cells, the precision of counts about these means. It is zero for
# cells that are not data.
cell_weights <- function(alpha, sketch) {
  seen <- !is.na(sketch$mu)
  least <- LEAST_MEAN * mean(sketch$mu[seen])
  information <- noised_information(alpha, c(least, 2 * max(sketch$mu[seen]) + least))
  function(mu) {
    mu <- mu + least
    array(seen / (1 / information(mu) + (sketch$dispersion - 1) * mu), dim(seen))
  }
}

# One simulation of the estimated means. `z` has standard Gaussian errors of the cells, one set for each side.
# The sets are independent, so that the errors of one factor do not follow those of the other.
planned_means <- function(weigh, sketch, z) {
  seen <- !is.na(sketch$mu)
  mu <- ifelse(seen, sketch$mu, 0)
  variance <- 1 / weigh(mu)
  if (!sketch$known) variance <- pmax(variance - 1 / cell_weights(0, sketch)(mu), 0) # counts of a pilot vary already
  counts <- lapply(z, function(error) mu + ifelse(seen, sqrt(variance) * error, 0))
  if (is.null(sketch$pi)) {
    planned_product(sketch$theta, sketch$phi, weigh, counts)
  } else {
    planned_network(sketch$theta, sketch$pi, weigh, counts)
  }
}

# The function that returns the Fisher information about mu of a Poisson count with two-sided geometric noise,
# interpolated between values on a grid of log(mu) with this range.
noised_information <- function(alpha, range) {
  if (alpha == 0) {
    return(function(mu) 1 / mu)
  }
  grid <- seq(log(range[1]), log(range[2]), length.out = 80)
  values <- log(vapply(exp(grid), information_at, 0, alpha))
  function(mu) exp(stats::approx(grid, values, log(mu), rule = 2)$y)
}

# sum (p(y) - p(y - 1))^2 / p(y), because the derivative of the density p is p(y - 1) - p(y). For large means
# the counts are nearly Gaussian.
information_at <- function(mu, alpha) {
  noise <- 2 * alpha / (1 - alpha)^2
  if (mu > 200 || noise > 1e4) {
    return(1 / (mu + if (mu > 200) noise else noise / 2))
  }
  reach <- ceiling(log(1e-12) / log(alpha))
  y <- seq(-reach, reach + stats::qpois(1e-13, mu, lower.tail = FALSE))
  p <- dprivpois(y, mu, alpha)
  slope <- diff(c(0, p))
  sum((slope^2 / p)[p > 1e-14])
}

# --- estimates of factors, given each other -------------------------------------------------------

MOST_ROUNDS <- 40
ROUNDS_TOLERANCE <- 0.02

# The estimate of theta phi'. Given the estimate of phi, that of theta_i is from a regression of the counts of
# row i, and conversely. Counts are weighted by their precision at the estimated means. `counts` has one matrix
# for each side.
planned_product <- function(theta, phi, weigh, counts) {
  scale <- sqrt(colMeans(theta) / colMeans(phi))
  left <- new_side(sweep(theta, 2, scale, `/`))
  right <- new_side(sweep(phi, 2, scale, `*`))
  for (round in seq_len(MOST_ROUNDS)) {
    before <- left$mean
    weight <- weigh(tcrossprod(left$mean, right$mean))
    left <- estimate_side(left, weight %*% row_products(right$mean), (weight * counts[[1]]) %*% right$mean)
    right <- estimate_side(
      right, crossprod(weight, row_products(left$mean)), crossprod(weight * counts[[2]], left$mean)
    )
    if (mean(abs(left$mean - before)) <= ROUNDS_TOLERANCE * mean(before)) break
  }
  tcrossprod(left$mean, right$mean)
}

# The same for theta pi theta'. The rates pi are few, and treated as known. All actors are estimated at once, each
# given the others. So that estimates do not alternate between two states, they go half the way.
planned_network <- function(theta, pi, weigh, counts) {
  side <- new_side(theta)
  for (round in seq_len(MOST_ROUNDS)) {
    before <- side$mean
    weight <- weigh(before %*% tcrossprod(pi, before))
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

# The shape of the prior is the default of the models. Its density is computed on a grid, from a negligible
# to an improbably large value.
PRIOR_SHAPE <- 0.3
PRIOR_POINTS <- 150

new_side <- function(x) {
  priors <- apply(x, 2, prior_grid, simplify = FALSE)
  moments <- vapply(priors, grid_moments, c(0, 0))
  precision <- matrix(1 / moments[2, ], nrow(x), ncol(x), byrow = TRUE)
  list(mean = x, priors = priors, precision = precision, shift = sweep(precision, 2, moments[1, ], `*`))
}

# Points and logs of their probabilities.
prior_grid <- function(x) {
  rate <- PRIOR_SHAPE / mean(x)
  quantiles <- stats::qgamma(c(1e-3, 1 - 1e-4), PRIOR_SHAPE, rate)
  range <- log(c(max(quantiles[1], 0.01 * mean(x)), max(quantiles[2], 1.5 * max(x))))
  points <- exp(seq(range[1], range[2], length.out = PRIOR_POINTS))
  between <- c(0, sqrt(points[-1] * points[-PRIOR_POINTS]), Inf)
  list(points = points, log_mass = log(pmax(diff(stats::pgamma(between, PRIOR_SHAPE, rate)), 1e-300)))
}

grid_moments <- function(prior) {
  mass <- exp(prior$log_mass) / sum(exp(prior$log_mass))
  centre <- sum(mass * prior$points)
  c(centre, sum(mass * (prior$points - centre)^2))
}

PROPAGATION_STEPS <- 2
DAMPING <- 0.7

# Posterior means of the rows of a factor by expectation propagation (Minka, 2001). Per row the information of its
# regression (as a vector) and the weighted sum of its data (`score`) are given. Gaussian distributions with
# `precision` and `shift` take the place of the gamma priors, and have the same moments once multiplied by
# all else.
estimate_side <- function(side, information, score) {
  for (step in seq_len(PROPAGATION_STEPS)) {
    joint <- joint_moments(information, score, side)
    for (c in seq_len(ncol(score))) {
      own <- pmax(1 / joint$variance[, c] - side$precision[, c], 1e-10)
      towards <- joint$mean[, c] / joint$variance[, c] - side$shift[, c]
      exact <- tilted_moments(towards, own, side$priors[[c]])
      precision <- pmax(1 / exact$variance - own, 1e-6 * own) # at least that: the joint precision stays positive
      shift <- exact$mean * (own + precision) - towards
      side$precision[, c] <- (1 - DAMPING) * side$precision[, c] + DAMPING * precision
      side$shift[, c] <- (1 - DAMPING) * side$shift[, c] + DAMPING * shift
    }
  }
  side$mean <- pmax(joint_moments(information, score, side)$mean, 0)
  side
}

# Means and variances of Gaussian rows.
joint_moments <- function(information, score, side) {
  k <- ncol(score)
  rows <- vapply(seq_len(nrow(score)), function(i) {
    covariance <- chol2inv(chol(matrix(information[i, ], k) + diag(side$precision[i, ], k)))
    c(covariance %*% (score[i, ] + side$shift[i, ]), diag(covariance))
  }, numeric(2 * k))
  list(mean = t(rows[seq_len(k), , drop = FALSE]), variance = t(rows[k + seq_len(k), , drop = FALSE]))
}

# Mean and variance of the distributions with density prior(x) exp(towards x - own x^2 / 2).
tilted_moments <- function(towards, own, prior) {
  density <- outer(towards, prior$points) - outer(own / 2, prior$points^2)
  density <- sweep(density, 2, prior$log_mass, `+`)
  density <- exp(density - density[cbind(seq_along(own), max.col(density, "first"))])
  density <- density / rowSums(density)
  mean <- drop(density %*% prior$points)
  list(mean = mean, variance = pmax(drop(density %*% prior$points^2) - mean^2, 1e-12 * mean^2))
}

# Per row, its products of pairs of entries.
row_products <- function(x) {
  k <- ncol(x)
  x[, rep(seq_len(k), k), drop = FALSE] * x[, rep(seq_len(k), each = k), drop = FALSE]
}
