# Modes of the posterior: which draws belong to the same mode, and the share of each mode. (For the modes of a
# tensor, that is its dimensions, see R/data-table.R.)
#
# The kept draws of each chain are cut into consecutive pieces. Two pieces are similar if each component of
# one has a counterpart in the other with nearly the same weights. Similar pieces belong to the same mode; a
# chain that moves between modes has pieces in several. The result of find_modes() is part of a fit:
#
#   of           the mode of each kept draw, chain after chain; 1 is the leading mode
#   share        the share of each mode, see `shares`
#   log_density  the log density of the release, averaged over the draws of each mode
#   shares       "visits" if chains move between modes: shares are then shares of draws; otherwise "stacking":
#                shares are then stacking weights (Yao, Vehtari and Gelman 2022)

# The number of pieces in total, and the smallest number of draws in a piece.
PIECES <- 96L
LEAST_DRAWS <- 10L
# Components with at least this affinity, sum(sqrt(p q)) for weights p and q, are treated as the same.
# Affinities of parts of one chain are at least 0.98, those of chains in different modes at most 0.96
# (bench/MOVES.md).
ALIKE <- 0.97

find_modes <- function(fit) {
  kept <- fit$run$kept
  if (fit$k == 1 || isTRUE(fit$run$provisional) || kept < 2 * LEAST_DRAWS) {
    return(one_mode(fit))
  }
  # short pieces detect modes that chains soon leave; halves of chains detect modes that differ only a little
  lengths <- c(max(LEAST_DRAWS, kept %/% max(2L, PIECES %/% fit$run$chains)), LEAST_DRAWS, kept %/% 2L)
  signature_of <- signatures_of(fit)
  for (length in unique(lengths)) {
    of <- modes_at(fit, length, signature_of)
    if (max(of) > 1L) break
  }
  if (max(of) == 1L) {
    return(one_mode(fit))
  }
  density <- vapply(split(as.vector(fit$log_density), of), mean, 0, USE.NAMES = FALSE)
  travelled <- moves_often(matrix(of, kept))
  share <- if (travelled) tabulate(of) / length(of) else stacked_shares(fit, of)
  by_rank <- if (travelled) order(-share) else rank_modes(density, tabulate(of))
  list(
    of = match(of, by_rank), share = share[by_rank], log_density = density[by_rank],
    shares = if (travelled) "visits" else "stacking"
  )
}

# The best mode first, by log density. Of the modes that are about as good as the best, the one with most
# draws comes first: chains reach it more often, so another seed would probably give the same choice.
rank_modes <- function(density, draws) {
  as_good <- density > max(density) - AS_GOOD
  order(!as_good, -draws * as_good, -density)
}

AS_GOOD <- 3

# The mode of each draw, from pieces with `length` draws. Modes are defined by some of the pieces, which are
# pairs of neighbours spread over all chains. Each other piece belongs to the mode whose most central piece is
# most similar to it.
modes_at <- function(fit, length, signature_of = signatures_of(fit)) {
  kept <- fit$run$kept
  each <- max(1L, kept %/% length)
  piece_of <- in_each_chain(ceiling(seq_len(kept) * each / kept), each, seq_len(fit$run$chains))
  draws_of <- unname(split(seq_along(piece_of), piece_of))
  some <- spread_over(seq_len(length(draws_of) - 1L), max(PIECES, 2L * fit$run$chains) %/% 2L)
  some <- sort(unique(c(some, some + 1L)))
  signatures <- mean_signatures(signature_of, draws_of[some])
  apart <- distances(signatures)
  # the second argument: neighbours that are pieces of one chain
  groups <- group_pieces(apart, which(diff(some) == 1L & some[-1] %% each != 1L))
  if (max(groups) == 1L) {
    return(rep(1L, n_draws(fit)))
  }
  of <- integer(length(draws_of))
  of[some] <- groups
  middle <- lapply(seq_len(max(groups)), function(mode) {
    inside <- which(groups == mode)
    signatures[[inside[which.min(rowMeans(apart[inside, inside, drop = FALSE]))]]]
  })
  others <- which(of == 0L)
  of[others] <- vapply(mean_signatures(signature_of, draws_of[others]), function(signature) {
    which.max(vapply(middle, likeness, 0, p = signature))
  }, 0L)
  of[piece_of]
}

distances <- function(signatures) {
  apart <- matrix(0, length(signatures), length(signatures))
  pairs <- utils::combn(signatures, 2, simplify = FALSE)
  apart[lower.tri(apart)] <- vapply(pairs, function(pair) 1 - likeness(pair[[2]], pair[[1]]), 0)
  apart + t(apart)
}

# A function that returns the signature of a draw: the weights of items in components, a matrix with k rows that
# sum to 1. It remembers them, unless they are large.
signatures_of <- function(fit) {
  model <- model_of(fit)
  first <- model$signature(normalised_draw(fit, 1))
  items <- largest_first(colSums(first / rowSums(first)), 1000) # the heaviest tell components apart
  of_draw <- function(s) {
    weights <- model$signature(normalised_draw(fit, s))[, items, drop = FALSE]
    weights / pmax(rowSums(weights), .Machine$double.xmin)
  }
  if (8 * fit$k * length(items) * n_draws(fit) > LARGEST_SIGNATURES) {
    return(of_draw)
  }
  all <- lapply(seq_len(n_draws(fit)), of_draw)
  function(s) all[[s]]
}

LARGEST_SIGNATURES <- 1e8 # bytes

# The signature of each piece: the mean of those of its draws. (Labels seldom switch within a piece.)
mean_signatures <- function(signature_of, draws_of) lapply(draws_of, mean_of_each, signature_of)

# The smallest affinity between a component and its counterpart.
likeness <- function(p, q) {
  each <- affinities(p, q)
  matched <- as.integer(clue::solve_LSAP(each, maximum = TRUE))
  min(each[cbind(seq_along(matched), matched)])
}

# The mode of each piece. Neighbours (a piece in `first` and the next) show how similar two means of so few
# draws are within one mode.
group_pieces <- function(apart, first) {
  n <- nrow(apart)
  neighbours <- apart[cbind(first, first + 1L)]
  limit <- max(1 - ALIKE, stats::quantile(neighbours, 0.9, names = FALSE, type = 1))
  of <- stats::cutree(stats::hclust(stats::as.dist(apart), method = "average"), h = limit)
  large <- which(tabulate(of) >= max(2, 0.04 * n)) # what is less is a passage between modes
  if (length(large) == 0) {
    return(rep(1L, n))
  }
  for (i in which(!of %in% large)) {
    nearest <- vapply(large, function(mode) mean(apart[i, of == mode]), 0)
    of[i] <- large[which.min(nearest)]
  }
  join_blurred(match(of, large), apart)
}

# Joins groups that are not much farther apart than the pieces within them. If weights change gradually,
# cutting the tree at any height would give such groups.
join_blurred <- function(of, apart) {
  while (max(of) > 1L) {
    n <- max(of)
    mean_of <- function(a, b) mean(apart[of == a, of == b])
    inside <- vapply(seq_len(n), function(a) mean_of(a, a) * sum(of == a) / max(1, sum(of == a) - 1), 0)
    pairs <- which(upper.tri(diag(n)), arr.ind = TRUE)
    ratio <- apply(pairs, 1, function(pair) mean_of(pair[1], pair[2]) / max(inside[pair], 1e-12))
    nearest <- which.min(ratio)
    if (ratio[nearest] >= 2) break
    of[of == pairs[nearest, 2]] <- pairs[nearest, 1]
    of <- match(of, sort(unique(of)))
  }
  of
}

# Do chains (one per column) move from every mode to others, and often enough for shares of draws to be
# meaningful?
moves_often <- function(of) {
  moves <- sum(of[-1, ] != of[-nrow(of), ])
  visitors <- vapply(seq_len(max(of)), function(mode) {
    sum(apply(of, 2, function(chain) any(chain == mode) && any(chain != mode)))
  }, 0)
  moves >= MOVES_ENOUGH * (max(of) - 1) && all(visitors >= min(2, ncol(of)))
}

MOVES_ENOUGH <- 6

# Stacking weights of the modes, by their leave-one-out densities at about 10,000 observed cells.
stacked_shares <- function(fit, of) {
  at <- cells_to_check(fit)
  if (nrow(at$cells) == 0) {
    return(rep(1 / max(of), max(of)))
  }
  density <- vapply(seq_len(max(of)), function(mode) {
    some <- spread_over(which(of == mode), 200)
    left_out_density(t(pointwise_density(fit, at$input, at$cells, some)))
  }, numeric(nrow(at$cells)))
  stacking_weights(density)
}

# log p(y_i | the other cells), from log densities with one row per cell and one column per draw: the harmonic
# mean over draws by importance sampling, with weights truncated as by Ionides (2008).
left_out_density <- function(log_density) {
  weights <- -log_density
  weights <- exp(weights - apply(weights, 1, max))
  most <- rowMeans(weights) * sqrt(ncol(weights))
  weights <- pmin(weights, most)
  top <- apply(log_density, 1, max)
  top + log(rowSums(weights * exp(log_density - top)) / rowSums(weights))
}

# The weights of the columns (log densities) that maximise the log density of the mixture, summed over rows.
# The EM algorithm keeps the weights on the simplex; the objective is concave.
stacking_weights <- function(log_density) {
  density <- exp(log_density - apply(log_density, 1, max))
  weights <- rep(1 / ncol(density), ncol(density))
  for (pass in 1:1000) {
    mixed <- density * rep(weights, each = nrow(density))
    new <- colMeans(mixed / rowSums(mixed))
    moved <- max(abs(new - weights))
    weights <- new
    if (moved < 1e-8) break
  }
  weights
}
