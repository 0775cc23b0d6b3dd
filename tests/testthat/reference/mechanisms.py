"""Writes mechanisms.csv: releases and true counts under several mechanisms, by enumeration in 60 digits.

Columns: kind (ldp_mechanism_kind of src/ldp_mechanism.h), parameters, below, release ("hidden" if it is withheld or
suppressed), mu, excess (dispersion - 1), event (0: the release; 1: at most; 2: above), log_mass, y, log_pmf,
log_lower, log_upper (of the true count at y), and the first four cumulants of the true count.
"""
import csv
import mpmath as mp

mp.mp.dps = 60
GEOMETRIC, DISCRETE_GAUSSIAN, LAPLACE, GAUSSIAN, SKELLAM = 1, 2, 3, 4, 5
RANDOM_ROUNDING, ROUNDING, SUPPRESSION, CLASSES, THINNING = 6, 7, 8, 9, 10
CONTINUOUS = (LAPLACE, GAUSSIAN)


def noise(kind, by):
    """The probability function of whole noise, or the density, distribution function of real noise."""
    if kind == GEOMETRIC:
        return lambda t: mp.tanh(by / 2) * mp.exp(-by * abs(t))
    if kind == DISCRETE_GAUSSIAN:
        scale = mp.nsum(lambda t: mp.exp(-t * t / (2 * by * by)), [-mp.inf, mp.inf]) if by < 5 \
            else by * mp.sqrt(2 * mp.pi)
        return lambda t: mp.exp(-mp.mpf(t) ** 2 / (2 * by * by)) / scale
    if kind == SKELLAM:
        return lambda t: mp.exp(-by) * mp.besseli(abs(t), by)
    if kind == LAPLACE:
        return lambda t: mp.exp(-abs(t) / by) / (2 * by)
    return lambda t: mp.exp(-t * t / (2 * by * by)) / (by * mp.sqrt(2 * mp.pi))


def tail(kind, by, t, lower, pmf, known={}):
    """P(T <= t) or P(T > t)."""
    if kind == GAUSSIAN:
        return mp.ncdf(t / by) if lower else mp.ncdf(-t / by)
    if kind == LAPLACE:
        t = t if lower else -t
        return mp.exp(t / by) / 2 if t <= 0 else 1 - mp.exp(-t / by) / 2
    least = -t if lower else t + 1  # P(T >= least)
    key = (kind, by, least)
    if key in known:
        return known[key]
    if least <= 0:
        value = 1 - tail(kind, by, -least, False, pmf)
    else:
        value, at = mp.mpf(0), least
        while True:
            term = pmf(at)
            value += term
            if term < value * mp.mpf(10) ** -50:
                break
            at += 1
    known[key] = value
    return value


def likelihood(kind, parameters, below, release, event):
    """L(y)"""
    by = parameters[0] if parameters else None
    if kind in (GEOMETRIC, DISCRETE_GAUSSIAN, SKELLAM, LAPLACE, GAUSSIAN):
        pmf = noise(kind, by)
        if release == "hidden":
            limit = below if kind in CONTINUOUS else mp.ceil(below) - 1
            return lambda y: tail(kind, by, limit - y, True, pmf)
        if event == 0:
            return lambda y: pmf(release - y)
        return lambda y: tail(kind, by, release - y, event == 1, pmf)
    if kind == RANDOM_ROUNDING:
        def at(r, y):
            return max(mp.mpf(0), 1 - abs(y - r) / by)
        near = lambda y: [by * mp.floor(y / by), by * mp.floor(y / by) + by]
        if event == 0:
            return lambda y: at(release, y)
        return lambda y: sum(at(r, y) for r in near(y) if (r <= release) == (event == 1))
    if kind == THINNING:
        return lambda y: mp.binomial(y, release) * by ** release * (1 - by) ** (y - release) if y >= release else mp.mpf(0)

    def release_of(y):
        if kind == ROUNDING:
            return by * mp.floor(mp.mpf(y) / by + mp.mpf(1) / 2)
        if kind == SUPPRESSION:
            return "hidden" if parameters[0] <= y <= parameters[1] else mp.mpf(y)
        if kind == CLASSES:
            return max(p for p in parameters if p <= y)
        return mp.mpf(y)
    if event == 0:
        return lambda y: mp.mpf(release_of(y) == release)
    return lambda y: mp.mpf((release_of(y) <= release) == (event == 1))


def counts(mu, excess):
    """P(y) for y = 0, 1, ..."""
    if excess == 0:
        p, y = mp.exp(-mu), 0
        while True:
            yield p
            y += 1
            p = p * mu / y
    size, ratio = mu / excess, excess / (1 + excess)
    p, y = mp.exp(-size * mp.log1p(excess)), 0
    while True:
        yield p
        p = p * (size + y) / (y + 1) * ratio
        y += 1


def terms(mu, excess, weight, centre):
    """f(y) until it is negligible: beyond the mean, the centre of L, and the counts between them."""
    values, total = [], mp.mpf(0)
    for y, p in enumerate(counts(mu, excess)):
        f = p * weight(y)
        values.append(f)
        total += f
        if y > max(mu, centre) + 5 and f < total * mp.mpf(10) ** -40 and (total > 0 or y > 5000):
            return values
        if y > 60000:
            raise ValueError("too many terms")


def fmt(x):
    return mp.nstr(x, 20, min_fixed=0, max_fixed=0) if mp.isfinite(x) else ("-inf" if x < 0 else "inf")


def log(x):
    return mp.log(x) if x > 0 else -mp.inf


cases = []
for mu, dispersion in [("1e-300", 1), ("1e-8", 1), ("0.05", 1), ("0.05", 4), ("3", 1), ("3", "1.001"), ("3", 9), ("40", 1),
                       ("40", 3), ("700", 1), ("700", 30)]:
    for release in (-25, -1, 0, 1, 2, 7, 60):
        cases += [(GEOMETRIC, ["0.7"], None, release, mu, dispersion, 0), (DISCRETE_GAUSSIAN, ["0.4"], None, release, mu, dispersion, 0),
                  (DISCRETE_GAUSSIAN, ["3"], None, release, mu, dispersion, 0), (SKELLAM, ["5"], None, release, mu, dispersion, 0),
                  (LAPLACE, ["1.5"], None, str(release + 0.25), mu, dispersion, 0),
                  (GAUSSIAN, ["2.5"], None, str(release - 0.375), mu, dispersion, 0)]
        if release >= 0 and mu != "1e-300":
            cases += [(THINNING, ["0.1"], None, release, mu, dispersion, 0), (RANDOM_ROUNDING, ["3"], None, 3 * release, mu, dispersion, 0),
                      (RANDOM_ROUNDING, ["5"], None, 5 * release, mu, dispersion, 1 + release % 2)]
            if not (mu in ("1e-8", "0.05") and release > 7):
                cases += [(ROUNDING, ["5"], None, 5 * release, mu, dispersion, 0), (ROUNDING, ["10"], None, 10 * release, mu, dispersion, 1 + release % 2)]
    for event in (1, 2):
        for release in (-3, 4):
            for kind, by in ((GEOMETRIC, "0.7"), (DISCRETE_GAUSSIAN, "3"), (SKELLAM, "5"), (LAPLACE, "1.5"), (GAUSSIAN, "2.5")):
                cases += [(kind, [by], None, release, mu, dispersion, event)]
    for below in ("2", "12.5"):
        for kind, by in ((GEOMETRIC, "0.7"), (DISCRETE_GAUSSIAN, "3"), (SKELLAM, "5"), (LAPLACE, "1.5"), (GAUSSIAN, "2.5")):
            cases += [(kind, [by], below, "hidden", mu, dispersion, 0)]
    if mu != "1e-300":
        cases += [(SUPPRESSION, ["1", "9"], None, "hidden", mu, dispersion, 0), (SUPPRESSION, ["0", "4"], None, "hidden", mu, dispersion, 0)]
        cases += [(CLASSES, ["0", "1", "3", "6"], None, r, mu, dispersion, 0) for r in (0, 1, 3, 6)]
for release in (-300, 0, 10, 250, 2000):
    cases += [(DISCRETE_GAUSSIAN, ["60"], None, release, "200", 20, e) for e in (0, 1, 2)]
    cases += [(DISCRETE_GAUSSIAN, ["60"], None, release, "2", 300, 0), (GEOMETRIC, ["0.01"], None, release, "2", 300, 0)]
# no count but 0 has a noticeable probability
cases += [(GAUSSIAN, ["0.3"], None, r, "1", 3, 0) for r in (-66, -60)] + [(LAPLACE, ["0.001"], None, "-1.5", "1", 3, 0)]
cases += [(DISCRETE_GAUSSIAN, ["0.3"], None, -90, "1", 3, 0)]

def main():
    with open("mechanisms.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["kind", "parameters", "below", "release", "mu", "excess", "event", "log_mass", "y", "log_pmf",
                      "log_lower", "log_upper", "k1", "k2", "k3", "k4"])
        for kind, parameters, below, release, mu, dispersion, event in cases:
            exact = [mp.mpf(float(p)) for p in parameters]
            limit = mp.mpf(below) if below else None
            r = release if release == "hidden" else mp.mpf(release)
            m, excess = mp.mpf(float(mu)), mp.mpf(float(dispersion)) - 1
            excess = mp.mpf(float(excess))
            centre = exact[-1] if kind == SUPPRESSION else limit if r == "hidden" else max(r, 0)
            if kind == ROUNDING or kind == RANDOM_ROUNDING:
                centre += exact[0]
            values = terms(m, excess, likelihood(kind, exact, limit, r, event), centre)
            mass = mp.fsum(values)
            if mass == 0:
                continue
            mean = mp.fsum(y * f for y, f in enumerate(values)) / mass
            central = [mp.fsum((y - mean) ** i * f for y, f in enumerate(values)) / mass for i in (2, 3, 4)]
            low = min(y for y, f in enumerate(values) if f > 0)
            at = max(low, int(mp.floor(mean)) + (2 if len(cases) % 2 else 0))
            upto = mp.fsum(values[:at + 1])
            f = values[at] if at < len(values) else mp.mpf(0)
            row = [log(mass), at, log(f / mass), log(upto / mass), log(mp.fsum(values[at + 1:]) / mass), mean]
            row += [central[0], central[1], central[2] - 3 * central[0] ** 2]
            out.writerow([kind, " ".join(parameters), below or "", release, mu, fmt(excess), event] +
                         [x if isinstance(x, int) else fmt(x) for x in row])


if __name__ == "__main__":
    main()
