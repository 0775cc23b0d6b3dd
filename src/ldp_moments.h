/* Moments of the words of documents, unbiased for those of latent Dirichlet allocation.
 *
 * A document of l >= 3 words with counts c has
 *
 *     m = c/l,   P = (c c' - diag(c)) / (l (l-1)),
 *     Q = (c^3 - sum_uv c_u c_v (uuv + uvu + vuu) + 2 sum_v c_v vvv) / (l (l-1)(l-2)),
 *
 * the means of one word, of ordered pairs and of ordered triples of different words of it (c^3 is
 * the tensor c_u c_v c_w, uuv the tensor that is 1 there); shorter documents have zeros. Over the N
 * documents M1, E2, E3 are the means of m, P and Q. With S3[A, b] = A_ab b_c + A_ac b_b + A_bc b_a,
 *
 *     M2 = E2 + means sum_n m m' - outer M1 M1'
 *     M3 = E3 + own_pairs sum_n S3[P, m] + pairs S3[E2, M1]
 *             + own_means sum_n m^3 + means S3[sum_n m m', M1] + cube M1^3
 *
 * with coefficients (`means`, `outer` and so on) that turn these sums into products over different
 * documents. M3 is only needed in the form T = M3(W, W, W), with a V x k matrix W, so that no array
 * of V^3 numbers is computed.
 *
 * Sources: Anandkumar, Ge, Hsu, Kakade, Telgarsky (2014), Tensor decompositions for learning latent
 * variable models, JMLR 15; Zou, Hsu, Parkes, Adams (2013), Contrastive learning using
 * spectral methods, NIPS, for E2 and E3 from counts. The rest is derived in the code. */
#ifndef LDP_MOMENTS_H
#define LDP_MOMENTS_H

#include <stddef.h>

/* Document n holds count[e] times word[e], e = start[n] .. start[n+1] - 1, words ascending, counts
 * positive. */
typedef struct ldp_documents {
    int N, V;
    const int *start, *word;
    const double *count;
} ldp_documents;

typedef struct ldp_second {
    double means, outer;
} ldp_second;

typedef struct ldp_third {
    double own_pairs, pairs, own_means, means, cube;
} ldp_third;

/* The coefficients of the U-statistics, for N >= 3 documents whose topics have a Dirichlet
 * distribution with parameters that sum to alpha0. (All zeros make E2 and E3 themselves.) */
ldp_second ldp_second_unbiased(int N, double alpha0);
ldp_third ldp_third_unbiased(int N, double alpha0);

/* Sums that all moments need, V numbers each: M1, pairs_v = sum_n c_v / (l (l-1)), and triples_v,
 * which is the same with the denominator l (l-1)(l-2). */
typedef struct ldp_first {
    double *M1, *pairs, *triples;
} ldp_first;
void ldp_moments_first(const ldp_documents *documents, ldp_first first);

/* out = M2 x */
void ldp_moments_times(const ldp_documents *documents, ldp_first first, ldp_second second,
                       const double *x, double *out);

/* M2 itself, packed by its norm (ldp_symmetric.h): starting from zeros, the first function adds the
 * contributions of documents from .. to-1, the second subtracts the final terms. */
void ldp_moments_pairs(const ldp_documents *documents, ldp_second second, int from, int to,
                       double *M2);
void ldp_moments_pairs_close(const ldp_documents *documents, ldp_first first, ldp_second second,
                             double *M2);

/* T, packed, from zeros: opened, documents added in ranges, closed. The k numbers of a word are
 * contiguous in W. */
typedef struct ldp_whitened {
    int k;
    const double *W;
    ldp_third third;
    double *T;
    double *slices; /* V x k: sum_n c_v (weight of a pair of equal words) y, with y = W'c */
    double *E2, *means, *M1, *y; /* k x k packed, the same of sum_n m m'; k; k */
} ldp_whitened;

/* `work`: ldp_whitened_work doubles, all zero. */
size_t ldp_whitened_work(int V, int k);
ldp_whitened ldp_whitened_open(int V, int k, const double *W, ldp_third third, double *T,
                               double *work);
void ldp_whitened_add(const ldp_documents *documents, int from, int to, ldp_whitened *whitened);
void ldp_whitened_close(const ldp_documents *documents, ldp_first first, ldp_whitened *whitened);

#endif
