/* The probability of a release is a sum over counts y,
 *
 *     f(from) sum_y w(y) D(y),    D(y) = P(y)/P(from),
 *
 * of which the weights w(y) of the mechanism do not depend on mu and theta. The derivatives of log
 * P(from) are those of a count without noise. Those of D(y) are the coefficients of its Taylor
 * series in u and v, where the mean is mu (1 + u) and the excess exp(theta + v). From one count to
 * the next D is multiplied by the ratio of their probabilities,
 *
 *     P(y+1)/P(y) = (mu (1 + u) q(v) + y p(v))/(y + 1),    q = 1/(1 + excess), p = 1 - q,
 *
 * (Poisson counts: q = 1), and series are multiplied and divided term by term. Because all series
 * begin with the most probable count, they are those of moments about it, and little is lost when
 * their logarithm is taken (Griewank and Walther 2008, Evaluating Derivatives, chapter 13). */
#include "ldp_behind_derivatives.h"

enum { BY_MU = 5, BY_THETA = 3 };

/* The coefficients of u^i v^j. */
typedef double series[BY_MU][BY_THETA];

typedef struct sums {
    double mu, q[BY_THETA], p[BY_THETA];
    int n_mu, n_theta; /* the coefficients that are needed */
    double from, at;
    series ratio; /* D(at), relative to its first coefficient, which the terms have */
    series sum;
} sums;

/* The ratio of P(y + 1) to P(y), relative to its first coefficient: the coefficients of v^j, and of
 * u v^j. */
static void step_series(const sums *s, double y, double *still, double *moving) {
    const double first = s->mu * s->q[0] + y * s->p[0];
    for (int j = 0; j < s->n_theta; j++) {
        moving[j] = s->mu * s->q[j] / first;
        still[j] = moving[j] + y * s->p[j] / first;
    }
}

/* Multiplies `ratio` by the step at y, or divides it. */
static void move(sums *s, double y, int way) {
    double still[BY_THETA], moving[BY_THETA];
    series next;
    step_series(s, y, still, moving);
    for (int i = 0; i < s->n_mu; i++)
        for (int j = 0; j < s->n_theta; j++) {
            double(*const known)[BY_THETA] = way > 0 ? s->ratio : next;
            double more = 0;
            for (int b = 1; b <= j; b++)
                more += known[i][j - b] * still[b];
            for (int b = 0; i > 0 && b <= j; b++)
                more += known[i - 1][j - b] * moving[b];
            next[i][j] = s->ratio[i][j] + way * more;
        }
    for (int i = 0; i < s->n_mu; i++)
        for (int j = 0; j < s->n_theta; j++)
            s->ratio[i][j] = next[i][j];
}

static void begin_at(sums *s, double y) {
    s->from = s->at = y;
    for (int i = 0; i < s->n_mu; i++)
        for (int j = 0; j < s->n_theta; j++)
            s->ratio[i][j] = i + j == 0;
}

static void add_term(void *state, double y, double term) {
    sums *const s = state;
    if (s->from < 0 || (y < s->from && s->at > s->from))
        begin_at(s, s->from < 0 ? y : s->from);
    for (; s->at < y; s->at++)
        move(s, s->at, 1);
    for (; s->at > y; s->at--)
        move(s, s->at - 1, -1);
    for (int i = 0; i < s->n_mu; i++)
        for (int j = 0; j < s->n_theta; j++)
            s->sum[i][j] += term * s->ratio[i][j];
}

/* The coefficients of the logarithm of `sum`, but for the first one: from d sum = sum d log(sum).
 */
static void take_log(const sums *s, series log_sum) {
    for (int i = 0; i < s->n_mu; i++)
        for (int j = 0; j < s->n_theta; j++) {
            const int order = i > 0 ? i : j;
            double rest = 0;
            for (int a = 0; a <= i; a++)
                for (int b = 0; b <= j; b++)
                    if (a + b > 0 && a + b < i + j)
                        rest += (i > 0 ? i - a : j - b) * log_sum[i - a][j - b] * s->sum[a][b];
            log_sum[i][j] = order == 0 ? 0 : (s->sum[i][j] - rest / order) / s->sum[0][0];
        }
}

void ldp_behind_derivatives(const ldp_behind *behind, int level, double *d) {
    static const int orders[LDP_N_LEVEL_2][2] = {
        [LDP_BY_MU] = {1, 0},         [LDP_BY_MU2] = {2, 0},       [LDP_BY_THETA] = {0, 1},
        [LDP_BY_MU_THETA] = {1, 1},   [LDP_BY_MU3] = {3, 0},       [LDP_BY_MU2_THETA] = {2, 1},
        [LDP_BY_MU4] = {4, 0},        [LDP_BY_THETA2] = {0, 2},    [LDP_BY_MU_THETA2] = {1, 2},
        [LDP_BY_MU2_THETA2] = {2, 2}, [LDP_BY_MU3_THETA] = {3, 1},
    };
    static const double factorial[BY_MU] = {1, 1, 2, 6, 24};
    static const int n_derivatives[] = {LDP_N_LEVEL_0, LDP_N_LEVEL_1, LDP_N_LEVEL_2};
    const double e = behind->excess, q = 1 / (1 + e), p = e * q;
    sums s = {.mu = behind->mu,
              .q = {q, -q * p, q * p * (p - q) / 2},
              .p = {p, q * p, q * p * (q - p) / 2},
              .n_mu = 3 + level,
              .n_theta = 1 + level,
              .from = -1};
    series log_sum;
    ldp_behind_visit(behind, add_term, &s);
    take_log(&s, log_sum);
    ldp_derivatives(s.from, behind->mu, e, 0, level, d);
    for (int a = 0; a < n_derivatives[level]; a++) {
        const int i = orders[a][0], j = orders[a][1];
        d[a] += factorial[i] * factorial[j] * log_sum[i][j];
    }
}
