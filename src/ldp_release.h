/* Noise and counts come together, and what a clamped release keeps of them. */
#ifndef LDP_RELEASE_H
#define LDP_RELEASE_H

#include <stdint.h>

#include "ldp_cells.h"

/* released[d] += count of row d in column v, for D rows. `released` comes with the noise in it,
 * drawn by code that saw no count. No count decides what is done: which entries a sparse source
 * stores does. Requires whole counts within 2^53, none missing, not checked. */
void ldp_release_add(const ldp_source *counts, int v, int64_t *released);

/* One column of a release clamped at zero: rows and values of its positive cells are written from
 * row[0] and value[0] on, their number is returned, and the others are added up by rows:
 * cells_below[d] of them so far, size_below[d] the sum of their absolute values. */
int ldp_release_clamp(int D, const int64_t *released, int *row, double *value, double *cells_below,
                      double *size_below);

#endif
