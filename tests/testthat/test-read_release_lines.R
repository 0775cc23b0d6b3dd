items <- c("calls", "mails", "visits")

# A line as the page writes it, from the fields before the check sum.
line_of <- function(counts, s = 1, t = 1, precision = "1", label = "", sum = items_sum(items)) {
  text <- paste0("ldp1:", s, "/", t, ":", precision, ":", sum, ":", paste(counts, collapse = "."), ":", label)
  paste0(text, ":", checksums(text))
}

quietly <- function(code) suppressMessages(code, classes = "ldpcounts_set_aside")

test_that("check sums are CRC-32", {
  # the check value of this CRC in catalogues, and the empty text
  expect_identical(checksums(c("123456789", "", "The quick brown fox jumps over the lazy dog")),
    c("cbf43926", "00000000", "414fa339"))
  expect_identical(checksums(character()), character())
  expect_identical(checksums(rep("123456789", 2500)), rep("cbf43926", 2500))
})

test_that("lines become rows, each with its noise level", {
  lines <- c(line_of(c(4, -1, 0)), line_of(c("NA", 7, 2), s = 2, t = 3, precision = "2.5"))
  x <- read_release_lines(lines, items)
  expect_identical(as.matrix(x), matrix(c(4L, NA, -1L, 7L, 0L, 2L), 2, dimnames = list(NULL, items)))
  expect_identical(privacy(x)[c("alpha", "precision", "rng")],
    list(alpha = exp(-c(1, 2 / 3)), precision = c(1, 2.5), rng = "secure"))
  expect_equal(privacy(x)$epsilon, c(1, 5 / 3))
  expect_identical(attr(x, "problems"), data.frame(line = integer(), problem = character()))
  one <- privatize(matrix(0L, 1, 3, dimnames = list(NULL, items)), 0.7, precision = 3)
  line <- line_of(as.vector(as.matrix(one)), fields_of(one)$s, fields_of(one)$t, "3")
  expect_equal(read_release_lines(line, items), one, ignore_attr = "problems")
  expect_identical(line_head(fields_of(one), items), sub("^((?:[^:]*:){3}[^:]*).*", "\\1", line, perl = TRUE))
})

test_that("what survey platforms add is ignored", {
  line <- line_of(c(4, -1, 12))
  added <- c(
    paste0("  ", line, "\r\n"), paste0("\"", line, "\""), paste0("\u201c", line, "\u201d"),
    sub(":", ":\n ", line), gsub("-", "\u2212", line), gsub("-", "\u2013", line), paste0("\ufeff", line),
    paste0("my line: ", line, ", bye"),
    gsub("(.{20})", "\\1\u00a0\u200b", line), paste(line, line), paste0("'", line, "'")
  )
  x <- read_release_lines(added, items)
  expect_identical(nrow(attr(x, "problems")), 0L)
  expect_identical(unique(as.matrix(x)), matrix(c(4L, -1L, 12L), 1, dimnames = list(NULL, items)))
  expect_identical(nrow(x), length(added))
})

test_that("damaged, foreign and blank lines are set aside, and reported in one message", {
  good <- line_of(c(1, 2, 3))
  x <- c(
    good, "", NA, "  ", sub("1.2.3", "1.2.4", good, fixed = TRUE), substr(good, 1, nchar(good) - 3),
    line_of(c(1, 2, 3), sum = items_sum(rev(items))), "I do not know", paste(good, line_of(c(1, 2, 5))),
    line_of(c(1, 2)), line_of(c(1, 2, 3), s = 0), line_of(c(1, 2, 3), precision = "-1"),
    sub("ldp1", "ldp2", good), good
  )
  expect_message(read <- read_release_lines(x, items), "12 of 14 answers were set aside",
    class = "ldpcounts_set_aside"
  )
  expect_identical(dim(read), c(2L, 3L))
  problems <- attr(read, "problems")
  expect_identical(problems$line, 2:13)
  kinds <- c(
    "is blank", "is blank", "is blank", "check sum", "complete line", "other items", "complete line",
    "several", "impossible", "impossible", "impossible", "complete line"
  )
  expect_true(all(mapply(grepl, kinds, problems$problem)))
  messages <- character()
  withCallingHandlers(read_release_lines(x, items), message = function(m) {
    messages <<- c(messages, conditionMessage(m))
    invokeRestart("muffleMessage")
  })
  expect_length(messages, 1)
  expect_match(messages, "3 is blank: line 2, 3, 4", fixed = TRUE)
})

test_that("every change of one character is detected", {
  line <- line_of(c(14, -1, 0), s = 2, t = 3, precision = "2", label = "ann")
  at <- rep(seq_len(nchar(line)), each = 3)
  changed <- vapply(seq_along(at), function(i) {
    old <- substr(line, at[i], at[i])
    new <- setdiff(c("7", "a", ".", "-"), old)[(i - 1) %% 3 + 1]
    paste0(substr(line, 1, at[i] - 1), new, substr(line, at[i] + 1, nchar(line)))
  }, "")
  read <- quietly(read_release_lines(c(line, changed), items))
  expect_identical(nrow(read), 1L)
  expect_identical(nrow(attr(read, "problems")), length(changed))
})

test_that("labels come from the names of x, or from the lines", {
  lines <- c(line_of(1:3, label = "p%20%C3%A4%3A"), line_of(1:3))
  expect_identical(rownames(read_release_lines(lines, items)), c("p \u00e4:", NA))
  expect_identical(rownames(read_release_lines(c(r1 = lines[1], r2 = lines[2]), items)), c("r1", "r2"))
  expect_null(rownames(read_release_lines(lines[2], items)))
  expect_identical(nrow(read_release_lines(factor(lines), items)), 2L)
})

test_that("large counts are kept exactly", {
  x <- read_release_lines(line_of(c("2147483650", "-3", "0")), items)
  expect_identical(as.vector(as.matrix(x)), c(2147483650, -3, 0))
})

test_that("wrong arguments are refused", {
  expect_refused(read_release_lines(items = items), "`x` must be given")
  expect_refused(read_release_lines("a"), "`items` must be given")
  expect_refused(read_release_lines(1, items), "`x` must be a character vector")
  expect_refused(read_release_lines(character(), items), "at least one release", "It is empty")
  expect_refused(read_release_lines(c("", "x"), items), "at least one release", "is blank")
  expect_refused(read_release_lines("x", c("a", "a")), "given more than once")
  expect_refused(read_release_lines("x", items, id = 1), "`id`")
})

test_that("ten thousand lines are read in seconds", {
  set.seed(251)
  lines <- rep(vapply(1:20, function(i) line_of(sample(-5:20, 3)), ""), 500)
  expect_lt(system.time(x <- read_release_lines(lines, items))[["elapsed"]], 20)
  expect_identical(nrow(x), 10000L)
})
