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
layout_problems <- function(folder) {
  files <- list.files(folder, "[.]R$", full.names = TRUE)
  floor <- match(sub("-.*", "", basename(files)), FLOORS)
  code_lines <- vapply(files, function(file) {
    sum(!grepl("^\\s*(#|$)", readLines(file, encoding = "UTF-8")))
  }, 0L)
  calls <- calls_between(files)
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
