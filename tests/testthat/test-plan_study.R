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
      expect_equal(information_at(mu, alpha), sum((slope^2 / p)[p > 1e-13]), tolerance = 1e-4)
    }
  }
  # of a zero mean: (1 - alpha)^2 / alpha, twice the inverse of the variance of the noise
  expect_equal(information_at(1e-9, 0.5), 0.5, tolerance = 1e-6)
  expect_identical(noised_information(0, c(1, 2))(2), 0.5)
  expect_equal(noised_information(0.5, c(0.1, 20))(3.21), information_at(3.21, 0.5), tolerance = 1e-3)
})

test_that("with one component, a row's estimate is the posterior mean under the gamma prior", {
  set.seed(3)
  theta <- matrix(rgamma(50, 0.3, 0.3))
  side <- new_side(theta)
  own <- runif(50, 0.1, 5)
  score <- own * (theta + rnorm(50) / sqrt(own))
  rate <- PRIOR_SHAPE / mean(theta)
  posterior_mean <- function(i) {
    density <- function(x) dgamma(x, PRIOR_SHAPE, rate) * exp(score[i] * x - own[i] * x^2 / 2 - peak)
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

test_that("the error lies between that without noise and that of a constant, and falls with epsilon", {
  set.seed(2)
  plan <- plan_study(3, c(0.1, 1, 10), rows = 60, items = 20)
  expect_true(all(diff(plan$mae) < 0))
  expect_true(all(plan$mae > plan$mae_without_noise & plan$mae < 1.05 * plan$mae_constant))
  expect_output(print(plan), "60 x 20")
  expect_s3_class(ggplot2::autoplot(plan), "ggplot")
})

test_that("wrong arguments are errors", {
  error <- function(code, text) expect_error(code, text, class = "ldpcounts_argument_error")
  error(plan_study(), "must be given")
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
  expect_output(print(plan), "several numbers of rows, 6 items")
  expect_output(print(plan), "people: factor by which")
  expect_true(all(nchar(utils::capture.output(print(plan))) <= 80))
  expect_no_message(expect_picture(plot(plan)))
  expect_no_message(expect_picture(plot(plan_study(k = 2, epsilon = 1, rows = 40, items = 6))))
  expect_refused(plan_study(k = 2, rows = c(10, 1.5), items = 6), "`rows` must be whole numbers")
  expect_refused(plan_study(k = 2, rows = 10, items = 6, detect = -1), "`detect`")
  expect_refused(plan_study(k = 2, rows = 10, items = 6, power = 1), "`power`")
})

test_that("a plan of a huge study takes no more than one of the largest sketch", {
  set.seed(802)
  expect_message(
    plan <- plan_study(k = 2, epsilon = 1, rows = 1e9, items = 20),
    class = "ldpcounts_sketched"
  )
  expect_lt(plan$se_mean, 1e-3)
  expect_gt(plan$mae, 0)
})

test_that("a difference is detected with the planned power, by private_means()", {
  extended_only()
  set.seed(803)
  sizes <- c(0.5, 2)
  plan <- plan_study(k = 2, epsilon = 1, rows = 200, items = 10, mean_count = 1, detect = 0.5)
  sketch <- simulate_topics(D = 4000, V = 10, k = 2, words = 10)$y
  n <- plan$per_group
  variance <- var(as.vector(sketch))
  found <- replicate(2000, {
    y <- c(sample(sketch, n, TRUE), sample(sketch, n, TRUE) + stats::rpois(n, 0.5))
    x <- private_counts(cbind(y + rtwogeom(2 * n, exp(-1))), alpha = exp(-1))
    means <- private_means(x, rep(c("a", "b"), each = n), differences = TRUE)
    last <- means[nrow(means), ]
    last$conf.low > 0
  })
  # the second group's counts vary more, by 0.5 in variance: a few per cent less power
  expect_gt(mean(found), 0.7)
  expect_lt(mean(found), 0.9)
})
