/* A slice sampler of one variable that asks for values of the log density instead of calling a
 * function, so that these may be computed elsewhere, for example by several processes.
 *
 * Source: Neal (2003), Slice sampling, Annals of Statistics 31, figures 3 and 5. */
#ifndef LDP_SLICE_H
#define LDP_SLICE_H

#include "ldp_stream.h"

/* No question is asked beyond this absolute value, but for one step. At most `steps` - 1 steps
 * are made outward, and LDP_SLICE_TRIES tries within the interval found. Each try leaves 3/4 of the
 * interval on average, so that after 200 its ends are equal in double precision. */
#define LDP_SLICE_FURTHEST 600.0
enum { LDP_SLICE_STEPS = 64, LDP_SLICE_TRIES = 200 };

typedef struct ldp_slice {
    double at, value; /* the current point and its log density, afterwards the new ones */
    double asked; /* where the log density is asked for */
    int stage; /* 0 if there is no question */
    double height, width, left, right;
    int to_left, to_right, tries; /* how many may still follow */
} ldp_slice;

/* Starts from a point with this log density. `width`: the first width of the interval; `steps`: how
 * many times as wide it may become, 1 to LDP_SLICE_STEPS. */
ldp_slice ldp_slice_open(ldp_stream *stream, double at, double value, double width, int steps);

static inline int ldp_slice_is_asking(const ldp_slice *slice) {
    return slice->stage != 0;
}

/* Takes in the log density where it was asked for. */
void ldp_slice_tell(ldp_slice *slice, ldp_stream *stream, double value);

#endif
