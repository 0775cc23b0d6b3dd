/* With t = sqrt(nu^2 + a^2) and S of ldp_debye, for t >= 36
 *
 *     log I_nu(a) = t - |nu| asinh(|nu|/a) - log(2 pi t)/2 + log S(t, (nu/t)^2),
 *
 * and below the power series, whose terms are positive.
 *
 * The ratio I_{nu+1}/I_nu is the exponential of a difference of two such expansions, whose parts
 * are written as increments; if nu is large relative to a, the increments would cancel, and there
 * (and below t = 36) the continued fraction is short.
 *
 * Sources: DLMF 10.25.2, 10.29.1, 10.41.3; Amos (1974), Computation of modified Bessel functions
 * and their ratios, eq. 11 for the value that starts the fraction. */
#include <math.h>

#include <Rmath.h>

#include "ldp_bessel_i.h"
#include "ldp_debye.h"

/* sqrt(1 + x^2) - x asinh(x) is 0 here: ROOT + ROOT_REST has 33 digits. */
static const double ROOT = 1.50887956153832, ROOT_REST = 4.457972586163642e-18;

/* sqrt(1 + x^2) - x asinh(x) has derivative -asinh(x): near its zero it is computed accurately as
 * the integral of asinh from there (Gauss and Legendre, 7 points; h = x - ROOT, at most 0.4). */
static double integral_from_root(double h) {
    static const double node[] = {0.40584515137739717, 0.74153118559939444, 0.94910791234275852};
    static const double weight[] = {0.38183005050511894, 0.27970539148927667, 0.12948496616886969};
    const double middle = ROOT + h / 2;
    double sum = 0.41795918367346939 * asinh(middle);
    for (int i = 0; i < 3; i++)
        sum += weight[i] * (asinh(middle - node[i] * h / 2) + asinh(middle + node[i] * h / 2));
    return sum / 2;
}

/* t - nu asinh(nu/a), nu >= 0 */
static double phase(double nu, double a, double t) {
    const double from_root = fma(-a, ROOT, nu) - a * ROOT_REST;
    if (fabs(from_root) < 0.4 * a)
        return -from_root * integral_from_root(from_root / a);
    if (a < 1e-10 * nu)
        return t - nu * (log(2 * nu) - log(a));
    return t - nu * asinh(nu / a);
}

double ldp_log_bessel_i(double nu, double a) {
    if (a <= 0)
        return nu > 0 ? -INFINITY : nu < 0 ? INFINITY : 0;
    const double t = hypot(nu, a), p = nu / t;
    if (t < LDP_DEBYE_FROM)
        return nu * log(a / 2) - lgammafn(nu + 1) + log1p(ldp_debye_series(nu, a));
    return phase(fabs(nu), a, t) - log(2 * M_PI * t) / 2 + ldp_debye_log_sum(t, p * p);
}

/* a > 2 nu, t >= 36 */
static double ratio_by_increments(double nu, double a, double t) {
    const double t_next = hypot(nu + 1, a), dt = (2 * nu + 1) / (t_next + t);
    const double p = nu / t, p_next = (nu + 1) / t_next;
    const double phase_step = dt - nu * log1p((1 + dt) / (nu + t)) - asinh((nu + 1) / a);
    return exp(phase_step - log1p(dt / t) / 2 + ldp_debye_log_sum(t_next, p_next * p_next) -
               ldp_debye_log_sum(t, p * p));
}

/* r_nu = (a/2) / (nu + 1 + (a/2) r_{nu+1}); an error shrinks by r^2 per step */
static double ratio_by_fraction(double nu, double a) {
    const int steps = a > 2 * nu ? 60 : 40;
    const double from = nu + steps;
    double ratio = a / (from + 0.5 + hypot(from + 1.5, a));
    for (int i = steps; i >= 1; i--)
        ratio = (a / 2) / (nu + i + (a / 2) * ratio);
    return ratio;
}

double ldp_bessel_i_ratio(double nu, double a) {
    const double t = hypot(nu, a);
    if (t >= LDP_DEBYE_FROM && a > 2 * nu)
        return ratio_by_increments(nu, a, t);
    return ratio_by_fraction(nu, a);
}
