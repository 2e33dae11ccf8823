"""Fitting a noise to a goal: the least amount with which k queries reach it, and whether a given amount would do."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from dpcompose.advice.noises import Contender, NoisyQuery
from dpcompose.calibration import calibrate
from dpcompose.calibration.search import search_axis
from dpcompose.calibration.targets import indistinguishable
from dpcompose.calibration.trial import RealAxis, Trial
from dpcompose.errors import DPError, InvalidParameter, NotProvable
from dpcompose.exact.normal import normal_mu
from dpcompose.mechanisms.geometric import SHIFT
from dpcompose.numerics.enclosure import Enclosure, Real, ball, enclose
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.prove.answer import Answer

STEP, GAP = 5e-5, 1e-5
"""The precision with which noises are fitted for comparison: it tells one part in ten thousand apart."""
WIDE = 1e6


@dataclass(frozen=True, slots=True)
class NoiseGoal:
    """The limit for all queries together, and the sensitivity of each."""

    epsilon: Real
    delta: Real
    query: NoisyQuery

    def __post_init__(self) -> None:
        EPSILON.check("epsilon", self.epsilon)
        if DELTA.check("delta", self.delta) == 1:
            raise InvalidParameter("delta", self.delta, "a number below 1, at which noise is needed at all")
        if not self.query.sensitivity > 0:
            raise InvalidParameter("sensitivity", self.query.sensitivity, "a positive number, so that noise is needed")

    @property
    def counts(self) -> bool:
        """Whether integer-valued noise suits the sensitivity."""
        return self.query.sensitivity == int(self.query.sensitivity) <= SHIFT.high

    def spread(self, queries: int) -> float:
        """A rough standard deviation that suffices: the smaller of what Laplace and Gaussian noise need."""
        shift = float(self.query.sensitivity)
        mu = normal_mu(self.epsilon, self.delta).upper
        normal = shift * math.sqrt(queries) / mu if mu > 0 else math.inf
        pure = math.sqrt(2) * queries * shift / float(self.epsilon) if self.epsilon else math.inf
        return min(normal, pure)


@dataclass(frozen=True, slots=True)
class Option:
    """One kind of noise, in the least amount that reaches the goal."""

    noise: Contender
    parameter: Real
    deviation: Enclosure
    """The standard deviation of one answer."""
    error: float
    """An upper bound on the error of 19 of 20 answers."""
    answer: Answer
    """What all queries cost together."""

    @property
    def name(self) -> str:
        """The kind of noise."""
        return self.noise.name

    def document(self) -> dict[str, object]:
        """Everything as plain values, for JSON."""
        return {
            "noise": self.name,
            "parameter": {self.noise.parameter: float(self.parameter)},
            "deviation": self.deviation.upper,
            "variance": enclose(lambda: ball(self.deviation) ** 2, gap=2.0**-40).upper,
            "within_19_of_20": self.error,
        }


def advised(noise: Contender, goal: NoiseGoal, queries: int) -> Option | None:
    """The least amount of a noise, as fine as `calibrate` finds it; None where no amount is shown to reach the goal."""
    roughly = fitted(noise, goal, queries)
    if roughly is None:
        return None
    try:
        found = calibrate(
            lambda parameter: queries * noise.member(goal.query, parameter), epsilon=goal.epsilon, delta=goal.delta
        )
    except DPError:
        return roughly
    query, value = goal.query, found.value
    return Option(noise, value, noise.deviation(query, value), noise.error(query, value), found.answer)


def fitted(noise: Contender, goal: NoiseGoal, queries: int) -> Option | None:
    """The least amount of a noise, for comparisons only; None where no amount is shown to reach the goal."""
    if not goal.delta and (noise.normal or not goal.epsilon):
        return None
    trial = _trial(noise, goal, queries)
    start = noise.having(goal.query, goal.spread(queries))
    start = min(max(start, 1e-140), 1e140)
    axis = RealAxis(max(start / WIDE, 1e-150), min(start * WIDE, 1e150), start, noise.slope, STEP)
    try:
        value, _ = search_axis(trial, axis)
    except NotProvable:
        return None
    query = goal.query
    return Option(noise, value, noise.deviation(query, value), noise.error(query, value), trial.at(value))


def suffices(noise: Contender, goal: NoiseGoal, queries: int, deviation: float) -> bool:
    """Whether a noise of this standard deviation reaches the goal."""
    if not goal.delta and (noise.normal or not goal.epsilon):
        return False
    return _trial(noise, goal, queries).met(noise.having(goal.query, deviation))


def _trial(noise: Contender, goal: NoiseGoal, queries: int) -> Trial:
    target = replace(indistinguishable(goal.epsilon, goal.delta), gaps=(GAP,))
    return Trial(lambda parameter: queries * noise.member(goal.query, parameter), target)


__all__ = ["NoiseGoal", "Option", "advised", "fitted", "suffices"]
