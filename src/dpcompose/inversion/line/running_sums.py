r"""What a line needs of a composition, as sums $\sum_ik_ix_i$ over its steps that grow with it.

Adding one by one, $n$ times, is off by at most $(n+2)u\sum_ik_i|x_i|$; so the sizes are added up as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dpcompose.inversion.grown import Kept, added
from dpcompose.inversion.losses.protocols import Cumulants, Logarithm, TiltedSum
from dpcompose.numerics.rounding import SLACK, UNIT_ROUNDOFF, Floats


class Numbers(NamedTuple):
    """The numbers of one step, or of all steps together, on one line; errors are upper bounds."""

    log_moment: float
    log_moment_error: float
    centre: float
    centre_error: float
    log_decay: float
    trim_lost: float
    log_moment_low: float
    """At the tilts that bound the aliasing, rounded up."""
    log_moment_high: float
    value: float
    slope: float
    curvature: float

    @property
    def cumulants(self) -> Cumulants:
        """Uncertified K, K' and K'' at a tilt, for searches."""
        return Cumulants(self.value, self.slope, self.curvature)


class Addend(NamedTuple):
    """One step: the logarithm of its transform with its error, and its numbers."""

    curves: Floats
    numbers: Floats

    @classmethod
    def of(cls, part: TiltedSum, values: Logarithm, numbers: Sequence[float], cumulants: Cumulants) -> Addend:
        """`numbers` are the decay, what trimming took away, and the moments at the sides."""
        moments = part.log_moment, part.log_moment_error, part.centre, part.centre_error
        return cls(np.array(values), np.array([*moments, *numbers, *cumulants]))


@dataclass(eq=False)
class Tally:
    """The sums, the sums of absolute values, and how many terms they have."""

    frequencies: int
    seen: Sequence[tuple[object, int]] = ()
    terms: int = 0
    curves: Floats = field(init=False)
    curve_sizes: Floats = field(init=False)
    numbers: Floats = field(init=False)
    number_sizes: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.curves, self.curve_sizes = np.zeros((3, self.frequencies)), np.zeros((3, self.frequencies))
        self.numbers, self.number_sizes = np.zeros(len(Numbers._fields)), np.zeros(len(Numbers._fields))

    def add(self, one: Addend, count: int) -> None:
        """Add one step, `count` times."""
        curves, numbers = count * one.curves, count * one.numbers
        self.curves += curves
        self.curve_sizes += np.abs(curves)
        self.numbers += numbers
        self.number_sizes += np.abs(numbers)
        self.terms += 1

    def extended(self, steps: Sequence[tuple[Kept, int]], addend: Callable[[Kept], Addend]) -> Tally:
        """This tally with what is new in these steps; another one where some have become fewer."""
        more = added(self.seen, steps)
        tally = Tally(self.frequencies) if more is None else self
        for step, count in steps if more is None else more:
            tally.add(addend(step), count)
        tally.seen = steps
        return tally

    def copy(self) -> Tally:
        """One that grows by itself."""
        other = Tally(self.frequencies, self.seen, self.terms)
        other.curves, other.curve_sizes = self.curves.copy(), self.curve_sizes.copy()
        other.numbers, other.number_sizes = self.numbers.copy(), self.number_sizes.copy()
        return other

    @property
    def rounding(self) -> float:
        """An upper bound on the rounding of a sum, relative to the sum of the sizes."""
        return UNIT_ROUNDOFF * (self.terms + 2) * SLACK

    def logarithm(self) -> Logarithm:
        """The logarithm of the whole transform, with its error."""
        modulus, phase, error = self.curves
        return Logarithm(modulus, phase, error * SLACK + self.rounding * (self.curve_sizes[0] + self.curve_sizes[1]))

    def totals(self) -> Numbers:
        """The numbers of the whole; each bound on an error includes its own rounding."""
        total, doubt = Numbers(*self.numbers.tolist()), Numbers(*(self.rounding * self.number_sizes).tolist())
        return total._replace(
            log_moment_error=total.log_moment_error * SLACK + doubt.log_moment,
            centre_error=total.centre_error * SLACK + doubt.centre,
            log_decay=total.log_decay + doubt.log_decay,
            trim_lost=total.trim_lost + doubt.trim_lost,
            log_moment_low=total.log_moment_low + doubt.log_moment_low,
            log_moment_high=total.log_moment_high + doubt.log_moment_high,
        )
