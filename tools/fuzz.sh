#!/bin/sh
# The fuzzers of tests/fuzz. Run in the package's root.
#
#   tools/fuzz.sh plain     CASES SECONDS   the package that is installed
#   tools/fuzz.sh sanitized CASES SECONDS   one built under ASAN and UBSAN, in build/sanitized
#
# CASES: of release files; of calls and of fits a fifth each. None may take gigabytes.
set -eu
how=$1 cases=$2 seconds=$3

fuzz() {
  for script in release_files calls fits; do
    n=$cases
    test "$script" = release_files || n=$((cases / 5))
    echo "== $script"
    Rscript --vanilla "tests/fuzz/$script.R" "$n" 1 "$seconds"
  done
}

export R_MAX_VSIZE=4Gb
if [ "$how" = plain ]; then
  ulimit -v 16000000
  fuzz
  exit
fi

library=build/sanitized
mkdir -p "$library"
flags='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'
# what a sanitizer finds ends the process, which the fuzzers report as a crash
cat >build/sanitized.mk <<END
CFLAGS = -g -O1 $flags
LDFLAGS = $flags
END
# libasan comes before R, which was built without it; it would take all of R's memory for leaks
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
ASAN_OPTIONS=detect_leaks=0:max_allocation_size_mb=4000:allocator_may_return_null=1
UBSAN_OPTIONS=print_stacktrace=1
R_MAKEVARS_USER=$PWD/build/sanitized.mk R CMD INSTALL --no-multiarch --no-docs --no-test-load --preclean \
  -l "$library" . >build/sanitized.log 2>&1 || { tail -n 30 build/sanitized.log; exit 1; }
rm -f src/*.o src/*.so
export LD_PRELOAD ASAN_OPTIONS UBSAN_OPTIONS
R_LIBS=$library:${R_LIBS:-}
export R_LIBS
fuzz
