TOL_SURVEY <- 1e-12 # the same sums as in package survey, in another order

# A release of true counts y with groups, weights, and the sizes of the population of each group.
surveyed <- function(alpha = 0) {
  set.seed(711)
  n <- 60
  y <- matrix(rnbinom(3 * n, 1, mu = 4), n, dimnames = list(NULL, c("u", "v", "w")))
  group <- factor(sample(c("a", "b", "c"), n, TRUE))
  noise <- function(m) if (alpha > 0) rgeom(m, 1 - alpha) - rgeom(m, 1 - alpha) else 0
  list(
    y = y, x = private_counts(y + noise(3 * n), alpha = alpha), group = group, weights = runif(n, 1, 9),
    sizes = c(a = 90, b = 130, c = 180)
  )
}

noise_variance <- function(alpha) 2 * alpha / (1 - alpha)^2

test_that("without noise, estimates and standard errors are those of package survey", {
  skip_if_not_installed("survey")
  s <- surveyed()
  d <- data.frame(s$y, group = s$group, weights = s$weights, N = 400, N_group = s$sizes[s$group])
  design <- function(...) survey::svydesign(ids = ~1, data = d, ...)
  compare <- function(design, ...) {
    for (what in c("means", "totals")) {
      f <- if (what == "means") survey::svymean else survey::svytotal
      theirs <- survey::svyby(~ u + v + w, ~group, design, f)
      ours <- private_means(s$x, s$group, ..., what = what)
      expect_within(ours$estimate, c(t(as.matrix(as.data.frame(theirs)[2:4]))), TOL_SURVEY)
      expect_within(ours$std.error, c(t(as.matrix(survey::SE(theirs)))), TOL_SURVEY)
      one <- survey::svyby(~u, ~group, design, f, covmat = TRUE)
      contrasts <- survey::svycontrast(one, list(c(-1, 1, 0), c(-1, 0, 1), c(0, -1, 1)))
      pairs <- private_means(s$x[, 1], s$group, ..., what = what, differences = TRUE)[4:6, ]
      expect_within(pairs$estimate, unname(coef(contrasts)), TOL_SURVEY)
      expect_within(pairs$std.error, unname(survey::SE(contrasts)), TOL_SURVEY)
    }
  }
  compare(design(weights = ~weights), weights = s$weights)
  compare(design(fpc = ~N), population = 400)
  compare(design(weights = ~weights, fpc = ~N), weights = s$weights, population = 400)
  compare(design(strata = ~group, fpc = ~N_group), population = s$sizes)
  whole <- survey::svymean(~u, design(fpc = ~N))
  expect_within(private_means(s$x, population = 400)$std.error[1], unname(c(survey::SE(whole))), TOL_SURVEY)
})

test_that("means of masked cells are those of package survey without them", {
  skip_if_not_installed("survey")
  s <- surveyed()
  is.na(s$x) <- cbind(1:7, 2)
  d <- data.frame(as.matrix(s$x), group = s$group, weights = s$weights)
  theirs <- survey::svyby(~v, ~group, survey::svydesign(ids = ~1, weights = ~weights, data = d),
    survey::svymean, na.rm = TRUE
  )
  ours <- private_means(s$x[, 2], s$group, s$weights)
  expect_within(ours$estimate, theirs$v, TOL_SURVEY)
  expect_within(ours$std.error, theirs$se, TOL_SURVEY)
  expect_identical(ours$masked, as.vector(table(s$group[1:7])) + 0)
  expect_identical(ours$n + ours$masked, as.vector(table(s$group)) + 0)
})

test_that("noise is in the variance once, and is not reduced by a finite population", {
  s <- surveyed(0.5)
  k <- as.matrix(s$x)[, "u"]
  n <- as.vector(table(s$group))
  v <- noise_variance(0.5)
  one <- s$x[, 1, drop = FALSE]
  # strata: the textbook formula, (1 - f) (s^2 - v) / n + v / n
  ours <- private_means(one, s$group, population = s$sizes)
  expect_within(ours$estimate, as.vector(tapply(k, s$group, mean)), TOL_SERIES)
  spread <- as.vector(tapply(k, s$group, var))
  f <- n / s$sizes
  expect_within(ours$std.error^2, unname((1 - f) * (spread - v) / n + v / n), TOL_SERIES)
  expect_within(ours$noise.error^2, v / n, TOL_SERIES)
  # the whole population: noise alone, also with one row
  all <- private_means(one, s$group, population = 60)
  expect_within(all$std.error^2, v / n, TOL_SERIES)
  expect_identical(all$df, rep(Inf, 3))
  expect_within(all$conf.high - all$estimate, qnorm(0.975) * sqrt(v / n), TOL_SERIES)
  expect_within(private_means(one[1, ], population = 1)$std.error, sqrt(v), TOL_SERIES)
  totals <- private_means(one, s$group, population = 60, what = "totals")
  expect_within(totals$std.error^2, v * n, TOL_SERIES)
  expect_within(totals$estimate, as.vector(tapply(k, s$group, sum)), TOL_SERIES)
  # no population: s^2 / n, apart from the factor of domains of package survey for the sampling part
  plain <- private_means(one)
  expect_within(plain$std.error^2, var(k) / 60, TOL_SERIES)
  expect_within(plain$df, 59, TOL_SERIES)
})

test_that("the variance is that of slow sums over rows, for weights, noise levels per row and masked cells", {
  s <- surveyed()
  alpha <- rep(c(0, 0.3, 0.6), 20)
  k <- s$y[, 1] + rep(c(0, 2, -3), 20)
  k[c(4, 9)] <- NA
  x <- private_counts(cbind(pmax(k, 0)), alpha = alpha)
  k <- as.matrix(x)[, 1]
  w <- s$weights
  v <- noise_variance(alpha)
  for (g in levels(s$group)) {
    rows <- which(s$group == g)
    seen <- rows[!is.na(k[rows])]
    # the linearised variable as a matrix times k: row i of L gives d_i, for the mean and for the total
    mean_by <- ifelse(seq_along(k) %in% seen, w, 0) / sum(w[seen])
    of_mean <- diag(mean_by) - outer(mean_by, mean_by)
    of_total <- outer(ifelse(seq_along(k) %in% rows, w, 0), mean_by) + of_mean * sum(w[rows])
    for (what in c("means", "totals")) {
      L <- if (what == "means") of_mean else of_total
      weight <- if (what == "means") mean_by else mean_by * sum(w[rows])
      known <- ifelse(is.na(k), 0, k)
      centred <- (diag(60) - 1 / 60) %*% L * sqrt(60 / 59)
      spread <- sum((centred %*% known)^2)
      noise <- sum(weight^2 * v)
      within <- sum(t(centred^2) * v)
      for (population in list(NULL, 500)) {
        left <- 1 - if (is.null(population)) 0 else 60 / 500 * length(seen) / length(rows)
        # no count is below zero, as if clamped
        ours <- suppressWarnings(private_means(x, s$group, w, what = what, population = population),
          classes = "ldpcounts_declared_alpha"
        )
        ours <- ours[ours$group == g, ]
        expect_within(ours$estimate, sum(weight * known), TOL_SERIES)
        expect_within(ours$std.error^2, left * spread + max(0, noise - left * within), TOL_SERIES)
        expect_within(ours$noise.error^2, noise, TOL_SERIES)
      }
    }
  }
})

test_that("groups with one observed row have no standard error, and empty ones no estimate", {
  x <- private_counts(cbind(c(3, 5, 1, NA, NA)), alpha = 0.5)
  found <- private_means(x, c("one", "two", "two", "two", "none"))
  expect_identical(levels(found$group), c("none", "one", "two"))
  expect_identical(is.na(found$estimate), c(TRUE, FALSE, FALSE))
  expect_identical(is.na(found$std.error), c(TRUE, TRUE, FALSE))
  expect_identical(is.na(found$conf.low), c(TRUE, TRUE, FALSE))
  expect_identical(found$n, c(0, 1, 2))
  expect_identical(found$masked, c(1, 0, 1))
  expect_within(found$noise.error[2], sqrt(noise_variance(0.5)), TOL_EXACT)
  expect_false(any(is.nan(unlist(found[c("estimate", "std.error", "conf.low", "noise.error")]))))
  pairs <- private_means(x, c("one", "two", "two", "two", "none"), differences = TRUE)[4:6, ]
  expect_identical(as.character(pairs$group), c("one - none", "two - none", "two - one"))
  expect_identical(is.na(pairs$estimate), c(TRUE, TRUE, FALSE))
  expect_true(all(is.na(pairs$std.error)))
  expect_output(print(found), "2 standard errors unknown")
})

test_that("groups, items and columns of the result are as documented", {
  s <- surveyed(0.3)
  found <- private_means(s$x, s$group)
  expect_s3_class(found, c("private_means", "tbl_df", "tbl", "data.frame"), exact = TRUE)
  expect_named(found, c(
    "group", "item", "estimate", "std.error", "conf.low", "conf.high", "quantity", "noise.error", "df", "n",
    "masked"
  ))
  expect_identical(found$group, factor(rep(c("a", "b", "c"), each = 3)))
  expect_identical(found$item, factor(rep(c("u", "v", "w"), 3)))
  expect_identical(private_means(unname_counts(s$x))$item, 1:3)
  expect_identical(as.character(private_means(s$x)$group), rep("all", 3))
  expect_identical(private_means(s$x, as.character(s$group)), found)
  two <- data.frame(s$group, sex = rep(c("m", "f"), 30))
  expect_identical(
    levels(private_means(s$x, two)$group), c("a, f", "a, m", "b, f", "b, m", "c, f", "c, m")
  )
  # several columns added up: the release of a sum has the noise of both
  sums <- private_means(s$x, s$group, items = c("1", "2", "1"))
  expect_identical(levels(sums$item), c("1", "2"))
  expect_within(sums$estimate[1], found$estimate[1] + found$estimate[3], TOL_SERIES)
  expect_within(sums$noise.error[1], sqrt(2) * found$noise.error[1], TOL_SERIES)
  expect_within(sums$estimate[2], found$estimate[2], TOL_EXACT)
  expect_identical(private_means(s$x, items = "all")$item, factor("all"))
  sum <- rowSums(as.matrix(s$x))
  expect_within(private_means(s$x, items = "all")$std.error, sd(sum) / sqrt(60), TOL_SERIES)
  cube <- private_counts(array(1:12, c(2, 3, 2), list(NULL, c("x", "y", "z"), NULL)), alpha = 0.1)
  expect_identical(levels(private_means(cube)$item), c("x, 1", "y, 1", "z, 1", "x, 2", "y, 2", "z, 2"))
  # sparse releases, and columns in several blocks
  sparse <- private_counts(Matrix::Matrix(s$y, sparse = TRUE), alpha = 0)
  expect_equal(private_means(sparse, s$group, items = c(1, 1, 2)),
    private_means(private_counts(s$y, alpha = 0), s$group, items = c(1, 1, 2)))
  expect_equal(private_means(sparse, s$group), private_means(private_counts(s$y, alpha = 0), s$group))
})

test_that("intervals use the t distribution", {
  s <- surveyed(0.3)
  found <- private_means(s$x, s$group, differences = TRUE)
  half <- qt(0.975, found$df) * found$std.error
  expect_within(found$conf.high - found$estimate, half, TOL_SERIES)
  expect_within(found$estimate - found$conf.low, half, TOL_SERIES)
  n <- as.vector(table(s$group))
  expect_true(all(found$df[1:9] >= rep(n - 1, each = 3)))
  expect_true(all(found$df[10:18] > min(n) - 1 & found$df[10:18] < 62))
})

test_that("invalid input throws errors of their own classes", {
  s <- surveyed(0.3)
  clamped <- private_counts(pmax(as.matrix(s$x), 0), alpha = 0.3, clamped = TRUE)
  expect_error(private_means(clamped), class = "ldpcounts_clamped_error")
  expect_refused(private_means(clamped), "must not be clamped", "too large", "augment(fit, by = )")
  pairs <- private_counts(matrix(c(NA, 1, 2, 1, NA, 3, 2, 3, NA), 3), alpha = 0.3, directed = FALSE)
  expect_refused(private_means(pairs), "must not be undirected")
  expect_refused(private_means(s$y), "`release` must be a private_counts", "alpha = 0")
  expect_refused(private_means(), "`release` must be given")
  expect_refused(private_means(s$x[0, ]), "at least one row")
  expect_refused(
    private_means(s$x, s$group[-1]), "`by` must have one value per row of the release (60)", "59"
  )
  expect_refused(private_means(s$x, replace(s$group, 3, NA)), "`by` must not have missing values")
  expect_refused(private_means(s$x, list(s$group)), "`by` must be a factor, a vector, or a data frame")
  expect_refused(private_means(s$x, matrix(1, 60, 1)), "`by` must be a factor")
  expect_refused(private_means(s$x, data.frame()), "`by` must be a factor")
  expect_refused(private_means(s$x, weights = 1:3), "`weights` must be one number, or one per row (60)")
  expect_refused(private_means(s$x, weights = rep(0, 60)), "`weights` must be a positive, finite number")
  expect_refused(private_means(s$x, weights = rep("1", 60)), "`weights`")
  expect_refused(private_means(s$x, population = 59), "smaller than the number of rows")
  expect_refused(private_means(s$x, s$group, population = c(1, 99, 99)), "smaller than the number of rows")
  expect_refused(private_means(s$x, s$group, population = c(100, 100)), "one number, or one per group (3)")
  other <- c(a = 90, b = 90, d = 90)
  expect_refused(private_means(s$x, s$group, population = other), "names of `population`")
  expect_refused(private_means(s$x, population = Inf), "`population` must be one number")
  expect_refused(private_means(s$x, items = c("a", "b")), "`items` must have one value per column", "(3)")
  expect_refused(private_means(s$x, what = "mean"), "`what` must be one of \"means\", \"totals\"")
  expect_refused(private_means(s$x, level = 0), "`level`")
  expect_refused(private_means(s$x, differences = 1), "`differences` must be TRUE or FALSE")
  expect_refused(private_means(s$x, group = s$group), "no argument `group`")
})

test_that("print() and plot() show the estimates", {
  s <- surveyed(0.3)
  found <- private_means(s$x, s$group, differences = TRUE)
  expect_output(print(found), "Design-based means, with 95 % intervals")
  expect_output(print(found, n = 2), more_rows(16))
  expect_output(print(found[1:2, 1:3]), "estimate")
  picture <- expect_picture(plot(found))
  expect_identical(nrow(picture$data), 9L)
  expect_identical(nrow(ggplot2::autoplot(found, quantity = "difference")$data), 9L)
  expect_refused(plot(found, quantity = "total"), "`quantity` must be one of \"mean\", \"difference\"")
  expect_refused(plot(found[0, ]), "at least one row")
  wide <- private_counts(matrix(1:40, 2), alpha = 0.3)
  expect_identical(nlevels(expect_picture(plot(private_means(wide)))$data$item), 12L)
})

test_that("groups of rows are a factor, a vector or a data frame", {
  expect_identical(check_row_groups(c(2, 1, 2), 3, "by"), factor(c(2, 1, 2)))
  unused <- factor(c("b", "a"), c("c", "b", "a"))
  expect_identical(check_row_groups(unused, 2, "by"), factor(c("b", "a"), c("b", "a")))
  two <- data.frame(x = c("a", "a, b", "a"), y = c("b, c", "c", "b, c"))
  combined <- factor(c(1, 2, 1), 1:2, c("a, b, c", "a, b, c.1"))
  expect_identical(check_row_groups(two, 3, "by"), combined)
  expect_identical(check_row_groups(data.frame(a = c(TRUE, FALSE)), 2, "by"), factor(c(TRUE, FALSE)))
})

test_that("intervals of means cover as often as they say", {
  extended_only()
  set.seed(712)
  mean <- matrix(rgamma(36, 1, 0.5), 3)
  covered <- replicate(500, {
    group <- sample(3, 300, TRUE)
    y <- matrix(rnbinom(3600, 1, mu = mean[group, ]), 300)
    found <- private_means(plain_release(y, exp(-1)), group, level = 0.9)
    mean(c(t(mean)) >= found$conf.low & c(t(mean)) <= found$conf.high)
  })
  expect_gt(mean(covered), 0.88)
  expect_lt(mean(covered), 0.92)
})

test_that("groups of a formula, some items, and populations of absent groups", {
  s <- surveyed(0.3)
  d <- data.frame(g = s$group, h = rep(c("x", "y"), length.out = length(s$group)))
  expect_equal(private_means(s$x, by = ~ g, data = d), private_means(s$x, s$group))
  expect_equal(private_means(s$x, by = ~ g + h, data = d), private_means(s$x, d))
  expect_refused(private_means(s$x, by = ~ g + z, data = d), "no column \"z\"")
  expect_refused(private_means(s$x, by = u ~ g, data = d), "without a left side")
  expect_refused(private_means(s$x, by = ~ g), "of the data frame `data`")
  expect_refused(private_means(s$x, s$group, data = d), "only for a formula")
  expect_refused(private_means(u ~ g, data = d), "response of the formula could not be evaluated")
  whole <- private_means(s$x, s$group)
  some <- private_means(s$x, s$group, items = c("w", "u"))
  expect_identical(levels(some$item), c("w", "u"))
  for (item in c("w", "u")) {
    expect_equal(some$std.error[some$item == item], whole$std.error[whole$item == item])
  }
  expect_identical(levels(private_means(s$x, items = "v")$item), "v")
  expect_equal(
    private_means(s$x, s$group, population = c(s$sizes, nobody = 7)), private_means(s$x, s$group, population = s$sizes)
  )
})

test_that("odd names of groups, tiny and huge weights and cells without counts give no raw errors", {
  s <- surveyed(0.3)
  group <- factor(rep(c("a", "b", "b - a"), length.out = length(s$group)))
  found <- private_means(s$x, group, differences = TRUE)
  expect_identical(sum(found$group == "b - a" & found$quantity == "difference"), 3L)
  plain <- private_means(s$x, s$group, weights = seq_along(s$group))
  for (scale in c(1e-300, 1e-155, 1e155, 1e300)) {
    other <- private_means(s$x, s$group, weights = scale * seq_along(s$group))
    expect_equal(as.data.frame(other), as.data.frame(plain), tolerance = TOL_SERIES)
  }
  totals <- private_means(s$x, s$group, weights = 1e-140 * seq_along(s$group), what = "totals")
  expect_equal(totals$std.error, 1e-140 * private_means(s$x, s$group, weights = seq_along(s$group),
    what = "totals")$std.error, tolerance = TOL_SERIES)
  none <- s$x
  is.na(none) <- matrix(TRUE, nrow(none), ncol(none))
  expect_true(all(is.na(private_means(none, s$group, differences = TRUE)$estimate)))
})

test_that("a declared alpha that the counts contradict gives a warning", {
  s <- surveyed(0.3)
  wrong <- private_counts(as.matrix(s$x), alpha = 0.9)
  expect_warning(private_means(wrong, s$group), class = "ldpcounts_declared_alpha")
  clamped <- private_counts(pmax(as.matrix(surveyed(0.6)$x), 0), alpha = 0.6)
  expect_warning(private_means(clamped, s$group), "No count is below zero")
  expect_no_warning(private_means(s$x, s$group))
})

noises <- list(
  discrete_gaussian_noise(4), laplace_noise(3), gaussian_noise(4), skellam_noise(16), random_rounding(12)
)
variances_of_noise <- c(16, 18, 16, 16, 143 / 6)

test_that("standard errors of means have the noise of other mechanisms", {
  n <- 400
  set.seed(812)
  for (i in seq_along(noises)) {
    released <- as.vector(simulate(noises[[i]], y = rnbinom(n, mu = 6, size = 2) + 30))
    x <- private_counts(released, mechanism = noises[[i]])
    one <- private_means(x)
    expect_equal(one$estimate, mean(released))
    expect_equal(one$noise.error, sqrt(variances_of_noise[i] / n))
    expect_equal(one$std.error, sd(released) / sqrt(n))
    expect_equal(private_means(x, population = n)$std.error, one$noise.error)
  }
  d <- data.frame(y = private_counts(c(3, 6, 0, 9), mechanism = random_rounding(3)), g = c("a", "b"))
  expect_identical(private_means(y ~ g, d)$estimate, c(1.5, 7.5))
})

test_that("means of releases of other mechanisms are unbiased, and intervals contain their noise", {
  extended_only()
  n <- 400
  set.seed(811)
  for (i in seq_along(noises)) {
    found <- replicate(100, {
      y <- rnbinom(n, mu = 6, size = 2) + 30
      one <- private_means(private_counts(as.vector(simulate(noises[[i]], y = y)), mechanism = noises[[i]]))
      everybody <- private_means(
        private_counts(as.vector(simulate(noises[[i]], y = y)), mechanism = noises[[i]]), population = n
      )
      c(one$estimate, one$std.error, one$noise.error, everybody$estimate - mean(y), everybody$std.error)
    })
    expect_lt(abs(mean(found[1, ]) - 36), normal_bound(10) * sd(found[1, ]) / 10)
    expect_equal(found[3, ], rep(sqrt(variances_of_noise[i] / n), 100))
    # of everybody, only noise is uncertain
    expect_equal(found[5, 1], found[3, 1])
    squares <- sum(found[4, ]^2) / found[5, 1]^2
    expect_gt(squares, qchisq(1e-6, 100) * 0.95)
    expect_lt(squares, qchisq(1e-6, 100, lower.tail = FALSE) * 1.05)
    # sampling and noise
    squares <- sum((found[1, ] - 36)^2 / found[2, ]^2)
    expect_gt(squares, qchisq(1e-6, 100) * 0.9)
    expect_lt(squares, qchisq(1e-6, 100, lower.tail = FALSE) * 1.1)
  }
})

test_that("mechanisms that change the mean are refused, with the reason", {
  for (mechanism in list(suppression(1, 9), count_classes(c(0, 1, 3)), withheld(discrete_gaussian_noise(2), 3),
    rounding(5), thinning(0.5))) {
    set.seed(3)
    released <- simulate(mechanism, y = 20:30)
    x <- private_counts(replace(released, is.infinite(released), NA), mechanism = mechanism)
    expect_refused(private_means(x), "mean zero", "augment")
  }
})
