# Reads small release files fast if they have the usual layout, that of write_release(): keys before labels.
# The parts of the file are read by the functions of R/release-read.R. A file of another layout, or with a
# mistake, is left to read_release(), which is slower because it follows the file line by line.

# Larger files are read by read_release().
QUICK_BYTES <- 2^20

# A function of the name of a file that returns its release, or NULL if it must be read by read_release().
quick_reader <- function() {
  values <- new.env(parent = emptyenv()) # of the keys, by line: most files of a study have the same lines
  function(file) {
    tryCatch(
      suppressWarnings(read_quickly(file, values)),
      error = function(failure) NULL
    )
  }
}

read_quickly <- function(file, values) {
  bytes <- quick_bytes(file)
  lines <- quick_lines(bytes)
  sections <- grep("^((row|column)_labels|cells):", lines)
  head <- quick_keys(lines[seq_len(sections[1] - 1)[-1]], values)
  at <- sections[1]
  for (mode in c("row", "column")) {
    if (lines[at] != paste0(mode, "_labels:")) next
    n <- extent_of(head, mode)
    head[[paste0(mode, "_labels")]] <- unescape(lines[at + seq_len(n)])
    at <- at + n + 1
  }
  quick_check(grepl("^cells: [0-9]{1,15}$", lines[at]))
  head[["cells"]] <- as.numeric(substring(lines[at], nchar("cells: ") + 1))
  check_head(head, QUICK)
  cells <- quick_cells(bytes, sum(nchar(lines[seq_len(at)], "bytes")) + at, head)
  release <- parse_release(head, cells, QUICK)
  problem <- broken_rule(c(unclass(release), head["epsilon"]), c(FIELD_RULES[-1], FILE_RULES, COUNT_RULES))
  quick_check(is.null(problem))
  release
}

# Any failure means that read_release() reads the file, so it needs no message.
quick_check <- function(ok, ...) if (!ok) stop()
QUICK <- list(check = quick_check, complain = function(...) stop(), size = 0)

quick_bytes <- function(file) {
  quick_check(.Call(C_rc_is_regular, path.expand(file)))
  size <- file.size(file)
  quick_check(size <= QUICK_BYTES)
  bytes <- readBin(file, "raw", size)
  quick_check(length(bytes) == size && !any(bytes == as.raw(0)) && !any(bytes == as.raw(13)))
  bytes
}

quick_lines <- function(bytes) {
  text <- rawToChar(bytes)
  Encoding(text) <- "UTF-8"
  quick_check(validUTF8(text))
  lines <- strsplit(text, "\n", fixed = TRUE)[[1]]
  quick_check(lines[1] == RELEASE_FIRST_LINE)
  lines
}

# The values of these lines, as read_head() returns them.
quick_keys <- function(lines, values) {
  comments <- startsWith(lines, "#")
  quick_check(sum(comments) <= MOST_COMMENTS)
  lines <- lines[!comments]
  keys <- sub(":.*$", "", lines)
  known <- c(setdiff(names(KEYS), c("extents", "cells")), "row_title", "column_title")
  quick_check(!anyDuplicated(keys) && all(keys %in% known) && all(keys != lines))
  stats::setNames(lapply(seq_along(lines), function(i) {
    value <- values[[lines[i]]]
    if (is.null(value)) {
      value <- quick_value(keys[i], sub("^[^:]*: ?", "", lines[i]))
      assign(lines[i], value, values)
    }
    value
  }), keys)
}

quick_value <- function(key, value) {
  if (endsWith(key, "_title")) {
    return(unescape(value))
  }
  KEYS[[key]](trimws(value, whitespace = "[ \t]"), list(), QUICK$complain)
}

# The cells after the first `skip` bytes, as read_cells() returns them.
quick_cells <- function(bytes, skip, head) {
  found <- .Call(
    C_rc_read_entries, bytes, skip, as.integer(c(head$rows, head$columns)), head[["cells"]], NULL, NULL
  )
  quick_check(found$problem == 0 && found$n == head[["cells"]])
  quick_check(rawToChar(bytes[-seq_len(found$used)]) %in% c("end", "end\n"))
  check_once(found$row, found$column, head$columns, QUICK, 0)
  cbind(as.double(found$row), as.double(found$column), found$count)
}
