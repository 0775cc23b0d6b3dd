/* The density of a release k > 0 of a negative binomial count with size s, lambda = q s events,
 *
 *     P(k) = (1 - alpha)/(1 + alpha) alpha^k exp(-lambda) S_k(s),
 *     S_k(s) = 1 + s x^k V_k(s),   V_k = sum_{y <= k} e_y(s) x^(y-k)/y + U_k(s),
 *     e_y(s) = prod_{t=1}^{y-1} (1 + s/t),   x = p/alpha,
 *
 * where U_k is the part of counts above k: U_{k-1} = z (e_k/k + U_k), z = p alpha. V_k is a power
 * series in s with positive coefficients. 28 coefficients are enough if s times the typical log y
 * is below 4, as in nearly every cell of real data. For x <= 1 the factor x^k stays in the sum.
 * Beyond that
 *
 *     where x < 1 and k is far above, S_k(s) = (1 - x)^-s, so that exp(-lambda) S_k(s) is
 *     ((1 - p)/(1 - x))^s. The negative binomial distribution of x then has next to nothing above
 *     k: by Chernoff's bound, for each c in (0, 1), at most
 *
 *         ((1 - x)/(1 - x^(1-c)))^s x^(c k);
 *
 *     otherwise the runs of its terms are summed (ldp_nbinom), which takes a few microseconds at
 *     most.
 *
 * Poisson counts have such a series in their mean mu, for k <= 64,
 *
 *     S_k = 1 + mu sum_y mu^(y-1) alpha^(|k - y| - k)/y!,
 *
 * and else
 *
 *     k >= mu/alpha      log((1-alpha)/(1+alpha)) + k log(alpha) + (1/alpha - 1) mu + log(1 - T)
 *     k <= alpha mu      log((1-alpha)/(1+alpha)) - k log(alpha) - (1 - alpha) mu + log(1 - T)
 *     between            from the term of y = k outward
 *
 * where T is a difference of two Poisson tails. The first is, by Chernoff's bound again, for each
 * c > 0 at most exp((e^c - 1) mu/alpha - c k): at strong noise it is negligible for most cells.
 *
 * The series are new.
 *
 * The fast density of a release, to ten digits, for a log density per cell and draw (log_lik(),
 * loo(), held_out_density(), traces of chains): a series that is prepared once per count and noise
 * level. What it does not cover it leaves to ldp_privpois and ldp_privnbinom. */
#include <float.h>
#include <math.h>
#include <string.h>

#include <Rmath.h>

#include "ldp_bursts.h"
#include "ldp_lanes.h"
#include "ldp_poisson.h"
#include "ldp_privnbinom.h"
#include "ldp_privpois.h"
#include "ldp_quick.h"

enum { N = LDP_QUICK_DEGREE + 1, FEW = 12 };

/* The relative error of a series, and of the sum of its terms above the last release. */
static const double NEGLIGIBLE = 1e-10;

/* No row has a larger power of x. */
static const double POWER_MOST = 1e100;

/* The logarithm of a product of sums is taken when the product exceeds this. */
static const double PRODUCT_LARGE = 1e150;

/* The maximum number of terms above the last release that are added up; if they are not enough,
 * there are no rows. */
enum { TERMS_MOST = 1 << 15 };

/* Terms of a tail below this are left out, and at most this number of terms is added up. */
static const double TAIL_NEGLIGIBLE = 1e-12;
static const double TERMS_FEW = 192;

/* The largest release with a row for Poisson counts; larger ones are mostly far above mu/alpha. */
enum { POISSON_ROWS = 64 };

/* A part that is smaller by this many units of log is left out. */
static const double LOG_NEGLIGIBLE = 25;

/* --- the series ------------------------------------------------------------------------------- */

/* A polynomial in s. */
enum { STEPS = N / LDP_LANES };
typedef struct polynomial {
    ldp_lanes c[STEPS];
} polynomial;

static polynomial constant(double value) {
    polynomial e = {0};
    *(double *)(void *)&e = value;
    return e;
}

/* e_{y+1} = e_y (1 + s/y) */
static inline void next_product(polynomial *e, double y) {
    const ldp_lanes none = {0};
    const double inverse = 1 / y;
    for (int i = STEPS - 1; i >= 0; i--)
        e->c[i] += LDP_LANES_UP(i > 0 ? e->c[i - 1] : none, e->c[i]) * inverse;
}

static inline double last_of(const polynomial *e) {
    return ((const double *)(const void *)e)[N - 1];
}

/* U_n, summed term by term; returns 0 if there are too many terms. */
LDP_CLONES
static int sum_above(double z, int n, const polynomial *e_n, polynomial *above) {
    polynomial e = *e_n, sum = {0};
    double power = 1;
    if (!(2 * LOG_NEGLIGIBLE / (1 - z) < TERMS_MOST))
        return 0;
    for (int y = n + 1; y < n + TERMS_MOST; y++) {
        next_product(&e, y - 1);
        power *= z;
        const double share = power / y;
        for (int i = 0; i < STEPS; i++)
            sum.c[i] += e.c[i] * share;
        if (power < DBL_MIN ||
            (y % 8 == 0 && last_of(&e) * share < (1 - z) * NEGLIGIBLE * last_of(&sum))) {
            *above = sum;
            return 1;
        }
    }
    return 0;
}

/* Computes e_k of all rows, and e_n separately. */
LDP_CLONES
static polynomial fill_products(ldp_quick_row *row, int n) {
    polynomial e = constant(1);
    for (int k = 1; k <= n; k++) {
        if (k > 1)
            next_product(&e, k - 1);
        for (int i = 0; i < STEPS; i++)
            *ldp_lanes_into(row[k - 1].c + i * LDP_LANES) = e.c[i];
    }
    return e;
}

/* W_k = e_k/k + U_k of all rows, from the last one down, in place of e_k: U_{k-1} = z W_k. */
LDP_CLONES
static void quick_fill_above(double z, ldp_quick_row *row, int n, polynomial above) {
    for (int k = n; k >= 1; k--) {
        const double inverse = 1.0 / k;
        for (int i = 0; i < STEPS; i++) {
            ldp_lanes *const c = ldp_lanes_into(row[k - 1].c + i * LDP_LANES);
            *c = *c * inverse + above.c[i];
            above.c[i] = *c * z;
        }
    }
}

/* V_k = W_k + sum_{y < k} e_y x^(y-k)/y in place of W_k, or x^k times that; e_k/k = W_k - z
 * W_{k+1}, which is W_n - U_n at the end. */
LDP_CLONES
static void quick_fill_below(double x, double z, ldp_quick_row *row, int n,
                             const polynomial *above) {
    const double fall = x > 1 ? 1 / x : 1;
    polynomial below = {0};
    for (int k = 1; k <= n; k++) {
        const double scale = x > 1 ? 1 : row[k - 1].power, of_next = k < n ? z : 1;
        const double *const next = k < n ? row[k].c : (const double *)(const void *)above;
        for (int i = 0; i < STEPS; i++) {
            ldp_lanes *const c = ldp_lanes_into(row[k - 1].c + i * LDP_LANES);
            const ldp_lanes before = below.c[i] * fall, w = *c * scale;
            below.c[i] = before + (*c - *ldp_lanes_at(next + i * LDP_LANES) * of_next) * scale;
            *c = before + w;
        }
    }
}

/* Approximately, and at most, the s with c_i s^i = NEGLIGIBLE c_0; computed from powers of 2 only.
 * */
static double quick_reach(const double *c, int i) {
    const double most = fmax(c[i], DBL_MIN); /* it may have underflowed */
    return exp2((double)(ilogb(NEGLIGIBLE * c[0]) - ilogb(most) - 1) / i);
}

/* The larger a release, the larger the counts behind it, and the smaller the s for which a series
 * is enough. So the limits of the last of a few rows are used for all of them. */
static void set_reaches(ldp_quick_row *row, int n) {
    enum { TOGETHER = 8 };
    for (int from = 0; from < n; from += TOGETHER) {
        const int to = from + TOGETHER < n ? from + TOGETHER : n;
        const double few = quick_reach(row[to - 1].c, FEW),
                     most = quick_reach(row[to - 1].c, N - 1);
        for (int i = from; i < to; i++) {
            const int is_usable = row[i].power < POWER_MOST && row[i].c[0] > DBL_MIN / NEGLIGIBLE;
            row[i].few = is_usable ? few : -1;
            row[i].most = is_usable ? most : -1;
        }
    }
}

/* Computes rows 1 .. n, or none if there are too many terms above n. */
static void make_rows(ldp_quick *quick, int n) {
    const double x = quick->low.x, z = quick->high.x;
    double power = 1;
    for (int k = 1; k <= n; k++)
        quick->row[k - 1].power = power = fmin(power * x, POWER_MOST);
    polynomial above;
    const polynomial e = fill_products(quick->row, n);
    if (!sum_above(z, n, &e, &above))
        return;
    quick_fill_above(z, quick->row, n, above);
    quick_fill_below(x, z, quick->row, n, &above);
    set_reaches(quick->row, n);
    for (int k = 1; k <= n && x <= 1; k++)
        quick->row[k - 1].power = 1;
    quick->n_rows = n;
}

/* c_i = alpha^(|k - y| - k)/y!, y = i + 1 */
static void make_poisson_rows(ldp_quick *quick, int n) {
    for (int k = 1; k <= n; k++) {
        ldp_quick_row *const row = &quick->row[k - 1];
        double c = 1;
        for (int y = 1; y <= N; y++) {
            c *= (y <= k ? 1 / quick->alpha : quick->alpha) / y;
            row->c[y - 1] = fmin(c, DBL_MAX);
        }
        row->power = 1;
    }
    set_reaches(quick->row, n);
    quick->n_rows = n;
}

/* The number of useful rows. Larger releases do not use a row, because they are far above or x^k is
 * too large. */
static int n_useful(const ldp_quick *quick) {
    const double log_x = quick->low.log_x;
    const double useful = log_x < 0 ? 2 * (LOG_NEGLIGIBLE + 3) / -log_x : log(POWER_MOST) / log_x;
    return (int)fmin(quick->room, ceil(useful));
}

void ldp_quick_count(size_t n, const double *k, double *table) {
    for (size_t e = 0; e < n; e++)
        if (k[e] > 0 && k[e] <= LDP_QUICK_ROWS)
            table[(int)k[e] - 1]++;
}

/* A row costs a thirtieth of the time for a release without a row. So the last quarter of the rows
 * is dropped as long as too few releases would use them. */
int ldp_quick_rows(const double *table, double n_groups) {
    int rows = LDP_QUICK_ROWS;
    while (rows > 8) {
        const int fewer = rows - rows / 4;
        double n_used = 0;
        for (int i = fewer; i < rows; i++)
            n_used += table[i];
        if (n_used / n_groups > (rows - fewer) / 30.0)
            break;
        rows = fewer;
    }
    return rows;
}

static void prepare_poisson(ldp_quick *quick) {
    quick->q = 1;
    static const double exponent[LDP_QUICK_TILTS] = {1, 2.5, 5};
    for (int i = 0; i < LDP_QUICK_TILTS; i++)
        quick->tilt[i] = (ldp_quick_tilt){expm1(exponent[i]) / quick->alpha, -exponent[i]};
    quick->whole = (1 - quick->alpha) / quick->alpha;
    make_poisson_rows(quick, quick->room < POISSON_ROWS ? quick->room : POISSON_ROWS);
}

static void prepare_nbinom(ldp_quick *quick) {
    const double log_x = quick->low.log_x;
    const int n = n_useful(quick), has_whole = quick->low.one_less_x > 0 && log_x < 0;
    quick->q = log1p(quick->excess);
    static const double exponent[LDP_QUICK_TILTS] = {0.5, 0.75, 0.95};
    for (int i = 0; i < LDP_QUICK_TILTS && has_whole; i++)
        quick->tilt[i] = (ldp_quick_tilt){log(expm1(log_x) / expm1((1 - exponent[i]) * log_x)),
                                          exponent[i] * log_x};
    quick->whole = has_whole ? -log1p(-quick->excess * (1 - quick->alpha) / quick->alpha) : 0;
    if (n > 0)
        make_rows(quick, n);
}

void ldp_quick_prepare(ldp_quick *quick, double excess, double alpha) {
    const double wanted[] = {excess, alpha}, there[] = {quick->excess, quick->alpha};
    if (quick->q > 0 && memcmp(wanted, there, sizeof wanted) == 0)
        return;
    quick->excess = excess;
    quick->alpha = alpha;
    quick->size = ldp_bursts_size(excess);
    quick->n_rows = 0;
    quick->q = 1;
    memset(quick->tilt, 0, sizeof quick->tilt);
    if (alpha <= 0)
        return;
    quick->log_alpha = log(alpha);
    quick->log_scale = log1p(-alpha) - log1p(alpha);
    quick->low = ldp_nbinom_terms_of(excess, alpha, -1);
    quick->high = ldp_nbinom_terms_of(excess, alpha, 1);
    if (excess > 0)
        prepare_nbinom(quick);
    else
        prepare_poisson(quick);
}

/* --- one release ------------------------------------------------------------------------------ */

/* A run of terms, and the log of its first term including the noise, without (1 - alpha)/(1 +
 * alpha). */
typedef struct part {
    ldp_nbinom_run run;
    const ldp_nbinom_terms *terms;
    double log_first;
} part;

enum { MOST_PARTS = 4 };

static int quick_split(const ldp_quick *quick, double k, part parts[MOST_PARTS]) {
    ldp_nbinom_run run[MOST_PARTS];
    int n = 0;
    ldp_nbinom_split(0, k, &quick->low, run);
    ldp_nbinom_split(k + 1, INFINITY, &quick->high, run + 2);
    for (int i = 0; i < MOST_PARTS; i++) {
        const double from = run[i].from, noise = fabs(k - from) * quick->log_alpha;
        if (run[i].way != 0)
            parts[n++] = (part){run[i], i < 2 ? &quick->low : &quick->high,
                                ldp_nbinom_log_pmf(from, quick->low.mu, quick->excess) + noise};
    }
    return n;
}

/* log P(k) by its runs, without those that are negligible even together. */
static double by_runs(ldp_quick *quick, double k, double mu) {
    part parts[MOST_PARTS];
    ldp_nbinom_set_mean(&quick->low, mu);
    ldp_nbinom_set_mean(&quick->high, mu);
    const int n = quick_split(quick, k, parts);
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, parts[i].log_first);
    for (int i = 0; i < n; i++) {
        const double terms = fabs(parts[i].run.to - parts[i].run.from) + 1;
        if (parts[i].log_first + log(terms) > largest - LOG_NEGLIGIBLE)
            sum += exp(parts[i].log_first - largest) *
                   ldp_nbinom_quick_sum(parts[i].run, parts[i].terms);
    }
    return quick->log_scale + largest + log(sum);
}

/* Is k so far above a Poisson mean x, or below it, that the mass beyond it is negligible? */
static int is_far(double distance, double x) {
    return distance > 14 && (distance - 14) * (distance - 14) > 49 * x;
}

/* The sum of term, term l/(from + 1), ... over y > from: the rest of a Poisson tail, after
 * TERMS_FEW terms or from the first negligible term on. */
static double rest_above(double from, double term, double l, double least) {
    if (term <= least)
        return 0;
    const ldp_nbinom_terms terms = ldp_nbinom_make_terms(l, 0, 1, 0);
    const ldp_nbinom_run rest = {from + 1, INFINITY, 1};
    return term * l / (from + 1) * ldp_nbinom_quick_sum(rest, &terms);
}

/* The same downward. */
static double rest_below(double from, double term, double l, double least) {
    if (term <= least || from <= 0)
        return 0;
    const ldp_nbinom_terms terms = ldp_nbinom_make_terms(l, 0, 1, 0);
    const ldp_nbinom_run rest = {from - 1, 0, -1};
    return term * from / l * ldp_nbinom_quick_sum(rest, &terms);
}

/* sum_{y > k} Pois(y; x)/Pois(k; x) minus the same sum for l < x, which may be 0, until terms are
 * below `least`. Requires k >= x. */
static double above(double k, double x, double l, double least) {
    double term = 1, less = 1, sum = 0, y = k;
    while (y < k + TERMS_FEW && term > least) {
        const double inverse = 1 / ++y;
        sum += (term *= x * inverse) - (less *= l * inverse);
    }
    return sum + rest_above(y, term, x, least) - rest_above(y, less, l, least);
}

/* sum_{y < k} Pois(y; l)/Pois(k; l) minus the same sum for x > l, which may be infinite. Requires k
 * <= l.
 */
static double below(double k, double l, double x, double least) {
    const double inverse_l = 1 / l, inverse_x = 1 / x;
    double term = 1, less = 1, sum = 0, y = k;
    for (; y > fmax(k - TERMS_FEW, 0) && term > least; y--)
        sum += (term *= y * inverse_l) - (less *= y * inverse_x);
    return sum + rest_below(y, term, l, least) - rest_below(y, less, x, least);
}

/* Pois(k; l), or 0 if k and l are far from each other. Accurate enough for k and l up to 1e4.
 */
static double near_mode(double k, double l) {
    if (k >= LDP_STIRLING_FROM) {
        const double deviance =
            k > 1e4 ? ldp_poisson_deviance(k, l, k - l) : k * log(k / l) - (k - l);
        return exp(-deviance - ldp_stirling_error(k)) / sqrt(2 * M_PI * k);
    }
    double p = exp(-l);
    for (double y = 1; y <= k; y++)
        p *= l / y;
    return p;
}

/* For k >= x = mu/alpha: log(1 - T), where T is the probability above k of Pois(x) minus that of
 * the distribution used there instead. */
static double log_less_above(double k, double x, double l) {
    const double at_k = near_mode(k, x), least = TAIL_NEGLIGIBLE / at_k;
    if (x < least * (k + 1 - x))
        return 0;
    return log1p(-at_k * above(k, x, l, least));
}

/* The same for k <= l = alpha mu. */
static double log_less_below(double k, double x, double l) {
    const double at_k = near_mode(k, l), least = TAIL_NEGLIGIBLE / at_k;
    if (k < least * (l - k))
        return 0;
    return log1p(-at_k * below(k, l, x, least));
}

static double of_poisson(const ldp_quick *quick, double k, double mu) {
    const double alpha = quick->alpha, x = mu / alpha, l = mu * alpha;
    if (k >= x)
        return quick->log_scale + k * quick->log_alpha + (1 - alpha) * x +
               (is_far(k - x, x) ? 0 : log_less_above(k, x, l));
    if (k <= l)
        return quick->log_scale - k * quick->log_alpha - (1 - alpha) * mu +
               (is_far(l - k, l) ? 0 : log_less_below(k, x, l));
    const double p = near_mode(k, mu), least = TAIL_NEGLIGIBLE;
    const double sum = 1 + below(k, x, INFINITY, least) + above(k, l, 0, least);
    return quick->log_scale +
           (p > DBL_MIN ? log(p * sum) : ldp_poisson_log_pmf(k, mu, k - mu) + log(sum));
}

static double of_nbinom(ldp_quick *quick, double k, double lambda) {
    const double mu = lambda * quick->size;
    if (!(mu > 0) || ldp_nbinom_is_poisson(mu, quick->excess))
        return ldp_privpois_log_pmf(k, mu, quick->alpha);
    return by_runs(quick, k, mu);
}

/* The cases without a sum: no noise, and releases at or below zero. */
static double without_sum(const ldp_quick *quick, double k, double lambda) {
    const double excess = quick->excess, alpha = quick->alpha;
    if (alpha <= 0)
        return ldp_privnbinom_log_pmf(k, lambda * quick->size, excess, 0);
    return -lambda * (excess > 0 ? ldp_bursts_exposure(excess, alpha) : 1 - alpha);
}

/* --- many releases ---------------------------------------------------------------------------- */

/* V_k by its first FEW terms, in the order in which take_by_few() adds them */
static inline double by_few_terms(const double *c, double s) {
    double v = 0;
    for (int i = FEW - LDP_LANES; i >= 0; i -= LDP_LANES)
        v = v * LDP_LANES_POWER(s) + LDP_LANES_POLYNOMIAL(c + i, s);
    return v;
}

/* V_k by all its terms */
static inline double by_all_terms(const double *c, double s) {
    const double step = LDP_LANES_POWER(s);
    ldp_lanes sums = *ldp_lanes_at(c + N - LDP_LANES);
    for (int i = N - 2 * LDP_LANES; i >= 0; i -= LDP_LANES)
        sums = sums * step + *ldp_lanes_at(c + i);
    return ldp_lanes_at_power(&sums, s);
}

static double by_itself(ldp_quick *quick, double k, double lambda) {
    if (!(k > 0) || !(quick->alpha > 0))
        return without_sum(quick, k, lambda);
    return quick->excess > 0 ? of_nbinom(quick, k, lambda) : of_poisson(quick, k, lambda);
}

/* Releases are processed this many at a time. */
enum { TOGETHER = 64 };

/* Sums over some releases. */
typedef struct parts_of_sum {
    double k; /* of all releases */
    double far, near; /* sums of s over releases far above, and over those with a row */
    double product; /* of S_k(s), divided by PRODUCT_LARGE this many times */
    int n_large;
} parts_of_sum;

static inline void quick_multiply(parts_of_sum *sums, double by) {
    sums->product *= by;
    if (sums->product > PRODUCT_LARGE) {
        sums->product /= PRODUCT_LARGE;
        sums->n_large++;
    }
}

/* The row of a release, or a row that cannot be used for any s. */
static inline const ldp_quick_row *row_of(const ldp_quick *quick, double k) {
    static const ldp_quick_row none = {.few = -1, .most = -1};
    return k > 0 && k <= quick->n_rows ? &quick->row[(int)k - 1] : &none;
}

/* Releases that a pass could not handle. */
typedef struct releases {
    int n;
    double k[TOGETHER + LDP_LANES], lambda[TOGETHER + LDP_LANES];
} releases;

/* Each of three passes handles the releases it can, and leaves the others. The first two, which
 * handle nearly all releases, have no branch that depends on the data, because processors cannot
 * predict it. */

/* The releases of a pass, followed by releases of 0, which it does not take; and what it leaves. */
#define K_LEFT(lane) (i + lane < n ? k[i + lane] : 0)
#define LAMBDA_LEFT(lane) (i + lane < n ? lambda[i + lane] : 0)
#define LEAVE(lane)                                                                                \
    others->k[n_others] = LDP_LANE(k_now, lane);                                                   \
    others->lambda[n_others] = LDP_LANE(l_now, lane);                                              \
    n_others += i + lane < n && !LDP_LANE(is_taken, lane);

/* By the first FEW terms of V_k, where they are enough. */
LDP_CLONES
static void take_by_few(const ldp_quick *quick, int n, const double *k, const double *lambda,
                        parts_of_sum *to, releases *others) {
#define ONE(lane) 1.0
#define FIND(lane) const ldp_quick_row *const row##lane = row_of(quick, LDP_LANE(k_now, lane));
#define ROW_FEW(lane) (row##lane->few)
#define ROW_POWER(lane) (row##lane->power)
#define LOAD(lane) c[lane] = *ldp_lanes_at(row##lane->c + term);
#define SHRINK(lane)                                                                               \
    if (LDP_LANE(product, lane) > PRODUCT_LARGE) {                                                 \
        LDP_LANE(product, lane) /= PRODUCT_LARGE;                                                  \
        n_large++;                                                                                 \
    }
#define MULTIPLY(lane) quick_multiply(to, LDP_LANE(product, lane));
    const double inverse_q = 1 / quick->q;
    const ldp_lanes none = {0};
    ldp_lanes product = LDP_LANES_OF(ONE), near = none, sum_k = none;
    int n_others = 0, n_large = 0;
    for (int i = 0; i < n; i += LDP_LANES) {
        const int is_full = i + LDP_LANES <= n;
        const ldp_lanes k_now = is_full ? *ldp_lanes_at(k + i) : LDP_LANES_OF(K_LEFT),
                        l_now = is_full ? *ldp_lanes_at(lambda + i) : LDP_LANES_OF(LAMBDA_LEFT);
        LDP_LANES_EACH(FIND)
        const ldp_lanes s_now = l_now * inverse_q, few = LDP_LANES_OF(ROW_FEW);
        const ldp_whole_lanes is_taken = s_now <= few;
        const ldp_lanes s = LDP_LANES_WHERE(is_taken, s_now); /* S_k(0) = 1 */
        const ldp_lanes step = LDP_LANES_POWER(s);
        ldp_lanes v = none;
        for (int term = FEW - LDP_LANES; term >= 0; term -= LDP_LANES) {
            ldp_lanes c[LDP_LANES];
            LDP_LANES_EACH(LOAD)
            ldp_lanes_transpose(c);
            v = v * step + LDP_LANES_POLYNOMIAL(c, s);
        }
        product *= 1 + s * LDP_LANES_OF(ROW_POWER) * v;
        near += s;
        sum_k += LDP_LANES_WHERE(is_taken, k_now);
        LDP_LANES_EACH(LEAVE)
        LDP_LANES_EACH(SHRINK)
    }
    LDP_LANES_EACH(MULTIPLY)
    to->near += ldp_lanes_sum(&near);
    to->k += ldp_lanes_sum(&sum_k);
    to->n_large += n_large;
    others->n = n_others;
}

/* Those that are far above the counts, by Chernoff's bound. */
LDP_CLONES
static void take_far(const ldp_quick *quick, int n, const double *k, const double *lambda,
                     parts_of_sum *to, releases *others) {
    const double inverse_q = 1 / quick->q;
    const ldp_quick_tilt *const tilt = quick->tilt;
    const ldp_lanes none = {0};
    ldp_lanes far = none, sum_k = none;
    int n_others = 0;
    for (int i = 0; i < n; i += LDP_LANES) {
        const int is_full = i + LDP_LANES <= n;
        const ldp_lanes k_now = is_full ? *ldp_lanes_at(k + i) : LDP_LANES_OF(K_LEFT),
                        l_now = is_full ? *ldp_lanes_at(lambda + i) : LDP_LANES_OF(LAMBDA_LEFT);
        const ldp_lanes s = l_now * inverse_q, most = none - LOG_NEGLIGIBLE;
        const ldp_whole_lanes is_taken = (tilt[0].of_s * s + tilt[0].of_k * k_now < most) |
                                         (tilt[1].of_s * s + tilt[1].of_k * k_now < most) |
                                         (tilt[2].of_s * s + tilt[2].of_k * k_now < most);
        far += LDP_LANES_WHERE(is_taken, s);
        sum_k += LDP_LANES_WHERE(is_taken, k_now);
        LDP_LANES_EACH(LEAVE)
    }
    to->far += ldp_lanes_sum(&far);
    to->k += ldp_lanes_sum(&sum_k);
    others->n = n_others;
}

#undef K_LEFT
#undef LAMBDA_LEFT
#undef LEAVE

/* Most releases are far above the counts if noise is stronger. */
static const double FAR_FIRST = 0.85;

static inline int is_far_above(const ldp_quick *quick, double s, double k) {
    int is_far = 0;
    for (int i = 0; i < LDP_QUICK_TILTS; i++)
        is_far |= quick->tilt[i].of_s * s + quick->tilt[i].of_k * k < -LOG_NEGLIGIBLE;
    return is_far;
}

/* Releases one by one, in the order of the passes: those that are left also by all terms of V_k, or
 * alone. Returns the log densities of the last, and subtracts their number from *n_summed. */
static double take_each(ldp_quick *quick, int n, const double *k, const double *lambda,
                        parts_of_sum *to, int *n_summed) {
    const double inverse_q = 1 / quick->q;
    const int is_few_first = quick->alpha <= FAR_FIRST;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const ldp_quick_row *const row = row_of(quick, k[i]);
        const double s = lambda[i] * inverse_q;
        const int is_few = s <= row->few;
        if (!(is_few && is_few_first) && is_far_above(quick, s, k[i])) {
            to->far += s;
            to->k += k[i];
        } else if (is_few || s <= row->most) {
            const double v = is_few ? by_few_terms(row->c, s) : by_all_terms(row->c, s);
            quick_multiply(to, 1 + s * row->power * v);
            to->near += s;
            to->k += k[i];
        } else {
            sum += by_itself(quick, k[i], lambda[i]);
            (*n_summed)--;
        }
    }
    return sum;
}

/* At most TOGETHER releases. The passes take as long for one release as for LDP_LANES. */
static double quick_sum_of(ldp_quick *quick, int n, const double *k, const double *lambda) {
    releases others, rest;
    parts_of_sum sums = {.product = 1};
    int n_summed = n;
    double sum;
    if (n == 1) {
        sum = take_each(quick, n, k, lambda, &sums, &n_summed);
    } else {
        if (quick->alpha > FAR_FIRST) {
            take_far(quick, n, k, lambda, &sums, &others);
            take_by_few(quick, others.n, others.k, others.lambda, &sums, &rest);
        } else {
            take_by_few(quick, n, k, lambda, &sums, &others);
            take_far(quick, others.n, others.k, others.lambda, &sums, &rest);
        }
        sum = take_each(quick, rest.n, rest.k, rest.lambda, &sums, &n_summed);
    }
    return sum + sums.k * quick->log_alpha + n_summed * quick->log_scale - sums.near * quick->q +
           sums.far * quick->whole + log(sums.product) + sums.n_large * log(PRODUCT_LARGE);
}

double ldp_quick_log_density(ldp_quick *quick, int n, const double *k, const double *lambda) {
    double sum = 0;
    for (int from = 0; from < n; from += TOGETHER) {
        const int some = n - from < TOGETHER ? n - from : TOGETHER;
        sum += quick_sum_of(quick, some, k + from, lambda + from);
    }
    return sum;
}
