# Reads releases from text files, and refuses what is not in the format of ?write_release.

# --- reading --------------------------------------------------------------------------------------

#' @rdname write_release
#' @export
read_release <- function(file) {
  check_given(missing(file), "file")
  check_one_file(file)
  check_file_name(file)
  check_folder(file, "read")
  if (!file.exists(file)) {
    ldp_abort("There is no {.file {file}}.", class = "ldpcounts_file_error")
  }
  reader <- new_reader(file, rlang::current_env())
  on.exit(close(reader$connection))
  version <- check_first_line(reader)
  head <- read_head(reader, version)
  cells <- read_cells(reader, head)
  if (!identical(reader$take(), "end")) {
    reader$complain("should be {.code end}: the file is truncated or damaged")
  }
  while (length(after <- reader$take()) > 0) {
    if (nzchar(trimws(after))) reader$complain("comes after {.code end}")
  }
  make_release(head, cells, reader)
}

check_one_file <- function(file, call = rlang::caller_env()) {
  recipe <- function(names) {
    paste0("{.code do.call(rbind, lapply(", names, ", read_release))} binds the rows of several releases.")
  }
  if (is.character(file) && length(file) > 1) {
    ldp_abort(c("{.arg file} must be the name of one file.", x = "It has {length(file)}.",
      i = recipe("file")
    ), call = call)
  }
  if (is_file_name(file) && dir.exists(file)) {
    ldp_abort(c("{.file {file}} is a folder, and {.arg file} must be the name of one file.",
      i = "{.code files <- list.files(\"{file}\", full.names = TRUE)} lists its files.", i = recipe("files")
    ), class = "ldpcounts_file_error", call = call)
  }
}

# Lines, one or more at a time, and an error that tells where it was.
new_reader <- function(file, call) {
  line <- 0
  complain <- function(problem, where = paste("Line", format(line, scientific = FALSE))) {
    ldp_abort(c(
      "{.file {file}} can't be read as a release.", x = paste0(where, " ", problem, ".")
    ), class = "ldpcounts_file_error", call = call)
  }
  # the words of the system say less, and come as a warning as often as an error
  try_reading <- function(code, problem) {
    told <- function(failure) complain(problem, "It")
    tryCatch(code, error = told, warning = told)
  }
  connection <- try_reading(file(file, "rt", encoding = "native.enc"), "can't be opened")
  list(
    connection = connection, complain = complain,
    inconsistent = function(problem) complain(problem, "It contradicts itself:"),
    skip = function(n) line <<- line + n,
    take = function(n = 1) {
      text <- try_reading(
        readLines(connection, n, warn = FALSE, encoding = "UTF-8", skipNul = TRUE),
        "is damaged, and can't be uncompressed"
      )
      line <<- line + max(1, length(text))
      if (!all(validUTF8(text))) complain("is no text in UTF-8")
      text
    }
  )
}

check_first_line <- function(reader) {
  first <- sub("^\ufeff", "", reader$take())
  version <- sub(paste0("^", RELEASE_FIRST_LINE, " ([0-9]+)$"), "\\1", first)
  if (length(first) == 0 || version == first || as.numeric(version) < 1) {
    reader$complain(paste0("should be {.code ", RELEASE_FIRST_LINE, " 1}"))
  }
  if (as.numeric(version) > RELEASE_VERSION) {
    reader$complain(paste0(
      "says format ", version, "; this version of ldpcounts knows formats up to ", RELEASE_VERSION
    ))
  }
  as.numeric(version)
}

RELEASE_KEYS <- c(
  "mechanism", "rows", "columns", LEVEL_FIELDS, "rng", "clamped", "directed", "cells_below",
  "size_below", "storage"
)

# The modes that a file of this version may name; in version 2 as far as it has told.
known_margins <- function(head, version) {
  if (is.null(head$extents)) c("row", if (version == 1) "column") else release_margins(c(0, head$extents))
}

# How many labels the section of a mode has; NULL before the file told.
labels_of_margin <- function(head, margin) {
  switch(margin,
    row = head$rows,
    column = head$columns,
    head$extents[as.numeric(sub("mode", "", margin)) - 1]
  )
}

# A list of the keys, of the labels of all modes, and of the number of cells, which comes last.
read_head <- function(reader, version) {
  head <- list()
  while (is.null(head[["cells"]])) { # $cells might be cells_below
    text <- reader$take()
    if (length(text) == 0) {
      reader$complain("is missing: the file is truncated")
    }
    if (startsWith(text, "#")) {
      next
    }
    key <- sub(":.*$", "", text)
    value <- sub("^[^:]*: ?", "", text)
    margins <- known_margins(head, version)
    titles <- paste0(margins, "_title")
    sections <- paste0(margins, "_labels")
    if (!key %in% titles) {
      value <- trimws(value, whitespace = "[ \t]")
    }
    known <- c(RELEASE_KEYS, if (version > 1) "extents", titles, sections, "cells")
    if (key == text || !key %in% known) {
      reader$complain("is no {.code key: value} of this format")
    }
    if (!is.null(head[[key]])) {
      reader$complain(paste0("is a second {.field ", key, "}"))
    }
    head[[key]] <- if (key %in% sections) {
      read_labels(reader, labels_of_margin(head, sub("_labels", "", key)))
    } else if (key == "extents") {
      read_extents(reader, head, value)
    } else if (key %in% c("rows", "columns", "cells")) {
      read_extent(reader, key, value)
    } else {
      value
    }
  }
  required <- c("mechanism", "rows", "columns", if (version > 1) "extents", "alpha")
  missing <- setdiff(required, names(head))
  if (length(missing) > 0) {
    reader$complain(paste0("ends the head, which has no {.field ", missing[1], "}"))
  }
  head
}

read_extent <- function(reader, key, value) {
  if (!grepl("^[0-9]{1,15}$", value) || (key != "cells" && as.numeric(value) >= 2^31)) {
    reader$complain(paste0("must give {.field ", key, "} as a whole number"))
  }
  as.numeric(value)
}

# Of the modes from the second on.
read_extents <- function(reader, head, value) {
  text <- strsplit(value, "[ \t]+")[[1]]
  extents <- if (all(grepl("^[0-9]{1,10}$", text))) as.numeric(text)
  known <- length(extents) >= 2 && length(extents) < MOST_MODES && max(extents) < 2^31
  if (!known || !identical(prod(extents), head$columns)) {
    reader$complain(paste(
      "must give {.field extents} as whole numbers whose product is {.field columns}, which comes before"
    ))
  }
  extents
}

read_labels <- function(reader, n) {
  if (is.null(n)) {
    reader$complain("must come after {.field rows} and {.field columns}")
  }
  labels <- reader$take(n)
  if (length(labels) < n) {
    reader$complain("ends the labels too early: the file is truncated")
  }
  unescape(labels)
}

# Three columns of numbers, checked.
read_cells <- function(reader, head) {
  n <- head[["cells"]]
  if (n == 0) {
    return(matrix(0, 0, 3))
  }
  complain <- function(failure) { # whose message would quote a count
    reader$complain("must be lines of {.code row column count}, and one is not", "The cells")
  }
  cells <- tryCatch(
    scan(reader$connection, list(0, 0, 0), nlines = n, quiet = TRUE, multi.line = FALSE),
    error = complain, warning = complain
  )
  reader$skip(n)
  cells <- do.call(cbind, cells)
  if (nrow(cells) != n) {
    reader$complain("are not as many as announced, one a line: is the file truncated?", "The cells")
  }
  check_read_cells(cells, head, reader)
}

check_read_cells <- function(cells, head, reader) {
  bad <- function(ok, problem) {
    if (!all(ok)) reader$complain(problem, paste("Of the cells, number", which(!ok)[1]))
  }
  whole <- function(x) trunc(x) == x
  inside <- function(x, n) !is.na(x) & x >= 1 & x <= n & whole(x)
  counts <- cells[, 3]
  bad(inside(cells[, 1], head$rows), "is in no row of this release")
  bad(inside(cells[, 2], head$columns), "is in no column of this release")
  bad(!is.nan(counts), "has no whole number as its count")
  bad(is.na(counts) | (abs(counts) <= 2^53 & whole(counts)), "has no whole number as its count")
  sorted <- order(cells[, 2], cells[, 1])
  again <- diff(cells[sorted, 2]) == 0 & diff(cells[sorted, 1]) == 0
  bad(replace(rep(TRUE, nrow(cells)), sorted[-1][again], FALSE), "was listed before")
  cells
}

# --- from what was read to a release --------------------------------------------------------------

make_release <- function(head, cells, reader) {
  if (!fits_in_memory(c(head$rows, head$columns))) {
    reader$complain("has more rows and columns than this memory holds", "It")
  }
  if (head$mechanism != MECHANISM) {
    reader$complain("has another mechanism than this package knows", "It")
  }
  level <- read_level(head, reader)
  clamped <- read_choice(head, "clamped", c(no = FALSE, yes = TRUE), reader)
  directed <- read_choice(head, "directed", c(yes = TRUE, no = FALSE), reader)
  if (!directed) check_read_pairs(head, cells, level, reader)
  rng <- read_choice(head, "rng", c(
    external = "external", secure = "secure", R = "R", mixed = "mixed"
  ), reader)
  if (!clamped && any(c("cells_below", "size_below") %in% names(head))) {
    reader$inconsistent("it is not clamped, and has cells_below or size_below")
  }
  below <- if (clamped) read_below(head, cells, directed, reader)
  negative <- !is.na(cells[, 3]) & cells[, 3] < 0
  if (clamped && any(negative)) {
    reader$inconsistent("it is clamped, and has negative counts")
  }
  if (any(is.infinite(rep_len(level$epsilon, head$rows))[cells[negative, 1]])) {
    reader$inconsistent("a row without noise (alpha = 0) has negative counts")
  }
  counts <- tryCatch(
    read_storage(head, cells, clamped, reader),
    error = function(failure) {
      if (inherits(failure, "ldpcounts_error")) stop(failure)
      reader$complain("is larger than this memory or R's matrices", "It")
    }
  )
  new_private_counts(if (directed) counts else mirrored(counts),
    level$alpha, level$epsilon, level$precision,
    rng = rng, s = level$s, t = level$t, below = below, directed = directed,
    columns = columns_of(head)
  )
}

check_read_pairs <- function(head, cells, level, reader) {
  one_actor <- identical(head$row_labels, head$column_labels) && is.null(head$extents)
  if (head$rows != head$columns || head$rows < 2 || !one_actor) {
    reader$inconsistent("it is undirected, and its rows are not its columns")
  }
  if (any(lengths(level) > 1)) {
    reader$inconsistent("it is undirected, and its rows differ in their noise")
  }
  if (any(cells[, 1] >= cells[, 2])) {
    reader$inconsistent("it is undirected, and not all cells have row < column")
  }
}

# How columns fold up, in version 2.
columns_of <- function(head) {
  if (!is.null(head$extents)) {
    modes <- release_margins(c(0, head$extents))
    labels <- lapply(paste0(modes[-1], "_labels"), function(key) head[[key]])
    new_columns(head$extents, labels, read_titles(head, modes))
  }
}

# NULL where the file has none.
read_titles <- function(head, margins) {
  titles <- lapply(paste0(margins, "_title"), function(key) head[[key]])
  if (!all(vapply(titles, is.null, TRUE))) {
    vapply(titles, function(title) if (is.null(title)) "" else unescape(title), "")
  }
}

# One of the names of `choices`; the first where the key is left out.
read_choice <- function(head, key, choices, reader) {
  value <- head[[key]]
  if (is.null(value)) {
    return(choices[[1]])
  }
  if (!value %in% names(choices)) {
    known <- paste(names(choices), collapse = " or ")
    reader$complain(paste0("must have {.field ", key, "} as ", known), "It")
  }
  choices[[value]]
}

# Numbers with blanks between them, NULL where the key is left out; `lengths`: how many there may
# be.
read_numbers <- function(head, key, lengths, reader) {
  if (is.null(head[[key]])) {
    return(NULL)
  }
  text <- strsplit(head[[key]], "[ \t]+")[[1]]
  values <- suppressWarnings(as.double(text))
  if (any(is.na(values) & text != "NA") || !length(values) %in% lengths) {
    reader$complain(paste0(
      "must have {.field ", key, "} as numbers, ", paste(unique(lengths), collapse = " or "), " of them"
    ), "It")
  }
  values
}

read_level <- function(head, reader) {
  level <- lapply(stats::setNames(nm = LEVEL_FIELDS), read_numbers,
    head = head, lengths = c(1, head$rows), reader = reader
  )
  fill <- function(value, default) if (is.null(value)) default else value
  level$precision <- fill(level$precision, 1)
  level$epsilon <- fill(level$epsilon, -log(level$alpha) * level$precision)
  level$s <- fill(level$s, NA_real_)
  level$t <- fill(level$t, NA_real_)
  require_all <- function(ok, what) {
    if (!isTRUE(all(ok))) reader$complain(paste("must have", what), "It")
  }
  require_all(level$alpha >= 0 & level$alpha < 1, "{.field alpha} in [0, 1)")
  require_all(is.finite(level$precision) & level$precision > 0, "a positive {.field precision}")
  require_all(level$epsilon > 0, "{.field epsilon} above 0")
  n <- if (head$rows > 0) max(lengths(level)) else 0 # of no rows, nothing to compare
  gamma <- rep_len(level$epsilon / level$precision, n)
  from_alpha <- rep_len(-log(level$alpha), n)
  # where alpha is 0, there is no noise, or so little that doubles do not hold it
  near <- ifelse(is.infinite(from_alpha), gamma > 700, abs(gamma - from_alpha) <= 1e-6 * from_alpha)
  if (!all(near)) {
    reader$inconsistent("alpha is not exp(-epsilon / precision)")
  }
  s <- rep_len(level$s, n)
  t <- rep_len(level$t, n)
  whole <- function(x) x >= 1 & x <= RATE_MAX & trunc(x) == x
  known <- !is.na(s) & !is.na(t)
  require_all((is.na(s) & is.na(t)) | (known & whole(s) & whole(t)),
    "{.field s} and {.field t}, if any, both, and whole numbers up to 2^31")
  if (!all(abs(s / t - gamma)[known] <= 1e-9 * gamma[known])) {
    reader$inconsistent("s / t is not epsilon / precision")
  }
  level
}

read_below <- function(head, cells, directed, reader) {
  rows <- head$rows
  below <- nothing_known_below(rows)
  for (kept in names(below)) {
    given <- read_numbers(head, paste0(kept, "_below"), rows, reader)
    if (!is.null(given)) below[[kept]] <- given
  }
  masked <- unique(cells[is.na(cells[, 3]), 1]) # whose sums a release does not keep
  below <- lapply(below, replace, masked, NA)
  positive <- tabulate(cells[is.na(cells[, 3]) | cells[, 3] > 0, 1], rows)
  n <- head$columns - n_other(rows, if (directed) "none" else "undirected")
  wrong <- below$cells != n - positive | below$size < 0 |
    is.infinite(below$size) | trunc(below$size) != below$size |
    (below$cells == 0 & below$size > 0) | is.na(below$cells) != is.na(below$size)
  if (any(wrong, na.rm = TRUE)) {
    reader$inconsistent("cells_below and size_below do not go with the cells")
  }
  below
}

read_storage <- function(head, cells, clamped, reader) {
  labels <- list(head$row_labels, head$column_labels)
  if (is.null(head$extents)) {
    names(labels) <- read_titles(head, c("row", "column"))
  }
  named <- length(unlist(labels)) > 0 || !is.null(names(labels)) # no labels of nothing
  fits <- all(abs(cells[, 3]) <= .Machine$integer.max, na.rm = TRUE)
  storage <- head$storage
  if (is.null(storage)) {
    storage <- if (clamped) "sparse double" else if (fits) "dense integer" else "dense double"
  }
  known <- c("sparse double", if (!clamped) "dense double", if (!clamped && fits) "dense integer")
  if (!storage %in% known) {
    reader$complain(paste("must have {.field storage} as", paste(known, collapse = " or ")), "It")
  }
  size <- c(head$rows, head$columns)
  if (storage == "sparse double") {
    cells <- cells[is.na(cells[, 3]) | abs(cells[, 3]) > 0, , drop = FALSE]
    return(sparse_counts(cells, cells[, 3], size, if (named) labels))
  }
  if (!is_affordable(8 * prod(size))) reader$complain("is larger than this memory", "It")
  counts <- matrix(if (storage == "dense integer") 0L else 0, size[1], size[2])
  counts[cells[, 1:2, drop = FALSE]] <- methods::as(cells[, 3], typeof(counts))
  if (named) dimnames(counts) <- labels
  counts
}
