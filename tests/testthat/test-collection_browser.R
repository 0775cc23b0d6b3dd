# The collection page in headless Chromium, opened from the disk.

page_of <- function(...) {
  file <- tempfile(fileext = ".html")
  collection_page(..., file = file)
  file
}

# With this noise, a released count equals the true one with probability 5e-7.
TINY <- 1e-6

test_that("counts are typed by keyboard alone, and the downloaded file is read by read_release()", {
  skip_without_browser()
  items <- c("calls", "mails <b>", "\u00e4 & </script>")
  counts <- c("48151623", "1234567890", "0")
  folder <- tempfile("browser")
  seen <- browse("counts", page_of(items, TINY, offer = c("file", "line")), counts, folder = folder)
  expect_identical(seen$labels, items)
  expect_identical(seen$after$focus, "result-title")
  x <- read_release(seen$file)
  expect_identical(privacy(x), privacy(privatize(matrix(0L, 1, 3), TINY)))
  expect_identical(dimnames(x), list(NULL, items))
  expect_identical(as.character(as.matrix(x)), seen$rows[, 2])
  again <- tempfile()
  write_release(x, again)
  expect_identical(readLines(seen$file), readLines(again))
  line <- read_release_lines(seen$after$line, items)
  expect_equal(line, x, ignore_attr = "problems")
  # the button cannot be used twice
  expect_true(seen$after$disabled)
  expect_false(seen$after$once)
  expect_identical(seen$again$line, seen$after$line)

  # No true count is anywhere: requests, console, address, storage, the page itself, the browser's files.
  traces <- seen$traces
  expect_identical(vapply(traces$requests, `[[`, "", "url"), traces$address)
  expect_length(traces$console, 0)
  expect_identical(jsonlite::fromJSON(traces$storage), list(
    local = list(), session = list(), cookies = "", databases = list(), state = NULL, name = "",
    caches = list(), resources = list()
  ))
  expect_true(all(traces$fields == ""))
  expect_length(grep("ldp|sampler", traces$globals), 0)
  expect_identical(holding(traces, counts[1:2]), character())
  expect_identical(holding(folder, counts[1:2]), character())
  expect_gt(length(holding(folder, as.character(as.matrix(x))[1:2])), 0) # the search finds what is there
})

test_that("the words of a dropped file are counted against a vocabulary of 2,000 words in under a second", {
  skip_without_browser()
  set.seed(241)
  words <- unique(vapply(1:2200, function(i) paste(sample(letters, 6, TRUE), collapse = ""), ""))[1:2000]
  words[1:3] <- c("\u00dcber", "it's", "2024")
  y <- stats::rpois(2000, 3)
  text <- rep(words, y)
  text[text == "it's"] <- "It\u2019s"
  text[text == "\u00dcber"] <- "U\u0308BER"
  file <- tempfile(fileext = ".txt")
  text <- paste(sample(c(text, rep("other-word", 3000))), collapse = ", ")
  writeLines(enc2utf8(text), file, useBytes = TRUE)
  # noise at this level is 0 in all 2,000 counts, except with probability 2000 * 2 exp(-30) < 1e-6
  seen <- browse("text", page_of(words, 30, input = "text"), file)
  expect_gt(seen$seconds, 0)
  expect_lt(seen$seconds, 1)
  x <- read_release(seen$file)
  expect_identical(colnames(x), words)
  expect_identical(as.vector(as.matrix(x)), as.integer(y))
  expect_length(seen$traces$console, 0)
  expect_identical(vapply(seen$traces$requests, `[[`, "", "url"), seen$traces$address)
  expect_true(all(seen$traces$fields == ""))
  expect_false(grepl("other-word", seen$traces$html))
})

test_that("the page refuses to work without a secure source", {
  skip_without_browser()
  seen <- browse("refuse", page_of("calls", 1))
  expect_identical(seen, list(missing = "undefined", page = TRUE, refusal = FALSE, rows = 0L))
})

test_that("entries that are not counts are refused, and nothing is released", {
  skip_without_browser()
  seen <- browse("invalid", page_of(c("calls", "mails"), 1), "1.5")
  expect_identical(seen$problems, c(collection_texts()$error_whole, collection_texts()$error_missing))
  expect_identical(seen$invalid, 2L)
  expect_identical(seen$after$focus, "count-0")
  expect_false(seen$after$disabled)
  expect_length(seen$rows, 0)
  if (!EXTENDED) {
    return()
  }
  texts <- replace(collection_texts(), "error_large", "Zu <gross>")
  seen <- browse("invalid", page_of("calls", 1, texts = texts), "2147483648")
  expect_identical(seen$problems, "Zu <gross>")
})

test_that("the release, and nothing else, is sent to the given address and to no other", {
  skip_without_browser()
  port <- sample(20000:40000, 1)
  address <- sprintf("http://127.0.0.1:%d/collect", port)
  seen <- browse("send", page_of("calls", TINY, post_to = address), port, "48151623")
  expect_identical(seen$before, 0L) # not before the button is pressed
  expect_length(seen$received, 1)
  request <- seen$received[[1]]
  expect_identical(c(request$method, request$url), c("POST", "/collect"))
  expect_null(request$headers$cookie)
  expect_null(request$headers$referer)
  file <- tempfile()
  writeLines(request$body, file, sep = "", useBytes = TRUE)
  expect_identical(dim(read_release(file)), c(1L, 1L))
  expect_match(seen$after$status, "received")
  expect_match(seen$elsewhere, "Failed to fetch")
  expect_identical(holding(seen, "48151623"), character())
})

test_that("the button waits for all files, also for one that is slower than the next", {
  extended_only()
  skip_without_browser()
  seen <- browse("slow", page_of(c("early", "late"), 30, input = "text"))
  expect_true(seen$one_read$disabled)
  expect_false(seen$both_read$disabled)
  expect_identical(seen$rows[, 2], c("2", "3"))
})

test_that("the page refuses to work if two items are the same word in its eyes", {
  extended_only()
  skip_without_browser()
  # a syllable of Korean, and its two letters
  seen <- browse("same", page_of(c("\uac00", "\u1100\u1161"), 30, input = "text"))
  expect_match(seen$refusal, "two items that are the same word")
  expect_true(seen$hidden)
})
