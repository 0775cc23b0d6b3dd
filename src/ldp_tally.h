/* Additions of 1 to places far apart in a large array. One that follows hard work waits for its
 * place to come from memory; put off and made many at a time, they wait together. */
#ifndef LDP_TALLY_H
#define LDP_TALLY_H

#include <stddef.h>

enum { LDP_TALLY_ROOM = 128 };

typedef struct ldp_tally {
    double *to;
    int n;
    size_t place[LDP_TALLY_ROOM];
} ldp_tally;

/* Makes the additions put off so far. Whoever reads the array, or leaves, calls this first. */
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
