noised <- function(n, alpha, mu = 0.5) {
  matrix(rpois(n, mu) + rgeom(n, 1 - alpha) - rgeom(n, 1 - alpha), 50)
}

test_that("the estimate and its interval agree with those worked out by hand", {
  check <- check_declared_alpha(below_zero(matrix(c(-3, 0, -1, 5, 2, NA), 2)), 0.5)
  expect_identical(check$cells, 3)
  expect_identical(check$estimate, 4 / 7)
  # limits: P(total >= 4) = 0.025 and P(total <= 4) = 0.025 for three geometric numbers
  expect_within(pnbinom(3, 3, 1 - check$interval[1], lower.tail = FALSE), 0.025, TOL_SERIES)
  expect_within(pnbinom(4, 3, 1 - check$interval[2]), 0.025, TOL_SERIES)
  expect_identical(check_declared_alpha(below_zero(matrix(1:4, 2)), 0.5)$p_value, 1)
})

test_that("a right alpha is hardly ever rejected, for any true counts", {
  set.seed(151)
  alpha <- exp(-1)
  p <- replicate(1000, {
    y <- noised(4000, alpha, mu = sample(c(0, 0.1, 3), 1))
    check_declared_alpha(below_zero(y), alpha)$p_value
  })
  expect_lte(sum(p < DOUBT), 1) # two would have probability below 1e-4 times 1e-2
  # p-values are conservative: the share below 0.01 is at most 0.01, to 5 standard errors
  expect_lt(mean(p < 0.01), 0.01 + 5 * sqrt(0.01 / 1000))
  rows <- rep(c(0.2, 0.5), 25)
  p <- replicate(500, check_declared_alpha(below_zero(noised(4000, rows)), rows)$p_value)
  expect_lt(mean(p < 0.01), 0.01 + 5 * sqrt(0.01 / 500))
})

test_that("an alpha that is wrong by a fifth is detected with 2,000 cells", {
  set.seed(152)
  alpha <- exp(-1)
  noticed <- function(declared) {
    mean(replicate(200, {
      y <- noised(8000, alpha)
      y[which(y <= 0)[-(1:2000)]] <- NA
      doubtful(check_declared_alpha(below_zero(y), declared))
    }))
  }
  expect_gt(noticed(1.2 * alpha), 0.99)
  expect_gt(noticed(0.8 * alpha), 0.99)
})

test_that("summary() reports the estimate, and warns", {
  set.seed(153)
  y <- noised(5000, 0.4)
  expect_silent(right <- summary(private_counts(y, alpha = 0.4)))
  expect_output(print(right), "The declared alpha agrees with them")
  expect_warning(wrong <- summary(private_counts(y, alpha = 0.6)), class = "ldpcounts_declared_alpha")
  expect_warning(summary(private_counts(y, alpha = rep(c(0.6, 0.7), 25))), "cannot both be right")
  expect_output(print(wrong), "They\\s+contradict\\s+the\\s+declared\\s+alpha")
})

test_that("what summary() says of alpha follows the interval that it prints", {
  set.seed(154)
  y <- noised(200, 0.55)
  for (alpha in seq(0.4, 0.7, 0.02)) {
    declared <- suppressWarnings(summary(private_counts(y, alpha = alpha)))
    inside <- alpha >= declared$declared$interval[1] && alpha <= declared$declared$interval[2]
    said <- paste(utils::capture.output(print(declared)), collapse = " ")
    expect_identical(grepl("The declared alpha agrees with them", gsub(" +", " ", said)), inside)
  }
})

# Of totals 0 .. size - 1, by convolution.
direct_probabilities <- function(n, alpha, size) {
  at <- seq_len(size) - 1
  Reduce(function(p, q) stats::convolve(p, rev(q), type = "open")[seq_len(size)],
    Map(function(n, alpha) dnbinom(at, n, 1 - alpha), n, alpha))
}

TOL_SADDLEPOINT <- 0.06 # relative

test_that("tails of a total over rows with several alphas agree with the convolution", {
  for (set in list(
    list(n = c(9, 9, 9), alpha = c(0.5, 0.7, 0.9)), list(n = c(10, 40, 7), alpha = c(0.1, 0.5, 0.95)),
    list(n = c(1, 1), alpha = c(0.2, 0.97)), list(n = c(300, 500), alpha = c(1e-3, 0.6))
  )) {
    p <- direct_probabilities(set$n, set$alpha, 4096)
    above <- function(total) sum(p[(total + 1):4096])
    for (total in c(0, 1, 2, 30, 100, 200, 400)) {
      tail <- above(total)
      if (tail > 1e-10) {
        expect_lt(abs(total_above(total, set$n, set$alpha) / tail - 1), TOL_SADDLEPOINT)
      }
      if (tail < 1 - 1e-10 && total > 0) {
        other <- 1 - total_above(total, set$n, set$alpha)
        expect_lt(abs(other / sum(p[seq_len(total)]) - 1), TOL_SADDLEPOINT)
      }
    }
  }
  expect_identical(total_above(1e12, c(1, 2), c(0.3, 0.6)), 0)
  # the sum of two exponential numbers of scales 1 and 1/2, as far as doubles tell
  expect_within(total_above(3e9, c(1, 1), 1 - c(1e-9, 2e-9)), 2 * exp(-3) - exp(-6), 0.02)
})

# The totals are skew: by their normal limit it was 245 and 65 times as often.
test_that("a right declaration is rejected for at most 1e-5 of releases if alpha differs by row", {
  for (set in list(
    list(n = c(3, 3, 3), alpha = c(0.5, 0.7, 0.9)),
    list(n = rep(10, 10), alpha = seq(0.1, 0.95, length.out = 10))
  )) {
    p <- direct_probabilities(set$n, set$alpha, 1024)
    p_values <- vapply(0:1023, declared_p_value, 0, cells = set$n, ratio = set$alpha)
    expect_lte(sum(p[p_values < DOUBT]), DOUBT)
    expect_gt(sum(p[p_values < DOUBT]), DOUBT / 20) # and it can be doubted
  }
})
