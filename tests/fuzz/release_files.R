# Files of releases, damaged or made up, read by read_release(); what can be read is then used. See harness.R.
source("tests/fuzz/harness.R")
# nolint start: line_length_linter. Tables of cases.

# --- files that are right ------------------------------------------------------------------------

set.seed(1)
small <- matrix(c(3, 0, 1, 0, 0, 2), 2, dimnames = list(c("a", NA), c("work", "family\n", "sport \\ é")))
masked <- privatize(small, epsilon = c(1, 2), rng = "R")
is.na(masked) <- cbind(1, 2)
cube <- privatize(array(rpois(24, 1), 2:4, list(NULL, place = letters[1:3], NULL)), epsilon = 1, rng = "R")
releases <- list(
  dense = privatize(small, epsilon = c(1, 2), rng = "R"), masked = masked,
  clamped = privatize(small, epsilon = 0.5, rng = "R", clamp = TRUE),
  pairs = privatize(crossprod(small), epsilon = 1, rng = "R", directed = FALSE),
  pairs_clamped = privatize(crossprod(small), epsilon = 1, rng = "R", directed = FALSE, clamp = TRUE),
  cube = cube, external = private_counts(small, epsilon = 3, precision = 2),
  exact = private_counts(unname(small), alpha = 0),
  titled = private_counts(`dimnames<-`(small, list(sender = NULL, term = letters[1:3])), alpha = 0.3),
  no_rows = masked[0, ], no_columns = masked[, 0], nothing = masked[0, 0], one = masked[1, 1],
  large = private_counts(matrix(c(2^53, -2^53, 0, 2^31), 2), alpha = 0.999),
  suppressed = private_counts(replace(small, small < 3, NA), mechanism = suppression(0, c(1, 2))),
  withheld = privatize(small, mechanism = withheld(geometric_noise(c(1, 2)), 1), rng = "R"),
  laplace = private_counts(small + 1 / 3, mechanism = laplace_noise(1:6)),
  classes = private_counts(replace(small, small == 2, 1), mechanism = count_classes(c(0, 1, 3))),
  wide = privatize(matrix(rpois(400, 1), 20), epsilon = 1, rng = "R")
)
files <- lapply(releases, function(x) {
  file <- tempfile()
  write_release(x, file)
  readBin(file, "raw", file.size(file))
})

# --- damage --------------------------------------------------------------------------------------

LIMITS <- c(
  "0", "-0", "1", "-1", "2", "1.5", "0.5", "1e-9", "2147483646", "2147483647", "2147483648", "4294967295", "4294967296",
  "-2147483647", "-2147483648", "-2147483649", "9007199254740991", "9007199254740992", "9007199254740993",
  "-9007199254740992", "9223372036854775807", "9223372036854775808", "18446744073709551616", "99999999999999999999",
  "1e15", "999999999999999", "1e16", "1e308", "-1e308", "1e309", "1e-308", "5e-324", "1e-400", "inf", "Inf", "-inf", "nan",
  "NaN", "NA", "0x7fffffff", "0x1p1023", "1e", "1d5", "+1", "1,5", "", " ", "1L", "TRUE", "\u0661", "1_000", "00000001",
  "10000000000", "0.99999999999999989", "1.0000000000000002", "0.36787944117144233", "one"
)
KEYS <- c(
  "mechanism", "rows", "columns", "alpha", "epsilon", "precision", "s", "t", "rng", "clamped", "directed", "cells_below",
  "size_below", "storage", "noise", "sd", "scale", "variance", "base", "from", "to", "breaks", "prob", "below", "row_title", "column_title", "row_labels", "column_labels", "extents", "mode2_title",
  "mode2_labels", "mode3_labels", "cells", "mode13_labels", "mode2147483648_labels", "ROWS", "row"
)
WORDS <- c(
  "{stop('x')}", "{.file {x}}", "%s%n", "{", "}", "\\", "\\N", "\\n", "end", "#", ":", "\t", "yes", "no", "sparse double",
  "dense integer", "dense double", "two-sided geometric", "discrete Gaussian", "Laplace", "withheld", "rounding", "hidden", "R", "mixed", "\u00e9\u4e2d", strrep("x", 1e5), "1 1 1", "1 1 NA"
)

lines_of <- function(bytes) strsplit(rawToChar(bytes[bytes != 0]), "\n", fixed = TRUE, useBytes = TRUE)[[1]]
bytes_of <- function(lines) charToRaw(paste0(paste(lines, collapse = "\n"), "\n"))

on_lines <- function(change) {
  function(bytes) {
    lines <- lines_of(bytes)
    if (length(lines) == 0) bytes else bytes_of(change(lines, sample.int(length(lines), 1)))
  }
}

# One of the numbers in a line becomes another.
on_number <- function(change) {
  on_lines(function(lines, i) {
    numbers <- grep("[0-9]", lines, useBytes = TRUE)
    if (length(numbers) > 0) i <- numbers[sample.int(length(numbers), 1)]
    at <- gregexpr("[-+]?[0-9][0-9.e+-]*", lines[i], useBytes = TRUE)[[1]]
    if (at[1] > 0) {
      j <- sample.int(length(at), 1)
      from <- at[j]
      to <- from + attr(at, "match.length")[j]
      old <- substring(lines[i], from, to - 1)
      lines[i] <- paste0(substring(lines[i], 1, from - 1), change(old), substring(lines[i], to))
    }
    lines
  })
}

damages <- list(
  number = on_number(function(old) pick(LIMITS)),
  number = on_number(function(old) pick(LIMITS)),
  number = on_number(function(old) pick(LIMITS)),
  near = on_number(function(old) sprintf("%.17g", as.double(old) + pick(c(-1, 1, 0.5, 1e-9, -2, 1e6)))),
  value = on_lines(function(lines, i) {
    lines[i] <- paste0(sub(":.*$", "", lines[i], useBytes = TRUE), ": ", pick(c(LIMITS, WORDS)))
    lines
  }),
  key = on_lines(function(lines, i) {
    lines[i] <- sub("^[^:]*", pick(KEYS), lines[i], useBytes = TRUE)
    lines
  }),
  new_key = on_lines(function(lines, i) {
    append(lines, paste0(pick(KEYS), ":", pick(c("", " ")), pick(c(LIMITS, WORDS))), i)
  }),
  one_per_row = on_lines(function(lines, i) {
    lines[i] <- paste0(sub(":.*$", "", lines[i], useBytes = TRUE), ": ", paste(replicate(2, pick(LIMITS)), collapse = " "))
    lines
  }),
  word = on_lines(function(lines, i) replace(lines, i, pick(WORDS))),
  removed = on_lines(function(lines, i) lines[-i]),
  doubled = on_lines(function(lines, i) append(lines, lines[i], i)),
  repeated = on_lines(function(lines, i) append(lines, rep(lines[i], 1000), i)),
  swapped = on_lines(function(lines, i) {
    j <- sample.int(length(lines), 1)
    replace(lines, c(i, j), lines[c(j, i)])
  }),
  emptied = on_lines(function(lines, i) replace(lines, i, sub(":.*$", ":", lines[i], useBytes = TRUE))),
  byte = function(bytes) replace(bytes, sample.int(length(bytes), 1), as.raw(sample(0:255, 1))),
  inserted = function(bytes) append(bytes, as.raw(sample(0:255, 3, TRUE)), sample.int(length(bytes), 1)),
  deleted = function(bytes) bytes[-sample.int(length(bytes), 1)],
  truncated = function(bytes) utils::head(bytes, sample.int(length(bytes), 1) - 1),
  returns = function(bytes) bytes_of(paste0(lines_of(bytes), "\r")),
  old_returns = function(bytes) replace(bytes, bytes == 10, as.raw(13)),
  mark = function(bytes) c(as.raw(c(0xef, 0xbb, 0xbf)), bytes),
  utf16 = function(bytes) c(as.raw(c(0xff, 0xfe)), as.vector(rbind(bytes, as.raw(0)))),
  latin1 = function(bytes) append(bytes, as.raw(0xe9), sample.int(length(bytes), 1)),
  zipped = function(bytes) memCompress(bytes, "gzip"),
  gz = function(bytes) {
    file <- tempfile()
    connection <- gzfile(file, "wb")
    writeBin(bytes, connection)
    close(connection)
    bytes <- readBin(file, "raw", file.size(file))
    unlink(file)
    bytes
  }
)

damaged_file <- function() {
  base <- pick(names(files))
  chosen <- sample.int(length(damages), sample(c(1, 1, 1, 2, 2, 3, 4), 1), TRUE)
  bytes <- files[[base]]
  for (i in chosen) {
    if (length(bytes) > 1) bytes <- suppressWarnings(tryCatch(damages[[i]](bytes), error = function(failure) bytes))
  }
  list(
    what = paste(c(base, names(damages)[chosen]), collapse = ", "),
    run = function() {
      file <- tempfile(fileext = pick(c("", ".txt", ".gz")))
      on.exit(unlink(file))
      writeBin(bytes, file)
      use(read_release(file))
    }
  )
}

# What was read is a release. (One whose table memory can't hold is not unfolded.)
use <- function(x) {
  print(x)
  summary(x)
  privacy(x)
  file <- tempfile()
  on.exit(unlink(file))
  write_release(x, file)
  if (length(x) > 1e5) {
    return(invisible())
  }
  stopifnot(identical(read_release(file), x))
  as.matrix(x)
  is.na(x)
  head(x, 1)
  as.array(x)
  do.call(`[`, c(list(x), lapply(dim(x), seq_len)))
  if (privacy(x)$directed && is.null(privacy(x)$mechanism)) {
    suppressMessages(privatize(x, alpha = 0.9, rng = "R", compose = TRUE))
    tensor_model(x, 2, iter = 2)
  } else if (privacy(x)$directed) {
    tensor_model(x, 2, iter = 2)
  } else {
    block_model(x, 2, iter = 2, directed = FALSE)
  }
}

fuzz(damaged_file, 5000)
# nolint end
