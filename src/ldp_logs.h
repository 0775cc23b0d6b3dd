/* Logarithms and roots of many numbers at once. */
#ifndef LDP_LOGS_H
#define LDP_LOGS_H

/* log(p_i) of normal p_i > 0, i < n, with an error below 1e-13. `log_p` may be `p`. */
void ldp_logs(int n, const double *p, double *log_p);

/* x_i = p_i^(1/a), i < n, where n is a multiple of LDP_LANES; p_i as above. 0 if it is too small
 * for a normal number. */
void ldp_roots(int n, double a, const double *p, double *x);

#endif
