# What vignette("paper") says of topics side by side, on the stored numbers.

study <- stored_study("topics-words")
mean_of <- function(column) {
  tapply(study$results[[column]], study$results[c("epsilon", "method")], mean)
}

test_that("every analysis has topics, and their words are in the corpus", {
  expect_equal(nrow(study$results), 3 * study$settings$k * nrow(study$units))
  words <- strsplit(study$results$words, " ")
  expect_true(all(lengths(words) == study$settings$n))
  expect_true(all(unlist(words) %in% colnames(poliblog)))
})

test_that("the non-private topics are the same at both levels, and equal to their partners", {
  plain <- study$results[study$results$method == "non-private", ]
  expect_identical(plain$words[plain$epsilon == 1], plain$words[plain$epsilon == 3])
  expect_true(all(plain$affinity == 1))
})

test_that("private topics are more similar to non-private ones than naive topics, and have a higher NPMI", {
  affinity <- mean_of("affinity")
  npmi <- mean_of("npmi")
  expect_true(all(affinity[, "private"] > affinity[, "naive"]))
  expect_true(all(npmi[, "private"] > npmi[, "naive"]))
  expect_lt(npmi["1", "naive"], 0.56 * npmi["1", "non-private"])
  expect_gt(npmi["1", "private"], 0.8 * npmi["1", "non-private"])
})

test_that("this holds for nearly every topic at epsilon 1, and for most at 3", {
  private_is_more <- function(column, epsilon) {
    of <- function(method) {
      study$results[[column]][study$results$method == method & study$results$epsilon == epsilon]
    }
    sum(of("private") > of("naive"))
  }
  expect_identical(private_is_more("affinity", 1), 10L)
  expect_identical(private_is_more("npmi", 1), 9L)
  expect_identical(private_is_more("affinity", 3), 6L)
  expect_identical(private_is_more("npmi", 3), 7L)
})

test_that("the words named as rare are in the rarer half, and only in naive topics", {
  rare <- c("commission", "town", "rhetoric", "percentage")
  used <- colSums(as.matrix(poliblog))
  expect_true(all(used[rare] < median(used)))
  top <- function(method) {
    here <- study$results$method == method & study$results$epsilon == 1
    unlist(strsplit(study$results$words[here], " "))
  }
  expect_true(all(rare %in% top("naive")))
  expect_false(any(rare %in% c(top("private"), top("non-private"))))
})
