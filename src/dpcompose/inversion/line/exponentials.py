r"""Sums of exponentials in ball arithmetic: one step's transform $\sum_jw_je^{iux_j}$ along a line.

At the frequencies $u_m = ms$ with $m = aB+b$ the exponential is $e^{iaBsx_j}e^{ibsx_j}$: so many values are one product
of two matrices, of which rows and columns are powers. A power is the product of two about half as high, so that balls,
which grow by up to $\sqrt2$ with each rotation, are rotated a few times only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import acb, acb_mat

from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball

TERM, EXPONENTIAL, POWER, PRODUCT, ENTRY = 500, 300, 40, 3, 30
"""Steps that it takes to list a term, an exponential of balls, a power made of two others, a product of two within
matrices, and to read one of their entries.
"""


def nothing(_: Ball) -> acb:
    """No error beside that of the places and weights."""
    return acb(0)


@dataclass(frozen=True)
class Exponentials:
    """The transform at $t+iu$ for one tilt $t$, which is in the weights."""

    size: int
    """How many terms there are."""
    listed: Callable[[], Sequence[tuple[Ball, Ball]]]
    """Lists them, each a place and a weight: not before it is known that they are not too many."""
    doubt: Callable[[Ball], acb] = nothing
    """What else the transform may be off by at a frequency, as a ball around 0."""

    @cached_property
    def terms(self) -> Sequence[tuple[Ball, Ball]]:
        """Every place with its weight."""
        effort.count(TERM * self.size)
        return self.listed()

    def __call__(self, z: acb) -> acb:
        """The value at one place on the line."""
        effort.count(EXPONENTIAL * self.size)
        u = z.imag
        return sum((acb(w) * acb(0, u * x).exp() for x, w in self.terms), acb(0)) + self.doubt(u)

    def cost(self, last: int) -> int:
        """How many steps the values up to a frequency take."""
        across = math.isqrt(last) + 1
        each = TERM + 2 * EXPONENTIAL + 2 * POWER * across + PRODUCT * across * across
        return self.size * each + ENTRY * across * across

    def along(self, step: Ball, last: int) -> list[acb]:
        """The values at the frequencies 0, 1, …, `last` times the step."""
        effort.count(self.cost(last))
        across = math.isqrt(last) + 1
        columns = [_powers(step * x, across) for x, _ in self.terms]
        down = [_powers(across * step * x, last // across + 1) for x, _ in self.terms]
        rows = acb_mat([[w * power for power in powers] for (_, w), powers in zip(self.terms, down, strict=True)])
        values = (rows.transpose() * acb_mat(columns)).entries()[: last + 1]
        return values if self.doubt is nothing else [v + self.doubt(m * step) for m, v in enumerate(values)]


def _powers(angle: Ball, count: int) -> list[acb]:
    """The first powers of the rotation by an angle, from the 0th on."""
    found = [acb(1), acb(0, angle).exp()]
    for n in range(2, count):
        found.append(found[n // 2] * found[n - n // 2])
    return found[:count]


__all__ = ["Exponentials"]
