/* Log densities of many releases against those of thirteen digits: every way that ldp_quick goes,
 * all noise levels. */
#include "check.h"
#include "ldp_bursts.h"
#include "ldp_privnbinom.h"
#include "ldp_privpois.h"
#include "ldp_quick.h"
#include "random.h"

/* What is promised. */
#define TOL_QUICK 1e-9

static const double alphas[] = {1e-6, 0.05, 0.37,     0.5,      0.74,     0.9,
                                0.97, 0.99, 1 - 1e-3, 1 - 1e-4, 1 - 1e-6, 1 - 1e-9};
static const double excesses[] = {0, 1e-12, 1e-3, 0.2, 1, 10, 120, 1e4, 1e6};
static const double means[] = {1e-300, 1e-9, 1e-3, 0.05, 0.4, 2, 9, 40, 300, 4000, 1e6};
static const double releases[] = {-1e9, -40, 0,   1,   2,    3,    7,   16,  17,
                                  33,   64,  150, 400, 1000, 3000, 2e4, 1e6, 1e9};

#define LENGTH(x) (sizeof(x) / sizeof *(x))

static double precise(double k, double lambda, double excess, double alpha) {
    const double mu = lambda * ldp_bursts_size(excess);
    const double log_pmf = excess > 0 ? ldp_privnbinom_log_pmf(k, mu, excess, alpha)
                                      : ldp_privpois_log_pmf(k, mu, alpha);
    return k > 0 ? log_pmf : log_pmf - (log1p(-alpha) - log1p(alpha) - k * log(alpha));
}

/* Of a release at or below zero the constant is taken off again, and takes digits with it. */
static double tolerance_of(double k, double alpha) {
    return k > 0 ? TOL_QUICK : fmax(TOL_QUICK, 1e-14 * k * log(alpha));
}

static void check_one(ldp_quick *quick, double k, double mu) {
    const double lambda = mu / ldp_bursts_size(quick->excess);
    const double value = ldp_quick_log_density(quick, 1, &k, &lambda);
    const double reference = precise(k, lambda, quick->excess, quick->alpha);
    const double error = fabs(value - reference) / fmax(1, fabs(reference));
    CHECK(error <= tolerance_of(k, quick->alpha),
          "k = %g, mu = %g, excess = %g, alpha = 1 - %g: %.17g, should be %.17g, error %g", k, mu,
          quick->excess, 1 - quick->alpha, value, reference, error);
}

static void check_grid(int room) {
    for (size_t a = 0; a < LENGTH(alphas); a++)
        for (size_t x = 0; x < LENGTH(excesses); x++) {
            ldp_quick quick = {.room = room, .row = check_alloc((size_t)room, sizeof *quick.row)};
            ldp_quick_prepare(&quick, excesses[x], alphas[a]);
            for (size_t m = 0; m < LENGTH(means); m++)
                for (size_t k = 0; k < LENGTH(releases); k++)
                    check_one(&quick, releases[k], means[m]);
            free(quick.row);
        }
}

/* Everywhere between. */
static void check_random(int n) {
    ldp_quick quick = {.room = 500, .row = check_alloc(500, sizeof *quick.row)};
    for (int i = 0; i < n; i++) {
        const double alpha = i % 2 ? 1 - exp(log(1e-9) * unif_rand()) : unif_rand();
        const double excess = i % 3 ? exp(log(1e-6) + log(1e12) * unif_rand()) : 0;
        ldp_quick_prepare(&quick, excess, alpha);
        for (int j = 0; j < 20; j++)
            check_one(&quick, ceil(exp(unif_rand() * (j % 2 ? 6 : 12))),
                      exp(log(1e-6) + log(1e10) * unif_rand()));
    }
    free(quick.row);
}

int main(void) {
    check_begin();
    set_seed(5, 9);
    check_grid(0);
    check_grid(2000);
    check_random(3000);
    return check_report("quick");
}
