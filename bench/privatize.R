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
