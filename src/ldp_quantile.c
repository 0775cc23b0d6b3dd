/* The search works on normal scores: z(x) = qnorm(P(X <= x)) is nearly linear in x, even far out in
 * the tails, so that a bracket is found and closed in a few steps. A step is that of the secant
 * through the ends of the bracket, moved by 1, 2, 4, ... towards the end that has not changed
 * (otherwise regula falsi converges slowly). If scores are infinite, the step is a bisection. Both
 * ends are evaluated at x and x - 1 before x is the answer, so the start has no influence on it.
 *
 * Whether x is large enough is decided by the log of the probability, without a tolerance: near p =
 * 1 a tolerance on p is large relative to 1 - p, and may span millions of values. The rounding of p
 * is allowed for at the end, by one step back at most. */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_quantile.h"

/* The search stays within these bounds, so that differences of two values are finite. */
static const double HIGHEST = DBL_MAX / 4;

/* From this distance on, steps outward are squared instead of doubled. */
static const double FAR = 0x1p60;

enum {
    /* Steps out from the start at least double from 1 on: after n of them the search is 2^n - 1
     * away. HIGHEST is 2^1022, so that 1024 steps lead from any start to any bound; one evaluation
     * is at the start, and one more step finds that the bound is reached. */
    MOST_OUT = DBL_MAX_EXP + 2,
    /* Secants usually close a bracket in a few steps; after this many, bisection is used. */
    SECANTS = 32,
    /* A bracket is at most 2^1023 wide. Bisection leaves at most half of its width, rounded up to a
     * whole number, and ends at a width of 1 (or of neighbouring doubles, beyond 2^53): after
     * 1023 steps. The remaining number of steps is 1025. */
    MOST_HALVINGS = LDP_QUANTILE_MOST_STEPS - MOST_OUT - SECANTS
};

typedef struct end {
    double x, log_tail, z;
} end;

typedef struct search {
    const ldp_quantile_law *law;
    ldp_probability p;
    end below, at_least; /* x too small, or -Inf; x large enough, or Inf */
    double target, nudge;
    int last_side;
} search;

/* The whole numbers before and after x; beyond 2^53, the doubles. */
static double before(double x) {
    return fmin(x - 1, nextafter(x, -INFINITY));
}

static double after(double x) {
    return fmax(x + 1, nextafter(x, INFINITY));
}

static int is_bracket(const search *s) {
    return isfinite(s->below.x) && isfinite(s->at_least.x);
}

static end quantile_evaluate(const search *s, double x) {
    const int lower = s->p.lower;
    const double log_tail = fmin(s->law->log_cdf(x, lower, s->law->theta), 0);
    return (end){x, log_tail, qnorm(log_tail, 0, 1, lower, 1)};
}

static void quantile_update(search *s, end at) {
    const int enough = s->p.lower ? at.log_tail >= s->p.log_p : at.log_tail <= s->p.log_p;
    const int side = enough ? 1 : -1;
    s->nudge = side == s->last_side ? fmax(1, 2 * s->nudge) : 0;
    s->last_side = side;
    if (enough)
        s->at_least = at;
    else
        s->below = at;
}

static double quantile_start(const search *s) {
    const double z = fmin(fmax(s->target, -1e9), 1e9);
    const double x = floor(s->law->mean + z * s->law->sd);
    return fmin(fmax(x, fmax(s->law->lowest, -HIGHEST)), HIGHEST);
}

static double first_step(const search *s, end at) {
    const double step = 1 + fmin(fabs(s->target - at.z), 100) * s->law->sd;
    return fmax(step, after(fabs(at.x)) - fabs(at.x));
}

/* Steps outward until there is a bracket, or a bound is reached. */
static void step_out(search *s) {
    double x = quantile_start(s), step = 0, last = NAN;
    for (int i = 0; i < MOST_OUT && x != last; i++) {
        const end at = quantile_evaluate(s, x);
        quantile_update(s, at);
        if (is_bracket(s))
            return;
        step = step > 0 ? fmin(step < FAR ? 2 * step : step * step, HIGHEST) : first_step(s, at);
        last = x;
        x = floor(isfinite(s->below.x) ? x + step : x - step);
        x = fmin(fmax(x, fmax(s->law->lowest, -HIGHEST)), HIGHEST);
    }
}

/* The logarithm of |x| + 1 with the sign of x, and its inverse. */
static double squeeze(double x) {
    return copysign(log1p(fabs(x)), x);
}

static double stretch(double t) {
    return copysign(expm1(fabs(t)), t);
}

/* The middle of a bracket. If it spans many orders of magnitude, the middle on the log scale, so
 * that about 70 halvings close any bracket. */
static double middle(const search *s) {
    const double low = squeeze(s->below.x), high = squeeze(s->at_least.x);
    if (s->at_least.x - s->below.x > FAR && high - low > 2)
        return floor(stretch((low + high) / 2));
    return s->below.x + floor((s->at_least.x - s->below.x) / 2);
}

static double secant(const search *s) {
    const double width = s->at_least.x - s->below.x, rise = s->at_least.z - s->below.z;
    if (!isfinite(rise) || !(rise > 0))
        return middle(s);
    const double share = fmin(fmax((s->target - s->below.z) / rise, 0), 1);
    return ceil(s->below.x + width * share) - s->last_side * s->nudge;
}

/* Narrows the bracket until its ends are neighbouring values. */
static void close_in(search *s) {
    for (int i = 0; i < SECANTS + MOST_HALVINGS; i++) {
        const double least = after(s->below.x), most = before(s->at_least.x);
        if (least > most)
            return;
        const double x = i < SECANTS ? secant(s) : middle(s);
        quantile_update(s, quantile_evaluate(s, fmin(fmax(x, least), most)));
    }
}

/* Is p, up to rounding, the probability at the lower end, and of no other value? */
static int is_of_lower_end(const search *s) {
    const double log_p = s->p.log_p, rounding = s->p.rounding - 4 * DBL_EPSILON * log_p;
    return fabs(s->below.log_tail - log_p) <= rounding &&
           fabs(s->at_least.log_tail - s->below.log_tail) >= LDP_IDENTIFIES * rounding;
}

double ldp_quantile(const ldp_quantile_law *law, ldp_probability p) {
    if (p.log_p == (p.lower ? -INFINITY : 0))
        return law->lowest;
    if (p.log_p == (p.lower ? 0 : -INFINITY))
        return INFINITY;
    search s = {law, p, {-INFINITY, 0, -INFINITY}, {INFINITY, 0, INFINITY}, 0, 0, 0};
    s.target = qnorm(p.log_p, 0, 1, p.lower, 1);
    step_out(&s);
    if (!is_bracket(&s)) /* no smaller value, or one that is not a double */
        return isfinite(s.at_least.x) ? law->lowest : INFINITY;
    close_in(&s);
    return is_of_lower_end(&s) ? s.below.x : s.at_least.x;
}
