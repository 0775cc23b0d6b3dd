labelled <- function() {
  y <- matrix(rpois(12, 2), 3, dimnames = list(
    who = c("a\\n", "b\tc", "\u00e4\n\\\\N"), what = c(NA, "", "#x", "end")
  ))
}

masked <- function(x) {
  is.na(x) <- cbind(1, 2)
  x
}

there_and_back <- function(x, file = tempfile(fileext = ".txt")) {
  write_release(x, file)
  read_release(file)
}

# The lines of a file, changed, written and read again.
read_changed <- function(x, change) {
  file <- tempfile()
  write_release(x, file)
  writeLines(change(readLines(file)), file, useBytes = TRUE)
  read_release(file)
}

test_that("write_release() and read_release() keep releases identical", {
  y <- labelled()
  big <- matrix(c(2^31 - 1, 0, 3, 7), 2)
  releases <- list(
    privatize(y, 1), privatize(y, c(1, 2, 1 / 3), precision = 3), masked(privatize(y, alpha = 0.3)),
    privatize(y, 1, clamp = TRUE), masked(privatize(y, c(1, 2, 1 / 3), clamp = TRUE)),
    privatize(big, 0.001), privatize(big, 0.001, clamp = TRUE), privatize(y, 1, rng = "R"),
    private_counts(matrix(c(-3, 1.0), 1), epsilon = 2, precision = 7),
    privatize(y, 2.5, precision = 22 / 380), privatize(y, c(1, 2, 1 / 3), precision = c(2.5, 0.1, 1 / 3)),
    private_counts(matrix(c(-3, 1.0), 1), epsilon = 2, precision = pi / 100),
    private_counts(Matrix::sparseMatrix(1:2, 2:3, x = c(-4, 3)), alpha = 0.5),
    private_counts(matrix(c(0L, 5L), 1), alpha = 0), private_counts(y, alpha = 0.2, clamped = TRUE),
    privatize(y, 1)[0, ], privatize(y, 1)[, 0], privatize(matrix(0L, 0, 3), 1),
    bind_again(privatize(y, 1), privatize(y, c(3, 2, 5), clamp = TRUE)),
    privatize(privatize(y, c(1, 2, 3)), 2, compose = TRUE), privatize(enron_network, 0.5)
  )
  for (x in releases) {
    expect_identical(there_and_back(x), structure(x, part = NULL)) # a file holds a whole release
  }
  x <- releases[[5]]
  expect_identical(there_and_back(x, tempfile(fileext = ".txt.gz")), x)
  expect_identical(read_changed(x, function(lines) paste0(lines, "\r")), x) # from Windows
  expect_identical(read_changed(x, function(lines) c(paste0("\ufeff", lines[1]), lines[-1])), x)
})

test_that("releases of pairs in another order, or with labels on one margin, are written and read", {
  y <- crossprod(matrix(rpois(24, 1), 4))
  clamped <- privatize(y, 1, directed = FALSE, clamp = TRUE)[6:1, ]
  expect_identical(there_and_back(clamped), clamped)
  expect_true(all(is.na(known_below_zero(clamped)$cells)))
  rownames(y) <- letters[1:6]
  labelled <- privatize(y, 1, directed = FALSE)
  expect_identical(there_and_back(labelled), labelled)
  expect_refused(read_changed(privatize(`colnames<-`(y, letters[1:6]), 1, directed = FALSE, clamp = TRUE),
    function(lines) replace(lines, which(lines == "f")[2], "g")), "directed that cannot be right")
})

test_that("releases of all mechanisms are kept identical, with hidden and masked cells", {
  y <- matrix(c(0, 3, 12, 1, 40, 9, 5, 2, 7, 30, 0, 4), 4, dimnames = list(letters[1:4], LETTERS[1:3]))
  protected <- function(mechanism, y) {
    set.seed(174)
    released <- simulate(mechanism, y = y)
    private_counts(replace(released, released == -Inf, NA), mechanism = mechanism)
  }
  mechanisms <- list(
    discrete_gaussian_noise(2), discrete_gaussian_noise(c(1, 2, 3, 1 / 3)), discrete_gaussian_noise(1:12 / 7),
    laplace_noise(pi), gaussian_noise(1e-5), skellam_noise(4), random_rounding(3), rounding(c(5, 3, 2, 10)),
    suppression(1, 9), suppression(0, 1:4), count_classes(c(0, 1, 3, 6)), thinning(0.3),
    withheld(discrete_gaussian_noise(2), 3), withheld(laplace_noise(1:4), 2.5),
    withheld(geometric_noise(c(1, 2, 1 / 3, 5), precision = 2), 4)
  )
  for (mechanism in mechanisms) {
    x <- protected(mechanism, y)
    expect_identical(there_and_back(x), x)
    expect_identical(there_and_back(masked(x)), masked(x))
    expect_identical(there_and_back(x[2:3, 3:1]), structure(x[2:3, 3:1], part = NULL))
    expect_identical(there_and_back(x[0, ]), structure(x[0, ], part = NULL))
    cube <- protected(mechanism, array(y, c(4, 1, 3), list(NULL, place = "a", NULL)))
    expect_identical(there_and_back(cube), cube)
  }
  for (mechanism in mechanisms[c(1, 6, 7, 11)]) {
    column <- protected(mechanism, as.vector(y))
    expect_identical(there_and_back(column)[, 1], column)
  }
  for (rng in c("secure", "R")) {
    x <- privatize(y, mechanism = withheld(geometric_noise(1), 2), rng = rng)
    expect_identical(there_and_back(x), x)
  }
  pairs <- privatize(crossprod(y), mechanism = withheld(discrete_gaussian_noise(3), 20), directed = FALSE)
  expect_identical(there_and_back(pairs), pairs)
  log_pmf <- function(release, y) ifelse(release == y, 0, -Inf)
  own <- private_counts(y, mechanism = custom_mechanism(log_pmf, c(0, Inf)))
  expect_refused(write_release(own, tempfile()), "custom_mechanism", "saveRDS")
})

test_that("files of other mechanisms that are wrong throw an error that says why", {
  x <- private_counts(matrix(c(12, NA, 0, 31, NA, 10), 2), mechanism = suppression(1, 9))
  noised <- privatize(matrix(0:5, 2), mechanism = withheld(geometric_noise(c(1, 2)), 2))
  refused <- function(pattern, replacement, ..., of = x) {
    expect_refused(read_changed(of, function(lines) sub(pattern, replacement, lines)), ...)
  }
  refused("^from: .*", "# from", "from is missing")
  refused("^from: .*", "from: 10", "parameters of its mechanism that cannot be right")
  refused("^from: .*", "from: one", "from as numbers")
  refused("^from: .*", "from: 1 1 1", "parameters of its mechanism that cannot be right")
  refused("^to: .*", "to: 9\nto: 9", "a second time")
  refused("^to: .*", "to: 9\nalpha: 0.5", "has alpha, which is no parameter of its mechanism")
  refused("^to: .*", "to: 9\ns: 1", "has s, which is no parameter")
  refused("^to: .*", "to: 9\nnoise: Laplace", "has noise, which is no parameter")
  refused("^to: .*", "to: 12", "contradicts its mechanism: a cell is not a whole number outside the")
  refused("^mechanism: .*", "mechanism: encryption", "mechanism as two-sided geometric or discrete Gaussian")
  refused("^mechanism: .*", "mechanism: two-sided geometric", "alpha is missing")
  refused("^mechanism: .*", "mechanism: withheld", "noise is missing")
  refused("hidden$", "5", "contradicts its mechanism")
  refused("hidden$", "-inf", "Line", "not a whole number")
  refused("hidden$", "none", "does not have the form")
  refused("12$", "12.5", "contradicts its mechanism")
  refused("^clamped: .*", "clamped: yes", "is clamped, but has no geometric noise")
  refused("^storage: .*", "storage: dense integer", "storage as dense double")
  refused("^directed: .*", "directed: no", "is undirected")
  refused("^noise: .*", "noise: custom", "noise as two-sided geometric or", of = noised)
  refused("^noise: .*", "noise: rounding", "noise as two-sided geometric or", of = noised)
  refused("^alpha: .*", "alpha: 0 0.5", "parameters of its mechanism that cannot be right", of = noised)
  refused("^below: .*", "below: NA", "parameters of its mechanism that cannot be right", of = noised)
  geometric <- private_counts(matrix(0:3, 2), alpha = 0.5)
  refused("^precision: .*", "sd: 2", "has sd, which is no parameter of its mechanism", of = geometric)
  refused("^cells: .*", "cells: 4\n1 1 hidden", "not a whole number", of = geometric)
  expect_identical( # the precision is 1 by default
    privacy(read_changed(noised, function(lines) lines[!grepl("^precision:", lines)]))$mechanism,
    privacy(noised)$mechanism
  )
  file <- tempfile()
  write_release(x, file)
  expect_refused(release_shards(file), "has another mechanism than two-sided geometric noise")
})

test_that("many blocks of cells are written and read", {
  set.seed(171)
  x <- privatize(matrix(rpois(3e5, 1), 500), 1, rng = "R")
  expect_identical(there_and_back(x), x)
})

test_that("the head of a file states the privacy level", {
  file <- tempfile()
  write_release(privatize(labelled(), 1, precision = 2), file)
  text <- paste(readLines(file), collapse = "\n")
  expect_match(text, "# Rows (records) that differ by 2 counts in all: any release is at most 2.72",
    fixed = TRUE
  )
  expect_match(text, "\nepsilon: 1\n", fixed = TRUE)
})

test_that("the files of many people can be collected in a few lines", {
  file <- tempfile()
  writeLines(c(
    "ldpcounts-release 1", "alpha: 0.25", "mechanism: two-sided geometric", "rows: 2",
    "columns: 3", "cells: 3", "2 3 -4", "1\t1 7", "1 2 NA", "end"
  ), file)
  x <- read_release(file)
  expect_identical(x, masked(private_counts(matrix(c(7L, 0L, 1L, 0L, 0L, -4L), 2), alpha = 0.25)))
  expect_identical(privacy(x)$rng, "external")
})

test_that("releases of many people with different levels can be combined", {
  people <- lapply(1:20, function(i) {
    there_and_back(privatize(matrix(i, 1, 3), epsilon = i / 10, clamp = i %% 2 == 0))
  })
  all <- do.call(rbind, people)
  expect_identical(dim(all), c(20L, 3L))
  expect_equal(privacy(all)$epsilon, 1:20 / 10)
  expect_true(privacy(all)$clamped)
  for (i in c(1, 4, 19)) {
    expect_identical(as.matrix(all[i, ]), pmax(as.matrix(people[[i]]), 0))
  }
})

test_that("a truncated file throws an error, wherever it ends", {
  x <- masked(privatize(labelled(), c(1, 2, 1 / 3), clamp = TRUE))
  file <- tempfile()
  write_release(x, file)
  bytes <- readBin(file, "raw", 1e4)
  ends <- which(bytes == charToRaw("\n")) # all ends of lines but the last one, and places between
  for (n in setdiff(c(ends, seq(1, length(bytes) - 2, by = if (EXTENDED) 37 else 111)), length(bytes) - 0:1)) {
    writeBin(bytes[seq_len(n)], file)
    expect_error(read_release(file), class = "ldpcounts_file_error")
  }
  zipped <- tempfile(fileext = ".gz")
  write_release(privatize(enron_network, 1), zipped)
  bytes <- readBin(zipped, "raw", 1e6)
  for (n in c(1, 20, 1000, length(bytes) - 100)) {
    writeBin(bytes[seq_len(n)], zipped)
    expect_error(read_release(zipped), class = "ldpcounts_file_error")
  }
})

test_that("a damaged byte gives a release or an error of the package", {
  file <- tempfile()
  write_release(masked(privatize(labelled(), c(1, 2, 3), clamp = TRUE)), file)
  bytes <- readBin(file, "raw", 1e4)
  set.seed(172)
  for (i in seq_len(if (EXTENDED) 500 else 50)) {
    damaged <- replace(bytes, sample(length(bytes), 1), as.raw(sample(0:255, 1)))
    writeBin(damaged, file)
    read <- tryCatch(read_release(file), ldpcounts_file_error = identity)
    expect_true(inherits(read, c("private_counts", "ldpcounts_file_error")))
  }
})

test_that("errors for invalid or inconsistent files state the reason", {
  x <- masked(privatize(matrix(c(400000, 0, 0, 0, 70, 0), 2), 1, clamp = TRUE))
  refused <- function(pattern, replacement, ...) {
    expect_refused(read_changed(x, function(lines) sub(pattern, replacement, lines)), ...)
  }
  refused("^ldpcounts-release 1", "ldpcounts-release 3", "Line 1 has format 3", "reads only format 1")
  refused("^ldpcounts-release 1", "1 2 3", "Line 1 should be")
  refused("^mechanism: .*", "mechanism: dice", "mechanism as two-sided geometric or")
  refused("^rng: .*", "seed: 3", "not a `key: value`")
  refused("^rng: .*", "rng: dice", "rng as external or secure or R or mixed")
  refused("^rng: .*", "rows: 2", "gives rows a second time")
  refused("^rows: .*", "rows: two", "rows as a whole number")
  refused("^rows: .*", "rows: 9999999999", "rows as a whole number")
  refused("^alpha: .*", "# none", "alpha is missing")
  refused("^alpha: .*", "alpha: 1 1 1", "alpha that cannot be right")
  refused("^alpha: .*", "alpha: 0.5", "s and t that cannot be right")
  refused("^alpha: .*", "alpha: NA", "alpha that cannot be right")
  refused("^epsilon: .*", "epsilon: 0", "epsilon above 0")
  refused("^precision: .*", "precision: 0", "precision that cannot be right")
  refused("^precision: .*", "precision: inf", "precision that cannot be right")
  refused("^precision: .*", "precision: NA", "precision that cannot be right")
  refused("^t: .*", "t: 2", "s and t that cannot be right")
  refused("^clamped: .*", "clamped: no", "not clamped, but has cells_below")
  refused("^directed: .*", "directed: maybe", "directed as yes")
  refused("^cells_below: NA .*", "cells_below: NA 9", "contradict its cells")
  refused("^storage: .*", "storage: cloud", "storage as sparse double")
  refused("^1 2 NA", "1 2 -1", "clamped at zero, but has negative counts")
  refused("^1 2 NA", "1 2 0.5", "Line", "not a whole number")
  refused("^1 2 NA", "1 2 inf", "not a whole number")
  refused("^1 2 NA", "1 2 many", "does not have the form `row column count`")
  refused("^1 2 NA", "3 2 1", "is not in a row")
  refused("^1 2 NA", "1 4 1", "is not in a column")
  refused("^1 2 NA", "1 1 1", "was listed before")
  text <- error_text(read_changed(x, function(lines) sub("^1 2 NA", "1 1 1 1", lines)))
  expect_false(grepl("[0-9]{4}|70", sub("'[^']*'", "", text))) # but for the name of the file
  unclamped <- private_counts(matrix(-2:1, 2), alpha = 0.5)
  expect_refused(
    read_changed(unclamped, function(lines) sub("^alpha: .*", "alpha: 0", sub("^epsilon.*", "# ", lines))),
    "negative counts in rows without noise", "`alpha` = 0"
  )
  refused("^s: .*", "s: 0.5", "s and t that cannot be right")
  refused("^s: .*", "s: 4294967296", "s and t that cannot be right")
  refused("^s: .*", "s: -1", "s and t that cannot be right")
  refused("^s: .*", "s: NA", "s and t that cannot be right")
  refused("^alpha: .*", "alpha: 0", "s and t that cannot be right")
  refused("^epsilon: .*", "epsilon: 2", "alpha is not exp(-epsilon / precision)")
  refused("^epsilon: .*", "epsilon: inf", "alpha is not exp(-epsilon / precision)")
  refused("^size_below: NA ", "size_below: 1 i", "size_below as numbers")
  refused("^size_below: NA ", "size_below: 1 2 ", "below that cannot be right")
  refused("^columns: 3", "columns: 2e9", "columns as a whole number")
  refused("^1 2 NA", "1.9999999999 2 1", "is not in a row")
  refused("^1 2 NA", "1 2 0.9999999999", "not a whole number")
  refused("^ldpcounts-release 1", "ldpcounts-release 0", "Line 1 should be")
  expect_refused(
    read_changed(x, function(lines) c(lines[!startsWith(lines, "1 2 NA")], "3")),
    "does not have the form"
  )
  expect_refused(read_changed(x, function(lines) {
    one <- grep("^1 1 ", lines)
    lines[one] <- paste(lines[one], "1 3 5")
    sub("^cells: .*", "cells: 1", lines[-(one + seq_len(length(lines) - one - 1))])
  }), "does not have the form")
  expect_refused(read_changed(x, function(lines) lines[lines != "end"]), "should be `end`")
  fewer <- function(lines) lines[!lines %in% c("1 2 NA", "end")]
  expect_refused(read_changed(x, fewer), "fewer cells than announced")
  expect_refused(read_changed(x, function(lines) c(lines, "", "1 3 1")), "must be the last")
  expect_identical(read_changed(x, function(lines) c(lines, "", " ")), x)
  expect_refused(read_release(tempfile()), "There is no")
  expect_refused(read_release(tempdir()), "is a folder")
  expect_refused(read_release(7), "`file` must be the name of one file")
  expect_refused(write_release(matrix(1), tempfile()), "`x` must be a private_counts")
  expect_refused(write_release(x), "`file` must be given")
})

test_that("a file that cannot be written is left unchanged", {
  x <- privatize(matrix(1:4, 2), 1)
  expect_refused(write_release(x, file.path(tempdir(), "no", "such", "folder")), "could not be written")
  folder <- tempfile()
  dir.create(folder)
  file <- file.path(folder, "release.txt")
  write_release(x, file)
  failing <- function(connection) {
    writeLines("half", connection)
    stop("no space left")
  }
  expect_refused(write_whole_file(file, failing), "could not be written", "no space left")
  expect_identical(read_release(file), x)
  expect_identical(list.files(folder), "release.txt")
})

test_that("labels, titles and numbers do not depend on the session", {
  x <- private_counts(matrix(c(1234567L, -3L), 1, dimnames = list(` who ` = "\u00e4", what = NULL)),
    epsilon = 1234.5, precision = 1000
  )
  expect_identical(there_and_back(x), x)
  old <- options(OutDec = ",", encoding = "latin1")
  on.exit(options(old))
  expect_identical(there_and_back(x), x)
  expect_output(print(x), "1,234.5", fixed = TRUE)
  latin1 <- x
  rownames(latin1) <- iconv("\u00e4", "UTF-8", "latin1")
  expect_identical(rownames(there_and_back(latin1)), "\u00e4")
  bytes <- "\xe4"
  Encoding(bytes) <- "bytes"
  rownames(latin1) <- bytes
  expect_refused(write_release(latin1, tempfile()), "labels of `x` must be valid text")
})

test_that("there is an error if the disk is full, and the old file is kept", {
  folder <- tempfile()
  dir.create(folder)
  for (file in file.path(folder, c("release.txt", "release.txt.gz"))) {
    x <- privatize(matrix(1:4, 2), 1)
    write_release(x, file)
    # what a full disk does: less arrives than was written
    expect_refused(
      write_whole_file(file, function(connection) {
        writeLines("half", connection)
        flush(connection)
      }, arrived = function(...) 2),
      "could not be written", "the disk may be full"
    )
    expect_identical(read_release(file), x)
  }
  expect_length(list.files(folder), 2)
})

test_that("a file without rows needs no level, and one with too many cells throws an error", {
  file <- tempfile()
  write_release(privatize(matrix(1:6, 2), epsilon = 1, rng = "R")[0, ], file)
  lines <- readLines(file)
  change_key <- function(key, value) sub(paste0("^", key, ":.*$"), paste0(key, ": ", value), lines)
  for (key in c("alpha", "epsilon", "precision")) lines <- change_key(key, "")
  writeLines(lines, file)
  expect_identical(dim(read_release(file)), c(0L, 3L))
  rewrite_release(privatize(array(1:8, c(2, 2, 2)), epsilon = 1, rng = "R")[, 0, ], file)
  lines <- readLines(file)
  writeLines(change_key("extents", "0 9999999999"), file)
  expect_error(read_release(file), class = "ldpcounts_file_error")
})

test_that("an existing file is replaced only if asked", {
  file <- tempfile()
  x <- privatize(matrix(1:6, 2), epsilon = 1)
  write_release(x, file)
  before <- readLines(file)
  expect_error(write_release(x, file), "exists.*overwrite = TRUE", class = "ldpcounts_file_error")
  expect_identical(readLines(file), before)
  expect_error(write_release(x, file, overwrite = NA), "`overwrite` must be TRUE or FALSE")
  write_release(x[1, ], file, overwrite = TRUE)
  expect_identical(as.matrix(read_release(file)), as.matrix(x[1, ]))
})

test_that("rates up to the largest are released, written, read and declared, also where exp() is subnormal or 0", {
  y <- matrix(1:6, 2)
  for (rate in c(700, 708.39, 708.4, 715, 739, 742, 745.13, 745.14, 746, 1e4, 1e8)) {
    x <- privatize(y, epsilon = rate)
    alpha <- geometric_alpha(rate)
    expect_true(alpha == 0 || alpha >= .Machine$double.xmin)
    expect_identical(privacy(x)$alpha, alpha)
    expect_equal(privacy(x)$epsilon, rate)
    expect_identical(unname(as.matrix(x)), y)
    file <- tempfile()
    write_release(x, file)
    expect_identical(read_release(file), x)
    # as a program writes it that does not round to 0
    writeLines(sub("^alpha: .*", sprintf("alpha: %.17g", exp(-rate)), readLines(file)), file)
    expect_identical(read_release(file), x)
    expect_s3_class(private_means(x), "private_means")
    for (declared in list(private_counts(y, epsilon = rate), private_counts(y, alpha = exp(-rate)))) {
      expect_identical(privacy(declared)$alpha, alpha)
      expect_output(print(summary(declared)))
    }
    expect_equal(dprivpois(0:3, 2, alpha), dpois(0:3, 2))
    expect_equal(dprivpois(0:3, 2, exp(-rate)), dpois(0:3, 2))
    expect_identical(qtwogeom(c(0.1, 0.5, 0.9), exp(-rate)), c(0, 0, 0))
  }
})

test_that("what a file announces is bounded by its size", {
  file <- tempfile(fileext = ".gz")
  write_release(privatize(matrix(1:4, 2), epsilon = 1), file)
  lines <- readLines(file)
  refused <- function(pattern) {
    expect_error(read_release(file), pattern, class = "ldpcounts_file_error")
    expect_error(suppressMessages(read_releases(file)), class = "ldpcounts_file_error")
  }
  for (key in c("rows", "columns")) {
    writeLines(sub(paste0("^", key, ": 2"), paste0(key, ": 1000000000"), lines), file)
    refused("announces far more rows and columns")
  }
  writeLines(sub("^(rows|columns): 2", "\\1: 50000", lines), file)
  refused("too many cells for its size")
  writeLines(append(lines, rep("#", 10001), 1), file)
  refused("too many comments")
  writeLines(append(lines, rep("#", 5000), 1), file)
  expect_identical(dim(read_release(file)), c(2L, 2L))
  zipped <- function(before, repeated, times) {
    connection <- gzfile(file, "wb")
    writeLines(before, connection)
    for (i in seq_len(times)) writeBin(rep(charToRaw(repeated), 1e6), connection)
    close(connection)
  }
  zipped(lines[1], "a", 40)
  refused("unpacks to more than a file of its size")
  zipped(lines, "\n", 40)
  refused("unpacks to more than a file of its size")
})

test_that("a pipe or a device is not read", {
  skip_on_os("windows")
  folder <- tempfile("folder")
  dir.create(folder)
  write_release(privatize(matrix(1:4, 2), epsilon = 1), file.path(folder, "a.txt"))
  file.symlink(file.path(folder, "a.txt"), file.path(folder, "b.txt"))
  system2("mkfifo", shQuote(file.path(folder, "pipe")))
  file.symlink("/dev/zero", file.path(folder, "zero"))
  expect_error(read_release(file.path(folder, "pipe")), "is not a regular file")
  expect_error(release_shards(file.path(folder, "zero")), "is not a regular file")
  x <- suppressMessages(read_releases(folder))
  expect_identical(dim(x), c(4L, 2L))
  expect_match(attr(x, "problems")$problem, "is not a regular file", all = TRUE)
})

test_that("lines may end in \\n, \\r or \\r\\n, and zero bytes are left out", {
  lines_in <- function(text, most = 10, ended = FALSE, skip = 0) {
    found <- .Call(C_rc_read_lines, text, skip, most, ended, FALSE)
    list(found$lines, found$used)
  }
  text <- charToRaw("a\nb\r\n\rc\r")
  expect_identical(lines_in(text), list(c("a", "b", ""), 6))
  expect_identical(lines_in(text, ended = TRUE), list(c("a", "b", "", "c"), 8))
  expect_identical(lines_in(text, 1, skip = 2), list("b", 5))
  expect_identical(lines_in(as.raw(c(97, 0, 98, 10, 0))), list("ab", 4))
  expect_identical(lines_in(as.raw(c(97, 0)), ended = TRUE), list("a", 2))
  expect_identical(lines_in(raw()), list(character(), 0))
})

test_that("lines of cells are those of sprintf()", {
  count <- c(-3, NA, -Inf, 0.1, 2^53, -2^53, 1e300, -1 / 3, 120)
  row <- c(1L, .Machine$integer.max, 10L, 4:9)
  text <- replace(sprintf("%.17g", count), 3, "hidden")
  lines <- sprintf("%d %d %s\n", row, rev(row), text)
  expect_identical(rawToChar(.Call(C_rc_write_entries, row, rev(row), count)), paste(lines, collapse = ""))
  expect_identical(.Call(C_rc_write_entries, integer(), integer(), numeric()), raw())
})
