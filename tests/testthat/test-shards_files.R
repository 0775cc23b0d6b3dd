# A release, and files of its rows.
write_shards <- function(release, sizes, ending = ".txt") {
  last <- cumsum(sizes)
  files <- replicate(length(sizes), tempfile(fileext = ending))
  for (i in seq_along(sizes)) {
    rows <- if (sizes[i] > 0) (last[i] - sizes[i] + 1):last[i] else integer()
    rewrite_release(release[rows, ], files[i])
  }
  files
}

# All counts that a cursor reads, in batches of n rows.
read_all <- function(shards, n, order = seq_along(shards$files)) {
  cursor <- shard_cursor(shards, order)
  on.exit(cursor$close())
  counts <- matrix(0, dim(shards)[1], dim(shards)[2])
  below <- numeric(nrow(counts))
  while (length((part <- cursor$take(n))$rows) > 0) {
    expect_false(is.unsorted(part$row))
    counts[cbind(part$rows[part$row], part$column)] <- part$count
    below[part$rows] <- part$size_below
  }
  list(counts = counts, below = below)
}

# What this should be.
all_of <- function(release) {
  counts <- unname(as.matrix(release))
  list(counts = pmax(counts, 0), below = rowSums(pmax(-counts, 0), na.rm = TRUE))
}

small_release <- function(alpha = 0.4, clamped = FALSE) {
  set.seed(171)
  y <- matrix(rnbinom(20 * 7, 1, mu = 2), 20, dimnames = list(paste("doc", 1:20), letters[1:7]))
  noised <- y + rgeom(140, 0.6) - rgeom(140, 0.6)
  x <- private_counts(if (clamped) pmax(noised, 0) else noised, alpha = alpha, clamped = clamped)
  is.na(x) <- cbind(c(1, 9, 20), c(2, 7, 1))
  x
}

test_that("files are read in batches of any size, in any order of the files", {
  for (clamped in c(FALSE, TRUE)) {
    release <- small_release((1:20) / 25, clamped)
    shards <- release_shards(write_shards(release, c(6, 0, 1, 13), ".txt.gz"))
    expect_identical(dim(shards), dim(release))
    expect_identical(dimnames(shards), dimnames(as.matrix(release)))
    expect_equal(privacy(shards)[c("alpha", "clamped")], privacy(release)[c("alpha", "clamped")])
    for (n in c(1, 3, 7, 20, 50)) {
      expect_equal(read_all(shards, n), all_of(release))
      expect_equal(read_all(shards, n, c(4, 2, 1, 3)), all_of(release))
    }
  }
  expect_output(print(shards), "Private counts in 4 files: 20 x 7")
})

test_that("batches from files have the cells of batches in memory", {
  release <- small_release((1:20) / 25)
  source <- shards_source(release_shards(write_shards(release, c(8, 12))), "model")
  input <- model_data(release)
  cells <- make_cells(input$counts, input$alpha, by_columns = FALSE)
  reader <- source$begin()
  for (i in 1:4) {
    batch <- reader$take(5)
    expect_equal(batch$cells, cells_of_rows(cells, batch$rows))
    expect_equal(batch$below, lapply(below_zero(input$counts), `[`, batch$rows))
  }
  reader$close()
})

test_that("cells may be in any order of columns, but not of rows, and are checked like those of a release", {
  release <- small_release()
  file <- write_shards(release, 20)
  lines <- readLines(file)
  head <- seq_len(grep("^cells: ", lines))
  cells <- lines[-c(head, length(lines))]
  row <- as.integer(sub(" .*", "", cells))
  rewrite <- function(cells) writeLines(c(lines[head], cells, "end"), file)
  rewrite(cells[order(row, rev(seq_along(cells)))])
  expect_equal(read_all(release_shards(file), 4), all_of(release))
  expect_identical(read_release(file), release)
  rewrite(rev(cells))
  expect_identical(read_release(file), release)
  refused <- function(...) expect_refused(read_all(release_shards(file), 20), ...)
  refused("ascending order of rows", "write_release()", basename(file))
  rewrite(replace(cells, 12, sub(" [^ ]*$", " 0.5", cells[12])))
  line <- length(head) + 12
  refused(paste("Line", line, "has a count that is not a whole number"))
  rewrite(replace(cells, 12, cells[11]))
  refused("lists a cell twice")
  writeLines(c(lines[head], cells), file)
  refused("should be `end`")
  writeLines(c(lines[head], cells[-12], "end"), file)
  refused("does not have the form")
  writeLines(c(lines[head], cells[-12]), file)
  refused("fewer cells than announced")
})

test_that("files that do not go together are named", {
  release <- small_release()
  files <- write_shards(release, c(10, 10))
  expect_refused(release_shards(), "`files` must be given")
  expect_refused(release_shards(1), "the names of one or more files")
  expect_refused(release_shards(c(files, files[1])), "must not list a file twice", basename(files[1]))
  expect_refused(release_shards(c(files, "nowhere.txt")), "There is no file 'nowhere.txt'")
  expect_refused(release_shards(tempdir()), "is a folder")
  rewrite_release(release[11:20, 1:3], files[2])
  expect_refused(release_shards(files), basename(files[2]), "does not go with")
  rewrite_release(release[11:20, 7:1], files[2])
  expect_refused(release_shards(files), basename(files[2]), "does not go with")
  rewrite_release(small_release(clamped = TRUE)[11:20, ], files[2])
  expect_refused(release_shards(files), basename(files[2]), "does not go with")
  rewrite_release(private_counts(matrix(c(NA, 1, 1, NA), 2), alpha = 0.4, directed = FALSE), files[2])
  expect_refused(release_shards(files), basename(files[2]), "pairs of actors")
  rewrite_release(private_counts(array(1, c(2, 2, 2)), alpha = 0.4), files[2])
  expect_refused(release_shards(files), basename(files[2]), "more than two modes")
  unnamed <- private_counts(unname(as.matrix(release)[11:20, ]), alpha = 0.2)
  rewrite_release(unnamed, files[2])
  shards <- release_shards(files)
  expect_identical(colnames(shards), letters[1:7])
  expect_equal(privacy(shards)$alpha, rep(c(0.4, 0.2), each = 10))
})

test_that("functions that need counts in memory say so", {
  shards <- release_shards(write_shards(small_release(), 20))
  for (call in expression(
    topic_model(shards, 2), block_model(shards, 2), privatize(shards, 1), compare_k(shards, 2),
    holdout_cells(shards)
  )) {
    expect_refused(eval(call), "must be counts in memory", "inference = \"svi\"")
  }
})

test_that("damaged objects are refused", {
  shards <- release_shards(write_shards(small_release(), 20))
  empty <- structure(list(), class = "release_shards")
  expect_refused(topic_model(empty, 2, inference = "svi"), "no version number")
  for (part in c("files", "rows", "cells", "release")) {
    damaged <- structure(replace(unclass(shards), part, list(NULL)), class = "release_shards")
    expect_refused(topic_model(damaged, 2, inference = "svi"), "edited or damaged")
    expect_refused(print(damaged), "edited or damaged")
  }
})

test_that("a file of which a count was changed after release_shards() is refused, and a touched one is not", {
  files <- write_shards(small_release(), c(8, 12))
  shards <- release_shards(files)
  Sys.setFileTime(files[2], Sys.time() - 100)
  expect_identical(read_all(shards, 20), all_of(small_release()))
  lines <- readLines(files[2])
  at <- length(lines) - 1
  writeLines(replace(lines, at, sub(" (NA|-?[0-9]+)$", " 9", lines[at])), files[2])
  expect_error(read_all(shards, 20), "has changed since", class = "ldpcounts_file_error")
  expect_error(topic_model(shards, 2, inference = "svi", iter = 2, progress = FALSE), "has changed since")
  expect_identical(read_all(release_shards(files), 20)$counts[-20, ], all_of(small_release())$counts[-20, ])
})

test_that("bytes that are read part by part are those of all cells", {
  counts <- unclass(small_release())$counts
  counts[cbind(c(3, 9, 20), c(1, 4, 7))] <- c(254, 1e6, 253)
  shards <- release_shards(write_shards(private_counts(counts, alpha = 0.4), c(6, 0, 1, 13)))
  for (rows in list(1:20, 1:16, 17:20)) {
    alpha <- rep(0.4, length(rows))
    shard <- c(rows[1] - 1L, 20L)
    seen <- 0
    read <- read_codes(shards, rows, alpha, shard, TRUE, function(cells) seen <<- seen + sum(cells$y_tilde))
    listed <- read_rows(shards, rows, alpha, shard)
    coded <- code_cells(listed$cells, "none", TRUE)
    expect_equal(read$cells[names(coded)], coded)
    expect_identical(read$below, listed$below)
    expect_identical(seen, sum(listed$cells$y_tilde))
  }
})
