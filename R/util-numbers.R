# Small calculations that many files use: order, positions, means on the log scale, blocks of cells.

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
