# What a release costs: 1e6 cells from the operating system's entropy at epsilon/N of 1, against
# one rpois a cell. Other levels beside it, which need more bits a cell; medians of five, ratios
# within this run. Run in the package's root, after make install: Rscript bench/privatize.R

library(ldpcounts)

n_cells <- 1e6
y <- matrix(rpois(n_cells, 1), 1000)

seconds <- function(code) system.time(code, gcFirst = TRUE)[["elapsed"]]
median_of_five <- function(run) median(replicate(5, run()))

poisson <- median_of_five(function() seconds(rpois(n_cells, 1)))
cat(sprintf("%-34s %7.3f s\n", "rpois, one a cell", poisson))
for (epsilon in c(1, 3, 0.1, 0.3, 0.693)) {
  secure <- median_of_five(function() seconds(privatize(y, epsilon = epsilon)))
  bar <- if (epsilon == 1) "   (bar: under 5)" else ""
  cat(sprintf("%-34s %7.3f s   %6.2f times rpois%s\n",
    paste("secure release, epsilon/N of", epsilon), secure, secure / poisson, bar))
}
