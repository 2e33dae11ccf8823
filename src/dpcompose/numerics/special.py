r"""Special functions: `erfcx` and what follows from it here, the others by SciPy.

SciPy's are fetched when one is first called, as importing them takes longer than most answers. Their values are
guesses, as are those of `ndtri_exp`: what promises something certifies it in balls. Of `erfcx` more is known.
"""

from __future__ import annotations

import math
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

MIDDLE = 3.0
SCALED = (
    8.393734858690877e-10,
    9.862533510345587e-10,
    -8.217595058711455e-09,
    -1.3312919661038687e-08,
    4.1064013667940355e-08,
    1.0183620603842736e-07,
    -1.4047654315428462e-07,
    -6.166011460398726e-07,
    3.5576086684080595e-07,
    3.472370944977168e-06,
    -7.308281468783614e-07,
    -2.0100542268525612e-05,
    4.949196649968345e-06,
    0.0001250993424583729,
    -0.00010515971958448065,
    -0.0007798322696543306,
    0.0018886903449991718,
    0.0025293918156939696,
    -0.02377051491717134,
    0.0683080273440099,
    -0.11927366341538638,
    0.1296451587027594,
    -0.0475622943534492,
    -0.13562110612458117,
    1.2530080582697296,
)
r"""$(1+2y)\,\mathrm{erfcx}(y)$ as a polynomial in $u = (y-3)/(y+3)$, the highest power first: its Chebyshev series cut
after degree 24, which leaves out less than $10^{-17}$."""
CONSTANT, RISING = np.hsplit(np.reshape(SCALED[::-1], (5, 5)), [1])
MANY = 8192
"""More values are left to SciPy, whose import is then the lesser cost; its error is measured as 8 units."""
LEAST = -26.6
"""Below this `erfcx` leaves the floats."""
NEAR = 20.0
"""Up to here the square of a place has few enough digits before the point for its exponential."""


def _beyond_zero(y: float) -> float:
    r"""`erfcx` at one $y\ge0$; Horner's rule with coefficients $a_k$ errs by $\sum(2k+1)|a_k| < 5.1$ units."""
    u = (y - MIDDLE) / (y + MIDDLE)
    found = 0.0
    for coefficient in SCALED:
        found = found * u + coefficient
    return found / (1.0 + 2.0 * y)


def _all_beyond_zero(y: Any) -> Any:
    r"""`erfcx` at a list of $y\ge0$, with a relative error of at most 16 units of roundoff: few calls of NumPy.

    The function is at least 1 here. Five polynomials of degree four make up the whole one,
    $\sum_i u^{5i}\sum_ja_{5i+j}u^j$. A term is rounded $6i+2$ times if $j = 0$, else $6i+j+5$ times, which makes less
    than 6.8 units; the coefficients err by $\sum|a_k| < 1.8$, the three roundings of $u$ by $3\sum k|a_k| < 5$, and the
    division and $1+2y$ by two more.
    """
    u = (y - MIDDLE) / (y + MIDDLE)
    powers = np.empty((4, len(u)))
    powers[0] = u
    np.multiply(u, u, powers[1])
    np.multiply(powers[:2], powers[1], powers[2:])
    u *= powers[3]
    blocks = RISING @ powers + CONSTANT
    found = blocks[4]
    for block in blocks[3::-1]:
        found *= u
        found += block
    return found / (1.0 + 2.0 * y)


def erfcx(x: Any) -> Any:
    r"""$e^{x^2}\mathrm{erfc}(x)$; below 0 by $\mathrm{erfcx}(-y) = 2e^{y^2}-\mathrm{erfcx}(y)$."""
    if isinstance(x, float):
        beyond = _beyond_zero(abs(float(x)))
        return beyond if x >= 0.0 else math.inf if x < LEAST else 2.0 * math.exp(x * x) - beyond
    places = np.asarray(x, dtype=float)
    if places.size > MANY:
        return _of("erfcx")(places)
    if places.size == 1:
        return np.full_like(places, erfcx(places.item()))
    found = _all_beyond_zero(np.abs(places.ravel())).reshape(places.shape)
    below = places < 0.0
    return np.where(below, 2.0 * np.exp(np.where(below, places, 0.0) ** 2) - found, found) if below.any() else found


def quick_erfcx(x: float) -> float:
    """`erfcx` at one place, to some twelve digits: for searches, of which nothing is certified."""
    return math.exp(x * x) * math.erfc(x) if abs(x) < NEAR else erfcx(float(x))


def ndtri_exp(y: float) -> float:
    r"""The inverse of the normal distribution function at $e^y$, by Newton's steps on its logarithm.

    The logarithm is concave, so that from where it is too small no step leads too far.
    """
    if y > -math.log(2.0):
        return -ndtri_exp(math.log(-math.expm1(y))) if y < 0.0 else math.inf
    x = math.sqrt(max(-2.0 * (y + math.log(2.0)), 0.0))
    for _ in range(60 if math.isfinite(y) else 0):
        scaled = quick_erfcx(x / math.sqrt(2.0))
        step = (math.log(scaled / 2.0) - x * x / 2.0 - y) * math.sqrt(math.pi / 2.0) * scaled
        x += step
        if abs(step) <= 1e-7 * x:  # what is left is about its square
            break
    return -x


def ndtr(x: float) -> float:
    """The normal distribution function."""
    return math.erfc(-x / math.sqrt(2.0)) / 2.0


def ndtri(p: float) -> float:
    """The inverse of the normal distribution function."""
    return ndtri_exp(math.log(p)) if p > 0.0 else -math.inf


def erfinv(p: float) -> float:
    r"""The inverse of the error function at $0\le p\le1$; near 0 its tangent, which is less."""
    if p < 1e-6:
        return p * math.sqrt(math.pi) / 2.0
    return -ndtri_exp(math.log1p(-p) - math.log(2.0)) / math.sqrt(2.0) if p < 1.0 else math.inf


@cache
def _of(name: str) -> Any:
    return getattr(import_module("scipy.special"), name)


def bdtr(k: Any, n: Any, p: Any) -> Any:
    """The distribution function of a binomial."""
    return _of("bdtr")(k, n, p)


def log_ndtr(x: Any) -> Any:
    """The logarithm of the normal distribution function."""
    return _of("log_ndtr")(x)


__all__ = ["bdtr", "erfcx", "erfinv", "log_ndtr", "ndtr", "ndtri", "ndtri_exp", "quick_erfcx"]
