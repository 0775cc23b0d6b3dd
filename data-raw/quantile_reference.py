"""Reference values for quantiles: exact ones of twogeom, and tails of skellam and privpois at small rates.

1. Quantiles of twogeom with alpha next to 1 and p next to 0 and 1. For the smaller of the two
   probabilities at t, u, the equation alpha^n = u (1 + alpha) is solved for n with 120 digits, and
   the definition is checked at the answer and at the value before it. alpha and p are doubles, written
   as hexadecimal numbers, which every reader takes exactly. `log` says whether p is a log.
   Left out are cases that no function of doubles can decide: where the log of the smaller probability
   at the answer, or at the value before it, is nearer to that of p than the rounding of three
   operations, 1.5 * 2^-52 relative to max(1, |log|). The number of them is printed.

2. log P(X <= k) and log P(X > k), to 20 digits, of skellam and privpois with rates so small that
   either tail is close to 1. Both tails are summed from their definitions, with 120 digits.
   Rates stand for the doubles nearest to their texts.

Usage, some seconds: python3 data-raw/quantile_reference.py
"""
import mpmath as mp

mp.mp.dps = 120
FOLDER = "tests/testthat/reference/"
DIGITS = 20
ROUNDING = mp.mpf(1.5) / 2**52
TERMS = 60  # of a Poisson distribution with a mean of at most 1


# 1. twogeom


def small_side(t, alpha):
    """log of the smaller tail at t: P(T <= t) for t < 0, else P(T > t)"""
    return (-t if t < 0 else t + 1) * mp.log(alpha) - mp.log1p(alpha)


def quantile(below, above, alpha):
    """The smallest t with P(T <= t) >= below = 1 - above; both are given, to keep their digits."""
    if below <= alpha / (1 + alpha):  # P(T <= -1)
        return -mp.floor(mp.log(below * (1 + alpha)) / mp.log(alpha))
    return mp.ceil(mp.log(above * (1 + alpha)) / mp.log(alpha)) - 1


def is_enough(t, below, above, alpha):
    if t < 0:
        return small_side(t, alpha) >= mp.log(below)
    return small_side(t, alpha) <= mp.log(above)


def is_decided(t, below, above, alpha):
    """Can rounding not change the answer?"""
    for x in (t - 1, t):
        target = mp.log(below if x < 0 else above)
        if abs(small_side(x, alpha) - target) < ROUNDING * max(1, abs(target)):
            return False
    return True


def quantile_rows():
    excesses = [1e-3, 1e-6, 1e-9, 1e-10, 1e-11, 1e-12]
    chances = [1e-300, 1e-10, 0.5, 0.99999, 0.9999999999, 1 - 2.0**-53]
    left_out = 0
    for alpha in [1 - excess for excess in excesses]:
        for chance in chances:
            for as_log in (False, True):
                p = float(mp.log(chance)) if as_log else chance
                tail = mp.exp(p) if as_log else mp.mpf(p)
                other = -mp.expm1(p) if as_log else 1 - tail
                for lower in (True, False):
                    case = (tail, other) if lower else (other, tail)
                    case += (mp.mpf(alpha),)
                    q = quantile(*case)
                    assert is_enough(q, *case) and not is_enough(q - 1, *case)
                    if is_decided(q, *case):
                        yield [alpha.hex(), p.hex(), "lower" if lower else "upper", as_log, int(q)]
                    else:
                        left_out += 1
    print(left_out, "quantiles left out")


# 2. skellam and privpois


def poisson(mu):
    return [mp.exp(-mu) * mu**y / mp.factorial(y) for y in range(TERMS)]


def skellam_tails(k, l1, l2):
    up, down = poisson(l1), poisson(l2)
    lower = upper = mp.mpf(0)
    for i in range(TERMS):
        for j in range(TERMS):
            if i - j <= k:
                lower += up[i] * down[j]
            else:
                upper += up[i] * down[j]
    return lower, upper


def twogeom_tails(t, alpha):
    small = mp.exp(small_side(t, alpha))
    return (small, 1 - small) if t < 0 else (1 - small, small)


def privpois_tails(k, mu, alpha):
    tails = [twogeom_tails(k - y, alpha) for y in range(TERMS)]
    weights = poisson(mu)
    return [mp.fsum(w * t[i] for w, t in zip(weights, tails)) for i in (0, 1)]


def tail_rows():
    cases = {
        "skellam": (skellam_tails, ["1e-14,1e-15", "1e-10,1e-20", "1e-10,2e-11", "1e-5,1e-7", "0.3,0.01"]),
        "privpois": (privpois_tails, ["1e-14,1e-15", "1e-10,1e-10", "1e-10,1e-20", "1e-5,0.001", "0.3,0.01"]),
    }
    for law, (tails, thetas) in cases.items():
        for theta in thetas:
            parameters = [mp.mpf(float(x)) for x in theta.split(",")]
            for k in (-2, -1, 0, 1, 2):
                logs = [mp.nstr(mp.log(x), DIGITS) for x in tails(k, *parameters)]
                yield [law, *theta.split(","), k, *logs]


def write(name, header, rows):
    with open(FOLDER + name, "w", encoding="ascii") as file:
        file.write(header + "\n")
        for row in rows:
            file.write(",".join(map(str, row)).replace("True", "TRUE").replace("False", "FALSE") + "\n")


write("twogeom_quantile_exact.csv", "alpha,p,tail,log,q", quantile_rows())
write("small_rates_cdf.csv", "law,theta1,theta2,k,log_cdf_lower,log_cdf_upper", tail_rows())
