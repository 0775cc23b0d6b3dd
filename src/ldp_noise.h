/* The seam between a model and the distribution of its counts and their noise.
 *
 * A model (topics, blocks) knows cells, factors and latent counts that are Poisson with means
 * made of the factors. What it needs to know of the noise, and of how counts arise, is three
 * things: the exposure of an active cell, that of any other observed cell, and one draw, of
 * the latent counts of a few active cells. Whoever brings another family of counts brings
 * these (see ldp_nbinom1.h), the density of a release, and, where the family has parameters of its
 * own, their move between sweeps. */
#ifndef LDP_NOISE_H
#define LDP_NOISE_H

#include <stddef.h>

#include "ldp_cells.h"
#include "ldp_quick.h"
#include "ldp_stream.h"
#include "ldp_visitor.h"

/* Cells are drawn this many at a time: rows of a factor with 50 components stay in the first
 * cache from the mean of a cell to the split of its count. */
enum { LDP_FEW = 64 };

/* A factor whose weights multiply every mean, n lines of K with gamma priors: what a family scales
 * where it keeps the means of counts and changes how they arise. */
typedef struct ldp_scalable {
    int n, K;
    double *factor;
    double shape, rate; /* of the prior of each weight */
    int by_row; /* is line d that of row d of the data, and part of no other row? */
} ldp_scalable;

typedef struct ldp_noise {
    const double *exposure_rest; /* per row: of an observed cell that is not active */
    const double *exposure_excess; /* per row: of an active cell, less the above */
    /* Latent counts of active cells first .. first + n - 1 of one row, n <= LDP_FEW: x holds their
     * Poisson means, and afterwards, at the places listed in `positive`, those counts that are
     * above zero. Returns how many are. */
    int (*draw)(void *state, ldp_stream *stream, int row, size_t first, int n,
                const double *y_tilde, double alpha, double *x, int *positive);
    /* The sum of log P(y_tilde) over n <= LDP_FEW active cells of a row, given their Poisson means,
     * for which `quick` is kept. For any other observed cell it is minus its exposure times its
     * mean, but for a constant; and for a cell at or below zero that is active, but for the same
     * constant. */
    double (*log_density)(const void *state, ldp_quick *quick, int row, int n,
                          const double *y_tilde, double alpha, const double *mean);
    void *state; /* whatever these keep from sweep to sweep */
    /* Where the family has parameters to draw (NULL if it has none): after a sweep `reader` is
     * shown the means, then `move` is called, which may multiply the scalable factor. Latent counts
     * do not outlive it. */
    ldp_visitor reader;
    void (*move)(void *state, uint64_t seed, const ldp_cells *cells, ldp_scalable scalable,
                 int n_threads);
} ldp_noise;

/* Collapsed scheme (ldp_collapsed.c): the noise is integrated out. Exposure 1 - alpha for a
 * non-positive cell, 1 for a positive (active) one. `rest` and `excess`: D places each. */
ldp_noise ldp_noise_collapsed(int D, const double *alpha, double *rest, double *excess);

/* Two parts of the noise of every active cell, tau = g1 - g2. */
typedef struct ldp_bessel_state {
    double *g1, *g2;
} ldp_bessel_state;

/* Bessel augmentation (ldp_augmented.c): every observed cell is active, with exposure 1. */
ldp_noise ldp_noise_bessel(int D, ldp_bessel_state *state, double *rest, double *excess);

/* Of Poisson counts, for both schemes: see log_density above. */
double ldp_noise_log_density(const void *state, ldp_quick *quick, int row, int n,
                             const double *y_tilde, double alpha, const double *mean);

#endif
