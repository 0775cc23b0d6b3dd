fit_types <- function(fit) {
  types <- eval(formals(autoplot.ldp_fit)$type)
  if (!is_network(fit)) types <- setdiff(types, "network")
  if (is_cavi(fit)) setdiff(types, "rank") else types
}

drawn_network <- function(...) {
  set.seed(102)
  y <- matrix(rpois(81, 2), 9)
  diag(y) <- 0
  paper_blocks(private_counts(y, epsilon = 1), 3, iter = 20, ...)
}

test_that("every type of plot is drawn and returned for every fit", {
  set.seed(101)
  y <- matrix(rpois(40, 2), 5, dimnames = list(paste0("doc", 1:5), paste0("word", 1:8)))
  x <- privatize(y, epsilon = 1)
  is.na(x) <- cbind(1, 2)
  one <- private_counts(matrix(0:3, 2), epsilon = 1:2, clamped = TRUE)
  pairs <- private_counts(unname(y[, 1:5] + t(y[, 1:5])), epsilon = 1, directed = FALSE)
  fits <- list(
    paper_topics(x, 3, iter = 20, chains = 3), paper_topics(one, 1, iter = 2),
    quietly(paper_topics(x, 14, iter = 4, family = "nbinom1")),
    paper_topics(x, 2, inference = "cavi", iter = 2),
    drawn_network(family = "nbinom1", dispersion_by = "row"),
    paper_blocks(pairs, 1, iter = 4, directed = FALSE), paper_tensor(array(1:24, 2:4), 2, iter = 4)
  )
  for (i in seq_along(fits)) {
    for (type in some_of(fit_types(fits[[i]]), 2, 1 + i %% 2)) expect_picture(plot(fits[[i]], type = type))
  }
})

test_that("plot() draws the result of autoplot(), to which layers can be added", {
  set.seed(103)
  x <- private_counts(matrix(0:11, 3), epsilon = 1)
  network <- drawn_network(chains = 2)
  for (type in some_of(fit_types(network), 2)) {
    picture <- ggplot2::autoplot(network, type = type)
    expect_identical(draw_plot(plot(network, type = type))$data, picture$data)
    expect_silent(changed <- draw_plot(picture + ggplot2::theme_bw() + ggplot2::labs(title = "A")))
    expect_identical(changed$labels$title, "A")
  }
  for (type in c("components", "trace")) { # of a single draw
    expect_picture(plot(paper_topics(x, 2, iter = 3, warmup = 2), type = type))
  }
})

test_that("labels that would overlap are left out", {
  texts_in <- function(grob) {
    if (!is.list(grob)) {
      return(NULL)
    }
    c(if (inherits(grob, "text")) list(grob), unlist(lapply(unclass(grob), texts_in), recursive = FALSE))
  }
  labels <- list(paste0("r", 1:30), paste0("c", 1:20))
  counts <- private_counts(matrix(0, 30, 20, dimnames = labels), epsilon = 1)
  texts <- draw_plot(texts_in(ggplot2::ggplotGrob(ggplot2::autoplot(counts))))
  of_axes <- Filter(function(text) length(text$label) >= 20, texts)
  expect_setequal(unlist(lapply(of_axes, `[[`, "label")), unlist(labels))
  for (text in of_axes) expect_true(text$check.overlap)
})

test_that("invalid plots throw errors", {
  fit <- paper_topics(private_counts(matrix(0:3, 2), epsilon = 1), 1, iter = 2)
  expect_refused(plot(fit, type = "pie"), "`type`", "\"trace\"")
  expect_refused(plot(fit, type = "network"), "type = \"network\"", "block_model()")
  expect_refused(plot(fit, n = 0), "`n`")
  expect_refused(plot(fit, edges = -1), "`edges`")
  expect_refused(plot(fit, 3), "`type`")
  expect_refused(plot(fit, "trace", edge = 3), "`edge`", "`edges`")
  expect_refused(
    plot(paper_topics(matrix(0:3, 2), 1, inference = "cavi", iter = 1), type = "rank"), "has no chains"
  )
  masked <- paper_topics(private_counts(matrix(NA_real_, 2, 2), epsilon = 1), 1, iter = 2)
  expect_refused(plot(masked, type = "predictive"), "All cells are masked")
  expect_picture(plot(masked))
  expect_refused(ggplot2::autoplot(fit, m = 3), "no argument `m`")
})

test_that("topics are shown by their most probable words", {
  phi <- rbind(topic1 = c(a = 0.5, b = 0.2, c = 0.3), topic2 = c(0.1, 0.2, 0.7))
  terms <- topic_terms(phi, c(3, 1), 1:2, 2)
  expect_identical(terms, data.frame(
    topic = factor(c("topic1", "topic1", "topic2", "topic2")), rank = c(1L, 2L, 1L, 2L),
    term = c("a", "c", "c", "b"), weight = c(0.5, 0.3, 0.7, 0.2), share = c(0.75, 0.75, 0.25, 0.25)
  ))
  expect_identical(topic_title(terms), "topic1 (75 %)")
  expect_identical(topic_terms(phi, c(3, 1), 1:2, 99)$rank, rep(1:3, 2))
  few <- topics_figure(phi, c(3, 1), 2)
  expect_identical(few$data$weight, terms$weight)
  expect_identical(levels(few$data$topic), c("topic1 (75 %)", "topic2 (25 %)"))
  many <- phi[rep(1:2, 30), ]
  rownames(many) <- paste0("topic", 1:60)
  figure <- topics_figure(many, rep(1, 60), 3)
  expect_identical(figure$labels$title, "The 12 largest of 60 topics")
  expect_identical(nlevels(figure$data$topic), 12L)
  expect_identical(format_share(c(0.004, 0.126)), c("< 1 %", "13 %"))
})

test_that("actors are sorted by their main community", {
  theta <- rbind(c(1, 3), c(5, 1), c(2, 2), c(0, 9))
  expect_identical(main_component(theta), c(2L, 1L, 1L, 2L))
  expect_identical(by_component(theta), c(2L, 3L, 4L, 1L))
  map <- weights_map(theta, "theta", by_component(theta), "actors")
  expect_identical(map$values, theta[c(2, 3, 4, 1), ])
  expect_identical(map$rows$text, c("2", "3", "4", "1")) # numbers of actors without names
})

test_that("factors are shown as shares in the order of the data, and only the largest if there are many", {
  factors <- list(theta1 = cbind(c(1, 3), c(2, 2)), theta2 = cbind(61:1, 1:61))
  maps <- modes_maps(factors)
  titles <- vapply(modes_maps(factors, c("", "when")), `[[`, "", "title")
  expect_identical(titles, c("theta1", "theta2 (when): the 30 largest of 61"))
  expect_within(maps[[1]]$values, cbind(c(0.25, 0.75), c(0.5, 0.5)) / 0.75, TOL_EXACT)
  expect_identical(maps[[2]]$rows$text, as.character(c(1:15, 47:61)))
  expect_within(maps[[2]]$values, factors$theta2[c(1:15, 47:61), ] / 61, TOL_EXACT)
})
