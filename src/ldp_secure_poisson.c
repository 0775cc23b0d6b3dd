/* A mean is a whole number m and a rest, and the rest is twice a mean of at most 1/2: a Poisson
 * number is the sum of three. As in ldp_secure.c, there is no floating point.
 *
 * A whole mean m. Let f(n) be the probability of n divided by that of m. It is a product of steps
 * that are rational numbers and fall with the distance from m:
 *
 *     f(m + i)/f(m + i - 1) = m/(m + i),   f(m - i)/f(m - i + 1) = (m - i + 1)/m.
 *
 * With s = floor(sqrt(m)) and r = m/(m + s), the steps beyond s are at most r. So f is below a hat
 * that is 1 up to the distance s, and r^(k - s) at a larger distance k. A number from the hat is
 * kept with probability f/hat, which is the product of the steps, each beyond s divided by r: that
 * all trials with these probabilities succeed. The hat has the sum 2 s + 1 + 2 m/s, and f has
 * about sqrt(2 pi m): 0.6 of the numbers are kept.
 *
 * A mean x <= 1/2. With N the number of successes of Bern(x), Bern(x/2), Bern(x/3), ... before the
 * first failure, P(N = n) = x^n/n! (1 - x/(n + 1)), as in ldp_secure_bernoulli_exp(). Kept with
 * probability (1 - x)/(1 - x/(n + 1)), it is a Poisson number; (1 - x) exp(x) > 0.8 are kept.
 *
 * Sources: Devroye (1987), A simple generator for discrete log-concave distributions, for the hat;
 * von Neumann (1951) for products of trials; Canonne, Kamath, Steinke (2020), The discrete Gaussian
 * for differential privacy, algorithm 1, for N. */
#include "ldp_secure_poisson.h"

static uint64_t floor_of_root(uint64_t m) {
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 16; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= m)
            root += bit;
    return root;
}

/* Is the number at distance k from m kept? m^2 and (m - s)(m + s) are below 2^62. */
static ldp_status is_kept(ldp_bits *bits, uint64_t m, uint64_t s, uint64_t k, int above,
                          unsigned *kept) {
    ldp_status status = LDP_OK;
    *kept = 1;
    for (uint64_t i = 1; i <= k && *kept && status == LDP_OK; i++) {
        const uint64_t beyond = i > s;
        if (above)
            status = ldp_secure_bernoulli(bits, beyond ? m + s : m, m + i, kept);
        else /* at i = m + 1 never kept */
            status = ldp_secure_bernoulli(bits, (m - i + 1) * (beyond ? m + s : 1),
                                          beyond ? m * m : m, kept);
    }
    return status;
}

/* A number from the hat, as its distance from m and its side: its flat part has s (2 s + 1) of the
 * parts of the hat, and each of its tails has m. */
static ldp_status from_hat(ldp_bits *bits, uint64_t m, uint64_t s, uint64_t *k, int *above) {
    const uint64_t flat = s * (2 * s + 1);
    uint64_t part;
    ldp_status status = ldp_secure_uniform(bits, flat + 2 * m, &part);
    if (status != LDP_OK)
        return status;
    if (part < flat) {
        const uint64_t at = part / s; /* of 0 .. 2 s */
        *above = at > s;
        *k = *above ? at - s : s - at;
        return LDP_OK;
    }
    *above = (int)((part - flat) % 2);
    unsigned further;
    for (*k = s + 1;; ++*k)
        if ((status = ldp_secure_bernoulli(bits, m, m + s, &further)) != LDP_OK || !further)
            return status;
}

static ldp_status whole_mean(ldp_bits *bits, uint64_t m, uint64_t *n) {
    const uint64_t s = floor_of_root(m);
    for (;;) {
        uint64_t k = s;
        int above = 0;
        unsigned kept = 0;
        ldp_status status = from_hat(bits, m, s, &k, &above);
        if (status == LDP_OK)
            status = is_kept(bits, m, s, k, above, &kept);
        *n = above ? m + k : m - k;
        if (status != LDP_OK || kept)
            return status;
    }
}

/* The mean p/q, at most 1/2. */
static ldp_status small_mean(ldp_bits *bits, uint64_t p, uint64_t q, uint64_t *n) {
    const uint64_t limit = ((uint64_t)1 << 63) / q;
    for (;;) {
        unsigned success = 1;
        ldp_status status = LDP_OK;
        for (*n = 0; success; *n += success) {
            if (*n + 1 > limit)
                return LDP_OVERFLOW;
            if ((status = ldp_secure_bernoulli(bits, p, q * (*n + 1), &success)) != LDP_OK)
                return status;
        }
        status = ldp_secure_bernoulli(bits, (*n + 1) * (q - p), (*n + 1) * q - p, &success);
        if (status != LDP_OK || success)
            return status;
    }
}

ldp_status ldp_secure_poisson(ldp_bits *bits, uint64_t p, uint64_t q, uint64_t *n) {
    const uint64_t m = p / q, rest = p % q;
    uint64_t part = 0;
    ldp_status status = LDP_OK;
    *n = 0;
    if (m > 0)
        status = whole_mean(bits, m, n);
    for (int half = 0; half < 2 && rest > 0 && status == LDP_OK; half++) {
        status = small_mean(bits, rest, 2 * q, &part);
        *n += part;
    }
    return status;
}

ldp_status ldp_secure_skellam(ldp_bits *bits, uint64_t p, uint64_t q, int64_t *z) {
    uint64_t up = 0, down = 0;
    ldp_status status = ldp_secure_poisson(bits, p, q, &up);
    if (status == LDP_OK)
        status = ldp_secure_poisson(bits, p, q, &down);
    *z = (int64_t)up - (int64_t)down;
    return status;
}
