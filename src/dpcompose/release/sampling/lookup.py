r"""Exact inversion: a value of a law on $0,\dots,n$ is found from a uniform real number whose bits are drawn when
needed.

With $s_j = P(X > j)$ and $u$ uniform on $[0, 1)$, the number of $j$ with $u < s_j$ has the law of $X$. The first $b$
bits of $u$ are an integer $U$ with $U \le 2^b u < U + 1$, and a ball around $s_j$ gives integers $L \le 2^b s_j \le H$.
Then $U < L$ proves $u < s_j$, and $U \ge H$ proves $u \ge s_j$; otherwise more bits of $u$ are drawn and the ball is
made smaller. No decision rests on a rounded number, so the law is exact.

A table decides almost every draw by its first 16 bits, nearly all others by 48, and the rest one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dpcompose.numerics.enclosure import Ball
from dpcompose.numerics.precision import ctx
from dpcompose.release.sampling.source import RandomSource, broken, word, words

FIRST, SECOND = 16, 48  # bits of u that the two stages of a table look at
FEW = 32  # so few draws are decided one by one, which costs less than a table
MOST_BITS = 1 << 12  # a uniform u that is still open here has less than one chance in 2^4000
GUARD = 32  # bits of working precision beyond those that are compared


class TabledLaw(Protocol):
    """A law on 0…count, given by balls around s_j = P(X > j) for j < count. Equal laws are hashed alike and share a
    table.
    """

    @property
    def count(self) -> int:
        """The largest value."""
        ...

    def survival(self, index: int, /) -> Ball:
        """P(X > index) at the working precision."""
        ...

    def __hash__(self) -> int: ...


def bracket(probability: Callable[[], Ball], bits: int) -> tuple[int, int]:
    """Integers L ≤ 2^bits · probability ≤ H, as close as a few extra bits of precision give."""
    with ctx.workprec(bits + GUARD):
        p = probability()
        if not p.is_finite():
            return 0, 1 << bits
        return max(_floor(p.lower(), bits), 0), min(-_floor(-p.upper(), bits), 1 << bits)


def _floor(x: Ball, bits: int) -> int:
    """⌊2^bits · x⌋ of an exact, finite ball."""
    mantissa, exponent = (int(part) for part in x.man_exp())
    shift = exponent + bits
    if shift >= 0:
        return mantissa << shift
    return mantissa >> min(-shift, mantissa.bit_length() + 1)  # also where the exponent itself is astronomic


def settle(law: TabledLaw, leading: int, bits: int, source: RandomSource) -> int:
    """The value for a u that begins with the `bits` bits `leading`, by bisection; more bits are drawn where needed."""
    least, most = 0, law.count
    while least < most:
        middle = (least + most) // 2
        low, high = bracket(partial(law.survival, middle), bits)
        if leading < low:
            least = middle + 1
        elif leading >= high:
            most = middle
        elif bits > MOST_BITS:
            raise broken(source)
        else:
            leading, bits = leading << 64 | word(source), bits + 64
    return least


@dataclass(frozen=True, slots=True, eq=False)
class LookupTable:
    """What the first bits of u decide: `values[i]` from `points[i]` on, `direct` for 16 bits; −1 means undecided."""

    law: TabledLaw
    points: npt.NDArray[np.int64]
    values: npt.NDArray[np.int16]
    direct: npt.NDArray[np.int16]

    @classmethod
    def of(cls, law: TabledLaw) -> LookupTable:
        """The table of a law, from 48-bit brackets of all s_j; between neighbouring ends of brackets the value is
        constant.
        """
        ends = [bracket(partial(law.survival, j), SECOND) for j in range(law.count)]
        low, high = (np.sort(np.array(side, dtype=np.int64)) for side in zip(*ends, strict=True))
        points = np.unique(np.concatenate([[0], low, high]))
        least = law.count - np.searchsorted(low, points, side="right")  # how many are certainly above u
        most = law.count - np.searchsorted(high, points, side="right")  # how many may be
        values = np.where(least == most, least, -1).astype(np.int16)
        starts = np.arange(1 << FIRST, dtype=np.int64) << (SECOND - FIRST)
        first = np.searchsorted(points, starts, side="right")
        last = np.searchsorted(points, starts + (1 << (SECOND - FIRST)) - 1, side="right")
        return cls(law, points, values, np.where(first == last, values[first - 1], -1).astype(np.int16))

    def draw(self, size: int, source: RandomSource) -> npt.NDArray[np.int64]:
        """Independent draws."""
        first = words(source, size, FIRST // 8)
        found = self.direct[first].astype(np.int64)
        open_ = np.flatnonzero(found < 0)
        if open_.size:
            more = words(source, open_.size, (SECOND - FIRST) // 8).astype(np.int64)
            leading = first[open_].astype(np.int64) << (SECOND - FIRST) | more
            found[open_] = self._second(leading, source)
        return found

    def _second(self, leading: npt.NDArray[np.int64], source: RandomSource) -> npt.NDArray[np.int64]:
        """Decide by 48 bits, and the rest by as many as needed."""
        found = self.values[np.searchsorted(self.points, leading, side="right") - 1].astype(np.int64)
        for lane in np.flatnonzero(found < 0):
            found[lane] = settle(self.law, int(leading[lane]), SECOND, source)
        return found


@lru_cache(maxsize=128)
def table(law: TabledLaw) -> LookupTable:
    """The table of a law, cached: it depends on the law alone."""
    return LookupTable.of(law)


def draw(law: TabledLaw, size: int, source: RandomSource) -> npt.NDArray[np.int64]:
    """Independent draws from a law."""
    if size < FEW:
        return np.array([settle(law, word(source), 64, source) for _ in range(size)], dtype=np.int64)
    return table(law).draw(size, source)
