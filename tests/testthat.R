library(testthat)
library(ldpcounts)

# On CRAN, the files that may differ between platforms: the distributions, the noise, files of releases, and a fit of
# each model. All others are for `make test`, which takes some minutes.
quick <- paste(
  "bessel", "geometric", "laws", "neighbours", "privnbinom", "privpois", "skellam", "truecount", "twogeom",
  "privatize", "private_counts", "release_file", "read_release_lines", "gibbs", "fit", "robust", "tidy",
  sep = "|"
)
test_check("ldpcounts", filter = if (!identical(Sys.getenv("NOT_CRAN"), "true")) sprintf("^(%s)$", quick))
