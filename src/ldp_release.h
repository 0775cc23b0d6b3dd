/* Adds counts to noise, and clamps releases. */
#ifndef LDP_RELEASE_H
#define LDP_RELEASE_H

#include <stdint.h>

#include "ldp_cells.h"

/* released[d] += count of row d in column v, for D rows. On entry `released` holds the noise, which
 * was drawn by code that has no access to counts. The values of counts do not affect which
 * operations are done; only the positions of the entries stored by a sparse source do. Requires
 * whole counts within 2^53, none missing, not checked. */
void ldp_release_add(const ldp_source *counts, int v, int64_t *released);

/* One column of a release clamped at zero: rows and values of its positive cells are written from
 * row[0] and value[0] on, their number is returned, and the others are added up by rows:
 * cells_below[d] of them so far, size_below[d] the sum of their absolute values. */
int ldp_release_clamp(int D, const int64_t *released, int *row, double *value, double *cells_below,
                      double *size_below);

#endif
