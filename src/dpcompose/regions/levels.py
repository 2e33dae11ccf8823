r"""What certified values of one profile at some levels imply for all levels.

As a function of $s = e^t$ a profile $\delta(s) = \max_A P(A) - sQ(A)$ is convex and falls, with the slope $-Q(A)$. Two
things follow from its values at a few levels.

* *From above*: each value gives a line that no pair of errors crosses, and chords lie above the profile.
* *From below*: the chord before a level bounds the slope at it, and so does the chord after it. Between two levels the
  profile lies above both prolonged chords, hence above the broken line over the point `knee` where they meet.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from dpcompose.description import Composition, Mechanism, Wrapper
from dpcompose.kernel import Claim, Side
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.parameters import declared
from dpcompose.prove.answer import Answer

FAR = 700.0
"""e^700 is still a float; larger odds make a test as good as certain."""
ENDLESS = 1e300
"""At this level δ equals the leak, as far as floats tell, unless parameters are extreme."""
MEASURE = 1e40
"""Parameters above this, or below its inverse, may make a single loss that large."""
_BITS = 128
_FIRST = 12
_LEAST_LEVEL = 1e-12
_FLAT = 1e-13
_NEAR, _STRIDE = math.log(0.1), math.log(3.0)
_EDGE = 2.0**-90


class Ask(Protocol):
    """A function that computes δ at one level."""

    def __call__(self, t: Real, among: Sequence[Claim[Any]] = (), side: Side = Side.BOTH) -> Answer:
        """δ at t, by these claims or, if none are given, by all that bound a wanted end."""


@dataclass(frozen=True, slots=True, order=True)
class Level:
    """δ at t, with e^t and the claims behind both ends."""

    t: Real
    factor: Ball = field(compare=False)
    delta: Enclosure = field(compare=False)
    upper_by: Claim[Any] | None = field(compare=False)
    lower_by: Claim[Any] | None = field(compare=False)

    def __and__(self, other: Level) -> Level:
        """The intersection of two enclosures at one level."""
        low, high = (max(self, other, key=lambda x: x.delta.lower), min(self, other, key=lambda x: x.delta.upper))
        ends = Enclosure(low.delta.lower, max(high.delta.upper, low.delta.lower))
        return Level(self.t, self.factor, ends, high.upper_by, low.lower_by)


@dataclass(frozen=True, slots=True)
class Knee:
    """A point below the profile; between the neighbouring levels the profile lies above its chords to them."""

    factor: Ball
    delta: float
    gap: float
    """How far the chord between the levels lies above the knee, beyond their own width: the gain of a further level."""
    middle: float
    """Where that further level should be."""
    index: int
    """The index of the level before the knee."""


@dataclass(slots=True)
class Levels:
    """The levels at which a profile is known, sorted."""

    ask: Ask
    lasts: bool
    """Whether δ is constant beyond `ENDLESS`: not where finite losses may be greater still."""
    known: list[Level] = field(default_factory=list)
    leak: float = 0.0
    """A lower bound on δ up to that level."""
    is_spread: bool = False

    def at(self, t: Real) -> Level:
        """The value at a level, computed unless it is known."""
        i = bisect_left(self.known, t, key=lambda level: level.t)
        return self.known[i] if i < len(self.known) and self.known[i].t == t else self._add(t, i)

    def _add(self, t: Real, i: int) -> Level:
        """Compute the value at one more level; between two levels only the claims that gave their values are used."""
        beside = self.known[i - 1 : i + 1] if 0 < i < len(self.known) else []
        answer = self.ask(t, [claim for level in beside for claim in (level.upper_by, level.lower_by) if claim])
        found = Enclosure(max(answer.lower, self.leak), max(answer.upper, self.leak))
        with ctx.workprec(_BITS):
            level = Level(t, ball(t).exp(), found, answer.upper_by, answer.lower_by)
        self.known.insert(i, level)
        return level

    def open(self) -> None:
        """Compute the values at both ends of the profile."""
        if not self.known:
            self.leak = self.ask(ENDLESS, side=Side.LOWER).lower
            self.at(0.0)

    def begin(self) -> None:
        """Compute both ends, find where the profile has levelled out, and spread a few levels up to there."""
        if self.is_spread:
            return
        self.is_spread = True
        self.open()
        if self.is_level(self.known[0]):
            return
        low, high, is_level = math.log(_LEAST_LEVEL), math.log(FAR), False
        while high - low > 0.4:  # in strides: far beyond the end of a profile its values are dear, and say nothing
            middle = min((low + high) / 2, max(low, _NEAR) + _STRIDE)
            if self.is_level(self.at(math.exp(middle))):
                high, is_level = middle, True
            else:
                low = middle
        if not is_level:
            self.at(FAR)
        for i in range(1, _FIRST):
            self.at(math.exp(high) * i / _FIRST)

    def is_level(self, level: Level) -> bool:
        """Whether δ has nearly fallen to the leak at a level; the value at the far end is then known without computing
        it.
        """
        if level.delta.upper > self.leak + _FLAT:
            return False
        if self.known[-1].t < FAR:
            self._levelled(level)
        return True

    def _levelled(self, level: Level) -> None:
        beyond = Enclosure(self.leak, level.delta.upper)
        with ctx.workprec(_BITS):
            self.known.append(Level(FAR, ball(FAR).exp(), beyond, level.upper_by, None))

    def refine(self, tolerance: float, most: int) -> None:
        """Split every interval whose knee leaves too wide a gap, until there are none or there are `most` levels."""
        self.begin()
        while len(self.known) < most and not effort.is_worn_out():
            wide = [knee for knee in self.knees() if knee.gap > tolerance]
            wide.sort(key=lambda knee: -knee.gap)
            fresh = self.split(wide[: most - len(self.known)])
            if not fresh:
                return

    def split(self, knees: list[Knee]) -> int:
        """Compute the values in the middle of these intervals; returns the number of new levels."""
        have = {level.t for level in self.known}
        fresh = {knee.middle for knee in knees} - have
        for t in fresh:
            self.at(t)
        return len(fresh)

    def slope(self, t: Real) -> tuple[Level, Enclosure]:
        r"""The level at `t`, and $-\delta'(e^t)$, enclosed between the slopes of two chords."""
        self.begin()
        near = max(abs(float(t)), 0.01) * 1e-5
        for level in sorted({t, max(float(t) - near, 0.0), float(t) + near}):
            self.at(level)
        i = [level.t for level in self.known].index(t)
        with ctx.workprec(_BITS):
            least, most = Enclosure.of(self._flattest(i)).lower, Enclosure.of(self._steepest(i)).upper
        return self.known[i], Enclosure(min(least, 1.0), min(most, 1.0))

    def points(self) -> Iterator[Knee]:
        """The levels themselves, as knees without a gap."""
        for i, level in enumerate(self.known):
            yield Knee(level.factor, level.delta.lower, 0.0, float(level.t), i)

    def knees(self) -> Iterator[Knee]:
        """The knees between neighbouring levels, and one beyond the last level."""
        with ctx.workprec(_BITS):
            for i in range(len(self.known)):
                knee = self._knee(i)
                if knee is not None:
                    yield knee

    def _knee(self, i: int) -> Knee | None:
        """Where the chord before level `i` meets the chord after level `i + 1`; both are lower bounds of δ."""
        here = self.known[i]
        fall = self._steepest(i)
        if i + 1 == len(self.known):
            return self._beyond(here, fall)
        there = self.known[i + 1]
        drop, width = ball(here.delta.lower) - there.delta.lower, there.factor - here.factor
        least = self._flattest(i + 1)
        step = ((drop - least * width) / (fall - least)).mid() if fall > least else width.mid() / 2
        edge = width.mid().min(here.factor.mid()) * _EDGE
        step = step.max(edge).min(width.mid() - edge)  # sound anywhere between, best where the chords meet
        factor = (here.factor + step).mid()
        before = here.delta.lower - fall * (factor - here.factor)
        after = there.delta.lower + least * (there.factor - factor)
        delta = min(Enclosure.of(before).lower, Enclosure.of(after).lower)
        chord = here.delta.upper - (ball(here.delta.upper) - there.delta.upper) * step / width
        noise = max(here.delta.upper - here.delta.lower, there.delta.upper - there.delta.lower)
        gap = max(Enclosure.of(chord - delta).upper - 3 * noise, 0.0)
        return Knee(factor, delta, gap, _between(here.t, there.t, factor), i)

    def _beyond(self, last: Level, fall: Ball) -> Knee | None:
        """The knee beyond the last level: δ falls no faster there than before it, and not below the leak, if that is
        certain.
        """
        floor = self.leak if self.lasts else 0.0
        if not (last.delta.lower > floor and fall > 0):
            return None
        factor = (last.factor + (ball(last.delta.lower) - floor) / fall).mid()
        below = last.delta.lower - fall * (factor - last.factor)
        return Knee(factor, min(Enclosure.of(below).lower, floor), 0.0, FAR, len(self.known) - 1)

    def _steepest(self, i: int) -> Ball:
        r"""An upper bound on $-\delta'$ at and after level $i$: the chord before it, and $Q(A) \le (1-\delta)/s$."""
        here = self.known[i]
        most = (1 - ball(here.delta.lower)) / here.factor
        if i:
            before = self.known[i - 1]
            chord = (ball(before.delta.upper) - here.delta.lower) / (here.factor - before.factor)
            most = chord if chord.is_finite() and chord < most else most
        return most.upper()

    def _flattest(self, i: int) -> Ball:
        r"""A lower bound on $-\delta'$ at and before level $i$: the chord after it."""
        if i + 1 == len(self.known):
            return ball(0)
        here, after = self.known[i], self.known[i + 1]
        chord = (ball(here.delta.lower) - after.delta.upper) / (after.factor - here.factor)
        return chord.lower() if chord.is_finite() and chord > 0 else ball(0)


def is_moderate(subject: Mechanism) -> bool:
    """Whether all finite losses are certainly below `ENDLESS`: they are at most products of a few parameters."""
    if isinstance(subject, Composition):
        return all(is_moderate(part) for part, _ in subject.parts)
    amounts = [getattr(subject, name) for name, param in declared(type(subject)).items() if param.high > 1]
    lists = [x for x in (getattr(subject, field.name) for field in fields(subject)) if isinstance(x, tuple)]  # type: ignore[arg-type]  # a dataclass
    small = all(1 / MEASURE <= x <= MEASURE for x in amounts if x)
    return small and all(map(_is_short, lists)) and (not isinstance(subject, Wrapper) or is_moderate(subject.mechanism))


def _is_short(numbers: tuple[Any, ...]) -> bool:
    return all(_is_short(x) if isinstance(x, tuple) else x <= MEASURE for x in numbers)


def _between(start: Real, end: Real, factor: Ball) -> float:
    """The level t of a factor e^t, kept away from both ends of its interval."""
    low, high = float(start), float(end)
    edge = (high - low) / 8
    return min(max(float(factor.log().mid()), low + edge), high - edge)


__all__ = ["ENDLESS", "FAR", "Knee", "Level", "Levels", "is_moderate"]
