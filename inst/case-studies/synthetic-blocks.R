# How near private and naive analyses come to the means of a network of communities that is known,
# because it was simulated. Answers the paper's figure of block structure, which shows one network,
# its private and its naive estimates at three noise levels; here are many networks, and two kinds.
#
# "paper" has the paper's gamma law for all weights, whose networks are a few busy pairs (see
# ?simulate_blocks); "visible" has a shape that makes communities one can see. `shape` is that of the
# gamma law. A unit is a network and compare_methods() of it, with nothing held out: `mae` and
# `poisson_kl` are those from the true means.

settings <- list(
  seed = 4000, V = 20, k = 5, shape = c(paper = 0.01, visible = 0.2), rate = 0.5,
  epsilon = c(3, 1, 0.5), iter = 1000
)

units <- expand.grid(repetition = 1:20, network = names(settings$shape), stringsAsFactors = FALSE)

simulate_network <- function(network, settings) {
  simulate_blocks(V = settings$V, k = settings$k, shape = settings$shape[[network]], rate = settings$rate)
}

run_unit <- function(unit, settings) {
  truth <- simulate_network(unit$network, settings)
  scores <- compare_methods(truth$y, settings$k, settings$epsilon,
    model = "block", iter = settings$iter, repetitions = 1, cells = matrix(0L, 0, 2), mu = truth$mu
  )
  data.frame(
    method = as.character(scores$method), epsilon = scores$epsilon,
    metric = as.character(scores$metric), value = signif(scores$value, 4)
  )
}
