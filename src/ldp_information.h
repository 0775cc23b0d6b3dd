/* The Fisher information of a released count about the mean of its true count. */
#ifndef LDP_INFORMATION_H
#define LDP_INFORMATION_H

/* The number of counts in a sum, at most, and the work space of ldp_information(), in doubles. */
enum {
    LDP_INFORMATION_TERMS = 1 << 14,
    LDP_INFORMATION_SMOOTH = 1 << 10, /* where the distribution of counts has no peak at 0 */
    LDP_INFORMATION_ROOM = 4 * LDP_INFORMATION_TERMS
};

/* E[(d log P(y_tilde)/d log(mu))^2], with a relative error of about 1e-4 for excess up to 500.
 * `work` has LDP_INFORMATION_ROOM doubles. Requires 1e-100 < mu < Inf, 0 <= excess < Inf, 0 <=
 * alpha < 1, not checked. */
double ldp_information(double mu, double excess, double alpha, double *work);

#endif
