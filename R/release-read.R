# Reads releases from text files in the format of ?write_release; other files are refused. The file is parsed
# into the fields of a release, which are then checked like those of any other release (R/release-validate.R).

#' @rdname write_release
#' @export
read_release <- function(file, ...) {
  check_no_dots(...)
  check_one_file(file)
  reader <- new_reader(file, rlang::current_env())
  on.exit(close(reader$connection))
  check_first_line(reader)
  head <- read_head(reader)
  cells <- read_cells(reader, head)
  reader$finish()
  release <- parse_release(head, cells, reader)
  problem <- broken_rule(c(unclass(release), head["epsilon"]), c(FIELD_RULES[-1], FILE_RULES, COUNT_RULES))
  reader$check(is.null(problem), problem, "It")
  release
}

check_one_file <- function(file, call = rlang::caller_env()) {
  check_given(missing(file), "file", call)
  recipe <- function(names) {
    paste0("To combine several releases: {.code do.call(rbind, lapply(", names, ", read_release))}.")
  }
  check_that(!is.character(file) || length(file) < 2, c(
    "{.arg file} must be the name of one file.",
    x = "It has {length(file)} names.",
    i = recipe("file")
  ), call)
  check_file_name(file, call)
  hint <- if (dir.exists(file)) {
    "{.code files <- list.files(\"{file}\", full.names = TRUE)} lists its files."
  } else if (grepl("[*?]", file)) {
    "{.code files <- Sys.glob(\"{file}\")} lists the files that match this pattern."
  }
  if (!file.exists(file) && is.null(hint)) check_folder(file, "read", call)
  folder <- "{.arg file} must be the name of one file, but {.file {file}} is a folder."
  check_that(file.exists(file) && !dir.exists(file), c(
    if (dir.exists(file)) folder else "There is no file {.file {file}}.",
    i = hint, i = if (!is.null(hint)) recipe("files")
  ), call, class = "ldpcounts_file_error")
}

# The number of bytes that are read at a time.
BYTES_PER_READ <- 2^20

# Limits of what a file of a given size on the disk, in bytes, can announce: a file that somebody sent must not
# take more memory or time than its size justifies. Each is far above what write_release() writes.
most_text <- function(size) 2^25 + 30 * size # bytes after decompression
most_rows <- function(size) 1e5 + 1000 * size # rows, or columns
most_dense <- function(size) 1e7 + 1000 * size # cells that are stored densely
MOST_COMMENTS <- 10000

# What is wrong with the line of a cell: see src/ldp_entries.h.
LINE_PROBLEMS <- c(
  "does not have the form {.code row column count}", "is not in a row of this release",
  "is not in a column of this release", "has a count that is not a whole number"
)

# A reader of a file, first by lines, then by cells. Its errors say in which line the problem is.
#
#   take(n)             the next n lines
#   cells(size, most)   reads at most `most` of the next cells of a release with this number of rows and
#                       columns; fewer, but at least one, until the file ends. Returns list(row, column,
#                       count, n), where n is how many were read. With `size_below` and `last`: see
#                       src/rc_entries.c
#   finish()            checks that the rest of the file is its last line
new_reader <- function(file, call) {
  line <- 0
  text <- raw() # was read, but not used, from the byte after `skip` on
  skip <- 0
  unpacked <- 0 # bytes
  ended <- FALSE
  complain <- function(problem, where = paste("Line", format(line, scientific = FALSE)), hint = NULL) {
    ldp_abort(c(
      "{.file {file}} cannot be read as a release.", x = paste0(where, " ", problem, "."), i = hint
    ), class = "ldpcounts_file_error", call = call)
  }
  # replaces the system's errors and warnings, which explain less
  try_reading <- function(code, ...) {
    failed <- function(failure) complain(...)
    tryCatch(code, error = failed, warning = failed)
  }
  if (!.Call(C_rc_is_regular, path.expand(file))) complain("is not a regular file, but a pipe or a device", "It")
  size <- file.size(file)
  connection <- try_reading(gzfile(file, "rb"), "cannot be opened", "It")
  try_unpacking <- function(code) try_reading(code, "is damaged and cannot be decompressed", "It")
  # Reads further bytes. FALSE if there are none.
  read_more <- function() {
    left <- length(text) - skip
    more <- try_unpacking(readBin(connection, "raw", max(BYTES_PER_READ, left))) # long lines in few steps
    unpacked <<- unpacked + length(more)
    if (unpacked > most_text(size)) complain("unpacks to more than a file of its size can have", "It")
    text <<- c(if (left > 0) text[(skip + 1):length(text)], more)
    skip <<- 0
    ended <<- length(more) == 0
    length(more) > 0
  }
  list(
    connection = connection, size = size, complain = complain, line = function() line,
    check = function(ok, ...) if (!ok) complain(...),
    take = function(n = 1) {
      lines <- character()
      repeat {
        found <- .Call(C_rc_read_lines, text, skip, n - length(lines), ended)
        skip <<- found$used
        lines <- c(lines, found$lines)
        if (length(lines) == n || ended) break
        read_more()
      }
      line <<- line + max(1, length(lines))
      if (!all(validUTF8(lines))) complain("is not text in UTF-8")
      lines
    },
    cells = function(size, most, size_below = NULL, last = NULL) {
      repeat {
        found <- .Call(C_rc_read_entries, text, skip, as.integer(size), as.double(most), size_below, last)
        skip <<- found$used
        line <<- line + found$n
        long <- length(text) - skip > BYTES_PER_READ # more than a cell has
        if (found$problem > 0 || (found$n == 0 && long)) {
          line <<- line + 1
          complain(LINE_PROBLEMS[max(1, found$problem)])
        }
        if (found$n > 0 || !read_more()) {
          return(found)
        }
      }
    },
    finish = function() {
      read_more()
      rest <- rawConnection(text)
      on.exit(close(rest))
      lines <- readLines(rest, warn = FALSE, skipNul = TRUE)
      line <<- line + 1
      if (!identical(lines[1], "end")) complain("should be {.code end}: the file is truncated or damaged")
      other <- function(x) any(grepl("[^ \t\r\n]", x, useBytes = TRUE))
      follows <- other(lines[-1])
      while (!follows) {
        text <<- raw()
        if (!read_more()) break
        follows <- !all(Reduce(`|`, lapply(BLANKS, `==`, text)))
      }
      if (follows) complain("must be the last, but others follow")
    }
  )
}

BLANKS <- as.raw(c(0, 9, 10, 13, 32))

check_first_line <- function(reader) {
  first <- sub("^\ufeff", "", reader$take())
  version <- sub("^ldpcounts-release ([0-9]+)$", "\\1", first)
  known <- length(first) == 1 && version != first && as.numeric(version) >= 1
  reader$check(known, paste0("should be {.code ", RELEASE_FIRST_LINE, "}"), hint = paste(
    "For a table of released counts, such as a csv file, read the table and use {.fn private_counts} with",
    "its {.arg epsilon} or {.arg alpha}."
  ))
  reader$check(first == RELEASE_FIRST_LINE,
    paste0("has format ", version, ", but this version of ldpcounts reads only format 1")
  )
}

# --- the head: keys and labels --------------------------------------------------------------------

# Functions that read the value of a key. `head` contains what was read before; `refuse(how)` throws an error
# that says how the value must be given.

read_whole <- function(value, head, refuse) {
  if (!grepl("^[0-9]{1,15}$", value)) refuse("as a whole number")
  as.numeric(value)
}

# A number of rows or columns.
read_extent <- function(value, head, refuse) {
  extent <- read_whole(value, head, refuse)
  if (extent >= 2^31) refuse("as a whole number below 2^31")
  extent
}

# The extents of the modes from the second on.
read_extents <- function(value, head, refuse) {
  text <- strsplit(value, "[ \t]+")[[1]]
  extents <- if (all(grepl("^[0-9]{1,10}$", text))) as.numeric(text)
  known <- length(extents) >= 2 && length(extents) < MOST_MODES && max(extents) < 2^31
  if (!known || !identical(prod(extents), head$columns)) {
    refuse("after {.field columns}, as whole numbers whose product is that number")
  }
  extents
}

# Numbers, separated by blanks.
read_numbers <- function(value, head, refuse) {
  text <- strsplit(value, "[ \t]+")[[1]]
  values <- suppressWarnings(as.double(text))
  if (any(is.na(values) & text != "NA")) refuse("as numbers")
  values
}

# One of the names of `choices`.
read_choice <- function(choices) {
  function(value, head, refuse) {
    if (!value %in% names(choices)) refuse(paste("as", paste(names(choices), collapse = " or ")))
    choices[[value]]
  }
}

KEYS <- list(
  mechanism = read_choice(stats::setNames(nm = MECHANISM)), rows = read_extent, columns = read_extent,
  extents = read_extents, alpha = read_numbers, epsilon = read_numbers, precision = read_numbers,
  s = read_numbers, t = read_numbers,
  rng = read_choice(c(external = "external", secure = "secure", R = "R", mixed = "mixed")),
  clamped = read_choice(c(no = FALSE, yes = TRUE)), directed = read_choice(c(yes = TRUE, no = FALSE)),
  cells_below = read_numbers, size_below = read_numbers,
  storage = read_choice(stats::setNames(nm = c("sparse double", "dense double", "dense integer"))),
  cells = read_whole
)

SECTION <- "^(row|column|mode([2-9]|1[0-2]))_(labels|title)$"

# The values of the keys, as a list in the order of the file; the number of cells comes last.
read_head <- function(reader) {
  head <- list()
  comments <- 0
  while (is.null(head[["cells"]])) { # $cells might be cells_below
    text <- reader$take()
    reader$check(length(text) > 0, "is missing: the file is truncated")
    if (startsWith(text, "#")) {
      comments <- comments + 1
      reader$check(comments <= MOST_COMMENTS, "is one comment too many")
      next
    }
    key <- sub(":.*$", "", text)
    value <- sub("^[^:]*: ?", "", text)
    known <- key %in% names(KEYS) || grepl(SECTION, key)
    reader$check(key != text && known, "is not a {.code key: value} of this format")
    reader$check(is.null(head[[key]]), paste0("gives {.field ", key, "} a second time"))
    head[[key]] <- if (endsWith(key, "_labels")) {
      read_labels(reader, extent_of(head, sub("_labels", "", key)))
    } else if (endsWith(key, "_title")) {
      unescape(value)
    } else {
      refuse <- function(how) reader$complain(paste0("must give {.field ", key, "} ", how))
      KEYS[[key]](trimws(value, whitespace = "[ \t]"), head, refuse)
    }
  }
  check_head(head, reader)
  head
}

# The extent of a mode, NULL or NA if the file has not given it yet.
extent_of <- function(head, mode) {
  switch(mode,
    row = head$rows, column = head$columns, head$extents[as.numeric(sub("mode", "", mode)) - 1]
  )
}

read_labels <- function(reader, n) {
  reader$check(isTRUE(n >= 0), "must come after {.field rows}, {.field columns} and {.field extents}")
  labels <- reader$take(n)
  reader$check(length(labels) == n, "ends the labels too early: the file is truncated")
  unescape(labels)
}

check_head <- function(head, reader) {
  missing <- setdiff(c("mechanism", "rows", "columns", "alpha"), names(head))
  reader$check(length(missing) == 0, paste0("ends the keys, but {.field ", missing[1], "} is missing"))
  sections <- grep(SECTION, names(head), value = TRUE)
  other <- sections[!sub("_.*", "", sections) %in% modes_of_file(head)]
  reader$check(length(other) == 0, paste0("ends the keys, but {.field ", other[1], "} belongs to no mode"))
  reader$check(max(head$rows, head$columns) <= most_rows(reader$size),
    "announces far more rows and columns than a file of its size can have", "It"
  )
  for (key in intersect(c("alpha", "epsilon", "precision", "s", "t", BELOW_KEYS), names(head))) {
    allowed <- unique(c(if (!key %in% BELOW_KEYS) 1, head$rows))
    reader$check(length(head[[key]]) %in% allowed, paste0(
      "must have ", paste(allowed, collapse = " or "), " numbers in {.field ", key, "}"
    ), "It")
  }
}

BELOW_KEYS <- c(cells = "cells_below", size = "size_below")

modes_of_file <- function(head) release_margins(c(head$rows, if (is.null(head$extents)) 0 else head$extents))

# --- the cells ------------------------------------------------------------------------------------

# The cells as three columns of numbers, checked.
read_cells <- function(reader, head) {
  n <- head[["cells"]]
  size <- c(head$rows, head$columns)
  before <- reader$line()
  blocks <- list()
  done <- 0
  while (done < n && (block <- reader$cells(size, n - done))$n > 0) {
    blocks <- c(blocks, list(block))
    done <- done + block$n
  }
  reader$check(done == n, "are fewer than announced: is the file truncated?", "The cells")
  all_of <- function(name) as.double(unlist(lapply(blocks, `[[`, name)))
  cells <- cbind(all_of("row"), all_of("column"), all_of("count"))
  check_once(cells[, 1], cells[, 2], head$columns, reader, before)
  cells
}

# No cell may be listed twice. `before`: the number of the line before the first of these cells.
check_once <- function(row, column, columns, reader, before) {
  place <- (as.double(row) - 1) * columns + column
  again <- if (is.unsorted(place, strictly = TRUE)) anyDuplicated(place) else 0
  if (again > 0) reader$complain("has a cell that was listed before", paste("Line", before + again))
}

# --- from what was read to a release --------------------------------------------------------------

DEFAULTS <- list(
  precision = 1, s = NA_real_, t = NA_real_, rng = "external", clamped = FALSE, directed = TRUE
)

# Rules for values in a file that are not fields of a release.
FILE_RULES <- list(
  "must have {.field epsilon} above 0" = function(x) all(!is.na(x$epsilon) & x$epsilon > 0),
  "contradicts itself: {.field alpha} is not exp(-epsilon / precision)" = function(x) {
    is_rate_of(x$epsilon / x$precision, x$alpha)
  }
)

parse_release <- function(head, cells, reader) {
  head <- utils::modifyList(DEFAULTS, head)
  reader$check(fits_in_memory(c(head$rows, head$columns)),
    "has too many rows and columns for the memory of this computer", "It"
  )
  if (!head$directed) check_pairs(head, cells, reader)
  below <- read_below(head, cells, reader)
  labels <- labels_in_file(head)
  columns <- if (!is.null(head$extents)) new_columns(head$extents, labels[-1], names(labels))
  if (!is.null(columns)) labels <- list(labels[[1]], NULL)
  counts <- explain_failure(
    read_counts(head, cells, labels, reader),
    function(failure) reader$complain("is too large for this computer's memory or an R matrix", "It")
  )
  new_private_counts(if (head$directed) counts else mirrored(counts), head$alpha, head$precision,
    rng = head$rng, s = head[["s"]], t = head[["t"]], below = below, directed = head$directed,
    columns = columns
  )
}

# The labels of all modes, named by the titles if there are any.
labels_in_file <- function(head) {
  each <- function(part) lapply(paste0(modes_of_file(head), part), function(key) head[[key]])
  titles <- each("_title")
  labels <- each("_labels")
  if (length(unlist(titles)) > 0) names(labels) <- ifelse(lengths(titles) > 0, titles, "")
  labels
}

check_pairs <- function(head, cells, reader) {
  reader$check(head$rows == head$columns && head$rows >= 2,
    "is undirected, but rows and columns differ in number or labels", "It"
  )
  reader$check(all(cells[, 1] < cells[, 2]), "is undirected, but not all cells have row < column", "It")
}

# NULL for a release that is not clamped; rows with masked cells have NA.
read_below <- function(head, cells, reader) {
  if (!head$clamped) {
    reader$check(!any(BELOW_KEYS %in% names(head)), "is not clamped, but has cells_below or size_below", "It")
    return(NULL)
  }
  masked <- unique(cells[is.na(cells[, 3]), 1])
  lapply(BELOW_KEYS, function(key) {
    replace(if (is.null(head[[key]])) rep(NA_real_, head$rows) else head[[key]], masked, NA)
  })
}

read_counts <- function(head, cells, labels, reader) {
  fits <- all(abs(cells[, 3]) <= .Machine$integer.max, na.rm = TRUE)
  known <- c(if (!head$clamped && fits) "dense integer", if (!head$clamped) "dense double", "sparse double")
  storage <- c(head$storage, known)[1]
  reader$check(storage %in% known,
    paste("must have {.field storage} as", paste(known, collapse = " or ")), "It"
  )
  size <- c(head$rows, head$columns)
  named <- length(unlist(labels)) > 0 || !is.null(names(labels)) # no labels of nothing
  if (storage == "sparse double") {
    cells <- cells[is.na(cells[, 3]) | abs(cells[, 3]) > 0, , drop = FALSE]
    return(sparse_counts(cells, cells[, 3], size, if (named) labels))
  }
  reader$check(prod(size) <= most_dense(reader$size) && is_affordable(8 * prod(size)),
    "has too many cells for its size or for the memory of this computer", "It"
  )
  counts <- matrix(if (storage == "dense integer") 0L else 0, size[1], size[2])
  counts[cells[, 1:2, drop = FALSE]] <- methods::as(cells[, 3], typeof(counts))
  if (named) dimnames(counts) <- labels
  counts
}
