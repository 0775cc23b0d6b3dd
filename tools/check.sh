#!/bin/sh
# R CMD check --as-cran of the package as it would be submitted, and the compiler's warnings,
# which must be none. Run in the package's root.
set -eu
root=$(pwd)
mkdir -p build/check
cd build/check
rm -rf ./*.tar.gz ./*.Rcheck

makevars=$(pwd)/Makevars
echo 'CFLAGS = -g -O2 -Wall -Wextra -pedantic -Wconversion -Wshadow -Wstrict-prototypes -Werror' >"$makevars"
mkdir -p library
for standard in gnu17 gnu2x; do
  echo "CC = gcc -std=$standard" >"$makevars.$standard"
  cat "$makevars" >>"$makevars.$standard"
  R_MAKEVARS_USER=$makevars.$standard R CMD INSTALL --preclean --no-docs -l library "$root" >install.log 2>&1 ||
    { cat install.log; echo "the compiler warns under -std=$standard"; exit 1; }
done
rm -f "$root"/src/*.o "$root"/src/*.so

echo '' >"$makevars"
export R_MAKEVARS_USER="$makevars"
export _R_CHECK_CRAN_INCOMING_=false _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_SYSTEM_CLOCK_=0
R CMD build "$root"
# R CMD build has just run the code of the vignettes.
R CMD check --as-cran --no-manual --no-vignettes ldpcounts_*.tar.gz
grep -q '^Status: OK$' ldpcounts.Rcheck/00check.log
