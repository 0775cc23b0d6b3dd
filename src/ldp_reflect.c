/* Over-relaxation of a gamma variable: a Metropolis move whose proposal is a reflection.
 *
 *     1. w = (x/d)^(1/3) with d = shape - 1/3 has a density prop. to w^(3 d) exp(-d w^3), nearly
 *        normal about its mode, 1;
 *     2. the proposal w' = 2 - w is its own inverse, and its Jacobian is 1;
 *     3. with t = w - 1 the logarithm of density(w')/density(w) is
 *
 *            3 d log((1 - t)/(1 + t)) + 6 d t + 2 d t^3  =  -6 d (atanh(t) - t - t^3/3)
 *                                                        =  -6 d (t^5/5 + t^7/7 + ...)
 *
 *        so that a move up is always accepted, and nearly every move down: all but 2.2 % of all
 *        moves at a shape of 1.1, 0.05 % at 10. Where t >= 1 there is nothing to move to.
 *
 * If weights are strongly correlated given the rest, a Gibbs draw of one stays near its conditional
 * mean, and the chain moves slowly. A reflected weight is on the other side of that mean, so the
 * chain keeps moving in the same direction.
 *
 * Sources: Adler (1981), Over-relaxation method for the Monte Carlo evaluation of the partition
 * function, Phys. Rev. D 23; Neal (1998), Suppressing random walks in Markov chain Monte Carlo
 * using ordered overrelaxation; the transformation is that of Wilson and Hilferty (1931), centred
 * as by Marsaglia and Tsang (2000), A simple method for generating gamma variables, ACM Trans.
 * Math. Softw. 26. */
#include <math.h>

#include "ldp_reflect.h"

/* Step 3. The series is at most t^5/5/(1 - t^2). This bound decides most moves, among them all
 * moves up, and is small whenever the difference of logarithms would lose its digits. */
static int is_accepted(double u, double d, double t) {
    if (t >= 1)
        return 0;
    const double t3 = t * t * t;
    return u < 1 - 1.2 * d * t3 * t * t / (1 - t * t) || u < exp(-6 * d * (atanh(t) - t - t3 / 3));
}

double ldp_reflect_from(double u, double d, double root, double x) {
    const double t = root - 1, w = 1 - t;
    return is_accepted(u, d, t) ? d * w * w * w : x;
}

double ldp_reflect(double u, double shape, double x) {
    const double d = ldp_reflect_centre(shape);
    return ldp_reflect_from(u, d, cbrt(x / d), x);
}
