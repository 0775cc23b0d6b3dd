# How near private, naive and non-private analyses of a network come to the messages that they have
# seen, noised, and to those that they have not. Answers the right half of the paper's figure of the Enron
# network (figure 4), held-out links, for three privacy levels and three numbers of communities; and adds a
# family of overdispersed counts, and scores that the paper does not show. The left half, reconstruction of
# the whole matrix, is in enron-reconstruction.R.
#
# What is held out is, as in the paper, all that involves one of the 50 most active senders or
# recipients ("active"), half of the network; and, with ten communities, a tenth of all cells
# ("random"). A unit is compare_methods() of one family and one number of communities: a release at
# each level, a private and a naive fit to each, and a fit to the true counts. Releases of a
# repetition, and the cells of its random tenth, are the same for both families and all numbers of
# communities.
#
# Metrics are those of compare_methods(); `mae` and `poisson_kl` are of the cells that are not held
# out. The true counts are the truth.

settings <- list(seed = 3000, epsilon = c(3, 1, 0.5), most_active = 50, iter = 4000)

repetitions <- 1:5
some_units <- function(held_out, k) {
  expand.grid(
    family = c("poisson", "nbinom1"), k = k, repetition = repetitions, held_out = held_out,
    KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE # else more repetitions would redo the first
  )
}
units <- rbind(some_units("active", c(5, 10, 20)), some_units("random", 10))

run_unit <- function(unit, settings) {
  active <- holdout_cells(enron_network, type = "active", n = settings$most_active)
  scores <- compare_methods(enron_network, unit$k, settings$epsilon,
    model = "block", family = unit$family, prior = gamma_prior(0.1, 1), iter = settings$iter, chains = 1,
    init = "random", repetitions = 1,
    cells = if (unit$held_out == "active") active$cells # by default, a tenth
  )
  data.frame(
    method = as.character(scores$method), epsilon = scores$epsilon,
    metric = as.character(scores$metric), value = signif(scores$value, 4)
  )
}
