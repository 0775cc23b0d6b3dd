# Adds exact geometric noise to true counts, or further noise to a release.

#' Add noise to counts before anyone sees them
#'
#' Adds independent two-sided geometric noise to every cell, including zeros, and returns the released counts
#' together with the noise level, which the models need.
#'
#' @param y True counts: whole numbers from 0 to 2^31 - 1 (for missing ones see `na`). A vector with one count
#'   per person, such as the column of a data frame; or a matrix, an array, a `Matrix`, a `dfm`, a
#'   `DocumentTermMatrix`, an `igraph`, a `network`, or any other of the [objects that hold
#'   counts][data-objects]. A data frame has one row per record and one column per item (see `id`) or, with
#'   `dims`, one row per cell. A row (in an array, an index of the first mode) is what one person, or one
#'   document, contributes.
#' @param epsilon,alpha Exactly one of the two: the privacy loss (positive), or the ratio of the
#'   geometric distribution (between 0 and 1). One number, or one per row.
#' @param mechanism In place of `epsilon` or `alpha`, another mechanism (see [mechanisms]): geometric noise,
#'   discrete Gaussian noise with a whole `sd`, Skellam noise with a `variance` of at most 6 decimal places,
#'   any of them withheld below a limit, random rounding, rounding, suppression, classes, or thinning. All are
#'   exact, and use the random bits of `rng`. The computing time of Skellam noise grows with its standard
#'   deviation, and that of thinning with the counts; see the details.
#' @param ... Must be empty: all further arguments must be named.
#' @param precision Two records are protected at `epsilon` if they differ by at most `precision` counts in
#'   total. (The total is the sum of the absolute differences over cells.) A positive number, or one per row.
#'   With the default of 1, records that differ by 1 in a single cell are protected. The precision becomes
#'   public with the release, so it must not be computed from the counts. `privatize()` stops with an error if
#'   it equals the totals or the means of the rows. See [geometric_alpha()].
#' @param rng Where the random bits come from. `"secure"`: the operating system, for real releases; there is
#'   no seed, and `set.seed()` has no effect. `"R"`: R's generator, for simulation and teaching only,
#'   because anyone who knows the seed can subtract the noise. The object records which was used.
#' @param clamp If `TRUE`, released counts below zero are set to zero, and only the positive ones are
#'   stored. Every cell still gets noise, so computing time is proportional to the number of all cells, but
#'   memory only to the number of positive cells in `y` and in the release. See [private_counts()] for what
#'   information is kept and what is lost.
#' @param directed `FALSE` for counts of pairs of actors; `y` must be symmetric. Noise is then added once per
#'   pair, and both cells of the pair have the same released count. (Separate noise would release each count
#'   twice, and spend `epsilon` twice.) `epsilon` or `alpha` must be one number, the diagonal is not released
#'   (it is `NA`), and the whole network is one record.
#' @param dims For a data frame with one row per cell: the names of the columns of its modes (dimensions of
#'   the table), such as `c("document", "term")`. The one other numeric column is the count; a cell that is
#'   not listed is zero, and gets noise like any other. These columns are factors, whose levels are all
#'   possible labels, or hold whole numbers from 1 to the extents of the modes, which `dims` then gives:
#'   `c(document = 20, term = 500)`, or without names for the first columns. Levels and extents become public:
#'   they must not depend on which counts are zero.
#' @param id For a data frame with one row per record: the name of the column with the labels of the records,
#'   which become public. All other columns hold counts. `NULL` if all columns hold counts.
#' @param na What to do about missing counts, such as unanswered questions: `"error"`, to stop with an
#'   error; or `"keep"`, to release them as missing (`NA`, masked cells), which models treat as not
#'   observed. It is then public which counts are missing, so keep them only if this reveals nothing that
#'   must be protected.
#' @param compose If `TRUE`, `y` may be a [private_counts()]. Just enough noise is then added to reach the
#'   requested level; true counts are not needed. The total noise is again two-sided geometric. A row that is
#'   already more private than requested keeps its level. (If `y` was noised elsewhere and its level is not a
#'   short decimal number, slightly more noise is added.) The result reveals nothing beyond `y`.
#' @return A [private_counts()] object, or a [private_vector] if `y` is a vector. It contains the released
#'   counts, but not the true counts or the noise. The `epsilon` of the object may be slightly smaller than
#'   requested, because the sampler computes with whole numbers. Decimal numbers with at most 6 places are
#'   used as typed; any other `epsilon` is rounded down to a multiple of 2^-20, and any other `precision` is
#'   increased by less than one part in a million. The `alpha` of the object is that of the noise that was
#'   added.
#' @details The sampler is exact (Canonne, Kamath and Steinke 2020). It computes the noise from random bits
#' without floating-point arithmetic, because the low bits of rounded Laplace noise can reveal the true
#' count (Mironov 2012). A single release costs `epsilon`; releasing the same counts twice costs the sum.
#' Skellam noise is the difference of two Poisson numbers, drawn by rejection from a hat with rational
#' probabilities (Devroye 1987). Thinning decides about each unit with the binary digits of `prob`, as a
#' double; it takes about two random bits per unit. On one core, a number of Skellam noise takes about 1
#' microsecond, and 0.06 more per unit of its standard deviation; thinning takes 1 to 2 seconds per 1e9 units.
#' There is no protection against timing attacks, so do not let an adversary measure how long the function
#' takes.
#' @section Errors: `privatize()` stops with an error of class `ldpcounts_error`, before any noise is drawn,
#'   if
#'   * counts are negative, fractional, missing, infinite or too large;
#'   * a graph is undirected, without `directed = FALSE`;
#'   * labels are given as text (give a factor whose levels are all labels);
#'   * a data frame has columns that are not counts, unless `id` or `dims` says what they are;
#'   * `epsilon`, `alpha` or `precision` is out of range or of the wrong length;
#'   * `y` is already a release, unless `compose = TRUE`;
#'   * with `compose = TRUE`, `y` is clamped or has rows without noise.
#'
#'   It also stops, and releases nothing, if the operating system provides no random bits. In rare cases the
#'   sampler, which computes with whole numbers, cannot add exactly as much noise as `compose = TRUE` needs to
#'   reach the requested level: request an `epsilon` and a `precision` with fewer digits. No message quotes a
#'   count.
#' @section Warnings: `privatize()` warns of
#'   * a symmetric matrix with a zero diagonal, which may hold counts of pairs, if `directed = TRUE` (class
#'     `ldpcounts_symmetric`);
#'   * a column that seems to identify people, by its name (`ldpcounts_key`);
#'   * a `precision` that is computed from `y` in the call, such as `mean(y)` (`ldpcounts_precision`).
#'
#'   It shows a message for a `table` with `precision = 1`
#'   (`ldpcounts_groups`): its rows are often groups, so that one person may contribute several counts to a
#'   row.
#' @references Ghosh, Roughgarden and Sundararajan (2012) for the mechanism. Schein et al. (2019), section
#' 2, for limited-precision local privacy. Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete
#' Gaussian for differential privacy. *NeurIPS* 33, algorithms 1 to 3. Devroye, L. (1987). A simple generator
#' for discrete log-concave distributions. *Computing* 39, 87-91. Mironov, I. (2012). On significance
#' of the least significant bits for differential privacy. *CCS '12*. Koufogiannis, F., Han, S. and Pappas,
#' G. J. (2016). Gradual release of sensitive data under differential privacy. *Journal of Privacy and
#' Confidentiality* 7, for adding noise to a release.
#' @seealso [private_counts()] for counts that were noised elsewhere; [collection_page()] for participants
#' without R; [what-is-protected].
#' @examples
#' # one row per person
#' calls <- data.frame(person = c("ann", "bob"), work = c(3, 0), family = c(0, 5))
#' released <- privatize(calls, epsilon = 1, id = "person")
#' released
#' # the same release with more noise, for someone who is less trusted
#' privatize(released, epsilon = 0.5, compose = TRUE)
#' # a column of a data frame; reproducible, for teaching
#' set.seed(1)
#' privatize(calls$work, epsilon = 1, rng = "R")
#' @export
privatize <- function(y, epsilon = NULL, ..., precision = 1, alpha = NULL,
                      rng = c("secure", "R"), clamp = FALSE, directed = TRUE, compose = FALSE,
                      dims = NULL, id = NULL, na = c("error", "keep"), mechanism = NULL) {
  if (!missing(y)) refuse_formula(y, "y", rlang::current_env())
  check_no_dots(...)
  rng <- check_choice(rng, "rng", c("secure", "R"))
  clamp <- check_flag(clamp, "clamp")
  directed <- check_flag(directed, "directed")
  compose <- check_flag(compose, "compose")
  na <- check_choice(na, "na", c("error", "keep"))
  check_given(missing(y), "y")
  if (!is.null(mechanism)) {
    check_that(is.null(epsilon) && is.null(alpha) && missing(precision),
      "Give only one of {.arg mechanism}, {.arg epsilon} and {.arg alpha}."
    )
    if (check_mechanism(mechanism)$kind != "geometric") {
      check_layout(y, "y", id, dims, rlang::current_env())
      check_that(!clamp && !compose && !is_release(as_release(y, "y", id)),
        "{.arg clamp}, {.arg compose} and further noise are only for geometric noise."
      )
      check_exact(mechanism)
      release <- protect_counts(true_counts(y, id, dims, directed, na), mechanism, rng, directed)
      return(in_shape_of(y, release))
    }
    alpha <- mechanism$parameters$alpha
    precision <- mechanism$parameters$precision
  }
  check_one_of_two(epsilon, alpha)
  check_precision(precision) # before labels and counts are looked at
  if (is.null(alpha)) check_epsilon(epsilon) else check_alpha(alpha, zero = FALSE)
  check_layout(y, "y", id, dims, rlang::current_env())
  given <- as_release(y, "y", id)
  before <- if (is_release(given)) fields_for_more_noise(given, compose, directed)
  table <- if (is.null(before)) true_counts(y, id, dims, directed, na) else before
  counts <- table$counts
  n_row <- nrow(counts)
  if (!directed) check_pairs(table, "y", list(c(epsilon, alpha), precision))
  masked <- cells_where(counts, is.na)
  counts[masked] <- 0L
  as_written <- substitute(precision)
  precision <- check_precision(precision, n_row)
  if (length(unique(precision)) > 1) check_public_precision(precision, counts)
  warn_if(is.name(substitute(y)) && as.character(substitute(y)) %in% names_read(as_written), c(
    "{.arg precision} is computed from {.arg y}, and the release makes it public without noise.",
    i = "Do not publish this release. Choose {.arg precision} without looking at the counts."
  ), "ldpcounts_precision")
  tell_if(inherits(y, "table") && length(dim(y)) > 1 && all(precision == 1), c(
    "{.arg y} is a table: {.arg epsilon} protects a difference of 1 count within a row.",
    i = paste(
      "If its rows are groups, set {.arg precision} to the largest number of counts by which one person can",
      "change a row. If a person is in several rows, {.arg epsilon} is spent in each of them."
    )
  ), "ldpcounts_groups")
  rates <- if (is.null(alpha)) {
    rates_from_epsilon(check_epsilon(epsilon, n_row), precision)
  } else {
    rates_from_alpha(check_alpha(alpha, n_row, zero = FALSE))
  }
  level <- list(
    alpha = alpha_of_rate(rates$s / rates$t), precision = precision,
    s = collapse(rates$s), t = collapse(rates$t)
  )
  further <- if (!is.null(before) && n_row > 0) further_noise(before, level, rates, n_row)
  if (!is.null(further)) {
    level <- further$level
    rates <- further$rates
  }
  noised <- if (clamp) add_noise_clamped(counts, rates, rng, directed) else add_noise(counts, rates, rng)
  if (!is.null(further)) rng <- combine_rng(c(before$rng, if (further$any) rng))
  if (!directed) {
    noised$counts <- mirrored(noised$counts)
    masked <- masked[masked[, 1] < masked[, 2], , drop = FALSE]
  }
  release <- new_private_counts(noised$counts, level$alpha, level$precision,
    rng = rng, s = level$s, t = level$t, below = noised$below, directed = directed, columns = table$columns
  )
  if (nrow(masked) > 0) release <- mask_cells(release, masked)
  in_shape_of(y, release)
}

# Checks true counts, and returns a table (R/data-table.R) of whole numbers, ready for noise.
true_counts <- function(y, id, dims, directed, na, call = rlang::caller_env()) {
  table <- given_counts(y, "y", id, dims, directed, role = "secret", call = call)
  table$counts <- counts <- check_counts(table$counts, "y", call)
  if (na == "error") {
    check_complete(counts, "y", paste(
      "To release them as missing, use {.code na = \"keep\"}. It is then public which counts are missing, so",
      "this must not reveal anything that must be protected."
    ), call)
  }
  keys <- label_columns(counts) # a warning, and not an error, because a word may have any name
  warn_if(length(keys) > 0, c(
    "{cli::qty(keys)}Column{?s} {.val {keys}} of {.arg y} seem{?s/} to hold labels, but {?is/are} released.",
    i = "Unless these are counts, do not publish this release: leave them out, or use {.arg id}."
  ), "ldpcounts_key")
  warn_if(directed && is.null(table$columns) && may_hold_pairs(counts), c(
    "{.arg y} is symmetric, with zeros on its diagonal: does it hold counts of pairs?",
    i = "If so, use {.code directed = FALSE}: the count of a pair must not be released twice.",
    i = "(Two releases of the same count spend {.arg epsilon} twice.)"
  ), "ldpcounts_symmetric")
  table
}

may_hold_pairs <- function(counts) {
  nrow(counts) == ncol(counts) && !labels_differ(counts) &&
    isTRUE(all(counts_at(counts, diagonal_cells(nrow(counts))) == 0)) &&
    any(stored_values(counts) > 0, na.rm = TRUE) && is_symmetric(counts)
}

# An error for a precision that equals totals or means of rows: it is public, so it would reveal them. (With
# few rows, totals may equal the precision by chance.)
check_public_precision <- function(precision, counts, call = rlang::caller_env()) {
  totals <- Matrix::rowSums(counts)
  equal <- abs(outer(precision, c(1, ncol(counts))) - totals) < 1e-6 & totals > 0
  check_that(all(colSums(equal) < max(5, sum(totals > 0))), c(
    "{.arg precision} must be public, and must not be computed from the counts.",
    x = "It equals totals or means of the rows of {.arg y}, which would become public without noise."
  ), call)
}

# The names in an expression whose values are used, not only their shape.
names_read <- function(expression) {
  of_shape <- c("dim", "nrow", "ncol", "NROW", "NCOL", "length", "missing", "is.null")
  if (is.name(expression)) {
    as.character(expression)
  } else if (is.call(expression) && !deparse1(expression[[1]]) %in% of_shape) {
    unlist(lapply(as.list(expression)[-1], names_read))
  }
}

# --- noise ----------------------------------------------------------------------------------------

# Both functions take the `rates` of geometric noise as a list of s and t, and for further noise also of s_now and
# t_now, those of the noise so far: one number, or one per row. add_noise() draws other mechanisms too: their lists
# are of sd, of base, of p and q, or of prob (of thinning, which keeps units instead of adding noise); see
# decode_levels() in src/rc_privatize.c. They return list(counts =, below =) as a release has them.

add_noise <- function(counts, rates, rng, call = rlang::caller_env()) {
  needed <- 2 * 8 * n_cells(counts) # every cell is stored, and copied once while labels are set
  hint <- "With {.code clamp = TRUE} only positive counts are stored."
  if (!is_affordable(needed)) check_free_memory(needed, "The release", hint, call)
  released <- as_release_error(.Call(C_rc_privatize, counts, of_one_length(rates), rng), call)
  labels <- dimnames(counts)
  dim(released) <- dim(counts)
  dimnames(released) <- if (length(unlist(labels)) > 0) labels
  list(counts = released, below = NULL)
}

of_one_length <- function(rates) lapply(rates, rep_len, max(lengths(rates)))

# Converts errors of the sampler to errors of this package.
as_release_error <- function(code, call) {
  tryCatch(code, error = function(failure) {
    ldp_abort("{conditionMessage(failure)}", class = "ldpcounts_release_error", call = call)
  })
}

# The number of cells that get noise at a time. In blocks, memory grows only with the positive cells.
CELLS_PER_BLOCK <- 1e6

add_noise_clamped <- function(counts, rates, rng, directed = TRUE, cells_per_block = CELLS_PER_BLOCK,
                              call = rlang::caller_env()) {
  rates <- of_one_length(rates)
  columns <- ncol(counts)
  width <- max(1, floor(cells_per_block / max(1, nrow(counts))))
  first <- as.integer(seq(1, length.out = ceiling(columns / width), by = width) - 1)
  last <- as.integer(pmin(first + width, columns) - 1)
  parts <- list()
  below <- list(cells = numeric(nrow(counts)), size = numeric(nrow(counts)))
  for (block in Map(c, first, last)) {
    part <- as_release_error(.Call(C_rc_privatize_clamped, counts, rates, rng, block, directed), call)
    parts[[length(parts) + 1]] <- part[c("row", "value", "positive")]
    below <- Map(`+`, below, part[c("cells_below", "size_below")])
  }
  gather <- function(name) unlist(lapply(parts, `[[`, name))
  offsets <- cumsum(c(0, gather("positive")))
  check_that(offsets[columns + 1] <= .Machine$integer.max,
    "The release has more than 2^31 - 1 positive cells: release {.arg y} in parts.", call,
    class = "ldpcounts_release_error"
  )
  labels <- dimnames(counts)
  released <- methods::new("dgCMatrix",
    i = as.integer(gather("row")), p = as.integer(offsets), x = as.double(gather("value")),
    Dim = dim(counts), Dimnames = if (is.null(labels)) list(NULL, NULL) else labels
  )
  list(counts = released, below = below)
}

# --- other mechanisms -----------------------------------------------------------------------------

# `exact`: if FALSE, draw by floating-point arithmetic, for simulations, any mechanism.
protect_counts <- function(table, mechanism, rng, directed, exact = TRUE, call = rlang::caller_env()) {
  counts <- as_dense(table$counts, "y", call)
  check_lengths(mechanism, nrow(counts), length(counts), call)
  if (!directed) check_pairs(table, "y", parameters_of(mechanism), call = call)
  missing <- is.na(counts)
  released <- replace(counts, missing, 0)
  inner <- before_withholding(mechanism)
  p <- inner$parameters
  rates <- if (exact) switch(inner$kind,
    geometric = rates_from_alpha(p$alpha, call), skellam = mean_of_skellam(p$variance),
    discrete_gaussian = , random_rounding = , thinning = p
  )
  if (is.null(rates)) {
    released[] <- draw_release(mechanism, as.vector(released))
  } else {
    released <- add_noise(released, rates, rng, call)$counts
  }
  if (inner$kind == "random_rounding") { # y plus a number from 0 to base - 1, rounded down
    base <- rep_len(p$base, length(counts))
    released <- base * floor(released / base)
  }
  if (mechanism$kind == "withheld") released[released < mechanism$parameters$below] <- HIDDEN
  storage.mode(released) <- "double"
  released[missing] <- NA
  if (!directed) released <- mirrored(released)
  new_private_counts(array(released, dim(counts), dimnames(counts)), NA_real_, 1,
    rng = rng, directed = directed, columns = table$columns, mechanism = mechanism
  )
}

# The mean p / q of the two Poisson numbers whose difference is Skellam noise.
mean_of_skellam <- function(variance) {
  variance <- as_fraction(variance)
  stats::setNames(reduce_fraction(variance$num, 2 * variance$den), c("p", "q"))
}

# Which mechanisms are drawn exactly.
check_exact <- function(mechanism, call = rlang::caller_env()) {
  inner <- before_withholding(mechanism)
  check_that(!inner$kind %in% REAL_NOISE, c(
    "{.fn privatize} does not add noise of real numbers.",
    x = "The last digits of such noise can reveal the true count (Mironov 2012).",
    i = "Use {.fn discrete_gaussian_noise} or {.fn geometric_noise}."
  ), call)
  check_that(inner$kind != "custom", c(
    "{.fn privatize} has no exact sampler for this mechanism.",
    i = "{.fn simulate} draws it with R's generator, for simulation only."
  ), call)
  check_that(inner$kind != "none", "{.arg mechanism} must protect the counts: {.fn no_noise} does not.", call)
  whole <- inner$parameters$sd
  check_that(is.null(whole) || all(whole == round(whole) & whole <= 2^20), c(
    "{.arg sd} must be a whole number up to 2^20, so that discrete Gaussian noise can be drawn exactly.",
    x = "It is {format_range(whole)}."
  ), call)
  decimal <- is.null(inner$parameters$variance) || all(is_typed(inner$parameters$variance))
  check_that(decimal, c(
    "{.arg variance} must be a decimal number with at most 6 places, below 1e9.",
    i = "Only for a fraction of whole numbers can Skellam noise be drawn exactly.",
    i = "Round it up, so that there is not too little noise: {.code ceiling(1e6 * variance) / 1e6}."
  ), call)
  small <- is.null(inner$parameters$base) || all(inner$parameters$base <= 2^20)
  check_that(small, "{.arg base} must be at most 2^20.", call)
}

# --- further noise --------------------------------------------------------------------------------

# The fields of a release to which further noise can be added; an error for any other.
fields_for_more_noise <- function(y, compose, directed, call = rlang::caller_env()) {
  check_that(compose, c(
    "{.arg y} is a release already.",
    i = "To make it more private by adding further noise, use {.code compose = TRUE}.",
    i = "(A second release of the same true counts would spend privacy twice.)"
  ), call)
  fields <- geometric_fields(y, call)
  level <- privacy(y)
  check_that(level$directed == directed, "{.arg directed} must be {level$directed}, as in {.arg y}.", call)
  check_that(!level$clamped, c(
    "{.arg y} is clamped at zero, so it cannot be made more private.",
    i = "After clamping, further noise does not give two-sided geometric noise."
  ), call)
  # no noise, or so little that alpha is rounded to 0
  check_that(all(level$epsilon / level$precision < GAMMA_MAX), c(
    "{.arg y} has rows without noise (alpha = 0).",
    i = "These rows are true counts: give them to {.fn privatize} as a matrix."
  ), call)
  fields
}

# The level and the rates of a release with the noise that it needs besides that of `before`: list(level, rates,
# any). Rows that are more private already keep their level, and get no noise.
further_noise <- function(before, level, rates, n_row) {
  now <- rates_in_force(before, n_row)
  stays <- now$s / now$t <= rates$s / rates$t
  either <- function(old, new) ifelse(stays, rep_len(old, n_row), rep_len(new, n_row))
  tell_if(all(stays), "The release is at least as private already: no noise was added.",
    "ldpcounts_private_already"
  )
  list(
    level = lapply(Map(either, before[LEVEL_FIELDS], level), collapse),
    rates = c(Map(either, now, rates), list(s_now = now$s, t_now = now$t)),
    any = !all(stays)
  )
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
