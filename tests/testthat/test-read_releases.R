# read_releases(): many release files at once. The reference is rbind() of read_release().

items_of <- function(n) paste("item", seq_len(n))

new_folder <- function() {
  folder <- tempfile("folder")
  dir.create(folder)
  folder
}

# Writes one file per row of `y`, and returns their names.
write_rows <- function(y, epsilon = 1, precision = 1, clamp = FALSE, folder = new_folder()) {
  epsilon <- rep_len(epsilon, nrow(y))
  precision <- rep_len(precision, nrow(y))
  clamp <- rep_len(clamp, nrow(y))
  names <- if (is.null(rownames(y))) sprintf("f%03d", seq_len(nrow(y))) else rownames(y)
  files <- file.path(folder, paste0(names, ".txt"))
  for (i in seq_len(nrow(y))) {
    x <- privatize(y[i, , drop = FALSE], epsilon = epsilon[i], precision = precision[i], clamp = clamp[i])
    rewrite_release(x, files[i])
  }
  files
}

counts_of <- function(n, k, names = sprintf("p%03d", seq_len(n))) {
  set.seed(1)
  matrix(rpois(n * k, 1), n, k, dimnames = list(names, items_of(k)))
}

plain <- function(x) {
  attr(x, "problems") <- NULL
  attr(x, "missing") <- NULL
  x
}

relabelled <- function(file, label) {
  x <- read_release(file)
  rownames(x) <- label
  x
}

one_by_one <- function(files) do.call(rbind, lapply(files, read_release))

test_that("the result is that of rbind() of read_release(), with noise levels per row", {
  files <- write_rows(counts_of(6, 5), epsilon = c(1, 2, 0.5, 1, 1, 3), precision = c(1, 1, 2, 1, 3, 1))
  expect_silent(x <- read_releases(files))
  expect_identical(plain(x), one_by_one(files))
  expect_identical(privacy(x)$epsilon, c(1, 2, 0.5, 1, 1, 3))
  expect_identical(attr(x, "problems"), data.frame(file = character(), problem = character()))
  expect_null(attr(x, "missing"))
  expect_identical(unclass(x)$s / unclass(x)$t, c(1, 2, 0.25, 1, 1 / 3, 3))
})

test_that("clamped and other releases, and several sources of noise, are combined as rbind() does", {
  y <- counts_of(4, 5)
  files <- write_rows(y, clamp = c(TRUE, FALSE, TRUE, FALSE))
  set.seed(2)
  rewrite_release(privatize(y[2, , drop = FALSE], epsilon = 1, rng = "R"), files[2])
  expect_identical(plain(read_releases(files)), one_by_one(files))
  expect_identical(privacy(read_releases(files))$rng, "R")
  expect_identical(privacy(read_releases(files[-2]))$clamped, TRUE)
})

test_that("several rows, titles, compressed files and other layouts are read as by read_release()", {
  y <- counts_of(5, 4)
  folder <- new_folder()
  files <- file.path(folder, c("a.txt", "b.txt.gz", "c.txt", "d.txt"))
  named <- y[1:2, ]
  names(dimnames(named)) <- c("who", "what")
  rewrite_release(privatize(named, epsilon = c(1, 2)), files[1])
  rewrite_release(privatize(y[3, , drop = FALSE], epsilon = 1), files[2])
  rewrite_release(privatize(y[4, , drop = FALSE], epsilon = 1), files[3])
  rewrite_release(privatize(y[5, , drop = FALSE], epsilon = 1), files[4])
  lines <- readLines(files[3])
  writeLines(c(lines, ""), files[3], sep = "\r\n")
  lines <- readLines(files[4])
  keys <- grep("^(rng|clamped):", lines)
  writeLines(append(lines[-keys], lines[keys], grep("^cells:", lines) - 1 - length(keys)), files[4])
  expect_identical(plain(read_releases(files)), one_by_one(files))
})

test_that("500 files, 20 damaged, 10 with other items, 5 doubled: the rest is read, and all 35 reported", {
  set.seed(4)
  folder <- new_folder()
  y <- counts_of(6, 8, NULL)
  base <- write_rows(y, folder = new_folder())
  text <- lapply(base, readLines)
  files <- file.path(folder, sprintf("p%03d.txt", 1:500))
  for (i in 1:500) writeLines(text[[i %% 6 + 1]], files[i])
  damaged <- sort(sample(500, 20))
  other <- sort(sample(setdiff(1:500, damaged), 10))
  doubled <- sort(sample(setdiff(3:500, c(damaged, other)), 5))
  first <- setdiff(1:2, c(damaged, other))[1]
  damage <- list(
    function(file, lines) writeLines(head(lines, -1), file), # truncated after the cells
    function(file, lines) writeLines(head(lines, 15), file), # truncated in the keys
    function(file, lines) writeLines(head(lines, -3), file), # truncated in the cells
    function(file, lines) file.create(file), # empty
    function(file, lines) writeBin(as.raw(sample(0:255, 2000, TRUE)), file), # binary
    function(file, lines) writeLines("who,what\n1,2", file), # garbage
    function(file, lines) writeLines(sub("release 1", "release 2", lines), file), # a later version
    function(file, lines) writeLines(sub("^alpha: .*", "alpha: 0.5", lines), file), # contradicts epsilon
    function(file, lines) writeLines(sub("item 2", "item 1", lines), file), # duplicated items
    function(file, lines) file.remove(file) # not there
  )
  for (i in seq_along(damaged)) damage[[(i - 1) %% 10 + 1]](files[damaged[i]], readLines(files[damaged[i]]))
  for (i in other) writeLines(sub("item 8", "item 9", readLines(files[i])), files[i])
  for (i in doubled) {
    lines <- readLines(files[i])
    at <- grep("^column_labels:", lines)
    writeLines(append(lines, c("row_labels:", sprintf("p%03d", first)), at - 1), files[i])
  }
  messages <- list()
  x <- withCallingHandlers(read_releases(files), message = function(m) {
    messages <<- c(messages, list(m))
    invokeRestart("muffleMessage")
  })
  expect_length(messages, 1)
  expect_s3_class(messages[[1]], "ldpcounts_set_aside")
  set_aside <- sort(c(damaged, other, doubled))
  report <- gsub("\\s+", " ", cli::ansi_strip(conditionMessage(messages[[1]])))
  for (i in set_aside) expect_match(report, basename(files[i]), fixed = TRUE)
  expect_match(report, "465 of 500 files", fixed = TRUE)
  for (part in c("of another kind (20 files)", "item names (10 files)", "participants (5 files)")) {
    expect_match(report, part, fixed = TRUE)
  }
  problems <- attr(x, "problems")
  expect_named(problems, c("file", "problem"))
  expect_identical(problems$file, files[set_aside])
  kind <- sub(":.*", "", problems$problem)
  expect_identical(kind, ifelse(set_aside %in% damaged, "damaged",
    ifelse(set_aside %in% other, "other items", "doubled")))
  rest <- one_by_one(files[-set_aside])
  rownames(rest) <- sprintf("p%03d", setdiff(1:500, set_aside))
  expect_identical(plain(x), rest)
  expect_no_match(report, "item 9")
})

test_that("columns are aligned by name, and missing items are masked", {
  y <- counts_of(4, 4)
  for (clamp in c(FALSE, TRUE)) {
    files <- write_rows(y, clamp = clamp)
    whole <- one_by_one(files)
    rewrite_release(read_release(files[2])[, c(3, 1, 4, 2)], files[2])
    rewrite_release(read_release(files[3])[, c(4, 1)], files[3])
    expect_message(x <- read_releases(files), "1 file does not have all items", class = "ldpcounts_set_aside")
    expected <- as.matrix(whole)
    expected[3, 2:3] <- NA
    expect_identical(as.matrix(x), expected)
    expect_identical(privacy(x), privacy(whole))
    expect_identical(nrow(attr(x, "problems")), 0L)
    expect_identical(is.na(unclass(x)$below$cells), if (clamp) c(FALSE, FALSE, TRUE, FALSE) else logical())
  }
})

test_that("the items are those of most files, or those that are given", {
  y <- counts_of(5, 3)
  files <- write_rows(y)
  for (i in 1:2) rewrite_release(read_release(files[i])[, 3:1], files[i])
  rewrite_release(read_release(files[3])[, 1, drop = FALSE], files[3])
  x <- suppressMessages(read_releases(files))
  expect_identical(colnames(x), items_of(3)[3:1])
  x <- suppressMessages(read_releases(files, items = c("item 0", items_of(3))))
  expect_identical(colnames(x), c("item 0", items_of(3)))
  expect_true(all(is.na(as.matrix(x)[, "item 0"])))
  x <- suppressMessages(read_releases(files, items = "item 1"))
  expect_identical(rownames(x), "p003")
  expect_match(attr(x, "problems")$problem, "^other items: has 2 items not in the study: \"item ")
})

test_that("files without names of items are aligned by position if none has names", {
  y <- unname(counts_of(3, 3))
  files <- write_rows(y)
  x <- read_releases(files)
  expect_identical(unname(as.matrix(x)), unname(as.matrix(one_by_one(files))))
  expect_identical(dimnames(x), list(sprintf("f%03d", 1:3), NULL))
  expect_identical(colnames(read_releases(files, items = items_of(3))), items_of(3))
  expect_error(suppressMessages(read_releases(files, items = items_of(2))), class = "ldpcounts_file_error")
  rewrite_release(privatize(counts_of(1, 3), epsilon = 1), files[2])
  x <- suppressMessages(read_releases(files))
  expect_identical(attr(x, "problems")$problem, rep("other items: has no names of items", 2))
})

test_that("the first of several files of a participant is used", {
  files <- write_rows(counts_of(3, 3))
  rewrite_release(relabelled(files[3], "p001"), files[3])
  x <- suppressMessages(read_releases(files))
  expect_identical(plain(x), one_by_one(files[1:2]))
  expect_match(attr(x, "problems")$problem, "doubled: participant \"p001\" is also in p001.txt")
  x <- suppressMessages(read_releases(rev(files)))
  expect_identical(plain(x), one_by_one(files[3:2]))
})

test_that("rows of a file with several rows are set aside one by one", {
  y <- counts_of(4, 3)
  files <- write_rows(y[1:2, ])
  many <- tempfile(fileext = ".txt")
  rewrite_release(privatize(y[2:4, ], epsilon = c(1, 2, 3)), many)
  x <- suppressMessages(read_releases(c(files, many)))
  expect_identical(plain(x), rbind(one_by_one(files), read_release(many)[2:3, ]))
  expect_identical(attr(x, "problems")$file, many)
})

test_that("missing participants are reported, and masked if asked", {
  files <- write_rows(counts_of(4, 3), epsilon = 1:4)
  expected <- c("p004", "nobody", "p002", "p001")
  expect_message(x <- read_releases(files, participants = expected), "1 participant is missing: nobody")
  expect_identical(rownames(x), c("p001", "p002", "p004"))
  expect_identical(attr(x, "missing"), "nobody")
  expect_match(attr(x, "problems")$problem, "^not in the list: participant \"p003\"")
  x <- suppressMessages(read_releases(files, participants = expected, complete = TRUE))
  expect_identical(rownames(x), expected)
  expect_identical(unname(rowSums(is.na(x))), c(0, 3, 0, 0))
  expect_identical(privacy(x)$epsilon, c(4, 1, 2, 1))
  expect_identical(as.matrix(x)[c(1, 3, 4), ], as.matrix(one_by_one(files))[c(4, 2, 1), ])
  clamped <- write_rows(counts_of(4, 3), clamp = TRUE)
  x <- suppressMessages(read_releases(clamped, participants = expected, complete = TRUE))
  expect_identical(unname(rowSums(is.na(x))), c(0, 3, 0, 0))
  expect_true(privacy(x)$clamped)
})

test_that("a network has its rows in the order of the columns, and missing senders masked", {
  actors <- c("d", "a", "c", "b")
  y <- counts_of(4, 4)
  dimnames(y) <- list(actors, actors)
  files <- write_rows(y)
  x <- suppressMessages(read_releases(sort(files)[-2], network = TRUE))
  expect_identical(dimnames(x), list(actors, actors))
  expect_identical(attr(x, "missing"), "b")
  whole <- as.matrix(one_by_one(files))
  whole["b", ] <- NA
  expect_identical(as.matrix(x), whole)
  # files without a count for the sender
  for (i in 1:4) rewrite_release(read_release(files[i])[, -i], files[i])
  expect_silent(x <- read_releases(files, network = TRUE, items = actors))
  expect_identical(unname(is.na(x)), diag(4) == 1)
  expect_setequal(colnames(read_releases(files, network = TRUE)), actors)
  fit <- block_model(x, k = 2, iter = 20, warmup = 10, chains = 1, progress = FALSE)
  expect_s3_class(fit, "ldp_fit")
})

test_that("a folder is read in the order of the alphabet, without hidden files and folders", {
  folder <- new_folder()
  files <- write_rows(counts_of(3, 3, c("b", "a", "C")), folder = folder)
  dir.create(file.path(folder, "inside"))
  writeLines("not a release", file.path(folder, ".hidden"))
  expect_silent(x <- read_releases(folder))
  expect_identical(rownames(x), c("C", "a", "b"))
})

test_that("labels and names of files may be in any script", {
  y <- counts_of(2, 2)
  dimnames(y) <- list(c("Zo\u00eb", "\u540d{x}"), c("\u00e9cole", "na{}me"))
  folder <- new_folder()
  files <- file.path(folder, c("1.txt", "2.txt"))
  for (i in 1:2) rewrite_release(privatize(y[i, , drop = FALSE], epsilon = 1), files[i])
  expect_identical(dimnames(read_releases(folder)), dimnames(y))
  writeLines("x", file.path(folder, "{braces}.txt"))
  expect_message(read_releases(folder, participants = c(rownames(y), "{who}")), "{braces}.txt", fixed = TRUE)
})

test_that("wrong arguments, and files of which none can be used, are errors", {
  error <- function(code, text, class = "ldpcounts_argument_error") {
    expect_error(code, text, class = class)
  }
  files <- write_rows(counts_of(2, 2))
  folder <- new_folder()
  error(read_releases(), "must be given")
  error(read_releases(3), "names of files")
  error(read_releases(folder), "no files in the folder", "ldpcounts_file_error")
  error(read_releases(files, "a"), "must be named")
  error(read_releases(files, items = c("a", "a")), "given more than once")
  error(read_releases(files, items = NA), "empty or missing")
  error(read_releases(files, complete = TRUE), "needs")
  error(read_releases(files, network = TRUE, participants = "a"), "must not be given")
  error(read_releases(files, network = 1), "TRUE or FALSE")
  error(read_releases(c("no", "none")), "None of the 2 files", "ldpcounts_file_error")
  error(read_releases(files, participants = "nobody"), "None of the 2 files", "ldpcounts_file_error")
  error(read_releases(files, items = "other"), "not in the study", "ldpcounts_file_error")
})

# --- files that nobody should read ------------------------------------------------------------------

# A file that promises much, in few bytes.
release_text <- function(rows = 1, columns = 2, more = character(), cells = 0, storage = "sparse double") {
  c(
    "ldpcounts-release 1", "mechanism: two-sided geometric", paste0("rows: ", format(rows, scientific = FALSE)),
    paste0("columns: ", format(columns, scientific = FALSE)), "alpha: 0.5", paste0("storage: ", storage), more,
    paste0("cells: ", cells), "end"
  )
}

test_that("what a file announces must be in proportion to its size", {
  folder <- tempfile()
  dir.create(folder)
  write <- function(name, lines) writeLines(lines, file.path(folder, name))
  write("a-good.txt", release_text(more = c("column_labels:", "x", "y")))
  write("rows.txt", release_text(rows = 1e9))
  write("columns.txt", release_text(columns = 2e9))
  write("dense.txt", release_text(rows = 9e5, columns = 9e4, storage = "dense integer"))
  write("clamped.txt", release_text(rows = 1e9, more = "clamped: yes"))
  write("comments.txt", c("ldpcounts-release 1", rep("#", 20001)))
  # 300 MB, zipped once: the parts of a gzip file may follow each other
  zipped <- function(bytes) {
    file <- tempfile()
    to <- gzfile(file, "wb")
    writeBin(bytes, to)
    close(to)
    readBin(file, "raw", file.size(file))
  }
  head <- zipped(charToRaw("ldpcounts-release 1\nrow_title: "))
  writeBin(c(head, rep(zipped(rep(as.raw(0x61), 1e7)), 30)), file.path(folder, "line.gz"))
  gc(reset = TRUE)
  x <- suppressMessages(read_releases(folder))
  most_mb <- sum(gc()[, 6])
  expect_identical(nrow(x), 1L)
  problems <- attr(x, "problems")
  expect_setequal(basename(problems$file),
    c("rows.txt", "columns.txt", "dense.txt", "clamped.txt", "comments.txt", "line.gz"))
  said <- function(name) problems$problem[basename(problems$file) == name]
  for (name in c("rows.txt", "columns.txt", "dense.txt", "clamped.txt")) {
    expect_match(said(name), "announces far more rows and columns than a file of its size can have")
  }
  expect_match(said("comments.txt"), "too many comments")
  expect_match(said("line.gz"), "unpacks to more than a file of its size")
  expect_lt(most_mb, 1000)
  expect_refused(read_release(file.path(folder, "rows.txt")), "announces far more rows")
})

test_that("pipes, devices and odd names are set aside or read", {
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(folder)
  text <- release_text(more = c("column_labels:", "x", "y"))
  for (name in c("b.txt", "\u00e9t\u00e9.txt", "a.txt", "\u00c4.txt")) {
    writeLines(text, file.path(folder, name))
  }
  if (nzchar(Sys.which("mkfifo"))) system2("mkfifo", file.path(folder, "pipe"))
  file.symlink("/dev/zero", file.path(folder, "device"))
  # a name in latin1, which is not UTF-8
  from <- file.path(folder, "a.txt")
  system2("sh", c("-c", shQuote(sprintf("cp '%s' \"$(printf '%s/caf\\351.txt')\"", from, folder))))
  x <- suppressMessages(read_releases(folder))
  expect_identical(nrow(x), 5L)
  expect_true(all(validUTF8(rownames(x))))
  expect_identical(rownames(x)[1:3], c("a", "b", "caf<e9>"))
  problems <- attr(x, "problems")
  expect_match(problems$problem, "is not a regular file", all = TRUE)
  expect_true("device" %in% basename(problems$file))
})

test_that("the order of names does not depend on the locale or on encodings that are declared", {
  names <- c("b", "\u00e9", "a", "\u00c4", "B")
  latin <- iconv(names, "UTF-8", "latin1")
  expected <- c("B", "a", "b", "\u00c4", "\u00e9")
  expect_identical(sort_text(names), expected)
  expect_identical(enc2utf8(sort_text(latin)), expected)
  bytes <- names
  Encoding(bytes) <- "unknown"
  expect_silent(sort_text(bytes))
})

test_that("the order of files, items and groups does not depend on the locale", {
  skip_on_os("windows")
  folder <- new_folder()
  file.create(file.path(folder, "B")) # so that the script has something to remove
  script <- c(
    "library(ldpcounts)", "folder <- commandArgs(TRUE)", "unlink(list.files(folder, full.names = TRUE))",
    "set.seed(1)", "invisible({",
    "for (name in c('\\xc3\\xa9', 'Zo\\xc3\\xab', 'B', 'a', 'z')) {",
    "  x <- privatize(matrix(1:2, 1, dimnames = list(NULL, c('\\u00e9t\\u00e9', 'x'))), epsilon = 1, rng = 'R')",
    "  write_release(x, file.path(folder, name))", "}})",
    "invisible(file.create(paste0(folder, '/\\xff\\xfe')))",
    "x <- suppressMessages(read_releases(folder))",
    "latin <- 'caf\\xe9'", "Encoding(latin) <- 'latin1'",
    "means <- private_means(x, by = c(latin, 'b', 'B', 'a', '\\u00e0'))",
    "for (text in list(rownames(x), attr(x, 'problems')$problem, levels(means$group))) {",
    "  cat(vapply(text, function(x) paste(charToRaw(enc2utf8(x)), collapse = ''), ''), '\\n')", "}"
  )
  file <- tempfile(fileext = ".R")
  writeLines(script, file)
  env <- paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep)))
  wanted <- c(
    "42 5a6fc3ab 61 7a c3a9", paste(charToRaw("damaged: Line 1 should be `ldpcounts-release 1`"), collapse = ""),
    "42 61 62 636166c3a9 c3a0"
  )
  for (locale in some_of(c("C", "C.UTF-8"), 2)) {
    result <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(file), shQuote(folder)),
      stdout = TRUE, stderr = FALSE, env = c(env, paste0("LC_ALL=", locale))
    )
    expect_identical(trimws(result), wanted)
  }
})

test_that("files of one mechanism are put together, and those of another are set aside", {
  folder <- new_folder()
  y <- counts_of(5, 3)
  mechanism <- withheld(discrete_gaussian_noise(2), below = 1)
  files <- file.path(folder, paste0(rownames(y), ".txt"))
  for (i in 1:5) {
    columns <- if (i == 2) 3:2 else 1:3 # another order, and an item is missing
    of_file <- if (i == 4) random_rounding(3) else mechanism
    write_release(privatize(y[i, columns, drop = FALSE], mechanism = of_file), files[i])
  }
  asked <- c(rownames(y), "other")
  x <- suppressMessages(read_releases(files, participants = asked, complete = TRUE))
  expect_identical(privacy(x)$mechanism, mechanism)
  expect_identical(rownames(x), asked)
  expect_identical(attr(x, "problems")$problem, "damaged: has another mechanism than most files")
  expect_identical(attr(x, "missing"), asked[c(4, 6)])
  counts <- as.matrix(x)
  expect_identical(counts[c(1, 3, 5), ], as.matrix(plain(suppressMessages(read_releases(files[c(1, 3, 5)])))))
  expect_identical(counts[2, 2:3], as.matrix(read_release(files[2]))[1, 2:1])
  expect_identical(which(is.na(counts[, 1])), c(p002 = 2L, p004 = 4L, other = 6L))
  rewrite_release(privatize(y[4, , drop = FALSE], epsilon = 1), files[4])
  expect_identical(suppressMessages(read_releases(files, participants = asked, complete = TRUE)), x)
  rewrite_release(privatize(y, mechanism = discrete_gaussian_noise(1:5)), files[4])
  expect_message(read_releases(files), "Damaged or of another kind \\(1 file\\)")
})
