# Objects of earlier formats, which must still open. Each was made by the release that wrote that
# format, from the lines under its number; they cannot be made anew.

# Format 1 (versions up to 0.0.1 of November 2026)
if (FALSE) {
  library(ldpcounts)
  set.seed(1)
  y <- matrix(rpois(12, 2), 3, dimnames = list(c("a", "b", "c"), NULL))
  x <- privatize(y, c(1, 2, 1.5), precision = 2, rng = "R")
  is.na(x) <- cbind(1, 2)
  saveRDS(x, "private_counts-1.rds", version = 2)
  saveRDS(topic_model(x, k = 2, iter = 20), "topic_model-1.rds", version = 2)
  saveRDS(block_model(x[, 1:3], k = 2, iter = 20), "block_model-1.rds", version = 2)
}
