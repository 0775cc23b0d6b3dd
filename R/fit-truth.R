# True counts given a fit and the release: their distributions, draw by draw, draws of them, and summaries.

# The row numbers of `cells`, in blocks. All cells of a block are of the same kind (masked, known without
# noise, or noised), and its matrix of cells times draws is not large.
truth_parts <- function(input, cells, n_draws, size = BLOCK_SIZE) {
  y_tilde <- counts_at(input$counts, cells)
  known <- rep_len(is.null(input$mechanism), nrow(cells)) & input$alpha[cells[, 1]] == 0
  parts <- lapply(split(seq_along(known), list(known, is.na(y_tilde))), function(at) {
    lapply(blocks_of(length(at), n_draws, size), function(block) at[block])
  })
  unlist(unname(parts), recursive = FALSE)
}

# The distributions of some true counts of one kind: a list of
#   kind                masked, known, noised, or protected (by another mechanism)
#   y_tilde, alpha      one number per cell
#   mu, excess          matrices, one row per cell, one column per draw; excess is 0 for Poisson counts
#   mechanism           another mechanism, with one parameter or one per cell; or NULL
truth_block <- function(fit, input, cells, draws = shared_draws(fit)) {
  y_tilde <- counts_at(input$counts, cells)
  alpha <- input$alpha[cells[, 1]]
  n <- nrow(cells)
  mean <- function(s) draw_cell_mean(fit, s, cells)
  excess <- function(s) rep_len(draw_cell_excess(fit, s, cells), n)
  poisson <- n_excess(fit$family, dim(fit$data)) == 0
  list(
    kind = if (is.na(y_tilde[1])) {
      "masked"
    } else if (!is.null(input$mechanism)) {
      "protected"
    } else {
      if (alpha[1] == 0) "known" else "noised"
    },
    y_tilde = y_tilde, alpha = alpha, mechanism = mechanism_of_cells(input, cells),
    mu = each_draw(draws, n, mean), excess = if (poisson) 0 else each_draw(draws, n, excess)
  )
}

# True counts of a block of cells: one row per cell, one column per draw.
draw_block <- function(block, n_draws) {
  n <- length(block$y_tilde)
  size <- n * n_draws
  mu <- pmax(block$mu, .Machine$double.xmin) # rnbinom() of size 0 and mean 0 is NaN
  drawn <- switch(block$kind,
    known = rep(as.double(block$y_tilde), n_draws),
    masked = if (is.matrix(block$excess)) {
      stats::rnbinom(size, mu / block$excess, mu = mu)
    } else {
      stats::rpois(size, mu)
    },
    protected = of_protected(DRAW, block, 0),
    noised = rtruecount(size, rep(block$y_tilde, n_draws), mu, rep(block$alpha, n_draws), 1 + block$excess)
  )
  matrix(as.double(drawn), n, n_draws)
}

select_cells <- function(block, which) {
  chosen <- function(x) if (is.matrix(x)) x[which, , drop = FALSE] else if (length(x) > 1) x[which] else x
  part <- lapply(replace(block, "mechanism", list(NULL)), chosen)
  if (!is.null(block$mechanism)) part$mechanism <- mechanism_at(block$mechanism, which, length(block$y_tilde))
  part
}

# The density of the true counts of a block at y (one number, or one per cell), averaged over draws.
truth_density <- function(block, y) {
  average_truth(block, switch(block$kind,
    known = y == block$y_tilde, masked = count_density(y, block$mu, block$excess),
    protected = exp(of_protected(PMF, block, y)),
    noised = dtruecount(y, block$y_tilde, block$mu, block$alpha, 1 + block$excess)
  ))
}

truth_cdf <- function(block, y) {
  average_truth(block, switch(block$kind,
    known = y >= block$y_tilde, masked = count_cdf(y, block$mu, block$excess),
    protected = exp(of_protected(LOWER, block, y)),
    noised = ptruecount(y, block$y_tilde, block$mu, block$alpha, 1 + block$excess)
  ))
}

truth_mean <- function(block) {
  average_truth(block, switch(block$kind,
    known = block$y_tilde, masked = block$mu,
    protected = of_protected(CUMULANT, block, 1),
    noised = truecount_mean(block$y_tilde, block$mu, block$alpha, 1 + block$excess)
  ))
}

# The mechanism of some cells, or NULL.
mechanism_of_cells <- function(input, cells) {
  if (!is.null(input$mechanism)) {
    dim <- dim(input$counts)
    mechanism_at(input$mechanism, cells[, 1] + dim[1] * (cells[, 2] - 1), prod(dim))
  }
}

# One value per cell and draw, of count_behind(); x: one number, or one per cell.
of_protected <- function(what, block, x) {
  n <- length(block$mu)
  mechanism <- mechanism_at(block$mechanism, rep_len(seq_along(block$y_tilde), n), length(block$y_tilde))
  dispersion <- 1 + rep_len(as.vector(block$excess), n)
  count_behind(what, mechanism, rep_len(block$y_tilde, n), as.vector(block$mu), dispersion, rep_len(x, n))
}

# The mean over draws; a known count is the same in all.
average_truth <- function(block, value) {
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
  protected <- block$kind == "protected"
  mechanism <- if (protected) mechanism_code(block$mechanism, y)
  alpha <- replace(block$alpha, is.na(block$alpha), 0)
  truth <- .Call(C_rc_truth, y, alpha, block$mu, as.double(block$excess), mechanism, p, n_threads())
  wide <- which(is.na(truth[, 1]))
  if (length(wide) > 0) truth[wide, ] <- summarise_wide(select_cells(block, wide), p)
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
    reached <- truth_cdf(select_cells(block, open), try[open]) >= p
    high[open[reached]] <- try[open[reached]]
    low[open[!reached]] <- try[open[!reached]]
    step <- 2 * step
    try <- ifelse(is.finite(high), floor((low + high) / 2), low + step)
  }
}
