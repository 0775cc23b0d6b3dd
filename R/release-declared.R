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

# The two-sided p-value for numbers of cells with these ratios, from the exact distribution of the total.
declared_p_value <- function(total, cells, ratio) {
  if (sum(cells) == 0) {
    return(1)
  }
  each <- tapply(cells, ratio, sum)
  alpha <- sort(unique(ratio)) # in the order of tapply()
  min(1, 2 * min(total_of_geometric(total, as.vector(each), alpha)))
}

# Probabilities below this are taken as 0.
NEGLIGIBLE_MASS <- 1e-17

# At most this many frequencies are added up.
MOST_FREQUENCIES <- 2^20

# P(T <= total) and P(T >= total), where T is the sum of n[i] geometric numbers with ratio alpha[i], for all
# i.
total_of_geometric <- function(total, n, alpha) {
  if (length(n) == 1) {
    return(c(
      stats::pnbinom(total, n, 1 - alpha), stats::pnbinom(total - 1, n, 1 - alpha, lower.tail = FALSE)
    ))
  }
  # beyond the period, the probability of T is negligible: Chernoff's bound with E[exp(u T)], where u is
  # half of the value at which the mean becomes infinite for the largest ratio
  u <- -log(max(alpha)) / 2
  period <- ceiling((log_moment(u, n, alpha) - log(NEGLIGIBLE_MASS)) / u) + 1
  if (total >= period) {
    return(c(1, 0))
  }
  frequencies <- used_frequencies(n, alpha, period)
  if (frequencies > MOST_FREQUENCIES) {
    return(saddlepoint_tails(total, n, alpha))
  }
  invert_total(total, n, alpha, period, frequencies)
}

# log E[exp(u T)]
log_moment <- function(u, n, alpha) sum(n * (log1p(-alpha) - log1p(-alpha * exp(u))))

# log E[exp(i angle T)], without the cancellation of 1 - alpha cos(angle).
log_characteristic <- function(angle, n, alpha) {
  vapply(angle, function(a) {
    sum(n * (log1p(-alpha) - log(complex(
      real = 1 - alpha + 2 * alpha * sin(a / 2)^2, imaginary = -alpha * sin(a)
    ))))
  }, complex(1))
}

# The number of angles 2 pi j / period, j = 1, 2, ..., at which the transform, which decreases with j, is not
# negligible.
used_frequencies <- function(n, alpha, period) {
  counts <- function(j) Re(log_characteristic(2 * pi * j / period, n, alpha)) > log(NEGLIGIBLE_MASS)
  low <- 1
  high <- floor(period / 2)
  if (counts(high)) {
    return(high)
  }
  while (high - low > 1) {
    middle <- floor((low + high) / 2)
    if (counts(middle)) low <- middle else high <- middle
  }
  high
}

# Both tails by Fourier inversion on 0 .. period - 1. The probability outside this range is negligible.
invert_total <- function(total, n, alpha, period, frequencies) {
  j <- seq_len(frequencies)
  angle <- 2 * pi * j / period
  transform <- exp(log_characteristic(angle, n, alpha))
  twice <- ifelse(2 * j == period, 1, 2) # j and period - j
  upto <- function(t) { # P(T <= t)
    kernel <- exp(-1i * angle * t / 2) * sin(angle * (t + 1) / 2) / sin(angle / 2)
    (t + 1 + sum(twice * Re(transform * kernel))) / period
  }
  pmin(pmax(c(upto(total), 1 - upto(total - 1)), 0), 1)
}

# The same by a saddlepoint approximation, for T that is nearly continuous and the sum of few numbers
# (Lugannani and Rice 1980, with the lattice correction of Daniels 1987).
saddlepoint_tails <- function(total, n, alpha) {
  above <- function(t) { # P(T >= t)
    if (t <= 0) {
      return(1)
    }
    slope <- function(u) sum(n * alpha * exp(u) / (1 - alpha * exp(u))) - t
    top <- -log(max(alpha))
    low <- -1
    while (slope(low) > 0) low <- 2 * low
    u <- stats::uniroot(slope, c(low, top * (1 - 1e-12)), tol = 1e-14 * top)$root
    curvature <- sum(n * alpha * exp(u) / (1 - alpha * exp(u))^2)
    w <- sign(u) * sqrt(max(2 * (u * t - log_moment(u, n, alpha)), 0))
    v <- -expm1(-u) * sqrt(curvature)
    if (abs(w) < 1e-4) {
      return(0.5)
    }
    stats::pnorm(w, lower.tail = FALSE) + stats::dnorm(w) * (1 / v - 1 / w)
  }
  c(1 - above(total + 1), above(total))
}

# Whether counts at or below zero agree with the declared alpha, in words. They do so if the printed 95 %
# interval contains it: the interval and the p-value are from the same distribution.
declared_sentence <- function(check) {
  if (check$p_value >= 0.05) {
    return("The declared alpha agrees with them.")
  }
  often <- if (check$p_value < 1e-4) "less than 1e-4" else format(check$p_value, digits = 1)
  paste0(
    if (doubtful(check)) "They contradict the declared alpha" else "They hardly agree with the declared alpha",
    ": if it is right, counts that are so far from it have probability ", often, "."
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
    i = if (!is.na(check$estimate)) paste0("These counts alone give an alpha of ", format_estimate(check), "."),
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
