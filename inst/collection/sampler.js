// Exact draws of the two-sided geometric distribution
//
//     P(tau) = (1 - alpha)/(1 + alpha) alpha^|tau|,   alpha = exp(-s/t),
//
// from random bits. Same algorithms, names and order of bits as src/ldp_secure.c, so that the same bits give
// the same noise. All numbers between the bits and the noise are BigInt, that is, whole numbers of any size:
// no floating-point arithmetic, and no overflow.
//
// Sources: Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, algorithms 1
// and 2; Lumbroso (2013), Optimal discrete uniform generation from coin flips; Ghosh, Roughgarden,
// Sundararajan (2012) for the mechanism.
"use strict";

const ldpSampler = (() => {
  // A source of random bits. refill(bytes) fills an array of bytes, or throws an error. The lowest bit of a
  // byte comes first.
  const openBits = (refill, nBytes) => {
    const bytes = new Uint8Array(nBytes);
    let used = 8 * nBytes;
    return {
      bit() {
        if (used === 8 * nBytes) {
          refill(bytes);
          used = 0;
        }
        const bit = (bytes[used >> 3] >> (used & 7)) & 1;
        used++;
        return bit;
      },
      // Overwrites the buffer, because bits that were used for noise must not stay in memory.
      close() {
        bytes.fill(0);
        used = 8 * nBytes;
      }
    };
  };

  // The browser's source of random bits for cryptography, or null if there is none. There is no other source:
  // Math.random() is predictable.
  const secureSource = () => {
    const source = globalThis.crypto;
    if (!source || typeof source.getRandomValues !== "function") return null;
    return (bytes) => source.getRandomValues(bytes);
  };

  // U < p/q for U = 0.b1 b2 ... : compare U with the binary digits of p/q, and stop at the first that
  // differs.
  const bernoulli = (bits, p, q) => {
    if (p >= q) return true;
    while (p > 0n) {
      p <<= 1n;
      const digit = p >= q;
      if (digit) p -= q;
      if ((bits.bit() === 1) !== digit) return digit;
    }
    return false; // the remaining digits of p/q are zero, so U >= p/q
  };

  // Lumbroso's dice roller: uniform on 0 .. n-1.
  const uniform = (bits, n) => {
    let range = 1n;
    let candidate = 0n; // uniform on 0 .. range-1
    for (;;) {
      if (range >= n) {
        if (candidate < n) return candidate;
        range -= n;
        candidate -= n;
      }
      const bit = bits.bit();
      range <<= 1n;
      candidate = (candidate << 1n) | BigInt(bit);
    }
  };

  // Algorithm 1: with x = p/q <= 1, let K be the first of 1, 2, ... at which Bern(x/K) fails;
  // P(K > n) = x^n/n!, so P(K is odd) = exp(-x).
  const bernoulliExp = (bits, p, q) => {
    let K = 1n;
    while (bernoulli(bits, p, q * K)) K++;
    return (K & 1n) === 1n;
  };

  // A geometric number with ratio exp(-1/t): U + t V, where U on 0 .. t-1 is accepted with probability
  // exp(-U/t) and V counts successes of Bern(exp(-1)).
  const geometricFine = (bits, t) => {
    let U;
    do {
      U = uniform(bits, t);
    } while (!bernoulliExp(bits, U, t));
    let V = 0n;
    while (bernoulliExp(bits, 1n, 1n)) V++;
    return U + t * V;
  };

  // Algorithm 2: refusing one of the two zeros makes the signed value two-sided geometric. The division of
  // BigInt drops the fraction.
  const twogeom = (bits, s, t) => {
    for (;;) {
      const size = geometricFine(bits, t) / s;
      const negative = bits.bit() === 1;
      if (negative && size === 0n) continue;
      return negative ? -size : size;
    }
  };

  // Noise for n counts. This function knows the number of counts, but no count.
  const noise = (bits, n, s, t) => {
    const tau = [];
    for (let i = 0; i < n; i++) tau.push(twogeom(bits, s, t));
    return tau;
  };

  return Object.freeze({ openBits, secureSource, bernoulli, uniform, bernoulliExp, twogeom, noise });
})();
