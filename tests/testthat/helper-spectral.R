# Corpora for spectral LDA.

# Topics (words x topics) whose weights are gamma draws of this shape.
random_topics <- function(V, k, shape = 0.3) {
  mu <- matrix(stats::rgamma(V * k, shape), V)
  mu / rep(colSums(mu), each = V)
}

# Documents of latent Dirichlet allocation, token by token, as a sparse matrix of documents x words.
lda_corpus <- function(N, mu, alpha, lengths) {
  k <- ncol(mu)
  theta <- matrix(stats::rgamma(N * k, rep(alpha, each = N)), N)
  upto <- t(apply(theta / rowSums(theta), 1, cumsum))
  document <- rep(seq_len(N), lengths[sample.int(length(lengths), N, TRUE)])
  topic <- 1 + rowSums(stats::runif(length(document)) > upto[document, -k, drop = FALSE])
  word <- integer(length(document))
  for (i in seq_len(k)) {
    word[topic == i] <- sample.int(nrow(mu), sum(topic == i), TRUE, mu[, i])
  }
  Matrix::sparseMatrix(document, word, x = 1, dims = c(N, nrow(mu)))
}

# L1 errors of topics, in the mean, after the best matching.
topics_error <- function(found, mu) {
  distances <- apply(mu, 2, function(topic) colSums(abs(found - topic)))
  partners <- clue::solve_LSAP(distances)
  mean(distances[cbind(seq_along(partners), partners)])
}

# What dp_lda_spectral() makes of its arguments.
spectral_task <- function(counts, k, alpha0, config = "none", epsilon = Inf, delta = 0,
                          noise = "gaussian", rng = "R") {
  task <- list(
    documents = documents_of(as.matrix(counts)), k = k, alpha0 = alpha0, config = config, epsilon = epsilon,
    delta = delta, noise = noise, rng = rng, call = NULL
  )
  task$budget <- budgets_of(task)
  task
}

# new_documents() of a matrix, without its detours: it is called often.
documents_of <- function(counts) {
  turned <- t(counts)
  stored <- which(turned > 0)
  counts <- methods::new("dgCMatrix",
    i = (stored - 1L) %% nrow(turned), p = c(0L, cumsum(as.integer(colSums(turned > 0)))),
    x = as.double(turned[stored]), Dim = dim(turned)
  )
  list(counts = counts, first = .Call(C_rc_moments_first, counts))
}

# M2 and M3 themselves.
second_of <- function(counts, alpha0 = NULL) second_matrix(documents_of(counts), alpha0)$dense()
third_of <- function(counts, alpha0 = NULL) {
  V <- ncol(counts)
  unpack_triples(third_seen_through(documents_of(counts), diag(V), alpha0), V)
}

# Entries of a packed matrix times these are those packed by its norm.
pair_scales <- function(n) replace(rep(sqrt(2), n * (n + 1) / 2), cumsum(seq_len(n)), 1)

release_noised <- function(task) if (task$config == "2") release_raw(task) else release_unbiased(task)
