#!/bin/sh
# Other platforms: all of src/ compiles for Windows, without a warning, and the client runs there and writes a file
# that R reads; the kernels compile with clang and with musl's C library. With "s390x", instead: the tests of the C
# code on a machine whose integers begin with the highest byte. Run in the package's root, after make install.
set -eu
build=build/platforms
warnings="-Wall -Wextra -pedantic -Wconversion -Wshadow -Wstrict-prototypes -Werror"
jobs=$(getconf _NPROCESSORS_ONLN)
mkdir -p "$build"

# Compiles each file of src/ that a pattern names. Usage: compile NAME PATTERN COMPILER FLAG...
compile() {
  name=$1
  pattern=$2
  shift 2
  mkdir -p "$build/$name"
  # shellcheck disable=SC2086 # a pattern, to be expanded
  ls src/$pattern | xargs -P "$jobs" -I{} sh -c \
    'file=$1; to=$2; shift 2; "$@" -c "$file" -o "$to/$(basename "$file").o"' sh {} "$build/$name" "$@"
  # shellcheck disable=SC2086
  echo "$name: $(ls src/$pattern | wc -l) files compiled without a warning"
}

# Links what Windows would load, with the libraries of Makevars.win. What R exports is taken from R here.
link_dll() {
  libs=$(sed -n 's/^PKG_LIBS = *//p' src/Makevars.win | sed 's/\$(SHLIB_OPENMP_CFLAGS)/-fopenmp/')
  exports=$(Rscript --vanilla -e 'cat(R.home("lib"))')/libR.so
  { echo EXPORTS; nm -D --defined-only "$exports" | awk '$2 ~ /[TDBR]/ { print $3 ($2 == "T" ? "" : " DATA") }'; } \
    >"$build/R.def"
  x86_64-w64-mingw32-dlltool -d "$build/R.def" -D R.dll -l "$build/libR.dll.a"
  # shellcheck disable=SC2086 # words, to be split
  x86_64-w64-mingw32-gcc -shared "$build"/Windows/*.o -L"$build" -lR $libs -o "$build/ldpcounts.dll"
}

windows() {
  compiler="x86_64-w64-mingw32-gcc -std=gnu11 -O2 -D__USE_MINGW_ANSI_STDIO=1 $warnings"
  # mingw's isfinite() and isnan() of a double mention a float
  # shellcheck disable=SC2086 # words, to be split
  compile "Windows" '*.c' $compiler -Wno-float-conversion "-I$(Rscript --vanilla -e 'cat(R.home("include"))')"
  link_dll
  make -s client CC="x86_64-w64-mingw32-gcc $warnings -Wno-float-conversion" OS=Windows_NT \
    CLIENT="$build/ldp-privatize.exe"
  printf 'calls,mails\n3,0\n1,7\n' >"$build/counts.csv"
  rm -f "$build/release.txt"
  export WINEDEBUG=-all WINEPREFIX="${TMPDIR:-/tmp}/ldpcounts-wine-$(id -u)"
  wine=$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)
  # at this epsilon the noise is 0, except with probability 1e-17
  client() {
    "$wine" "$build/ldp-privatize.exe" --epsilon 40 "$@" "$build/counts.csv" "$build/release.txt" >"$build/wine.log" 2>&1
  }
  client || { cat "$build/wine.log"; echo "Windows: the client fails"; exit 1; }
  if client; then
    echo "Windows: the client writes a second release without --overwrite"
    exit 1
  fi
  client --overwrite
  # another spelling of the file with the counts, as Windows compares names
  if "$wine" "$build/ldp-privatize.exe" --epsilon 1 --overwrite "$build/counts.csv" "$build/COUNTS.CSV" 2>/dev/null; then
    echo "Windows: the client overwrites the counts"
    exit 1
  fi
  grep -q '^calls,mails' "$build/counts.csv"
  [ -z "$(find "$build" -maxdepth 1 -name '*-unfinished')" ]
  Rscript --vanilla -e "x <- ldpcounts::read_release('$build/release.txt')
    stopifnot(identical(as.vector(as.matrix(x)), c(3L, 1L, 0L, 7L)), ldpcounts::privacy(x)[['rng']] == 'secure')"
  echo "Windows: the client runs, and R reads its release"
}

# Debian's packages for that machine, unpacked where only this test looks.
s390x() {
  root=$(pwd)/$build/s390x
  mkdir -p "$root/lists/partial" "$root/cache/archives/partial" "$root/debs"
  apt="apt-get -qq -o APT::Architecture=s390x -o APT::Architectures=s390x -o APT::Sandbox::User=root
    -o Dir::State::lists=$root/lists -o Dir::Cache=$root/cache"
  if [ ! -f "$root/usr/lib/libRmath.a" ]; then
    # shellcheck disable=SC2086 # words, to be split
    (cd "$root/debs" && $apt update && $apt download r-mathlib)
    dpkg -x "$root"/debs/r-mathlib_*.deb "$root"
    rm -f "$root"/usr/lib/libRmath.so* # so that programs are linked with the archive
  fi
  make -s -C tests/c test BUILD="$root/tests" SANITIZERS=-O2 \
    CC="s390x-linux-gnu-gcc -DCOMPUTING_SECONDS=3000 -I$root/usr/include -L$root/usr/lib" AR=s390x-linux-gnu-ar \
    RUN="qemu-s390x -L /usr/s390x-linux-gnu"
}

if [ "${1:-}" = s390x ]; then
  s390x
else
  windows
  # shellcheck disable=SC2086 # words, to be split
  compile "clang" 'ldp_*.c' clang -std=gnu11 -O2 $warnings -DMATHLIB_STANDALONE
  # musl has its own headers, but not Rmath's
  mkdir -p "$build/include"
  cp "$(echo '#include <Rmath.h>' | cc -DMATHLIB_STANDALONE -E - | sed -n 's/^# 1 "\(.*Rmath\.h\)".*/\1/p' | head -n 1)" "$build/include/"
  # shellcheck disable=SC2086
  compile "musl" 'ldp_*.c' musl-gcc -std=gnu11 -O2 $warnings -DMATHLIB_STANDALONE "-I$build/include"
fi
