/* A gamma variable taken to the other side of its distribution. */
#ifndef LDP_REFLECT_H
#define LDP_REFLECT_H

/* A kernel that leaves Gamma(shape, rate 1) as it is, shape > 1/3, and takes x to where about as
 * much of the distribution lies beyond as it had behind, or, rarely, leaves it where it is. `u`:
 * uniform on (0, 1). x > 0; not checked. */
double ldp_reflect(double u, double shape, double x);

#endif
