# private_means() of formulas, and of designs of package survey.

# A town: strata of clusters of people, with counts that differ between strata and clusters.
town <- function() {
  set.seed(522)
  clusters <- data.frame(stratum = rep(1:4, c(12, 20, 16, 12)), cluster = 1:60)
  size <- sample(12:25, 60, TRUE)
  people <- clusters[rep(1:60, size), ]
  people$size <- size[people$cluster]
  people$sex <- factor(sample(c("f", "m"), nrow(people), TRUE))
  effect <- rgamma(60, 5, 5)
  people$y <- rnbinom(nrow(people), 2, mu = people$stratum * effect[people$cluster] * (1 + (people$sex == "m")))
  people
}

# Some clusters of each stratum, and some people of each; with the numbers of clusters and people in the population.
sample_town <- function(people, clusters = 4, each = 8) {
  people$clusters <- as.vector(table(people$stratum[!duplicated(people$cluster)]))[people$stratum]
  chosen <- unlist(lapply(split(people$cluster, people$stratum), function(own) sample(unique(own), clusters)))
  people <- people[people$cluster %in% chosen, ]
  taken <- unlist(lapply(split(seq_len(nrow(people)), people$cluster), sample, each))
  people <- people[sort(taken), ]
  people$weight <- people$clusters / clusters * people$size / each
  people
}

designs <- function(people) {
  list(
    simple = survey::svydesign(ids = ~1, weights = ~weight, data = people),
    clusters = survey::svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, data = people),
    finite = survey::svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, fpc = ~clusters, data = people),
    stages = survey::svydesign(ids = ~cluster + id, strata = ~ stratum + 1, fpc = ~ clusters + size, data = people)
  )
}

surveyed_town <- function(epsilon) {
  people <- town()
  set.seed(523)
  people <- sample_town(people)
  people$id <- seq_len(nrow(people))
  people$days <- private_counts(people$y + rtwogeom(nrow(people), exp(-epsilon)), alpha = exp(-epsilon))
  people$true <- private_counts(people$y, alpha = 0)
  people
}

test_that("without noise, estimates of a design are those of package survey", {
  skip_if_not_installed("survey")
  people <- surveyed_town(1)
  for (design in designs(people)) {
    for (what in c("means", "totals")) {
      f <- if (what == "means") survey::svymean else survey::svytotal
      ours <- private_means(~true, design = design, what = what)
      theirs <- f(~y, design)
      expect_within(ours$estimate, unname(coef(theirs)), TOL_SERIES)
      expect_within(ours$std.error, c(survey::SE(theirs)), TOL_SERIES)
      expect_identical(ours$noise.error, 0)
      expect_equal(ours$df, survey::degf(design))
      ours <- private_means(true ~ sex, design = design, what = what, differences = TRUE)
      theirs <- survey::svyby(~y, ~sex, design, f, covmat = TRUE)
      expect_identical(as.character(ours$group), c("f", "m", "m - f"))
      expect_within(ours$estimate[1:2], unname(coef(theirs)), TOL_SERIES)
      expect_within(ours$std.error[1:2], unname(survey::SE(theirs)), TOL_SERIES)
      contrast <- survey::svycontrast(theirs, c(-1, 1))
      expect_within(ours$estimate[3], unname(coef(contrast)), TOL_SERIES)
      expect_within(ours$std.error[3], c(survey::SE(contrast)), TOL_SERIES)
    }
  }
})

test_that("the variance of a total is that of the true counts and of the noise, in expectation", {
  skip_if_not_installed("survey")
  people <- surveyed_town(1)
  v <- 2 * exp(-1) / (1 - exp(-1))^2
  for (design in designs(people)) {
    ours <- private_means(~days, design = design, what = "totals")
    expect_within(ours$noise.error^2, v * sum(1 / design$prob^2), TOL_SERIES)
    # the variance by package survey is a sum of squares: noise raises it by its variance in each row alone
    of_row <- function(i) c(survey::SE(survey::svytotal(as.numeric(seq_len(nrow(people)) == i), design)))^2
    raised <- v * sum(vapply(seq_len(nrow(people)), of_row, 0))
    theirs <- c(survey::SE(survey::svytotal(as.numeric(people$days), design)))^2
    expect_within(ours$std.error^2, theirs + ours$noise.error^2 - raised, 1e-9)
  }
})

test_that("the variance of a mean is that of the true counts and of the noise, in expectation", {
  extended_only()
  skip_if_not_installed("survey")
  people <- surveyed_town(1)
  # of many releases of the same counts
  design <- designs(people)$stages
  true <- c(survey::SE(survey::svymean(~y, design)))^2
  set.seed(524)
  found <- replicate(100, {
    design$variables$days <- private_counts(people$y + rtwogeom(nrow(people), exp(-1)), alpha = exp(-1))
    ours <- private_means(~days, design = design)
    c(ours$std.error^2, ours$estimate, ours$noise.error^2)
  })
  error <- apply(found, 1, sd) / sqrt(100)
  # the noise of the estimated mean is left out of the variance: a part of 1 / 128 at most
  expect_lt(abs(mean(found[1, ]) - true - found[3, 1]), normal_bound(1) * error[1] + found[3, 1] / 64)
  expect_lt(abs(mean(found[2, ]) - coef(survey::svymean(~y, design))), normal_bound(1) * error[2])
})

test_that("masked counts are left out of a design, and differing noise levels are used", {
  skip_if_not_installed("survey")
  people <- surveyed_town(1)
  alpha <- rep_len(c(0.2, 0.5, 0.7), nrow(people))
  people$days <- private_counts(people$y + 0, alpha = 0)
  people$days[c(3, 50)] <- NA
  design <- designs(people)$clusters
  theirs <- survey::svyby(~y, ~sex, subset(design, !is.na(days)), survey::svymean)
  ours <- private_means(days ~ sex, design = design)
  expect_within(ours$estimate, theirs$y, TOL_SERIES)
  expect_within(ours$std.error, theirs$se, TOL_SERIES)
  expect_identical(sum(ours$masked), 2)
  design$variables$days <- private_counts(people$y + rtwogeom(nrow(people), alpha), alpha = alpha)
  w <- people$weight / sum(people$weight)
  expect_within(private_means(~days, design = design)$noise.error^2, sum(w^2 * 2 * alpha / (1 - alpha)^2), TOL_SERIES)
})

test_that("formulas give the estimates of a release and groups", {
  people <- surveyed_town(0.7)
  people$visits <- private_counts(rtwogeom(nrow(people), exp(-0.7)) + 2, alpha = exp(-0.7))
  people$east <- people$stratum > 2
  release <- cbind(days = people$days, visits = people$visits)
  same <- function(x, y) expect_identical(as.data.frame(x), as.data.frame(y))
  same(private_means(cbind(days, visits) ~ sex + east, people), private_means(release, people[c("sex", "east")]))
  same(private_means(days ~ sex, data = people, weights = weight),
    private_means(release[, "days", drop = FALSE], people$sex, weights = people$weight))
  same(private_means(~ days + visits, people), private_means(release))
  same(private_means(days ~ 1, people), private_means(~days, people))
  same(private_means(~days, data = people, by = ~sex), private_means(days ~ sex, people))
  same(with(people, private_means(days ~ sex)), private_means(days ~ sex, people))
  expect_within(private_means(people$days, by = people$sex)$estimate, private_means(days ~ sex, people)$estimate,
    TOL_EXACT)
  expect_identical(levels(private_means(days ~ sex, people)$item), "days")
  for (data in list(people, tibble::as_tibble(people))) {
    expect_s3_class(private_means(days ~ sex, data), "tbl_df")
  }
  expect_output(print(private_means(days ~ sex, people)), "A tibble: 2", fixed = TRUE)
  expect_refused(private_means(y ~ sex, people), "must be released counts", "privatize()")
  expect_refused(private_means(days ~ sex, data = people, by = people$east), "not in both")
  expect_refused(private_means(days ~ sex, data = 3), "`data` must be the data frame")
  expect_refused(private_means(~days, people, design = 3), "`design` must be a design made by survey::svydesign()")
  skip_if_not_installed("survey")
  design <- designs(people)$clusters
  expect_refused(private_means(~days, people, design = design), "must not be given with `design`")
  expect_refused(private_means(~days, design = design, weights = weight), "must not be given with `design`")
  expect_refused(private_means(people$days[1:3], design = design), "one row per row of `design`")
  same(private_means(people$days, by = ~sex, design = design)["estimate"],
    private_means(days ~ sex, design = design)["estimate"])
})

test_that("intervals of a stratified cluster sample cover as often as they say", {
  extended_only()
  skip_if_not_installed("survey")
  people <- town()
  truth <- c(mean(people$y), tapply(people$y, people$sex, mean))
  set.seed(525)
  covered <- replicate(1000, {
    sampled <- sample_town(people, clusters = 6)
    sampled$id <- seq_len(nrow(sampled))
    sampled$days <- private_counts(sampled$y + rtwogeom(nrow(sampled), exp(-0.5)), alpha = exp(-0.5))
    design <- designs(sampled)$stages
    found <- rbind(private_means(~days, design = design, level = 0.9),
      private_means(days ~ sex, design = design, level = 0.9))
    truth > found$conf.low & truth < found$conf.high
  })
  # 0.9 within 0.02 and the error of 1000 surveys at the overall mean
  expect_gt(min(rowMeans(covered)), 0.88 - 0.01)
  expect_lt(max(rowMeans(covered)), 0.92 + 0.01)
  cat("\nCoverage of 90 % intervals:", rowMeans(covered), "\n")
})
