"""A running total: mechanisms are added one after the other, and the total can be asked for at any time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpcompose.calibration import Calibrated, remaining
from dpcompose.description import (
    ADAPTIVE,
    FULLY_ADAPTIVE,
    Adaptivity,
    Adjacency,
    Composition,
    Mechanism,
    Subject,
    common_adjacency,
    described,
)
from dpcompose.errors import NotProvable
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import COUNT, DELTA
from dpcompose.prove.answer import Answer, least_epsilon
from dpcompose.prove.answer import delta as delta_at
from dpcompose.prove.claims import known
from dpcompose.prove.rigor import TOLERANCE
from dpcompose.shown import NotebookResult


class Online(NotebookResult):
    """What has been run so far, by kind. Adding merges counts, so a billion runs of one kind take one entry.

    The total holds for parameters that were fixed in advance. It does not hold if noise, or the time to stop, is chosen
    by looking at earlier outputs: stopping where the loss is high makes the path's own sums too small. For a bound that
    holds at any time use an `odometer`; for a promise about the end, a filter with caps.
    """

    def __repr__(self) -> str:
        runs, kinds = len(self), len(self._counts)
        return f"<Online: {runs} {'run' if runs == 1 else 'runs'} of {kinds} {'kind' if kinds == 1 else 'kinds'}>"

    def __init__(self, adaptivity: Adaptivity = ADAPTIVE) -> None:
        """A total of nothing yet."""
        self._rules = Composition(adaptivity=adaptivity)
        self._relation: Adjacency | None = None
        self._counts: dict[Mechanism, int] = {}
        self._answers: dict[tuple[str, Real, float], Answer] = {}
        self._memory: dict[Any, Any] = {}

    def add(self, mechanism: Subject, count: int = 1) -> Online:
        """Add this many runs; a mechanism that does not fit the others is refused, and nothing is added."""
        added = Composition(((described(mechanism), count),))
        rules = self._rules + Composition((), added.adaptivity, added.filter)
        relation = common_adjacency((self._relation, added.adjacency))
        more = {kind: int(COUNT.check("count", self._counts.get(kind, 0) + n)) for kind, n in added.leaves()}
        self._rules, self._relation, self._answers = rules, relation, {}
        self._counts.update(more)
        return self

    @property
    def counts(self) -> dict[Mechanism, int]:
        """The number of runs of each kind."""
        return dict(self._counts)

    @property
    def plan(self) -> Composition:
        """Everything added, as one composition."""
        return Composition(tuple(self._counts.items()), self._rules.adaptivity, self._rules.filter)

    def epsilon(self, delta: Real, tolerance: float = 1e-6) -> Answer:
        """The least ε at δ so far; refused where steps or the end are chosen adaptively."""
        self._refuse_to_run("ε")
        return self._asked("epsilon", delta, tolerance, lambda: self._epsilon(delta, tolerance))

    def _epsilon(self, delta: Real, tolerance: float) -> Answer:
        """ε, from the saddle line kept from the last answer where that suffices."""
        TOLERANCE.check("tolerance", tolerance)
        return least_epsilon(
            known(self.plan),
            DELTA.check("delta", delta),
            tolerance,
            lambda profile, gap: profile.to(gap).recalling(self._memory),
        )

    def delta(self, epsilon: Real, tolerance: float = 1e-6) -> Answer:
        """The least δ at ε so far; refused where steps or the end are chosen adaptively."""
        self._refuse_to_run("δ")
        return self._asked("delta", epsilon, tolerance, lambda: delta_at(self.plan, epsilon, tolerance))

    def remaining(self, more: Subject, *, epsilon: Real, delta: Real) -> Calibrated:
        """How many more runs of a mechanism fit into (ε, δ)."""
        return remaining(self.plan, more, epsilon=epsilon, delta=delta)

    def _refuse_to_run(self, what: str) -> None:
        if self._rules.adaptivity is FULLY_ADAPTIVE:
            raise NotProvable(
                f"The {what} of what was run so far is no bound for somebody who chose the steps, or when to stop, by "
                "looking at outputs: ask an odometer, which holds at any time, or a filter for what holds at its caps."
            )

    def _asked(self, question: str, at: Real, tolerance: float, ask: Callable[[], Answer]) -> Answer:
        """An answer, kept until something is added."""
        key = (question, at, tolerance)
        if key not in self._answers:
            self._answers[key] = ask()
        return self._answers[key]

    def __len__(self) -> int:
        return sum(self._counts.values())

    def __str__(self) -> str:
        return "\n".join(f"{count:>12} × {kind!r}" for kind, count in self._counts.items()) or "nothing so far"


def online(adaptivity: Adaptivity = ADAPTIVE) -> Online:
    """A running composition: `.add(mechanism, count)`, `.epsilon(delta)`, `.delta(epsilon)`."""
    return Online(adaptivity)


__all__ = ["Online", "online"]
