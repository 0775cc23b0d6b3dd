# Local and central privacy on a real corpus, where no topics are known: the log probability of held-out
# documents, and the coherence of topics. The corpus is `poliblog`, 773 documents by 1290 words, which is
# small for central methods. compare_privacy() does it all; its help says what `metric` can be.
#
# `precision` is that of the local release: 1, or twice the length of the longest document, with which a
# local epsilon too is for a whole document. A unit of "central" methods is without it. Variational inference
# has ten passes, and a small clip: settings that were found to be good for it on this corpus.

settings <- list(
  seed = 9000, k = 10, alpha0 = 1, epsilon = c(1, 10, 100), iter = 400,
  variational = list(iter = 10, clip = 3)
)

units <- data.frame(
  privacy = rep(c("central", "local", "local"), c(3, 3, 1)), precision = rep(c(1, 1932), c(6, 1)),
  repetition = c(1:3, 1:3, 1)
)

run_unit <- function(unit, settings) {
  compared <- compare_privacy(poliblog, settings$k, settings$epsilon,
    methods = if (unit$privacy == "local") "local" else c("spectral", "variational"),
    alpha0 = settings$alpha0, precision = unit$precision, repetitions = 1,
    local = list(
      family = "poisson", prior = gamma_prior(0.1, 1), iter = settings$iter, chains = 1, init = "random"
    ), variational = settings$variational, progress = FALSE
  )
  data.frame(
    method = as.character(compared$method), epsilon = compared$epsilon,
    metric = as.character(compared$metric), value = signif(compared$value, 5)
  )
}
