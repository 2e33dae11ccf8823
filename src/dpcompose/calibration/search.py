"""From a family and a target to the last value that meets the target, with a proof on either side.

Floats guide the search: the costs seen so far predict where the target is met. Proofs end it: one value is shown to
meet the target and a value next to it to miss it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dpcompose.calibration.sketch import Sketch, start, tried
from dpcompose.calibration.trial import Axis, RealAxis, Trial, TrialPoint
from dpcompose.errors import InvalidParameter, NotProvable
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import short
from dpcompose.prove.answer import delta as delta_at

EVALUATIONS = 200
FAR = 3.0
"""The longest first step, in units of the axis (e-folds of the parameter)."""
NEAR = 1e-3
"""Closer to the target than this, in units of the axis, only the sharpest answers decide."""


@dataclass(slots=True)
class Hunt:
    """The values tried so far: the last one that meets the target, and the nearest one not shown to meet it."""

    trial: Trial
    axis: Axis
    points: list[TrialPoint] = field(default_factory=list)
    good: Real | None = None
    bad: Real | None = None
    doubt: float = math.inf
    """How far the prediction from three points lies from that from two: an estimate of its error."""
    slope: float | None = None
    """The slope of the height at the start, if it was sketched: the search then starts next to the goal."""

    def look(self, value: Real) -> TrialPoint:
        """Evaluate the family at a value, and remember the result."""
        point = TrialPoint(value, self.axis.place(value), self.trial.height(value))
        self.points.append(point)
        return point

    def judge(self, value: Real) -> bool:
        """Whether a value meets the target; the bracket is narrowed to it on that side."""
        if not any(point.value == value for point in self.points):
            self.look(value)
        if self.trial.met(value):
            self.good = value
            return True
        self.bad = value
        return False

    def predicted(self) -> float | None:
        """The predicted place of the target, from the last two or three values; None where they say nothing."""
        goal = self.trial.target.scale(float(self.trial.target.limit))
        known = [p for p in self.points if math.isfinite(p.height)][-3:]
        if not math.isfinite(goal) or len({p.height for p in known}) < 2:
            return None
        straight = _line(known[-2], known[-1], goal)
        if len({p.height for p in known}) == 3:
            bent = _parabola(known, goal)
            self.doubt = abs(bent - straight)
            spread = max(p.place for p in known) - min(p.place for p in known)
            if self.doubt <= spread:
                return bent
        return straight if math.isfinite(straight) else None


def _line(a: TrialPoint, b: TrialPoint, goal: float) -> float:
    """Where the line through two points reaches the goal; NaN if they are level."""
    if a.height == b.height:
        return math.nan
    return b.place + (goal - b.height) * (b.place - a.place) / (b.height - a.height)


def _parabola(known: list[TrialPoint], goal: float) -> float:
    """Where the parabola through three points, place as a function of height, reaches the goal."""
    a, b, c = known
    left, right = _line(b, c, goal), _line(a, c, goal)
    return left + (goal - b.height) * (right - left) / (a.height - b.height)


def rising(hunt: Hunt) -> bool | None:
    """Whether the cost grows along the axis, from two values where it differs; None where it never differs."""
    axis = hunt.axis
    first = hunt.look(axis.start)
    for place in _probes(hunt, first):
        value = axis.value(place)
        if value == first.value:
            continue
        seen = hunt.look(value)
        if seen.height != first.height:
            return (seen.height > first.height) == (seen.place > first.place)
    return None


def _probes(hunt: Hunt, first: TrialPoint) -> Iterator[float]:
    """Places to try: first where the target would be met if the cost grew as expected, then further on both sides."""
    lack = hunt.trial.target.scale(float(hunt.trial.target.limit)) - first.height
    if math.isfinite(lack) and hunt.slope is not None and abs(lack / hunt.slope) < NEAR:
        ahead, step = lack / hunt.slope, _step(hunt.axis, first.value)
        # Next to the goal, step just across it, which gives both ends. Else aim half a step on its safe side.
        across = 0.98 * math.copysign(step, ahead)
        yield first.place + (across if abs(ahead) < 0.9 * step else ahead - math.copysign(step / 2, hunt.slope))
    elif math.isfinite(lack):
        step = lack / (hunt.axis.slope if hunt.slope is None else hunt.slope)
        yield first.place + math.copysign(min(max(abs(step), 0.01), FAR), step)
    low, high = hunt.axis.place(hunt.axis.low), hunt.axis.place(hunt.axis.high)
    away = 1.0
    while first.place - away / 2 > low or first.place + away / 2 < high:
        yield max(first.place - away, low)
        yield min(first.place + away, high)
        away *= 2


def _step(axis: Axis, value: Real) -> float:
    """The length, on the axis, of its smallest step at this value."""
    return axis.place(axis.beside(value, 1)) - axis.place(value)


def bracket(hunt: Hunt, towards_safety: int) -> bool:
    """Go outward until one value meets the target and another does not; False where the axis ends before that."""
    axis, reach = hunt.axis, 1.0
    for point in list(hunt.points):
        hunt.judge(point.value)
    _nearest(hunt, towards_safety)
    while hunt.good is None or hunt.bad is None:
        known = hunt.bad if hunt.good is None else hunt.good
        sign = towards_safety if hunt.good is None else -towards_safety
        assert known is not None  # noqa: S101 - some value was judged
        if known == (axis.high if sign > 0 else axis.low):
            return False
        here, guess = axis.place(known), hunt.predicted()
        ahead = (guess - here) * sign if guess is not None else reach
        step = min(ahead, 4 * reach) if ahead > 0 else reach / 16
        value = axis.value(here + sign * step)
        aside = axis.clipped(axis.beside(known, sign))
        hunt.judge(value if (value - aside) * sign > 0 else aside)
        reach *= 2
    return True


def _nearest(hunt: Hunt, towards_safety: int) -> None:
    """Keep, of all values tried, the neighbouring pair of which one meets the target and the other does not."""
    met = [p.value for p in hunt.points if hunt.trial.met(p.value)]
    not_met = [p.value for p in hunt.points if not hunt.trial.met(p.value)]
    hunt.good = (min(met) if towards_safety > 0 else max(met)) if met else None
    hunt.bad = (max(not_met) if towards_safety > 0 else min(not_met)) if not_met else None


def narrow(hunt: Hunt) -> None:
    """Close the bracket to the smallest step of the axis."""
    axis, steps, last, slow = hunt.axis, 1.0, None, 0
    for _ in range(EVALUATIONS):
        assert hunt.good is not None and hunt.bad is not None  # noqa: S101, PT018 - the bracket has two ends
        left, right = sorted((hunt.good, hunt.bad))
        width = axis.place(right) - axis.place(left)
        guess = hunt.predicted() if slow < 3 else None
        place = guess if guess is not None else (axis.place(left) + axis.place(right)) / 2
        value = axis.between(place, left, right, steps)
        if value is None:
            return
        fine = axis.place(axis.beside(value, 1)) - axis.place(value) < NEAR
        hunt.trial.first_gap = -1 if fine and min(hunt.doubt, width) < NEAR else 0
        side = hunt.judge(value)
        crept = value != axis.value(place) and side == last
        steps, last = (4 * steps if crept else 1.0), side
        halved = abs(axis.place(hunt.good) - axis.place(hunt.bad)) <= width / 2
        slow = 0 if halved else slow + 1


def beyond(hunt: Hunt, away: int) -> Real | None:
    """The nearest value on the unsafe side that is shown to miss the target; None where no value is."""
    axis, steps = hunt.axis, 1.0
    near = value = hunt.bad
    while value is not None and not hunt.trial.missed(value):
        if value == (axis.high if away > 0 else axis.low):
            return None
        near, value = value, axis.clipped(axis.beside(value, away * steps))
        steps *= 16
    for _ in range(3 if near != value else 0):  # only where both ends are far apart
        assert near is not None and value is not None  # noqa: S101, PT018
        middle = axis.middle(near, value)
        near, value = (near, middle) if hunt.trial.missed(middle) else (middle, value)
    return value


def search_axis(trial: Trial, axis: Axis) -> tuple[Real, Real | None]:
    """The last value that meets the target, and the nearest one shown to miss it."""
    hunt = sketched(trial, axis) or Hunt(trial, axis)
    grows = rising(hunt)
    if grows is None:
        return _constant(hunt), None
    safety = -1 if grows else 1
    if not bracket(hunt, safety):
        if hunt.good is None:
            raise NotProvable(f"No value from {short(axis.low)} to {short(axis.high)} is shown to meet {trial.target}")
        return hunt.good, None
    narrow(hunt)
    assert hunt.good is not None  # noqa: S101 - the bracket has two ends
    return hunt.good, beyond(hunt, -safety)


def sketched(trial: Trial, axis: Axis) -> Hunt | None:
    """A hunt that starts where floats expect it to end, and asks for sharp answers at once; None where floats fail."""
    sketch, scale, family = trial.target.sketch, trial.target.scale, trial.family
    goal = scale(float(trial.target.limit))
    if sketch is None or not isinstance(axis, RealAxis) or not math.isfinite(goal):
        return None

    def height(place: float, look: Sketch = sketch) -> float | None:
        found = look(family(axis.value(place)))
        return None if found is None else scale(found)

    found = start(height, goal, axis.place(axis.start), axis.slope)
    if found is None or not axis.place(axis.low) < found.place < axis.place(axis.high):
        return None
    sharp = tried(lambda place: height(place, trial.target.glance or sketch), found.place)
    trial.first_gap = -1
    towards = found.place if sharp is None else found.place + (goal - sharp) / found.slope
    aside = math.copysign(_step(axis, axis.value(towards)) / 4, found.slope)  # a little on the safe side
    return Hunt(trial, replace(axis, start=float(axis.value(towards - aside))), slope=found.slope)


def _constant(hunt: Hunt) -> Real:
    """The answer for a cost that does not change along the axis, as far as floats tell: an end of the axis, or a
    refusal.
    """
    axis, trial = hunt.axis, hunt.trial
    if not trial.met(axis.start):
        raise NotProvable(f"No value from {short(axis.low)} to {short(axis.high)} is shown to meet {trial.target}")
    least, most = (delta_at(trial.family(end), 0).upper for end in (axis.low, axis.high))
    if least == most and isinstance(axis.start, float):
        raise InvalidParameter("family", trial.family, "a cost that changes with the parameter")
    end = axis.high if least <= most else axis.low
    return end if trial.met(end) else axis.start


__all__ = ["search_axis"]
