/* Stochastic variational inference of the topic model: steps with a batch of rows. */
#ifndef LDP_SVI_H
#define LDP_SVI_H

#include "ldp_cavi_nbinom1.h"
#include "ldp_cavi_topics.h"

/* A batch, and the state of all rows. `model` has the rows of the batch as theta, and all of phi.
 * `local` and `cells` are those of the batch. */
typedef struct ldp_svi {
    ldp_cavi_topics model;
    ldp_cavi_local local;
    const ldp_cells *cells;
    double n_rows; /* of the data; the batch represents all of them */
    double *totals; /* K: estimates of the sums of E[theta_dk] over all rows */
    double *logs; /* if the shape of theta is estimated: the estimate of the sum of E[log theta] */
    /* For negative binomial counts with one dispersion (otherwise `part` is NULL): the families of
     * the batch and of all rows, which share the distribution of the dispersion. The rows of
     * `whole` are levels of alpha, in ascending order. */
    ldp_cavi_nbinom1 *part, *whole;
    const double *levels;
    /* Estimates for all rows: the expected counts and events of active cells, and then, for each
     * level, the sum of E[lambda] over other observed cells. */
    double *shown;
} ldp_svi;

/* Doubles of work space. */
size_t ldp_svi_work(int K, const ldp_cells *cells);

/* Repeats the local step and the update of theta for each row of the batch, with phi fixed, until
 * the means of the row change by at most `tolerance` of their sum, at most `most` times. */
void ldp_svi_settle(ldp_svi *svi, int most, double tolerance, double *work);

/* The bound of the rows of the batch, given phi, up to the constant that is left out for cells at
 * or below zero. */
double ldp_svi_bound(ldp_svi *svi, double *work);

/* Updates theta, and then all that rows share: natural parameters are moved by the share `rho`
 * towards those that the batch implies. */
void ldp_svi_step(ldp_svi *svi, double rho, double *work);

#endif
