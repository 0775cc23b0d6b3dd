# What a sweep costs by different schemes of inference, and how fast each comes to the posterior mean of the
# Poisson means: seconds per sweep, and relative error against seconds, for a network and a table of word
# counts. Answers the two figures on computation in the first version of the paper (arXiv 1803.08471v1).
#
# Five schemes are those of the package. The other three, "R, ...", are written out here: the noise is drawn
# in plain R by the Bessel augmentation, and the factors given the true counts by a call of the package with
# one sweep. "draws" draws the Bessel variables; "modes" takes their modes instead; "schedule" draws the
# noise variables in every tenth sweep only. Each call has costs of its own, so the seconds of these three
# can be compared with each other only.
#
# All schemes of a repetition have the same release and the same start: the posterior means of the factors
# in a longer reference run, each times a gamma variable, so that all start near one mode. `error` is
# sum |mean mu - reference mu| / sum reference mu over some cells. The mean is that of the later half of the
# sweeps so far; for variational inference, that of the fitted distribution. `seconds` are of processor time:
# sweeps times seconds per sweep. The row "reference" has half the relative difference between the means of
# the two halves of its draws, which shows how accurate the reference is.

settings <- list(
  seed = 11000, epsilon = 1, prior = c(shape = 0.1, rate = 1), cells = 3000, start_shape = 4, every = 10,
  k = list(enron_network = 5, poliblog = 10), reference = list(enron_network = 8000, poliblog = 4000),
  shown = c(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000),
  most = list(
    enron_network = c(
      collapsed = 5000, bessel = 1000, "CAVI, collapsed" = 50, "CAVI, bessel" = 200, "CAVI, delta" = 200,
      "R, draws" = 200, "R, modes" = 200, "R, schedule" = 200
    ),
    poliblog = c(
      collapsed = 1000, bessel = 50, "CAVI, collapsed" = 100, "CAVI, bessel" = 20, "CAVI, delta" = 20,
      "R, draws" = 50, "R, modes" = 50, "R, schedule" = 100
    )
  )
)

units <- expand.grid(
  repetition = 1:2, data = c("enron_network", "poliblog"), stringsAsFactors = FALSE
)

run_unit <- function(unit, settings) {
  y <- as.matrix(get(unit$data))
  released <- privatize(y, settings$epsilon, rng = "R")
  fit <- fit_of(unit$data, settings)
  n <- settings$reference[[unit$data]]
  seconds <- processor_time(reference <- fit(released, n, init = NULL, warmup = n / 2))
  start <- lapply(coef(reference), function(factor) {
    factor * rgamma(length(factor), settings$start_shape, settings$start_shape)
  })
  cells <- which(if (unit$data == "enron_network") row(y) != col(y) else y >= 0, arr.ind = TRUE)
  cells <- cells[sort(sample.int(nrow(cells), settings$cells)), ]
  reference_mean <- fitted(reference, cells = cells)
  error <- function(mean) signif(sum(abs(mean - reference_mean)) / sum(reference_mean), 4)

  most <- settings$most[[unit$data]]
  rows <- lapply(names(most), function(scheme) {
    shown <- settings$shown[settings$shown <= most[[scheme]]]
    path <- if (startsWith(scheme, "R, ")) {
      draw_truth <- truth_sampler(sub("R, ", "", scheme), released, settings$every)
      follow_sampler(draw_truth, function(y, from) fit(y, 1, from, 0), start, shown, cells)
    } else {
      follow_fit(function(n) do.call(fit, c(list(released, n, start, 0), arguments_of(scheme))), shown, cells)
    }
    data.frame(
      scheme, sweep = shown, seconds = signif(shown * path$per_sweep, 4), error = apply(path$mean, 1, error)
    )
  })
  later <- fitted(update(reference, warmup = n * 3 / 4), cells = cells)
  do.call(rbind, c(rows, list(data.frame(scheme = "reference", sweep = n, seconds, error = error(later)))))
}

arguments_of <- function(scheme) {
  cavi <- startsWith(scheme, "CAVI, ")
  list(inference = if (cavi) "cavi" else "gibbs", scheme = sub("CAVI, ", "", scheme))
}

# The model of these data, as a function of what differs between schemes.
fit_of <- function(data, settings) {
  model <- if (data == "enron_network") block_model else topic_model
  shared <- list(
    k = settings$k[[data]], family = "poisson", prior = do.call(gamma_prior, as.list(settings$prior)),
    chains = 1, progress = FALSE
  )
  function(counts, iter, init, warmup, inference = "gibbs", ...) {
    own <- list(counts, iter = iter, init = init, inference = inference, ...)
    if (inference == "gibbs") own$warmup <- warmup
    suppressMessages(do.call(model, c(own, shared))) # that one draw is few
  }
}

processor_time <- function(code) {
  time <- system.time(code)
  time[["user.self"]] + time[["sys.self"]]
}

# A fit that goes on from one shown sweep to the next. Seconds per sweep are the slope of the seconds of a
# call on its sweeps: what a call costs at its beginning and end is left out.
follow_fit <- function(begin, shown, cells) {
  sweeps <- diff(c(0, shown))
  seconds <- numeric(length(shown))
  mean <- matrix(0, length(shown), nrow(cells))
  for (i in seq_along(shown)) {
    seconds[i] <- processor_time(
      fit <- if (i == 1) begin(shown[1]) else update(fit, iter = sweeps[i], progress = FALSE)
    )
    cavi <- identical(fit$inference, "cavi")
    stopifnot((if (cavi) fit$run$passes else fit$run$iter) == shown[i])
    mean[i, ] <- fitted(if (cavi) fit else update(fit, warmup = shown[i] %/% 2), cells = cells)
  }
  list(per_sweep = coef(lm(seconds ~ sweeps))[["sweeps"]], mean = mean)
}

# Of the sampler in plain R; `draw_factors` draws the factors given true counts, from those of a fit.
follow_sampler <- function(draw_truth, draw_factors, start, shown, cells) {
  n <- max(shown)
  draws <- matrix(0, n, nrow(cells))
  now <- start
  mu <- mean_of(start)
  seconds <- processor_time(for (s in seq_len(n)) {
    now <- draw_factors(draw_truth(mu, s), now)
    mu <- mean_of(coef(now))
    draws[s, ] <- mu[cells]
  })
  later <- function(s) colMeans(draws[seq(s %/% 2 + 1, s), , drop = FALSE])
  list(per_sweep = seconds / n, mean = t(vapply(shown, later, numeric(nrow(cells)))))
}

# The diagonal of a network is not data.
mean_of <- function(factors) {
  if (is.null(factors$pi)) {
    return(factors$theta %*% factors$phi)
  }
  mu <- factors$theta %*% tcrossprod(factors$pi, factors$theta)
  diag(mu) <- 0
  mu
}

# A function that draws true counts given mu, in sweep number `sweep`. It remembers the rates of the two parts
# of the noise, which are exponential before anything is seen. In sweeps without new noise variables it draws
# only which part of `y_plus` is the true count.
truth_sampler <- function(scheme, released, every) {
  y_tilde <- as.matrix(released)
  alpha <- privacy(released)$alpha
  n <- length(y_tilde)
  lambda1 <- lambda2 <- rep(alpha / (1 - alpha), n)
  y_plus <- NULL
  function(mu, sweep) {
    anew <- scheme != "schedule" || sweep %% every == 1
    if (anew) {
      nu <- abs(as.vector(y_tilde))
      a <- 2 * sqrt((as.vector(mu) + lambda1) * lambda2)
      m <- if (scheme == "modes") floor((sqrt(a^2 + nu^2) - nu) / 2) else rbessel(n, nu, a)
      y_plus <<- m + pmax(as.vector(y_tilde), 0)
    }
    y <- rbinom(n, y_plus, as.vector(mu) / (as.vector(mu) + lambda1))
    if (anew) {
      lambda1 <<- rgamma(n, 1 + y_plus - y, scale = alpha)
      lambda2 <<- rgamma(n, 1 + m + pmax(-as.vector(y_tilde), 0), scale = alpha)
    }
    array(y, dim(y_tilde), dimnames(y_tilde))
  }
}
