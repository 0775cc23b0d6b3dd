# How long Ctrl-C takes to get through what takes longest between two places where R looks for it: large
# tables with strong noise and overdispersed counts, and long vectors of the distributions. A signal is
# sent after a second; "seconds" are those from then on (bar: 2).
source("bench/common.R")

interrupt_in <- function(seconds) {
  system(sprintf("(sleep %g; kill -INT %d) &", seconds, Sys.getpid()))
}

# What comes after an interrupt, such as a fit of the draws so far, counts as well.
show_seconds <- function(name, code) {
  start <- proc.time()[["elapsed"]]
  interrupt_in(1)
  how <- tryCatch({
    withCallingHandlers(code, ldpcounts_interrupted = function(w) rlang::interrupt())
    "ended before"
  }, interrupt = function(condition) "interrupted")
  cat(sprintf("%-36s %-12s %6.2f s\n", name, how, proc.time()[["elapsed"]] - start - 1))
  Sys.sleep(max(0, start + 1.3 - proc.time()[["elapsed"]]))
}

set.seed(1)
some <- function(n, dim) privatize(array(rpois(n, 2), dim), epsilon = 0.01, rng = "R")
text <- some(4e6, c(2000, 2000))
network <- some(1e6, c(1000, 1000))
tensor <- some(2e6, c(100, 200, 100))
fit <- function(model, data, ...) model(data, ..., family = "nbinom1", iter = 100, progress = FALSE)

show_seconds("topic_model(), 2000 x 2000, k = 50", fit(topic_model, text, 50))
show_seconds("the same by CAVI", fit(topic_model, text, 50, inference = "cavi"))
show_seconds("block_model(), 1000 actors, k = 20", fit(block_model, network, 20))
show_seconds("tensor_model(), 2e6 cells, k = 20", fit(tensor_model, tensor, 20))
show_seconds("rtruecount(), overdispersed", rtruecount(5e7, 100, 10, 0.999, dispersion = 3))
show_seconds("dprivnbinom(), far out", dprivnbinom(rep(1e8, 1e6), 1e8, 0.99, 1e3))
show_seconds("qprivpois(), a mean of 1e8", qprivpois(runif(1e6), 1e8, 0.9))
show_seconds("privatize(), 5e7 counts", privatize(matrix(seq_len(5e7), 5000), epsilon = 0.5))
