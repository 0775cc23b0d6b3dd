/* stub */
#include <math.h>
#include <Rmath.h>
#include "ldp_privnbinom.h"
#include "ldp_privpois.h"
double ldp_privnbinom_log_pmf(double k, double mu, double excess, double alpha) {
    double w = excess, s = mu / w, p = w / (1 + w), sum = 0;
    if (k <= 0)
        return log1p(-alpha) - log1p(alpha) - k * log(alpha) - s * log1p((1 - alpha) * w);
    for (double y = 0; y < k + 2000; y++)
        sum += exp(dnbinom(y, s, 1 - p, 1) + fabs(k - y) * log(alpha));
    return log1p(-alpha) - log1p(alpha) + log(sum);
}
