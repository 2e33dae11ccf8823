r"""Standard normal variables from cryptographic bytes, in floating point, and sums of them on a declared grid.

A 64-bit word gives a sign and a uniform $u = (k+\frac12)2^{-64} < \frac12$, whose normal quantile is the size. The
tails are right to beyond nine deviations. The arithmetic is that of 64-bit floats, unlike for counts and sums; it is
not proved that the published floats keep the promise made for real numbers.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import exact
from dpcompose.release.sampling.source import RandomSource, words

Floats: TypeAlias = npt.NDArray[np.float64]

AT_ONCE = 4_000_000
"""The greatest number of normals drawn at once: 32 MB of them."""
DIGITS = 24
"""The default step is this many binary digits below the noise's deviation."""

UNPROVED = (
    "The noise is cryptographic and the rows lie on a grid, but that floating-point rounding leaks nothing is not "
    "proved for this mechanism."
)


def normals(source: RandomSource, rows: int, columns: int) -> Floats:
    """Independent standard normals."""
    return from_words(words(source, rows * columns, 8)).reshape(rows, columns)


def from_words(drawn: npt.NDArray[np.unsignedinteger]) -> Floats:
    """A standard normal for each 64-bit word."""
    size: Floats = ndtri((np.asarray(drawn >> np.uint64(1), dtype=np.float64) + 0.5) * 2.0**-64)
    np.negative(size, out=size, where=(drawn & np.uint64(1)).astype(bool))
    return size


def grid_step(deviation: float, grid: Real | None) -> float:
    """The declared step, or a power of two far below the noise; refused if floats do not multiply it exactly."""
    if grid is None:
        return float(2.0 ** (math.frexp(deviation)[1] - DIGITS))
    step = float(exact("grid", grid))
    if math.frexp(step)[0] != 0.5 or not 2.0**-200 <= step <= deviation / 4:
        raise InvalidParameter(
            "grid", grid, f"a power of two, at most a quarter of the noise's deviation {deviation:g}"
        )
    return step


def on_grid(values: Floats, step: float) -> Floats:
    """Each value rounded to the nearest multiple of the step."""
    return np.asarray(np.rint(values / step) * step)


__all__ = ["AT_ONCE", "UNPROVED", "Floats", "from_words", "grid_step", "normals", "on_grid"]
