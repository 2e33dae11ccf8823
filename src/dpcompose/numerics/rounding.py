"""The floating-point model behind every bound of the float tier.

Additions, multiplications, divisions and square roots are correctly rounded: their relative error is at
most `UNIT_ROUNDOFF`. The elementary functions of NumPy and `math` err by at most four units in the last place, a
relative error of at most `LIBM`. (Measured against balls: about one unit; a test keeps watch.) A bound is
itself computed in floats from non-negative terms, so multiplying it by `SLACK` covers its own rounding.
The ball tier rests on none of this.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.numerics.unreachable import OutOfReach

Floats: TypeAlias = NDArray[np.float64]
Complexes: TypeAlias = NDArray[np.complex128]
Integers: TypeAlias = NDArray[np.int64]
Array = TypeVar("Array", Floats, Complexes)

UNIT_ROUNDOFF = 2.0**-53
LIBM = 8.0 * UNIT_ROUNDOFF
SLACK = 1.0 + 2.0**-20
LEAST = math.ulp(0.0)
FAINT = 1e7 * LEAST
"""More than the products of a step lose below the least normal float, where errors are no longer relative."""
MANY = 64
ON_ONE_THREAD = 4096
"""BLAS takes inner products of this length by itself."""
TILE, LONGEST = 2**15, 256
"""The most multiplications of a product of matrices that it takes so, and how many of them to an entry."""


def multiples(spacing: float, indices: Integers) -> Floats:
    r"""The frequencies $m\Delta$; exact if the spacing is `short` and the indices are below $2^{29}$."""
    return np.multiply(spacing, indices, dtype=np.float64)


def inner(x: Floats, y: Floats) -> float:
    """The inner product on one thread: for long vectors BLAS starts others, and on a busy machine waits for them."""
    return float(np.dot(x, y) if x.size <= ON_ONE_THREAD else np.einsum("i,i->", x, y))


def combined(matrices: Array, vectors: NDArray[Any]) -> Array:
    """The inner products of all rows with a vector, on one thread; the sums are taken in any order."""
    found: Array = np.einsum("...ij,...j->...i", matrices, vectors)
    return found


def product(left: Array, right: Array) -> Array:
    """The products of two stacks of matrices, on one thread: tile by tile; the sums are taken in any order."""
    (rows, length), columns = left.shape[-2:], right.shape[-1]
    if rows * length * columns <= TILE:
        return left @ right
    if length > LONGEST:
        half = length // 2
        return product(left[..., :half], right[..., :half, :]) + product(left[..., half:], right[..., half:, :])
    found, side = np.empty((*left.shape[:-1], columns), dtype=left.dtype), math.isqrt(TILE // length)
    for i in range(0, rows, side):
        for j in range(0, columns, side):
            np.matmul(left[..., i : i + side, :], right[..., j : j + side], out=found[..., i : i + side, j : j + side])
    return found


def norm(x: Floats) -> float:
    """The Euclidean norm, likewise."""
    return math.sqrt(inner(x, x))


def nearest(x: Real) -> tuple[float, float]:
    """The float nearest to `x` and the relative error made by taking it: 0 or `UNIT_ROUNDOFF`.

    Below the normal floats there is no such bound, and so no answer: see `entry` for what becomes of faint losses.
    """
    value = float(x)
    if abs(value) < sys.float_info.min and x != 0:
        raise OutOfReach("too small for the floats to have all their digits")
    return value, 0.0 if value == x else UNIT_ROUNDOFF


def times(count: int, x: float) -> float:
    """A float at or above the product; the product itself where it is a float."""
    if not math.isfinite(x):
        return x
    top, bottom = x.as_integer_ratio()
    try:
        near = count * top / bottom  # of whole numbers, the nearest float
    except OverflowError:
        return math.inf
    n, d = near.as_integer_ratio()
    return near if n * bottom >= count * top * d else math.nextafter(near, math.inf)


def total_up(terms: Sequence[float]) -> float:
    """A float at or above the sum; the sum itself where it is a float."""
    if len(terms) > MANY or not all(map(math.isfinite, terms)):
        found = math.fsum(terms)
        return math.nextafter(found, math.inf)
    return Enclosure.exactly(sum(map(Fraction, terms), Fraction(0))).upper


def short(x: float, bits: int = 24) -> float:
    """`x` rounded to a mantissa of `bits` bits: small integer multiples of it are then exact."""
    mantissa, exponent = math.frexp(x)
    return math.ldexp(round(mantissa * 2.0**bits), exponent - bits)


def all_short(x: Floats, bits: int = 24) -> Floats:
    """Every number, rounded by `short`."""
    mantissa, exponent = np.frexp(x)
    found: Floats = np.ldexp(np.rint(mantissa * 2.0**bits), exponent - bits)
    return found


def exp_up(x: float) -> float:
    """A float at or above `exp(x)`, never 0."""
    if x > 709.0:
        return math.inf
    return max(math.nextafter(math.exp(x) * (1.0 + 2.0 * LIBM), math.inf), LEAST)


def exp_down(x: float) -> float:
    """A float at or below `exp(x)`, never negative."""
    return max(math.nextafter(math.exp(min(x, 709.0)) * (1.0 - 2.0 * LIBM), -math.inf), 0.0)


def log_total(logs: Sequence[float]) -> float:
    r"""$\ln\sum e^{x_i}$ for a few terms, to within `LIBM` of itself and as much again for each term."""
    peak = max(logs, default=-math.inf)
    return peak + math.log(sum(math.exp(x - peak) for x in logs)) if math.isfinite(peak) else peak


def log_up(x: float) -> float:
    """A float at or above `log(x)` for `x >= 0`."""
    return math.log(x) * (1.0 + math.copysign(LIBM, x - 1.0)) + LEAST if x > 0.0 else -math.inf


def log_down(x: float) -> float:
    """A float at or below `log(x)` for `x >= 0`."""
    return math.log(x) * (1.0 - math.copysign(LIBM, x - 1.0)) - LEAST if x > 0.0 else -math.inf
