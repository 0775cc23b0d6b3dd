/* The floor under a sweep: nothing but the dot products over the cells (a sampled dense-dense
 * matrix product), as fast as this compiler and this processor make the plain loop. */
#include <stddef.h>

#include <Rinternals.h>

/* theta: K x D, phi: K x V; cells of row d: columns index[start[d]] .. index[start[d+1]-1]. */
SEXP floor_dots(SEXP start, SEXP index, SEXP theta, SEXP phi) {
    const int K = Rf_nrows(theta), D = Rf_ncols(theta);
    double total = 0;
    for (int d = 0; d < D; d++) {
        const double *const x = REAL(theta) + (size_t)d * K;
        for (size_t e = REAL(start)[d]; e < REAL(start)[d + 1]; e++) {
            const double *const z = REAL(phi) + (size_t)INTEGER(index)[e] * K;
            double dot = 0;
            for (int k = 0; k < K; k++)
                dot += x[k] * z[k];
            total += dot;
        }
    }
    return Rf_ScalarReal(total);
}
