/* The scale of each component between two factors: a move that leaves every mean as it is. */
#ifndef LDP_RESCALE_H
#define LDP_RESCALE_H

#include "ldp_gamma.h"
#include "ldp_groups.h"

/* n lines of K weights with a gamma prior, which may be some of n_all lines, and the sums of the
 * weights over all lines. */
typedef struct ldp_rescaled {
    int n, n_all;
    double *factor;
    ldp_gamma_prior *prior;
    double *total; /* K sums; overwritten */
} ldp_rescaled;

/* Multiplies up_.k by c and divides down_.k by c for every k, with c drawn from its distribution;
 * then draws the rates of the two priors, if they are estimated. */
void ldp_rescale(ldp_stream *stream, int K, ldp_rescaled up, ldp_rescaled down);

/* The same if the lines of `up` have groups (NULL: none), whose `sums` are those of its weights;
 * up.total is computed from these. Also draws the relative rates of groups, with a stream of its
 * own. */
void ldp_rescale_groups(ldp_stream *stream, int K, uint64_t seed, const ldp_groups *groups,
                        ldp_rescaled up, ldp_rescaled down);

#endif
