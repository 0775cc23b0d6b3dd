/* Splits a count over components. */
#ifndef LDP_ALLOCATE_H
#define LDP_ALLOCATE_H

/* y tokens fall on component k with probability prop. to a_k b_k; each adds one to first[k]
 * and to second[k]. `work`: K doubles. */
void ldp_allocate(double y, int K, const double *a, const double *b, double *first, double *second,
                  double *work);

#endif
