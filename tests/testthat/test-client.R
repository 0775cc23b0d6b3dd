# The command line client (tools/client), built by `make client`.

# Built once, with a source of scripted bits that the program of `make client` does not have.
client <- local({
  program <- NULL
  function() {
    skip_on_cran()
    skip_on_os("windows")
    if (is.null(program)) {
      sources <- Sys.glob(test_path("..", "..", "tools", "client", "*.c"))
      skip_if(length(sources) == 0, "tests run without the sources")
      program <<- compile_with_kernels(c(sources, "ldp_secure.c", "ldp_release.c", "rc_system.c"),
        "-DLDP_TEST_TAPE"
      )
    }
    program
  }
})

# Runs the client: list(status, text), where text has what it printed.
run_client <- function(..., tape = "") {
  output <- suppressWarnings(system2(client(), shQuote(c(...)), stdout = TRUE, stderr = TRUE,
    env = if (nzchar(tape)) paste0("LDP_TAPE=", tape)
  ))
  status <- attr(output, "status")
  list(status = if (is.null(status)) 0L else status, text = paste(output, collapse = "\n"))
}

csv_of <- function(text) {
  file <- tempfile(fileext = ".csv")
  writeBin(if (is.raw(text)) text else charToRaw(enc2utf8(text)), file)
  file
}

# The release of a CSV file, read by read_release().
released <- function(text, ..., epsilon = 1) {
  file <- tempfile(fileext = ".txt")
  done <- run_client("--epsilon", format(epsilon, digits = 15), ..., csv_of(text), file)
  if (done$status != 0) stop(done$text)
  read_release(file)
}

expect_client_refuses <- function(text, say, ..., status = 1L) {
  file <- tempfile(fileext = ".txt")
  done <- run_client("--epsilon", "1", ..., csv_of(text), file)
  expect_identical(done$status, status)
  expect_match(done$text, say, fixed = TRUE)
  expect_false(file.exists(file))
  expect_length(list.files(dirname(file), "unfinished"), 0)
  done$text
}

test_that("a CSV file becomes the release that privatize() and write_release() would make", {
  csv <- "who,calls,\"mails, \"\"all\"\"\"\r\n\"a\nb\\\",3,0\r\n\u00e4,,7\r\n"
  items <- c("calls", "mails, \"all\"")
  y <- matrix(c(3L, NA, 0L, 7L), 2, dimnames = list(c("a\nb\\", "\u00e4"), items))
  levels <- list(
    c(1, 1), c(0.7, 3), c(1 / 3, 3.14159265358979), c(2, 1e6), c(25, 0.5), c(1e-6, 1), c(123.456, 7.89)
  )
  for (case in levels) {
    options <- c("--precision", format(case[2], digits = 15), "--id", "who", "--na", "keep")
    x <- released(csv, options, epsilon = case[1])
    by_r <- privatize(y, as.numeric(format(case[1], digits = 15)), precision = case[2], na = "keep")
    expect_identical(privacy(x), privacy(by_r))
    expect_identical(fields_of(x)[c("s", "t")], fields_of(by_r)[c("s", "t")])
    expect_identical(dimnames(x), dimnames(y))
    expect_identical(is.na(as.matrix(x)), is.na(y))
  }
})

test_that("the file is the same, line by line, as that of write_release()", {
  csv <- csv_of("a,b\n1,2147483647\n3,4\n")
  levels <- list(c("1", "1"), c("0.7", "3"), c("0.001", "2.5"), c("9.123456789", "1234567"), c("30", "0.25"),
    c("1e299", "1e299"), c("3e20", "1e15")
  )
  for (case in levels) {
    files <- c(tempfile(), tempfile())
    expect_identical(run_client("--epsilon", case[1], "--precision", case[2], csv, files[1])$status, 0L)
    write_release(read_release(files[1]), files[2])
    expect_identical(readLines(files[1]), readLines(files[2]))
  }
})

test_that("CSV files of all systems are read", {
  # the noise is 0, except with probability 1e-17
  counts <- function(...) as.vector(as.matrix(released(..., epsilon = 40)))
  expect_identical(counts("\ufeffa,b\n1,2\n3,4"), c(1L, 3L, 2L, 4L))
  expect_identical(counts("a;b\r1;2\r\r", "--separator", ";"), 1:2)
  expect_identical(counts("a\tb\n 1 \t\"2\"\n\n", "--separator", "tab"), 1:2)
  expect_identical(counts("\"a\"\n0007\n"), 7L)
  expect_identical(counts("a,b\n1,2\n\n \t\r\n\n"), 1:2)
  # a separator alone is a record, whose counts are missing
  expect_identical(counts("a\tb\n1\t2\n\t\n\n", "--separator", "tab", "--na", "keep"), c(1L, NA, 2L, NA))
})

test_that("wrong files are refused with a clear message, and no count is shown", {
  refused <- expect_client_refuses
  refused("", "is empty")
  refused("a,b\n", "has no rows")
  refused("a,a\n1,2\n", "several columns have the same name, 'a'")
  refused("a,\n1,2\n", "must have a name")
  refused("a,b\n1\n", "line 2: it has 1 of 2 fields")
  refused("a,b\n1,2\n1,2,3\n", "line 3: it has more fields")
  refused("a\n\"1\n", "a quote is not closed")
  refused("a\n\"1\"2\n", "text follows a closing quote")
  refused(as.raw(c(0x61, 0x0a, 0x31, 0xff)), "UTF-8")
  refused(as.raw(c(0x61, 0x0a, 0x31, 0x00, 0x0a)), "UTF-8")
  refused("a,b\n1,\n", "column 'b' has a missing count. To release missing counts as missing, use --na keep")
  refused("a,b\n1,NA\n", "missing count")
  refused("a\n2147483648\n", "above 2^31 - 1")
  refused("user_id,a\n1,2\n", "use --id 'user_id'")
  refused("a,b\n1,2\n", "has no column 'c'", "--id", "c")
  says <- c("a negative value", "not a whole number", "not a number", "not a whole number")
  for (i in 1:4) {
    text <- refused(paste0("a\n", c("-481516", "4815.16", "4815x16", "4815e16")[i], "\n"), says[i])
    expect_false(grepl("4815", text))
  }
})

test_that("a first line that could be the counts of a record is refused, and no message shows it", {
  say <- "the first line must have the names of the columns, but has no letters"
  first_lines <- c("4815,0", "3,3,4815", "4815", "1,NA", "1,2,4", "0,1", "3,.,4815", "<5,4815", "\"4,815\",-")
  for (line in first_lines) {
    expect_false(grepl("4,?815", expect_client_refuses(paste0(line, "\n1,2,3\n"), say)))
  }
  expect_client_refuses("who,0,4815\na,1,2\n", say, "--id", "who")
  expect_identical(dimnames(released("7,\u00e9\n1,2\n")), list(NULL, c("7", "\u00e9")))
  text <- expect_client_refuses("a,4815,4815\n1,2,3\n", "several columns have the same name.")
  expect_false(grepl("4815", text))
  text <- expect_client_refuses("a,4815\n1,-3\n", "column 2 has a negative value")
  expect_false(grepl("4815", text))
})

test_that("the counts are never overwritten, however the file is named", {
  csv <- csv_of("a\n1\n2\n")
  before <- readLines(csv)
  linked <- tempfile()
  hard <- tempfile()
  file.symlink(csv, linked)
  file.link(csv, hard)
  for (to in c(csv, file.path(dirname(csv), ".", basename(csv)), linked, hard)) {
    done <- run_client("--epsilon", "1", "--overwrite", csv, to)
    expect_identical(done$status, 2L)
    expect_match(done$text, "must be another file", fixed = TRUE)
  }
  expect_identical(readLines(csv), before)
})

test_that("an old release is replaced only on request, whatever it is", {
  csv <- csv_of("a\n1\n2\n")
  nowhere <- tempfile()
  file.symlink(tempfile(), nowhere)
  unreadable <- tempfile()
  writeLines("old", unreadable)
  Sys.chmod(unreadable, "000")
  for (to in c(nowhere, unreadable, tempdir())) {
    done <- run_client("--epsilon", "1", csv, to)
    expect_identical(done$status, 1L)
    expect_match(done$text, "exists. A second release", fixed = TRUE)
  }
  pipe <- tempfile()
  expect_identical(system2("mkfifo", pipe), 0L)
  for (to in c(pipe, tempdir())) {
    done <- run_client("--epsilon", "1", "--overwrite", csv, to)
    expect_identical(done$status, 1L)
    expect_match(done$text, "is not a file that can be replaced", fixed = TRUE)
  }
  expect_identical(run_client("--epsilon", "1", "--overwrite", csv, unreadable)$status, 0L)
  expect_s3_class(read_release(unreadable), "private_counts")
})

test_that("files beside the release are left alone, and a signal leaves nothing behind", {
  folder <- tempfile()
  dir.create(folder)
  out <- file.path(folder, "release.txt")
  kept <- paste0(out, ".unfinished")
  writeLines("mine", kept)
  expect_identical(run_client("--epsilon", "1", csv_of("a\n1\n"), out)$status, 0L)
  expect_identical(readLines(kept), "mine")
  expect_setequal(list.files(folder), c("release.txt", "release.txt.unfinished"))
  # a limit on the size of files ends the program by a signal while it writes
  csv <- csv_of(paste0(c("a,b,c", rep("1,2,3", 1e5)), "\n", collapse = ""))
  limited <- sprintf("ulimit -f 100; %s --epsilon 1 %s %s", client(), csv, file.path(folder, "large.txt"))
  expect_gt(suppressWarnings(system2("sh", c("-c", shQuote(limited)), stdout = FALSE, stderr = FALSE)), 0)
  expect_setequal(list.files(folder), c("release.txt", "release.txt.unfinished"))
})

test_that("wrong options are refused", {
  wrong <- function(say, ..., status = 2L) {
    done <- run_client(...)
    expect_identical(done$status, status)
    expect_match(done$text, say, fixed = TRUE)
  }
  csv <- csv_of("a\n1\n")
  out <- tempfile()
  wrong("--epsilon must be given", csv, out)
  wrong("must be a positive number", "--epsilon", "-1", csv, out)
  wrong("must be a positive number", "--epsilon", "nan", csv, out)
  wrong("at least 1e-06", "--epsilon", "1e-9", csv, out)
  wrong("There is no option '--seed'", "--seed", "1", csv, out)
  wrong("followed by its value", csv, out, "--epsilon")
  wrong("name of the CSV file and that of the release", "--epsilon", "1", csv)
  wrong("Too many", "--epsilon", "1", csv, out, "x")
  wrong("--na must be", "--epsilon", "1", "--na", "drop", csv, out)
  wrong("--separator must be", "--epsilon", "1", "--separator", "|", csv, out)
  wrong("must be another file", "--epsilon", "1", csv, csv)
  wrong("No such file", "--epsilon", "1", tempfile(), out, status = 1L)
  wrong("cannot be written", "--epsilon", "1", csv, file.path(tempfile(), "x"), status = 1L)
  expect_false(file.exists(out))
  expect_identical(run_client("--epsilon", "1", csv, out)$status, 0L)
  wrong("would spend epsilon twice", "--epsilon", "1", csv, out, status = 1L)
  expect_identical(run_client("--epsilon", "1", "--overwrite", csv, out)$status, 0L)
  help <- run_client("--help")
  expect_identical(help$status, 0L)
  expect_match(help$text, "^Usage: ldp-privatize --epsilon E")
})

test_that("without random bits from the system, nothing is released", {
  out <- tempfile()
  tape <- tempfile()
  writeBin(raw(3), tape)
  done <- run_client("--epsilon", "0.1", csv_of("a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"), out, tape = tape)
  expect_identical(done$status, 3L)
  expect_match(done$text, "gave no random bits")
  expect_false(file.exists(out))
})

# --- the noise ------------------------------------------------------------------------------------

# Noise of n counts of zero, one column.
client_noise <- function(n, epsilon, precision, tape = "", count = 0) {
  out <- tempfile()
  csv <- csv_of(paste0("a\n", paste(rep(format(count), n), collapse = "\n"), "\n"))
  done <- run_client("--epsilon", epsilon, "--precision", precision, csv, out, tape = tape)
  expect_identical(done$status, 0L)
  as.vector(as.matrix(read_release(out)))
}

test_that("a long tape gives the same noise as in C and in JavaScript", {
  set.seed(261)
  tape <- tempfile()
  writeBin(as.raw(sample(0:255, 4e5, replace = TRUE)), tape)
  program <- compile_tapes()
  for (case in some_of(list(c(2, 3), c(1, 1), c(693, 1000), c(3, 10)), 2)) {
    in_c <- run_lines(program, c("row", case), tape)
    tau <- as.integer(sub(" .*", "", in_c))
    expect_gt(length(tau), 5e4)
    expect_identical(client_noise(length(tau), case[1], case[2], tape), tau)
    if (nzchar(Sys.which("node"))) expect_identical(tapes_js("row", as.character(case), input = tape), in_c)
  }
})

# Every tape of 12 bits that is one complete draw, one after the other.
test_that("all short tapes, one after the other, give the same noise in all three programs", {
  skip_without_node()
  program <- compile_tapes()
  depth <- 12
  bits <- as.matrix(expand.grid(rep(list(0:1), depth)))[, depth:1]
  pack <- function(bits) packBits(as.integer(c(bits, integer(-length(bits) %% 8))), "raw")
  for (case in list(c(1, 1), c(1, 2), c(2, 3), c(3, 10))) {
    file <- tempfile()
    writeBin(as.vector(apply(cbind(bits, matrix(0L, nrow(bits), 16 - depth)), 1, pack)), file)
    draws <- run_lines(program, c("tapes", case, 2), file)
    used <- suppressWarnings(as.integer(sub(".* ", "", draws)))
    whole <- which(!is.na(used) & used <= depth)
    # each prefix once
    prefix <- vapply(whole, function(i) paste(bits[i, seq_len(used[i])], collapse = ""), "")
    first <- whole[!duplicated(prefix)]
    expect_gt(length(first), 20)
    tape <- tempfile()
    writeBin(pack(unlist(lapply(first, function(i) bits[i, seq_len(used[i])]))), tape)
    tau <- as.integer(sub(" .*", "", draws[first]))
    expect_identical(client_noise(length(tau), case[1], case[2], tape), tau)
    in_js <- tapes_js("row", as.character(case), input = tape)
    expect_identical(as.integer(sub(" .*", "", in_js))[seq_along(tau)], tau)
  }
})

test_that("the noise of the client has the two-sided geometric distribution, and costs epsilon", {
  n <- 2e5
  for (case in list(c(1, 1), c(2, 3), c(0.3, 1))) {
    tau <- client_noise(n, case[1], case[2])
    alpha <- exp(-case[1] / case[2])
    probabilities <- (1 - alpha) / (1 + alpha) * alpha^c(0, rep(1:200, each = 2))
    expect_gt(law_p_value(2 * abs(tau) - (tau > 0), probabilities, n / 200), ERROR_RATE)
  }
  level <- ERROR_RATE / 2
  lower <- function(x) stats::qbeta(level / 2, x, n - x + 1)
  upper <- function(x) stats::qbeta(1 - level / 2, x + 1, n - x)
  near <- sum(client_noise(n, 0.7, 3) <= 0)
  far <- sum(client_noise(n, 0.7, 3, count = 3) <= 0)
  expect_lte(log(lower(near) / upper(far)), 0.7)
  expect_gte(log(upper(near) / lower(far)), 0.7)
})
