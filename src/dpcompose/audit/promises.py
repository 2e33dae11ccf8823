"""Promises: a claimed pair (ε, δ), or the computed upper bound of a described mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction
from functools import singledispatch

from dpcompose.description import Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real, rounded
from dpcompose.parameters import DELTA, EPSILON, short
from dpcompose.prove.answer import epsilon as epsilon_at
from dpcompose.spec import dumps, loads

_LINE = 60


@dataclass(frozen=True, slots=True)
class Promise:
    """At this δ, ε is claimed to be at most this; infinite where nothing is claimed."""

    text: str
    epsilon: Real
    delta: Real

    @property
    def shown(self) -> str:
        """The text, shortened to one line."""
        return self.text if len(self.text) <= _LINE else f"{self.text[: _LINE - 1]}…"

    def __str__(self) -> str:
        if self.epsilon == math.inf:
            return f"{self.shown} promises nothing at this δ"
        return f"{self.shown} promises ε ≤ {rounded(_ratio(self.epsilon), ROUND_CEILING)}"


@singledispatch
def promised(claim: object, delta: Real) -> Promise:
    """Read a claim; a mechanism's upper bound is computed at `delta`."""
    del delta
    raise InvalidParameter("claim", claim, "a pair (ε, δ), a mechanism or the expression of one")


@promised.register
def _(claim: Promise, delta: Real) -> Promise:
    del delta
    return claim


@promised.register
def _(claim: tuple, delta: Real) -> Promise:  # type: ignore[type-arg] # singledispatch reads the annotation
    del delta
    if len(claim) != 2:
        raise InvalidParameter("claim", claim, "a pair (ε, δ), a mechanism or the expression of one")
    epsilon, at = EPSILON.check("epsilon", claim[0]), DELTA.check("delta", claim[1])
    return Promise(f"({short(epsilon)}, {short(at)})-DP", epsilon, at)


@promised.register
def _(claim: Mechanism, delta: Real) -> Promise:
    return Promise(dumps(claim), epsilon_at(claim, delta).upper, delta)


@promised.register
def _(claim: str, delta: Real) -> Promise:
    return promised(loads(claim), delta)


def _ratio(x: Real) -> float | Fraction:
    return Fraction(x) if isinstance(x, int) else x


__all__ = ["Promise", "promised"]
