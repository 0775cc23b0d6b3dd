/* The negative binomial family: its part of the interface to the models (ldp_noise.h), and the
 * draws of its dispersion. For the models latent counts are events; the true counts are used only
 * here. */
#ifndef LDP_NBINOM1_H
#define LDP_NBINOM1_H

#include "ldp_noise.h"
#include "ldp_rtruenbinom.h"

/* A cell with a count above 1. Moves of the dispersion need its count and mean; of the other cells
 * they need only sums. */
typedef struct ldp_nbinom1_cell {
    size_t place; /* among the active cells */
    double y, mean; /* the mean number of its events, set by the visitor */
} ldp_nbinom1_cell;

/* Statistics of a row since the last move. */
typedef struct ldp_nbinom1_row {
    double n_positive; /* cells with a count */
    double active, rest; /* sums of the means of its active cells, and of its others */
    size_t n_above; /* number of cells of this row in `above` */
} ldp_nbinom1_row;

typedef struct ldp_nbinom1_state {
    int D;
    double *excess; /* dispersion - 1 > 0: D numbers if by_row, else one */
    int by_row;
    double shape1, shape2; /* 1 - 1/dispersion ~ Beta(shape1, shape2); shape1 = 0: it is fixed */
    double *rest, *exposure; /* D each: the exposures of ldp_noise */
    /* Memory provided by the caller, all zero at first; not needed if the dispersion is fixed. */
    ldp_nbinom1_row *rows; /* D */
    ldp_nbinom1_cell *above; /* as many as there are active cells */
    size_t n_above, n_shown;
    void (*pause)(void); /* called before every density of a move; may longjmp(); or NULL */
    ldp_rtruenbinom_law law; /* of the last draw; the caller allocates its bounds */
} ldp_nbinom1_state;

/* Collapsed scheme. `state` contains all memory that the caller provides. */
ldp_noise ldp_noise_nbinom1(const double *alpha, ldp_nbinom1_state *state);

#endif
