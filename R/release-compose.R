# Adds further noise to a release, so that the total noise is again two-sided geometric.

# Checks whether further noise can be added to a release, and returns its fields.
check_composable <- function(y, compose, directed, call = rlang::caller_env()) {
  check_that(compose, c(
    "{.arg y} is a release already.",
    i = "To make it more private by adding further noise, use {.code compose = TRUE}.",
    i = "(A second release of the same true counts would spend privacy twice.)"
  ), call)
  level <- privacy(y)
  check_that(level$directed == directed,
    "{.arg directed} must be {level$directed}, as in {.arg y}.", call
  )
  check_that(!level$clamped, c(
    "{.arg y} is clamped at zero, so it cannot be made more private.",
    i = "After clamping, further noise does not give two-sided geometric noise."
  ), call)
  # no noise, or so little that alpha is rounded to 0
  check_that(all(level$epsilon / level$precision < GAMMA_MAX), c(
    "{.arg y} has rows without noise (alpha = 0).",
    i = "These rows are true counts: give them to {.fn privatize} as a matrix."
  ), call)
  fields_of(y)
}

# For each row, the more private of two levels: the level `before`, and the requested level. `noise`: the
# rates for the sampler, s_now/t_now of the noise so far and s/t of the total noise.
more_private <- function(before, asked, n_row) {
  if (n_row == 0) {
    return(asked)
  }
  now <- rates_in_force(before, n_row)
  stays <- now$s / now$t <= asked$s / asked$t
  either <- function(old, new) collapse(ifelse(stays, rep_len(old, n_row), rep_len(new, n_row)))
  level <- Map(either, before[LEVEL_FIELDS], asked[LEVEL_FIELDS])
  level$rng <- if (all(stays)) before$rng else combine_rng(c(before$rng, asked$rng))
  level$noise <- list(
    s = ifelse(stays, now$s, asked$s), t = ifelse(stays, now$t, asked$t),
    s_now = now$s, t_now = now$t
  )
  unchanged <- "The release is at least as private already: no noise was added."
  tell_if(all(stays), unchanged, "ldpcounts_private_already")
  level
}

# gamma = s/t of a release, one per row. For counts that were noised elsewhere this is epsilon / precision if
# both are short decimal numbers, otherwise -log(alpha), rounded up if necessary, so that not too little
# noise is added.
rates_in_force <- function(fields, n_row) {
  level <- lapply(c(fields[LEVEL_FIELDS], list(epsilon = epsilon_of(fields))), rep_len, n_row)
  elsewhere <- is.na(level$s)
  if (any(elsewhere)) {
    loss <- -log(level$alpha)
    gamma <- as_fraction(short_decimal(loss))
    cut <- is.na(gamma$num)
    gamma$num[cut] <- ceiling(loss[cut] * 2^20)
    gamma$den[cut] <- 2^20
    typed <- is_typed(level$epsilon) & is_typed(level$precision)
    choose <- function(if_typed, other) Map(function(a, b) ifelse(typed, a, b), if_typed, other)
    fraction <- fit_fraction(
      choose(as_fraction(level$epsilon), gamma),
      choose(as_fraction_above(level$precision), list(num = 1, den = 1))
    )
    level$s[elsewhere] <- fraction$s[elsewhere]
    level$t[elsewhere] <- fraction$t[elsewhere]
  }
  level[c("s", "t")]
}
