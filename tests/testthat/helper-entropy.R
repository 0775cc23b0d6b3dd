# The operating system as a source of random bytes that fails, or whose bytes are known: a library that is
# loaded before it, in an R session of its own.

# What each `code` says in a session whose system gives `left` bytes, each `byte`, and then fails. The system is
# told of each code by an environment variable, since R asks for random bytes on its own.
with_failing_system <- function(left, code, byte = "0x55") {
  skip_on_cran()
  skip_if_not(Sys.info()[["sysname"]] == "Linux", "a Linux system")
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  source <- file.path(folder, "system.c")
  writeLines(c(
    "#include <errno.h>", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>",
    "#include <sys/types.h>", "ssize_t getrandom(void *bytes, size_t n, unsigned flags) {",
    "  static size_t given;", "  static char last[64];", "  unsigned long left = 0;", "  int byte = 0x55;",
    "  const char *of = getenv(\"RANDOM_BYTES\");", "  (void)flags;",
    "  if (of) sscanf(of, \"%lu %i\", &left, &byte);", "  memset(bytes, byte, n);",
    "  if (!of) return (ssize_t)n;", "  if (strcmp(of, last) != 0) given = 0;",
    "  snprintf(last, sizeof last, \"%s\", of);", "  given += n;",
    "  if (given > left) { errno = EIO; return -1; }", "  return (ssize_t)n;", "}"
  ), source)
  compiler <- system2(file.path(R.home("bin"), "R"), c("CMD", "config", "CC"), stdout = TRUE)
  compiler <- strsplit(trimws(compiler), " ")[[1]]
  library <- file.path(folder, "system.so")
  built <- system2(compiler[1], c(compiler[-1], "-shared", "-fPIC", source, "-o", library))
  skip_if_not(built == 0, "a C compiler")
  script <- file.path(folder, "script.R")
  writeLines(c("library(ldpcounts)", sprintf(
    paste(
      "Sys.setenv(RANDOM_BYTES = \"%.0f %s %d\")",
      "tryCatch(%s, error = function(failure) cat(conditionMessage(failure)))",
      "Sys.unsetenv(\"RANDOM_BYTES\")", "cat(\"\\n----\\n\")",
      sep = "\n"
    ), left, byte, seq_along(code), code
  )), script)
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  output <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script),
    stdout = TRUE, stderr = FALSE,
    env = c(paste0("LD_PRELOAD=", Sys.getenv("LD_PRELOAD"), ":", library), paste0("R_LIBS=", libraries))
  )
  ends <- output == "----"
  of_code <- split(output[!ends], factor(cumsum(ends)[!ends], seq_along(code) - 1))
  vapply(unname(of_code), paste, "", collapse = "\n")
}
