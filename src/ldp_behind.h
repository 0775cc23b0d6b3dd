/* The true count behind a release of any mechanism (ldp_mechanism.h).
 *
 *     f(y) = P(y; mu, excess) L(y),    y = low, ..., high
 *
 * where P is Poisson (excess 0) or negative binomial (ldp_nbinom.h). f is log-concave if P is, that
 * is, for a Poisson count or a size mu/excess of at least 1. For a smaller size, y f(y) is
 * log-concave from y = 1 on. Listed evidence (ldp_mechanism.h) need not be log-concave. The time of
 * a draw is bounded over all parameters; that of a density, a distribution function or a moment is
 * in proportion to the number of counts y that matter, except if the evidence is flat; so is that
 * of a draw given listed evidence. */
#ifndef LDP_BEHIND_H
#define LDP_BEHIND_H

#include "ldp_mechanism.h"
#include "ldp_nbinom.h"
#include "ldp_stream.h"

typedef struct ldp_behind {
    ldp_evidence evidence;
    double mu, excess; /* excess is 0 for Poisson counts */
    ldp_nbinom_terms terms;
    int is_small; /* is the size below 1, and the evidence not listed? */
    double low, high; /* the counts with f > 0: none if low > high */
    double peak; /* of f; unless the evidence is listed, of y f(y) among y >= 1 if the size is
                  * below 1 (0 if high is 0) */
    int n_evaluations; /* of f or its steps, in all draws so far */
} ldp_behind;

/* Requires finite mu, excess >= 0, not checked. */
ldp_behind ldp_behind_open(ldp_evidence evidence, double mu, double excess);

/* log sum_y f(y): the log probability (or density) of the release; -Inf if it is impossible. */
double ldp_behind_log_mass(const ldp_behind *behind);

/* All below require low <= high, not checked. log f(y): */
double ldp_behind_log(const ldp_behind *behind, double y);

/* log P(Y <= q), or log P(Y > q) if not `lower`, given the release. q is whole. */
double ldp_behind_log_cdf(const ldp_behind *behind, double q, int lower);

/* The first four cumulants of y given the release. */
enum { LDP_CUMULANTS = 4 };
void ldp_behind_cumulants(const ldp_behind *behind, double *cumulant);

/* f(y) for y = 0, ..., n - 1, relative to the largest one, negligible ones left out. Returns n, or
 * 0 if it would be above `room`. */
int ldp_behind_terms(const ldp_behind *behind, int room, double *terms);

/* Calls visit(state, y, f(y)/f(from)) for all counts that matter, and returns `from`, the most
 * probable one, with which it begins. It goes up from there, and then down. */
typedef void ldp_visit(void *state, double y, double term);
double ldp_behind_visit(const ldp_behind *behind, ldp_visit *visit, void *state);

double ldp_behind_draw(ldp_behind *behind, ldp_stream *stream);

#endif
