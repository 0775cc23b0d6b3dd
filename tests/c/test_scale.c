/* Draws of a scale against their distribution, integrated numerically: chi-square over bins of
 * equal probability, the mode against bisection. */
#include <string.h>

#include "check.h"
#include "ldp_scale.h"
#include "random.h"

static ldp_stream stream;

enum { N_BINS = 50, N_GRID = 200000, N_DRAWS = 200000 };

static double slope(ldp_scale scale, double t) {
    return scale.p - scale.A * exp(t) + scale.B * exp(-t) + 2 * scale.E * exp(-2 * t);
}

static double mode_by_bisection(ldp_scale scale) {
    double low = -800, high = 700;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (slope(scale, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* How far below its top the distribution lies at distance d from the mode, without large parts. */
static double fall(ldp_scale scale, double mode, double d) {
    double sum = scale.A * exp(mode) * expm1(d) - scale.p * d;
    if (scale.B > 0) /* expm1 may overflow */
        sum += scale.B * exp(-mode) * expm1(-d);
    if (scale.E > 0)
        sum += scale.E * exp(-2 * mode) * expm1(-2 * d);
    return sum;
}

static void check_law(ldp_scale scale, const char *name) {
    const double mode = mode_by_bisection(scale);
    const double bend = scale.A * exp(mode) + scale.B * exp(-mode) + 4 * scale.E * exp(-2 * mode);
    const double width = 1 / sqrt(bend);
    CHECK(fabs(ldp_scale_mode(scale) - mode) < 2e-3 * width, "%s: mode %g, should be %g", name,
          ldp_scale_mode(scale), mode);
    /* the cdf on a grid as wide as the distribution goes */
    double low = -fmin(width, 1), high = fmin(width, 1);
    while (fall(scale, mode, low) < 45)
        low *= 1.3;
    while (fall(scale, mode, high) < 45)
        high *= 1.3;
    double *const cdf = new_doubles(N_GRID + 1);
    for (int i = 1; i <= N_GRID; i++) {
        const double d = low + (high - low) * (i - 0.5) / N_GRID;
        cdf[i] = cdf[i - 1] + exp(-fall(scale, mode, d));
    }
    law bins = law_new(0, N_BINS);
    for (int i = 0; i < N_BINS; i++)
        bins.p[i] = 1.0 / N_BINS;
    const int n_draws = check_some(N_DRAWS);
    for (int i = 0; i < n_draws; i++) {
        const double at = (ldp_scale_draw(&stream, scale) - mode - low) / (high - low) * N_GRID;
        const int cell = (int)fmax(0, fmin(N_GRID - 1, floor(at)));
        const double p = (cdf[cell] + (at - cell) * (cdf[cell + 1] - cdf[cell])) / cdf[N_GRID];
        law_see(&bins, fmin(floor(p * N_BINS), N_BINS - 1));
    }
    law_check(&bins, name);
    law_free(&bins);
    free(cdf);
}

int main(void) {
    static const struct {
        const char *name;
        ldp_scale scale;
    } cases[] = {
        {"gamma", {2.5, 1, 0, 0}},
        {"gamma of a small shape", {0.05, 3, 0, 0}},
        {"inverse gamma, nearly", {-2.5, 1e-8, 1, 0}},
        {"GIG about 1", {0, 5, 5, 0}},
        {"GIG, p < 0", {-40, 3, 200, 0}},
        {"large documents", {1e5, 2e5, 3e4, 0}},
        {"large vocabularies", {-1e6, 30, 2e6, 0}},
        {"blocks", {12, 20, 15, 3}},
        {"blocks, p < 0", {-6, 4, 1, 8}},
        {"one community", {-3, 10, 0, 2}},
        {"one community, small", {-3, 1e-6, 0, 1e-9}},
        {"all small", {0.3, 1e-150, 1e-200, 1e-250}},
        {"GIG about 1, flat", {0, 1e-3, 1e-3, 0}},
        {"flat between walls", {0, 1e-30, 1e-20, 0}},
        {"flat between far walls", {0, 1e-300, 1e-290, 0}},
        {"falling between walls", {0.05, 1e-12, 1e-40, 0}},
        {"a flat top that is nearly level", {1e-15, 1e-9, 1e-9, 0}},
        {"all large", {-5, 1e12, 1e11, 1e10}},
    };
    enum { N_CASES = sizeof cases / sizeof *cases };
    check_begin();
    stream = ldp_stream_seeded(1201);
    random_budget(N_CASES);
    for (int i = 0; i < N_CASES; i++)
        check_law(cases[i].scale, cases[i].name);
    random_budget_kept();
    return check_report("scale");
}
