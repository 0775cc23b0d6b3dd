/* Log P(y_tilde = k) of a released count as a function of the mean mu of its true count and, for
 * overdispersed counts, of theta = log(excess): derivatives, and the maximum over mu. */
#ifndef LDP_DERIVATIVES_H
#define LDP_DERIVATIVES_H

/* Derivatives with respect to mu are multiplied by mu^n, where n is their order, so that they
 * neither overflow nor underflow for small means. */
typedef enum {
    LDP_BY_MU,
    LDP_BY_MU2,
    LDP_N_LEVEL_0,
    LDP_BY_THETA = LDP_N_LEVEL_0,
    LDP_BY_MU_THETA,
    LDP_BY_MU3,
    LDP_BY_MU2_THETA,
    LDP_N_LEVEL_1,
    LDP_BY_MU4 = LDP_N_LEVEL_1,
    LDP_BY_THETA2,
    LDP_BY_MU_THETA2,
    LDP_BY_MU2_THETA2,
    LDP_BY_MU3_THETA,
    LDP_N_LEVEL_2
} ldp_derivative;

/* No sum has more terms than this, however large the counts. */
enum { LDP_DERIVATIVE_TERMS = 1 << 13 };

/* `level` is mgcv's word: 0 are the derivatives that a fit with given smoothing parameters needs, 1
 * and 2 also those for the first and second derivatives of its criterion. Level 0, 1 or 2: the
 * first LDP_N_LEVEL_0, LDP_N_LEVEL_1 or LDP_N_LEVEL_2 derivatives, written to d. Those with respect
 * to theta are 0 for Poisson counts. Errors are about 1e-12 of max(mu, |d|) for mu up to 1e7; those
 * of the third and fourth order, which are differences of central moments, are about 1e-11 and 1e-8
 * of it where the true count is known least (alpha near 0.999). Returns the number of terms that
 * were summed. Requires a whole k, 0 < mu < Inf, 0 <= excess < Inf, 0 <= alpha < 1, and k >= 0 if
 * alpha is 0; not checked. */
int ldp_derivatives(double k, double mu, double excess, double alpha, int level, double *d);

/* The largest log P(y_tilde = k) over all means, including 0. The same requirements. */
double ldp_saturated(double k, double excess, double alpha);

#endif
