#!/bin/sh
# Builds the vignettes with the installed package, and puts them where every later R CMD INSTALL finds them: the pages
# in inst/doc, their index in build/vignette.rds. Run in the package's root, after make install.
set -eu
if ! Rscript --vanilla -e 'quit(status = as.integer(!rmarkdown::pandoc_available()))' >/dev/null 2>&1; then
  echo "vignettes: not built, because pandoc or package rmarkdown is missing. Install it, then run: make vignettes"
  exit 0
fi
echo "vignettes: building, which takes about two minutes (once)"
root=$(pwd)
stage=$root/build/vignettes
rm -rf "$stage"
mkdir -p "$stage"
cp vignettes/*.* "$stage"
cd "$stage"
# Two at a time, each in an R session of its own, as R CMD build does. Those that take longest come first, so that
# neither core waits at the end.
longest="ldpcounts.Rmd gibbs-or-variational.Rmd running-a-study.Rmd topics-from-private-documents.Rmd
  communities-in-a-private-network.Rmd"
printf '%s\n' $longest *.Rmd | awk '!seen[$0]++' | xargs -n 1 -P 2 Rscript --vanilla -e \
  'tools::buildVignette(commandArgs(TRUE), tangle = FALSE, clean = FALSE)' >build.log 2>&1 || { cat build.log; exit 1; }
# The index has the columns of the index that R CMD build makes.
Rscript --vanilla -e '
  about <- do.call(rbind, lapply(Sys.glob("*.Rmd"), tools::vignetteInfo))
  index <- data.frame(File = unlist(about[, "file"]), Title = unlist(about[, "title"]))
  index$PDF <- sub("Rmd$", "html", index$File)
  index$R <- ""
  index[c("Depends", "Keywords")] <- list(unname(about[, "depends"]), unname(about[, "keywords"]))
  saveRDS(index, "vignette.rds")'
rm -rf "$root/inst/doc"
mkdir "$root/inst/doc"
mv ./*.Rmd ./*.html "$root/inst/doc"
mv vignette.rds "$root/build/vignette.rds"
