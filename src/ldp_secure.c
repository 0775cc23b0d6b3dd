/* Exact sampler of the two-sided geometric distribution
 *
 *     P(tau) = (1 - alpha)/(1 + alpha) alpha^|tau|,   alpha = exp(-s/t),
 *
 * in 64-bit integers: between the random bits and the noise there is no floating point
 * (tests compile this file with -mgeneral-regs-only, where a double is an error).
 *
 * Sources: Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential
 * privacy, algorithms 1 and 2; Lumbroso (2013), Optimal discrete uniform generation from
 * coin flips; Ghosh, Roughgarden, Sundararajan (2012) for the mechanism. */
#include "ldp_secure.h"

void ldp_bits_open(ldp_bits *bits, ldp_status (*refill)(void *, unsigned char *, size_t),
                   void *source, size_t n_bytes) {
    bits->refill = refill;
    bits->source = source;
    bits->n_bytes = n_bytes;
    bits->used = 8 * n_bytes;
}

void ldp_bits_close(ldp_bits *bits) {
    /* volatile, because the compiler could otherwise drop stores to memory that is not read again
     * */
    volatile unsigned char *byte = bits->bytes;
    for (size_t i = 0; i < sizeof bits->bytes; i++)
        byte[i] = 0;
    bits->used = 8 * bits->n_bytes;
}

ldp_status ldp_secure_bit(ldp_bits *bits, unsigned *bit) {
    if (bits->used == 8 * bits->n_bytes) {
        const ldp_status status = bits->refill(bits->source, bits->bytes, bits->n_bytes);
        if (status != LDP_OK)
            return status;
        bits->used = 0;
    }
    *bit = ((unsigned)bits->bytes[bits->used / 8] >> (bits->used % 8)) & 1u;
    bits->used++;
    return LDP_OK;
}

static unsigned ones_of_byte(unsigned byte) {
    byte -= byte >> 1 & 0x55u; /* of pairs, then of fours, then of all eight bits */
    byte = (byte & 0x33u) + (byte >> 2 & 0x33u);
    return (byte + (byte >> 4)) & 0x0fu;
}

/* Whole bytes of the buffer at a time. */
ldp_status ldp_secure_ones(ldp_bits *bits, uint64_t n, uint64_t *ones) {
    *ones = 0;
    while (n > 0) {
        if (n >= 8 && bits->used % 8 == 0 && bits->used < 8 * bits->n_bytes) {
            *ones += ones_of_byte(bits->bytes[bits->used / 8]);
            bits->used += 8;
            n -= 8;
            continue;
        }
        unsigned bit;
        const ldp_status status = ldp_secure_bit(bits, &bit);
        if (status != LDP_OK)
            return status;
        *ones += bit;
        n--;
    }
    return LDP_OK;
}

/* U < p/q for U = 0.b1 b2 ... : compare U with the binary digits of p/q, and stop at the
 * first that differs. Requires q <= 2^63, not checked. */
ldp_status ldp_secure_bernoulli(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success) {
    if (p >= q) {
        *success = 1;
        return LDP_OK;
    }
    while (p > 0) {
        p <<= 1;
        const unsigned digit = p >= q;
        if (digit)
            p -= q;
        unsigned bit;
        const ldp_status status = ldp_secure_bit(bits, &bit);
        if (status != LDP_OK)
            return status;
        if (bit != digit) {
            *success = digit;
            return LDP_OK;
        }
    }
    *success = 0; /* the remaining digits of p/q are zero, so U >= p/q */
    return LDP_OK;
}

/* Lumbroso's dice roller. Requires 1 <= n <= 2^62, not checked. */
ldp_status ldp_secure_uniform(ldp_bits *bits, uint64_t n, uint64_t *value) {
    uint64_t range = 1, candidate = 0; /* candidate is uniform on 0 .. range-1 */
    for (;;) {
        if (range >= n) {
            if (candidate < n) {
                *value = candidate;
                return LDP_OK;
            }
            range -= n;
            candidate -= n;
        }
        unsigned bit;
        const ldp_status status = ldp_secure_bit(bits, &bit);
        if (status != LDP_OK)
            return status;
        range <<= 1;
        candidate = (candidate << 1) | bit;
    }
}

/* Canonne, Kamath, Steinke, algorithm 1: with x = p/q <= 1, let K be the first of 1, 2, ...
 * at which Bern(x/K) fails; P(K > n) = x^n/n!, so P(K is odd) = exp(-x). */
ldp_status ldp_secure_bernoulli_exp(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success) {
    const uint64_t limit = ((uint64_t)1 << 63) / q;
    for (uint64_t K = 1;; K++) {
        if (K > limit)
            return LDP_OVERFLOW;
        unsigned go_on;
        const ldp_status status = ldp_secure_bernoulli(bits, p, q * K, &go_on);
        if (status != LDP_OK)
            return status;
        if (!go_on) {
            *success = (unsigned)(K & 1u);
            return LDP_OK;
        }
    }
}

/* A geometric number with ratio exp(-1/t): U + t V, where U on 0 .. t-1 is accepted with
 * probability exp(-U/t) and V counts successes of Bern(exp(-1)). */
static ldp_status geometric_fine(ldp_bits *bits, uint64_t t, uint64_t *value) {
    ldp_status status;
    uint64_t U, V = 0;
    unsigned success;
    do {
        if ((status = ldp_secure_uniform(bits, t, &U)) != LDP_OK)
            return status;
        if ((status = ldp_secure_bernoulli_exp(bits, U, t, &success)) != LDP_OK)
            return status;
    } while (!success);
    for (;; V++) {
        if ((status = ldp_secure_bernoulli_exp(bits, 1, 1, &success)) != LDP_OK)
            return status;
        if (!success)
            break;
    }
    if (V > (INT64_MAX - U) / t)
        return LDP_OVERFLOW;
    *value = U + t * V;
    return LDP_OK;
}

/* Dividing by s turns the ratio exp(-1/t) into exp(-s/t). */
static ldp_status secure_geometric(ldp_bits *bits, uint64_t s, uint64_t t, int64_t *value) {
    uint64_t fine;
    const ldp_status status = geometric_fine(bits, t, &fine);
    if (status == LDP_OK)
        *value = (int64_t)(fine / s);
    return status;
}

/* Canonne, Kamath, Steinke, algorithm 2: refusing one of the two zeros makes the signed value
 * two-sided geometric. */
ldp_status ldp_secure_twogeom(ldp_bits *bits, uint64_t s, uint64_t t, int64_t *tau) {
    for (;;) {
        int64_t size;
        unsigned negative;
        ldp_status status = secure_geometric(bits, s, t, &size);
        if (status != LDP_OK)
            return status;
        if ((status = ldp_secure_bit(bits, &negative)) != LDP_OK)
            return status;
        if (negative && size == 0)
            continue;
        *tau = negative ? -size : size;
        return LDP_OK;
    }
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int is_rate(ldp_rate rate) {
    const uint64_t most = (uint64_t)1 << 31;
    return rate.s >= 1 && rate.s <= most && rate.t >= 1 && rate.t <= most;
}

/* A denominator above 2^40 could make Bern(exp(-p/q)) overflow. */
ldp_status ldp_secure_step(ldp_rate now, ldp_rate then, ldp_step *step) {
    if (!is_rate(now) || !is_rate(then))
        return LDP_OVERFLOW;
    const uint64_t a = then.s * now.t, b = now.s * then.t, q = now.t * then.t;
    const uint64_t common = greatest_common_divisor(greatest_common_divisor(a, b), q);
    *step = (ldp_step){a / common, b / common, q / common, then};
    return q / common > (uint64_t)1 << 40 ? LDP_TOO_FINE : LDP_OK;
}

/* J on 0 .. b-1 with weights exp(-J/q), by rejection: at most e tries on average. */
static ldp_status truncated_geometric(ldp_bits *bits, uint64_t b, uint64_t q, uint64_t *J) {
    for (;;) {
        unsigned success = 1;
        ldp_status status;
        if (b <= q) {
            if ((status = ldp_secure_uniform(bits, b, J)) != LDP_OK)
                return status;
            status = ldp_secure_bernoulli_exp(bits, *J, q, &success);
        } else {
            status = geometric_fine(bits, q, J);
            success = *J < b;
        }
        if (status != LDP_OK || success)
            return status;
    }
}

/* One of the two geometric numbers. J < a has probability (1 - exp(-a/q))/(1 - exp(-b/q)) = (1 -
 * alpha)/(1 - alpha_now). */
static ldp_status further_side(ldp_bits *bits, ldp_step step, int64_t *value) {
    uint64_t J = 0;
    ldp_status status = truncated_geometric(bits, step.b, step.q, &J);
    if (status != LDP_OK)
        return status;
    *value = 0;
    if (J < step.a)
        return LDP_OK;
    if ((status = secure_geometric(bits, step.then.s, step.then.t, value)) == LDP_OK)
        ++*value;
    return status;
}

ldp_status ldp_secure_further(ldp_bits *bits, ldp_step step, int64_t *tau) {
    int64_t up = 0, down = 0;
    ldp_status status = LDP_OK;
    if (step.a < step.b) {
        if ((status = further_side(bits, step, &up)) != LDP_OK)
            return status;
        status = further_side(bits, step, &down);
    }
    *tau = up - down;
    return status;
}

ldp_status ldp_secure_noise(ldp_bits *bits, size_t n, size_t n_rates, const ldp_rate *rates,
                            const ldp_step *steps, int64_t *tau) {
    for (size_t i = 0, r = 0; i < n; i++) {
        const ldp_status status = steps ? ldp_secure_further(bits, steps[r], &tau[i])
                                        : ldp_secure_twogeom(bits, rates[r].s, rates[r].t, &tau[i]);
        if (status != LDP_OK)
            return status;
        if (++r == n_rates)
            r = 0;
    }
    return LDP_OK;
}
