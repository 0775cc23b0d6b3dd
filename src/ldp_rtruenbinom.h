/* Draws of the true count behind a release k > 0, if true counts are negative binomial, and of its
 * number of events (ldp_bursts). Used by models and by rtruecount(). */
#ifndef LDP_RTRUENBINOM_H
#define LDP_RTRUENBINOM_H

#include "ldp_nbinom.h"
#include "ldp_stream.h"

/* Releases up to this may have a bound. */
enum { LDP_RTRUENBINOM_BOUNDS = 4096 };

/* Quantities that all releases with the same noise level and dispersion have in common. There may
 * be one for each column, so they are small. */
typedef struct ldp_rtruenbinom_law {
    double excess, alpha, q, log_alpha; /* q = log1p(excess) */
    double x, z, log_x, log_z; /* p/alpha, p alpha */
    double mean_size; /* times lambda bounds the mean of a proposed sum of events; Inf if none */
    double *bound; /* H_k with P(y = 0 | k) >= exp(-lambda H_k), k = 1 .. n_bounds */
    double *lower; /* the part of q H_k due to events no larger than k */
    int n_bounds;
} ldp_rtruenbinom_law;

/* Prepares `law`, with bounds for releases up to n_bounds, for which the caller's `bound` and
 * `lower` must have room; they may be NULL if n_bounds is 0. Requires excess > 0, 0 < alpha < 1 and
 * n_bounds <= LDP_RTRUENBINOM_BOUNDS; not checked. */
void ldp_rtruenbinom_prepare(ldp_rtruenbinom_law *law, double excess, double alpha, int n_bounds);

/* Is a draw made by its events? If so, u < 1 - lambda H_k means that the count is 0. */
int ldp_rtruenbinom_is_by_events(const ldp_rtruenbinom_law *law, double k, double lambda);

/* The true count behind k > 0, and, unless NULL, the number of its events. Requires 0 < lambda <
 * Inf, and a size lambda/log1p(excess) within doubles. If the draw is by events, u is used, and may
 * have been compared with 1 - lambda H_k before; otherwise it is not used. */
double ldp_rtruenbinom_draw(const ldp_rtruenbinom_law *law, ldp_stream *stream, double u, double k,
                            double lambda, double *events);

/* A draw of y given y_tilde = k, for any arguments as in ldp_truenbinom.h; NaN if mu is not finite.
 */
double ldp_rtruenbinom(double k, double mu, double excess, double alpha);

#endif
