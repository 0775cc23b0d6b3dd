# Test T0: the samplers of exact noise have no floating point. They compile where a double is an
# error, and the check can fail. Usage: integers.sh SRC BUILD
src=$1
build=$2
passed=0
failed=0
skipped=0

compiles() {
    $CC -std=gnu17 -O2 -mgeneral-regs-only -I"$src" -c "$1" -o "$build/integers.o" \
        >"$build/integers_compile.log" 2>&1
}

check() { # check MESSAGE COMMAND...: passes if the command succeeds
    message=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $message"
        cat "$build/integers_compile.log"
    fi
}

does_not_compile() {
    ! compiles "$1"
}

# A compiler might also turn arithmetic of doubles into calls of its own library.
calls_nothing_but() { # calls_nothing_but PATTERN
    ! nm -u "$build/integers.o" | grep -Ev "^ *U ($1)\$" | grep -q .
}

echo 'typedef int nothing;' >"$build/integers_empty.c"
echo 'int f(int x) { return (int)(x * 1.5); }' >"$build/integers_double.c"
if compiles "$build/integers_empty.c"; then
    check "ldp_secure.c with -mgeneral-regs-only" compiles "$src/ldp_secure.c"
    check "ldp_secure.c calls other functions" calls_nothing_but nothing
    check "ldp_gaussian.c with -mgeneral-regs-only" compiles "$src/ldp_gaussian.c"
    check "ldp_gaussian.c calls other functions" \
        calls_nothing_but "ldp_secure_(twogeom|bernoulli_exp)"
    check "ldp_secure_poisson.c with -mgeneral-regs-only" compiles "$src/ldp_secure_poisson.c"
    check "ldp_secure_poisson.c calls other functions" \
        calls_nothing_but "ldp_secure_(bernoulli|uniform)"
    check "ldp_secure_thin.c with -mgeneral-regs-only" compiles "$src/ldp_secure_thin.c"
    check "ldp_secure_thin.c calls other functions" calls_nothing_but ldp_secure_ones
    check "a call of another function passes all the same" eval '! calls_nothing_but nothing'
    check "a multiplication of doubles compiles all the same" \
        does_not_compile "$build/integers_double.c"
else
    skipped=1
    echo "SKIPPED: $CC has no -mgeneral-regs-only for this machine"
fi
echo "integers: $passed passed, $failed failed, $skipped skipped"
test "$failed" -eq 0
