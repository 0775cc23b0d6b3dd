/* The density of small releases, of which sparse data consist, many at a time. */
#ifndef LDP_SMALL_H
#define LDP_SMALL_H

/* Behind a release k > 0 stand counts y with
 *
 *     P(k) = (1 - alpha)/(1 + alpha) alpha^k exp(-mean) sum_y w(y),   w(0) = 1,
 *     w(y)/w(y-1) = (first + (y-1) step)/y  up to k,  and alpha^2 times that above,
 *
 * where first = mean * per_mean: mean/alpha and step 0 for Poisson counts, and for negative
 * binomial ones with `mean` events, mean p/(q alpha) and step p/alpha. Returns the sum of log P(k)
 * over those of n releases that are small, and lists the others in `left`, how many in `n_left`. */
double ldp_small_log_density(int n, const double *k, double alpha, const double *mean,
                             double per_mean, double step, int *left, int *n_left);

#endif
