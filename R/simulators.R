#' Counts with a known truth
#'
#' Data made by the models themselves: `simulate_topics()` documents of well separated topics,
#' `simulate_blocks()` a network of communities, `simulate_tensor()` an array of counts of several modes.
#' [privatize()] noises them.
#'
#' @details
#' `simulate_topics()`: each topic has words of its own, about `V / k` of them, side by side, to which it
#' gives the share `separation` of its probability, evenly, and the rest to all others, evenly. A document
#' has `words` words in the mean, divided among the topics by a symmetric Dirichlet law of parameter
#' `shape`: `mu[d, v] = sum_k theta[d, k] phi[k, v]`. Each document chooses its noise: `alpha` has a beta
#' law of mean `alpha_mean` and shapes that add up to `alpha_size` (the smaller, the more documents
#' differ), to be given to `privatize(alpha = )`.
#'
#' `simulate_blocks()`: all weights of `theta` and `pi` are gamma draws of this `shape` and `rate`, and
#' `mu[i, j] = sum_cd theta[i, c] pi[c, d] theta[j, d]`. With a `shape` of 0.01 and a `rate` of 0.5 nearly
#' all weights are nearly zero, and so is, in nearly all draws, the whole network: half of them have less than
#' 1e-4 messages in the mean. So the weights are drawn until `sum(mu)` is `least`, or more: of those
#' settings once in some thousand draws, and what comes then is a network of a few busy pairs. `least = 0`
#' takes the first draw. A larger `shape`, such as 0.2, makes communities that one can see.
#'
#' `simulate_tensor()`: all weights are gamma draws of this `shape` and `rate`, and `mu[i, j, ..., l] =
#' sum_k theta1[i, k] theta2[j, k] ... thetaM[l, k]`, which has the mean `k (shape / rate)^M`.
#'
#' Counts are Poisson given `mu`, or, with a `dispersion` above 1, negative binomial of variance
#' `dispersion * mu`, the family `"nbinom1"` of the models.
#' @param ... Must be empty: all arguments are named.
#' @param D,V How many documents, and words; in a network, how many actors.
#' @param k How many topics, communities or components.
#' @param separation The share of a topic's probability on its own words, from 0 to 1.
#' @param words The mean number of words in a document.
#' @param shape,rate Parameters of the laws above; positive.
#' @param alpha_mean,alpha_size The law of the noise levels of documents: a mean between 0 and 1, and a
#'   positive number.
#' @param least The least mean number of messages in all, `sum(mu)` (of pairs, each taken once).
#' @param directed `FALSE` for counts of pairs: `pi`, `mu` and `y` are symmetric.
#' @param dims The extents of the modes, two to twelve of them.
#' @param dispersion Variance of a count over its mean, at least 1.
#' @return A list, whose sizes `print()` shows, of `y`, the true counts; `mu`, their means, of the same
#'   shape; and the truth behind these:
#'   `theta` (documents x k, a row sums to `words`), `phi` (k x words, a row sums to 1) and `alpha` (one
#'   number a document) of topics; `theta` (actors x k) and `pi` (k x k) of a network, whose diagonal is
#'   zero in `y`, and `NA` in `mu` since it is no data; `theta1`, `theta2` and so on (extent x k) of a tensor.
#' @section Reproducible: All draws come from R's generator: `set.seed()`.
#' @section Errors: of class `ldpcounts_error` for arguments out of range, and where 50,000 draws of the
#'   weights give no network with `least` messages.
#' @references Schein et al. (2019): in section 5.2 communities of `V` = 20 actors, `k` = 5, shape 0.01, rate
#'   0.5; also topics of `D` = 90 documents, `k` = 3, `V` = 15, each document with a noise level from a beta
#'   law. Where it gives no number the defaults are ours, and so is `least`.
#' @seealso [resimulate()] for data like those of a fit; [simulate()][simulate.ldp_fit] for replicates of a
#'   release; [align_topics()], [mae()] and [poisson_kl()] to compare with the truth.
#' @examples
#' set.seed(1)
#' documents <- simulate_topics()
#' released <- privatize(documents$y, alpha = documents$alpha)
#' fit <- topic_model(released, k = 3, iter = 200)
#' mae(fitted(fit), documents$mu)
#' # a network of the paper's weights, and one with communities that one can see
#' sum(simulate_blocks()$y)
#' network <- simulate_blocks(V = 30, k = 3, shape = 0.2)
#' heat_map(network$y)
#' dim(simulate_tensor(dims = c(10, 10, 5, 4))$y)
#' @name simulate_topics
NULL

#' @rdname simulate_topics
#' @export
simulate_topics <- function(..., D = 90, V = 15, k = 3, separation = 0.9, words = 100, shape = 0.1,
                            alpha_mean = 0.5, alpha_size = 10, dispersion = 1) {
  check_no_dots(...)
  D <- check_whole(D, "D", 1)
  V <- check_whole(V, "V", 1)
  k <- check_whole(k, "k", 1, V)
  separation <- check_share(separation, "separation")
  words <- check_positive(words, "words")
  shape <- check_positive(shape, "shape")
  alpha_mean <- check_share(alpha_mean, "alpha_mean", open = TRUE)
  alpha_size <- check_positive(alpha_size, "alpha_size")
  dispersion <- check_dispersion(dispersion)
  factors <- list(theta = words * dirichlet_rows(D, k, shape), phi = separated_topics(k, V, separation))
  alpha <- stats::rbeta(D, alpha_mean * alpha_size, (1 - alpha_mean) * alpha_size)
  new_simulation(c(counts_around(topics_model$mean(factors), dispersion), factors, list(alpha = alpha)))
}

#' @rdname simulate_topics
#' @export
simulate_blocks <- function(..., V = 20, k = 5, shape = 0.01, rate = 0.5, least = V, directed = TRUE,
                            dispersion = 1) {
  check_no_dots(...)
  V <- check_whole(V, "V", 2)
  k <- check_whole(k, "k", 1, 10000)
  shape <- check_positive(shape, "shape")
  rate <- check_positive(rate, "rate")
  if (!is_number(least) || least < 0) {
    abort_argument(least, "least", "one number of at least 0", rlang::current_env())
  }
  directed <- check_flag(directed, "directed")
  dispersion <- check_dispersion(dispersion)
  model <- if (directed) blocks_model else undirected_model
  for (draw in seq_len(MOST_DRAWS)) {
    factors <- gamma_factors(model, c(V, V), k, shape, rate)
    total <- sum(model$row_totals(factors))
    if (!is.finite(total)) {
      abort_argument(rate, "rate", "so large that means are finite", rlang::current_env())
    }
    if (total >= least) {
      return(new_simulation(c(network_around(model, factors, dispersion), factors)))
    }
  }
  ldp_abort(c(
    "{.arg least} must be a number of messages that networks of such weights have.",
    x = "None of {format_number(MOST_DRAWS)} has {format(least)} in the mean.",
    i = "A larger {.arg shape}, or a smaller {.arg rate}, makes them busier."
  ), class = "ldpcounts_argument_error")
}

MOST_DRAWS <- 5e4

#' @rdname simulate_topics
#' @export
simulate_tensor <- function(..., dims = c(20, 20, 10), k = 3, shape = 0.3, rate = 0.5, dispersion = 1) {
  check_no_dots(...)
  call <- rlang::current_env()
  whole <- is.numeric(dims) && length(dims) > 1 && all(is.finite(dims) & is_whole(dims) & dims >= 1)
  if (!whole) {
    abort_argument(dims, "dims", "two or more whole numbers of at least 1, the extents of the modes", call)
  }
  check_extents(dims, "dims", call)
  k <- check_whole(k, "k", 1, 10000)
  shape <- check_positive(shape, "shape")
  rate <- check_positive(rate, "rate")
  dispersion <- check_dispersion(dispersion)
  model <- tensor_of(length(dims))
  factors <- gamma_factors(model, dims, k, shape, rate)
  new_simulation(c(counts_around(model$mean(factors), dispersion), factors))
}

#' New data like those of a fit
#'
#' Semi-synthetic data: the factors that a fit has found in real data, every weight of them multiplied by a
#' random number, and counts drawn anew. So the structure is that of real data, and the truth is known.
#'
#' @details
#' The factors are those of [coef()][coef.ldp_fit], the aligned and normalised posterior means. Every weight
#' is multiplied by an independent gamma draw of mean 1 and variance `1 / shape`, `mu` is multiplied by
#' `scale`, and the factors are normalised as those of `coef()` are. As multipliers are independent the mean
#' of the new `mu` is `scale` times the old one, of `fitted()` about; the smaller `shape` is, the more the new
#' truth differs from the fit, and the sparser it is. `scale` says how much there is in all: with 0.1 noise
#' of the same level hides ten times as much.
#'
#' Of a release, a fit and all that is computed from it tell nothing that the release does not: new data
#' spend no privacy. Of true counts they may.
#' @param fit A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param ... Must be empty: all further arguments are named.
#' @param shape Of the multipliers: a number of at least 0.1, or `Inf` for factors as they are.
#' @param scale Positive.
#' @param dispersion Variance of a count over its mean, at least 1. By default that of the fit, for each row
#'   its own where the fit has it so; 1 in the family `"poisson"`.
#' @return A list of `y`, the counts, `mu`, their means, and the factors, with the names that `coef(fit)`
#'   has, and its labels; the diagonal of a network is zero in `y`, and `NA` in `mu`.
#' @section Reproducible: All draws come from R's generator: `set.seed()`.
#' @section Errors: of class `ldpcounts_error` for anything but a fit, and for arguments out of range.
#' @references Schein, A., Wu, Z. S., Zhou, M. and Wallach, H. (2018). Locally private Bayesian inference
#'   for count models. arXiv 1803.08471, version 1, for the idea. That each weight has its own multiplier
#'   of mean 1 is ours.
#' @seealso [simulate_topics()] for data without a fit.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 100)
#' new <- resimulate(fit, shape = 5)
#' sum(new$y) / sum(poliblog[1:60, 1:80])
#' # do the topics come back through the noise?
#' again <- topic_model(privatize(new$y, epsilon = 2), k = 3, iter = 100)
#' poisson_kl(again, new$mu)
#' @export
resimulate <- function(fit, ..., shape = 10, scale = 1, dispersion = NULL) {
  check_no_dots(...)
  call <- rlang::current_env()
  if (!inherits(fit, "ldp_fit")) {
    abort_argument(fit, "fit", "a fit of topic_model(), block_model() or tensor_model()", call)
  }
  if (!identical(shape, Inf) && !(is_number(shape) && shape >= 0.1)) {
    abort_argument(shape, "shape", "one number of at least 0.1, or Inf", call)
  }
  scale <- check_positive(scale, "scale")
  found <- coef(fit)
  dispersion <- if (is.null(dispersion)) {
    if (is.null(found$dispersion)) 1 else unname(found$dispersion)
  } else {
    check_dispersion(dispersion)
  }
  model <- model_of(fit)
  last <- model$factors[length(model$factors)]
  factors <- multiply_weights(found[model$factors], model$symmetric, shape)
  factors[[last]] <- scale * factors[[last]]
  factors <- Map(`dimnames<-`, model$normalise(factors), factor_dimnames(fit))
  made <- if (model$network == "none") {
    counts_around(model$mean(factors), dispersion)
  } else {
    network_around(model, factors, dispersion)
  }
  labels <- data_dimnames(fit)
  new_simulation(c(lapply(made, function(x) `dimnames<-`(x, labels)), factors))
}

new_simulation <- function(parts) structure(parts, class = "simulated_counts")

#' @export
print.simulated_counts <- function(x, ...) {
  if (!all(c("y", "mu") %in% names(x))) { # a part of the list, or what became of it
    print(unclass(x))
    return(invisible(x))
  }
  size <- function(part) paste(if (is.null(dim(part))) length(part) else dim(part), collapse = " x ")
  truth <- names(x) != "y"
  cat_wrapped(paste0(
    "Simulated counts, ", size(x$y), ", with a sum of ", format_number(sum(x$y)), ": $y, for privatize()."
  ))
  cat_wrapped(paste0("The truth behind them: ", paste0(
    "$", names(x)[truth], " (", vapply(unclass(x)[truth], size, ""), ")", collapse = ", "
  ), "."))
  invisible(x)
}

# --- weights --------------------------------------------------------------------------------------

gamma_factors <- function(model, dim, k, shape, rate) {
  shapes <- model$factor_dim(dim, k)
  factors <- lapply(shapes, function(shape_of_factor) {
    array(stats::rgamma(prod(shape_of_factor), shape, rate), shape_of_factor)
  })
  factors[model$symmetric] <- lapply(factors[model$symmetric], upper_twice)
  factors
}

multiply_weights <- function(factors, symmetric, shape) {
  if (is.infinite(shape)) {
    return(factors)
  }
  for (name in names(factors)) {
    by <- factors[[name]]
    by[] <- stats::rgamma(length(by), shape, shape)
    factors[[name]] <- factors[[name]] * if (name %in% symmetric) upper_twice(by) else by
  }
  factors
}

# A square matrix with what is above its diagonal below it too.
upper_twice <- function(x) {
  below <- lower.tri(x)
  x[below] <- t(x)[below]
  x
}

# Rows that sum to 1. Draws of a small shape underflow, their logarithms do not: a gamma draw is one of
# shape + 1, times the 1/shape-th power of a uniform one.
dirichlet_rows <- function(n, k, shape) {
  logs <- log(stats::rgamma(n * k, shape + 1)) + log(stats::runif(n * k)) / shape
  logs <- matrix(logs, n)
  weights <- exp(logs - apply(logs, 1, max))
  weights / rowSums(weights)
}

# Each topic has about as many words of its own. With one topic all words are.
separated_topics <- function(k, V, separation) {
  own <- outer(seq_len(k), ceiling(seq_len(V) * k / V), `==`)
  if (k == 1) {
    return(own / V)
  }
  others <- !own
  separation * own / rowSums(own) + (1 - separation) * others / rowSums(others)
}

# --- counts ---------------------------------------------------------------------------------------

# list(y, mu): counts with these means, NA where there is none. `dispersion`: one number, or one per row.
counts_around <- function(mu, dispersion) {
  excess <- rep_len(dispersion - 1, length(mu))
  y <- mu
  known <- !is.na(mu)
  y[known] <- replicate_counts(mu[known], excess[known])
  if (max(y, na.rm = TRUE) <= .Machine$integer.max) storage.mode(y) <- "integer"
  list(y = y, mu = mu)
}

# The same of a network: no messages of actors to themselves, and those of pairs once.
network_around <- function(model, factors, dispersion) {
  made <- counts_around(model$mean(factors), dispersion)
  diag(made$y) <- 0L
  if (model$network == "undirected") made$y <- upper_twice(made$y)
  made
}

check_share <- function(x, arg, open = FALSE, call = rlang::caller_env()) {
  inside <- is_number(x) && if (open) x > 0 && x < 1 else x >= 0 && x <= 1
  if (!inside) {
    abort_argument(x, arg, if (open) "one number between 0 and 1" else "one number from 0 to 1", call)
  }
  as.double(x)
}

check_dispersion <- function(x, call = rlang::caller_env()) {
  if (!is_number(x) || x < 1) {
    abort_argument(x, "dispersion", "one number of at least 1", call)
  }
  as.double(x)
}
