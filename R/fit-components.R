# Which component is which: components matched by the similarity of their weights.

# The order of the components of `signature` (k rows) that best matches `target`: largest sum
# of affinities.
match_components <- function(signature, target) {
  as.integer(clue::solve_LSAP(affinities(signature, target), maximum = TRUE))
}

# sum sqrt(p q) of the rows as distributions: those of `target` in rows, of `signature` in columns.
affinities <- function(signature, target) {
  tcrossprod(sqrt(target / rowSums(target)), sqrt(signature / rowSums(signature)))
}

normalised_draw <- function(fit, s) model_of(fit)$normalise(draw_factors(fit, s))

main_component <- function(weights) max.col(weights, ties.method = "first")
