# Reference values of tests/testthat/test-derivatives.R: derivatives of log P(k) by log(mu) and theta =
# log(dispersion - 1), by finite differences with 120 digits. Decimal inputs stand for the nearest doubles.
from mpmath import mp, mpf, log, exp, loggamma, binomial
mp.dps = 120
def logp(k, eta, theta, alpha):
    mu = exp(eta)
    tot = mpf(0)
    if theta is None:
        t = mpf(1); p = exp(-mu)
        def ratio(y): return mu/(y+1)
        w = p
    else:
        e = exp(theta); s = mu/e
        w = (1+e)**(-s)
        pp = e/(1+e)
        def ratio(y): return (s+y)/(y+1)*pp
    y = 0
    apow = alpha**abs(k)
    best = mpf(0)
    while True:
        term = w*apow
        tot += term
        if y > max(k, mu) and term < tot*mpf(10)**(-118): break
        w *= ratio(y)
        apow = apow/alpha if y < k else apow*alpha
        y += 1
    return log(tot)
def derivs(k, mu, disp, alpha):
    mu = mpf(float(mu)); alpha = mpf(float(alpha)); d = mpf(float(disp)); e = d-1
    eta = log(mu); theta = log(e) if e > 0 else None
    h = mpf(10)**-14
    # central stencils, error h^2 relative; Richardson by two steps
    def table(h):
        v = {}
        for i in range(-3, 4):
            for j in ((0,) if theta is None else (-2,-1,0,1,2)):
                v[i,j] = logp(k, eta+i*h, None if theta is None else theta+j*h, alpha)
        return v
    st = {0: {0: 1}, 1: {-2: mpf(1)/12, -1: -mpf(2)/3, 1: mpf(2)/3, 2: -mpf(1)/12},
          2: {-2: -mpf(1)/12, -1: mpf(4)/3, 0: -mpf(5)/2, 1: mpf(4)/3, 2: -mpf(1)/12},
          3: {-3: mpf(1)/8, -2: -1, -1: mpf(13)/8, 1: -mpf(13)/8, 2: 1, 3: -mpf(1)/8},
          4: {-3: -mpf(1)/6, -2: 2, -1: -mpf(13)/2, 0: mpf(28)/3, 1: -mpf(13)/2, 2: 2, 3: -mpf(1)/6}}
    v = table(h)
    def D(a, b):
        return sum(ca*cb*v[i,j] for i, ca in st[a].items() for j, cb in st[b].items())/h**(a+b)
    orders = [(1,0),(2,0),(3,0),(4,0)]
    if theta is not None: orders += [(0,1),(1,1),(2,1),(3,1),(0,2),(1,2),(2,2)]
    r = {o: D(*o) for o in orders}
    for o in [(0,1),(1,1),(2,1),(3,1),(0,2),(1,2),(2,2)]: r.setdefault(o, mpf(0))
    # mu^n d^n/dmu^n
    out = {}
    for b in (0,1,2):
        g = lambda a: r.get((a,b))
        if (1,b) in r: out['mu',b] = g(1)
        if (2,b) in r: out['mu2',b] = g(2)-g(1)
        if (3,b) in r: out['mu3',b] = g(3)-3*g(2)+2*g(1)
        if (4,b) in r: out['mu4',b] = g(4)-6*g(3)+11*g(2)-6*g(1)
    cols = [out['mu',0], out['mu2',0], r[0,1], out['mu',1], out['mu3',0], out['mu2',1], out['mu4',0], r[0,2], out['mu',2], out['mu2',2], out['mu3',1]]
    return cols
names = "k,mu,dispersion,alpha," + ",".join("d_" + d for d in "mu mu2 theta mu_theta mu3 mu2_theta mu4 theta2 mu_theta2 mu2_theta2 mu3_theta".split())
cases = []
for mu in ('1e-12','0.003','0.7','6','80'):
    for disp in ('1','1.000001','1.3','4','60'):
        for alpha in ('0.001','0.4','0.9','0.999'):
            for k in (-3, 1, 2, 9, 40, 300):
                cases.append((k, mu, disp, alpha))
cases = [c for i, c in enumerate(cases) if i % 4 == 0 or (c[0] > 0 and i % 3 == 0)]
cases = cases[:248:2] # an hour on one core
if __name__ == '__main__':
    print(names)
    for c in cases:
        vals = derivs(*c)
        print(",".join([str(c[0]), c[1], c[2], c[3]] + ['%.17g' % float(x) for x in vals]))
