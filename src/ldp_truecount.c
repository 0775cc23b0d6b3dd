/* The true count behind a release,
 *
 *     P(y | k) prop. to mu^y/y! alpha^|k - y|,   y = 0, 1, ...
 *
 * For k <= 0 that is Pois(alpha mu), as for k = 0. For k > 0 it is Pois(mu/alpha) up to k and
 * Pois(alpha mu) above, on one scale. The scale on which no digits are lost depends on k:
 *
 *     k > mu/alpha       Pois(mu/alpha), in whose upper tail k is
 *     k < alpha mu       Pois(alpha mu), in whose lower tail k is
 *     between            relative to the weight of y = k, where the distribution has its peak
 *
 * and the weights of y < k, y = k, y > k on that scale give the constant, and the mean
 *
 *     E[y | k] = mu p(k-1)/p(k) = (mu/alpha P(y < k) + alpha mu P(y >= k)).
 *
 * The cdf and the variance are sums away from the peak, with terms that fall.
 *
 * A draw is made by rejection, at bounded expected cost (acceptance above 0.37 everywhere):
 *
 *     k <= 0              Pois(alpha mu), exactly
 *     0 < k <= alpha mu   from Pois(alpha mu), accepted with alpha^(2(k-y)) if y < k
 *     k >= mu/alpha       from Pois(mu/alpha), accepted with alpha^(2(y-k)) if y > k
 *     between             from Pois(k) or from a two-sided geometric distribution about k
 *
 * Worked example: k = 1, mu = 0.05, alpha = 0.37. Then mu/alpha = 0.135, and u < 0.865
 * already means y = 0: nearly every cell of sparse data ends at this one comparison.
 *
 * Source: Schein et al. (2019), section 4, for the model; the collapsed distribution is new in this
 * package.
 *
 * The distribution of a true count given its release if counts are Poisson: the terms of
 * ldp_truenbinom have another form then. The samplers draw from it. */
#include <math.h>

#include <Rmath.h>

#include "ldp_math.h"
#include "ldp_poisson.h"
#include "ldp_random.h"
#include "ldp_truecount.h"

/* Terms below this share of their sum are negligible, even times the number of terms left. */
static const double TERM_NEGLIGIBLE = 1e-19;

/* If the peak is above this, the sum for the variance would have too many terms. */
static const double VARIANCE_LARGE = 1e12;

/* Up to this release, a sum over the counts below it costs less than a draw that may be refused. */
static const double OUTWARD_MOST = 16;

/* Probabilities of acceptance below this are negligible, and are not computed exactly. */
static const double KEEP_LEAST = 1e-12;

/* mu/alpha is limited to this; Pois(mu/alpha) then has a negligible probability at k. */
static const double RATE_MOST = 1e300;

/* A product or quotient of two doubles: the nearest double, and its rounding error. */
typedef struct rate {
    double value, rest;
} rate;

typedef struct truth {
    double k, mu, alpha;
    rate up, down; /* alpha mu, which rules above k, and mu/alpha, which rules up to k */
    int side; /* of the scale: 1 for k > mu/alpha, -1 for k < alpha mu, 0 between */
    double log_at; /* of y = k on the scale, before the constant */
    double below, at, above; /* weights of y < k, y = k, y > k on the scale */
} truth;

static double log_rate(double y, rate x) {
    return ldp_poisson_log_pmf(y, x.value, (y - x.value) - x.rest);
}

static truth scale_by_low(truth w) {
    w.side = 1;
    w.log_at = log_rate(w.k, w.down);
    w.at = exp(w.log_at);
    w.below = exp(ldp_poisson_log_cdf(w.k - 1, w.down.value, 1));
    w.above = w.at * ldp_poisson_above(w.k, w.up.value);
    return w;
}

static truth scale_by_high(truth w) {
    w.side = -1;
    w.log_at = log_rate(w.k, w.up);
    w.at = exp(w.log_at);
    w.above = exp(ldp_poisson_log_cdf(w.k, w.up.value, 0));
    w.below = w.k > 0 ? w.at * ldp_poisson_below(w.k, w.down.value) : 0;
    return w;
}

static truth scale_by_k(truth w) {
    w.side = 0;
    w.log_at = 0;
    w.at = 1;
    w.below = ldp_poisson_below(w.k, w.down.value);
    w.above = ldp_poisson_above(w.k, w.up.value);
    return w;
}

/* alpha > 0, mu > 0 */
static truth truecount_make_truth(double k, double mu, double alpha) {
    const double up = alpha * mu, down = fmin(mu / alpha, RATE_MOST);
    truth w = {fmax(k, 0), mu, alpha, {up, fma(alpha, mu, -up)}, {down, 0}, 0, 0, 0, 0, 0};
    if (down < RATE_MOST)
        w.down.rest = -fma(down, alpha, -mu) / alpha;
    if (k > down)
        return scale_by_low(w);
    return w.k < up || w.k <= 0 ? scale_by_high(w) : scale_by_k(w);
}

static double truecount_total(truth w) {
    return w.below + w.at + w.above;
}

/* The approximate position of the peak. */
static double peak(truth w) {
    return w.side > 0 ? w.down.value : w.side < 0 ? w.up.value : w.k;
}

/* log(x/c), accurate also if c is near x */
static double truecount_log_near(rate x, double c) {
    const double change = ((x.value - c) + x.rest) / c;
    return fabs(change) < 0.5 ? log1p(change) : log(x.value / c);
}

static double log_up(truth w) { /* log(alpha mu/k) */
    return w.up.value > 1e-290 ? truecount_log_near(w.up, w.k)
                               : log(w.alpha) + log(w.mu) - log(w.k);
}

static double log_down(truth w) { /* log(mu/(alpha k)) */
    return w.down.value < RATE_MOST ? truecount_log_near(w.down, w.k)
                                    : log(w.mu) - log(w.alpha) - log(w.k);
}

/* log P(y)/P(k), by the terms of the two Poisson distributions */
static double log_from_k(double y, truth w) {
    const double tilt = y <= w.k ? (y - w.k) * log_down(w) : (y - w.k) * log_up(w);
    return ldp_poisson_log_ratio(y, w.k) + tilt;
}

static double truecount_log_weight(double y, truth w) {
    if (w.side > 0 && y <= w.k)
        return log_rate(y, w.down);
    if (w.side < 0 && w.up.value < 1e-290 && y > 0) /* k = 0 */
        return y * (log(w.alpha) + log(w.mu)) - lgammafn(y + 1);
    if (w.side < 0 && y >= w.k)
        return log_rate(y, w.up);
    return w.log_at + log_from_k(y, w);
}

/* Without noise the true count is the release, and if mu is 0 it is 0. */
static int truecount_is_certain(double mu, double alpha) {
    return alpha <= 0 || mu <= 0;
}

static double truecount_certain_value(double k, double alpha) {
    return alpha <= 0 ? k : 0;
}

double ldp_truecount_log_pmf(double y, double k, double mu, double alpha) {
    if (y < 0)
        return -INFINITY;
    if (truecount_is_certain(mu, alpha))
        return y < truecount_certain_value(k, alpha) || y > truecount_certain_value(k, alpha)
                   ? -INFINITY
                   : 0;
    const truth w = truecount_make_truth(k, mu, alpha);
    return truecount_log_weight(y, w) - log(truecount_total(w));
}

/* sum_{i >= y} P(i)/P(y) */
static double truecount_tail_above(double y, truth w) {
    double term = 1, sum = 1;
    for (double i = y + 1; term > sum * TERM_NEGLIGIBLE; i++) {
        term *= (i <= w.k ? w.down.value : w.up.value) / i;
        sum += term;
    }
    return sum;
}

/* sum_{i <= y} P(i)/P(y) */
static double truecount_tail_below(double y, truth w) {
    double term = 1, sum = 1;
    for (double i = y; i > 0 && term > sum * TERM_NEGLIGIBLE; i--) {
        term *= i / (i <= w.k ? w.down.value : w.up.value);
        sum += term;
    }
    return sum;
}

double ldp_truecount_log_cdf(double y, int lower, double k, double mu, double alpha) {
    if (y < 0)
        return lower ? -INFINITY : 0;
    if (truecount_is_certain(mu, alpha))
        return (y >= truecount_certain_value(k, alpha)) == (lower != 0) ? 0 : -INFINITY;
    const truth w = truecount_make_truth(k, mu, alpha);
    const int upper_is_tail = y >= floor(peak(w));
    const double l = y + 1 <= w.k ? w.down.value : w.up.value;
    const double fall = upper_is_tail ? log((y + 1) / l) : log(l / (y + 1));
    const double from = upper_is_tail ? y + 1 : y;
    const double sum = ldp_tail_is_long(fall, peak(w)) ? ldp_tail_large(fall, peak(w))
                       : upper_is_tail                 ? truecount_tail_above(from, w)
                                                       : truecount_tail_below(from, w);
    const double log_tail = truecount_log_weight(from, w) - log(truecount_total(w)) + log(sum);
    return upper_is_tail == (lower == 0) ? log_tail : ldp_log1m_exp(log_tail);
}

static double truecount_log_cdf(double y, int lower, const double *theta) {
    return ldp_truecount_log_cdf(y, lower, theta[0], theta[1], theta[2]);
}

double ldp_truecount_quantile(ldp_probability p, double k, double mu, double alpha) {
    if (truecount_is_certain(mu, alpha))
        return truecount_certain_value(k, alpha);
    const truth w = truecount_make_truth(k, mu, alpha);
    const double theta[] = {k, mu, alpha};
    double sd = sqrt(peak(w));
    if (w.side == 0) /* a two-sided geometric distribution may be narrower */
        sd = fmin(sd, 1 / fabs(log_down(w)) + 1 / fabs(log_up(w)));
    const ldp_quantile_law law = {truecount_log_cdf, theta, 0, peak(w), sd};
    return ldp_quantile(&law, p);
}

ldp_truecount_shares ldp_truecount_find_shares(double k, double mu, double alpha) {
    const truth w = truecount_make_truth(k, mu, alpha);
    const double all = truecount_total(w);
    return (ldp_truecount_shares){w.below / all, w.at / all, w.above / all};
}

double ldp_truecount_mean(double k, double mu, double alpha) {
    if (truecount_is_certain(mu, alpha))
        return truecount_certain_value(k, alpha);
    const truth w = truecount_make_truth(k, mu, alpha);
    return (w.down.value * w.below + w.up.value * (w.at + w.above)) / truecount_total(w);
}

/* sum (y - mean)^2 P(y)/P(from), from there down and from the next up */
static double spread(double from, double mean, truth w) {
    double term = 1, square = (from - mean) * (from - mean), sum = square;
    for (double y = from; y > 0 && term * (1 + square) > sum * TERM_NEGLIGIBLE; y--) {
        term *= y / (y <= w.k ? w.down.value : w.up.value);
        square = (y - 1 - mean) * (y - 1 - mean);
        sum += term * square;
    }
    term = 1;
    for (double y = from + 1; term > 0 && term * (1 + square) > sum * TERM_NEGLIGIBLE; y++) {
        term *= (y <= w.k ? w.down.value : w.up.value) / y;
        square = (y - mean) * (y - mean);
        sum += term * square;
    }
    return sum;
}

double ldp_truecount_var(double k, double mu, double alpha) {
    if (truecount_is_certain(mu, alpha))
        return 0;
    const truth w = truecount_make_truth(k, mu, alpha);
    if (w.k <= 0)
        return w.up.value;
    const double from = floor(peak(w)), mean = ldp_truecount_mean(k, mu, alpha);
    if (from > VARIANCE_LARGE) /* the variance is of that order, except for little noise */
        return w.side == 0 ? fmin(from, 2 / (log_up(w) * log_up(w))) : from;
    return spread(from, mean, w) * exp(truecount_log_weight(from, w) - log(truecount_total(w)));
}

static double propose_below(ldp_stream *stream, double x) {
    return ldp_random_poisson(stream, x);
}

/* x = mu/alpha <= k, and y its first proposal */
static double from_below(ldp_stream *stream, double k, double x, double alpha, double y) {
    for (int i = 0; i < LDP_TRIES && y > k && ldp_stream_uniform(stream) >= pow(alpha, 2 * (y - k));
         i++)
        y = propose_below(stream, x);
    return y;
}

static double from_above(ldp_stream *stream, double k, double x,
                         double alpha) { /* x = alpha mu >= k */
    for (int i = 0; i < LDP_TRIES; i++) {
        const double y = ldp_random_poisson(stream, x);
        if (y >= k || ldp_stream_uniform(stream) < pow(alpha, 2 * (k - y)))
            return y;
    }
    return k;
}

/* Pois(y; k)/Pois(k; k) */
static double poisson_ratio(double y, double k) {
    if (!ldp_poisson_is_near(y, k))
        return exp(ldp_poisson_log_ratio(y, k));
    double ratio = 1;
    for (double i = k + 1; i <= y; i++)
        ratio *= k / i;
    for (double i = y + 1; i <= k; i++)
        ratio *= i / k;
    return ratio;
}

/* A geometric number, P(j) prop. to r^j, from an exponential draw, which reaches tails that
 * inversion of a uniform does not reach. */
static double truecount_geometric(ldp_stream *stream, double r) {
    return r > 0 ? floor(ldp_random_exponential(stream) / -log(r)) : 0;
}

/* Relative to Pois(y; k) the distribution is up^(y-k) above k and down^(k-y) below, both ratios <
 * 1. */
static double from_between(ldp_stream *stream, double k, double mu, double alpha) {
    const double up = alpha * (mu / k), down = alpha * (k / mu);
    const double mass_up = 1 / (1 - up), mass_down = down / (1 - down);
    const double peak = 1 / sqrt(2 * M_PI * k); /* Pois(k; k), nearly */
    if (peak * (mass_up + mass_down) > 1) {
        for (int i = 0; i < LDP_TRIES; i++) { /* the Poisson distribution is narrower */
            const double y = ldp_random_poisson(stream, k);
            if (ldp_stream_uniform(stream) < (y >= k ? pow(up, y - k) : pow(down, k - y)))
                return y;
        }
        return k;
    }
    const double p_up = mass_up / (mass_up + mass_down);
    for (int i = 0; i < LDP_TRIES; i++) {
        const double y = ldp_stream_uniform(stream) < p_up
                             ? k + truecount_geometric(stream, up)
                             : k - 1 - truecount_geometric(stream, down);
        if (y >= 0 && ldp_stream_uniform(stream) < poisson_ratio(y, k))
            return y;
    }
    return k;
}

/* The y < k at which the sum of weights, from y = k - 1 down, exceeds `rest`. */
static double walk_down(double rest, double k, double back) {
    double term = 1, y = k;
    while (y > 0 && rest >= 0)
        rest -= term *= y-- * back;
    return y;
}

/* A draw from y = k outward with one uniform number, with weights relative to that of k. Down to 0
 * the weights are summed. Above k they are bounded by a geometric series, and a draw from there may
 * be refused.
 *
 *     w(y)/w(k) = prod_{i=y+1}^k i alpha/mu,     w(k+1+j)/w(k+1) <= r^j,  r = alpha mu/(k+2)
 *
 * The smallest u give y = 0, and so does every u < 1 - x, x = mu/alpha: relative to the weight of
 * 0, the terms of sum_{y<=k} x^y/y! and of the series are at most those of 1 + x + x^2 + ... */
static double from_k_outward(ldp_stream *stream, double u, double k, double mu, double alpha) {
    const double up = alpha * mu, back = alpha / mu;
    const double above = up * (k + 2) / ((k + 1) * (k + 2 - up));
    double below = 0, term = 1;
    for (double y = k; y > 0; y--)
        below += term *= y * back;
    for (int i = 0; i < LDP_TRIES; i++, u = ldp_stream_uniform(stream)) {
        double rest = (1 - u) * (1 + above + below) - 1;
        if (rest < 0)
            return k;
        rest -= above;
        if (rest >= 0)
            return walk_down(rest, k, back);
        const double j = truecount_geometric(stream, up / (k + 2));
        double keep = 1;
        for (double m = 2; m <= j && keep > KEEP_LEAST; m++)
            keep *= (k + 2) / (k + 1 + m);
        if (ldp_stream_uniform(stream) < keep)
            return k + 1 + j;
    }
    return k;
}

double ldp_rtruecount_by(ldp_stream *stream, double u, double k, double mu, double alpha) {
    if (alpha <= 0)
        return k;
    if (!isfinite(mu))
        return NAN; /* bad starting values: taken as 0, and the next sweep corrects this */
    if (k <= 0)
        return ldp_random_poisson(stream, alpha * mu);
    if (k <= OUTWARD_MOST && alpha * mu <= k)
        return from_k_outward(stream, u, k, mu, alpha);
    if (mu < alpha) /* the caller has used u, so no other uniform may be drawn instead */
        return from_below(stream, k, mu / alpha, alpha, ldp_poisson_invert(u, mu / alpha));
    if (mu <= alpha * k)
        return from_below(stream, k, mu / alpha, alpha, propose_below(stream, mu / alpha));
    if (k <= alpha * mu)
        return from_above(stream, k, alpha * mu, alpha);
    return from_between(stream, k, mu, alpha);
}

/* The comparison that settles most cells of a model is done first here as well. */
double ldp_rtruecount(double k, double mu, double alpha) {
    ldp_stream stream = ldp_stream_open();
    const double u = ldp_stream_uniform(&stream);
    return k > 0 && alpha > 0 && u < 1 - mu / alpha ? 0
                                                    : ldp_rtruecount_by(&stream, u, k, mu, alpha);
}
