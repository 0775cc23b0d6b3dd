# Small calculations that many files use: positions, sums and means, blocks of cells; streams of random
# numbers.

# The probability that a check doubts a correct declaration of alpha: at most one in 1e5 releases.
DOUBT <- 1e-5

largest_first <- function(x, n) utils::head(order(-x), n)

# At most n elements of x, evenly spaced from the first to the last.
spread_over <- function(x, n) x[unique(round(seq(1, length(x), length.out = min(n, length(x)))))]

# The positions of these draws in some chains, if draws are stored chain after chain, `each` per chain.
in_each_chain <- function(draws, each, chains) as.vector(outer(draws, (chains - 1L) * each, `+`))

# Splits 1..n into blocks, small enough for a matrix with one row per number and one column per draw.
blocks_of <- function(n, n_draws, size = BLOCK_SIZE) {
  split(seq_len(n), (seq_len(n) - 1) %/% max(1, floor(size / n_draws)))
}

# The values of f for n cells in each draw: one row per cell, one column per draw.
each_draw <- function(draws, n, f) matrix(vapply(draws, f, numeric(n)), n)

BLOCK_SIZE <- 1e6

same_labels <- function(own, known) is.null(own) || is.null(known) || identical(own, known)

# The position of the first label that differs. (Labels may be NA.)
first_other <- function(own, known) which(!mapply(identical, own, known))[1]

# For each column of a matrix.
log_mean_exp <- function(x) {
  largest <- apply(x, 2, max)
  largest[largest == -Inf] <- 0
  largest + log(colMeans(exp(x - rep(largest, each = nrow(x)))))
}

standard_error <- function(x) stats::sd(x) / sqrt(length(x))

# One number if all rows have the same, otherwise one per row.
collapse <- function(values) if (length(unique(values)) == 1) values[1] else values

# The mean of f(x) over the elements of a list; f returns numbers, or a list of numbers.
mean_of_each <- function(x, f) {
  total <- f(x[[1]])
  for (one in x[-1]) total <- if (is.list(total)) Map(`+`, total, f(one)) else total + f(one)
  if (is.list(total)) lapply(total, `/`, length(x)) else total / length(x)
}

# --- random numbers -------------------------------------------------------------------------------

# One L'Ecuyer stream per chain, all derived from a single number of the caller's generator.
chain_streams <- function(chains, seed) {
  force(seed) # draw the caller's number before the generator is replaced
  state <- with_stream(NULL, {
    set.seed(floor(seed * 2^31), "L'Ecuyer-CMRG", "Inversion", "Rejection")
  })$stream
  Reduce(function(stream, i) parallel::nextRNGStream(stream), seq_len(chains), state, accumulate = TRUE)[-1]
}

# Evaluates `code` with random numbers of this stream, and then restores the caller's generator. Returns the
# value, and the state of the stream after it.
with_stream <- function(stream, code) {
  global <- globalenv()
  callers <- get0(".Random.seed", global, inherits = FALSE)
  kind <- RNGkind()
  on.exit(if (is.null(callers)) {
    suppressWarnings(do.call(RNGkind, as.list(kind))) # about an outdated sample.kind
    rm(".Random.seed", envir = global)
  } else {
    assign(".Random.seed", callers, envir = global)
  })
  if (!is.null(stream)) assign(".Random.seed", stream, envir = global)
  value <- force(code)
  list(value = value, stream = get(".Random.seed", global, inherits = FALSE))
}

# One seed of 64 bits per sweep, as two whole numbers. The draws of a sweep depend on its seed only
# (src/ldp_stream.h), not on the thread or the machine that makes them.
sweep_seeds <- function(n) floor(stats::runif(2 * n) * 2^32)

# Evaluates `code` like a simulate() method: with R's generator as it is, or with a seed, after which the
# generator is restored. The attribute `seed` of the value has the state at the beginning.
with_seed <- function(seed, code) {
  if (!exists(".Random.seed", globalenv(), inherits = FALSE)) stats::runif(1)
  before <- get(".Random.seed", globalenv(), inherits = FALSE)
  if (!is.null(seed)) {
    on.exit(assign(".Random.seed", before, globalenv()))
    set.seed(seed)
  }
  structure(code, seed = if (is.null(seed)) before else structure(seed, kind = as.list(RNGkind())))
}
