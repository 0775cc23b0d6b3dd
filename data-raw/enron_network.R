# Makes data/enron_network.rda and data/enron_actors.rda from the text files beside this script.
# Run in the package's root: Rscript data-raw/enron_network.R
# Source, derivation and terms: ?enron_network and LICENSE.note.

read_counts <- function(file) {
  connection <- gzfile(file, "r")
  on.exit(close(connection))
  counts <- as.matrix(Matrix::readMM(connection))
  storage.mode(counts) <- "integer"
  counts
}

enron_network <- read_counts("data-raw/enron_network.mtx.gz")
enron_actors <- read.csv("data-raw/enron_network_actors.csv.gz")
dimnames(enron_network) <- list(enron_actors$address, enron_actors$address)

stopifnot(
  rowSums(enron_network) == enron_actors$sent,
  colSums(enron_network) == enron_actors$received,
  anyDuplicated(enron_actors$address) == 0
)
enron_actors <- enron_actors[c("address", "name", "note", "sent", "received")]
save(enron_network, file = "data/enron_network.rda", compress = "xz", version = 2)
save(enron_actors, file = "data/enron_actors.rda", compress = "xz", version = 2)
