#!/bin/sh
# Builds the vignettes with the installed package, and puts them where every later R CMD INSTALL finds them: the pages
# in inst/doc, their index in build/vignette.rds. Run in the package's root, after make install.
set -eu
if ! Rscript --vanilla -e 'quit(status = as.integer(!rmarkdown::pandoc_available()))' >/dev/null 2>&1; then
  echo "vignettes: not built, because pandoc or package rmarkdown is missing. Install it, then run: make vignettes"
  exit 0
fi
echo "vignettes: building, which takes about a minute and a half (once)"
root=$(pwd)
stage=$root/build/vignettes
rm -rf "$stage"
mkdir -p "$stage"
cp vignettes/*.* "$stage"
cd "$stage"
# Two R sessions build one vignette after the other: each loads packages once. Vignettes that take longest come first, so
# that neither core waits at the end.
Rscript --vanilla -e '
  local({
    longest <- c(
      "gibbs-or-variational", "ldpcounts", "running-a-study", "topics-from-private-documents",
      "communities-in-a-private-network", "paper", "protected-tables"
    )
    files <- unique(c(paste0(longest, ".Rmd"), Sys.glob("*.Rmd")))
    build <- function(file) {
      rm(list = ls(globalenv(), all.names = TRUE), envir = globalenv())
      RNGkind("default", "default", "default")
      tools::buildVignette(file, tangle = FALSE, clean = FALSE)
    }
    sessions <- parallel::makeCluster(2, outfile = "", rscript_args = "--vanilla")
    parallel::clusterApplyLB(sessions, files, build)
    parallel::stopCluster(sessions)
  })

  # The index has the columns of the index that R CMD build makes.
  about <- do.call(rbind, lapply(Sys.glob("*.Rmd"), tools::vignetteInfo))
  index <- data.frame(File = unlist(about[, "file"]), Title = unlist(about[, "title"]))
  index$PDF <- sub("Rmd$", "html", index$File)
  index$R <- ""
  index[c("Depends", "Keywords")] <- list(unname(about[, "depends"]), unname(about[, "keywords"]))
  saveRDS(index, "vignette.rds")' >build.log 2>&1 || { cat build.log; exit 1; }
rm -rf "$root/inst/doc"
mkdir "$root/inst/doc"
mv ./*.Rmd ./*.html "$root/inst/doc"
mv vignette.rds "$root/build/vignette.rds"
