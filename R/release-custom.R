# Mechanisms that users define by the probabilities of releases. `custom` is always list(log_pmf =, listed =,
# from =, tables =): the function; the releases that are listed; if there are infinitely many, the number from
# which on all whole numbers are releases, otherwise Inf; and NULL, or the tables of with_tables().

# The numbers of true counts, from 0 on, for which the probability of a release is computed: at least the first
# or twice the release, and, if its logarithm is neither very small nor a straight line there, up to the second.
TABULATED <- c(2^15, 2^20)

# Probabilities that are smaller than the largest one of a release by this factor, as a logarithm, are 0. (Much
# larger than the range of doubles: a tiny mean can make counts probable that are far away from the release.)
LEAST_TABULATED <- 1e4

# Releases are searched for up to this far away from the true count.
MOST_AWAY <- 2^20

TOL_TOTAL <- 1e-8

# True counts for which the constructor checks that the probabilities of all releases have the sum 1.
CHECKED_COUNTS <- c(0:20, 35, 50, 100)

new_custom <- function(log_pmf, support, call) {
  check_that(is.function(log_pmf), "{.arg log_pmf} must be a function of a release and a true count.", call)
  valid <- is.numeric(support) && length(support) > 0 && !anyNA(support)
  if (!valid) abort_argument(support, "support", "a vector of the possible releases", call)
  support <- sort(unique(as.double(support)))
  open <- max(support) == Inf
  from <- if (open && length(support) > 1) support[length(support) - 1] else Inf
  check_that(!open || (length(support) <= 3 && from < Inf && from == round(from) &&
    (length(support) == 2 || support[1] == -Inf)), c(
    "{.arg support} must list all releases, or end with a whole number and Inf.",
    i = "{.code c(-Inf, Inf)} is all whole numbers, and {.code c(0, Inf)} those of at least 0.",
    i = "{.code c(-Inf, 0, Inf)} has hidden counts too."
  ), call)
  listed <- if (open) support[seq_len(length(support) - 2)] else support
  custom <- list(log_pmf = log_pmf, listed = listed, from = from, tables = NULL)
  for (y in CHECKED_COUNTS) release_probabilities(custom, y, call)
  custom
}

is_custom_release <- function(custom, x) {
  x %in% custom$listed | (is.finite(x) & x == round(x) & abs(x) < 2^53 & x >= custom$from)
}

# log P(release | y)
custom_log_p <- function(custom, release, y, call) {
  value <- custom$log_pmf(release, y)
  numeric <- is.numeric(value) || length(release) == 0 # ifelse() of nothing is logical
  valid <- numeric && length(value) == length(release) && !anyNA(value) && all(value < TOL_TOTAL)
  check_that(valid, c(
    "{.arg log_pmf} must return the logarithm of a probability for each release and true count.",
    i = "It must accept two vectors of the same length, and return {.code -Inf} for what is impossible."
  ), call)
  as.double(value)
}

# The releases of a true count and their probabilities, whose sum is 1: list(release =, p =). None if the
# count is impossible, that is, if all probabilities are 0.
release_probabilities <- function(custom, y, call) {
  p_of <- function(release) exp(custom_log_p(custom, release, rep(y, length(release)), call))
  whole <- function(from, to) if (from <= to) seq(from, to) else numeric()
  release <- custom$listed
  p <- p_of(release)
  away <- 64
  lowest <- max(custom$from, y - away)
  if (custom$from < Inf) {
    near <- whole(lowest, max(y + away, lowest))
    release <- c(release, near)
    p <- c(p, p_of(near))
    repeat {
      ends <- range(near)
      below <- whole(max(custom$from, y - 2 * away), ends[1] - 1)
      near <- c(below, whole(ends[2] + 1, max(y, lowest) + 2 * away))
      further <- p_of(near)
      release <- c(release, near)
      p <- c(p, further)
      near <- c(ends, near)
      away <- 2 * away
      if ((sum(further) < 1e-16 && sum(p) > 1 - TOL_TOTAL) || away > MOST_AWAY) break
    }
  }
  total <- sum(p)
  check_that(abs(total - 1) < TOL_TOTAL || total == 0, c(
    "The probabilities of all releases in {.arg support} must have the sum 1 for each true count.",
    x = "{.arg log_pmf} gives the sum {format(total, digits = 10)} for the true count {y}."
  ), call)
  seen <- p > 0
  list(release = release[seen], p = p[seen] / total)
}

# Releases of true counts.
draw_custom <- function(custom, y, call) {
  drawn <- numeric(length(y))
  for (count in unique(y)) {
    at <- which(y == count)
    possible <- release_probabilities(custom, count, call)
    check_that(length(possible$release) > 0, "The mechanism has no release for a true count.", call)
    drawn[at] <- possible$release[sample.int(length(possible$p), length(at), TRUE, possible$p)]
  }
  drawn
}

# log P(release | y) for all y, as src/ldp_mechanism.h reads it. If it ends with a straight line, so does the
# table, as soon as it is one.
table_of_release <- function(custom, release, call) {
  n <- max(TABULATED[1], if (is.finite(release)) 2 * ceiling(abs(release)))
  repeat {
    log_p <- custom_log_p(custom, rep(release, n), seq(0, n - 1), call)
    least <- max(log_p) - LEAST_TABULATED
    half <- ceiling(n / 2)
    slope <- (log_p[n] - log_p[half]) / (n - half)
    is_line <- is.finite(slope) && log_p[n] >= least
    on_line <- if (is_line) {
      abs(log_p - log_p[n] - (seq_len(n) - n) * slope) <= 1e-12 * pmax(1, abs(log_p))
    }
    is_line <- is_line && all(on_line[half:n])
    if (is_line || all(log_p[half:n] < least) || n >= TABULATED[2]) break
    n <- 2 * n
  }
  check_that(least > -Inf, "A release is impossible: {.arg log_pmf} is -Inf for all true counts.", call)
  log_p[log_p < least] <- -Inf
  possible <- range(which(log_p > -Inf))
  last <- if (is_line) max(possible[1], which(!on_line) + 1) else possible[2]
  slope <- if (is_line) min(slope, 0) else -Inf
  # the least t with P(release | y) <= P(release | 0) exp(t y): on the line, slopes from 0 approach that of the line
  tilt <- if (possible[1] > 1) Inf else max((log_p[-1] - log_p[1]) / seq_len(n - 1), slope)
  c(slope, max(log_p), tilt, possible[1] - 1, log_p[possible[1]:last])
}

# The mechanism with the tables of these releases, which many calls can then use.
with_tables <- function(mechanism, release, call = rlang::caller_env()) {
  if (!all(release %in% mechanism$custom$tables$release)) {
    different <- unique(release)
    tables <- lapply(different, table_of_release, custom = mechanism$custom, call = call)
    mechanism$custom$tables <- list(release = different, log_p = tables)
  }
  mechanism
}

# The distribution of a released count whose true count has these probabilities: list(release =, p =) in
# ascending order.
mix_releases <- function(custom, y, weight, call) {
  each <- lapply(y, release_probabilities, custom = custom, call = call)
  p <- unlist(Map(function(one, weight) weight * one$p, each, weight))
  release <- unlist(lapply(each, `[[`, "release"))
  possible <- sort(unique(release))
  list(release = possible, p = as.vector(rowsum(p, match(release, possible), reorder = TRUE)))
}
