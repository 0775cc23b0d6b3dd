/* The distribution of a true count, averaged over posterior draws.
 *
 * Given y_tilde = k, the terms of y are those of ldp_truenbinom:
 *
 *     w(y+1)/w(y) = (s + y)/(y + 1) p/alpha  for y < k,    (s + y)/(y + 1) p alpha  from k on,
 *
 * with p = excess/(1 + excess) and s p = mu/(1 + excess); Poisson counts are the case p = 0. All
 * terms are computed by these ratios, from k downwards and from k upwards, until the remaining
 * terms are below the last digit of the sum. For y < k, terms first rise or fall by a factor of at
 * most s/y before they follow the powers of p/alpha, so that no term that matters underflows.
 *
 * For quantiles of a true count averaged over draws (augment()): all probabilities of a value's
 * neighbourhood at once, instead of one call of ldp_truenbinom per value. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ldp_mixture.h"

static const double LARGE = 1e100;

void ldp_mixture_begin(ldp_mixture *mixture) {
    mixture->n = 0;
}

/* The ratios w(y+1)/w(y) = (first + y x)/(y + 1) */
typedef struct ratios {
    double first, x;
} ratios;

static ratios make_ratios(double mu, double excess, double tilt) {
    const ratios r = {mu / (1 + excess) * tilt, excess / (1 + excess) * tilt};
    return r;
}

/* Scales down the terms from `from` (the last computed, and the largest) to `to`. If a term
 * underflows, it and all terms beyond it are below 1e-100 of the largest. */
static void shrink(double *w, int from, int to) {
    const double by = 1 / w[from];
    const int way = from < to ? 1 : -1;
    for (int y = from; y != to + way && w[y] > 0; y += way)
        w[y] *= by;
}

/* Computes w(0), ..., w(k), starting from w(k) = 1. Returns 0 if a term is not a finite double. */
static int mixture_fill_below(int k, ratios low, double *w) {
    w[k] = 1;
    for (int y = k; y > 0; y--) {
        w[y - 1] = w[y] * (y / (low.first + (y - 1) * low.x));
        if (!(w[y - 1] <= DBL_MAX))
            return 0;
        if (w[y - 1] > LARGE)
            shrink(w, y - 1, k);
    }
    return 1;
}

/* Computes the terms above k. Returns the number of all terms (from y = 0), or 0 if there is no
 * room for them. */
static int mixture_fill_above(int k, ratios high, double *w) {
    double sum = 0; /* from y = 1 on, so that small means are accurate */
    for (int y = 1; y <= k; y++)
        sum += w[y];
    for (int y = k; y + 1 < LDP_MIXTURE_ROOM; y++) {
        const double ratio = (high.first + y * high.x) / (y + 1);
        const double most = fmax(ratio, high.x); /* an upper bound of all further ratios */
        if (most < 1 && w[y] * most <= 0.25 * DBL_EPSILON * (1 - most) * sum)
            return y + 1;
        w[y + 1] = w[y] * ratio;
        if (!(w[y + 1] <= DBL_MAX))
            return 0;
        sum += w[y + 1];
        if (w[y + 1] > LARGE) {
            sum /= w[y + 1];
            shrink(w, y + 1, 0);
        }
    }
    return 0;
}

static void absorb(ldp_mixture *mixture, int n, double weight) {
    double sum = 0;
    for (int y = 0; y < n; y++)
        sum += mixture->terms[y];
    if (mixture->n < n) {
        memset(mixture->mass + mixture->n, 0, (size_t)(n - mixture->n) * sizeof *mixture->mass);
        mixture->n = n;
    }
    for (int y = 0; y < n; y++)
        mixture->mass[y] += mixture->terms[y] * (weight / sum);
}

static int mixture_add(ldp_mixture *mixture, double k, ratios low, ratios high, double weight) {
    if (!(k < LDP_MIXTURE_ROOM))
        return 0;
    const int from = k > 0 ? (int)k : 0;
    if (!mixture_fill_below(from, low, mixture->terms))
        return 0;
    const int n = mixture_fill_above(from, high, mixture->terms);
    if (n == 0)
        return 0;
    absorb(mixture, n, weight);
    return 1;
}

int ldp_mixture_add(ldp_mixture *mixture, double k, double mu, double excess, double alpha,
                    double weight) {
    if (mu <= 0) /* the true count is 0 */
        k = 0;
    return mixture_add(mixture, k, make_ratios(mu, excess, 1 / alpha),
                       make_ratios(mu, excess, alpha), weight);
}

int ldp_mixture_add_masked(ldp_mixture *mixture, double mu, double excess, double weight) {
    const ratios all = make_ratios(mu, excess, 1);
    return mixture_add(mixture, 0, all, all, weight);
}

int ldp_mixture_add_behind(ldp_mixture *mixture, const ldp_behind *behind, double weight) {
    const int n = ldp_behind_terms(behind, LDP_MIXTURE_ROOM, mixture->terms);
    if (n > 0)
        absorb(mixture, n, weight);
    return n > 0;
}

double ldp_mixture_mean(const ldp_mixture *mixture) {
    double sum = 0;
    for (int y = 1; y < mixture->n; y++)
        sum += y * mixture->mass[y];
    return sum;
}

double ldp_mixture_quantile(const ldp_mixture *mixture, double p) {
    double below = 0;
    for (int y = 0; y + 1 < mixture->n; y++) {
        below += mixture->mass[y];
        if (below >= p)
            return y;
    }
    return mixture->n - 1;
}
