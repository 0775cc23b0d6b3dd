/* Counts under any mechanism, by tokens (ldp_tokens.h). Every observed cell has a true count.
 *
 * With f(y) = L(y)/L(0) of a release (ldp_classes.h), tokens are proposed at w = exp(tilt) times
 * the means, where the tilt is that of the last class that has tokens. A token on a cell is kept
 * with the probability f(1)/w, which leaves Pois(f(1) mu), and y of them are accepted with the
 * probability f(y)/f(1)^y, which is at most 1 if log f is concave. If it is not (tables), or the
 * releases of a class differ, exp() of the tilt of the class is in the place of f(1). So a folded
 * release accepts all tokens that it keeps; and with passive releases alone, w is at most 1. Steep
 * releases have no tokens. */
#include <float.h>
#include <math.h>

#include "ldp_behind.h"
#include "ldp_bursts.h"
#include "ldp_codes.h"
#include "ldp_math.h"
#include "ldp_noise.h"
#include "ldp_random.h"

/* --- a cell ------------------------------------------------------------------------------------
 */

/* NULL if the release is in none. */
static const ldp_class *class_at(const ldp_cells *cells, int code) {
    return code < LDP_CODE_LISTED ? &cells->protection->classes->of[code] : NULL;
}

static ldp_evidence evidence_at(const ldp_protection *protection, size_t place, double y_tilde) {
    const int level = protection->level ? protection->level[place] : 0;
    return ldp_evidence_of(&protection->levels[level], LDP_IS, y_tilde);
}

/* That of column v, given its class. */
static ldp_evidence evidence_of(const ldp_cells *cells, int d, int v, const ldp_class *of) {
    if (of && of->is_one)
        return of->evidence;
    const size_t place = ldp_codes_place(cells, d, v);
    return evidence_at(cells->protection, place, cells->y_tilde[place]);
}

ldp_behind ldp_protection_behind(const ldp_protection *protection, size_t place, double y_tilde,
                                 double mu, double excess) {
    return ldp_behind_open(evidence_at(protection, place, y_tilde),
                           fmin(fmax(mu, DBL_MIN), DBL_MAX), excess);
}

/* log f(y) */
static double from_zero(const ldp_cells *cells, int d, int v, const ldp_class *of, double y) {
    if (of->is_one)
        return ldp_class_from_zero(of, y);
    const ldp_evidence evidence = evidence_of(cells, d, v, of);
    return ldp_evidence_from_zero(&evidence, y);
}

/* --- tokens ------------------------------------------------------------------------------------
 */

/* log f(size), or a bound */
static double log_kept(const ldp_class *of, int size) {
    return of->is_one ? ldp_class_from_zero(of, size) : of->tilt * size;
}

static double keep(const ldp_token_law *law, int code, int size) {
    const ldp_class *const of = class_at(law->cells, code);
    if (code == law->top && size == 1)
        return 1;
    return size == 1 ? of->weight * law->inverse : exp(log_kept(of, size) - law->log_tilt * size);
}

/* How far the probability of keeping a token is below that of the tilt, as a logarithm. */
double ldp_protected_over(const ldp_token_law *law, int code, int size) {
    const ldp_class *const of = class_at(law->cells, code);
    return size == 1 ? 0 : fmax(0, of->tilt * size - log_kept(of, size));
}

static double accept_of(const ldp_cells *cells, int d, int v, double y, double over) {
    const ldp_class *const of = class_at(cells, ldp_codes_row(cells, d)[v]);
    if (of->is_one && y <= 1)
        return 1;
    return exp(from_zero(cells, d, v, of, y) - of->tilt * y + over);
}

static double accept(const ldp_token_law *law, int v, double y, double over) {
    return accept_of(law->cells, law->row, v, y, over);
}

/* The number of classes that have tokens, so that a row takes least time: those below it in order.
 */
static int choose_classes(const ldp_cells *cells, const double *rate, double total, double cost) {
    const ldp_classes *const classes = cells->protection->classes;
    double least = INFINITY;
    int best = 0;
    for (int n = 0; n <= classes->n_tilted; n++) {
        const double tokens = n > 0 ? total * rate[n - 1] : 0;
        const double time = tokens + cost * classes->n_above[n] / cells->D;
        if (time < least) {
            least = time;
            best = n;
        }
    }
    return best;
}

ldp_token_law ldp_protected_law(const ldp_cells *cells, int row, const double *rate, double total,
                                double cost) {
    const int last = choose_classes(cells, rate, total, cost) - 1;
    const ldp_class *const of = cells->protection->classes->of;
    return (ldp_token_law){.rate = last < 0 ? INFINITY : rate[last],
                           .top = last,
                           .log_tilt = last < 0 ? 0 : of[last].tilt,
                           .inverse = last < 0 ? 1 : 1 / of[last].weight,
                           .keep = keep,
                           .accept = accept,
                           .cells = cells,
                           .row = row};
}

/* --- cells alone -------------------------------------------------------------------------------
 */

/* A Poisson number with a mean of at most 1, of which u is the uniform. */
static int small_poisson(double u, double mean) {
    double term = exp(-mean);
    int n = 0;
    for (; u >= term && n < LDP_CLASS_TERMS; term *= mean / n) {
        u -= term;
        n++;
    }
    return n;
}

/* The mean number of tokens at w times the mean mu; Inf if there is no such number. */
static double mean_tokens(double w, double mu, double excess) {
    const double x = w * excess / (1 + excess);
    if (!(excess > 0))
        return mu * w;
    return x < 0.9 ? -log1p(-x) * mu / excess : INFINITY;
}

/* If tokens are few, they are proposed for this cell until they are accepted, with the mean number
 * m: P(y = 0) >= 1 - m settles most cells. */
static double propose_alone(const ldp_token_law *law, int v, const ldp_class *of, double m,
                            double excess, ldp_stream *stream) {
    for (int tries = 0; tries < LDP_TRIES; tries++) {
        const double u = ldp_stream_uniform(stream);
        const int n = u < 1 - m ? 0 : small_poisson(u, m);
        double y = n;
        if (n == 0)
            return 0;
        if (excess > 0)
            for (int i = 0; i < n; i++)
                y += ldp_bursts_draw_size(stream, of->weight * excess / (1 + excess)) - 1;
        const double p = accept_of(law->cells, law->row, v, y, 0);
        if (!(p < 1) || ldp_stream_uniform(stream) < p)
            return y;
    }
    return 0;
}

double ldp_protected_alone(const ldp_token_law *law, ldp_stream *stream, int v, double mu,
                           double excess) {
    const ldp_class *const of = class_at(law->cells, ldp_codes_row(law->cells, law->row)[v]);
    mu = fmin(fmax(mu, DBL_MIN), DBL_MAX);
    const double m = of ? mean_tokens(of->weight, mu, excess) : INFINITY;
    if (m <= 1)
        return propose_alone(law, v, of, m, excess, stream);
    const double y = of && of->is_one ? ldp_class_draw(of, mu, excess, stream) : -1;
    if (y >= 0)
        return y;
    ldp_behind behind = ldp_behind_open(evidence_of(law->cells, law->row, v, of), mu, excess);
    return ldp_behind_draw(&behind, stream);
}

/* --- Poisson counts ----------------------------------------------------------------------------
 */

static double protected_alone(const ldp_token_law *law, ldp_stream *stream, int v, double mean) {
    return ldp_protected_alone(law, stream, v, mean, 0);
}

static ldp_token_law protected_tokens(void *state, const ldp_cells *cells, int row, double total,
                                      double cost) {
    const ldp_classes *const classes = cells->protection->classes;
    double rate[LDP_TILTED];
    for (int i = 0; i < classes->n_tilted; i++)
        rate[i] = classes->of[i].weight;
    ldp_token_law law = ldp_protected_law(cells, row, rate, total, cost);
    law.alone = protected_alone;
    law.state = state;
    return law;
}

double ldp_protected_log_density(const ldp_cells *cells, int row, size_t first, int n,
                                 const double *mu, double excess) {
    const uint8_t *const code = ldp_codes_row(cells, row);
    double sum = 0;
    for (int e = 0; e < n; e++) {
        const size_t place = first + (size_t)e;
        const ldp_class *const of = class_at(cells, code[cells->active.index[place]]);
        const double mean = fmin(fmax(mu[e], DBL_MIN), DBL_MAX);
        const double quick = of && of->is_one ? ldp_class_log_mass(of, mean, excess) : NAN;
        if (!isnan(quick)) {
            sum += quick;
            continue;
        }
        const ldp_behind behind =
            ldp_protection_behind(cells->protection, place, cells->y_tilde[place], mean, excess);
        sum += ldp_behind_log_mass(&behind);
    }
    return sum;
}

static double log_density_protected(const void *state, ldp_quick *quick, int row, size_t first,
                                    int n, const double *y_tilde, double alpha,
                                    const double *mean) {
    (void)quick;
    (void)y_tilde;
    (void)alpha;
    return ldp_protected_log_density(state, row, first, n, mean, 0);
}

ldp_noise ldp_noise_protected(int D, const ldp_cells *cells, double *rest, double *extra) {
    ldp_noise noise = {.density_rest = rest,
                       .log_density = log_density_protected,
                       .tokens = protected_tokens,
                       .state = (void *)cells};
    ldp_noise_expose_all(&noise, D, rest, extra);
    return noise;
}
