# The distributions of true counts behind a release, given a fit: of each cell, averaged over draws.

# The input of the fit. Of data in files, it has the counts of these cells alone; those below zero are 0,
# which does not change the distributions of their true counts.
input_of_cells <- function(fit, cells) {
  if (!is_shards(fit$data) || is_svi(fit) || is.null(cells)) {
    return(input_of(fit))
  }
  counts <- counts_in_files(fit$data, cells)
  source <- shards_source(fit$data, fit$noise)
  c(list(counts = sparse_counts(cells, counts, source$dim, NULL)), source[c("alpha", "clamped")])
}

# The largest number of kept draws to use, checked.
check_draws <- function(draws, call = rlang::caller_env()) {
  if (identical(draws, Inf)) Inf else check_whole(draws, "draws", 1, call = call)
}

# --- the distribution of some true counts, draw by draw -------------------------------------------

# The row numbers of `cells`, in blocks. All cells of a block are of the same kind (masked, known without
# noise, or noised), and its matrix of cells times draws is not large.
truth_parts <- function(input, cells, n_draws, size = BLOCK_SIZE) {
  y_tilde <- counts_at(input$counts, cells)
  known <- input$alpha[cells[, 1]] == 0
  parts <- lapply(split(seq_along(known), list(known, is.na(y_tilde))), function(at) {
    lapply(blocks_of(length(at), n_draws, size), function(block) at[block])
  })
  unlist(unname(parts), recursive = FALSE)
}

# The distributions of some true counts of one kind: a list of
#   kind                masked, known or noised
#   y_tilde, alpha      one number per cell
#   mu, excess          matrices, one row per cell, one column per draw; excess is 0 for Poisson counts
truth_block <- function(fit, input, cells, draws = shared_draws(fit)) {
  y_tilde <- counts_at(input$counts, cells)
  alpha <- input$alpha[cells[, 1]]
  n <- nrow(cells)
  mean <- function(s) draw_cell_mean(fit, s, cells)
  excess <- function(s) rep_len(draw_cell_excess(fit, s, cells), n)
  poisson <- n_excess(family_of(fit), nrow(fit$data)) == 0
  list(
    kind = if (is.na(y_tilde[1])) "masked" else if (alpha[1] == 0) "known" else "noised",
    y_tilde = y_tilde, alpha = alpha,
    mu = each_draw(draws, n, mean), excess = if (poisson) 0 else each_draw(draws, n, excess)
  )
}

only_cells <- function(block, which) {
  chosen <- function(x) if (is.matrix(x)) x[which, , drop = FALSE] else if (length(x) > 1) x[which] else x
  lapply(block, chosen)
}

# The density of the true counts of a block at y (one number, or one per cell), averaged over draws.
truth_density <- function(block, y) truth_at(block, y, `==`, count_density, dtruecount)

truth_cdf <- function(block, y) truth_at(block, y, `>=`, count_cdf, ptruecount)

truth_at <- function(block, y, known, masked, noised) {
  mean_over_draws(block,
    known = known(y, block$y_tilde), masked = masked(y, block$mu, block$excess),
    noised = noised(y, block$y_tilde, block$mu, block$alpha, 1 + block$excess)
  )
}

truth_mean <- function(block) {
  mean_over_draws(block,
    known = block$y_tilde, masked = block$mu,
    noised = truecount_mean(block$y_tilde, block$mu, block$alpha, 1 + block$excess)
  )
}

# The arguments in `...` are named by the kinds of blocks. They are promises, and only the one for the kind of
# this block is evaluated.
mean_over_draws <- function(block, ...) {
  value <- switch(block$kind, ...)
  if (block$kind == "known") as.double(value) else rowMeans(matrix(value, nrow(block$mu)))
}

# The density of true counts given mu; excess is 0 for Poisson counts.
count_density <- function(y, mu, excess) {
  if (is.matrix(excess)) stats::dnbinom(y, mu / excess, mu = mu) else stats::dpois(y, mu)
}

count_cdf <- function(y, mu, excess) {
  if (is.matrix(excess)) stats::pnbinom(y, mu / excess, mu = mu) else stats::ppois(y, mu)
}

# --- summaries ------------------------------------------------------------------------------------

# One row per cell: mean, lower, upper, P(y = 0). Most cells have only a few values with noticeable
# probability, which src/ldp_mixture.h sums directly.
summarise_truth <- function(block, level) {
  y <- as.double(block$y_tilde)
  if (block$kind == "known") {
    return(cbind(y, y, y, y == 0, deparse.level = 0))
  }
  p <- (1 + c(-1, 1) * level) / 2
  truth <- .Call(C_rc_truth, y, block$alpha, block$mu, as.double(block$excess), p, n_threads())
  wide <- which(is.na(truth[, 1]))
  if (length(wide) > 0) truth[wide, ] <- summarise_wide(only_cells(block, wide), p)
  truth
}

# The same from the distribution functions, for the other cells.
summarise_wide <- function(block, p) {
  mean <- truth_mean(block)
  p_zero <- truth_density(block, 0)
  ends <- vapply(p, function(p) truth_quantiles(block, p, mean, p_zero), mean)
  cbind(mean, matrix(ends, length(mean)), p_zero)
}

# The smallest y at which the distribution function, averaged over draws, is at least p, found by bisection:
# the function is below p at `low` (unless the answer is 0) and at least p at `high`. Only cells without an
# answer yet are evaluated.
truth_quantiles <- function(block, p, mean, p_zero = truth_density(block, 0)) {
  low <- numeric(length(mean))
  high <- ifelse(p_zero >= p, 0, Inf)
  try <- pmax(1, ceiling(mean))
  step <- 1
  repeat {
    open <- which(high - low > 1)
    if (length(open) == 0) {
      return(high)
    }
    reached <- truth_cdf(only_cells(block, open), try[open]) >= p
    high[open[reached]] <- try[open[reached]]
    low[open[!reached]] <- try[open[!reached]]
    step <- 2 * step
    try <- ifelse(is.finite(high), floor((low + high) / 2), low + step)
  }
}
