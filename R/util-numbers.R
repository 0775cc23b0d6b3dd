# Small calculations that many files use: order, places, means on the log scale, blocks of cells.

# A correct declaration is doubted in at most one of 1e5 releases.
DOUBT <- 1e-5

largest_first <- function(x, n) utils::head(order(-x), n)

# About n of these, from the first to the last.
spread_over <- function(x, n) x[unique(round(seq(1, length(x), length.out = min(n, length(x)))))]

# The places of these draws of some chains, which have `each` draws, one chain after the other.
in_each_chain <- function(draws, each, chains) as.vector(outer(draws, (chains - 1L) * each, `+`))

# 1..n in blocks, so that a matrix of a block's numbers times draws is not large.
blocks_of <- function(n, n_draws, size = BLOCK_SIZE) {
  split(seq_len(n), (seq_len(n) - 1) %/% max(1, floor(size / n_draws)))
}

# The values of f, which are of n cells, in each draw: one row per cell, one column per draw.
each_draw <- function(draws, n, f) matrix(vapply(draws, f, numeric(n)), n)

BLOCK_SIZE <- 1e6

same_labels <- function(own, known) is.null(own) || is.null(known) || identical(own, known)

# Labels may be NA.
first_other <- function(own, known) which(!mapply(identical, own, known))[1]

# Of each column of a matrix.
log_mean_exp <- function(x) {
  largest <- apply(x, 2, max)
  largest[largest == -Inf] <- 0
  largest + log(colMeans(exp(x - rep(largest, each = nrow(x)))))
}

standard_error <- function(x) stats::sd(x) / sqrt(length(x))

# One number where all rows have the same.
collapse <- function(values) if (length(unique(values)) == 1) values[1] else values
