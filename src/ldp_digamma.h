/* Functions of the shape of a gamma distribution. */
#ifndef LDP_DIGAMMA_H
#define LDP_DIGAMMA_H

/* log Gamma(x) and its derivative. */
typedef struct ldp_gamma_logs {
    double log_gamma, digamma;
} ldp_gamma_logs;

/* Both at once: absolute error below 1e-14 up to x = 10, relative above. NaN unless x > 0. */
ldp_gamma_logs ldp_log_gamma(double x);

#endif
