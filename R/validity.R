# Objects that claim to be of a class, and may have been edited by hand, damaged, or made by something
# else. Kernels, and compiled code of other packages, read them without looking: so they are checked here,
# at the door, before anything else is done with them.

# --- matrices -----------------------------------------------------------------------------------

# TRUE, or what is wrong: slots of a Matrix that contradict each other make package Matrix read what is
# not there.
slots_agree <- function(x) tryCatch(methods::validObject(x, test = TRUE), error = conditionMessage)

abort_invalid <- function(x, arg, call) {
  ldp_abort("{.arg {arg}} must be a valid {.cls {class(x)[1]}}, and is not: it has been edited or damaged.",
    class = "ldpcounts_argument_error", call = call
  )
}

check_valid_matrix <- function(x, arg, call) {
  problem <- slots_agree(x)
  if (!isTRUE(problem)) {
    ldp_abort(c("{.arg {arg}} must be a valid {.cls {class(x)[1]}}.", x = "{problem[1]}."),
      class = "ldpcounts_argument_error", call = call
    )
  }
  check_extent_memory(dim(x), arg, call)
}

# What rows and columns take, also where they are empty: about so many bytes each, in labels, sums and
# indices.
BYTES_PER_LINE <- 64

fits_in_memory <- function(dim, free = memory_free()) {
  is_affordable(BYTES_PER_LINE * sum(as.double(dim)), free)
}

check_extent_memory <- function(dim, arg, call, free = memory_free()) {
  if (!fits_in_memory(dim, free)) {
    ldp_abort(c(
      "{.arg {arg}} has too many rows and columns to be held in memory.",
      x = "It is {paste(dim, collapse = ' x ')}."
    ), class = "ldpcounts_memory_error", call = call)
  }
}

# Package slam's: a place and a value per entry.
check_valid_triplet <- function(x, arg, call) {
  places <- function(at, n) is.numeric(at) && length(at) == length(x$v) && all(is_whole(at) & at >= 1 & at <= n)
  extent <- function(n) is_number(n) && is_whole(n) && n >= 0 && n <= .Machine$integer.max
  valid <- extent(x$nrow) && extent(x$ncol) && places(x$i, x$nrow) && places(x$j, x$ncol) &&
    (is.null(x$dimnames) || is_labels(x$dimnames, c(x$nrow, x$ncol)))
  if (!isTRUE(valid)) {
    abort_invalid(x, arg, call)
  }
  check_extent_memory(c(x$nrow, x$ncol), arg, call)
}

# --- releases -----------------------------------------------------------------------------------

# The fields of what claims to be a release, in the present format.
validate_private_counts <- function(fields, call = NULL) {
  counts <- fields$counts
  n_row <- if (is_table(counts)) nrow(counts)
  per_row <- function(x, allowed) {
    is.numeric(x) && length(x) %in% c(1, n_row) && all(allowed(x))
  }
  has_level <- function(x) is.na(x) | (is.finite(x) & x > 0)
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
      x = "Its {.field {names(holds)[!holds][1]}} is not what {.fn privatize} or {.fn private_counts} makes."
    ), class = "ldpcounts_argument_error", call = call)
  }
  invisible(fields)
}

# A base matrix of numbers, or a valid dgCMatrix.
is_table <- function(x) {
  if (methods::is(x, "dgCMatrix")) {
    return(isTRUE(slots_agree(x)))
  }
  is.matrix(x) && is.numeric(x) && !is.object(x)
}

# Counts and sums per row, NA where they are not known.
is_below <- function(below, n_row) {
  per_row <- function(x) is.numeric(x) && length(x) == n_row && all(is.na(x) | (is.finite(x) & x >= 0))
  is.list(below) && per_row(below$cells) && per_row(below$size)
}

# How the columns of a table fold up into modes.
is_columns <- function(columns, n_column) {
  dim <- if (is.list(columns)) columns$dim
  is.numeric(dim) && length(dim) >= 1 && !anyNA(dim) && all(dim >= 0) &&
    prod(as.double(dim)) == n_column && length(columns$labels) == length(dim)
}

# --- graphs -------------------------------------------------------------------------------------

# What package igraph reads without a look: the number of vertices, whether edges are directed, their ends,
# and the indices of edges by their ends.
is_igraph <- function(x) {
  parts <- unclass(x)
  if (!is.list(parts) || length(parts) < 9) {
    return(FALSE)
  }
  numbers <- function(i, length, least, most) {
    part <- parts[[i]]
    is.numeric(part) && length(part) == length && all(is.finite(part) & part >= least & part <= most)
  }
  index <- function(i, length, most) is.null(parts[[i]]) || numbers(i, length, 0, most)
  n <- parts[[1]]
  m <- length(parts[[3]])
  numbers(1, 1, 0, .Machine$integer.max) && rlang::is_bool(parts[[2]]) &&
    numbers(3, m, 0, n - 1) && numbers(4, m, 0, n - 1) &&
    index(5, m, m - 1) && index(6, m, m - 1) && index(7, n + 1, m) && index(8, n + 1, m) &&
    is.list(parts[[9]]) && length(parts[[9]]) == 4
}

check_graph <- function(x, package, arg, call) {
  valid <- if (package == "igraph") is_igraph(x) else is.list(unclass(x))
  if (!valid) {
    abort_invalid(x, arg, call)
  }
}
