/* Simultaneous orthogonalised power iteration for a symmetric k x k x k tensor,
 *
 *     T = sum_i lambda_i z_i (x) z_i (x) z_i,   z_i orthonormal, nearly:
 *
 * Z becomes the Q of the QR decomposition, with a positive diagonal of R, of [T(I, z_1, z_1) ..
 * T(I, z_k, z_k)], T(I, z, z)_a = sum_bc T_abc z_b z_c. All components are computed together. If
 * one were subtracted from T before the next is computed (deflation), its error would affect the
 * next.
 *
 * Source: Wang and Lu (2017), Tensor decomposition via simultaneous power iteration, ICML. */
#ifndef LDP_TENSOR_POWER_H
#define LDP_TENSOR_POWER_H

#include <stddef.h>

/* Z is stored by columns. T has all its k^3 entries (ldp_symmetric_expand). */

/* One step; returns the largest change of an entry. `work`: ldp_tensor_power_work(k) doubles. */
size_t ldp_tensor_power_work(int k);
double ldp_tensor_power_step(int k, const double *T, double *Z, double *work);

/* lambda_i = T(z_i, z_i, z_i), after the sign of z_i is chosen so that it is positive. `work`: k.
 * */
void ldp_tensor_power_values(int k, const double *T, double *Z, double *lambda, double *work);

#endif
