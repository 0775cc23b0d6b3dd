/* Density and random draws of the laws, vectorised and recycled as base R's. The R face has
 * checked types; what is not a number, and parameters outside the support, give NaN. */
#include <math.h>

#include <Rmath.h>

#include "ldp_bessel.h"
#include "ldp_privpois.h"
#include "ldp_truecount.h"
#include "rc.h"

static double at(SEXP x, R_xlen_t i) {
    return REAL_RO(x)[i % Rf_xlength(x)];
}

static int is_whole(double x) {
    return fabs(x - nearbyint(x)) <= 1e-9 * fmax(1, fabs(x));
}

static int alpha_ok(double alpha) {
    return alpha >= 0 && alpha < 1;
}

static int mu_ok(double mu) {
    return mu >= 0 && isfinite(mu);
}

static R_xlen_t common_length(const SEXP *x, int n) {
    R_xlen_t longest = 0;
    for (int i = 0; i < n; i++) {
        if (Rf_xlength(x[i]) == 0)
            return 0;
        if (Rf_xlength(x[i]) > longest)
            longest = Rf_xlength(x[i]);
    }
    return longest;
}

/* Base R's rule: the answer takes the attributes of the arguments of its length, and those of
 * an earlier argument win. */
static void copy_attributes(SEXP answer, const SEXP *x, int n) {
    for (int i = n - 1; i >= 0; i--)
        if (Rf_xlength(x[i]) == Rf_xlength(answer))
            SHALLOW_DUPLICATE_ATTRIB(answer, x[i]);
}

static double log_density(double x, double mu, double alpha) {
    if (isnan(x) || isnan(mu) || isnan(alpha))
        return x + mu + alpha;
    if (!mu_ok(mu) || !alpha_ok(alpha))
        return R_NaN;
    if (!isfinite(x) || !is_whole(x))
        return R_NegInf;
    return ldp_privpois_log_pmf(nearbyint(x), mu, alpha);
}

SEXP rc_dprivpois(SEXP x, SEXP mu, SEXP alpha, SEXP give_log) {
    const SEXP arguments[] = {x, mu, alpha};
    const R_xlen_t n = common_length(arguments, 3);
    const int as_log = Rf_asLogical(give_log);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        const double value = log_density(at(x, i), at(mu, i), at(alpha, i));
        REAL(answer)[i] = as_log ? value : exp(value);
    }
    copy_attributes(answer, arguments, 3);
    UNPROTECT(1);
    return answer;
}

static double draw_truecount(double y_tilde, double mu, double alpha) {
    if (!mu_ok(mu) || !alpha_ok(alpha) || !isfinite(y_tilde) || !is_whole(y_tilde))
        return R_NaN;
    const double k = nearbyint(y_tilde);
    if (alpha <= 0 && (k < 0 || (mu <= 0 && k > 0)))
        return R_NaN; /* no truth is behind a release that cannot occur */
    return ldp_rtruecount(k, mu, alpha);
}

SEXP rc_rtruecount(SEXP n, SEXP y_tilde, SEXP mu, SEXP alpha) {
    const R_xlen_t length = (R_xlen_t)Rf_asReal(n);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, length));
    GetRNGstate();
    for (R_xlen_t i = 0; i < length; i++)
        REAL(answer)[i] = draw_truecount(at(y_tilde, i), at(mu, i), at(alpha, i));
    PutRNGstate();
    UNPROTECT(1);
    return answer;
}

SEXP rc_rbessel(SEXP n, SEXP nu, SEXP a) {
    const R_xlen_t length = (R_xlen_t)Rf_asReal(n);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, length));
    GetRNGstate();
    for (R_xlen_t i = 0; i < length; i++) {
        const double order = at(nu, i), argument = at(a, i);
        const int ok = order > -1 && isfinite(order) && argument >= 0 && isfinite(argument);
        REAL(answer)[i] = ok ? ldp_rbessel(order, argument) : R_NaN;
    }
    PutRNGstate();
    UNPROTECT(1);
    return answer;
}
