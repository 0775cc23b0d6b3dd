# Makes data/poliblog.rda and data/poliblog_rating.rda from the text files beside this script.
# Run in the package's root: Rscript data-raw/poliblog.R
# Source and terms: ?poliblog and LICENSE.note.

connection <- gzfile("data-raw/poliblog.mtx.gz", "r")
poliblog <- as.matrix(Matrix::readMM(connection))
close(connection)
storage.mode(poliblog) <- "integer"
colnames(poliblog) <- readLines("data-raw/poliblog_vocab.txt.gz")
rating <- read.csv("data-raw/poliblog_docs.csv.gz")$rating
poliblog_rating <- factor(rating, c(-100, 100), c("liberal", "conservative"))

stopifnot(
  nrow(poliblog) == length(poliblog_rating), !anyNA(poliblog_rating),
  anyDuplicated(colnames(poliblog)) == 0
)
save(poliblog, file = "data/poliblog.rda", compress = "xz", version = 2)
save(poliblog_rating, file = "data/poliblog_rating.rda", compress = "xz", version = 2)
