/* One component of a factor is multiplied by c = exp(t), and that of another factor is divided by
 * c. No mean mu changes, so the distribution of c depends only on the gamma priors and the
 * Jacobian. Its density is prop. to exp(h(t)), where h is concave,
 *
 *     h(t) = p t - A exp(t) - B exp(-t) - E exp(-2 t)
 *
 * (without E, c has a generalised inverse Gaussian distribution). Drawn by rejection:
 *
 *     1. the mode t0, by Newton's method;
 *     2. with d = t - t0, h(t) - h(t0) = p d - a expm1(d) - b expm1(-d) - e expm1(-2 d), which
 *        keeps its digits however large the parts are;
 *     3. an envelope of three pieces: flat at the top, and the tangents of h at
 *        d = +-1.5/sqrt(-h''), each from where it meets the top outward. 0.77 to 0.88 of the
 *        proposals are accepted. If p is about 0 and A and B are small, h is flat around the mode
 *        and then falls steeply, much nearer to the mode than its curvature there suggests. The
 *        tangents are then placed where h has fallen by 1/2 to 8.
 *
 * Sources: Liu and Sabatti (2000), Generalised Gibbs sampler and multigrid Monte Carlo, theorem 1,
 * for moves along a group of transformations; Devroye (1986), Non-uniform random variate
 * generation, section VII.2.6, for the envelope. */
#include <float.h>
#include <math.h>

#include "ldp_math.h"
#include "ldp_random.h"
#include "ldp_scale.h"

/* The longest Newton step, which changes a scale by a factor of e. */
static const double LONGEST_STEP = 1;

/* The mode is found when a step is this small relative to the width of the distribution. */
static const double SMALLEST_STEP = 1e-3;

/* The largest absolute value of t, which keeps scales within the range of doubles. */
static const double FURTHEST = 700;

/* Tangents are placed where h has fallen by an amount within these limits. */
static const double FALLEN_MOST = 8, FALLEN_LEAST = 0.5;

/* If a part is absent, 0 even if its exponential overflows. */
static double part(double weight, double exponential) {
    return weight > 0 ? weight * exponential : 0;
}

/* weight exp(t), also where exp(t) alone overflows. */
static double scale_part_at(double weight, double t) {
    return t < FURTHEST ? part(weight, exp(t)) : part(1, exp(log(weight) + t));
}

/* The starting value: the mode without E or, if p < 0 and B = 0, without A. */
static double first_guess(ldp_scale law) {
    const double root = hypot(law.p, 2 * sqrt(law.A) * sqrt(law.B));
    if (law.p >= 0 && law.p + root > 0)
        return log(law.p + root) - log(2 * law.A);
    if (law.B > 0)
        return log(2 * law.B) - log(root - law.p);
    return log(2 * law.E / fmax(-law.p, law.A)) / 2;
}

double ldp_scale_mode(ldp_scale law) {
    double t = first_guess(law);
    for (int i = 0; i < 200; i++) {
        const double a = scale_part_at(law.A, t), b = scale_part_at(law.B, -t),
                     e = scale_part_at(law.E, -2 * t);
        const double slope = law.p - a + b + 2 * e, bend = a + b + 4 * e;
        const double step = slope / bend;
        if (fabs(step) * sqrt(bend) < SMALLEST_STEP)
            return t;
        t += fmax(-LONGEST_STEP, fmin(LONGEST_STEP, step));
    }
    return t;
}

/* The distribution about its mode, with a, b, e of step 2. */
static double rise(ldp_scale at, double d) {
    return at.p * d - part(at.A, expm1(d)) - part(at.B, expm1(-d)) - part(at.E, expm1(-2 * d));
}

double ldp_scale_best(ldp_scale law) {
    const double mode = ldp_scale_mode(law);
    return rise(law, mode) > 0 ? mode : 0;
}

static double slope(ldp_scale at, double d) {
    return at.p - part(at.A, exp(d)) + part(at.B, exp(-d)) + 2 * part(at.E, exp(-2 * d));
}

/* The position of the tangent, at most d from the mode. */
static double touch(ldp_scale at, double d) {
    double near = 0;
    if (rise(at, d) >= -FALLEN_MOST)
        return d;
    for (int i = 0; i < 200; i++) {
        const double middle = (near + d) / 2, fallen = -rise(at, middle);
        if (fallen >= FALLEN_LEAST && fallen <= FALLEN_MOST)
            return middle;
        if (fallen < FALLEN_LEAST)
            near = middle;
        else
            d = middle;
    }
    return near;
}

double ldp_scale_draw(ldp_stream *stream, ldp_scale law) {
    const double mode = ldp_scale_mode(law);
    const ldp_scale at = {law.p, scale_part_at(law.A, mode), scale_part_at(law.B, -mode),
                          scale_part_at(law.E, -2 * mode)};
    const double width = fmin(1.5 / sqrt(at.A + at.B + 4 * at.E), 2 * FURTHEST);
    /* step 3; the top is at least the maximum of h, including the error of the last Newton step */
    const double top = SMALLEST_STEP * SMALLEST_STEP;
    const double touch_left = touch(at, -width), touch_right = touch(at, width);
    const double slope_left = slope(at, touch_left), slope_right = slope(at, touch_right);
    if (!(slope_left > 0 && slope_right < 0))
        return mode; /* the distribution is narrower than the spacing of doubles */
    const double left = touch_left + (top - rise(at, touch_left)) / slope_left;
    const double right = touch_right + (top - rise(at, touch_right)) / slope_right;
    const double flat = right - left, tail_left = 1 / slope_left, tail_right = -1 / slope_right;
    for (int i = 0; i < LDP_TRIES; i++) {
        const double u = ldp_stream_uniform(stream) * (flat + tail_left + tail_right);
        double d, envelope = top;
        if (u < flat) {
            d = left + u;
        } else {
            const double beyond = ldp_random_exponential(stream);
            envelope -= beyond;
            d = u < flat + tail_left ? left - beyond * tail_left : right + beyond * tail_right;
        }
        if (-ldp_random_exponential(stream) <= rise(at, d) - envelope)
            return fmax(-FURTHEST, fmin(FURTHEST, mode + d));
    }
    return mode;
}

void ldp_scale_lines(int K, int n, double *lines, const double *factor) {
    for (int i = 0; i < n; i++, lines += K)
        for (int k = 0; k < K; k++) {
            const double x = lines[k] * factor[k];
            lines[k] = x < DBL_MIN ? DBL_MIN : x; /* fmax() would be a call */
        }
}
