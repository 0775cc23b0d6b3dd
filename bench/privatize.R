# What a release costs: 1e6 cells from the operating system's entropy at epsilon/N of 1, against
# one rpois a cell. Other levels beside it, which need more bits a cell; medians of five, the two
# in turn, so that what else the machine does slows down both.
# Run in the package's root, after make install: Rscript bench/privatize.R

library(ldpcounts)

n_cells <- 1e6
y <- matrix(rpois(n_cells, 1), 1000)

seconds <- function(code) system.time(code, gcFirst = TRUE)[["elapsed"]]

# Medians of five, c(poisson, release).
compare <- function(epsilon) {
  times <- replicate(5, c(
    seconds(rpois(n_cells, 1)), seconds(privatize(y, epsilon = epsilon))
  ))
  apply(times, 1, median)
}

for (epsilon in c(1, 3, 0.1, 0.3, 0.693)) {
  time <- compare(epsilon)
  bar <- if (epsilon == 1) "   (bar: under 5)" else ""
  cat(sprintf("epsilon/N %-6g release %.3f s   rpois %.3f s   ratio %.2f%s\n",
    epsilon, time[2], time[1], time[2] / time[1], bar))
}

# A clamped release of sparse counts: seconds a cell against the dense release of as many cells, and
# memory against its positive cells, as the table grows while they stay as many.
sparse <- function(rows) {
  Matrix::sparseMatrix(sample(rows, 1e5, TRUE), sample(2000, 1e5, TRUE), x = 1, dims = c(rows, 2000))
}
for (rows in c(500, 2000, 8000)) {
  x <- sparse(rows)
  cells <- prod(dim(x))
  time <- median(replicate(3, seconds(privatize(x, epsilon = 3, clamp = TRUE))))
  dense <- median(replicate(3, seconds(privatize(y, epsilon = 3))))
  invisible(gc(reset = TRUE))
  before <- sum(gc()[, 2])
  release <- privatize(x, epsilon = 3, clamp = TRUE)
  peak <- sum(gc()[, 6]) - before
  positive <- sum(as.matrix(release, sparse = TRUE) > 0)
  cat(sprintf(
    "clamped, %5.1e cells, %5.1e positive: time a cell / dense %.2f, peak %3.0f bytes a positive cell\n",
    cells, positive, (time / cells) / (dense / n_cells), peak * 2^20 / positive))
}
