# explain_privacy(): the bound on the probability of a right guess, against the best guess that there is,
# computed from the distribution of the noise; and what is printed.

TOLERANCE <- 1e-12

# The largest probability of guessing right which of two records, both equally likely, was released: each
# outcome is attributed to the record under which it is more likely.
best_guess <- function(first, second, alpha, range = 60) {
  outcomes <- as.matrix(expand.grid(rep(list(-range:range), length(first))))
  density <- function(record) {
    Reduce(`*`, lapply(seq_along(record), function(j) dtwogeom(outcomes[, j] - record[j], alpha)))
  }
  sum(pmax(density(first), density(second))) / 2
}

test_that("no guess is right more often than is said, and for one count the bound is reached", {
  for (epsilon in c(0.3, 1, 2.5)) {
    for (precision in c(1, 3)) {
      alpha <- geometric_alpha(epsilon, precision)
      odds <- explain_privacy(epsilon, precision)$numbers
      expect_equal(odds$right[1], best_guess(0, 1, alpha, 400), tolerance = TOLERANCE)
      expect_equal(odds$right[1], 1 / (1 + alpha), tolerance = TOLERANCE)
      for (i in which(odds$distance > 1)) {
        d <- odds$distance[i]
        found <- c(best_guess(0, d, alpha, 400), best_guess(c(0, 0), c(1, d - 1), alpha, 120))
        expect_true(all(found <= odds$right[i] + TOLERANCE))
        expect_gt(max(found), odds$right[i] - 0.1) # the bound is not vacuous
      }
    }
  }
})

test_that("the numbers follow from the loss, and are rounded up", {
  x <- explain_privacy(c(1, 2), precision = c(1, 4))
  numbers <- x$numbers
  expect_identical(numbers$distance, c(1, 10, 1, 4, 40))
  expect_equal(numbers$loss, c(1, 10, 0.5, 2, 20), tolerance = TOLERANCE)
  expect_equal(numbers$right, exp(numbers$loss) / (1 + exp(numbers$loss)), tolerance = TOLERANCE)
  expect_equal(numbers$factor, exp(numbers$loss), tolerance = TOLERANCE)
  expect_identical(numbers$right_of_100, c(74, 100, 63, 89, 100))
  expect_true(all(numbers$right_of_100 >= 100 * numbers$right))
  expect_identical(explain_privacy(log(3))$numbers$right_of_100[1], 75)
  # below one count, the loss of one count is above epsilon; far away it is not finite, but the odds are
  expect_identical(explain_privacy(1, 0.5)$numbers$loss[1], 2)
  expect_identical(explain_privacy(1000)$numbers$right, c(1, 1))
  expect_identical(explain_privacy(1, 2.5)$numbers$distance, c(1, 2, 20))
})

test_that("the text has the numbers, and no placeholder is left", {
  text_of <- function(x) paste(unlist(x$sentences), collapse = " ")
  text <- text_of(explain_privacy(1, 3, example = "whether you met a friend {or} not"))
  for (part in c("guess whether you met a friend {or} not.", "at most 59 of 100 guesses", "at most 74 of 100",
    "differ by 30 counts", "up to 100 of 100", "at most 1.4 times")) {
    expect_match(text, part, fixed = TRUE)
  }
  expect_no_match(text_of(explain_privacy(c(0.1, 900))), "[{}]|Inf")
})

test_that("each level is printed as text", {
  one <- capture.output(shown <- print(explain_privacy(1)))
  expect_s3_class(shown, "privacy_explanation")
  expect_match(one[1], "epsilon = 1, precision 1")
  expect_true(all(nchar(one) <= 80))
  several <- capture.output(print(explain_privacy(c(1, 2))))
  expect_identical(several[seq_along(one)], one)
  expect_true("Privacy at epsilon = 2, precision 1:" %in% several)
})

test_that("wrong arguments are errors", {
  error <- function(code, text) expect_error(code, text, class = "ldpcounts_argument_error")
  error(explain_privacy(), "must be given")
  error(explain_privacy(0), "epsilon")
  error(explain_privacy(c(1, Inf)), "epsilon")
  error(explain_privacy(1, -1), "precision")
  error(explain_privacy(c(1, 2), c(1, 2, 3)), "precision")
  error(explain_privacy(1, distance = 0.5), "no argument `distance`")
  error(explain_privacy(1, example = ""), "example")
  error(explain_privacy(1, 1, 2), "must be named")
})
