# What spectral LDA costs without noise: 40,000 documents, 5,000 words, 8 topics, about 1.4 million positive
# counts; seconds in all and of each part (each product is one step of the eigenproblem), and the most
# memory beyond that of the data. How the third moment grows with the documents, as the slope of its
# logarithm. With noise in the second moment, of 100 MB, seconds in all (config 1).
# Run in the package's root, after make install: Rscript bench/spectral.R
source("bench/common.R")

corpus <- function(N, V = 5000, k = 8, tokens = 38) {
  mu <- matrix(rgamma(V * k, 0.3), V)
  theta <- matrix(rgamma(N * k, 0.1), N)
  upto <- t(apply(theta / rowSums(theta), 1, cumsum))
  document <- rep(seq_len(N), 3 + rpois(N, tokens - 3))
  topic <- 1 + rowSums(runif(length(document)) > upto[document, -k])
  word <- integer(length(document))
  for (i in seq_len(k)) word[topic == i] <- sample.int(V, sum(topic == i), TRUE, mu[, i])
  sparseMatrix(document, word, x = 1, dims = c(N, V))
}

set.seed(1)
y <- corpus(40000)
invisible(dp_lda_spectral(y[1:2000, ], 8, 0.8, Inf)) # loads what it needs
invisible(gc())
before <- status_kb("VmRSS")
writeLines("5", "/proc/self/clear_refs") # the peak starts anew
time <- system.time(fit <- dp_lda_spectral(y, 8, 0.8, Inf))[["elapsed"]]
peak <- (status_kb("VmHWM") - before) / 1024
report("positive counts, million", length(y@x) / 1e6)
report("seconds, without noise", time, "bar: at most 4")
report("peak memory beyond the data, MB", peak, "bar: below 500")

documents <- ldpcounts:::new_documents(y)
M2 <- ldpcounts:::second_matrix(documents, 0.8)
x <- rnorm(5000)
products <- 0
counted <- list(size = 5000, times = function(v) {
  products <<- products + 1
  M2$times(v)
})
report("  documents in columns, and first moments", seconds(ldpcounts:::new_documents(y), 3))
found <- ldpcounts:::top_eigen(counted, 8)
report("  products of the eigenproblem", products)
report("  a product", seconds(M2$times(x), 5))
w <- ldpcounts:::whitening(found)
tensor <- ldpcounts:::third_seen_through(documents, w$W, 0.8)
third <- seconds(ldpcounts:::third_seen_through(documents, w$W, 0.8), 3)
report("  third moment", third)
report("  decomposition", seconds(ldpcounts:::decompose_tensor(tensor, 8), 3))

sizes <- c(10000, 20000, 40000)
times <- vapply(sizes, function(N) {
  part <- ldpcounts:::new_documents(y[seq_len(N), ])
  seconds(ldpcounts:::third_seen_through(part, w$W, 0.8), 5)
}, 0)
report("slope of log(time of the third moment) by documents", slope(sizes, times), digits = 2)

time <- system.time(
  dp_lda_spectral(y, 8, 0.8, epsilon = 1, delta = 1e-6, config = "1")
)[["elapsed"]]
report("seconds, config 1", time)
