# The distributions of a released count and of the true count behind it, under any mechanism
# (src/ldp_behind.h). Those of the geometric mechanism have their own functions.

#' The distribution of a released count, for any mechanism
#'
#' Density, distribution function, quantiles and random draws of a count that was released by a mechanism. The
#' true count is Poisson with mean `mu`, or, if `dispersion` is above 1, negative binomial with mean `mu` and
#' variance `dispersion * mu`.
#'
#' @details For noise of real numbers, `dprivcount()` is a density; for all other mechanisms it is a
#' probability. A hidden count is `-Inf` (see [mechanisms]). Densities and probabilities are sums over all
#' true counts that matter, and their logarithms have errors of about 1e-13 (relative errors if the logarithm
#' is above 1 in absolute value). With Skellam noise of a variance above 1e6 errors may be larger. For a
#' [custom_mechanism()], errors of `pprivcount()` are about 1e-14, absolutely.
#'
#' @param x,q Releases.
#' @param p Probabilities.
#' @param n Number of draws; if its length is above 1, the length is used.
#' @param mu Means of the true counts, at least 0.
#' @param mechanism The mechanism: see [mechanisms]. Its parameters are one number each, or one per result.
#' @param dispersion Variances of the true counts divided by their means, at least 1 and finite.
#' @param log,log.p If `TRUE`, densities and probabilities are logarithms.
#' @param lower.tail If `TRUE`, probabilities are `P(X <= x)`, otherwise `P(X > x)`.
#' @return `dprivcount()` returns the density, `pprivcount()` the lower (or upper) tail probability,
#'   `qprivcount()` the smallest release with `P(X <= x) >= p` (for upper tails, with `P(X > x) <= p`), and
#'   `rprivcount()` random draws from R's generator. Arguments are recycled. The result is `NaN`, with a
#'   warning, where a parameter or a probability is outside its range; the density of an impossible release is
#'   0.
#' @section Errors: An error of class `ldpcounts_error` is thrown for arguments that are not numeric, and for
#' other mechanisms.
#' @seealso [dprivpois()] and [dprivnbinom()] for the geometric mechanism; [dtruecount()] for the true count.
#' @examples
#' # a count with mean 4, rounded at random to a multiple of 3
#' r <- seq(0, 15, 3)
#' dprivcount(r, mu = 4, random_rounding(3))
#' sum(dprivcount(r, 4, random_rounding(3)))
#' # counts from 1 to 9 are suppressed: how often?
#' dprivcount(-Inf, mu = c(1, 4, 20), suppression(1, 9), dispersion = 2)
#' set.seed(1)
#' rprivcount(5, mu = 4, discrete_gaussian_noise(2))
#' @export
dprivcount <- function(x, mu, mechanism, dispersion = 1, log = FALSE) {
  check_mechanism(mechanism)
  if (mechanism$kind == "geometric") {
    numbers <- list(x = x, mu = mu, alpha = mechanism$parameters$alpha, dispersion = dispersion)
    return(dist_density("privnbinom", numbers, log))
  }
  check_flag(log, "log")
  numbers <- as_numbers(list(x = x, mu = mu, dispersion = dispersion), rlang::current_env())
  value <- count_behind(MASS, mechanism, numbers$x, numbers$mu, numbers$dispersion, impossible = -Inf)
  warn_nan(shaped(if (log) value else exp(value), numbers), numbers)
}

#' @rdname dprivcount
#' @export
pprivcount <- function(q, mu, mechanism, dispersion = 1, lower.tail = TRUE, log.p = FALSE) {
  check_mechanism(mechanism)
  numbers <- as_numbers(list(q = q, mu = mu, dispersion = dispersion), rlang::current_env())
  check_flag(lower.tail, "lower.tail")
  check_flag(log.p, "log.p")
  value <- release_cdf(mechanism, numbers$q, numbers$mu, numbers$dispersion, lower.tail)
  warn_nan(shaped(if (log.p) value else exp(value), numbers), numbers)
}

#' @rdname dprivcount
#' @export
qprivcount <- function(p, mu, mechanism, dispersion = 1, lower.tail = TRUE, log.p = FALSE) {
  check_mechanism(mechanism)
  numbers <- as_numbers(list(p = p, mu = mu, dispersion = dispersion), rlang::current_env())
  cdf <- function(x, at) {
    release_cdf(mechanism_at(mechanism, at, n), x, numbers$mu[at], numbers$dispersion[at], lower.tail)
  }
  n <- common_length(numbers)
  shape <- numbers
  numbers <- lapply(numbers, rep_len, n)
  log_p <- log_probability(numbers$p, lower.tail, log.p)
  reached <- function(x, at) is_reached(cdf(x, at), log_p[at], lower.tail)
  defined <- !is.na(log_p) & valid_count(numbers$mu, numbers$dispersion)
  value <- if (mechanism$kind == "custom") {
    call <- rlang::current_env()
    custom_quantile(mechanism$custom, log_p, numbers$mu, numbers$dispersion, lower.tail, call)
  } else {
    search_quantiles(reached, defined, mechanism, -Inf)
  }
  warn_nan(shaped(value, shape), numbers)
}

#' @rdname dprivcount
#' @export
rprivcount <- function(n, mu, mechanism, dispersion = 1) {
  check_mechanism(mechanism)
  n <- if (length(n) > 1) length(n) else check_whole(n, "n", 0)
  numbers <- lapply(as_numbers(list(mu = mu, dispersion = dispersion), rlang::current_env()), rep_len, n)
  valid <- valid_count(numbers$mu, numbers$dispersion)
  y <- rep(NaN, n)
  of_valid <- list(mu = numbers$mu[valid], alpha = 0, dispersion = numbers$dispersion[valid])
  y[valid] <- dist_draw("privnbinom", sum(valid), of_valid)
  drawn <- draw_release(mechanism, y)
  drawn[!valid] <- NaN
  warn_if(!all(valid), "NaNs produced.")
  drawn
}

# --- computations in C ----------------------------------------------------------------------------

# What rc_mechanism() of src/rc_mechanism.c computes, and the events that it knows (ldp_event).
MASS <- 0L
PMF <- 1L
LOWER <- 2L
UPPER <- 3L
CUMULANT <- 4L
DRAW <- 5L
RELEASED <- 0L
AT_MOST <- 1L
ABOVE <- 2L

common_length <- function(numbers) if (min(lengths(numbers)) == 0) 0L else max(lengths(numbers))

# The attributes of base R's rule: of the arguments of the length of the value, those of an earlier one win.
shaped <- function(value, numbers) {
  like <- Find(function(x) length(x) == length(value), numbers)
  if (!is.null(like)) attributes(value) <- attributes(like)
  value
}

valid_count <- function(mu, dispersion) {
  is.finite(mu) & mu >= 0 & is.finite(dispersion) & dispersion >= 1
}

# Calls rc_mechanism(), which gets valid numbers only. NA where an argument is, NaN where a parameter is out
# of its range, `impossible` for an impossible release. Without a count given a release, the answer for true
# counts is NaN.
count_behind <- function(what, mechanism, release, mu, dispersion, x = 0, event = RELEASED, impossible = NaN,
                         call = rlang::caller_env()) {
  n <- common_length(list(release, mu, dispersion, x))
  if (n == 0) {
    return(numeric())
  }
  each <- list(release = release, mu = mu, dispersion = dispersion, x = x)
  each <- lapply(each, function(x) rep_len(as.vector(x), n))
  check_lengths(mechanism, n, n, call)
  missing <- each$release + each$mu + each$dispersion + each$x
  missing[is.infinite(each$release) | is.infinite(each$x)] <- 0
  unknown <- is.na(each$release) | is.na(each$mu) | is.na(each$dispersion) | is.na(each$x)
  value <- ifelse(unknown, missing, NaN)
  valid <- !unknown & valid_count(each$mu, each$dispersion)
  if (event == RELEASED) {
    bad <- valid & impossible_releases(mechanism, each$release)$bad
    value[bad] <- impossible
    valid <- valid & !bad
  }
  at <- which(valid)
  if (length(at) == 0) {
    return(value)
  }
  each <- lapply(each, `[`, at)
  code <- mechanism_code(mechanism_at(mechanism, at, n), each$release, call)
  value[at] <- call_mechanism(what, code, each$release, each$mu, each$dispersion - 1, each$x, event)
  value
}

# `code`: of mechanism_code(). The numbers are valid; excess is dispersion - 1.
call_mechanism <- function(what, code, release, mu, excess, x = 0, event = RELEASED) {
  .Call(C_rc_mechanism, what, code, code$level, event, as.double(release), as.double(mu), as.double(excess),
    as.double(x), n_threads()
  )
}

# log P(release <= q), or of the upper tail.
release_cdf <- function(mechanism, q, mu, dispersion, lower, call = rlang::caller_env()) {
  if (mechanism$kind == "custom") {
    return(custom_cdf(mechanism$custom, q, mu, dispersion, lower, call))
  }
  p <- mechanism$parameters
  of_count <- function(q, lower) {
    dist_probability("privnbinom", list(q = q, mu = mu, alpha = 0, dispersion = dispersion), lower, TRUE)
  }
  switch(mechanism$kind,
    geometric = dist_probability("privnbinom",
      list(q = q, mu = mu, alpha = p$alpha, dispersion = dispersion), lower, TRUE
    ),
    none = of_count(q, lower),
    thinning = dist_probability("privnbinom",
      list(q = q, mu = mu * p$prob, alpha = 0, dispersion = 1 + (dispersion - 1) * p$prob), lower, TRUE
    ),
    withheld = {
      # a withheld count is below all shown ones
      most <- if (mechanism$noise$kind %in% REAL_NOISE) p$below else ceiling(p$below) - 1
      release_cdf(mechanism$noise, pmax(q, most), mu, dispersion, lower)
    },
    suppression = {
      value <- of_count(ifelse(q >= p$from, pmax(q, p$to), q), lower)
      other <- if (lower) {
        count_behind(MASS, mechanism, HIDDEN, mu, dispersion)
      } else {
        of_count(p$to, FALSE)
      }
      # below the range, its counts belong to the lower tail
      apart <- exp(if (lower) value else of_count(p$from - 1, TRUE)) -
        (if (lower) 0 else exp(of_count(pmin(q, p$from - 1), TRUE))) + exp(other)
      ifelse(q < p$from, log(apart), value)
    },
    {
      value <- count_behind(MASS, mechanism, ifelse(is.infinite(q), 0, q), mu, dispersion,
        event = if (lower) AT_MOST else ABOVE
      )
      ifelse(is.infinite(q) & !is.na(value), ifelse((q > 0) == lower, 0, -Inf), value)
    }
  )
}

# The same for a custom mechanism, from the probabilities of all releases.
custom_cdf <- function(custom, q, mu, dispersion, lower, call) {
  n <- common_length(list(q, mu, dispersion))
  q <- rep_len(q, n)
  value <- custom_values(custom, q, rep_len(mu, n), rep_len(dispersion, n), call, function(possible, at) {
    tail_sums(possible$p, lower)[findInterval(q[at], possible$release) + 1]
  })
  log(value)
}

custom_quantile <- function(custom, log_p, mu, dispersion, lower, call) {
  custom_values(custom, log_p, mu, dispersion, call, function(possible, at) {
    log_sums <- log(tail_sums(possible$p, lower))
    reached <- vapply(log_p[at], function(p) which(is_reached(log_sums, p, lower))[1], 0L)
    ends <- c(-Inf, possible$release)
    ifelse(custom$from < Inf & log_p[at] == (if (lower) 0 else -Inf), Inf, ends[reached])
  })
}

# P(X <= x), or P(X > x), below all values of X and at each of them.
tail_sums <- function(p, lower) pmin(1, if (lower) cumsum(c(0, p)) else rev(cumsum(c(0, rev(p)))))

# Calls f(possible, at) for the elements `at` with the same distribution of releases, which is `possible`. NA and
# NaN stay.
custom_values <- function(custom, x, mu, dispersion, call, f) {
  value <- x + mu + dispersion
  value[!is.na(value) | is.infinite(x)] <- NaN
  value[is.na(x)] <- x[is.na(x)]
  at <- which(!is.na(x) & valid_count(mu, dispersion))
  for (same in split(at, paste(mu, dispersion)[at])) {
    value[same] <- f(mixed_releases(custom, mu[same[1]], dispersion[same[1]], call), same)
  }
  value
}

# The probabilities of releases, without true counts whose probability is below 1e-18.
mixed_releases <- function(custom, mu, dispersion, call) {
  of_count <- list(mu = mu, alpha = 0, dispersion = dispersion)
  ends <- vapply(c(TRUE, FALSE), function(lower) {
    dist_quantile("privnbinom", c(list(p = log(1e-18)), of_count), lower, TRUE)
  }, 0)
  y <- seq(ends[1], ends[2])
  mix_releases(custom, y, dist_density("privnbinom", c(list(x = y), of_count), FALSE), call)
}

# --- quantiles ------------------------------------------------------------------------------------

# The log of a probability; NaN if it is none.
log_probability <- function(p, lower.tail, log.p, call = rlang::caller_env()) {
  check_flag(lower.tail, "lower.tail", call)
  check_flag(log.p, "log.p", call)
  valid <- if (log.p) p <= 0 else p >= 0 & p <= 1
  suppressWarnings(ifelse(is.na(p), p, ifelse(valid, if (log.p) p else log(p), NaN)))
}

# Is a probability p of a tail reached? Up to rounding.
is_reached <- function(log_cdf, log_p, lower) if (lower) log_cdf >= log_p - 1e-14 else log_cdf <= log_p + 1e-14

# The smallest number at which reached(x, at) is TRUE for the elements `at`: a whole number, or a real one for
# real noise. `lowest`: nothing is below it. Bisection between -2^60 and 2^60: at 0, then at geometric means
# of bounds that are far apart, otherwise at arithmetic ones.
search_quantiles <- function(reached, defined, mechanism, lowest) {
  value <- rep(NaN, length(defined))
  open <- which(defined)
  if (length(open) == 0) {
    return(value)
  }
  real <- before_withholding(mechanism)$kind %in% REAL_NOISE
  at_once <- reached(rep(lowest, length(open)), open)
  low <- rep(max(lowest, -2^60), length(open))
  high <- ifelse(at_once, low, 2^60)
  repeat {
    at <- which(high - low > if (real) 4e-16 * (abs(high) + abs(low)) + 1e-15 else 1)
    if (length(at) == 0) break
    near <- pmax(pmin(abs(low[at]), abs(high[at])), 1)
    far <- pmax(abs(low[at]), abs(high[at]))
    between <- ifelse(low[at] < 0 & high[at] > 0, 0,
      ifelse(far > 4 * near, sign(low[at] + high[at]) * sqrt(near * far), (low[at] + high[at]) / 2)
    )
    if (!real) between <- floor(between)
    yes <- reached(between, open[at])
    high[at[yes]] <- between[yes]
    low[at[!yes]] <- between[!yes]
  }
  value[open] <- ifelse(at_once, lowest, ifelse(high == 2^60, Inf, ifelse(low == -2^60, -Inf, high)))
  value
}

# --- true counts ----------------------------------------------------------------------------------

# The functions of dtruecount() and its siblings, for a mechanism. `numbers`: their numeric arguments, by name, of
# which alpha is NULL.

numbers_behind <- function(numbers, call) as_numbers(numbers[names(numbers) != "alpha"], call)

# Densities or tail probabilities, as `what` says, or their logs. The first of the numbers is the true count.
behind_probability <- function(what, numbers, mechanism, log, call = rlang::caller_env()) {
  numbers <- numbers_behind(numbers, call)
  value <- count_behind(what, mechanism, numbers$y_tilde, numbers$mu, numbers$dispersion, numbers[[1]])
  warn_nan(shaped(if (log) value else exp(value), numbers), numbers)
}

behind_quantile <- function(numbers, mechanism, lower.tail, log.p, call = rlang::caller_env()) {
  shape <- numbers_behind(numbers, call)
  n <- common_length(shape)
  numbers <- lapply(shape, rep_len, n)
  log_p <- log_probability(numbers$p, lower.tail, log.p, call)
  at_least <- function(x, at) {
    cdf <- count_behind(if (lower.tail) LOWER else UPPER, mechanism_at(mechanism, at, n), numbers$y_tilde[at],
      numbers$mu[at], numbers$dispersion[at], x
    )
    is_reached(cdf, log_p[at], lower.tail)
  }
  zero <- count_behind(LOWER, mechanism, numbers$y_tilde, numbers$mu, numbers$dispersion, rep(0, n))
  value <- search_quantiles(at_least, !is.na(log_p) & !is.na(zero), new_mechanism("none"), 0)
  warn_nan(shaped(value, shape), numbers)
}

behind_draw <- function(n, numbers, mechanism, call = rlang::caller_env()) {
  n <- if (length(n) > 1) length(n) else check_whole(n, "n", 0, call = call)
  numbers <- lapply(numbers_behind(numbers, call), rep_len, n)
  drawn <- count_behind(DRAW, mechanism, numbers$y_tilde, numbers$mu, numbers$dispersion)
  warn_if(anyNA(drawn), "NaNs produced.")
  drawn
}

# Cumulant `which` of the true count.
behind_cumulant <- function(which, numbers, mechanism, call = rlang::caller_env()) {
  numbers <- numbers_behind(numbers, call)
  value <- count_behind(CUMULANT, mechanism, numbers$y_tilde, numbers$mu, numbers$dispersion, which)
  warn_nan(shaped(value, numbers), numbers)
}

# Rough true counts of a release of another mechanism, for starting values.
rough_counts <- function(mechanism, counts) {
  p <- mechanism$parameters
  hidden <- which(counts == HIDDEN)
  if (mechanism$kind == "suppression") counts[hidden] <- (rep_len(p$from, length(counts)) + 1)[hidden]
  if (mechanism$kind %in% c("withheld", "custom")) counts[hidden] <- 0
  if (mechanism$kind == "thinning") counts / p$prob else counts
}
