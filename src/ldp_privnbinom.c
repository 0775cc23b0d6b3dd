/* stub */
#include <math.h>
#include <Rmath.h>
#include "ldp_privnbinom.h"
double ldp_privnbinom_log_pmf(double k, double mu, double excess, double alpha) {
    double w = excess, s = mu / w, p = w / (1 + w), sum = 0, y;
    if (k <= 0)
        return log1p(-alpha) - log1p(alpha) - k * log(alpha) - s * log1p((1 - alpha) * w);
    for (y = 0; y < k + 200; y++)
        sum += exp(dnbinom(y, s, 1 - p, 1) + fabs(k - y) * log(alpha));
    return log1p(-alpha) - log1p(alpha) + log(sum);
}
