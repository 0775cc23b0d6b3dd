"""Reference values of privnbinom and of truecount with dispersion > 1, to 20 digits.

Sums of positive terms in 80-digit decimals, all of them, from y = 0 until nothing is left; a tail of
the true count that has too many terms is 1 less the other, which leaves 60 digits. Then the
densities of sizes s up to 100 are found again from hypergeometric functions (mpmath, 50 digits),
which sum other series:

    sum_{y<=k} (s)_y/y! x^y  = x^-s 2F1(s, s+k+1; s+1; 1 - 1/x) Gamma(s+k+1)/(Gamma(s+1) k!),
    sum_{y>k} w(y)/w(k+1)    = 2F1(s+k+1, 1; k+2; x),

x = p/alpha for the first, p alpha for the second. Numbers are the doubles nearest to the decimal texts.

Usage, five minutes: python3 data-raw/nbinom_reference.py
"""
import bisect
import decimal
import sys
from decimal import Decimal as D

import mpmath

decimal.getcontext().prec = 80
decimal.getcontext().Emin = -decimal.MAX_EMAX // 10
decimal.getcontext().Emax = decimal.MAX_EMAX // 10
mpmath.mp.dps = 50

DIGITS = 20
NEGLIGIBLE = D(10) ** -60
MOST_TERMS = 400_000
FOLDER = "tests/testthat/reference/"


def log1m(x):
    """log(1 - x)"""
    if x > D(10) ** -30:
        return (1 - x).ln()
    return -(x + x * x / 2 + x * x * x / 3)


class Law:
    """Sums for k = 0..most of the terms n(y) = NB(y)/NB(0), plain and times powers of alpha."""

    def __init__(self, mu, dispersion, alpha, most):
        self.mu, self.alpha = D(float(mu)), D(float(alpha))
        self.excess = D(float(dispersion)) - 1
        self.most = most
        w = self.excess
        self.log_zero = -self.mu * (1 + w).ln() / w
        self.terms = [D(1)]
        start, p = self.mu / (1 + w), w / (1 + w)
        for y in range(MOST_TERMS):
            ratio = (start + y * p) / (y + 1)
            self.terms.append(self.terms[-1] * ratio)
            if y <= most or ratio >= 1:
                continue
            # what is left is at most a geometric series
            left = self.terms[-1] / (1 - max(ratio, p))
            if left < NEGLIGIBLE * self.terms[most]:
                break
        self.is_complete = left < NEGLIGIBLE * self.terms[most]
        self.fill()

    def fill(self):
        al, n, most = self.alpha, self.terms, self.most
        self.below, self.low = [], []
        cdf, low = D(0), (D(0), D(0), D(0))
        for y in range(most + 1):
            cdf += n[y]
            powers = (1, y, y * y)
            low = tuple(al * old + n[y] * power for old, power in zip(low, powers))
            self.below.append(cdf)
            self.low.append(low)
        self.above, self.high = [None] * (most + 1), [None] * (most + 1)
        cdf, high = D(0), (D(0), D(0), D(0))
        for y in range(len(n) - 1, 0, -1):
            cdf += n[y]
            powers = (1, y, y * y)
            high = tuple(al * (old + n[y] * power) for old, power in zip(high, powers))
            if y <= most + 1:
                self.above[y - 1] = cdf
                self.high[y - 1] = high
        if not self.is_complete:
            # alpha must have ended the other sum
            assert high and al ** len(n) * n[-1] < NEGLIGIBLE * self.high[most][0] * al**most
            whole = (-self.log_zero).exp()
            self.above = [whole - x for x in self.below]
            assert self.above[-1] > whole * D(10) ** -20

    def log_scale(self):
        return ((1 - self.alpha) / (1 + self.alpha)).ln()

    def log_pmf(self, k):
        if k <= 0:
            exposure = self.mu * (1 + (1 - self.alpha) * self.excess).ln() / self.excess
            return self.log_scale() - k * self.alpha.ln() - exposure
        return self.log_scale() + self.log_zero + (self.low[k][0] + self.high[k][0]).ln()

    def log_tails(self, k):
        al = self.alpha
        if k < 0:
            lower = (self.log_pmf(k) - (1 - al).ln()).exp()
            return lower.ln(), log1m(lower)
        zero, low, high = self.log_zero.exp(), self.low[k][0], self.high[k][0]
        lower = zero * (self.below[k] - al * low / (1 + al) + high / (1 + al))
        upper = zero * (self.above[k] - high / (1 + al) + al * low / (1 + al))
        assert abs(lower + upper - 1) < D(10) ** -50
        if lower < upper:
            return lower.ln(), log1m(lower)
        return log1m(upper), upper.ln()

    def moments(self, k):
        """Mean and variance of the truth"""
        k = max(k, 0)
        sums = [a + b for a, b in zip(self.low[k], self.high[k])]
        mean = sums[1] / sums[0]
        return mean, sums[2] / sums[0] - mean * mean

    def truth(self, y, k):
        """log density and tails of the truth"""
        k = max(k, 0)
        al = self.alpha
        total = self.low[k][0] + self.high[k][0]
        if y <= k:
            lower = al ** (k - y) * self.low[y][0]
            upper = total - lower
            if upper < total * D(10) ** -20:
                upper = sum(self.terms[i] * al ** (k - i) for i in range(y + 1, k + 1))
                upper += self.high[k][0]
        else:
            upper = al ** (y - k) * self.high[y][0]
            lower = total - upper
            if lower < total * D(10) ** -20:
                lower = self.low[k][0]
                lower += sum(self.terms[i] * al ** (i - k) for i in range(k + 1, y + 1))
        lower, upper = lower / total, upper / total
        log_pmf = (self.terms[y] * al ** abs(k - y) / total).ln()
        if lower < upper:
            return log_pmf, lower.ln(), log1m(lower)
        return log_pmf, log1m(upper), upper.ln()


def mp(x):
    return mpmath.mpf(str(x))


def check_by_hypergeometric(law, k):
    """The density by other series; the largest difference is printed at the end."""
    w, al, mu = mp(law.excess), mp(law.alpha), mp(law.mu)
    s, p = mu / w, w / (1 + w)
    with mpmath.workdps(80):
        log_choose = mpmath.loggamma(s + k + 1) - mpmath.loggamma(s + 1) - mpmath.loggamma(k + 1)
        log_next = (log_choose + mpmath.log(s * p / (k + 1)) + k * mpmath.log(p))
    x = p / al
    low = mpmath.exp(log_choose + k * mpmath.log(al) - s * mpmath.log(x))
    low *= mpmath.hyp2f1(s, s + k + 1, s + 1, 1 - 1 / x)
    high = al * mpmath.exp(log_next) * mpmath.hyp2f1(s + k + 1, 1, k + 2, al * p)
    value = mpmath.log(low + high) - s * mpmath.log1p(w) + mpmath.log((1 - al) / (1 + al))
    return abs(value - mp(law.log_pmf(k))) / max(1, abs(value))


def text(x):
    return f"{x:.{DIGITS - 1}e}" if x else "0"


# mu, dispersion, alpha, releases. Dispersion from next to 1 to 1e4; 1 - 1/dispersion far from
# alpha, next to it on either side, and (2 and 0.5, 4 and 0.75) equal to it.
CASES = [
    ("1e-6", "1.0000000001", "0.01", (-50, 0, 1, 40)),
    ("1e-6", "2", "0.5", (-3, 1, 20, 5000)),
    ("1e-6", "100", "0.99", (1, 400, 5000)),
    ("1e-6", "10000", "0.9", (2, 300, 5000)),
    ("0.001", "1.3", "0.37", (-4, 0, 1, 6, 60)),
    ("0.001", "10", "0.5", (1, 12, 1000)),
    ("0.001", "10000", "0.1", (1, 7, 900)),
    ("0.02", "1.00001", "0.9", (-20, 3, 60)),
    ("0.02", "2", "0.5", (0, 1, 9, 77, 800)),
    ("0.02", "1.9999999", "0.5", (9, 800, 5000)),
    ("0.02", "2.0000001", "0.5", (9, 800, 5000)),
    ("0.02", "1000", "0.999", (-50, 5, 1500)),
    ("0.5", "1.0000000001", "0.5", (-7, 4, 40)),
    ("0.5", "1.2", "0.01", (0, 2, 9, 90)),
    ("0.5", "4", "0.75", (-1, 1, 33, 2500)),
    ("0.5", "4.000000000001", "0.75", (33, 2500)),
    ("0.5", "3.999999999999", "0.75", (33, 2500)),
    ("0.5", "100", "0.98999", (10, 700, 5000)),
    ("0.5", "100", "0.99001", (10, 700, 5000)),
    ("3", "1.001", "0.9", (-40, 2, 30, 500)),
    ("3", "2", "0.37", (1, 3, 14, 150)),
    ("3", "2", "0.5", (5, 60, 5000)),
    ("3", "20", "0.9", (-9, 1, 45, 300)),
    ("3", "20", "0.95", (45, 1200)),
    ("3", "10000", "0.999", (-50, 3, 4000)),
    ("30", "1.0000000001", "0.01", (4, 30, 150)),
    ("30", "1.05", "0.5", (-40, 4, 42, 90)),
    ("30", "4", "0.75", (2, 33, 700, 5000)),
    ("30", "10", "0.9", (2, 33, 700, 5000)),
    ("30", "31", "0.99", (-50, 33, 700, 5000)),
    ("30", "1000", "0.5", (1, 33, 5000)),
    ("400", "1.0001", "0.9", (10, 380, 600)),
    ("400", "3", "0.1", (1, 300, 420, 1500)),
    ("400", "3", "0.6666", (50, 400, 5000)),
    ("400", "100", "0.99", (-50, 40, 500, 5000)),
    ("2000", "1.0000001", "0.99", (-40, 40, 2000, 2300)),
    ("2000", "2", "0.37", (40, 1900, 2100, 5000)),
    ("2000", "50", "0.98", (1, 2000, 5000)),
    ("2000", "10000", "0.9", (7, 5000)),
    ("5000", "1.5", "0.33333", (1000, 4900, 5000)),
    ("100000", "1.0000000001", "0.999", (-50, 5000)),
    ("100000", "1.3", "0.5", (3, 5000)),
    ("100000", "200", "0.9", (5000,)),
    ("100000", "10000", "0.99", (-50, 5000)),
]

QUANTILE_CASES = [
    ("1e-4", "3", "0.37"), ("0.02", "1.0001", "0.9"), ("0.02", "2", "0.5"), ("0.5", "4", "0.75"),
    ("3", "20", "0.9"), ("30", "1.05", "0.01"), ("30", "10", "0.9"), ("400", "3", "0.6666"),
    ("2000", "2", "0.37"),
]
PROBABILITIES = ("1e-60", "1e-9", "0.001", "0.2", "0.5", "0.97", "0.999999")


def truth_points(law, k):
    mean, var = law.moments(k)
    sd = var.sqrt()
    points = {0, int(mean), int(mean + 4 * sd) + 1, max(k, 0), max(k, 0) + 25, int(max(k, 0) * 0.6)}
    return sorted(y for y in points if y <= law.most)


def write(name, columns, rows):
    with open(FOLDER + name, "w") as file:
        file.write(",".join(columns) + "\n")
        for row in rows:
            file.write(",".join(row) + "\n")


def main():
    release, truth, worst = [], [], mpmath.mpf(0)
    for case, (mu, dispersion, alpha, ks) in enumerate(CASES):
        law = Law(mu, dispersion, alpha, max(max(ks) + 30, int(3 * float(mu)) + 30))
        for i, k in enumerate(ks):
            values = (law.log_pmf(k), *law.log_tails(k), *law.moments(k))
            release.append([mu, dispersion, alpha, str(k), *map(text, values)])
            if k > 0 and law.mu <= 100 * law.excess:
                worst = max(worst, check_by_hypergeometric(law, k))
            for y in truth_points(law, k)[(case + i) % 2 :: 2]:
                values = map(text, law.truth(y, k))
                truth.append([mu, dispersion, alpha, str(k), str(y), *values])
        print(case, mu, dispersion, alpha, mpmath.nstr(worst, 3), file=sys.stderr)
    assert worst < mpmath.mpf(10) ** -35, worst
    parameters = ["mu", "dispersion", "alpha"]
    write("privnbinom_pmf_cdf_posterior.csv",
          parameters + ["k", "log_pmf", "log_cdf_lower", "log_cdf_upper", "post_mean", "post_var"],
          release)
    write("truenbinom_pmf.csv",
          parameters + ["k", "y", "log_post_pmf", "log_post_cdf_lower", "log_post_cdf_upper"], truth)
    write_quantiles(parameters)


def write_quantiles(parameters):
    rows = []
    for mu, dispersion, alpha in QUANTILE_CASES:
        spread = (float(mu) * float(dispersion)) ** 0.5 + 1 / (1 - float(alpha))
        law = Law(mu, dispersion, alpha, int(float(mu) + 20 * spread + 200 * float(dispersion)))
        for p in PROBABILITIES:
            log_p = D(float(p)).ln()
            for tail, sign in (("lower", 1), ("upper", -1)):
                def log_prob(k):
                    return law.log_tails(k)[0 if sign > 0 else 1]

                ks = range(-4000, law.most)
                i = bisect.bisect_left(ks, 0, key=lambda k: sign * (log_prob(k) - log_p))
                if 0 < i < len(ks):
                    q = ks[i]
                    rows.append([mu, dispersion, alpha, p, tail, str(q), text(log_prob(q)),
                                 text(log_prob(q - 1))])
    write("privnbinom_quantile.csv",
          parameters + ["p", "tail", "q", "log_prob_q", "log_prob_q_minus_1"], rows)


main()
