/* Poisson and binomial numbers are drawn by inversion if their mean is small, otherwise by
 * transformed rejection, which takes the same time for every mean:
 *
 *     1. U and V uniform on (-1/2, 1/2) and (0, 1);  u = 1/2 - |U|;  x = floor((2 a/u + b) U + c)
 *     2. accept x if u >= 0.07 and V <= v
 *     3. otherwise accept x if V t/(a/u^2 + b) <= P(x); in the binomial case, <= P(x)/P(mode)
 *
 * Sources: Hoermann (1993), The transformed rejection method for generating Poisson random
 * variables, Insurance: Mathematics and Economics 12, algorithm PTRS; Hoermann (1993), The
 * generation of binomial random variates, J. Stat. Comput. Simul. 46, algorithm BTRS; Marsaglia and
 * Tsang (2000), A simple method for generating gamma variables, ACM Trans. Math. Softw. 26;
 * Ahrens and Dieter (1974), Computer methods for sampling from gamma, beta, Poisson and binomial
 * distributions, Computing 12, algorithm GS, for gamma shapes below 1; its acceptance is above 0.72
 * everywhere, and 0.92 at a shape of 0.1; Marsaglia's polar method for the normal distribution. */
#include <math.h>

#include <Rmath.h>

#include "ldp_math.h"
#include "ldp_poisson.h"
#include "ldp_random.h"

/* From this mean on, numbers are drawn by transformed rejection. */
static const double MEAN_LARGE = 10;

/* The largest number of steps of a sequential search: P(X > 200) < 1e-150 for means up to
 * MEAN_LARGE. */
enum { SEARCH_MOST = 200 };

/* The logarithm of a product costs less than the logarithms of its factors, and a product of 16
 * numbers of at least 2^-53 does not underflow. */
static const double ERLANG_MOST = 16;

/* A uniform of 52 bits that is below 2^-16 has few bits left. The exponential distribution has no
 * memory, so in this case a new draw is added to 16 log(2). */
double ldp_random_exponential(ldp_stream *stream) {
    static const double least = 1. / 65536;
    double before = 0;
    for (int i = 0; i < LDP_TRIES; i++) {
        const double u = ldp_stream_uniform(stream);
        if (u >= least)
            return before - log(u);
        before += 16 * M_LN2;
    }
    return before;
}

double ldp_random_normal(ldp_stream *stream) {
    for (int i = 0; i < LDP_TRIES; i++) {
        const double x = 2 * ldp_stream_uniform(stream) - 1;
        const double y = 2 * ldp_stream_uniform(stream) - 1, square = x * x + y * y;
        if (square < 1 && square > 0)
            return x * sqrt(-2 * log(square) / square);
    }
    return 0;
}

/* --- gamma ----------------------------------------------------------------------------------- */

/* u < exp(-x), where exp(-x) >= 1 - x saves most exponentials */
static int is_below_exp(double u, double x) {
    return u < 1 - x || u < exp(-x);
}

/* Algorithm GS, 0 < a < 1; 0 where u^(1/a) underflows. */
static double gamma_below_1(ldp_stream *stream, double a) {
    const double b = 1 + a * 0.36787944117144232160; /* (e + a)/e */
    for (int i = 0; i < LDP_TRIES; i++) {
        const double p = b * ldp_stream_uniform(stream); /* step 1 */
        const double u = ldp_stream_uniform(stream);
        if (p <= 1) {
            const double x = exp(log(p) / a); /* step 2 */
            if (is_below_exp(u, x))
                return x;
        } else {
            const double x = -log((b - p) / a); /* step 3 */
            if (u <= pow(x, a - 1))
                return x;
        }
    }
    return a;
}

static double erlang(ldp_stream *stream, int n) {
    double product = 1;
    for (int i = 0; i < n; i++)
        product *= ldp_stream_uniform(stream);
    return -log(product);
}

/* The algorithm of Marsaglia and Tsang; at least 95 % of the proposals are accepted. */
static double gamma_large(ldp_stream *stream, double shape) {
    const double d = shape - 1. / 3, c = 1 / sqrt(9 * d);
    for (int i = 0; i < LDP_TRIES; i++) {
        const double x = ldp_random_normal(stream), root = 1 + c * x, v = root * root * root;
        if (root <= 0)
            continue;
        const double u = ldp_stream_uniform(stream), square = x * x;
        if (u < 1 - 0.0331 * square * square || log(u) < square / 2 + d * (1 - v + log(v)))
            return d * v;
    }
    return shape; /* a NaN is kept, because it would show an error in the program */
}

/* Gamma draws whose shapes are mostly a small prior shape and a small count. In three parts:
 *
 *     shape a < 1            by rejection, from u^(1/a) or the tail of an exponential distribution
 *     shape a = n + b        an Erlang number, -log(u_1 ... u_n), and one of shape b < 1
 *     shape a >= ERLANG_MOST the algorithm of Marsaglia and Tsang */
double ldp_random_gamma(ldp_stream *stream, double shape) {
    if (!(shape < ERLANG_MOST))
        return gamma_large(stream, shape);
    const int n = (int)shape;
    const double whole = n > 0 ? erlang(stream, n) : 0;
    return shape > n ? whole + gamma_below_1(stream, shape - n) : whole;
}

/* --- Poisson and binomial -------------------------------------------------------------------- */

/* The constants of steps 1 to 3. */
typedef struct hat {
    double a, b, c, v, t;
} hat;

/* Returns x. On return `limit` is the number that step 3 compares with P(x), or 0 if step 2 has
 * accepted x. */
static double random_propose(ldp_stream *stream, const hat *h, double *limit) {
    const double across = ldp_stream_uniform(stream) - 0.5, height = ldp_stream_uniform(stream);
    const double u = 0.5 - fabs(across);
    *limit = u >= 0.07 && height <= h->v ? 0 : height * h->t / (h->a / (u * u) + h->b);
    return floor((2 * h->a / u + h->b) * across + h->c);
}

/* The published PTRS has t = 1.1239 + 1.1328/(b - 3.4) and v = 0.9277 - 3.6224/(b - 2). Its
 * envelope is up to 0.6 % too low, and its probabilities have errors of up to 3 in 100,000. With
 * the t and v below the method is exact: see check_envelope() in tests/c/test_random.c. */
static double poisson_large(ldp_stream *stream, double mean) {
    const double b = 0.931 + 2.53 * sqrt(mean);
    const hat h = {-0.059 + 0.02483 * b, b, mean + 0.43, 0.9277 - 3.73 / (b - 2),
                   1.1239 + 1.196 / (b - 3.4)};
    for (int i = 0; i < LDP_TRIES; i++) {
        double limit;
        const double x = random_propose(stream, &h, &limit);
        if (x >= 0 && (limit <= 0 || log(limit) <= ldp_poisson_log_pmf(x, mean, x - mean)))
            return x;
    }
    return floor(mean);
}

double ldp_random_poisson(ldp_stream *stream, double mean) {
    if (!isfinite(mean))
        return NAN;
    if (mean < MEAN_LARGE)
        return ldp_poisson_invert(ldp_stream_uniform(stream), mean);
    return poisson_large(stream, mean);
}

/* n p < MEAN_LARGE and p <= 1/2: a sequential search from 0 */
static double binomial_small(ldp_stream *stream, double n, double p) {
    const double odds = p / (1 - p);
    double left = ldp_stream_uniform(stream), term = exp(n * log1p(-p)), x = 0;
    for (; left >= term && x < n && x < SEARCH_MOST; x++) {
        left -= term;
        term *= (n - x) / (x + 1) * odds;
    }
    return x;
}

/* n p >= MEAN_LARGE and p <= 1/2: transformed rejection */
static double binomial_large(ldp_stream *stream, double n, double p) {
    const double deviation = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation;
    const hat h = {-0.0873 + 0.0248 * b + 0.01 * p, b, n * p + 0.5, 0.92 - 4.2 / b,
                   (2.83 + 5.1 / b) * deviation};
    const double mode = floor((n + 1) * p), log_mode = dbinom(mode, n, p, 1);
    for (int i = 0; i < LDP_TRIES; i++) {
        double limit;
        const double x = random_propose(stream, &h, &limit);
        if (x >= 0 && x <= n && (limit <= 0 || log(limit) <= dbinom(x, n, p, 1) - log_mode))
            return x;
    }
    return mode;
}

double ldp_random_binomial(ldp_stream *stream, double n, double p) {
    const double least = fmin(p, 1 - p);
    if (isnan(n + p))
        return NAN;
    const double x = n * least < MEAN_LARGE ? binomial_small(stream, n, least)
                                            : binomial_large(stream, n, least);
    return p > 0.5 ? n - x : x;
}
