/* The interface between a model and the distribution of its counts and their noise.
 *
 * A model (topics, blocks) deals with cells, factors, and latent counts that are Poisson with means
 * determined by the factors. What it needs of the noise and the family of counts is in one of three
 * forms: by cells (the exposures of a row, and `draw`, which draws the latent counts of a few
 * active cells), by columns (`columns` in place of the exposures of rows), or by tokens (`tokens`
 * in place of `draw`, which may be NULL; all exposures are 1). The loop over sweeps needs the
 * density of a release and, if the family has parameters of its own, their moves. */
#ifndef LDP_NOISE_H
#define LDP_NOISE_H

#include <stddef.h>

#include "ldp_behind.h"
#include "ldp_cells.h"
#include "ldp_classes.h"
#include "ldp_columns.h"
#include "ldp_quick.h"
#include "ldp_stream.h"
#include "ldp_visitor.h"

/* Cells are drawn this many at a time, so that rows of a factor with 50 components stay in the
 * first-level cache from the computation of means to the split of counts. */
enum { LDP_FEW = 64, LDP_ANSWERS = 3 };

/* What a mechanism and a family of counts answer to tokens (ldp_tokens.h), for one row. Tokens are
 * proposed for all its cells at once; a token has a size, which is what it adds to the true count.
 * A cell with code c (ldp_codes.h) has the tokens that `keep` leaves of those proposed, as a
 * compound Poisson number y of them; with all others as they are, the tokens are accepted together
 * with the probability `accept`, or else the cell is drawn `alone`. A cell with a code above `top`
 * gets no tokens, and is drawn alone. So the answers must satisfy
 *
 *     P(y | release) prop. to (probability of the tokens that make up y, after `keep`) accept,
 *
 * where accept is 1 for y = 0. Then accepted and refused cells together have P(y | release). */
typedef struct ldp_token_law {
    double rate; /* tokens proposed per unit of a latent mean; Inf: none can be */
    int top;
    double square; /* for geometric noise: alpha^2, */
    int largest; /* and the size up to which sizes are tabulated */
    double log_tilt, inverse; /* for other mechanisms: the tilt of `top`, and exp(-log_tilt) */
    /* The size of a token; NULL if all are 1. 0: there is no token after all. */
    int (*size)(const struct ldp_token_law *law, ldp_stream *stream);
    /* The probability that a token on a cell is kept, whatever else falls on it. NULL for tokens of
     * size 1 under geometric noise: those on a cell with a code above 0 are all kept, and accepted
     * if they are not more than the code; of those on others `square` are kept, and accepted. */
    double (*keep)(const struct ldp_token_law *law, int code, int size);
    /* NULL, or what a token that is kept adds to `over`; not negative. */
    double (*over)(const struct ldp_token_law *law, int code, int size);
    /* The probability that the tokens of column v, with sum y > 0, are accepted. */
    double (*accept)(const struct ldp_token_law *law, int v, double y, double over);
    /* The latent count of a cell of column v that is drawn by itself, given its latent mean. */
    double (*alone)(const struct ldp_token_law *law, ldp_stream *stream, int v, double mean);
    /* If not NULL, told each accepted y > 0. (`alone` knows its own.) */
    void (*see)(const struct ldp_token_law *law, int v, double y);
    void *state;
    const ldp_cells *cells;
    int row;
    double alpha;
} ldp_token_law;

/* A factor in which every mean is linear: n lines of K weights with gamma priors, which may be some
 * of n_all lines. A family scales it in moves that change the dispersion but not the means of
 * counts. */
typedef struct ldp_scalable {
    int n, n_all, K;
    double *factor;
    double shape, rate; /* of the prior of each weight */
    int by_row; /* does line d belong to row d of the data, and to no other row? */
    /* With groups (ldp_groups.h; otherwise NULL), the rate of each weight is multiplied by a
     * relative rate: K per combination, and the combination of each line. */
    const double *relative;
    const int *combination;
} ldp_scalable;

typedef struct ldp_noise {
    const double *exposure_rest; /* per row: exposure of an observed cell that is not active */
    const double *exposure_extra; /* per row: exposure of an active cell minus the above */
    /* Per row: what log P(y_tilde) of an observed cell that is not active loses per unit of its
     * mean; exposure_rest, unless all cells have latent counts. */
    const double *density_rest;
    /* Draws the latent counts of active cells first .. first + n - 1 of one row, n <= LDP_FEW. On
     * entry x holds their Poisson means; on return it holds the counts above zero, at the places
     * listed in `positive`. Returns the number of these. With `columns`, the means on entry are
     * multiplied by ldp_columns_scale(). */
    int (*draw)(void *state, ldp_stream *stream, int row, size_t first, int n,
                const double *y_tilde, double alpha, double *x, int *positive);
    /* The sum of log P(y_tilde) over n <= LDP_FEW active cells of a row, given their Poisson means;
     * `quick` is kept from call to call. For any other observed cell, log P(y_tilde) is minus its
     * exposure times its mean, up to a constant. The same constant is left out for active cells at
     * or below zero. */
    double (*log_density)(const void *state, ldp_quick *quick, int row, size_t first, int n,
                          const double *y_tilde, double alpha, const double *mean);
    /* If counts are proposed by tokens: the rule for a row whose latent means have the sum `total`,
     * where a cell that is drawn alone takes as long as `cost` tokens. */
    ldp_token_law (*tokens)(void *state, const ldp_cells *cells, int row, double total,
                            double cost);
    void *state; /* what these functions keep from sweep to sweep */
    /* For a family with parameters to draw (otherwise NULL): after a sweep, `reader` is called with
     * the means, then `move`, which may multiply the scalable factor. Latent counts are not valid
     * after it. `seed`: of the sweep. A move of parameters that all rows share asks questions, to
     * which every part of the rows has an answer (ldp_team.h). While `is_asking`, `answer` is
     * called for each part, which writes LDP_ANSWERS numbers into its place among `answers`; then
     * `use_answers`, which adds them up in the order of the parts. */
    ldp_visitor reader;
    void (*move)(void *state, uint64_t seed, const ldp_cells *cells, ldp_scalable scalable,
                 int n_threads);
    int (*is_asking)(const void *state);
    void (*answer)(void *state, int part);
    void (*use_answers)(void *state);
    double *answers; /* of all parts of the table, also if the rows are a shard of it */
    /* NULL if exposures depend on the row alone. Otherwise they are here, and the first three
     * arrays above and `log_density` are not used. `begin_visit` is called when the totals are set,
     * and after the reader was called with all means, and the batch with all columns
     * (ldp_density.h), `column_density` returns the log density of the release. */
    const ldp_columns *columns;
    struct ldp_batch *batch;
    void (*begin_visit)(void *state);
    double (*column_density)(const void *state, int n_threads);
} ldp_noise;

/* Sets the exposure of every observed cell, active or not, to 1; `ones` and `zeros`: D places each.
 */
static inline void ldp_noise_expose_all(ldp_noise *noise, int D, double *ones, double *zeros) {
    for (int d = 0; d < D; d++) {
        ones[d] = 1;
        zeros[d] = 0;
    }
    noise->exposure_rest = ones;
    noise->exposure_extra = zeros;
}

/* Collapsed scheme (ldp_collapsed.c): the noise is integrated out. Exposure 1 - alpha for a
 * non-positive cell, 1 for a positive (active) one. `rest` and `extra`: D places each. */
ldp_noise ldp_noise_collapsed(int D, const double *alpha, double *rest, double *extra);

/* The same if counts are proposed by tokens: cells at or below zero have latent counts as well, so
 * that every cell has exposure 1. `rest`, `ones` and `zeros`: D places each. */
ldp_noise ldp_noise_tokens(int D, const double *alpha, double *rest, double *ones, double *zeros);

/* Two parts of the noise of every active cell, tau = g1 - g2. */
typedef struct ldp_bessel_state {
    double *g1, *g2;
} ldp_bessel_state;

/* Bessel augmentation (ldp_augmented.c): every observed cell is active, with exposure 1. */
ldp_noise ldp_noise_bessel(int D, ldp_bessel_state *state, double *rest, double *extra);

/* The log density of Poisson counts, for both schemes: see log_density above. */
double ldp_noise_log_density(const void *state, ldp_quick *quick, int row, size_t first, int n,
                             const double *y_tilde, double alpha, const double *mean);

/* Any mechanism. The parameters of place i of the listed cells, which are all observed ones, are
 * those of levels[level[i]], or of levels[0] if `level` is NULL. Codes of cells are their classes.
 */
typedef struct ldp_protection {
    const ldp_mechanism *levels;
    const int *level;
    const ldp_classes *classes;
} ldp_protection;

/* Poisson counts under any mechanism (ldp_protected.c), by tokens. `rest` and `extra`: D places
 * each. */
ldp_noise ldp_noise_protected(int D, const ldp_cells *cells, double *rest, double *extra);

/* The true count behind the release of a cell, for both families. */
ldp_behind ldp_protection_behind(const ldp_protection *protection, size_t place, double y_tilde,
                                 double mu, double excess);

/* What the families share: answers to tokens that fall on a cell. rate[i]: tokens per unit of a
 * latent mean, if class i is the last that has tokens; Inf if none can be. The family adds `alone`,
 * and, with tokens of several sizes, `over`. */
ldp_token_law ldp_protected_law(const ldp_cells *cells, int row, const double *rate, double total,
                                double cost);
double ldp_protected_over(const ldp_token_law *law, int code, int size);

/* The true count of a cell that is drawn by itself, for both families (excess 0: Poisson). */
double ldp_protected_alone(const ldp_token_law *law, ldp_stream *stream, int v, double mu,
                           double excess);

/* The sum of log P(y_tilde) over n cells of a row, from place `first` on. */
double ldp_protected_log_density(const ldp_cells *cells, int row, size_t first, int n,
                                 const double *mu, double excess);

#endif
