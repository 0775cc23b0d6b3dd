# How near private, naive and non-private analyses of the whole Enron network come to its counts. Answers the
# left half of the paper's figure of the Enron network (figure 4), which shows the mean absolute error of fits
# to the fully observed matrix; its right half, held-out links, is in enron-methods.R. The privacy levels and
# the two families are those of enron-methods.R.
#
# Nothing is held out, and the diagonal is no data. A unit is compare_methods() of one family and one number
# of communities. Releases of a repetition are the same for both families and all numbers of communities, and
# are those of enron-methods.R before cells are masked.

settings <- list(seed = 3000, epsilon = c(3, 1, 0.5), iter = 4000)

repetitions <- 1:3
units <- expand.grid(
  family = c("poisson", "nbinom1"), k = c(5, 10, 20), repetition = repetitions,
  KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE # else more repetitions would redo the first
)

run_unit <- function(unit, settings) {
  scores <- compare_methods(enron_network, unit$k, settings$epsilon,
    model = "block", family = unit$family, prior = gamma_prior(0.1, 1), iter = settings$iter, chains = 1,
    init = "random", repetitions = 1, cells = matrix(0L, 0, 2)
  )
  data.frame(
    method = as.character(scores$method), epsilon = scores$epsilon,
    metric = as.character(scores$metric), value = signif(scores$value, 4)
  )
}
