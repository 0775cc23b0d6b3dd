/* The slice sampler leaves a distribution as it is, and asks a bounded number of questions whatever
 * it is told. */
#include "ldp_random.h"
#include "ldp_slice.h"
#include "random.h"

enum { N = 20000, MOST_QUESTIONS = LDP_SLICE_STEPS + 1 + LDP_SLICE_TRIES };

typedef double (*density)(double x);

static double normal(double x) {
    return -x * x / 2;
}

/* Two modes, at -3 and 3. */
static double two_modes(double x) {
    return log(exp(-(x - 3) * (x - 3) / 2) + exp(-(x + 3) * (x + 3) / 2));
}

static double nowhere(double x) {
    (void)x;
    return -INFINITY;
}

static double everywhere(double x) {
    (void)x;
    return 0;
}

static double nothing(double x) {
    (void)x;
    return NAN;
}

static double spike(double x) {
    return x < 1 || x > 1 ? -1e300 : 0;
}

/* One update, and the number of its questions. */
static double update(ldp_stream *stream, density f, double x, double width, int steps,
                     int *n_questions) {
    ldp_slice slice = ldp_slice_open(stream, x, f(x), width, steps);
    for (*n_questions = 0; ldp_slice_is_asking(&slice) && *n_questions <= MOST_QUESTIONS;
         ++*n_questions)
        ldp_slice_tell(&slice, stream, f(slice.asked));
    CHECK(!(slice.value < f(slice.at) || slice.value > f(slice.at)), "the value at %g", slice.at);
    return slice.at;
}

/* From exact draws, the mean, the second moment and P(x < -1) are those of the distribution; and
 * draws move. */
static void test_invariance(density f, double second, double below, double width, int steps) {
    ldp_stream stream = ldp_stream_seeded(61);
    double sum = 0, squares = 0, n_below = 0, fourth = second > 5 ? 138 : 3;
    int n_moved = 0, n_questions;
    for (int i = 0; i < N; i++) {
        double x = ldp_random_normal(&stream);
        if (second > 5)
            x += ldp_stream_uniform(&stream) < 0.5 ? 3 : -3;
        const double y = update(&stream, f, x, width, steps, &n_questions);
        CHECK(steps > 1 || n_questions <= LDP_SLICE_TRIES, "%d questions within", n_questions);
        n_moved += y < x || y > x;
        sum += y;
        squares += y * y;
        n_below += y < -1;
    }
    check_mean(sum, N, 0, second, "mean");
    check_mean(squares, N, second, fourth - second * second, "second moment");
    check_mean(n_below, N, below, below * (1 - below), "P(x < -1)");
    CHECK(n_moved == N, "%d of %d have moved", n_moved, N);
}

static void test_bound(density f) {
    static const double widths[] = {1e-300, 1e-6, 1, 1e6}, starts[] = {1, -599.5, 600, 0};
    ldp_stream stream = ldp_stream_seeded(62);
    for (int i = 0; i < 16; i++) {
        int n_questions;
        const double x = starts[i / 4], width = widths[i % 4];
        ldp_slice slice = ldp_slice_open(&stream, x, f(x), width, LDP_SLICE_STEPS);
        for (n_questions = 0; ldp_slice_is_asking(&slice) && n_questions <= MOST_QUESTIONS;
             n_questions++)
            ldp_slice_tell(&slice, &stream, f(slice.asked));
        CHECK(n_questions <= MOST_QUESTIONS, "%d questions", n_questions);
        CHECK(isfinite(slice.at) && fabs(slice.at) <= 600 + 65e6, "%g after %g", slice.at, x);
    }
}

int main(void) {
    check_begin();
    random_budget(6 * 3);
    test_invariance(normal, 1, 0.15865525393145705, 1, LDP_SLICE_STEPS);
    test_invariance(normal, 1, 0.15865525393145705, 0.1, LDP_SLICE_STEPS);
    test_invariance(normal, 1, 0.15865525393145705, 20, LDP_SLICE_STEPS);
    test_invariance(two_modes, 10, 0.48864081, 1, LDP_SLICE_STEPS);
    test_invariance(normal, 1, 0.15865525393145705, 1, 1);
    test_invariance(two_modes, 10, 0.48864081, 20, 1);
    test_bound(normal);
    test_bound(nowhere);
    test_bound(everywhere);
    test_bound(nothing);
    test_bound(spike);
    return check_report("slice");
}
