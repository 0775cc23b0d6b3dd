random_topics <- function(k, V = 8) {
  phi <- matrix(rgamma(k * V, 0.3), k)
  phi / rowSums(phi)
}

test_that("align_topics() recovers a known order", {
  set.seed(671)
  target <- random_topics(5)
  order <- c(3, 1, 5, 2, 4)
  expect_identical(align_topics(target[order, ], target), target)
  # scale does not matter, and stays
  scaled <- target * c(1, 10, 0.1, 3, 7)
  expect_identical(align_topics(scaled[order, ], target), scaled)
  labelled <- `rownames<-`(target[order, ], letters[1:5])
  expect_identical(rownames(align_topics(labelled, target)), letters[order(order)])
})

test_that("the order of topics maximises the sum of affinities", {
  set.seed(672)
  orders <- as.matrix(expand.grid(1:4, 1:4, 1:4, 1:4))
  orders <- orders[apply(orders, 1, anyDuplicated) == 0, ]
  for (problem in 1:10) {
    phi <- random_topics(4)
    target <- random_topics(4)
    total <- apply(orders, 1, function(order) sum(sqrt(phi[order, ] * target)))
    expect_identical(align_topics(phi, target), phi[orders[which.max(total), ], ])
  }
})

test_that("the numbers of topics may differ", {
  set.seed(673)
  target <- random_topics(3)
  more <- rbind(spare = random_topics(1)[1, ], c = target[3, ], a = target[1, ], b = target[2, ])
  more <- more[c(1, 2, 3, 4), ]
  expect_identical(align_topics(more, target), more[c("a", "b", "c", "spare"), ])
  fewer <- unname(target[c(3, 1), ])
  aligned <- align_topics(fewer, target)
  expect_identical(aligned[c(1, 3), ], target[c(1, 3), ])
  expect_true(all(is.na(aligned[2, ])))
})

test_that("words are matched by name where both have them", {
  set.seed(674)
  target <- `colnames<-`(random_topics(3, 4), letters[1:4])
  phi <- target[c(2, 3, 1), 4:1]
  expect_identical(align_topics(phi, target), target[, 4:1])
  expect_identical(align_topics(unname(target[c(2, 3, 1), ]), target), unname(target))
  expect_refused(align_topics(phi, `colnames<-`(target, LETTERS[1:4])), "Their column names differ")
  expect_refused(align_topics(phi, target[, 1:3]), "same words", "4 and 3")
  expect_error(align_topics(phi), "\"target\" is missing")
  # a name that comes twice says not which column is meant, unless they stand alike
  twice <- `colnames<-`(target, c("a", "b", "b", "c"))
  expect_identical(align_topics(twice[3:1, ], twice), twice)
  expect_refused(align_topics(twice[, 4:1], twice), "duplicated words")
  expect_refused(align_topics(phi, -target), "`target` must be", "not negative")
})

test_that("fits are accepted in place of topics", {
  set.seed(675)
  truth <- simulate_topics()
  fit <- paper_topics(truth$y, 3, iter = 200)
  aligned <- align_topics(fit, truth$phi)
  expect_identical(aligned, coef(fit)$phi[rownames(aligned), ])
  expect_identical(apply(aligned, 1, which.max) > c(0, 5, 10), c(topic1 = TRUE, topic2 = TRUE, topic3 = TRUE)[
    rownames(aligned)])
  expect_lt(mae(aligned, truth$phi), 0.01)
})
