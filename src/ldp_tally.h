/* Additions of 1 at scattered positions of a large array. A single addition would have to wait for
 * its position to be fetched from memory. Additions are therefore collected and done many at a
 * time, so that the waiting times overlap. */
#ifndef LDP_TALLY_H
#define LDP_TALLY_H

#include <stddef.h>

enum { LDP_TALLY_ROOM = 128 };

typedef struct ldp_tally {
    double *to;
    int n;
    size_t place[LDP_TALLY_ROOM];
} ldp_tally;

/* Does the additions collected so far. Must be called before the array is read, and before a
 * function that uses the tally returns. */
static inline void ldp_tally_settle(ldp_tally *tally) {
    for (int i = 0; i < tally->n; i++)
        tally->to[tally->place[i]]++;
    tally->n = 0;
}

static inline void ldp_tally_add(ldp_tally *tally, size_t place) {
    if (tally->n == LDP_TALLY_ROOM)
        ldp_tally_settle(tally);
    tally->place[tally->n++] = place;
}

#endif
