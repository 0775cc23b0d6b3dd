#include <limits.h>
#include <math.h>
#include <string.h>

#include "ldp_gaussian.h"
#include "ldp_release.h"
#include "ldp_secure_poisson.h"
#include "ldp_secure_thin.h"
#include "rc.h"

/* Noise levels, one or one per row; and the `steps` to them if counts have noise already. Or, for
 * other mechanisms, one number of each cell: the sd of discrete Gaussian noise, the base of random
 * rounding, the mean p/q of the two Poisson numbers of Skellam noise, or the probability of
 * thinning. */
typedef struct levels {
    size_t n;
    ldp_rate *rates;
    ldp_step *steps;
    const double *sd, *base, *p, *q;
    ldp_dyadic *prob;
} levels;

/* s or t of a rate, which must be valid for ldp_secure_twogeom. Other values become 0, which is not
 * a valid rate. */
static uint64_t decode_term(double x) {
    return x >= 1 && x <= 2147483648.0 ? (uint64_t)x : 0;
}

static ldp_rate *decode_rates(SEXP rates, const char *s, const char *t, size_t n) {
    const double *const from_s = rc_numbers(rc_element(rates, s), n, RC_ANY, s);
    const double *const from_t = rc_numbers(rc_element(rates, t), n, RC_ANY, t);
    ldp_rate *const to = (ldp_rate *)(void *)R_alloc(n, sizeof *to);
    for (size_t r = 0; r < n; r++)
        to[r] = (ldp_rate){decode_term(from_s[r]), decode_term(from_t[r])};
    return to;
}

/* Whole numbers from 1 to `most`; NULL if there are none of this name. */
static const double *decode_whole(SEXP rates, const char *name, double most, size_t n) {
    const SEXP numbers = rc_element_or_null(rates, name);
    if (Rf_isNull(numbers))
        return NULL;
    const double *const whole = rc_numbers(numbers, n, RC_POSITIVE, "rates");
    for (size_t i = 0; i < n; i++)
        rc_require(whole[i] >= 1 && whole[i] <= most && floor(whole[i]) >= whole[i], "rates");
    return whole;
}

/* Doubles between 0 and 1, as the fractions that they are. */
static ldp_dyadic *decode_shares(SEXP rates, size_t n) {
    const SEXP numbers = rc_element_or_null(rates, "prob");
    if (Rf_isNull(numbers))
        return NULL;
    const double *const prob = rc_numbers(numbers, n, RC_POSITIVE, "rates");
    ldp_dyadic *const to = (ldp_dyadic *)(void *)R_alloc(n, sizeof *to);
    for (size_t i = 0; i < n; i++) {
        int exponent;
        rc_require(prob[i] < 1, "rates");
        uint64_t mantissa = (uint64_t)ldexp(frexp(prob[i], &exponent), 53);
        int places = 53 - exponent;
        for (; mantissa % 2 == 0; mantissa /= 2)
            places--;
        to[i] = (ldp_dyadic){mantissa, (unsigned)places};
    }
    return to;
}

/* rates: list(s, t), or list(s, t, s_now, t_now), or list(sd), list(base), list(p, q), or
 * list(prob), numbers of one length. */
static levels decode_levels(SEXP rates) {
    const size_t n = Rf_xlength(rates) > 0 ? (size_t)Rf_xlength(VECTOR_ELT(rates, 0)) : 0;
    levels decoded = {.n = n,
                      .sd = decode_whole(rates, "sd", 1048576, n),
                      .base = decode_whole(rates, "base", 1048576, n),
                      .p = decode_whole(rates, "p", 9007199254740992.0, n),
                      .q = decode_whole(rates, "q", 2147483648.0, n),
                      .prob = decode_shares(rates, n)};
    if (decoded.sd || decoded.base || (decoded.p && decoded.q) || decoded.prob)
        return decoded;
    decoded.n = (size_t)Rf_xlength(rc_element(rates, "s"));
    decoded.rates = decode_rates(rates, "s", "t", decoded.n);
    if (!Rf_isNull(rc_element_or_null(rates, "s_now"))) {
        const ldp_rate *const now = decode_rates(rates, "s_now", "t_now", decoded.n);
        decoded.steps = (ldp_step *)(void *)R_alloc(decoded.n, sizeof(ldp_step));
        for (size_t r = 0; r < decoded.n; r++)
            rc_check_status(ldp_secure_step(now[r], decoded.rates[r], &decoded.steps[r]));
    }
    for (size_t r = 0; r < decoded.n; r++)
        rc_check_status(decoded.rates[r].s > 0 && decoded.rates[r].t > 0 ? LDP_OK : LDP_OVERFLOW);
    return decoded;
}

typedef struct noise_job {
    size_t n;
    levels level;
    rc_bits source;
    int64_t *tau; /* of thinning, the counts on entry, and what is kept of them on return */
    ldp_status status;
} noise_job;

/* Discrete Gaussian or Skellam noise, or uniform numbers below the base, of one cell; or what
 * thinning keeps of the count in it. */
static ldp_status draw_whole(ldp_bits *bits, const levels *level, size_t r, int64_t *tau) {
    if (level->sd)
        return ldp_gaussian_draw(bits, (uint64_t)level->sd[r], tau);
    if (level->p)
        return ldp_secure_skellam(bits, (uint64_t)level->p[r], (uint64_t)level->q[r], tau);
    uint64_t whole = 0;
    const ldp_status status = level->base
                                  ? ldp_secure_uniform(bits, (uint64_t)level->base[r], &whole)
                                  : ldp_secure_thin(bits, (uint64_t)*tau, level->prob[r], &whole);
    *tau = (int64_t)whole;
    return status;
}

/* Checks for interrupts now and then: large variances and counts take long. */
static void draw_each(noise_job *job) {
    for (size_t i = 0; i < job->n && job->status == LDP_OK; i++) {
        if (i % 1024 == 0)
            R_CheckUserInterrupt();
        job->status = draw_whole(&job->source.bits, &job->level, i % job->level.n, &job->tau[i]);
    }
}

/* Draws noise for a multiple of n_rates cells at a time, and checks for interrupts in between. */
static SEXP draw_parts(void *data) {
    noise_job *const job = data;
    const levels level = job->level;
    if (!level.rates) {
        draw_each(job);
        return R_NilValue;
    }
    const size_t n_rates = level.n > 0 ? level.n : 1; /* no rows, no rates */
    const size_t part = n_rates * (1 + (size_t)1000000 / n_rates);
    for (size_t at = 0; at < job->n && job->status == LDP_OK; at += part) {
        R_CheckUserInterrupt();
        const size_t n = job->n - at < part ? job->n - at : part;
        job->status = ldp_secure_noise(&job->source.bits, n, level.n, level.rates, level.steps,
                                       job->tau + at);
    }
    return R_NilValue;
}

/* Called also after an interrupt, because bits that were used for noise must not stay in memory. */
static void close_bits(void *data) {
    rc_bits_close(&((noise_job *)data)->source);
}

static void run_job(noise_job *job, SEXP rng) {
    rc_bits_open(&job->source, rng);
    R_ExecWithCleanup(draw_parts, job, close_bits, job);
    rc_check_status(job->status);
}

/* Noise for n cells, drawn by code that has no access to counts. */
static int64_t *draw_noise(size_t n, levels level, SEXP rng) {
    noise_job job = {.n = n, .level = level, .status = LDP_OK};
    job.tau = (int64_t *)(void *)R_alloc(n, sizeof(int64_t));
    run_job(&job, rng);
    return job.tau;
}

static void add_counts(const ldp_source *source, int64_t *released) {
    for (int v = 0; v < source->V; v++)
        ldp_release_add(source, v, released + (size_t)v * (size_t)source->D);
}

/* The counts of n cells, of which each unit is kept with a probability. */
static int64_t *thin_counts(const ldp_source *source, size_t n, levels level, SEXP rng) {
    noise_job job = {.n = n, .level = level, .status = LDP_OK};
    job.tau = (int64_t *)(void *)R_alloc(n, sizeof(int64_t));
    if (n > 0)
        memset(job.tau, 0, n * sizeof(int64_t));
    add_counts(source, job.tau);
    run_job(&job, rng);
    return job.tau;
}

static int fits_int(const int64_t *released, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (released[i] > INT_MAX || released[i] <= INT_MIN)
            return 0;
    return 1;
}

/* counts: checked whole numbers, integer, double or dgCMatrix, none missing; rates: list(s, t) and
 * perhaps s_now, t_now, one or one per row; or another list of decode_levels(). rng: "secure" or
 * "R". Returns counts + noise of all cells, or what thinning keeps, as integers where all of them
 * fit. */
SEXP rc_privatize(SEXP counts, SEXP rates, SEXP rng) {
    const ldp_source source = rc_decode_source(counts);
    const size_t n = (size_t)source.D * (size_t)source.V;
    const levels level = decode_levels(rates);
    int64_t *const released =
        level.prob ? thin_counts(&source, n, level, rng) : draw_noise(n, level, rng);
    if (!level.prob)
        add_counts(&source, released);
    SEXP answer;
    if (fits_int(released, n)) {
        answer = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)n));
        for (size_t i = 0; i < n; i++)
            INTEGER(answer)[i] = (int)released[i];
    } else {
        answer = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
        for (size_t i = 0; i < n; i++)
            REAL(answer)[i] = (double)released[i];
    }
    UNPROTECT(1);
    return answer;
}

/* The columns columns[0] to columns[1], counted from 0, of a release clamped at zero: list(row,
 * value, positive, cells_below, size_below), the positive cells column after column with rows
 * counted from 0, their number in each column, and for each row the summaries of its other cells.
 * For a network that is not `directed`, only the cells above the diagonal. */
SEXP rc_privatize_clamped(SEXP counts, SEXP rates, SEXP rng, SEXP columns, SEXP directed) {
    static const char *const names[] = {"row",         "value",      "positive",
                                        "cells_below", "size_below", ""};
    const ldp_source source = rc_decode_source(counts);
    const int *const asked = rc_integers(columns, 2, 0, source.V - 1, "columns");
    const int first = asked[0], n_columns = asked[1] - first + 1;
    rc_require(n_columns > 0, "columns");
    const size_t D = (size_t)source.D, n = D * (size_t)n_columns;
    const levels level = decode_levels(rates);
    rc_require(!level.prob, "rates"); /* thinning needs the counts */
    int64_t *const released = draw_noise(n, level, rng);
    int *const row = (int *)(void *)R_alloc(n, sizeof(int));
    double *const value = (double *)(void *)R_alloc(n, sizeof(double));

    SEXP answer = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SEXP positive = Rf_allocVector(INTSXP, n_columns);
    SET_VECTOR_ELT(answer, 2, positive);
    for (int below = 3; below <= 4; below++) {
        SET_VECTOR_ELT(answer, below, Rf_allocVector(REALSXP, source.D));
        memset(REAL(VECTOR_ELT(answer, below)), 0, D * sizeof(double));
    }
    const int all_rows = Rf_asLogical(directed);
    size_t n_positive = 0;
    for (int v = 0; v < n_columns; v++) {
        int64_t *const column = released + (size_t)v * D;
        ldp_release_add(&source, first + v, column);
        const int found = ldp_release_clamp(
            all_rows ? source.D : first + v, column, row + n_positive, value + n_positive,
            REAL(VECTOR_ELT(answer, 3)), REAL(VECTOR_ELT(answer, 4)));
        INTEGER(positive)[v] = found;
        n_positive += (size_t)found;
    }
    SET_VECTOR_ELT(answer, 0, Rf_allocVector(INTSXP, (R_xlen_t)n_positive));
    SET_VECTOR_ELT(answer, 1, Rf_allocVector(REALSXP, (R_xlen_t)n_positive));
    if (n_positive > 0) {
        memcpy(INTEGER(VECTOR_ELT(answer, 0)), row, n_positive * sizeof(int));
        memcpy(REAL(VECTOR_ELT(answer, 1)), value, n_positive * sizeof(double));
    }
    UNPROTECT(1);
    return answer;
}
