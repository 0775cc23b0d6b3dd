# The wall can fail: plants a tree of bad files, and wants a complaint about each and about
# nothing else; then a tree of good ones. Usage: wall_test.sh BUILD
build=$1
bad=$build/bad
good=$build/good
passed=0
failed=0

rm -rf "$bad" "$good"
mkdir -p "$bad" "$good"

plant() { # plant FILE LINE...
    file=$1
    shift
    printf '%s\n' "$@" >"$file"
}

wants() { # wants PATTERN: one line of the report says so
    if grep -q "$1" "$build/bad.log"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: the wall has not seen: $1"
    fi
}

wants_not() { # wants_not PATTERN: no line of the report says so
    if grep -q "$1" "$build/bad.log"; then
        failed=$((failed + 1))
        echo "FAILED: the wall complains without reason:"
        grep "$1" "$build/bad.log"
    else
        passed=$((passed + 1))
    fi
}

# Bad files, one rule broken by each.
plant "$bad/ldp_math.h" 'void ldp_fill(void);'
plant "$bad/ldp_math.c" '#include "ldp_math.h"' '#include "ldp_gamma.h"' 'void ldp_fill(void) {}'
plant "$bad/ldp_gamma.h" '#include <R_ext/Random.h>'
plant "$bad/ldp_secure.c" '  #  include <Rinternals.h> /* a comment */' 'typedef int nothing;'
plant "$bad/ldp_cells.c" '#include <stdlib.h>' \
    'void *ldp_new(void);' 'void *ldp_new(void) { return malloc(8); }'
plant "$bad/ldp_noise.c" '#include <stdio.h>' \
    'void ldp_say(int x);' 'void ldp_say(int x) { printf("%d\n", x); }'
plant "$bad/ldp_exposure.c" 'void R_CheckUserInterrupt(void);' \
    'void ldp_wait(void);' 'void ldp_wait(void) { R_CheckUserInterrupt(); }'
plant "$bad/ldp_allocate.c" 'void ldp_nowhere(void);' \
    'void ldp_call(void);' 'void ldp_call(void) { ldp_nowhere(); }'
plant "$bad/ldp_truecount.c" '#include "rc.h"' 'typedef int nothing;'
plant "$bad/rc.h" ''
plant "$bad/ldp_blocks.h" ''
plant "$bad/ldp_topics.c" '#include "ldp_blocks.h"' 'typedef int nothing;'
# R's generator: in a model, through a stream, through a draw that is exported, and in a file that may
# draw by another function.
plant "$bad/ldp_tensor.c" '#include <Rmath.h>' 'double ldp_a(double x);' \
    'double ldp_a(double x) { return rgamma(x, 1) + norm_rand(); }'
plant "$bad/ldp_stream.h" 'unsigned long ldp_stream_seed(void);'
plant "$bad/ldp_stream.c" '#include <Rmath.h>' '#include "ldp_stream.h"' \
    'unsigned long ldp_stream_seed(void) { return (unsigned long)unif_rand(); }'
plant "$bad/ldp_bursts.c" '#include "ldp_stream.h"' 'unsigned long ldp_b(void);' \
    'unsigned long ldp_b(void) { return ldp_stream_seed(); }'
plant "$bad/ldp_twogeom.h" 'double ldp_rtwogeom(double alpha);'
plant "$bad/ldp_twogeom.c" '#include <Rmath.h>' '#include "ldp_twogeom.h"' \
    'double ldp_rtwogeom(double alpha) { return rgeom(alpha) - exp_rand(); }'
plant "$bad/ldp_nbinom1.c" '#include "ldp_twogeom.h"' 'double ldp_c(void);' \
    'double ldp_c(void) { return ldp_rtwogeom(0.5); }'
plant "$bad/ldp_chain.c" '#include "ldp_blocks.h"' 'typedef int nothing;'
# Threads outside of ldp_team.
plant "$bad/ldp_fixed.c" '#include <omp.h>' 'typedef int nothing;'
plant "$bad/ldp_rows.c" 'void ldp_add(int n, double *x);' 'void ldp_add(int n, double *x) {' \
    '#pragma omp parallel for' '    for (int i = 0; i < n; i++)' '        x[i]++;' '}'
plant "$bad/ldp_lanes.c" 'int omp_get_num_threads(void);' 'int ldp_lanes(void);' \
    'int ldp_lanes(void) { return omp_get_num_threads(); }'
plant "$bad/ldp_team.c" '#include <pthread.h>' 'void *ldp_team(void);' \
    'void *ldp_team(void) { return (void *)pthread_self(); }'
# State.
plant "$bad/ldp_digamma.c" 'int ldp_next(void);' \
    'int ldp_next(void) { static int last; return last++; }'
plant "$bad/ldp_debye.c" 'extern int ldp_mode;' 'int ldp_mode = 3;'
plant "$bad/ldp_stray.c" 'typedef int nothing;'

if sh wall.sh "$bad" "$build/bad_build" >"$build/bad.log" 2>&1; then
    failed=$((failed + 1))
    echo "FAILED: the wall lets a bad tree pass"
else
    passed=$((passed + 1))
fi
wants '^FAILED: ldp_math.c:2: a header from above'
wants '^FAILED: ldp_gamma.h:1: a header from outside: #include <R_ext'
wants '^FAILED: ldp_secure.c:1: a header from outside: .*Rinternals'
wants '^FAILED: ldp_cells.c (standalone): needs malloc'
wants '^FAILED: ldp_noise.c (standalone): needs printf'
wants '^FAILED: ldp_exposure.c (standalone): needs R_CheckUserInterrupt'
wants '^FAILED: ldp_allocate.c (standalone): needs ldp_nowhere'
wants '^FAILED: ldp_truecount.c:1: a header from outside: #include "rc.h"'
wants '^FAILED: ldp_topics.c:1: one model in another, or in the chain'
wants '^FAILED: ldp_chain.c:1: one model in another, or in the chain'
wants '^FAILED: ldp_fixed.c:1: a header from outside: #include <omp.h>'
wants '^FAILED: ldp_rows.c:3: a pragma'
wants '^FAILED: ldp_lanes.c (standalone): needs omp_get_num_threads'
wants '^FAILED: ldp_team.c:1: a header from outside: #include <pthread.h>'
wants '^FAILED: ldp_team.c (standalone): needs pthread_self'
wants '^FAILED: ldp_stray.c: on no floor'
wants '^FAILED: ldp_tensor.c (standalone): draws by rgamma'
wants '^FAILED: ldp_tensor.c (standalone): draws by norm_rand'
wants '^FAILED: ldp_bursts.c (standalone): draws by ldp_stream_seed'
wants '^FAILED: ldp_twogeom.c (standalone): draws by rgeom'
wants '^FAILED: ldp_nbinom1.c (standalone): draws by ldp_rtwogeom'
wants '^FAILED: ldp_digamma.c (standalone): keeps last'
wants '^FAILED: ldp_debye.c (standalone): keeps ldp_mode'
if { [ "${LDPCOUNTS_EXTENDED_TESTS:-}" = true ] || [ "${LDPCOUNTS_CI:-}" = true ]; } && command -v R >/dev/null; then
    wants '^FAILED: ldp_tensor.c (in_R): draws by rgamma'
fi
wants_not 'draws by \(exp_rand\|unif_rand\)' # which those two files may call

# A good tree, with everything that is allowed.
plant "$good/ldp_math.h" '#include <stddef.h>' 'double ldp_one(double x);'
plant "$good/ldp_math.c" '#include <math.h>' '#include <string.h>' '#include "ldp_math.h"' \
    'double ldp_one(double x) { return exp(x); }'
plant "$good/ldp_gamma.h" '#include "ldp_math.h"' 'double ldp_two(double x);'
plant "$good/ldp_gamma.c" '#include <Rmath.h>' '#include "ldp_gamma.h"' \
    'double ldp_two(double x) { return ldp_one(x) + dpois(x, 1, 1) + rint(x) + fround(x, 1); }'
plant "$good/ldp_nbinom.c" '#include <Rmath.h>' 'double ldp_three(double x);' \
    'double ldp_three(double x) { return rpois(rgamma(x, 1)); }'
plant "$good/ldp_debye.c" 'double ldp_table(int i);' \
    'double ldp_table(int i) { static const double table[] = {1, 2}; return table[i]; }'
plant "$good/ldp_perturb.c" '#include <Rmath.h>' 'double ldp_four(void);' \
    'double ldp_four(void) { return norm_rand(); }'
plant "$good/ldp_team.c" '#ifdef _OPENMP' '#include <omp.h>' '#endif' 'int ldp_five(int n, double *x);' \
    'int ldp_five(int n, double *x) {' '#ifdef _OPENMP' '#pragma omp parallel for' \
    '    for (int i = 0; i < n; i++)' '        x[i] += omp_get_thread_num();' '#endif' \
    '    return n > 0 && x[0] > 0;' '}'
plant "$good/ldp_kernel.h" '#include "ldp_math.h"'
plant "$good/ldp_chain.c" '#include "ldp_kernel.h"' 'typedef int nothing;'
plant "$good/ldp_topics.h" ''
plant "$good/ldp_topics.c" '#include "ldp_topics.h"' '#include "ldp_gamma.h"' 'typedef int nothing;'
if sh wall.sh "$good" "$build/good_build" >"$build/good.log" 2>&1; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: the wall refuses a good tree:"
    cat "$build/good.log"
fi

echo "wall_test: $passed passed, $failed failed, 0 skipped"
test "$failed" -eq 0
