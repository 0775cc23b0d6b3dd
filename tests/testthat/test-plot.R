fit_types <- function(fit) {
  types <- eval(formals(plot.ldp_fit)$type)
  if (!is_network(fit)) types <- setdiff(types, c("blocks", "network"))
  if (is_cavi(fit)) setdiff(types, "rank") else types
}

drawn_network <- function(...) {
  set.seed(102)
  y <- matrix(rpois(81, 2), 9)
  diag(y) <- 0
  paper_blocks(private_counts(y, epsilon = 1), 3, iter = 20, ...)
}

test_that("every type is drawn of every fit, and leaves graphics as they were", {
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
    drawn_network(), drawn_network(family = "nbinom1", dispersion_by = "row"),
    paper_blocks(pairs, 1, iter = 4, directed = FALSE), paper_tensor(array(1:24, 2:4), 2, iter = 4)
  )
  for (fit in fits) {
    for (type in fit_types(fit)) {
      expect_silent(value <- draw_plot(plot(fit, type = type)))
      expect_identical(value, fit)
    }
  }
})

test_that("ggplots are made of the same", {
  skip_if_not_installed("ggplot2", "3.4.0")
  set.seed(103)
  x <- private_counts(matrix(0:11, 3), epsilon = 1)
  expect_drawn <- function(fit, types) {
    for (type in types) {
      expect_silent(picture <- draw_plot(ggplot2::autoplot(fit, type = type)))
      expect_s3_class(picture, "ggplot")
    }
  }
  network <- drawn_network(chains = 2)
  expect_drawn(network, fit_types(network))
  expect_drawn(paper_topics(x, 2, iter = 3, warmup = 2), c("components", "trace")) # a single draw
  expect_drawn(quietly(paper_topics(x, 13, iter = 4)), "components")
  expect_drawn(paper_topics(x, 2, inference = "cavi", iter = 2), c("trace", "density"))
  expect_drawn(paper_tensor(array(1:24, 2:4), 2, iter = 4), "components")
})

test_that("a key has all of its entries, inside the figure", {
  keys <- list(method_styles(METHODS)$label, method_styles(PRIVACY_METHODS)$label, paste("chain", 1:12))
  for (labels in keys) {
    key <- data.frame(label = labels, col = "black", lty = 1, pch = 1)
    for (width in c(5, 7, 12)) {
      grDevices::pdf(NULL, width, 5)
      graphics::par(cex = PANEL_SIZE)
      drawn <- draw_key(key, key_columns(labels))
      grDevices::dev.off()
      expect_length(drawn$text$x, length(labels))
      expect_gt(drawn$rect$left, 0)
      expect_lt(drawn$rect$left + drawn$rect$w, 1)
    }
  }
})

test_that("what can't be drawn is refused", {
  fit <- paper_topics(private_counts(matrix(0:3, 2), epsilon = 1), 1, iter = 2)
  expect_refused(plot(fit, type = "pie"), "`type`", "\"trace\"")
  expect_refused(plot(fit, type = "network"), "type = \"network\"", "block_model()")
  expect_refused(plot(fit, n = 0), "`n`")
  expect_refused(plot(fit, edges = -1), "`edges`")
  expect_refused(plot(fit, 3), "`type`")
  expect_refused(plot(fit, "trace", edge = 3), "`edge`", "`edges`")
  expect_refused(
    plot(paper_topics(matrix(0:3, 2), 1, inference = "cavi", iter = 1), type = "rank"), "has none"
  )
  masked <- paper_topics(private_counts(matrix(NA_real_, 2, 2), epsilon = 1), 1, iter = 2)
  expect_refused(plot(masked, type = "predictive"), "All cells are masked")
  expect_silent(draw_plot(plot(masked)))
  skip_if_not_installed("ggplot2", "3.4.0")
  expect_refused(ggplot2::autoplot(fit, type = "blocks"), "type = \"blocks\"")
  expect_refused(ggplot2::autoplot(fit, m = 3), "no argument `m`")
})

test_that("topics are their largest words, as bars or as lists", {
  phi <- rbind(topic1 = c(a = 0.5, b = 0.2, c = 0.3), topic2 = c(0.1, 0.2, 0.7))
  figure <- topics_figure(phi, c(3, 1), 2)
  expect_identical(figure$kind, "bars")
  expect_identical(figure$terms, data.frame(
    topic = factor(c("topic1", "topic1", "topic2", "topic2")), rank = c(1L, 2L, 1L, 2L),
    term = c("a", "c", "c", "b"), weight = c(0.5, 0.3, 0.7, 0.2), share = c(0.75, 0.75, 0.25, 0.25)
  ))
  expect_identical(topic_title(figure$terms), "topic1 (75 %)")
  expect_identical(topics_figure(phi, c(3, 1), 99)$terms$rank, rep(1:3, 2))
  many <- phi[rep(1:2, 30), ]
  rownames(many) <- paste0("topic", 1:60)
  figure <- topics_figure(many, rep(1, 60), 3)
  expect_identical(figure$kind, "lists")
  expect_identical(figure$title, "The 50 largest of 60 topics")
  lists <- topic_lists(figure$terms)
  expect_identical(dim(lists), c(50L, 6L))
  expect_identical(lists$words[1:2], c("a, c, b", "c, b, a"))
  expect_identical(as.character(lists$topic[50]), "topic50")
  expect_identical(format_share(c(0.004, 0.126)), c("< 1 %", "13 %"))
})

test_that("actors stand with their main community", {
  theta <- rbind(c(1, 3), c(5, 1), c(2, 2), c(0, 9))
  expect_identical(main_component(theta), c(2L, 1L, 1L, 2L))
  expect_identical(by_component(theta), c(2L, 3L, 4L, 1L))
  map <- weights_map(theta, "theta", by_component(theta), "actors")
  expect_identical(map$values, theta[c(2, 3, 4, 1), ])
  expect_identical(map$rows$text, c("2", "3", "4", "1")) # numbers of actors without names
  fit <- drawn_network()
  map <- blocks_map(fit)
  theta <- coef(fit)$theta
  order <- by_component(theta)
  expect_identical(map$values, unname(fitted(fit)[order, order]))
  main <- main_component(theta)[order]
  expect_identical(map$borders, which(diff(main) > 0))
  expect_identical(map$rows$text, as.character(unique(main)))
  expect_identical(far_apart(c(1, 2, 5, 6, 9), 3), c(1, 3, 5))
})

test_that("modes are shares in the order of the data, each on its own scale, and of long ones the largest", {
  factors <- list(theta1 = cbind(c(1, 3), c(2, 2)), theta2 = cbind(61:1, 1:61))
  maps <- modes_maps(factors)
  titles <- vapply(modes_maps(factors, c("", "when")), `[[`, "", "title")
  expect_identical(titles, c("theta1", "theta2 (when): the 30 largest of 61"))
  expect_identical(maps[[1]]$values, cbind(c(0.25, 0.75), c(0.5, 0.5)))
  expect_identical(maps[[2]]$rows$text, as.character(c(1:15, 47:61)))
  expect_within(maps[[2]]$values, factors$theta2[c(1:15, 47:61), ] / 1891, TOL_EXACT)
  expect_identical(maps[[1]]$limit, 0.75)
  expect_within(maps[[2]]$limit, 61 / 1891, TOL_EXACT)
})
