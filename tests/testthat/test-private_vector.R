# Released counts as columns of data frames (R/release-vector.R, src/rc_levels.c): each element keeps its count and
# its noise level, whatever is done with the column.

# Five noise levels; the columns `shown` and `alpha` say what belongs to each count.
people <- function(n = 30, tibble = TRUE) {
  set.seed(521)
  d <- data.frame(id = seq_len(n), sex = rep(c("f", "m", "m"), length.out = n), age = round(runif(n, 18, 90)))
  d$days <- privatize(rnbinom(n, 1, mu = 3), epsilon = rep(c(0.5, 1, 1.5, 2, 3), length.out = n), na = "keep")
  d$days[c(4, 11)] <- NA
  d$shown <- as.numeric(d$days)
  d$alpha <- privacy(d$days)$alpha
  if (tibble) tibble::as_tibble(d) else d
}

levels_in <- function(x) rep_len(privacy(x)$alpha, length(x))

# Nothing has moved: `d` has the columns of people().
expect_levels <- function(d, n = NULL) {
  expect_s3_class(d$days, "private_vector")
  known <- !is.na(d$alpha)
  expect_identical(as.numeric(d$days), as.numeric(d$shown))
  expect_identical(levels_in(d$days)[known], as.numeric(d$alpha)[known])
  if (!is.null(n)) expect_identical(NROW(d$days), as.integer(n))
}

test_that("counts keep their levels in data frames, by functions of base R", {
  for (tibble in c(TRUE, FALSE)) {
    d <- people(tibble = tibble)
    expect_gt(length(unique(d$alpha)), 4)
    expect_levels(d, 30)
    expect_levels(d[c(9, 2, 2, 30), ], 4)
    expect_levels(d[-(1:3), c("days", "shown", "alpha")], 27)
    expect_levels(d[d$sex == "f", ], 10)
    expect_levels(d[order(d$age), ], 30)
    expect_levels(d[order(d$days), ], 30)
    expect_levels(d[sample(30), ], 30)
    expect_levels(head(d, 7), 7)
    expect_levels(tail(d, 7), 7)
    expect_levels(subset(d, age > 40))
    expect_levels(na.omit(d), 28)
    expect_levels(d[!is.na(d$days), ], 28)
    expect_levels(d[stats::complete.cases(d), ])
    expect_levels(merge(d, data.frame(sex = c("f", "m"), score = 1:2)), 30)
    expect_levels(merge(d, data.frame(id = c(3, 40, 5), score = 1:3), all.y = TRUE), 3)
    expect_levels(do.call(rbind, split(d, d$sex)), 30)
    if (!tibble) expect_levels(unsplit(split(d, as.character(d$sex)), d$sex), 30)
    expect_levels(rbind(d, d[3:1, ]), 33)
    expect_levels(transform(d, older = age + 1), 30)
    expect_levels(within(d, older <- age + 1), 30)
    expect_levels(cbind(d, score = 1), 30)
    expect_levels(stats::model.frame(days ~ age + shown + alpha, d), 28)
    expect_levels(stats::model.frame(days ~ shown + alpha, d, subset = age > 40, na.action = na.exclude))
    expect_levels(stats::model.frame(days ~ shown + alpha, d, na.action = na.pass), 30)
    d$days[5] <- NA
    d$shown[5] <- NA
    expect_levels(d, 30)
    is.na(d$days) <- 6
    d$shown[6] <- NA
    expect_levels(d, 30)
    d$days[7:8] <- d$days[c(1, 9)]
    d[7:8, c("shown", "alpha")] <- d[c(1, 9), c("shown", "alpha")]
    expect_levels(d, 30)
    file <- tempfile()
    saveRDS(d, file)
    expect_levels(readRDS(file), 30)
    expect_levels(unserialize(serialize(d, NULL)), 30)
  }
})

test_that("counts keep their levels in tibbles, by functions of dplyr and tidyr", {
  skip_if_not_installed("dplyr")
  d <- people()
  expect_levels(dplyr::filter(d, age > 40))
  expect_levels(dplyr::arrange(d, age), 30)
  expect_levels(dplyr::arrange(d, dplyr::desc(days)), 30)
  expect_levels(dplyr::slice(d, c(3, 3, 1)), 3)
  expect_levels(dplyr::slice_sample(d, n = 12), 12)
  expect_levels(dplyr::select(d, days, alpha, shown), 30)
  expect_levels(dplyr::mutate(d, older = age + 1), 30)
  expect_levels(dplyr::left_join(d, data.frame(sex = c("f", "m"), score = 1:2), by = "sex"), 30)
  expect_levels(dplyr::right_join(d, data.frame(id = c(3, 40, 5)), by = "id"), 3)
  expect_levels(dplyr::full_join(d[1:5, ], data.frame(id = 4:8), by = "id"), 8)
  expect_levels(dplyr::semi_join(d, data.frame(id = 4:8), by = "id"), 5)
  expect_levels(dplyr::bind_rows(d[1:4, ], d[20:15, ]), 10)
  expect_levels(dplyr::bind_rows(d[1:4, ], data.frame(id = 99)), 5)
  expect_levels(dplyr::distinct(dplyr::bind_rows(d, d)), 30)
  expect_levels(dplyr::group_modify(dplyr::group_by(d, sex), function(part, key) part[2:1, ]), 4)
  expect_levels(dplyr::ungroup(dplyr::slice_max(dplyr::group_by(d, sex), age, n = 2, with_ties = FALSE)), 4)
  pulled <- dplyr::pull(d, days)
  expect_identical(pulled, d$days)
  skip_if_not_installed("tidyr")
  expect_levels(tidyr::drop_na(d, days), 28)
  expect_levels(tidyr::unnest(tidyr::nest(d, data = -sex), data), 30)
  long <- tidyr::pivot_longer(data.frame(id = 1:30, first = d$days, second = d$days), -id)
  expect_identical(levels_in(long$value), rep(d$alpha, each = 2))
  wide <- tidyr::pivot_wider(long)
  expect_identical(levels_in(wide$second), d$alpha)
})

test_that("counts keep their levels in a data.table, which calls no method for rows", {
  skip_if_not_installed("data.table")
  d <- data.table::as.data.table(people())
  # in a package that does not import data.table, `[` is that of data frames
  evaluate <- function(code) eval(code, list2env(list(d = d), parent = globalenv()))
  expect_levels(evaluate(quote(d[c(9, 2, 2)])), 3)
  expect_levels(evaluate(quote(d[age > 40])))
  expect_levels(evaluate(quote(d[, list(days = days[2:1], shown = shown[2:1], alpha = alpha[2:1]), by = "sex"])), 4)
  expect_levels(data.table::setorderv(data.table::copy(d), "age"), 30)
  expect_levels(merge(d, data.table::data.table(sex = c("f", "m"), score = 1:2), by = "sex"), 30)
  expect_levels(data.table::rbindlist(list(d[1:3, ], d[7:5, ])), 6)
  expect_levels(stats::na.omit(d), 28)
  other <- data.table::data.table(id = 1, days = privatize(3, epsilon = 7))
  expect_error(data.table::rbindlist(list(d[1:3, c("id", "days")], other)), "[Cc]lass")
})

test_that("vectors of different levels are combined, repeated and matched", {
  d <- people()
  x <- d$days
  one <- privatize(c(3, 0, 5), epsilon = 7)
  both <- c(x, one, NA)
  expect_identical(as.numeric(both), c(d$shown, as.numeric(one), NA))
  expect_identical(levels_in(both)[1:33], c(d$alpha, levels_in(one)))
  expect_identical(levels_in(c(one, x)), c(levels_in(one), d$alpha))
  expect_identical(levels_in(rep(x, 2)), rep(d$alpha, 2))
  expect_identical(levels_in(rev(x)), rev(d$alpha))
  expect_identical(levels_in(x[[7]]), d$alpha[7])
  expect_identical(levels_in(c(x[[7]], x[[8]])), d$alpha[7:8])
  expect_identical(as.numeric(unique(c(x, x))), as.numeric(unique(x)))
  expect_identical(as.numeric(x[order(x)]), sort(d$shown, na.last = TRUE))
  longer <- x
  longer[32] <- one[1]
  expect_identical(as.numeric(longer), c(d$shown, NA, as.numeric(one)[1]))
  expect_identical(levels_in(longer)[c(1:30, 32)], c(d$alpha, levels_in(one)[1]))
  expect_identical(levels_in(x[0]), levels_in(one)[0])
  lists <- lapply(seq_along(x), function(i) x[i])
  expect_identical(levels_in(do.call(c, lists)), d$alpha)
  expect_identical(as.list(x)[[3]], x[3])
})

test_that("many levels, and the limits of counts and levels", {
  n <- 5000
  alpha <- seq(0.2, 0.9, length.out = n)
  counts <- c(-2^31, 2^33, 0, NA, rep_len(-40:40, n - 4))
  x <- private_counts(counts, alpha = alpha)
  expect_identical(as.numeric(x), counts)
  expect_identical(privacy(x)$alpha, alpha)
  expect_identical(privacy(x[n:1])$alpha, rev(alpha))
  expect_refused(private_counts(2^34, alpha = 0.5), "below 2^34")
  # with one level the doubles are the counts
  plain <- private_counts(c(3, -1, 0), alpha = 0.5)
  expect_identical(as.vector(unclass(plain)), c(3, -1, 0))
  expect_identical(privacy(plain)$alpha, 0.5)
  damaged <- structure(x, noise = attr(plain, "noise"))
  expect_refused(privacy(damaged), "edited or damaged")
})

test_that("arithmetic, sums, comparisons and other values are refused, with what to use instead", {
  x <- people()$days
  for (code in alist(
    x + 1, 2 * x, -x, x == 3, x > 0, !x, log(x), abs(x), round(x), cumsum(x), sum(x), range(x), max(x), any(x),
    mean(x), median(x), quantile(x)
  )) {
    expect_refused(eval(code), "not possible for a private_vector", "private_means()", "as.numeric(x)")
  }
  for (code in alist(x[1] <- 3, x[[1]] <- 3, c(x, 3), cbind(x, 3), replace(x, 2, 0))) {
    expect_refused(eval(code), "not possible for a private_vector", "as.numeric(x)")
  }
  matrix <- privatize(cbind(a = 1:3, b = 0), epsilon = 1)
  for (code in alist(matrix + 1, sum(matrix), mean(matrix))) {
    expect_refused(eval(code), "not possible for a private_counts", "private_means()", "as.matrix(x)")
  }
  expect_identical(is.finite(x), !is.na(x))
  expect_error(vctrs::vec_rbind(data.frame(x = x), data.frame(x = 3)), class = "vctrs_error_incompatible_type")
})

test_that("a vector is shown with its noise, and what is protected reads as for a matrix", {
  x <- privatize(c(3, 0, 7), epsilon = 1, precision = 2)
  matrix <- cbind(x)
  said <- function(x) grep("^\\*|^  ", capture.output(print(x)), value = TRUE)
  expect_identical(said(x)[seq_along(said(matrix))][1:4], said(matrix)[1:4])
  expect_output(print(x), "Private counts: 3, two-sided geometric noise")
  expect_output(print(x), "differ by 2 counts in all")
  skip_if_not_installed("pillar")
  text <- paste(capture.output(print(people(), width = 200)), collapse = "\n")
  expect_match(text, "<private> alpha 0.05-0.61", fixed = TRUE)
  expect_output(print(tibble::tibble(x)), "<private> alpha 0.61", fixed = TRUE)
  expect_output(str(people()$days), "[1:30]", fixed = TRUE)
  d <- people(tibble = FALSE)
  expect_identical(capture.output(print(d[c("days", "id")])), capture.output(print(
    data.frame(days = d$shown, id = d$id)
  )))
  expect_identical(as.character(d$days), as.character(d$shown))
  expect_identical(as.integer(d$days), as.integer(d$shown))
  expect_identical(as.vector(d$days), d$shown)
  expect_identical(as.matrix(d$days), matrix(d$shown))
  expect_output(print(summary(d)), "days")
  csv <- tempfile()
  utils::write.csv(d, csv, row.names = FALSE)
  expect_identical(as.numeric(utils::read.csv(csv)$days), d$shown)
})

test_that("privatize() and private_counts() of a vector give a vector, with the noise of a matrix", {
  y <- c(3, 0, 7, 1)
  set.seed(1)
  x <- privatize(y, epsilon = 1, precision = 2, rng = "R")
  set.seed(1)
  expect_identical(do.call(cbind, list(x)), privatize(matrix(y), 1, precision = 2, rng = "R"))
  expect_s3_class(x, "private_vector")
  expect_identical(privacy(x), privacy(cbind(x)))
  expect_identical(privacy(x)[c("alpha", "precision", "rng")], list(alpha = exp(-0.5), precision = 2, rng = "R"))
  expect_identical(privacy(privatize(y, epsilon = 1:4))$epsilon, c(1, 2, 3, 4))
  expect_identical(as.numeric(privatize(y, epsilon = 40)), y)
  expect_true(all(privatize(y, epsilon = 0.1, clamp = TRUE) |> as.numeric() >= 0))
  expect_true(privacy(privatize(y, epsilon = 0.1, clamp = TRUE))$clamped)
  expect_refused(privatize(x, 0.5), "a release already", "compose = TRUE")
  expect_refused(private_counts(x, alpha = 0.3), "a release already")
  more <- privatize(x, 0.5, precision = 2, compose = TRUE)
  expect_s3_class(more, "private_vector")
  expect_identical(privacy(more)$alpha, exp(-0.25))
  expect_refused(privatize(c(1, NA), 1), "na = \"keep\"")
  expect_refused(privatize(c(1.5, 2), 1), "whole numbers")
  expect_refused(privatize(c(-1, 2), 1), "`y`")
  expect_refused(privatize(factor(1:3), 1), "`y`")
  expect_refused(privatize(y, epsilon = 1:3), "one per row (4)")
  expect_s3_class(suppressMessages(privatize(c(a = 3, b = 4), 1)), "private_counts")
  # zeros of 400 people get noise: each is 0 with probability (1 - alpha) / (1 + alpha)
  zero <- as.numeric(privatize(numeric(400), epsilon = 1)) == 0
  p <- (1 - exp(-1)) / (1 + exp(-1))
  expect_lt(abs(sum(zero) - 400 * p), normal_bound(1) * sqrt(400 * p * (1 - p)))
  skip_if_not_installed("haven")
  expect_s3_class(privatize(haven::labelled(y, c(none = 0)), 1), "private_vector")
})

test_that("columns of a matrix are vectors, and vectors of the same people are the matrix", {
  set.seed(2)
  y <- matrix(rpois(20, 3), 5, dimnames = list(NULL, c("calls", "mails", "texts", "visits")))
  release <- privatize(y, epsilon = c(1, 2, 1, 3, 1))
  release[2, 3] <- NA
  x <- release[, "mails"]
  expect_s3_class(x, "private_vector")
  expect_identical(as.numeric(x), as.numeric(as.matrix(release)[, "mails"]))
  expect_identical(privacy(x), privacy(release))
  expect_identical(privacy(release[c(4, 2), 1])$epsilon, c(3, 2))
  expect_identical(dim(release[, "mails", drop = FALSE]), c(5L, 1L))
  expect_identical(dim(release[1, ]), c(1L, 4L))
  columns <- lapply(colnames(y), function(item) release[, item])
  names(columns) <- colnames(y)
  expect_identical(do.call(cbind, columns), release)
  d <- as.data.frame(columns)
  for (data in list(d, tibble::as_tibble(d))) {
    set.seed(3)
    fit <- topic_model(data, 2, iter = 20, chains = 1, progress = FALSE)
    set.seed(3)
    expect_identical(coef(fit), coef(topic_model(release, 2, iter = 20, chains = 1, progress = FALSE)))
  }
  labelled <- topic_model(cbind(d, who = letters[1:5]), 2, iter = 20, chains = 1, id = "who", progress = FALSE)
  expect_identical(rownames(fitted(labelled)), letters[1:5])
  expect_refused(topic_model(cbind(d, age = 1:5), 2), "All columns of `data` must be released counts", "\"age\"")
  expect_refused(privatize(d, 1), "a release already")
  other <- privatize(y[, 1], epsilon = 5)
  expect_refused(cbind(x, other), "the same noise level", "5 rows")
  expect_refused(cbind(x, x[1:2]), "same length")
  expect_identical(colnames(cbind(x, b = x)), c("x", "b"))
  file <- tempfile()
  write_release(x, file)
  expect_identical(as.matrix(read_release(file))[, 1], as.matrix(release)[, "mails"])
  expect_identical(privacy_loss(x, x)$epsilon, 2 * privacy(x)$epsilon)
  expect_s3_class(explain_privacy(other), "privacy_explanation")
  cube <- privatize(array(1:12, c(2, 3, 2)), 1)
  expect_s3_class(cube[, 1, 1], "private_counts")
})

test_that("a release becomes a data frame of columns, and back", {
  set.seed(4)
  y <- matrix(rpois(12, 3), 4, dimnames = list(c("ann", "bob", "cat", "dan"), c("calls", "mails", "texts")))
  release <- privatize(y, epsilon = c(1, 2, 1, 3))
  wide <- as.data.frame(release, wide = TRUE)
  expect_named(wide, c("row", colnames(y)))
  expect_identical(wide$row, factor(rownames(y)))
  expect_identical(wide$mails, release[, "mails"])
  fit <- function(data, ...) {
    set.seed(5)
    topic_model(data, 2, iter = 20, chains = 1, progress = FALSE, ...)
  }
  expect_identical(coef(fit(wide, id = "row")), coef(fit(release)))
  expect_identical(as.character(wide$row), rownames(y))
  joined <- merge(wide, data.frame(row = c("dan", "ann", "eve"), age = c(40, 50, 60)))
  expect_identical(privacy(joined$texts)$epsilon, c(1, 3))
  dimnames(release) <- NULL
  expect_named(as.data.frame(release, wide = TRUE), c("item1", "item2", "item3"))
  expect_refused(as.data.frame(privatize(array(1, c(2, 2, 2)), 1), wide = TRUE), "two modes")
})

test_that("from the files of participants to a regression in one pipe", {
  skip_if_not_installed("mgcv")
  set.seed(6)
  people <- data.frame(participant = sprintf("p%03d", 1:60), age = round(runif(60, 20, 80)))
  folder <- tempfile()
  dir.create(folder)
  for (i in 1:60) {
    y <- matrix(rpois(2, exp(people$age[i] / 40)), 1, dimnames = list(NULL, c("doctor", "library")))
    write_release(privatize(y, epsilon = 1 + i %% 2), file.path(folder, paste0(people$participant[i], ".txt")))
  }
  fit <- read_releases(folder, items = c("doctor", "library")) |>
    as.data.frame(wide = TRUE) |>
    merge(people, by.x = "row", by.y = "participant") |>
    mgcv::gam(formula = doctor ~ age, family = private_nbinom1())
  expect_lt(abs(coef(fit)[["age"]] - 1 / 40), 6 * sqrt(vcov(fit)[2, 2]))
})
