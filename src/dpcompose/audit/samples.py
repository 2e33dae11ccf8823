r"""Lower bounds from outputs on two neighbouring inputs, or from an attack's hits and misses.

**What is promised.** Let an event have probability $P(S)$ on one input and $Q(S)$ on the other. With $a \le P(S)$ at
confidence $1-\alpha/2$ and $b \ge Q(S)$ at confidence $1-\alpha/2$ (Clopper and Pearson, exact), both hold with
confidence $1-\alpha$, and then

$$\varepsilon \ge \ln\frac{a-\delta}{b}, \qquad \varepsilon \ge \ln\frac{(1-b)-\delta}{1-a}.$$

The second is the complement, that is the two inputs exchanged; it rests on the same two limits and costs nothing.

**Many thresholds.** The event is chosen on one half of the outputs and counted on the other half, so there is one
event and no correction. A `region` has many events at once and divides $\alpha$ among them (Bonferroni). An event
that was fixed before the outputs were drawn may be counted on all of them.

**What is assumed.** The outputs on an input are independent and alike: one output, or one score, from each run. Scores
of many members of *one* training run are not: see `one_run`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcompose.audit.choosing import choose, spread
from dpcompose.audit.clopper_pearson import Trials, confidence_level, least_log_odds, most_log_odds
from dpcompose.audit.events import Event
from dpcompose.audit.outputs import OutputPair, Score, paired
from dpcompose.audit.readings import ANY, Point, Reading
from dpcompose.audit.result import Audit, Separation
from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import DELTA, Whole, exact
from dpcompose.progress import watched

RUNS = Whole("n", 2, 10**9, "runs", typical=(1000, 10**6))
_INPUTS, _MEMBERSHIP = ("first input", "second input"), ("members", "non-members")
POINTS = Whole("points", 1, 1000, "events", typical=(4, 64))


def lower_bound(
    first: Iterable[Any],
    second: Iterable[Any],
    *,
    delta: Real,
    confidence: Real = 0.95,
    score: Score | None = None,
    event: Event | None = None,
    reading: Reading = ANY,
) -> Audit:
    """A lower bound on ε at δ from outputs on two neighbouring inputs.

    Outputs are numbers, or hashable outcomes, or anything that `score` turns into a number. Without an `event`, the
    best one is chosen on one half of the outputs and counted on the other.
    """
    return _audited(paired(first, second, score), event, delta, confidence, reading, _INPUTS)


def from_scores(
    members: Iterable[float],
    non_members: Iterable[float],
    *,
    delta: Real,
    confidence: Real = 0.95,
    event: Event | None = None,
    reading: Reading = ANY,
) -> Audit:
    """A lower bound on ε at δ from an attack's scores, each from a run of its own, with and without the member."""
    return _audited(paired(members, non_members), event, delta, confidence, reading, _MEMBERSHIP)


def _audited(  # noqa: PLR0917 - what every way in hands on
    pair: OutputPair, event: Event | None, delta: Real, confidence: Real, reading: Reading, inputs: tuple[str, str]
) -> Audit:
    """Count an event on all outputs or, if there is none, choose it on one half and count it on the other."""
    delta, level = DELTA.check("delta", delta), confidence_level(confidence)
    chosen_on = None
    if event is None:
        known, pair = pair.halves()
        event = choose(known, float(delta), float(level) / 2, reading)
        chosen_on = len(known.first), len(known.second)
    if event.numeric and not pair.numeric:
        raise InvalidParameter("event", str(event), "an event of outcomes, as these outputs are not numbers")
    witness = replace(_separation(event, _counted(event, pair), level, reading, inputs), chosen_on=chosen_on)
    return Audit(witness, delta, exact("confidence", confidence))


def from_counts(
    *,
    true_positives: int,
    false_negatives: int,
    false_positives: int,
    true_negatives: int,
    delta: Real,
    confidence: Real = 0.95,
    reading: Reading = ANY,
) -> Audit:
    """A lower bound on ε at δ from the guesses of an attack, in runs that are independent of how it was tuned.

    >>> found = from_counts(
    ...     true_positives=812,
    ...     false_negatives=188,
    ...     false_positives=95,
    ...     true_negatives=905,
    ...     delta=1e-5,
    ... )
    >>> print(found.verdict((1.0, 1e-5)))
    VIOLATED: ε ≥ 1.92349 at δ = 1e-5, but (1, 1e-5)-DP promises ε ≤ 1

    `reading=GAUSSIAN` reads the same counts under the hypothesis of a Gaussian trade-off, and says so.
    """
    delta, level = DELTA.check("delta", delta), confidence_level(confidence)
    said = {"true_positives": true_positives, "false_negatives": false_negatives}
    said |= {"false_positives": false_positives, "true_negatives": true_negatives}
    counts = {name: int(Whole(name, 0, 10**9).check(name, count)) for name, count in said.items()}
    members = counts["true_positives"] + counts["false_negatives"]
    others = counts["false_positives"] + counts["true_negatives"]
    for name, total in (("true_positives + false_negatives", members), ("false_positives + true_negatives", others)):
        if total == 0:
            raise InvalidParameter(name, 0, "at least one run of each kind")
    trials = Trials(counts["true_positives"], members), Trials(counts["false_positives"], others)
    witness = _separation("the attack says member", trials, level, reading, _MEMBERSHIP)
    return Audit(witness, delta, exact("confidence", confidence))


def experiment(
    mechanism: Callable[[Any], Any],
    first: Any,
    second: Any,
    *,
    runs: int,
    delta: Real,
    confidence: Real = 0.95,
    score: Score | None = None,
    event: Event | None = None,
    reading: Reading = ANY,
) -> Audit:
    """Run a mechanism this many times on each of two neighbouring inputs, and bound its ε at δ from below.

    The two inputs take turns. The mechanism brings its own randomness; each call must draw afresh.
    """
    DELTA.check("delta", delta)
    confidence_level(confidence)
    pairs = [(mechanism(first), mechanism(second)) for _ in watched(int(RUNS.check("runs", runs)))]
    outputs = [output for output, _ in pairs], [output for _, output in pairs]
    return lower_bound(*outputs, delta=delta, confidence=confidence, score=score, event=event, reading=reading)


@dataclass(frozen=True, slots=True)
class LowerRegion:
    """Points that the mechanism's privacy region contains, all of them at once with the stated confidence.

    A point is a false-negative rate and a false-positive rate, both rounded up, that some test does not exceed.
    """

    witnesses: tuple[Separation, ...]
    confidence: Real

    @property
    def vertices(self) -> tuple[tuple[float, float], ...]:
        """The points as (false-negative rate, false-positive rate)."""
        return tuple((witness.point.missed, witness.point.unlikely) for witness in self.witnesses)

    @property
    def fnr(self) -> NDArray[np.float64]:
        """The false-negative rates."""
        return np.array([x for x, _ in self.vertices])

    @property
    def fpr(self) -> NDArray[np.float64]:
        """The false-positive rates."""
        return np.array([y for _, y in self.vertices])

    def epsilon(self, delta: Real) -> float:
        """The lower bound on ε at δ; valid for every δ at once."""
        at = DELTA.check("delta", delta)
        return max(witness.epsilon(at) for witness in self.witnesses)

    def __len__(self) -> int:
        return len(self.witnesses)


def region(
    first: Iterable[Any],
    second: Iterable[Any],
    *,
    confidence: Real = 0.95,
    points: int = 16,
    score: Score | None = None,
) -> LowerRegion:
    """Many points of the trade-off between the two errors, from outputs that are greater on the first input.

    Thresholds come from one half of the outputs, counts from the other; `1 - confidence` is divided evenly.
    """
    level, most = confidence_level(confidence), int(POINTS.check("points", points))
    pair = paired(first, second, score)
    if not pair.numeric:
        raise InvalidParameter("first", "outcomes that are not numbers", "numbers, or a score that makes them so")
    known, counted = pair.halves()
    events = spread(known, most)
    each = [_separation(event, _counted(event, counted), level / len(events), ANY, _INPUTS) for event in events]
    return LowerRegion(tuple(each), exact("confidence", confidence))


def _separation(
    event: object, trials: tuple[Trials, Trials], level: Fraction, reading: Reading, inputs: tuple[str, str]
) -> Separation:
    """Both limits, each at half the level."""
    first, second = trials
    point = Point(least_log_odds(first, level / 2), most_log_odds(second, level / 2))
    return Separation(event, first, second, point, reading, inputs)


def _counted(event: Event, pair: OutputPair) -> tuple[Trials, Trials]:
    return event.count(pair.first), event.count(pair.second)


__all__ = ["LowerRegion", "experiment", "from_counts", "from_scores", "lower_bound", "region"]
