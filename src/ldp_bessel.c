/* A draw of the Bessel law, P(m) prop. to (a/2)^(2m+nu) / (m! Gamma(m+nu+1)), by rejection
 * from a Poisson law, without a Bessel function. With t = sqrt(nu^2 + a^2), l1 = (t+nu)/2 and
 * l = a^2/(4 l1), the law is prop. to Pois(m; l) * l1^(m+nu)/Gamma(m+nu+1), whose second
 * factor is largest at m* = floor(l); propose m ~ Pois(l), accept with its ratio to that.
 * Expected tries: at most sqrt(2) for nu >= 0, at most e for -1 < nu < 0.
 *
 * Sources: Yuan and Kalbfleisch (2000), On the Bessel distribution and related problems;
 * Devroye (2002), Simulating Bessel random variables, for the law and its mode. */
#include <math.h>

#include <Rmath.h>

#include "ldp_bessel.h"

/* l1^(m - mode) Gamma(mode+nu+1)/Gamma(m+nu+1): a product when m is near, else by lgamma. */
static double acceptance(double m, double mode, double nu, double l1) {
    const double distance = m - mode;
    if (fabs(distance) > 24)
        return exp(distance * log(l1) + lgammafn(mode + nu + 1) - lgammafn(m + nu + 1));
    double ratio = 1;
    for (double i = mode + 1; i <= m; i++)
        ratio *= l1 / (i + nu);
    for (double i = m + 1; i <= mode; i++)
        ratio *= (i + nu) / l1;
    return ratio;
}

double ldp_rbessel(double nu, double a) {
    if (a <= 0)
        return 0;
    /* l1 l = a^2/4: the larger of the two first, as the other would cancel, and a^2 alone over-
     * or underflow */
    const double larger = (hypot(nu, a) + fabs(nu)) / 2;
    const double smaller = (a / (2 * larger)) * (a / 2);
    const double l1 = nu < 0 ? smaller : larger;
    const double l = nu < 0 ? larger : smaller;
    const double mode = floor(l);
    for (;;) {
        const double m = rpois(l);
        if (m == mode || unif_rand() < acceptance(m, mode, nu, l1))
            return m;
    }
}
