/* The distribution of a true count over draws, against ldp_truenbinom, which computes it otherwise.
 */
#include "check.h"
#include "ldp_mixture.h"
#include "ldp_nbinom.h"
#include "ldp_truenbinom.h"

static double mass[LDP_MIXTURE_ROOM], terms[LDP_MIXTURE_ROOM];
static ldp_mixture mixture = {mass, terms, 0};

static void compare(double k, double mu, double excess, double alpha) {
    double seen = 0;
    ldp_mixture_begin(&mixture);
    const int done = ldp_mixture_add(&mixture, k, mu, excess, alpha, 1);
    CHECK(done, "k = %g, mu = %g, excess = %g, alpha = %g", k, mu, excess, alpha);
    for (int y = 0; y < mixture.n; y++) {
        const double p = exp(ldp_truenbinom_log_pmf(y, k, mu, excess, alpha));
        CHECK(fabs(mass[y] - p) <= 1e-12 * (p + 1e-3),
              "%g for %g at y = %d, k = %g, mu = %g, excess = %g, alpha = %g", mass[y], p, y, k, mu,
              excess, alpha);
        seen += mass[y];
    }
    CHECK_NEAR(seen, 1, 1e-13);
    CHECK_NEAR(ldp_mixture_mean(&mixture) / ldp_truenbinom_mean(k, mu, excess, alpha), 1, 1e-10);
}

static void test_one(void) {
    static const double ks[] = {-40, -1, 0, 1, 2, 7, 60, 500};
    static const double mus[] = {1e-9, 1e-3, 0.4, 3, 60, 400};
    static const double excesses[] = {0, 1e-9, 0.01, 1, 12};
    static const double alphas[] = {0.02, 0.37, 0.5, 0.9, 0.99};
    for (int a = 0; a < 5; a++)
        for (int e = 0; e < 5; e++)
            for (int m = 0; m < 6; m++)
                for (int i = 0; i < 8; i++)
                    compare(ks[i], mus[m], excesses[e], alphas[a]);
    compare(900, 1, 1, 0.5); /* two peaks, at p = alpha */
    compare(3000, 1e-3, 2.84, 0.908);
}

/* Averages, quantiles, and counts without a release. */
static void test_mixture(void) {
    static const double mus[] = {0.5, 4};
    double below = 0;
    ldp_mixture_begin(&mixture);
    for (int s = 0; s < 2; s++)
        CHECK(ldp_mixture_add(&mixture, 3, mus[s], 1, 0.5, 0.5), "no room");
    for (int y = 0; y < 30; y++) {
        const double p = (exp(ldp_truenbinom_log_pmf(y, 3, mus[0], 1, 0.5)) +
                          exp(ldp_truenbinom_log_pmf(y, 3, mus[1], 1, 0.5))) /
                         2;
        CHECK_NEAR(mass[y], p, 1e-14);
        CHECK(ldp_mixture_quantile(&mixture, below + p / 2) == y, "y = %d", y);
        below += p;
    }
    CHECK(ldp_mixture_quantile(&mixture, 1 + 1e-9) == mixture.n - 1, "the end");
    ldp_mixture_begin(&mixture);
    CHECK(ldp_mixture_add_masked(&mixture, 3, 2, 1), "no room");
    for (int y = 0; y < mixture.n; y++)
        CHECK_NEAR(mass[y], exp(ldp_nbinom_log_pmf(y, 3, 2)), 1e-14);
    ldp_mixture_begin(&mixture);
    CHECK(ldp_mixture_add(&mixture, 7, 0, 2, 0.5, 1) && mass[0] >= 1, "counts without a mean");
}

/* What there is no room for is refused and leaves the mixture as it was, and nothing is NaN. */
static void test_refused(void) {
    ldp_mixture_begin(&mixture);
    CHECK(ldp_mixture_add(&mixture, 2, 1, 1, 0.5, 1), "no room");
    const int n = mixture.n;
    CHECK(!ldp_mixture_add(&mixture, 1e5, 1, 1, 0.5, 1), "k is too large");
    CHECK(!ldp_mixture_add(&mixture, 2, 1e6, 1, 0.5, 1), "mu is too large");
    CHECK(!ldp_mixture_add(&mixture, 2, 1e308, 1, 0.5, 1), "mu is too large");
    CHECK(!ldp_mixture_add_masked(&mixture, 1, 1e9, 1), "the tail is too long");
    CHECK(mixture.n == n, "the mixture has changed");
    static const double extreme[] = {5e-324, 1e-300, 1e-9, 1, 4000, 1e300};
    for (int m = 0; m < 6; m++)
        for (int e = 0; e < 6; e++)
            for (int k = -1; k < 4000; k += 1333) {
                ldp_mixture_begin(&mixture);
                if (!ldp_mixture_add(&mixture, k, extreme[m], extreme[e], 0.3, 1))
                    continue;
                const double mean = ldp_truenbinom_mean(k, extreme[m], extreme[e], 0.3);
                CHECK(fabs(ldp_mixture_mean(&mixture) - mean) <= 1e-9 * mean + 1e-300,
                      "%g for %g at k = %d, mu = %g, excess = %g", ldp_mixture_mean(&mixture), mean,
                      k, extreme[m], extreme[e]);
            }
}

int main(void) {
    check_begin();
    test_one();
    test_mixture();
    test_refused();
    return check_report("mixture");
}
