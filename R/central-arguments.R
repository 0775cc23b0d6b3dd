# Arguments of the functions with central differential privacy: epsilon, delta, alpha0, the budget.

check_total_epsilon <- function(x, call = rlang::caller_env()) {
  ok <- is.numeric(x) && is_one(x) && !is.na(x) && x >= EPSILON_LEAST && (x <= EPSILON_MOST || x == Inf)
  expected <- paste("one number from", EPSILON_LEAST, "to", EPSILON_MOST, "or Inf")
  if (!ok) abort_argument(x, "epsilon", expected, call)
  as.double(x)
}

# With a smaller epsilon the noise overflows; with a larger one it is lost in rounding.
EPSILON_LEAST <- 1e-50
EPSILON_MOST <- 1e15

# Products of three such numbers are finite.
CONCENTRATION_MOST <- 1e100

check_concentration <- function(x, call = rlang::caller_env()) {
  ok <- is_number(x) && x > 0 && x <= CONCENTRATION_MOST
  if (!ok) abort_argument(x, "alpha0", paste("one positive number, at most", CONCENTRATION_MOST), call)
  as.double(x)
}

# Numbers below 1e-300, and shares of them, are below the range of doubles.
check_delta <- function(x, call = rlang::caller_env()) {
  ok <- is_number(x) && x >= 0 && x < 1 && (x == 0 || x >= 1e-300)
  if (!ok) abort_argument(x, "delta", "one number in [0, 1), 0 or at least 1e-300", call)
  as.double(x)
}

check_budget <- function(epsilon, delta, call = rlang::caller_env()) {
  epsilon <- check_total_epsilon(epsilon, call)
  delta <- check_delta(delta, call)
  check_that(epsilon == Inf || delta > 0,
    "{.arg delta} must be above 0 for a finite {.arg epsilon}: with Gaussian noise, delta cannot be 0.",
    call
  )
}
