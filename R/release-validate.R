# Whether a release is valid: it may have been edited by hand, damaged, or made by something else.

# The fields of what claims to be a release, in the present format.
validate_private_counts <- function(fields, call = NULL) {
  counts <- fields$counts
  n_row <- if (is_table(counts)) nrow(counts)
  per_row <- function(x, allowed) {
    is.numeric(x) && length(x) %in% c(1, n_row) && all(allowed(x))
  }
  has_level <- function(x) is.na(x) | (x >= 1 & x <= 2^31 & is_whole(x))
  holds <- c(
    counts = !is.null(n_row),
    alpha = per_row(fields$alpha, function(x) !is.na(x) & x >= 0 & x < 1),
    epsilon = per_row(fields$epsilon, function(x) !is.na(x) & x > 0),
    precision = per_row(fields$precision, function(x) is.finite(x) & x > 0),
    s = per_row(fields$s, has_level), t = per_row(fields$t, has_level),
    rng = rlang::is_string(fields$rng, c("secure", "R", "external", "mixed")),
    clamped = rlang::is_bool(fields$clamped) && fields$clamped == !is.null(fields$below),
    directed = rlang::is_bool(fields$directed),
    below = is.null(fields$below) || is_below(fields$below, n_row),
    columns = is.null(fields$columns) || is_columns(fields$columns, ncol(counts))
  )
  if (!all(holds)) {
    ldp_abort(c(
      "This is not a valid {.cls private_counts}: it has been edited or damaged.",
      x = "Field {.field {names(holds)[!holds][1]}} is not what {.fn private_counts} accepts."
    ), call = call)
  }
  invisible(fields)
}

# Counts and sums per row, NA where they are not known.
is_below <- function(below, n_row) {
  per_row <- function(x) is.numeric(x) && length(x) == n_row && all(is.na(x) | (is.finite(x) & x >= 0))
  is.list(below) && per_row(below$cells) && per_row(below$size)
}
