"""Coefficients of the Debye polynomials as src/ldp_debye.c has them, exactly, then rounded.

DLMF 10.41.9: U_0 = 1, U_{k+1}(p) = p^2 (1 - p^2) U_k'(p) / 2 + int_0^p (1 - 5 s^2) U_k(s) ds / 8.
U_k(p) = p^k P_k(p^2), so U_k(p)/nu^k = P_k(q)/t^k with p = nu/t, q = p^2.

Usage: python3 data-raw/debye.py
"""
from fractions import Fraction

TERMS = 12


def next_polynomial(u):
    """u[i] is the coefficient of p^i."""
    following = [Fraction(0)] * (len(u) + 3)
    for i, c in enumerate(u):
        following[i + 1] += c * i / 2 + c / (8 * (i + 1))
        following[i + 3] -= c * i / 2 + 5 * c / (8 * (i + 3))
    return following


u = [Fraction(1)]
for k in range(1, TERMS + 1):
    u = next_polynomial(u)
    print("    {" + ", ".join(repr(float(c)) for c in u[k : 3 * k + 1 : 2]) + "},")
