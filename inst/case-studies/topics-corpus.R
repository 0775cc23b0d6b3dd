# Private, naive and non-private topics of a real corpus, at three privacy levels. Answers the
# figures of the paper on text: mean absolute error, and the quality of topics, NPMI and coherence.
# Ours are the Poisson divergence, the log density of held-out counts, the zero and the mean
# predictor, and the family of overdispersed counts.
#
# The corpus is `poliblog`, 773 documents by 1290 words. compare_methods() does it all; its help says
# what `metric` can be. A repetition has its own held-out cells (a tenth of all) and its own
# releases, which the two families share. Finished repetitions stay when more are asked for.

settings <- list(seed = 3000, k = 10, epsilon = c(3, 2, 1), iter = 1000)

units <- expand.grid(
  family = c("poisson", "nbinom1"), repetition = 1:5,
  stringsAsFactors = FALSE, KEEP.OUT.ATTRS = FALSE
)

run_unit <- function(unit, settings) {
  compared <- compare_methods(poliblog, settings$k, settings$epsilon,
    family = unit$family, prior = gamma_prior(0.1, 1), iter = settings$iter, chains = 1, init = "random",
    repetitions = 1, progress = FALSE
  )
  data.frame(
    method = as.character(compared$method), epsilon = compared$epsilon,
    metric = as.character(compared$metric), value = signif(compared$value, 5)
  )
}
