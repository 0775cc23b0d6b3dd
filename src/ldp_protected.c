/* Counts under any mechanism: every observed cell has a true count, which is drawn given its
 * release (ldp_behind.h). */
#include <float.h>
#include <math.h>

#include "ldp_noise.h"

ldp_behind ldp_protection_behind(const ldp_protection *protection, size_t place, double y_tilde,
                                 double mu, double excess) {
    const int level = protection->level ? protection->level[place] : 0;
    const ldp_evidence evidence = ldp_evidence_of(&protection->levels[level], LDP_IS, y_tilde);
    return ldp_behind_open(evidence, fmin(fmax(mu, DBL_MIN), DBL_MAX), excess);
}

static int draw_protected(void *state, ldp_stream *stream, int row, size_t first, int n,
                          const double *y_tilde, double alpha, double *x, int *positive) {
    int n_positive = 0;
    (void)row;
    (void)alpha;
    for (int e = 0; e < n; e++) {
        ldp_behind behind = ldp_protection_behind(state, first + (size_t)e, y_tilde[e], x[e], 0);
        x[e] = ldp_behind_draw(&behind, stream);
        positive[n_positive] = e;
        n_positive += x[e] > 0;
    }
    return n_positive;
}

static double log_density_protected(const void *state, ldp_quick *quick, int row, size_t first,
                                    int n, const double *y_tilde, double alpha,
                                    const double *mean) {
    double sum = 0;
    (void)quick;
    (void)row;
    (void)alpha;
    for (int e = 0; e < n; e++) {
        const ldp_behind behind =
            ldp_protection_behind(state, first + (size_t)e, y_tilde[e], mean[e], 0);
        sum += ldp_behind_log_mass(&behind);
    }
    return sum;
}

ldp_noise ldp_noise_protected(int D, const ldp_protection *protection, double *rest,
                              double *excess) {
    ldp_noise noise = {.density_rest = rest,
                       .draw = draw_protected,
                       .log_density = log_density_protected,
                       .state = (void *)protection};
    ldp_noise_expose_all(&noise, D, rest, excess);
    return noise;
}
