"""Trade-off functions known through certified values of both profiles, which are computed where they are needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpcompose.kernel import Claim
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.regions.chain import UNDERFLOW, Chain, Descent, Floats, beneath
from dpcompose.regions.levels import ENDLESS, FAR, Knee, Level, Levels
from dpcompose.regions.tradeoff import EventProbabilities, Tradeoff, complement

MOST_LEVELS = 400
NEGLIGIBLE = 1e-12
FEW = 8
"""With more α than this, levels are spread over the profile; with fewer, the best line is searched for each."""
CLOSER, GOLDEN = 6, 0.382
LEAST_STRIDE = 1e-12
HOPELESS, VAGUE = 28.0, 1e-3
"""Lines flatter than e^−28 are below 10⁻¹² and are not searched for, as long as levels are known only this roughly."""
_SLACK = 2.0**-50
_BITS = 128


@dataclass(slots=True)
class Envelope(Tradeoff):
    """A trade-off function between bounds: below, the maximum of the lines of all levels; above, the same with knees
    added.
    """

    forward: Levels
    """Values of d_t(P, Q), which give the flat lines."""
    backward: Levels
    """Values of d_t(Q, P), which give the steep lines."""
    lower_by: Claim[Any] | None = None
    upper_by: Claim[Any] | None = None

    def between(self, least: Floats, most: Floats, tolerance: float) -> tuple[Floats, Floats]:
        """Lower and upper bounds at these α; levels are added where the two differ too much."""
        if np.all(least >= 1.0):
            return np.zeros_like(least), np.zeros_like(least)
        if np.all(most <= 0.0):
            return self._never_wrong(least)
        self.open()
        closer = CLOSER if len(least) <= FEW else 0
        self._begin(least, most, tolerance)
        while True:
            lower, upper, over = self._ends(least, most)
            wide = upper - lower > np.maximum(tolerance * upper, NEGLIGIBLE)
            if not wide.any() or self._size() > 2 * MOST_LEVELS or effort.is_worn_out():
                break
            if not over.split(least[wide]):
                closer -= 1  # the levels' own widths leave more open than another level could close
                if closer < 0 or not over.split(least[wide], anyway=True):
                    break
        self._remember()
        return lower, np.maximum(upper, lower)

    def _ends(self, least: Floats, most: Floats) -> tuple[Floats, Floats, _Over]:
        """The bounds at both ends of each α, and the upper lines."""
        over = self._over()
        upper = np.minimum(over.greatest(least, _SLACK), _guessing(least))
        return self._under().greatest(most, -_SLACK), upper, over

    def _begin(self, least: Floats, most: Floats, tolerance: float) -> None:
        """Spread levels over both profiles; for a few α, instead look for the best line at each."""
        if len(least) > FEW:
            for levels in (self.backward, self.forward):
                levels.begin()
            return
        lower, upper, _ = self._ends(least, most)
        for alpha in most[upper - lower > np.maximum(tolerance * upper, NEGLIGIBLE)].tolist():
            self._aim(alpha)

    def open(self) -> None:
        """Compute both ends of both profiles; they share the total variation."""
        for levels in (self.backward, self.forward):
            levels.open()
        if self.forward is not self.backward:
            self.forward.known[0] = self.backward.known[0] = self.forward.known[0] & self.backward.known[0]

    def _aim(self, alpha: float) -> None:
        """Add levels around the best line at α, whose height there is a concave function of its slope."""

        def level(u: float) -> Level:
            levels = self.backward if u >= 0.0 else self.forward
            found = levels.at(abs(u))
            levels.is_level(found)
            return found

        def height(u: float) -> float:
            """The height at α of the line of slope −e^u, steep or flat."""
            kept = 1.0 - level(u).delta.upper
            return kept - math.exp(u) * alpha if u >= 0.0 else math.exp(u) * (kept - alpha)

        start, apart = height(0.0), self.forward.known[0].delta.upper
        stride = min(max(math.log1p(apart) - math.log1p(-apart), LEAST_STRIDE), 30.0) if apart < 1.0 else 1.0
        ends = (stride, -stride) if start > 0.0 else (-stride,)
        best = max(ends, key=height)
        if height(best) <= start:
            _look_closer(height, (-stride, 0.0, stride if start > 0.0 else 0.0))
            return
        before, here, further = 0.0, best, best
        while abs(here) < FAR and (here > -HOPELESS or height(here) > 0.0 or level(here).delta.gap < VAGUE):
            further = math.copysign(min(3.0 * abs(here), FAR), here)
            if effort.is_worn_out() or height(further) <= height(here):
                break
            before, here = here, further
        _look_closer(height, (min(before, further), here, max(before, further)))

    def _never_wrong(self, like: Floats) -> tuple[Floats, Floats]:
        """The value at α = 0: only an outright leak tells the inputs apart."""
        answer = self.backward.ask(ENDLESS)
        self.lower_by, self.upper_by = answer.upper_by, answer.lower_by
        found = complement(answer.enclosure)
        most = min(math.nextafter(found.upper, 2.0), 1.0) if self.backward.lasts else 1.0
        return np.full_like(like, found.lower), np.full_like(like, most)

    @effort.question()
    def chains(self, tolerance: float) -> tuple[Chain, Chain]:
        """From below the envelope of the lines; from above chords between points that are proved to be reachable."""
        for levels in (self.backward, self.forward):
            levels.refine(tolerance, MOST_LEVELS)
        over = self._over()
        places = np.unique([float(x) for x, _ in over.chain().corners])
        falling = np.minimum.accumulate(over.greatest(places, _SLACK))
        inner = [(float(x), float(y)) for x, y in zip(places, falling, strict=True) if x < 1.0]
        guessing = [(x, min(Fraction(y), 1 - Fraction(x))) for x, y in inner]  # without looking at the output at all
        self._remember()
        return self._under().chain(), Chain((*guessing, (1, 0)))

    def event(self, t: Real) -> EventProbabilities:
        r"""$A = \{L>t\}$: chords on both sides enclose $Q(A) = -\delta'(e^t)$, and $P(A) = \delta+e^tQ(A)$."""
        if t > FAR:
            least = self.forward.ask(t).lower
            return EventProbabilities(Enclosure(least, 1.0), Enclosure(0.0, math.exp(-FAR) * 2))
        here, q = self.forward.slope(t)
        with ctx.workprec(_BITS):
            low, high = (Enclosure.of(ball(d) + here.factor * ball(x)) for d, x in _ends(here.delta, q))
        return EventProbabilities(Enclosure(min(max(low.lower, 0.0), 1.0), min(high.upper, 1.0)), q)

    def swapped(self) -> Tradeoff:
        """The inverse function, from the same values."""
        return Envelope(self.backward, self.forward, self.lower_by, self.upper_by)

    def _under(self) -> _Lines:
        return _Lines(_Fan.under(self.backward.known), _Fan.under(self.forward.known))

    def _over(self) -> _Over:
        steep, flat = ([*levels.points(), *levels.knees()] for levels in (self.backward, self.forward))
        return _Over(_Fan.over(steep), _Fan.over(flat), ((self.backward, steep), (self.forward, flat)))

    def _size(self) -> int:
        return len(self.forward.known) + len(self.backward.known)

    def _remember(self) -> None:
        """Replace the claims of all levels by one that stands for them."""
        levels = [*self.forward.known, *self.backward.known]
        self.lower_by = next((level.upper_by for level in levels if level.upper_by), None)
        self.upper_by = next((level.lower_by for level in levels if level.lower_by), None)


@dataclass(frozen=True, slots=True)
class _Fan:
    """The numbers 1 − δ and e^t of several lines, rounded to one side."""

    height: Floats
    factor: Floats

    @classmethod
    def under(cls, levels: Sequence[Level]) -> _Fan:
        """Numbers of lines that are nowhere above the true ones."""
        heights = [Enclosure.exactly(1 - Fraction(level.delta.upper)).lower for level in levels]
        return cls(np.array(heights), np.array([Enclosure.of(level.factor).upper for level in levels]))

    @classmethod
    def over(cls, knees: Sequence[Knee]) -> _Fan:
        """Numbers of lines that are nowhere below the true ones."""
        heights = [Enclosure.exactly(1 - Fraction(knee.delta)).upper for knee in knees]
        return cls(np.array(heights), np.array([Enclosure.of(knee.factor).lower for knee in knees]))


@dataclass(frozen=True, slots=True)
class _Lines:
    """Steep lines β = 1 − δ − e^t α and flat ones β = e^−t (1 − δ − α)."""

    steep: _Fan
    flat: _Fan

    def _values(self, alpha: Floats, slack: float) -> tuple[Floats, Floats]:
        """The heights of all lines at all α, moved by their rounding errors in the direction of `slack`."""
        drop = self.steep.factor * alpha[:, None]
        steep = self.steep.height - drop + slack * (np.abs(self.steep.height) + drop)
        flat = (self.flat.height - alpha[:, None]) / self.flat.factor
        underflow = math.copysign(UNDERFLOW, slack) if slack else 0.0
        return steep + underflow, flat + slack * np.abs(flat) + underflow

    def greatest(self, alpha: Floats, slack: float) -> Floats:
        """The maximum of all lines and 0, rounded in the direction of `slack`."""
        steep, flat = self._values(alpha, slack)
        found: Floats = np.maximum(np.maximum(steep.max(axis=1), flat.max(axis=1)), 0.0)
        return found

    def chain(self) -> Chain:
        """A chain beneath the greatest line."""
        with ctx.workprec(_BITS):
            steep = [Descent(Ball(h), Ball(s)) for h, s in zip(self.steep.height, self.steep.factor, strict=True)]
            flat = [
                Descent((slope * h).lower(), slope)
                for h, s in zip(self.flat.height, self.flat.factor, strict=True)
                if (slope := (1 / Ball(s)).lower()) > 0
            ]
        return beneath(steep + flat)


@dataclass(frozen=True, slots=True)
class _Over(_Lines):
    """Lines over the levels and the knees between them."""

    knees: tuple[tuple[Levels, list[Knee]], tuple[Levels, list[Knee]]]

    def split(self, alpha: Floats, *, anyway: bool = False) -> int:
        """Add a level at each knee whose line is the greatest at some α, if that may improve the bound, or `anyway`.

        Returns the number of new levels.
        """
        steep, flat = self._values(alpha, 0.0)
        upright = steep.max(axis=1) >= flat.max(axis=1)
        fresh = 0
        for values, rows, (levels, knees) in zip((steep, flat), (upright, ~upright), self.knees, strict=True):
            best = {int(i) for i in values[rows].argmax(axis=1)}
            fresh += levels.split([knees[i] for i in best if anyway or knees[i].gap > 0.0])
        return fresh


def _look_closer(height: Callable[[float], float], bracket: tuple[float, float, float]) -> None:
    """Narrow a bracket of the maximum of a concave function, a few times."""
    low, middle, high = bracket
    for _ in range(CLOSER):
        if effort.is_worn_out():
            return
        upwards = high - middle >= middle - low
        probe = middle + GOLDEN * ((high if upwards else low) - middle)
        if height(probe) > height(middle):
            low, middle, high = (middle, probe, high) if upwards else (low, probe, middle)
        elif upwards:
            high = probe
        else:
            low = probe


def _guessing(alpha: Floats) -> Floats:
    """1 − α, rounded up: the error of a test that ignores the output."""
    return np.where(alpha < 1.0, np.minimum(np.nextafter(1.0 - alpha, 2.0), 1.0), 0.0)


def _ends(first: Enclosure, second: Enclosure) -> tuple[tuple[float, float], tuple[float, float]]:
    return (first.lower, second.lower), (first.upper, second.upper)


__all__ = ["Envelope"]
