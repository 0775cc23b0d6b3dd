# plan_study(): closed forms, the Fisher information of noised counts, and the approximation of errors.

TOLERANCE <- 1e-8

test_that("standard errors and detectable differences have their closed forms", {
  set.seed(1)
  sketch <- simulate_topics(D = 30, V = 8, k = 3, words = 10)
  plan <- plan_study(3, c(2, 1), pilot = sketch, precision = c(1, 4))
  expect_identical(plan$epsilon, c(1, 2, 1, 2))
  expect_identical(plan$precision, c(1, 1, 4, 4))
  alpha <- geometric_alpha(plan$epsilon, plan$precision)
  noise <- 2 * alpha / (1 - alpha)^2
  expect_equal(plan$noise_sd, sqrt(noise), tolerance = TOLERANCE)
  expect_equal(plan$positive, 1 - ptwogeom(0, alpha), tolerance = TOLERANCE)
  se <- sqrt((var(as.vector(sketch$y)) + noise) / 10)
  expect_equal(plan$se_mean, se, tolerance = TOLERANCE)
  power <- power.t.test(n = 1e6, sd = se[1] * 1e3, power = 0.8)$delta # many people: the t test is a z test
  expect_equal(plan$difference[1], power, tolerance = 1e-4)
})

test_that("the information is that of the noised count, without noise and with much noise too", {
  for (mu in c(0.01, 0.5, 3, 30)) {
    for (alpha in c(0.1, 0.5, 0.9)) {
      y <- -400:400
      step <- 1e-5 * mu
      slope <- (dprivpois(y, mu + step, alpha) - dprivpois(y, mu - step, alpha)) / (2 * step)
      p <- dprivpois(y, mu, alpha)
      found <- noised_information(geometric_noise(alpha = alpha), mu * c(1, 2))(mu)
      expect_equal(found, sum((slope^2 / p)[p > 1e-13]), tolerance = 1e-4)
    }
  }
  # of a zero mean: (1 - alpha)^2 / alpha, twice the inverse of the variance of the noise
  expect_equal(noised_information(geometric_noise(alpha = 0.5), c(1e-9, 1))(1e-9), 0.5, tolerance = 1e-6)
  expect_identical(noised_information(no_noise(), c(1, 2))(2), 0.5)
})

test_that("the information is that of other mechanisms, interpolated too", {
  whole <- list(
    discrete_gaussian_noise(2), discrete_gaussian_noise(0.5), skellam_noise(3),
    withheld(discrete_gaussian_noise(2), below = 5), withheld(geometric_noise(1), below = 1)
  )
  for (mechanism in whole) {
    information <- noised_information(mechanism, c(0.01, 40))
    for (mu in c(0.01, 0.37, 3.3, 30)) {
      y <- c(-Inf, -100:300)
      step <- 1e-5 * mu
      slope <- (dprivcount(y, mu + step, mechanism) - dprivcount(y, mu - step, mechanism)) / (2 * step)
      p <- dprivcount(y, mu, mechanism)
      expect_equal(information(mu), sum((slope^2 / p)[p > 1e-13]), tolerance = 2e-3)
    }
  }
  for (mechanism in list(laplace_noise(2), gaussian_noise(2))) {
    information <- noised_information(mechanism, c(0.01, 40))
    for (mu in c(0.01, 0.37, 3.3, 30)) {
      # the density of noise and a count has the derivative f(x - 1) - f(x)
      f <- function(x) dprivcount(x, mu, mechanism)
      part <- function(from) integrate(function(x) (f(x - 1) - f(x))^2 / f(x), from, from + 1, rel.tol = 1e-7)$value
      expect_equal(information(mu), sum(vapply(-40:100, part, 0)), tolerance = 5e-3)
    }
  }
  # a release that says nothing has an error with a finite inverse
  none <- noised_information(withheld(discrete_gaussian_noise(1), below = 1e4), c(1e-3, 1))(0.1)
  expect_true(is.finite(1 / none) && none < 1e-25) # the square of a rounding error
})

# One of each kind of noise that has a privacy loss.
NOISES <- list(
  laplace = laplace_noise(2), gaussian = gaussian_noise(1.5), discrete = discrete_gaussian_noise(2),
  narrow = discrete_gaussian_noise(0.6), skellam = skellam_noise(3), geometric = geometric_noise(0.7, 2),
  withheld = withheld(skellam_noise(3), below = 2), low = withheld(discrete_gaussian_noise(2), below = -1)
)

test_that("other mechanisms have the noise of their draws, and the sums that follow from it", {
  set.seed(808)
  sketch <- simulate_topics(D = 30, V = 8, k = 3, words = 10)
  plan <- plan_study(3, mechanism = NOISES, pilot = sketch, detect = 1)
  expect_identical(plan$mechanism, factor(names(NOISES), names(NOISES)))
  expect_false(any(c("epsilon", "precision") %in% names(plan)))
  n <- 4e5
  bound <- normal_bound(2 * length(NOISES))
  for (i in seq_along(NOISES)) {
    mechanism <- NOISES[[i]]
    above <- sum(simulate(mechanism, y = numeric(n)) > 0)
    p <- plan$positive[i]
    expect_lt(abs(above - n * p), bound * sqrt(n * p * (1 - p)))
    squares <- simulate(before_withholding(mechanism), y = numeric(n))^2
    expect_lt(abs(mean(squares) - plan$noise_sd[i]^2), bound * sd(squares) / sqrt(n))
  }
  counts <- var(as.vector(sketch$y))
  variance <- counts + ifelse(plan$mechanism %in% c("withheld", "low"), NA, plan$noise_sd^2)
  expect_equal(plan$se_mean, sqrt(variance / 10), tolerance = TOLERANCE)
  expect_equal(plan$people, variance / counts, tolerance = TOLERANCE)
  reach <- qnorm(0.975) + qnorm(0.8)
  expect_equal(plan$difference, reach * sqrt(2 * variance / 10), tolerance = TOLERANCE)
  expect_identical(plan$per_group, ceiling(2 * variance * reach^2))
  expect_true(all(plan$mae > plan$mae_without_noise & plan$mae <= plan$mae_constant))
  # withholding takes information away, the more so the higher the limit
  expect_gt(plan$mae[plan$mechanism == "withheld"], plan$mae[plan$mechanism == "skellam"])
  expect_lt(abs(plan$mae[plan$mechanism == "low"] / plan$mae[plan$mechanism == "discrete"] - 1), 0.25)
})

test_that("geometric noise as a mechanism has the plan of its epsilon and precision", {
  planned <- function(...) {
    set.seed(809)
    plan_study(1, ..., rows = c(20, 40), items = 6, detect = 0.5, target = 1)
  }
  by_level <- planned(c(0.5, 3), precision = 2)
  by_mechanism <- planned(mechanism = list(geometric_noise(0.5, 2), geometric_noise(3, 2)))
  shared <- setdiff(names(by_level), c("epsilon", "precision"))
  expect_equal(by_mechanism[shared], by_level[shared], tolerance = TOLERANCE, ignore_attr = TRUE)
  expect_identical(levels(by_mechanism$mechanism)[1], "Two-sided geometric, alpha 0.778801, precision 2")
})

test_that("a plan of mechanisms is printed and drawn", {
  set.seed(810)
  mechanisms <- list(discrete_gaussian_noise(2), rare = withheld(discrete_gaussian_noise(2), below = 5))
  plan <- plan_study(1, mechanism = mechanisms, rows = c(20, 40), items = 6)
  expect_identical(levels(plan$mechanism), c("Discrete Gaussian, sd 2", "rare"))
  shown <- utils::capture.output(print(plan))
  expect_lte(max(nchar(shown)), 80)
  expect_match(shown, "NA: the mean of withheld counts", fixed = TRUE, all = FALSE)
  picture <- expect_no_warning(expect_picture(plot(plan)))
  expect_identical(picture$labels$x, "mechanism")
  expect_no_match(utils::capture.output(print(plan_study(1, mechanism = skellam_noise(1), rows = 9, items = 4))), "NA:")
})

test_that("protections without a privacy loss cannot be planned, and the reason is given", {
  refused <- function(mechanism, ...) {
    plan <- function() plan_study(2, mechanism = mechanism, rows = 20, items = 6)
    expect_refused(plan(), "`mechanism`", ...)
    expect_refused(compare_methods(matrix(1:6, 3), 1, mechanism = mechanism), "`mechanism`", ...)
    expect_error(plan(), class = "ldpcounts_argument_error")
  }
  refused(rounding(3), "rounding to the nearest multiple", "rounding does not give differential privacy")
  refused(random_rounding(5), "random rounding does not give differential privacy")
  refused(suppression(1, 9), "suppression does not give")
  refused(count_classes(c(0, 5)), "in classes does not give")
  refused(thinning(0.5), "thinning does not give")
  refused(no_noise(), "no noise does not give")
  refused(list(skellam_noise(1), thinning(0.5)), "thinning")
  own <- custom_mechanism(function(release, y) ifelse(release == y, 0, -Inf), support = c(0, Inf))
  refused(own, "not computed")
  refused(skellam_noise(1:2), "one number for each parameter")
  refused(list(), "or a list of mechanisms")
  refused("laplace", "or a list of mechanisms")
  expect_refused(plan_study(2, 1, mechanism = skellam_noise(1), rows = 20, items = 6), "not both")
  expect_refused(plan_study(2, precision = 1, mechanism = skellam_noise(1), rows = 20, items = 6), "not both")
  expect_refused(compare_methods(matrix(1:6, 3), 1, 1, mechanism = skellam_noise(1)), "not both")
})

test_that("with one component, a row's estimate is the posterior mean under the gamma prior", {
  set.seed(3)
  theta <- matrix(rgamma(50, 0.3, 0.3))
  side <- new_side(theta)
  own <- runif(50, 0.1, 5)
  score <- own * (theta + rnorm(50) / sqrt(own))
  rate <- TYPICAL_SHAPE / mean(theta)
  posterior_mean <- function(i) {
    density <- function(x) dgamma(x, TYPICAL_SHAPE, rate) * exp(score[i] * x - own[i] * x^2 / 2 - peak)
    peak <- if (score[i] > 0) score[i]^2 / own[i] / 2 else 0
    over <- function(f) {
      sum(vapply(list(c(0, 0.01), c(0.01, 0.1), c(0.1, 1), c(1, 5), c(5, 30)), function(range) {
        integrate(f, range[1], range[2], rel.tol = 1e-8)$value
      }, 0))
    }
    over(function(x) x * density(x)) / over(density)
  }
  exact <- vapply(1:50, posterior_mean, 0)
  for (round in 1:10) side <- estimate_side(side, matrix(own), score)
  # the prior is computed on a grid
  expect_lt(max(abs(side$mean - exact)), 0.02 * mean(theta))
})

test_that("planned errors are close to those that compare_methods() measures", {
  extended_only()
  set.seed(42)
  pilot <- simulate_topics(D = 150, V = 30, k = 3, words = 30)
  plan <- plan_study(3, c(1, 4), pilot = pilot)
  compared <- compare_methods(pilot$y, 3, c(1, 4),
    model = "topic", truth = pilot$mu, iter = 300, chains = 1, repetitions = 3
  )
  mae <- subset(summary(compared), metric == "mae" & method == "private")
  expect_lt(max(abs(plan$mae / mae$mean - 1)), 0.15)
})

test_that("planned errors of other mechanisms are close to those that compare_methods() measures", {
  extended_only()
  set.seed(43)
  pilot <- simulate_topics(D = 150, V = 30, k = 3, words = 30)
  mechanisms <- list(
    laplace = laplace_noise(1), discrete = discrete_gaussian_noise(1),
    withheld = withheld(discrete_gaussian_noise(1), below = 2)
  )
  plan <- plan_study(3, mechanism = mechanisms, pilot = pilot)
  compared <- compare_methods(pilot$y, 3,
    mechanism = mechanisms, truth = pilot$mu, iter = 300, chains = 1, repetitions = 3
  )
  mae <- subset(summary(compared), metric == "mae" & method == "private")
  expect_identical(as.character(mae$mechanism), names(mechanisms))
  expect_lt(max(abs(plan$mae / mae$mean - 1)), 0.15)
})

test_that("the error lies between that without noise and that of a constant, and falls with epsilon", {
  set.seed(2)
  plan <- plan_study(3, c(0.1, 1, 10), rows = 40, items = 12)
  expect_true(all(diff(plan$mae) < 0))
  expect_true(all(plan$mae > plan$mae_without_noise & plan$mae < 1.05 * plan$mae_constant))
  expect_output(print(plan), "40 people, with 12 counts per person")
  expect_s3_class(ggplot2::autoplot(plan), "ggplot")
})

test_that("wrong arguments are errors", {
  error <- function(code, text) expect_error(code, text, class = "ldpcounts_argument_error")
  expect_error(plan_study(), "\"k\" is missing")
  error(plan_study(3), "exactly one")
  error(plan_study(3, rows = 10), "items")
  error(plan_study(3, rows = 10, items = 5, epsilon = 0), "epsilon")
  error(plan_study(3, rows = 10, items = 5, model = "other"), "model")
})

test_that("several numbers of rows are compared, and the number of people for a difference is computed", {
  set.seed(801)
  plan <- plan_study(k = 2, epsilon = c(0.5, 2), rows = c(40, 80), items = 6, detect = 0.5, power = 0.9)
  expect_identical(plan$rows, rep(c(40, 80), each = 2))
  # the number of people per group at which the detectable difference is the one that was given
  size <- plan$rows / 2
  expect_identical(plan$per_group, ceiling(size * (plan$difference / 0.5)^2))
  shown <- utils::capture.output(print(plan))
  expect_match(shown[1], "40, 80 people, with 6 counts per person", fixed = TRUE)
  expect_match(shown, "people: factor by which", fixed = TRUE, all = FALSE)
  expect_lte(max(nchar(shown)), 80)
  expect_no_message(expect_picture(plot(plan)))
  one <- plan_study(k = 2, epsilon = 1, rows = 40, items = 6)
  expect_no_message(expect_picture(plot(one)))
  expect_lte(max(nchar(utils::capture.output(print(one)))), 80)
  expect_refused(plan_study(k = 2, rows = c(10, 1.5), items = 6), "`rows` must be whole numbers")
  expect_refused(plan_study(k = 2, rows = 10, items = 6, detect = -1), "`detect`")
  expect_refused(plan_study(k = 2, rows = 10, items = 6, power = 1), "`power`")
  expect_refused(plan_study(k = 2, rows = 10, items = 6, target = 1), "`rows` must be several numbers")
  expect_refused(plan_study(k = 4, rows = 10, items = 3), "`items`")
})

test_that("the number of rows for an error lies where the planned errors reach it", {
  set.seed(804)
  plan <- plan_study(k = 2, epsilon = c(1, 4), rows = c(20, 40, 80, 160), items = 10, target = 0.5)
  expect_true(all(diff(plan$mae[plan$epsilon == 1]) < 0))
  for (level in split(plan, plan$epsilon)) {
    needed <- level$needed[1]
    expect_identical(level$needed, rep(needed, 4))
    expect_true(all(level$mae[level$rows < needed] > 0.5) && all(level$mae[level$rows >= needed] <= 0.5))
  }
  made <- data.frame(rows = c(10, 40, 160), epsilon = 1, precision = 1, mae = c(3, 2, 1))
  expect_identical(needed_rows(made, 1.5), rep(80, 3)) # halfway on the log scale
  expect_identical(needed_rows(made, 4), rep(10, 3))
  expect_identical(needed_rows(made, 0.5), rep(NA_real_, 3))
})

test_that("a plan of a huge study takes no more than one of the largest sketch", {
  set.seed(802)
  plan <- plan_study(k = 2, epsilon = 1, rows = c(1e3, 1e9), items = 1e6)
  expect_equal(plan$se_mean[2], plan$se_mean[1] / 1e3, tolerance = TOLERANCE)
  expect_gt(plan$mae[1], plan$mae[2])
  network <- plan_study(k = 2, epsilon = 1, rows = c(1e3, 1e9), model = "block")
  expect_gt(network$mae[1], 10 * network$mae[2])
})

test_that("a sketch of some rows and items has the errors of one of all", {
  set.seed(805)
  pilot <- simulate_topics(D = 300, V = 40, k = 2, words = 40)
  whole <- sketch_simulation(pilot)
  part <- whole
  rows <- seq(1, 300, 3)
  part$mu <- whole$mu[rows, ]
  part$y <- whole$y[rows, ]
  part$theta <- whole$theta[rows, ]
  levels <- data.frame(epsilon = c(0.5, 2), precision = 1)
  planned <- function(sketch) plan_levels(sketch, levels, lapply(c(0.5, 2), geometric_noise), 300, 2, NULL, 0.8)
  # one row in three: which they are makes a difference of a few per cent
  ratio <- planned(part)$mae / planned(whole)$mae
  expect_lt(max(abs(ratio - 1)), 0.1)
})

test_that("moments of all rows at once are those of each row", {
  set.seed(806)
  k <- 4
  x <- matrix(rexp(20 * k), 20)
  information <- t(vapply(1:5, function(i) as.vector(crossprod(x * rexp(20))), numeric(k^2)))
  side <- list(precision = matrix(rexp(5 * k), 5), shift = matrix(rnorm(5 * k), 5))
  score <- matrix(rnorm(5 * k), 5)
  found <- joint_moments(information, score, side)
  for (i in 1:5) {
    covariance <- solve(matrix(information[i, ], k) + diag(side$precision[i, ]))
    expect_equal(found$variance[i, ], diag(covariance), tolerance = TOLERANCE)
    expect_equal(found$mean[i, ], drop(covariance %*% (score[i, ] + side$shift[i, ])), tolerance = TOLERANCE)
  }
})

test_that("a difference is detected with the planned power, by private_means()", {
  extended_only()
  set.seed(803)
  plan <- plan_study(k = 2, epsilon = 0.5, rows = 200, items = 10, mean_count = 2, detect = 1)
  # counts with the variance of the sketch, and one more in the second group, in 4,000 studies (one per column)
  noise <- plan$noise_sd[1]^2
  variance <- noise / (plan$people[1] - 1)
  n <- plan$per_group[1]
  studies <- 4000
  y <- matrix(rnbinom(2 * n * studies, mu = 2, size = 4 / (variance - 2)), 2 * n)
  y[-seq_len(n), ] <- y[-seq_len(n), ] + 1
  means <- private_means(privatize(y, epsilon = 0.5, rng = "R"), rep(c("a", "b"), each = n), differences = TRUE)
  found <- means[means$quantity == "difference", ]
  detected <- sum(found$conf.low > 0)
  # 4.9 standard errors: error rate 1e-6
  expect_identical(nrow(found), as.integer(studies))
  expect_lt(abs(detected - 0.8 * studies), 4.9 * sqrt(studies * 0.8 * 0.2))
})

test_that("with the planned number of rows, a model has about the error that was asked for", {
  extended_only()
  set.seed(807)
  plan <- plan_study(k = 3, epsilon = 1, rows = c(50, 100, 200, 400), items = 30, target = 0.38)
  n <- plan$needed[1]
  expect_false(is.na(n))
  measured <- replicate(3, {
    pilot <- simulate_topics(D = n, V = 30, k = 3, words = 30)
    compared <- compare_methods(pilot$y, 3, 1,
      model = "topic", truth = pilot$mu, iter = 300, chains = 1, repetitions = 2
    )
    means <- summary(compared)
    means$mean[means$metric == "mae" & means$method == "private"]
  })
  expect_lt(abs(mean(measured) / 0.38 - 1), 0.15)
})
