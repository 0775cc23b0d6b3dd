# A check of what was declared. Given that a release k is not above zero, |k| is geometric with
# ratio alpha whatever the true counts are: P(k = -j) = (1 - alpha)/(1 + alpha) alpha^j E[alpha^y].
# So the part of a release below zero tells alpha, and nothing of the truth.

# A right declaration is doubted in fewer than one of 1e5 releases.
DOUBT <- 1e-5

# list(cells =, estimate =, interval =, p_value =): from what is known below zero, per row
# (known_below_zero()), and an alpha per row. The estimate (and its exact 95 % interval) is of one
# alpha, and NA where rows differ.
#' @srrstats {UL2.0} summary() of a release compares the noise that was declared with the counts below zero.
check_declared_alpha <- function(below, alpha) {
  alpha <- rep_len(alpha, length(below$cells))
  known <- which(below$cells > 0)
  ratio <- alpha[known]
  cells <- below$cells[known]
  n <- sum(cells)
  total <- sum(below$size[known])
  one_alpha <- length(unique(alpha)) == 1 && n > 0
  list(
    cells = n,
    estimate = if (one_alpha) total / (n + total) else NA_real_,
    interval = if (one_alpha) geometric_interval(total, n) else c(NA_real_, NA_real_),
    p_value = declared_p_value(total, cells, ratio)
  )
}

# Exact 95 % limits of alpha: the total of n geometric numbers is negative binomial, and
# P(total >= s) is the incomplete beta function of alpha with parameters s and n.
geometric_interval <- function(total, n) {
  c(
    if (total > 0) stats::qbeta(0.025, total, n) else 0,
    stats::qbeta(0.975, total + 1, n)
  )
}

# Two-sided, for so many cells of each ratio: exact where all share one alpha, else by the normal
# law of the total.
declared_p_value <- function(total, cells, ratio) {
  n <- sum(cells)
  if (n == 0) {
    return(1)
  }
  if (length(unique(ratio)) == 1) {
    keep <- 1 - ratio[1]
    tails <- c(
      stats::pnbinom(total, n, keep), stats::pnbinom(total - 1, n, keep, lower.tail = FALSE)
    )
    return(min(1, 2 * min(tails)))
  }
  mean <- sum(cells * ratio / (1 - ratio))
  variance <- sum(cells * ratio / (1 - ratio)^2)
  2 * stats::pnorm(-abs(total - mean) / sqrt(variance))
}

doubtful <- function(check) check$p_value < DOUBT

format_estimate <- function(check) {
  if (is.na(check$estimate)) {
    return("no estimate, as rows differ.")
  }
  limits <- format(check$interval, digits = 3)
  paste0(format(check$estimate, digits = 3), " (95 %: ", limits[1], " to ", limits[2], ").")
}

warn_declared_alpha <- function(check) {
  cli::cli_warn(c(
    "The declared alpha and the counts at or below zero cannot both be right.",
    i = paste("These counts alone give", format_estimate(check)),
    i = "What models make of this release would be wrong."
  ), class = "ldpcounts_declared_alpha")
}
