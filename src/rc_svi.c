/* Steps of stochastic variational inference of the topic model. */
#include <string.h>

#include "ldp_svi.h"
#include "rc_cavi.h"

/* Further parts of what rc_decode_cells() decodes: the cells by columns. */
static ldp_lists by_columns(const ldp_cells *cells, ldp_lists lists) {
    const size_t D = (size_t)cells->D, V = (size_t)cells->V;
    size_t *const start = (size_t *)(void *)R_alloc(V + 1, sizeof(size_t)),
                  *const work = (size_t *)(void *)R_alloc(V, sizeof(size_t));
    int *const index = (int *)(void *)R_alloc(lists.start[D] + 1, sizeof(int));
    ldp_lists_transpose(D, lists, V, start, index, work);
    return (ldp_lists){start, index};
}

static void decode_dispersion(ldp_svi *svi, ldp_cavi_nbinom1 *part, ldp_cavi_nbinom1 *whole,
                              SEXP levels, SEXP q) {
    const int n = Rf_length(levels);
    part->by_row = n == 0;
    if (part->by_row)
        return;
    svi->levels = rc_numbers(levels, (size_t)n, RC_ALPHA, "levels");
    svi->shown = rc_numbers(rc_element(q, "shown"), (size_t)n + 2, RC_NOT_NEGATIVE, "shown");
    *whole = *part;
    whole->D = n;
    whole->shown =
        (ldp_cavi_shown *)(void *)rc_doubles(3 * (size_t)n); /* three doubles per level */
    whole->laws = (ldp_cavi_dispersion *)(void *)R_alloc(1, sizeof(ldp_cavi_dispersion));
    whole->rest = rc_doubles((size_t)n);
    whole->extra = rc_doubles((size_t)n);
    svi->part = part;
    svi->whole = whole;
}

/* `cells`: of the batch, by rows only. `q`: list(theta, phi, hyper, totals, logs), with `theta` of
 * the rows of the batch, and for negative binomial counts `excess` and `shown`; see ldp_svi.
 * `levels`: of alpha; none if each row has its own dispersion. `n_rows`: of the data. `settle`: the
 * largest number of local steps, and the tolerance. `rho`: 0 settles the rows and computes their
 * bound, otherwise a step follows. Returns list(q, bound). */
SEXP rc_topics_svi(SEXP cells, SEXP q, SEXP priors, SEXP levels, SEXP n_rows, SEXP settle, SEXP rho,
                   SEXP threads) {
    static const char *const names[] = {"q", "bound", ""};
    ldp_cells decoded = rc_decode_cells(cells);
    decoded.active_t = by_columns(&decoded, decoded.active);
    decoded.missing_t = by_columns(&decoded, decoded.missing);
    q = PROTECT(rc_deep_copy(q));
    const rc_shape of_theta = rc_shape_of(rc_element(rc_element(q, "theta"), "shape"), "theta");
    const int K = of_theta.rows, D = decoded.D, V = decoded.V;
    rc_schemes all;
    ldp_cavi_nbinom1 whole;
    ldp_svi svi = {.local = rc_cavi_local(&all, &decoded, q, priors, R_NilValue, threads),
                   .cells = &decoded,
                   .n_rows = rc_number(n_rows, RC_POSITIVE, "rows"),
                   .totals = rc_numbers(rc_element(q, "totals"), (size_t)K, RC_POSITIVE, "totals"),
                   .logs = rc_numbers(rc_element(q, "logs"), 1, RC_FINITE, "logs")};
    svi.model = (ldp_cavi_topics){
        .theta = rc_cavi_factor(q, priors, "theta", (rc_shape){K, D}, 0, 2, 0, svi.local.team),
        .phi = rc_cavi_factor(q, priors, "phi", (rc_shape){K, V}, 1, 2, 0, svi.local.team),
        .counts_theta = rc_doubles((size_t)K * (size_t)D),
        .counts_phi = rc_doubles((size_t)K * (size_t)V),
        .active = rc_doubles((size_t)K * (size_t)D),
        .hyper = rc_cavi_hyper(q, 2)};
    if (!Rf_isNull(rc_element_or_null(q, "excess"))) {
        decode_dispersion(&svi, &all.nbinom1, &whole, levels, q);
        const ldp_cavi_team team = svi.local.team;
        svi.local = ldp_cavi_bursts(&all.nbinom1, decoded.alpha);
        svi.local.team = team;
    }
    const double *const limits = rc_numbers(settle, 2, RC_NOT_NEGATIVE, "settle");
    const double moves = rc_number(rho, RC_NOT_NEGATIVE, "rho");
    double *const work = rc_doubles(ldp_svi_work(K, &decoded));
    ldp_svi_settle(&svi, (int)limits[0], limits[1], work);
    double bound = NA_REAL;
    if (moves > 0)
        ldp_svi_step(&svi, moves, work);
    else
        bound = ldp_svi_bound(&svi, work);
    SEXP answer = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SET_VECTOR_ELT(answer, 0, q);
    SET_VECTOR_ELT(answer, 1, Rf_ScalarReal(bound));
    UNPROTECT(2);
    return answer;
}
