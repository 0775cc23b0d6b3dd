few_documents <- function() {
  set.seed(40)
  simulate_topics(D = 60, V = 9, words = 30)
}

few_promises <- function(..., made = few_documents(), epsilon = c(4, 1), repetitions = 2) {
  # what draws, before the seed
  further <- utils::modifyList(list(local = list(iter = 20), progress = FALSE), list(...))
  arguments <- list(made$y, 3, epsilon, alpha0 = 0.3, repetitions = repetitions)
  set.seed(41)
  do.call(compare_privacy, c(arguments, further))
}

value_of <- function(compared, metric, method, epsilon = NA, repetition = 1) {
  at <- compared$metric == metric & compared$method == method & compared$epsilon %in% epsilon &
    compared$repetition == repetition
  stopifnot(sum(at) == 1)
  compared$value[at]
}

test_that("scores agree with those of separate fits", {
  made <- few_documents()
  compared <- few_promises(truth = made$phi, precision = 2, variational = list(iter = 3, clip = 4))
  expect_s3_class(compared, c("privacy_comparison", "method_comparison", "tbl_df", "tbl", "data.frame"), exact = TRUE)
  expect_named(compared, c("method", "unit", "epsilon", "repetition", "metric", "value"))
  # three methods at two levels and without noise, twice, and no topics; four metrics
  expect_identical(nrow(compared), (3L * 3L * 2L + 1L) * 4L)
  set.seed(41)
  streams <- chain_streams(19, runif(1))
  hidden <- with_stream(streams[[1]], sample.int(60, 6))$value
  train <- made$y[-sort(hidden), ]
  as_score <- list(alpha = rep(0.1, 3))
  expect_scores <- function(topics, ...) {
    topics <- unname(topics)
    expect_within(
      value_of(compared, "l1", ...),
      mean(rowSums(abs(unname(align_topics(topics, made$phi)) - made$phi))), TOL_EXACT
    )
    documents <- document_cells(central_counts(made$y[hidden, ]))
    exact <- mean_score(list(mu = t(topics), alpha = rep(0.1, 3)), documents, 1e9)
    expect_within(value_of(compared, "log_lik", ...), exact, TOL_SERIES)
    expect_within(value_of(compared, "npmi", ...), mean(npmi(topics, train)), TOL_EXACT)
    expect_within(value_of(compared, "coherence", ...), mean(coherence(topics, train)), TOL_EXACT)
  }
  # levels in increasing order, then no noise, then the next repetition
  with_stream(streams[[2]], {
    released <- privatize(train, epsilon = 1, precision = 2, rng = "R")
    expect_scores(coef(topic_model(released, 3, iter = 20))$phi, "local", 1)
  })
  with_stream(streams[[6]], {
    fit <- dp_lda_spectral(train, 3, 0.3, 4, 1e-6, config = "1", short = "drop", rng = "R")
    expect_scores(t(fit$mu), "spectral", 4)
  })
  with_stream(streams[[19]], {
    lmax <- ceiling(quantile(rowSums(train), 0.95))
    fit <- dp_lda_vi(train, 3, 0.1, 1 / 3, Inf, 0, lmax, clip = 4, iter = 3, rng = "R")
    expect_scores(t(fit$mu), "variational, no noise", NA, 2)
  })
  shares <- colSums(train) / sum(train)
  expect_scores(rbind(shares, shares, shares), "no topics")
})

test_that("the column unit states what each epsilon refers to", {
  compared <- few_promises(precision = 5, repetitions = 1)
  units <- unique(compared[c("method", "unit")])
  expect_identical(
    stats::setNames(units$unit, units$method),
    c(
      local = "5 counts of a document", spectral = "one document replaced",
      variational = "one document replaced", "local, no noise" = "none", "spectral, no noise" = "none",
      "variational, no noise" = "none", "no topics" = "none"
    )
  )
  expect_identical(is.na(compared$epsilon), compared$unit == "none")
  expect_false("l1" %in% compared$metric)
  means <- summary(compared)
  expect_named(means, c("metric", "method", "unit", "epsilon", "mean", "se", "repetitions"))
  expect_identical(means$unit[means$method == "local"], rep("5 counts of a document", 6))
  shown <- paste(capture.output(print(compared)), collapse = " ")
  expect_match(shown, "documents that are 5 counts apart", fixed = TRUE)
  expect_match(shown, "is for\\s+replacing\\s+one\\s+whole\\s+document")
  third <- few_promises(precision = 7 / 3, repetitions = 1, methods = "local")
  expect_identical(third$unit[1], "2.33333 counts of a document")
  expect_output(print(third), "2.33333 counts\\s+apart")
  expect_match(shown, "6 held-out documents", fixed = TRUE)
})

test_that("results are reproducible, and more repetitions do not change the first ones", {
  one <- few_promises(repetitions = 1, methods = "variational")
  expect_identical(one, few_promises(repetitions = 1, methods = "variational"))
  two <- few_promises(methods = "variational")
  expect_identical(two$value[two$repetition == 1], one$value)
  none <- few_promises(methods = "variational", held_out = 0, repetitions = 1)
  expect_false("log_lik" %in% none$metric)
})

test_that("topics are matched by the names of their words", {
  made <- few_documents()
  named <- made
  colnames(named$y) <- letters[1:9]
  turned <- `colnames<-`(made$phi, letters[1:9])[, 9:1]
  by_name <- few_promises(made = named, truth = turned, methods = "spectral")
  expect_identical(by_name$value, few_promises(truth = made$phi, methods = "spectral")$value)
})

test_that("plots show each method, with its result without noise", {
  compared <- few_promises(truth = few_documents()$phi)
  picture <- expect_picture(plot(compared))
  expect_setequal(as.character(unique(picture$data$method)), unique(as.character(compared$method)))
})

test_that("error messages say what is wrong", {
  made <- few_documents()
  expect_refused(few_promises(truth = made$phi[1:2, ]), "`truth`", "3 rows")
  expect_refused(few_promises(methods = "central"), "`methods`")
  expect_refused(few_promises(held_out = 2), "`held_out`")
  expect_refused(few_promises(delta = 0), "`delta`")
  expect_refused(few_promises(epsilon = Inf), "`epsilon`")
  expect_refused(few_promises(local = 20), "`local`")
  expect_refused(few_promises(spectral = list(short = "drop", short = "keep")), "`spectral`", "without duplicates")
  expect_refused(few_promises(spectral = list(rng = "secure")), "`rng`")
  expect_refused(few_promises(variational = list(k = 2)), "`k`")
  expect_refused(few_promises(spectral = list(confog = 2)), "confog")
  expect_refused(compare_privacy(privatize(made$y, epsilon = 1), 2, 1), "`counts`")
  expect_error(compare_privacy(made$y, 2), "\"epsilon\" is missing")
})
