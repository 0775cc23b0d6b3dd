/* Groups of rows: decodes `groups` of a list of priors, which R/model-prior.R makes. */
#include "rc.h"

/* Levels are numbered over all factors; those of factor f are first[f] .. first[f + 1] - 1. */
static const int *rc_groups_decode_first(SEXP groups, int n_factors) {
    const int *const first =
        rc_integers(rc_element(groups, "first"), (size_t)n_factors + 1, 0, INT_MAX, "groups");
    rc_require(first[0] == 0, "groups");
    for (int f = 0; f < n_factors; f++)
        rc_require(first[f] < first[f + 1], "groups");
    return first;
}

static const double *count_rows(const ldp_groups *groups, int n) {
    double *const rows = rc_doubles((size_t)groups->n_combinations);
    for (int d = 0; d < n; d++)
        rows[groups->combination[d]]++;
    return rows;
}

ldp_groups *rc_decode_groups(SEXP priors, int K, int n) {
    const SEXP given = rc_element_or_null(priors, "groups");
    if (Rf_isNull(given))
        return NULL;
    const SEXP level = rc_element(given, "level");
    const R_xlen_t n_factors = Rf_xlength(rc_element(given, "first")) - 1;
    rc_require(n_factors > 0 && Rf_xlength(level) / n_factors <= n, "groups");
    const R_xlen_t C = Rf_xlength(level) / n_factors;
    ldp_groups *const groups = rc_room(1, sizeof *groups);
    *groups = (ldp_groups){.K = K, .n_factors = (int)n_factors, .n_combinations = (int)C};
    groups->combination = rc_integers(rc_element(given, "combination"), (size_t)n, 0,
                                      groups->n_combinations - 1, "groups");
    groups->first = rc_groups_decode_first(given, groups->n_factors);
    groups->level = rc_integers(level, (size_t)(n_factors * C), 0, INT_MAX, "groups");
    for (int c = 0; c < groups->n_combinations; c++)
        for (int f = 0; f < groups->n_factors; f++) {
            const int at = groups->level[c * groups->n_factors + f];
            rc_require(at >= groups->first[f] && at < groups->first[f + 1], "groups");
        }
    groups->shape = rc_number(rc_element(given, "shape"), RC_POSITIVE, "groups");
    groups->n_rows = count_rows(groups, n);
    groups->relative = rc_doubles((size_t)K * (size_t)C);
    groups->sums = rc_doubles((size_t)K * (size_t)C);
    groups->work = rc_doubles(ldp_groups_work(K, groups->first[groups->n_factors]));
    return groups;
}

const ldp_groups *rc_groups(SEXP factors, SEXP priors, int K, int n) {
    ldp_groups *const groups = rc_decode_groups(priors, K, n);
    if (groups) {
        groups->rho = rc_matrix(rc_element(factors, "groups"), K, groups->first[groups->n_factors],
                                RC_WEIGHTS, "groups");
        ldp_groups_relate(groups);
    }
    return groups;
}
