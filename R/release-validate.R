# Checks whether a release is valid. It may have been edited by hand, read from a file, damaged, or created by
# other code.

# The version of the format of this package's objects.
FORMAT_VERSION <- 1L

RELEASE_FIELDS <- c(
  "counts", "alpha", "precision", "s", "t", "rng", "directed", "below", "columns", "version"
)
LEVEL_FIELDS <- c("alpha", "precision", "s", "t")

# The name of each rule is the message for a release that breaks it.

# Rules for the fields. Their order matters, because a rule may rely on those before it.
FIELD_RULES <- list(
  "has other fields than a release" = function(x) setequal(names(x), RELEASE_FIELDS),
  "must have {.field counts} in a valid matrix" = function(x) is_table(x$counts),
  "must have {.field alpha} in [0, 1), one number or one per row" = function(x) {
    is_per_row(x$alpha, x, function(alpha) alpha >= 0 & alpha < 1)
  },
  "must have a positive {.field precision}, one number or one per row" = function(x) {
    is_per_row(x$precision, x, function(precision) is.finite(precision) & precision > 0)
  },
  "must have both {.field s} and {.field t}, as whole numbers up to 2^31, or neither" = function(x) {
    is_rate <- function(n) is.na(n) | (n >= 1 & n <= RATE_MAX & trunc(n) == n)
    is_per_row(x$s, x, is_rate) && is_per_row(x$t, x, is_rate) && all(is.na(x$s) == is.na(x$t))
  },
  "contradicts itself: {.field alpha} is not exp(-s / t)" = function(x) {
    is_rate_of(x$s / x$t, x$alpha)
  },
  "must have {.field rng} as one of the sources of noise" = function(x) {
    rlang::is_string(x$rng, c("secure", "R", "external", "mixed"))
  },
  "must have {.field directed} as TRUE or FALSE" = function(x) rlang::is_bool(x$directed),
  "must have {.field below} as NULL or two numbers per row" = function(x) {
    is.null(x$below) || is_below(x$below, nrow(x$counts))
  },
  "must have {.field columns} as NULL or extents of modes, with labels" = function(x) {
    is.null(x$columns) || is_columns(x$columns, ncol(x$counts))
  },
  "is undirected, but rows and columns differ in number or labels" = function(x) {
    x$directed || (is.null(x$columns) && nrow(x$counts) >= 2 && nrow(x$counts) == ncol(x$counts) &&
      !labels_differ(x$counts))
  },
  "is undirected, but its rows have different noise levels" = function(x) {
    x$directed || all(lengths(x[LEVEL_FIELDS]) == 1)
  }
)

# Rules for the counts, in a release with valid fields.
COUNT_RULES <- list(
  "is clamped at zero, but has negative counts" = function(x) {
    is.null(x$below) || nrow(negative_cells(x$counts)) == 0
  },
  "has negative counts in rows without noise ({.arg alpha} = 0)" = function(x) {
    all(x$alpha > 0) || all(rep_len(x$alpha, nrow(x$counts))[negative_cells(x$counts)[, 1]] > 0)
  },
  "has {.field cells_below} and {.field size_below} that contradict its cells" = function(x) {
    is.null(x$below) || goes_with(x$below, counted_below_zero(x)$cells)
  }
)

# The first rule that is broken, or NULL. A rule that throws an error is broken. (One tryCatch() for all rules,
# because it takes most of the time if there are many small releases.)
broken_rule <- function(fields, rules) {
  all_hold <- function() {
    for (rule in rules) if (!isTRUE(rule(fields))) return(FALSE)
    TRUE
  }
  if (tryCatch(all_hold(), error = function(failure) FALSE)) {
    return(NULL)
  }
  holds <- function(rule) isTRUE(tryCatch(rule(fields), error = function(failure) FALSE))
  Find(function(problem) !holds(rules[[problem]]), names(rules))
}

validate_private_counts <- function(fields, rules = FIELD_RULES, call = NULL) {
  problem <- broken_rule(fields, rules)
  check_that(is.null(problem), c(
    "This is not a valid {.cls private_counts}: it has been edited or damaged.",
    x = paste0("It ", problem, ".")
  ), call)
  fields
}

is_per_row <- function(values, fields, allowed) {
  is.numeric(values) && length(values) %in% c(1, nrow(fields$counts)) && all(allowed(values))
}

# Do known rates agree with -log(alpha), to one part in a million? If alpha is 0 there is no noise, or so
# little that alpha is rounded to 0.
is_rate_of <- function(rate, alpha) {
  exact <- -log(alpha)
  all(is.na(rate) | ifelse(alpha < .Machine$double.xmin, rate > 700, abs(rate - exact) <= 1e-6 * exact))
}

# In an undirected release, each pair is counted once.
counted_below_zero <- function(fields) {
  if (fields$directed) {
    return(below_zero(fields$counts))
  }
  below <- below_zero(above_diagonal(fields$counts))
  below$cells <- below$cells - n_other(nrow(fields$counts), "undirected")
  below
}

negative_cells <- function(counts) cells_where(counts, function(x) !is.na(x) & x < 0)

# Is this a valid `below`, with counts and sums per row, NA if unknown?
is_below <- function(below, n_row) {
  per_row <- function(x) is.numeric(x) && length(x) == n_row && all(is.na(x) | (is.finite(x) & x >= 0))
  is.list(below) && per_row(below$cells) && per_row(below$size)
}

# Are the sums possible for these numbers of cells?
goes_with <- function(below, cells) {
  all(below$cells == cells & trunc(below$size) == below$size & (below$cells > 0 | below$size == 0),
    na.rm = TRUE) && identical(is.na(below$cells), is.na(below$size))
}

# The fields of a release, after a check of their form.
fields_of <- function(x) {
  fields <- unclass(x)
  check_version(if (is.list(fields)) fields$version, "a private_counts", FORMAT_VERSION)
  validate_private_counts(fields)
}
