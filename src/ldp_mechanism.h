/* How counts were protected: the probability of a release, given the true count.
 *
 * A mechanism is known to the samplers by one function, L(y) = P(event | y), where the event is a
 * release, or the set of all releases up to some number or above it. For all mechanisms here but
 * tables L is log-concave in y. A new one needs a kind, the steps of log L, and the range of y
 * (ldp_evidence).
 *
 * Additive noise T:   geometric           P(T = t) = tanh(gamma/2) exp(-gamma |t|)
 *                     discrete Gaussian   in proportion to exp(-t^2/(2 sd^2))
 *                     Skellam             the difference of two Poisson numbers
 *                     Laplace, Gaussian   real numbers
 * Random rounding     to one of the two multiples of the base next to y, with mean y
 * Ranges of counts    no noise, rounding to the nearest multiple (halves up), suppression, classes:
 *                     L is 1 for the counts of a range, and 0 for all others
 * Thinning            every unit is kept with some probability
 * Tables              the numbers log L(y) of one release: of any mechanism */
#ifndef LDP_MECHANISM_H
#define LDP_MECHANISM_H

typedef enum ldp_mechanism_kind {
    LDP_BY_NO_NOISE, /* no parameter */
    LDP_BY_GEOMETRIC, /* gamma = -log(alpha) */
    LDP_BY_DISCRETE_GAUSSIAN, /* sd */
    LDP_BY_LAPLACE, /* scale */
    LDP_BY_GAUSSIAN, /* sd */
    LDP_BY_SKELLAM, /* variance */
    LDP_BY_RANDOM_ROUNDING, /* base */
    LDP_BY_ROUNDING, /* base */
    LDP_BY_SUPPRESSION, /* from, to */
    LDP_BY_CLASSES, /* the lowest count of each class, ascending from 0; a release is one of these
                     */
    LDP_BY_THINNING, /* probability */
    LDP_BY_TABLE, /* slope, largest log L, tilt, low, then log L(low), log L(low + 1), ..., with a
                   * last number above -Inf; beyond it, log L goes on with the slope (at most 0;
                   * -Inf: L is 0). For the event LDP_IS; the release is not read. */
    LDP_KINDS
} ldp_mechanism_kind;

typedef struct ldp_mechanism {
    ldp_mechanism_kind kind;
    int n_parameters;
    const double *parameter;
    double below; /* releases below this number are withheld; -Inf if all are shown */
    double log_scale; /* of the probabilities of discrete Gaussian noise */
} ldp_mechanism;

/* A hidden release (suppressed or withheld) is -Inf. Parameters in their ranges, a `below` only for
 * additive noise, and finite releases otherwise: not checked. */
ldp_mechanism ldp_mechanism_make(ldp_mechanism_kind kind, int n_parameters, const double *parameter,
                                 double below);

typedef enum ldp_event { LDP_IS, LDP_AT_MOST, LDP_ABOVE } ldp_event;

/* What is known of a true count: L is positive for low <= y <= high, and 0 for all other y. If it
 * is the same for all of them, the evidence is flat. Listed evidence, of a table, need not be
 * log-concave, and L can be 0 within the range. */
typedef struct ldp_evidence {
    const ldp_mechanism *mechanism;
    ldp_event event;
    double release;
    double low, high; /* whole; high may be Inf; low > high if no count is possible */
    int is_flat, is_listed;
} ldp_evidence;

/* LDP_AT_MOST and LDP_ABOVE: not for suppression and thinning, nor for a `below`. */
ldp_evidence ldp_evidence_of(const ldp_mechanism *mechanism, ldp_event event, double release);

/* log L(y), of a density for real-valued noise; log L(y+1)/L(y); log L(y)/L(from), which is more
 * accurate than a difference. Requires that y, y + 1, from are in low..high, not checked. */
double ldp_evidence_log(const ldp_evidence *evidence, double y);
double ldp_evidence_step(const ldp_evidence *evidence, double y);
double ldp_evidence_ratio(const ldp_evidence *evidence, double y, double from);

/* The largest log L of listed evidence. */
double ldp_evidence_most(const ldp_evidence *evidence);

/* The least t with L(y) <= L(0) exp(t y) for all y; Inf if L(0) is 0, -Inf if only L(0) is not. */
double ldp_evidence_tilt(const ldp_evidence *evidence);

/* A number near the y with the largest L. */
double ldp_evidence_guess(const ldp_evidence *evidence);

#endif
