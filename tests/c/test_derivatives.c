/* Sums of derivatives have a bounded number of terms, and end at the edges. Their values are
 * checked by tests/testthat/test-derivatives.R. */
#include <Rmath.h>

#include "check.h"
#include "ldp_derivatives.h"
#include "ldp_information.h"

static const double ks[] = {1, 2, 30, 1e4, 1e7, 1e12};
static const double mus[] = {1e-300, 1e-10, 0.5, 40, 1e5, 1e8, 1e12};
static const double excesses[] = {0, 1e-15, 1e-3, 1, 50, 1e5, 1e12};
static const double alphas[] = {5e-324, 1e-300, 1e-8, 0.3, 0.9, 0.999};

static const double TOL_DIRECT = 1e-11; /* of max(mu, |d|) */
enum { MOST_USUAL_TERMS = 2000 };

enum {
    N_K = sizeof ks / sizeof *ks,
    N_MU = sizeof mus / sizeof *mus,
    N_EXCESS = sizeof excesses / sizeof *excesses,
    N_ALPHA = sizeof alphas / sizeof *alphas
};

static void check_cell(double k, double mu, double excess, double alpha) {
    double *const d = new_garbage(LDP_N_LEVEL_2);
    const int n = ldp_derivatives(k, mu, excess, alpha, 2, d);
    /* each run may find no room for one more term */
    CHECK(n <= LDP_DERIVATIVE_TERMS + 4, "k = %g, mu = %g, excess = %g, alpha = %g: %d terms", k,
          mu, excess, alpha, n);
    if (k <= 1e7 && mu <= 1e8 && excess <= 1e5)
        for (int i = 0; i < LDP_N_LEVEL_2; i++)
            CHECK(isfinite(d[i]), "k = %g, mu = %g, excess = %g, alpha = %g, derivative %d", k, mu,
                  excess, alpha, i);
    free(d);
}

static void check_bounds(void) {
    for (int i = 0; i < N_K; i++)
        for (int j = 0; j < N_MU; j++)
            for (int l = 0; l < N_EXCESS; l++)
                for (int m = 0; m < N_ALPHA; m++)
                    check_cell(ks[i], mus[j], excesses[l], alphas[m]);
}

/* Usual cells have few terms: fewer than where alpha^n, or a tail of the counts, is negligible. */
static void check_usual(void) {
    double d[LDP_N_LEVEL_2];
    for (double k = 1; k < 40; k++) {
        CHECK(ldp_derivatives(k, 3, 1, 0.37, 2, d) < 100, "k = %g", k);
        CHECK(ldp_derivatives(k, 0.1, 1, 0.37, 2, d) < 100, "k = %g", k);
        CHECK(ldp_derivatives(k, 500, 0, 0.37, 2, d) < 300, "k = %g", k);
        CHECK(ldp_derivatives(k, 3, 1, 5e-324, 2, d) == 0, "k = %g: noise that is nil", k);
    }
}

/* The derivatives of order 1 and 2, by sums over all true counts one by one in long double. With g1
 * and g2 as in ldp_derivatives.c: by log(mu) those of the log of sum_y w(y) exp(f(y)). */
static void sum_directly(double k, double mu, double excess, double alpha, double d[3]) {
    const long double p = excess / (1 + (long double)excess),
                      first = mu / (1 + (long double)excess);
    long double log_w = 0, largest = 0, sums[5] = {0}, g1 = 0, g2 = 0;
    const double most = 40 * (mu + k + 1) + 1e4 * (1 + excess); /* at most */
    for (double y = 0; y < most; y++) {
        if (log_w > largest) { /* relative to the largest term so far */
            for (int i = 0; i < 5; i++)
                sums[i] *= expl(largest - log_w);
            largest = log_w;
        }
        const long double w = expl(log_w - largest), x = g1;
        const long double of[] = {1, x, g2 + x * x, (long double)y, x * y};
        for (int i = 0; i < 5; i++)
            sums[i] += w * of[i];
        if (y > k && log_w < largest - 60)
            break;
        const long double z = mu / (mu + (long double)excess * y);
        log_w += logl((first + p * y) / (y + 1)) + (y < k ? -1 : 1) * logl(alpha);
        g1 += z;
        g2 += z * (1 - z);
    }
    const long double x = sums[1] / sums[0], all = mu * (excess > 0 ? log1pl(excess) / excess : 1);
    d[0] = (double)(x - all);
    d[1] = (double)(sums[2] / sums[0] - x * x - x);
    d[2] = (double)(-x + sums[3] / sums[0] / (1 + excess) - mu / (1 + excess) + all);
}

/* Many terms, which are summed in panels: flat ones up to a large count, two peaks, one on either
 * side of k or at it. */
static void check_panels(void) {
    static const double cells[][4] = {
        {1e6, 77, 99, 0.99},       {1e6, 0.3, 99, 0.99},       {3e5, 1e-6, 99, 0.99},
        {3523, 1e6, 99, 0.999},    {1e5, 3, 1e4, 0.999},       {1e5, 1e5, 1e-3, 0.999},
        {100300, 1e5, 0, 0.999},   {1e6, 1e6, 0.5, 0.999},     {1e6, 1.3e6, 0.5, 0.9},
        {600, 3e5, 2, 0.99},       {250, 2e4, 5, 0.995},       {258, 1e4, 40, 0.999},
        {2e5, 1.9e5, 1e-8, 0.998}, {1e5, 5e4, 60000, 0.99999}, {4e5, 1e5, 0, 0.75}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        if (!check_takes((int)i, 2, 0)) /* the sums take long */
            continue;
        const double k = cells[i][0], mu = cells[i][1], excess = cells[i][2], alpha = cells[i][3];
        double d[LDP_N_LEVEL_2], direct[3];
        const int n = ldp_derivatives(k, mu, excess, alpha, 2, d);
        sum_directly(k, mu, excess, alpha, direct);
        static const int at[] = {LDP_BY_MU, LDP_BY_MU2, LDP_BY_THETA};
        for (int j = 0; j < (excess > 0 ? 3 : 2); j++)
            CHECK(fabs(d[at[j]] - direct[j]) <= TOL_DIRECT * fmax(mu, fabs(direct[j])),
                  "k = %g, mu = %g, excess = %g, alpha = %g, derivative %d: %.15g and %.15g", k, mu,
                  excess, alpha, j, d[at[j]], direct[j]);
        CHECK(n < MOST_USUAL_TERMS, "k = %g, mu = %g, excess = %g, alpha = %g: %d terms", k, mu,
              excess, alpha, n);
    }
}

static void check_levels(void) {
    for (int level = 0; level < 3; level++) {
        const int n = level == 0 ? LDP_N_LEVEL_0 : level == 1 ? LDP_N_LEVEL_1 : LDP_N_LEVEL_2;
        double *const d = new_garbage((size_t)n); /* exactly as many as are written */
        for (double k = -1; k < 20; k++)
            for (double excess = 0; excess < 3; excess++) {
                ldp_derivatives(k, 2, excess, 0.4, level, d);
                ldp_derivatives(fmax(k, 0), 2, excess, 0, level, d);
                for (int i = 0; i < n; i++)
                    CHECK(isfinite(d[i]), "level %d, derivative %d", level, i);
            }
        free(d);
    }
}

static void check_information(void) {
    double *const work = new_garbage(LDP_INFORMATION_ROOM);
    for (int j = 1; j < N_MU; j++)
        for (int l = 0; l < N_EXCESS; l++)
            for (int m = 0; m < N_ALPHA; m++) {
                const double value = ldp_information(mus[j], excesses[l], alphas[m], work);
                CHECK(isfinite(value) && value >= 0 && value <= mus[j] * (1 + 1e-3),
                      "mu = %g, excess = %g, alpha = %g: %g", mus[j], excesses[l], alphas[m],
                      value);
            }
    CHECK_NEAR(ldp_information(3, 0, 0, work), 3, TOL_EXACT);
    free(work);
}

static void check_saturated(void) {
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 5; l++)
            for (int m = 0; m < N_ALPHA; m++)
                CHECK(isfinite(ldp_saturated(ks[i], excesses[l], alphas[m])), "k = %g", ks[i]);
}

int main(void) {
    check_begin();
    check_bounds();
    check_usual();
    check_panels();
    check_levels();
    check_information();
    check_saturated();
    return check_report("derivatives");
}
