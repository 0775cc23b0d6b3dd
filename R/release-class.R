# The class of releases: fields, constructor, checks of an object that may have been edited, and noise level.

#' Released counts with their noise level
#'
#' `private_counts()` declares that counts were noised elsewhere by the geometric mechanism, and stores them
#' with their noise level. [privatize()] returns such objects itself. `privacy()` returns the noise level.
#'
#' @order 1
#' @param x Released counts: whole numbers of any sign, `NA` for cells that were not observed. A vector with
#'   one count per person, a matrix, an array, a `Matrix`, or any other of the [objects that hold
#'   counts][data-objects]. A data frame has one row per record or, with `dims`, one row per cell (see
#'   `fill`); a data frame whose columns are released already ([private_vector]) becomes a matrix release, and
#'   needs no noise level. For the methods: a `private_counts`.
#' @param ... For `rbind()`, several `private_counts` (for a list of them, use `do.call(rbind, releases)`);
#'   for `plot()`, arguments of `autoplot()`; otherwise it must be empty.
#' @param alpha,epsilon Exactly one of the two: the ratio of the geometric noise, or the privacy loss; one
#'   number, or one per row. `alpha = 0` (no noise) is allowed here if no count is negative.
#' @param mechanism In place of `alpha` or `epsilon`, how the counts were protected: see [mechanisms].
#' @param suppressed For mechanisms that hide counts (such as `suppression()`): a logical matrix or
#'   array, `TRUE` for hidden counts, which are `NA` in `x`. Other `NA` are missing. By default, all `NA` of
#'   numbers are hidden counts. In text, all entries that are not numbers are hidden (`"<10"`, `"s"`), and
#'   `NA` and `""` are missing; this holds for a data frame with one row per record too, if each column has a
#'   number.
#' @param delta For `privacy()`: the `delta` of approximate differential privacy, for mechanisms whose loss
#'   has one.
#' @param precision The largest difference between two records that is protected at `epsilon`, in counts: a
#'   positive number, or one per row; see [privatize()].
#' @param dims,id For a data frame: see [privatize()]. Labels may be text, because they are public already.
#' @param fill For a data frame of cells that does not list all of them: `NA` if the others were not observed,
#'   or 0 if only counts other than 0 are listed. `NULL` throws an error that says how many are not listed.
#' @param clamped `TRUE` if negative counts were set to zero after the noise was added.
#' @param directed `FALSE` for counts of pairs of actors, if noise was added once per pair. `x` must then be
#'   square and symmetric, `alpha` or `epsilon` must be one number, and the diagonal is not data (`NA`).
#' @return `private_counts()`: an object of class `private_counts`, to be used as the data of
#'   [topic_model()], [block_model()] or [tensor_model()], which read `alpha` from it; or a [private_vector]
#'   if `x` is a vector.
#'
#'   `privacy()`: a list of `alpha`, `epsilon` and `precision` (one number each, or one per row), `rng` (the
#'   source of the noise: `"secure"`, `"R"`, `"external"` for counts noised elsewhere, or `"mixed"`),
#'   `clamped` and `directed`. For another mechanism, and for a mechanism itself: a list of `mechanism`,
#'   `epsilon` (`Inf` without differential privacy), `rho` and `delta` (see [mechanisms]), and `loss`, the
#'   same in words.
#'
#'   `as.data.frame()`: a data frame with one row per cell (in an undirected release, one per pair) and one
#'   column per mode, with labels or numbers. These columns have the names of the dimnames, or else `row` and
#'   `column` (with more than two modes, `mode1`, `mode2` and so on). The last columns are `y_tilde`, the
#'   released count (`NA` if masked, `-Inf` if hidden), and `alpha` or, of another mechanism, its parameters (but
#'   for the breaks of classes). [merge()] joins it with a data frame of covariates. With
#'   `wide = TRUE`, one row per row of the release and one column per item; see `wide`.
#' @details Methods keep the noise levels consistent with the counts. `x[i, j]`, `head()` and `rbind()` keep
#' the noise level of each row. A single column, `x[, j]`, is a [private_vector], unless `drop = FALSE`.
#' `is.na(x) <-` and `x[i, j] <- NA` mask cells. `as.matrix()` returns the
#' released counts (`as.numeric()` as a vector), and `as.data.frame()` returns
#' a data frame with one row per cell, or with `wide = TRUE` one column per item. Arithmetic, sums, `t()` and
#' assignments of values other than `NA` throw an error, because the result would no longer have the noise that
#' is declared. `cbind()` throws an error too, because its result could contain two releases
#' of the same counts. Their privacy losses add up, so the loss of a row would be larger than the one that is
#' declared. Apply these functions to `as.matrix(x)`, which has no noise level attached.
#'
#' An undirected release contains every pair twice, and methods preserve this symmetry: `x[i, ]` selects the
#' actors `i` in both rows and columns, masking a cell also masks the other cell of the pair, and there is
#' no `rbind()`.
#'
#' Counts with more than two modes are stored as a table, with the first mode in its rows and all others in
#' its columns, where the index of the second mode changes fastest. `as.matrix(x)` returns this table, and
#' `as.array(x)` the array. `dim(x)` has all extents. The noise levels belong to the first mode, and
#' `head()` and `rbind()` apply to it; `x[i, j, l]` takes one index per mode.
#'
#' A release that is clamped at zero (`privatize(clamp = TRUE)`, or `clamped = TRUE` here) stores only its
#' positive and its masked cells. Fits of the models do not change, because, with a known `alpha`, all
#' counts at or below zero carry the same information (`vignette("ldpcounts")`). But moments and sums of
#' released counts are no longer unbiased, and the check of `alpha` (see below) has less information. For
#' this check [privatize()] keeps two numbers per row: the number of cells at or below zero, and the sum of
#' their absolute values. These numbers are dropped if cells of the row are masked or removed. `rbind()` of
#' clamped and other releases clamps all of them.
#'
#' `print()` states in words what is protected; of a part of a release, by `x[i, j]`, `head()` or `tail()`,
#' it states the noise level in one line. `summary()` also compares the released counts at or below zero with
#' the declared `alpha`: given that a released count is not positive, its absolute value is geometric with
#' ratio `alpha`, whatever the true count is. If the counts contradict the declared `alpha`, it warns (class
#' `ldpcounts_declared_alpha`), and gives the `alpha` that is estimated from these counts with its exact 95 %
#' interval. (For a correctly declared `alpha` this happens in at most one of 1e5 releases.)
#' @section Errors: `private_counts()` stops with an error of class `ldpcounts_error` if counts are not whole
#'   numbers or `alpha` is not in `[0, 1)`, or if counts contradict the `mechanism`; the error names the first
#'   such cell by its position, and not its value. So do operations after which the noise levels would be wrong, and
#'   those that look up cells by a label that several rows or columns share. `rbind()` warns (class
#'   `ldpcounts_duplicated_labels`) if several rows have the same label.
#' @references Schein et al. (2019), definition 2.
#' @seealso [robust-model] for plain counts, which can be analysed as if they were noised.
#' @examples
#' x <- private_counts(matrix(c(2, -1, 0, 5, 1, -3), 2), epsilon = 1)
#' x
#' plot(x)
#' privacy(x)$alpha
#' is.na(x) <- cbind(1, 2)
#' # columns that keep their noise level, beside covariates of the rows
#' data.frame(age = c(34, 58), as.data.frame(x, wide = TRUE))
#' @export
private_counts <- function(x, ..., alpha = NULL, epsilon = NULL, precision = 1, mechanism = NULL,
                           suppressed = NULL, clamped = FALSE, directed = TRUE, dims = NULL, id = NULL,
                           fill = NULL) {
  check_no_dots(...)
  check_given(missing(x), "x")
  release <- as_release(x, "x", id)
  if (is_release(release)) {
    columns <- is.data.frame(x) && is.null(c(alpha, epsilon)) && is.null(mechanism)
    check_that(columns, "{.arg x} is a release already.")
    return(release)
  }
  clamped <- check_flag(clamped, "clamped")
  directed <- check_flag(directed, "directed")
  if (!is.null(mechanism)) {
    check_that(is.null(epsilon) && is.null(alpha) && missing(precision),
      "Give only one of {.arg mechanism}, {.arg epsilon} and {.arg alpha}."
    )
    if (!check_mechanism(mechanism)$kind %in% c("none", "geometric")) {
      check_that(!clamped, "{.arg clamped} is only for geometric noise.")
      return(declare_protected(x, mechanism, suppressed, directed, id, dims, fill))
    }
    alpha <- if (mechanism$kind == "none") 0 else mechanism$parameters$alpha
    if (mechanism$kind == "geometric") precision <- mechanism$parameters$precision
  }
  check_that(is.null(suppressed), "{.arg suppressed} is only for mechanisms that hide counts.")
  check_one_of_two(epsilon, alpha)
  check_precision(precision) # before labels and counts are looked at
  if (is.null(alpha)) check_epsilon(epsilon) else check_alpha(alpha)
  check_that(is.null(fill) || is.data.frame(x), "{.arg fill} is only for a data frame of cells.")
  fills <- is.null(fill) || (is.atomic(fill) && is_one(fill) && fill %in% c(0, NA))
  if (!fills) abort_argument(fill, "fill", "0 or NA", rlang::current_env())
  table <- given_counts(x, "x", id, dims, directed, role = "release", fill = fill)
  if (!is.null(mechanism)) refuse_impossible(mechanism, table, rlang::current_env())
  counts <- check_counts(table$counts, "x", signed = TRUE)
  if (is_sparse(counts)) counts <- Matrix::drop0(counts)
  n_row <- nrow(counts)
  precision <- check_precision(precision, n_row)
  if (!is.null(epsilon)) alpha <- alpha_of_rate(check_epsilon(epsilon, n_row) / precision)
  alpha <- check_alpha(alpha, n_row)
  if (!directed) {
    check_pairs(table, "x", list(alpha, precision), noised = TRUE)
    counts <- mirrored(counts)
  }
  release <- new_private_counts(counts, alpha, precision,
    rng = "external", below = if (clamped) nothing_known_below(n_row), directed = directed,
    columns = table$columns
  )
  problem <- broken_rule(unclass(release), COUNT_RULES)
  check_that(is.null(problem), paste0("{.arg x} ", problem, "."))
  if (clamped) release <- with_counts(release, clamp_counts(counts))
  in_shape_of(x, release)
}

# A release of any mechanism but geometric noise. Hidden counts are marked after the counts are laid out,
# because they are not numbers.
declare_protected <- function(x, mechanism, suppressed, directed, id, dims, fill,
                              call = rlang::caller_env()) {
  hides <- hides_counts(mechanism)
  check_that(is.null(suppressed) || hides, "{.arg suppressed} is only for mechanisms that hide counts.", call)
  items <- if (is.null(dims)) columns_with_marks(x, id)
  read <- if (is.character(x) || !is.null(items)) read_marks(text_of(x, items), mechanism, call)
  if (!is.null(items)) {
    for (j in seq_along(items)) x[[items[j]]] <- read$x[, j]
  } else if (!is.null(read)) {
    x <- read$x
  }
  given <- x
  table <- given_counts(x, "x", id, dims, directed, role = "release", fill = fill, call = call)
  counts <- as_dense(table$counts, "x", call)
  storage.mode(counts) <- "double"
  hidden <- if (!is.null(suppressed)) {
    valid <- is.logical(suppressed) && length(suppressed) == length(counts) && !anyNA(suppressed)
    check_that(valid, "{.arg suppressed} must be TRUE or FALSE for each cell of {.arg x}.", call)
    which(suppressed)
  } else if (!is.null(read)) {
    which(read$hidden)
  } else if (hides) {
    listed_twice <- is.data.frame(x) && !is.null(fill) && is.na(fill)
    check_that(!listed_twice, "With {.code fill = NA}, give {.arg suppressed}.", call)
    off_diagonal <- directed | row(counts) != col(counts)
    which(is.na(counts) & off_diagonal)
  }
  refuse_releases(hidden[!is.na(counts[hidden])], "suppressed, but has a count", table, call)
  counts[hidden] <- HIDDEN
  check_lengths(mechanism, nrow(counts), length(counts), call)
  refuse_impossible(mechanism, replace(table, "counts", list(counts)), call)
  if (!directed) {
    marked <- replace(table, "counts", list(counts))
    check_pairs(marked, "x", parameters_of(mechanism), noised = TRUE, call = call)
    counts <- mirrored(counts)
  }
  release <- new_private_counts(counts, NA_real_, 1,
    rng = "external", directed = directed, columns = table$columns, mechanism = mechanism
  )
  in_shape_of(given, release)
}

# Counts of pairs of actors have two modes, the same noise for all pairs (a pair does not belong to one
# row), and are the same at [i, j] and [j, i]. `levels`: epsilon or alpha, and precision.
check_pairs <- function(table, arg, levels, noised = FALSE, call = rlang::caller_env()) {
  check_that(is.null(table$columns), c(
    "With {.code directed = FALSE}, {.arg {arg}} must have two modes.",
    x = "It has {length(table_dim(table))}."
  ), call)
  check_undirected(table$counts, arg, noised, call)
  check_that(all(lengths(levels) < 2), c(
    "With {.code directed = FALSE} all counts must have the same noise.",
    x = "{.arg epsilon}, {.arg alpha} or {.arg precision} has one value per row."
  ), call)
}

check_undirected <- function(counts, arg, noised = FALSE, call = rlang::caller_env()) {
  check_network(counts, arg, call, noised)
  check_that(is_symmetric(counts), "With {.code directed = FALSE}, {.arg {arg}} must be symmetric.", call)
}

# --- the object -----------------------------------------------------------------------------------

# The version of the format of this package's objects.
FORMAT_VERSION <- 1L

# The object is a list, because attributes of a matrix would be lost in many operations. All properties of
# the noise that are not among its fields follow from these: see privacy().
new_private_counts <- function(counts, alpha, precision, rng, s = NA_real_, t = NA_real_,
                               below = NULL, directed = TRUE, columns = NULL, mechanism = NULL) {
  structure(list(
    counts = counts, # a matrix or dgCMatrix of whole numbers, NA where masked
    alpha = normal_or_zero(alpha), # one number, or one per row, as the next three; NA with another mechanism
    precision = precision,
    s = s, # whole numbers with s / t = -log(alpha) exactly; NA if the noise was added elsewhere
    t = t,
    rng = rng, # the source of the noise: see privacy()
    directed = directed, # FALSE for counts of pairs, each of which is at [i, j] and [j, i]
    below = below, # of a clamped release, per row: the number of cells at or below zero (`cells`) and the
    # sum of their absolute values (`size`), NA if unknown; otherwise NULL
    columns = columns, # for more than two modes, how the columns are made up of modes (R/data-table.R)
    mechanism = mechanism, # of new_mechanism(); NULL for geometric noise or none
    version = FORMAT_VERSION
  ), class = "private_counts")
}

RELEASE_FIELDS <- c(names(formals(new_private_counts)), "version")
LEVEL_FIELDS <- c("alpha", "precision", "s", "t")

nothing_known_below <- function(n_row) list(cells = rep(NA_real_, n_row), size = rep(NA_real_, n_row))

with_counts <- function(x, counts) {
  structure(replace(unclass(x), "counts", list(counts)), class = "private_counts")
}

# The fields of a release of geometric noise (or none). All functions that do not handle other mechanisms use
# this.
geometric_fields <- function(x, call = rlang::caller_env()) {
  fields <- fields_of(x)
  check_geometric(fields$mechanism, call)
  fields
}

check_geometric <- function(mechanism, call) {
  check_that(is.null(mechanism), c(
    "This is not available for a release of another mechanism than geometric noise.",
    x = "The mechanism is {tolower(format(mechanism))}.",
    i = "{.code help(\"what-works\")} lists what is available."
  ), call)
}

# The table (R/data-table.R) in a release or a count_table.
table_of <- function(data) if (is_release(data)) fields_of(data) else data

# The fields of a release, after a check of their form.
fields_of <- function(x) {
  fields <- unclass(x)
  check_version(if (is.list(fields)) fields$version, "a private_counts", FORMAT_VERSION)
  validate_private_counts(fields)
}

# Returns the release as a matrix, with one column if it is a vector.
check_release <- function(x, arg = "x", call = rlang::caller_env()) {
  if (is_private_vector(x)) {
    return(do.call(cbind, list(x)))
  }
  if (!is_release(x)) {
    abort_argument(x, arg, "a private_counts", call, paste(
      "{.fn privatize} adds noise to true counts and returns a private_counts; {.fn private_counts} declares",
      "noise that was added elsewhere, or that there is none ({.code alpha = 0})."
    ))
  }
  x
}

# Per row, the number of cells at or below zero and the sum of their absolute values; NA if they are unknown
# because cells of a clamped release were masked or removed. In an undirected release, each pair is counted
# once.
known_below_zero <- function(x) {
  fields <- geometric_fields(x)
  if (is.null(fields$below)) counted_below_zero(fields) else fields$below
}

counted_below_zero <- function(fields) {
  if (fields$directed) {
    return(below_zero(fields$counts))
  }
  below <- below_zero(above_diagonal(fields$counts))
  below$cells <- below$cells - n_other(nrow(fields$counts), "undirected")
  below
}

# The names of all modes, or NULL; modes without labels may have names too.
titles_of <- function(fields) {
  if (is.null(fields$columns)) names(dimnames(fields$counts)) else fields$columns$titles
}

# --- vectors --------------------------------------------------------------------------------------

# Every element has a noise level. Levels are in an attribute, one row per different level; which of them an
# element has is stored in the last bits of its double (src/rc_levels.c). An attribute with one level per
# element would be wrong wherever attributes are copied and elements are not: stats::model.frame() restores
# attributes after na.action has left out rows, and data.table takes and sorts rows without calling `[`. With
# a single level, the bits are 0, and the doubles are the counts.

# `level`: the row of `noise` that each element has. Releases of other mechanisms have a single one, and may be
# real numbers or hidden.
new_private_vector <- function(counts, level, noise) {
  x <- as.double(counts)
  if (is.null(noise$mechanism[[1]])) {
    x <- .Call(C_rc_set_levels, x, rep_len(as.integer(level) - 1L, length(counts)))
  }
  # package data.table refuses to combine columns of different classes, so the class has the levels
  key <- paste0("levels_", rlang::hash(noise))
  structure(x, noise = noise, class = c("private_vector", key, "vctrs_vctr"))
}

# list(counts =, level =, noise =), the arguments of new_private_vector(), after a check.
elements_of <- function(x) {
  noise <- attr(x, "noise")
  found <- if (!is.null(mechanism_of_vector(x))) {
    counts <- as.vector(unclass(x))
    list(counts = replace(counts, is.na(counts), NA), level = rep(0L, length(x)))
  } else {
    stats::setNames(.Call(C_rc_get_levels, x), c("counts", "level"))
  }
  found$level <- found$level + 1L
  found$noise <- noise
  check_that(is.data.frame(found$noise) && all(found$level <= nrow(found$noise)),
    "This is not a valid {.cls private_vector}: it has been edited or damaged.", NULL
  )
  found
}

# The single column of a release.
vector_of_release <- function(release) {
  fields <- fields_of(release)
  counts <- as.double(as.matrix(release))
  mechanism <- fields$mechanism
  check_that(!is.null(mechanism) || all(abs(counts) < 2^34, na.rm = TRUE),
    "The counts of a vector must be below 2^34.", NULL
  )
  check_that(is_same_for_all(mechanism), c(
    "The counts of a vector must have the same mechanism, with the same numbers for all.",
    i = "With {.code drop = FALSE}, a column of a release is a matrix."
  ), NULL)
  each <- c(fields[LEVEL_FIELDS], list(rng = fields$rng, clamped = !is.null(fields$below)))
  each <- vctrs::data_frame(!!!each, mechanism = list(mechanism), .size = max(lengths(each)))
  noise <- vctrs::vec_unique(each)
  check_that(nrow(noise) <= 2^19, "The counts of a vector must have at most 2^19 noise levels.", NULL)
  new_private_vector(counts, vctrs::vec_match(each, noise), noise)
}

# A vector, if the counts were one, and all have the same mechanism.
in_shape_of <- function(given, release) {
  was_vector <- is_count_vector(given) || is_private_vector(given)
  if (was_vector && is_same_for_all(fields_of(release)$mechanism)) vector_of_release(release) else release
}

# Does a mechanism other than geometric noise have the same numbers for all counts?
is_same_for_all <- function(mechanism) is.null(mechanism) || all(lengths(parameters_of(mechanism)) == 1)

# The mechanism of a vector; NULL for geometric noise or none.
mechanism_of_vector <- function(x) {
  noise <- attr(x, "noise")
  if (is.list(noise) && length(noise$mechanism) == 1) noise$mechanism[[1]]
}

# --- noise level ----------------------------------------------------------------------------------

#' @rdname private_counts
#' @export
privacy <- function(x, ..., delta = 1e-6) {
  check_no_dots(...)
  delta <- check_open_share(delta, "delta")
  if (is_shards(x)) x <- unclass(x)$release
  if (is_mechanism(x)) {
    loss <- mechanism_loss(x, delta)
    return(list(mechanism = x, epsilon = loss$epsilon, rho = loss$rho, delta = loss$delta, loss = loss$text))
  }
  fields <- fields_of(check_release(x))
  if (!is.null(fields$mechanism)) {
    loss <- privacy(fields$mechanism, delta = delta)
    return(c(loss, list(rng = fields$rng, clamped = FALSE, directed = fields$directed)))
  }
  list(
    alpha = fields$alpha, epsilon = epsilon_of(fields), precision = fields$precision, rng = fields$rng,
    clamped = !is.null(fields$below), directed = fields$directed
  )
}

# epsilon, from the exact rate if it is known, otherwise from alpha. If a decimal number with at most 6 places
# differs only by rounding error, it is returned.
epsilon_of <- function(fields) {
  level <- fields[LEVEL_FIELDS]
  level <- lapply(level, rep_len, if (all(lengths(level) > 0)) max(lengths(level)) else 0)
  exact <- scaled(level$precision, level$s, level$t)
  epsilon <- ifelse(is.na(exact), -log(level$alpha) * level$precision, exact)
  short <- round(epsilon * 1e6) / 1e6
  near <- is.finite(epsilon) & short > 0 & abs(epsilon - short) < 1e-12 * epsilon
  as.double(ifelse(near, short, epsilon))
}

# x s / t, also where x s is too large for a double.
scaled <- function(x, s, t) {
  direct <- x * s / t
  ifelse(is.finite(direct), direct, x * (s / t))
}

# --- validity -------------------------------------------------------------------------------------

# A release may have been edited by hand, read from a file, damaged, or created by other code. The name of
# each rule is the message for a release that breaks it. Their order matters, because a rule may rely on
# those before it.
rules_of_fields <- function(...) {
  rules <- list(...)
  stats::setNames(rules, paste0("has {.field ", names(rules), "} that cannot be right"))
}

FIELD_RULES <- rules_of_fields(
  counts = function(x) setequal(names(x), RELEASE_FIELDS) && is_table(x$counts),
  mechanism = function(x) {
    is.null(x$mechanism) || (is_mechanism(x$mechanism) && identical(x$alpha, NA_real_) && is.null(x$below) &&
      is.double(x$counts) && !any(impossible_releases(x$mechanism, as.vector(x$counts))$bad))
  },
  alpha = function(x) {
    !is.null(x$mechanism) || is_per_row(x, "alpha", function(alpha) alpha >= 0 & alpha < 1)
  },
  precision = function(x) is_per_row(x, "precision", function(precision) is.finite(precision) & precision > 0),
  "s and t" = function(x) {
    is_rate <- function(n) is.na(n) | (n >= 1 & n <= TERM_MAX & trunc(n) == n)
    is_per_row(x, "s", is_rate) && is_per_row(x, "t", is_rate) && all(is.na(x$s) == is.na(x$t)) &&
      is_rate_of(x$s / x$t, x$alpha)
  },
  rng = function(x) rlang::is_string(x$rng, c("secure", "R", "external", "mixed")),
  below = function(x) {
    is_sum <- function(n) {
      is.numeric(n) && length(n) == nrow(x$counts) && all(is.na(n) | (is.finite(n) & n >= 0))
    }
    is.null(x$below) || (is.list(x$below) && is_sum(x$below$cells) && is_sum(x$below$size))
  },
  columns = function(x) is.null(x$columns) || is_columns(x$columns, ncol(x$counts)),
  directed = function(x) {
    isTRUE(x$directed) || (isFALSE(x$directed) && is.null(x$columns) && nrow(x$counts) >= 2 &&
      nrow(x$counts) == ncol(x$counts) && !labels_differ(x$counts) && all(lengths(x[LEVEL_FIELDS]) == 1))
  }
)

# Rules for the counts, in a release with valid fields.
COUNT_RULES <- list(
  "is clamped at zero, but has negative counts" = function(x) {
    is.null(x$below) || nrow(negative_cells(x$counts)) == 0
  },
  "has negative counts in rows without noise ({.arg alpha} = 0)" = function(x) {
    !is.null(x$mechanism) || all(x$alpha > 0) ||
      all(rep_len(x$alpha, nrow(x$counts))[negative_cells(x$counts)[, 1]] > 0)
  },
  "has {.field cells_below} and {.field size_below} that contradict its cells" = function(x) {
    below <- x$below
    is.null(below) || (identical(is.na(below$cells), is.na(below$size)) &&
      all(below$cells == counted_below_zero(x)$cells & trunc(below$size) == below$size &
        (below$cells > 0 | below$size == 0), na.rm = TRUE))
  }
)

is_per_row <- function(x, field, allowed) {
  is.numeric(x[[field]]) && length(x[[field]]) %in% c(1, nrow(x$counts)) && all(allowed(x[[field]]))
}

# Do known rates agree with -log(alpha), to one part in a million? If alpha is 0 there is no noise, or so
# little that alpha is rounded to 0.
is_rate_of <- function(rate, alpha) {
  exact <- -log(alpha)
  all(is.na(rate) | ifelse(alpha < .Machine$double.xmin, rate > 700, abs(rate - exact) <= 1e-6 * exact))
}

negative_cells <- function(counts) cells_where(counts, function(x) !is.na(x) & x < 0)

# The first rule that is broken, or NULL. A rule that throws an error is broken.
broken_rule <- function(fields, rules) {
  held <- 0
  tryCatch(
    for (rule in rules) if (isTRUE(rule(fields))) held <- held + 1 else break,
    error = function(failure) NULL
  )
  if (held < length(rules)) names(rules)[held + 1]
}

validate_private_counts <- function(fields, rules = FIELD_RULES, call = NULL) {
  problem <- broken_rule(fields, rules)
  check_that(is.null(problem), c(
    "This is not a valid {.cls private_counts}: it has been edited or damaged.",
    x = paste0("It ", problem, ".")
  ), call)
  fields
}

# If one part is a simulation (noise from R's generator), the result is too.
combine_rng <- function(rng) {
  if (length(unique(rng)) == 1) rng[1] else if ("R" %in% rng) "R" else "mixed"
}

# --- refusals -------------------------------------------------------------------------------------

abort_untrue <- function(what, why, class = "private_counts") {
  plain <- c(private_counts = "{.code as.matrix(x)} returns the released counts as a plain matrix.",
    private_vector = "{.code as.numeric(x)} returns the released counts as plain numbers.")
  ldp_abort(c("{what} is not possible for a {class}.", i = why, i = plain[[class]]),
    class = "ldpcounts_untrue_error", call = NULL
  )
}

# Methods of both classes.
refuse_arithmetic <- function(...) {
  release <- Find(is_release, list(...))
  vector <- Find(is_private_vector, list(...))
  mechanism <- if (is.null(release)) mechanism_of_vector(vector) else unclass(release)$mechanism
  declared <- if (is.null(mechanism)) {
    "have the geometric noise that its alpha declares."
  } else {
    paste0("be a release of the mechanism that it declares: ", format(mechanism), ".")
  }
  abort_untrue(paste0("`", .Generic, "`"), paste(
    "The result would not", declared, "For means and totals of true counts, use {.fn private_means}; for",
    "regressions, {.fn private_nbinom1}."
  ), if (is.null(release)) "private_vector" else "private_counts")
}

refuse_values <- function(class = "private_counts") {
  abort_untrue("Assignment", "Only NA may be assigned, in order to mask cells.", class)
}
