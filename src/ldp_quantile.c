/* The search works on normal scores: z(x) = qnorm(P(X <= x)) is nearly a line in x, for tails far
 * out as well, so that a bracket is found and closed in a few steps. A step is that of the secant
 * through the bracket's ends, moved towards the end that has stood still by 1, 2, 4, ... (regula
 * falsi creeps otherwise); where scores are infinite it is bisection. Both ends are
 * evaluated at x and x - 1 before x is the answer, so the start has no influence on it. */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_quantile.h"

typedef struct search {
    double below, z_below; /* too small, or -Inf */
    double at_least, z_at_least; /* large enough, or Inf */
    double target, nudge;
    int last_side;
} search;

/* Between two finite ends. */
static double next_inside(search *s) {
    const double width = s->at_least - s->below, rise = s->z_at_least - s->z_below;
    double x = s->below + floor(width / 2);
    if (isfinite(rise) && rise > 0)
        x = ceil(s->below + width * fmin(fmax((s->target - s->z_below) / rise, 0), 1)) -
            s->last_side * s->nudge;
    return fmin(fmax(x, s->below + 1), s->at_least - 1);
}

static void update(search *s, double x, double z, int enough) {
    const int side = enough ? 1 : -1;
    s->nudge = side == s->last_side ? fmax(1, 2 * s->nudge) : 0;
    s->last_side = side;
    if (enough) {
        s->at_least = x;
        s->z_at_least = z;
    } else {
        s->below = x;
        s->z_below = z;
    }
}

static double start(const ldp_quantile_law *law, double target) {
    const double z = fmin(fmax(target, -1e9), 1e9);
    return fmax(floor(law->mean + z * law->sd), law->lowest);
}

double ldp_quantile(const ldp_quantile_law *law, double log_p, int lower) {
    if (log_p == (lower ? -INFINITY : 0))
        return law->lowest;
    if (log_p == (lower ? 0 : -INFINITY))
        return INFINITY;
    const double fuzz = 4 * DBL_EPSILON * log_p; /* below 0 */
    const double limit = lower ? log_p + fuzz : log_p - fuzz;
    search s = {-INFINITY, -INFINITY, INFINITY, INFINITY, 0, 0, 0};
    s.target = qnorm(log_p, 0, 1, lower, 1);
    double x = start(law, s.target), step = 0;
    for (;;) {
        const double log_tail = law->log_cdf(x, lower, law->theta);
        const double z = qnorm(fmin(log_tail, 0), 0, 1, lower, 1);
        update(&s, x, z, lower ? log_tail >= limit : log_tail <= limit);
        step = step > 0 ? 2 * step : 1 + fmin(fabs(s.target - z), 100) * law->sd;
        const double before = x;
        if (isfinite(s.below) && isfinite(s.at_least)) {
            if (s.at_least - s.below <= 1)
                return s.at_least;
            x = next_inside(&s);
            if (x <= s.below || x >= s.at_least)
                return s.at_least; /* neighbouring doubles, beyond 2^53 */
        } else {
            x = floor(isfinite(s.below) ? x + step : x - step);
            x = fmax(x, law->lowest);
            if (x == before || !isfinite(x))
                return s.at_least;
        }
    }
}
