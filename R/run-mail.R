# Files for messages between the root and workers on the same computer, which src/rc_message.c writes and
# reads. Only large messages are written to files. A receiver reads a file before it answers, and the sender
# writes it again only after this answer, so that one file per sender and chain is enough.

# A new folder for these files, or NULL if a worker cannot use it. `call`: calls a function on all n workers.
open_mailbox <- function(call, n) {
  folder <- tempfile("messages")
  dir.create(folder, mode = "0700")
  here <- list(folder = folder, computer = Sys.info()[["nodename"]])
  if (all(unlist(call(shares_files, rep(list(here), n))))) {
    return(folder)
  }
  unlink(folder, recursive = TRUE)
  NULL
}

shares_files <- function(here) {
  identical(Sys.info()[["nodename"]], here$computer) && file.access(here$folder, mode = 2) == 0
}

# The names of the files for the messages of a sender about n chains. The root is sender 0.
mail_files <- function(mailbox, sender, n) {
  if (!is.null(mailbox)) file.path(mailbox, paste0(sender, "-", seq_len(n)))
}
