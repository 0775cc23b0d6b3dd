# Totals of true counts, against the noise that the mechanism adds.

# The distribution of a sum of n two-sided geometric variables, by its characteristic function.
exact_tail <- function(t, n, alpha, size = 2^14) {
  omega <- 2 * pi * (seq_len(size) - 1) / size
  cf <- exp(Reduce(`+`, Map(function(n, a) n * (2 * log1p(-a) - log(1 - 2 * a * cos(omega) + a^2)), n, alpha)))
  pmf <- Re(stats::fft(cf)) / size # at 0, 1, .., and negative values from the end
  vapply(t, function(t) sum(pmf[seq(t, size / 2) + 1]), 0)
}

test_that("tails of sums of noise are right to 3 per cent, and near the middle to 15", {
  for (case in list(
    list(n = 1, alpha = 0.4), list(n = 1, alpha = 0.9), list(n = 7, alpha = 0.37), list(n = 400, alpha = 0.5),
    list(n = c(3, 10), alpha = c(0.2, 0.8)), list(n = 30, alpha = 0.05)
  )) {
    sd <- sqrt(sum(case$n * 2 * case$alpha / (1 - case$alpha)^2))
    t <- unique(pmax(1, round(c(0.3, 1, 2, 4, 6) * sd)))
    n <- matrix(case$n, length(t), length(case$n), byrow = TRUE)
    truth <- exact_tail(t, case$n, case$alpha)
    found <- noise_sum_tail(t, n, case$alpha)
    expect_lt(max(abs(found / truth - 1)[truth > 1e-11 & truth < 0.05]), 0.03)
    expect_lt(max(abs(found / truth - 1)[truth >= 0.05]), 0.15)
  }
  single <- noise_sum_tail(c(1, 30), cbind(c(1, 0), c(0, 1)), c(0.2, 0.9))
  expect_equal(single, c(0.2 / 1.2, 0.9^30 / 1.9), tolerance = 1e-14)
})

test_that("totals of all kinds are compared, without masked cells and cells without noise", {
  set.seed(3)
  y <- matrix(rpois(48, 4), 8, dimnames = list(NULL, letters[1:6]))
  release <- rbind(privatize(y[1:6, ], 1, rng = "R"), private_counts(y[7:8, ], alpha = 0))
  release[1, 2] <- NA
  group <- rep(c("x", "y"), 4)
  fit <- paper_topics(release, 2, iter = 200)
  all <- check_margins(fit, by = group)
  together <- all[is.na(all$released), ]
  expect_identical(together$margin, c("row", "column", "group"))
  expect_identical(unique(together$label), "together")
  checked <- all[!is.na(all$released), ]
  counts <- replace(as.matrix(release), cbind(rep(7:8, 6), rep(1:6, each = 2)), NA)
  expect_identical(checked$margin, rep(c("total", "row", "column", "group"), c(1, 6, 6, 2)))
  expect_identical(checked$label, c("all", 1:6, letters[1:6], "x", "y"))
  sums <- c(sum(counts, na.rm = TRUE), rowSums(counts, na.rm = TRUE)[1:6], colSums(counts, na.rm = TRUE))
  expect_equal(checked$released[1:13], unname(sums))
  expect_equal(checked$released[14:15], as.vector(rowsum(rowSums(counts, na.rm = TRUE), group)))
  n <- c(35, 5, rep(6, 5), 6, 5, rep(6, 4), 17, 18)
  alpha <- geometric_alpha(1)
  expect_equal(checked$noise.sd, sqrt(n * 2 * alpha) / (1 - alpha))
  # 100 draws: the posterior variance is at least 0.85 of its estimate
  known <- pmin(1, (checked$posterior.sd / checked$noise.sd)^2) * 99 / qchisq(0.9, 99)
  expect_equal(checked$z, (checked$released - checked$estimated) / checked$noise.sd / sqrt(1 - known))
  expect_identical(nrow(check_margins(paper_topics(private_counts(y, alpha = 0), 2, iter = 20))), 0L)
  expect_refused(check_margins(paper_topics(y, 2, iter = 20)), "a fit of a release")
  expect_refused(check_margins(fit, by = 1:3), "one value per row")
})

test_that("the groups of a fit have totals", {
  set.seed(5)
  y <- matrix(rpois(60, 4), 10)
  people <- data.frame(sex = rep(c("f", "m"), 5), age = factor(rep(c("old", "young"), c(3, 7)), c("young", "old")))
  fit <- paper_topics(privatize(y, 1, rng = "R"), 2, groups = people, iter = 50)
  checked <- check_margins(fit)
  expect_identical(unique(checked$margin), c("total", "row", "column", "sex", "age"))
  checked <- checked[!is.na(checked$released), ]
  released <- as.matrix(fit$data)
  expect_equal(checked$released[checked$margin == "age"], c(sum(released[4:10, ]), sum(released[1:3, ])))
  expect_identical(checked$label[checked$margin == "sex"], c("f", "m"))
})

test_that("summary() names the total that a fit contradicts, and what can be used instead", {
  set.seed(4)
  y <- cbind(matrix(rpois(400, 10), 40), 0)
  release <- privatize(y, 1, rng = "R")
  good <- paper_topics(release, 1, prior = gamma_prior(1, 1), chains = 2, iter = 400)
  expect_null(worst_margin(check_margins(good)))
  # a prior that is sure of means of 5 or so in all columns, and thinks little of rows
  prior <- list(theta = gamma_prior(1, 1), phi = gamma_prior(1e4, 1e4))
  bad <- paper_topics(release, 1, prior = prior, chains = 2, iter = 400)
  worst <- worst_margin(check_margins(bad))
  expect_identical(c(worst$margin, worst$label), c("column", "11"))
  expect_match(summary(bad)$verdict, "^Problems were found: the fit puts [0-9]+ more counts into column 11 than")
  expect_match(summary(bad)$verdict, "private_means() can estimate them", fixed = TRUE)
  expect_output(print(check_margins(bad)), "more counts into column 11")
  expect_output(print(augment(bad, by = "column")), "more counts into column 11")
  expect_output(print(augment(good, by = "column")), "how many of them are missing.$")
})

test_that("sums of squares of noise have the probabilities that are given, or smaller ones", {
  set.seed(6)
  alpha <- geometric_alpha(1)
  p <- replicate(5000, {
    noise <- matrix(rgeom(48, 1 - alpha) - rgeom(48, 1 - alpha), 8)
    judge_together(cbind(rowSums(noise)), cbind(rep(6, 8)), rep(12 * alpha / (1 - alpha)^2, 8), alpha, "row")$p.value
  }) / 2
  for (level in c(0.1, 0.01, 1e-3)) expect_lte(sum(p < level), qbinom(1e-6, 5000, level, lower.tail = FALSE))
  expect_gt(mean(p < 0.1), 0.07)
})

test_that("totals that are all a little off are found together, and small errors of a certain total as well", {
  # the noise of 30 columns is 1.8 standard deviations in each
  n <- cbind(rep(40, 30))
  variance <- drop(80 * 0.5 / 0.5^2) + numeric(30)
  off <- cbind(rep(c(-1, 1), 15) * 1.8 * sqrt(variance))
  expect_lt(judge_together(off, n, variance, 0.5, "column")$p.value, 1e-4)
  expect_gt(min(noise_sum_p_value(drop(off), n, 0.5)), 0.05)
  expect_identical(surely_known(c(0, 0.5, 2), 1), c(0, 0, 0))
  expect_equal(surely_known(c(0, 0.5, 2), 1e6), c(0, 0.5, 1), tolerance = 0.01)
})

test_that("the verdict says how much of the sum of all counts comes from the model", {
  total <- data.frame(margin = c("total", "row"), posterior.sd = c(8, 1), noise.sd = 10)
  expect_match(describe_rest(total), "; 36 % of what is known of the sum of all counts comes from the model, the rest")
  expect_null(describe_rest(transform(total, posterior.sd = 9)))
  expect_null(describe_rest(total[2, ]))
  set.seed(7)
  y <- matrix(rpois(400, 0.1), 40)
  iter <- if (EXTENDED) 3000 else 1000
  fit <- paper_topics(privatize(y, 0.5, rng = "R"), 1, prior = gamma_prior(1, 1), chains = 4, iter = iter)
  said <- summary(fit)$verdict
  expect_match(said, "^No problem was found in this run: .*; [0-9]+ % of what is known of the sum of all counts")
})

test_that("right models are contradicted once in a thousand fits at most", {
  extended_only()
  alarms <- vapply(1:2000, function(seed) {
    set.seed(seed)
    prior <- list(theta = gamma_prior(1, 0.5), phi = gamma_prior(1, 1))
    mu <- matrix(rgamma(16, 1, 0.5), 8) %*% matrix(rgamma(12, 1, 1), 2)
    release <- privatize(matrix(rpois(48, mu), 8), 1, rng = "R")
    fit <- paper_topics(release, 2, prior = prior, chains = 1, iter = 300)
    !is.null(worst_margin(check_margins(fit)))
  }, TRUE)
  expect_lte(sum(alarms), stats::qbinom(1e-6, 2000, 1e-3, lower.tail = FALSE))
})
