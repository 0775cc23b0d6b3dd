/* The Bessel law, P(m) = (a/2)^(2m+nu) / (m! Gamma(m+nu+1) I_nu(a)).
 *
 * With t = sqrt(nu^2 + a^2), n1 = (t + nu)/2, n2 = (t - nu)/2, so that n1 n2 = a^2/4, and S of
 * ldp_debye,
 *
 *     P(m) = Pois(m; n2) Pois(m+nu; n1) sqrt(2 pi t)/S,
 *
 * where m - n2 = (m+nu) - n1 = (m (m+nu) - a^2/4)/(m + n1): a product less a product, to more
 * than a double's digits, keeps what the difference would lose at large a. Below t = 36 the
 * series of I_nu is short.
 *
 * The cdf: a tail away from the mode, term by term, P(m+1)/P(m) = (a/2)^2/((m+1)(m+1+nu)).
 *
 * A draw, without a Bessel function: the law is prop. to Pois(m; n2) n1^(m+nu)/Gamma(m+nu+1),
 * whose second factor is largest at m* = floor(n2); propose m ~ Pois(n2), accept with its ratio
 * to that. Expected tries: at most sqrt(2) for nu >= 0, at most e for -1 < nu < 0.
 *
 * Sources: Yuan and Kalbfleisch (2000), On the Bessel distribution and related problems, eq. 1;
 * Devroye (2002), Simulating Bessel random variables, for the law and its mode. */
#include <math.h>

#include <Rmath.h>

#include "ldp_bessel.h"
#include "ldp_debye.h"
#include "ldp_math.h"
#include "ldp_poisson.h"
#include "ldp_quantile.h"

/* Below this a term no longer moves its sum, even times the number of terms left. */
static const double TERM_NEGLIGIBLE = 1e-19;

/* n1 and n2 of the head of this file: one is a sum, and the other would cancel. */
typedef struct halves {
    double t, n1, n2;
} halves;

static halves make_halves(double nu, double a, double t) {
    const double larger = (t + fabs(nu)) / 2;
    /* a^2 alone over- or underflows */
    const double smaller = larger > 0 ? (a / (2 * larger)) * (a / 2) : 0;
    return nu < 0 ? (halves){t, smaller, larger} : (halves){t, larger, smaller};
}

/* m (m+nu) - (a/2)^2 */
static double product_difference(double m, double nu, double a) {
    const double sum = m + nu, back = sum - m, lost = (m - (sum - back)) + (nu - back);
    const double up = m * sum, up_rest = fma(m, sum, -up) + m * lost;
    const double half = a / 2, down = half * half, down_rest = fma(half, half, -down);
    return (up - down) + (up_rest - down_rest);
}

/* log of (a/2)^(2m) / (m! (nu+1)...(nu+m)), for nu < 36 or so */
static double log_term(double m, double nu, double a) {
    if (m <= 0)
        return 0;
    return 2 * m * log(a / 2) - lgammafn(m + 1) - (lgammafn(m + nu + 1) - lgammafn(nu + 1));
}

/* D(m, n2), also where n2 underflows */
static double deviance_of_m(double m, double a, halves h, double difference) {
    if (m > 0 && h.n2 < 1e-200)
        return m * (log(m) + log(h.n1) - 2 * log(a / 2)) - m;
    return ldp_poisson_deviance(m, h.n2, difference);
}

/* t >= 36: log of Pois(m; n2), where n2 may underflow */
static double log_pmf_m(double m, double a, halves h, double difference) {
    const double deviance = deviance_of_m(m, a, h, difference);
    if (m <= 0)
        return -deviance;
    const double stirling = m < LDP_STIRLING_FROM
                                ? lgammafn(m + 1) - (m + 0.5) * log(m) + m - M_LN_SQRT_2PI
                                : ldp_stirling_error(m);
    return -deviance - stirling - log(2 * M_PI * m) / 2;
}

double ldp_bessel_log_pmf(double m, double nu, double a) {
    if (m < 0)
        return -INFINITY;
    if (a <= 0)
        return m > 0 ? -INFINITY : 0;
    const halves h = make_halves(nu, a, hypot(nu, a));
    if (h.t < LDP_DEBYE_FROM || (m <= 0 && (a / 2) * (a / 2) <= nu + 1))
        return log_term(m, nu, a) - log1p(ldp_debye_series(nu, a));
    const double difference = m > 0 ? product_difference(m, nu, a) / (m + h.n1) : -h.n2;
    const double p = nu / h.t;
    return log_pmf_m(m, a, h, difference) + ldp_poisson_log_pmf(m + nu, h.n1, difference) +
           log(2 * M_PI * h.t) / 2 - ldp_debye_log_sum(h.t, p * p);
}

/* sum_{j > m} P(j)/P(m+1) */
static double tail_above(double m, double nu, double a) {
    const double half = a / 2;
    double term = 1, sum = 1;
    for (double j = m + 2; term > sum * TERM_NEGLIGIBLE; j++) {
        term *= (half / j) * (half / (j + nu));
        sum += term;
    }
    return sum;
}

/* sum_{j <= m} P(j)/P(m) */
static double tail_below(double m, double nu, double a) {
    const double reciprocal = 2 / a;
    double term = 1, sum = 1;
    for (double j = m; j > 0 && term > sum * TERM_NEGLIGIBLE; j--) {
        term *= (j * reciprocal) * ((j + nu) * reciprocal);
        sum += term;
    }
    return sum;
}

double ldp_bessel_log_cdf(double m, int lower, double nu, double a) {
    if (m < 0)
        return lower ? -INFINITY : 0;
    if (a <= 0)
        return lower ? 0 : -INFINITY;
    const halves h = make_halves(nu, a, hypot(nu, a));
    const double v = h.n2 * (h.n1 / h.t), fall = log((m + 1) / h.n2) + log((m + 1 + nu) / h.n1);
    if (m >= floor(h.n2)) {
        const double sum =
            ldp_tail_is_long(fall, v) ? ldp_tail_large(fall, v) : tail_above(m, nu, a);
        const double log_tail = ldp_bessel_log_pmf(m + 1, nu, a) + log(sum);
        return lower ? ldp_log1m_exp(log_tail) : log_tail;
    }
    const double sum = ldp_tail_is_long(-fall, v) ? ldp_tail_large(-fall, v) : tail_below(m, nu, a);
    const double log_tail = ldp_bessel_log_pmf(m, nu, a) + log(sum);
    return lower ? log_tail : ldp_log1m_exp(log_tail);
}

static double log_cdf(double m, int lower, const double *theta) {
    return ldp_bessel_log_cdf(m, lower, theta[0], theta[1]);
}

double ldp_bessel_quantile(double log_p, int lower, double nu, double a) {
    if (a <= 0)
        return 0;
    const double theta[] = {nu, a};
    const halves h = make_halves(nu, a, hypot(nu, a));
    const ldp_quantile_law law = {log_cdf, theta, 0, h.n2, sqrt(h.n2 * (h.n1 / h.t))};
    return ldp_quantile(&law, log_p, lower);
}

/* u < n1^(m - mode) Gamma(mode+nu+1)/Gamma(m+nu+1): a product when m is near; else from the ratio
 * of Poisson terms about c = mode + nu, as n1 - c = n2 - mode is known, and exp(x) >= 1 + x saves
 * most exponentials. */
static int is_accepted(double u, double m, double mode, double nu, halves h) {
    if (!ldp_poisson_is_near(m, mode)) {
        const double c = mode + nu;
        const double x = (m - mode) * log1p((h.n2 - mode) / c) + ldp_poisson_log_ratio(m + nu, c);
        return u < 1 + x || u < exp(x);
    }
    double ratio = 1;
    for (double i = mode + 1; i <= m; i++)
        ratio *= h.n1 / (i + nu);
    for (double i = m + 1; i <= mode; i++)
        ratio *= (i + nu) / h.n1;
    return u < ratio;
}

double ldp_rbessel(double nu, double a) {
    if (a <= 0)
        return 0;
    /* quicker than hypot; where it underflows every draw is 0 anyway */
    const double t = fabs(nu) + a < 1e150 ? sqrt(nu * nu + a * a) : hypot(nu, a);
    const halves h = make_halves(nu, a, t);
    const double mode = floor(h.n2);
    for (;;) {
        const double m = h.n2 < 1 ? ldp_poisson_invert(unif_rand(), h.n2) : rpois(h.n2);
        if (m == mode || is_accepted(unif_rand(), m, mode, nu, h))
            return m;
    }
}
