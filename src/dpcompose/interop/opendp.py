"""OpenDP (0.16): the promises of its measurements as mechanisms, and our compositions as its privacy profiles."""

from __future__ import annotations

import math
from typing import Any

from dpcompose.description import Adjacency, Mechanism, Subject, described
from dpcompose.errors import InvalidParameter, NotProvable
from dpcompose.interop.neighbours import required
from dpcompose.interop.profiles import dominating_pair
from dpcompose.mechanisms import BlackBox
from dpcompose.prove.answer import delta as delta_at

_measures = required("opendp.measures", "opendp")
RELATIONS = {
    "SymmetricDistance()": Adjacency.ADD_REMOVE,
    "InsertDeleteDistance()": Adjacency.ADD_REMOVE,
    "ChangeOneDistance()": Adjacency.REPLACE_ONE,
    "HammingDistance()": Adjacency.REPLACE_ONE,
}
"""From OpenDP's metrics between datasets to our relations; distances between numbers fit any relation."""
MEASURES = "pure, zero-concentrated, approximate or smoothed differential privacy"
GRID = tuple(i / 64 for i in range(641)) + tuple(10 + i / 4 for i in range(1, 81))
"""The ε at which a profile is sampled."""


def from_measurement(measurement: Any, d_in: Any = 1) -> Mechanism:
    """What a measurement promises for inputs at distance `d_in`: a black box or, from a profile, a finite pair."""
    try:
        measure, metric = str(measurement.output_measure), str(measurement.input_metric)
        promised = measurement.map(d_in)
    except AttributeError:
        raise InvalidParameter("measurement", measurement, "a measurement of OpenDP") from None
    return from_map(measure, promised, RELATIONS.get(metric))


def from_map(measure: str, promised: Any, adjacency: Adjacency | None = None) -> Mechanism:
    """The value of a privacy map, under a measure of OpenDP, as a mechanism."""
    if measure == "MaxDivergence":
        return _box(adjacency, epsilon=promised)
    if measure == "ZeroConcentratedDivergence":
        return _box(adjacency, rho=promised)
    if measure == "Approximate(MaxDivergence)":
        return _box(adjacency, epsilon=promised[0], delta=promised[1])
    if measure == "Approximate(ZeroConcentratedDivergence)":
        return _box(adjacency, rho=promised[0], delta=promised[1])
    if measure == "SmoothedMaxDivergence":
        return dominating_pair(promised.delta, GRID, adjacency)
    raise InvalidParameter("output_measure", measure, MEASURES)


def _box(adjacency: Adjacency | None, **promise: Any) -> Mechanism:
    """A black box with this promise; an infinite promise becomes δ = 1, which promises nothing."""
    if math.inf in promise.values():
        return BlackBox(epsilon=0, delta=1, adjacency=adjacency)
    return BlackBox(adjacency=adjacency, **promise)


def to_profile(mechanism: Subject) -> Any:
    """A mechanism as a `PrivacyProfile` of OpenDP: the upper end of δ at every ε."""
    subject = described(mechanism)

    def curve(epsilon: float) -> float:
        if epsilon == math.inf:
            epsilon = 1e300
        try:
            return delta_at(subject, epsilon).upper
        except NotProvable:
            return 1.0

    return _measures.new_privacy_profile(curve)


__all__ = ["from_map", "from_measurement", "to_profile"]
