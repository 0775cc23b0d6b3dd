#include "check.h"
#include "ldp_moments.h"
#include "ldp_packed.h"
#include "ldp_tensor_power.h"
#include "random.h"

/* ---- documents ------------------------------------------------------------------------------ */

typedef struct corpus {
    ldp_documents documents;
    int *start, *word;
    double *count;
    ldp_first first;
} corpus;

/* From N x V counts, a document a row. */
static corpus corpus_new(int N, int V, const int *counts) {
    const size_t n = (size_t)N * (size_t)V;
    corpus c = {.start = check_alloc((size_t)N + 1, sizeof(int)),
                .word = check_alloc(n, sizeof(int)),
                .count = new_doubles(n)};
    int stored = 0;
    for (int d = 0; d < N; d++) {
        for (int v = 0; v < V; v++)
            if (counts[d * V + v] > 0) {
                c.word[stored] = v;
                c.count[stored++] = counts[d * V + v];
            }
        c.start[d + 1] = stored;
    }
    c.documents = (ldp_documents){N, V, c.start, c.word, c.count};
    c.first = (ldp_first){new_doubles((size_t)V), new_doubles((size_t)V), new_doubles((size_t)V)};
    ldp_moments_first(&c.documents, c.first);
    return c;
}

static void corpus_free(corpus *c) {
    free(c->start);
    free(c->word);
    free(c->count);
    free(c->first.M1);
    free(c->first.pairs);
    free(c->first.triples);
}

static corpus random_corpus(int N, int V, double mean) {
    int *const counts = check_alloc((size_t)(N * V), sizeof(int));
    for (int i = 0; i < N * V; i++)
        counts[i] = (int)rpois(mean);
    const corpus made = corpus_new(N, V, counts);
    free(counts);
    return made;
}

/* Entry (i, j) of the packed second moment; those above the diagonal are stored times sqrt(2). */
static double *second_moment(const corpus *c, ldp_second second) {
    const int V = c->documents.V, N = c->documents.N;
    double *const M2 = new_doubles(ldp_pairs(V));
    ldp_moments_pairs(&c->documents, second, 0, N / 2, M2);
    ldp_moments_pairs(&c->documents, second, N / 2, N, M2);
    ldp_moments_pairs_close(&c->documents, c->first, second, M2);
    return M2;
}

static double *third_moment(const corpus *c, ldp_third third, int k, const double *W) {
    const int V = c->documents.V, N = c->documents.N;
    double *const T = new_doubles(ldp_triples(k)), *const work =
                                                       new_doubles(ldp_whitened_work(V, k));
    ldp_whitened whitened = ldp_whitened_open(V, k, W, third, T, work);
    ldp_whitened_add(&c->documents, 0, N / 3, &whitened);
    ldp_whitened_add(&c->documents, N / 3, N, &whitened);
    ldp_whitened_close(&c->documents, c->first, &whitened);
    free(work);
    return T;
}

/* ---- moments -------------------------------------------------------------------------------- */

#define TOL_TABLE 5e-12 /* references of eleven decimals */

/* Four documents of three words, alpha0 = 1. */
static void test_worked_example(void) {
    static const int counts[] = {2, 1, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3};
    static const double M1[] = {.2916666667, .3333333333, .3750000000};
    static const double M2[] = {.05034722222, .05121527778, .08159722222,
                                .04427083333, .03385416667, .10937500000};
    static const double identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, W[] = {1, 0, 2, 1, 0, -1};
    corpus c = corpus_new(4, 3, counts);
    for (int v = 0; v < 3; v++)
        CHECK_NEAR(c.first.M1[v], M1[v], 1e-10);
    double *const second = second_moment(&c, ldp_second_unbiased(4, 1));
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(second[i] / (i == 0 || i == 2 || i == 5 ? 1 : LDP_SQRT2), M2[i], TOL_TABLE);
    double *const third = third_moment(&c, ldp_third_unbiased(4, 1), 3, identity);
    CHECK_NEAR(third[0], -.010416666667, TOL_TABLE);
    CHECK_NEAR(third[1], .070553626543, TOL_TABLE); /* 1, 1, 2 */
    CHECK_NEAR(third[5], -.005497685185, TOL_TABLE); /* 1, 2, 3 */
    CHECK_NEAR(third[8], -.013840663580, TOL_TABLE); /* 2, 3, 3 */
    CHECK_NEAR(third[9], .025173611111, TOL_TABLE);
    double *const T = third_moment(&c, ldp_third_unbiased(4, 1), 2, W);
    CHECK_NEAR(T[0], .389178240741, TOL_TABLE);
    CHECK_NEAR(T[1], .001446759259, TOL_TABLE);
    CHECK_NEAR(T[2], -.066840277778, TOL_TABLE);
    CHECK_NEAR(T[3], -.149016203704, TOL_TABLE);
    free(second);
    free(third);
    free(T);
    corpus_free(&c);
}

/* sum(M2) = 1/(alpha0+1), M2 1 = M1/(alpha0+1), sum(M3) = 2/((alpha0+1)(alpha0+2)); those of the
 * raw moments are 1, M1 and 1. M2 x is the same from the documents and from the packed matrix. */
static void test_sums(double alpha0) {
    enum { N = 9, V = 6 };
    corpus c = random_corpus(N, V, 4);
    double ones[V], x[V], from_documents[V], from_matrix[V];
    for (int v = 0; v < V; v++) {
        ones[v] = 1;
        x[v] = norm_rand();
    }
    for (int raw = 0; raw <= 1; raw++) {
        const ldp_second second = raw ? (ldp_second){0, 0} : ldp_second_unbiased(N, alpha0);
        const ldp_third third = raw ? (ldp_third){0, 0, 0, 0, 0} : ldp_third_unbiased(N, alpha0);
        const double share = raw ? 1 : 1 / (alpha0 + 1);
        ldp_moments_times(&c.documents, c.first, second, ones, from_documents);
        for (int v = 0; v < V; v++)
            CHECK_NEAR(from_documents[v], c.first.M1[v] * share, TOL_ROUNDING);
        double *const M2 = second_moment(&c, second);
        ldp_moments_times(&c.documents, c.first, second, x, from_documents);
        ldp_packed_times(V, M2, x, from_matrix);
        for (int v = 0; v < V; v++)
            CHECK_NEAR(from_documents[v], from_matrix[v], TOL_ROUNDING);
        double *const T = third_moment(&c, third, 1, ones);
        CHECK_NEAR(T[0], raw ? 1 : 2 / ((alpha0 + 1) * (alpha0 + 2)), TOL_ROUNDING);
        free(M2);
        free(T);
    }
    corpus_free(&c);
}

/* Two words have no triple: the document counts for N, and for nothing else. */
static void test_short_documents(void) {
    static const int with[] = {1, 1, 0, 2, 1, 4, 0, 3, 2, 5, 1, 1},
                     without[] = {0, 0, 0, 2, 1, 4, 0, 3, 2, 5, 1, 1};
    static const double W[] = {1, -1, 2, 0.5, 0.25, 3};
    corpus a = corpus_new(4, 3, with), b = corpus_new(4, 3, without);
    double *const T_a = third_moment(&a, ldp_third_unbiased(4, 2), 2, W);
    double *const T_b = third_moment(&b, ldp_third_unbiased(4, 2), 2, W);
    double *const M_a = second_moment(&a, ldp_second_unbiased(4, 2));
    double *const M_b = second_moment(&b, ldp_second_unbiased(4, 2));
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(T_a[i], T_b[i], TOL_EXACT);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(M_a[i], M_b[i], TOL_EXACT);
    CHECK_NEAR(a.first.M1[0] + a.first.M1[1] + a.first.M1[2], 0.75, TOL_ROUNDING);
    free(T_a);
    free(T_b);
    free(M_a);
    free(M_b);
    corpus_free(&a);
    corpus_free(&b);
}

/* ---- tensor power iteration ----------------------------------------------------------------- */

static double off_orthonormal(int k, const double *Z) {
    double worst = 0;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int a = 0; a < k; a++)
                sum += Z[i * k + a] * Z[j * k + a];
            worst = fmax(worst, fabs(sum - (i == j)));
        }
    return worst;
}

/* sum_i lambda_i z_i^3 from a turn of its own z: they come back, in their order, with positive
 * values for a negative lambda too. */
static void test_recovery(int k) {
    const size_t n = (size_t)k;
    double *const Z = new_doubles(n * n), *const start = new_doubles(n * n);
    double *const T = new_doubles(ldp_triples(k)), *const all = new_doubles(n * n * n);
    double *const work = new_doubles(ldp_tensor_power_work(k)), *const lambda = new_doubles(n);
    for (size_t i = 0; i < n * n; i++)
        Z[i] = norm_rand();
    /* orthonormal, by a step of a tensor that leaves no direction out */
    for (int i = 0; i < k; i++)
        for (int a = 0; a < k; a++)
            all[a + k * (i + k * i)] = Z[i * k + a];
    for (size_t i = 0; i < n * n; i++)
        Z[i] = i % (n + 1) == 0;
    ldp_tensor_power_step(k, all, Z, work);
    CHECK(off_orthonormal(k, Z) < TOL_ROUNDING, "k = %d: off by %g", k, off_orthonormal(k, Z));
    for (int i = 0; i < k; i++)
        ldp_packed_cube(k, i == 1 ? -2 : 3.0 / (i + 1), Z + i * k, T);
    ldp_packed_expand(k, T, all);
    for (int i = 0; i < k; i++)
        for (int a = 0; a < k; a++)
            start[i * k + a] = Z[i * k + a] + 0.2 / k * (i == a);
    double change = 1;
    int steps = 0;
    for (; steps < 200 && change >= 1e-14; steps++)
        change = ldp_tensor_power_step(k, all, start, work);
    CHECK(steps < 200, "k = %d: still a change of %g", k, change);
    CHECK(off_orthonormal(k, start) < TOL_ROUNDING, "off by %g", off_orthonormal(k, start));
    ldp_tensor_power_values(k, all, start, lambda, work);
    for (int i = 0; i < k; i++) {
        CHECK_NEAR(lambda[i], i == 1 ? 2 : 3.0 / (i + 1), TOL_SERIES);
        for (int a = 0; a < k; a++)
            CHECK_NEAR(start[i * k + a], (i == 1 ? -1 : 1) * Z[i * k + a], TOL_SERIES);
    }
    free(Z);
    free(start);
    free(T);
    free(all);
    free(work);
    free(lambda);
}

/* A tensor of rank 1, and one of zeros: Z stays orthonormal. */
static void test_degenerate(void) {
    enum { k = 4 };
    double T[20] = {0}, all[k * k * k], work[2 * k * k + k], Z[k * k] = {0}, lambda[k];
    static const double x[k] = {1, -2, 0.5, 3};
    CHECK(ldp_triples(k) == 20 && ldp_tensor_power_work(k) == 2 * k * k + k, "sizes");
    for (int rank = 0; rank <= 1; rank++) {
        if (rank)
            ldp_packed_cube(k, 1, x, T);
        ldp_packed_expand(k, T, all);
        for (int i = 0; i < k * k; i++)
            Z[i] = i % (k + 1) == 0;
        for (int step = 0; step < 5; step++)
            ldp_tensor_power_step(k, all, Z, work);
        CHECK(off_orthonormal(k, Z) < TOL_ROUNDING, "rank %d: off by %g", rank,
              off_orthonormal(k, Z));
        ldp_tensor_power_values(k, all, Z, lambda, work);
        CHECK_NEAR(lambda[0], rank * pow(14.25, 1.5), TOL_SERIES);
        for (int i = 1; i < k; i++)
            CHECK_NEAR(lambda[i], 0, TOL_SERIES);
    }
}

int main(void) {
    check_begin();
    set_seed(1, 2);
    test_worked_example();
    test_sums(0.1);
    test_sums(1);
    test_sums(30);
    test_short_documents();
    test_recovery(1);
    test_recovery(2);
    test_recovery(7);
    test_degenerate();
    return check_report("moments");
}
