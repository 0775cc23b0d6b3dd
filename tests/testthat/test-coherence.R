# Which documents hold which words: tax and budget in two, tax and goal in none, and so on.
documents <- rbind(c(2, 1, 0, 0), c(1, 3, 0, 1), c(0, 0, 2, 1), c(0, 1, 1, 2))
colnames(documents) <- c("tax", "budget", "goal", "match")
topics <- rbind(money = c(5, 4, 2, 1), sports = c(1, 2, 4, 5))
colnames(topics) <- colnames(documents)

test_that("values agree with those worked out by hand", {
  # tax in 2 documents, budget in 3, goal in 2, match in 3 of 4
  tax_budget <- log((2 / 4) / (2 / 4 * 3 / 4)) / -log(2 / 4)
  budget_goal <- log((1 / 4) / (3 / 4 * 2 / 4)) / -log(1 / 4)
  match_goal <- log((2 / 4) / (3 / 4 * 2 / 4)) / -log(2 / 4)
  match_budget <- log((2 / 4) / (3 / 4 * 3 / 4)) / -log(2 / 4)
  expect_within(npmi(topics, documents, n = 2), c(tax_budget, match_goal), TOL_EXACT)
  expect_within(
    npmi(topics, documents, n = 3),
    c((tax_budget - 1 + budget_goal) / 3, (match_goal + match_budget + budget_goal) / 3), TOL_EXACT
  )
  # each time the word of the larger weight is below
  expect_within(coherence(topics, documents, n = 2), log(c(3 / 2, 3 / 3)), TOL_EXACT)
  expect_within(
    coherence(topics, documents, n = 3),
    c(log(3 / 2) + log(1 / 2) + log(2 / 3), log(3 / 3) + log(3 / 3) + log(2 / 2)), TOL_EXACT
  )
  expect_named(npmi(topics, documents), c("money", "sports"))
  expect_named(coherence(unname(topics), documents), c("topic1", "topic2"))
})

test_that("the smallest and largest values are reached", {
  reference <- cbind(c(1, 1, 0, 0), c(5, 1, 0, 0), c(0, 0, 2, 2), c(1, 1, 1, 1), c(3, 1, 1, 2))
  pair <- function(i, j) replace(numeric(5), c(i, j), c(2, 1))
  x <- rbind(pair(1, 2), pair(1, 3), pair(4, 5), pair(1, 4))
  expect_within(npmi(x, reference, n = 2), c(1, -1, 1, 0), TOL_EXACT)
  # three words of two documents each: the bound n (n - 1)/2 log 2 is that of one document
  one <- matrix(1, 1, 3)
  expect_within(coherence(rbind(3:1), one, n = 3), 3 * log(2), TOL_EXACT)
})

test_that("independent words have no mutual information", {
  reference <- as.matrix(expand.grid(0:1, 0:1, 0:1))
  expect_within(npmi(rbind(3:1), unname(reference), n = 3), 0, TOL_EXACT)
})

test_that("words are matched by name, and words missing from the reference never raise a score", {
  shuffled <- documents[, c(3, 1, 4, 2)]
  expect_identical(npmi(topics, shuffled, n = 3), npmi(topics, documents, n = 3))
  expect_identical(coherence(topics, shuffled, n = 3), coherence(topics, documents, n = 3))
  expect_identical(npmi(topics, unname(documents)), npmi(topics, documents))
  known <- documents[, c("budget", "goal", "match")] # money: tax, budget, goal
  budget_goal <- log((1 / 4) / (3 / 4 * 2 / 4)) / -log(1 / 4)
  expect_within(npmi(topics, known, n = 3)[["money"]], (-1 - 1 + budget_goal) / 3, TOL_EXACT)
  expect_within(coherence(topics, known, n = 3)[["money"]], 2 * log(1 / 4) + log(2 / 3), TOL_EXACT)
  # a column of zeros is a word that is not known
  none <- documents
  none[, "tax"] <- 0
  expect_identical(npmi(topics, none, n = 3), npmi(topics, known, n = 3))
  expect_identical(coherence(topics, none, n = 3), coherence(topics, known, n = 3))
})

test_that("all kinds of counts can be the reference, and sparse ones stay sparse", {
  sparse <- Matrix::Matrix(documents, sparse = TRUE)
  frame <- as.data.frame(documents)
  integers <- documents
  storage.mode(integers) <- "integer"
  for (reference in list(sparse, integers, Matrix::Matrix(documents, sparse = FALSE), frame)) {
    expect_identical(npmi(topics, reference, n = 3), npmi(topics, documents, n = 3))
    expect_identical(coherence(topics, reference, n = 3), coherence(topics, documents, n = 3))
  }
  stored <- sparse
  stored[1, 3] <- 7
  stored@x[stored@x == 7] <- 0 # a zero that is stored is no word
  expect_identical(npmi(topics, stored, n = 3), npmi(topics, documents, n = 3))
  # 1e12 cells: dense they would take 8 TB
  large <- Matrix::sparseMatrix(
    i = c(1, 2, 1e6, 1, 2), j = c(1, 1, 1, 1e6, 1e6), x = 1, dims = c(1e6, 1e6)
  )
  x <- rbind(replace(numeric(1e6), c(1, 1e6), 2:1))
  expect_within(npmi(x, large, n = 2), log((2e-6) / (3e-6 * 2e-6)) / -log(2e-6), TOL_EXACT)
  expect_within(coherence(x, large, n = 2), log(3 / 3), TOL_EXACT)
})

test_that("fits are accepted in place of topics", {
  set.seed(1)
  y <- matrix(rpois(60, 2), 10, dimnames = list(NULL, letters[1:6]))
  fit <- paper_topics(y, 2, iter = 20)
  expect_identical(npmi(fit, y, n = 3), npmi(coef(fit)$phi, y, n = 3))
  expect_identical(coherence(fit, y[, 6:1], n = 3), coherence(coef(fit)$phi, y, n = 3))
  expect_named(npmi(fit, y), c("topic1", "topic2"))
})

test_that("invalid topics and references throw errors", {
  expect_error(npmi(), "\"x\" is missing")
  expect_error(npmi(topics), "\"reference\" is missing")
  expect_refused(coherence("a", documents), "`x` must be a fit of topic_model(), or a matrix")
  expect_refused(npmi(-topics, documents), "`x` must be", "not negative")
  expect_refused(npmi(rbind(topics, 0), documents), "each topic must have a positive weight")
  expect_refused(npmi(topics[, 1, drop = FALSE], documents), "at least two words")
  expect_refused(npmi(topics, documents, n = 1), "`n`", "from 2 to")
  expect_refused(npmi(topics, -documents), "`reference` must hold counts", "negative")
  expect_refused(npmi(topics, replace(documents, 2, NA)), "no missing counts")
  expect_refused(npmi(topics, private_counts(documents, alpha = 0.3)), "`reference`", "is a release")
  expect_refused(npmi(topics, unname(documents[, 1:3])), "same words", "4 and 3 columns")
  twice <- cbind(documents, tax = 1)
  expect_refused(npmi(topics, twice), "different names")
  # one word for two would be found together with itself
  expect_refused(npmi(topics[, c(1, 1, 2)], documents), "`x` must not have duplicated words")
  expect_refused(npmi(topics, `colnames<-`(documents, LETTERS[1:4])), "words in common")
})
