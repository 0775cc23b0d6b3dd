few_documents <- function() {
  set.seed(691)
  simulate_topics(D = 12, V = 14, words = 30)
}

few_compared <- function(..., y = few_documents()$y, epsilon = c(2, 0.5), repetitions = 2, iter = 30) {
  force(y)
  set.seed(692)
  compare_methods(y, 2, epsilon, repetitions = repetitions, iter = iter, ...)
}

value_of <- function(compared, metric, method, epsilon = NA, repetition = 1) {
  same <- if (is.na(epsilon)) is.na(compared$epsilon) else compared$epsilon %in% epsilon
  compared$value[compared$metric == metric & compared$method == method & same &
    compared$repetition == repetition]
}

test_that("scores agree with those of separate fits", {
  made <- few_documents()
  compared <- few_compared(y = made$y, truth = made$mu, precision = 3, family = "nbinom1")
  expect_s3_class(compared, c("method_comparison", "tbl_df", "tbl", "data.frame"), exact = TRUE)
  expect_named(compared, c("method", "epsilon", "repetition", "metric", "value"))
  set.seed(692)
  streams <- chain_streams(7, runif(1)) # held-out cells; two repetitions of two releases and a fit
  cells <- with_stream(streams[[1]], holdout_cells(made$y)$cells)$value
  truth <- replace(made$mu, cells, NA)
  by_hand <- function(fit) {
    c(
      mae = mae(fit, truth), poisson_kl = poisson_kl(fit, truth),
      held_out_mae = mae(fitted(fit, cells = cells), made$mu[cells]),
      held_out_density = held_out_density(fit, made$y, cells)$mean,
      npmi = mean(npmi(fit, made$y)), coherence = mean(coherence(fit, made$y)),
      rhat = suppressWarnings(posterior::rhat(fit$log_density))
    )
  }
  expect_scores <- function(fit, ...) {
    scores <- by_hand(fit)
    for (metric in names(scores)) {
      expect_within(value_of(compared, metric, ...), scores[[metric]], TOL_EXACT)
    }
  }
  # levels in increasing order, then the true counts, then the next repetition
  with_stream(streams[[6]], {
    released <- privatize(made$y, epsilon = 2, precision = 3, rng = "R")
    is.na(released) <- cells
    expect_scores(topic_model(released, 2, iter = 30, family = "nbinom1"), "private", 2, 2)
    naive <- topic_model(released, 2, iter = 30, family = "nbinom1", noise = "ignore")
    expect_scores(naive, "naive", 2, 2)
  })
  with_stream(streams[[4]], {
    train <- replace(made$y, cells, NA)
    expect_scores(topic_model(train, 2, iter = 30, family = "nbinom1"), "non-private")
  })
  expect_identical(nrow(compared), as.integer(7 * (2 * 4 + 2) + 2 * 4))
  # what knows no structure
  seen <- made$y[-place_in(cells, dim(made$y))]
  held_out <- made$y[cells]
  spread <- var(seen) / mean(seen)
  expect_within(value_of(compared, "mae", "mean"), mean(abs(truth - mean(seen)), na.rm = TRUE), TOL_EXACT)
  expect_within(
    value_of(compared, "held_out_density", "mean"),
    mean(dnbinom(held_out, mean(seen) / (spread - 1), 1 / spread, log = TRUE)), TOL_SERIES
  )
  expect_within(value_of(compared, "held_out_mae", "zero"), mean(made$mu[cells]), TOL_EXACT)
  expect_identical(value_of(compared, "poisson_kl", "zero"), Inf)
  expect_identical(value_of(compared, "held_out_density", "zero"), -Inf)
  expect_identical(value_of(compared, "npmi", "mean"), numeric())
})

test_that("scores of other mechanisms agree with those of separate fits", {
  made <- few_documents()
  mechanisms <- list(
    laplace_noise(1), hidden = withheld(discrete_gaussian_noise(1.5), below = 2), same = geometric_noise(1, 2)
  )
  set.seed(692)
  compared <- compare_methods(made$y, 2, mechanism = mechanisms, truth = made$mu, iter = 30, repetitions = 2)
  expect_named(compared, c("method", "mechanism", "repetition", "metric", "value"))
  expect_identical(levels(compared$mechanism), c("Laplace, scale 1", "hidden", "same"))
  set.seed(692)
  streams <- chain_streams(9, runif(1)) # held-out cells; two repetitions of three releases and a fit
  cells <- with_stream(streams[[1]], holdout_cells(made$y)$cells)$value
  truth <- replace(made$mu, cells, NA)
  mae_of <- function(method, mechanism, repetition) {
    compared$value[compared$metric == "mae" & compared$method == method & compared$repetition == repetition &
      compared$mechanism %in% mechanism]
  }
  by_hand <- function(stream, mechanism, repetition, release) {
    with_stream(streams[[stream]], {
      released <- release()
      private <- if (is_release(released)) released else private_counts(released, mechanism = mechanisms[[mechanism]])
      is.na(private) <- cells
      name <- levels(compared$mechanism)[mechanism]
      score <- mae(fitted(topic_model(private, 2, iter = 30)), truth)
      expect_within(mae_of("private", name, repetition), score, TOL_EXACT)
      naive <- if (is_release(released)) {
        topic_model(private, 2, iter = 30, noise = "ignore")
      } else {
        topic_model(replace(round(pmax(released, 0)), cells, NA), 2, iter = 30)
      }
      expect_within(mae_of("naive", name, repetition), mae(fitted(naive), truth), TOL_EXACT)
    })
  }
  by_hand(2, 1, 1, function() simulate(mechanisms[[1]], y = made$y))
  by_hand(7, 2, 2, function() simulate(mechanisms[[2]], y = made$y))
  by_hand(4, 3, 1, function() privatize(made$y, mechanism = geometric_noise(1, 2), rng = "R"))
  with_stream(streams[[5]], {
    fit <- topic_model(replace(made$y, cells, NA), 2, iter = 30)
    expect_within(mae_of("non-private", NA, 1), mae(fitted(fit), truth), TOL_EXACT)
  })
  means <- summary(compared)
  expect_identical(names(means)[3], "mechanism")
  shown <- capture.output(print(compared))
  expect_match(shown, "true counts noised by mechanisms", fixed = TRUE, all = FALSE)
  expect_match(shown, "private +hidden", all = FALSE)
  picture <- expect_picture(plot(compared))
  expect_identical(picture$labels$x, "mechanism")
  expect_refused(plot(compared[is.na(compared$mechanism), ]), "at any mechanism")
})

test_that("networks and tensors are compared under other mechanisms", {
  set.seed(696)
  compared <- function(y, ...) {
    mechanisms <- list(a = skellam_noise(2), b = laplace_noise(1))
    quietly(compare_methods(y, 2, mechanism = mechanisms, repetitions = 1, iter = 20, ...))
  }
  for (directed in c(TRUE, FALSE)) {
    y <- simulate_blocks(V = 10, k = 2, shape = 1, directed = directed)$y
    found <- compared(y, model = "block", directed = directed)
    expect_true(all(is.finite(found$value[found$method == "private" & found$metric == "mae"])))
    expect_true(all(is.finite(found$value[found$method == "naive" & found$metric == "held_out_mae"])))
  }
  tensor <- simulate_tensor(dims = c(5, 4, 3), k = 2)
  found <- compared(tensor$y, model = "tensor", truth = tensor$mu)
  expect_identical(sum(found$metric == "mae"), 7L)
  expect_false(anyNA(found$value))
  set.seed(697)
  before <- compared(tensor$y, model = "tensor")
  set.seed(697)
  listed <- data.frame(which(tensor$y > 0, arr.ind = TRUE), count = tensor$y[tensor$y > 0])
  expect_identical(compared(listed, model = "tensor", dims = c(5, 4, 3))$value, before$value)
})

test_that("without mu the truth is the counts, and the mean predictor is Poisson in the Poisson family", {
  y <- few_documents()$y
  cells <- cbind(c(1, 2, 3), c(5, 5, 7))
  compared <- few_compared(y = y, cells = cells, epsilon = 1, repetitions = 1)
  seen <- y[-place_in(cells, dim(y))]
  expect_within(value_of(compared, "mae", "zero"), mean(seen), TOL_EXACT)
  divergence <- poisson_kl(rep(mean(seen), length(seen)), seen)
  expect_within(value_of(compared, "poisson_kl", "mean"), divergence, TOL_EXACT)
  expect_within(
    value_of(compared, "held_out_density", "mean"), mean(dpois(y[cells], mean(seen), log = TRUE)), TOL_SERIES
  )
  set.seed(1)
  once <- few_compared(y = y, cells = cells, epsilon = 1, repetitions = 1)
  set.seed(1)
  expect_identical(few_compared(y = y, cells = rbind(cells, cells), epsilon = 1, repetitions = 1), once)
  none <- few_compared(y = y, cells = cells[0, ], epsilon = 1, repetitions = 1)
  expect_within(value_of(none, "mae", "zero"), mean(y), TOL_EXACT)
  expect_false(any(none$metric %in% c("held_out_mae", "held_out_density")))
})

test_that("means may lack the labels of the counts, or have the same ones", {
  made <- few_documents()
  named <- `dimnames<-`(made$y, list(paste0("d", 1:12), letters[1:14]))
  compared <- few_compared(y = named, truth = made$mu, epsilon = 1, repetitions = 1)
  labelled <- `dimnames<-`(made$mu, dimnames(named))
  expect_identical(few_compared(y = named, truth = labelled, epsilon = 1, repetitions = 1), compared)
})

test_that("a comparison draws one random number, and more repetitions do not change the first ones", {
  compared <- few_compared()
  after <- runif(1)
  set.seed(692)
  runif(1)
  expect_identical(after, runif(1))
  expect_identical(few_compared(), compared)
  more <- few_compared(repetitions = 3)
  expect_equal(more[more$repetition < 3, ], compared, ignore_attr = TRUE, tolerance = 0)
})

test_that("without other arguments, fits are short, and with them they are as the model runs them", {
  y <- matrix(rpois(6, 3), 3)
  compared <- function(...) {
    set.seed(695)
    compare_methods(y, 1, 1, model = "topic", repetitions = 1, progress = FALSE, ...)
  }
  expect_identical(compared(), compared(iter = 500, chains = 2))
  expect_identical(with_short_run(list(iter = 900)), list(iter = 900))
  expect_identical(with_short_run(list(inference = "cavi")), list(inference = "cavi"))
})

# The parts of a small comparison, as compare_methods() has them.
a_job <- function(model = "topic_model") {
  settings <- list(model = "topic_model", k = 2L, arguments = list(iter = 10), precision = 1, directed = TRUE)
  known <- known_data(few_documents()$y, NULL, NULL, settings)
  job <- new_comparison_job(settings, known, cbind(1, 2))
  job$model <- model
  job
}

test_that("an interrupted fit ends the comparison, and is no score", {
  cut_short <- function(...) {
    cli::cli_warn("Interrupted.", class = "ldpcounts_interrupted")
  }
  plan <- plan_tasks(expand.grid(level = c(1, NA), repetition = 1:2), NULL, cbind(1, 2))
  run <- function() run_tasks(plan$tasks, run_comparison_task, a_job(cut_short), FALSE, "MAE")
  ended <- tryCatch(run(), interrupt = function(condition) "interrupted")
  expect_identical(ended, "interrupted")
})

test_that("networks and tensors are compared too", {
  set.seed(693)
  directed <- simulate_blocks(V = 10, k = 2, shape = 1)$y
  masked <- holdout_cells(directed, "active", n = 1)$cells
  compared <- few_compared(y = directed, model = "block", epsilon = 1, repetitions = 1, cells = masked)
  seen <- directed
  seen[rbind(masked, cbind(1:10, 1:10))] <- NA
  expect_within(value_of(compared, "mae", "zero"), mean(seen, na.rm = TRUE), TOL_EXACT)
  expect_false(any(compared$metric == "npmi"))
  pairs <- simulate_blocks(V = 10, k = 2, shape = 1, directed = FALSE)$y
  of_pairs <- few_compared(
    y = pairs, model = "block", epsilon = 1, repetitions = 1, cells = cbind(2, 1), directed = FALSE
  )
  above <- replace(pairs, cbind(1, 2), NA)[upper.tri(pairs)]
  expect_within(value_of(of_pairs, "mae", "zero"), mean(above, na.rm = TRUE), TOL_EXACT)
  expect_within(value_of(of_pairs, "held_out_mae", "zero"), pairs[1, 2], TOL_EXACT)
  tensor <- simulate_tensor(dims = c(5, 4, 3), k = 2)
  listed <- data.frame(which(tensor$y > 0, arr.ind = TRUE), count = tensor$y[tensor$y > 0])
  of_tensor <- function(...) {
    few_compared(..., model = "tensor", epsilon = 1, repetitions = 1, truth = tensor$mu)
  }
  of_array <- of_tensor(y = tensor$y)
  of_list <- of_tensor(y = listed, dims = c(5, 4, 3))
  expect_identical(value_of(of_list, "mae", "zero"), value_of(of_array, "mae", "zero"))
  expect_gt(nrow(of_list), 12)
  skip_if_not_installed("igraph")
  graph <- igraph::graph_from_adjacency_matrix(pairs, "undirected", weighted = TRUE)
  of_graph <- few_compared(
    y = graph, model = "block", epsilon = 1, repetitions = 1, cells = cbind(2, 1), directed = FALSE
  )
  expect_identical(of_graph$value, of_pairs$value)
  expect_refused(compare_methods(graph, 2, 1, model = "block"), "`y`", "undirected graph", "directed = FALSE")
})

test_that("warnings about a network are given once", {
  set.seed(694)
  y <- matrix(rpois(36, 2), 6)
  warned <- 0
  withCallingHandlers(
    few_compared(y = y, model = "block", epsilon = 1, repetitions = 2),
    ldpcounts_self_loops = function(warning) {
      warned <<- warned + 1
      rlang::cnd_muffle(warning)
    }
  )
  expect_identical(warned, 1)
})

test_that("means and their errors agree with those computed by hand", {
  rows <- rbind(
    score_rows("private", 1, 1, c(mae = 1, rhat = 1)), score_rows("private", 1, 2, c(mae = 2, rhat = 1.2)),
    score_rows("private", 1, 3, c(mae = 6, rhat = 1)), score_rows("zero", NA, 1, c(mae = 4, poisson_kl = Inf))
  )
  compared <- structure(rows, class = c("method_comparison", "tbl_df", "tbl", "data.frame"))
  means <- summary(compared)
  expect_named(means, c("metric", "method", "epsilon", "mean", "se", "repetitions"))
  expect_identical(as.character(means$metric), c("mae", "mae", "poisson_kl", "rhat"))
  expect_within(means$mean[1:2], c(3, 4), TOL_EXACT)
  expect_within(means$se[1], sqrt((4 + 1 + 9) / 2 / 3), TOL_EXACT)
  expect_identical(means$mean[3], Inf)
  expect_identical(means$se[2:3], c(NA_real_, NA_real_))
  expect_identical(means$repetitions, c(3L, 1L, 1L, 3L))
  shown <- paste(capture.output(print(compared)), collapse = " ")
  expect_match(shown, "of 3 repetitions", fixed = TRUE)
  expect_match(shown, "private       1 3.0 (1.5)", fixed = TRUE)
  expect_match(shown, "R-hat is above 1.05 in 1 of 3 fits", fixed = TRUE)
  expect_no_match(shown, "rhat", fixed = TRUE)
})

test_that("comparisons that were bound together are distinguished", {
  rows_of <- function(k, mae) {
    rows <- rbind(
      score_rows("private", 1, 1, c(mae = mae[1], npmi = 0.1)),
      score_rows("private", 1, 2, c(mae = mae[2], npmi = 0.3)), score_rows("zero", NA, 1, c(mae = 9))
    )
    structure(cbind(rows, k = k), class = c("method_comparison", "tbl_df", "tbl", "data.frame"))
  }
  bound <- rbind(rows_of(20, c(1, 3)), rows_of(5, c(6, 10)))
  means <- summary(bound, by = "k")
  expect_named(means, c("metric", "k", "method", "epsilon", "mean", "se", "repetitions"))
  of_mae <- means[means$metric == "mae", ]
  expect_identical(of_mae$k, c(5, 5, 20, 20))
  expect_within(of_mae$mean, c(8, 9, 2, 9), TOL_EXACT)
  expect_within(of_mae$se[c(1, 3)], c(2, 1), TOL_EXACT)
  drawn <- drawn_means(bound, "k")
  expect_setequal(drawn$k, c(5, 20))
  expect_identical(levels(drawn$metric), c("mae", "npmi"))
  expect_within(drawn$low[1], 6, TOL_EXACT)
  expect_within(drawn$high[1], 10, TOL_EXACT)
  as_text <- transform(bound, method = as.character(method), metric = as.character(metric)) # from a file
  class(as_text) <- class(bound)
  expect_identical(levels(drawn_means(as_text, "k")$metric), c("mae", "npmi"))
  expect_identical(method_styles(as_text$method)$label, c("private", "zero"))
  picture <- expect_picture(plot(bound, by = "k"))
  expect_identical(nrow(ggplot2::ggplot_build(picture)$layout$layout), 4L)
  expect_refused(plot(bound, by = "family"), "`by` must be one of")
})

test_that("a comparison can be printed and plotted", {
  compared <- few_compared()
  shown <- paste(capture.output(print(compared)), collapse = " ")
  described <- "topic_model(), k = 2, of 12 x 14 true counts noised with precision 1; 17 held-out cells."
  expect_match(shown, described, fixed = TRUE)
  third <- few_compared(precision = 1 / 3, repetitions = 1)
  expect_output(print(third), "precision\\s+0.333333;")
  expect_match(shown, "non-private", fixed = TRUE)
  expect_match(shown, "Smaller is better (for held_out_density, npmi, coherence: larger).", fixed = TRUE)
  picture <- expect_picture(plot(compared))
  means <- drawn_means(compared, NULL)
  expect_false("rhat" %in% means$metric)
  expect_false(anyNA(means$low))
  expect_identical(picture$labels$title, "Scores of 2 repetitions: means, and bars of one standard error")
  note <- "Smaller is better (for held-out log density, NPMI, coherence: larger)"
  expect_identical(picture$labels$subtitle, note)
  expect_refused(plot(compared[compared$metric == "rhat", ]), "nothing to plot", "epsilon")
  expect_refused(plot(compared[is.na(compared$epsilon), ]), "nothing to plot")
  expect_refused(plot(compared[0, ]), "nothing to plot")
  expect_refused(ggplot2::autoplot(compared[0, ]), "nothing to plot")
  expect_setequal(picture$data$mean, means$mean)
  # of one level the points of methods stand beside each other, at it
  one <- compared[compared$epsilon %in% c(NA, 2), ]
  points <- ggplot2::layer_data(ggplot2::autoplot(one), 3)
  expect_lt(max(abs(points$x - log10(2))), 0.05)
  scale <- ggplot2::ggplot_build(ggplot2::autoplot(one))$layout$panel_params[[1]]$x.range
  expect_lt(max(abs(points$x - log10(2))), 0.15 * diff(scale))
  expect_refused(ggplot2::autoplot(compared, metric = "mae"), "no argument `metric`")
})

test_that("invalid comparisons throw errors before any fit", {
  y <- few_documents()$y
  expect_error(compare_methods(), "is missing")
  expect_error(compare_methods(y), "\"k\" is missing")
  expect_error(compare_methods(y, 2), "\"epsilon\" is missing")
  expect_refused(compare_methods(y, 0, 1), "`k`")
  expect_refused(compare_methods(y, 2, c(1, -1)), "`epsilon` must be positive")
  expect_refused(compare_methods(y, 2, 1e-9), "epsilon / precision is at least 1e-06")
  expect_refused(compare_methods(y, 2, 1, "topic"), "must be named")
  expect_refused(compare_methods(y, 2, 1, noise = "ignore"), "`noise` is set by the comparison")
  expect_refused(compare_methods(y, 2, 1, itr = 9), "no argument `itr`", "`iter`")
  expect_refused(compare_methods(y, 2, 1, model = "tree"), "`model` must be one of")
  expect_refused(compare_methods(y, 2, 1, precision = 1:2), "`precision` must be one positive number")
  expect_refused(compare_methods(y, 2, 1, repetitions = 0), "`repetitions`")
  expect_refused(compare_methods(y, 2, 1, model = "block"), "`y` must be a network")
  expect_refused(compare_methods(replace(y, 3, NA), 2, 1), "`y` must have no missing counts")
  expect_refused(compare_methods(-y, 2, 1), "`y` must hold counts")
  expect_refused(compare_methods(privatize(y, epsilon = 1), 2, 1), "`y`", "is a release")
  expect_refused(compare_methods(y, 2, 1, cells = cbind(13, 1)), "`cells` must be cells of the data")
  expect_refused(compare_methods(y, 2, 1, truth = y[1:3, ]), "`truth` must be the means", "12 x 14")
  expect_refused(compare_methods(y, 2, 1, truth = -1 - y), "`truth`", "not negative")
  square <- simulate_blocks(V = 6, k = 2, shape = 1)$y
  expect_refused(compare_methods(square, 2, 1, model = "block", directed = FALSE), "`y` must be symmetric")
})

test_that("if a comparison is wider than the console, each part names the methods", {
  old <- options(width = 60)
  on.exit(options(old))
  set.seed(32)
  compared <- quietly(compare_methods(matrix(rpois(80, 3), 10), 2, 1,
    iter = 10, repetitions = 2, chains = 1, family = "poisson", model = "topic", progress = FALSE
  ))
  printed <- capture.output(print(compared))
  expect_gt(sum(grepl("^ *method epsilon", printed)), 1)
  lines_of <- function(method) sum(grepl(paste0("^ *", method, " "), printed))
  for (method in c("private", "naive", "non-private")) {
    expect_identical(lines_of(method), lines_of("method"))
  }
  expect_lte(max(nchar(printed)), 60)
})
