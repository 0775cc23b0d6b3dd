/* The negative binomial family: its part of the interface to the models (ldp_noise.h), and the
 * draws of its dispersion. For the models latent counts are events; the true counts are used only
 * here. */
#ifndef LDP_NBINOM1_H
#define LDP_NBINOM1_H

#include "ldp_density.h"
#include "ldp_noise.h"
#include "ldp_rtruenbinom.h"
#include "ldp_slice.h"

/* A cell with a count above 1. Moves of the dispersion need its count and mean; of the other cells
 * they need only sums. */
typedef struct ldp_nbinom1_cell {
    size_t place; /* among the active cells; its column, if counts are proposed by tokens */
    double y, mean; /* the mean number of its events, set by the visitor */
} ldp_nbinom1_cell;

/* Statistics of a row since the last move. */
typedef struct ldp_nbinom1_row {
    double n_positive; /* cells with a count */
    double active, rest; /* sums of the means of its active cells, and of its others */
    size_t begin; /* of its list of cells with a count above 1 */
    /* Their number, and how many of them were visited. Of the lines of columns: how many are listed
     * so far, and how many will be. */
    size_t n_above, n_shown;
} ldp_nbinom1_row;

/* The terms of the log density of log(dispersion - 1) that are not of single cells. */
typedef struct ldp_nbinom1_target {
    int keeps_mean; /* which of the two moves */
    double size, log_size; /* the mean size of an event before the move, if the mean stays */
    double n_above; /* counts above 1 */
    double n_shape, rate_sum; /* n a, b sum theta */
} ldp_nbinom1_target;

/* The move of a dispersion that all rows share. */
typedef struct ldp_nbinom1_move {
    int stage; /* 0 between moves */
    double asked; /* the log(dispersion - 1) that the question is about */
    ldp_nbinom1_target target;
    ldp_scalable factor;
    ldp_slice slice;
    ldp_stream stream;
    const ldp_cells *cells;
} ldp_nbinom1_move;

/* Releases up to this have their bounds in the gate. */
enum { LDP_NBINOM1_NEAR = 6 };

/* What settles most active cells of a column, in half a line of the cache: the inverse of
 * ldp_columns_scale() and, times this and rounded up to a float, the bounds of its distribution for
 * small releases. What a rounded bound does not settle, the draw does. */
typedef struct ldp_nbinom1_gate {
    double inverse;
    float near[LDP_NBINOM1_NEAR];
} ldp_nbinom1_gate;

/* Cells of a column with a count, and with one above 1; the sums of the means of its active and of
 * its missing cells. */
enum { LDP_NBINOM1_ACTIVE, LDP_NBINOM1_MISSING };
typedef struct ldp_nbinom1_sums {
    double n_positive, n_above, mean[2];
} ldp_nbinom1_sums;

/* If each column has its own dispersion. Arrays without another length have a place for each column
 * and noise level, as those of ldp_columns. */
typedef struct ldp_nbinom1_columns {
    ldp_columns at;
    ldp_rtruenbinom_law *law; /* the caller allocates their bounds */
    const int *n_bounds; /* as many as there is room for */
    ldp_nbinom1_gate *gate;
    /* shape1 and shape2 of the prior of 1 - 1/dispersion, which are estimated, so that columns
     * borrow from each other; shape1/(shape1 + shape2) has the prior Beta(mean1, mean2). */
    double *shapes;
    double mean1, mean2;
    double *grain; /* see exact_share() */
    ldp_batch batch;
    /* The columns in the form of rows, with a line for each level: line v n_levels + l. */
    ldp_nbinom1_row *rows;
    const double *alpha; /* of these */
    ldp_nbinom1_cell *above; /* those of a batch, sorted by these lines */
    ldp_nbinom1_sums *sums; /* one copy per thread */
} ldp_nbinom1_columns;

/* Sizes of tokens up to this have places of their own. */
enum { LDP_NBINOM1_SIZES = 16 };

/* The intensities of tokens, for one noise level and one dispersion: see ldp_nbinom1.c. */
typedef struct ldp_nbinom1_sizes {
    double excess, alpha, log_z;
    double up_to[LDP_NBINOM1_SIZES + 1]; /* sum_{j <= R} x^j/j */
    double all[LDP_NBINOM1_SIZES + 1]; /* S_R */
} ldp_nbinom1_sizes;

typedef struct ldp_nbinom1_state {
    int D;
    double *excess; /* dispersion - 1 > 0: D numbers if by_row, n if by columns, else one */
    int by_row;
    double shape1, shape2; /* 1 - 1/dispersion ~ Beta(shape1, shape2); shape1 = 0: it is fixed */
    double *rest, *extra; /* D each: the exposures of ldp_noise */
    /* Memory provided by the caller; not needed if the dispersion is fixed. */
    ldp_nbinom1_row *rows; /* D, all zero at first */
    /* one per active cell (tokens: per cell); those of a row start at its `begin` */
    ldp_nbinom1_cell *above;
    const size_t *first; /* D + 1: the places before those of each row */
    ldp_lists active, missing; /* of the cells; needed only if each column has a dispersion */
    ldp_nbinom1_columns *columns; /* NULL, or those of the thread; those of other threads follow */
    double *answers; /* LDP_ANSWERS per part of all rows (ldp_team.h) */
    ldp_nbinom1_move move;
    const ldp_cells *cells; /* if they are under any mechanism; NULL for geometric noise */
    /* Tokens per unit of a latent mean under it, by the last class that has tokens, for this
     * dispersion - 1; 0 at first. */
    double rate[LDP_TILTED], rated;
    ldp_rtruenbinom_law law; /* of the last draw; the caller allocates its bounds */
    ldp_nbinom1_sizes sizes; /* of the last tokens; all 0 at first */
} ldp_nbinom1_state;

/* Collapsed scheme. `state` contains all memory that the caller provides. Each thread has a copy of
 * it, with its own `law`, `rate`, `rated`, `sizes` and `columns->sums`; all other memory is shared.
 * Only the first copy has a `move`. */
ldp_noise ldp_noise_nbinom1(const double *alpha, ldp_nbinom1_state *state, int n_threads);

/* The same if counts are proposed by tokens. `ones` and `zeros`: D places each. */
ldp_noise ldp_noise_nbinom1_tokens(const double *alpha, ldp_nbinom1_state *state, int n_threads,
                                   double *ones, double *zeros);

#endif
