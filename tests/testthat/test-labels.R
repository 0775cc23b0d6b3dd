# Names of components, memberships and pairs.

model_mean <- function(fit, factors) ldpcounts:::model_of(fit)$mean(factors)

# The labels at the axes of a map; see new_axis().
axis_texts <- function(map) {
  sides <- ggplot2::ggplot_build(map)$layout$panel_params[[1]][c("x", "y")]
  unlist(lapply(sides, function(side) stats::na.omit(side$get_labels())))
}

labelled_fit <- function() {
  set.seed(791)
  y <- simulate_topics(D = 40, V = 20, k = 3, words = 60)$y
  dimnames(y) <- list(paste0("d", 1:40), paste0("w", 1:20))
  topic_model(y, k = 3, iter = 200, chains = 2, progress = FALSE)
}

test_that("names of components are used by all tables, and follow their components", {
  fit <- labelled_fit()
  names <- c("red", "green", "blue")
  named <- label_components(fit, names)
  expect_identical(colnames(top_terms(named)), names)
  expect_identical(colnames(coef(named)$theta), names)
  expect_identical(unique(tidy(named)$topic), names)
  expect_identical(colnames(predict(named, fitted(fit)[1:2, ] * 0 + 1, type = "factors")), names)
  expect_output(print(summary(named)), "green \\(")
  # further draws may change the order of components, but not which words a name stands for
  longer <- update(named, iter = 200)
  words <- function(fit) lapply(as.list(as.data.frame(top_terms(fit, 2))), sort)[sort(names)]
  expect_identical(words(longer), words(named))
  expect_identical(words(subset(named, chains = "2")), words(named))
  other <- named
  other$labelled$names <- rev(named$labelled$names)
  other$labelled$signature <- named$labelled$signature[3:1, ]
  expect_identical(coef(other), coef(named))
  # modes and chains are ordered by their own sizes, so each name stands beside the words that it names
  agreed <- attr(modes(named), "agreement")
  expect_setequal(agreed$labels, names)
  expect_identical(attr(modes(fit), "agreement")$labels, paste0("topic", 1:3))
  expect_true(all(names %in% axis_texts(expect_picture(plot(modes(named))))))
  agreed$overlap[] <- rep(c(1, 0, 1), ncol(agreed$overlap))
  sentence <- ldpcounts:::describe_agreement(agreed)[1]
  expect_match(sentence, paste0("not stable: ", agreed$labels[2]), fixed = TRUE)
  some <- label_components(fit, c("2" = "war"))
  expect_identical(colnames(coef(some)$theta), c("topic1", "war", "topic3"))
  expect_identical(colnames(coef(label_components(named, NULL))$theta), paste0("topic", 1:3))
  for (wrong in list("a", c("a", "a", "b"), 1:3, c(a = "x"), c("1" = "topic2"), c("a", NA, "b"))) {
    expect_refused(label_components(fit, wrong), "`labels`")
  }
  expect_refused(label_components(1, names), "`fit`")
})

test_that("memberships are those of slow sums over draws", {
  fit <- labelled_fit()
  table <- tidy(fit, "membership")
  expect_identical(names(table), c("document", "topic", "share", "probability"))
  expect_identical(table$document, paste0("d", 1:40))
  draws <- ldpcounts:::leading_draws(fit)
  orders <- ldpcounts:::alignment(fit)$orders
  shares <- lapply(draws, function(s) {
    weights <- ldpcounts:::normalised_draw(fit, s)$theta[, orders[, s]]
    weights / rowSums(weights)
  })
  mean <- Reduce(`+`, shares) / length(draws)
  expect_identical(table$topic, max.col(mean, "first"))
  expect_within(table$share, apply(mean, 1, max), TOL_SERIES)
  largest <- vapply(shares, max.col, integer(40), ties.method = "first")
  expect_within(table$probability, rowMeans(largest == table$topic), TOL_SERIES)
  pairs <- tidy(fit, "pairs")
  expect_identical(nrow(pairs), 780L)
  together <- mean(largest[1, ] == largest[2, ])
  expect_within(pairs$probability[pairs$document1 == "d1" & pairs$document2 == "d2"], together, TOL_SERIES)
})

test_that("networks and tensors have memberships too, and tidy() has all modes of a tensor", {
  set.seed(792)
  network <- simulate_blocks(V = 12, k = 2, shape = 0.3, least = 60)$y
  fit <- block_model(network, 2, iter = 100, chains = 1, progress = FALSE)
  expect_identical(names(tidy(fit, "membership")), c("actor", "community", "share", "probability"))
  expect_identical(names(tidy(fit, "pairs")), c("actor1", "actor2", "probability"))
  s <- ldpcounts:::n_draws(fit)
  factors <- ldpcounts:::draw_factors(fit, s)
  # the expected counts sent to others and received from them, by the actor's own community
  i <- 3
  others <- colSums(factors$theta[-i, ])
  sent <- factors$theta[i, ] * as.vector(factors$pi %*% others)
  received <- factors$theta[i, ] * as.vector(t(factors$pi) %*% others)
  counts <- ldpcounts:::row_counts(fit, factors)
  expect_within(counts[i, ], sent + received, TOL_SERIES)
  mu <- model_mean(fit, factors)
  expect_within(rowSums(counts), rowSums(mu, na.rm = TRUE) + colSums(mu, na.rm = TRUE), TOL_SERIES)
  named <- label_components(fit, c("north", "south"))
  expect_match(network_shapes(named, 2, 5)$labels$text[1], "^north|^south")
  y <- simulate_tensor(dims = c(5, 4, 3), k = 2)$y
  dimnames(y) <- list(sender = letters[1:5], receiver = LETTERS[1:4], month = month.abb[1:3])
  fit <- tensor_model(y, 2, iter = 100, chains = 1, progress = FALSE)
  all <- tidy(fit)
  expect_identical(names(all), c("mode", "index", "component", "weight"))
  expect_identical(nrow(all), 24L)
  expect_identical(all$weight[all$mode == "month"], tidy(fit, "month")$theta3)
  expect_output(print(summary(fit)), "sender: .*receiver: .*month: ")
  by_month <- augment(fit, by = 3)
  expect_identical(as.character(by_month$group), month.abb[1:3])
  expect_identical(by_month$cells, rep(20L, 3))
  expect_equal(by_month$mean, as.vector(apply(y, 3, sum))) # true counts are known
  expect_identical(augment(fit, by = "month")$group, by_month$group)
  expect_identical(nrow(augment(fit, by = rep(c("x", "y"), c(2, 3)), items = "all")), 2L)
})

test_that("means of too many cells are refused before any work", {
  y <- Matrix::sparseMatrix(i = 1:10, j = 1:10, x = 3, dims = c(1e5, 1e5))
  fit <- topic_model(y, k = 1, iter = 4, chains = 1, family = "poisson", progress = FALSE)
  for (call in list(quote(fitted(fit)), quote(predict(fit)))) {
    expect_error(eval(call), class = "ldpcounts_memory_error")
    expect_match(error_text(eval(call)), "fitted(fit, cells = )", fixed = TRUE)
  }
  expect_length(fitted(fit, cells = cbind(1:3, 1:3)), 3)
  expect_error(tidy(fit, "pairs"), class = "ldpcounts_memory_error")
  expect_match(error_text(tidy(fit, "pairs")), "tidy(fit, \"membership\")", fixed = TRUE)
})
