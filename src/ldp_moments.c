/* With y = W'c, and w_v the row of W of word v, the contribution of a document to T is
 *
 *     Q(W, W, W) = w3 (y^3 - sum_v c_v S3[w_v w_v', y] + 2 sum_v c_v w_v^3),
 *     P(W, W)    = w2 (y y' - sum_v c_v w_v w_v'),   m W = y/l,
 *
 * w2 = 1/(l (l-1)), w3 = w2/(l-2). All cubes of y have the same weight, and so do all S3[w_v w_v',
 * y]. The latter are first summed over documents, in `slices`, and then multiplied out by words.
 */
#include "ldp_moments.h"
#include "ldp_math.h"
#include "ldp_packed.h"

ldp_second ldp_second_unbiased(int N, double alpha0) {
    const double n = N, once = alpha0 / (alpha0 + 1);
    return (ldp_second){once / (n * (n - 1)), once * n / (n - 1)};
}

ldp_third ldp_third_unbiased(int N, double alpha0) {
    const double n = N, twice = alpha0 / (alpha0 + 2), thrice = 2 * twice * alpha0 / (alpha0 + 1);
    return (ldp_third){twice / (n * (n - 1)), -twice * n / (n - 1),
                       2 * thrice / (n * (n - 1) * (n - 2)), -thrice / ((n - 1) * (n - 2)),
                       thrice * n * n / ((n - 1) * (n - 2))};
}

/* One document: its words, and l, w2 and w3; w3 is 0 if l < 3. */
typedef struct document {
    int n;
    const int *word;
    const double *count;
    double l, w2, w3;
} document;

static document moments_get(const ldp_documents *documents, int n) {
    const int start = documents->start[n];
    document d = {documents->start[n + 1] - start,
                  documents->word + start,
                  documents->count + start,
                  0,
                  0,
                  0};
    for (int e = 0; e < d.n; e++)
        d.l += d.count[e];
    if (d.l >= 3) {
        d.w2 = 1 / (d.l * (d.l - 1));
        d.w3 = d.w2 / (d.l - 2);
    }
    return d;
}

void ldp_moments_first(const ldp_documents *documents, ldp_first first) {
    ldp_fill(documents->V, first.M1, 0);
    ldp_fill(documents->V, first.pairs, 0);
    ldp_fill(documents->V, first.triples, 0);
    for (int n = 0; n < documents->N; n++) {
        const document d = moments_get(documents, n);
        if (d.w3 <= 0)
            continue;
        for (int e = 0; e < d.n; e++) {
            first.M1[d.word[e]] += d.count[e] / d.l;
            first.pairs[d.word[e]] += d.count[e] * d.w2;
            first.triples[d.word[e]] += d.count[e] * d.w3;
        }
    }
    for (int v = 0; v < documents->V; v++)
        first.M1[v] /= documents->N;
}

/* The weight of c c' of a document in M2. */
static double weight_of_square(const document *d, int N, ldp_second second) {
    return d->w2 / N + second.means / (d->l * d->l);
}

void ldp_moments_times(const ldp_documents *documents, ldp_first first, ldp_second second,
                       const double *x, double *out) {
    const int V = documents->V, N = documents->N;
    const double along = second.outer * ldp_dot(V, first.M1, x);
    for (int v = 0; v < V; v++)
        out[v] = -first.pairs[v] * x[v] / N - along * first.M1[v];
    for (int n = 0; n < N; n++) {
        const document d = moments_get(documents, n);
        if (d.w3 <= 0)
            continue;
        double y = 0;
        for (int e = 0; e < d.n; e++)
            y += d.count[e] * x[d.word[e]];
        y *= weight_of_square(&d, N, second);
        for (int e = 0; e < d.n; e++)
            out[d.word[e]] += d.count[e] * y;
    }
}

void ldp_moments_pairs(const ldp_documents *documents, ldp_second second, int from, int to,
                       double *M2) {
    for (int n = from; n < to; n++) {
        const document d = moments_get(documents, n);
        if (d.w3 <= 0)
            continue;
        const double weight = weight_of_square(&d, documents->N, second);
        for (int f = 0; f < d.n; f++) {
            double *const column = M2 + ldp_pairs(d.word[f]);
            const double of_f = weight * d.count[f];
            for (int e = 0; e < f; e++)
                column[d.word[e]] += LDP_SQRT2 * of_f * d.count[e];
            column[d.word[f]] += of_f * d.count[f];
        }
    }
}

void ldp_moments_pairs_close(const ldp_documents *documents, ldp_first first, ldp_second second,
                             double *M2) {
    for (int j = 0; j < documents->V; j++) {
        const double of_j = second.outer * first.M1[j];
        for (int i = 0; i < j; i++)
            *M2++ -= LDP_SQRT2 * of_j * first.M1[i];
        *M2++ -= of_j * first.M1[j] + first.pairs[j] / documents->N;
    }
}

size_t ldp_whitened_work(int V, int k) {
    return ((size_t)V + 2) * (size_t)k + 2 * ldp_pairs(k);
}

ldp_whitened ldp_whitened_open(int V, int k, const double *W, ldp_third third, double *T,
                               double *work) {
    ldp_whitened whitened = {.k = k, .W = W, .third = third, .T = T, .slices = work};
    whitened.E2 = work + (size_t)V * (size_t)k;
    whitened.means = whitened.E2 + ldp_pairs(k);
    whitened.M1 = whitened.means + ldp_pairs(k);
    whitened.y = whitened.M1 + k;
    return whitened;
}

static const double *row(const double *W, int k, int v) {
    return W + (size_t)v * (size_t)k;
}

void ldp_whitened_add(const ldp_documents *documents, int from, int to, ldp_whitened *whitened) {
    const int k = whitened->k, N = documents->N;
    const ldp_third third = whitened->third;
    double *const y = whitened->y;
    for (int n = from; n < to; n++) {
        const document d = moments_get(documents, n);
        if (d.w3 <= 0)
            continue;
        ldp_fill(k, y, 0);
        for (int e = 0; e < d.n; e++)
            ldp_add(k, y, d.count[e], row(whitened->W, k, d.word[e]));
        /* S3[y y', y] = 3 y^3 */
        const double of_pair = d.w3 / N + third.own_pairs * d.w2 / d.l;
        const double of_cube =
            d.w3 / N + 3 * third.own_pairs * d.w2 / d.l + third.own_means / (d.l * d.l * d.l);
        ldp_packed_cube(k, of_cube, y, whitened->T);
        for (int e = 0; e < d.n; e++)
            ldp_add(k, ldp_line(whitened->slices, k, d.word[e]), of_pair * d.count[e], y);
        ldp_packed_square(k, d.w2 / N, y, whitened->E2);
        ldp_packed_square(k, 1 / (d.l * d.l), y, whitened->means);
        ldp_add(k, whitened->M1, 1 / (d.l * N), y);
    }
}

void ldp_whitened_close(const ldp_documents *documents, ldp_first first, ldp_whitened *whitened) {
    const int k = whitened->k, N = documents->N;
    const ldp_third third = whitened->third;
    double *const T = whitened->T;
    for (int v = 0; v < documents->V; v++) {
        const double *const w = row(whitened->W, k, v);
        const double *const slice = row(whitened->slices, k, v);
        for (int c = 0, t = 0; c < k; c++)
            for (int b = 0; b <= c; b++)
                for (int a = 0; a <= b; a++)
                    T[t++] -=
                        w[a] * w[b] * slice[c] + w[a] * w[c] * slice[b] + w[b] * w[c] * slice[a];
        ldp_packed_cube(k, 2 * first.triples[v] / N, w, T);
        ldp_packed_square(k, -first.pairs[v] / N, w, whitened->E2);
    }
    ldp_packed_product(k, third.pairs, whitened->E2, whitened->M1, T);
    ldp_packed_product(k, third.means, whitened->means, whitened->M1, T);
    ldp_packed_cube(k, third.cube, whitened->M1, T);
}
