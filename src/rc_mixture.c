/* Summaries of the distributions of true counts, averaged over draws, for augment(). */
#include "ldp_mixture.h"
#include "rc.h"

/* A matrix with one row per cell and one column per draw, or one number. */
typedef struct table {
    const double *value;
    R_xlen_t row, column; /* steps */
} table;

static double at(table x, R_xlen_t cell, R_xlen_t draw) {
    return x.value[cell * x.row + draw * x.column];
}

static int mix(ldp_mixture *mixture, R_xlen_t cell, R_xlen_t draws, double k, double alpha,
               table mu, table excess) {
    const double weight = 1 / (double)draws;
    int done = 1;
    ldp_mixture_begin(mixture);
    for (R_xlen_t s = 0; s < draws && done; s++)
        done =
            ISNAN(k)
                ? ldp_mixture_add_masked(mixture, at(mu, cell, s), at(excess, cell, s), weight)
                : ldp_mixture_add(mixture, k, at(mu, cell, s), at(excess, cell, s), alpha, weight);
    return done;
}

/* One row per cell: the mean, the quantiles at p[0] and p[1], and P(0); NA if a cell cannot be
 * computed by ldp_mixture. A cell with y_tilde NA is masked. mu: a matrix with one column per draw;
 * excess (dispersion - 1): the same, or one number; alpha > 0: one number per cell. */
SEXP rc_truth(SEXP y_tilde, SEXP alpha, SEXP mu, SEXP excess, SEXP p) {
    enum { COLUMNS = 4 };
    const rc_shape shape = rc_shape_of(mu, "mu");
    const R_xlen_t n = shape.rows, draws = shape.columns;
    const size_t cells = (size_t)n;
    const int one_excess = Rf_xlength(excess) == 1;
    const double *const k = rc_numbers(y_tilde, cells, RC_ANY, "y_tilde");
    const double *const ratio = rc_numbers(alpha, cells, RC_ALPHA, "alpha");
    const double *const ends = rc_numbers(p, 2, RC_FINITE, "p");
    const table means = {rc_matrix(mu, shape.rows, shape.columns, RC_NOT_NEGATIVE, "mu"), 1, n};
    const table extra = {
        rc_numbers(excess, one_excess ? 1 : cells * (size_t)draws, RC_NOT_NEGATIVE, "excess"),
        one_excess ? 0 : 1, one_excess ? 0 : n};
    ldp_mixture mixture = {rc_doubles(LDP_MIXTURE_ROOM), rc_doubles(LDP_MIXTURE_ROOM), 0};
    const SEXP answer = PROTECT(Rf_allocMatrix(REALSXP, shape.rows, COLUMNS));
    double *const said = REAL(answer);
    for (R_xlen_t i = 0; i < n; i++) {
        if (i % 100 == 0)
            R_CheckUserInterrupt();
        const int done = mix(&mixture, i, draws, k[i], ratio[i], means, extra);
        said[i] = done ? ldp_mixture_mean(&mixture) : NA_REAL;
        said[i + n] = done ? ldp_mixture_quantile(&mixture, ends[0]) : NA_REAL;
        said[i + 2 * n] = done ? ldp_mixture_quantile(&mixture, ends[1]) : NA_REAL;
        said[i + 3 * n] = done ? mixture.mass[0] : NA_REAL;
    }
    UNPROTECT(1);
    return answer;
}
