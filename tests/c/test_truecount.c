/* The truth behind a release: 80-digit values, sums, quantiles; draws against the normalised
 * distribution, on every branch. */
#include <string.h>

#include "cdf.h"
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

typedef struct value {
    double mu, alpha, k, y, log_pmf, log_lower, log_upper;
} value;

/* With 80 digits; parameters stand for the doubles nearest to them. */
static const value values[] = {
    {1e-05, 0.001, 0, 0, -1.0000000000000001026e-8, -1.0000000000000001026e-8,
     -1.8420680748952365365e+1},
    {1e-05, 0.5, -40, 0, -5.0000000000000004090e-6, -5.0000000000000004090e-6,
     -1.2206075145529131981e+1},
    {1e-05, 0.99, 4, 0, -1.0101010101010101927e-5, -1.0101010101010101927e-5,
     -1.1502880179617526126e+1},
    {0.5, 0.001, -3, 0, -5.0000000000000001041e-4, -5.0000000000000001041e-4,
     -7.6011524491254156957},
    {0.5, 0.5, -40, 0, -2.5000000000000000000e-1, -2.5000000000000000000e-1,
     -1.5086915494460321341},
    {0.5, 0.5, 4, 60, -2.6725779322766196114e+2, -3.5138235067521388125e-119,
     -2.7275092130352717453e+2},
    {30, 0.001, -40, 0, -3.0000000000000000625e-2, -3.0000000000000000625e-2,
     -3.5215203976012276383},
    {30, 0.001, 4, 3, -8.9288028587185661108, -8.9287028570520105580, -1.3253860606072721304e-4},
    {30, 0.5, -40, 161, -2.3957017869841770854e+2, -9.2144276641660660246e-106,
     -2.4185324937732771966e+2},
    {30, 0.5, 4, 0, -2.0545011293454077417e+1, -2.0545011293454077417e+1,
     -1.1951294956700422135e-9},
    {30, 0.99, 4, 0, -2.9780402686814611303e+1, -2.9780402686814611303e+1,
     -1.1655621724752501291e-13},
    {30, 0.99, 4, 222, -2.5788038720537376854e+2, -1.5493612267076334038e-113,
     -2.5975427277413894006e+2},
    {2000, 0.001, 0, 2, -1.3068528194400546906, -3.9056208756589964205e-1, -1.1291016497509286080},
    {2000, 0.5, 0, 874, -1.2599708560641799003e+1, -1.0576635054880514888e+1,
     -2.5505350552235365789e-5},
    {2000, 0.99, -40, 1802, -1.2919477689624948555e+1, -1.0560421708339609355e+1,
     -2.5922253563044679465e-5},
    {2000, 0.99, 0, 1979, -4.7144066825906928843, -6.9914217209672777538e-1,
     -6.8718791487685926104e-1},
    {2000, 0.99, 40, 1978, -4.7149118606767080685, -7.1734502599670675254e-1,
     -6.6952106348968810409e-1},
};

typedef struct moment {
    double mu, alpha, k, mean, var;
} moment;

static const moment moments[] = {
    {1e-05, 0.001, -40, 1.0000000000000001026e-8, 1.0000000000000001026e-8},
    {1e-05, 0.5, -4, 5.0000000000000004090e-6, 5.0000000000000004090e-6},
    {1e-05, 0.99, 4, 1.0101010101010101927e-5, 1.0101010101010101927e-5},
    {0.5, 0.001, 2, 1.9961667111227517517, 4.1666003175736692200e-3},
    {0.5, 0.5, 4, 9.8786942515756514216e-1, 9.5070336637103555068e-1},
    {0.5, 0.99, 4, 5.0503228994997860873e-1, 5.0496670131412940089e-1},
    {30, 0.001, 4, 4.0058907203364718041, 6.1815373544470418209e-3},
    {30, 0.5, 4, 1.5002036195901383597e+1, 1.4977494278460185613e+1},
    {30, 0.99, 4, 2.9700000000360444157e+1, 2.9699999990699836067e+1},
    {2000, 0.001, 40, 4.0051131370687127557e+1, 5.3651486031894533382e-2},
    {2000, 0.5, 40, 1.0000000000000000000e+3, 1.0000000000000000000e+3},
    {2000, 0.99, 40, 1.9799999999999999822e+3, 1.9799999999999999822e+3},
};

static void check_values(void) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const value v = values[i];
        CHECK_NEAR(ldp_truecount_log_pmf(v.y, v.k, v.mu, v.alpha), v.log_pmf, TOL_ROUNDING);
        CHECK_NEAR(ldp_truecount_log_cdf(v.y, 1, v.k, v.mu, v.alpha), v.log_lower, TOL_SERIES);
        CHECK_NEAR(ldp_truecount_log_cdf(v.y, 0, v.k, v.mu, v.alpha), v.log_upper, TOL_SERIES);
    }
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        const moment v = moments[i];
        CHECK_NEAR(ldp_truecount_mean(v.k, v.mu, v.alpha) / v.mean, 1, TOL_ROUNDING);
        CHECK_NEAR(ldp_truecount_var(v.k, v.mu, v.alpha) / v.var, 1, TOL_SERIES);
    }
}

static double log_pmf(double y, const double *theta) {
    return ldp_truecount_log_pmf(y, theta[0], theta[1], theta[2]);
}

static double log_cdf(double y, int lower, const double *theta) {
    return ldp_truecount_log_cdf(y, lower, theta[0], theta[1], theta[2]);
}

static double quantile(double log_p, int lower, const double *theta) {
    return ldp_truecount_quantile((ldp_probability){log_p, 0, lower}, theta[0], theta[1], theta[2]);
}

/* The distribution itself, on every branch, is that of its definition. */
static void check_law_of(set s) {
    static const law_functions functions = {log_pmf, log_cdf, quantile};
    const double theta[] = {s.k, s.mu, s.alpha};
    law l = truth_law(s.k, s.mu, s.alpha);
    double mean = 0, var = 0;
    for (int i = 0; i < l.n; i++) {
        CHECK_NEAR(exp(log_pmf(l.lowest + i, theta)), l.p[i], TOL_SERIES);
        mean += (l.lowest + i) * l.p[i];
    }
    for (int i = 0; i < l.n; i++)
        var += (l.lowest + i - mean) * (l.lowest + i - mean) * l.p[i];
    CHECK_NEAR(ldp_truecount_mean(s.k, s.mu, s.alpha), mean, TOL_SERIES);
    CHECK_NEAR(ldp_truecount_var(s.k, s.mu, s.alpha), var, 10 * TOL_SERIES);
    check_cdf(functions, theta, l.lowest, l.lowest + l.n - 1);
    for (int i = 0; i < l.n; i++)
        check_quantile(functions, theta, l.lowest + i);
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
 * distribution of noise. A draw is a whole number all the same, and comes to an end. */
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

/* Where the sampler spends its time: small releases, means about alpha and above. */
static const set small_sets[] = {
    {1, 0.01, 0.37, "outward"},
    {1, 0.3, 0.37, "outward"},
    {1, 0.5, 0.37, "outward"},
    {2, 0.36, 0.37, "outward"},
    {3, 0.2, 0.6, "outward"},
    {3, 4.9, 0.6, "outward"},
    {2, 0.8, 0.05, "outward"},
    {16, 20, 0.75, "outward"},
    {16, 0.7, 0.75, "outward"},
    {5, 3, 0.99, "outward"},
    {17, 0.5, 0.75, "from below, by inversion"},
    {40, 0.35, 0.37, "from below, by inversion"},
};
enum { N_SMALL = sizeof small_sets / sizeof *small_sets };

/* By a given uniform, with the comparison that comes first: the same distribution on every branch.
 * */
static void check_by_uniform(set s, int n) {
    law l = truth_law(s.k, s.mu, s.alpha);
    char name[120];
    ldp_stream stream = ldp_stream_open();
    snprintf(name, sizeof name, "by u: k = %g, mu = %g, alpha = %g", s.k, s.mu, s.alpha);
    for (int i = 0; i < n; i++) {
        const double u = ldp_stream_uniform(&stream);
        const int settled = s.k > 0 && s.alpha > 0 && u < 1 - s.mu / s.alpha;
        law_see(&l, settled ? 0 : ldp_rtruecount_by(&stream, u, s.k, s.mu, s.alpha));
    }
    law_check(&l, name);
    law_free(&l);
}

/* The smallest and the largest uniform, tiny means and large, k at the limit of the method. */
static void check_by_edges(void) {
    static const double us[] = {1.1102230246251565e-16, 0.5, 1 - 1.1102230246251565e-16};
    static const double xs[] = {1.2e-16, 1e-9, 0.5, 1, 3, 100};
    ldp_stream stream = ldp_stream_seeded(31);
    int n_wrong = 0;
    for (size_t i = 0; i < sizeof us / sizeof *us; i++)
        for (size_t j = 0; j < sizeof xs / sizeof *xs; j++)
            for (double k = 1; k <= 18; k++) {
                if (us[i] < 1 - xs[j])
                    continue;
                const double y = ldp_rtruecount_by(&stream, us[i], k, xs[j] * 0.4, 0.4);
                n_wrong += !(y >= 0 && y == floor(y) && y < 1000);
            }
    CHECK(n_wrong == 0, "%d draws are no counts", n_wrong);
    CHECK_NEAR(ldp_rtruecount_by(&stream, 0.7, 3, 1, 0), 3, TOL_EXACT);
    CHECK(isnan(ldp_rtruecount_by(&stream, 0.7, 3, INFINITY, 0.5)), "an infinite mean");
}

int main(void) {
    const int n_sets = sizeof sets / sizeof *sets;
    check_begin();
    random_budget(2 * n_sets + N_SMALL);
    set_seed(30, 1);
    for (int i = 0; i < n_sets; i++)
        check_set(sets[i], check_some(300000));
    for (int i = 0; i < n_sets; i++)
        check_by_uniform(sets[i], check_some(300000));
    for (int i = 0; i < N_SMALL; i++)
        check_by_uniform(small_sets[i], check_some(1000000));
    check_by_edges();
    check_values();
    for (int i = 0; i < n_sets; i++)
        check_law_of(sets[i]);
    check_edges();
    check_rounding();
    random_budget_kept();
    return check_report("truecount");
}
