# How far topics are from the true ones under local and under central privacy, against epsilon. Answers
# figure 2 of DeCarolis et al. (2020), on the settings of its generator (10,000 documents, 10 words, 3 topics,
# 100,000 to 200,000 tokens a document), and on documents of ordinary length.
#
# Topics are Dirichlet with all parameters 0.3, documents Dirichlet with parameters `alpha`; a length is
# uniform between `from` and `to`. Methods: "spectral 1" and "spectral 2" are the configurations of
# dp_lda_spectral(); "variational" is dp_lda_vi(); "local" is topic_model() of a release with precision 1,
# "local document" of one whose epsilon is for whole documents (precision twice `to`). Without noise epsilon is Inf.
#
# `l1` is the sum over words of absolute differences, in the mean over topics, after align_topics(): from 0
# to 2. "uniform" is no method, but what topics with all words alike come to.

settings <- list(
  seed = 7000, alpha = c(0.6, 0.3, 0.1), shape = 0.3, delta = 1e-6, epsilon = c(0.1, 0.3, 1, 3, 10),
  local_epsilon = c(0.1, 1, 10), passes = 20, iter = 200
)

corpora <- data.frame(N = 1e4, V = 10, from = c(1e5, 50), to = c(2e5, 150))
central <- c("spectral 1", "spectral 2", "variational")
local <- c("local", "local document")
units <- merge(corpora, data.frame(method = c("uniform", central, local)))
units <- merge(units, data.frame(repetition = 1:5))
# what takes its time is done less often
most <- ifelse(units$method %in% local, 2, ifelse(units$method == "variational", 3, 5))
units <- units[units$repetition <= most, ]
units <- units[order(units$from, units$method, units$repetition), ]
rownames(units) <- NULL

dirichlet <- function(n, alpha) {
  weights <- matrix(rgamma(n * length(alpha), rep(alpha, each = n)), n)
  weights / rowSums(weights)
}

# The topics first: corpora of a repetition have the same.
draw_corpus <- function(unit, settings) {
  topics <- dirichlet(length(settings$alpha), rep(settings$shape, unit$V))
  shares <- dirichlet(unit$N, settings$alpha) %*% topics
  length <- floor(runif(unit$N, unit$from, unit$to + 1))
  list(
    topics = topics,
    y = t(vapply(seq_len(unit$N), function(n) rmultinom(1, length[n], shares[n, ])[, 1], integer(unit$V)))
  )
}

# Topics in rows.
estimate <- function(y, unit, epsilon, settings) {
  k <- length(settings$alpha)
  delta <- if (epsilon < Inf) settings$delta else 0
  number <- substring(unit$method, nchar(unit$method))
  switch(sub(" [0-9]", "", unit$method),
    spectral = t(dp_lda_spectral(y, k, sum(settings$alpha), epsilon, delta, config = number, rng = "R")$mu),
    variational = t(dp_lda_vi(
      y, k, settings$alpha, settings$shape, epsilon, delta,
      lmax = unit$to, clip = sqrt(unit$to) / 5, iter = settings$passes, rng = "R"
    )$mu),
    local = local_topics(noised(y, epsilon, 1), k, settings),
    "local document" = local_topics(noised(y, epsilon, 2 * unit$to), k, settings)
  )
}

noised <- function(y, epsilon, precision) {
  if (epsilon == Inf) y else privatize(y, epsilon = epsilon, precision = precision, rng = "R")
}

# What is the same by another name is left out, and what is below the grid of privatize().
levels_of <- function(unit, settings) {
  local <- startsWith(unit$method, "local")
  levels <- c(if (local) settings$local_epsilon else settings$epsilon, Inf)
  if (unit$method == "uniform") levels <- Inf
  if (unit$method == "local document") levels <- levels[levels < Inf & levels / (2 * unit$to) > 2e-6]
  if (unit$method == "spectral 2") levels <- levels[levels < Inf]
  levels
}

run_unit <- function(unit, settings) {
  corpus <- draw_corpus(unit, settings)
  l1 <- vapply(levels_of(unit, settings), function(epsilon) {
    topics <- if (unit$method == "uniform") {
      matrix(1 / unit$V, length(settings$alpha), unit$V)
    } else {
      estimate(corpus$y, unit, epsilon, settings)
    }
    mean(rowSums(abs(unname(align_topics(unname(topics), corpus$topics)) - corpus$topics)))
  }, 0)
  data.frame(epsilon = levels_of(unit, settings), l1 = signif(l1, 4))
}

local_topics <- function(data, k, settings) {
  coef(topic_model(data, k,
    family = "poisson", prior = gamma_prior(0.1, 1), iter = settings$iter, chains = 1, init = "random"
  ))$phi
}
