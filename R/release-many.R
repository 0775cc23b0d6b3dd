# Puts the release files of many people together: rows are aligned by the names of items, and files that
# cannot be used are set aside and reported.

#' Read the release files of many participants
#'
#' Puts many release files together, each with the counts of one participant or a few. Columns are aligned by
#' their names (the items), rows keep their noise levels, and files that cannot be used are set aside and
#' reported in one message.
#'
#' @param files Names of files in the format of [write_release()], or one folder. All files of a folder are
#'   read, in alphabetical order, except hidden ones and those in folders inside it.
#' @param ... Must be empty.
#' @param items The items of the study, in the order of the columns. If `NULL`, they are the items of most
#'   files, in the order of the first of these files.
#' @param participants Labels of all who were asked. If given, the result has only participants in this list.
#'   Those who are missing are reported, and so are files of people who are not in the list.
#' @param complete If `TRUE`, the result has one row per element of `participants`, in this order. The rows of
#'   missing participants are masked. If `FALSE`, it has only the rows that were read, in the order of the
#'   files.
#' @param network If `TRUE`, the items are the actors of a network, and the rows are put into the order of the
#'   columns. The rows of missing senders are masked.
#' @return A [private_counts()] with one row per participant and one column per item. It has two further
#'   attributes. `attr(x, "problems")` is a data frame with one row per file that was set aside, and the
#'   columns `file` and `problem` (what is wrong with it). `attr(x, "missing")` has the labels of missing
#'   participants (`NULL` if `participants` were not given).
#' @details The label of a participant is the row name in the file. If a file has none, the label is the name
#' of the file without its extension (if it has several rows, followed by `-1`, `-2` and so on).
#'
#' *Items.* A file may list the items in any order. Items that it does not have are masked (`NA`). A file with
#' an item that is not in the study is set aside: counts of other items may come from another study, or from
#' another version of the questionnaire. To use such files too, give all items in `items`. If no file has
#' names of items, all must have the same number of columns, and `items` may name them.
#'
#' *Participants with several files.* The first file is used, and the others are set aside. Do not choose
#' between them by their counts, and do not average them. Each further release of the same counts reveals more
#' about the participant: the privacy losses add up ([privacy_loss()]), so a mean of two releases at
#' `epsilon = 1` has the loss `epsilon = 2`. The noise of a mean is not geometric, either.
#'
#' *Networks.* With `network = TRUE`, the file of a sender may or may not have a count for the sender. This
#' cell is on the diagonal, which is not data: [block_model()] leaves it out. If `items` is `NULL`, the actors
#' are the items of a file and its sender.
#'
#' The noise level of a masked row has no effect on any result. It is that of the first row that was read.
#' @section Messages and errors: Files that are set aside, missing participants and masked items are reported
#'   in one message of class `ldpcounts_set_aside`. An error of class `ldpcounts_error` is thrown if an
#'   argument is wrong. If no file can be used, an error of class `ldpcounts_file_error` is thrown.
#' @seealso [read_release()] for one file, [release_shards()] for files that do not fit in memory.
#' @examples
#' folder <- file.path(tempdir(), "releases")
#' dir.create(folder)
#' y <- matrix(c(3, 0, 1, 0, 0, 2), 2, dimnames = list(c("ann", "bob"), c("work", "family", "sport")))
#' write_release(privatize(y[1, , drop = FALSE], epsilon = 1), file.path(folder, "ann.txt"))
#' write_release(privatize(y[2, , drop = FALSE], epsilon = 2), file.path(folder, "bob.txt"))
#' writeLines("not a release", file.path(folder, "notes.txt"))
#' x <- read_releases(folder, participants = c("ann", "bob", "eve"), complete = TRUE)
#' x
#' attr(x, "problems")
#' attr(x, "missing")
#' @export
read_releases <- function(files, ..., items = NULL, participants = NULL, complete = FALSE, network = FALSE) {
  check_no_dots(...)
  files <- check_many_files(files)
  check_each(check_flag, c("complete", "network"))
  if (!is.null(items)) items <- check_names(items, "items")
  if (!is.null(participants)) participants <- check_names(participants, "participants")
  check_that(!complete || !is.null(participants), "{.code complete = TRUE} needs {.arg participants}.")
  check_that(!network || is.null(participants), c(
    "With {.code network = TRUE}, {.arg participants} must not be given.",
    i = "The participants are the actors in the columns; {.arg items} can name them."
  ))
  read <- read_each(files)
  combine_releases(read$releases, printable(files), read$problems, items, participants, complete, network)
}

# The names of the files, in the order in which they are read.
check_many_files <- function(files, call = rlang::caller_env()) {
  check_given(missing(files), "files", call)
  if (!is.character(files) || length(files) == 0 || anyNA(files)) {
    abort_argument(files, "files", "names of files, or the name of one folder", call)
  }
  if (length(files) > 1 || !dir.exists(files)) {
    return(as.character(files))
  }
  inside <- sort_text(list.files(files, full.names = TRUE))
  inside <- inside[!dir.exists(inside)]
  check_that(length(inside) > 0, "There are no files in the folder {.file {files}}.", call,
    class = "ldpcounts_file_error"
  )
  inside
}

# The releases in these files (NULL if damaged), and what is wrong with each file (NA if nothing is).
read_each <- function(files) {
  quick <- quick_reader()
  problems <- rep(NA_character_, length(files))
  releases <- vector("list", length(files))
  for (i in seq_along(files)) {
    found <- quick(files[i])
    if (is.null(found)) found <- read_or_explain(files[i])
    if (is.character(found)) problems[i] <- found else releases[[i]] <- found
  }
  list(releases = releases, problems = problems)
}

# The release, or the reason why the file cannot be read, as text.
read_or_explain <- function(file) {
  tryCatch({
    if (dir.exists(file)) {
      return("is a folder")
    }
    if (!file.exists(file)) {
      return("there is no such file")
    }
    read_release(file)
  }, error = function(failure) {
    reason <- failure$body["x"]
    if (is.null(failure$body) || is.na(reason)) reason <- conditionMessage(failure)
    sub("^It ", "", sub("[.]$", "", cli::ansi_strip(unname(reason))))
  })
}
