# Every entry into C once, on small data: for valgrind and gctorture (tools/memcheck.sh). An
# argument "torture" collects garbage at every 100th allocation (at every one it would take hours).
library(ldpcounts)

torture <- identical(commandArgs(TRUE), "torture")
tortured <- function(code) {
  if (torture) {
    gctorture2(100)
    on.exit(gctorture2(0))
  }
  invisible(suppressMessages(suppressWarnings(force(code))))
}

set.seed(1)
y <- matrix(rpois(30, 2), 6, dimnames = list(letters[1:6], NULL))
sparse <- Matrix::Matrix(y, sparse = TRUE)
square <- matrix(rpois(36, 1), 6)

tortured(for (rng in c("secure", "R")) {
  privatize(y, 1, rng = rng)
  privatize(sparse, 1:6, rng = rng, clamp = TRUE)
  privatize(privatize(y + 2^31 - 100, 2, rng = rng), 1, rng = rng, compose = TRUE)
})
x <- privatize(y, c(1, 2, 1, 2, 1, 2), rng = "R")
is.na(x) <- cbind(2, 3)
network <- privatize(square, 1, rng = "R", clamp = TRUE)

tortured({
  for (law in list(
    list("twogeom", 0.4), list("skellam", 2, 3), list("bessel", 1, 4), list("privpois", 2, 0.4),
    list("privnbinom", 2, 3, 0.4)
  )) {
    of <- function(prefix, ...) do.call(paste0(prefix, law[[1]]), c(list(...), law[-1]))
    of("d", 0:9)
    of("p", 0:9, log.p = TRUE)
    of("q", 1:9 / 10)
    of("r", 20)
  }
  rbessel(200, 1, 4)
  dtruecount(0:9, 3, 2, 0.4)
  ptruecount(0:9, 3, 2, 0.4)
  qtruecount(1:9 / 10, 3, 2, 0.4)
  rtruecount(30, -2:7, 2, 0.4)
  dtruecount(0:9, 3, 2, 0.4, 5)
  rtruecount(30, -2:7, 2, 0.4, 5)
  truecount_mean(0:9, 2, 0.4)
  truecount_var(0:9, 2, 0.4)
  log_bessel_i(1:9, 2)
  bessel_i_ratio(1:9, 2)
})

random <- gamma_prior(0.5, gamma_prior(2, 2))
for (scheme in c("collapsed", "bessel")) {
  tortured(fit <- topic_model(x, 2, iter = 4, chains = 2, scheme = scheme, prior = random))
  tortured(update(fit, iter = 2))
  tortured(block_model(network, 2, iter = 4, scheme = scheme))
}
for (by in c("all", "row")) {
  tortured(fit <- topic_model(x, 2, family = "nbinom1", dispersion_by = by, iter = 4, prior = random))
  tortured(update(fit, iter = 2))
  tortured(block_model(network, 2, family = "nbinom1", dispersion_by = by, iter = 4))
}
tortured(topic_model(x, 2, family = "nbinom1", dispersion = 3, iter = 3))
tortured(augment(fit))
tortured(predict(fit, x))
pairs <- privatize(square + t(square), 1, rng = "R", directed = FALSE)
tensor <- privatize(array(rpois(60, 1), c(5, 4, 3)), 1, rng = "R")
is.na(tensor) <- cbind(2, 3, 1)
for (inference in c("gibbs", "cavi")) {
  for (scheme in c("collapsed", "bessel", if (inference == "cavi") "delta")) {
    again <- function(model, ...) {
      tortured(model(..., inference = inference, scheme = scheme, iter = 3, init = start))
    }
    start <- if (inference == "cavi") "random"
    again(topic_model, x, 2)
    again(block_model, network, 2)
    again(block_model, pairs, 2, directed = FALSE)
    again(tensor_model, tensor, 2)
  }
}
tortured(topic_model(x, 2, family = "nbinom1", inference = "cavi", init = "random", iter = 3))
tortured(tensor_model(tensor, 2, family = "nbinom1", inference = "cavi", init = "random", iter = 3))
tortured(topic_model(sparse, 7, iter = 3))
tortured(topic_model(x, 2, iter = 3, noise = "ignore"))
cat("memcheck: all called", if (torture) "under gctorture", "\n")
