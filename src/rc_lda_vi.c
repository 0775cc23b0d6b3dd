#include <string.h>

#include "ldp_lda_vi.h"
#include "rc.h"

/* As in Hoffman, Blei and Bach (2010), whose settings Park and others use. */
enum { TURNS = 100 };
static const double TOLERANCE = 1e-3;

/* alpha: K numbers; beta: K x V. */
static ldp_lda_vi decode_model(SEXP alpha, SEXP beta, const ldp_cells *cells) {
    const int K = rc_shape_of(beta, "mu").rows;
    return (ldp_lda_vi){K, TURNS, TOLERANCE, rc_numbers(alpha, (size_t)K, RC_POSITIVE, "alpha"),
                        rc_matrix(beta, K, cells->V, RC_NOT_NEGATIVE, "mu")};
}

static double *work_for(const ldp_lda_vi *model, const ldp_cells *cells) {
    return rc_doubles(ldp_lda_vi_work(model->K, cells->V));
}

/* Interrupts are checked after this many cells. */
static const size_t CELLS_BETWEEN_CHECKS = 1000000;

/* Checks for an interrupt by the user, and returns the end of the next range of rows: rows from ..
 * to-1 are to be processed before the next check. */
static int rc_lda_vi_next_range(const ldp_cells *cells, int from) {
    const size_t *const active = cells->active.start;
    const size_t end = active[from] + CELLS_BETWEEN_CHECKS;
    int to = from + 1;
    R_CheckUserInterrupt();
    while (to < cells->D && active[to] < end)
        to++;
    return to;
}

/* The sum over documents of their expected counts of words (columns) in topics (rows), clipped to
 * the norm `limit`. */
SEXP rc_lda_add(SEXP cells, SEXP alpha, SEXP beta, SEXP limit) {
    const ldp_cells decoded = rc_decode_cells(cells);
    const ldp_lda_vi model = decode_model(alpha, beta, &decoded);
    const size_t n = (size_t)Rf_xlength(beta);
    SEXP answer = PROTECT(Rf_allocMatrix(REALSXP, model.K, decoded.V));
    double *const sums = REAL(answer), *const work = work_for(&model, &decoded);
    memset(sums, 0, n * sizeof *sums);
    for (int from = 0, to; from < decoded.D; from = to) {
        to = rc_lda_vi_next_range(&decoded, from);
        ldp_lda_vi_add(&model, &decoded, from, to, Rf_asReal(limit), sums, work);
    }
    for (size_t i = 0; i < n; i++)
        sums[i] *= model.beta[i];
    UNPROTECT(1);
    return answer;
}

/* The sum over documents of their log probability per token, each between -limit and 0. */
SEXP rc_lda_score(SEXP cells, SEXP alpha, SEXP beta, SEXP limit) {
    const ldp_cells decoded = rc_decode_cells(cells);
    const ldp_lda_vi model = decode_model(alpha, beta, &decoded);
    double *const work = work_for(&model, &decoded), sum = 0;
    for (int from = 0, to; from < decoded.D; from = to) {
        to = rc_lda_vi_next_range(&decoded, from);
        sum += ldp_lda_vi_score(&model, &decoded, from, to, Rf_asReal(limit), work);
    }
    return Rf_ScalarReal(sum);
}

/* The counts of the cells, with at most `most` tokens per document. Each document has its own
 * stream of random numbers, so the tokens chosen do not depend on the other documents. */
SEXP rc_lda_shorten(SEXP cells, SEXP most) {
    const ldp_cells decoded = rc_decode_cells(cells);
    SEXP answer = PROTECT(Rf_duplicate(rc_element(cells, "y_tilde")));
    GetRNGstate();
    ldp_stream seeds = ldp_stream_open();
    PutRNGstate();
    for (int d = 0; d < decoded.D; d++) {
        ldp_stream stream = ldp_stream_seeded(ldp_stream_next(&seeds));
        ldp_lda_vi_shorten((int)ldp_lists_length(decoded.active, d),
                           REAL(answer) + decoded.active.start[d], Rf_asReal(most), &stream);
    }
    UNPROTECT(1);
    return answer;
}
