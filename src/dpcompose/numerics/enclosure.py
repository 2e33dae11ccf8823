"""Enclosures: two floats with the truth between them, outward rounded, also in print."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TypeAlias

from flint import arb

from dpcompose.errors import Contradiction
from dpcompose.numerics import effort
from dpcompose.numerics.precision import ctx
from dpcompose.shown import NotebookResult

Ball: TypeAlias = arb
Real: TypeAlias = int | float | Fraction
"""An exact number. A float is the binary fraction it stores, nothing else."""


@dataclass(frozen=True, slots=True)
class Enclosure(NotebookResult):
    """`lower <= truth <= upper`. A missing end is infinite, or the end of the possible range."""

    lower: float
    upper: float
    exact: Fraction | None = field(default=None, compare=False, repr=False)
    """The truth itself, where it is known and lies between two floats; what is printed is rounded from it."""

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:  # also refuses NaN
            raise Contradiction(f"no real number lies in [{self.lower!r}, {self.upper!r}]")

    @classmethod
    def of(cls, x: Ball) -> Enclosure:
        """Round a ball outward to floats; a ball that says nothing encloses everything.

        `float(ball)` rounds to *nearest*, so each end is compared with what it must cover.
        """
        if x.is_exact() and not x.is_finite() and not x.is_nan():
            return cls(float(x), float(x))
        if not x.is_finite():
            return cls(-math.inf, math.inf)
        least, most = x.lower(), x.upper()
        lower, upper = float(least), float(most)
        if not arb(lower) <= least:
            lower = math.nextafter(lower, -math.inf)
        if not arb(upper) >= most:
            upper = math.nextafter(upper, math.inf)
        return cls(lower, upper)

    @classmethod
    def exactly(cls, x: Real) -> Enclosure:
        """Enclose one exact number as tightly as two floats can."""
        try:
            nearest = float(x)
        except OverflowError:
            return cls(sys.float_info.max, math.inf) if x > 0 else cls(-math.inf, -sys.float_info.max)
        return cls(
            nearest if nearest <= x else math.nextafter(nearest, -math.inf),
            nearest if nearest >= x else math.nextafter(nearest, math.inf),
            x if isinstance(x, Fraction) else None,
        )

    def __and__(self, other: Enclosure) -> Enclosure:
        """Both hold, so the truth lies in the intersection."""
        exact = other.exact if self.exact is None else self.exact
        return Enclosure(max(self.lower, other.lower), min(self.upper, other.upper), exact)

    def __or__(self, other: Enclosure) -> Enclosure:
        """One of them holds, so the truth lies in the hull."""
        return Enclosure(min(self.lower, other.lower), max(self.upper, other.upper))

    def __contains__(self, x: Real) -> bool:
        """Whether `x` may be the truth, decided exactly."""
        return self.lower <= x <= self.upper

    @property
    def gap(self) -> float:
        """`(upper - lower) / upper`: 0 for a point, 1 when only the upper end is known."""
        if self.lower == self.upper:
            return 0.0
        if math.isinf(self.upper):
            return 1.0
        return (self.upper - self.lower) / abs(self.upper) if self.upper else math.inf

    @property
    def least(self) -> float | Fraction:
        """The lower end as it is printed: the truth itself where it is known."""
        return self.lower if self.exact is None else self.exact

    @property
    def most(self) -> float | Fraction:
        """The upper end as it is printed: the truth itself where it is known."""
        return self.upper if self.exact is None else self.exact

    def __str__(self) -> str:
        """Print six digits, the lower end rounded down and the upper end up."""
        return self.to_digits(6)

    def to_digits(self, digits: int) -> str:
        """Print so many significant digits, the lower end rounded down and the upper end up."""
        return f"[{rounded(self.least, ROUND_FLOOR, digits)}, {rounded(self.most, ROUND_CEILING, digits)}]"


AT_ONCE = 256
"""Above this number fractions are added up in halves: two long denominators meet seldom."""
UNIT_INTERVAL = Enclosure(0.0, 1.0)
NON_NEGATIVE = Enclosure(0.0, math.inf)
ZERO = Enclosure(0.0, 0.0)


def ball(x: Real | Enclosure | Ball) -> Ball:
    """The smallest ball around `x` at the working precision; exact for floats."""
    if isinstance(x, Fraction):
        return arb(x.numerator) / x.denominator
    if isinstance(x, Enclosure):
        return arb(x.lower).union(arb(x.upper))
    if x is None:  # which python-flint takes for 0
        raise TypeError("what is not there is no number")
    return x if isinstance(x, arb) else arb(x)


def enclose(formula: Callable[[], Ball], gap: float = 2.0**-50, bits: int = 96) -> Enclosure:
    """Evaluate `formula` in balls, doubling the precision until the relative gap is met.

    Soundness never depends on the precision; only the width does. Gives up at 6000 bits, or where twice the bits left
    both ends as they were, with whatever is known by then; accepts any interval below the least positive float.
    """
    before = Enclosure(-math.inf, math.inf)
    while True:
        effort.count(30 * bits)
        with ctx.workprec(bits):
            found = Enclosure.of(formula())
        if found.gap <= gap or max(-found.lower, found.upper) <= math.ulp(0.0) or bits > 3000:
            return found
        if _same(found.lower, before.lower) and _same(found.upper, before.upper):
            return found
        before, bits = found, 2 * bits


def _same(x: float, y: float) -> bool:
    """Whether twice the bits changed next to nothing: what is uncertain is not a matter of rounding."""
    return math.isfinite(x) and abs(x - y) <= abs(x) * 2.0**-20


def largest(found: Iterable[Enclosure]) -> Enclosure:
    """Enclose the maximum of several numbers."""
    every = tuple(found)
    return Enclosure(max(e.lower for e in every), max(e.upper for e in every))


def exact_sum(terms: Sequence[tuple[Fraction, int]]) -> Fraction:
    """Terms times their counts, over one common denominator: lists need few reductions."""
    if len(terms) > AT_ONCE:
        half = len(terms) // 2
        return exact_sum(terms[:half]) + exact_sum(terms[half:])
    common = math.lcm(*(x.denominator for x, _ in terms))
    return Fraction(sum(count * x.numerator * (common // x.denominator) for x, count in terms), common)


def rounded(x: float | Fraction, towards: str, digits: int = 6) -> str:
    """Print `x` with so many significant digits, rounded towards `ROUND_FLOOR` or `ROUND_CEILING`."""
    if isinstance(x, float) and not math.isfinite(x):
        return str(x)
    context = Context(prec=digits, rounding=towards)
    top, bottom = x.as_integer_ratio()
    shown = context.divide(Decimal(top), Decimal(bottom)).normalize(context)
    return f"{shown:f}" if -5 <= shown.adjusted() < 9 else f"{shown:e}".replace("e+", "e")


__all__ = [
    "NON_NEGATIVE",
    "UNIT_INTERVAL",
    "ZERO",
    "Ball",
    "Enclosure",
    "Real",
    "ball",
    "enclose",
    "exact_sum",
    "largest",
    "rounded",
]
