/* Decoding of variational posteriors. */
#ifndef RC_CAVI_H
#define RC_CAVI_H

#include "ldp_cavi_bessel.h"
#include "ldp_cavi_factor.h"
#include "ldp_cavi_nbinom1.h"
#include "rc.h"

/* The states of all schemes, of which one is used. */
typedef struct rc_schemes {
    ldp_small small[LDP_CAVI_GROUPS];
    ldp_cavi_bessel bessel;
    ldp_cavi_nbinom1 nbinom1;
} rc_schemes;

/* Decodes the factor at position `place` among n_factors. */
ldp_cavi_factor rc_cavi_factor(SEXP q, SEXP priors, const char *name, rc_shape shape, int place,
                               int n_factors, int symmetric, ldp_cavi_team team);

/* What is estimated of the priors of n factors. */
double *rc_cavi_hyper(SEXP q, int n_factors);

/* The local step. If the user interrupts, results of the unfinished iteration are discarded. */
ldp_cavi_local rc_cavi_local(rc_schemes *all, const ldp_cells *cells, SEXP q, SEXP priors,
                             SEXP delta, SEXP threads);

/* A copy whose numbers may all be overwritten. */
SEXP rc_deep_copy(SEXP list);

#endif
