# Totals of true counts, against the noise that the mechanism adds.

# The distribution of a sum of n two-sided geometric variables, by its characteristic function.
exact_tail <- function(t, n, alpha, size = 2^14) {
  omega <- 2 * pi * (seq_len(size) - 1) / size
  cf <- exp(Reduce(`+`, Map(function(n, a) n * (2 * log1p(-a) - log(1 - 2 * a * cos(omega) + a^2)), n, alpha)))
  pmf <- Re(stats::fft(cf)) / size # at 0, 1, .., and negative values from the end
  vapply(t, function(t) sum(pmf[seq(t, size / 2) + 1]), 0)
}

test_that("tails of sums of noise are right to 3 per cent, and near the middle to 15", {
  for (case in list(
    list(n = 1, alpha = 0.4), list(n = 1, alpha = 0.9), list(n = 7, alpha = 0.37), list(n = 400, alpha = 0.5),
    list(n = c(3, 10), alpha = c(0.2, 0.8)), list(n = 30, alpha = 0.05)
  )) {
    sd <- sqrt(sum(case$n * 2 * case$alpha / (1 - case$alpha)^2))
    t <- unique(pmax(1, round(c(0.3, 1, 2, 4, 6) * sd)))
    n <- matrix(case$n, length(t), length(case$n), byrow = TRUE)
    truth <- exact_tail(t, case$n, case$alpha)
    found <- noise_sum_tail(t, n, case$alpha)
    expect_lt(max(abs(found / truth - 1)[truth > 1e-11 & truth < 0.05]), 0.03)
    expect_lt(max(abs(found / truth - 1)[truth >= 0.05]), 0.15)
  }
  expect_equal(noise_sum_tail(c(1, 30), cbind(c(1, 0), c(0, 1)), c(0.2, 0.9)), c(0.2 / 1.2, 0.9^30 / 1.9), tolerance = 1e-14)
})
