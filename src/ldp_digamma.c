/* log Gamma(x) and psi(x), which are needed for every weight in every iteration, at the cost of one
 * or two logarithms. From x = 10 on, with z = 1/x^2,
 *
 *     log Gamma(x) = (x - 1/2) log(x) - x + log(2 pi)/2 + (1/12 - z/360 + z^2/1260 - ...)/x
 *     psi(x)       = log(x) - 1/(2x) - z (1/12 - z/120 + z^2/252 - ...)
 *
 * and for smaller x from their values at x + n, with P = x (x+1) ... (x+n-1):
 *
 *     log Gamma(x) = log Gamma(x+n) - log(P),   psi(x) = psi(x+n) - P'/P.
 *
 * Source: DLMF 5.11.1, 5.11.2, 5.5.1, 5.5.2. */
#include <math.h>

#include "ldp_digamma.h"

/* From this x on, the error of the truncated series is below 1e-15. */
static const double ASYMPTOTIC = 10;
static const double HALF_LOG_2PI = 0.918938533204672741780;

ldp_gamma_logs ldp_log_gamma(double x) {
    double product = 1, slope = 0;
    if (!(x > 0))
        return (ldp_gamma_logs){NAN, NAN};
    for (; x < ASYMPTOTIC; x++) { /* ten steps at most */
        slope = slope * x + product;
        product *= x;
    }
    const double y = 1 / x, z = y * y, log_x = log(x);
    const double of_gamma =
        1.0 / 12 -
        z * (1.0 / 360 -
             z * (1.0 / 1260 -
                  z * (1.0 / 1680 - z * (1.0 / 1188 - z * (691.0 / 360360 - z * (1.0 / 156))))));
    const double of_digamma =
        1.0 / 12 -
        z * (1.0 / 120 -
             z * (1.0 / 252 -
                  z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z * (1.0 / 12))))));
    ldp_gamma_logs logs = {(x - 0.5) * log_x - x + HALF_LOG_2PI + of_gamma * y,
                           log_x - y / 2 - z * of_digamma};
    if (slope > 0) {
        logs.log_gamma -= log(product);
        logs.digamma -= slope / product;
    }
    return logs;
}
