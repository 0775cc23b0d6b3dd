/* Draws of the truth behind a release against the normalised law, on every branch. */
#include <string.h>

#include "check.h"
#include "ldp_truecount.h"
#include "random.h"

/* The branches of ldp_rtruecount, as its conditions choose them; "between" has two proposals. */
static const char *branch_of(double k, double mu, double alpha) {
    if (k <= 0)
        return "non-positive";
    if (mu <= alpha * k)
        return mu / alpha < 1 ? "from below, by inversion" : "from below";
    if (k <= alpha * mu)
        return "from above";
    const double up = alpha * mu / k, down = alpha * k / mu;
    return (1 / (1 - up) + down / (1 - down)) / sqrt(2 * M_PI * k) > 1 ? "between, from Poisson"
                                                                       : "between, from geometric";
}

typedef struct set {
    double k, mu, alpha;
    const char *branch;
} set;

static const set sets[] = {
    {0, 4, 0.5, "non-positive"},
    {-7, 25, 0.9, "non-positive"},
    {1, 0.05, 0.37, "from below, by inversion"},
    {3, 0.3, 0.35, "from below, by inversion"},
    {1, 0.74, 0.75, "from below, by inversion"}, /* mu/alpha nearly 1: y > k is often refused */
    {20, 5, 0.5, "from below"},
    {10, 5, 0.5, "from below"}, /* mu = alpha k: half of the proposals lie above k */
    {12, 10.5, 0.9, "from below"},
    {3, 40, 0.4, "from above"},
    {20, 40, 0.5, "from above"}, /* k = alpha mu */
    {27, 30.5, 0.9, "from above"},
    {10, 10, 0.9, "between, from Poisson"},
    {2, 2, 0.6, "between, from Poisson"},
    {50, 34, 0.65, "between, from Poisson"}, /* 0.44 up, 0.96 down */
    {50, 75, 0.65, "between, from Poisson"}, /* 0.975 up, 0.43 down */
    {1000, 1005, 0.99, "between, from Poisson"},
    {1, 1, 0.3, "between, from geometric"}, /* proposals below 0 */
    {100, 100, 0.5, "between, from geometric"},
    {50, 40, 0.65, "between, from geometric"}, /* the ratios differ: 0.52 up, 0.81 down */
    {50, 65, 0.65, "between, from geometric"}, /* 0.85 up, 0.5 down */
    {300, 300, 0.93, "between, from geometric"}, /* Pois(y; k) more than 24 from k */
    {4000, 4000, 0.96, "between, from geometric"},
};

static law truth_law(double k, double mu, double alpha) {
    const double middle = k <= 0 ? alpha * mu : fmin(fmax(k, alpha * mu), mu / alpha);
    const double width = 60 + 12 * sqrt(middle);
    const double lowest = floor(fmax(0, middle - width));
    law l = law_new(lowest, (int)(middle + width - lowest));
    for (int i = 0; i < l.n; i++) {
        const double y = lowest + i;
        l.p[i] = y * log(mu) - lgammafn(y + 1) + fabs(k - y) * log(alpha);
    }
    law_normalise(&l);
    return l;
}

static void check_set(set s, int n) {
    char name[120];
    snprintf(name, sizeof name, "k = %g, mu = %g, alpha = %g, %s", s.k, s.mu, s.alpha, s.branch);
    CHECK(strcmp(branch_of(s.k, s.mu, s.alpha), s.branch) == 0, "%s, but the branch is %s", name,
          branch_of(s.k, s.mu, s.alpha));
    law l = truth_law(s.k, s.mu, s.alpha);
    for (int i = 0; i < n; i++)
        law_see(&l, ldp_rtruecount(s.k, s.mu, s.alpha));
    law_check(&l, name);
    law_free(&l);
}

static void check_edges(void) {
    for (double k = 0; k <= 1000; k += 100) {
        CHECK_NEAR(ldp_rtruecount(k, 3, 0), k, TOL_EXACT); /* no noise */
        CHECK_NEAR(ldp_rtruecount(k, 3, 1e-300), k, TOL_EXACT); /* hardly any */
        CHECK_NEAR(ldp_rtruecount(k, 0, 0.5), 0, TOL_EXACT); /* no counts */
        CHECK_NEAR(ldp_rtruecount(-k, 0, 0.5), 0, TOL_EXACT);
        CHECK_NEAR(ldp_rtruecount(k, 1e-300, 0.5), 0, TOL_EXACT);
    }
    CHECK_NEAR(ldp_rtruecount(0, 0, 0), 0, TOL_EXACT);
}

/* At the edge of two branches, alpha (mu/k) may round to 1; and alpha close to 1 is hardly a
 * law of noise. A draw is a whole number all the same, and comes to an end. */
static void check_rounding(void) {
    int n_wrong = 0;
    for (int i = 0; i < 20000; i++) {
        const double k = 1 + floor(50 * unif_rand());
        const double alpha = i % 2 ? 1 - 1e-14 * unif_rand() : unif_rand();
        const double edge = i % 4 < 2 ? k / alpha : k * alpha;
        const double mu = edge * (1 + 2.3e-16 * floor(5 * unif_rand() - 2));
        const double y = ldp_rtruecount(k, mu, alpha);
        n_wrong += !(y >= 0 && y == floor(y) && isfinite(y));
    }
    CHECK(n_wrong == 0, "%d draws are no counts", n_wrong);
}

int main(void) {
    const int n_sets = sizeof sets / sizeof *sets;
    check_begin();
    random_budget(n_sets);
    set_seed(30, 1);
    for (int i = 0; i < n_sets; i++)
        check_set(sets[i], 300000);
    check_edges();
    check_rounding();
    random_budget_kept();
    return check_report("truecount");
}
