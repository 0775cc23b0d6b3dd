/* Releases of any mechanism (ldp_mechanism.h), sorted by what they say about small counts.
 *
 * With L(y) = P(release | y), the tilt of a release is the least t with L(y) <= L(0) exp(t y) for
 * all y. If log L is concave, it is log(L(1)/L(0)); a table contains it.
 *
 *     folded    L(y) = L(0) exp(t y): the release multiplies the mean of a Poisson count by exp(t)
 *     passive   t <= 0: y = 0 is the most probable cause (symmetric noise at or below zero; zeros
 *               of random rounding; suppressed counts that may be 0)
 *     active    t > 0; t is infinite if y = 0 is impossible
 *
 * A count that is proposed with the mean exp(t) mu is accepted with the probability
 * exp(-t y) L(y)/L(0), for whichever t is at least the tilt of the release (ldp_protected.c).
 *
 * Each cell has a byte (ldp_codes.h), the number of its class. Classes are in the order of their
 * tilts. A class has one release and one set of parameters; if there are too many of these, as if
 * releases are real numbers, a class has releases of nearly the same tilt, which are looked up.
 * Tables are looked up too: what is computed here from a class needs a concave log L. */
#ifndef LDP_CLASSES_H
#define LDP_CLASSES_H

#include <stddef.h>
#include <stdint.h>

#include "ldp_mechanism.h"
#include "ldp_stream.h"

/* Numbers of classes with tilts up to LDP_TILT_MOST, and of others. */
enum { LDP_TILTED = 200, LDP_STEEP = 53, LDP_CLASS_TERMS = 64 };

/* Tokens are proposed for tilts up to this; cells of larger ones are drawn alone. */
#define LDP_TILT_MOST 4.0

typedef struct ldp_class {
    int is_one; /* one release, with one set of parameters, and no table? Otherwise only: */
    double tilt, weight; /* the largest tilt, or a bound; may be -Inf if is_one; and exp() of it */
    ldp_evidence evidence;
    double log_low; /* log L(low) */
    int n; /* of these: L(y + 1)/L(y), y = low, ..., low + n - 1 */
    double step[LDP_CLASS_TERMS];
    double log_ratio[LDP_CLASS_TERMS]; /* log L(y)/L(0), y = 0, 1, ..., if the tilt is not Inf */
} ldp_class;

typedef struct ldp_classes {
    int n_tilted, n;
    double n_above[LDP_TILTED + 1]; /* cells with codes i or more, i <= n_tilted */
    ldp_class of[LDP_TILTED + LDP_STEEP];
} ldp_classes;

/* Makes the classes of n releases, and `code`, the class of each; `listed` stands for releases that
 * are in none, whose tilts are above LDP_TILT_MOST. `level`: of the mechanism, or NULL. */
void ldp_classes_make(const ldp_mechanism *levels, const int *level, size_t n,
                      const double *release, uint8_t listed, ldp_classes *classes, uint8_t *code);

/* log L(y)/L(0), for finite tilts. */
double ldp_evidence_from_zero(const ldp_evidence *evidence, double y);
double ldp_class_from_zero(const ldp_class *of, double y);

/* The count is Poisson (excess = 0) or negative binomial. Both functions need a class with one
 * release, mu > 0, and a sum over counts with few terms; otherwise draw returns -1, and log_mass
 * NaN: the caller uses ldp_behind.h. */
double ldp_class_draw(const ldp_class *of, double mu, double excess, ldp_stream *stream);
double ldp_class_log_mass(const ldp_class *of, double mu, double excess);

#endif
