test_that("lines show the largest means", {
  mu <- rbind(c(NA, 5, 1), c(4, NA, 2), c(9, 3, NA))
  expect_identical(largest_edges(mu, 2, TRUE), data.frame(from = c(1L, 3L), to = c(2L, 1L), mu = c(5, 9)))
  expect_identical(largest_edges(mu, 99, FALSE)$mu, c(1, 2, 5))
  expect_identical(nrow(largest_edges(mu, 0, TRUE)), 0L)
})

test_that("a network is prepared with its names and its largest counts, in a circle by community", {
  set.seed(105)
  labels <- c("ann", "ben", "cleo", "dan", "eve", "fay")
  y <- matrix(rpois(36, 1), 6, dimnames = list(labels, labels))
  y[1:3, 1:3] <- y[1:3, 1:3] + 20
  diag(y) <- 0
  fit <- paper_blocks(y, 2, iter = 60)
  mu <- fitted(fit)
  figure <- network_shapes(fit, 2, 3)
  nodes <- figure$nodes
  expect_identical(nodes$actor, labels)
  expect_equal(nodes$strength, unname(rowSums(mu, na.rm = TRUE) + colSums(mu, na.rm = TRUE)))
  expect_within(nodes$x^2 + nodes$y^2, 1, TOL_EXACT)
  round <- order((atan2(nodes$x, nodes$y) + 2 * pi) %% (2 * pi)) # clockwise from the top
  expect_identical(round, order(nodes$community, -nodes$strength))
  expect_gt(min(stats::dist(nodes[c("x", "y")])), 0.3)
  expect_identical(rev(figure$edges$mu), sort(mu, decreasing = TRUE)[1:3])
  expect_identical(figure$edges$x, nodes$x[figure$edges$from])
  expect_identical(figure$edges$yend, nodes$y[figure$edges$to])
  subtitle <- gsub("\n", " ", network_figure(fit, 2, 3)$labels$subtitle)
  expect_match(subtitle, "6 actors; 3 lines between the pairs with the largest means, of all and of each community")
  text <- strsplit(figure$labels$text[1], "\n")[[1]]
  first <- figure$labels$community[1]
  expect_identical(text[1], paste0("community", first))
  expect_identical(text[-1], labels[order(-coef(fit)$theta[, first])][1:2])
  expect_match(network_figure(fit, 2, 0)$labels$subtitle, "6 actors; 0 lines")
  labels[2] <- NA # of a graph some of whose vertices have no name
  labelled <- `dimnames<-`(y, list(labels, labels))
  unknown <- network_shapes(paper_blocks(labelled, 2, iter = 4), n = 3, edges = 4)
  expect_identical(unknown$nodes$actor, labels)
  for (edges in c(0, 1)) expect_picture(plot(fit, type = "network", edges = edges))
})

test_that("a community of few counts has lines as well, and the plot fills its page", {
  mu <- matrix(0.1, 6, 6)
  mu[1:4, 1:4] <- 50
  mu[5, 6] <- 1
  diag(mu) <- NA
  drawn <- largest_edges(mu, 4, TRUE, c(1, 1, 1, 1, 2, 2))
  expect_identical(drawn$mu, c(1, 50, 50, 50))
  expect_identical(unlist(drawn[1, c("from", "to")], use.names = FALSE), 5:6)
  set.seed(106)
  fit <- paper_blocks(`diag<-`(matrix(rpois(36, 1), 6), 0), 2, iter = 4)
  expect_null(network_figure(fit, 2, 4)$coordinates$ratio)
})
