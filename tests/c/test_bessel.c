/* Draws of the Bessel law against its pmf, normalised term by term. */
#include "check.h"
#include "ldp_bessel.h"
#include "random.h"

/* log of (a/2)^(2m+nu) / (m! Gamma(m+nu+1)), from its peak outward as far as it matters. */
static law bessel_law(double nu, double a) {
    const double l1 = (hypot(nu, a) + nu) / 2, peak = a * a / (4 * l1);
    const double lowest = floor(fmax(0, peak - 60 - 12 * sqrt(peak)));
    law l = law_new(lowest, (int)(peak + 60 + 12 * sqrt(peak) - lowest));
    for (int i = 0; i < l.n; i++) {
        const double m = lowest + i;
        l.p[i] = (2 * m + nu) * log(a / 2) - lgammafn(m + 1) - lgammafn(m + nu + 1);
    }
    law_normalise(&l);
    return l;
}

static void check_law(double nu, double a, int n) {
    char name[120];
    snprintf(name, sizeof name, "Bessel(%g, %g)", nu, a);
    law l = bessel_law(nu, a);
    for (int i = 0; i < n; i++)
        law_see(&l, ldp_rbessel(nu, a));
    law_check(&l, name);
    law_free(&l);
}

static void check_edges(void) {
    static const double nus[] = {0, 1, 5, 50, 1e6};
    for (size_t i = 0; i < sizeof nus / sizeof *nus; i++) {
        CHECK_NEAR(ldp_rbessel(nus[i], 0), 0, TOL_EXACT);
        CHECK_NEAR(ldp_rbessel(nus[i], 1e-300), 0, TOL_EXACT); /* P(m > 0) is 1e-600 */
        const double m = ldp_rbessel(nus[i], 1e9);
        CHECK(m >= 0 && m == floor(m) && fabs(m - 5e8) < 2e6, "m = %g", m);
    }
}

/* P(m > 0) is about (a/2)^2/(nu + 1), below 1e-12 for all of these: every draw is 0. A sum
 * sqrt(nu^2 + a^2) + nu loses its digits here. */
static void check_small_negative_order(void) {
    static const double nus[] = {-0.01, -0.5, -0.9, -0.99};
    for (size_t i = 0; i < sizeof nus / sizeof *nus; i++) {
        int n_wrong = 0;
        double last_wrong = 0;
        for (double a = 1e-300; a < 2e-7; a *= a < 1e-12 ? 1e8 : 1.2)
            for (int j = 0; j < 100; j++)
                if (ldp_rbessel(nus[i], a) != 0) {
                    n_wrong++;
                    last_wrong = a;
                }
        CHECK(n_wrong == 0, "nu = %g: %d draws are not 0, at a up to %g", nus[i], n_wrong,
              last_wrong);
    }
}

int main(void) {
    static const double nus[] = {0, 1, 5, 50, -0.5};
    static const double as[] = {0.3, 2, 20, 300};
    check_begin();
    random_budget(23);
    set_seed(20, 1);
    for (size_t i = 0; i < sizeof nus / sizeof *nus; i++)
        for (size_t j = 0; j < sizeof as / sizeof *as; j++)
            check_law(nus[i], as[j], as[j] < 1 && nus[i] == 50 ? 2000000 : 300000);
    check_law(0, 2e4, 300000); /* ratios by lgamma: draws are often more than 24 from the mode */
    check_law(1000, 3000, 300000);
    check_law(-0.99, 1, 300000);
    check_edges();
    check_small_negative_order();
    random_budget_kept();
    return check_report("bessel");
}
