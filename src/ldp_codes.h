/* Releases as bytes, one per cell of the table, row by row: 0 for a release at or below zero, the
 * release itself up to LDP_CODE_LARGEST, or one of the two codes below. With them, ldp_cells lists
 * only the active cells whose releases are too large for a byte.
 *
 * Under any other mechanism than geometric noise, all observed cells are listed, and a code is the
 * class of a release (ldp_classes.h). */
#ifndef LDP_CODES_H
#define LDP_CODES_H

#include "ldp_cells.h"
#include "ldp_noise.h"

enum {
    LDP_CODE_LARGEST = 253,
    LDP_CODE_LISTED, /* the release is listed */
    LDP_CODE_MISSING /* masked, or not among the data of a network */
};

/* The codes of cells whose positive releases are all listed; `large`: for each row, the number of
 * releases that must stay listed. `code`: a place per cell. */
void ldp_codes_fill(const ldp_cells *cells, ldp_table table, uint8_t *code, size_t *large);

/* The codes of cells under any mechanism, given the class of each of the listed cells; none of
 * which is `code`. */
void ldp_codes_spread(const ldp_cells *cells, const uint8_t *of_listed, uint8_t *code);

static inline const uint8_t *ldp_codes_row(const ldp_cells *cells, int d) {
    return cells->code + (size_t)d * (size_t)cells->V;
}

/* The place of a listed cell among all of them. */
size_t ldp_codes_place(const ldp_cells *cells, int d, int v);

/* The release of an observed cell under geometric noise; 0 if it is at or below zero. */
double ldp_codes_release(const ldp_cells *cells, int d, int v);

/* The next positive cells of row d, from column *from on, at most LDP_FEW: their columns and
 * releases. Returns their number, and moves *from behind them. */
int ldp_codes_next(const ldp_cells *cells, int d, int *from, int *column, double *y_tilde);

#endif
