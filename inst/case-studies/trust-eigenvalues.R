# What decides whether spectral LDA survives its noise: the smallest of the k eigenvalues of M2 that it
# needs, beside the largest of the noise. Answers figure 3 of DeCarolis et al. (2020): singular values of M2
# against alpha0 and k.
#
# `data` "drawn": 10,000 documents of 10 words and 50 to 150 tokens, k topics as in trust-errors.R, and a
# symmetric Dirichlet distribution with parameters that sum to alpha0. "poliblog": the corpus of the package,
# for which alpha0 is an assumption. `value` is the k-th eigenvalue of M2 without noise (NA if that is not
# positive), `scaled` the same times alpha0 (alpha0 + 1), the moment as the paper's code has it. `noise` is
# sigma sqrt(2 V), what the largest eigenvalue of the noise is about, at `epsilon` in config 1.

settings <- list(
  seed = 8000, N = 1e4, V = 10, from = 50, to = 150, shape = 0.3, epsilon = 1, delta = 1e-6
)

alpha0s <- c(0.1, 0.3, 1, 3, 10)
units <- rbind(
  expand.grid(data = "drawn", k = 2:8, alpha0 = alpha0s, repetition = 1:5, stringsAsFactors = FALSE),
  expand.grid(data = "poliblog", k = 10, alpha0 = alpha0s, repetition = 1, stringsAsFactors = FALSE)
)
attr(units, "out.attrs") <- NULL

dirichlet <- function(n, alpha) {
  weights <- matrix(rgamma(n * length(alpha), rep(alpha, each = n)), n)
  weights / rowSums(weights)
}

draw_corpus <- function(unit, settings) {
  topics <- dirichlet(unit$k, rep(settings$shape, settings$V))
  shares <- dirichlet(settings$N, rep(unit$alpha0 / unit$k, unit$k)) %*% topics
  length <- floor(runif(settings$N, settings$from, settings$to + 1))
  t(vapply(
    seq_len(settings$N), function(n) rmultinom(1, length[n], shares[n, ])[, 1], integer(settings$V)
  ))
}

run_unit <- function(unit, settings) {
  y <- if (unit$data == "drawn") draw_corpus(unit, settings) else poliblog
  # of the drawn corpora the k-th alone, of the other all
  values <- tryCatch(
    dp_lda_spectral(y, unit$k, unit$alpha0, Inf)$s,
    ldpcounts_argument_error = function(too_few) rep(NA_real_, unit$k)
  )
  which <- if (unit$data == "drawn") unit$k else seq_len(unit$k)
  spent <- dp_lda_spectral(
    y, unit$k, unit$alpha0, settings$epsilon, settings$delta, config = "1", rng = "R"
  )$ledger
  data.frame(
    which = which, value = signif(values[which], 5),
    scaled = signif(values[which] * unit$alpha0 * (unit$alpha0 + 1), 5),
    noise = signif(spent$sigma[1] * sqrt(2 * ncol(y)), 5)
  )
}
