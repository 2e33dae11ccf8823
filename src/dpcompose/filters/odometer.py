r"""A running bound for an analyst who may stop at any time: an odometer, made of a ladder of filters.

A filter promises (ε, δ) at caps that are fixed before the first output. What one path has used of them is no bound: an
analyst who stops where the loss is high has lost more than the path's own total says. So rungs are fixed at the start:
caps $B_j = B_0 r^j$ for all whole $j$, each with a share $w_j$ of δ, $\sum w_j = 1$. The odometer reports the ε of the
lowest rung that holds the sums so far, at $w_j\delta$. On the event that rung $j$ is reported, everything seen was seen
by an analyst who stays below $B_j$, so

$$\sum_y \bigl(P(y) - e^{\varepsilon(y)} Q(y)\bigr)_+ \le \sum_j w_j\delta = \delta,$$

where the sum runs over all that may have been seen by the end, whenever the end is chosen. Where ε and δ themselves add
up (`basic`), the sum of ε is such a bound without rungs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import ROUND_CEILING
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from dpcompose.description import (
    ADD_REMOVE,
    FULLY_ADAPTIVE,
    Adjacency,
    Composition,
    Subject,
    common_adjacency,
    described,
)
from dpcompose.errors import DPError, InvalidParameter
from dpcompose.filters.filter import SYMBOLS, Filter, filter_of
from dpcompose.filters.numbers import meant
from dpcompose.filters.rules import Cost
from dpcompose.numerics.enclosure import Enclosure, Real, rounded
from dpcompose.parameters import COUNT, DELTA, EPSILON
from dpcompose.prove.answer import Answer
from dpcompose.prove.answer import epsilon as epsilon_at
from dpcompose.shown import Told

if TYPE_CHECKING:
    from collections.abc import Sequence

RATIO = Fraction(3, 2)
LADDERS = ("basic", "zcdp", "gdp")


@dataclass(frozen=True, slots=True, repr=False)
class Running(Told):
    """An upper bound on ε, at δ, for everything seen until now; it holds even if *now* was chosen by looking."""

    epsilon: Fraction
    delta: Fraction
    cap: Fraction | None
    """The cap of the rung that is reported; None where ε itself adds up."""
    claim: Answer | None
    """ε at the rung's cap and share of δ, with the theorems behind it."""

    def __float__(self) -> float:
        return Enclosure.exactly(self.epsilon).upper

    def __str__(self) -> str:
        return (
            f"ε ≤ {rounded(self.epsilon, ROUND_CEILING)} at δ = {rounded(self.delta, ROUND_CEILING)}, "
            "whenever one stops"
        )


@dataclass(frozen=True, slots=True)
class Ladder:
    """Rungs fixed before the first output: a filter's caps times all powers of a ratio. Make one with `ladder_of`."""

    anchor: Filter
    """The filter whose caps are rung 0, which has the greatest share of δ."""
    delta: Fraction

    def rung(self, spent: Fraction) -> int:
        """The lowest rung whose cap is at least a positive sum."""
        cap = self.anchor.caps[0]
        near = math.ceil((_log(spent) - _log(cap)) / _log(RATIO))
        while spent > cap * RATIO**near:
            near += 1
        while spent <= cap * RATIO ** (near - 1):
            near -= 1
        return near

    @staticmethod
    def share(rung: int) -> Fraction:
        """The share of δ of a rung: ½ for rung 0, 1/4k(k+1) for rungs k and −k; together 1."""
        k = abs(rung)
        return Fraction(1, 4 * k * (k + 1)) if k else Fraction(1, 2)

    def reading(self, spent: Sequence[Fraction]) -> Running:
        """The upper bound on ε for these sums; refuses leaks beyond the share set apart."""
        if len(spent) > 1 and spent[-1] > self.leak:
            raise DPError(
                f"Steps that leak δ = {rounded(spent[-1], ROUND_CEILING)} in all are beyond what this odometer set "
                f"apart for them at the start, {rounded(self.leak, ROUND_CEILING)}."
            )
        if self.anchor.name == "basic" or not spent[0]:
            return Running(spent[0], self.delta, None, None)
        rung = self.rung(spent[0])
        cap = self.anchor.caps[0] * RATIO**rung
        claim = _climbed(self.anchor.name, cap, self.share(rung) * (self.delta - self.leak))
        if not math.isfinite(claim.upper):
            raise DPError("No finite ε is shown at this rung.")
        return Running(Fraction(claim.upper), self.delta, cap, claim)

    @property
    def leak(self) -> Fraction:
        """The upper limit on all leaks together."""
        return self.delta if self.anchor.name == "basic" else self.anchor.leak


def ladder_of(
    name: str,
    *,
    delta: Real,
    leak: Real = 0,
    expected: Real = 1,
    adjacency: Adjacency | None = ADD_REMOVE,
) -> Ladder:
    """A ladder fixed before the first output: tightest near the `expected` ε, looser far from it."""
    if name not in LADDERS:
        raise InvalidParameter("filter", name, " or ".join(LADDERS))
    target = EPSILON.check("expected", expected)
    if not target:
        raise InvalidParameter("expected", expected, "a positive ε")
    d = meant(DELTA.check("delta", delta))
    return Ladder(filter_of(name, epsilon=target, delta=delta, leak=leak, adjacency=adjacency), d)


@lru_cache(maxsize=1024)
def _climbed(name: str, cap: Fraction, delta: Fraction) -> Answer:
    """ε at the cap of a rung and at its share of δ. Leaks are charged to δ once, not once a rung."""
    book = Filter(name, Fraction(0), Fraction(0), (cap, Fraction(0))[: 1 if name == "gdp" else 2])
    return epsilon_at(Composition(((book.rule.box(book.caps), 1),), FULLY_ADAPTIVE, book.rule.notion), delta)


def _log(number: Fraction) -> float:
    """The natural logarithm of a positive fraction, also of one outside the range of floats."""
    return math.log(number.numerator) - math.log(number.denominator)


@dataclass(slots=True, repr=False)
class Odometer(Told):
    """Everything run so far, with an upper bound on ε that holds at all times, however steps and end were chosen."""

    ladder: Ladder
    spent: Cost = field(init=False)
    runs: int = field(init=False, default=0)
    adjacency: Adjacency | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.spent = self.ladder.anchor.nothing

    def add(self, mechanism: Subject, count: int = 1) -> Odometer:
        """Add this many runs of a mechanism; one that cannot be read is refused, and nothing is added."""
        times = int(COUNT.check("count", count))
        step = described(mechanism)
        relation = common_adjacency((self.adjacency, step.adjacency))
        cost = self.ladder.anchor.cost(step)
        spent = tuple(s + times * c for s, c in zip(self.spent, cost, strict=True))
        self.ladder.reading(spent)  # refuses leaks that were not set apart
        self.spent, self.adjacency, self.runs = spent, relation, self.runs + times
        return self

    @property
    def epsilon(self) -> Running:
        """The upper bound on ε for everything added so far."""
        return self.ladder.reading(self.spent)

    def __str__(self) -> str:
        names = zip(self.ladder.anchor.coordinates, self.spent, strict=True)
        sums = ", ".join(f"{SYMBOLS.get(n, n)} = {rounded(s, ROUND_CEILING)}" for n, s in names if s)
        return f"{self.runs} runs ({sums or 'nothing so far'}): {self.epsilon}"


def odometer(
    *,
    delta: Real,
    filter: str = "zcdp",  # noqa: A002 - as in Composition
    leak: Real = 0,
    expected: Real = 1,
) -> Odometer:
    """A running total for an analyst who may stop at any time: `.add(mechanism, count)`, `.epsilon`.

    Fixed at the start: `delta`, and `leak`, its share for steps that may reveal everything. The bound is tightest near
    the `expected` ε. `filter="basic"` adds up ε, "zcdp" adds up ρ, "gdp" adds up μ².
    """
    return Odometer(ladder_of(filter, delta=delta, leak=leak, expected=expected, adjacency=None))


__all__ = ["Ladder", "Odometer", "Running", "ladder_of", "odometer"]
