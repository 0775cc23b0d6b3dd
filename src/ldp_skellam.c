/* P(k) = exp(-l1 - l2) (l1/l2)^(k/2) I_|k|(2 sqrt(l1 l2)).
 *
 * The pmf. With t = sqrt(k^2 + 4 l1 l2), n1 = (t + k)/2, n2 = (t - k)/2, so that n1 n2 = l1 l2, and
 * S of ldp_debye,
 *
 *     log P(k) = -D(n1, l1) - D(n2, l2) - log(2 pi t)/2 + log S,   D(x, l) = x log(x/l) + l - x,
 *
 * and n1 - l1 = l1 e/(n2 + l1), n2 - l2 = -l2 e/(n1 + l2) with e = k - (l1 - l2): computed from the
 * excess e over the mean, these differences keep the digits that they would otherwise lose at large
 * rates.
 *
 * The cdf. The ratios r_j = P(j+1)/P(j) obey l1/r_{j-1} = j + l2 r_j (DLMF 10.29.1). They are taken
 * in the direction in which all terms are positive, down from the far end for j >= 0 and up from
 * the near end for j < 0, and a tail is summed away from the mean, where they are below 1. A tail
 * of many terms is an integral (Euler-Maclaurin formula, with differences in the place of
 * derivatives).
 *
 * Source: Skellam (1946), The frequency distribution of the difference between two Poisson
 * variates; the rest is new in this package. */
#include <math.h>

#include <Rmath.h>

#include "ldp_bessel_i.h"
#include "ldp_debye.h"
#include "ldp_math.h"
#include "ldp_poisson.h"
#include "ldp_skellam.h"

/* A tail is truncated where its terms have fallen by exp(-42), about 1e-18. */
static const double FALL = 42;

/* 2^52: from here on adding 1 may change nothing, and a loop over terms would not end. Below, a
 * tail has 42/1e-5 terms at most (ldp_tail_is_long). */
static const double LARGE = 4503599627370496;

/* Tails of more terms are integrals, whose cost does not depend on their number. */
static const double INTEGRAL_FROM = 4000;

static double bessel_argument(double l1, double l2) {
    return 2 * sqrt(l1) * sqrt(l2);
}

/* k - (l1 - l2), rounded about once (Knuth's exact sum, twice) */
static double excess(double k, double l1, double l2) {
    const double s = k - l1, back = s - k, lost = (k - (s - back)) - (l1 + back);
    const double sum = s + l2, back2 = sum - s, lost2 = (s - (sum - back2)) + (l2 - back2);
    return sum + (lost + lost2);
}

/* k >= 0 and t < 36 */
static double log_pmf_series(double k, double l1, double l2, double a) {
    const double power = k > 0 ? k * log(l1) : 0;
    return power - lgammafn(k + 1) - (l1 + l2) + log1p(ldp_debye_series(k, a));
}

double ldp_skellam_log_pmf(double k, double l1, double l2) {
    if (k < 0)
        return ldp_skellam_log_pmf(-k, l2, l1);
    if (l2 <= 0)
        return ldp_poisson_log_pmf(k, l1, k - l1);
    if (l1 <= 0)
        return k > 0 ? -INFINITY : -l2;
    const double a = bessel_argument(l1, l2), t = hypot(k, a);
    if (t < LDP_DEBYE_FROM)
        return log_pmf_series(k, l1, l2, a);
    const double n1 = (t + k) / 2, n2 = l2 * (l1 / n1), e = excess(k, l1, l2), p = k / t;
    return -ldp_poisson_deviance(n1, l1, l1 * (e / (n2 + l1))) -
           ldp_poisson_deviance(n2, l2, -l2 * (e / (n1 + l2))) - log(2 * M_PI * t) / 2 +
           ldp_debye_log_sum(t, p * p);
}

/* I_{nu+1}(a)/I_nu(a) over a/2 */
static double scaled_ratio(double nu, double a) {
    return a > 1e-150 ? ldp_bessel_i_ratio(nu, a) / (a / 2) : 1 / (nu + 1);
}

/* P(j+1)/P(j) from the Bessel function */
static double neighbour_ratio(double j, double l1, double l2) {
    const double a = bessel_argument(l1, l2);
    return j >= 0 ? l1 * scaled_ratio(j, a) : 1 / (l2 * scaled_ratio(-j - 1, a));
}

/* A lower bound of -log r_s for s above the mean: r_s <= 2 l1/(s + t) = (t - s)/(2 l2), with
 * t = sqrt(s^2 + 4 l1 l2) (Amos 1974). */
static double fall_per_term(double s, double t, double l1, double l2) {
    return fmax(0, s >= 0 ? log((s + t) / (2 * l1)) : log(2 * l2 / (t - s)));
}

/* n terms on, the log of a term has fallen by at least n fall + n^2/(2 (t + n)), because -log r
 * grows by about 1/sqrt(j^2 + 4 l1 l2) per step; this is the n at which the fall reaches FALL. */
static double skellam_terms_needed(double fall, double t) {
    const double half = (FALL - fall * t) / 2, lead = fall + 0.5;
    const double root = hypot(half, sqrt(lead * FALL) * sqrt(t));
    return ceil(half > 0 ? (half + root) / lead : FALL * (t / (root - half))) + 2;
}

/* 1 + r_s + r_s r_{s+1} + ... for s >= 0, n terms */
static double tail_down(double s, double n, double l1, double l2) {
    double r = neighbour_ratio(s + n, l1, l2), sum = 1;
    for (double j = s + n; j > s; j--) {
        sum = 1 + r * sum;
        r = l1 / (j + l2 * r);
    }
    return 1 + r * sum;
}

/* The same for s < 0; the terms from 0 on are summed by tail_down(). */
static double tail_up(double s, double n, double l1, double l2) {
    double r = neighbour_ratio(s, l1, l2), term = 1, sum = 0, j = s;
    for (; j < 0 && j < s + n; j++) {
        sum += term;
        term *= r;
        r = (l1 / r - (j + 1)) / l2;
    }
    return j < 0 ? sum : sum + term * tail_down(0, fmax(0, s + n), l1, l2);
}

/* 1 + r + r^2 exp(-1/t) + ..., the ratios falling by exp(-1/t) a term: with t above LARGE and fall
 * above 1e-5 what is left out is below 1e-11 of the sum. */
static double tail_nearly_geometric(double fall, double t) {
    const double r = exp(-fall), rest = -expm1(-fall);
    return (1 - r * (1 + r) / (2 * t * rest * rest)) / rest;
}

/* P(s + u)/P(s) for real u, given log P(s). What s + u loses by rounding may matter if s is large.
 */
static double part_at(double u, double s, double log_first, double l1, double l2) {
    const double y = s + u, lost = u - (y - s);
    const double fall = fall_per_term(y, hypot(y, bessel_argument(l1, l2)), l1, l2);
    return exp(ldp_skellam_log_pmf(y, l1, l2) - log_first - lost * fall);
}

/* The same sum where P falls so slowly that n is large: the integral from s - 1/2 to s + n, in
 * panels of 20 nodes, and the first two terms of the Euler-Maclaurin formula, with differences in
 * the place of derivatives. The next term is below 1e-4 (42/INTEGRAL_FROM)^5. */
static double tail_integral(double s, double n, double l1, double l2) {
    enum { PANELS = 8, NODES = 10 };
    static const double nodes[NODES][2] = {/* positive nodes on (-1, 1), and their weights */
                                           {0.993128599185094925, 0.0176140071391521183},
                                           {0.963971927277913791, 0.0406014298003869413},
                                           {0.912234428251325906, 0.0626720483341090636},
                                           {0.839116971822218823, 0.0832767415767047487},
                                           {0.746331906460150793, 0.101930119817240435},
                                           {0.636053680726515025, 0.118194531961518417},
                                           {0.510867001950827098, 0.131688638449176627},
                                           {0.373706088715419561, 0.142096109318382051},
                                           {0.227785851141645078, 0.149172986472603747},
                                           {0.0765265211334973338, 0.152753387130725851}};
    const double log_first = ldp_skellam_log_pmf(s, l1, l2), half = (n + 0.5) / (2 * PANELS);
    const double two_before = part_at(-2, s, log_first, l1, l2);
    const double before = part_at(-1, s, log_first, l1, l2),
                 after = part_at(1, s, log_first, l1, l2);
    double sum = (1 - before) / 24 - 17. / 5760 * (after - 3 + 3 * before - two_before);
    for (int i = 0; i < PANELS; i++) {
        const double middle = (2 * i + 1) * half - 0.5;
        for (int j = 0; j < NODES; j++) {
            const double x = half * nodes[j][0];
            sum += half * nodes[j][1] *
                   (part_at(middle - x, s, log_first, l1, l2) +
                    part_at(middle + x, s, log_first, l1, l2));
        }
    }
    return sum;
}

/* sum_{j >= s} P(j)/P(s) for s above the mean, l1 > 0 */
static double tail(double s, double l1, double l2) {
    const double t = hypot(s, bessel_argument(l1, l2)), fall = fall_per_term(s, t, l1, l2);
    if (ldp_tail_is_long(fall, t))
        return ldp_tail_large(fall, t);
    if (t > LARGE)
        return tail_nearly_geometric(fall, t);
    const double n = skellam_terms_needed(fall, t);
    /* log P is smooth, but for a part exp(-a) at 0, with a the argument of the Bessel function */
    if (n > INTEGRAL_FROM && (s >= 2 || bessel_argument(l1, l2) > FALL))
        return tail_integral(s, n, l1, l2);
    return s >= 0 ? tail_down(s, n, l1, l2) : tail_up(s, n, l1, l2);
}

/* log P(X > k), k + 1 > mean */
static double skellam_log_upper(double k, double l1, double l2) {
    const double log_first = ldp_skellam_log_pmf(k + 1, l1, l2);
    return log_first > -INFINITY ? log_first + log(tail(k + 1, l1, l2)) : -INFINITY;
}

/* The tail away from the mean is summed, and the other is computed as 1 minus it. If rates are
 * small, nearly all probability may be at or below the last value below the mean; the tail above is
 * then more accurate.
 */
double ldp_skellam_log_cdf(double k, int lower, double l1, double l2) {
    const double e = excess(k, l1, l2);
    int is_lower = e < 0;
    double log_tail = is_lower ? skellam_log_upper(-k - 1, l2, l1) /* P(X <= k) = P(-X > -k - 1) */
                               : skellam_log_upper(k, l1, l2);
    if (is_lower && e + 1 > 0 && log_tail > -M_LN2) {
        is_lower = 0;
        log_tail = skellam_log_upper(k, l1, l2);
    }
    return is_lower == (lower != 0) ? log_tail : ldp_log1m_exp(log_tail);
}

static double skellam_log_cdf(double k, int lower, const double *l) {
    return ldp_skellam_log_cdf(k, lower, l[0], l[1]);
}

double ldp_skellam_quantile(ldp_probability p, double l1, double l2) {
    if (l1 <= 0 && l2 <= 0)
        return 0;
    if (l1 <= 0 && p.log_p == (p.lower ? 0 : -INFINITY))
        return 0; /* no value is above 0 */
    const double l[] = {l1, l2};
    const ldp_quantile_law law = {skellam_log_cdf, l, l2 > 0 ? -INFINITY : 0, l1 - l2,
                                  sqrt(l1 + l2)};
    return ldp_quantile(&law, p);
}

double ldp_rskellam(double l1, double l2) {
    const double up = rpois(l1);
    return up - rpois(l2);
}
