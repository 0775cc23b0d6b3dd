# A check of the declared alpha. Given that a released count k is not above zero, |k| is geometric with ratio
# alpha: P(k = -j) = (1 - alpha)/(1 + alpha) alpha^j E[alpha^y]. So alpha can be estimated from the counts at
# or below zero, whatever the true counts are.

# Returns list(cells =, estimate =, interval =, p_value =), from the numbers and sums of cells at or below
# zero per row (known_below_zero()), and one alpha per row. The estimate and its exact 95 % interval are for
# a single alpha, and NA if rows differ.
check_declared_alpha <- function(below, alpha) {
  alpha <- rep_len(alpha, length(below$cells))
  known <- which(below$cells > 0)
  cells <- below$cells[known]
  n <- sum(cells)
  total <- sum(below$size[known])
  one_alpha <- length(unique(alpha)) == 1 && n > 0
  # limits: the total of n geometric numbers is negative binomial, and P(total >= s) is the incomplete beta
  # function of alpha with parameters s and n
  limits <- if (one_alpha) {
    c(if (total > 0) stats::qbeta(0.025, total, n) else 0, stats::qbeta(0.975, total + 1, n))
  } else {
    c(NA_real_, NA_real_)
  }
  list(
    cells = n, estimate = if (one_alpha) total / (n + total) else NA_real_, interval = limits,
    p_value = declared_p_value(total, cells, alpha[known])
  )
}

# The two-sided p-value for numbers of cells with these ratios, from the distribution of the total.
declared_p_value <- function(total, cells, ratio) {
  if (sum(cells) == 0) {
    return(1)
  }
  n <- as.vector(tapply(cells, ratio, sum))
  alpha <- sort(unique(ratio)) # in the order of tapply()
  above <- function(t) {
    if (length(n) > 1) total_above(t, n, alpha) else stats::pnbinom(t - 1, n, 1 - alpha, lower.tail = FALSE)
  }
  min(1, 2 * above(total), 2 * (1 - above(total + 1)))
}

# P(T >= t), where T is the sum of n[i] geometric numbers with ratio alpha[i], for all i, by a saddlepoint
# approximation (Lugannani and Rice 1980, with the lattice correction of Daniels 1987). Its relative error is
# a few per cent.
total_above <- function(t, n, alpha) {
  if (t <= 1) {
    return(if (t == 1) -expm1(sum(n * log1p(-alpha))) else 1)
  }
  log_moment <- function(u) sum(n * (log1p(-alpha) - log1p(-alpha * exp(u)))) # log E[exp(u T)]
  slope <- function(u) sum(n * alpha * exp(u) / (1 - alpha * exp(u))) - t
  top <- -log(max(alpha))
  low <- -1
  while (slope(low) > 0) low <- 2 * low
  u <- stats::uniroot(slope, c(low, top * (1 - 1e-12)), tol = 1e-14 * top)$root
  curvature <- sum(n * alpha * exp(u) / (1 - alpha * exp(u))^2)
  w <- sign(u) * sqrt(max(2 * (u * t - log_moment(u)), 0))
  v <- -expm1(-u) * sqrt(curvature)
  if (abs(w) < 1e-4) 0.5 else stats::pnorm(w, lower.tail = FALSE) + stats::dnorm(w) * (1 / v - 1 / w)
}

# Whether counts at or below zero agree with the declared alpha, in words. They do so if the printed 95 %
# interval contains it: the interval and the p-value are from the same distribution.
declared_sentence <- function(check) {
  if (check$p_value >= 0.05) {
    return("The declared alpha agrees with them.")
  }
  verdict <- if (doubtful(check)) "contradict" else "hardly agree with"
  often <- if (check$p_value < 1e-4) "less than 1e-4" else format(check$p_value, digits = 1)
  paste0(
    "They ", verdict, " the declared alpha: if it is right, counts that are so far from it have probability ",
    often, "."
  )
}

doubtful <- function(check) check$p_value < DOUBT

format_estimate <- function(check) {
  if (is.na(check$estimate)) {
    return("not estimated, because rows differ.")
  }
  limits <- format(check$interval, digits = 3)
  paste0(format(check$estimate, digits = 3), " (95 %: ", limits[1], " to ", limits[2], ")")
}

# `below`: in the form that check_declared_alpha() expects.
warn_declared_alpha <- function(check, below) {
  cli::cli_warn(c(
    "The declared alpha and the counts at or below zero cannot both be right.",
    i = if (!is.na(check$estimate)) {
      paste0("These counts alone give an alpha of ", format_estimate(check), ".")
    },
    if (sum(below$size, na.rm = TRUE) == 0) {
      c(
        x = "No count is below zero.",
        i = "If negative counts were set to zero, declare this: {.code private_counts(clamped = TRUE)}.",
        i = "If these are true counts without noise, give them as a matrix, without {.fn private_counts}."
      )
    },
    i = "Models fitted to this release would give wrong results."
  ), class = "ldpcounts_declared_alpha")
}

# Do the counts of a release contradict the alpha that a model uses? Returns NULL, or list(declared =, below
# =). The diagonal of a network is left out, unless the sums of a clamped release include it.
contradiction_of <- function(data, network = "none") {
  if (!is_release(data) || !is.null(fields_of(data)$mechanism)) {
    return(NULL)
  }
  if (network == "directed" && !privacy(data)$clamped) {
    data <- mask_cells(data, diagonal_cells(nrow(data)))
  }
  below <- known_below_zero(data)
  declared <- check_declared_alpha(below, privacy(data)$alpha)
  if (doubtful(declared)) list(declared = declared, below = below)
}

check_declaration <- function(data, network = "none") {
  found <- contradiction_of(data, network)
  if (!is.null(found)) warn_declared_alpha(found$declared, found$below)
}
