# The wall between the kernels and R, and between the floors of the kernels.
# Usage: wall.sh SRC BUILD. Prints what breaks a rule, then "wall: N passed, N failed, ...".
#
#   1. An ldp_* file includes C99 headers, <Rmath.h>, and ldp_* headers of its own floor or
#      below; a file of floor 3 includes no other of that floor. A file on no floor is a failure.
#   2. What an ldp_* object needs from outside is another kernel, a function of C99 from the
#      list below, a function that Rmath.h declares, or the compiler's own.
#   3. R's generator is used by the functions that draw under set.seed() and by nothing else: what
#      is drawn within a sweep comes from a stream. An ldp_* object that calls a generator of Rmath,
#      opens a stream from R's generator, or calls a function of the package that does, is on the
#      list below.
#   4. Threads are started by ldp_team alone: no other file includes <omp.h>, has a pragma, or needs
#      a function of OpenMP.
#   5. An ldp_* object has no data that can change: threads would share it. (A kernel of a sweep is a
#      constant, but one that the loader fills in.)
#   6. A function with LDP_CLONES calls no static function that has no clone: it would run in narrow
#      registers. (Checked where the compiler makes clones.)
src=$1
build=$2/wall
passed=0
failed=0
skipped=0

FLOOR_0="ldp_entries ldp_math ldp_random ldp_secure ldp_packed ldp_debye ldp_poisson ldp_quantile ldp_digamma
ldp_lanes ldp_fetch ldp_rows ldp_small ldp_stream ldp_tally ldp_logs ldp_visitor ldp_team ldp_fixed ldp_bytes ldp_slice"
FLOOR_1="ldp_scale ldp_reflect ldp_bessel ldp_bessel_i ldp_privpois ldp_truecount ldp_skellam ldp_twogeom
ldp_alias ldp_bursts ldp_mixture ldp_mechanism ldp_classes ldp_behind ldp_behind_derivatives ldp_nbinom ldp_privnbinom ldp_truenbinom ldp_rtruenbinom ldp_quick ldp_gaussian
ldp_secure_poisson ldp_secure_thin ldp_derivatives ldp_information"
FLOOR_2="ldp_density ldp_cells ldp_release ldp_gamma ldp_allocate ldp_exposure ldp_rescale ldp_noise ldp_columns ldp_collapsed ldp_augmented
 ldp_nbinom1 ldp_protected ldp_groups ldp_cavi_relative ldp_margin ldp_modes ldp_actors ldp_cavi_team ldp_cavi_factor ldp_cavi_local ldp_cavi_bessel ldp_cavi_nbinom1
 ldp_perturb ldp_kernel ldp_shape ldp_codes ldp_tokens ldp_wanted"
# The models, and the chain, which knows none of them.
FLOOR_3="ldp_topics ldp_blocks ldp_tensor ldp_cavi_topics ldp_cavi_blocks ldp_cavi_tensor ldp_moments
ldp_tensor_power ldp_lda_vi ldp_chain"
# What is built on a model.
FLOOR_4="ldp_svi"

HEADERS="assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal
stdarg stdbool stddef stdint stdio stdlib string tgmath time wchar wctype"

# No memory, no files, no end of the program, no other generator of random numbers.
FUNCTIONS="memchr memcmp memcpy memmove memset
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs
fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2
logb lrint lround modf nearbyint nextafter pow remainder rint round scalbln scalbn sin sinh sqrt strtod
tan tanh tgamma trunc"

# OBJECT:FUNCTION, each the draw of a distribution that the package exports, or of noise that is
# added to data.
USES_OF_R="ldp_stream:unif_rand
ldp_perturb:norm_rand
ldp_bessel:ldp_stream_open
ldp_nbinom:rgamma ldp_nbinom:rpois
ldp_privnbinom:ldp_rnbinom ldp_privnbinom:ldp_rtwogeom
ldp_privpois:rpois ldp_privpois:ldp_rtwogeom
ldp_rtruenbinom:ldp_stream_open ldp_rtruenbinom:ldp_rnbinom ldp_rtruenbinom:ldp_rtruecount
ldp_skellam:rpois
ldp_truecount:ldp_stream_open
ldp_twogeom:exp_rand"

# Functions of the kernels that use R's generator.
DRAW_BY_R="ldp_stream_open ldp_stream_seed ldp_perturb ldp_rbessel ldp_rnbinom
ldp_rprivnbinom ldp_rprivpois ldp_rskellam ldp_rtruecount ldp_rtruenbinom ldp_rtwogeom"

# The file that starts threads, and functions of the OpenMP libraries of GCC and of clang.
TEAM=ldp_team
OF_TEAM="^(omp_|GOMP_|__kmpc_)"

mkdir -p "$build"

# Counts checks. The first word of a complaint names the check that failed.
count() { # count CHECKS FILE-OF-COMPLAINTS
    broken=$(awk '{ print $1 }' "$2" | sort -u | wc -l)
    failed=$((failed + broken))
    passed=$((passed + $1 - broken))
    sed 's/^[^ ]* /FAILED: /' "$2"
}

# The #include and #pragma lines that break rule 1 or rule 4.
broken_includes() { # broken_includes FILE...
    awk -v f0="$FLOOR_0" -v f1="$FLOOR_1" -v f2="$FLOOR_2" -v f3="$FLOOR_3" -v f4="$FLOOR_4" \
        -v headers="$HEADERS" -v team="$TEAM" '
    function enrol(names, floor_number,    part, n, i) {
        n = split(names, part)
        for (i = 1; i <= n; i++) floor_of[part[i]] = floor_number
    }
    function refuse(reason) { print name, name ":" FNR ": " reason ": " $0 }
    function begin_file() {
        begun = FILENAME
        name = FILENAME; sub(/.*\//, "", name)
        base = name; sub(/\.[ch]$/, "", base)
        if (!(base in floor_of)) print name, name ": on no floor"
    }
    BEGIN {
        enrol(f0, 0); enrol(f1, 1); enrol(f2, 2); enrol(f3, 3); enrol(f4, 4)
        n = split(headers, part)
        for (i = 1; i <= n; i++) allowed["<" part[i] ".h>"] = 1
        allowed["<Rmath.h>"] = 1
    }
    FILENAME != begun { begin_file() }
    base != team && (/^[ \t]*(#|%:|\?\?=)[ \t]*pragma/ || /_Pragma/) { refuse("a pragma") }
    /^[ \t]*(#|%:|\?\?=)[ \t]*(include|import|embed)/ {
        target = $0
        sub(/^[^"<]*(include|import|embed)[ \t]*/, "", target)
        sub(/[ \t]*(\/[*\/].*)?$/, "", target)
        if (target in allowed || (base == team && target == "<omp.h>")) next
        if (target !~ /^"ldp_[a-z0-9_]+\.h"$/) { refuse("a header from outside"); next }
        gsub(/"|\.h/, "", target)
        if (!(target in floor_of)) refuse("a header on no floor")
        else if (!(base in floor_of)) next
        else if (floor_of[target] > floor_of[base]) refuse("a header from above")
        else if (floor_of[base] == 3 && floor_of[target] == 3 && target != base)
            refuse("one model in another, or in the chain")
    }' "$@"
}

# Functions that Rmath.h declares, under the names that it gives them in this build.
rmath_functions() { # rmath_functions COMPILER-FLAGS...
    echo '#include <Rmath.h>' >"$build/rmath.c"
    $CC -std=gnu17 "$@" -E "$build/rmath.c" | awk '
        /^# [0-9]+ "/ { ours = $3 ~ /Rmath\.h"$/; next }
        ours { while (match($0, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/)) {
            found = substr($0, RSTART, RLENGTH - 1); sub(/[ \t]+$/, "", found)
            print found; $0 = substr($0, RSTART + RLENGTH) } }'
}

# The symbols of objects that break rules 2, 3 and 5. The check's name is its object and rule.
#   Rule 2: the compiler's own begin with two underscores; but so do printf and its kin where they
#   are fortified. What the kernels define are the only ldp_* symbols that there may be.
#   Rule 3: in Rmath.h, names of generators begin with a small r (with Rf_r in R), or end in _rand.
broken_symbols() { # broken_symbols LABEL FILE-OF-RMATH-FUNCTIONS FILE-OF-SYMBOLS
    awk -v functions="$FUNCTIONS" -v uses="$USES_OF_R" -v ours="$DRAW_BY_R" -v label="$1" \
        -v team="$TEAM" -v of_team="$OF_TEAM" '
        function enrol(names, set,    part, n, i) {
            n = split(names, part)
            for (i = 1; i <= n; i++) set[part[i]] = 1
        }
        function refuse(rule, reason, what) {
            print base "/" rule, base ".c (" label "): " reason " " what
        }
        BEGIN {
            enrol(functions, allowed); enrol(uses, may_draw); enrol(ours, draws)
            allowed["_GLOBAL_OFFSET_TABLE_"] = 1
        }
        part == "Rmath" {
            allowed[$1] = 1
            if ($1 ~ /^(Rf_)?r[a-z]|_rand$|^R_unif_index$|^(set|get)_seed$/) draws[$1] = 1
            next
        }
        { # PATH/OBJECT.o:VALUE KIND SYMBOL, without a value where the symbol is undefined
            kind = $(NF - 1)
            symbol = $NF; sub(/@.*/, "", symbol)
        }
        part == "defined" { if (kind ~ /^[A-TV-Zi]$/) allowed[symbol] = 1; next }
        { base = $1; sub(/\.o:.*/, "", base); sub(/.*\//, "", base) }
        kind ~ /^[bBcCdDgGsSu]$/ && symbol !~ /^ldp_[a-z0-9]+_kernel$/ { refuse(5, "keeps", symbol) }
        kind != "U" { next }
        symbol in draws {
            plain = symbol; sub(/^Rf_/, "", plain)
            if (!(base ":" plain in may_draw)) refuse(3, "draws by", plain)
        }
        symbol in allowed || (symbol ~ of_team && base == team) { next }
        symbol ~ of_team || symbol !~ /^__/ || symbol ~ /printf|scanf|assert|read|_chk$/ {
            refuse(2, "needs", symbol)
        }' part=Rmath "$2" part=defined "$3" part=all "$3"
}

check_objects() { # check_objects LABEL COMPILER-FLAGS...
    label=$1
    shift
    objects=$build/$label
    rm -rf "$objects"
    mkdir -p "$objects"
    rmath_functions "$@" >"$build/allowed"
    # side by side
    printf '%s\n' "$src"/ldp_*.c | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I{} sh -c '
        file=$1 object=$2/$(basename "$1" .c)
        shift 2
        "$@" -c "$file" -o "$object.o" >"$object.log" 2>&1 ||
            echo "$(basename "$file") $(basename "$file"): does not compile" >"$object.failed"' sh \
        {} "$objects" $CC -std=gnu17 -O0 -U_FORTIFY_SOURCE -fno-stack-protector "$@"
    : >"$build/complaints"
    for file in "$objects"/*.failed; do
        [ ! -e "$file" ] || cat "$file" >>"$build/complaints"
    done
    nm -A "$objects"/ldp_*.o >"$build/symbols" 2>/dev/null
    broken_symbols "$label" "$build/allowed" "$build/symbols" >>"$build/complaints"
    set -- "$src"/ldp_*.c
    count $((3 * $#)) "$build/complaints"
}

set -- "$src"/ldp_*.[ch]
broken_includes "$@" >"$build/complaints"
count $# "$build/complaints"

# With OpenMP, where the compiler has it, so that all that uses it is seen; R's flags are without.
openmp=
if echo '#include <omp.h>' | $CC -fopenmp -x c -c - -o "$build/probe.o" 2>/dev/null; then
    openmp=-fopenmp
else
    skipped=$((skipped + 1))
    echo "SKIPPED: the kernels with OpenMP: the compiler has none"
fi
# shellcheck disable=SC2086 # a flag or nothing
check_objects standalone -DMATHLIB_STANDALONE $openmp
# R CMD config knows where R's own Rmath.h is, whose functions begin with Rf_. The kernels as R compiles them
# have the same sources, so that the quick tests do without them.
if [ "${LDPCOUNTS_EXTENDED_TESTS:-}" != true ] && [ "${LDPCOUNTS_CI:-}" != true ]; then
    : # the extended tests and .ci/run
elif r_flags=$(R CMD config --cppflags 2>/dev/null) && [ -n "$r_flags" ]; then
    # shellcheck disable=SC2086 # several flags
    check_objects in_R $r_flags
else
    skipped=$((skipped + 1))
    echo "SKIPPED: the kernels as R compiles them: there is no R"
fi

# Calls and jumps from clones to static functions, as OBJECT FUNCTION.
calls_without_clone() { # calls_without_clone OBJECT
    nm "$1" | awk '$2 == "t" && $3 !~ /[.]/ { print $3 }' >"$build/static"
    objdump -d --no-show-raw-insn "$1" | awk -v base="$(basename "$1" .o)" '
        FILENAME != "-" { is_static["<" $1 ">"] = 1; next }
        /^[0-9a-f]+ </ { inside = $2 ~ /[.]avx2>:$/; next }
        inside && ($2 ~ /^(call|j)/) && ($NF in is_static) { print base, base ".c: a clone calls", $NF }' \
        "$build/static" -
}

# shellcheck disable=SC2046 # names of files without spaces
set -- $(grep -l '^LDP_CLONES' "$src"/ldp_*.c)
: >"$build/complaints"
for file in "$@"; do
    $CC -std=gnu17 -O2 -DMATHLIB_STANDALONE -c "$file" -o "$build/clones.$(basename "$file" .c).o"
    calls_without_clone "$build/clones.$(basename "$file" .c).o" >>"$build/complaints"
done
if nm "$build"/clones.*.o | grep -q '[.]avx2$'; then
    count $# "$build/complaints"
else
    skipped=$((skipped + 1))
    echo "SKIPPED: clones: the compiler makes none"
fi

echo "wall: $passed passed, $failed failed, $skipped skipped"
test "$failed" -eq 0
