/* Sources: Loader (2000), Fast and accurate computation of binomial probabilities, for the form;
 * DLMF 5.11.1 for the error of Stirling's formula. */
#include <math.h>

#include <Rmath.h>

#include "ldp_math.h"
#include "ldp_poisson.h"

/* Terms below this share of their sum are negligible, even times the number of terms left. */
static const double TERM_NEGLIGIBLE = 1e-19;

double ldp_stirling_error(double x) {
    const double s = 1 / (x * x);
    return (1. / 12 - s * (1. / 360 - s * (1. / 1260 - s * (1. / 1680 - s / 1188)))) / x;
}

static double log_quotient(double x, double l) {
    const double q = x / l;
    return q > 1e-290 && q < 1e290 ? log(q) : log(x) - log(l);
}

double ldp_poisson_deviance(double x, double l, double x_minus_l) {
    if (x <= 0)
        return l;
    if (x > 2 * l || l > 2 * x)
        return x * log_quotient(x, l) - x_minus_l;
    return -x * log1pmx(-x_minus_l / x);
}

double ldp_poisson_log_pmf(double x, double l, double x_minus_l) {
    if (l <= 0)
        return x > 0 ? -INFINITY : 0;
    if (x < LDP_STIRLING_FROM)
        return x * log(l) - l - lgammafn(x + 1);
    return -ldp_poisson_deviance(x, l, x_minus_l) - ldp_stirling_error(x) - log(2 * M_PI * x) / 2;
}

double ldp_poisson_log_ratio(double x, double c) {
    if (c <= 0)
        return x > 0 ? -INFINITY : 0;
    if (x < LDP_STIRLING_FROM || c < LDP_STIRLING_FROM)
        return (x - c) * log(c) + lgammafn(c + 1) - lgammafn(x + 1);
    const double stirling = ldp_stirling_error(c) - ldp_stirling_error(x), change = (x - c) / c;
    if (fabs(change) < 0.1) /* D(x, c) = x log1pmx(change) + (x - c) change */
        return stirling - (x + 0.5) * log1pmx(change) - change * (x - c + 0.5);
    return stirling - ldp_poisson_deviance(x, c, x - c) - log_quotient(x, c) / 2;
}

/* A tail has 9 sqrt(v) terms, or 42/fall if that is less. */
int ldp_tail_is_long(double fall, double v) {
    return v > 1e11 && fall < 1e-5;
}

/* The integral of exp(-fall n - n^2/(2v)) over n > 0, and half the first term. */
double ldp_tail_large(double fall, double v) {
    const double z = fmax(0, fall) * sqrt(v);
    if (z > 1e8)
        return 0.5 + 1 / fall;
    return 0.5 + sqrt(v) * exp(pnorm(z, 0, 1, 0, 1) - dnorm(z, 0, 1, 1));
}

double ldp_poisson_below(double k, double l) {
    const double fall = log_quotient(l, k);
    if (ldp_tail_is_long(fall, k))
        return (k / l) * ldp_tail_large(fall, k);
    double term = 1, sum = 0;
    for (double y = k; y > 0 && term > sum * TERM_NEGLIGIBLE; y--) {
        term *= y / l;
        sum += term;
    }
    return sum;
}

double ldp_poisson_above(double k, double l) {
    const double fall = log_quotient(k + 1, l);
    if (ldp_tail_is_long(fall, k))
        return l / (k + 1) * ldp_tail_large(fall, k);
    double term = 1, sum = 0;
    for (double y = k + 1; term > sum * TERM_NEGLIGIBLE; y++) {
        term *= l / y;
        sum += term;
    }
    return sum;
}

double ldp_poisson_log_cdf(double k, double l, int lower) {
    if (k < 0)
        return lower ? -INFINITY : 0;
    if (k < l) {
        const double log_lower = ldp_poisson_log_pmf(k, l, k - l) + log1p(ldp_poisson_below(k, l));
        return lower ? log_lower : ldp_log1m_exp(log_lower);
    }
    const double log_upper = ldp_poisson_log_pmf(k, l, k - l) + log(ldp_poisson_above(k, l));
    return lower ? ldp_log1m_exp(log_upper) : log_upper;
}

/* exp(-x) >= 1 - x saves most exponentials */
double ldp_poisson_invert(double u, double x) {
    if (u < 1 - x)
        return 0;
    double p = exp(-x), cdf = p, y = 0;
    while (u >= cdf && p > 0) {
        y++;
        p *= x / y;
        cdf += p;
    }
    return y;
}
