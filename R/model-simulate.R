# Simulates data from the models, with the true factors and means.

#' Simulate counts from known factors
#'
#' Simulates data from the models of this package: `simulate_topics()` simulates documents with well
#' separated topics, `simulate_blocks()` a network with communities, and `simulate_tensor()` an array of
#' counts with several modes. Use [privatize()] to add noise to them.
#'
#' @details `simulate_topics()`: each topic has its own words, about `V / k` neighbouring columns. They
#' share the probability `separation` evenly, and all other words share the rest evenly. A document has
#' `words` words on average, and its shares of topics are drawn from a symmetric Dirichlet distribution with
#' parameter `shape`. The means are `mu[d, v] = sum_k theta[d, k] phi[k, v]`. Each document has its own noise
#' level `alpha`, to be used in `privatize(alpha = )`. It is drawn from a beta distribution with mean
#' `alpha_mean` and shape parameters that add up to `alpha_size` (the smaller this sum, the more the documents
#' differ).
#'
#' `simulate_blocks()`: all weights of `theta` and `pi` are gamma draws with this `shape` and `rate`, and
#' `mu[i, j] = sum_cd theta[i, c] pi[c, d] theta[j, d]`. With a `shape` of 0.01 and a `rate` of 0.5 nearly
#' all weights are close to zero, and most networks are empty: in half of the draws, `sum(mu)` is below
#' 1e-4. So the weights are drawn repeatedly until `sum(mu)` is at least `least`. With this shape and
#' rate it takes some thousand draws, and the result is a network with a few busy pairs. `least = 0` accepts
#' the first draw. A larger `shape`, such as 0.2, leads to visible communities.
#'
#' `simulate_tensor()`: all weights are gamma draws with this `shape` and `rate`, and `mu[i, j, ..., l] =
#' sum_k theta1[i, k] theta2[j, k] ... thetaM[l, k]`, which has the mean `k (shape / rate)^M`.
#'
#' Counts are Poisson given `mu`, or, with a `dispersion` above 1, negative binomial with variance
#' `dispersion * mu`, which is the family `"nbinom1"` of the models.
#' @param ... Must be empty: all arguments must be named.
#' @param D,V The numbers of documents and words; in a network, `V` is the number of actors.
#' @param k The number of topics, communities or components.
#' @param separation The total probability that a topic gives to its own words (see *Details*), from 0 to 1.
#' @param words The mean number of words in a document.
#' @param shape,rate Positive parameters of the distributions in *Details*.
#' @param alpha_mean,alpha_size The beta distribution from which the noise levels of documents are drawn: its
#'   mean, between 0 and 1, and the sum of its two shape parameters, a positive number.
#' @param least The smallest acceptable expected number of messages, `sum(mu)` (with `directed = FALSE`,
#'   each pair is counted once).
#' @param directed `FALSE` for counts of pairs: `pi`, `mu` and `y` are symmetric.
#' @param dims The extents of the modes, two to twelve of them.
#' @param dispersion Variance of a count divided by its mean, at least 1.
#' @return A list of the true counts `y`, their means `mu` (of the same shape), and the true factors.
#'   `print()` shows the sizes of all parts. For topics, the factors are `theta` (documents x k, rows sum to
#'   `words`) and `phi` (k x words, rows sum to 1), and the list also has the noise levels `alpha` (one number
#'   per document). For a network, they are `theta` (actors x k) and `pi` (k x k); the diagonal is not data,
#'   so it is zero in `y` and `NA` in `mu`. For a tensor, they are `theta1`, `theta2` and so on (extent x k).
#' @section Reproducible: All draws come from R's generator, so `set.seed()` makes them reproducible.
#' @section Errors: These functions stop with an error of class `ldpcounts_error` if an argument is out of
#'   range, and if `sum(mu)` is below `least` in each of 50,000 draws of the weights.
#' @references Schein et al. (2019) simulate, in section 5.2, communities with `V` = 20 actors, `k` = 5, shape
#'   0.01 and rate 0.5. They also simulate topics with `D` = 90 documents, `k` = 3 and `V` = 15, where each
#'   document has a noise level from a beta distribution. Other defaults, which the paper does not give, and
#'   `least` are choices of this package.
#' @seealso [resimulate()] for data from the factors of a fit; [simulate()][simulate.ldp_fit] for replicates
#' of a
#'   release; [align_topics()], [mae()] and [poisson_kl()] to compare with the truth.
#' @examples
#' set.seed(1)
#' documents <- simulate_topics()
#' fit <- topic_model(privatize(documents$y, epsilon = 1), k = 3, iter = 200)
#' mae(fitted(fit), documents$mu)
#' # a network with visible communities
#' heat_map(simulate_blocks(V = 30, k = 3, shape = 0.2)$y)
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
  alpha_size <- check_positive(alpha_size, "alpha_size")
  alpha_mean <- check_open_share(alpha_mean, "alpha_mean")
  dispersion <- check_dispersion(dispersion)
  factors <- list(theta = words * dirichlet_rows(D, k, shape), phi = separated_topics(k, V, separation))
  alpha <- stats::rbeta(D, alpha_mean * alpha_size, (1 - alpha_mean) * alpha_size)
  new_simulation(counts_around(topics_model, factors, dispersion), c(factors, list(alpha = alpha)))
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
  least <- check_number(least, "least", function(x) x >= 0, "one number of at least 0")
  directed <- check_flag(directed, "directed")
  dispersion <- check_dispersion(dispersion)
  model <- if (directed) blocks_model else undirected_model
  for (draw in seq_len(MOST_DRAWS)) {
    factors <- gamma_factors(model, c(V, V), k, shape, rate)
    total <- sum(model$row_totals(factors))
    if (!is.finite(total)) abort_argument(rate, "rate", "so large that means are finite", rlang::current_env())
    if (total >= least) {
      return(new_simulation(counts_around(model, factors, dispersion), factors))
    }
  }
  ldp_abort(c(
    "{.arg least} must not be too large for networks with these weights.",
    x = "None of {format_number(MOST_DRAWS)} networks has {format(least)} expected messages or more.",
    i = "Use a larger {.arg shape}, or a smaller {.arg rate}, for more messages."
  ))
}

MOST_DRAWS <- 5e4

#' @rdname simulate_topics
#' @export
simulate_tensor <- function(..., dims = c(20, 20, 10), k = 3, shape = 0.3, rate = 0.5, dispersion = 1) {
  check_no_dots(...)
  call <- rlang::current_env()
  if (!are_whole(dims, 1) || length(dims) < 2) {
    abort_argument(dims, "dims", "two or more whole numbers of at least 1, the extents of the modes", call)
  }
  check_extents(dims, "dims", call)
  k <- check_whole(k, "k", 1, 10000)
  shape <- check_positive(shape, "shape")
  rate <- check_positive(rate, "rate")
  dispersion <- check_dispersion(dispersion)
  model <- tensor_of(length(dims))
  factors <- gamma_factors(model, dims, k, shape, rate)
  new_simulation(counts_around(model, factors, dispersion), factors)
}

# `truth`: further parts of the truth, such as noise levels.
new_simulation <- function(made, truth = list()) structure(c(made, truth), class = "simulated_counts")

#' @export
print.simulated_counts <- function(x, ...) {
  if (!all(c("y", "mu") %in% names(x))) { # only a part of the list
    print(unclass(x))
    return(invisible(x))
  }
  size <- function(part) paste(if (is.null(dim(part))) length(part) else dim(part), collapse = " x ")
  truth <- unclass(x)[names(x) != "y"]
  shown <- paste0("$", names(truth), " (", vapply(truth, size, ""), ")", collapse = ", ")
  total <- format_number(sum(x$y))
  cat_wrapped(paste0("Simulated counts, ", size(x$y), ", with a sum of ", total, ", in $y."))
  cat_wrapped(paste0("True means and parameters: ", shown, "."))
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
  Map(function(weights, name) {
    by <- array(stats::rgamma(length(weights), shape, shape), dim(weights))
    weights * if (name %in% symmetric) upper_twice(by) else by
  }, factors, names(factors))
}

# Dirichlet draws, as rows that sum to 1. Gamma draws with a small shape underflow, but their logarithms do
# not: a gamma draw is a draw with shape + 1, times a uniform draw to the power 1/shape.
dirichlet_rows <- function(n, k, shape) {
  logs <- log(stats::rgamma(n * k, shape + 1)) + log(stats::runif(n * k)) / shape
  logs <- matrix(logs, n)
  weights <- exp(logs - apply(logs, 1, max))
  weights / rowSums(weights)
}

# Each topic has about the same number of its own words. With a single topic, all words are its own.
separated_topics <- function(k, V, separation) {
  own <- outer(seq_len(k), ceiling(seq_len(V) * k / V), `==`)
  if (k == 1) {
    return(own / V)
  }
  others <- !own
  separation * own / rowSums(own) + (1 - separation) * others / rowSums(others)
}

# --- counts ---------------------------------------------------------------------------------------

# Returns list(y, mu): the means for these factors (NA for cells that are not data), and counts with these
# means. In a network, counts on the diagonal are 0; in an undirected one, each pair is drawn once.
# `dispersion`: one number, or one per row or cell.
counts_around <- function(model, factors, dispersion) {
  y <- mu <- model$mean(factors)
  excess <- rep_len(dispersion - 1, length(mu))
  known <- !is.na(mu)
  y[known] <- replicate_counts(mu[known], excess[known])
  if (max(y, na.rm = TRUE) <= .Machine$integer.max) storage.mode(y) <- "integer"
  if (model$network != "none") diag(y) <- 0L
  if (model$network == "undirected") y <- upper_twice(y)
  list(y = y, mu = mu)
}
