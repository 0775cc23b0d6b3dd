# What the fuzzers share. Run each in the package's root, after make install:
#
#   Rscript --vanilla tests/fuzz/calls.R [cases [seed [seconds]]]
#
# Case i is made from the seed `seed + i - 1` alone: a failure names that number, and
# `calls.R 1 <number>` runs it again. Cases run in forked processes, so that a crash ends one of these
# only. The answer of a case is one of
#
#   value       the call returned
#   refusal     an error of class ldpcounts_error
#   R's own     an error that R makes before our code runs, see is_of_r()
#   raw         any other error: our code met what it should have refused
#   crash       the process ended
#   slow        more than five seconds of processor time
#
# The exit status is 1 where there is a raw error (except for edited fits, of which only the class, the
# version and the size are checked), a crash or a slow case. No case may take gigabytes: an allocation that
# R_MAX_VSIZE, `ulimit -v` or the address sanitizer does not let pass (tools/fuzz.sh sets them) is a raw
# error.

suppressPackageStartupMessages(library(ldpcounts))

SECONDS_MOST <- 5 # of processor time
WALL_MOST <- 60 # seconds without an answer, on a busy machine
BATCH <- 250L # cases per process

# R matches arguments and finds methods before a function of ours begins; it has no class for that.
is_of_r <- function(failure) {
  text <- conditionMessage(failure)
  any(startsWith(text, c(
    "unused argument", "no applicable method", "formal argument", "argument is missing",
    "unable to find an inherited method"
  ))) || grepl("^argument \".*\" is missing, with no default$", text)
}

# Making the text of an error costs more than all else that a case does, and it is made three times.
light_errors <- function() {
  registerS3method("conditionMessage", "rlang_error", function(c) paste(c$message, collapse = " "),
    envir = asNamespace("base")
  )
}

answer_of <- function(code) {
  tryCatch(
    {
      suppressWarnings(suppressMessages(code()))
      "value"
    },
    ldpcounts_error = function(failure) paste0("refusal\t", class(failure)[1]),
    error = function(failure) {
      call <- paste(deparse(conditionCall(failure))[1], collapse = "")
      kind <- if (is_of_r(failure)) "R's own" else "raw"
      text <- substr(paste0(conditionMessage(failure), " [", call, "]"), 1, 300)
      paste0(kind, "\t", gsub("[\t\n]+", " ", text))
    }
  )
}

# In the child: a line when a case begins, and one when it has ended.
run_batch <- function(make, seeds, log) {
  out <- file(log, "a")
  sink(nullfile())
  light_errors()
  grDevices::pdf(NULL)
  for (seed in seeds) {
    cat("begin\t", seed, "\n", file = out, sep = "")
    flush(out)
    set.seed(seed)
    case <- make()
    began <- sum(proc.time()[1:2])
    answer <- answer_of(case$run)
    took <- sum(proc.time()[1:2]) - began
    cat("end\t", seed, "\t", format(took), "\t", answer, "\n", file = out, sep = "")
    flush(out)
  }
}

describe_case <- function(make, seed) {
  set.seed(seed)
  make()$what
}

# Runs seeds in one child until it is done, dies, or gives no answer: a data frame of those that were
# begun.
run_child <- function(make, seeds) {
  log <- tempfile()
  file.create(log)
  child <- parallel::mcparallel(run_batch(make, seeds, log), silent = TRUE)
  lines <- character()
  since <- proc.time()[["elapsed"]]
  ended <- "crash"
  repeat {
    done <- parallel::mccollect(child, wait = FALSE, timeout = 0.05)
    now <- readLines(log, warn = FALSE)
    if (length(now) > length(lines)) since <- proc.time()[["elapsed"]]
    lines <- now
    if (!is.null(done)) break
    if (proc.time()[["elapsed"]] - since > WALL_MOST) {
      tools::pskill(child$pid, tools::SIGKILL)
      parallel::mccollect(child)
      ended <- "slow"
      break
    }
  }
  parts <- strsplit(lines, "\t", fixed = TRUE)
  begun <- as.integer(vapply(Filter(function(x) x[1] == "begin", parts), `[`, "", 2))
  ends <- Filter(function(x) x[1] == "end", parts)
  found <- data.frame(
    seed = as.integer(vapply(ends, `[`, "", 2)), seconds = as.double(vapply(ends, `[`, "", 3)),
    answer = vapply(ends, `[`, "", 4), detail = vapply(ends, `[`, "", 5)
  )
  found$answer[found$seconds > SECONDS_MOST] <- "slow"
  lost <- setdiff(begun, found$seed)
  if (length(lost) > 0) {
    found <- rbind(found, data.frame(seed = lost, seconds = NA, answer = ended, detail = NA))
  }
  found
}

# `make()`: a case from R's random numbers, as list(what =, run = function()). `bad`: the answers that fail.
fuzz <- function(make, cases = 1000, arguments = commandArgs(TRUE), bad = c("raw", "crash", "slow")) {
  given <- as.double(arguments)
  cases <- if (length(given) > 0) given[1] else cases
  seed <- if (length(given) > 1) given[2] else 1
  seconds <- if (length(given) > 2) given[3] else 600
  began <- proc.time()[["elapsed"]]
  left <- as.integer(seed + seq_len(cases) - 1)
  found <- NULL
  while (length(left) > 0 && proc.time()[["elapsed"]] - began < seconds) {
    batch <- run_child(make, utils::head(left, BATCH))
    for (i in which(batch$answer %in% bad)) {
      cat(sprintf("%s: seed %d: %s\n    %s\n",
        batch$answer[i], batch$seed[i], describe_case(make, batch$seed[i]), batch$detail[i]
      ))
    }
    found <- rbind(found, batch)
    left <- setdiff(left, batch$seed)
  }
  report(found, length(left), cases == 1, make, bad)
  quit(status = as.integer(any(found$answer %in% bad)))
}

report <- function(found, left, alone, make, bad) {
  if (alone) cat(describe_case(make, found$seed), ":", found$answer, found$detail, "\n")
  cat("\nanswers:\n")
  print(table(found$answer))
  refused <- found$answer == "refusal"
  if (any(refused)) {
    cat("\nrefusals by class:\n")
    print(sort(table(found$detail[refused]), decreasing = TRUE))
  }
  slowest <- found[which.max(found$seconds), ]
  if (nrow(slowest) > 0) {
    what <- describe_case(make, slowest$seed)
    cat(sprintf("\nslowest: %.2f s, seed %d: %s\n", slowest$seconds, slowest$seed, what))
  }
  failed <- sum(found$answer %in% bad)
  cat(nrow(found) - failed, "passed,", failed, "failed,", left, "skipped\n")
}

pick <- function(x) x[[sample.int(length(x), 1)]]

# Text for a report, on one line.
show_value <- function(x) {
  text <- tryCatch(deparse(x, width.cutoff = 100)[1], error = function(failure) class(x)[1])
  substr(text, 1, 80)
}
