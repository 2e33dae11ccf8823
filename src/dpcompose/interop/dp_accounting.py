"""dp_accounting (0.6): our accountant in its place, and its events as our mechanisms and back.

>>> from dp_accounting import GaussianDpEvent
>>> from dpcompose import interop
>>> accountant = interop.dp_accounting.Accountant()
>>> accountant.compose(GaussianDpEvent(noise_multiplier=2.0), 10).get_epsilon(
...     target_delta=1e-6
... ) < 9.1
True
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dpcompose.description import Adjacency, Composition, Mechanism, Subject, described
from dpcompose.errors import InvalidParameter, NotProvable
from dpcompose.interop import events, reading, writing
from dpcompose.interop.neighbours import required
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.prove.answer import Answer
from dpcompose.prove.answer import delta as delta_at
from dpcompose.prove.answer import epsilon as epsilon_at
from dpcompose.prove.answer import renyi as divergence_at

_peer = required("dp_accounting", "dp-accounting")
_base = required("dp_accounting.privacy_accountant", "dp-accounting")
_CLASSES: dict[str, type] = {name: getattr(_peer.dp_event, name) for name in events.FIELDS}
_NAMES = {cls: name for name, cls in _CLASSES.items()}
NeighboringRelation = _peer.NeighboringRelation
RELATIONS = {
    NeighboringRelation.ADD_OR_REMOVE_ONE: Adjacency.ADD_REMOVE,
    NeighboringRelation.REPLACE_ONE: Adjacency.REPLACE_ONE,
    NeighboringRelation.REPLACE_SPECIAL: Adjacency.ZERO_OUT,
}
"""From the relations of dp_accounting to ours."""


def _adjacency(relation: object) -> Adjacency:
    if relation not in RELATIONS:
        raise InvalidParameter("neighboring_relation", relation, "a NeighboringRelation of dp_accounting")
    return RELATIONS[relation]


def from_event(event: object, neighboring_relation: object = NeighboringRelation.ADD_OR_REMOVE_ONE) -> Mechanism:
    """The mechanism that an event of dp_accounting describes; unknown events are refused."""
    return reading.mechanism_of(events.from_object(event, _NAMES), _adjacency(neighboring_relation))


def to_event(mechanism: Subject) -> Any:
    """The event of dp_accounting that describes a mechanism; numbers are rounded towards the larger loss."""
    return events.to_object(writing.event_of(described(mechanism)), _CLASSES)


class Accountant(_base.PrivacyAccountant):  # type: ignore[misc,name-defined] # the neighbour has no types
    """The certified accountant as a `PrivacyAccountant` of dp_accounting.

    It returns upper ends, which are never below the truth. `epsilon` and `delta` give both ends, and the theorems.
    """

    def __init__(self, neighboring_relation: Any = NeighboringRelation.ADD_OR_REMOVE_ONE) -> None:
        """An accountant without any event, under one neighbouring relation."""
        super().__init__(neighboring_relation)
        self._relation = _adjacency(neighboring_relation)
        self._run: dict[Mechanism, int] = {}

    def _maybe_compose(self, event: object, count: int, do_compose: bool) -> Any:  # noqa: FBT001 - its own signature
        """Add an event, or say which part of it is unknown; the base class calls this."""
        try:
            mechanism = reading.mechanism_of(events.from_object(event, _NAMES), self._relation)
            leaves = Composition(((mechanism, count if do_compose else 1),)).leaves()
        except events.UnknownEvent as refusal:
            return self.CompositionErrorDetails(refusal.origin, str(refusal))
        except InvalidParameter as refusal:
            return self.CompositionErrorDetails(event, str(refusal))
        if do_compose:
            for leaf, times in leaves:
                self._run[leaf] = self._run.get(leaf, 0) + times
        return None

    @property
    def mechanism(self) -> Composition:
        """Everything composed so far."""
        return Composition(tuple(self._run.items()))

    def epsilon(self, target_delta: Real) -> Answer:
        """Both ends of ε at a δ, with the theorems behind them."""
        return epsilon_at(self.mechanism, target_delta)

    def delta(self, target_epsilon: Real) -> Answer:
        """Both ends of δ at an ε, with the theorems behind them."""
        return delta_at(self.mechanism, target_epsilon)

    def get_epsilon(self, target_delta: float) -> float:
        """The upper end of ε; infinite where no finite ε is certain."""
        at = DELTA.check("target_delta", target_delta)
        if reading.NON_PRIVATE in self._run:
            return math.inf
        return _upper(lambda: self.epsilon(at), math.inf)

    def get_delta(self, target_epsilon: float) -> float:
        """The upper end of δ; at an infinite ε, the probability of an unbounded loss."""
        far = isinstance(target_epsilon, float) and target_epsilon == math.inf
        at = EPSILON.high if far else EPSILON.check("target_epsilon", target_epsilon)
        if reading.NON_PRIVATE in self._run:
            return 1.0
        if far and _upper(lambda: divergence_at(self.mechanism, 1), math.inf) < math.inf:
            return 0.0  # where the mean loss is finite no loss is infinite
        return _upper(lambda: self.delta(at), 1.0)


def _upper(ask: Callable[[], Answer], most: float) -> float:
    """The upper end of an answer; the trivial bound if no theorem applies."""
    try:
        return ask().upper
    except NotProvable:
        return most


__all__ = ["Accountant", "from_event", "to_event"]
