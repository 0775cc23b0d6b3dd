#!/bin/sh
# The package under valgrind and under gctorture: nothing read that was not written, nothing written
# where it does not belong, nothing collected that is in use. Run in the package's root, after make
# deps. With a first argument, the R tests whose names match it run under valgrind too.
set -eu
mkdir -p build
command -v valgrind >/dev/null || { echo "memcheck: please install valgrind"; exit 1; }

# workers would run outside valgrind
export TESTTHAT_PARALLEL=false

library=build/memcheck
mkdir -p "$library"
echo 'CPPFLAGS = -DLDP_ONE_COPY' >build/memcheck.mk
R_MAKEVARS_USER=$PWD/build/memcheck.mk R CMD INSTALL --no-multiarch --no-docs --preclean -l "$library" . \
  >build/memcheck.log 2>&1 || { tail -n 30 build/memcheck.log; exit 1; }
export R_LIBS="$PWD/$library${R_LIBS:+:$R_LIBS}"

Rscript --vanilla tools/memcheck.R torture

# R's own string functions read words at a time, which valgrind takes for errors
under_valgrind() {
  R --vanilla --quiet -d "valgrind --tool=memcheck --leak-check=full --show-leak-kinds=definite" \
    "$@" >build/valgrind.log 2>&1 || { tail -n 50 build/valgrind.log; exit 1; }
  if grep -n 'ldpcounts\.so\|ldp_[a-z]*\.c\|rc_[a-z]*\.c' build/valgrind.log; then
    echo "memcheck: valgrind has complaints about our code (build/valgrind.log)"
    exit 1
  fi
  grep 'ERROR SUMMARY' build/valgrind.log
}

under_valgrind -f tools/memcheck.R
if [ $# -gt 0 ]; then
  # memory alone is judged: with valgrind's short long doubles a number that is read may differ in its
  # last digit
  echo "testthat::test_dir('tests/testthat', package = 'ldpcounts', load_package = 'installed', filter = '$1', stop_on_failure = FALSE)" \
    >build/memcheck-tests.R
  under_valgrind -f build/memcheck-tests.R
fi
echo "memcheck: clean"
