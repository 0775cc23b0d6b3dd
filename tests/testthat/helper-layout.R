# The floors of R/, from the lowest to the highest: the part of a file's name before the first "-". What
# they hold is in CONTRIBUTING.md.
FLOORS <- c(
  "util", "data", "release", "dist", "regress", "model", "run", "fit", "infer", "check", "report", "plot", "select",
  "central", "compare", "doc"
)
MOST_CODE_LINES <- 400

# What each file of a folder defines: a list of expressions, named by the objects.
definitions_in <- function(files) {
  definitions <- lapply(files, function(file) {
    code <- Filter(function(code) is.call(code) && identical(code[[1]], quote(`<-`)), as.list(parse(file)))
    stats::setNames(lapply(code, `[[`, 3), vapply(code, function(code) as.character(code[[2]]), ""))
  })
  stats::setNames(definitions, basename(files))
}

# All calls from one file to another: a data frame of `from`, `to`, and the files that they are in. An object
# that is used without being called counts too.
calls_between <- function(files) {
  definitions <- definitions_in(files)
  file_of <- rep(names(definitions), lengths(definitions))
  names(file_of) <- unlist(lapply(definitions, names))
  values <- unlist(unname(definitions), recursive = FALSE)
  calls <- lapply(names(values), function(name) {
    value <- values[[name]]
    is_function <- is.call(value) && identical(value[[1]], quote(`function`))
    used <- codetools::findGlobals(eval(if (is_function) value else call("function", NULL, value)))
    used <- intersect(used, names(file_of))
    data.frame(
      from = rep(name, length(used)), to = used, file = rep(file_of[[name]], length(used)),
      to_file = unname(file_of[used])
    )
  })
  calls <- do.call(rbind, calls)
  calls[calls$file != calls$to_file, ]
}

# Those of the calls within a floor that are part of a cycle of files: what is left when files that call no
# other, and files that no other calls, are taken away one after the other.
calls_in_cycles <- function(calls) {
  repeat {
    left <- calls$to_file %in% calls$file & calls$file %in% calls$to_file
    if (all(left)) {
      return(calls)
    }
    calls <- calls[left, ]
  }
}

# What breaks a rule of the layout in a folder of R files, a line each.
layout_problems <- function(folder, calls = calls_between(files)) {
  files <- list.files(folder, "[.]R$", full.names = TRUE)
  floor <- match(sub("-.*", "", basename(files)), FLOORS)
  code_lines <- vapply(files, function(file) {
    sum(!grepl("^\\s*(#|$)", readLines(file, encoding = "UTF-8")))
  }, 0L)
  names(floor) <- basename(files)
  rise <- floor[calls$to_file] - floor[calls$file]
  say <- function(calls, what) {
    sprintf("%s: %s() uses %s of %s, %s", calls$file, calls$from, calls$to, calls$to_file, what)
  }
  c(
    sprintf("%s: on no floor", basename(files)[is.na(floor)]),
    sprintf("%s: %d lines of code", basename(files), code_lines)[code_lines > MOST_CODE_LINES],
    say(calls[which(rise > 0), ], "a higher floor"),
    say(calls_in_cycles(calls[which(rise == 0), ]), "in a cycle of files")
  )
}

# --- size -----------------------------------------------------------------------------------------

MOST_FILES <- 90

# The number of files of a folder, and of their lines of code.
size_of_code <- function(folder) {
  files <- list.files(folder, "[.]R$", full.names = TRUE)
  lines <- unlist(lapply(files, readLines, encoding = "UTF-8"))
  c(files = length(files), lines = sum(!grepl("^\\s*(#|$)", lines)))
}

# --- frames ---------------------------------------------------------------------------------------

# Functions that read another function's frame, or change what is in it. caller_env() is allowed as the default of an
# argument that says which call an error names, or where its text is evaluated.
FRAME_READERS <- c(
  "parent.frame", "sys.function", "sys.frame", "sys.frames", "sys.call", "sys.calls", "sys.parent", "sys.parents",
  "sys.nframe", "sys.on.exit", "match.call", "caller_env", "caller_call", "caller_fn", "frame_call", "frame_fn",
  "current_fn", "formals<-", "body<-"
)
CALL_ARGUMENTS <- c("call", ".call", ".envir", "envir")

# Code without any of these names need not be looked through. all.names() does not see arguments of functions.
MAY_HAVE_READERS <- c(sub("<-$", "", FRAME_READERS), CALL_ARGUMENTS, "function")

# The file that may read frames: errors name the call that they are about.
MAY_READ_FRAMES <- "util-errors.R"

# The names of the functions in some code that read frames: those above, and functions that look into an argument
# `call` or `.envir`, which is a frame.
frame_readers_in <- function(code) {
  if (is.call(code) && !any(all.names(code) %in% MAY_HAVE_READERS)) return(character())
  parts <- if (is.call(code) || is.expression(code) || is.pairlist(code)) as.list(code)
  if (is.pairlist(code)) { # the arguments of a function, with their defaults
    is_own <- names(code) %in% CALL_ARGUMENTS & vapply(parts, is_caller_env, TRUE)
    parts <- parts[!is_own]
  }
  parts <- Filter(function(part) !identical(part, rlang::missing_arg()), parts)
  found <- if (is.symbol(code)) intersect(as.character(code), FRAME_READERS)
  if (is.call(code) && is.symbol(code[[1]])) {
    name <- as.character(code[[1]])
    if (name == "<-" && is.call(code[[2]])) found <- intersect(paste0(code[[2]][[1]], "<-"), FRAME_READERS)
    looks <- name %in% c("assign", "get", "get0", "mget", "exists", "eval", "evalq", "ls", "$", "[[")
    given <- if (name %in% c("$", "[[")) parts[2] else parts[-1]
    if (looks && any(vapply(given, is.symbol, TRUE) & as.character(given) %in% CALL_ARGUMENTS)) found <- name
  }
  unique(c(found, unlist(lapply(parts, frame_readers_in))))
}

is_caller_env <- function(code) is.call(code) && grepl("^(rlang::)?caller_env[(]", deparse(code)[1])

# What reads frames in a folder of R files, a line each.
frame_problems <- function(folder, except = character()) {
  files <- setdiff(list.files(folder, "[.]R$"), except)
  found <- lapply(files, function(file) {
    unique(frame_readers_in(parse(file.path(folder, file), keep.source = FALSE)))
  })
  sprintf("%s: %s()", rep(files, lengths(found)), unlist(found))
}
