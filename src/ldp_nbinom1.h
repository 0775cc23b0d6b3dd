/* The negative binomial family: what it tells the models (ldp_noise.h), and how its dispersion is
 * drawn. Latent counts are events; the counts that they add up to stay in here. */
#ifndef LDP_NBINOM1_H
#define LDP_NBINOM1_H

#include "ldp_noise.h"
#include "ldp_rtruenbinom.h"

/* A cell with a count above 1, of which a move of the dispersion wants to know more than how many
 * there are. */
typedef struct ldp_nbinom1_cell {
    size_t place; /* among the active cells */
    double y, mean; /* the mean number of its events, once it has been shown */
} ldp_nbinom1_cell;

/* What a row has shown and drawn since the last move. */
typedef struct ldp_nbinom1_row {
    double n_positive; /* cells with a count */
    double active, rest; /* sums of the means of its active cells, and of its others */
    size_t n_above; /* how many of the cells above are its own */
} ldp_nbinom1_row;

typedef struct ldp_nbinom1_state {
    int D;
    double *excess; /* dispersion - 1 > 0: D numbers if by_row, else one */
    int by_row;
    double shape1, shape2; /* 1 - 1/dispersion ~ Beta(shape1, shape2); shape1 = 0: it is fixed */
    double *rest, *exposure; /* D each: the exposures of ldp_noise */
    /* The caller's room, all zero at first; not wanted where the dispersion is fixed. */
    ldp_nbinom1_row *rows; /* D */
    ldp_nbinom1_cell *above; /* as many as there are active cells */
    size_t n_above, n_shown;
    void (*pause)(void); /* called before every density of a move, and may leave it; or NULL */
    ldp_rtruenbinom_law law; /* of the last draw; its bounds are the caller's, as many as may be */
} ldp_nbinom1_state;

/* Collapsed scheme. `state` has all that is the caller's. */
ldp_noise ldp_noise_nbinom1(const double *alpha, ldp_nbinom1_state *state);

#endif
