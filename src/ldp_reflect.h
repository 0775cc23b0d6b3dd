/* Over-relaxation of a gamma variable: a move to the other side of its distribution. */
#ifndef LDP_REFLECT_H
#define LDP_REFLECT_H

/* A kernel that leaves Gamma(shape, rate 1) invariant, shape > 1/3. It moves x to a point above
 * which there is about as much probability as there was below x; rarely, x stays unchanged. `u`:
 * uniform on (0, 1). x > 0; not checked. */
double ldp_reflect(double u, double shape, double x);

/* The same in steps: d, and the move of x given d and root = (x/d)^(1/3). */
static inline double ldp_reflect_centre(double shape) {
    return shape - 1. / 3;
}
double ldp_reflect_from(double u, double d, double root, double x);

#endif
