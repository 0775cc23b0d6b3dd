/* The Fisher information of a released count about log(mu),
 *
 *     I = sum_k P'(k)^2/P(k),   P'(k) = d P(k)/d log(mu).
 *
 * P(k) = (1 - alpha)/(1 + alpha) (L(k) + U(k)) with
 *
 *     L(k) = sum_{y <= k} p(y) alpha^(k-y) = alpha L(k-1) + p(k),
 *     U(k) = sum_{y > k} p(y) alpha^(y-k) = alpha (U(k+1) + p(k+1)),
 *
 * where p is the distribution of the true count, and the same holds for P' with p' in place of p:
 *
 *     p(y+1)/p(y) = (s + y)/(y + 1) e/(1 + e),    e = excess, s = mu/e,
 *     p'(y)/p(y) = sum_{i < y} s/(s + i) - s log(1 + e).
 *
 * Counts y with a negligible probability are left out. Below and above the others the score P'/P is
 * constant and P is geometric, so both tails have closed forms. If there are too many counts, every
 * n-th is used, and alpha^n in place of alpha: the distribution is then so wide that this hardly
 * changes I. */
#include <math.h>

#include <Rmath.h>

#include "ldp_information.h"
#include "ldp_nbinom.h"

/* Counts are left out beyond this many standard deviations, and from where their probability is
 * below this share of the largest. */
static const double SDS = 7, TERM_NEGLIGIBLE = 1e-10;

/* From this size on, the digamma function is replaced by its first two asymptotic terms. */
static const double SIZE_LARGE = 1e5;

/* Probabilities p(y) and their derivatives p'(y) for y = from, from + step, ... */
typedef struct counts {
    double *p, *slope;
    int n;
    double step;
} counts;

static double score(double y, double mu, double excess) {
    if (excess <= 0)
        return y - mu;
    const double s = mu / excess, up_to = s * log1p(excess);
    if (s < SIZE_LARGE)
        return s * (digamma(s + y) - digamma(s)) - up_to;
    return s * log1p(y / s) + y / (2 * (s + y)) - up_to; /* DLMF 5.11.2 */
}

static counts find_counts(double mu, double excess, double *work) {
    const double sd = sqrt(mu) * sqrt(1 + excess), ratio = excess / (1 + excess);
    const double from = fmax(0, floor(mu - SDS * sd)), width = 2 * SDS * sd + 24 * (1 + excess);
    counts c = {work, work + LDP_INFORMATION_TERMS, 0, 1};
    const int most = mu >= 2 * excess ? LDP_INFORMATION_SMOOTH : LDP_INFORMATION_TERMS;
    c.step = fmax(1, ceil(width / (most - 2)));
    double largest = 0;
    for (int i = 0; i < most; i++) {
        const double y = from + i * c.step;
        if (i == 0 || c.step > 1) {
            c.p[i] = exp(ldp_nbinom_log_pmf(y, mu, excess)) * (y > 0 ? c.step : 1);
            c.slope[i] = score(y, mu, excess);
        } else {
            c.p[i] = c.p[i - 1] * ((mu / (1 + excess) + (y - 1) * ratio) / y);
            c.slope[i] = c.slope[i - 1] + mu / (mu + excess * (y - 1));
        }
        c.n = i + 1;
        largest = fmax(largest, c.p[i]);
        if (y > mu && c.p[i] < TERM_NEGLIGIBLE * largest)
            break;
    }
    return c;
}

double ldp_information(double mu, double excess, double alpha, double *work) {
    if (ldp_nbinom_is_poisson(mu, excess))
        excess = 0;
    if (alpha <= 0 && excess <= 0)
        return mu;
    const counts c = find_counts(mu, excess, work);
    const double a = c.step > 1 ? pow(alpha, c.step) : alpha;
    double *const upper = c.slope + LDP_INFORMATION_TERMS, *const upper_slope =
                                                               upper + LDP_INFORMATION_TERMS;
    double u = 0, u_slope = 0, sum = 0;
    for (int i = c.n - 1; i >= 0; i--) {
        c.slope[i] *= c.p[i];
        upper[i] = u;
        upper_slope[i] = u_slope;
        u = a * (u + c.p[i]);
        u_slope = a * (u_slope + c.slope[i]);
        sum += c.p[i];
    }
    /* P(k) below all counts is u, a u, a^2 u, ..., which has the sum u/(1 - a); and so above them.
     */
    double l = 0, l_slope = 0, information = u > 0 ? u_slope * u_slope / u / (1 - a) : 0;
    for (int i = 0; i < c.n; i++) {
        l = a * l + c.p[i];
        l_slope = a * l_slope + c.slope[i];
        const double all = l + upper[i], all_slope = l_slope + upper_slope[i];
        information += all > 0 ? all_slope * (all_slope / all) : 0;
    }
    if (l > 0)
        information += l_slope * (l_slope / l) * a / (1 - a);
    return information * ((1 - a) / (1 + a)) / sum;
}
