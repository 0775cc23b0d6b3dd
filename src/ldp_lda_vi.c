/* Sources: Blei, Ng and Jordan (2003), Latent Dirichlet allocation, JMLR 3, equations 6, 7 and 15;
 * Park, Foulds, Chaudhuri and Welling (2016), arXiv 1611.00340, for the norm of a document's
 * contribution. */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_digamma.h"
#include "ldp_lda_vi.h"
#include "ldp_math.h"

/* Up to this number, the tokens of a word are drawn one by one. */
static const double TOKENS_FEW = 64;

/* A document, and its distributions. */
typedef struct document {
    int n; /* number of different words */
    const int *word;
    const double *count;
    double *gamma, *geo, *sum; /* K; geo is exp(psi(gamma)), the largest 1 */
    double *weight; /* c_v / norm_v, of each of its words */
    double highest; /* log of the scale of geo */
} document;

size_t ldp_lda_vi_work(int K, int V) {
    return 3 * (size_t)K + (size_t)V;
}

static document document_of(const ldp_lda_vi *model, const ldp_cells *cells, int d, double *work) {
    const size_t first = cells->active.start[d], K = (size_t)model->K;
    return (document){.n = (int)ldp_lists_length(cells->active, d),
                      .word = cells->active.index + first,
                      .count = cells->y_tilde + first,
                      .gamma = work,
                      .geo = work + K,
                      .sum = work + 2 * K,
                      .weight = work + 3 * K};
}

static double length_of(const document *doc) {
    double length = 0;
    for (int e = 0; e < doc->n; e++)
        length += doc->count[e];
    return length;
}

static inline const double *beta_of(const ldp_lda_vi *model, int word) {
    return model->beta + (size_t)word * (size_t)model->K;
}

static void find_geo(int K, document *doc) {
    doc->highest = -INFINITY;
    for (int k = 0; k < K; k++) {
        doc->geo[k] = ldp_log_gamma(doc->gamma[k]).digamma;
        doc->highest = fmax(doc->highest, doc->geo[k]);
    }
    for (int k = 0; k < K; k++)
        doc->geo[k] = exp(doc->geo[k] - doc->highest);
}

/* If the weights of a word (nearly) underflow in every topic, the word belongs to none: counts
 * (below 2^31) and their sums must stay finite when they are divided by the norm. */
static const double TINY = 1e-250;

static double turn(const ldp_lda_vi *model, document *doc) {
    const int K = model->K;
    find_geo(K, doc);
    ldp_fill(K, doc->sum, 0);
    for (int e = 0; e < doc->n; e++) {
        const double *const beta = beta_of(model, doc->word[e]);
        const double norm = ldp_dot(K, doc->geo, beta);
        doc->weight[e] = norm > TINY ? doc->count[e] / norm : 0;
        ldp_add(K, doc->sum, doc->weight[e], beta);
    }
    double change = 0;
    for (int k = 0; k < K; k++) {
        const double gamma = model->alpha[k] + doc->geo[k] * doc->sum[k];
        change += fabs(gamma - doc->gamma[k]);
        doc->gamma[k] = gamma;
    }
    return change / K;
}

static void find_laws(const ldp_lda_vi *model, document *doc) {
    ldp_fill(model->K, doc->gamma, 1);
    for (int t = 0; t < model->turns; t++)
        if (turn(model, doc) < model->tolerance)
            return;
}

/* || c_v phi_vk || */
static double norm_of(const ldp_lda_vi *model, const document *doc) {
    double squares = 0;
    for (int e = 0; e < doc->n; e++) {
        const double *const beta = beta_of(model, doc->word[e]);
        for (int k = 0; k < model->K; k++) {
            const double each = doc->weight[e] * (doc->geo[k] * beta[k]);
            squares += each * each;
        }
    }
    return sqrt(squares);
}

void ldp_lda_vi_add(const ldp_lda_vi *model, const ldp_cells *cells, int from, int to, double limit,
                    double *sums, double *work) {
    const int K = model->K;
    for (int d = from; d < to; d++) {
        document doc = document_of(model, cells, d, work);
        if (length_of(&doc) == 0)
            continue;
        find_laws(model, &doc);
        const double norm = norm_of(model, &doc);
        const double by = norm > limit ? limit / norm : 1;
        for (int e = 0; e < doc.n; e++)
            ldp_add(K, ldp_line(sums, K, doc.word[e]), by * doc.weight[e], doc.geo);
    }
}

/* Given gamma, the phi_v that maximises the bound is that of the update, and adds c_v log sum_k
 * exp(E[log theta_k]) beta_vk to the bound. The rest of the bound is minus the divergence of
 * q(theta) from Dirichlet(alpha). */
static double bound_of(const ldp_lda_vi *model, document *doc) {
    const int K = model->K;
    double bound = 0, alpha_total = 0, gamma_total = 0;
    find_geo(K, doc);
    for (int k = 0; k < K; k++) {
        alpha_total += model->alpha[k];
        gamma_total += doc->gamma[k];
    }
    const ldp_gamma_logs total = ldp_log_gamma(gamma_total);
    for (int k = 0; k < K; k++) {
        const ldp_gamma_logs of_gamma = ldp_log_gamma(doc->gamma[k]);
        bound += of_gamma.log_gamma - ldp_log_gamma(model->alpha[k]).log_gamma +
                 (model->alpha[k] - doc->gamma[k]) * (of_gamma.digamma - total.digamma);
    }
    bound += ldp_log_gamma(alpha_total).log_gamma - total.log_gamma;
    for (int e = 0; e < doc->n; e++)
        if (doc->count[e] > 0)
            bound += doc->count[e] * (log(ldp_dot(K, doc->geo, beta_of(model, doc->word[e]))) +
                                      doc->highest - total.digamma);
    return bound;
}

double ldp_lda_vi_score(const ldp_lda_vi *model, const ldp_cells *cells, int from, int to,
                        double limit, double *work) {
    double sum = 0;
    for (int d = from; d < to; d++) {
        document doc = document_of(model, cells, d, work);
        const double length = length_of(&doc);
        if (length == 0)
            continue;
        find_laws(model, &doc);
        sum += fmin(0, fmax(-limit, bound_of(model, &doc) / length));
    }
    return sum;
}

/* A hypergeometric draw: the number of white balls among n drawn without replacement. By inversion,
 * from the mode outward, until terms underflow, which takes about 40 standard deviations of at most
 * sqrt(n)/2 each. Terms beyond the ends of the range are 0. */
static double hypergeometric(double u, double white, double black, double n) {
    const double least = fmax(0, n - black), most = fmin(n, white);
    const double top = floor((n + 1) * ((white + 1) / (white + black + 2)));
    const double mode = fmin(fmax(top, least), most);
    double high = mode, low = mode, up = dhyper(mode, white, black, n, 0), down = up;
    u -= up;
    while (u >= 0 && up + down > DBL_MIN) {
        up *= (white - high) * (n - high) / ((high + 1) * (black - n + high + 1));
        if ((u -= up) < 0)
            return high + 1;
        high++;
        down *= low * (black - n + low) / ((white - low + 1) * (n - low + 1));
        if ((u -= down) < 0)
            return low - 1;
        low--;
    }
    return mode;
}

/* Selection sampling, token by token: each is kept with probability (places left)/(tokens left):
 * Knuth, The Art of Computer Programming 2, section 3.4.2, algorithm S. */
static double keep_tokens(ldp_stream *stream, double count, double left, double places) {
    double kept = 0;
    for (double token = count; token > 0; token--, left--)
        kept += ldp_stream_uniform(stream) * left < places - kept;
    return kept;
}

void ldp_lda_vi_shorten(int n, double *counts, double most, ldp_stream *stream) {
    double left = 0, places = most;
    for (int e = 0; e < n; e++)
        left += counts[e];
    if (left <= most)
        return;
    for (int e = 0; e < n; e++) {
        const double count = counts[e];
        counts[e] = count <= TOKENS_FEW
                        ? keep_tokens(stream, count, left, places)
                        : hypergeometric(ldp_stream_uniform(stream), count, left - count, places);
        left -= count;
        places -= counts[e];
    }
}
