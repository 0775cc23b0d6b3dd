# The front door of every function that takes counts: whatever they come as (R/objects.R makes matrices
# of what is none), two shapes go on from here, a base matrix (integer or double) or a dgCMatrix, of whole
# numbers, NA where masked; then the cells that the kernels read.

# A base matrix or a dgCMatrix of numbers, from what given_counts() made; or an error.
as_plain_matrix <- function(x, arg, call = rlang::caller_env()) {
  if (is_sparse(x)) {
    return(x)
  }
  if (is.list(x) && !is.object(x) && length(x) > 0 && all(vapply(x, inherits, TRUE, "private_counts"))) {
    ldp_abort(c(
      "{.arg {arg}} is a list of releases, and must be one release.",
      i = "{.code do.call(rbind, {arg})} puts the rows of all of them into one."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (!is.matrix(x) || !is.numeric(x) || is.object(x)) {
    kinds <- c(
      "a numeric matrix or array", "a Matrix", "a data frame of cells", "a table", "a dfm",
      "a DocumentTermMatrix", "a graph", if (arg %in% c("data", "newdata")) "a private_counts"
    )
    ldp_abort(c(
      "{.arg {arg}} must be a matrix of counts ({.or {kinds}}).",
      x = "It is {describe_type(x)}.",
      i = if (is.data.frame(x)) record_hint(call),
      i = if (is.character(x) && is.matrix(x)) text_matrix_hint(x),
      i = if (is.numeric(x) && is.null(dim(x)) && !is.object(x)) {
        paste(
          "{.code matrix({arg}, nrow = 1)} makes a row of the counts of one record,",
          "{.code cbind({arg})} a column of one count from each of {length(x)} record{?s}."
        )
      },
      i = "All of them: {.code help(\"data-objects\")}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (all(names(attributes(x)) %in% c("dim", "dimnames"))) {
    return(x)
  }
  `attributes<-`(x, list(dim = dim(x), dimnames = dimnames(x)))
}

# Of a matrix of text: edges or cells, or numbers.
text_matrix_hint <- function(x) {
  if (ncol(x) %in% 2:3 && !all(grepl("^ *-?[0-9]+ *$", x))) {
    paste(
      "If its rows are edges or cells, make a data frame of it with {.fn as.data.frame}:",
      "its labels must be factors with all labels as levels, its counts, if any, numbers in the last column."
    )
  } else {
    "{.code mode({arg}) <- \"numeric\"} makes numbers of text."
  }
}

# Without further attributes and cached factorizations.
bare_sparse <- function(x) {
  methods::new("dgCMatrix", i = x@i, p = x@p, x = x@x, Dim = x@Dim, Dimnames = x@Dimnames)
}

# Whole numbers and NA only; not below zero unless `signed`.
#' @srrstats {UL1.1} what is not counts is refused by name.
#' @srrstats {G2.16} infinite values and NaN are errors.
check_counts <- function(x, arg, call = rlang::caller_env(), signed = FALSE) {
  values <- stored_values(x)
  complain <- function(problem, bad, hint = NULL) {
    where <- where_bad(x, bad)
    ldp_abort(c(
      "{.arg {arg}} must hold counts, and has {problem}.", x = if (!is.null(where)) "{where}", i = hint
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (is.double(values)) {
    unbounded <- is.infinite(values) | is.nan(values)
    if (any(unbounded)) {
      complain("infinite values or NaN", unbounded)
    }
    if (!all(is_whole(values), na.rm = TRUE)) {
      complain("values that are not whole numbers", !is_whole(values))
    }
    values <- round(values)
    if (is_sparse(x)) x@x <- values else x[] <- values
  }
  if (!signed && any(values < 0, na.rm = TRUE)) {
    complain("negative values", values < 0, paste(
      "If they are noised, say so: {.fn private_counts}.",
      "If they are codes of missing answers, as in surveys, make them {.code NA} first."
    ))
  }
  # true counts as far as privatize() takes them; releases as far as doubles count
  if (!signed && any(values > .Machine$integer.max, na.rm = TRUE)) {
    complain("values above 2^31 - 1", values > .Machine$integer.max)
  }
  if (signed && any(abs(values) > 2^53, na.rm = TRUE)) {
    complain("values beyond 2^53", abs(values) > 2^53)
  }
  x
}

# Which labelled columns of counts have values that are `bad`, in words; NULL where there are none.
where_bad <- function(counts, bad) {
  if (is.null(colnames(counts))) {
    return(NULL)
  }
  columns <- if (is_sparse(counts)) sparse_columns(counts) else as.vector(col(counts))
  found <- colnames(counts)[unique(columns[which(bad)])]
  paste0(
    if (length(found) == 1) "Column " else "Columns ",
    paste0("\"", utils::head(found, 5), "\"", collapse = ", "),
    if (length(found) > 5) paste(" and", length(found) - 5, "more"),
    if (length(found) == 1) " has" else " have", " such values."
  )
}

# The counts of data with so many modes (NULL: any number), checked, whatever network they may be of, as
# list(counts =, dim =): their table (R/modes.R), and the extents of all modes.
#' @srrstats {G2.8} models see a base matrix or a dgCMatrix, whatever was given: this is their door.
counts_of <- function(data, n_modes = 2, arg = "data", call = rlang::caller_env()) {
  check_given(missing(data), arg, call)
  private <- inherits(data, "private_counts")
  table <- if (private) fields_of(data) else as_table(data, arg, call = call)
  dim <- table_dim(table)
  check_modes(dim, n_modes, arg, call)
  counts <- check_counts(table$counts, arg, call, signed = private)
  if (any(dim == 0)) {
    ldp_abort(c(
      if (length(dim) == 2) {
        "{.arg {arg}} must have at least one row and one column."
      } else {
        "{.arg {arg}} must have an extent of at least 1 in each mode."
      },
      x = "It is {paste(dim, collapse = ' x ')}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  list(counts = counts, dim = dim)
}

# What a model is given, as list(counts =, dim =, alpha =, private =, clamped =): counts and dim as
# counts_of() has them, alpha one number per row, 0 where the counts are, or are taken for, the truth.
# `arg`: what an error calls the data.
model_data <- function(data, network = "none", n_modes = 2, arg = "data", call = rlang::caller_env()) {
  table <- counts_of(data, n_modes, arg, call)
  counts <- table$counts
  private <- inherits(data, "private_counts")
  alpha <- if (private) rep_len(privacy(data)$alpha, nrow(counts)) else numeric(nrow(counts))
  if (network != "none") {
    check_network(counts, arg, call, private)
    check_direction(data, counts, network, call)
    counts <- only_data(counts, network, alpha)
  } else if (private && !privacy(data)$directed) {
    abort_undirected(arg, call)
  }
  if (private) check_possible(counts, alpha, privacy(data)$clamped, arg, call)
  list(
    counts = counts, dim = table$dim, alpha = alpha, private = private,
    clamped = private && privacy(data)$clamped
  )
}

# A release that was edited may have negative counts where there are none: without noise, and clamped.
check_possible <- function(counts, alpha, clamped, arg, call) {
  if (!clamped && all(alpha > 0)) {
    return(invisible())
  }
  below <- cells_where(counts, function(x) !is.na(x) & x < 0)
  if (nrow(below) > 0 && (clamped || any(alpha[below[, 1]] == 0))) {
    ldp_abort("{.arg {arg}} has negative counts where its noise allows none: it has been edited or damaged.",
      class = "ldpcounts_argument_error", call = call
    )
  }
}

check_modes <- function(dim, n_modes, arg, call) {
  if (is.null(n_modes) || length(dim) == n_modes) {
    return(invisible())
  }
  two <- n_modes == 2
  ldp_abort(c(
    if (two) {
      "{.arg {arg}} must be a matrix of counts, with two modes."
    } else {
      "{.arg {arg}} must have {n_modes} modes."
    },
    x = "It has {length(dim)} modes, {paste(dim, collapse = ' x ')}.",
    i = if (two && sum(dim[-1] > 1) < 2) "{.code {arg}[, , 1, drop = TRUE]} has two modes.",
    i = if (two) "{.fn tensor_model} is for data of any number of modes."
  ), class = "ldpcounts_argument_error", call = call)
}

# `noised`: zeros in the place of actors that are missing would be no data.
check_network <- function(counts, arg, call, noised = FALSE) {
  if (labels_differ(counts)) {
    abort_other_actors(counts, arg, call, noised)
  }
  if (nrow(counts) != ncol(counts)) {
    ldp_abort(c(
      "{.arg {arg}} must be a network: as many rows as columns.",
      x = "It is {nrow(counts)} x {ncol(counts)}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (nrow(counts) < 2) {
    ldp_abort("{.arg {arg}} must be a network of at least two actors.",
      class = "ldpcounts_argument_error", call = call
    )
  }
}

abort_other_actors <- function(counts, arg, call, noised) {
  twice <- vapply(dimnames(counts), anyDuplicated, 0L) > 0
  if (any(twice)) {
    ldp_abort(c(
      "{.arg {arg}} must be a network: rows and columns are the same actors, in the same order.",
      x = "Labels of {c('rows', 'columns')[twice]} come more than once.",
      i = "Give each actor a label of its own, the same in rows and columns: {.fn make.unique}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  senders <- length(setdiff(colnames(counts), rownames(counts)))
  recipients <- length(setdiff(rownames(counts), colnames(counts)))
  shuffled <- senders == 0 && recipients == 0 && nrow(counts) == ncol(counts)
  ldp_abort(c(
    "{.arg {arg}} must be a network: rows and columns are the same actors, in the same order.",
    x = if (nrow(counts) != ncol(counts)) "It is {nrow(counts)} x {ncol(counts)}.",
    if (shuffled) {
      c(
        x = "Rows and columns have the same labels in another order.",
        i = "{.code {arg}[colnames({arg}), ]} has the rows in the order of the columns."
      )
    } else if (recipients == nrow(counts)) {
      c(x = "Rows and columns have no label in common.")
    } else {
      c(
        x = if (senders > 0) {
          "{senders} sender{?s} {?is/are} missing: {?a label/labels} of the columns that no row has."
        },
        x = if (recipients > 0) {
          "{recipients} recipient{?s} {?is/are} missing: {?a label/labels} of the rows that no column has."
        },
        add_actors(noised)
      )
    },
    i = if (!noised) "In a data frame of cells both columns must be factors with the same levels."
  ), class = "ldpcounts_argument_error", call = call)
}

# How to complete a network whose rows and columns share some actors. Counts of a release that are missing are
# not known to be zero.
add_actors <- function(noised) {
  c(
    i = if (noised) {
      "Add them with missing counts, if all rows have one noise level:"
    } else {
      "Add them with counts of zero. For a matrix:"
    },
    " " = "{.code actors <- union(rownames({arg}), colnames({arg}))}",
    " " = paste0(
      "{.code full <- array(", if (noised) "NA" else "0",
      ", rep(length(actors), 2), list(actors, actors))}"
    ),
    " " = "{.code full[rownames({arg}), colnames({arg})] <- as.matrix({arg})}",
    if (noised) {
      c(
        " " = paste(
          "{.code {arg} <- private_counts(full, alpha = privacy({arg})$alpha,",
          "clamped = privacy({arg})$clamped)}"
        ),
        i = "Or take only the actors that are in both:",
        " " = "{.code both <- intersect(rownames({arg}), colnames({arg}))}",
        " " = "{.code {arg} <- {arg}[both, both]}"
      )
    } else {
      c(" " = "{.code {arg} <- full}")
    }
  )
}

# Do both margins have labels, and not the same?
labels_differ <- function(counts) {
  labels <- dimnames(counts)
  !is.null(labels[[1]]) && !is.null(labels[[2]]) && !identical(labels[[1]], labels[[2]])
}

# An undirected network is one whose noise is that of pairs; true counts are, where they are
# symmetric.
check_direction <- function(data, counts, network, call) {
  undirected <- if (inherits(data, "private_counts")) {
    !privacy(data)$directed
  } else if (network == "undirected") {
    is_symmetric(counts)
  } else {
    FALSE
  }
  if (undirected == (network == "undirected")) {
    return(invisible())
  }
  ldp_abort(if (undirected) {
    c(
      "{.arg data} is an undirected network, in which every pair stands twice with one noise.",
      i = "Use {.code directed = FALSE}."
    )
  } else if (inherits(data, "private_counts")) {
    c(
      "{.arg data} must be an undirected release with {.code directed = FALSE}.",
      x = "Its counts have each their own noise.",
      i = "{.code privatize(directed = FALSE)} makes such a release."
    )
  } else {
    c("{.arg data} must be symmetric with {.code directed = FALSE}.", x = "It is not.")
  }, class = "ldpcounts_argument_error", call = call)
}

# A table that is no network would take every pair twice.
abort_undirected <- function(arg, call) {
  ldp_abort(c(
    "{.arg {arg}} is an undirected network, in which every pair stands twice with one noise.",
    i = "{.fn block_model} takes it, with {.code directed = FALSE}.",
    i = paste(
      "For other models make it a table in which each pair stands once:",
      "{.code m <- as.matrix(x); m[lower.tri(m)] <- NA; private_counts(m, alpha = privacy(x)$alpha)}."
    )
  ), class = "ldpcounts_argument_error", call = call)
}

# Which cells of a table are data: of a directed network those off the diagonal, of an undirected
# one those above it.
NETWORKS <- c("none", "directed", "undirected")

is_data <- function(cells, network) {
  switch(network,
    none = rep(TRUE, nrow(cells)),
    directed = cells[, 1] != cells[, 2],
    undirected = cells[, 1] < cells[, 2]
  )
}

# How many cells of each row are not data.
n_other <- function(rows, network) {
  switch(network,
    none = numeric(rows),
    directed = rep(1, rows),
    undirected = as.double(seq_len(rows))
  )
}

# The network with zeros where it has no data; what looks like a mistake is warned of.
only_data <- function(counts, network, alpha = numeric(nrow(counts))) {
  diagonal <- diagonal_cells(nrow(counts))
  if (has_loops(counts[diagonal], alpha)) {
    cli::cli_warn("Messages of actors to themselves (the diagonal) are not data; left out.",
      class = "ldpcounts_self_loops"
    )
  }
  if (network == "undirected") {
    return(above_diagonal(counts))
  }
  counts[diagonal] <- 0L
  if (any(counts != 0, na.rm = TRUE) && is_symmetric(counts)) {
    cli::cli_warn(c(
      "The network is symmetric, and is analysed as directed.",
      i = "If every pair stands twice, what the counts say is taken twice: {.code directed = FALSE}."
    ), class = "ldpcounts_symmetric")
  }
  counts
}

diagonal_cells <- function(n) cbind(seq_len(n), seq_len(n))

# Does a diagonal hold more than noise?
has_loops <- function(diagonal, alpha) {
  seen <- !is.na(diagonal)
  noised <- seen & alpha > 0
  any(diagonal[seen & !noised] > 0) ||
    noise_above_zero(sum(pmax(diagonal[noised], 0)), alpha[noised]) < DOUBT
}

# An upper bound (Chernoff's) of the probability that the noises of these alpha, those below zero set to zero,
# add up to at least `total`: E[exp(u max(tau, 0))] = (1 + (1 - alpha) r / (1 - r)) / (1 + alpha) with
# r = alpha exp(u).
noise_above_zero <- function(total, alpha) {
  if (total == 0) {
    return(1)
  }
  log_bound <- function(u) {
    r <- alpha * exp(u)
    sum(log1p((1 - alpha) * r / (1 - r)) - log1p(alpha)) - u * total
  }
  exp(min(0, stats::optimize(log_bound, c(0, -log(max(alpha))))$objective))
}

above_diagonal <- function(counts) {
  if (is_sparse(counts)) {
    return(bare_sparse(as_sparse(Matrix::triu(counts, 1))))
  }
  counts[lower.tri(counts, diag = TRUE)] <- 0L
  counts
}

# To the last digit, and whatever the names of rows and columns are.
is_symmetric <- function(counts) {
  if (!is_sparse(counts)) {
    counts <- unname(counts)
    return(identical(counts, t(counts)))
  }
  counts <- Matrix::drop0(counts)
  turned <- Matrix::t(counts)
  all(mapply(identical, list(counts@i, counts@p, counts@x), list(turned@i, turned@p, turned@x)))
}

# What stands above the diagonal below it too, and on it NA: pairs of different actors are data.
mirrored <- function(counts) {
  if (is_sparse(counts)) {
    labels <- dimnames(counts)
    counts <- bare_sparse(as_sparse(Matrix::forceSymmetric(counts, "U")))
    dimnames(counts) <- labels
    Matrix::diag(counts) <- NA_real_
    return(bare_sparse(as_sparse(counts)))
  }
  below <- lower.tri(counts)
  counts[below] <- t(counts)[below]
  diag(counts) <- NA
  counts
}

# The cells as the kernels read them (src/ldp_cells.h). `all_active`: every observed cell
# carries a latent count (Bessel augmentation), and not only the positive ones. `by_columns`: are they
# wanted by columns too?
#' @srrstats {G2.15} every cell may be missing: it then has no exposure.
make_cells <- function(counts, alpha, all_active = FALSE, network = "none", by_columns = TRUE) {
  if (all_active) {
    counts <- as.matrix(counts)
  }
  table <- match(network, NETWORKS) - 1L
  .Call(C_rc_make_cells, counts, as.double(alpha), all_active, table, by_columns)
}
