# Where the truth itself finds the planted k of 4 (within one), so does the release, in eight of ten
# simulations at least; about two minutes.
test_that("a private analysis finds the number of components that a non-private one finds", {
  extended_only()
  found <- function(of) all(abs(of$best - 4) <= 1)
  private <- NULL
  for (seed in 1:15) {
    chosen <- choose_planted(seed, loo_cells = 0, naive = FALSE)
    if (found(chosen[chosen$analysis == "non-private", ])) {
      private <- c(private, found(chosen[chosen$analysis == "private", ]))
    }
    if (length(private) == 10) break
  }
  expect_length(private, 10)
  expect_gte(sum(private), 8)
})
