/* The floor under a sweep: nothing but the dot products over the cells (a sampled dense-dense
 * matrix product), as fast as this compiler and this processor make the plain loop. */
#include <stddef.h>

#include <Rinternals.h>

/* theta: K x D, phi: K x V; cells of row d: columns index[start[d]] .. index[start[d+1]-1]. */
SEXP floor_dots(SEXP start, SEXP index, SEXP theta, SEXP phi) {
    const int K = Rf_nrows(theta), D = Rf_ncols(theta);
    const double *const from = REAL(start), *const x = REAL(theta), *const z = REAL(phi);
    const int *const column = INTEGER(index);
    double total = 0;
    for (int d = 0; d < D; d++) {
        const double *const row = x + (size_t)d * K;
        const size_t end = (size_t)from[d + 1];
        for (size_t e = (size_t)from[d]; e < end; e++) {
            const double *const other = z + (size_t)column[e] * K;
            double dot = 0;
            for (int k = 0; k < K; k++)
                dot += row[k] * other[k];
            total += dot;
        }
    }
    return Rf_ScalarReal(total);
}
