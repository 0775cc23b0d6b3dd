# Installs missing dependencies: the packages in Imports, Suggests and Config/Needs/development of
# DESCRIPTION, and the programs that building and checking need (pandoc, qpdf, pngquant, R's
# mathematics as a library for the tests without R). Uses prebuilt packages if the platform
# has them, otherwise sources. Installed packages are not changed, so a second run installs nothing.
# Run in the package's root: Rscript tools/deps.R; or, for the packages of Config/Needs/lint only,
# Rscript tools/deps.R lint; or, for the programs in which the tests open a collection page, Rscript
# tools/deps.R test; or, for compilers for other platforms, Rscript tools/deps.R platforms.

say <- function(...) cat("deps: ", ..., "\n", sep = "")

description <- read.dcf("DESCRIPTION")[1, ]

wanted_packages <- function() {
  asked <- commandArgs(trailingOnly = TRUE)
  if (identical(asked, "test") || identical(asked, "platforms")) return(character())
  fields <- file.path("Config/Needs", asked)
  if (length(asked) == 0) fields <- c("Imports", "Suggests", "Config/Needs/development")
  entries <- trimws(unlist(strsplit(description[fields], ",")))
  sort(unique(sub("[ (].*", "", entries[nzchar(entries)])))
}

minimum_version <- function(package) {
  entries <- trimws(unlist(strsplit(unlist(description), ",")))
  entry <- grep(paste0("^", package, " *\\(>="), entries, value = TRUE)
  if (length(entry) == 0) "0" else sub(".*>= *([^)]*)\\).*", "\\1", entry[1])
}

has_package <- function(package) {
  version <- tryCatch(
    suppressWarnings(utils::packageVersion(package)),
    error = function(e) NULL
  )
  !is.null(version) && version >= minimum_version(package)
}

missing_packages <- function() Filter(Negate(has_package), wanted_packages())

# Can a C program be linked to a library?
has_library <- function(library, code) {
  source <- tempfile(fileext = ".c")
  program <- tempfile()
  writeLines(code, source)
  compiler <- Sys.getenv("CC", "cc")
  suppressWarnings(system2(compiler, c(source, "-o", program, paste0("-l", library), "-lm"),
    stdout = FALSE, stderr = FALSE
  )) == 0
}

has_rmath <- function() {
  has_library("Rmath", c(
    "#define MATHLIB_STANDALONE", "#include <Rmath.h>",
    "int main(void) { return dpois(1, 1, 0) > 1; }"
  ))
}

programs <- list(
  pandoc = function() nzchar(Sys.which("pandoc")),
  qpdf = function() nzchar(Sys.which("qpdf")),
  pngquant = function() nzchar(Sys.which("pngquant")),
  "r-mathlib" = has_rmath
)

test_programs <- list(
  nodejs = function() nzchar(Sys.which("node")),
  chromium = function() nzchar(Sys.which("chromium")),
  "chromium-driver" = function() nzchar(Sys.which("chromedriver"))
)

has_program <- function(name) nzchar(Sys.which(name))

# Compilers for other platforms, and what runs their programs here.
platform_programs <- list(
  "gcc-mingw-w64-x86-64" = function() has_program("x86_64-w64-mingw32-gcc"),
  wine64 = function() {
    has_program("wine64") || has_program("wine") || file.exists("/usr/lib/wine/wine64")
  },
  clang = function() has_program("clang"),
  "musl-tools" = function() has_program("musl-gcc"),
  "gcc-s390x-linux-gnu" = function() has_program("s390x-linux-gnu-gcc"),
  "libc6-dev-s390x-cross" = function() dir.exists("/usr/s390x-linux-gnu/include"),
  "qemu-user" = function() has_program("qemu-s390x")
)

missing_programs <- function() {
  asked <- commandArgs(trailingOnly = TRUE)
  wanted <- if (identical(asked, "test")) {
    test_programs
  } else if (identical(asked, "platforms")) {
    platform_programs
  } else {
    programs
  }
  names(Filter(function(found) !found(), wanted))
}

# Debian and its kin: only where R itself came from there, and only for who may install.
can_use_apt <- function() {
  is_root <- identical(tryCatch(system2("id", "-u", stdout = TRUE), error = function(e) ""), "0")
  from_dpkg <- nzchar(Sys.which("dpkg")) && nzchar(Sys.which("apt-get")) &&
    suppressWarnings(system2("dpkg", c("-S", file.path(R.home("bin"), "R")),
      stdout = FALSE, stderr = FALSE
    )) == 0
  is_root && from_dpkg
}

apt_install <- function(names) {
  Sys.setenv(DEBIAN_FRONTEND = "noninteractive")
  system2("apt-get", c("update", "-qq"))
  known <- Filter(function(name) {
    candidate <- system2("apt-cache", c("policy", name), stdout = TRUE, stderr = FALSE)
    any(grepl("Candidate: [^(]", candidate))
  }, names)
  if (length(known) > 0) {
    say("installing ", paste(known, collapse = ", "))
    system2("apt-get", c("install", "-qq", "-y", "--no-install-recommends", known),
      stdout = FALSE
    )
  }
}

# A library to which the user may write. It is created if necessary.
writable_library <- function() {
  for (library in .libPaths()) {
    if (file.access(library, 2) == 0) {
      return(library)
    }
  }
  own <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep)[[1]][1]
  dir.create(own, recursive = TRUE, showWarnings = FALSE)
  .libPaths(c(own, .libPaths()))
  own
}

source_install <- function(packages) {
  if (identical(unname(getOption("repos")["CRAN"]), "@CRAN@")) {
    utils::chooseCRANmirror(ind = 1, local.only = TRUE)
  }
  say("installing from CRAN: ", paste(packages, collapse = ", "))
  utils::install.packages(packages, lib = writable_library(), dependencies = NA)
}

main <- function() {
  writable_library() # R CMD INSTALL needs one too
  packages <- missing_packages()
  tools <- missing_programs()
  if (length(packages) + length(tools) == 0) {
    say("all dependencies are installed")
    return(invisible())
  }
  if (can_use_apt()) {
    apt_install(c(if (length(packages) > 0) paste0("r-cran-", tolower(packages)), tools))
  }
  packages <- missing_packages()
  if (length(packages) > 0) {
    source_install(packages)
  }
  tools <- missing_programs()
  if (length(tools) > 0) {
    say("please install by hand: ", paste(tools, collapse = ", "),
        " (without r-mathlib the tests of the C code are skipped, and without",
        " nodejs and chromium those of the collection page, and make platforms needs its compilers)")
  }
  if (length(missing_packages()) > 0) {
    say("could not install ", paste(missing_packages(), collapse = ", "))
    quit(status = 1)
  }
}

main()
