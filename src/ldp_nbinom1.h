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
    size_t n_above, n_shown; /* cells with a count above 1, and how many of them were shown */
} ldp_nbinom1_row;

typedef struct ldp_nbinom1_state {
    int D;
    double *excess; /* dispersion - 1 > 0: D numbers if by_row, else one */
    int by_row;
    double shape1, shape2; /* 1 - 1/dispersion ~ Beta(shape1, shape2); shape1 = 0: it is fixed */
    double *rest, *exposure; /* D each: the exposures of ldp_noise */
    /* The caller's room; not wanted where the dispersion is fixed. */
    ldp_nbinom1_row *rows; /* D, all zero at first */
    ldp_nbinom1_cell *above; /* as many as there are active cells: those of a row from `first` on */
    const size_t *first; /* D + 1: the place of the first active cell of each row */
    double *parts; /* one for each part of D rows (ldp_team.h) */
    ldp_rtruenbinom_law law; /* of the last draw; its bounds are the caller's, as many as may be */
} ldp_nbinom1_state;

/* Collapsed scheme. `state` has all that is the caller's; threads share all of it but the law. */
ldp_noise ldp_noise_nbinom1(const double *alpha, ldp_nbinom1_state *state);

#endif
