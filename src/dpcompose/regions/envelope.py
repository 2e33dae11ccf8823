"""Trade-off functions known through certified values of both profiles, asked where they matter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpcompose.kernel import Claim
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.regions.chain import Chain, Descent, Floats, beneath
from dpcompose.regions.levels import ENDLESS, FAR, Knee, Level, Levels
from dpcompose.regions.tradeoff import Event, Tradeoff, complement

MOST_LEVELS = 400
NEGLIGIBLE = 1e-12
_SLACK = 2.0**-50
_BITS = 128


@dataclass(slots=True)
class Envelope(Tradeoff):
    """The greatest of all lines below, and what the knees between the levels leave possible above."""

    forward: Levels
    """d_t(P, Q), which gives the flat lines."""
    backward: Levels
    """d_t(Q, P), which gives the steep ones."""
    lower_by: Claim[Any] | None = None
    upper_by: Claim[Any] | None = None

    def between(self, least: Floats, most: Floats, tolerance: float) -> tuple[Floats, Floats]:
        """Levels are added where the two bounds differ too much; whoever always errs one way never errs the other."""
        if np.all(least >= 1.0):
            return np.zeros_like(least), np.zeros_like(least)
        if np.all(most <= 0.0):
            return self._never_wrong(least)
        for levels in (self.backward, self.forward):
            levels.begin()
        while True:
            lower = self._under().greatest(most, -_SLACK)
            over = self._over()
            upper = np.minimum(over.greatest(least, _SLACK), _guessing(least))
            wide = upper - lower > np.maximum(tolerance * upper, NEGLIGIBLE)
            if not wide.any() or self._size() > 2 * MOST_LEVELS or not over.split(least[wide]):
                break
        self._remember()
        return lower, np.maximum(upper, lower)

    def _never_wrong(self, like: Floats) -> tuple[Floats, Floats]:
        """At α = 0 only what leaks gives the second input away."""
        answer = self.backward.ask(ENDLESS)
        self.lower_by, self.upper_by = answer.upper_by, answer.lower_by
        found = complement(answer.enclosure)
        most = min(math.nextafter(found.upper, 2.0), 1.0) if self.backward.lasts else 1.0
        return np.full_like(like, found.lower), np.full_like(like, most)

    def chains(self, tolerance: float) -> tuple[Chain, Chain]:
        """The lines' own envelope below; above, chords between points that the knees prove to be reached."""
        for levels in (self.backward, self.forward):
            levels.refine(tolerance, MOST_LEVELS)
        over = self._over()
        places = np.unique([float(x) for x, _ in over.chain().corners])
        falling = np.minimum.accumulate(over.greatest(places, _SLACK))
        inner = [(float(x), float(y)) for x, y in zip(places, falling, strict=True) if x < 1.0]
        guessing = [(x, min(Fraction(y), 1 - Fraction(x))) for x, y in inner]  # without looking at the output at all
        self._remember()
        return self._under().chain(), Chain((*guessing, (1, 0)))

    def event(self, t: Real) -> Event:
        r"""$A = \{L>t\}$: chords on both sides enclose $Q(A) = -\delta'(e^t)$, and $P(A) = \delta+e^tQ(A)$."""
        if t > FAR:
            least = self.forward.ask(t).lower
            return Event(Enclosure(least, 1.0), Enclosure(0.0, math.exp(-FAR) * 2))
        here, q = self.forward.slope(t)
        with ctx.workprec(_BITS):
            low, high = (Enclosure.of(ball(d) + here.factor * ball(x)) for d, x in _ends(here.delta, q))
        return Event(Enclosure(min(max(low.lower, 0.0), 1.0), min(high.upper, 1.0)), q)

    def swapped(self) -> Tradeoff:
        """The same values, read the other way round."""
        return Envelope(self.backward, self.forward, self.lower_by, self.upper_by)

    def _under(self) -> _Lines:
        return _Lines(_Fan.under(self.backward.known), _Fan.under(self.forward.known))

    def _over(self) -> _Over:
        steep, flat = ([*levels.points(), *levels.knees()] for levels in (self.backward, self.forward))
        return _Over(_Fan.over(steep), _Fan.over(flat), ((self.backward, steep), (self.forward, flat)))

    def _size(self) -> int:
        return len(self.forward.known) + len(self.backward.known)

    def _remember(self) -> None:
        """One claim stands for all that were asked."""
        levels = [*self.forward.known, *self.backward.known]
        self.lower_by = next((level.upper_by for level in levels if level.upper_by), None)
        self.upper_by = next((level.lower_by for level in levels if level.lower_by), None)


@dataclass(frozen=True, slots=True)
class _Fan:
    """Heights 1 − δ and factors e^t, rounded towards one side."""

    height: Floats
    factor: Floats

    @classmethod
    def under(cls, levels: Sequence[Level]) -> _Fan:
        """Lines nowhere above the true ones."""
        heights = [Enclosure.exactly(1 - Fraction(level.delta.upper)).lower for level in levels]
        return cls(np.array(heights), np.array([Enclosure.of(level.factor).upper for level in levels]))

    @classmethod
    def over(cls, knees: Sequence[Knee]) -> _Fan:
        """Lines nowhere below the true ones."""
        heights = [Enclosure.exactly(1 - Fraction(knee.delta)).upper for knee in knees]
        return cls(np.array(heights), np.array([Enclosure.of(knee.factor).lower for knee in knees]))


@dataclass(frozen=True, slots=True)
class _Lines:
    """Steep lines β = 1 − δ − e^t α and flat ones β = e^−t (1 − δ − α)."""

    steep: _Fan
    flat: _Fan

    def _values(self, alpha: Floats, slack: float) -> tuple[Floats, Floats]:
        """All lines at all α, moved by the rounding they may have suffered in the direction of `slack`."""
        drop = self.steep.factor * alpha[:, None]
        steep = self.steep.height - drop + slack * (np.abs(self.steep.height) + drop)
        flat = (self.flat.height - alpha[:, None]) / self.flat.factor
        return steep, flat + slack * np.abs(flat)

    def greatest(self, alpha: Floats, slack: float) -> Floats:
        """The greatest of all lines and 0, rounded in the direction of `slack`."""
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

    def split(self, alpha: Floats) -> int:
        """Add a level at each knee over which an α has its greatest line; how many were new."""
        steep, flat = self._values(alpha, 0.0)
        upright = steep.max(axis=1) >= flat.max(axis=1)
        fresh = 0
        for values, rows, (levels, knees) in zip((steep, flat), (upright, ~upright), self.knees, strict=True):
            best = {int(i) for i in values[rows].argmax(axis=1)}
            fresh += levels.split([knees[i] for i in best if knees[i].gap > 0.0])
        return fresh


def _guessing(alpha: Floats) -> Floats:
    """1 − α, rounded up: what a test that ignores the output reaches."""
    return np.where(alpha < 1.0, np.minimum(np.nextafter(1.0 - alpha, 2.0), 1.0), 0.0)


def _ends(first: Enclosure, second: Enclosure) -> tuple[tuple[float, float], tuple[float, float]]:
    return (first.lower, second.lower), (first.upper, second.upper)


__all__ = ["Envelope"]
