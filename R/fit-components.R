# Matching of components by the similarity of their weights.

# The order of the components of `signature` (k rows) that best matches those of `target`: the one with the
# largest sum of affinities.
match_components <- function(signature, target) {
  as.integer(clue::solve_LSAP(affinities(signature, target), maximum = TRUE))
}

# Affinities sum(sqrt(p q)), where p and q are rows normalised to sum to 1: one row per component of `target`,
# one column per component of `signature`.
affinities <- function(signature, target) {
  tcrossprod(sqrt(target / rowSums(target)), sqrt(signature / rowSums(signature)))
}

normalised_draw <- function(fit, s) model_of(fit)$normalise(draw_factors(fit, s))

main_component <- function(weights) max.col(weights, ties.method = "first")
