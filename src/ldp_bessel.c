/* The Bessel distribution, P(m) = (a/2)^(2m+nu) / (m! Gamma(m+nu+1) I_nu(a)).
 *
 * With t = sqrt(nu^2 + a^2), n1 = (t + nu)/2, n2 = (t - nu)/2, so that n1 n2 = a^2/4, and S of
 * ldp_debye,
 *
 *     P(m) = Pois(m; n2) Pois(m+nu; n1) sqrt(2 pi t)/S,
 *
 * where m - n2 = (m+nu) - n1 = (m (m+nu) - a^2/4)/(m + n1). The difference of products is computed
 * with more digits than a double has, because m - n2 would lose digits at large a. Below t = 36 the
 * series of I_nu is short.
 *
 * The cdf: a tail away from the mode, term by term, P(m+1)/P(m) = (a/2)^2/((m+1)(m+1+nu)).
 *
 * A draw, without a Bessel function. P(i)/P(i-1) = exp(-g(i - n2)) with g(z) = log(1 + z/n1) +
 * log(1 + z/n2), and v = n1 n2/t is about the variance.
 *
 *     v < 4    the series is short: it is summed and inverted.
 *     else     ratio of uniforms: m = floor(x), x = n2 + s (2w - 1)/u, until u^2 < P(m)/P(mode).
 *
 * That is exact if (x - n2)^2 P(m) <= s^2 P(mode) for all x. With y = |m + 1/2 - n2| we have
 * |x - n2| <= y + 1/2, and log P(m)/P(mode) is minus a sum of g between mode = floor(n2) and m:
 * above, g is concave, so its sum is at least its integral over [mode + 1/2, m + 1/2] - n2, and
 * g(z) >= log(1 + z/v); below, -g(-z) >= z/v. Either way
 *
 *     log P(m)/P(mode) <= 1.1/(8 v) - (v + y) log(1 + y/v) + y,
 *
 * so that s = sqrt(2 v/e) + 0.54 is enough for v >= 4: the maximum of y + 1/2 times the square root
 * of that bound exceeds sqrt(2 v/e) by 0.536 at v = 4, and by 0.505 for large v. A draw takes 1.4
 * to 1.8 tries.
 *
 * Many draws of one distribution: its cdf is tabulated from the mode outward, and inverted.
 *
 * Sources: Yuan and Kalbfleisch (2000), On the Bessel distribution and related problems, eq. 1;
 * Devroye (2002), Simulating Bessel random variables, for the distribution and its mode; Stadlober
 * (1990), The ratio of uniforms approach for generating discrete random variates; Chen and Asau
 * (1974), On generating random variates from an empirical distribution, for look-up by a guide. */
#include <math.h>

#include <Rmath.h>

#include "ldp_bessel.h"
#include "ldp_debye.h"
#include "ldp_math.h"
#include "ldp_poisson.h"

/* Terms below this share of their sum are negligible, even times the number of terms left. */
static const double TERM_NEGLIGIBLE = 1e-19;

/* n1 and n2 (see the top of this file). The larger is a sum; the smaller is computed from it,
 * because its difference would lose digits. */
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
static double bessel_tail_above(double m, double nu, double a) {
    const double half = a / 2;
    double term = 1, sum = 1;
    for (double j = m + 2; term > sum * TERM_NEGLIGIBLE; j++) {
        term *= (half / j) * (half / (j + nu));
        sum += term;
    }
    return sum;
}

/* sum_{j <= m} P(j)/P(m) */
static double bessel_tail_below(double m, double nu, double a) {
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
            ldp_tail_is_long(fall, v) ? ldp_tail_large(fall, v) : bessel_tail_above(m, nu, a);
        const double log_tail = ldp_bessel_log_pmf(m + 1, nu, a) + log(sum);
        return lower ? ldp_log1m_exp(log_tail) : log_tail;
    }
    const double sum =
        ldp_tail_is_long(-fall, v) ? ldp_tail_large(-fall, v) : bessel_tail_below(m, nu, a);
    const double log_tail = ldp_bessel_log_pmf(m, nu, a) + log(sum);
    return lower ? log_tail : ldp_log1m_exp(log_tail);
}

static double bessel_log_cdf(double m, int lower, const double *theta) {
    return ldp_bessel_log_cdf(m, lower, theta[0], theta[1]);
}

double ldp_bessel_quantile(ldp_probability p, double nu, double a) {
    if (a <= 0)
        return 0;
    const double theta[] = {nu, a};
    const halves h = make_halves(nu, a, hypot(nu, a));
    const ldp_quantile_law law = {bessel_log_cdf, theta, 0, h.n2, sqrt(h.n2 * (h.n1 / h.t))};
    return ldp_quantile(&law, p);
}

/* Is u^2 < P(m)/P(mode)? The ratio is a product if m is near the mode, otherwise it is computed
 * from ratios of Poisson terms; note that n1 - (mode + nu) = n2 - mode. */
static int is_below(double u, double m, double mode, double nu, halves h) {
    if (!ldp_poisson_is_near(m, mode)) {
        const double c = mode + nu, rest = h.n2 - mode;
        const double tilt = (m - mode) * (log1p(rest / mode) + log1p(rest / c));
        return 2 * log(u) <
               tilt + ldp_poisson_log_ratio(m, mode) + ldp_poisson_log_ratio(m + nu, c);
    }
    double ratio = 1;
    for (double i = mode + 1; i <= m; i++)
        ratio *= (h.n2 / i) * (h.n1 / (i + nu));
    for (double i = m + 1; i <= mode; i++)
        ratio *= (i / h.n2) * ((i + nu) / h.n1);
    return u * u < ratio;
}

/* A bound that decides most of the tries, from the Taylor series of the sum of g: sums of z and z^2
 * over whole steps from `from` to `to` are differences of z^2/2 and z^3/3 - z/12, those of |z|^3 at
 * most (to^4 + from^4)/4; the rest of g is at most (2/3) |z|^3 (1/n1^3 + 1/n2^3) while z > -n/2. */
typedef struct squeeze {
    double lowest, linear, square, cube;
} squeeze;

static squeeze make_squeeze(halves h) {
    const double r1 = 1 / h.n1, r2 = 1 / h.n2;
    return (squeeze){-fmin(h.n1, h.n2) / 2, r1 + r2, (r1 * r1 + r2 * r2) / 2,
                     (r1 * r1 * r1 + r2 * r2 * r2) * 2 / 3};
}

/* 1 if log_u2 is certainly below log P(m)/P(mode), -1 if certainly above, else 0 */
static int squeezed(double log_u2, double from, double to, squeeze s) {
    const double from2 = from * from, to2 = to * to;
    const double sum2 = (to * to2 - from * from2) / 3 - (to - from) / 12;
    const double log_ratio = s.square * sum2 - s.linear * (to2 - from2) / 2;
    const double error = s.cube * (to2 * to2 + from2 * from2) / 4;
    return to < s.lowest ? 0 : (log_u2 < log_ratio - error) - (log_u2 > log_ratio + error);
}

static double draw_by_ratio(ldp_stream *stream, double nu, halves h) {
    const double mode = floor(h.n2), middle = mode + 0.5 - h.n2;
    const double s = sqrt(2 / M_E * h.n2 * (h.n1 / h.t)) + 0.54;
    const squeeze sides = make_squeeze(h);
    for (int i = 0; i < LDP_TRIES; i++) {
        const double u = ldp_stream_uniform(stream),
                     m = floor(h.n2 + s * (2 * ldp_stream_uniform(stream) - 1) / u);
        if (m < 0)
            continue;
        const int side = squeezed(2 * log(u), middle, m + 0.5 - h.n2, sides);
        if (side > 0 || (side == 0 && is_below(u, m, mode, nu, h)))
            return m;
    }
    return mode;
}

enum { MOST_TERMS = 48 }; /* v < 4 needs 35 */

static double draw_by_inversion(ldp_stream *stream, double nu, double a) {
    const double first = a / 2 * (a / 2 / (nu + 1)), curve = 1 / (nu + 1); /* a^2 may overflow */
    const double u = ldp_stream_uniform(stream);
    if (u < 1 - first) /* P(0) > 1 - first */
        return 0;
    double term[MOST_TERMS] = {1}, sum = 1;
    int n = 1;
    for (double k = 1; n < MOST_TERMS && term[n - 1] > sum * TERM_NEGLIGIBLE; n++, k++)
        sum += term[n] = term[n - 1] * (first / (k + k * (k - 1) * curve));
    double left = u * sum;
    int m = 0;
    while (left >= term[m] && m < n - 2) /* the last is negligible */
        left -= term[m++];
    return m;
}

double ldp_rbessel_by(ldp_stream *stream, double nu, double a) {
    if (a / 2 * (a / 2) < nu + 1)
        return draw_by_inversion(stream, nu, a);
    /* quicker than hypot */
    const double t = fabs(nu) + a < 1e150 ? sqrt(nu * nu + a * a) : hypot(nu, a);
    const halves h = make_halves(nu, a, t);
    return h.n2 * (h.n1 / t) < 4 ? draw_by_inversion(stream, nu, a) : draw_by_ratio(stream, nu, h);
}

/* Computes weights relative to that of the mode, from the middle of the array outward, then their
 * cumulative sums, which are moved to the front of the array. */
int ldp_bessel_tabulate(ldp_bessel_table *table, double nu, double a) {
    const halves h = make_halves(nu, a, hypot(nu, a));
    if (!(h.n2 * (h.n1 / h.t) <= LDP_BESSEL_TABLE_VARIANCE))
        return 0;
    const double mode = floor(h.n2);
    double *const p = table->cdf;
    int first = LDP_BESSEL_TABLE_REACH, last = first;
    p[first] = 1;
    for (double m = mode; m > 0 && p[first] > TERM_NEGLIGIBLE; m--, first--)
        p[first - 1] = p[first] * (m / h.n2) * ((m + nu) / h.n1);
    for (double m = mode + 1; p[last] > TERM_NEGLIGIBLE; m++, last++)
        p[last + 1] = p[last] * (h.n2 / m) * (h.n1 / (m + nu));
    table->n = last - first; /* without the last, which is negligible */
    table->lowest = mode - (LDP_BESSEL_TABLE_REACH - first);
    double sum = 0;
    for (int i = 0; i < table->n; i++)
        p[i] = sum += p[first + i];
    for (int i = 0; i < table->n; i++)
        p[i] /= sum;
    for (int g = 0, i = 0; g < LDP_BESSEL_TABLE_GUIDE; g++) {
        while (p[i] <= (double)g / LDP_BESSEL_TABLE_GUIDE)
            i++;
        table->guide[g] = i;
    }
    return 1;
}

double ldp_rbessel(double nu, double a) {
    ldp_stream stream = ldp_stream_open();
    return ldp_rbessel_by(&stream, nu, a);
}

double ldp_bessel_look_up(const ldp_bessel_table *table, ldp_stream *stream) {
    const double *const cdf = table->cdf;
    const double u = ldp_stream_uniform(stream);
    int i = table->guide[(int)(u * LDP_BESSEL_TABLE_GUIDE)];
    while (cdf[i] <= u && i < table->n - 1)
        i++;
    return table->lowest + i;
}
