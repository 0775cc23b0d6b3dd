#include <R_ext/Utils.h>

#include "ldp_moments.h"
#include "ldp_packed.h"
#include "ldp_tensor_power.h"
#include "rc.h"

/* A dgCMatrix of words x documents, without stored zeros. */
static ldp_documents decode_documents(SEXP matrix) {
    const ldp_source source = rc_decode_sparse(matrix);
    return (ldp_documents){source.V, source.D, source.col_start, source.row, source.doubles};
}

/* list(M1, pairs, triples): see ldp_first. */
SEXP rc_moments_first(SEXP documents) {
    static const char *const names[] = {"M1", "pairs", "triples", ""};
    const ldp_documents decoded = decode_documents(documents);
    SEXP answer = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    for (int i = 0; i < 3; i++)
        SET_VECTOR_ELT(answer, i, Rf_allocVector(REALSXP, decoded.V));
    ldp_moments_first(&decoded,
                      (ldp_first){REAL(VECTOR_ELT(answer, 0)), REAL(VECTOR_ELT(answer, 1)),
                                  REAL(VECTOR_ELT(answer, 2))});
    UNPROTECT(1);
    return answer;
}

/* For reading only. */
static ldp_first rc_moments_decode_first(SEXP first, const ldp_documents *documents) {
    const size_t V = (size_t)documents->V;
    return (ldp_first){rc_numbers(rc_element(first, "M1"), V, RC_FINITE, "M1"),
                       rc_numbers(rc_element(first, "pairs"), V, RC_FINITE, "pairs"),
                       rc_numbers(rc_element(first, "triples"), V, RC_FINITE, "triples")};
}

/* alpha0: NULL for the raw moments. */
static ldp_second decode_second(const ldp_documents *documents, SEXP alpha0) {
    return Rf_isNull(alpha0) ? (ldp_second){0, 0}
                             : ldp_second_unbiased(documents->N, Rf_asReal(alpha0));
}

static ldp_third decode_third(const ldp_documents *documents, SEXP alpha0) {
    return Rf_isNull(alpha0) ? (ldp_third){0, 0, 0, 0, 0}
                             : ldp_third_unbiased(documents->N, Rf_asReal(alpha0));
}

SEXP rc_moments_times(SEXP documents, SEXP first, SEXP alpha0, SEXP x) {
    const ldp_documents decoded = decode_documents(documents);
    SEXP out = PROTECT(Rf_allocVector(REALSXP, decoded.V));
    R_CheckUserInterrupt();
    ldp_moments_times(&decoded, rc_moments_decode_first(first, &decoded),
                      decode_second(&decoded, alpha0),
                      rc_numbers(x, (size_t)decoded.V, RC_ANY, "x"), REAL(out));
    UNPROTECT(1);
    return out;
}

static SEXP zeros(size_t n) {
    SEXP x = Rf_allocVector(REALSXP, (R_xlen_t)n);
    for (size_t i = 0; i < n; i++)
        REAL(x)[i] = 0;
    return x;
}

/* This number of documents is processed between two checks for interrupts. */
enum { RANGE = 256 };

static int rc_moments_next_range(const ldp_documents *documents, int from) {
    R_CheckUserInterrupt();
    return documents->N - from > RANGE ? from + RANGE : documents->N;
}

/* The second moment, packed by its norm. */
SEXP rc_moments_pairs(SEXP documents, SEXP first, SEXP alpha0) {
    const ldp_documents decoded = decode_documents(documents);
    const ldp_second second = decode_second(&decoded, alpha0);
    SEXP M2 = PROTECT(zeros(ldp_pairs(decoded.V)));
    for (int from = 0, to; from < decoded.N; from = to) {
        to = rc_moments_next_range(&decoded, from);
        ldp_moments_pairs(&decoded, second, from, to, REAL(M2));
    }
    ldp_moments_pairs_close(&decoded, rc_moments_decode_first(first, &decoded), second, REAL(M2));
    UNPROTECT(1);
    return M2;
}

/* The third moment multiplied by W (k x V), packed. */
SEXP rc_moments_whitened(SEXP documents, SEXP first, SEXP alpha0, SEXP W) {
    const ldp_documents decoded = decode_documents(documents);
    const int k = rc_shape_of(W, "W").rows;
    const double *const seen = rc_matrix(W, k, decoded.V, RC_FINITE, "W");
    SEXP T = PROTECT(zeros(ldp_triples(k)));
    ldp_whitened whitened = ldp_whitened_open(decoded.V, k, seen, decode_third(&decoded, alpha0),
                                              REAL(T), rc_doubles(ldp_whitened_work(decoded.V, k)));
    for (int from = 0, to; from < decoded.N; from = to) {
        to = rc_moments_next_range(&decoded, from);
        ldp_whitened_add(&decoded, from, to, &whitened);
    }
    ldp_whitened_close(&decoded, rc_moments_decode_first(first, &decoded), &whitened);
    UNPROTECT(1);
    return T;
}

/* A x, for A packed by its norm. */
SEXP rc_packed_times(SEXP packed, SEXP x) {
    const int n = (int)Rf_xlength(x);
    SEXP out = PROTECT(Rf_allocVector(REALSXP, n));
    R_CheckUserInterrupt();
    ldp_packed_times(n, rc_numbers(packed, ldp_pairs(n), RC_ANY, "packed"),
                     rc_numbers(x, (size_t)n, RC_ANY, "x"), REAL(out));
    UNPROTECT(1);
    return out;
}

/* From the orthonormal columns of Z: list(vectors, values, steps, change), the change in the last
 * step. */
SEXP rc_tensor_power(SEXP T, SEXP Z, SEXP maxit, SEXP tol) {
    static const char *const names[] = {"vectors", "values", "steps", "change", ""};
    const int k = rc_shape_of(Z, "Z").rows, most = Rf_asInteger(maxit);
    const size_t n = (size_t)k;
    rc_matrix(Z, k, k, RC_FINITE, "Z");
    rc_numbers(T, ldp_triples(k), RC_FINITE, "T");
    SEXP answer = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SET_VECTOR_ELT(answer, 0, Rf_duplicate(Z));
    SET_VECTOR_ELT(answer, 1, Rf_allocVector(REALSXP, k));
    double *const vectors = REAL(VECTOR_ELT(answer, 0));
    double *const all = rc_doubles(n * n * n), *const work = rc_doubles(ldp_tensor_power_work(k));
    ldp_packed_expand(k, REAL_RO(T), all);
    double change = R_PosInf;
    int step = 0;
    for (; step < most && change >= Rf_asReal(tol); step++) {
        R_CheckUserInterrupt();
        change = ldp_tensor_power_step(k, all, vectors, work);
    }
    ldp_tensor_power_values(k, all, vectors, REAL(VECTOR_ELT(answer, 1)), work);
    SET_VECTOR_ELT(answer, 2, Rf_ScalarInteger(step));
    SET_VECTOR_ELT(answer, 3, Rf_ScalarReal(change));
    UNPROTECT(1);
    return answer;
}
