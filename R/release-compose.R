# Further noise for what is a release already, so that the whole is two-sided geometric again.

# The fields of a release that may get further noise.
check_composable <- function(y, compose, directed, call = rlang::caller_env()) {
  check_that(compose, c(
    "{.arg y} is private already.",
    i = "A second release of the same true counts would spend privacy twice.",
    i = "{.code compose = TRUE} makes this release more private by further noise."
  ), call)
  level <- privacy(y)
  check_that(level$directed == directed,
    "{.arg directed} must be {level$directed}, as that of {.arg y} is.", call
  )
  check_that(!level$clamped, c(
    "{.arg y} is clamped at zero, and cannot be made more private.",
    i = "After clamping, further noise does not give two-sided geometric noise."
  ), call)
  # no noise, or so little that there is none
  check_that(all(level$epsilon / level$precision < GAMMA_MAX), c(
    "{.arg y} has rows without noise (alpha = 0).",
    i = "Those are true counts: give them to {.fn privatize} as a matrix."
  ), call)
  fields_of(y)
}

# Row by row, the more private of two levels: what was in force `before`, and what is asked for.
# `noise`: the rates for the sampler, s_now/t_now of the noise so far and s/t of the whole.
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
  unchanged <- "These counts are as private already: nothing was added."
  tell_if(all(stays), unchanged, "ldpcounts_private_already")
  level
}

# gamma = s/t of a release, one per row. Of counts that were noised elsewhere: epsilon / precision
# if both are short decimals, else -log(alpha), rounded up where it is none, so that not too
# little is added.
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
