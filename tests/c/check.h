/* Checks that count themselves. Each test program includes this once, calls CHECK and
 * CHECK_NEAR, and ends with `return check_report("name")`. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Errors allowed to CHECK_NEAR, relative to max(1, |reference|). */
#define TOL_EXACT 0.0
#define TOL_ROUNDING 1e-14 /* a few dozen additions and multiplications */
#define TOL_SERIES 1e-12 /* a series, a log of a probability */
#define TOL_DIFFERENCE 1e-8 /* a difference that may lose six of its digits */

static struct { int passed, failed; } check_count;

/* A kernel that never returns must fail, not hang the whole run: after five minutes of computing,
 * or, if it waits, after an hour. On a busy machine five minutes of computing may take long, and an
 * emulated machine (tools/platforms.sh) is given more. */
#ifndef COMPUTING_SECONDS
#define COMPUTING_SECONDS 300
#endif
static inline void check_begin(void) {
    const struct rlimit computing = {COMPUTING_SECONDS, COMPUTING_SECONDS};
    setrlimit(RLIMIT_CPU, &computing);
    alarm(12 * COMPUTING_SECONDS);
}

/* Whether the long tests run too. */
static inline int check_extended(void) {
    const char *const extended = getenv("LDPCOUNTS_EXTENDED_TESTS");
    return extended && strcmp(extended, "true") == 0;
}

/* Of many cases every `every`-th, beginning with `first`; in the extended tests all of them. */
static inline int check_takes(int i, int every, int first) {
    return i % every == first % every || check_extended();
}

/* How many of n draws a random test takes: one in four; in the extended tests all of them. */
static inline int check_some(int n) {
    return check_extended() ? n : n / 4;
}

static inline void check_failed(const char *file, int line, const char *what) {
    check_count.failed++;
    printf("%s:%d: FAILED %s: ", file, line, what);
}

__attribute__((format(printf, 5, 6))) static inline void
check_true(int ok, const char *file, int line, const char *what, const char *format, ...) {
    if (ok) {
        check_count.passed++;
        return;
    }
    check_failed(file, line, what);
    va_list values;
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    printf("\n");
}

static inline void check_near(double x, double reference, double tolerance, const char *file,
                              int line, const char *what, const char *tolerance_name) {
    const double scale = fmax(1, fabs(reference));
    const int ok = x == reference || fabs(x - reference) <= tolerance * scale;
    if (ok) {
        check_count.passed++;
        return;
    }
    check_failed(file, line, what);
    printf("%.17g, should be %.17g, relative error %.3g, %s = %g\n", x, reference,
           (x - reference) / scale, tolerance_name, tolerance);
}

#define CHECK(cond, ...) check_true((cond) != 0, __FILE__, __LINE__, #cond, __VA_ARGS__)
#define CHECK_NEAR(x, reference, tolerance)                                                        \
    check_near((x), (reference), (tolerance), __FILE__, __LINE__, #x, #tolerance)

/* A block of exactly n elements, so that the sanitizer sees one step too far. */
static inline void *check_alloc(size_t n, size_t size) {
    void *const block = calloc(n > 0 ? n : 1, size);
    if (!block)
        abort();
    return block;
}

static inline double *new_doubles(size_t n) {
    return check_alloc(n, sizeof(double));
}

/* Work space that is not empty: every byte is 255, so that every double is NaN. */
static inline double *new_garbage(size_t n) {
    return memset(new_doubles(n), 255, n * sizeof(double));
}

static inline int check_report(const char *name) {
    printf("%s: %d passed, %d failed, 0 skipped\n", name, check_count.passed, check_count.failed);
    return check_count.failed > 0;
}

#endif
