# The topics of a real corpus side by side: their top words in private, naive and non-private analyses
# of one release. Answers the topics that the paper shows side by side.
#
# The non-private fit comes first, so it is the same at both privacy levels. Private and naive topics
# are put in its order, that of the number of words that a topic has, and `affinity` says how like
# their partners they are: sum sqrt(p q) of the two word distributions, 1 where these are equal.
# `words` are the words of the largest weights, `npmi` how well they go together in the true corpus.

settings <- list(seed = 5000, k = 10, iter = 300, n = 8)

units <- expand.grid(
  repetition = 1, epsilon = c(1, 3), family = "nbinom1",
  stringsAsFactors = FALSE, KEEP.OUT.ATTRS = FALSE
)

run_unit <- function(unit, settings) {
  topics <- function(data, noise = "model") {
    fit <- topic_model(data, settings$k,
      family = unit$family, prior = gamma_prior(0.1, 1), noise = noise, iter = settings$iter, chains = 1,
      init = "random"
    )
    parts <- coef(fit)
    parts$phi[order(-colSums(parts$theta)), ]
  }
  reference <- topics(poliblog)
  released <- privatize(poliblog, unit$epsilon, rng = "R")
  rbind(
    describe("non-private", reference, reference, settings$n),
    describe("private", topics(released), reference, settings$n),
    describe("naive", topics(released, "ignore"), reference, settings$n)
  )
}

describe <- function(method, phi, reference, n) {
  phi <- align_topics(phi, reference)
  words <- apply(phi, 1, function(weights) {
    paste(colnames(phi)[order(-weights)[seq_len(n)]], collapse = " ")
  })
  data.frame(
    method, topic = seq_len(nrow(phi)), words = unname(words),
    npmi = signif(unname(npmi(phi, poliblog)), 4),
    affinity = signif(unname(rowSums(sqrt(phi * reference))), 4)
  )
}
