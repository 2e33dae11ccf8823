"""Every theorem along an axis: ε as the number of steps grows, and δ as ε grows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpcompose.description import Mechanism, Subject, described
from dpcompose.errors import InvalidParameter
from dpcompose.kernel import STANDARD
from dpcompose.notions import Profile
from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.parameters import COUNT, DELTA, EPSILON, Param, listed
from dpcompose.prove.answer import delta as delta_at
from dpcompose.prove.answer import epsilon as epsilon_at
from dpcompose.prove.compare import Comparison, compare
from dpcompose.shown import Pictured

Grid: TypeAlias = Sequence[Real] | range | NDArray[np.float64] | NDArray[np.int64]

MOST_POINTS = 2000
COUNTS = tuple(sorted({round(10 ** (i / 6)) for i in range(25)}))
"""From 1 to 10 000 steps, evenly spaced on a logarithmic axis."""
_TAILS = (1e-10, 1e-6, 1e-3, 0.1, 0.5)
_ROUGH = 1e-3
_PROFILE_POINTS = 65


@dataclass(frozen=True, slots=True)
class Series:
    """One theorem's own values, not capped by those of others; None where it declines."""

    theorem: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Sweep(Pictured):
    """The values of every theorem along an axis, and the certified truth."""

    subject: Mechanism
    at: tuple[Real, ...]
    truth: tuple[Enclosure, ...]
    """The enclosure by all theorems together."""
    series: tuple[Series, ...]
    """The theorems that apply somewhere; the tightest at the end of the axis comes last."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.subject} at {len(self.at)} places, {len(self.series)} theorems>"

    def of(self, theorem: str) -> Series:
        """The values of one theorem."""
        found = {series.theorem: series for series in self.series}
        if theorem not in found:
            raise InvalidParameter("theorem", theorem, f"one of {', '.join(found)}")
        return found[theorem]


@dataclass(frozen=True, slots=True, repr=False)
class Growth(Sweep):
    """ε at a fixed δ against the number of steps; `subject` is one step."""

    delta: Real


@dataclass(frozen=True, slots=True, repr=False)
class PrivacyProfile(Sweep):
    """δ against ε."""


def growth(step: Subject, counts: Grid = COUNTS, delta: Real = 1e-6, theorems: Sequence[str] | None = None) -> Growth:
    """How ε grows with the number of steps at a fixed δ, under every theorem or those named."""
    total = DELTA.check("delta", delta)
    at = places("counts", counts, COUNT)
    one = described(step, "step")
    asked = [compare(int(count) * one, delta=total) for count in at]
    return Growth(one, at, tuple(c.best.enclosure for c in asked), _series(asked, theorems), total)


def profile(mechanism: Subject, epsilons: Grid | None = None, theorems: Sequence[str] | None = None) -> PrivacyProfile:
    """How δ falls as ε grows, under every theorem or those named."""
    subject = described(mechanism)
    at = places("epsilons", range_of_epsilon(subject) if epsilons is None else epsilons, EPSILON)
    asked = [compare(subject, epsilon=epsilon) for epsilon in at]
    return PrivacyProfile(subject, at, tuple(c.best.enclosure for c in asked), _series(asked, theorems))


def range_of_epsilon(mechanism: Subject) -> tuple[float, ...]:
    """Values from 0 to where δ is very small, or has levelled out."""
    leak = delta_at(mechanism, EPSILON.high).upper
    ends = (epsilon_at(mechanism, min(leak + tail, 1.0), _ROUGH).upper for tail in _TAILS)
    end = next((e for e in ends if 0.0 < e < math.inf), 1.0)
    return tuple(float(e) for e in np.linspace(0.0, end, _PROFILE_POINTS))


def places(name: str, given: Grid, param: Param) -> tuple[Real, ...]:
    """The places at which to ask: sorted, each once, at least one and not too many."""
    return tuple(sorted({param.check(name, place) for place in listed(name, given, MOST_POINTS, "places")}))


def chosen(theorems: Sequence[str] | None) -> Callable[[str], bool]:
    """A test whether a theorem is wanted; a name that answers no question about ε and δ is refused."""
    if theorems is None:
        return lambda _: True
    known = {
        name: t.id
        for t in STANDARD.theorems.values()
        if issubclass(t.types[-1], Profile)
        for name in (t.id, *t.aliases)
    }
    for name in theorems:
        if name not in known:
            raise InvalidParameter("theorems", name, f"one of {', '.join(known)}")
    return {known[name] for name in theorems}.__contains__


def _series(asked: Sequence[Comparison], theorems: Sequence[str] | None) -> tuple[Series, ...]:
    """Each theorem's rows as one series; the loosest at the last place where it applies comes first.

    Values for a whole that costs nothing, such as 0 steps, do not count.
    """
    wanted = chosen(theorems)
    rows = [{row.theorem: row.value for row in comparison.rows} for comparison in asked]
    found = [Series(name, tuple(each[name] for each in rows)) for name in rows[0] if wanted(name)]
    costs = [comparison.best.upper > 0 for comparison in asked]
    counted = costs if any(costs) else [True] * len(asked)
    spoken = [s for s in found if any(v is not None and c for v, c in zip(s.values, counted, strict=True))]
    return tuple(sorted(spoken, key=lambda series: (-_last(series), series.theorem)))


def _last(series: Series) -> float:
    return next(value for value in reversed(series.values) if value is not None)


__all__ = ["COUNTS", "Growth", "PrivacyProfile", "Series", "Sweep", "chosen", "growth", "places", "profile"]
