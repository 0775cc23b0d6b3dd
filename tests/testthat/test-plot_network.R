test_that("discs on a ring do not overlap", {
  for (radii in list(1, c(1, 1), c(9, 1), c(5, 5, 5), c(20, 1, 1, 2), rep(1, 50), c(30, rep(1, 49)))) {
    discs <- place_discs(radii)
    apart <- as.matrix(stats::dist(discs[c("x", "y")])) - outer(radii, radii, `+`)
    expect_gte(min(apart[upper.tri(apart)], 1), -1e-6)
    expect_lt(diff(range(sqrt(discs$x^2 + discs$y^2))), 1e-9) # one ring
  }
  expect_identical(place_discs(3), data.frame(x = 0, y = 0, radius = 3))
  expect_within(unlist(place_discs(c(1, 1), gap = 1)[c("x", "y")]), c(-1, 1, 0, 0), 1e-6)
})

test_that("nodes do not overlap, and the strongest is at the centre of its community", {
  set.seed(104)
  nodes <- data.frame(
    actor = as.character(1:200), community = sample(c(1, 2, 5), 200, TRUE), strength = rgamma(200, 1)
  )
  placed <- place_nodes(nodes)
  apart <- as.matrix(stats::dist(placed[c("x", "y")])) - outer(placed$radius, placed$radius, `+`)
  expect_gt(min(apart[upper.tri(apart)]), 0)
  for (community in c(1, 2, 5)) {
    members <- placed[placed$community == community, ]
    centre <- members[which.max(members$strength), ]
    distance <- sqrt((members$x - centre$x)^2 + (members$y - centre$y)^2)
    expect_identical(order(distance), order(-members$strength))
  }
})

test_that("lines show the largest means, and end at nodes", {
  mu <- rbind(c(NA, 5, 1), c(4, NA, 2), c(9, 3, NA))
  expect_identical(largest_edges(mu, 2, TRUE), data.frame(from = c(1L, 3L), to = c(2L, 1L), mu = c(5, 9)))
  expect_identical(largest_edges(mu, 99, FALSE)$mu, c(1, 2, 5))
  expect_identical(nrow(largest_edges(mu, 0, TRUE)), 0L)
  nodes <- data.frame(x = c(0, 10), y = 0, radius = c(1, 2))
  line <- function(arrows) {
    drawn <- place_edges(data.frame(from = 2L, to = 1L, mu = 4), nodes, arrows)
    unlist(drawn[c("x", "y", "xend", "yend", "width")], use.names = FALSE)
  }
  expect_identical(line(TRUE), c(10, 0, 1, 0, 1))
  expect_identical(line(FALSE), c(10, 0, 0, 0, 1))
})

test_that("labels have room above, below and beside communities", {
  nodes <- data.frame(x = c(-3, 3), y = 0, radius = 1)
  text <- c(paste(letters[1:6], collapse = "\n"), "community 1")
  labels <- data.frame(x = c(0, 4), y = c(4, 0), text = text, hjust = c(0.5, 0), vjust = c(0, 0.5))
  limits <- network_limits(nodes, labels)
  inches <- 2.8 # of a low panel; a line of the text has 3 mm, and 0.9 times that from one to the next
  expect_gt(limits$y[2] - 4, 6 * 0.9 * 3 / 25.4 / inches * diff(limits$y))
  expect_gt(limits$x[2] - 4, 11 * 1.2 / 100 * diff(limits$x)) # a letter has 1.2 mm, a panel 100
  expect_identical(c(limits$x[1], limits$y[1]), c(-4, -1))
})

test_that("a network is prepared with its names and its largest counts", {
  set.seed(105)
  labels <- c("ann", "ben", "cleo", "dan", "eve", "fay")
  y <- matrix(rpois(36, 1), 6, dimnames = list(labels, labels))
  y[1:3, 1:3] <- y[1:3, 1:3] + 20
  diag(y) <- 0
  fit <- paper_blocks(y, 2, iter = 60)
  mu <- fitted(fit)
  figure <- network_shapes(fit, 2, 3)
  expect_identical(figure$nodes$actor, labels)
  expect_equal(figure$nodes$strength, unname(rowSums(mu, na.rm = TRUE) + colSums(mu, na.rm = TRUE)))
  expect_identical(rev(figure$edges$mu), sort(mu, decreasing = TRUE)[1:3])
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
