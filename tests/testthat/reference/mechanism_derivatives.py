"""Writes mechanism_derivatives.csv: derivatives of the log probability of a release under any mechanism, by finite
differences with 120 digits of sums over true counts.

Columns: kind, parameters, below, release, mu and dispersion as in mechanisms.csv, and the derivatives in the order of
ldp_derivatives.h: by mu, multiplied by mu^n, and by theta = log(dispersion - 1).
"""
import csv
import itertools
import mpmath as mp
import derivatives
import mechanisms as of

mp.mp.dps = 120


def log_probability(weights, eta, theta):
    """log sum_y P(y) L(y) for the mean exp(eta) and the excess exp(theta)."""
    values = of.counts(mp.exp(eta), 0 if theta is None else mp.exp(theta))
    return mp.log(mp.fsum(p * w for p, w in zip(values, weights)))


def weights_of(case, mu, excess):
    """L(y) for all counts that matter."""
    kind, parameters, below, release = case
    limit = mp.mpf(below) if below else None
    r = release if release == "hidden" else mp.mpf(release)
    exact = [mp.mpf(float(p)) for p in parameters]
    weight = of.likelihood(kind, exact, limit, r, 0)
    centre = 40 if r == "hidden" else max(r, 0) + 10
    weights, total = [], mp.mpf(0)
    for y, p in enumerate(of.counts(mu, excess)):
        weights.append(weight(y))
        f = p * weights[-1]
        total += f
        if y > max(mu, centre) and f < total * mp.mpf(10) ** -110:
            return weights


cases = [(of.GEOMETRIC, ["0.7"], None, r) for r in (-3, 4)]
cases += [(of.DISCRETE_GAUSSIAN, [sd], None, r) for sd in ("0.6", "3") for r in (-5, 0, 7)]
cases += [(of.LAPLACE, ["1.5"], None, r) for r in ("-2.75", "0.25", "7.25")]
cases += [(of.GAUSSIAN, ["2.5"], None, r) for r in ("-2.375", "0.625", "7.375")]
cases += [(of.SKELLAM, ["5"], None, r) for r in (-5, 0, 7)]
cases += [(of.RANDOM_ROUNDING, [b], None, r) for b, r in (("3", 0), ("3", 6), ("5", 10))]
cases += [(of.ROUNDING, ["5"], None, r) for r in (0, 5)] + [(of.THINNING, ["0.3"], None, r) for r in (0, 2, 9)]
cases += [(of.SUPPRESSION, p, None, "hidden") for p in (["0", "4"], ["1", "9"])]
cases += [(of.CLASSES, ["0", "1", "3", "6"], None, r) for r in (0, 1, 3, 6)]
cases += [(k, [b], "4", "hidden") for k, b in ((of.GEOMETRIC, "0.7"), (of.DISCRETE_GAUSSIAN, "2"), (of.GAUSSIAN, "2.5"))]

if __name__ == "__main__":
    with open("mechanism_derivatives.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["kind", "parameters", "below", "release", "mu", "dispersion"] + derivatives.names.split(",")[4:])
        for case, mu, dispersion in itertools.product(cases, ("1e-8", "0.6", "12"), ("1", "1.01", "3")):
            m, d = mp.mpf(float(mu)), mp.mpf(float(dispersion))
            weights = weights_of(case, m, d - 1)
            derivatives.logp = lambda k, eta, theta, alpha: log_probability(weights, eta, theta)
            found = derivatives.derivs(0, mu, dispersion, 0)
            kind, parameters, below, release = case
            out.writerow([kind, " ".join(parameters), below or "", release, mu, dispersion] +
                         ["%.17g" % float(x) for x in found])
            file.flush()
