#!/bin/sh
# Builds the vignettes and puts them where every later R CMD INSTALL finds them: the pages in inst/doc, their
# index in build/vignette.rds. Run in the package's root.
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
cd "$stage"
R_MAKEVARS_USER=/dev/null R CMD build "$root" >build.log 2>&1 || { cat build.log; exit 1; }
tar -xzf ldpcounts_*.tar.gz ldpcounts/inst/doc ldpcounts/build/vignette.rds
rm -rf "$root/inst/doc"
mv ldpcounts/inst/doc "$root/inst/doc"
touch ldpcounts/build/vignette.rds
mv ldpcounts/build/vignette.rds "$root/build/vignette.rds"
rm -rf ldpcounts ldpcounts_*.tar.gz
