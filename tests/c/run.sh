# Builds and runs everything, and adds up. Usage: run.sh SRC BUILD PROGRAM...
# RUN: a program that runs others, such as an emulator of another machine; then only they are run.
# Every part prints lines of its own and then "name: N passed, N failed, N skipped".
src=$1
build=$2
shift 2
jobs=$(getconf _NPROCESSORS_ONLN)
passed=0
failed=0
skipped=0
export RUN=${RUN:-}
export OMP_WAIT_POLICY=passive # threads that wait leave the cores to the other programs

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    test "$failed" -eq 0
    exit
}

# Runs a command while others run.
start_part() {
    name=$1
    shift
    { "$@" >"$build/$name.log" 2>&1; echo $? >"$build/$name.status"; } &
}

# Shows what a command printed that has ended, and adds its last line to the totals. A part that
# ends without that line (a crash, a sanitizer's report) has failed.
add_part() {
    name=$1
    status=$(cat "$build/$name.status")
    cat "$build/$name.log"
    counts=$(awk '{ last = $0 }
        END { if (match(last, /: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/)) {
            sub(/.*: /, "", last); gsub(/[^0-9 ]/, "", last); print last } }' "$build/$name.log")
    if [ -z "$counts" ]; then
        echo "$name: ended early, with status $status"
        failed=$((failed + 1))
        return
    fi
    # shellcheck disable=SC2086 # three numbers, to be split
    set -- $counts
    passed=$((passed + $1))
    failed=$((failed + $2))
    skipped=$((skipped + $3))
    if [ "$status" -ne 0 ] && [ "$2" -eq 0 ]; then
        echo "$name: no check failed, yet its status is $status"
        failed=$((failed + 1))
    fi
}

echo '#include <Rmath.h>
int main(void) { return unif_rand() > 2; }' >"$build/probe.c"
if ! $CC -DMATHLIB_STANDALONE "$build/probe.c" -o "$build/probe" -lRmath -lm 2>"$build/probe.log"; then
    echo "cannot compile and link with -lRmath (Debian: r-mathlib)"
    skipped=1
    finish
fi

echo 'int main(void) { return 0; }' >"$build/probe.c"
tsan=
if [ -n "${RUN:-}" ]; then
    : # the sanitizer is for this machine
elif $CC -fsanitize=thread "$build/probe.c" -o "$build/probe" 2>"$build/probe.log" &&
    "$build/probe" 2>>"$build/probe.log"; then
    tsan=$build/tsan/test_threads
else
    skipped=$((skipped + 1))
    echo "SKIPPED: threads under the thread sanitizer: the compiler has none that runs here (libtsan)"
fi

# shellcheck disable=SC2086 # no word if there is no thread sanitizer
if ! $MAKE -s -j "$jobs" --no-print-directory programs $tsan >"$build/build.log" 2>&1; then
    cat "$build/build.log"
    echo "the tests do not build"
    failed=$((failed + 1))
    finish
fi

if [ -z "${RUN:-}" ]; then
    start_part wall sh wall.sh "$src" "$build"
    start_part wall_test sh wall_test.sh "$build"
    start_part integers sh integers.sh "$src" "$build"
fi
[ -z "$tsan" ] || start_part tsan_threads "$MAKE" -s --no-print-directory threads
printf '%s\n' "$@" | xargs -P "$jobs" -I{} sh -c '$RUN "$1" >"$1.log" 2>&1; echo $? >"$1.status"' sh {}
wait
for program in "$@"; do
    add_part "$(basename "$program")"
done
[ -z "$tsan" ] || add_part tsan_threads
if [ -z "${RUN:-}" ]; then
    add_part integers
    add_part wall
    add_part wall_test
fi
finish
