/* The distribution of a release: sums, recurrences, limits, and values to 20 digits. */
#include <float.h>

#include <Rmath.h>

#include "cdf.h"
#include "check.h"
#include "ldp_privpois.h"

typedef struct value {
    double mu, alpha, k, log_pmf;
} value;

/* Summed outward from the largest term with 80 digits, and checked by a second method with 99;
 * every mu and alpha stands for the double nearest to it. Both sides of 0, the far tails, k
 * below, between and above alpha mu and mu/alpha. */
static const value values[] = {
    {1e-05, 0.001, -40, -2.7631222114995214832e+2}, {1e-05, 0.001, 0, -2.0099906666670667094e-3},
    {1e-05, 0.001, 40, -2.7630222115995214832e+2},  {1e-05, 0.5, 4, -3.8711910109078909291},
    {1e-05, 0.99, -704, -1.2368741365589512412e+1}, {1e-05, 0.99, 281, -8.1174490985482979862},
    {0.5, 0.001, -3, -2.1224765837613078160e+1},    {0.5, 0.001, 2, -2.5772755446757975606},
    {0.5, 0.001, 40, -1.3846532223864679429e+2},    {0.5, 0.5, 4, -3.3740654296313956328},
    {0.5, 0.5, 40, -2.8324499511065922068e+1},      {0.5, 0.99, 4, -5.3284595637604158546},
    {0.5, 0.99, 282, -8.1224490303613953915},       {30, 0.001, 4, -1.9569119745171826862e+1},
    {30, 0.001, 41, -4.5850380253356533646},        {30, 0.5, -40, -4.3824499511065922068e+1},
    {30, 0.5, 4, -1.3326189717453813512e+1},        {30, 0.5, 42, -4.7520568567344546547},
    {30, 0.99, 4, -5.5531034813238860006},          {30, 0.99, 312, -8.1259793079866406490},
    {2000, 0.001, -40, -2.2743122111599521483e+3},  {2000, 0.001, 40, -1.8062365741971020211e+3},
    {2000, 0.001, 2089, -6.6927102730569244978},    {2000, 0.5, 40, -9.7337272506627029731e+2},
    {2000, 0.5, 2090, -6.7337772245206089157},      {2000, 0.99, 40, -2.4891291390584451260e+1},
    {2000, 0.99, 2295, -8.1568054066303242122},
};

static void test_values(void) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const value v = values[i];
        CHECK_NEAR(ldp_privpois_log_pmf(v.k, v.mu, v.alpha), v.log_pmf, TOL_SERIES);
    }
}

typedef struct tails {
    double mu, alpha, k, log_lower, log_upper;
} tails;

static const tails tail_values[] = {
    {1e-05, 0.001, -40, -2.7631122064961856478e+2, -9.9899101903086984662e-121},
    {1e-05, 0.5, -40, -2.8131357330505976759e+1, -6.0632676954070917481e-13},
    {1e-05, 0.99, -704, -7.7635711796014219321, -4.2502665481233644015e-4},
    {1e-05, 0.99, 281, -2.9975377088210499545e-2, -3.5223292484137089565},
    {0.5, 0.001, 2, -1.4556531212668983068e-2, -4.2369849422491365054},
    {0.5, 0.5, -4, -3.4280538303479456196, -3.2988209549243893932e-2},
    {0.5, 0.99, -703, -7.7585207437479204864, -4.2717911407202379098e-4},
    {0.5, 0.99, 282, -2.9823624591720162177e-2, -3.5273291802268063618},
    {30, 0.001, 4, -1.9431235232401591720e+1, -3.6401708099747436552e-9},
    {30, 0.5, 0, -1.5405465108108164382e+1, -2.0393490112927106129e-7},
    {30, 0.99, -674, -7.7620610039963786939, -4.2566914133996976414e-4},
    {30, 0.99, 312, -2.9716947303425261623e-2, -3.5308594578520516193},
    {2000, 0.99, -40, -2.1090148072876476793e+1, -6.9289123817219202340e-10},
    {2000, 0.99, 2295, -2.8801746624202476054e-2, -3.5616855563644844541},
    /* one tail is next to 1; by data-raw/quantile_reference.py */
    {1e-14, 1e-15, -1, -34.538776394910696183, -9.9999999999998957771e-16},
    {1e-14, 1e-15, 0, -1.0999999999999989566e-14, -32.140881122112321165},
    {1e-10, 1e-10, -1, -23.025850930140456804, -9.9999999985000003645e-11},
    {1e-10, 1e-10, 0, -1.9999999998500000729e-10, -22.332703749555511494},
    {1e-10, 1e-20, -1, -46.051701859980913735, -9.9999999989999994515e-21},
    {1e-10, 1e-20, 0, -1.0000000001000000364e-10, -23.025850929890456804},
    {1e-5, 0.001, -1, -6.9087647693152205644, -0.00099949034313348297099},
    {1e-5, 0.001, 0, -0.0010094903330835331884, -6.8988143989074825863},
};

static double log_pmf(double k, const double *theta) {
    return ldp_privpois_log_pmf(k, theta[0], theta[1]);
}

static double log_cdf(double k, int lower, const double *theta) {
    return ldp_privpois_log_cdf(k, lower, theta[0], theta[1]);
}

static double quantile(double log_p, int lower, const double *theta) {
    return ldp_privpois_quantile((ldp_probability){log_p, 0, lower}, theta[0], theta[1]);
}

static void test_tails(void) {
    for (size_t i = 0; i < sizeof tail_values / sizeof *tail_values; i++) {
        const tails v = tail_values[i];
        CHECK_NEAR(ldp_privpois_log_cdf(v.k, 1, v.mu, v.alpha), v.log_lower, TOL_SERIES);
        CHECK_NEAR(ldp_privpois_log_cdf(v.k, 0, v.mu, v.alpha), v.log_upper, TOL_SERIES);
    }
    static const law_functions functions = {log_pmf, log_cdf, quantile};
    static const double thetas[][2] = {{1e-8, 0.4}, {0.5, 1e-6}, {7, 0.9}, {60, 0.3}, {0, 0.6}};
    for (size_t i = 0; i < sizeof thetas / sizeof *thetas; i++) {
        check_cdf(functions, thetas[i], -400, 500);
        for (double k = -100; k <= 200; k++)
            check_quantile(functions, thetas[i], k);
    }
}

/* Cells for the properties below: from sparse to dense counts, from little to much noise. */
static const double mus[] = {1e-8, 0.02, 0.5, 1, 7.3, 60, 900};
static const double alphas[] = {1e-6, 0.02, 0.37, 0.5, 0.75, 0.97};
enum { N_MU = sizeof mus / sizeof *mus, N_ALPHA = sizeof alphas / sizeof *alphas };

/* The part above 0 term by term; the part up to 0 is a geometric series. */
static void check_sum(double mu, double alpha) {
    double upper = 0, lower = 0;
    for (double k = 1; k < mu + 1 || ldp_privpois_log_pmf(k, mu, alpha) > -45; k++)
        upper += exp(ldp_privpois_log_pmf(k, mu, alpha));
    for (double k = 0; ldp_privpois_log_pmf(k, mu, alpha) > -800; k--)
        lower += exp(ldp_privpois_log_pmf(k, mu, alpha));
    CHECK_NEAR(lower, exp(-(1 - alpha) * mu) / (1 + alpha), TOL_SERIES);
    CHECK_NEAR(lower + upper, 1, TOL_SERIES);
}

/* sum_y Pois(y; mu) (1-al)/(1+al) al^|k-y|, as it stands. */
static double log_pmf_by_definition(double k, double mu, double alpha) {
    const double end = fmax(k, mu) + 200 + 40 * sqrt(mu);
    double largest = -INFINITY, sum = 0;
    for (double y = 0; y < end; y++)
        largest = fmax(largest, dpois(y, mu, 1) + fabs(k - y) * log(alpha));
    for (double y = 0; y < end; y++)
        sum += exp(dpois(y, mu, 1) + fabs(k - y) * log(alpha) - largest);
    return largest + log(sum) + log1p(-alpha) - log1p(alpha);
}

/* E[y | k] = mu p(k-1)/p(k) is alpha mu up to k = 0, then rises and stays below mu/alpha. */
static void check_mean_of_truth(double mu, double alpha) {
    double before = alpha * mu;
    int n_wrong = 0;
    for (double k = -5; k < 2 * mu + 60; k++) {
        const double mean =
            mu * exp(ldp_privpois_log_pmf(k - 1, mu, alpha) - ldp_privpois_log_pmf(k, mu, alpha));
        if (k <= 0)
            CHECK_NEAR(mean / mu, alpha, TOL_SERIES);
        n_wrong += !(mean > 0 && mean >= before * (1 - TOL_SERIES) &&
                     mean <= mu / alpha * (1 + TOL_DIFFERENCE));
        before = mean;
    }
    CHECK(n_wrong == 0, "mu = %g, alpha = %g: E[y | k] wrong at %d k", mu, alpha, n_wrong);
}

static void test_properties(void) {
    static const double ks[] = {-30, -1, 0, 1, 2, 3, 8, 25, 120, 900, 1500};
    for (int i = 0; i < N_MU; i++)
        for (int j = 0; j < N_ALPHA; j++) {
            check_sum(mus[i], alphas[j]);
            check_mean_of_truth(mus[i], alphas[j]);
            for (size_t c = 0; c < sizeof ks / sizeof *ks; c++)
                CHECK_NEAR(ldp_privpois_log_pmf(ks[c], mus[i], alphas[j]),
                           log_pmf_by_definition(ks[c], mus[i], alphas[j]), TOL_SERIES);
        }
}

/* mu -> 0: the noise alone. */
static void test_no_counts(void) {
    static const double small[] = {0, DBL_TRUE_MIN, DBL_MIN, 1e-200, 1e-18};
    for (size_t c = 0; c < sizeof small / sizeof *small; c++)
        for (int j = 0; j < N_ALPHA; j++)
            for (double k = -20; k <= 20; k++) {
                const double alpha = alphas[j];
                const double noise = log1p(-alpha) - log1p(alpha) + fabs(k) * log(alpha);
                /* at k > 0 a count can save noise: not negligible unless mu << alpha */
                if (small[c] < 1e-13 * alpha)
                    CHECK_NEAR(ldp_privpois_log_pmf(k, small[c], alpha), noise, TOL_SERIES);
            }
}

/* alpha -> 0: the count alone. */
static void test_no_noise(void) {
    for (int i = 0; i < N_MU; i++)
        for (double k = 0; k <= 40; k++) {
            const double truth = dpois(k, mus[i], 1);
            CHECK_NEAR(ldp_privpois_log_pmf(k, mus[i], 0), truth, TOL_EXACT);
            CHECK_NEAR(ldp_privpois_log_pmf(k, mus[i], DBL_TRUE_MIN), truth, TOL_SERIES);
            CHECK_NEAR(ldp_privpois_log_pmf(k, mus[i], 1e-300), truth, TOL_SERIES);
        }
    CHECK_NEAR(ldp_privpois_log_pmf(0, 0, 0), 0, TOL_EXACT);
    CHECK(ldp_privpois_log_pmf(3, 0, 0) == -INFINITY, "a count where none can be");
    CHECK(ldp_privpois_log_pmf(-1, 2, 0) == -INFINITY, "below 0 without noise");
}

/* Where a sum changes its form, k = mu/alpha and k = alpha mu, nothing jumps: the ratio of
 * neighbours is that of the definition. Far out, the distribution is finite and falls. */
static void test_seams(void) {
    for (double k = 30; k <= 50; k++) {
        CHECK_NEAR(ldp_privpois_log_pmf(k, 20, 0.5), log_pmf_by_definition(k, 20, 0.5), TOL_SERIES);
        CHECK_NEAR(ldp_privpois_log_pmf(k, 80, 0.5), log_pmf_by_definition(k, 80, 0.5), TOL_SERIES);
    }
    static const double far[] = {1e6, 1e9, 2147483647, 1e12};
    double before = 0;
    for (size_t c = 0; c < sizeof far / sizeof *far; c++) {
        const double l = ldp_privpois_log_pmf(far[c], 3, 0.5);
        CHECK(isfinite(l) && l < before, "k = %g: %g", far[c], l);
        before = l;
    }
}

/* p(k+1) + p(k-1) - (al + 1/al) p(k) = -(1-al)/(1+al) (1/al - al) Pois(k; mu): the noise as a
 * difference equation, which also serves where a sum from the definition would be too long.
 * From k = 1e9 the kernel promises log P to within 1e-12 k only. */
static void test_difference_equation(void) {
    static const double means[] = {50, 1e4, 1e6, 1e8, 8e8, 4e9};
    static const double some_alphas[] = {0.05, 0.5, 0.8};
    for (size_t m = 0; m < sizeof means / sizeof *means; m++)
        for (size_t c = 0; c < sizeof some_alphas / sizeof *some_alphas; c++)
            for (double sds = -5; sds <= 5; sds++) {
                const double mu = means[m], alpha = some_alphas[c];
                const double k = floor(mu + sds * sqrt(mu)), p = ldp_privpois_log_pmf(k, mu, alpha);
                const double up = exp(ldp_privpois_log_pmf(k + 1, mu, alpha) - p);
                const double down = exp(ldp_privpois_log_pmf(k - 1, mu, alpha) - p);
                const double noise = (1 - alpha) / (1 + alpha) * (1 / alpha - alpha);
                const double right = up + down + noise * exp(dpois(k, mu, 1) - p);
                if (k < 1e9)
                    CHECK_NEAR(right, alpha + 1 / alpha, TOL_DIFFERENCE);
                else
                    CHECK_NEAR(right, alpha + 1 / alpha, TOL_SERIES * k);
            }
}

int main(void) {
    check_begin();
    test_values();
    test_tails();
    test_properties();
    test_no_counts();
    test_no_noise();
    test_seams();
    test_difference_equation();
    return check_report("privpois");
}
