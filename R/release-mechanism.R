# Mechanisms: how counts were protected before they were published. What they are, in words, and what they do
# to true counts; their parameters as the C code reads them (src/ldp_mechanism.h).

#' Mechanisms that protect counts
#'
#' Objects that say how counts were protected before they were published: by noise, by rounding, by
#' suppression, by classes, or by sampling. [private_counts()] takes them as its argument `mechanism`, and the
#' models account for them.
#'
#' @param epsilon,precision,alpha The privacy parameters of the geometric mechanism, as in [privatize()];
#'   exactly one of `epsilon` and `alpha`.
#' @param sd The standard deviation of the noise; for `discrete_gaussian_noise()` the parameter of
#'   `P(t)` in proportion to `exp(-t^2 / (2 sd^2))`, which is the standard deviation up to a negligible
#'   difference if it is at least 1.
#' @param scale The scale of Laplace noise: the mean of its absolute value.
#' @param variance The variance of Skellam noise, the difference of two Poisson numbers with the same mean.
#' @param base Counts are rounded to multiples of this whole number.
#' @param from,to Counts from `from` to `to` are suppressed: it is known only that they are in this range.
#' @param breaks The lowest count of each class, in ascending order, beginning with 0. The last class has no
#'   upper end.
#' @param noise The mechanism of the noise: any of those whose name ends in `_noise`.
#' @param below Noised counts below this number are withheld, that is, not shown.
#' @param prob The probability that a unit is kept.
#' @param log_pmf A function of two vectors of the same length, releases and true counts, that returns the
#'   logarithms of `P(release | true count)`, `-Inf` for what is impossible.
#' @param support The possible releases, all that are listed: `seq(0, 30, 3)`, or `c(-Inf, 10:99)` with a
#'   hidden count. If all whole numbers from a number on are releases, this number and `Inf`:
#'   `c(-Inf, Inf)` is all whole numbers, `c(0, Inf)` those of at least 0, and `c(-Inf, 0, Inf)` has hidden
#'   counts too.
#' @param ... Must be empty.
#' @details
#' Parameters other than `breaks` are one number, one per row of the data, or one per cell.
#'
#' * Noise is added to the true count. Geometric, discrete Gaussian and Skellam noise are whole numbers;
#'   Laplace and Gaussian noise are real numbers.
#' * `random_rounding()` replaces a count by one of the two multiples of `base` next to it, at random, so that
#'   the mean is the true count. A multiple of the base stays as it is. `rounding()` takes the nearest
#'   multiple, and the larger one if both are equally near.
#' * `suppression()` hides the counts of a range, and shows all others. `count_classes()` shows only the class
#'   of a count, and the released count is the lowest count of this class. (For answers such as "0", "1 to 2",
#'   "3 to 5", "6 or more" `breaks` is `c(0, 1, 3, 6)`.)
#' * `withheld()` adds noise, and hides what is below a limit.
#' * `thinning()` keeps each unit with a probability. The released count is the number of units that are kept.
#' * `no_noise()` is for true counts.
#' * `custom_mechanism()` is any other mechanism whose releases are discrete and depend on the true count
#'   alone. See the section on custom mechanisms.
#'
#' A hidden count (one that is suppressed or withheld) is `-Inf` in a release.
#' @return The constructors return an object of class `ldp_mechanism`. Its `print()` method says in words what
#'   the mechanism does, what it protects, and what it does not.
#'
#'   `simulate()` returns releases of the counts `y`, in the shape of `y`, drawn by R's generator; a list of
#'   them if `nsim` is above 1.
#'
#'   [privacy()] returns the privacy loss of a mechanism.
#' @section Custom mechanisms:
#' For each true count, the probabilities of all releases in `support` must have the sum 1 (with an error up
#' to 1e-8), or all be 0 if the count is impossible. This is checked for some true counts up to 100, and for
#' each count of which releases are drawn. If `support` is infinite, releases up to 2^20 away from the true
#' count are searched.
#'
#' For each different release in the data, `log_pmf` is called for all true counts from 0 to 32,767, or to
#' twice the release if this is larger. Probabilities below 1e-325 of the largest one of a release are taken
#' as 0. If those in the upper half are larger, but have logarithms on a straight line, the line is continued:
#' this is exact for releases such as "100 or more" and for geometric noise. Otherwise more true counts are
#' tried, and those above 1,048,575 are taken as impossible.
#'
#' Distributions of true counts, and draws from them, are sums over all true counts that matter. No shape of
#' `log_pmf` is assumed, so these are slower than for other mechanisms, in proportion to the standard
#' deviation of the true count.
#' @section Privacy loss:
#' The loss is that of two records whose counts differ by 1 in a single cell; for geometric noise `epsilon` is
#' that of records that differ by at most `precision` counts in total. Geometric and Laplace noise have a pure
#' loss `epsilon`. Discrete Gaussian and Gaussian noise have `rho = 1 / (2 sd^2)` of zero-concentrated
#' differential privacy, from which `epsilon` follows for a given `delta` by the conversion of Canonne, Kamath
#' and Steinke (2020, proposition 12), minimised over its order. For Skellam noise, `epsilon` at `delta` is
#' computed from its probabilities. Withheld counts have the loss of their noise. Rounding, suppression,
#' classes and thinning do not give differential privacy: some releases are possible with one true count and
#' impossible with another.
#'
#' For noise of real numbers this is the loss of ideal noise. Numbers in a computer have finitely many digits,
#' and noise that is computed with them can reveal the true count by its last digits (Mironov 2012).
#' @references
#' Agarwal, N., Kairouz, P. and Liu, Z. (2021). The Skellam mechanism for differentially private federated
#' learning. *Advances in Neural Information Processing Systems* 34.
#'
#' Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy. *Advances
#' in Neural Information Processing Systems* 33.
#'
#' Mironov, I. (2012). On significance of the least significant bits for differential privacy. *ACM Conference
#' on Computer and Communications Security*, 650-661.
#' @seealso [private_counts()] to declare protected counts; [dprivcount()] for the distributions of releases
#'   and of true counts under any mechanism; [plan_study()] and [compare_methods()] for what noise costs.
#' @examples
#' privacy(discrete_gaussian_noise(2), delta = 1e-6)$epsilon
#' # counts with this noise, of which those below 5 are hidden
#' simulate(withheld(discrete_gaussian_noise(2), below = 5), y = c(0, 1, 4, 12), seed = 1)
#' # a table as it was published
#' private_counts(matrix(c("12", "<10", "0", "31"), 2), mechanism = suppression(1, 9))
#' # a mechanism of one's own: each count is published with probability 0.9, otherwise hidden
#' log_pmf <- function(release, y) {
#'   ifelse(release == -Inf, log(0.1), ifelse(release == y, log(0.9), -Inf))
#' }
#' dtruecount(0:3, -Inf, mu = 2, mechanism = custom_mechanism(log_pmf, support = c(-Inf, 0, Inf)))
#' @name mechanisms
NULL

# A mechanism.
#
#   kind         its name in MECHANISMS
#   parameters   a named list of numbers: one, one per row, or one per cell (but for the breaks of classes)
#   noise        of withheld counts, the mechanism of the noise
#   custom       of mechanisms that users define, list(log_pmf =, listed =, from =): see R/release-custom.R
new_mechanism <- function(kind, parameters = list(), noise = NULL, custom = NULL) {
  structure(
    list(kind = kind, parameters = parameters, noise = noise, custom = custom), class = "ldp_mechanism"
  )
}

# What is known of each kind: its code in src/ldp_mechanism.h; the names of its parameters; what it does; what
# it protects (of noise: NULL, because its privacy loss says so), and its name in a sentence; and a function
# that draws releases of counts, given the parameters.
MECHANISMS <- list(
  none = list(
    noun = "no noise", code = 0L, does = "No noise",
    protects = "The counts carry no noise and are not protected."
  ),
  geometric = list(
    code = 1L, parameters = c("alpha", "precision"), does = "Two-sided geometric noise",
    draw = function(y, p) y + stats::rgeom(length(y), 1 - p$alpha) - stats::rgeom(length(y), 1 - p$alpha)
  ),
  discrete_gaussian = list(
    code = 2L, parameters = "sd", does = "Discrete Gaussian noise",
    draw = function(y, p) y + draw_discrete_gaussian(rep_len(p$sd, length(y)))
  ),
  laplace = list(
    code = 3L, parameters = "scale", does = "Laplace noise",
    draw = function(y, p) y + p$scale * (stats::rexp(length(y)) - stats::rexp(length(y)))
  ),
  gaussian = list(
    code = 4L, parameters = "sd", does = "Gaussian noise", draw = function(y, p) y + stats::rnorm(length(y), 0, p$sd)
  ),
  skellam = list(
    code = 5L, parameters = "variance", does = "Skellam noise",
    draw = function(y, p) {
      y + stats::rpois(length(y), p$variance / 2) - stats::rpois(length(y), p$variance / 2)
    }
  ),
  random_rounding = list(
    noun = "random rounding", code = 6L, parameters = "base", does = "Random rounding to a multiple of the base",
    protects = "It hides differences smaller than the base. It does not hide that a count is far from 0.",
    draw = function(y, p) y - y %% p$base + p$base * (stats::runif(length(y)) < (y %% p$base) / p$base)
  ),
  rounding = list(
    noun = "rounding", code = 7L, parameters = "base", does = "Rounding to the nearest multiple of the base",
    protects = "It hides differences smaller than half of the base. Equal counts have equal releases.",
    draw = function(y, p) p$base * floor(y / p$base + 1 / 2)
  ),
  suppression = list(
    noun = "suppression", code = 8L, parameters = c("from", "to"), does = "Suppression of the counts in a range",
    protects = "It hides which count of the range a suppressed count is. All other counts are shown.",
    draw = function(y, p) ifelse(y >= p$from & y <= p$to, HIDDEN, y)
  ),
  classes = list(
    noun = "a release in classes", code = 9L, parameters = "breaks", does = "Counts in classes",
    protects = "It hides which count of its class a count is.",
    draw = function(y, p) p$breaks[findInterval(y, p$breaks)]
  ),
  thinning = list(
    noun = "thinning", code = 10L, parameters = "prob", does = "Thinning: every unit is kept with a probability",
    protects = "It hides whether a unit that is not shown exists. A unit that is shown is not protected.",
    draw = function(y, p) as.double(stats::rbinom(length(y), y, p$prob))
  ),
  withheld = list(parameters = "below", does = "Withheld below a limit, after the noise was added"),
  custom = list(
    code = 11L, does = "A mechanism defined by the user",
    protects = "What it protects follows from its probabilities, and is not examined."
  )
)

# The mechanism itself or, of withheld counts, that of their noise.
before_withholding <- function(mechanism) if (is.null(mechanism$noise)) mechanism else mechanism$noise

WHOLE_NOISE <- c("geometric", "discrete_gaussian", "skellam")
REAL_NOISE <- c("laplace", "gaussian")

# A count that is suppressed or withheld.
HIDDEN <- -Inf

hides_counts <- function(mechanism) {
  mechanism$kind %in% c("suppression", "withheld") || HIDDEN %in% mechanism$custom$listed
}

is_mechanism <- function(x) inherits(x, "ldp_mechanism")

check_mechanism <- function(x, arg = "mechanism", call = rlang::caller_env()) {
  if (!is_mechanism(x)) abort_argument(x, arg, "a mechanism, such as `discrete_gaussian_noise(2)`", call)
  x
}

# --- constructors ---------------------------------------------------------------------------------

#' @rdname mechanisms
#' @export
geometric_noise <- function(epsilon = NULL, precision = 1, ..., alpha = NULL) {
  check_no_dots(...)
  check_one_of_two(epsilon, alpha)
  check_precision(precision)
  if (is.null(alpha)) {
    check_epsilon(epsilon)
    check_same_length(list(epsilon = epsilon, precision = precision))
    alpha <- alpha_of_rate(epsilon / precision)
  }
  check_alpha(alpha, zero = FALSE)
  check_same_length(list(alpha = alpha, precision = precision))
  new_mechanism("geometric", list(alpha = as.double(alpha), precision = as.double(precision)))
}

#' @rdname mechanisms
#' @export
discrete_gaussian_noise <- function(sd) {
  new_mechanism("discrete_gaussian", list(sd = check_parameter(sd, "sd")))
}

#' @rdname mechanisms
#' @export
laplace_noise <- function(scale) new_mechanism("laplace", list(scale = check_parameter(scale, "scale")))

#' @rdname mechanisms
#' @export
gaussian_noise <- function(sd) new_mechanism("gaussian", list(sd = check_parameter(sd, "sd")))

#' @rdname mechanisms
#' @export
skellam_noise <- function(variance) {
  new_mechanism("skellam", list(variance = check_parameter(variance, "variance")))
}

#' @rdname mechanisms
#' @export
random_rounding <- function(base) new_mechanism("random_rounding", list(base = check_least(base, "base", 2)))

#' @rdname mechanisms
#' @export
rounding <- function(base) new_mechanism("rounding", list(base = check_least(base, "base", 2)))

#' @rdname mechanisms
#' @export
suppression <- function(from, to) {
  from <- check_least(from, "from", 0)
  to <- check_least(to, "to", 0)
  check_same_length(list(from = from, to = to))
  check_that(all(from <= to), "{.arg from} must not be above {.arg to}.")
  new_mechanism("suppression", list(from = from, to = to))
}

#' @rdname mechanisms
#' @export
count_classes <- function(breaks) {
  breaks <- check_least(breaks, "breaks", 0)
  check_that(breaks[1] == 0 && all(diff(breaks) > 0), "{.arg breaks} must begin with 0 and ascend.")
  new_mechanism("classes", list(breaks = breaks))
}

#' @rdname mechanisms
#' @export
withheld <- function(noise, below) {
  check_mechanism(noise, "noise")
  check_that(noise$kind %in% c(WHOLE_NOISE, REAL_NOISE), c(
    "{.arg noise} must be a mechanism that adds noise.", x = "It is {.val {noise$kind}}."
  ))
  below <- check_per_row(below, "below", NULL, is.finite, "a finite number")
  check_same_length(c(noise$parameters, list(below = below)))
  new_mechanism("withheld", list(below = below), noise)
}

#' @rdname mechanisms
#' @export
thinning <- function(prob) {
  prob <- check_per_row(prob, "prob", NULL, function(x) x > 0 & x < 1, "a number between 0 and 1")
  new_mechanism("thinning", list(prob = prob))
}

#' @rdname mechanisms
#' @export
no_noise <- function() new_mechanism("none")

#' @rdname mechanisms
#' @export
custom_mechanism <- function(log_pmf, support) {
  new_mechanism("custom", custom = new_custom(log_pmf, support, rlang::current_env()))
}

check_parameter <- function(x, arg, call = rlang::caller_env()) {
  check_per_row(x, arg, NULL, function(x) x > 0, "a positive, finite number", call)
}

check_least <- function(x, arg, least, call = rlang::caller_env()) {
  whole <- function(x) x >= least & x == round(x) & x < 2^53
  check_per_row(x, arg, NULL, whole, paste("a whole number of at least", least), call)
}

check_same_length <- function(parameters, call = rlang::caller_env()) {
  many <- unique(lengths(parameters)[lengths(parameters) > 1])
  check_that(length(many) < 2, c(
    "Parameters that are not one number must have the same length.", x = "Their lengths are {many}."
  ), call)
}

# A mechanism of this kind, by its constructor, which checks the parameters.
make_mechanism <- function(kind, parameters, noise = NULL) {
  make <- switch(kind,
    geometric = function(alpha, precision) geometric_noise(alpha = alpha, precision = precision),
    withheld = function(below) withheld(noise, below), classes = count_classes,
    discrete_gaussian = discrete_gaussian_noise, skellam = skellam_noise, laplace = laplace_noise,
    gaussian = gaussian_noise, random_rounding = random_rounding, rounding = rounding,
    suppression = suppression, thinning = thinning
  )
  do.call(make, parameters)
}

# --- draws ----------------------------------------------------------------------------------------

#' @rdname mechanisms
#' @param object,x A mechanism.
#' @param nsim The number of releases.
#' @param seed `NULL`, or a number for [set.seed()]; R's generator is then left as it was.
#' @param y True counts: whole numbers, at least 0. `simulate(object, y)` works too.
#' @importFrom stats simulate
#' @export
simulate.ldp_mechanism <- function(object, nsim = 1, seed = NULL, ..., y) {
  check_no_dots(...)
  if (missing(y)) {
    y <- nsim
    nsim <- 1
  }
  nsim <- check_whole(nsim, "nsim", 1)
  valid <- is.numeric(y) && all(is.na(y) | (y >= 0 & y == round(y)))
  if (!valid) abort_argument(y, "y", "whole numbers of at least 0", rlang::current_env())
  check_lengths(object, NROW(y), length(y))
  draw <- function(i) replace(y + 0, TRUE, draw_release(object, as.vector(y)))
  releases <- with_seed(seed, lapply(seq_len(nsim), draw))
  if (nsim == 1) releases[[1]] else stats::setNames(releases, paste0("sim_", seq_len(nsim)))
}

# Releases of counts, NA where they are missing. Parameters are recycled.
draw_release <- function(mechanism, y, call = rlang::caller_env()) {
  known <- which(!is.na(y))
  parameters <- lapply(mechanism$parameters, function(p) {
    if (mechanism$kind == "classes" || length(p) == 1) p else rep_len(p, length(y))[known]
  })
  drawn <- if (mechanism$kind == "none") {
    y[known]
  } else if (mechanism$kind == "withheld") {
    noised <- draw_release(mechanism$noise, y)[known]
    ifelse(noised < parameters$below, HIDDEN, noised)
  } else if (mechanism$kind == "custom") {
    draw_custom(mechanism$custom, y[known], call)
  } else {
    MECHANISMS[[mechanism$kind]]$draw(y[known], parameters)
  }
  replace(rep(NA_real_, length(y)), known, drawn)
}

# Canonne, Kamath and Steinke (2020), algorithm 3, in floating point.
draw_discrete_gaussian <- function(sd) {
  drawn <- numeric(length(sd))
  open <- seq_along(sd)
  while (length(open) > 0) {
    s <- sd[open]
    t <- stats::rgeom(length(open), -expm1(-1 / s)) - stats::rgeom(length(open), -expm1(-1 / s))
    kept <- stats::runif(length(open)) < exp(-(abs(t) - s)^2 / (2 * s^2))
    drawn[open[kept]] <- t[kept]
    open <- open[!kept]
  }
  drawn
}

# --- possible releases ----------------------------------------------------------------------------

# Which numbers cannot be releases, as list(bad =, why =), where `why` completes "a released count is ...".
# Parameters are recycled; missing numbers are possible.
impossible_releases <- function(mechanism, x) {
  p <- mechanism$parameters
  whole <- function(x) is.finite(x) & x == round(x) & abs(x) < 2^53
  count <- function(x) whole(x) & x >= 0
  rule <- switch(mechanism$kind,
    none = , thinning = list(count(x), "not a whole number of at least 0"),
    laplace = , gaussian = list(is.finite(x), "not finite"),
    random_rounding = , rounding = list(count(x) & x %% p$base == 0, "not a multiple of the base"),
    suppression = list(
      x == HIDDEN | (count(x) & !(x >= p$from & x <= p$to)), "not a whole number outside the suppressed range"
    ),
    classes = list(x %in% p$breaks, "not the lowest count of a class"),
    custom = list(is_custom_release(mechanism$custom, x), "not in the support of the mechanism"),
    withheld = {
      noise <- impossible_releases(mechanism$noise, x)
      list(x == HIDDEN | (!noise$bad & x >= p$below), paste(noise$why, "or below the limit", sep = ", "))
    },
    list(whole(x), "not a whole number")
  )
  list(bad = !is.na(x) & !rule[[1]], why = rule[[2]])
}

# An error that names the first of some cells by its position.
refuse_releases <- function(cells, why, table, call) {
  if (length(cells) > 0) {
    dim <- table_dim(table)
    at <- arrayInd(cells[1], dim)
    place <- if (length(dim) == 2) paste0("row ", at[1], ", column ", at[2]) else paste0("[", toString(at), "]")
    ldp_abort(c(
      "{.arg x} contradicts the mechanism: a cell is {why}.",
      x = "{length(cells)} cell{?s} {?is/are}; the first one is at {place}."
    ), call = call)
  }
}

refuse_impossible <- function(mechanism, table, call) {
  why <- impossible_releases(mechanism, 0)$why
  at <- cells_where(table$counts, function(x) impossible_releases(mechanism, x)$bad)
  refuse_releases(at[, 1] + (at[, 2] - 1) * nrow(table$counts), why, table, call)
}

# --- marks in published tables --------------------------------------------------------------------

# Numbers and marks in text: list(x =, hidden =), where x has NA for marks and missing cells. A mark may state
# a range ("<10", "3-5", "6 or more"), which must then be that of the mechanism.
read_marks <- function(x, mechanism, call) {
  text <- trimws(as.vector(x))
  text[!nzchar(text)] <- NA
  numbers <- suppressWarnings(as.numeric(text))
  marks <- which(!is.na(text) & is.na(numbers))
  range <- t(vapply(text[marks], range_of_mark, c(0, 0), USE.NAMES = FALSE))
  stated <- which(!is.na(range[, 1]))
  wrong <- integer()
  if (mechanism$kind == "suppression") {
    p <- lapply(mechanism$parameters, rep_len, length(text))
    at <- marks[stated]
    # "<10" says nothing about the lower end
    wrong <- at[range[stated, 2] != p$to[at] | !range[stated, 1] %in% c(0, 1) & range[stated, 1] != p$from[at]]
  } else if (mechanism$kind == "classes") {
    breaks <- mechanism$parameters$breaks
    class <- findInterval(range[, 1], breaks)
    wrong <- marks[is.na(class) | breaks[class] != range[, 1] | c(breaks[-1] - 1, Inf)[class] != range[, 2]]
    numbers[marks] <- range[, 1]
    marks <- integer()
  } else if (!hides_counts(mechanism)) {
    wrong <- marks
  }
  zeros <- array(0, if (is.null(dim(x))) c(length(x), 1) else dim(x))
  shape <- if (length(dim(x)) > 2) table_of_array(zeros, "x", call) else new_count_table(zeros)
  refuse_releases(sort(wrong), "a mark that does not belong to it", shape, call)
  array_of <- function(values) {
    if (is.null(dim(x))) stats::setNames(values, names(x)) else array(values, dim(x), dimnames(x))
  }
  list(x = array_of(numbers), hidden = array_of(seq_along(text) %in% marks))
}

# The columns of a data frame of records that hold counts, if some of them are text with numbers in it, and all
# others are numbers; otherwise NULL.
columns_with_marks <- function(x, id) {
  items <- if (is.data.frame(x)) setdiff(names(x), id)
  marked <- vapply(items, function(item) {
    is.character(x[[item]]) && !all(is.na(suppressWarnings(as.numeric(x[[item]]))))
  }, NA)
  numeric <- vapply(items, function(item) is_plain_numeric(x[[item]]), NA)
  if (any(marked) && all(marked | numeric)) items
}

text_of <- function(x, items) {
  if (is.null(items)) x else matrix(unlist(lapply(items, function(item) as.character(x[[item]]))), nrow(x))
}

# Patterns of marks, and the lowest and the highest count that a mark with the numbers n states.
RANGES_OF_MARKS <- list(
  list(pattern = "([0-9]+)(?:-|to)([0-9]+)", range = function(n) n),
  list(pattern = "<([0-9]+)", range = function(n) c(0, n - 1)),
  list(pattern = "(?:<=|\u2264)([0-9]+)", range = function(n) c(0, n)),
  list(pattern = "(?:>=|\u2265)?([0-9]+)(?:\\+|ormore|)", range = function(n) c(n, Inf)),
  list(pattern = ">([0-9]+)", range = function(n) c(n + 1, Inf))
)

# The range of the first pattern that a mark has, NA if it has none.
range_of_mark <- function(mark) {
  mark <- gsub("\u2013", "-", tolower(gsub(" ", "", mark)), fixed = TRUE)
  for (each in RANGES_OF_MARKS) {
    found <- regmatches(mark, regexec(paste0("^", each$pattern, "$"), mark))[[1]]
    if (length(found) > 0) {
      return(each$range(as.numeric(found[-1])))
    }
  }
  c(NA_real_, NA_real_)
}

# --- parameters -----------------------------------------------------------------------------------

# Parameters must be one number, one per row, or one per cell.
check_lengths <- function(mechanism, n_row, n_cells, call = rlang::caller_env()) {
  lengths <- unlist(lapply(parameters_of(mechanism), length))
  wrong <- which(!lengths %in% c(1, n_row, n_cells))
  check_that(length(wrong) == 0, c(
    "{.arg {names(lengths)[wrong[1]]}} must be one number, or one per row ({n_row}), or one per cell ({n_cells}).",
    x = "It has length {lengths[wrong[1]]}."
  ), call)
}

# All parameters that may differ between rows or cells.
parameters_of <- function(mechanism) {
  if (mechanism$kind != "classes") c(mechanism$parameters, mechanism$noise$parameters)
}

# The same mechanism for some of n cells: `at` are their numbers, of which each row has its first (column by
# column).
mechanism_at <- function(mechanism, at, n) {
  if (mechanism$kind == "classes") {
    return(mechanism)
  }
  part <- function(p) if (length(p) == 1 || length(at) == 0) p[1] else rep_len(p, n)[at]
  mechanism$parameters <- lapply(mechanism$parameters, part)
  if (!is.null(mechanism$noise)) mechanism$noise <- mechanism_at(mechanism$noise, at, n)
  mechanism
}

# The mechanism of the cells with these releases as rc_decode_mechanisms() of src/rc_mechanism.c reads it, and
# `level`: for each cell, which of the sets of parameters it has, counted from 0; NULL if there is one. Those
# of a custom mechanism are tables, one per different release.
mechanism_code <- function(mechanism, release, call = rlang::caller_env()) {
  n <- length(release)
  inner <- before_withholding(mechanism)
  below <- if (is.null(mechanism$noise)) -Inf else mechanism$parameters$below
  parameters <- switch(inner$kind,
    none = list(0), geometric = list(-log(inner$parameters$alpha)), inner$parameters
  )
  code <- function(parameters, below) {
    list(kind = MECHANISMS[[inner$kind]]$code, parameters = parameters, below = as.double(below))
  }
  if (inner$kind == "custom") {
    known <- with_tables(mechanism, release, call)$custom$tables
    return(c(code(known$log_p, rep(-Inf, length(known$log_p))), list(level = match(release, known$release) - 1L)))
  }
  if (inner$kind == "classes" || all(lengths(c(parameters, list(below))) == 1)) {
    return(c(code(list(unlist(parameters, use.names = FALSE)), below), list(level = NULL)))
  }
  all <- vapply(c(parameters, list(below)), rep_len, numeric(n), n)
  dim(all) <- c(n, length(parameters) + 1)
  key <- do.call(paste, as.data.frame(format(all, digits = 17)))
  first <- which(!duplicated(key))
  sets <- lapply(first, function(i) all[i, -ncol(all)])
  c(code(sets, all[first, ncol(all)]), list(level = match(key, key[first]) - 1L))
}

# --- privacy loss ---------------------------------------------------------------------------------

# list(epsilon =, rho =, delta =, text =), for records that differ by 1 in one cell; of the least protected
# cell. epsilon is Inf without differential privacy.
mechanism_loss <- function(mechanism, delta) {
  kind <- mechanism$kind
  p <- mechanism$parameters
  loss <- function(epsilon, rho = NA_real_, delta = 0, ...) {
    list(epsilon = epsilon, rho = rho, delta = delta, text = paste0(...))
  }
  shown <- function(x) format(x, digits = 4)
  switch(kind,
    withheld = mechanism_loss(mechanism$noise, delta),
    geometric = {
      epsilon <- max(-log(p$alpha) * p$precision)
      loss(epsilon, NA_real_, 0, "epsilon = ", shown(epsilon), " at precision ", format_range(p$precision))
    },
    laplace = loss(1 / min(p$scale), NA_real_, 0, "epsilon = ", shown(1 / min(p$scale)), " per count"),
    gaussian = ,
    discrete_gaussian = {
      rho <- 1 / (2 * min(p$sd)^2)
      epsilon <- epsilon_of_rho(rho, delta)
      loss(epsilon, rho, delta, "rho = ", shown(rho), " of zero-concentrated differential privacy (epsilon = ",
        shown(epsilon), " at delta = ", delta, ") for records that differ by 1 in one cell"
      )
    },
    skellam = {
      epsilon <- epsilon_of_skellam(min(p$variance), delta)
      loss(epsilon, NA_real_, delta, "epsilon = ", shown(epsilon), " at delta = ", delta,
        " for records that differ by 1 in one cell"
      )
    },
    custom = loss(NA_real_, NA_real_, NA_real_, "not computed for a mechanism that is defined by the user"),
    loss(Inf, NA_real_, 0, "none: ", MECHANISMS[[kind]]$noun, " does not give differential privacy")
  )
}

# --- words ----------------------------------------------------------------------------------------

#' @rdname mechanisms
#' @export
format.ldp_mechanism <- function(x, ...) {
  values <- Map(function(name, p) {
    short <- if (x$kind == "classes" && length(p) <= 8) paste(p, collapse = ", ") else format_range(p)
    paste(name, "=", short)
  }, names(x$parameters), x$parameters)
  paste0(
    if (!is.null(x$noise)) paste0(format(x$noise), ", "),
    if (is.null(x$noise)) MECHANISMS[[x$kind]]$does else "withheld",
    if (length(values) > 0) paste0(" (", paste(values, collapse = ", "), ")")
  )
}

#' @rdname mechanisms
#' @export
print.ldp_mechanism <- function(x, ...) {
  check_no_dots(...)
  cat_wrapped(format(x))
  for (sentence in protection_by(x)) cat_wrapped(sentence, bullet = "* ")
  invisible(x)
}

# What a mechanism protects and what it does not.
protection_by <- function(mechanism) {
  kind <- mechanism$kind
  noise <- before_withholding(mechanism)$kind
  c(
    MECHANISMS[[kind]]$protects,
    if (noise %in% c(WHOLE_NOISE, REAL_NOISE)) {
      "It hides differences between counts that are small relative to the noise. It does not hide large ones."
    },
    paste0("Privacy loss: ", mechanism_loss(mechanism, delta = 1e-6)$text, "."),
    if (noise %in% REAL_NOISE) {
      "This is the loss of ideal noise: the last digits of computed noise may reveal the count."
    },
    if (kind == "withheld") "Withholding adds no loss and no protection."
  )
}
