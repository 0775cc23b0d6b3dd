#include <math.h>

#include <Rmath.h>

#include "ldp_bessel_i.h"
#include "ldp_math.h"
#include "ldp_mechanism.h"
#include "ldp_skellam.h"

/* --- discrete Gaussian noise ------------------------------------------------------------------ */

/* From this sd on, sums over whole numbers are integrals to the last digit (their difference is of
 * the order exp(-2 pi^2 sd^2)), and tails have an asymptotic series. */
static const double SMALL_SD = 2, SERIES_SD = 50;

static const double DONE = 1e-18; /* terms of a series below this part of it are left out */

/* log sum_t exp(-t^2/(2 sd^2)) */
static double gaussian_log_scale(double sd) {
    if (sd >= SMALL_SD)
        return log(sd) + M_LN_SQRT_2PI;
    double sum = 0, term = 1;
    for (double t = 1; term > DONE; t++)
        sum += term = exp(-t * t / (2 * sd * sd));
    return log1p(2 * sum);
}

/* sum_{t >= n} exp((n^2 - t^2)/(2 sd^2)) */
static double gaussian_tail_sum(double n, double sd) {
    double sum = 1, term = 1;
    for (double j = 1; term > DONE * sum; j++)
        sum += term = exp(-j * (2 * n + j) / (2 * sd * sd));
    return sum;
}

/* The same by the Euler-Maclaurin series. The derivatives of exp(-t^2/(2 sd^2)) are Hermite
 * polynomials of x = n/sd. */
static double gaussian_tail_series(double n, double sd) {
    static const double coefficient[] = {1. / 12, -1. / 720, 1. / 30240, -1. / 1209600,
                                         1. / 47900160};
    const double x = n / sd;
    double sum = 0.5 + sd * exp(M_LN_SQRT_2PI + pnorm(x, 0, 1, 0, 1) + x * x / 2);
    double before = 1, hermite = x, scale = 1 / sd;
    for (int i = 0; i < 5; i++) {
        sum += coefficient[i] * hermite * scale;
        for (int twice = 1; twice <= 2; twice++) {
            const double next = x * hermite - (2 * i + twice) * before;
            before = hermite;
            hermite = next;
            scale /= sd;
        }
    }
    return sum;
}

/* log P(T >= n) */
static double gaussian_log_upper(const ldp_mechanism *mechanism, double n) {
    const double sd = mechanism->parameter[0];
    if (n <= 0)
        return n <= -40 * sd - 1 ? 0 : ldp_log1m_exp(gaussian_log_upper(mechanism, 1 - n));
    const int by_terms = sd < SERIES_SD || n > sd * sd / 4;
    const double sum = by_terms ? gaussian_tail_sum(n, sd) : gaussian_tail_series(n, sd);
    return log(sum) - n * n / (2 * sd * sd) - mechanism->log_scale;
}

/* --- additive noise ----------------------------------------------------------------------------
 */

static int is_noise(const ldp_mechanism *mechanism) {
    return mechanism->kind >= LDP_BY_GEOMETRIC && mechanism->kind <= LDP_BY_SKELLAM;
}

/* log P(T = t), or a log density */
static double noise_log(const ldp_mechanism *mechanism, double t) {
    const double by = mechanism->parameter[0];
    switch (mechanism->kind) {
    case LDP_BY_GEOMETRIC:
        return log(tanh(by / 2)) - by * fabs(t);
    case LDP_BY_LAPLACE:
        return -fabs(t) / by - log(2 * by);
    case LDP_BY_GAUSSIAN:
        return -(t / by) * (t / by) / 2 - log(by) - M_LN_SQRT_2PI;
    case LDP_BY_SKELLAM:
        return ldp_skellam_log_pmf(t, by / 2, by / 2);
    default:
        return -(t / by) * (t / by) / 2 - mechanism->log_scale;
    }
}

/* log P(T <= t), or log P(T > t) if not `lower`; by symmetry P(T <= t) = P(T >= -t). */
static double noise_log_cdf(const ldp_mechanism *mechanism, double t, int lower) {
    const double by = mechanism->parameter[0];
    const double least = lower ? -floor(t) : floor(t) + 1; /* P(T >= least), for whole T */
    switch (mechanism->kind) {
    case LDP_BY_GEOMETRIC:
        if (least <= 0)
            return log1p(-exp(-by * (1 - least)) / (1 + exp(-by)));
        return -by * least - log1p(exp(-by));
    case LDP_BY_LAPLACE:
        t = lower ? t : -t;
        return t <= 0 ? t / by - M_LN2 : log1p(-exp(-t / by) / 2);
    case LDP_BY_GAUSSIAN:
        return pnorm(t, 0, by, lower, 1);
    case LDP_BY_SKELLAM:
        return ldp_skellam_log_cdf(floor(t), lower, by / 2, by / 2);
    default:
        return gaussian_log_upper(mechanism, least);
    }
}

/* log P(T = t - 1)/P(T = t) */
static double noise_step(const ldp_mechanism *mechanism, double t) {
    const double by = mechanism->parameter[0];
    switch (mechanism->kind) {
    case LDP_BY_GEOMETRIC:
        return t > 0 ? by : -by;
    case LDP_BY_LAPLACE:
        return (fabs(t) - fabs(t - 1)) / by;
    case LDP_BY_SKELLAM:
        return t > 0 ? -log(ldp_bessel_i_ratio(t - 1, by)) : log(ldp_bessel_i_ratio(-t, by));
    default:
        return (t - 0.5) / (by * by);
    }
}

/* log P(T = t - d)/P(T = t) */
static double noise_ratio(const ldp_mechanism *mechanism, double t, double d) {
    const double by = mechanism->parameter[0];
    switch (mechanism->kind) {
    case LDP_BY_GEOMETRIC:
        return by * (fabs(t) - fabs(t - d));
    case LDP_BY_LAPLACE:
        return (fabs(t) - fabs(t - d)) / by;
    case LDP_BY_SKELLAM:
        return noise_log(mechanism, t - d) - noise_log(mechanism, t);
    default:
        return d / by * ((t - d / 2) / by);
    }
}

/* --- ranges of counts ---------------------------------------------------------------------------
 */

/* The class that begins with the largest lowest count up to `release`. */
static int class_of(const ldp_mechanism *mechanism, double release) {
    int i = 0;
    while (i + 1 < mechanism->n_parameters && mechanism->parameter[i + 1] <= release)
        i++;
    return i;
}

/* The counts that are released as `release`. */
static void set_range(ldp_evidence *evidence) {
    const ldp_mechanism *const mechanism = evidence->mechanism;
    const double *const parameter = mechanism->parameter;
    const double release = evidence->release;
    evidence->low = evidence->high = release;
    if (mechanism->kind == LDP_BY_ROUNDING) {
        evidence->low = fmax(0, release - floor(parameter[0] / 2));
        evidence->high = release + ceil(parameter[0] / 2) - 1;
    } else if (mechanism->kind == LDP_BY_CLASSES) {
        const int i = class_of(mechanism, release);
        evidence->low = parameter[i];
        evidence->high = i + 1 < mechanism->n_parameters ? parameter[i + 1] - 1 : INFINITY;
    } else if (mechanism->kind == LDP_BY_SUPPRESSION && isinf(release)) {
        evidence->low = parameter[0];
        evidence->high = parameter[1];
    }
}

static ldp_evidence evidence_of_range(ldp_evidence evidence) {
    const ldp_mechanism *const mechanism = evidence.mechanism;
    const double base = mechanism->kind == LDP_BY_ROUNDING ? mechanism->parameter[0] : 1;
    evidence.is_flat = 1;
    if (evidence.event != LDP_IS)
        evidence.release = base * floor(evidence.release / base);
    set_range(&evidence);
    if (evidence.event == LDP_AT_MOST) {
        evidence.low = 0;
        if (evidence.release < 0)
            evidence.high = -1;
    }
    if (evidence.event == LDP_ABOVE) {
        evidence.low = evidence.release < 0 ? 0 : evidence.high + 1;
        evidence.high = isinf(evidence.low) ? -1 : INFINITY; /* nothing is above the last class */
    }
    return evidence;
}

/* --- tables -------------------------------------------------------------------------------------
 */

enum { SLOPE, MOST, TILT, LOW, FIRST }; /* places of a table */

static double table_log(const ldp_evidence *evidence, double y) {
    const ldp_mechanism *const mechanism = evidence->mechanism;
    const double *const parameter = mechanism->parameter;
    const double last = mechanism->n_parameters - 1, at = FIRST + (y - evidence->low);
    return at <= last ? parameter[(int)at] : parameter[(int)last] + (at - last) * parameter[SLOPE];
}

static ldp_evidence evidence_of_table(ldp_evidence evidence) {
    const ldp_mechanism *const mechanism = evidence.mechanism;
    evidence.is_listed = 1;
    evidence.low = mechanism->parameter[LOW];
    if (isinf(mechanism->parameter[SLOPE]))
        evidence.high = evidence.low + (mechanism->n_parameters - 1 - FIRST);
    return evidence;
}

double ldp_evidence_most(const ldp_evidence *evidence) {
    return evidence->mechanism->parameter[MOST];
}

/* --- the interface ------------------------------------------------------------------------------
 */

ldp_mechanism ldp_mechanism_make(ldp_mechanism_kind kind, int n_parameters, const double *parameter,
                                 double below) {
    ldp_mechanism mechanism = {kind, n_parameters, parameter, below, 0};
    if (kind == LDP_BY_DISCRETE_GAUSSIAN)
        mechanism.log_scale = gaussian_log_scale(parameter[0]);
    return mechanism;
}

/* A withheld release is known to be below a number. */
static ldp_evidence evidence_of_noise(ldp_evidence evidence) {
    const ldp_mechanism *const mechanism = evidence.mechanism;
    if (evidence.event == LDP_IS && isinf(evidence.release)) {
        evidence.event = LDP_AT_MOST;
        evidence.release = mechanism->below;
        if (mechanism->kind != LDP_BY_LAPLACE && mechanism->kind != LDP_BY_GAUSSIAN)
            evidence.release = ceil(mechanism->below) - 1;
    }
    return evidence;
}

static ldp_evidence evidence_of_rounding(ldp_evidence evidence) {
    const double base = evidence.mechanism->parameter[0];
    double *const release = &evidence.release;
    if (evidence.event != LDP_IS)
        *release = base * floor(*release / base);
    evidence.low = evidence.event == LDP_AT_MOST ? 0
                   : evidence.event == LDP_ABOVE ? fmax(0, *release + 1)
                                                 : fmax(0, *release - base + 1);
    evidence.high = evidence.event == LDP_ABOVE ? INFINITY : *release + base - 1;
    if (*release < 0) {
        evidence.is_flat = 1;
        evidence.high = evidence.event == LDP_ABOVE ? INFINITY : -1;
    }
    return evidence;
}

ldp_evidence ldp_evidence_of(const ldp_mechanism *mechanism, ldp_event event, double release) {
    ldp_evidence evidence = {mechanism, event, release, 0, INFINITY, 0, 0};
    if (is_noise(mechanism))
        return evidence_of_noise(evidence);
    if (mechanism->kind == LDP_BY_RANDOM_ROUNDING)
        return evidence_of_rounding(evidence);
    if (mechanism->kind == LDP_BY_TABLE)
        return evidence_of_table(evidence);
    if (mechanism->kind != LDP_BY_THINNING)
        return evidence_of_range(evidence);
    evidence.low = release;
    return evidence;
}

/* The probability that y is rounded to `release`, at or below it, or above it. */
static double rounding_probability(const ldp_evidence *evidence, double y) {
    const double base = evidence->mechanism->parameter[0], beyond = y - evidence->release;
    if (evidence->event == LDP_ABOVE)
        return fmin(1, beyond / base);
    if (evidence->event == LDP_AT_MOST && beyond <= 0)
        return 1;
    return 1 - fabs(beyond) / base;
}

double ldp_evidence_log(const ldp_evidence *evidence, double y) {
    const ldp_mechanism *const mechanism = evidence->mechanism;
    const double away = evidence->release - y;
    if (evidence->is_flat)
        return 0;
    if (evidence->is_listed)
        return table_log(evidence, y);
    if (mechanism->kind == LDP_BY_RANDOM_ROUNDING)
        return log(rounding_probability(evidence, y));
    if (mechanism->kind == LDP_BY_THINNING)
        return dbinom(evidence->release, y, mechanism->parameter[0], 1);
    if (evidence->event == LDP_IS)
        return noise_log(mechanism, away);
    return noise_log_cdf(mechanism, away, evidence->event == LDP_AT_MOST);
}

double ldp_evidence_step(const ldp_evidence *evidence, double y) {
    const ldp_mechanism *const mechanism = evidence->mechanism;
    if (evidence->is_flat)
        return 0;
    if (mechanism->kind == LDP_BY_THINNING)
        return log1p(-mechanism->parameter[0]) - log1p(-evidence->release / (y + 1));
    if (evidence->event == LDP_IS && is_noise(mechanism))
        return noise_step(mechanism, evidence->release - y);
    return ldp_evidence_log(evidence, y + 1) - ldp_evidence_log(evidence, y);
}

double ldp_evidence_ratio(const ldp_evidence *evidence, double y, double from) {
    const ldp_mechanism *const mechanism = evidence->mechanism;
    if (evidence->is_flat)
        return 0;
    if (evidence->event == LDP_IS && is_noise(mechanism))
        return noise_ratio(mechanism, evidence->release - from, y - from);
    return ldp_evidence_log(evidence, y) - ldp_evidence_log(evidence, from);
}

double ldp_evidence_tilt(const ldp_evidence *evidence) {
    if (evidence->is_listed)
        return evidence->mechanism->parameter[TILT];
    if (evidence->low > 0)
        return INFINITY;
    return evidence->high < 1 ? -INFINITY : ldp_evidence_step(evidence, 0);
}

double ldp_evidence_guess(const ldp_evidence *evidence) {
    return floor(fmin(fmax(evidence->release, evidence->low), evidence->high));
}
