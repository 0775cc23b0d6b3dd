/* Splits a count over components. */
#ifndef LDP_ALLOCATE_H
#define LDP_ALLOCATE_H

#include "ldp_stream.h"
#include "ldp_tally.h"

/* y tokens fall on component k with probability prop. to a_k b_k; each adds one to first[k]
 * and to second->to[offset + k]. `work`: K doubles. */
void ldp_allocate(ldp_stream *stream, double y, int K, const double *a, const double *b,
                  double *first, ldp_tally *second, size_t offset, double *work);

#endif
