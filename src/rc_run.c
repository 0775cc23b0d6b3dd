/* The loop over sweeps, once for all models. */
#include <string.h>

#include "ldp_density.h"
#include "rc.h"

/* Interrupts are checked after this many active and missing cells, which takes at most half a
 * second. */
static const size_t CELLS_BETWEEN_CHECKS = 1000000;

int rc_next_range(const ldp_cells *cells, int from) {
    const size_t *const active = cells->active.start, *const missing = cells->missing.start;
    const size_t end = active[from] + missing[from] + CELLS_BETWEEN_CHECKS;
    int to = from + 1;
    R_CheckUserInterrupt();
    while (to < cells->D && active[to] + missing[to] < end)
        to++;
    return to;
}

/* One array per factor, with the dimensions of the factor and one more dimension for kept draws. */
static SEXP allocate_draws(SEXP factors, R_xlen_t n_keep) {
    const R_xlen_t n = Rf_xlength(factors);
    SEXP draws = PROTECT(Rf_allocVector(VECSXP, n));
    for (R_xlen_t f = 0; f < n; f++) {
        const rc_shape shape = rc_shape_of(VECTOR_ELT(factors, f), "factors");
        SET_VECTOR_ELT(draws, f, Rf_alloc3DArray(REALSXP, shape.rows, shape.columns, (int)n_keep));
    }
    Rf_setAttrib(draws, R_NamesSymbol, Rf_getAttrib(factors, R_NamesSymbol));
    UNPROTECT(1);
    return draws;
}

static void keep_draw(SEXP draws, SEXP factors, R_xlen_t place) {
    for (R_xlen_t f = 0; f < Rf_xlength(factors); f++) {
        const SEXP factor = VECTOR_ELT(factors, f);
        const R_xlen_t n = Rf_xlength(factor);
        memcpy(REAL(VECTOR_ELT(draws, f)) + place * n, REAL_RO(factor), (size_t)n * sizeof(double));
    }
}

/* Rows of series (ldp_quick) for the releases in the data. If rows of the data have different
 * dispersions or noise levels, each has its own series. */
static ldp_quick new_quick(const ldp_cells *cells, int by_row) {
    const size_t n = cells->active.start[cells->D];
    double n_groups = 1;
    for (int d = 1; d < cells->D; d++)
        n_groups += by_row || cells->alpha[d] < cells->alpha[d - 1] ||
                    cells->alpha[d] > cells->alpha[d - 1];
    double *const work = rc_doubles(LDP_QUICK_ROWS);
    ldp_quick quick = {.room = ldp_quick_rows(n, cells->y_tilde, n_groups, work)};
    quick.row = (ldp_quick_row *)(void *)R_alloc((size_t)quick.room, sizeof(ldp_quick_row));
    return quick;
}

/* Two visitors in one walk over the cells. */
typedef struct pair {
    ldp_visitor first, second;
} pair;

static void show_cells(void *state, int row, size_t first, int n, const double *mean) {
    const pair *const both = state;
    both->first.cells(both->first.state, row, first, n, mean);
    both->second.cells(both->second.state, row, first, n, mean);
}

static void show_rest(void *state, int row, double sum) {
    const pair *const both = state;
    both->first.rest(both->first.state, row, sum);
    both->second.rest(both->second.state, row, sum);
}

/* After a sweep, passes the means to the family if it has parameters to update, and returns the log
 * density if it is wanted, NA otherwise. */
static double look(rc_kernel kernel, const void *model, const ldp_cells *cells,
                   const ldp_noise *noise, ldp_quick *quick, int is_wanted, double *work) {
    ldp_density density = {.noise = noise, .cells = cells, .quick = quick};
    const ldp_visitor reader = ldp_density_reader(&density);
    pair both = {noise->reader, reader};
    if (noise->move && is_wanted)
        kernel.visit(model, cells, (ldp_visitor){show_cells, show_rest, &both}, work);
    else if (noise->move || is_wanted)
        kernel.visit(model, cells, is_wanted ? reader : noise->reader, work);
    return is_wanted ? density.sum : NA_REAL;
}

SEXP rc_run(rc_kernel kernel, void *model, size_t work, const ldp_cells *cells, SEXP factors,
            SEXP priors, SEXP noise_state, SEXP n_sweeps, SEXP keep, SEXP watch) {
    static const char *const names[] = {"factors",     "noise",           "draws",
                                        "log_density", "log_density_now", ""};
    const int n = Rf_asInteger(n_sweeps);
    const R_xlen_t n_keep = Rf_xlength(keep);
    const int *const kept = rc_integers(keep, (size_t)n_keep, 1, n, "keep");
    SEXP answer = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SEXP draws = PROTECT(allocate_draws(factors, n_keep));
    noise_state = PROTECT(Rf_duplicate(noise_state));
    rc_family family;
    const ldp_noise *const noise = rc_decode_family(
        &family, cells, factors, rc_element_or_null(priors, "dispersion"), noise_state);
    SEXP log_density = PROTECT(Rf_allocVector(REALSXP, n_keep));
    double now = NA_REAL;
    double *const buffer = rc_doubles(work);
    const SEXP excess = rc_element_or_null(factors, "excess");
    ldp_quick quick = new_quick(cells, Rf_xlength(excess) > 1);

    GetRNGstate();
    R_xlen_t place = 0;
    for (int i = 1; i <= n; i++) {
        R_CheckUserInterrupt(); /* results of the unfinished block are then discarded */
        kernel.sweep(model, cells, noise, buffer);
        const int is_kept = place < n_keep && kept[place] == i;
        const int is_watched = is_kept || (i == n && Rf_asLogical(watch));
        now = look(kernel, model, cells, noise, &quick, is_watched, buffer);
        if (is_kept) {
            REAL(log_density)[place] = now;
            keep_draw(draws, factors, place++);
        }
        if (noise->move) /* after the draw, whose density has been computed, is kept */
            noise->move(noise->state, cells, kernel.scalable(model, cells));
    }
    PutRNGstate();

    SET_VECTOR_ELT(answer, 0, factors);
    SET_VECTOR_ELT(answer, 1, noise_state);
    SET_VECTOR_ELT(answer, 2, draws);
    SET_VECTOR_ELT(answer, 3, log_density);
    SET_VECTOR_ELT(answer, 4, Rf_ScalarReal(now));
    UNPROTECT(4);
    return answer;
}

/* Copies `slices` into `array` after its first `before` slices, in place, because kept draws may
 * take gigabytes. Slices are along the last dimension. */
SEXP rc_store(SEXP array, SEXP slices, SEXP before) {
    const SEXP dim = Rf_getAttrib(array, R_DimSymbol);
    rc_require(TYPEOF(array) == REALSXP && TYPEOF(dim) == INTSXP && Rf_xlength(dim) == 3, "draws");
    const R_xlen_t slice = (R_xlen_t)INTEGER_RO(dim)[0] * INTEGER_RO(dim)[1];
    const double places = rc_number(before, RC_NOT_NEGATIVE, "draws") * (double)slice;
    const R_xlen_t n = Rf_xlength(slices);
    rc_require(TYPEOF(slices) == REALSXP && places + (double)n <= (double)Rf_xlength(array),
               "draws");
    if (n > 0)
        memcpy(REAL(array) + (R_xlen_t)places, REAL_RO(slices), (size_t)n * sizeof(double));
    return R_NilValue;
}
